//! How learning is watched. Watching changes nothing.

use super::problem::Measure;

/// An epoch that is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// The restart, from 0.
    pub restart: u32,
    /// The epoch, from 1.
    pub epoch: u32,
    /// The rate it had.
    pub rate: f64,
    /// The training examples as they were met, each before its step.
    pub running: Measure,
    /// The training examples with the weights after the epoch, if that was computed.
    pub training: Option<Measure>,
    /// The validation examples with the weights after the epoch, if that was computed.
    pub validation: Option<Measure>,
}

/// Watches learning; it is called from several threads.
pub trait Observer: Sync {
    /// Is called when an epoch is done.
    fn epoch(&self, _epoch: &Epoch) {}

    /// Tells whether learning should stop. It is asked between epochs and between the batches of one, which is then taken
    /// back as a whole.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
