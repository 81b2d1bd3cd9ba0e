//! Growths that are finished, written down, so that learning which was stopped goes on where it was.
//!
//! A growth is a function of the data, the options and the queries that it learns from and holds out. So its clauses are
//! enough: with them its models are fitted again, to the same bits, and no search is needed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lrnn::Error;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::budget::StepCount;
use crate::clause::LatticeClause;
use crate::journal::JournalFile;

/// The clauses of a growth, each with its score, in the order they were found.
pub(crate) type GrowthClauses = Vec<(LatticeClause, f64)>;

/// A line of the file: a growth, by a number for all that it depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GrowthLine {
    key: u64,
    /// The steps of its searches.
    #[serde(flatten)]
    pub count: StepCount,
    /// Its clauses.
    pub clauses: GrowthClauses,
}

/// The growths that are finished; without a file it keeps none.
#[derive(Clone, Debug, Default)]
pub struct GrowthJournal {
    known: Arc<FxHashMap<u64, GrowthLine>>,
    file: Option<Arc<Mutex<JournalFile>>>,
}

impl GrowthJournal {
    /// Opens a file, which need not be there yet. `inputs` says in a line what its growths depend on.
    pub fn open(path: &Path, inputs: &str) -> Result<Self, Error> {
        let (journal, lines) = JournalFile::open::<GrowthLine>(path, inputs)?;
        let known = lines.into_iter().map(|line: GrowthLine| (line.key, line)).collect();
        Ok(Self { known: Arc::new(known), file: Some(Arc::new(Mutex::new(journal))) })
    }

    /// Returns a growth that is finished.
    pub(crate) fn known(&self, key: u64) -> Option<GrowthLine> {
        self.known.get(&key).cloned()
    }

    /// Writes a growth down.
    pub(crate) fn add(
        &self,
        key: u64,
        count: StepCount,
        clauses: impl FnOnce() -> GrowthClauses,
    ) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.lock().unwrap_or_else(PoisonError::into_inner).add(&GrowthLine {
            key,
            count,
            clauses: clauses(),
        })
    }
}
