//! What the data says of a problem: which queries count, with which targets and weights, and which loss suits them.

use std::ops::Range;

use super::loss::Loss;
use super::problem::Unentailed;
use crate::data::{Dataset, Query};
use crate::function::{Activation, Shape};
use crate::network::Networks;
use crate::template::{Template, WeightId};

/// The queries of one example in a network that count.
#[derive(Clone, Default, Debug)]
pub(super) struct ExampleQueries {
    pub example: usize,
    /// Their numbers among the network's queries.
    pub queries: Vec<u32>,
    pub sizes: Vec<u32>,
    pub targets: Vec<f64>,
    pub weight: f64,
    /// The weight of each query; empty where all are 1.
    pub importance: Vec<f64>,
}

impl ExampleQueries {
    /// Returns how much it weighs among others.
    pub fn mass(&self, loss: Loss) -> f64 {
        let mean = match self.importance.len() {
            0 => 1.0,
            count => self.importance.iter().sum::<f64>() / count as f64,
        };
        self.weight * mean * loss.mass(&self.sizes)
    }
}

/// Returns the loss that suits the targets and the predicate of the first query.
pub(super) fn suitable_loss(template: &Template, dataset: &Dataset) -> Loss {
    let queries = || dataset.queries.iter().flatten();
    let targets = || queries().flat_map(|query| query.target.iter().flatten());
    let are_truths = !targets_are_numbers(dataset);
    let Some(query) = queries().next().filter(|_| are_truths) else { return Loss::Squared };
    let predicate = &template.predicates[query.predicate.index()];
    let is_vector = predicate.shape.is_some_and(|shape| !shape.is_number());
    let suitable = match predicate.combination.takes_one() {
        // The best of some truth values is one, and not a sum of reasons for and against.
        true if predicate.activation == Activation::Identity && !is_vector => Loss::SquaredHinge,
        _ => Loss::of_activation(predicate.activation, is_vector),
    };
    let are_classes = targets().all(|&target| target == 0.0 || target == 1.0);
    if suitable == Loss::SquaredHinge && !are_classes { Loss::Squared } else { suitable }
}

/// Tells whether targets are numbers to come close to, and not truth values or classes: some are below 0 or above 1, or
/// most of those that are single numbers lie between, as yields and shares do.
pub fn targets_are_numbers(dataset: &Dataset) -> bool {
    let targets = || dataset.queries.iter().flatten().filter_map(|query| query.target.as_deref());
    let single = || targets().filter_map(|target| target.first().filter(|_| target.len() == 1));
    let between = single().filter(|target| **target > 0.0 && **target < 1.0).count();
    targets().flatten().any(|target| !(0.0..=1.0).contains(target)) || 2 * between > single().count()
}

/// Returns the class of an example, as far as targets tell: the bits of all its targets.
pub fn classes(dataset: &Dataset) -> Vec<u64> {
    let of = |queries: &Vec<Query>| {
        let targets = queries.iter().flat_map(|query| query.target.iter().flatten());
        targets.fold(0, |class: u64, target| crate::network::mix(class ^ target.to_bits()))
    };
    dataset.queries.iter().map(of).collect()
}

/// Returns what each example weighs: what the data says, or 1; balanced so that every class has the same sum.
pub(super) fn example_weights(dataset: &Dataset, chunks: &[Vec<usize>], balanced: bool) -> Vec<f64> {
    let mut weights = dataset.weights.clone();
    weights.resize(dataset.examples.len(), 1.0);
    if !balanced {
        return weights;
    }
    let classes = classes(dataset);
    let mut sizes = std::collections::BTreeMap::new();
    let used = || chunks.iter().flatten();
    used().for_each(|&example| *sizes.entry(classes[example]).or_insert(0.0) += weights[example]);
    let mean = sizes.values().sum::<f64>() / sizes.len().max(1) as f64;
    used().for_each(|&example| weights[example] *= mean / sizes[&classes[example]].max(f64::MIN_POSITIVE));
    weights
}

pub(super) fn count(
    chunk: &[usize],
    is_entailed: impl Fn(usize) -> bool,
    template: &Template,
    dataset: &Dataset,
    weights: &[f64],
    unentailed: Unentailed,
) -> Vec<ExampleQueries> {
    let mut number = 0;
    let mut all = Vec::new();
    for &example in chunk {
        let weight = weights[example];
        let mut counted = ExampleQueries { example, weight, ..ExampleQueries::default() };
        for query in &dataset.queries[example] {
            let is_left_out = !matches!(unentailed, Unentailed::Value(_)) && !is_entailed(number as usize);
            if let (Some(target), false) = (&query.target, is_left_out) {
                let shape = template.predicates[query.predicate.index()].shape.unwrap_or(Shape::NUMBER);
                let spread = if target.len() == 1 { vec![target[0]; shape.size()] } else { target.clone() };
                counted.queries.push(number);
                counted.sizes.push(shape.size() as u32);
                counted.targets.extend(spread);
                counted.importance.push(query.weight);
            }
            number += 1;
        }
        if counted.importance.iter().all(|&weight| weight == 1.0) {
            counted.importance.clear();
        }
        all.push(counted);
    }
    all.retain(|counted| !counted.queries.is_empty());
    all
}

/// Returns where the numbers are that learn: neighbours together.
pub(super) fn learnable(template: &Template, networks: &Networks, frozen: &[String]) -> Vec<Range<usize>> {
    let learns = |id: WeightId| {
        let weight = template.weight(id);
        let is_frozen =
            weight.name.as_ref().is_some_and(|name| frozen.iter().any(|frozen| **frozen == **name));
        !weight.fixed && !is_frozen
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (_, range) in networks.parameters.iter().filter(|((weight, _), _)| learns(*weight)) {
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}
