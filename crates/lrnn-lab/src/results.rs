//! The results of a cross-validation: per fold, per seed, and all together, for people, spreadsheets and papers.

use std::collections::BTreeSet;

use lrnn::data::Value;
use lrnn::evaluate::Metric;
use lrnn::train::Cases;
use lrnn::{Answer, Scores};
use serde::{Serialize, Serializer};

use crate::baseline::Baseline;
use crate::crossval::{Crossval, FoldAnswers};
use crate::journal::{FoldRecord, RefitRecord};
use crate::search::Trial;
use crate::statistics::{TTest, corrected_t_test, deviation, mean};
use crate::twins::example_hashes;
use lrnn_report::table::TextTable;

/// A mean with the standard deviation of a sample.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Spread {
    /// The mean; `None` of no numbers.
    pub mean: Option<f64>,
    /// The deviation, with n - 1; `None` of fewer than two numbers.
    pub deviation: Option<f64>,
}

impl Spread {
    /// Returns the spread of some numbers.
    pub fn of(numbers: &[f64]) -> Self {
        Self { mean: mean(numbers), deviation: deviation(numbers) }
    }

    /// Returns mean and deviation in percent, without the sign.
    pub fn percent(self) -> String {
        self.text(percent)
    }

    /// Tells whether there was no number.
    fn is_none(&self) -> bool {
        self.mean.is_none()
    }

    fn text(self, number: impl Fn(f64) -> String) -> String {
        let mean = self.mean.map_or("-".to_owned(), &number);
        self.deviation.map_or(mean.clone(), |deviation| format!("{mean} ± {}", number(deviation)))
    }
}

/// Returns a share as a percentage, without the sign.
pub fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Names with their values.
pub(crate) type Pairs = Vec<(String, String)>;

fn as_map<S: Serializer>(pairs: &Pairs, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

fn pairs_text(pairs: &Pairs) -> String {
    let texts: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join(", ") }
}

/// The result of a fold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FoldResult {
    /// The repetition, from 0.
    #[serde(skip)]
    pub repeat: u32,
    /// The seed of the repetition.
    pub seed: u64,
    /// The number of the fold.
    pub fold: u32,
    /// The number of its cases.
    pub cases: usize,
    /// The settings that were chosen, where there was a choice.
    #[serde(serialize_with = "as_map")]
    pub chosen: Pairs,
    /// The number of the trial that was chosen.
    pub trial: u32,
    /// The number of epochs.
    pub epochs: u32,
    /// The share of wrong answers that the trial was chosen by.
    pub inner_error: Option<f64>,
    /// The number of wrong answers.
    pub wrong: u32,
    /// The number of answers.
    pub answers: u32,
    /// The share of right answers, if there are any and targets are classes.
    pub accuracy: Option<f64>,
    /// The mean loss.
    pub loss: f64,
    /// The area under the ROC curve, if there are both classes.
    pub auc: Option<f64>,
    /// The share of examples whose right class has the largest value, where each has one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_accuracy: Option<f64>,
    /// The root of the mean squared error, where targets are numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// The share of the targets' variance that is explained, where targets are numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
}

impl FoldResult {
    fn of(crossval: &Crossval, answers: &FoldAnswers<'_>) -> Self {
        let FoldAnswers { fold, record, answers } = answers;
        let Scores { measure, report } = answers.scores();
        let is_regression = crossval.is_regression(answers.loss);
        let of_numbers = |metric| report.get(metric).filter(|_| is_regression);
        Self {
            repeat: fold.repeat,
            seed: fold.seed,
            fold: fold.number,
            cases: fold.test.len(),
            chosen: choice(crossval.trials(), record.chosen.trial as usize),
            trial: record.chosen.trial,
            epochs: record.chosen.epochs,
            inner_error: record.chosen.error,
            wrong: measure.wrong,
            answers: measure.answers,
            accuracy: accuracy(measure.wrong, measure.answers).filter(|_| !is_regression),
            loss: measure.loss,
            auc: report.get(Metric::Auc),
            class_accuracy: report.get(Metric::ClassAccuracy),
            rmse: of_numbers(Metric::RootSquaredError),
            r2: of_numbers(Metric::RSquared),
        }
    }

