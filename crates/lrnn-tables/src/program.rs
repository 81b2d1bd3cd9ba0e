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

use crate::column::ColumnBuilder;
use crate::conversation::{Conversation, listen};
use crate::csv_file::CsvPieces;
use crate::frame::{Cell, Cells};
use crate::resolve::short;
use crate::source::{ForeignKey, TableSchema, files_of, missing, table_name};
use crate::sql::{quoted, text};
use crate::{ColumnKind, Csv, CsvOptions, Frame, Moment, TableSource, Texts};

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
    /// Python, while tables are read by it.
    python: Mutex<Option<Conversation>>,
}

/// Answers queries with DuckDB as a library of Python, see [`Conversation`].
const PYTHON: &str = r"
import sys
try:
    # The library alone loads in a fourth of the time of its package.
    from _duckdb import connect
except ImportError:
    from duckdb import connect
try:
    # Rows are written while others are read: a pipe that holds more lets both go on.
    import fcntl
    fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
except (ImportError, AttributeError, OSError):
    pass
file, mark = sys.argv[1], b'\0' + sys.argv[2].encode()
database = connect(file, read_only=file != ':memory:')
while line := sys.stdin.buffer.readline():
    query, said = sys.stdin.buffer.read(int(line)).decode(), ''
    try:
        database.execute(query)
    except Exception as error:
        said = str(error)
    sys.stdout.buffer.write(mark + said.encode() + mark)
    sys.stdout.buffer.flush()
