//! Tables that another program reads: PostgreSQL through `psql`, DuckDB and Parquet through `duckdb` or Python's.
//!
//! The program answers a query as CSV, whose unquoted empty cells are NULL; the catalogue says what kinds the columns have.
//! Libraries of these systems would take longer to compile than all of lrnn, and `psql` knows every way to
//! log in: credentials come from the environment (`PGPASSWORD`, `PGSERVICE`, `~/.pgpass`), never from a mapping.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use lrnn::{Error, ErrorKind};

use crate::frame::Cells;
use crate::source::{ForeignKey, TableSchema, files_of, missing, table_name};
use crate::sql::{quoted, text};
use crate::{ColumnKind, Csv, CsvOptions, Frame, FrameColumn, Moment, TableSource};

/// The systems that programs read.
#[derive(Clone, PartialEq, Eq, Debug)]
enum System {
    /// A PostgreSQL server, by its URL.
    Postgres(String),
    /// A DuckDB file.
    DuckDb(PathBuf),
    /// Parquet files, each a table.
    Parquet(Vec<(String, PathBuf)>),
}

/// A database or files that another program reads.
#[derive(Debug)]
pub struct ProgramSource {
    name: String,
    system: System,
    /// The schemas that were asked for.
    known: Mutex<Vec<TableSchema>>,
}

/// Reads a query with DuckDB as a library of Python.
const PYTHON: &str = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=sys.argv[1] != ':memory:').execute(sys.argv[2])";

impl ProgramSource {
    /// Opens a PostgreSQL database by a URL without a password.
    pub fn postgres(url: &str) -> Result<Self, Error> {
        let authority = url.split("://").nth(1).unwrap_or("").split(['/', '?']).next().unwrap_or("");
        let has_password =
            authority.split('@').next().is_some_and(|user| authority.contains('@') && user.contains(':'));
        if has_password || url.contains("password=") {
            let error = Error::new(ErrorKind::Usage, "the URL of a database must not hold a password");
            return Err(error.help("set PGPASSWORD, or use ~/.pgpass; psql and lrnn read both"));
        }
        Ok(Self::new(url.to_owned(), System::Postgres(url.to_owned())))
    }

    /// Opens a DuckDB file.
    pub fn duckdb(path: &Path) -> Self {
        Self::new(path.display().to_string(), System::DuckDb(path.to_owned()))
    }

    /// Opens a Parquet file, or a folder of them.
    pub fn parquet(path: &Path) -> Result<Self, Error> {
        let files = match table_name(path, &[".parquet"]) {
            Some(name) if path.is_file() => vec![(name.to_owned(), path.to_owned())],
            _ => files_of(path, &[".parquet"])?,
        };
        Ok(Self::new(path.display().to_string(), System::Parquet(files)))
    }

    /// Opens Parquet files of a folder, each with the name of its table.
    pub(crate) fn parquet_files(folder: &Path, files: Vec<(String, PathBuf)>) -> Self {
        Self::new(folder.display().to_string(), System::Parquet(files))
    }

    fn new(name: String, system: System) -> Self {
        Self { name, system, known: Mutex::new(Vec::new()) }
    }

