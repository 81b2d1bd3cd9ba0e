//! Tables of a SQLite file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lrnn::Error;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::column::ColumnBuilder;
use crate::file::file_error;
use crate::frame::{Cell, Cells};
use crate::source::{ForeignKey, TableSchema};
use crate::sql::quoted;
use crate::{ColumnKind, Frame, TableSource};

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
            // The last key of a table comes first, and the columns of each in their order.
            let mut ids: Vec<u32> = found.iter().map(|key| key.0).collect();
            ids.dedup();
            for id in ids.into_iter().rev() {
                let own: Vec<_> = found.iter().filter(|key| key.0 == id).collect();
                let other = own[0].1.clone();
                let columns: Vec<String> = own.iter().map(|key| key.2.clone()).collect();
                let keys: Option<Vec<String>> = own.iter().map(|key| key.3.clone()).collect();
                let keys = keys.map_or_else(|| self.schema(&other).map(|it| it.primary_key), Ok)?;
                if keys.len() == columns.len() {
                    all.push((table.clone(), ForeignKey { columns, table: other, keys }));
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
        let column = |_| ColumnBuilder::new(Cells::Numbers(Vec::new()));
        let mut builders: Vec<ColumnBuilder> = columns.iter().map(column).collect();
        let (mut left, mut wrong) = (some.unwrap_or_default(), None);
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
                    let full = "the column holds more than 4 GB of text";
                    let pushed = cell_of(row.get_ref(at)?)
                        .and_then(|cell| if builder.push(&cell) { Ok(()) } else { Err(full) });
                    if let Err(message) = pushed {
                        wrong = Some((number, at, message));
                        return Ok(count);
                    }
                }
                count += 1;
            }
            Ok(count)
        })?;
        let numbers = some.map(<[u32]>::to_vec).unwrap_or_default();
        if let Some((row, at, message)) = wrong {
            let place = format!("table {table}, row {row}, column {}", columns[at]);
            return Err(file_error(&self.path, format!("{place}: {message}")));
        }
        let found = builders.into_iter().zip(columns).map(|(builder, name)| builder.finish(name)).collect();
        Ok(Frame { name: table.to_owned(), columns: found, rows, csv: None, numbers })
    }
}

/// Returns a value as a cell, or what is wrong with it.
fn cell_of(value: ValueRef<'_>) -> Result<Cell<'_>, &'static str> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Number(number),
        ValueRef::Text(bytes) => {
            Cell::Text(str::from_utf8(bytes).map_err(|_| "the text is not UTF-8")?.into())
        }
        ValueRef::Blob(_) => return Err("bytes (BLOB) are no text and no number"),
    })
}
