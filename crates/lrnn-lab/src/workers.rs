//! Processes beside this one that share a training, the folds of a cross-validation or the cells of an experiment.

use std::path::Path;
use std::sync::Arc;

use lrnn::train::Crew;
use lrnn::{Dataset, Error, Settings, Template, TrainingOptions};

/// Processes that share work. The results have the bits that one process gives.
pub trait Workers: Sync {
    /// Returns the crew of a training.
    fn crew(
        &self,
        template: &Template,
        dataset: &Dataset,
        settings: &Settings,
        options: &TrainingOptions<'_>,
    ) -> Result<Arc<dyn Crew>, Error>;

    /// Runs each of so many shards of the cross-validation in a folder.
    fn run_folds(&self, run: &Path, shards: usize) -> Result<(), Error>;

    /// Runs each of so many shards of the experiment in a file, with its data and results in these folders.
    fn run_cells(&self, file: &Path, data: Option<&Path>, out: &Path, shards: usize) -> Result<(), Error>;
}