    /// Returns the programs that can answer, with their arguments, the first that is there.
    fn commands(&self, query: &str) -> Vec<Command> {
        let mut psql = Command::new("psql");
        if let System::Postgres(url) = &self.system {
            let copy = format!("COPY ({query}) TO STDOUT WITH (FORMAT csv, HEADER, ENCODING 'UTF8')");
            psql.args([
                url,
                "--no-psqlrc",
                "--quiet",
                "--no-password",
                "--set=ON_ERROR_STOP=1",
                "--command",
                &copy,
            ]);
            return vec![psql];
        }
        let copy = format!("COPY ({query}) TO '/dev/stdout' (FORMAT csv, HEADER)");
        let file = match &self.system {
            System::DuckDb(path) => path.display().to_string(),
            _ => ":memory:".to_owned(),
        };
        let mut duckdb = Command::new("duckdb");
        duckdb.args(if file == ":memory:" { &[][..] } else { &["-readonly"] }).args([&file, "-c", &copy]);
        let python = std::env::var("LRNN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut python = Command::new(python);
        python.args(["-c", PYTHON, &file, &copy]);
        vec![duckdb, python]
    }

    /// Asks a query; rows come back as CSV.
    fn ask(&self, query: &str) -> Result<Csv, Error> {
        let mut said = String::new();
        for mut command in self.commands(query) {
            let Ok(output) = command.stdin(Stdio::null()).output() else { continue };
            let error = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            if output.status.success() {
                let options = CsvOptions { separator: Some(b','), ..CsvOptions::default() };
                return Csv::parse(&self.name, output.stdout, options);
            }
            said = error;
            if !said.contains("No module named") {
                break;
            }
        }
        let needed = match self.system {
            System::Postgres(_) => "PostgreSQL is read by the program `psql` (Debian: postgresql-client)",
            _ => {
                "DuckDB and Parquet are read by the program `duckdb`, or by Python with the package duckdb (LRNN_PYTHON names the Python)"
            }
        };
        match said.is_empty() || said.contains("No module named") {
            true => Err(Error::new(ErrorKind::File, format!("{}: {needed}, which is not there", self.name))),
            false => Err(Error::new(ErrorKind::File, format!("{}: {said}", self.name)).help(needed)),
        }
    }

    fn strings(&self, query: &str) -> Result<Vec<Vec<String>>, Error> {
        let csv = self.ask(query)?;
        let cell = |row, column| csv.cell(row, column).unwrap_or_default().into_owned();
        Ok((0..csv.rows())
            .map(|row| (0..csv.names().len()).map(|column| cell(row, column)).collect())
            .collect())
    }

    /// Returns what SQL calls a table.
    fn relation(&self, table: &str) -> Result<String, Error> {
        match &self.system {
            System::Parquet(files) => {
                let found = files.iter().find(|(name, _)| name == table);
                let (_, path) = found.ok_or_else(|| missing(&self.name, table))?;
                Ok(format!("read_parquet({})", text(&path.display().to_string())))
            }
            _ => Ok(quoted(table)),
        }
    }

    fn columns(&self, table: &str) -> Result<Vec<(String, Option<ColumnKind>)>, Error> {
        let query = match &self.system {
            System::Postgres(_) => format!(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() \
                 AND table_name = {} ORDER BY ordinal_position",
                text(table)
            ),
            _ => format!(
                "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})",
                self.relation(table)?
            ),
        };
        let row = |row: Vec<String>| (row[0].clone(), Some(kind_of(&row[1])));
        Ok(self.strings(&query)?.into_iter().map(row).collect())
    }

    fn primary_key(&self, table: &str) -> Result<Vec<String>, Error> {
        if matches!(self.system, System::Parquet(_)) {
            return Ok(Vec::new());
        }
        let query = format!(
            "SELECT k.column_name FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k \
             ON k.constraint_name = c.constraint_name AND k.table_name = c.table_name AND k.table_schema = c.table_schema \
             WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = current_schema() AND c.table_name = {} \
             ORDER BY k.ordinal_position",
            text(table)
        );
        Ok(self.strings(&query)?.into_iter().map(|row| row[0].clone()).collect())
    }
}

/// Returns the kind that a type of SQL is.
fn kind_of(declared: &str) -> ColumnKind {
    let declared = declared.to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| declared.starts_with(word));
    match () {
        () if begins(&["bool"]) => ColumnKind::Boolean,
        () if begins(&["date", "timestamp"]) => ColumnKind::Date,
        () if begins(&["bigint", "int", "smallint", "tinyint", "utinyint", "usmallint", "uinteger"])
            && !begins(&["interval"]) =>
        {
            ColumnKind::Integer
        }
        () if begins(&["real", "float", "double", "numeric", "decimal"]) => ColumnKind::Number,
        () => ColumnKind::Text,
    }
}

