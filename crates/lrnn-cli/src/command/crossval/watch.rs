//! How far a study is, and how long it takes from here.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lrnn_lab::{FoldModel, FoldRecord, Monitor, StudyError};

use super::models::Models;

use crate::args::Common;
use crate::{interrupt, output};

struct Seen {
    /// Work that was done now, and before.
    done: f64,
    known: f64,
    folds: usize,
    shown: Instant,
}

/// Watches a study.
pub struct Watch<'a> {
    cost: f64,
    start: Instant,
    seen: Mutex<Seen>,
    is_shown: bool,
    is_terminal: bool,
    /// Where the models of folds go, if they are kept.
    pub models: Option<Models<'a>>,
}

impl Watch<'_> {
    pub fn new(common: &Common, cost: f64) -> Self {
        let start = Instant::now();
        let seen = Mutex::new(Seen { done: 0.0, known: 0.0, folds: 0, shown: start });
        let is_shown = !common.quiet && !common.json;
        Self { cost, start, seen, is_shown, is_terminal: std::io::stderr().is_terminal(), models: None }
    }

    pub fn clear(&self) {
        if self.is_shown && self.is_terminal {
            output::say("\r\x1b[K");
        }
    }

    /// A line now and then: often on a terminal, seldom in a file.
    fn show(&self, seen: &mut Seen) {
        let pause = Duration::from_millis(if self.is_terminal { 500 } else { 20_000 });
        if !self.is_shown || seen.shown.elapsed() < pause {
            return;
        }
        seen.shown = Instant::now();
        let now = self.start.elapsed().as_secs_f64();
        let left = (self.cost - seen.done - seen.known).max(0.0);
        let left = if seen.done > 0.0 {
            format!(", {} left", duration(now / seen.done * left))
        } else {
            String::new()
        };
        let share = 100.0 * (seen.done + seen.known) / self.cost.max(1.0);
        let text = format!("{share:.1} %, {} folds done, {}{left}", seen.folds, duration(now));
        match self.is_terminal {
            true => output::say(&format!("\r\x1b[K{text}")),
            false => output::say(&format!("{text}\n")),
        }
    }
}

/// Seconds for people.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min", whole / 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

impl Monitor for Watch<'_> {
    fn learned(&self, model: FoldModel) -> Result<(), StudyError> {
        self.models.as_ref().map_or(Ok(()), |models| models.keep(model))
    }

    fn work(&self, cost: f64) {
        let Ok(mut seen) = self.seen.lock() else { return };
        seen.done += cost;
        self.show(&mut seen);
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
