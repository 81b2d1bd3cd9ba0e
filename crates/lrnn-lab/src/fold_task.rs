//! One fold: settings are chosen inside its training folds, learned with on all of them, and tested once.
//!
//! To choose, trials learn from one part of the training folds and are measured on another. The least error wins, of
//! equal ones the first in the order of the table. Successive halving gives every trial a small share of its epochs,
//! keeps the better third, gives these three times as much, and so on until few are left with all their epochs. Each
//! round learns anew from the start, which costs a third more than going on would, and needs no weights to be kept.

use std::collections::BTreeMap;
use std::path::Path;

use lrnn::threads::try_each;
use lrnn::train::{Measure, Settings, Unentailed};
use lrnn::{Error, ErrorKind};

use crate::crossval::{Crossval, Monitor, model_path, stopped};
use crate::folds::Fold;
use crate::journal::{Choice, FoldRecord, Journal, JournalLine, JournalRecords, TrialRecord};
use crate::search::SearchMethod;
use crate::trainer::{CaseValues, HoldOut, Trainer, WorkMeter};

/// Of so many, one is kept.
const KEPT: usize = 3;

/// The answers of a trial on all inner parts.
#[derive(Clone, Copy)]
struct TrialScore {
    trial: usize,
    wrong: u32,
    answers: u32,
    /// The mean epoch of the weights that were kept.
    epochs: f64,
}

impl TrialScore {
    fn of(trial: usize, records: &[TrialRecord]) -> Self {
        let own = || records.iter().filter(|record| record.trial as usize == trial);
        let epochs: f64 = own().map(|record| f64::from(record.epoch)).sum();
        let (wrong, answers) = (own().map(|it| it.wrong).sum(), own().map(|it| it.answers).sum());
        Self { trial, wrong, answers, epochs: epochs / own().count().max(1) as f64 }
    }

    fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.answers.max(1))
    }
}

/// Returns how many trials each round has, and the share of their epochs.
pub(crate) fn rounds(search: SearchMethod, trials: usize) -> Vec<(usize, f64)> {
    if !matches!(search, SearchMethod::Halving(_)) {
        return vec![(trials, 1.0)];
    }
    let mut sizes = vec![trials];
    while sizes[sizes.len() - 1] >= KEPT {
        sizes.push(sizes[sizes.len() - 1].div_ceil(KEPT));
    }
    let last = sizes.len() - 1;
    let share = |round: usize| (KEPT as f64).powi(round as i32 - last as i32);
    sizes.iter().enumerate().map(|(round, &size)| (size, share(round))).collect()
}

/// One round of trials on one inner part of a fold.
#[derive(Clone, Copy)]
struct InnerPart<'a> {
    rung: u32,
    /// The share of their epochs that trials have.
    share: f64,
    number: u32,
    training: &'a [usize],
    held: &'a [usize],
}

/// The work on one fold.
pub(crate) struct FoldTask<'a> {
    pub crossval: &'a Crossval,
    pub fold: &'a Fold,
    pub classes: &'a [u64],
    pub records: &'a JournalRecords,
    pub journal: &'a Journal,
    /// The folder of the run, if the model is kept in it.
    pub models: Option<&'a Path>,
    pub monitor: &'a dyn Monitor,
}

impl<'a> FoldTask<'a> {
    pub fn run(&self) -> Result<FoldRecord, Error> {
        let Self { crossval, fold, .. } = *self;
        if let Some(record) = self.records.folds.get(&(fold.repeat, fold.number)) {
            self.monitor.known(crossval.cost() / crossval.folds().len() as f64);
            return Ok(record.clone());
        }
        if crossval.stop().is_raised() {
            return Err(stopped());
        }
        let record = self.test(self.choose()?)?;
        self.journal.append(&JournalLine::Fold(record.clone()))?;
        self.monitor.fold();
        Ok(record)
    }

