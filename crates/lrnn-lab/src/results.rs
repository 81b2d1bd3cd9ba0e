//! What a study found: per fold, per seed, and all together.

use lrnn::evaluate::Metric;
use lrnn::train::Loss;
use lrnn::{Error, Scores};
use serde_json::{Map, Value, json};

use crate::crossval::Study;
use crate::record::{Chosen, FoldRecord};
use crate::search::Trial;

/// A mean with the standard deviation of a sample; none where there are fewer than two numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The deviation, with n - 1.
    pub deviation: Option<f64>,
}

impl Spread {
    /// Of some numbers; none of none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        if numbers.is_empty() {
            return None;
        }
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
        let deviation = (numbers.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Some(Self { mean, deviation })
    }

    fn json(spread: Option<Self>) -> Value {
        json!({ "mean": spread.map(|s| s.mean), "deviation": spread.and_then(|s| s.deviation) })
    }
}

/// A fold that was tested.
#[derive(Clone, PartialEq, Debug)]
pub struct FoldResult {
    /// The repetition, from 0, and its seed.
    pub repeat: u32,
    /// The seed of the repetition.
    pub seed: u64,
    /// The number of the fold.
    pub fold: u32,
    /// How many cases it has.
    pub cases: usize,
    /// What was chosen.
    pub chosen: Chosen,
    /// The same for people.
    pub settings: Vec<(String, String)>,
    /// How many answers were wrong, and how many there are.
    pub wrong: u32,
    /// How many answers there are.
    pub answers: u32,
    /// The mean loss.
    pub loss: f64,
    /// How often what is true has the larger value, if there are both.
    pub auc: Option<f64>,
}

impl FoldResult {
    /// The share of right answers, if there are any.
    pub fn accuracy(&self) -> Option<f64> {
        (self.answers > 0).then(|| 1.0 - f64::from(self.wrong) / f64::from(self.answers))
    }

    /// What was chosen, for people.
    pub fn choice(&self) -> String {
        let mut parts: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if parts.is_empty() {
            parts.push("-".to_owned());
        }
        parts.join(", ")
    }
}

/// A repetition.
#[derive(Clone, PartialEq, Debug)]
pub struct SeedResult {
    /// Its seed.
    pub seed: u64,
    /// The accuracy over its folds.
    pub folds: Option<Spread>,
    /// The share of right answers of all folds together.
    pub accuracy: Option<f64>,
}

/// The rule that graph papers use: the epoch at which the mean accuracy over the test folds is largest.
#[derive(Clone, PartialEq, Debug)]
pub struct BestEpoch {
    /// The seed.
    pub seed: u64,
    /// The epoch.
    pub epoch: u32,
    /// The accuracy over the folds at that epoch.
    pub accuracy: Spread,
}

/// Everything that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// Each fold, in order.
    pub folds: Vec<FoldResult>,
    /// Each repetition, in order.
    pub seeds: Vec<SeedResult>,
    /// The accuracy over all folds of all repetitions.
    pub accuracy: Option<Spread>,
    /// The same for the area under the curve, where it has a number.
    pub auc: Option<Spread>,
    /// The mean accuracies of the repetitions.
    pub over_seeds: Option<Spread>,
    /// The best epoch over the test folds, for each repetition, if it was asked for. Not an honest estimate.
    pub best_epoch: Vec<BestEpoch>,
}

impl Results {
    /// The results of what was recorded.
    pub fn of(study: &Study<'_>, records: &[FoldRecord]) -> Result<Self, Error> {
        let mut folds = Vec::new();
        let mut best_epoch = Vec::new();
        for repeat in 0..study.plan.repeats {
            let own: Vec<&FoldRecord> = records.iter().filter(|record| record.repeat == repeat).collect();
            for (fold, record) in study.folds(repeat)?.0.iter().zip(&own) {
                folds.push(fold_result(study, record, &fold.test));
            }
            best_epoch.extend(best(study.seed(repeat), &own));
        }
        let seeds: Vec<SeedResult> =
            (0..study.plan.repeats).map(|repeat| seed_result(study.seed(repeat), repeat, &folds)).collect();
        let all: Vec<f64> = folds.iter().filter_map(FoldResult::accuracy).collect();
        let auc: Vec<f64> = folds.iter().filter_map(|fold| fold.auc).collect();
        let means: Vec<f64> = seeds.iter().filter_map(|seed| Some(seed.folds?.mean)).collect();
        let (accuracy, auc, over_seeds) = (Spread::of(&all), Spread::of(&auc), Spread::of(&means));
        Ok(Self { folds, seeds, accuracy, auc, over_seeds, best_epoch })
    }

