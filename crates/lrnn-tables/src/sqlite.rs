//! Tables of a SQLite file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lrnn::Error;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::file::file_error;
use crate::frame::Cells;
use crate::source::{ForeignKey, TableSchema};
use crate::sql::quoted;
use crate::{ColumnKind, Frame, FrameColumn, TableSource, Texts};

/// A SQLite file, opened to read.
#[derive(Debug)]
pub struct SqliteSource {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl SqliteSource {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| file_error(path, error))?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&connection).map_err(|error| file_error(&self.path, error))
    }
}

/// Returns the kind that a declared type speaks of.
fn kind_of(declared: &str) -> Option<ColumnKind> {
    let declared = declared.to_ascii_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
    match () {
        () if has(&["BOOL"]) => Some(ColumnKind::Boolean),
        () if has(&["DATE", "TIME"]) => Some(ColumnKind::Date),
        () if has(&["INT"]) => Some(ColumnKind::Integer),
        () if has(&["REAL", "FLOA", "DOUB", "NUM", "DEC"]) => Some(ColumnKind::Number),
        () if has(&["CHAR", "CLOB", "TEXT"]) => Some(ColumnKind::Text),
        () => None,
    }
}

impl TableSource for SqliteSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' \
                     ORDER BY name";
        self.with(|connection| connection.prepare(query)?.query_map([], |row| row.get(0))?.collect())
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let columns: Vec<(String, String, u32)> = self.with(|connection| {
            let mut statement = connection.prepare(&format!("PRAGMA table_info({})", quoted(table)))?;
            statement.query_map([], |row| Ok((row.get(1)?, row.get(2)?, row.get(5)?)))?.collect()
        })?;
        let mut primary: Vec<(u32, String)> =
            columns.iter().filter(|column| column.2 > 0).map(|column| (column.2, column.0.clone())).collect();
        primary.sort();
        let columns = columns.into_iter().map(|(name, declared, _)| (name, kind_of(&declared))).collect();
        let primary_key = primary.into_iter().map(|(_, name)| name).collect();
        Ok(TableSchema { name: table.to_owned(), columns, primary_key, ..TableSchema::default() })
    }

    fn foreign_keys(&self) -> Result<Vec<(String, ForeignKey)>, Error> {
        let mut all = Vec::new();
        for table in self.tables()? {
            let found: Vec<(u32, String, String, Option<String>)> = self.with(|connection| {
                let mut statement =
                    connection.prepare(&format!("PRAGMA foreign_key_list({})", quoted(&table)))?;
                let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(2)?, row.get(3)?, row.get(4)?));
                statement.query_map([], row)?.collect()
            })?;
            // A key of several columns is no link of one to one.
            let count = |id: u32| found.iter().filter(|key| key.0 == id).count();
            for (id, other, column, key) in found.iter().rev() {
                let key = match key {
                    Some(key) => Some(key.clone()),
                    None => self.schema(other)?.primary_key.first().cloned(),
                };
                if let (1, Some(key)) = (count(*id), key) {
                    all.push((
                        table.clone(),
                        ForeignKey { column: column.clone(), table: other.clone(), key },
                    ));
                }
            }
        }
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
}

impl SqliteSource {
    /// Reads columns of some rows, or of all.
    fn read_some(&self, table: &str, columns: &[String], some: Option<&[u32]>) -> Result<Frame, Error> {
        let names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let names = if names.is_empty() { "1".to_owned() } else { names.join(", ") };
        // An index that has all columns would give the rows in its own order.
        let query = format!("SELECT {names} FROM {} NOT INDEXED", quoted(table));
        let mut builders: Vec<ColumnBuilder> = columns.iter().map(|_| ColumnBuilder::default()).collect();
        let mut left = some.unwrap_or_default();
        let rows = self.with(|connection| {
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            let (mut count, mut number) = (0, 0);
            while let Some(row) = rows.next()? {
                number += 1;
                if some.is_some() {
                    match left.split_first() {
                        None => break,
                        Some((next, _)) if *next != number - 1 => continue,
                        Some((_, rest)) => left = rest,
                    }
                }
                for (at, builder) in builders.iter_mut().enumerate() {
                    builder.push(row.get_ref(at)?);
                }
                count += 1;
            }
            Ok(count)
        })?;
        let numbers = some.map(<[u32]>::to_vec).unwrap_or_default();
        let mut found = Vec::new();
        for (builder, name) in builders.into_iter().zip(columns) {
            if let Some((row, message)) = &builder.wrong {
                let row = numbers.get(*row).map_or(*row, |number| *number as usize);
                let place = format!("table {table}, row {}, column {name}", row + 1);
                return Err(file_error(&self.path, format!("{place}: {message}")));
            }
            found.push(builder.finish(name));
        }
        Ok(Frame { name: table.to_owned(), columns: found, rows, csv: None, numbers })
    }
}