    /// Returns the chosen settings as people read them.
    pub fn choice(&self) -> String {
        pairs_text(&self.chosen)
    }
}

fn accuracy(wrong: u32, answers: u32) -> Option<f64> {
    (answers > 0).then(|| 1.0 - f64::from(wrong) / f64::from(answers))
}

/// Returns what of the table a trial takes, where there is a choice.
fn choice(trials: &[Trial], trial: usize) -> Pairs {
    let Some(trial) = trials.get(trial) else { return Pairs::new() };
    let varies = |at: usize| trials.iter().any(|other| other.taken.get(at) != trial.taken.get(at));
    let taken = trial.taken.iter().enumerate().filter(|(at, _)| varies(*at));
    taken.map(|(_, pair)| pair.clone()).collect()
}

/// The result of a repetition.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SeedResult {
    /// The seed.
    pub seed: u64,
    /// The accuracy over its folds.
    #[serde(flatten)]
    pub accuracy: Spread,
    /// The share of right answers of all folds together.
    pub all_folds: Option<f64>,
}

/// The rule that graph papers use: the epoch at which the mean accuracy over the test folds is largest.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BestEpoch {
    /// The seed.
    pub seed: u64,
    /// The epoch.
    pub epoch: u32,
    /// The mean accuracy over the folds at that epoch.
    pub accuracy: f64,
    /// Its deviation.
    pub deviation: Option<f64>,
}

/// The model that was learned from all data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Refit {
    /// The settings that most folds chose.
    #[serde(serialize_with = "as_map")]
    pub chosen: Pairs,
    /// The number of the trial, of epochs, and of the folds that chose it.
    #[serde(flatten)]
    pub record: RefitRecord,
}

impl Refit {
    pub(crate) fn new(crossval: &Crossval, record: RefitRecord) -> Self {
        Self { chosen: choice(crossval.trials(), record.trial as usize), record }
    }
}

/// Tested examples that equal, up to the names of their constants, one that was learned from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TwinResult {
    /// Number of such examples, of one repetition.
    pub examples: usize,
    /// Number of all examples.
    pub of: usize,
    /// The share of right answers to all others, over all folds and repetitions.
    pub accuracy_without: Option<f64>,
}

