//! A model on data: the value of every query.

use std::path::Path;
use std::time::Instant;

use lrnn::data::Query;
use lrnn::diagnostic::{Diagnostic, Severity, printable};
use lrnn::function::{Real, Shape};
use lrnn::ground::{Limits, Plans, Statistics};
use lrnn::model::{Model, Precision};
use lrnn::network::{BuildOptions, Networks, Schedule, Weights, Workspace};
use lrnn::train::{Answered, Loss, Settings, Unentailed};
use lrnn_io::{Config, TemplateFile, read_model, read_model_template};
use rayon::prelude::*;

use super::outside::Outside;
use super::train::model_in;
use crate::args::{Common, Predict};
use crate::failure::{Failure, NUMBERS, TEXT, USAGE};
use crate::load::{self, Loaded};
use crate::output;

/// A query with the value a model gives it.
pub struct Answer {
    pub example: usize,
    /// Its number among the example's queries.
    pub query: usize,
    /// None outside the model.
    pub value: Option<Vec<f64>>,
}

/// All answers to the queries of data.
pub struct Answers {
    pub loaded: Loaded,
    pub loss: Loss,
    pub unentailed: Unentailed,
    pub answers: Vec<Answer>,
    /// Seconds of grounding and building, and of computing.
    pub seconds: (f64, f64),
}

/// The queries are few to a network, so that many run at once.
const TOGETHER: usize = 16;

impl Answers {
    pub fn new(asked: &Predict, common: &Common) -> Result<Self, Failure> {
        let start = Instant::now();
        let model = read_model(&model_in(&asked.model))?;
        let unentailed = unentailed(asked, &model)?;
        let mut loaded = load_with(&model, &asked.data, common)?;
        loaded.seconds = start.elapsed().as_secs_f64();
        let limits = load::limits(&asked.limits, &Config::default());
        let all: Vec<usize> = (0..loaded.dataset.examples.len()).collect();
        let (answers, seconds) = answer(&loaded, &model, &limits, &all, common)?;
        let loss = model.notes.get("loss").and_then(|name| Loss::find(name)).unwrap_or(Loss::Squared);
        let answers = Self { loaded, loss, unentailed, answers, seconds };
        answers.say_outside(common)?;
        Ok(answers)
    }

