//! Learning, with or without the folder of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use lrnn::program::NetworkCache;
use lrnn::train::{End, Split};
use lrnn::{
    Dataset, Epoch, Error, ErrorKind, Fit, Limits, Model, Observer, Settings, Stop, Template, Training,
    TrainingOptions,
};
use lrnn_io::{
    HistoryLine, Inputs, MAPPING_NOTE, MoleculeColumns, RunFolder, RunInputs, check_free, read_dataset,
    read_model_of, with_validation, write_data, write_template,
};
use lrnn_lab::Workers;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attended::{Reporter, attended};
use crate::dataset::{PyDataset, expanded};
use crate::error::{OrRaise, exception, raise};
use crate::model::PyModel;
use crate::shard::PyWorkers;
use crate::tables::Origin;
use crate::template::PyTemplate;

/// The beginnings of learning.
struct Job {
    template: Arc<Template>,
    template_path: Option<PathBuf>,
    dataset: Arc<Dataset>,
    /// Note of the model on the mapping of its data.
    mapping: Option<String>,
    /// The file of the mapping, if the run can go on from it.
    mapping_path: Option<PathBuf>,
    settings: Settings,
    limits: Limits,
    split: Option<Split>,
    from: Option<Arc<Model>>,
    strict: bool,
    /// The folder of the run, if there is one.
    out: Option<PathBuf>,
    /// True if the run in the folder goes on.
    resumed: bool,
    /// Whoever grounds and computes instead of this process.
    workers: Option<PyWorkers>,
    /// True if networks are kept for whoever learns from the same data again.
    is_cached: bool,
}

/// Returns the networks that estimators built last; of a process that was forked, its own.
pub fn cache() -> &'static Arc<NetworkCache> {
    static CACHE: OnceLock<Arc<NetworkCache>> = OnceLock::new();
    CACHE.get_or_init(Arc::default)
}

/// Returns how many networks estimators grounded and built, and how many were there already.
#[pyfunction]
pub fn cache_counts() -> (u64, u64) {
    cache().counts()
}

/// Drops the networks that estimators keep.
#[pyfunction]
pub fn clear_cache() {
    cache().clear();
}

/// The outcome of learning.
#[pyclass(frozen, get_all, name = "RunParts", module = "lrnn._lrnn")]
pub struct RunParts {
    model: Py<PyModel>,
    /// The epochs whose losses were computed, a JSON object a line.
    history: String,
    /// Scores of each part of the data, as JSON.
    scores: String,
    notes: Vec<String>,
    /// True if something stopped it before its end.
    interrupted: bool,
    /// The reason why the best restart went no further.
    end: &'static str,
    split: (Vec<usize>, Vec<usize>, Vec<usize>),
    /// The settings as used.
    settings: Vec<(String, String)>,
    /// Epochs that each restart has gone.
    epochs: Vec<u32>,
}

/// The outcome of learning before Python has it.
struct FitOutcome {
    fit: Fit,
    history: String,
    interrupted: bool,
    end: &'static str,
    split: Split,
    epochs: Vec<u32>,
    settings: Settings,
}

impl Job {
    /// Makes the folder of the run, if one is asked for, with template and data where they came from memory.
    fn folder(&self, training: &mut Training<'_>) -> Result<Option<RunFolder>, Error> {
        let Some(path) = &self.out else { return Ok(None) };
        if self.resumed {
            let mut folder = RunFolder::open(path)?;
            folder.resume(training)?;
            return Ok(Some(folder));
        }
        check_free(path, "choose another with out=, or go on with the run in it by lrnn.resume")?;
        let data = match &self.mapping_path {
            Some(path) => path.clone(),
            None => {
                write_data(&path.join("data"), self.dataset.as_ref())?;
                path.join("data")
            }
        };
        let template = match &self.template_path {
            Some(path) => path.clone(),
            None => write_template(path, &self.template)?,
        };
        let inputs = RunInputs {
            template: &template,
            data: &data,
            validation_data: None,
            molecules: None,
            family: self.template.asked_family,
            limits: &self.limits,
            settings: training.settings(),
        };
        let folder = RunFolder::create(path.clone(), &inputs)?;
        folder.write_split(training.cases(), training.split())?;
        Ok(Some(folder))
    }