    /// Learns from all training folds with what was chosen, and answers the test fold.
    fn test(&self, chosen: Choice) -> Result<FoldRecord, Error> {
        let Self { crossval, fold, .. } = *self;
        let trial = &crossval.trials()[chosen.trial as usize];
        let settings =
            Settings { epochs: chosen.epochs, patience: 0, ..self.settings(chosen.trial as usize) };
        let trainer = self.trainer(chosen.trial as usize, &fold.training, &fold.test, false)?;
        let meter = self.meter(crossval.mean_cost(), chosen.epochs, &settings);
        let learned = trainer.learn(&settings, chosen.epochs, crossval.options().best_epoch, &meter)?;
        meter.finish();
        if let Some(run) = self.models {
            let mut notes = vec![("fold", fold.number.to_string()), ("seed", fold.seed.to_string())];
            let mapping =
                crossval.variant(chosen.trial as usize).mapping_note(crossval.cases(), &fold.training)?;
            notes.extend(mapping.map(|text| (lrnn_io::MAPPING_NOTE, text)));
            let file = model_path(run, fold);
            crossval.write_model(&file, trial.variant, &settings, &learned, &notes)?;
        }
        let point = |(epoch, values): &(u32, CaseValues)| {
            let measure = self.measure(chosen.trial as usize, &fold.test, values, learned.loss);
            (*epoch, measure.wrong, measure.answers)
        };
        Ok(FoldRecord {
            repeat: fold.repeat,
            fold: fold.number,
            chosen,
            loss: learned.loss.name().to_owned(),
            answers: learned.values,
            curve: learned.curve.iter().map(point).collect(),
        })
    }

    fn measure(
        &self,
        trial: usize,
        cases: &[usize],
        values: &CaseValues,
        loss: lrnn::train::Loss,
    ) -> Measure {
        let answers = self.crossval.answers_of(&self.crossval.trials()[trial], cases, values, loss);
        Measure::of(loss, &answers.answered())
    }

