//! The report of a training run.

use std::path::Path;

use lrnn::model::fingerprint;
use lrnn::train::Split;
use lrnn::{Answers, Dataset, Model};
use lrnn_io::{Config, RunFolder, read_dataset, read_dataset_for, read_model_of};
use lrnn_lab::part_view;
use lrnn_report::gather::{Asked, Subject, curves};
use lrnn_report::page::{Kind, Part, Report};

use super::{Content, MOST_TOGETHER, command, gathered, moved, title};
use crate::args::{Common, LimitOptions};
use crate::failure::Error;
use crate::load::limits;

pub fn content(run: &Path, data: Option<&Path>, common: &Common) -> Result<Content, Error> {
    let model = read_model_of(run)?;
    let config = Config::read(run)?;
    let settings = config.settings()?;
    let place = data.map(Path::to_owned).or(config.data.clone()).unwrap_or_else(|| run.to_owned());
    if !place.exists() {
        return Err(moved(&place));
    }
    let predictor = model.predictor_within(limits(&LimitOptions::default(), &config))?;
    let program = predictor.program();
    let mut dataset = read_dataset_for(program, &place)?;
    let own = dataset.examples.len();
    if let Some(path) = &config.validation_data {
        if !path.exists() {
            return Err(moved(path));
        }
        dataset.append(read_dataset(path, dataset.vocabulary.clone())?);
    }
    let split = RunFolder::read_split(run).unwrap_or_else(|| {
        let mut split = Split::of(&dataset, &settings);
        split.validation.extend(own..dataset.examples.len());
        split
    });
    // One network of all examples answers, and says what the template cannot tell apart.
    let (answers, network) = match dataset.examples.len() > MOST_TOGETHER {
        true => (predictor.predict(&dataset)?, None),
        false => predictor.predict_together(&dataset).map(|(answers, network)| (answers, Some(network)))?,
    };
    let program = lrnn::Program::new(program.template(), &dataset, program.limits().clone())?;
    let subject = Subject::new(program.template(), &dataset, &program.template().sources, &model);
    let parts = parts(&dataset, &split, &answers);
    let mut values: Vec<Vec<Option<Vec<f64>>>> =
        dataset.queries.iter().map(|queries| vec![None; queries.len()]).collect();
    for answer in answers.all {
        let (example, query) = answer.place;
        values[example][query] = answer.value.filter(|_| answer.in_model).map(|value| value.numbers);
    }
    let asked = Asked {
        subjects: std::slice::from_ref(&subject),
        answering: dataset.queries.iter().map(|queries| vec![0; queries.len()]).collect(),
        values,
        parts: part_names(&split, dataset.examples.len()),
    };
    let restart = model.notes.get("restart").and_then(|number| number.parse().ok());
    let report = Report {
        title: title(&place),
        kind: Kind::Train,
        command: command(run),
        settings: settings.pairs().map(|(name, value)| (name.to_owned(), value)).collect(),
        notes: notes(&model, &dataset),
        curves: curves(&RunFolder::read_history(run), restart),
        parts,
        model: "Concepts, patterns and explanations are those of the model of this run.".to_owned(),
        ..Report::default()
    };
    Ok(gathered(&asked, (&program, &dataset), network, common, report))
}

/// Each part of the data with its examples, those that have none left out.
fn named(split: &Split) -> impl Iterator<Item = (&'static str, &Vec<usize>)> {
    let parts = [("training", &split.training), ("validation", &split.validation), ("test", &split.test)];
    parts.into_iter().filter(|(_, examples)| !examples.is_empty())
}

fn part_names(split: &Split, count: usize) -> Vec<String> {
    let mut names = vec![String::new(); count];
    for (name, examples) in named(split) {
        examples.iter().for_each(|&example| names[example] = name.to_owned());
    }
    names
}

fn parts(dataset: &Dataset, split: &Split, answers: &Answers) -> Vec<Part> {
    let part = |(name, examples): (&str, &Vec<usize>)| {
        part_view(name, dataset, answers.loss, &answers.of_examples(examples).answered())
    };
    named(split).map(part).collect()
}

fn notes(model: &Model, dataset: &Dataset) -> Vec<String> {
    let is_same = model.fingerprint == fingerprint(dataset);
    let changed =
        "the data is not what the model learned from: parts and values may be others than in training";
    if is_same { Vec::new() } else { vec![changed.to_owned()] }
}
