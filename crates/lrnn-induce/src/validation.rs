//! Cross-validation of the whole procedure: in every fold rules are found anew, and their number is chosen, inside the
//! training part; the test part is answered once.

use std::time::Instant;

use lrnn::data::Dataset;
use lrnn::evaluate::{Metric, Metrics, Score};
use lrnn::threads::try_each;
use lrnn::{Error, ErrorKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::budget::StepCount;
use crate::linear::TargetKind;
use crate::problem::{GoalProblem, InduceOptions};

/// An answer to a query of the test part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestAnswer {
    /// The query, as text, with the name of its example where there are several.
    pub query: String,
    /// The example and the individuals that it is about: queries with the same are of one case.
    pub case: String,
    /// The answer: a probability, or a number.
    pub answer: f64,
    /// The target.
    pub target: f64,
}

/// One fold of one goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InducedFold {
    /// The goal, from 0.
    pub goal: usize,
    /// The number of the fold.
    pub fold: u32,
    /// Number of rules.
    pub rules: usize,
    /// Number of queries outside the fold that are not learned from, as they name an individual that is held out.
    #[serde(default)]
    pub left_out: usize,
    /// The answers of the test part.
    pub answers: Vec<TestAnswer>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Steps that it took, and what was left out for want of more.
    #[serde(default)]
    pub count: StepCount,
}

/// The scores of a part of the answers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FoldScores {
    /// The number of the fold.
    pub fold: u32,
    /// Number of answers.
    pub queries: usize,
    /// Share of right answers; none for numbers.
    pub accuracy: Option<f64>,
    /// Area under the ROC curve.
    pub auc: Option<f64>,
    /// Area under the precision-recall curve, as average precision.
    pub average_precision: Option<f64>,
    /// Root of the mean squared error, of numbers.
    pub rmse: Option<f64>,
    /// Mean number of rules of a goal.
    pub rules: f64,
}

/// The results of a cross-validation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Validation {
    /// The scores of each fold.
    pub folds: Vec<FoldScores>,
    /// The scores of all answers together.
    pub all: FoldScores,
    /// Share of the commonest answer, true or false or a class, where targets are truth values.
    pub majority: Option<f64>,
    /// Mean and standard deviation of the accuracy over folds.
    pub accuracy: Option<(f64, f64)>,
    /// Number of queries of test parts whose mirror, p(b, a) of p(a, b), is in training.
    pub mirrors: usize,
    /// Mean number of queries that a fold does not learn from, as they name an individual that it holds out.
    pub left_out: f64,
    /// Number of clauses that were compared with the facts.
    pub clauses: u64,
    /// Steps of all searches, and what was left out for want of more.
    pub count: StepCount,
}

/// Measures by cross-validation how well rules are learned. Folds that are `known` are not done again; each new one is
/// told to `done` when it is finished.
pub fn validate(
    dataset: &Dataset,
    options: &InduceOptions,
    known: &[InducedFold],
    done: &(dyn Fn(&InducedFold) -> Result<(), Error> + Sync),
) -> Result<Validation, Error> {
    let problems = GoalProblem::all(dataset, options)?;
    let mut tasks = Vec::new();
    let outer = GoalProblem::outer_folds(&problems, options);
    for (goal, folds) in outer.iter().enumerate() {
        let mut numbers = folds.clone();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            let message = "there are fewer than two folds to hold out";
            return Err(Error::new(ErrorKind::Content, message).help("--folds 10 draws them"));
        }
        tasks.extend(numbers.into_iter().map(|number| (goal, number, folds.clone())));
    }
    let own = options.shared_by(tasks.len());
    let run = |(goal, number, folds): &(usize, u32, Vec<u32>)| {
        if let Some(fold) = known.iter().find(|fold| (fold.goal, fold.fold) == (*goal, *number)) {
            return Ok(fold.clone());
        }
        let fold = problems[*goal].fold(dataset, &own, *goal, *number, folds)?;
        done(&fold)?;
        Ok(fold)
    };
    let mut folds = Vec::new();
    for (goal, tasks) in tasks.chunk_by(|one, other| one.0 == other.0).enumerate() {
        folds.extend(try_each(tasks, run)?);
        problems[goal].lattice.forget();
    }
    let clauses = problems.iter().map(|problem| problem.clause_counts().0).sum();
    let kind = problems.first().map_or(TargetKind::Truth, |problem| problem.kind);
    let is_classes = problems.iter().all(|problem| problem.goal.constants.iter().any(Option::is_some));
    let is_apart = options.group.is_some();
    let mirrors = problems
        .iter()
        .filter(|_| !is_apart)
        .zip(&outer)
        .map(|(problem, folds)| problem.mirrors(folds))
        .sum();
    Ok(Validation { mirrors, ..Validation::of(&folds, kind, is_classes, clauses) })
}

