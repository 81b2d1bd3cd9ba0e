//! Cross-validation: for every fold, settings are chosen inside its training folds, learned with on all of these, and
//! tested once. Folds, trials and repetitions run in parallel; the order of what comes out is theirs.

use std::collections::BTreeMap;
use std::path::Path;

use lrnn::model::WeightList;
use lrnn::train::{Cases, Loss, Settings};
use lrnn::{Error, ErrorKind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::bench::Variant;
use crate::folds::{Fold, Folds, Inner};
use crate::journal::{Header, Journal};
use crate::record::{FoldRecord, TrialRecord};
use crate::search::{Search, Trial};
use crate::select::rounds;
use crate::unit::Unit;

/// How a study goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// So many stratified folds; those of the data if it is not said.
    pub folds: Option<u32>,
    /// What is held out inside the training folds.
    pub inner: Inner,
    /// How the table of settings is gone through.
    pub search: Search,
    /// How often all is done, with other seeds.
    pub repeats: u32,
    /// Whether test folds are measured at every evaluation, for the best epoch over them.
    pub best_epoch: bool,
}

/// All that a cross-validation needs.
#[derive(Debug)]
pub struct Study<'a> {
    /// Templates and families, each with the data; all have the same cases.
    pub variants: Vec<Variant<'a>>,
    /// What is tried, at least one.
    pub trials: Vec<Trial>,
    /// How it goes.
    pub plan: Plan,
    /// What folds are made of.
    pub cases: Cases,
}

/// What was learned for a fold, from all others.
#[derive(Debug)]
pub struct FoldModel {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The number of the fold.
    pub fold: u32,
    /// The number of the template with its family.
    pub variant: usize,
    /// The settings that it was learned with.
    pub settings: Settings,
    /// What was made small.
    pub loss: Loss,
    /// The weights, without those that only the fold itself has.
    pub weights: WeightList,
}

/// Watches a study; it is called from several threads.
pub trait Monitor: Sync {
    /// A fold was learned, before it counts as done: the model may be kept. Why not, if it cannot.
    fn learned(&self, _model: FoldModel) -> Result<(), Error> {
        Ok(())
    }
    /// Work that was done, as a part of [`Study::cost`].
    fn work(&self, _cost: f64) {}
    /// Work that had been done before.
    fn known(&self, _cost: f64) {}
    /// A fold is done.
    fn fold(&self, _record: &FoldRecord) {}
    /// Whether to stop as soon as that is possible.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unmonitored;

impl Monitor for Unmonitored {}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    Trial(TrialRecord),
    Fold(FoldRecord),
}

/// What a journal holds, to be found again.
#[derive(Default)]
pub(crate) struct Known {
    /// By repetition, fold, rung, part and trial.
    pub trials: BTreeMap<(u32, u32, u32, u32, u32), TrialRecord>,
    folds: BTreeMap<(u32, u32), FoldRecord>,
}

impl<'a> Study<'a> {
    /// Whether there is anything to choose.
    pub(crate) fn has_choice(&self) -> bool {
        self.trials.len() > 1 || self.trials[0].settings.patience > 0
    }

    /// The seed of a repetition.
    pub fn seed(&self, repeat: u32) -> u64 {
        self.trials[0].settings.seed.wrapping_add(u64::from(repeat))
    }

    /// The folds of a repetition.
    pub fn folds(&self, repeat: u32) -> Result<Folds, Error> {
        let dataset = self.variants[0].dataset;
        let (count, what) = (self.cases.count(dataset), self.cases.name());
        let folds = match self.plan.folds {
            Some(folds) if folds as usize > count => {
                let message = format!("{folds} folds are too many for {count} {what}");
                return Err(usage(&message, &format!("--folds takes a number up to {count}")));
            }
            Some(folds) => Folds::stratified(&self.cases.classes(dataset), folds, self.seed(repeat)),
            None if dataset.folds.len() != count => {
                let message = format!("the data gives {} folds for {count} {what}", dataset.folds.len());
                return Err(usage(&message, "--folds K makes K stratified folds"));
            }
            None => Folds::given(&dataset.folds),
        };
        if folds.0.len() < 2 {
            let message = "there is one fold only, so there is nothing to learn from";
            return Err(usage(message, "--folds K makes K stratified folds"));
        }
        Ok(folds)
    }

