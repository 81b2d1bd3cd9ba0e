//! How well any weights could answer: examples that the template cannot tell apart have one value, whatever the weights.

use std::collections::BTreeMap;

use super::example_queries::{ExampleQueries, count};
use super::loss::{Loss, largest};
use super::problem::Unentailed;
use crate::data::Dataset;
use crate::network::Network;
use crate::template::Template;

/// The neurons that give an answer, and which of their numbers.
type AnswerNeurons = (Vec<Option<u32>>, usize);

/// Returns the fewest answers that are wrong under any weights, for the queries of these examples. The network must be
/// built of all of them together, with equal neurons merged: queries answered by one neuron have one value, so all but
/// the most frequent of their classes are wrong. `None` for a loss whose answers are no classes.
pub fn least_wrong(
    template: &Template,
    dataset: &Dataset,
    network: &Network,
    examples: &[usize],
    loss: Loss,
    unentailed: Unentailed,
) -> Option<u32> {
    if loss == Loss::Ranking {
        return None;
    }
    let weights = vec![1.0; dataset.examples.len()];
    let mut classes: BTreeMap<AnswerNeurons, BTreeMap<usize, u32>> = BTreeMap::new();
    for counted in
        count(examples, |query| network.is_entailed(query), template, dataset, &weights, unentailed)
    {
        for (answering, class) in answers(&counted, network, loss) {
            *classes.entry(answering).or_default().entry(class).or_default() += 1;
        }
    }
    // Outside the model the value is known.
    let outside = match unentailed {
        Unentailed::Value(value) if loss != Loss::Softmax => usize::from(loss.probability(value) > 0.5),
        _ => 0,
    };
    let wrong = |((neurons, _), classes): (&AnswerNeurons, &BTreeMap<usize, u32>)| {
        let right = match neurons.iter().all(Option::is_none) {
            true => classes.get(&outside).copied().unwrap_or(0),
            false => classes.values().copied().max().unwrap_or(0),
        };
        classes.values().sum::<u32>() - right
    };
    Some(classes.iter().map(wrong).sum())
}

/// Returns every answer of an example: what gives it, and the class that it should be.
fn answers(counted: &ExampleQueries, network: &Network, loss: Loss) -> Vec<(AnswerNeurons, usize)> {
    let neuron = |query: &u32| network.answering(*query as usize);
    let neurons: Vec<Option<u32>> = counted.queries.iter().map(neuron).collect();
    if loss == Loss::Softmax && counted.sizes.iter().all(|&size| size == 1) {
        return vec![((neurons, 0), largest(&counted.targets))];
    }
    let (mut all, mut at) = (Vec::new(), 0);
    for (&neuron, &size) in neurons.iter().zip(&counted.sizes) {
        let targets = &counted.targets[at..at + size as usize];
        at += size as usize;
        if loss == Loss::Softmax {
            all.push(((vec![neuron], 0), largest(targets)));
        } else {
            let number = |(at, &target): (usize, &f64)| ((vec![neuron], at), usize::from(target > 0.5));
            all.extend(targets.iter().enumerate().map(number));
        }
    }
    all
}
