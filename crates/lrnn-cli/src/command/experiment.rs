//! `lrnn experiment FILE.toml`: many methods on many datasets, each by cross-validation on the same folds.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use lrnn_io::Config;
use lrnn_lab::{CrossvalResults, ExperimentResults, Monitor, Workers, percent};
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
    let watch = CellWatch::new(&experiment, common);
    if let Some(shard) = asked.shard {
        let run = experiment.run_shard(&out, shard, &watch);
        watch.watch.progress.clear();
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
    watch.watch.progress.clear();
    let results = results?;
    let interrupted = !results.is_complete();
    if common.json {
        let document = ExperimentDocument { results: &results, interrupted, run: &out };
        output::print_costed(&document, &[("total", Some(begin.elapsed().as_secs_f64()))])?;
    } else {
        output::print(&format!("{}run: {}\n", results.text(), out.display()))?;
        if interrupted && !common.quiet {
            output::say(GO_ON);
        }
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

/// A monitor that says of each method on each dataset that it is done.
struct CellWatch<'a> {
    watch: WorkWatch,
    common: &'a Common,
    datasets: Vec<String>,
    methods: Vec<String>,
    /// Time at which the last one was done, and the times of each method.
    times: Mutex<(Instant, Vec<MethodTimes>)>,
}

impl<'a> CellWatch<'a> {
    fn new(experiment: &lrnn_lab::Experiment, common: &'a Common) -> Self {
        let (datasets, methods) = experiment.names();
        let times = Mutex::new((Instant::now(), vec![MethodTimes::default(); methods.len()]));
        Self { watch: WorkWatch::new(common), common, datasets, methods, times }
    }
}

impl Monitor for CellWatch<'_> {
    fn begin(&self, cost: f64) {
        self.watch.begin(cost);
    }

    fn work(&self, cost: f64) {
        self.watch.work(cost);
    }

    fn known(&self, cost: f64) {
        self.watch.known(cost);
    }

    fn fold(&self) {
        self.watch.fold();
    }

    fn cell(&self, dataset: usize, method: usize, results: &CrossvalResults) {
        let Ok(mut times) = self.times.lock() else { return };
        let (last, methods) = &mut *times;
        let seconds = last.elapsed().as_secs_f64();
        *last = Instant::now();
        let own = &mut methods[method];
        own.done += 1;
        if seconds > AT_ONCE {
            (own.fresh, own.seconds) = (own.fresh + 1, own.seconds + seconds);
        }
        if self.common.quiet || self.common.json {
            return;
        }
        self.watch.progress.clear();
        // A dataset should take a method as long as those before.
        let left =
            |it: &MethodTimes| it.seconds / it.fresh.max(1) as f64 * (self.datasets.len() - it.done) as f64;
        let left = match methods.iter().map(left).sum::<f64>() {
            0.0 => String::new(),
            seconds => format!(", about {} left", duration(seconds)),
        };
        let accuracy = results.accuracy.mean.map_or("-".to_owned(), percent);
        let done: usize = methods.iter().map(|it| it.done).sum();
        let all = self.datasets.len() * methods.len();
        let (dataset, method) = (&self.datasets[dataset], &self.methods[method]);
        output::say(&format!(
            "dataset {dataset}, method {method}: {accuracy} % in {seconds:.1} s; {done} of {all} done{left}\n"
        ));
    }
}
