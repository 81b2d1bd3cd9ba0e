//! Tables that another program reads: PostgreSQL through `psql`, DuckDB and Parquet through `duckdb` or Python's.
//!
//! The program answers a query as CSV, whose unquoted empty cells are NULL; the catalogue says what kinds the columns have.
//! Libraries of these systems would take longer to compile than all of lrnn, and `psql` knows every way to
//! log in: credentials come from the environment (`PGPASSWORD`, `PGSERVICE`, `~/.pgpass`), never from a mapping.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use lrnn::{Error, ErrorKind};

use crate::frame::Cells;
use crate::resolve::short;
use crate::source::{ForeignKey, TableSchema, files_of, missing, table_name};
use crate::sql::{quoted, text};
use crate::{ColumnKind, Csv, CsvOptions, Frame, FrameColumn, Moment, TableSource, Texts};

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
    /// The schemas of all tables, once one was asked for.
    known: Mutex<Option<Arc<Vec<TableSchema>>>>,
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
        Self { name, system, known: Mutex::new(None) }
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
            // Rows come as they lie in the table, each time in the same order.
            let given = std::env::var("PGOPTIONS").unwrap_or_default();
            let order = "-c synchronize_seqscans=off -c enable_indexscan=off -c enable_indexonlyscan=off \
                         -c enable_bitmapscan=off -c max_parallel_workers_per_gather=0";
            psql.env("PGOPTIONS", format!("{given} {order}"));
            return vec![psql];
        }
        // A query that takes long would draw a bar of progress among the rows.
        let quiet = "SET enable_progress_bar = false";
        let copy = format!("{quiet}; COPY ({query}) TO '/dev/stdout' (FORMAT csv, HEADER)");
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

    /// Asks a query. Its rows come back as CSV, some at a time, each time with the header; at least once.
    fn ask(&self, query: &str, take: &mut dyn FnMut(&Csv) -> Result<(), Error>) -> Result<(), Error> {
        let mut said = String::new();
        for mut command in self.commands(query) {
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let Ok(mut child) = command.spawn() else { continue };
            let (output, errors) = (child.stdout.take(), child.stderr.take());
            // Both are read at once, so that neither fills up.
            let listener = std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
                String::from_utf8_lossy(&text).trim().to_owned()
            });
            let mut pieces = output.map(|output| CsvPieces::new(&self.name, output));
            let taken = pieces.as_mut().map_or(Ok(()), |pieces| pieces.each(take));
            if taken.is_err() {
                let _ = child.kill();
            }
            let is_right = child.wait().is_ok_and(|status| status.success());
            let error = listener.join().unwrap_or_default();
            taken?;
            if is_right {
                return Ok(());
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
        let mut all = Vec::new();
        self.ask(query, &mut |csv| {
            let cell = |row, column| csv.cell(row, column).unwrap_or_default().into_owned();
            let row = |row| (0..csv.names().len()).map(|column| cell(row, column)).collect();
            all.extend((0..csv.rows()).map(row));
            Ok(())
        })?;
        Ok(all)
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

    /// Returns table, column and type of all columns.
    fn columns(&self) -> Result<Vec<Vec<String>>, Error> {
        let System::Parquet(files) = &self.system else {
            return self.strings(
                "SELECT table_name, column_name, data_type FROM information_schema.columns \
                 WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position",
            );
        };
        let of = |(table, path): &(String, PathBuf)| {
            let (table, path) = (text(table), text(&path.display().to_string()));
            format!(
                "SELECT {table} AS a, column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet({path}))"
            )
        };
        let queries: Vec<String> = files.iter().map(of).collect();
        if queries.is_empty() { Ok(Vec::new()) } else { self.strings(&queries.join(" UNION ALL ")) }
    }

    /// Returns table and column of all primary keys.
    fn primary_keys(&self) -> Result<Vec<Vec<String>>, Error> {
        if matches!(self.system, System::Parquet(_)) {
            return Ok(Vec::new());
        }
        self.strings(
            "SELECT k.table_name, k.column_name FROM information_schema.table_constraints c \
             JOIN information_schema.key_column_usage k \
             ON k.constraint_name = c.constraint_name AND k.table_name = c.table_name AND k.table_schema = c.table_schema \
             WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = current_schema() \
             ORDER BY k.table_name, k.ordinal_position",
        )
    }

    /// Returns the schemas of all tables; the program is asked once.
    fn schemas(&self) -> Result<Arc<Vec<TableSchema>>, Error> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schemas) = &*known {
            return Ok(Arc::clone(schemas));
        }
        let mut all: Vec<TableSchema> = Vec::new();
        for row in self.columns()? {
            if all.last().is_none_or(|schema| schema.name != row[0]) {
                all.push(TableSchema { name: row[0].clone(), ..TableSchema::default() });
            }
            if let Some(schema) = all.last_mut() {
                schema.columns.push((row[1].clone(), Some(kind_of(&row[2]))));
            }
        }
        for row in self.primary_keys()? {
            let schema = all.iter_mut().find(|schema| schema.name == row[0]);
            schema.into_iter().for_each(|schema| schema.primary_key.push(row[1].clone()));
        }
        Ok(Arc::clone(known.insert(Arc::new(all))))
    }
}