impl TwinResult {
    /// Returns what there is to say of equal examples; `None` where no tested example equals one that was learned from.
    fn of(crossval: &Crossval, folds: &[FoldAnswers<'_>]) -> Option<Self> {
        if crossval.cases() == Cases::Queries {
            return None;
        }
        let hashes = example_hashes(crossval.dataset());
        let (mut examples, mut wrong, mut answers) = (0, 0, 0);
        for FoldAnswers { fold, answers: own, .. } in folds {
            let learned: BTreeSet<u64> = fold.training.iter().map(|&case| hashes[case]).collect();
            let is_twin = |case: usize| learned.contains(&hashes[case]);
            if fold.repeat == 0 {
                examples += fold.test.iter().filter(|&&case| is_twin(case)).count();
            }
            let places = own.all.iter().map(|answer| answer.place);
            let others: Vec<(usize, usize)> = places.filter(|&(example, _)| !is_twin(example)).collect();
            let Scores { measure, .. } = own.of_places(&others).scores();
            wrong += measure.wrong;
            answers += measure.answers;
        }
        let is_regression = folds.iter().any(|fold| crossval.is_regression(fold.answers.loss));
        let accuracy_without = accuracy(wrong, answers).filter(|_| !is_regression);
        (examples > 0).then_some(Self { examples, of: hashes.len(), accuracy_without })
    }

    fn sentence(&self) -> String {
        let Self { examples, of, accuracy_without } = self;
        let equal = format!("{examples} of {of} examples equal one of another fold but for names");
        match accuracy_without {
            Some(without) => format!("{equal}: {} % of all other answers are right", percent(*without)),
            None => equal,
        }
    }
}

/// The results of a cross-validation. Nothing in them depends on the clock or the machine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrossvalResults {
    /// The accuracy over all folds of all repetitions.
    pub accuracy: Spread,
    /// The area under the ROC curve over all folds that have one.
    pub auc: Spread,
    /// The share of examples whose right class has the largest value, over all folds that have one.
    #[serde(skip_serializing_if = "Spread::is_none")]
    pub class_accuracy: Spread,
    /// The root of the mean squared error over all folds, where targets are numbers.
    #[serde(skip_serializing_if = "Spread::is_none")]
    pub rmse: Spread,
    /// The share of the targets' variance that is explained, over all folds, where targets are numbers.
    #[serde(skip_serializing_if = "Spread::is_none")]
    pub r2: Spread,
    /// The mean accuracies of the repetitions.
    pub over_seeds: Spread,
    /// Each repetition, in order.
    pub seeds: Vec<SeedResult>,
    /// Each fold, in order.
    pub folds: Vec<FoldResult>,
    /// The number of settings that were tried.
    pub trials: usize,
    /// The accuracy without tested examples that equal one that was learned from, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twins: Option<TwinResult>,
    /// The model that was learned from all data, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refit: Option<Refit>,
    /// The best epoch of each repetition, if it was asked for. Not an honest estimate.
    #[serde(rename = "best_epoch_over_test_folds", skip_serializing_if = "Vec::is_empty")]
    pub best_epoch: Vec<BestEpoch>,
    /// Name of the units that folds are made of.
    #[serde(skip)]
    pub cases: &'static str,
}

impl CrossvalResults {
    /// Returns the results of what was recorded.
    pub fn of(crossval: &Crossval, records: &[FoldRecord]) -> Self {
        let answers = crossval.answers(records);
        let twins = TwinResult::of(crossval, &answers);
        let folds: Vec<FoldResult> =
            answers.iter().map(|answers| FoldResult::of(crossval, answers)).collect();
        let (mut seeds, mut best_epoch) = (Vec::new(), Vec::new());
        for own in folds.chunk_by(|one, next| one.repeat == next.repeat) {
            let accuracies: Vec<f64> = own.iter().filter_map(|fold| fold.accuracy).collect();
            let all_folds =
                accuracy(own.iter().map(|fold| fold.wrong).sum(), own.iter().map(|fold| fold.answers).sum())
                    .filter(|_| !accuracies.is_empty());
            let (seed, repeat) = (own[0].seed, own[0].repeat);
            seeds.push(SeedResult { seed, accuracy: Spread::of(&accuracies), all_folds });
            let own: Vec<&FoldRecord> = records.iter().filter(|record| record.repeat == repeat).collect();
            best_epoch.extend(best(seed, &own));
        }
        let spread = |of: fn(&FoldResult) -> Option<f64>| {
            Spread::of(&folds.iter().filter_map(of).collect::<Vec<f64>>())
        };
        let means: Vec<f64> = seeds.iter().filter_map(|seed| seed.accuracy.mean).collect();
        Self {
            accuracy: spread(|fold| fold.accuracy),
            auc: spread(|fold| fold.auc),
            class_accuracy: spread(|fold| fold.class_accuracy),
            rmse: spread(|fold| fold.rmse),
            r2: spread(|fold| fold.r2),
            over_seeds: Spread::of(&means),
            seeds,
            folds,
            trials: crossval.trials().len(),
            twins,
            refit: None,
            best_epoch,
            cases: crossval.cases().name(),
        }
    }

