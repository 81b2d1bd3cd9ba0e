//! How far a study is, and how long it takes from here.

use std::sync::Mutex;

use lrnn_lab::{FoldModel, FoldRecord, Monitor, StudyError};

use super::models::Models;

use crate::args::Common;
use crate::interrupt;
use crate::progress::{Progress, duration};

struct Seen {
    /// Work that was done now, and before.
    done: f64,
    known: f64,
    folds: usize,
}

/// Watches a study.
pub struct Watch<'a> {
    cost: f64,
    seen: Mutex<Seen>,
    progress: Progress,
    /// Where the models of folds go, if they are kept.
    pub models: Option<Models<'a>>,
}

impl Watch<'_> {
    pub fn new(common: &Common, cost: f64) -> Self {
        let seen = Mutex::new(Seen { done: 0.0, known: 0.0, folds: 0 });
        Self { cost, seen, progress: Progress::new(common), models: None }
    }

    pub fn clear(&self) {
        self.progress.clear();
    }

    fn text(&self, seen: &Seen) -> String {
        let now = self.progress.start.elapsed().as_secs_f64();
        let left = (self.cost - seen.done - seen.known).max(0.0);
        let left = if seen.done > 0.0 {
            format!(", {} left", duration(now / seen.done * left))
        } else {
            String::new()
        };
        let share = 100.0 * (seen.done + seen.known) / self.cost.max(1.0);
        format!("{share:.1} %, {} folds done, {}{left}", seen.folds, duration(now))
    }
}

impl Monitor for Watch<'_> {
    fn learned(&self, model: FoldModel) -> Result<(), StudyError> {
        self.models.as_ref().map_or(Ok(()), |models| models.keep(model))
    }

    fn work(&self, cost: f64) {
        let Ok(mut seen) = self.seen.lock() else { return };
        seen.done += cost;
        self.progress.show(|| self.text(&seen));
    }

    fn known(&self, cost: f64) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.known += cost;
        }
    }

    fn fold(&self, _: &FoldRecord) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.folds += 1;
        }
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_interrupted()
    }
}