/// The bytes of CSV that are read at once.
const PIECE: usize = 1 << 22;

/// CSV as a program writes it, in pieces of whole rows: so no more than one is in memory.
struct CsvPieces<'a, R> {
    name: &'a str,
    output: R,
    /// Bytes that were read and belong to no piece yet.
    rest: Vec<u8>,
    header: Vec<u8>,
    is_first: bool,
}

impl<'a, R: Read> CsvPieces<'a, R> {
    fn new(name: &'a str, output: R) -> Self {
        Self { name, output, rest: Vec::new(), header: Vec::new(), is_first: true }
    }

    fn each(&mut self, take: &mut dyn FnMut(&Csv) -> Result<(), Error>) -> Result<(), Error> {
        let (mut is_quoted, mut seen, mut end) = (false, 0, 0);
        loop {
            let before = self.rest.len();
            let read = self.output.by_ref().take(PIECE as u64).read_to_end(&mut self.rest);
            read.map_err(|error| Error::new(ErrorKind::File, format!("{}: {error}", self.name)))?;
            let is_last = self.rest.len() == before;
            for (at, byte) in self.rest.iter().enumerate().skip(seen) {
                match byte {
                    b'"' => is_quoted = !is_quoted,
                    b'\n' if !is_quoted => {
                        end = at + 1;
                        if self.header.is_empty() {
                            self.header = self.rest[..end].to_vec();
                        }
                    }
                    _ => {}
                }
            }
            seen = self.rest.len();
            if is_last {
                end = seen;
            }
            if end > 0 {
                self.give(end, take)?;
                (seen, end) = (seen - end, 0);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Gives the rows of the first bytes away, with the header before them.
    fn give(&mut self, end: usize, take: &mut dyn FnMut(&Csv) -> Result<(), Error>) -> Result<(), Error> {
        let rest = self.rest.split_off(end);
        let rows = std::mem::replace(&mut self.rest, rest);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let text = if is_first { rows } else { [&self.header[..], &rows].concat() };
        take(&Csv::parse(self.name, text, CsvOptions { separator: Some(b','), ..CsvOptions::default() })?)
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

/// A column as it grows, of the kind that the catalogue says.
struct TypedCells {
    cells: Cells,
    nulls: Vec<bool>,
    kind: ColumnKind,
}

impl TypedCells {
    fn new(kind: ColumnKind) -> Self {
        let cells = match kind {
            ColumnKind::Integer => Cells::Integers(Vec::new()),
            ColumnKind::Number => Cells::Numbers(Vec::new()),
            ColumnKind::Boolean => Cells::Booleans(Vec::new()),
            ColumnKind::Date => Cells::Moments(Vec::new()),
            ColumnKind::Text => Cells::Texts(Texts::default()),
        };
        Self { cells, nulls: Vec::new(), kind }
    }

    /// Adds a column of some rows of CSV, or tells what is wrong with a cell; the first row has a number in the table.
    fn extend(&mut self, csv: &Csv, at: usize, rows: &[u32], first: u32) -> Result<(), String> {
        for row in rows.iter().map(|row| *row as usize) {
            let cell = csv.cell(row, at);
            self.nulls.push(cell.is_none());
            let text = cell.as_deref().unwrap_or_default();
            let is_right = match &mut self.cells {
                _ if cell.is_none() => {
                    self.push_null();
                    true
                }
                Cells::Integers(all) => text.parse().map(|number| all.push(number)).is_ok(),
                Cells::Numbers(all) => text.parse().map(|number| all.push(number)).is_ok(),
                Cells::Moments(all) => Moment::read(text).map(|moment| all.push(moment)).is_some(),
                Cells::Booleans(all) => {
                    all.push(text.starts_with('t'));
                    true
                }
                Cells::Texts(all) => all.push(text),
                Cells::Csv(..) => false,
            };
            if !is_right {
                return Err(format!(
                    "row {}: `{}` is no {}",
                    first as usize + row + 1,
                    short(text),
                    self.kind.name()
                ));
            }
        }
        Ok(())
    }

    fn push_null(&mut self) {
        match &mut self.cells {
            Cells::Integers(all) => all.push(0),
            Cells::Numbers(all) => all.push(f64::NAN),
            Cells::Moments(all) => all.push(Moment::of_day(0)),
            Cells::Booleans(all) => all.push(false),
            Cells::Texts(all) => _ = all.push(""),
            Cells::Csv(..) => {}
        }
    }

    fn finish(self, name: &str) -> FrameColumn {
        let nulls = if self.nulls.contains(&true) { self.nulls } else { Vec::new() };
        FrameColumn { name: name.to_owned(), cells: self.cells, nulls }
    }
}

impl TableSource for ProgramSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        if let System::Parquet(files) = &self.system {
            return Ok(files.iter().map(|(name, _)| name.clone()).collect());
        }
        Ok(self.schemas()?.iter().map(|schema| schema.name.clone()).collect())
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let schemas = self.schemas()?;
        let found = schemas.iter().find(|schema| schema.name == table);
        found.cloned().ok_or_else(|| missing(&self.name, table))
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
        self.read_some(table, columns, None)
    }

    fn read_rows(&self, table: &str, columns: &[String], rows: &[u32]) -> Result<Frame, Error> {
        self.read_some(table, columns, Some(rows))
    }

    fn is_streamable(&self) -> bool {
        true
    }
}

impl ProgramSource {
    /// Reads columns of some rows, or of all.
    fn read_some(&self, table: &str, columns: &[String], some: Option<&[u32]>) -> Result<Frame, Error> {
        let names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let names = if names.is_empty() { "1 AS one".to_owned() } else { names.join(", ") };
        let schema = self.schema(table)?;
        let kind = |name: &String| {
            let found = schema.columns.iter().find(|(known, _)| known == name);
            found.and_then(|(_, kind)| *kind).unwrap_or(ColumnKind::Text)
        };
        let mut cells: Vec<TypedCells> = columns.iter().map(|name| TypedCells::new(kind(name))).collect();
        let (mut rows, mut first, mut left) = (0, 0, some.unwrap_or_default());
        self.ask(&format!("SELECT {names} FROM {}", self.relation(table)?), &mut |csv| {
            let end = first + csv.rows() as u32;
            let own: Vec<u32> = match some {
                None => (0..csv.rows() as u32).collect(),
                Some(_) => {
                    let (here, rest) = left.split_at(left.partition_point(|row| *row < end));
                    left = rest;
                    here.iter().map(|row| row - first).collect()
                }
            };
            let begin = std::mem::replace(&mut first, end);
            rows += own.len();
            for (at, cells) in cells.iter_mut().enumerate() {
                cells.extend(csv, at, &own, begin).map_err(|message| {
                    let place = format!("{}: table {table}, column {}", self.name, columns[at]);
                    Error::new(ErrorKind::Content, format!("{place}, {message}"))
                })?;
            }
            Ok(())
        })?;
        let columns = cells.into_iter().zip(columns).map(|(cells, name)| cells.finish(name)).collect();
        let numbers = some.map(<[u32]>::to_vec).unwrap_or_default();
        Ok(Frame { name: table.to_owned(), columns, rows, csv: None, numbers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(to.len()).min(self.0.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn csv_in_pieces_has_all_rows() {
        let row = |number: usize| format!("{number},\"two\nlines, \"\"{number}\"\"\",\n");
        // A row may say what the header says.
        let text = format!("a,b,c\n{}a,b,c\n", (0..200_000).map(row).collect::<String>());
        assert!(text.len() > PIECE, "more than one piece");
        let (mut rows, mut pieces) = (Vec::new(), 0);
        let mut all = CsvPieces::new("t", Slow(text.as_bytes(), 10_007));
        let mut take = |csv: &Csv| {
            pieces += 1;
            let cells =
                |row| (0..3).map(|at| csv.cell(row, at).map(|it| it.into_owned())).collect::<Vec<_>>();
            rows.extend((0..csv.rows()).map(cells));
            Ok(())
        };
        all.each(&mut take).unwrap_or_else(|error| panic!("{error}"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!((rows.len(), pieces > 1), (200_001, true));
        assert_eq!(rows[150_000], [some("150000"), some("two\nlines, \"150000\""), None]);
        assert_eq!(rows[200_000], [some("a"), some("b"), some("c")]);
    }
}