    fn training(&self, options: TrainingOptions<'_>) -> Result<Training<'_>, Error> {
        let Self { template, dataset, settings, workers, .. } = self;
        let Some(workers) = workers else { return Training::new(template, dataset, settings, options) };
        let crew = workers.crew(template, dataset, settings, &options)?;
        Training::with_crew(template, dataset, settings, options, crew)
    }

    fn noted(&self, mut model: Model) -> Model {
        model.notes.extend(self.mapping.clone().map(|text| (MAPPING_NOTE.to_owned(), text)));
        model
    }

    fn run(&self, reporter: &Reporter, is_learning: &AtomicBool) -> Result<FitOutcome, Error> {
        let options = TrainingOptions {
            limits: self.limits.clone(),
            strict: self.strict,
            split: self.split.clone(),
            from: self.from.as_deref(),
            cache: self.is_cached.then(|| cache().clone()),
        };
        let mut training = self.training(options)?;
        let folder = self.folder(&mut training)?;
        is_learning.store(true, Ordering::Relaxed);
        match &folder {
            Some(folder) => folder.train(&mut training, reporter)?,
            None => {
                while !training.is_finished() && !reporter.is_stopped() && training.failure().is_none() {
                    training.advance(self.settings.epochs.max(1), reporter);
                }
            }
        }
        if let Some(error) = training.failure() {
            return Err(error);
        }
        if let Some(folder) = &folder {
            // Where numbers diverged, the file has the last good weights.
            folder.write_model(&self.noted(training.model()))?;
        }
        let line = |epoch: &Epoch| serde_json::to_string(&HistoryLine::of(epoch)?).ok();
        let lines: Vec<String> = training.history().iter().filter_map(line).collect();
        let history = folder.as_ref().map_or_else(|| lines.join("\n"), |folder| folder.history(&training));
        let mut fit = training.finish()?;
        fit.model = self.noted(fit.model);
        let end = match training.end() {
            None => "stopped",
            Some(End::Until) => "target_loss",
            Some(End::Patience) => "patience",
            Some(End::Converged) => "converged",
            Some(End::Trouble(_)) => "diverged",
            Some(End::Epochs) => "epochs",
        };
        let (_, epochs) = training.progress();
        let (interrupted, split) = (!training.is_finished(), training.split().clone());
        let settings = training.settings().clone();
        Ok(FitOutcome { fit, history, interrupted, end, split, epochs, settings })
    }
}

/// Returns an epoch as a dictionary with the names of the history.
fn epoch_dict<'py>(py: Python<'py>, epoch: &Epoch) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("restart", epoch.restart)?;
    dict.set_item("epoch", epoch.epoch)?;
    dict.set_item("rate", epoch.rate)?;
    let measures =
        [("running", Some(epoch.running)), ("training", epoch.training), ("validation", epoch.validation)];
    for (name, measure) in measures {
        if let Some(measure) = measure {
            dict.set_item(format!("{name}_loss"), measure.loss)?;
            dict.set_item(format!("{name}_error"), measure.error())?;
        }
    }
    Ok(dict)
}

/// Learns while the calling thread looks at signals, shows progress and calls back.
fn learn(
    py: Python<'_>,
    job: &Job,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    callback: Option<Py<PyAny>>,
) -> PyResult<RunParts> {
    let latest = Arc::new(Mutex::new((0_u64, None::<Epoch>)));
    // What was learned counts: a signal that comes while learning does not stop the test after it.
    let (stop, is_learning) = (Stop::default(), AtomicBool::new(false));
    let raise = || {
        stop.raise();
        if !is_learning.load(Ordering::Relaxed) {
            job.limits.stop.raise();
        }
    };
    let (seen, has_callback) = (latest.clone(), callback.is_some());
    let mut attend = |py: Python<'_>, epoch: Option<&Epoch>| -> PyResult<bool> {
        if let (Some(epoch), Some(callback)) = (epoch, &callback) {
            let answer = callback.call1(py, (epoch_dict(py, epoch)?,))?;
            return answer.bind(py).is_truthy();
        }
        let Some(tick) = &tick else { return Ok(false) };
        let (done, last) = seen.lock().map_or((0, None), |latest| *latest);
        let last = last.as_ref().map(|epoch| epoch_dict(py, epoch)).transpose()?;
        tick.call1(py, (done, last))?.bind(py).is_truthy()
    };
    let (outcome, failed) = attended(py, threads, &raise, &mut attend, |sender| {
        let sender = has_callback.then_some(sender);
        job.run(&Reporter { sender, stop: stop.clone(), latest }, &is_learning)
    })?;
    let outcome = match (outcome, failed) {
        // Ctrl-C while there is something to keep: the best weights so far are the result.
        (Ok(outcome), Some(failed)) if failed.is_instance_of::<PyKeyboardInterrupt>(py) => outcome,
        (_, Some(failed)) => return Err(failed),
        (Err(error), None) => return Err(exception(py, &error)),
        (Ok(outcome), None) => outcome,
    };
    let FitOutcome { fit, history, interrupted, end, split, epochs, settings } = outcome;
    let scores: serde_json::Map<String, serde_json::Value> = fit
        .scores
        .iter()
        .map(|(part, scores)| ((*part).to_owned(), serde_json::to_value(scores).unwrap_or_default()))
        .collect();
    Ok(RunParts {
        model: Py::new(py, PyModel::of(fit.model))?,
        history,
        scores: serde_json::Value::Object(scores).to_string(),
        notes: fit.notes,
        interrupted,
        end,
        split: (split.training, split.validation, split.test),
        settings: settings.pairs().map(|(name, value)| (name.to_owned(), value)).collect(),
        epochs,
    })
}