";

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
        Self { name, system, known: Mutex::new(None), python: Mutex::new(None) }
    }

    /// Returns the program that answers one query, with its arguments.
    fn command(&self, query: &str) -> Command {
        if let System::Postgres(url) = &self.system {
            let mut psql = Command::new("psql");
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
            return psql;
        }
        let file = self.file();
        let mut duckdb = Command::new("duckdb");
        duckdb.args(if file == ":memory:" { &[][..] } else { &["-readonly"] }).args([
            &file,
            "-c",
            &copy_of(query),
        ]);
        duckdb
    }

    /// Returns the database that DuckDB opens.
    fn file(&self) -> String {
        match &self.system {
            System::DuckDb(path) => path.display().to_string(),
            _ => ":memory:".to_owned(),
        }
    }

    /// Asks a query. Its rows come back as CSV, some at a time, each time with the header; at least once.
    fn ask(&self, query: &str, take: &mut dyn FnMut(&Csv) -> Result<(), Error>) -> Result<(), Error> {
        let said = match self.ask_program(query, take)? {
            None if !matches!(self.system, System::Postgres(_)) => self.ask_python(query, take)?,
            said => said,
        };
        let needed = match self.system {
            System::Postgres(_) => "PostgreSQL is read by the program `psql` (Debian: postgresql-client)",
            _ => {
                "DuckDB and Parquet are read by the program `duckdb`, or by Python with the package duckdb (LRNN_PYTHON names the Python)"
            }
        };
        match said.filter(|said| !said.contains("No module named")) {
            None => Err(Error::new(ErrorKind::File, format!("{}: {needed}, which is not there", self.name))),
            Some(said) if said.is_empty() => Ok(()),
            Some(said) => Err(Error::new(ErrorKind::File, format!("{}: {said}", self.name)).help(needed)),
        }
    }

    /// Asks a query of a program that answers one, and returns what went wrong, empty if nothing did; nothing if the
    /// program is not there.
    fn ask_program(
        &self,
        query: &str,
        take: &mut dyn FnMut(&Csv) -> Result<(), Error>,
    ) -> Result<Option<String>, Error> {
        let mut command = self.command(query);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else { return Ok(None) };
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        // Both are read at once, so that neither fills up.
        let listener = std::thread::spawn(move || errors.map_or(String::new(), listen));
        let taken = output.map_or(Ok(()), |output| self.take_rows(output, take));
        if taken.is_err() {
            let _ = child.kill();
        }
        let status = child.wait();
        let said = listener.join().unwrap_or_default();
        taken?;
        Ok(Some(match status {
            Ok(status) if status.success() => String::new(),
            Ok(status) if said.is_empty() => format!("the program that reads it ended with {status}"),
            Err(error) if said.is_empty() => error.to_string(),
            _ => said,
        }))
    }

    /// Asks a query of Python, which is started by the first, and returns what went wrong, empty if nothing did; nothing
    /// if there is no Python.
    fn ask_python(
        &self,
        query: &str,
        take: &mut dyn FnMut(&Csv) -> Result<(), Error>,
    ) -> Result<Option<String>, Error> {
        let mut python = self.python.lock().unwrap_or_else(PoisonError::into_inner);
        if python.is_none() {
            let program = std::env::var("LRNN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
            let mut command = Command::new(program);
            command.args(["-c", PYTHON, &self.file()]);
            *python = Conversation::begin(command);
        }
        let Some(mut conversation) = python.take() else { return Ok(None) };
        let mut answer = conversation.ask(&copy_of(query));
        let taken = self.take_rows(&mut answer, take);
        match taken {
            Ok(()) => {
                let said = answer.said();
                *python = Some(conversation);
                Ok(Some(said))
            }
            Err(error) => {
                let said = conversation.end();
                if said.is_empty() { Err(error) } else { Ok(Some(said)) }
            }
        }
    }

    /// Gives away the rows of an answer.
    fn take_rows(
        &self,
        answer: impl Read + Send,
        take: &mut dyn FnMut(&Csv) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let options = CsvOptions { separator: Some(b','), ..CsvOptions::default() };
        CsvPieces::new(&self.name, answer, options).each(|csv| take(csv).map(|()| true))
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

/// Returns a query whose rows DuckDB writes as CSV.
fn copy_of(query: &str) -> String {
    // A query that takes long would draw a bar of progress among the rows. Rows come one after the other, and are read more
    // slowly than one thread writes them: more of them only need memory.
    format!(
        "SET enable_progress_bar = false; SET threads = 1; COPY ({query}) TO '/dev/stdout' (FORMAT csv, HEADER)"
    )
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

/// Returns a column without cells, of the kind that the catalogue says.
fn column_of(kind: ColumnKind) -> ColumnBuilder {
    ColumnBuilder::new(match kind {
        ColumnKind::Integer => Cells::Integers(Vec::new()),
        ColumnKind::Number => Cells::Numbers(Vec::new()),
        ColumnKind::Boolean => Cells::Booleans(Vec::new()),
        ColumnKind::Date => Cells::Moments(Vec::new()),
        ColumnKind::Text => Cells::Texts(Texts::default()),
    })
}

/// Reads a text as a cell of a kind; nothing if it is none.
fn cell_of(text: &str, kind: ColumnKind) -> Option<Cell<'_>> {
    Some(match kind {
        ColumnKind::Integer => Cell::Integer(text.parse().ok()?),
        ColumnKind::Number => Cell::Number(text.parse().ok()?),
        ColumnKind::Boolean => Cell::Boolean(text.starts_with('t')),
        ColumnKind::Date => Cell::Moment(Moment::read(text)?),
        ColumnKind::Text => Cell::Text(text.into()),
    })
}

/// Adds a column of some rows of CSV, or tells what is wrong with a cell; the first row has a number in the table.
fn extend(
    (column, kind): &mut (ColumnBuilder, ColumnKind),
    csv: &Csv,
    at: usize,
    rows: impl Iterator<Item = usize>,
    first: u32,
) -> Result<(), String> {
    for row in rows {
        let Some(text) = csv.cell(row, at) else {
            column.push_null();
            continue;
        };
        if !cell_of(&text, *kind).is_some_and(|cell| column.push(&cell)) {
            let row = first as usize + row + 1;
            return Err(format!("row {row}: `{}` is no {}", short(&text), kind.name()));
        }
    }
    Ok(())
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
                "SELECT t.relname, c.conname, a.attname, o.relname AS other, b.attname AS key \
                 FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class o ON o.oid = c.confrelid \
                 CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(own, other, place) \
                 JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.own \
                 JOIN pg_attribute b ON b.attrelid = o.oid AND b.attnum = k.other \
                 JOIN pg_namespace n ON n.oid = t.relnamespace \
                 WHERE c.contype = 'f' AND n.nspname = current_schema() ORDER BY t.relname, c.conname, k.place"
            }
            System::DuckDb(_) => {
                "SELECT table_name, constraint_index, constraint_column_names[place] AS a, referenced_table AS b, \
                 referenced_column_names[place] AS c FROM (SELECT *, unnest(range(1, len(constraint_column_names) + 1)) \
                 AS place FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY') ORDER BY 1, 2, place"
            }
        };
        // One row a column, those of a key one after the other.
        let mut all: Vec<(String, (String, ForeignKey))> = Vec::new();
        for row in self.strings(query)? {
            let [table, name, column, other, key] = &row[..] else { continue };
            match all.last_mut().filter(|(known, (from, _))| known == name && from == table) {
                Some((_, (_, known))) => {
                    known.columns.push(column.clone());
                    known.keys.push(key.clone());
                }
                None => {
                    let (columns, keys) = (vec![column.clone()], vec![key.clone()]);
                    let foreign = ForeignKey { columns, table: other.clone(), keys };
                    all.push((name.clone(), (table.clone(), foreign)));
                }
            }
        }
        let mut all: Vec<(String, ForeignKey)> = all.into_iter().map(|(_, key)| key).collect();
        all.sort_by(|(a, one), (b, other)| (a, &one.columns).cmp(&(b, &other.columns)));
        Ok(all)
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

    fn rest(&self) {
        *self.python.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
        let mut found: Vec<(ColumnBuilder, ColumnKind)> =
            columns.iter().map(kind).map(|kind| (column_of(kind), kind)).collect();
        let (mut rows, mut first, mut left) = (0, 0, some.unwrap_or_default());
        self.ask(&format!("SELECT {names} FROM {}", self.relation(table)?), &mut |csv| {
            let end = first + csv.rows() as u32;
            let own = some.map(|_| {
                let (here, rest) = left.split_at(left.partition_point(|row| *row < end));
                left = rest;
                here
            });
            let begin = std::mem::replace(&mut first, end);
            rows += own.map_or(csv.rows(), <[u32]>::len);
            for (at, column) in found.iter_mut().enumerate() {
                let extended = match own {
                    None => extend(column, csv, at, 0..csv.rows(), begin),
                    Some(own) => extend(column, csv, at, own.iter().map(|row| (row - begin) as usize), begin),
                };
                extended.map_err(|message| {
                    let place = format!("{}: table {table}, column {}", self.name, columns[at]);
                    Error::new(ErrorKind::Content, format!("{place}, {message}"))
                })?;
            }
            Ok(())
        })?;
        let columns = found.into_iter().zip(columns).map(|((column, _), name)| column.finish(name)).collect();
        let numbers = some.map(<[u32]>::to_vec).unwrap_or_default();
        Ok(Frame { name: table.to_owned(), columns, rows, csv: None, numbers })
    }
}
