//! Single columns that give the answer away: how well the number of facts, the mean value and every term of a predicate
//! predict on their own.

use std::collections::BTreeMap;

use lrnn::Dataset;
use lrnn::evaluate::{Roc, Score};
use lrnn::vocabulary::{ConstantId, PredicateId};

use crate::leakage::{Leak, LeakageReport};

/// From this on a single column predicts too well: the area under the ROC curve, the share of right answers, the rank
/// correlation with a number, or the share of its variance.
const TOO_WELL: f64 = 0.98;
/// A class that is as frequent as this is predicted so without looking.
const NEARLY_ALL: f64 = 0.95;
/// Fewer examples of a class prove nothing.
const FEWEST: usize = 10;
/// A value that fewer examples have proves nothing.
const FEWEST_OF_VALUE: usize = 5;
/// Most classes that are measured, the most frequent ones.
const MOST_CLASSES: usize = 20;

/// The answers of examples, each to be told by a column.
pub(crate) enum MeasuredTargets {
    /// Of each class, whether an example is of it.
    Classes(Vec<ClassAnswers>),
    /// The number of each example.
    Numbers(Vec<Option<f64>>),
}

/// The answers to one query that examples share.
pub(crate) struct ClassAnswers {
    /// The query, where there are several.
    name: Option<String>,
    labels: Vec<Option<bool>>,
}

impl ClassAnswers {
    fn count(&self, class: bool) -> usize {
        self.labels.iter().filter(|label| **label == Some(class)).count()
    }
}

impl MeasuredTargets {
    /// Returns the answers of the examples of a dataset, or the reason why nothing can be measured.
    pub fn of(dataset: &Dataset) -> Result<Self, &'static str> {
        let examples = dataset.examples.len();
        if examples < 2 {
            return Err("there is one knowledge base, whose queries share all facts");
        }
        let mut all: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        for (example, queries) in dataset.queries.iter().enumerate() {
            for query in queries {
                let name = dataset.vocabulary.atom_text(query.predicate, &query.terms);
                let target = query.target.as_ref().and_then(|target| target.first().copied());
                all.entry(name).or_insert_with(|| vec![None; examples])[example] = target;
            }
        }
        let is_number = |target: &f64| *target != 0.0 && *target != 1.0;
        let mut numbers = all.values().filter(|targets| targets.iter().flatten().any(is_number));
        if let Some(targets) = numbers.next() {
            let known = targets.iter().flatten().count();
            return match all.len() {
                1 if known >= 2 * FEWEST => Ok(Self::Numbers(targets.clone())),
                1 => Err("fewer than 20 examples have a number"),
                _ => Err("an example has several numbers"),
            };
        }
        let has_several = all.len() > 1;
        let class = |(name, targets): (String, Vec<Option<f64>>)| ClassAnswers {
            name: has_several.then_some(name),
            labels: targets.into_iter().map(|target| target.map(|it| it > 0.5)).collect(),
        };
        let mut classes: Vec<ClassAnswers> = all.into_iter().map(class).collect();
        classes.retain(|class| class.count(true).min(class.count(false)) >= FEWEST);
        classes.sort_by_key(|class| std::cmp::Reverse(class.count(true)));
        classes.truncate(MOST_CLASSES);
        match classes.is_empty() {
            true => Err("no two classes have ten examples each"),
            false => Ok(Self::Classes(classes)),
        }
    }
}

/// The facts that one example has of a predicate.
#[derive(Default)]
struct Having {
    /// The sum of the values and their number.
    values: (f64, usize),
    /// By column: the constants.
    constants: Vec<Vec<ConstantId>>,
}

/// Measures how well every predicate's number, value and columns predict on their own.
pub(crate) fn predictors(dataset: &Dataset, answers: &MeasuredTargets, report: &mut LeakageReport) {
    let mut all: BTreeMap<PredicateId, Vec<Having>> = BTreeMap::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        for table in &example.tables {
            let having = all.entry(table.predicate).or_default();
            having.resize_with(dataset.examples.len(), Having::default);
            let own = &mut having[number];
            own.constants.resize(dataset.vocabulary.signature(table.predicate).arity as usize, Vec::new());
            for row in 0..table.rows as usize {
                own.values.0 += table.value(row).first().copied().unwrap_or(1.0);
                own.values.1 += 1;
                for (column, constant) in own.constants.iter_mut().zip(table.row(row)) {
                    column.push(*constant);
                }
            }
        }
    }
    for (predicate, having) in all {
        let name = dataset.vocabulary.signature(predicate).to_string();
        let mean = |it: &Having| if it.values.1 == 0 { 0.0 } else { it.values.0 / it.values.1 as f64 };
        let measures: [(&str, Vec<f64>); 2] = [
            ("number of facts", having.iter().map(|it| it.values.1 as f64).collect()),
            ("mean value", having.iter().map(mean).collect()),
        ];
        for (what, numbers) in measures {
            report.measured += 1;
            report.leaks.extend(
                measure(&numbers, answers).map(|message| leak(format!("the {what} of {name}"), message)),
            );
        }
        let arity = dataset.vocabulary.signature(predicate).arity as usize;
        for column in 0..arity {
            report.measured += 1;
            // An example with several values is known by the first: it suffices for what a table says of its row.
            let first = |own: &Having| own.constants.get(column).and_then(|all| all.first()).copied();
            let values: Vec<Option<ConstantId>> = having.iter().map(first).collect();
            let place = format!("term {} of {name}", column + 1);
            report.leaks.extend(category(&values, answers, dataset).map(|message| leak(place, message)));
        }
    }
}

