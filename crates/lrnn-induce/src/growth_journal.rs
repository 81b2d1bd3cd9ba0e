//! Growths that are finished, written down, so that learning which was stopped goes on where it was.
//!
//! A growth is a function of the data, the options and the queries that it learns from and holds out. So its clauses are
//! enough: with them its models are fitted again, to the same bits, and no search is needed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lrnn::Error;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::clause::LatticeClause;
use crate::journal::JournalFile;

/// The clauses of a growth, each with its score, in the order they were found.
pub(crate) type GrowthClauses = Vec<(LatticeClause, f64)>;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct GrowthLine {
    key: u64,
    clauses: GrowthClauses,
}

/// The growths that are finished; without a file it keeps none.
#[derive(Clone, Debug, Default)]
pub struct GrowthJournal {
    known: Arc<FxHashMap<u64, GrowthClauses>>,
    file: Option<Arc<Mutex<JournalFile>>>,
}

impl GrowthJournal {
    /// Opens a file, which need not be there yet. `inputs` says in a line what its growths depend on.
    pub fn open(path: &Path, inputs: &str) -> Result<Self, Error> {
        let (journal, lines) = JournalFile::open::<GrowthLine>(path, inputs)?;
        let known = lines.into_iter().map(|line| (line.key, line.clauses)).collect();
        Ok(Self { known: Arc::new(known), file: Some(Arc::new(Mutex::new(journal))) })
    }

    /// Returns the clauses of a growth that is finished.
    pub(crate) fn known(&self, key: u64) -> Option<GrowthClauses> {
        self.known.get(&key).cloned()
    }

    /// Writes a growth down.
    pub(crate) fn add(&self, key: u64, clauses: impl FnOnce() -> GrowthClauses) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.lock().unwrap_or_else(PoisonError::into_inner).add(&GrowthLine { key, clauses: clauses() })
    }
}
