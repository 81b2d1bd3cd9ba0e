//! What is chosen for a fold: trials learn from one part of its training folds and are measured on another. The least
//! error wins, of equal ones the first in the order of the table.
//!
//! Successive halving gives every trial a small share of its epochs, keeps the better third, gives these three times
//! as much, and so on until few are left with all their epochs. Each round learns anew from the start, which costs a
//! third more than going on would, and needs no weights to be kept.

use std::collections::BTreeMap;

use lrnn::Error;
use lrnn::train::Measure;
use rayon::prelude::*;

use crate::bench::{Bench, Course, Part};
use crate::folds::Halves;
use crate::piece::Piece;
use crate::record::{Chosen, TrialRecord};
use crate::search::Search;
use crate::unit::Unit;

/// Of so many, one is kept.
const KEPT: usize = 3;

/// How well a trial did on all inner parts.
#[derive(Clone, Copy)]
struct Score {
    trial: usize,
    wrong: u32,
    answers: u32,
    epochs: f64,
}

impl Score {
    fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.answers.max(1))
    }
}

/// How many trials each round has, and the share of their epochs.
pub(crate) fn rounds(search: Search, trials: usize) -> Vec<(usize, f64)> {
    if !matches!(search, Search::Halving(_)) {
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

impl Unit<'_> {
    /// What is chosen; nothing if it was stopped.
    pub(crate) fn choose(&self) -> Result<Option<Chosen>, Error> {
        let trials = &self.study.trials;
        if !self.study.has_choice() {
            let epochs = trials[0].settings.epochs;
            return Ok(Some(Chosen { trial: 0, epochs, error: None }));
        }
        let mut scores: Vec<Score> =
            (0..trials.len()).map(|trial| Score { trial, wrong: 0, answers: 0, epochs: 0.0 }).collect();
        for (rung, (size, share)) in rounds(self.study.plan.search, trials.len()).into_iter().enumerate() {
            scores.truncate(size);
            let kept: Vec<usize> = scores.iter().map(|score| score.trial).collect();
            let Some(measured) = self.round(&kept, rung as u32, share)? else { return Ok(None) };
            scores = measured;
            scores.sort_by(|a, b| a.error().total_cmp(&b.error()).then(a.trial.cmp(&b.trial)));
        }
        let best = scores[0];
        let settings = &trials[best.trial].settings;
        let epochs =
            if settings.patience > 0 { best.epochs.round().max(1.0) as u32 } else { settings.epochs };
        Ok(Some(Chosen { trial: best.trial as u32, epochs, error: Some(best.error()) }))
    }

    /// One round: some trials on all inner parts, with a share of their epochs.
    fn round(&self, trials: &[usize], rung: u32, share: f64) -> Result<Option<Vec<Score>>, Error> {
        let parts = self.fold.inner(self.classes, self.study.plan.inner, self.seed);
        let mut groups: BTreeMap<(usize, (u32, bool)), Vec<usize>> = BTreeMap::new();
        for &trial in trials {
            let known = &self.study.trials[trial];
            groups.entry((known.variant, Bench::key(&known.settings))).or_default().push(trial);
        }
        let numbered: Vec<(u32, &Halves)> = (0..).zip(&parts).collect();
        let pieces: Vec<_> = numbered
            .iter()
            .flat_map(|&(number, part)| groups.values().map(move |group| (number, part, group)))
            .collect();
        let run = |(number, part, group): &(u32, &Halves, &Vec<usize>)| {
            self.group(group, *number, part, rung, share)
        };
        let all: Vec<Result<Option<Vec<TrialRecord>>, Error>> = pieces.par_iter().map(run).collect();
        let all: Option<Vec<Vec<TrialRecord>>> = all.into_iter().collect::<Result<_, _>>()?;
        let Some(all) = all else { return Ok(None) };
        let records: Vec<TrialRecord> = all.into_iter().flatten().collect();
        Ok(Some(trials.iter().map(|&trial| score(trial, &records)).collect()))
    }

    /// Trials that share their networks, on one inner part.
    fn group(
        &self,
        trials: &[usize],
        number: u32,
        (training, held): &Halves,
        rung: u32,
        share: f64,
    ) -> Result<Option<Vec<TrialRecord>>, Error> {
        let (repeat, fold) = (self.repeat, self.fold.number);
        let known = |trial: usize| self.known.trials.get(&(repeat, fold, rung, number, trial as u32));
        let bench = if trials.iter().all(|&trial| known(trial).is_some()) {
            None
        } else {
            let part = Part { cases: self.study.cases, training, held, seen: true };
            Some(self.bench(trials[0], part)?)
        };
        let run = |&trial: &usize| {
            let cost = self.study.trial_cost(trial) * share;
            match (known(trial), &bench) {
                (Some(record), _) => {
                    self.monitor.known(cost);
                    Ok(Some(record.clone()))
                }
                (None, Some(bench)) => self.try_out(bench, trial, number, held, rung, share),
                (None, None) => Ok(None),
            }
        };
        let all: Vec<Result<Option<TrialRecord>, Error>> = trials.par_iter().map(run).collect();
        all.into_iter().collect()
    }

    fn try_out(
        &self,
        bench: &Bench<'_>,
        trial: usize,
        part: u32,
        held: &[usize],
        rung: u32,
        share: f64,
    ) -> Result<Option<TrialRecord>, Error> {
        let settings = self.settings(trial);
        let every = settings.evaluate.0;
        let wanted = (f64::from(settings.epochs) * share).ceil() as u32;
        let epochs = wanted.div_ceil(every).saturating_mul(every).min(settings.epochs);
        let piece = Piece::new(self.monitor, self.study.trial_cost(trial) * share, epochs, &settings);
        let Some(learned) = bench.learn(&settings, Course { epochs, curve: false }, &piece) else {
            return Ok(None);
        };
        piece.finish();
        let (variant, loss) = (self.study.trials[trial].variant, learned.loss);
        let answers = self.study.answers(variant, held, &learned.answers, loss, settings.unentailed);
        let measure = Measure::of(loss, &answers.answered());
        let record = TrialRecord {
            repeat: self.repeat,
            fold: self.fold.number,
            rung,
            part,
            trial: trial as u32,
            wrong: measure.wrong,
            answers: measure.answers,
            loss: Some(measure.loss).filter(|loss| loss.is_finite()),
            epoch: learned.epoch,
        };
        self.write(&record)?;
        Ok(Some(record))
    }
}

fn score(trial: usize, records: &[TrialRecord]) -> Score {
    let own = || records.iter().filter(|record| record.trial as usize == trial);
    let epochs: f64 = own().map(|record| f64::from(record.epoch)).sum();
    Score {
        trial,
        wrong: own().map(|record| record.wrong).sum(),
        answers: own().map(|record| record.answers).sum(),
        epochs: epochs / own().count().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_keeps_a_third_and_ends_with_all_epochs() {
        let check = |trials: usize, expected: &[usize]| {
            let rounds = rounds(Search::Halving(None), trials);
            assert_eq!(rounds.iter().map(|(size, _)| *size).collect::<Vec<_>>(), expected);
            assert!(rounds.last().is_some_and(|(_, share)| *share == 1.0));
        };
        check(1, &[1]);
        check(2, &[2]);
        check(3, &[3, 1]);
        check(12, &[12, 4, 2]);
        check(27, &[27, 9, 3, 1]);
        assert_eq!(rounds(Search::Grid, 12), [(12, 1.0)]);
    }
}