fn leak(place: String, message: String) -> Leak {
    let help = "make sure that it is known before the answer; else leave its line out".to_owned();
    Leak { place, message, help }
}

/// Returns a sentence about a number that alone tells the answers.
fn measure(numbers: &[f64], answers: &MeasuredTargets) -> Option<String> {
    match answers {
        MeasuredTargets::Classes(classes) => classes.iter().find_map(|class| {
            let area = area(numbers, &class.labels)?;
            let which = class
                .name
                .as_ref()
                .map_or("the classes apart".to_owned(), |it| format!("`{it}` from the others"));
            (area >= TOO_WELL).then(|| format!("it alone tells {which}: area under the ROC curve {area:.3}"))
        }),
        MeasuredTargets::Numbers(targets) => {
            let pairs: Vec<(f64, f64)> = numbers
                .iter()
                .zip(targets)
                .filter_map(|(&number, target)| Some((number, (*target)?)))
                .collect();
            let correlation = rank_correlation(&pairs)?.abs();
            (correlation >= TOO_WELL)
                .then(|| format!("it alone tells the number: rank correlation {correlation:.3}"))
        }
    }
}

/// Returns the area under the ROC curve of a number, or of its opposite.
fn area(numbers: &[f64], labels: &[Option<bool>]) -> Option<f64> {
    let score = |(example, (&value, label)): (usize, (&f64, &Option<bool>))| {
        let target = f64::from(u8::from((*label)?));
        Some(Score { example, class: 0, value, probability: None, target })
    };
    let scores: Vec<Score> = numbers.iter().zip(labels).enumerate().filter_map(score).collect();
    let area = Roc::of(&scores).ok()?.area();
    Some(area.max(1.0 - area))
}

/// Returns Spearman's correlation; nothing where all numbers of a side are the same.
fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (a, b) = (ranks(&a), ranks(&b));
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

/// Returns the rank of each number, from 0; those that are the same share theirs.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    for same in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let rank = start as f64 + (same.len() as f64 - 1.0) / 2.0;
        same.iter().for_each(|&at| ranks[at] = rank);
        start += same.len();
    }
    ranks
}

/// Returns a sentence about values that alone tell the answers.
fn category(values: &[Option<ConstantId>], answers: &MeasuredTargets, dataset: &Dataset) -> Option<String> {
    match answers {
        MeasuredTargets::Classes(classes) => {
            classes.iter().find_map(|class| class_by_value(values, class, dataset))
        }
        MeasuredTargets::Numbers(targets) => number_by_value(values, targets),
    }
}

fn class_by_value(values: &[Option<ConstantId>], class: &ClassAnswers, dataset: &Dataset) -> Option<String> {
    let mut counts: BTreeMap<Option<ConstantId>, [usize; 2]> = BTreeMap::new();
    for (value, label) in values.iter().zip(&class.labels) {
        if let Some(label) = label {
            counts.entry(*value).or_default()[usize::from(*label)] += 1;
        }
    }
    let totals = [class.count(false), class.count(true)];
    let all = totals[0] + totals[1];
    let frequent: Vec<&[usize; 2]> = counts.values().filter(|it| it[0] + it[1] >= FEWEST_OF_VALUE).collect();
    let covered: usize = frequent.iter().map(|it| it[0] + it[1]).sum();
    let right: usize = frequent.iter().map(|it| it[0].max(it[1])).sum();
    let nearly_all = totals[0].max(totals[1]) as f64 >= NEARLY_ALL * all as f64;
    if counts.len() < 2 || nearly_all || 2 * covered < all || (right as f64) < TOO_WELL * covered as f64 {
        return None;
    }
    let pure = counts.iter().max_by_key(|(_, it)| it[0].max(it[1]));
    let shown =
        pure.and_then(|(constant, _)| *constant).map(|it| dataset.vocabulary.constant(it).to_string());
    let which = class.name.as_ref().map_or("the class".to_owned(), |name| format!("whether `{name}`"));
    Some(format!(
        "its value alone tells {which} of {right} of {covered} examples{}",
        shown.map_or(String::new(), |value| format!(", `{value}` the most"))
    ))
}

fn number_by_value(values: &[Option<ConstantId>], targets: &[Option<f64>]) -> Option<String> {
    let mut groups: BTreeMap<Option<ConstantId>, Vec<f64>> = BTreeMap::new();
    for (value, target) in values.iter().zip(targets) {
        groups.entry(*value).or_default().extend(target);
    }
    let all: usize = groups.values().map(Vec::len).sum();
    groups.retain(|_, numbers| numbers.len() >= FEWEST_OF_VALUE);
    let covered: Vec<f64> = groups.values().flatten().copied().collect();
    if groups.len() < 2 || 2 * covered.len() < all {
        return None;
    }
    let whole = squares(&covered);
    let within: f64 = groups.values().map(|numbers| squares(numbers)).sum();
    let share = 1.0 - within / whole;
    (whole > 0.0 && share >= TOO_WELL).then(|| {
        format!(
            "its value alone tells the number of {} examples: {:.1} % of the variance",
            covered.len(),
            100.0 * share
        )
    })
}

/// Returns the sum of squared distances from the mean.
fn squares(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    numbers.iter().map(|number| (number - mean) * (number - mean)).sum()
}
