//! Folds of queries that keep groups together and have their share of every class.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lrnn::train::shuffled;
use rustc_hash::FxHashSet;

use crate::linear::TargetKind;

/// Queries that folds must not tear apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueryGroups {
    /// By query: the group that it is dealt out with.
    pub own: Vec<u32>,
    /// By query: the other groups whose individual it names, as `p(a, b)` names b where a is its group. Empty where
    /// groups are no individuals.
    pub named: Vec<Vec<u32>>,
}

impl QueryGroups {
    /// Returns the queries to learn from that name no individual of those that are held out.
    pub fn apart(&self, mut training: Vec<usize>, held: &[usize]) -> Vec<usize> {
        if !self.named.is_empty() {
            let held: FxHashSet<u32> = held.iter().map(|&query| self.own[query]).collect();
            training.retain(|&query| !self.named[query].iter().any(|group| held.contains(group)));
        }
        training
    }

    /// Returns those of some queries.
    pub fn of(&self, queries: &[usize]) -> Self {
        let own = queries.iter().map(|&query| self.own[query]).collect();
        let named = |&query: &usize| self.named.get(query).cloned();
        Self { own, named: queries.iter().filter_map(named).collect() }
    }
}

/// Returns inner folds of some queries, whole groups each with their share of every class: those to learn from, and
/// those held out.
pub fn inner_folds(
    queries: &[usize],
    targets: &[f64],
    groups: &QueryGroups,
    kind: TargetKind,
    folds: u32,
    seed: u64,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let numbers = deal(queries, &classes(targets, kind), &groups.own, folds, seed);
    let count = numbers.iter().max().map_or(0, |&last| last + 1);
    let part = |fold: u32| {
        let places: (Vec<usize>, Vec<usize>) = (0..queries.len()).partition(|&at| numbers[at] != fold);
        let of = |places: &[usize]| -> Vec<usize> { places.iter().map(|&at| queries[at]).collect() };
        let held = of(&places.1);
        (groups.apart(of(&places.0), &held), held)
    };
    if count < 2 { Vec::new() } else { (0..count).map(part).collect() }
}

/// Returns the class of each target, by which folds are dealt: true or false, or one for all numbers.
pub fn classes(targets: &[f64], kind: TargetKind) -> Vec<u32> {
    let class = |&target: &f64| match kind {
        TargetKind::Truth => u32::from(target > 0.5),
        TargetKind::Number => 0,
    };
    targets.iter().map(class).collect()
}

/// Deals queries out to folds, group by group, each class in a random order. A group is of the class that most of its
/// queries are of.
pub fn deal(queries: &[usize], classes: &[u32], groups: &[u32], folds: u32, seed: u64) -> Vec<u32> {
    let mut members: Vec<BTreeMap<u32, usize>> = Vec::new();
    let mut place = BTreeMap::new();
    for &query in queries {
        let at = *place.entry(groups[query]).or_insert(members.len());
        if at == members.len() {
            members.push(BTreeMap::new());
        }
        *members[at].entry(classes[query]).or_default() += 1;
    }
    let class = |counts: &BTreeMap<u32, usize>| {
        counts.iter().max_by_key(|&(&class, &count)| (count, Reverse(class))).map(|(&class, _)| class)
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
