//! What was measured, as a report shows it.

use lrnn::data::{Dataset, Query};
use lrnn::evaluate::{Bin, Report, Roc, Scored, calibration};
use lrnn::program::{Scores, scored};
use lrnn::train::{Answered, Loss};
use lrnn_report::page::{self, Number, Part};

use crate::crossval::Study;
use crate::report::percent;
use crate::results::{BestEpoch, FoldResult, Results, Spread};

/// Bins of the calibration.
const BINS: usize = 10;
/// A curve with more points is more than a screen has.
const MOST_POINTS: usize = 1000;
/// A table of more classes is none.
const MOST_CLASSES: usize = 40;

/// How well some examples are answered under a loss: metrics, what was taken for what, ROC and calibration.
pub fn part_view(name: &str, dataset: &Dataset, loss: Loss, answered: &[Answered]) -> Part {
    let scores = Scores::of(loss, answered);
    let all = scored(loss, answered);
    let mut metrics = vec![
        ("loss".to_owned(), Some(Number(scores.measure.loss))),
        ("error".to_owned(), Some(Number(scores.measure.error()))),
    ];
    let report = &scores.report;
    metrics.extend(
        report.metrics.iter().map(|(metric, found)| (metric.name().to_owned(), found.ok().map(Number))),
    );
    Part {
        name: name.to_owned(),
        answers: scores.measure.answers,
        metrics,
        confusion: confusion(report, dataset),
        roc: Roc::of(&all).ok().map(|roc| roc_view(&roc)),
        calibration: calibration_view(&all),
    }
}

fn confusion(report: &Report, dataset: &Dataset) -> Option<page::Confusion> {
    if let Some(classes) = report.classes.as_ref().filter(|_| report.queries > 0) {
        let count = classes.keys().map(|(right, taken)| right.max(taken) + 1).max().unwrap_or(0);
        let mut counts = vec![vec![0; count]; count];
        classes.iter().for_each(|(&(right, taken), &number)| counts[right][taken] = number);
        let labels = class_labels(dataset, count);
        return (count <= MOST_CLASSES).then_some(page::Confusion { labels, counts });
    }
    let found = report.confusion?;
    let labels = vec!["false".to_owned(), "true".to_owned()];
    let counts = vec![
        vec![found.true_negatives, found.false_positives],
        vec![found.false_negatives, found.true_positives],
    ];
    Some(page::Confusion { labels, counts })
}

/// The queries that stand for the classes, if they are the same in all examples; else their numbers.
fn class_labels(dataset: &Dataset, count: usize) -> Vec<String> {
    let same = |a: &Query, b: &Query| a.predicate == b.predicate && a.terms == b.terms;
    let first = dataset.queries.first().filter(|first| first.len() == count);
    let are_same = first.is_some_and(|first| {
        let is_same = |queries: &Vec<Query>| {
            queries.len() == count && queries.iter().zip(first).all(|(query, other)| same(query, other))
        };
        dataset.queries.iter().all(is_same)
    });
    match first.filter(|_| are_same) {
        Some(first) => {
            let text = |query: &Query| dataset.vocabulary.atom_text(query.predicate, &query.terms);
            first.iter().map(text).collect()
        }
        None => (0..count).map(|class| class.to_string()).collect(),
    }
}

fn roc_view(roc: &Roc) -> page::Roc {
    let (count, last) = (roc.points.len(), roc.points.len() - 1);
    let shown: Vec<usize> = match count > MOST_POINTS {
        true => (0..MOST_POINTS).map(|at| at * last / (MOST_POINTS - 1)).collect(),
        false => (0..count).collect(),
    };
    page::Roc {
        false_positive: shown.iter().map(|&at| Number(roc.points[at].0)).collect(),
        true_positive: shown.iter().map(|&at| Number(roc.points[at].1)).collect(),
    }
}

fn calibration_view(all: &[Scored]) -> Option<Vec<page::Bin>> {
    let bin = |bin: Bin| page::Bin {
        low: Number(bin.low),
        high: Number(bin.high),
        count: bin.count,
        mean: Number(bin.mean),
        share: Number(bin.share),
    };
    Some(calibration(all, BINS).ok()?.into_iter().map(bin).collect())
}

/// The table of a cross-validation, with baselines on the same folds by their names.
pub fn crossval_view(study: &Study<'_>, results: &Results, rivals: &[(&str, &Results)]) -> page::Crossval {
    let row = |fold: &FoldResult| page::FoldRow {
        seed: fold.seed,
        fold: fold.fold,
        examples: fold.cases,
        chosen: fold.choice(),
        inner_error: fold.chosen.error.map(Number),
        accuracy: Number(fold.accuracy().unwrap_or(f64::NAN)),
        auc: fold.auc.map(Number),
    };
    let method = |(name, results): (&str, &Results)| {
        let Spread { mean, deviation } = results.accuracy?;
        Some((name.to_owned(), Number(mean), Number(deviation.unwrap_or(0.0))))
    };
    let all = std::iter::once(("template", results)).chain(rivals.iter().copied());
    page::Crossval {
        summary: sentences(study, results),
        rows: results.folds.iter().map(row).collect(),
        methods: if rivals.is_empty() { Vec::new() } else { all.filter_map(method).collect() },
    }
}

/// A mean with its deviation, in percent.
pub fn spread_text(spread: Option<Spread>) -> String {
    match spread {
        None => "-".to_owned(),
        Some(Spread { mean, deviation: None }) => format!("{} %", percent(mean)),
        Some(Spread { mean, deviation: Some(deviation) }) => {
            format!("{} ± {} %", percent(mean), percent(deviation))
        }
    }
}

/// What a study found, in sentences for people.
pub fn sentences(study: &Study<'_>, results: &Results) -> Vec<String> {
    let (folds, has_seeds) = (results.folds.len(), study.plan.repeats > 1);
    let mut all =
        vec![format!("accuracy {}: mean and deviation over {folds} folds", spread_text(results.accuracy))];
    for seed in &results.seeds {
        let right = seed.accuracy.map_or("-".to_owned(), |share| format!("{} %", percent(share)));
        let which = if has_seeds { format!("seed {}: ", seed.seed) } else { String::new() };
        let mean = if has_seeds { format!("{}; ", spread_text(seed.folds)) } else { String::new() };
        all.push(format!("{which}{mean}{right} of all answers are right"));
    }
    if has_seeds {
        all.push(format!("over {} seeds: {}", study.plan.repeats, spread_text(results.over_seeds)));
    }
    for BestEpoch { seed, epoch, accuracy } in &results.best_epoch {
        let which = if has_seeds { format!("seed {seed}, ") } else { String::new() };
        all.push(format!(
            "{which}best epoch over the test folds: {} at epoch {epoch} (chosen by the test folds: for \
             comparison only)",
            spread_text(Some(*accuracy))
        ));
    }
    all
}
