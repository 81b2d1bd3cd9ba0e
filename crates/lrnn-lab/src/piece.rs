//! How far one learning is.

use std::sync::atomic::{AtomicU64, Ordering};

use lrnn::train::{Epoch, Observer, Settings};

use crate::crossval::Monitor;

/// A piece of work on its way: what it costs is told epoch by epoch, and all of it in the end.
pub(crate) struct Piece<'a> {
    monitor: &'a dyn Monitor,
    cost: f64,
    epochs: u64,
    done: AtomicU64,
}

impl<'a> Piece<'a> {
    pub fn new(monitor: &'a dyn Monitor, cost: f64, epochs: u32, settings: &Settings) -> Self {
        let epochs = u64::from(epochs) * u64::from(settings.restarts.0);
        Self { monitor, cost, epochs: epochs.max(1), done: AtomicU64::new(0) }
    }

    pub fn finish(&self) {
        let left = self.epochs.saturating_sub(self.done.load(Ordering::Relaxed));
        self.monitor.work(self.cost * left as f64 / self.epochs as f64);
    }
}

impl Observer for Piece<'_> {
    fn epoch(&self, _: &Epoch) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.monitor.work(self.cost / self.epochs as f64);
    }

    fn is_stopped(&self) -> bool {
        self.monitor.is_stopped()
    }
}