impl GoalProblem {
    /// Counts the queries about two individuals that another fold asks the other way round.
    fn mirrors(&self, folds: &[u32]) -> usize {
        let queries = &self.facts().queries;
        let key = |query: &crate::facts::IndexedQuery| (query.example, query.terms.clone());
        let places: FxHashMap<(u32, Vec<u32>), u32> =
            queries.iter().map(key).zip(folds.iter().copied()).collect();
        let is_mirrored = |(query, fold): (&crate::facts::IndexedQuery, &u32)| {
            let [one, other] = query.terms[..] else { return false };
            let mirror = places.get(&(query.example, vec![other, one]));
            one != other && mirror.is_some_and(|mirror| mirror != fold)
        };
        queries.iter().zip(folds).filter(|&pair| is_mirrored(pair)).count()
    }

    fn fold(
        &self,
        dataset: &Dataset,
        options: &InduceOptions,
        goal: usize,
        number: u32,
        folds: &[u32],
    ) -> Result<InducedFold, Error> {
        let start = Instant::now();
        let (training, test): (Vec<usize>, Vec<usize>) =
            self.queries().into_iter().partition(|&at| folds[at] != number);
        let others = training.len();
        let training = self.groups.apart(training, &test);
        if training.is_empty() {
            let message = format!(
                "fold {number} leaves nothing to learn from: every other query names an individual of its own"
            );
            return Err(Error::new(ErrorKind::Content, message)
                .help("--folds 20 holds out fewer individuals at once"));
        }
        let fitted = self.fit_in(dataset, options, &training)?;
        let facts = self.facts();
        let answer = |&query: &usize| {
            let example = facts.queries[query].example;
            let text = facts.query_text(query);
            let query_text = match dataset.examples.len() {
                1 => text,
                _ => format!("{}: {text}", dataset.example_name(example as usize)),
            };
            let (answer, target) = (self.kind.answer(fitted.sums[query]), self.targets[query]);
            TestAnswer { query: query_text, case: self.case(query), answer, target }
        };
        Ok(InducedFold {
            goal,
            fold: number,
            rules: fitted.rules,
            left_out: others - training.len(),
            answers: test.iter().map(answer).collect(),
            seconds: start.elapsed().as_secs_f64(),
            count: fitted.count(),
        })
    }
}

impl FoldScores {
    fn of(number: u32, folds: &[&InducedFold], kind: TargetKind, is_classes: bool) -> Self {
        let mut scores = Vec::new();
        for (class, fold) in folds.iter().enumerate() {
            for (at, answer) in fold.answers.iter().enumerate() {
                let probability = (kind == TargetKind::Truth).then_some(answer.answer);
                scores.push(Score {
                    example: at,
                    class,
                    value: answer.answer,
                    probability,
                    target: answer.target,
                });
            }
        }
        let metrics = Metrics::of(&scores, 0.5);
        let accuracy = if is_classes { class_accuracy(folds) } else { metrics.get(Metric::Accuracy) };
        let squared = scores
            .iter()
            .map(|score| (score.value - score.target) * (score.value - score.target))
            .sum::<f64>();
        let is_number = kind == TargetKind::Number;
        Self {
            fold: number,
            queries: scores.len(),
            accuracy: accuracy.filter(|_| !is_number),
            auc: metrics.get(Metric::Auc).filter(|_| !is_number),
            average_precision: average_precision(&scores).filter(|_| !is_number),
            rmse: is_number.then(|| (squared / scores.len().max(1) as f64).sqrt()),
            rules: folds.iter().map(|fold| fold.rules as f64).sum::<f64>() / folds.len().max(1) as f64,
        }
    }
}

