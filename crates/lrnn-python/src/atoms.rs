//! Atoms of the least Herbrand model with their values, and what grounding makes of a template.

use std::borrow::Cow;
use std::sync::Arc;

use lrnn::network::{NeuronCounts, Weights};
use lrnn::program::{AtomPattern, ExampleAtoms, Semiring};
use lrnn::train::Settings;
use lrnn::{Dataset, Error, ErrorKind, Limits, Model, Program, Template};
use lrnn_report::{AtomList, AtomReadings, GroundReport, PlanReport};
use pyo3::prelude::*;

use crate::attended::interruptible;
use crate::dataset::PyDataset;
use crate::model::{PyModel, json, named};
use crate::template::PyTemplate;
use crate::training::{MostRules, limits};

/// A template as it begins, or a model with its weights.
#[derive(FromPyObject)]
pub enum GivenRules<'py> {
    Template(PyRef<'py, PyTemplate>),
    Model(PyRef<'py, PyModel>),
}

enum Rules {
    Template(Arc<Template>),
    Model(Arc<Model>),
}

/// The words of `lrnn query`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct QueryWords {
    atoms: Vec<String>,
    semiring: Option<String>,
    precision: String,
    seed: u64,
    reference: bool,
    unentailed: String,
}

/// Rules with data, and weights.
struct WeightedRules<'a> {
    program: Program,
    dataset: Cow<'a, Dataset>,
    members: Vec<Weights>,
}

impl<'a> WeightedRules<'a> {
    fn new(rules: &Rules, dataset: Option<&'a Dataset>, seed: u64, limits: Limits) -> Result<Self, Error> {
        match rules {
            Rules::Template(template) => {
                let names = &template.vocabulary;
                let dataset = match dataset {
                    None => Cow::Owned(Dataset::empty(names.clone())),
                    Some(dataset) if dataset.vocabulary.extends(names) => Cow::Borrowed(dataset),
                    Some(dataset) => Cow::Owned(dataset.renumbered(names.clone())),
                };
                let mut dataset = dataset;
                if !dataset.lifted.is_empty() {
                    template.expand(dataset.to_mut(), limits.clone())?;
                }
                let program = Program::new(template, &dataset, limits)?;
                Ok(Self { program, dataset, members: vec![Weights::new(seed)] })
            }
            Rules::Model(model) => {
                let program = model.program(limits)?;
                let empty = || Cow::Owned(Dataset::empty(program.vocabulary().clone()));
                let mut dataset = dataset.map_or_else(empty, |dataset| named(&program, dataset));
                if !dataset.lifted.is_empty() {
                    program.expand(dataset.to_mut())?;
                }
                // The data may know more predicates than the model.
                let program = Program::new(program.template(), &dataset, program.limits().clone())?;
                let members = model.asked_weights(program.template(), &dataset.vocabulary)?;
                Ok(Self { program, dataset, members })
            }
        }
    }

    /// Returns the values of atoms as JSON.
    fn values(&self, patterns: &[AtomPattern], words: &QueryWords) -> Result<String, Error> {
        let Self { program, dataset, members } = self;
        let mut settings = Settings::default();
        settings.set("unentailed", &words.unentailed)?;
        let is_single = match &*words.precision {
            "f32" => true,
            "f64" => false,
            other => return Err(usage(format!("precision cannot be `{other}`"), "it is f32 or f64")),
        };
        let results = program.for_each_grounding(dataset, |example, grounding| {
            let at = (example, grounding);
            match is_single {
                true => program.atoms::<f32>(dataset, at, patterns, members, words.reference),
                false => program.atoms::<f64>(dataset, at, patterns, members, words.reference),
            }
        })?;
        let found: Vec<ExampleAtoms> = results.into_iter().collect::<Result<_, _>>()?;
        AtomList::new(dataset, found, settings.unentailed, program.template().family.name)
            .map(|list| json(&list))
    }