    /// The queries that are not in the model.
    pub fn outside(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| answer.value.is_none())
    }

    /// The value of a query, or what it counts as.
    pub fn value(&self, answer: &Answer) -> Option<Vec<f64>> {
        value(&self.loaded, self.unentailed, answer)
    }

    /// The queries with targets, example by example, without those that are left out.
    pub fn with_targets(&self) -> Vec<Answered> {
        with_targets(&self.loaded, self.unentailed, &self.answers)
    }

    /// Queries outside the model are told, or a failure.
    fn say_outside(&self, common: &Common) -> Result<(), Failure> {
        let places: Vec<(usize, usize)> =
            self.outside().map(|answer| (answer.example, answer.query)).collect();
        match Outside::new(&self.loaded.dataset, &places, self.answers.len()) {
            Some(outside) if self.unentailed == Unentailed::Error => Err(outside.failure()),
            Some(outside) => {
                outside.say(self.unentailed, "", common);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub fn query(&self, answer: &Answer) -> &Query {
        &self.loaded.dataset.queries[answer.example][answer.query]
    }

    pub fn atom(&self, answer: &Answer) -> String {
        let query = self.query(answer);
        self.loaded.dataset.vocabulary.atom_text(query.predicate, &query.terms)
    }

    pub fn shape(&self, answer: &Answer) -> Shape {
        let predicate = self.query(answer).predicate;
        self.loaded.template.predicates[predicate.index()].shape.unwrap_or(Shape::NUMBER)
    }
}

/// What a query outside the model is: as asked for, or as it was in training.
pub fn unentailed(asked: &Predict, model: &Model) -> Result<Unentailed, Failure> {
    let mut settings = Settings::default();
    let trained = model.settings.lines().find_map(|line| line.strip_prefix("unentailed = "));
    if let Some(text) = trained {
        let _ = settings.set("unentailed", text.trim_matches('"'));
    }
    if let Some(text) = &asked.unentailed {
        settings.set("unentailed", text).map_err(|error| Failure::new(USAGE, error.to_string()))?;
    }
    Ok(settings.unentailed)
}

fn value(loaded: &Loaded, unentailed: Unentailed, answer: &Answer) -> Option<Vec<f64>> {
    match (&answer.value, unentailed) {
        (Some(value), _) => Some(value.clone()),
        (None, Unentailed::Value(value)) => {
            let query = &loaded.dataset.queries[answer.example][answer.query];
            let shape = loaded.template.predicates[query.predicate.index()].shape.unwrap_or(Shape::NUMBER);
            Some(vec![value; shape.size()])
        }
        (None, Unentailed::Skip | Unentailed::Error) => None,
    }
}

/// Values with targets, example by example; one target is for all elements.
pub fn with_targets(loaded: &Loaded, unentailed: Unentailed, answers: &[Answer]) -> Vec<Answered> {
    let mut answered: Vec<Answered> = Vec::new();
    for answer in answers {
        let target = &loaded.dataset.queries[answer.example][answer.query].target;
        let (Some(target), Some(value)) = (target, value(loaded, unentailed, answer)) else { continue };
        if answered.last().is_none_or(|last| last.example != answer.example) {
            answered.push(Answered { example: answer.example, ..Answered::default() });
        }
        let Some(last) = answered.last_mut() else { continue };
        let spread = if target.len() == 1 { vec![target[0]; value.len()] } else { target.clone() };
        last.sizes.push(value.len() as u32);
        last.values.extend(value);
        last.targets.extend(spread);
    }
    answered
}

/// The answers of a model to the queries of some examples, and the seconds of building and of computing.
pub fn answer(
    loaded: &Loaded,
    model: &Model,
    limits: &Limits,
    examples: &[usize],
    common: &Common,
) -> Result<(Vec<Answer>, (f64, f64)), Failure> {
    let (answers, seconds, _) = answer_with(loaded, model, limits, examples, TOGETHER, common)?;
    Ok((answers, seconds))
}

/// The same with so many examples in one network, and the networks.
pub fn answer_with(
    loaded: &Loaded,
    model: &Model,
    limits: &Limits,
    examples: &[usize],
    together: usize,
    common: &Common,
) -> Result<(Vec<Answer>, (f64, f64), Networks), Failure> {
    let (template, dataset) = (&loaded.template, &loaded.dataset);
    let schedule = Schedule::new(template).map_err(|error| Failure::new(TEXT, error.to_string()))?;
    let start = Instant::now();
    let plans = Plans::new(template, &Statistics::of(dataset));
    let chunks: Vec<Vec<usize>> = examples.chunks(together).map(<[usize]>::to_vec).collect();
    let options = BuildOptions::default();
    let networks = Networks::build_chunks(template, &schedule, dataset, &plans, limits, options, &chunks)
        .map_err(|error| loaded.ground_failure(&error))?;
    let build = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let weights = weights_of(model, loaded, &networks, common);
    let values = match model.precision {
        Precision::F32 => values::<f32>(loaded, &schedule, &networks, &weights),
        Precision::F64 => values::<f64>(loaded, &schedule, &networks, &weights),
    };
    let numbered = (examples.iter())
        .flat_map(|&example| (0..dataset.queries[example].len()).map(move |query| (example, query)));
    let answers: Vec<Answer> =
        numbered.zip(values).map(|((example, query), value)| Answer { example, query, value }).collect();
    check(loaded, &answers)?;
    Ok((answers, (build, start.elapsed().as_secs_f64()), networks))
}

/// The model's own template, and the data.
pub fn load_with(model: &Model, data: &Path, common: &Common) -> Result<Loaded, Failure> {
    let file = read_model_template(model)?;
    let data = if data.is_dir() && data.join(lrnn_io::CONFIG_NAME).exists() {
        load::locate(data, None).ok().and_then(|(_, data, _)| data).unwrap_or_else(|| data.to_owned())
    } else {
        data.to_owned()
    };
    // What there is to say of the template was said when it learned.
    let file = TemplateFile { diagnostics: errors(file.diagnostics), ..file };
    load::with_data(file, Some(&data), Config::default(), false, common)
}

fn errors(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}

/// The weights of the model; what the data needs and the model has not is told, and is 0.
fn weights_of(model: &Model, loaded: &Loaded, networks: &Networks, common: &Common) -> Weights {
    let mut weights = Weights::starting(0, lrnn::network::Initialisation::Constant, 0.0);
    let vocabulary = &loaded.dataset.vocabulary;
    let matched = model.apply(&loaded.template, vocabulary, &networks.parameters, &mut weights);
    say_unlearned(matched.missing.iter().map(String::as_str), common);
    weights
}

/// Tells which weights a model has not learned, if there are any.
pub fn say_unlearned<'a>(names: impl Iterator<Item = &'a str>, common: &Common) {
    const NAMED: usize = 5;
    let names: Vec<&str> = names.take(NAMED + 1).collect();
    if !names.is_empty() && !common.quiet {
        let more = if names.len() > NAMED { ", ..." } else { "" };
        let listed = names[..names.len().min(NAMED)].join(", ");
        let message = format!("note: the model has not learned {listed}{more}: taken for 0\n");
        output::say(&printable(&message));
    }
}

fn values<R: Real>(
    loaded: &Loaded,
    schedule: &Schedule,
    networks: &Networks,
    weights: &Weights,
) -> Vec<Option<Vec<f64>>> {
    let parameters: Vec<R> =
        networks.parameters.values(&loaded.template, &loaded.dataset.vocabulary, weights);
    let of_network = |network: &lrnn::network::Network| {
        let mut space = Workspace::default();
        network.forward(schedule, &parameters, &mut space);
        let value = |query| {
            let value = space.output(network, query)?;
            Some(value.iter().map(|number: &R| number.to_f64()).collect::<Vec<f64>>())
        };
        (0..network.output_count()).map(value).collect::<Vec<_>>()
    };
    let all: Vec<Vec<Option<Vec<f64>>>> = networks.networks.par_iter().map(of_network).collect();
    all.into_iter().flatten().collect()
}

fn check(loaded: &Loaded, answers: &[Answer]) -> Result<(), Failure> {
    let is_lost = |answer: &&Answer| answer.value.iter().flatten().any(|number| !number.is_finite());
    match answers.iter().find(is_lost) {
        None => Ok(()),
        Some(answer) => {
            let example = loaded.dataset.example_name(answer.example);
            Err(Failure::new(NUMBERS, format!("example {example}: a value is no finite number")))
        }
    }
}