/// Returns settings from names and texts, and the defaults elsewhere.
pub fn settings_of(
    py: Python<'_>,
    given: Vec<(String, String)>,
    mut settings: Settings,
) -> PyResult<Settings> {
    for (name, text) in given {
        settings.set(&name, &text).map_err(Error::from).or_raise(py)?;
    }
    Ok(settings)
}

/// The most ground rules of an example, and of all together, where they are not the usual ones.
pub type MostRules = (Option<u64>, Option<u64>);

/// Returns the limits of grounding, and a flag of their own.
pub fn limits((per_example, total): MostRules) -> Limits {
    let default = Limits::default();
    Limits {
        per_example: per_example.unwrap_or(default.per_example),
        total: total.unwrap_or(default.total),
        ..default
    }
}

/// Learns the weights of a template from data.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
pub fn fit(
    py: Python<'_>,
    template: &PyTemplate,
    dataset: &PyDataset,
    settings: Vec<(String, String)>,
    validation_data: Option<&PyDataset>,
    from: Option<&PyModel>,
    out: Option<PathBuf>,
    strict: bool,
    most: MostRules,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    callback: Option<Py<PyAny>>,
    cached: bool,
    crew: Option<Py<PyAny>>,
) -> PyResult<RunParts> {
    let settings = settings_of(py, settings, Settings::default())?;
    let origin = dataset.origin.as_ref();
    let mut dataset = expanded(&template.template, dataset.get(py)?).or_raise(py)?;
    let (mut split, mut mapping) = (None, None);
    if let Some(origin) = origin {
        let (fitted, note) = origin.fitted(&dataset, &mut split, &settings).or_raise(py)?;
        (dataset, mapping) = (fitted.map_or(dataset, Arc::new), Some(note));
    }
    if let Some(other) = validation_data {
        if origin.is_some_and(Origin::is_open) {
            let help = "validation=0.2 holds out some of its own examples";
            let message =
                "data whose mapping learns from training rows cannot have validation data beside it";
            return Err(raise(py, ErrorKind::Usage, message, help));
        }
        let other = expanded(&template.template, other.get(py)?).or_raise(py)?;
        let mut whole = Dataset::clone(&dataset);
        let other = other.renumbered(whole.vocabulary.clone());
        split = Some(with_validation(&mut whole, other, None, &settings));
        dataset = Arc::new(whole);
    }
    let job = Job {
        template: template.template.clone(),
        template_path: template.path.clone(),
        dataset,
        mapping,
        mapping_path: origin.and_then(|origin| origin.path.clone()),
        settings,
        limits: limits(most),
        split,
        from: from.map(|model| model.model.clone()),
        strict,
        out,
        resumed: false,
        workers: crew.map(PyWorkers::new),
        is_cached: cached,
    };
    learn(py, &job, threads, tick, callback)
}

/// Goes on with the run in a folder, to its end or to another number of epochs.
#[pyfunction]
pub fn resume(
    py: Python<'_>,
    path: PathBuf,
    settings: Vec<(String, String)>,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
    callback: Option<Py<PyAny>>,
    crew: Option<Py<PyAny>>,
) -> PyResult<RunParts> {
    let job = py.detach(|| resumed(&path)).or_raise(py)?;
    let settings = settings_of(py, settings, job.settings.clone())?;
    let job = Job { settings, workers: crew.map(PyWorkers::new), ..job };
    learn(py, &job, threads, tick, callback)
}

/// Reads what the run in a folder began with.
fn resumed(path: &Path) -> Result<Job, Error> {
    RunFolder::open(path)?;
    let inputs = Inputs::read(path, None, &MoleculeColumns::default(), None, false)?;
    if inputs.data_path.is_none() {
        return Err(Error::new(ErrorKind::Content, "the run does not name its data"));
    }
    let Inputs { template, mut dataset, config, tables, .. } = inputs;
    let settings = config.settings()?;
    let mut split = RunFolder::read_split(path);
    let mut mapping = read_model_of(path).ok().and_then(|mut model| model.notes.remove(MAPPING_NOTE));
    if let Some(tables) = tables {
        let (_, origin, _) = Origin::read(tables, template.vocabulary.clone(), None)?;
        let (fitted, note) = origin.fitted(&dataset, &mut split, &settings)?;
        (dataset, mapping) = (fitted.unwrap_or(dataset), Some(note));
    }
    if let Some(path) = &config.validation_data {
        let other = read_dataset(path, &MoleculeColumns::default(), dataset.vocabulary.clone())?.0;
        split = Some(with_validation(&mut dataset, other, split, &settings));
    }
    Ok(Job {
        template: Arc::new(template),
        template_path: None,
        dataset: Arc::new(dataset),
        mapping,
        mapping_path: None,
        settings,
        limits: config.limits(None, None),
        split,
        from: None,
        strict: false,
        out: Some(path.to_owned()),
        resumed: true,
        workers: None,
        is_cached: false,
    })
}
