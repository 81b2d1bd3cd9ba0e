//! The weights of a last layer that is linear: those that enter the answers and nothing else.

use std::collections::BTreeSet;

use super::loss::Loss;
use super::newton::{Bend, LinearCase};
use super::problem::{Bench, Problem};
use crate::data::Dataset;
use crate::function::{Activation, Real};
use crate::network::Networks;
use crate::template::{Offset, Template, WeightId, WeightUse};
use crate::vocabulary::PredicateId;

/// The numbers of a last layer that is linear.
#[derive(Clone, Debug)]
pub(super) struct Readout {
    /// By place among the parameters, whether it is one of them.
    pub places: Vec<bool>,
    pub bend: Bend,
}

impl Readout {
    /// Returns the last layer, if there is one: the predicates that are asked for are in no body, add up numbers, and
    /// end in an activation with which the loss is convex.
    pub fn new(template: &Template, dataset: &Dataset, networks: &Networks, loss: Loss) -> Option<Self> {
        let asked: BTreeSet<PredicateId> =
            dataset.queries.iter().flatten().map(|query| query.predicate).collect();
        let mut inputs = template.rules.iter().flat_map(|rule| &rule.inputs);
        if asked.is_empty() || inputs.any(|input| asked.contains(&input.atom.predicate)) {
            return None;
        }
        let bends: Option<Vec<Bend>> = asked.iter().map(|&id| bend(template, id, loss)).collect();
        let (bend, own) = (*bends?.first()?, own_weights(template, &asked));
        let mut places = vec![false; networks.parameters.len()];
        for ((weight, _), range) in networks.parameters.iter() {
            places[range].fill(own.contains(weight) && !template.weight(*weight).fixed);
        }
        places.contains(&true).then_some(Self { places, bend })
    }
}

/// Returns how the loss bends with the sum of a predicate's atoms, if that sum is linear and the loss convex in it.
fn bend(template: &Template, id: PredicateId, loss: Loss) -> Option<Bend> {
    let predicate = &template.predicates[id.index()];
    let is_number = predicate.shape.is_none_or(crate::function::Shape::is_number);
    if !is_number || !predicate.combination.is_sum() {
        return None;
    }
    match (predicate.activation, loss) {
        (Activation::Sigmoid, Loss::CrossEntropy) | (Activation::Identity, Loss::Logits) => {
            Some(Bend::Logistic)
        }
        (Activation::Identity, Loss::Squared) => Some(Bend::Square),
        _ => None,
    }
}

/// Returns the weights that enter atoms of these predicates, and nothing else.
fn own_weights(template: &Template, asked: &BTreeSet<PredicateId>) -> BTreeSet<WeightId> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    let id = |weight: &Option<WeightUse>| weight.as_ref().map(|weight| weight.weight);
    let of_offset = |offset: &Offset| match offset {
        Offset::Weight(weight) => Some(*weight),
        Offset::Fixed(_) => None,
    };
    for rule in &template.rules {
        let is_own = asked.contains(&rule.head.predicate);
        (if is_own { &mut own } else { &mut others }).extend(id(&rule.weight));
        others.extend(rule.inputs.iter().filter_map(|input| id(&input.weight)));
        others.extend(of_offset(&rule.functions.offset));
    }
    for fact in &template.facts {
        (if asked.contains(&fact.atom.predicate) { &mut own } else { &mut others }).extend(id(&fact.weight));
    }
    for (at, predicate) in template.predicates.iter().enumerate() {
        let is_own = asked.contains(&PredicateId(at as u32));
        (if is_own { &mut own } else { &mut others }).extend(of_offset(&predicate.offset));
    }
    own.difference(&others).copied().collect()
}

impl Problem {
    /// Returns what the last layer of a network has to learn, under these parameters.
    pub(super) fn linear_cases<R: Real>(
        &self,
        at: usize,
        readout: &Readout,
        parameters: &[R],
        bench: &mut Bench<R>,
    ) -> Vec<LinearCase> {
        let network = &self.networks.networks[at];
        network.forward(&self.schedule, parameters, &mut bench.space);
        let rows = network.readout(&self.schedule, &bench.space);
        let mut cases = Vec::new();
        for counted in &self.counted[at] {
            for (&query, &target) in counted.queries.iter().zip(&counted.targets) {
                let Some(row) = &rows[query as usize] else { continue };
                let (mut features, mut rest) = (Vec::new(), row.rest);
                for &(place, value) in &row.features {
                    match readout.places[place as usize] {
                        true => features.push((place, value)),
                        false => rest += parameters[place as usize].to_f64() * value,
                    }
                }
                cases.push(LinearCase { features, rest, target, weight: counted.weight });
            }
        }
        cases
    }
}
