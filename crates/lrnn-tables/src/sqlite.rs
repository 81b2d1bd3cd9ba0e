//! Tables of a SQLite file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lrnn::Error;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::ahead::read_ahead;
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
            // Columns that are generated are there, those that a virtual table hides (1) are not.
            let query = format!("PRAGMA table_xinfo({})", quoted(table));
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                if row.get::<_, u32>(6)? != 1 {
                    found.push((row.get(1)?, row.get(2)?, row.get(5)?));
                }
            }
            Ok(found)
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

    fn bytes(&self, table: &str) -> Result<Vec<String>, Error> {
        let columns: Vec<String> = self.schema(table)?.columns.into_iter().map(|(name, _)| name).collect();
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let tests: Vec<String> =
            columns.iter().map(|column| format!("MAX(TYPEOF({}) = 'blob')", quoted(column))).collect();
        let query = format!("SELECT {} FROM {}", tests.join(", "), quoted(table));
        let found: Vec<Option<bool>> = self.with(|connection| {
            connection.query_row(&query, [], |row| (0..columns.len()).map(|at| row.get(at)).collect())
        })?;
        Ok(columns
            .into_iter()
            .zip(found)
            .filter(|(_, is_bytes)| *is_bytes == Some(true))
            .map(|it| it.0)
            .collect())
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
        let wrong = |row: usize, at: usize, message: &str| {
            let place = format!("table {table}, row {row}, column {}", columns[at]);
            file_error(&self.path, format!("{place}: {message}"))
        };
        let make =
            |give: &mut dyn FnMut(RowChunk) -> bool| match self.chunks(&query, columns.len(), some, give)? {
                None => Ok(()),
                Some((row, at, message)) => Err(wrong(row, at, message)),
            };
        let column = |_| ColumnBuilder::new(Cells::Numbers(Vec::new()));
        let mut builders: Vec<ColumnBuilder> = columns.iter().map(column).collect();
        let mut rows = 0;
        read_ahead(make, |chunk| {
            for (at, builder) in builders.iter_mut().enumerate() {
                let full = chunk.cells(at, columns.len()).position(|cell| !builder.push(&cell));
                if let Some(row) = full.map(|nth| rows + nth) {
                    let number = some.map_or(row, |some| some[row] as usize) + 1;
                    return Err(wrong(number, at, "the column holds more than 4 GB of text"));
                }
            }
            rows += chunk.rows;
            Ok(true)
        })?;
        let numbers = some.map(<[u32]>::to_vec).unwrap_or_default();
        let found = builders.into_iter().zip(columns).map(|(builder, name)| builder.finish(name)).collect();
        Ok(Frame { name: table.to_owned(), columns: found, rows, csv: None, numbers })
    }

    /// Gives away the rows of a query, or some of them, until it is told that it is enough. Returns the row, the column and
    /// what is wrong with a cell.
    fn chunks(
        &self,
        query: &str,
        columns: usize,
        some: Option<&[u32]>,
        give: &mut dyn FnMut(RowChunk) -> bool,
    ) -> Result<Option<(usize, usize, &'static str)>, Error> {
        self.with(|connection| {
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query([])?;
            let (mut left, mut number, mut chunk) = (some.unwrap_or_default(), 0, RowChunk::default());
            while let Some(row) = rows.next()? {
                number += 1;
                if some.is_some() {
                    match left.split_first() {
                        None => break,
                        Some((next, _)) if *next as usize != number - 1 => continue,
                        Some((_, rest)) => left = rest,
                    }
                }
                for at in 0..columns {
                    if let Err(message) = cell_of(row.get_ref(at)?).and_then(|cell| chunk.push(&cell)) {
                        return Ok(Some((number, at, message)));
                    }
                }
                chunk.rows += 1;
                if chunk.is_full() && !give(std::mem::take(&mut chunk)) {
                    return Ok(None);
                }
            }
            give(chunk);
            Ok(None)
        })
    }
}

/// Some rows of a table as they come.
#[derive(Default)]
struct RowChunk {
    rows: usize,
    /// Row after row; of texts where they are in `text`.
    cells: Vec<ChunkCell>,
    text: String,
}

enum ChunkCell {
    Null,
    Integer(i64),
    Number(f64),
    Text(u32, u32),
}

impl RowChunk {
    const ROWS: usize = 1 << 12;
    const BYTES: usize = 1 << 20;

    fn is_full(&self) -> bool {
        self.rows >= Self::ROWS || self.text.len() >= Self::BYTES
    }

    fn push(&mut self, cell: &Cell<'_>) -> Result<(), &'static str> {
        self.cells.push(match cell {
            Cell::Integer(number) => ChunkCell::Integer(*number),
            Cell::Number(number) => ChunkCell::Number(*number),
            Cell::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                let place = |at: usize| u32::try_from(at).map_err(|_| "the text has more than 4 GB");
                ChunkCell::Text(place(start)?, place(self.text.len())?)
            }
            _ => ChunkCell::Null,
        });
        Ok(())
    }

    /// Returns the cells of one of so many columns.
    fn cells(&self, at: usize, columns: usize) -> impl Iterator<Item = Cell<'_>> {
        self.cells.iter().skip(at).step_by(columns).map(|cell| match *cell {
            ChunkCell::Null => Cell::Null,
            ChunkCell::Integer(number) => Cell::Integer(number),
            ChunkCell::Number(number) => Cell::Number(number),
            ChunkCell::Text(start, end) => Cell::Text(self.text[start as usize..end as usize].into()),
        })
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