/// Returns a column with its cells as the catalogue says they are.
fn column(csv: &Csv, at: usize, name: &str, kind: ColumnKind) -> Result<FrameColumn, String> {
    let rows = csv.rows();
    let nulls: Vec<bool> = (0..rows).map(|row| csv.cell(row, at).is_none()).collect();
    let cell = |row: usize| csv.cell(row, at).unwrap_or_default();
    let wrong = |row: usize| format!("row {}, column {name}: `{}` is no {}", row + 1, cell(row), kind.name());
    let cells = match kind {
        ColumnKind::Integer => {
            let read =
                |row: usize| if nulls[row] { Ok(0) } else { cell(row).parse().map_err(|_| wrong(row)) };
            Cells::Integers((0..rows).map(read).collect::<Result<_, _>>()?)
        }
        ColumnKind::Number => {
            let read = |row: usize| {
                if nulls[row] { Ok(f64::NAN) } else { cell(row).parse().map_err(|_| wrong(row)) }
            };
            Cells::Numbers((0..rows).map(read).collect::<Result<_, _>>()?)
        }
        ColumnKind::Boolean => Cells::Booleans((0..rows).map(|row| cell(row).starts_with('t')).collect()),
        ColumnKind::Date => {
            let read = |row: usize| match nulls[row] {
                true => Ok(Moment::of_day(0)),
                false => Moment::read(&cell(row)).ok_or_else(|| wrong(row)),
            };
            Cells::Moments((0..rows).map(read).collect::<Result<_, _>>()?)
        }
        ColumnKind::Text => Cells::Texts((0..rows).map(cell).collect()),
    };
    let nulls = if nulls.contains(&true) { nulls } else { Vec::new() };
    Ok(FrameColumn { name: name.to_owned(), cells, nulls })
}

impl TableSource for ProgramSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        if let System::Parquet(files) = &self.system {
            return Ok(files.iter().map(|(name, _)| name.clone()).collect());
        }
        let query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY table_name";
        Ok(self.strings(query)?.into_iter().map(|row| row[0].clone()).collect())
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let known = |all: &[TableSchema]| all.iter().find(|schema| schema.name == table).cloned();
        if let Some(schema) = known(&self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(schema);
        }
        let (columns, primary_key) = (self.columns(table)?, self.primary_key(table)?);
        let schema = TableSchema { name: table.to_owned(), columns, primary_key, ..TableSchema::default() };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).push(schema.clone());
        Ok(schema)
    }

    fn foreign_keys(&self) -> Result<Vec<(String, ForeignKey)>, Error> {
        let query = match self.system {
            System::Parquet(_) => return Ok(Vec::new()),
            System::Postgres(_) => {
                "SELECT k.table_name, k.column_name, u.table_name AS to_table, u.column_name AS to_column \
                 FROM information_schema.table_constraints c \
                 JOIN information_schema.key_column_usage k ON k.constraint_name = c.constraint_name AND k.table_schema = c.table_schema \
                 JOIN information_schema.constraint_column_usage u ON u.constraint_name = c.constraint_name AND u.table_schema = c.table_schema \
                 WHERE c.constraint_type = 'FOREIGN KEY' AND c.table_schema = current_schema() ORDER BY 1, 2"
            }
            System::DuckDb(_) => {
                "SELECT table_name, constraint_column_names[1] AS a, referenced_table AS b, referenced_column_names[1] AS c \
                 FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND len(constraint_column_names) = 1 ORDER BY 1, 2"
            }
        };
        let key = |row: Vec<String>| {
            (
                row[0].clone(),
                ForeignKey { column: row[1].clone(), table: row[2].clone(), key: row[3].clone() },
            )
        };
        Ok(self.strings(query)?.into_iter().map(key).collect())
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        let names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let names = if names.is_empty() { "1 AS one".to_owned() } else { names.join(", ") };
        let csv = self.ask(&format!("SELECT {names} FROM {}", self.relation(table)?))?;
        let schema = self.schema(table)?;
        let mut found = Vec::new();
        for (at, name) in columns.iter().enumerate() {
            let kind = schema.columns.iter().find(|(known, _)| known == name).and_then(|(_, kind)| *kind);
            let wrong = |message: String| {
                Error::new(ErrorKind::Content, format!("{}: table {table}, {message}", self.name))
            };
            found.push(column(&csv, at, name, kind.unwrap_or(ColumnKind::Text)).map_err(wrong)?);
        }
        Ok(Frame { name: table.to_owned(), columns: found, rows: csv.rows(), csv: None })
    }
}
