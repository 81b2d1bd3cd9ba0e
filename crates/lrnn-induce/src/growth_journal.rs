//! Growths that are finished, written down, so that learning which was stopped goes on where it was.
//!
//! A growth is a function of the data, the options and the queries that it learns from and holds out. So its clauses are
//! enough: with them its models are fitted again, to the same bits, and no search is needed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lrnn::Error;
use lrnn_io::{file_error, read_text, write_atomically};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::clause::LatticeClause;

/// The clauses of a growth, each with its score, in the order they were found.
pub(crate) type GrowthClauses = Vec<(LatticeClause, f64)>;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct GrowthLine {
    key: u64,
    clauses: GrowthClauses,
}

#[derive(Debug)]
struct JournalFile {
    path: PathBuf,
    text: String,
    known: FxHashMap<u64, GrowthClauses>,
}

/// The growths that are finished; without a file it keeps none.
#[derive(Clone, Debug, Default)]
pub struct GrowthJournal(Option<Arc<Mutex<JournalFile>>>);

impl GrowthJournal {
    /// Opens a file, which need not be there yet. `inputs` says in a line what its growths depend on.
    pub fn open(path: &Path, inputs: &str) -> Result<Self, Error> {
        let mut text = format!("{inputs}\n");
        let mut known = FxHashMap::default();
        if path.exists() {
            let written = read_text(path)?;
            let mut lines = written.lines();
            if lines.next() != Some(inputs) {
                let error = file_error(path, "this run was begun with other data or options");
                return Err(error.help("choose another folder with --out"));
            }
            for line in lines {
                // The last may be cut off.
                let Ok(GrowthLine { key, clauses }) = serde_json::from_str(line) else { break };
                text.push_str(line);
                text.push('\n');
                known.insert(key, clauses);
            }
        }
        Ok(Self(Some(Arc::new(Mutex::new(JournalFile { path: path.to_owned(), text, known })))))
    }

    /// Returns the clauses of a growth that is finished.
    pub(crate) fn known(&self, key: u64) -> Option<GrowthClauses> {
        let file = self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        file.known.get(&key).cloned()
    }

    /// Writes a growth down.
    pub(crate) fn add(&self, key: u64, clauses: impl FnOnce() -> GrowthClauses) -> Result<(), Error> {
        let Some(file) = &self.0 else { return Ok(()) };
        let line = serde_json::to_string(&GrowthLine { key, clauses: clauses() }).unwrap_or_default();
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.text.push_str(&line);
        file.text.push('\n');
        write_atomically(&file.path, file.text.as_bytes())
    }
}
