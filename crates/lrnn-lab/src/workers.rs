//! Processes beside this one that share a training, the folds of a cross-validation or the cells of an experiment.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use lrnn::train::Crew;
use lrnn::{Dataset, Error, ErrorKind, Settings, Template, TrainingOptions};

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

const PYTHON: &str = "python3";

/// Lets Python, which can start workers of Ray, run the command instead of this process, with the same words; returns
/// why it cannot.
pub fn run_by_python() -> Error {
    let why = match Command::new(PYTHON).args(["-c", "import lrnn.ray; print(lrnn.__version__)"]).output() {
        Err(error) => format!("{PYTHON} cannot be started: {error}"),
        Ok(output) if !output.status.success() => {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            format!("{PYTHON} says: {}", text.lines().last().unwrap_or("nothing"))
        }
        Ok(output) if output.stdout.trim_ascii() != lrnn::VERSION.as_bytes() => {
            let other = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            format!("its package is version {other}, and this is {}", lrnn::VERSION)
        }
        Ok(_) => become_python(),
    };
    let help = "pip install 'lrnn[ray]'; without Ray, --shard divides folds and experiments among processes";
    Error::new(ErrorKind::Usage, format!("workers are started by Python, and {why}")).help(help)
}

/// Becomes Python, or waits for it and ends as it does; returns why it cannot.
fn become_python() -> String {
    let mut command = Command::new(PYTHON);
    command.args(["-m", "lrnn"]).args(std::env::args_os().skip(1));
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    };
    format!("{PYTHON} cannot be started: {error}")
}
