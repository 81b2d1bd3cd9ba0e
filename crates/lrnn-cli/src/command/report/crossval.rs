//! The report of a cross-validation: every case is explained by the model that did not learn from it.

use std::path::Path;

use lrnn::model::Model;
use lrnn::network::Weights;
use lrnn::train::{Answered, Loss, Settings};
use lrnn_io::read_model;
use lrnn_lab::baseline::{BASELINES, Baseline};
use lrnn_lab::{Cases, Fold, FoldRecord, Results, Study, crossval_view, part_view};
use lrnn_report::gather::{Asked, Subject};
use lrnn_report::page::{self, Kind, Part, Report};

use super::{Content, command, gathered, moved, title};
use crate::args::{Common, LearningFlags};
use crate::command::crossval::{self, Folder, Prepared, begun};
use crate::failure::{Failure, TEXT};

/// A cross-validation as it was found.
struct Run<'a> {
    prepared: &'a Prepared,
    study: &'a Study<'a>,
    /// The folds of the first seed with their records.
    folds: Vec<(Fold, FoldRecord)>,
    results: Results,
}

pub fn content(run: &Path, data: Option<&Path>, quiet: &Common, common: &Common) -> Result<Content, Failure> {
    let mut asked = begun(run)?;
    let source = asked.folder.clone().or(asked.data.clone());
    match (data, source) {
        (Some(data), _) if asked.folder.as_ref().is_some_and(|folder| !folder.exists()) => {
            asked.folder = Some(data.to_owned());
        }
        (Some(data), _) => asked.data = Some(data.to_owned()),
        (None, Some(source)) if !source.exists() => return Err(moved(&source)),
        (None, _) => {}
    }
    let asked = crossval::Asked::new(&asked, quiet)?;
    let prepared = Prepared::new(asked, &LearningFlags::default(), quiet)?;
    let study = prepared.study()?;
    let folder = Folder { path: run.to_owned() };
    let Some(records) = recorded(&prepared, &study, &folder, None)? else {
        let failure = Failure::new(TEXT, format!("{}: not all folds of this run are done", run.display()));
        return Err(failure.help(format!("lrnn crossval --resume {} goes on with it", run.display())));
    };
    let failed = |error| prepared.failure(error);
    let results = Results::of(&study, &records).map_err(failed)?;
    let folds = study.folds(0).map_err(failed)?.0.into_iter().zip(records).collect();
    let found = Run { prepared: &prepared, study: &study, folds, results };
    found.content(&folder, run, common)
}

fn recorded(
    prepared: &Prepared,
    study: &Study<'_>,
    folder: &Folder,
    baseline: Option<&Baseline>,
) -> Result<Option<Vec<FoldRecord>>, Failure> {
    let header = prepared.header(study, baseline);
    study.recorded(&folder.journal(baseline), &header).map_err(|error| prepared.failure(error))
}

