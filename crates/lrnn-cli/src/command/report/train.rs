//! The report of a training run.

use std::path::Path;

use lrnn::model::{Model, fingerprint};
use lrnn::train::{Settings, Split, classes};
use lrnn_io::{Config, read_model, read_text};
use lrnn_lab::part_view;
use lrnn_report::gather::{Asked, Subject, curves};
use lrnn_report::page::{Kind, Part, Report};

use super::{Content, MOST_TOGETHER, command, gathered, moved, title};
use crate::args::{Common, LearningFlags, LimitOptions, TemplateOptions};
use crate::command::answer::{Answer, answer_with, load_with, with_targets};
use crate::command::train::prepare::{add_data, settings};
use crate::command::train::{HISTORY, model_in};
use crate::failure::Failure;
use crate::load::{self, Loaded};

pub fn content(run: &Path, data: Option<&Path>, quiet: &Common, common: &Common) -> Result<Content, Failure> {
    let model = read_model(&model_in(run))?;
    let config = Config::read(run)?;
    let settings = settings(&LearningFlags::default(), &config)?;
    let place = data.map(Path::to_owned).or(config.data.clone()).unwrap_or_else(|| run.to_owned());
    if !place.exists() {
        return Err(moved(&place));
    }
    let mut loaded = load_with(&model, &place, quiet)?;
    let split = split(&mut loaded, &config, &settings, quiet)?;
    let limits = load::limits(&LimitOptions::default(), &config);
    let all: Vec<usize> = (0..loaded.dataset.examples.len()).collect();
    // One network of all examples answers, and says what the template cannot tell apart.
    let together = if all.len() > MOST_TOGETHER { 16 } else { all.len().max(1) };
    let (answers, _, networks) = answer_with(&loaded, &model, &limits, &all, together, quiet)?;
    let network = networks.networks.into_iter().next().filter(|_| together == all.len());
    let subject = Subject::new(&loaded.template, &loaded.dataset, &loaded.template_sources, &model);
    let parts = parts(&loaded, &subject, &split, &answers);
    let queries = &loaded.dataset.queries;
    let mut values: Vec<Vec<Option<Vec<f64>>>> =
        queries.iter().map(|queries| vec![None; queries.len()]).collect();
    for answer in answers {
        values[answer.example][answer.query] = answer.value;
    }
    let asked = Asked {
        subjects: std::slice::from_ref(&subject),
        answering: queries.iter().map(|queries| vec![0; queries.len()]).collect(),
        values,
        parts: part_names(&split, loaded.dataset.examples.len()),
    };
    let restart = model.notes.get("restart").and_then(|number| number.parse().ok());
    let history = read_text(&run.join(HISTORY)).unwrap_or_default();
    let report = Report {
        title: title(&place),
        kind: Kind::Train,
        command: command(run),
        settings: Settings::TABLE.iter().map(|it| (it.name.to_owned(), (it.get)(&settings))).collect(),
        notes: notes(&model, &loaded),
        curves: curves(&history, restart),
        parts,
        model: "Concepts, patterns and explanations are those of the model of this run.".to_owned(),
        ..Report::default()
    };
    Ok(gathered(&asked, &loaded, network, &limits, common, report))
}

/// The parts of the data as they were in training; other data for validation comes behind.
fn split(
    loaded: &mut Loaded,
    config: &Config,
    settings: &Settings,
    quiet: &Common,
) -> Result<Split, Failure> {
    let own = loaded.dataset.examples.len();
    let mut split =
        Split::new(&classes(&loaded.dataset), settings.validation.0, settings.test.0, settings.seed);
    if let Some(path) = &config.validation_data {
        if !path.exists() {
            return Err(moved(path));
        }
        add_data(loaded, path, &TemplateOptions { family: None, strict: false }, quiet)?;
        split.validation.extend(own..loaded.dataset.examples.len());
    }
    Ok(split)
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

fn parts(loaded: &Loaded, subject: &Subject<'_>, split: &Split, answers: &[Answer]) -> Vec<Part> {
    let answered = with_targets(loaded, subject.unentailed, answers);
    let part = |(name, examples): (&str, &Vec<usize>)| {
        let is_in = |example: usize| examples.binary_search(&example).is_ok();
        let own: Vec<_> = answered.iter().filter(|answered| is_in(answered.example)).cloned().collect();
        part_view(name, &loaded.dataset, subject.loss, &own)
    };
    named(split).map(part).collect()
}

fn notes(model: &Model, loaded: &Loaded) -> Vec<String> {
    let is_same = model.fingerprint == fingerprint(&loaded.dataset);
    let changed =
        "the data is not what the model learned from: parts and values may be others than in training";
    if is_same { Vec::new() } else { vec![changed.to_owned()] }
}
