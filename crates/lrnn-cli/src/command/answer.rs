//! A model on data: the value of every query.

use std::path::Path;
use std::time::Instant;

use lrnn::data::Query;
use lrnn::function::{Real, Shape};
use lrnn::ground::{Plans, Statistics, fit};
use lrnn::model::{Model, Precision};
use lrnn::network::{BuildOptions, Networks, Schedule, Weights, Workspace};
use lrnn::train::Loss;
use lrnn_io::{Config, read_data, read_model, read_model_template};
use rayon::prelude::*;

use super::train::model_in;
use crate::args::{Common, LimitOptions};
use crate::failure::{Failure, NUMBERS, TEXT};
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
    pub answers: Vec<Answer>,
    /// Seconds of grounding and building, and of computing.
    pub seconds: (f64, f64),
}

/// The queries are few to a network, so that many run at once.
const TOGETHER: usize = 16;

impl Answers {
    pub fn new(path: &Path, data: &Path, limits: &LimitOptions, common: &Common) -> Result<Self, Failure> {
        let model = read_model(&model_in(path))?;
        let loaded = load_with(&model, data, common)?;
        let schedule =
            Schedule::new(&loaded.template).map_err(|error| Failure::new(TEXT, error.to_string()))?;
        let start = Instant::now();
        let plans = Plans::new(&loaded.template, &Statistics::of(&loaded.dataset));
        let limits = load::limits(limits, &Config::default());
        let (template, dataset) = (&loaded.template, &loaded.dataset);
        let options = BuildOptions::default();
        let networks = Networks::build(template, &schedule, dataset, &plans, &limits, options, TOGETHER)
            .map_err(|error| loaded.ground_failure(&error))?;
        let build = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let weights = weights_of(&model, &loaded, &networks, common)?;
        let values = match model.precision {
            Precision::F32 => values::<f32>(&loaded, &schedule, &networks, &weights),
            Precision::F64 => values::<f64>(&loaded, &schedule, &networks, &weights),
        };
        let loss = model.notes.get("loss").and_then(|name| Loss::find(name)).unwrap_or(Loss::Squared);
        let numbered = (0..dataset.examples.len())
            .flat_map(|example| (0..dataset.queries[example].len()).map(move |query| (example, query)));
        let answers: Vec<Answer> =
            numbered.zip(values).map(|((example, query), value)| Answer { example, query, value }).collect();
        check(&loaded, &answers)?;
        Ok(Self { loss, answers, seconds: (build, start.elapsed().as_secs_f64()), loaded })
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

/// The model's own template, and the data.
fn load_with(model: &Model, data: &Path, common: &Common) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let file = read_model_template(model)?;
    let mut sources = file.sources;
    let Some(template) = file.template else {
        load::report(&file.diagnostics, &sources, common);
        return Err(Failure::reported(&file.diagnostics, &sources));
    };
    let data = if data.is_dir() && data.join(lrnn_io::CONFIG_NAME).exists() {
        load::locate(data, None).ok().and_then(|(_, data, _)| data).unwrap_or_else(|| data.to_owned())
    } else {
        data.to_owned()
    };
    let dataset = read_data(&data, template.vocabulary.clone(), &mut sources)?.map_err(|found| {
        load::report(&found, &sources, common);
        Failure::reported(&found, &sources)
    })?;
    let (fitted, found) = fit(&template, &dataset, false);
    load::report(&found, &sources, common);
    let Some(template) = fitted else { return Err(Failure::reported(&found, &sources)) };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Loaded { template, dataset, sources, config: Config::default(), seconds })
}

/// The weights of the model; what the data needs and the model has not is told, and is 0.
fn weights_of(
    model: &Model,
    loaded: &Loaded,
    networks: &Networks,
    common: &Common,
) -> Result<Weights, Failure> {
    let mut weights = Weights::starting(0, lrnn::network::Initialisation::Constant, 0.0);
    let vocabulary = &loaded.dataset.vocabulary;
    let matched = model.apply(&loaded.template, vocabulary, &networks.parameters, &mut weights);
    if !matched.missing.is_empty() && !common.quiet {
        let listed = matched.missing[..matched.missing.len().min(5)].join(", ");
        let more = if matched.missing.len() > 5 { ", ..." } else { "" };
        let message = format!("note: the model has not learned {listed}{more}: taken for 0\n");
        output::say(&message);
    }
    Ok(weights)
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
