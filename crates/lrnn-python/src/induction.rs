//! Rules learned from data, from memory or from files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::train::{Settings, Share};
use lrnn::{Dataset, Error, ErrorKind, Limits, Model, Stop, Template, Training, TrainingOptions};
use lrnn_induce::{GrowthOptions, InduceInputs, InduceOptions, Induction, LatticeLimits, SearchOptions};
use lrnn_io::{MoleculeColumns, read_model_of};
use lrnn_lab::baseline::induce_method;
use pyo3::prelude::*;

use crate::attended::{attended, interruptible};
use crate::error::OrRaise;
use crate::lab::DataPlace;
use crate::model::{PyModel, json};

/// The words of `lrnn induce`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct InduceWords {
    method: String,
    template: Option<String>,
    bias: Option<String>,
    folds: Option<u32>,
    group: Option<usize>,
    inner: u32,
    max_rules: usize,
    beam: usize,
    levels: usize,
    look_ahead: usize,
    min_support: u32,
    l2: Option<f64>,
    bags: u32,
    literal_cost: Option<f64>,
    negation: bool,
    counts: bool,
    soft: bool,
    max_clauses: Option<u64>,
    max_seconds: Option<f64>,
    seed: u64,
}

impl InduceWords {
    fn options(self, stop: &Stop) -> Result<InduceOptions, Error> {
        let Self { beam, levels, look_ahead, min_support, literal_cost, l2, bags, seed, inner, .. } = self;
        let options = InduceOptions {
            method: induce_method(&self.method)?,
            growth: GrowthOptions {
                search: SearchOptions { beam, levels, look_ahead, min_support, ..SearchOptions::default() },
                l2,
                literal_cost,
                bags,
                rules: self.max_rules,
                inner,
                seed,
                clauses: self.max_clauses,
                ..GrowthOptions::default()
            },
            limits: LatticeLimits {
                min_support,
                negation: self.negation,
                counts: self.counts,
                ..LatticeLimits::default()
            },
            soft: self.soft,
            from: self.template,
            bias: self.bias,
            folds: self.folds,
            group: self.group,
            stop: stop.clone(),
            ..InduceOptions::default()
        };
        options.checked(self.max_seconds)
    }
}

/// Returns data in memory without a path, or that of a path.
fn inputs(py: Python<'_>, data: DataPlace<'_>) -> PyResult<InduceInputs> {
    match data {
        DataPlace::Dataset(dataset) => Ok(InduceInputs {
            path: PathBuf::new(),
            dataset: Dataset::clone(&*dataset.get(py)?),
            molecules: None,
        }),
        DataPlace::Path(path) => {
            py.detach(|| InduceInputs::read(&path, &MoleculeColumns::default())).or_raise(py)
        }
    }
}

/// Learns rules: the document of `lrnn induce --json` without times, the model, and notes. With a folder, which needs
/// data with a path, the run is written as the command does.
#[pyfunction]
pub fn induce(
    py: Python<'_>,
    data: DataPlace<'_>,
    words: InduceWords,
    out: Option<PathBuf>,
    threads: Option<usize>,
) -> PyResult<(String, PyModel, Vec<String>)> {
    let (inputs, stop) = (inputs(py, data)?, Stop::default());
    interruptible(py, threads, &stop, || {
        let options = inputs.options(words.options(&stop)?)?;
        Ok(match out {
            None => {
                let induction = lrnn_induce::induce(&inputs.dataset, &options)?;
                let model = model(&induction, &inputs.dataset, &stop)?;
                (json(&induction), PyModel::of(model), induction.notes())
            }
            Some(_) if inputs.path.as_os_str().is_empty() => {
                let message = "a run goes on from its data, and this is in memory";
                let help = "data.write(folder), and give the folder instead";
                return Err(Error::new(ErrorKind::Usage, message).help(help));
            }
            Some(out) => {
                let run = inputs.learn(&options, out, None)?;
                let model = read_model_of(&run.run)?;
                (json(&run), PyModel::of(model), run.induction.notes())
            }
        })
    })
}

/// Returns the model of rules as they were learned.
fn model(induction: &Induction, dataset: &Dataset, stop: &Stop) -> Result<Model, Error> {
    let template = Template::parse(&induction.template())?;
    // The ids of the template come first.
    let dataset = dataset.renumbered(template.vocabulary.clone());
    let settings = Settings { validation: Share(0.0), test: Share(0.0), ..Settings::default() };
    let limits = Limits { stop: stop.clone(), ..Limits::default() };
    let options = TrainingOptions { limits, ..TrainingOptions::default() };
    Ok(Training::new(&template, &dataset, &settings, options)?.model())
}

/// Measures the whole procedure by cross-validation: the document of `lrnn induce --crossval --json`, without times.
#[pyfunction]
pub fn induce_crossval(
    py: Python<'_>,
    data: DataPlace<'_>,
    words: InduceWords,
    out: PathBuf,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (inputs, stop, folds) = (inputs(py, data)?, Stop::default(), AtomicUsize::new(0));
    let all = words.folds.unwrap_or(10).max(1);
    let mut attend = |py: Python<'_>, _: Option<&lrnn::Epoch>| {
        let Some(tick) = &tick else { return Ok(false) };
        let done = folds.load(Ordering::Relaxed);
        tick.call1(py, ((done as f64 / f64::from(all)).min(1.0), done))?.bind(py).is_truthy()
    };
    let work = || {
        let options = inputs.options(words.options(&stop)?)?;
        let run = inputs.validate(&options, out, &|done| folds.store(done, Ordering::Relaxed))?;
        Ok(json(&run))
    };
    match attended(py, threads, &|| stop.raise(), &mut attend, |_| work())? {
        (_, Some(failed)) => Err(failed),
        (found, None) => found.or_raise(py),
    }
}

/// Returns what rules may say, as the data suggests it: directives to edit.
#[pyfunction]
pub fn infer_bias(py: Python<'_>, data: DataPlace<'_>, threads: Option<usize>) -> PyResult<String> {
    let (inputs, stop) = (inputs(py, data)?, Stop::default());
    interruptible(py, threads, &stop, || {
        let options = inputs.options(InduceOptions { stop: stop.clone(), ..InduceOptions::default() })?;
        Ok(lrnn_induce::infer_bias(&inputs.dataset, &options)?.join("\n"))
    })
}
