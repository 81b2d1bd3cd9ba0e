//! Folders of RelBench 3: `manifest.yaml` with the keys and times of tables, `db/TABLE.parquet`, and for each task a
//! folder `tasks/TASK` with its own manifest and the labels of `train`, `val` and `test`. A task's labels are tables, too:
//! `driver-dnf/train`, whose rows name an entity and the moment that they are as of.

use std::path::{Path, PathBuf};

use lrnn::Error;

use crate::file::file_error;
use crate::program::ProgramSource;
use crate::source::{ForeignKey, TableSchema, files_of};
use crate::yaml::Yaml;
use crate::{Frame, TableSource};

/// The name of manifests.
const MANIFEST: &str = "manifest.yaml";

/// A folder of tables with a manifest.
#[derive(Debug)]
pub struct RelBenchSource {
    tables: ProgramSource,
    manifest: Yaml,
    tasks: Vec<LabelTable>,
}

/// The labels of a task.
#[derive(Debug)]
struct LabelTable {
    /// The table, as `driver-dnf/train`.
    table: String,
    manifest: Yaml,
}

impl RelBenchSource {
    /// Tells whether a folder is one.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file() && folder.join("db").is_dir()
    }

    /// Opens a folder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let manifest = read(&folder.join(MANIFEST))?;
        let mut files = files_of(&folder.join("db"), &[".parquet"])?;
        for (table, _) in manifest.get("tables").map(Yaml::entries).unwrap_or_default() {
            if !files.iter().any(|(name, _)| name == table) {
                let path = folder.join("db").join(format!("{table}.parquet"));
                return Err(file_error(&path, "the manifest names this table, but it is not there"));
            }
        }
        let mut tasks = Vec::new();
        for task in folders(&folder.join("tasks"))? {
            let name = task.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let manifest = read(&task.join(MANIFEST))?;
            for (part, path) in files_of(&task, &[".parquet"])? {
                let table = format!("{name}/{part}");
                files.push((table.clone(), path));
                tasks.push(LabelTable { table, manifest: manifest.clone() });
            }
        }
        let tables = ProgramSource::parquet_files(folder, files);
        Ok(Self { tables, manifest, tasks })
    }

    fn spec(&self, table: &str) -> Option<&Yaml> {
        self.manifest.get("tables")?.get(table)
    }

    fn task(&self, table: &str) -> Option<&LabelTable> {
        self.tasks.iter().find(|task| task.table == table)
    }

    fn key(&self, table: &str) -> Option<String> {
        self.spec(table)?.text_of("pkey").map(str::to_owned)
    }
}

fn read(path: &Path) -> Result<Yaml, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    Yaml::parse(&text).map_err(|(line, message)| file_error(path, format!("line {line}: {message}")))
}

/// Returns the folders in a folder that have a manifest, by name; none if there is no such folder.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = folder.read_dir().map_err(|error| file_error(folder, error))?;
    let paths =
        entries.map(|entry| entry.map(|entry| entry.path()).map_err(|error| file_error(folder, error)));
    let mut all = paths.collect::<Result<Vec<PathBuf>, Error>>()?;
    all.retain(|path| path.join(MANIFEST).is_file());
    all.sort();
    Ok(all)
}

impl TableSource for RelBenchSource {
    fn name(&self) -> String {
        self.tables.name()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.tables.tables()
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let schema = self.tables.schema(table)?;
        if let Some(task) = self.task(table) {
            let time = task.manifest.text_of("time_col").map(str::to_owned);
            return Ok(TableSchema { time, is_task: true, ..schema });
        }
        let time = self.spec(table).and_then(|spec| spec.text_of("time_col")).map(str::to_owned);
        Ok(TableSchema { primary_key: self.key(table).into_iter().collect(), time, ..schema })
    }

    fn foreign_keys(&self) -> Result<Vec<(String, ForeignKey)>, Error> {
        let mut all = Vec::new();
        for (table, spec) in self.manifest.get("tables").map(Yaml::entries).unwrap_or_default() {
            for (column, to) in spec.get("fkeys").map(Yaml::entries).unwrap_or_default() {
                if let Some((to, key)) = to.text().and_then(|to| Some((to.to_owned(), self.key(to)?))) {
                    all.push((
                        table.clone(),
                        ForeignKey { columns: vec![column.clone()], table: to, keys: vec![key] },
                    ));
                }
            }
        }
        let ends = [
            ("entity_table", "entity_col"),
            ("src_entity_table", "src_entity_col"),
            ("dst_entity_table", "dst_entity_col"),
        ];
        for LabelTable { table, manifest } in &self.tasks {
            for (to, column) in ends {
                let (to, column) = (manifest.text_of(to), manifest.text_of(column));
                if let (Some(to), Some(column)) = (to, column)
                    && let Some(key) = self.key(to)
                {
                    let (columns, to) = (vec![column.to_owned()], to.to_owned());
                    all.push((table.clone(), ForeignKey { columns, table: to, keys: vec![key] }));
                }
            }
        }
        Ok(all)
    }

    fn hidden(&self, table: &str) -> Vec<(String, String)> {
        let pairs = self.task(table).and_then(|task| task.manifest.get("remove_columns")).map(Yaml::items);
        let pair = |pair: &Yaml| {
            let [table, column] = pair.items() else { return None };
            Some((table.text()?.to_owned(), column.text()?.to_owned()))
        };
        pairs.unwrap_or_default().iter().filter_map(pair).collect()
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        self.tables.read(table, columns)
    }

    fn read_rows(&self, table: &str, columns: &[String], rows: &[u32]) -> Result<Frame, Error> {
        self.tables.read_rows(table, columns, rows)
    }

    fn is_streamable(&self) -> bool {
        true
    }

    fn rest(&self) {
        self.tables.rest();
    }
}