/// A column as it grows: of the narrowest kind that holds all its cells.
#[derive(Default)]
struct ColumnBuilder {
    cells: Option<Cells>,
    nulls: Vec<bool>,
    has_nulls: bool,
    rows: usize,
    wrong: Option<(usize, &'static str)>,
}

impl ColumnBuilder {
    fn push(&mut self, value: ValueRef<'_>) {
        let is_null = value == ValueRef::Null;
        self.nulls.push(is_null);
        self.has_nulls |= is_null;
        match (&mut self.cells, value) {
            (None, ValueRef::Null) => {}
            (Some(Cells::Integers(all)), ValueRef::Integer(number)) => all.push(number),
            (Some(Cells::Integers(all)), ValueRef::Null) => all.push(0),
            (Some(Cells::Numbers(all)), ValueRef::Real(number)) => all.push(number),
            (Some(Cells::Numbers(all)), ValueRef::Integer(number)) if number.unsigned_abs() < 1 << 53 => {
                all.push(number as f64);
            }
            (Some(Cells::Numbers(all)), ValueRef::Null) => all.push(f64::NAN),
            (Some(Cells::Texts(_)), value) => self.text(value),
            (None, value) => {
                self.cells = Some(first(value, self.rows));
                self.nulls.pop();
                self.push(value);
                return;
            }
            (Some(_), value) => {
                self.widen(value);
                self.nulls.pop();
                self.push(value);
                return;
            }
        }
        self.rows += 1;
    }

    fn note(&mut self, is_wrong: Option<&'static str>) {
        if let (Some(message), None) = (is_wrong, self.wrong) {
            self.wrong = Some((self.rows, message));
        }
    }

    fn text(&mut self, value: ValueRef<'_>) {
        let text: Cow<'_, str> = match value {
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => {
                    self.note(Some("the text is not UTF-8"));
                    "".into()
                }
            },
            ValueRef::Integer(number) => number.to_string().into(),
            ValueRef::Real(number) => number.to_string().into(),
            ValueRef::Blob(_) => {
                self.note(Some("bytes (BLOB) are no text and no number"));
                "".into()
            }
            ValueRef::Null => "".into(),
        };
        if let Some(Cells::Texts(all)) = &mut self.cells {
            let is_wrong = all_push(all, &text);
            self.note(is_wrong);
        }
    }

    /// Makes the column one that holds a value of another kind, too.
    fn widen(&mut self, value: ValueRef<'_>) {
        let is_real = matches!(value, ValueRef::Real(_));
        self.cells = match self.cells.take() {
            Some(Cells::Integers(all))
                if is_real && all.iter().all(|number| number.unsigned_abs() < 1 << 53) =>
            {
                Some(Cells::Numbers(all.into_iter().map(|number| number as f64).collect()))
            }
            Some(Cells::Integers(all)) => Some(Cells::Texts(all.iter().map(i64::to_string).collect())),
            Some(Cells::Numbers(all)) => Some(Cells::Texts(all.iter().map(f64::to_string).collect())),
            other => other,
        };
    }

    fn finish(self, name: &str) -> FrameColumn {
        let rows = self.nulls.len();
        let nulls = if self.has_nulls { self.nulls } else { Vec::new() };
        let cells = self.cells.unwrap_or_else(|| Cells::Numbers(vec![f64::NAN; rows]));
        FrameColumn { name: name.to_owned(), cells, nulls }
    }
}

fn all_push(all: &mut Texts, text: &str) -> Option<&'static str> {
    (!all.push(text)).then_some("the column holds more than 4 GB of text")
}

/// Returns cells of a value's kind, NULL in all rows before it.
fn first(value: ValueRef<'_>, rows: usize) -> Cells {
    match value {
        ValueRef::Integer(_) => Cells::Integers(vec![0; rows]),
        ValueRef::Real(_) => Cells::Numbers(vec![f64::NAN; rows]),
        _ => Cells::Texts((0..rows).map(|_| "").collect()),
    }
}
