//! `lrnn experiment FILE.toml`: many methods on many datasets, each by cross-validation on the same folds.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn_io::Config;
use lrnn_lab::{CrossvalResults, ExperimentResults, Workers, percent};
use serde::Serialize;

use super::crossval::WorkWatch;
use crate::args::{Common, ExperimentArgs, LimitOptions};
use crate::failure::{Error, ErrorKind};
use crate::load::limits;
use crate::progress::duration;
use crate::{interrupt, output};

/// The way to go on with an experiment that was stopped.
const GO_ON: &str = "stopped before the end; the same command goes on\n";

/// The results with the folder they are in.
#[derive(Serialize)]
struct ExperimentDocument<'a> {
    #[serde(flatten)]
    results: &'a ExperimentResults,
    interrupted: bool,
    run: &'a Path,
}

pub fn run(asked: &ExperimentArgs, common: &Common, workers: Option<&dyn Workers>) -> Result<u8, Error> {
    let begin = Instant::now();
    interrupt::listen()?;
    let limits = limits(&LimitOptions::default(), &Config::default());
    let experiment = lrnn_lab::Experiment::read(&asked.file, asked.data.as_deref(), &limits)?;
    let out = asked.out.clone().unwrap_or_else(|| {
        let stem = asked.file.file_stem().map_or_else(|| "experiment".into(), ToOwned::to_owned);
        PathBuf::from("runs").join(stem)
    });
    let cells = (!common.quiet && !common.json).then(|| CellTimes::new(&experiment));
    let watch = WorkWatch::new(common, cells);
    if let Some(shard) = asked.shard {
        let run = experiment.run_shard(&out, shard, &watch);
        watch.progress.clear();
        let (text, code) = match run {
            Err(error) if error.kind() == ErrorKind::Stopped => (GO_ON, interrupt::exit_code()),
            other => {
                other.map(|()| ("this shard is done; when all are: the same command without --shard\n", 0))?
            }
        };
        output::say(text);
        return Ok(code);
    }
    let results = match workers {
        Some(workers) => experiment.run_with(&out, workers, &watch),
        None => experiment.run(&out, &watch),
    };
    watch.progress.clear();
    let results = results?;
    let interrupted = !results.is_complete();
    let document = ExperimentDocument { results: &results, interrupted, run: &out };
    let seconds = [("total", Some(begin.elapsed().as_secs_f64()))];
    output::print_result(common, &document, &seconds, None, || {
        format!("{}run: {}\n", results.text(), out.display())
    })?;
    if interrupted && !common.quiet && !common.json {
        output::say(GO_ON);
    }
    Ok(if interrupted { interrupt::exit_code() } else { 0 })
}

/// Seconds below which a method must have been in its journal.
const AT_ONCE: f64 = 2.0;

/// The times of a method.
#[derive(Clone, Copy, Default)]
struct MethodTimes {
    /// The number of datasets that are done, and of those that were not in their journals.
    done: usize,
    fresh: usize,
    /// Seconds of the fresh ones.
    seconds: f64,
}

/// The times of the methods on the datasets.
pub struct CellTimes {
    datasets: Vec<String>,
    methods: Vec<String>,
    /// Time at which the last one was done.
    last: Instant,
    /// By method.
    times: Vec<MethodTimes>,
}

impl CellTimes {
    fn new(experiment: &lrnn_lab::Experiment) -> Self {
        let (datasets, methods) = experiment.names();
        let times = vec![MethodTimes::default(); methods.len()];
        Self { datasets, methods, last: Instant::now(), times }
    }

    /// Counts a method on a dataset as done, and says so.
    pub fn add(&mut self, dataset: usize, method: usize, results: &CrossvalResults) -> String {
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let own = &mut self.times[method];
        own.done += 1;
        if seconds > AT_ONCE {
            (own.fresh, own.seconds) = (own.fresh + 1, own.seconds + seconds);
        }
        // A dataset should take a method as long as those before.
        let left =
            |it: &MethodTimes| it.seconds / it.fresh.max(1) as f64 * (self.datasets.len() - it.done) as f64;
        let left = match self.times.iter().map(left).sum::<f64>() {
            0.0 => String::new(),
            seconds => format!(", about {} left", duration(seconds)),
        };
        let accuracy = results.accuracy.mean.map_or("-".to_owned(), percent);
        let done: usize = self.times.iter().map(|it| it.done).sum();
        let all = self.datasets.len() * self.methods.len();
        let (dataset, method) = (&self.datasets[dataset], &self.methods[method]);
        format!(
            "dataset {dataset}, method {method}: {accuracy} % in {seconds:.1} s; {done} of {all} done{left}\n"
        )
    }
}