    /// Returns a line for each fold as comma-separated values.
    pub fn csv(&self) -> String {
        const COLUMNS: &str = "seed,fold,cases,chosen,epochs,inner_error,wrong,answers,accuracy,loss,auc";
        let mut table = TextTable::new(COLUMNS.split(','));
        for fold in &self.folds {
            let numbers = [u64::from(fold.fold), fold.cases as u64].map(|number| number.to_string());
            let counts = [fold.wrong, fold.answers].map(|count| count.to_string());
            let scores = [fold.accuracy, Some(fold.loss), fold.auc].map(number);
            let choice = [fold.choice(), fold.epochs.to_string(), number(fold.inner_error)];
            let cells = numbers.into_iter().chain(choice).chain(counts).chain(scores);
            table.row(std::iter::once(fold.seed.to_string()).chain(cells));
        }
        table.csv()
    }

    /// Returns a table for LaTeX; it needs the package booktabs.
    pub fn tex(&self) -> String {
        let mut table = TextTable::new(["seed", "fold", "chosen", "inner error", "accuracy", "AUC"]);
        let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
        for fold in &self.folds {
            let names = [fold.seed.to_string(), fold.fold.to_string(), fold.choice()];
            let shares = [fold.inner_error, fold.accuracy, fold.auc].map(share);
            table.row(names.into_iter().chain(shares));
        }
        table.rule();
        table.row(["mean", "", "", "", &self.accuracy.percent(), &self.auc.percent()]);
        table.latex()
    }

    /// Returns the names and cells of a table with a row for each fold, for people.
    pub fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        type Column<'a> = (&'static str, bool, &'a dyn Fn(&FoldResult) -> String);
        let has_epochs = self.folds.iter().any(|fold| fold.epochs != self.folds[0].epochs);
        let has_inner = self.folds.iter().any(|fold| fold.inner_error.is_some());
        let share =
            |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{} %", percent(share)));
        let short = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.4}"));
        let is_regression = !self.rmse.is_none();
        let columns: [Column<'_>; 11] = [
            ("seed", self.seeds.len() > 1, &|fold| fold.seed.to_string()),
            ("fold", true, &|fold| fold.fold.to_string()),
            (self.cases, true, &|fold| fold.cases.to_string()),
            ("chosen", self.trials > 1, &FoldResult::choice),
            ("epochs", has_epochs, &|fold| fold.epochs.to_string()),
            ("inner error", has_inner, &|fold| share(fold.inner_error)),
            ("class accuracy", !self.class_accuracy.is_none(), &|fold| share(fold.class_accuracy)),
            ("accuracy", !is_regression, &|fold| share(fold.accuracy)),
            ("auc", !is_regression, &|fold| short(fold.auc)),
            ("rmse", is_regression, &|fold| short(fold.rmse)),
            ("r2", is_regression, &|fold| short(fold.r2)),
        ];
        let shown: Vec<_> = columns.iter().filter(|(_, is_shown, _)| *is_shown).collect();
        let row = |fold| shown.iter().map(|(.., cell)| cell(fold)).collect();
        (shown.iter().map(|(name, ..)| *name).collect(), self.folds.iter().map(row).collect())
    }

    /// Returns the results in sentences for people.
    pub fn sentences(&self) -> Vec<String> {
        let (folds, has_seeds) = (self.folds.len(), self.seeds.len() > 1);
        let (over, is_regression) = ("mean and deviation over", !self.rmse.is_none());
        let mut all = Vec::new();
        if !self.class_accuracy.is_none() {
            let share = self.class_accuracy.percent();
            all.push(format!(
                "class accuracy {share} %: the right class has the largest value; {over} {folds} folds"
            ));
        }
        if !is_regression {
            let what = if all.is_empty() { "" } else { ", each yes or no by itself" };
            all.push(format!("accuracy {} %: {over} {folds} folds{what}", self.accuracy.percent()));
        }
        let count =
            |of: fn(&FoldResult) -> Option<f64>| self.folds.iter().filter(|fold| of(fold).is_some()).count();
        let numbers = [
            ("AUC", self.auc, count(|fold| fold.auc)),
            ("RMSE", self.rmse, count(|fold| fold.rmse)),
            ("R²", self.r2, count(|fold| fold.r2)),
        ];
        for (name, spread, count) in numbers.iter().filter(|(_, spread, _)| !spread.is_none()) {
            all.push(format!(
                "{name} {}: {over} {count} folds",
                spread.text(|number| format!("{number:.4}"))
            ));
        }
        for seed in self.seeds.iter().filter(|_| !is_regression) {
            let right = seed.all_folds.map_or("-".to_owned(), percent);
            let before = match has_seeds {
                true => format!("seed {}: {} %; ", seed.seed, seed.accuracy.percent()),
                false => String::new(),
            };
            all.push(format!("{before}{right} % of all answers are right"));
        }
        if has_seeds && !is_regression {
            all.push(format!("over {} seeds: {} %", self.seeds.len(), self.over_seeds.percent()));
        }
        all.extend(self.twins.iter().map(TwinResult::sentence));
        for BestEpoch { seed, epoch, accuracy, deviation } in &self.best_epoch {
            let which = if has_seeds { format!("seed {seed}, ") } else { String::new() };
            let accuracy = Spread { mean: Some(*accuracy), deviation: *deviation }.percent();
            all.push(format!(
                "{which}best epoch over the test folds: {accuracy} % at epoch {epoch} (chosen by the test folds: for \
                 comparison only)"
            ));
        }
        if let Some(Refit { chosen, record: RefitRecord { epochs, folds: own, .. } }) = &self.refit {
            let chosen = if chosen.is_empty() { String::new() } else { format!("{}, ", pairs_text(chosen)) };
            all.push(format!(
                "model: {chosen}{epochs} epochs on all data, as chosen by {own} of {folds} folds"
            ));
        }
        all
    }
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:?}"))
}

