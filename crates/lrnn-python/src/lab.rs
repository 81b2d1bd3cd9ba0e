//! Cross-validation and experiments, in the folders of the command.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use lrnn::{Error, ErrorKind, Limits, Settings, Stop};
use lrnn_io::{check_free, read_text, write_data, write_template};
use lrnn_lab::{
    BaselineResults, Crossval, CrossvalOptions, CrossvalRun, Experiment, Monitor, SearchMethod, SearchSpace,
    SplitMethod, WorkShard, is_run,
};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::attended::attended;
use crate::dataset::PyDataset;
use crate::error::{OrRaise, exception};
use crate::model::json;
use crate::shard::PyWorkers;
use crate::template::PyTemplate;
use crate::training::{MostRules, limits, settings_of};

/// A cross-validation that came to its end.
#[pyclass(frozen, get_all, name = "CrossvalParts", module = "lrnn._lrnn")]
pub struct CrossvalParts {
    /// The document of `lrnn crossval --json`, without times.
    json: String,
    /// The table of folds, as the command prints it.
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The sentences below it.
    sentences: Vec<String>,
    notes: Vec<String>,
    /// The folder of the run.
    run: PathBuf,
}

/// An experiment, or as much of it as was done.
#[pyclass(frozen, get_all, name = "ExperimentParts", module = "lrnn._lrnn")]
pub struct ExperimentParts {
    /// The document of `lrnn experiment --json`, without times.
    json: String,
    /// The tables, as the command prints them.
    text: String,
    interrupted: bool,
    run: PathBuf,
}

/// The words of `lrnn crossval`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CrossvalWords {
    folds: Option<u32>,
    inner: String,
    method: String,
    trials: Option<usize>,
    seeds: u32,
    split: String,
    best_epoch: bool,
    baselines: Vec<String>,
    strict: bool,
}

/// Data in memory, or where it is.
#[derive(FromPyObject)]
pub enum DataPlace<'py> {
    Dataset(PyRef<'py, PyDataset>),
    Path(PathBuf),
}

/// A monitor that keeps count of what was done, for the line of progress.
#[derive(Default)]
struct WorkCount(Mutex<(f64, f64, usize)>);

impl WorkCount {
    fn change(&self, change: impl FnOnce(&mut (f64, f64, usize))) {
        if let Ok(mut counts) = self.0.lock() {
            change(&mut counts);
        }
    }
}

impl Monitor for WorkCount {
    fn begin(&self, cost: f64) {
        self.change(|counts| *counts = (cost, 0.0, counts.2));
    }

    fn work(&self, cost: f64) {
        self.change(|counts| counts.1 += cost);
    }

    fn known(&self, cost: f64) {
        self.change(|counts| counts.1 += cost);
    }

    fn fold(&self) {
        self.change(|counts| counts.2 += 1);
    }
}

/// Does work that is watched, while the calling thread looks at signals and shows progress.
fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &Stop,
    tick: Option<Py<PyAny>>,
    work: impl FnOnce(&WorkCount) -> Result<T, Error> + Send,
) -> PyResult<(Result<T, Error>, Option<PyErr>)> {
    let count = WorkCount::default();
    let mut attend = |py: Python<'_>, _: Option<&lrnn::Epoch>| {
        let Some(tick) = &tick else { return Ok(false) };
        let (cost, done, folds) = count.0.lock().map_or((0.0, 0.0, 0), |counts| *counts);
        let share = if cost > 0.0 { done / cost } else { 0.0 };
        tick.call1(py, (share.min(1.0), folds))?.bind(py).is_truthy()
    };
    attended(py, threads, &|| stop.raise(), &mut attend, |_| work(&count))
}

impl CrossvalParts {
    fn new(run: &CrossvalRun, notes: Vec<String>) -> Self {
        let (head, rows) = run.results.table();
        let mut sentences = run.results.sentences();
        sentences.extend(run.baselines.iter().flat_map(BaselineResults::sentences));
        let head = head.into_iter().map(str::to_owned).collect();
        Self { json: json(run), head, rows, sentences, notes, run: run.run.clone() }
    }
}