/// Returns the share of cases whose right class has the greatest answer, where there are classes.
fn class_accuracy(goals: &[&InducedFold]) -> Option<f64> {
    let mut best: std::collections::BTreeMap<&str, (f64, f64)> = std::collections::BTreeMap::new();
    for answer in goals.iter().flat_map(|fold| &fold.answers) {
        let entry = best.entry(answer.case.as_str()).or_insert((f64::NEG_INFINITY, 0.0));
        if answer.answer > entry.0 {
            *entry = (answer.answer, answer.target);
        }
    }
    let right = best.values().filter(|(_, target)| *target > 0.5).count();
    (!best.is_empty()).then(|| right as f64 / best.len() as f64)
}

/// Returns the mean, over true queries, of the share of true ones among those with an answer as great.
fn average_precision(scores: &[Score]) -> Option<f64> {
    let mut sorted: Vec<&Score> = scores.iter().collect();
    sorted.sort_by(|one, other| other.value.total_cmp(&one.value));
    let (mut seen, mut right, mut sum) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|one, other| one.value == other.value) {
        let new = tied.iter().filter(|score| score.target > 0.5).count() as f64;
        seen += tied.len() as f64;
        right += new;
        sum += new * right / seen;
    }
    (right > 0.0 && right < seen).then(|| sum / right)
}

impl Validation {
    /// Returns what a person should know of the results, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mirrors = (self.mirrors > 0).then(|| {
            format!(
                "{} queries of test parts are asked the other way round in training, as p(a, b) and p(b, a): that may \
                 give the answer away; --group 1 keeps individuals apart",
                self.mirrors
            )
        });
        let left_out = (self.left_out > 0.0).then(|| {
            format!(
                "{:.0} queries on average were not learned from, as they name an individual that is held out",
                self.left_out
            )
        });
        self.note().into_iter().chain(mirrors).chain(left_out).chain(self.count.note()).collect()
    }

    /// Returns a sentence where answers are no better than one and the same for all.
    fn note(&self) -> Option<String> {
        let (majority, accuracy) = (self.majority?, self.all.accuracy?);
        (accuracy <= majority).then(|| {
            format!(
                "no better than the same answer to all, which is right for {:.1} %; see the area under the curve",
                100.0 * majority
            )
        })
    }

    fn of(folds: &[InducedFold], kind: TargetKind, is_classes: bool, clauses: u64) -> Self {
        let mut numbers: Vec<u32> = folds.iter().map(|fold| fold.fold).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let scores = |&number: &u32| {
            let own: Vec<&InducedFold> = folds.iter().filter(|fold| fold.fold == number).collect();
            FoldScores::of(number, &own, kind, is_classes)
        };
        let each: Vec<FoldScores> = numbers.iter().map(scores).collect();
        let all = FoldScores::of(0, &folds.iter().collect::<Vec<_>>(), kind, is_classes);
        let accuracies: Vec<f64> = each.iter().filter_map(|fold| fold.accuracy).collect();
        let accuracy = (!accuracies.is_empty()).then(|| {
            let count = accuracies.len() as f64;
            let mean = accuracies.iter().sum::<f64>() / count;
            let squares: f64 = accuracies.iter().map(|one| (one - mean) * (one - mean)).sum();
            (mean, (squares / (count - 1.0).max(1.0)).sqrt())
        });
        // By class, or those that are true and those that are not.
        let mut counts = [0_usize; 2].to_vec();
        for fold in folds {
            let right = fold.answers.iter().filter(|answer| answer.target > 0.5).count();
            if is_classes {
                counts.resize(counts.len().max(fold.goal + 1), 0);
                counts[fold.goal] += right;
            } else {
                counts[0] += right;
                counts[1] += fold.answers.len() - right;
            }
        }
        let commonest = counts.iter().max().map_or(0.0, |&most| most as f64);
        let majority =
            (kind == TargetKind::Truth).then(|| commonest / (counts.iter().sum::<usize>() as f64).max(1.0));
        let mut count = StepCount::default();
        folds.iter().for_each(|fold| count += fold.count);
        let left_out = folds.iter().map(|fold| fold.left_out as f64).sum::<f64>() / folds.len().max(1) as f64;
        Self { folds: each, all, majority, accuracy, mirrors: 0, left_out, clauses, count }
    }
}