impl Crossval {
    /// Returns the answers to all test cases, each from the fold in which it was not learned from; a line for each
    /// number. Values are as computed and mean what the loss of their fold says; probabilities can be compared.
    pub(crate) fn predictions_csv(&self, records: &[FoldRecord]) -> String {
        let mut table =
            TextTable::new(["seed", "fold", "example", "query", "target", "value", "probability", "class"]);
        for FoldAnswers { fold, answers, .. } in self.answers(records) {
            for Answer { query, value, probability, class, target, in_model, place, .. } in &answers.all {
                let case = if self.cases() == Cases::Examples { place.0 } else { place.1 };
                let label = self.cases().label(self.dataset(), case);
                let at = |value: &Option<Value>, at: usize| {
                    let numbers = &value.as_ref()?.numbers;
                    // One target is for all elements.
                    numbers.get(at).or(numbers.first().filter(|_| numbers.len() == 1)).copied()
                };
                let length = |value: &Option<Value>| value.as_ref().map_or(1, |value| value.numbers.len());
                for element in 0..length(value).max(length(target)) {
                    let value = at(value, element).filter(|_| *in_model);
                    let numbers = [at(target, element), value, at(probability, element)].map(number);
                    let names =
                        [fold.seed.to_string(), fold.number.to_string(), label.clone(), query.clone()];
                    let class = class.map_or_else(String::new, |class| class.to_string());
                    table.row(names.into_iter().chain(numbers).chain([class]));
                }
            }
        }
        table.csv()
    }
}

/// The results of a baseline on the folds of a template.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BaselineResults {
    /// Its name.
    pub name: &'static str,
    /// The results.
    #[serde(flatten)]
    pub results: CrossvalResults,
    /// The probability of a difference as great as that to the template if there is none.
    pub t_test_p: Option<f64>,
    /// True if the template has the larger accuracy.
    pub is_beaten: Option<bool>,
}

impl BaselineResults {
    pub(crate) fn new(
        baseline: &'static Baseline,
        results: CrossvalResults,
        template: &CrossvalResults,
    ) -> Self {
        let means = template.accuracy.mean.zip(results.accuracy.mean);
        let is_beaten = means.map(|(template, baseline)| template > baseline);
        let t_test_p = t_test(template, &results).map(|test| test.p);
        Self { name: baseline.name, results, t_test_p, is_beaten }
    }

