//! How far a sweep over a recursive stratum can move values apart, from the weights alone: below 1, sweeps come together
//! from every start, at one fixed point.

use super::{Parameters, WeightKey};
use crate::function::{Activation, Aggregation, Combination, Combiner, Real, Shape};
use crate::template::{Rule, Stratum, Template, WeightUse};
use crate::vocabulary::PredicateId;

/// Returns a bound of the slopes of one sweep: for each predicate, Σ over its rules of |weight| · recursive inputs ·
/// slopes; of all, the largest. None where a function has no steepest slope. `largest` is the size of the largest group,
/// by which sums count.
pub(crate) fn bound<R: Real>(
    template: &Template,
    stratum: &Stratum,
    parameters: &Parameters,
    numbers: &[R],
    largest: u32,
) -> Option<f64> {
    let norm = |used: Option<&WeightUse>| {
        let Some(used) = used else { return 1.0 };
        let shape = template.weight(used.weight).shape;
        let own = parameters.iter().filter(|((weight, _), _): &(&WeightKey, _)| *weight == used.weight);
        own.map(|(_, range)| row_sum(&numbers[range], shape)).fold(0.0, f64::max)
    };
    let rule = |rule: &Rule| {
        let functions = &rule.functions;
        let recursive = rule.inputs.iter().filter(|input| stratum.predicates.contains(&input.atom.predicate));
        let inputs: Vec<f64> = recursive.map(|input| norm(input.weight.as_ref())).collect();
        let inputs = joined(&functions.combination, &inputs)?;
        let aggregation = match functions.aggregation {
            Aggregation::Max | Aggregation::Min | Aggregation::Mean => 1.0,
            Aggregation::Sum => f64::from(largest),
            Aggregation::Count => 0.0,
            _ => return None,
        };
        Some(norm(rule.weight.as_ref()) * aggregation * inputs * slope(functions.activation)?)
    };
    let of_predicate = |&id: &PredicateId| {
        let predicate = &template.predicates[id.index()];
        let own = stratum.rules.iter().map(|&id| template.rule(id)).filter(|rule| rule.head.predicate == id);
        let is_recursive =
            |rule: &&Rule| rule.inputs.iter().any(|input| stratum.predicates.contains(&input.atom.predicate));
        let rules = own.filter(is_recursive).map(rule).collect::<Option<Vec<f64>>>()?;
        Some(joined(&predicate.combination, &rules)? * slope(predicate.activation)?)
    };
    let all = stratum.predicates.iter().map(of_predicate).collect::<Option<Vec<f64>>>()?;
    Some(all.into_iter().fold(0.0, f64::max))
}

/// Returns the largest sum of a row's absolute numbers.
fn row_sum<R: Real>(numbers: &[R], shape: Shape) -> f64 {
    let rows = numbers.chunks(shape.columns.max(1) as usize);
    rows.map(|row| row.iter().map(|number| number.to_f64().abs()).sum()).fold(0.0, f64::max)
}

/// Returns the slope of a combination whose inputs have these.
fn joined(combination: &Combiner, slopes: &[f64]) -> Option<f64> {
    let Combiner::All(combination) = combination else { return None };
    match combination {
        Combination::Sum => Some(slopes.iter().sum()),
        Combination::Min | Combination::Max | Combination::Mean | Combination::Concat => {
            Some(slopes.iter().copied().fold(0.0, f64::max))
        }
        _ => None,
    }
}

/// Returns the steepest slope of an activation.
fn slope(activation: Activation) -> Option<f64> {
    match activation {
        Activation::Sigmoid => Some(0.25),
        Activation::Identity
        | Activation::Tanh
        | Activation::Relu
        | Activation::LeakyRelu
        | Activation::Softplus
        | Activation::Abs
        | Activation::Reverse
        | Activation::Lukasiewicz
        | Activation::LukasiewiczConjunction
        | Activation::LukasiewiczDisjunction
        | Activation::Softmax => Some(1.0),
        _ => None,
    }
}