/// Runs one shard of the cross-validation in a folder.
#[pyfunction]
pub fn crossval_shard(
    py: Python<'_>,
    path: PathBuf,
    number: u32,
    count: u32,
    threads: Option<usize>,
) -> PyResult<()> {
    let stop = Stop::default();
    crate::attended::interruptible(py, threads, &stop, || {
        let shard = WorkShard { number, count };
        Crossval::reopen(&path, None, stop.clone())?.run_shard(&path, shard, &())
    })
}

/// Runs one shard of an experiment in a folder.
#[pyfunction]
pub fn experiment_shard(
    py: Python<'_>,
    file: PathBuf,
    data: Option<PathBuf>,
    out: PathBuf,
    shard: (u32, u32),
    threads: Option<usize>,
) -> PyResult<()> {
    let limits = Limits { stop: Stop::default(), ..Limits::default() };
    crate::attended::interruptible(py, threads, &limits.stop, || {
        let experiment = Experiment::read(&file, data.as_deref(), &limits)?;
        experiment.run_shard(&out, WorkShard { number: shard.0, count: shard.1 }, &())
    })
}

/// Runs a cross-validation that was opened; Ctrl-C is raised, and what was done stays in the folder.
#[expect(clippy::too_many_arguments, reason = "its two callers have all of them")]
fn run(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &Stop,
    tick: Option<Py<PyAny>>,
    out: &Path,
    mut notes: Vec<String>,
    crew: Option<Py<PyAny>>,
    open: impl FnOnce() -> Result<Crossval, Error> + Send,
) -> PyResult<CrossvalParts> {
    let workers = crew.map(PyWorkers::new);
    let (done, failed) = watched(py, threads, stop, tick, |count| {
        let crossval = open()?;
        let own = crossval.notes().flat_map(|(notes, sources)| notes.iter().map(|note| note.render(sources)));
        let own: Vec<String> = own.collect();
        let run = match &workers {
            Some(workers) => {
                crossval.begin(out)?;
                crossval.run_with(out, workers, count)?
            }
            None => crossval.run_in(out, count)?,
        };
        Ok((run, own))
    })?;
    if let Some(failed) = failed {
        return Err(failed);
    }
    let (run, own) = done.or_raise(py)?;
    notes.extend(own);
    Ok(CrossvalParts::new(&run, notes))
}

/// Measures by cross-validation how well templates learn, in a folder that the command can go on with.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
pub fn crossval(
    py: Python<'_>,
    templates: Vec<PyRef<'_, PyTemplate>>,
    data: DataPlace<'_>,
    out: PathBuf,
    settings: Vec<(String, String)>,
    search: Vec<(String, Vec<String>)>,
    words: CrossvalWords,
    most: MostRules,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    crew: Option<Py<PyAny>>,
) -> PyResult<CrossvalParts> {
    let settings = settings_of(py, settings, Settings::default())?;
    let shares = [("validation", settings.validation.0), ("test", settings.test.0)];
    let held_out = shares.iter().filter(|(_, share)| *share > 0.0);
    let notes = held_out
        .map(|(name, share)| format!("{name} = {share} does not count here: folds are held out instead"));
    let notes = notes.collect();
    let family = templates.first().and_then(|template| template.template.asked_family);
    if templates.iter().any(|template| template.template.asked_family != family) {
        let error = Error::new(ErrorKind::Usage, "the templates are read under different families");
        return Err(exception(py, &error.help("choose among families with search={\"family\": [...]}")));
    }
    if !is_run(&out) {
        check_free(&out, "choose another with out=").or_raise(py)?;
    }
    let data = match data {
        DataPlace::Path(path) => path,
        DataPlace::Dataset(dataset) => data_path(py, &dataset, &out)?,
    };
    let mut paths = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        let folder =
            if templates.len() == 1 { out.clone() } else { out.join(format!("template-{}", number + 1)) };
        paths.push(match &template.path {
            Some(path) => path.clone(),
            None => write_template(&folder, &template.template).or_raise(py)?,
        });
    }
    let mut space = search;
    if templates.len() > 1 {
        space.push(("template".to_owned(), paths.iter().map(|path| path.display().to_string()).collect()));
    }
    let limits = limits(most);
    let stop = limits.stop.clone();
    let options = move || -> Result<CrossvalOptions, Error> {
        let inner =
            words.inner.parse().map_err(|why| usage(format!("inner cannot be {}: {why}", words.inner)))?;
        let split = match &*words.split {
            "random" => SplitMethod::Random,
            "scaffold" => SplitMethod::Scaffold,
            other => {
                return Err(usage(format!("there is no split `{other}`")).help("there are random, scaffold"));
            }
        };
        let first = paths.first().cloned().unwrap_or_default();
        CrossvalOptions {
            split,
            families: vec![family.map(str::to_owned)],
            strict: words.strict,
            folds: words.folds,
            inner,
            search: SearchMethod::new(&words.method, words.trials)?,
            repeats: words.seeds,
            best_epoch: words.best_epoch,
            baselines: words.baselines,
            limits,
            ..CrossvalOptions::new(first, data, settings)
        }
        .with_space(SearchSpace(space), Path::new(""), "search: ")
    };
    run(py, threads, &stop, tick, &out, notes, crew, || Crossval::open(options()?))
}

