//! Where tables are: their schema, and their rows as frames.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lrnn::{Error, ErrorKind};
use serde::Serialize;

use crate::csv_file::CsvFile;
use crate::file::{file_error, not_there};
use crate::program::ProgramSource;
use crate::relbench::RelBenchSource;
use crate::{ColumnKind, CsvOptions, Frame};

/// A reference from the columns of a table to a key of another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ForeignKey {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The table they refer to.
    pub table: String,
    /// The columns they refer to, each that of the same number.
    pub keys: Vec<String>,
}

/// The names and kinds of a table, and what its source says of its keys.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TableSchema {
    /// The name of the table.
    pub name: String,
    /// Its columns with their kinds, where the source tells.
    pub columns: Vec<(String, Option<ColumnKind>)>,
    /// The columns of its primary key.
    pub primary_key: Vec<String>,
    /// The column that says when a row came to be.
    pub time: Option<String>,
    /// True for the labels of a task, which are no data for another.
    pub is_task: bool,
}

/// A place with tables.
pub trait TableSource: std::fmt::Debug + Send + Sync {
    /// Returns what people call it.
    fn name(&self) -> String;
    /// Returns the names of the tables.
    fn tables(&self) -> Result<Vec<String>, Error>;
    /// Returns what is known of a table without its rows.
    fn schema(&self, table: &str) -> Result<TableSchema, Error>;
    /// Returns the foreign keys that the source tells, each with its table.
    fn foreign_keys(&self) -> Result<Vec<(String, ForeignKey)>, Error> {
        Ok(Vec::new())
    }
    /// Returns the columns, with their tables, that whoever learns from the labels of a task must not see.
    fn hidden(&self, _table: &str) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Returns the columns of a table with cells that are bytes, which cannot be read.
    fn bytes(&self, _table: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
    /// Reads some columns of a table, the rows always in one order.
    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error>;
    /// Reads some columns of some rows of a table: their numbers rise.
    fn read_rows(&self, table: &str, columns: &[String], rows: &[u32]) -> Result<Frame, Error> {
        Ok(self.read(table, columns)?.chosen_rows(rows))
    }
    /// Reads columns of a table for a second name of it, in the order given.
    fn read_alias(&self, _alias: &str, table: &str, columns: &[String]) -> Result<Frame, Error> {
        self.read(table, columns)
    }
    /// Tells whether rows are read one after the other, so that some of a table need no room for all.
    fn is_streamable(&self) -> bool {
        false
    }
    /// Ends the program that reads rows, if there is one, until rows are read again.
    fn rest(&self) {}
}

/// Frames in memory.
#[derive(Clone, Debug, Default)]
pub struct FrameSource {
    /// The tables.
    pub frames: Vec<Frame>,
}

impl FrameSource {
    fn frame(&self, table: &str) -> Result<&Frame, Error> {
        let found = self.frames.iter().find(|frame| frame.name == table);
        found.ok_or_else(|| missing(&self.name(), table))
    }
}

impl TableSource for FrameSource {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        Ok(self.frames.iter().map(|frame| frame.name.clone()).collect())
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let kind = |column: &crate::FrameColumn| (column.name.clone(), Some(column.kind()));
        let columns = self.frame(table)?.columns.iter().map(kind).collect();
        Ok(TableSchema { name: table.to_owned(), columns, ..TableSchema::default() })
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        Ok(chosen(self.frame(table)?, columns))
    }
}

/// Returns a frame with some of its columns.
pub(crate) fn chosen(frame: &Frame, columns: &[String]) -> Frame {
    let column = |name: &String| frame.position(name).map(|at| frame.columns[at].clone());
    Frame { columns: columns.iter().filter_map(column).collect(), csv: frame.csv.clone(), ..frame.clone() }
}

pub(crate) fn missing(source: &str, table: &str) -> Error {
    Error::new(ErrorKind::Content, format!("{source}: there is no table `{table}`"))
}

/// A folder of CSV files, or one of them: a file is a table.
#[derive(Debug)]
pub struct CsvSource {
    path: PathBuf,
    /// The tables with their files, by name.
    files: Vec<(String, PathBuf)>,
    options: CsvOptions,
    /// The names of the columns of each file that was asked for.
    known: Mutex<Vec<Option<Vec<String>>>>,
}

/// The endings of CSV files.
const CSV_ENDINGS: [&str; 4] = [".csv", ".tsv", ".csv.gz", ".tsv.gz"];

/// Returns the table that a file holds, if its name ends so.
pub(crate) fn table_name<'a>(path: &'a Path, endings: &[&str]) -> Option<&'a str> {
    let name = path.file_name()?.to_str()?;
    let named = endings.iter().find_map(|ending| name.strip_suffix(ending));
    // What is hidden is no table: systems put files such as `._orders.csv` beside others.
    named.filter(|name| !name.is_empty() && !name.starts_with('.'))
}

/// Returns the tables of a folder whose files have such endings, by name.
pub(crate) fn files_of(folder: &Path, endings: &[&str]) -> Result<Vec<(String, PathBuf)>, Error> {
    let entries = folder.read_dir().map_err(|error| file_error(folder, error))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| file_error(folder, error))?.path();
        if let Some(name) = table_name(&path, endings) {
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    match files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(files),
        Some(pair) => {
            let message = format!("two files hold the table `{}`", pair[0].0);
            Err(file_error(folder, message).help("keep one of the two"))
        }
    }
}