impl Run<'_> {
    fn content(&self, folder: &Folder, run: &Path, common: &Common) -> Result<Content, Failure> {
        let models: Vec<Option<Model>> =
            self.folds.iter().map(|(fold, _)| self.model(folder, fold)).collect();
        let subjects: Vec<Subject<'_>> =
            self.folds.iter().zip(&models).map(|(fold, model)| self.subject(fold, model.as_ref())).collect();
        let asked = self.asked(&subjects);
        let loaded = self.prepared.loaded(self.variant(0));
        let settings = &self.prepared.asked.settings;
        let first = subjects.first().map_or("", |subject| &subject.name);
        let report = Report {
            title: title(&self.prepared.asked.data),
            kind: Kind::Crossval,
            command: command(run),
            settings: Settings::TABLE.iter().map(|it| (it.name.to_owned(), (it.get)(settings))).collect(),
            notes: self.notes(&models),
            parts: self.part().into_iter().collect(),
            crossval: Some(self.table(folder)?),
            model: format!(
                "Every example is explained by the model that did not learn from it; patterns are those of the model without {first}."
            ),
            ..Report::default()
        };
        Ok(gathered(&asked, loaded, None, &self.prepared.asked.limits, common, report))
    }

    /// The template and family that was chosen for a fold.
    fn variant(&self, place: usize) -> usize {
        let trial = self.folds.get(place).map_or(0, |(_, record)| record.chosen.trial as usize);
        self.study.trials[trial.min(self.study.trials.len() - 1)].variant
    }

    fn model(&self, folder: &Folder, fold: &Fold) -> Option<Model> {
        read_model(&folder.model(self.study.seed(0), fold.number)).ok()
    }

    fn subject<'b>(&'b self, (fold, record): &(Fold, FoldRecord), model: Option<&'b Model>) -> Subject<'b> {
        let trial = &self.study.trials[(record.chosen.trial as usize).min(self.study.trials.len() - 1)];
        let loaded = self.prepared.loaded(trial.variant);
        let (template, dataset, sources) = (&loaded.template, &loaded.dataset, &loaded.template_sources);
        let subject = match model {
            Some(model) => Subject::new(template, dataset, sources, model),
            None => Subject::beginning(template, dataset, sources, Weights::new(self.study.seed(0))),
        };
        let loss = Loss::find(&record.loss).unwrap_or(Loss::Squared);
        Subject {
            name: format!("fold {}", fold.number),
            loss,
            unentailed: trial.settings.unentailed,
            ..subject
        }
    }

    /// By example and query who answers it, and the answer.
    fn asked<'b>(&self, subjects: &'b [Subject<'b>]) -> Asked<'b> {
        let dataset = &self.prepared.loaded(self.variant(0)).dataset;
        let mut answering: Vec<Vec<usize>> =
            dataset.queries.iter().map(|queries| vec![0; queries.len()]).collect();
        let mut values: Vec<Vec<Option<Vec<f64>>>> =
            dataset.queries.iter().map(|queries| vec![None; queries.len()]).collect();
        let mut parts = vec!["all folds".to_owned(); dataset.examples.len()];
        for (place, (fold, record)) in self.folds.iter().enumerate() {
            for (&case, answers) in fold.test.iter().zip(record.values()) {
                let is_example = self.study.cases == Cases::Examples;
                for (query, value) in answers.into_iter().enumerate() {
                    let (example, query) = if is_example { (case, query) } else { (0, case) };
                    answering[example][query] = place;
                    values[example][query] = value;
                }
                if is_example {
                    parts[case] = format!("fold {}", fold.number);
                }
            }
        }
        Asked { subjects, answering, values, parts }
    }

    /// The answers of all folds together.
    fn part(&self) -> Option<Part> {
        let (_, first) = self.folds.first()?;
        let dataset = &self.prepared.loaded(self.variant(0)).dataset;
        let mut all: Vec<Answered> = Vec::new();
        for (place, (fold, record)) in self.folds.iter().enumerate() {
            let trial = &self.study.trials[(record.chosen.trial as usize).min(self.study.trials.len() - 1)];
            let dataset = &self.prepared.loaded(self.variant(place)).dataset;
            let unentailed = trial.settings.unentailed;
            all.extend(self.study.cases.answered(dataset, &fold.test, &record.values(), unentailed));
        }
        let loss = Loss::find(&first.loss).unwrap_or(Loss::Squared);
        let seed = self.study.seed(0);
        let name = if self.study.plan.repeats > 1 {
            format!("out of fold, seed {seed}")
        } else {
            "out of fold".into()
        };
        Some(part_view(&name, dataset, loss, &all))
    }

    fn table(&self, folder: &Folder) -> Result<page::Crossval, Failure> {
        let mut rivals: Vec<(&str, Results)> = Vec::new();
        for baseline in BASELINES {
            if !folder.journal(Some(baseline)).exists() {
                continue;
            }
            if let Some(records) = recorded(self.prepared, self.study, folder, Some(baseline))? {
                let results = Results::of(self.study, &records);
                rivals.push((baseline.name, results.map_err(|error| self.prepared.failure(error))?));
            }
        }
        let rivals: Vec<(&str, &Results)> = rivals.iter().map(|(name, results)| (*name, results)).collect();
        Ok(crossval_view(self.study, &self.results, &rivals))
    }

    fn notes(&self, models: &[Option<Model>]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.study.plan.repeats > 1 {
            let (seed, repeats) = (self.study.seed(0), self.study.plan.repeats);
            notes.push(format!(
                "examples are those of the first of {repeats} seeds, {seed}; the table has all"
            ));
        }
        let lost = models.iter().filter(|model| model.is_none()).count();
        if lost > 0 {
            notes.push(format!(
                "the models of {lost} of {} folds are not in the folder of the run, so their examples are not explained; \
                 a run of this version keeps them",
                models.len()
            ));
        }
        notes
    }
}