fn usage(message: String) -> Error {
    Error::new(ErrorKind::Usage, message)
}

/// Returns where the data of a run is: its mapping, or a folder of text that is written for it.
fn data_path(py: Python<'_>, dataset: &PyDataset, out: &Path) -> PyResult<PathBuf> {
    match &dataset.origin {
        Some(origin) if origin.path.is_some() => Ok(origin.path.clone().unwrap_or_default()),
        Some(origin) if origin.is_open() => {
            let error = usage(
                "the mapping of this data learns from training rows, and its tables are in memory".into(),
            );
            let help = "write the tables to files and give the path of the mapping, so that each fold learns from its own";
            Err(exception(py, &error.help(help)))
        }
        _ => {
            let (data, path) = (dataset.get(py)?, out.join("data"));
            py.detach(|| write_data(&path, &data)).or_raise(py)?;
            Ok(path)
        }
    }
}

/// Tells whether this is the folder of a cross-validation.
#[pyfunction]
pub fn is_crossval(path: PathBuf) -> bool {
    is_run(&path)
}

/// Goes on with the cross-validation in a folder.
#[pyfunction]
pub fn resume_crossval(
    py: Python<'_>,
    path: PathBuf,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    crew: Option<Py<PyAny>>,
) -> PyResult<CrossvalParts> {
    let stop = Stop::default();
    run(py, threads, &stop, tick, &path, Vec::new(), crew, || Crossval::reopen(&path, None, stop.clone()))
}

/// Measures every method of an experiment on every dataset. Ctrl-C gives what was done.
#[pyfunction]
pub fn experiment(
    py: Python<'_>,
    file: PathBuf,
    data: Option<PathBuf>,
    out: PathBuf,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    crew: Option<Py<PyAny>>,
) -> PyResult<ExperimentParts> {
    let limits = Limits { stop: Stop::default(), ..Limits::default() };
    let workers = crew.map(PyWorkers::new);
    let (done, failed) = watched(py, threads, &limits.stop, tick, |count| {
        let experiment = Experiment::read(&file, data.as_deref(), &limits)?;
        match &workers {
            Some(workers) => experiment.run_with(&out, workers, count),
            None => experiment.run(&out, count),
        }
    })?;
    match failed {
        Some(failed) if done.is_err() || !failed.is_instance_of::<PyKeyboardInterrupt>(py) => Err(failed),
        _ => {
            let results = done.or_raise(py)?;
            let interrupted = !results.is_complete();
            Ok(ExperimentParts { json: json(&results), text: results.text(), interrupted, run: out })
        }
    }
}

/// Writes the page of the run in a folder, and returns it.
#[pyfunction]
pub fn report_run(py: Python<'_>, path: PathBuf, threads: Option<usize>) -> PyResult<String> {
    let stop = Stop::default();
    crate::attended::interruptible(py, threads, &stop, || {
        let progress = |_: usize, work: &mut dyn FnMut(&AtomicUsize)| work(&AtomicUsize::new(0));
        let page = lrnn_lab::report_run(&path, None, None, stop.clone(), &progress)?;
        read_text(Path::new(&page.file))
    })
}
