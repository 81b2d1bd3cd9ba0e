//! Folds of queries that keep groups together and have their share of every class.

use lrnn::train::shuffled;

use crate::linear::TargetKind;

/// Returns inner folds of some queries, whole groups each with their share of every class: those to learn from, and
/// those held out.
pub fn inner_folds(
    queries: &[usize],
    targets: &[f64],
    groups: &[u32],
    kind: TargetKind,
    folds: u32,
    seed: u64,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let numbers = deal(queries, targets, groups, kind, folds, seed);
    let count = numbers.iter().max().map_or(0, |&last| last + 1);
    let part = |fold: u32| {
        let places: (Vec<usize>, Vec<usize>) = (0..queries.len()).partition(|&at| numbers[at] != fold);
        let of = |places: &[usize]| places.iter().map(|&at| queries[at]).collect();
        (of(&places.0), of(&places.1))
    };
    if count < 2 { Vec::new() } else { (0..count).map(part).collect() }
}

/// Deals queries out to folds, group by group, each class in a random order.
pub fn deal(
    queries: &[usize],
    targets: &[f64],
    groups: &[u32],
    kind: TargetKind,
    folds: u32,
    seed: u64,
) -> Vec<u32> {
    let mut members: Vec<(u32, usize, f64)> = Vec::new();
    let mut place = std::collections::BTreeMap::new();
    for &query in queries {
        let at = *place.entry(groups[query]).or_insert(members.len());
        if at == members.len() {
            members.push((groups[query], 0, 0.0));
        }
        members[at].1 += 1;
        members[at].2 += targets[query];
    }
    let class = |&(_, count, sum): &(u32, usize, f64)| match kind {
        TargetKind::Truth => u8::from(sum * 2.0 > count as f64),
        TargetKind::Number => 0,
    };
    let mut order = shuffled(members.len(), &[seed, INNER]);
    order.sort_by_key(|&at| class(&members[at]));
    let mut fold = vec![0; members.len()];
    let folds = folds.clamp(1, members.len().max(1) as u32);
    order.into_iter().enumerate().for_each(|(at, group)| fold[group] = at as u32 % folds);
    queries.iter().map(|query| fold[place[&groups[*query]]]).collect()
}

/// The stream of random orders for inner folds.
const INNER: u64 = 21;
