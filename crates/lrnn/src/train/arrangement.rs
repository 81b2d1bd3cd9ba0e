//! Which examples are computed together, and which of these make a step.

use std::ops::Range;

use super::kernel::Readout;
use super::order::shuffled;
use super::settings::Settings;

/// The most examples computed together. Fixed, so that sums do not depend on the number of threads.
const MOST_TOGETHER: usize = 64;

/// The examples that are computed together, and those of them that make a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrangement {
    /// The examples of each network.
    pub chunks: Vec<Vec<usize>>,
    /// The networks of each step of learning.
    pub batches: Vec<Range<usize>>,
    /// The networks for validation, behind those.
    pub validation: Range<usize>,
}

impl Arrangement {
    /// Batches of the training examples in a random order that stays; validation by itself.
    pub fn new(training: &[usize], validation: &[usize], settings: &Settings) -> Self {
        let takes_all = settings.batch_size == 0 || settings.optimizer.needs_all();
        let batch = if takes_all { training.len() } else { settings.batch_size as usize };
        // What each query uses is looked at by itself, so nothing is gained by computing several together.
        let together = if settings.readout == Readout::Kernel { 1 } else { MOST_TOGETHER };
        let order = shuffled(training.len(), &[settings.seed, 2]);
        let (mut chunks, mut batches) = (Vec::new(), Vec::new());
        for batch in order.chunks(batch.max(1)) {
            let first = chunks.len();
            let examples: Vec<usize> = batch.iter().map(|&at| training[at]).collect();
            chunks.extend(examples.chunks(together).map(<[usize]>::to_vec));
            batches.push(first..chunks.len());
        }
        let first = chunks.len();
        chunks.extend(validation.chunks(together).map(<[usize]>::to_vec));
        let validation = first..chunks.len();
        Self { chunks, batches, validation }
    }
}