    /// What a trial costs, in epochs.
    pub(crate) fn trial_cost(&self, trial: usize) -> f64 {
        let settings = &self.trials[trial].settings;
        f64::from(settings.epochs) * f64::from(settings.restarts.0)
    }

    pub(crate) fn mean_cost(&self) -> f64 {
        let costs = (0..self.trials.len()).map(|trial| self.trial_cost(trial));
        costs.sum::<f64>() / self.trials.len() as f64
    }

    /// What everything costs, in epochs.
    pub fn cost(&self) -> Result<f64, Error> {
        let parts = match self.plan.inner {
            Inner::Share(_) => 1.0,
            Inner::Folds(folds) => f64::from(folds),
        };
        let rounds = rounds(self.plan.search, self.trials.len());
        let inner: f64 = rounds.iter().map(|(size, share)| *size as f64 * share).sum::<f64>() * parts;
        let inner = if self.has_choice() { inner } else { 0.0 };
        let folds = self.folds(0)?.0.len() as f64 * f64::from(self.plan.repeats);
        Ok(folds * (inner + 1.0) * self.mean_cost())
    }

    /// The journal, and what it holds.
    pub(crate) fn open(
        &self,
        path: Option<&Path>,
        header: &Header,
    ) -> Result<(Option<Journal>, Known), Error> {
        let mut known = Known::default();
        let Some(path) = path else { return Ok((None, known)) };
        let (journal, lines) = Journal::open::<Line>(path, header)?;
        lines.into_iter().for_each(|line| known.add(line));
        Ok((Some(journal), known))
    }

    /// The folds that a journal holds, in the order of the study; none if one is missing. Nothing is written.
    pub fn recorded(&self, path: &Path, header: &Header) -> Result<Option<Vec<FoldRecord>>, Error> {
        let mut known = Known::default();
        Journal::read::<Line>(path, header)?.into_iter().for_each(|line| known.add(line));
        let units = self.units()?;
        Ok(units.iter().map(|(repeat, fold)| known.fold(*repeat, fold.number).cloned()).collect())
    }

    /// All folds of all repetitions.
    pub(crate) fn units(&self) -> Result<Vec<(u32, Fold)>, Error> {
        let mut units = Vec::new();
        for repeat in 0..self.plan.repeats {
            units.extend(self.folds(repeat)?.0.into_iter().map(|fold| (repeat, fold)));
        }
        Ok(units)
    }

    pub(crate) fn write_fold(&self, journal: Option<&Journal>, record: &FoldRecord) -> Result<(), Error> {
        let line = Line::Fold(record.clone());
        journal.map_or(Ok(()), |journal| journal.append(&line))
    }

    /// Runs all of it, or what the journal does not hold yet. Nothing if it was stopped.
    pub fn run(
        &self,
        journal: Option<&Path>,
        header: &Header,
        monitor: &dyn Monitor,
    ) -> Result<Option<Vec<FoldRecord>>, Error> {
        let (journal, known) = self.open(journal, header)?;
        let classes = self.cases.classes(self.variants[0].dataset);
        let units = self.units()?;
        let run = |(repeat, fold): &(u32, Fold)| {
            let (seed, journal) = (self.seed(*repeat), journal.as_ref());
            let unit = Unit {
                study: self,
                repeat: *repeat,
                seed,
                fold,
                classes: &classes,
                known: &known,
                journal,
                monitor,
            };
            unit.run()
        };
        let all: Vec<Result<Option<FoldRecord>, Error>> = units.par_iter().with_max_len(1).map(run).collect();
        all.into_iter().collect()
    }
}

impl Known {
    /// The record of a fold, if it is done.
    pub fn fold(&self, repeat: u32, fold: u32) -> Option<&FoldRecord> {
        self.folds.get(&(repeat, fold))
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Trial(record) => {
                let key = (record.repeat, record.fold, record.rung, record.part, record.trial);
                self.trials.insert(key, record);
            }
            Line::Fold(record) => {
                self.folds.insert((record.repeat, record.fold), record);
            }
        }
    }
}

fn usage(message: &str, help: &str) -> Error {
    Error::new(ErrorKind::Content, message).help(help)
}