    /// All of it for machines. It holds nothing that depends on the clock or the machine.
    pub fn json(&self) -> Value {
        let fold = |fold: &FoldResult| {
            let settings: Map<String, Value> =
                fold.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({
                "seed": fold.seed, "fold": fold.fold, "cases": fold.cases,
                "chosen": settings, "trial": fold.chosen.trial, "epochs": fold.chosen.epochs,
                "inner_error": fold.chosen.error, "wrong": fold.wrong, "answers": fold.answers,
                "accuracy": fold.accuracy(), "loss": fold.loss, "auc": fold.auc,
            })
        };
        let seed = |seed: &SeedResult| {
            let mut value = Spread::json(seed.folds);
            value["seed"] = json!(seed.seed);
            value["all_folds"] = json!(seed.accuracy);
            value
        };
        let epoch = |best: &BestEpoch| {
            json!({
                "seed": best.seed, "epoch": best.epoch,
                "accuracy": best.accuracy.mean, "deviation": best.accuracy.deviation,
            })
        };
        let mut document = json!({
            "accuracy": Spread::json(self.accuracy),
            "auc": Spread::json(self.auc),
            "over_seeds": Spread::json(self.over_seeds),
            "seeds": self.seeds.iter().map(seed).collect::<Vec<_>>(),
            "folds": self.folds.iter().map(fold).collect::<Vec<_>>(),
        });
        if !self.best_epoch.is_empty() {
            document["best_epoch_over_test_folds"] = self.best_epoch.iter().map(epoch).collect();
        }
        document
    }
}

fn fold_result(study: &Study<'_>, record: &FoldRecord, test: &[usize]) -> FoldResult {
    let trial = &study.trials[(record.chosen.trial as usize).min(study.trials.len() - 1)];
    let loss = Loss::find(&record.loss).unwrap_or(Loss::Squared);
    let answers = study.answers(trial.variant, test, &record.values(), loss, trial.settings.unentailed);
    let Scores { measure, report } = answers.scores();
    FoldResult {
        repeat: record.repeat,
        seed: study.seed(record.repeat),
        fold: record.fold,
        cases: test.len(),
        chosen: record.chosen,
        settings: choice(study, trial),
        wrong: measure.wrong,
        answers: measure.answers,
        loss: measure.loss,
        auc: report.get(Metric::Auc),
    }
}

/// What of the table a trial takes, where there was a choice.
fn choice(study: &Study<'_>, trial: &Trial) -> Vec<(String, String)> {
    let varies = |at: usize| study.trials.iter().any(|other| other.taken.get(at) != trial.taken.get(at));
    let taken = trial.taken.iter().enumerate().filter(|(at, _)| varies(*at));
    taken.map(|(_, pair)| pair.clone()).collect()
}

fn seed_result(seed: u64, repeat: u32, folds: &[FoldResult]) -> SeedResult {
    let own: Vec<&FoldResult> = folds.iter().filter(|fold| fold.repeat == repeat).collect();
    let accuracies: Vec<f64> = own.iter().filter_map(|fold| fold.accuracy()).collect();
    let wrong: u32 = own.iter().map(|fold| fold.wrong).sum();
    let answers: u32 = own.iter().map(|fold| fold.answers).sum();
    let accuracy = (answers > 0).then(|| 1.0 - f64::from(wrong) / f64::from(answers));
    SeedResult { seed, folds: Spread::of(&accuracies), accuracy }
}

/// The epoch with the largest mean accuracy over the folds; a fold that ended earlier stays as it was.
fn best(seed: u64, records: &[&FoldRecord]) -> Option<BestEpoch> {
    let curves: Vec<&Vec<(u32, u32, u32)>> =
        records.iter().map(|record| &record.curve).filter(|curve| !curve.is_empty()).collect();
    let mut epochs: Vec<u32> = curves.iter().flat_map(|curve| curve.iter().map(|point| point.0)).collect();
    epochs.sort_unstable();
    epochs.dedup();
    let at = |epoch: u32| {
        let accuracy = |curve: &&Vec<(u32, u32, u32)>| {
            let (_, wrong, answers) = *curve.iter().take_while(|point| point.0 <= epoch).last()?;
            (answers > 0).then(|| 1.0 - f64::from(wrong) / f64::from(answers))
        };
        let all: Option<Vec<f64>> = curves.iter().map(accuracy).collect();
        Some(BestEpoch { seed, epoch, accuracy: Spread::of(&all?)? })
    };
    let better = |best: BestEpoch, next: BestEpoch| {
        if next.accuracy.mean > best.accuracy.mean { next } else { best }
    };
    epochs.into_iter().filter_map(at).reduce(better)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[0.5]), Some(Spread { mean: 0.5, deviation: None }));
        assert_eq!(Spread::of(&[1.0, 3.0]), Some(Spread { mean: 2.0, deviation: Some(2.0f64.sqrt()) }));
    }

    #[test]
    fn the_best_epoch_is_one_for_all_folds() {
        let record = |curve: &[(u32, u32, u32)]| FoldRecord {
            repeat: 0,
            fold: 0,
            chosen: Chosen { trial: 0, epochs: 3, error: None },
            loss: "squared".into(),
            answers: Vec::new(),
            curve: curve.to_vec(),
        };
        // The first fold is best at 10, the second at 20, both together at 20.
        let (first, second) = (record(&[(10, 1, 10), (20, 2, 10)]), record(&[(10, 9, 10), (20, 1, 10)]));
        let found = best(0, &[&first, &second]).expect("an epoch");
        assert_eq!((found.epoch, found.accuracy.mean), (20, 0.8500000000000001));
        // A fold that ended stays as it was.
        let ended = record(&[(10, 1, 10)]);
        assert_eq!(best(0, &[&ended, &second]).expect("an epoch").accuracy.mean, 0.9);
        assert_eq!(best(0, &[&record(&[])]), None);
    }
}