    /// Returns atoms as a semiring reads them, as JSON.
    fn readings(&self, patterns: &[AtomPattern], name: &str) -> Result<String, Error> {
        let Self { program, dataset, members } = self;
        let Some(&(_, semiring)) = Semiring::ALL.iter().find(|(known, _)| *known == name) else {
            let names = Semiring::ALL.map(|(name, _)| name).join(", ");
            return Err(usage(format!("there is no semiring `{name}`"), &format!("there are {names}")));
        };
        let results = program.for_each_grounding(dataset, |example, grounding| {
            program.read(dataset, (example, grounding), patterns, members, semiring)
        })?;
        let atoms = results.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        AtomReadings::new(dataset, semiring, atoms).map(|readings| json(&readings))
    }
}

fn usage(message: String, help: &str) -> Error {
    Error::new(ErrorKind::Usage, message).help(help)
}

/// Returns atoms with their values, or as a semiring reads them: the document of `lrnn query --json`, without times.
#[pyfunction]
pub fn query(
    py: Python<'_>,
    rules: GivenRules<'_>,
    dataset: Option<&PyDataset>,
    words: QueryWords,
    most: MostRules,
    threads: Option<usize>,
) -> PyResult<String> {
    let (rules, dataset) = match rules {
        GivenRules::Template(given) => {
            (Rules::Template(given.template.clone()), dataset.map(|dataset| dataset.get(py)).transpose()?)
        }
        GivenRules::Model(given) => {
            let own = dataset.map(|dataset| dataset.for_model(py, &given.model)).transpose()?;
            (Rules::Model(given.model.clone()), own)
        }
    };
    let limits = limits(most);
    let stop = limits.stop.clone();
    interruptible(py, threads, &stop, || {
        let subject = WeightedRules::new(&rules, dataset.as_deref(), words.seed, limits)?;
        let pattern = |text: &String| AtomPattern::parse(text, &subject.dataset.vocabulary);
        let patterns: Vec<AtomPattern> = words.atoms.iter().map(pattern).collect::<Result<_, _>>()?;
        match &words.semiring {
            Some(name) => subject.readings(&patterns, name),
            None => subject.values(&patterns, &words),
        }
    })
}

/// Counts the neurons of each example, and lists the ground rules if asked for: the document of `lrnn ground --json`.
#[pyfunction]
pub fn ground(
    py: Python<'_>,
    template: &PyTemplate,
    dataset: Option<&PyDataset>,
    rules: bool,
    most: MostRules,
    threads: Option<usize>,
) -> PyResult<String> {
    let dataset = dataset.map(|dataset| dataset.get(py)).transpose()?;
    let (template, limits) = (Rules::Template(template.template.clone()), limits(most));
    let stop = limits.stop.clone();
    interruptible(py, threads, &stop, || {
        let WeightedRules { program, dataset, .. } =
            WeightedRules::new(&template, dataset.as_deref(), 0, limits)?;
        let results = program.for_each_grounding(&dataset, |_, grounding| {
            let clauses = rules.then(|| program.clauses(&dataset.vocabulary, grounding));
            (NeuronCounts::of(grounding), clauses)
        })?;
        Ok(json(&GroundReport::new(&dataset, results)))
    })
}

/// Returns how the rules are joined, and what to expect: the document of `lrnn ground --plan --json`.
#[pyfunction]
pub fn join_plan(
    py: Python<'_>,
    template: &PyTemplate,
    dataset: Option<&PyDataset>,
    threads: Option<usize>,
) -> PyResult<String> {
    let dataset = dataset.map(|dataset| dataset.get(py)).transpose()?;
    let (template, limits) = (Rules::Template(template.template.clone()), limits((None, None)));
    let stop = limits.stop.clone();
    interruptible(py, threads, &stop, || {
        let subject = WeightedRules::new(&template, dataset.as_deref(), 0, limits)?;
        Ok(json(&PlanReport::new(&subject.program, &subject.dataset)))
    })
}
