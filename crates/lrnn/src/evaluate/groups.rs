//! What is right among the queries of one example: a class, or candidates in a ranking.

use std::collections::BTreeMap;

use super::Score;
use super::metric::Measurement;
use super::numbers::mean;

/// Counts by (right class, class it was taken for).
pub type ClassCounts = BTreeMap<(usize, usize), u64>;

/// Returns the queries example by example, in their order.
fn by_example(scored: &[Score]) -> Vec<&Score> {
    let mut all: Vec<&Score> = scored.iter().collect();
    all.sort_by_key(|query| query.example);
    all
}

/// Takes in each example the class with the largest value, the first if several have it, and counts what it was taken
/// for. Every example must have one right class of several.
pub fn class_counts(scored: &[Score]) -> Result<ClassCounts, &'static str> {
    const NOT_ONE: &str = "not every example has one right class of several";
    let mut counts = ClassCounts::new();
    for queries in by_example(scored).chunk_by(|a, b| a.example == b.example) {
        let mut right = queries.iter().filter(|query| query.truth() == Some(true));
        let (Some(right), None, true) = (right.next(), right.next(), queries.len() > 1) else {
            return Err(NOT_ONE);
        };
        if queries.iter().any(|query| query.truth().is_none()) {
            return Err(NOT_ONE);
        }
        let largest =
            queries.iter().reduce(|first, query| if query.value > first.value { query } else { first });
        *counts.entry((right.class, largest.map_or(right.class, |largest| largest.class))).or_default() += 1;
    }
    if counts.is_empty() { Err(NOT_ONE) } else { Ok(counts) }
}

pub(super) fn class_accuracy(scored: &[Score]) -> Measurement {
    let counts = class_counts(scored)?;
    let right: u64 = counts.iter().filter(|((right, taken), _)| right == taken).map(|(_, count)| count).sum();
    Ok(right as f64 / counts.values().sum::<u64>() as f64)
}

/// Returns the mean over classes of 2 TP / (2 TP + FP + FN), over all classes that are right or taken somewhere.
pub(super) fn macro_f1(scored: &[Score]) -> Measurement {
    let counts = class_counts(scored)?;
    let mut classes: Vec<usize> = counts.keys().flat_map(|&(right, taken)| [right, taken]).collect();
    classes.sort_unstable();
    classes.dedup();
    let of_class = |class: &usize| {
        let sum = |has: &dyn Fn(&(usize, usize)) -> bool| -> u64 {
            counts.iter().filter(|(key, _)| has(key)).map(|(_, count)| count).sum()
        };
        let hits = 2 * sum(&|key| *key == (*class, *class));
        let all = sum(&|key| key.0 == *class) + sum(&|key| key.1 == *class);
        hits as f64 / all.max(1) as f64
    };
    Ok(mean(&classes, of_class))
}

/// Returns the rank of each right candidate among the wrong ones of its example, the mean rank where values are equal.
/// Examples that have not both are left out: there is nothing to rank.
fn ranks(scored: &[Score]) -> Result<Vec<f64>, &'static str> {
    let mut ranks = Vec::new();
    for queries in by_example(scored).chunk_by(|a, b| a.example == b.example) {
        let of =
            |truth| queries.iter().filter(move |query| query.truth() == Some(truth)).map(|query| query.value);
        let mut wrong: Vec<f64> = of(false).collect();
        wrong.sort_by(f64::total_cmp);
        if wrong.is_empty() {
            continue;
        }
        for value in of(true) {
            let (above, not_below) =
                (count_above(&wrong, |x| x <= value), count_above(&wrong, |x| x < value));
            ranks.push(1.0 + (above + not_below) as f64 / 2.0);
        }
    }
    if ranks.is_empty() { Err("no example has both right and wrong candidates") } else { Ok(ranks) }
}

/// Returns how many of the sorted values are beyond those at the beginning for which this holds.
fn count_above(sorted: &[f64], is_before: impl Fn(f64) -> bool) -> usize {
    sorted.len() - sorted.partition_point(|&value| is_before(value))
}

pub(super) fn mean_reciprocal_rank(scored: &[Score]) -> Measurement {
    Ok(mean(&ranks(scored)?, |rank| 1.0 / rank))
}

pub(super) fn hits(scored: &[Score], first: f64) -> Measurement {
    Ok(mean(&ranks(scored)?, |&rank| if rank <= first { 1.0 } else { 0.0 }))
}