    fn meter(&self, cost: f64, epochs: u32, settings: &Settings) -> WorkMeter<'_> {
        WorkMeter::new(self.monitor, self.crossval.stop(), cost, epochs, settings)
    }

    /// Returns the settings of a trial under the seed of this repetition.
    fn settings(&self, trial: usize) -> Settings {
        Settings { seed: self.fold.seed, ..self.crossval.trials()[trial].settings.clone() }
    }

    /// Builds the networks for a trial.
    fn trainer(
        &self,
        trial: usize,
        training: &[usize],
        held: &[usize],
        is_seen: bool,
    ) -> Result<Trainer<'a>, Error> {
        let variant = self.crossval.variant(trial);
        let settings = self.settings(trial);
        let part = HoldOut { cases: self.crossval.cases(), training, held, is_seen };
        let trainer = Trainer::build(variant, part, &settings)?;
        let (targets, outside) = trainer.queries();
        if settings.unentailed == Unentailed::Error && outside > 0 {
            let message = format!("{outside} queries are not in the model");
            return Err(Error::new(ErrorKind::Content, message).help("`--unentailed skip` leaves them out"));
        }
        if targets == 0 {
            let (name, fold) = (&variant.name, self.fold.number);
            let message = format!("{name}: without fold {fold} no query is left to learn from");
            let help = "queries need targets (`1.0 toxic.`) and must follow from the template";
            return Err(Error::new(ErrorKind::Content, message).help(help));
        }
        Ok(trainer)
    }

    /// Chooses a trial inside the training folds.
    fn choose(&self) -> Result<Choice, Error> {
        let trials = self.crossval.trials();
        if !self.crossval.has_choice() {
            return Ok(Choice { trial: 0, epochs: trials[0].settings.epochs, error: None });
        }
        let mut scores: Vec<TrialScore> = (0..trials.len()).map(|trial| TrialScore::of(trial, &[])).collect();
        let rounds = rounds(self.crossval.options().search, trials.len());
        for (rung, (size, share)) in rounds.into_iter().enumerate() {
            scores.truncate(size);
            let kept: Vec<usize> = scores.iter().map(|score| score.trial).collect();
            scores = self.round(&kept, rung as u32, share)?;
            scores.sort_by(|a, b| a.error().total_cmp(&b.error()).then(a.trial.cmp(&b.trial)));
        }
        let best = scores[0];
        let settings = &trials[best.trial].settings;
        let epochs =
            if settings.patience > 0 { best.epochs.round().max(1.0) as u32 } else { settings.epochs };
        Ok(Choice { trial: best.trial as u32, epochs, error: Some(best.error()) })
    }

    /// Tries some trials on all inner parts, with a share of their epochs.
    fn round(&self, trials: &[usize], rung: u32, share: f64) -> Result<Vec<TrialScore>, Error> {
        let parts = self.fold.inner(self.classes, self.crossval.options().inner);
        let mut groups: BTreeMap<(usize, (u32, bool)), Vec<usize>> = BTreeMap::new();
        for &trial in trials {
            let known = &self.crossval.trials()[trial];
            groups.entry((known.variant, Trainer::key(&known.settings))).or_default().push(trial);
        }
        let work: Vec<(InnerPart<'_>, &Vec<usize>)> = (0..)
            .zip(&parts)
            .map(|(number, (training, held))| InnerPart { rung, share, number, training, held })
            .flat_map(|part| groups.values().map(move |group| (part, group)))
            .collect();
        let records = try_each(&work, |(part, group)| self.group(group, part))?.concat();
        Ok(trials.iter().map(|&trial| TrialScore::of(trial, &records)).collect())
    }

    /// Tries trials that share their networks on one inner part.
    fn group(&self, trials: &[usize], part: &InnerPart<'_>) -> Result<Vec<TrialRecord>, Error> {
        let Fold { repeat, number, .. } = *self.fold;
        let known =
            |trial: usize| self.records.trials.get(&(repeat, number, part.rung, part.number, trial as u32));
        let mut trainer = None;
        if trials.iter().any(|&trial| known(trial).is_none()) {
            trainer = Some(self.trainer(trials[0], part.training, part.held, true)?);
        }
        try_each(trials, |&trial| match (known(trial), &trainer) {
            (None, Some(trainer)) => self.try_out(trainer, trial, part),
            (Some(record), _) => {
                self.monitor.known(self.crossval.trial_cost(trial) * part.share);
                Ok(record.clone())
            }
            (None, None) => Err(stopped()),
        })
    }

    fn try_out(
        &self,
        trainer: &Trainer<'_>,
        trial: usize,
        part: &InnerPart<'_>,
    ) -> Result<TrialRecord, Error> {
        let settings = self.settings(trial);
        let every = settings.evaluate.0;
        let wanted = (f64::from(settings.epochs) * part.share).ceil() as u32;
        let epochs = wanted.div_ceil(every).saturating_mul(every).min(settings.epochs);
        let meter = self.meter(self.crossval.trial_cost(trial) * part.share, epochs, &settings);
        let learned = trainer.learn(&settings, epochs, false, &meter)?;
        meter.finish();
        let measure = self.measure(trial, part.held, &learned.values, learned.loss);
        let record = TrialRecord {
            repeat: self.fold.repeat,
            fold: self.fold.number,
            rung: part.rung,
            part: part.number,
            trial: trial as u32,
            wrong: measure.wrong,
            answers: measure.answers,
            loss: Some(measure.loss).filter(|loss| loss.is_finite()),
            epoch: learned.epoch,
        };
        self.journal.append(&JournalLine::Trial(record.clone()))?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_keeps_a_third_and_ends_with_all_epochs() {
        let check = |trials: usize, expected: &[usize]| {
            let rounds = rounds(SearchMethod::Halving(None), trials);
            assert_eq!(rounds.iter().map(|(size, _)| *size).collect::<Vec<_>>(), expected);
            assert!(rounds.last().is_some_and(|(_, share)| *share == 1.0));
        };
        check(1, &[1]);
        check(2, &[2]);
        check(3, &[3, 1]);
        check(12, &[12, 4, 2]);
        check(27, &[27, 9, 3, 1]);
        assert_eq!(rounds(SearchMethod::Grid, 12), [(12, 1.0)]);
    }
}
