//! How far a search is, for whoever shows it while it goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of clauses and rules that were found so far; clones count together.
#[derive(Clone, Debug, Default)]
pub struct SearchCounter(Arc<(AtomicU64, AtomicU64)>);

impl SearchCounter {
    /// Returns how many clauses were compared with the facts.
    pub fn clauses(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed)
    }

    /// Returns how many rules were grown, those of inner folds among them.
    pub fn rules(&self) -> u64 {
        self.0.1.load(Ordering::Relaxed)
    }

    pub(crate) fn add_clauses(&self, count: usize) {
        self.0.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn add_rule(&self) {
        self.0.1.fetch_add(1, Ordering::Relaxed);
    }
}