impl CsvSource {
    /// Opens a folder with CSV files, or a CSV file.
    pub fn open(path: &Path, options: CsvOptions) -> Result<Self, Error> {
        let files = match path.is_dir() {
            true => files_of(path, &CSV_ENDINGS)?,
            false => table_name(path, &CSV_ENDINGS)
                .map(|name| (name.to_owned(), path.to_owned()))
                .into_iter()
                .collect(),
        };
        if files.is_empty() {
            return Err(file_error(path, "there is no CSV file in this folder"));
        }
        let known = Mutex::new(vec![None; files.len()]);
        Ok(Self { path: path.to_owned(), files, options, known })
    }

    /// Returns the number of a table, its file, and how to read it.
    fn file(&self, table: &str) -> Result<(usize, &Path, CsvOptions), Error> {
        let found = self.files.iter().position(|(name, _)| name == table);
        let at = found.ok_or_else(|| missing(&self.name(), table))?;
        let path = &self.files[at].1;
        let is_tabbed = table_name(path, &[".tsv", ".tsv.gz"]).is_some();
        let separator = self.options.separator.or(is_tabbed.then_some(b'\t'));
        Ok((at, path, CsvOptions { separator, ..self.options }))
    }

    /// Tells whether a path is one that this reads.
    pub fn is_csv(path: &Path) -> bool {
        table_name(path, &CSV_ENDINGS).is_some()
    }
}

impl TableSource for CsvSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        Ok(self.files.iter().map(|(name, _)| name.clone()).collect())
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let (at, path, options) = self.file(table)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let names = match known[at].take() {
            Some(names) => names,
            None => CsvFile::names(path, options)?,
        };
        let columns = known[at].insert(names).iter().map(|name| (name.clone(), None)).collect();
        Ok(TableSchema { name: table.to_owned(), columns, ..TableSchema::default() })
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        let (_, path, options) = self.file(table)?;
        CsvFile::read(path, options, table, columns)
    }
}

/// Options that a mapping or a flag gives of a source beside its place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceOptions {
    /// Options of reading CSV.
    pub csv: CsvOptions,
}

/// Tells whether a path looks like a source of tables, and not like data of another kind.
pub fn is_source(path: &Path) -> bool {
    let endings = [&CSV_ENDINGS[..], &[".parquet"]].concat();
    let has_tables =
        || RelBenchSource::is_one(path) || files_of(path, &endings).is_ok_and(|files| !files.is_empty());
    path.to_str().is_some_and(|text| text.contains("://"))
        || if path.is_dir() { has_tables() } else { CsvSource::is_csv(path) || kind_of(path).is_some() }
}

/// Opens a source: a folder or file of CSV, or a database.
pub fn open(location: &str, options: &SourceOptions) -> Result<Box<dyn TableSource>, Error> {
    if location.contains("://") {
        return open_url(location);
    }
    let path = Path::new(location);
    if !path.exists() {
        return Err(not_there(path, "there is no such file or folder to read tables from"));
    }
    if path.is_dir() {
        return open_folder(path, options);
    }
    if CsvSource::is_csv(path) {
        return Ok(Box::new(CsvSource::open(path, options.csv)?));
    }
    open_file(path)
}

fn open_folder(path: &Path, options: &SourceOptions) -> Result<Box<dyn TableSource>, Error> {
    if RelBenchSource::is_one(path) {
        return Ok(Box::new(RelBenchSource::open(path)?));
    }
    match files_of(path, &[".parquet"])?.is_empty() {
        true => Ok(Box::new(CsvSource::open(path, options.csv)?)),
        false => Ok(Box::new(ProgramSource::parquet(path)?)),
    }
}

fn open_url(location: &str) -> Result<Box<dyn TableSource>, Error> {
    let scheme = location.split("://").next().unwrap_or("");
    if matches!(scheme, "postgres" | "postgresql") {
        return Ok(Box::new(ProgramSource::postgres(location)?));
    }
    let message = format!("`{scheme}` is no kind of database that can be read");
    Err(Error::new(ErrorKind::Usage, message).help("postgresql://HOST/DATABASE is one"))
}

/// The kinds of files that hold tables, by their first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Sqlite,
    DuckDb,
    Parquet,
}

/// Returns what a file is, if it holds tables.
fn kind_of(path: &Path) -> Option<FileKind> {
    let mut begin = [0; 16];
    let length =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut begin)).ok()?;
    match &begin[..length] {
        begin if begin.starts_with(b"SQLite format 3\0") => Some(FileKind::Sqlite),
        begin if begin.get(8..12) == Some(b"DUCK") => Some(FileKind::DuckDb),
        begin if begin.starts_with(b"PAR1") => Some(FileKind::Parquet),
        _ => None,
    }
}

fn open_file(path: &Path) -> Result<Box<dyn TableSource>, Error> {
    match kind_of(path) {
        Some(FileKind::Sqlite) => open_sqlite(path),
        Some(FileKind::DuckDb) => Ok(Box::new(ProgramSource::duckdb(path))),
        Some(FileKind::Parquet) => Ok(Box::new(ProgramSource::parquet(path)?)),
        None => {
            let error = file_error(path, "this is no file of tables that can be read");
            let kinds = "CSV (.csv, .tsv), Parquet (.parquet), SQLite or DuckDB";
            Err(error.help(format!("tables come from {kinds}, or a folder of CSV or Parquet")))
        }
    }
}

#[cfg(feature = "sqlite")]
fn open_sqlite(path: &Path) -> Result<Box<dyn TableSource>, Error> {
    Ok(Box::new(crate::sqlite::SqliteSource::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(path: &Path) -> Result<Box<dyn TableSource>, Error> {
    let error = file_error(path, "this build of lrnn cannot read SQLite");
    Err(error.help("build it with the feature `sqlite`"))
}