    /// Returns the comparison with the template in sentences for people.
    pub fn sentences(&self) -> Vec<String> {
        let Self { name, results, t_test_p, is_beaten } = self;
        let p = t_test_p.map_or(String::new(), |p| format!(", p = {p:.3}"));
        let mut all = vec![format!("baseline {name}: {} %{p}", results.accuracy.percent())];
        if *is_beaten == Some(false) {
            let has_features = Baseline::find(name).is_ok_and(|baseline| baseline.needs_features());
            let what = match has_features {
                true => "counts of the template's own rule bodies answer",
                false => "the most frequent class answers",
            };
            all.push(format!("the template does not beat {name}: {what} as well"));
        }
        all
    }
}

/// Tests whether the errors of two methods on the same folds differ, by the corrected resampled t-test.
pub fn t_test(own: &CrossvalResults, others: &CrossvalResults) -> Option<TTest> {
    let errors = |results: &CrossvalResults| -> Vec<f64> {
        results.folds.iter().map(|fold| fold.accuracy.map_or(f64::NAN, |share| 1.0 - share)).collect()
    };
    let folds = own.folds.iter().filter(|fold| fold.repeat == 0).count();
    // The share of test cases over training cases, on the average over folds.
    let share = 1.0 / (folds.max(2) - 1) as f64;
    (own.folds.len() == others.folds.len()).then(|| corrected_t_test(&errors(own), &errors(others), share))?
}

/// Finds the epoch with the largest mean accuracy over the folds; a fold that ended earlier stays as it was.
fn best(seed: u64, records: &[&FoldRecord]) -> Option<BestEpoch> {
    let curves: Vec<&Vec<(u32, u32, u32)>> =
        records.iter().map(|record| &record.curve).filter(|curve| !curve.is_empty()).collect();
    let mut epochs: Vec<u32> = curves.iter().flat_map(|curve| curve.iter().map(|point| point.0)).collect();
    epochs.sort_unstable();
    epochs.dedup();
    let at = |epoch: u32| {
        let of = |curve: &&Vec<(u32, u32, u32)>| {
            let (_, wrong, answers) = *curve.iter().take_while(|point| point.0 <= epoch).last()?;
            accuracy(wrong, answers)
        };
        let Spread { mean, deviation } = Spread::of(&curves.iter().map(of).collect::<Option<Vec<f64>>>()?);
        Some(BestEpoch { seed, epoch, accuracy: mean?, deviation })
    };
    let better = |best: BestEpoch, next: BestEpoch| if next.accuracy > best.accuracy { next } else { best };
    epochs.into_iter().filter_map(at).reduce(better)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Choice;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        assert_eq!(Spread::of(&[]), Spread::default());
        assert_eq!(Spread::of(&[0.5]), Spread { mean: Some(0.5), deviation: None });
        assert_eq!(Spread::of(&[1.0, 3.0]), Spread { mean: Some(2.0), deviation: Some(2.0f64.sqrt()) });
    }

    #[test]
    fn the_best_epoch_is_one_for_all_folds() {
        let record = |curve: &[(u32, u32, u32)]| FoldRecord {
            repeat: 0,
            fold: 0,
            chosen: Choice { trial: 0, epochs: 3, error: None },
            loss: "squared".into(),
            answers: Vec::new(),
            curve: curve.to_vec(),
        };
        // The first fold is best at 10, the second at 20, both together at 20.
        let (first, second) = (record(&[(10, 1, 10), (20, 2, 10)]), record(&[(10, 9, 10), (20, 1, 10)]));
        let found = best(0, &[&first, &second]).expect("an epoch");
        assert_eq!((found.epoch, found.accuracy), (20, 0.8500000000000001));
        // A fold that ended stays as it was.
        let ended = record(&[(10, 1, 10)]);
        assert_eq!(best(0, &[&ended, &second]).expect("an epoch").accuracy, 0.9);
        assert_eq!(best(0, &[&record(&[])]), None);
    }
}
