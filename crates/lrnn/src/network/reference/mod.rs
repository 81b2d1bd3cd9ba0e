//! The reference network: the ground neural network of the paper, neuron by neuron. It is the oracle for every
//! faster engine, so it stays as close to the definition as it can, and is never optimised. Explanations look at the
//! same network, or at the part of it behind some atoms.

mod build;
mod evaluate;
mod gradient;

pub use evaluate::{AtomFunctions, EdgeNumbers, ValueCells, Values};
pub use gradient::Gradient;

use std::ops::Range;

use crate::function::Shape;
use crate::ground::FactSource;
use crate::template::{Rule, RuleId, Template, Term, VariableId, WeightId, WeightUse};
use crate::vocabulary::{ConstantId, PredicateId};

/// A kind of neuron.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeuronKind {
    /// A ground fact: it has no inputs and outputs 1.
    Fact,
    /// A ground rule: g∧ of its body.
    Rule(RuleId),
    /// A rule, at an index of its weights, with one head: g* of its ground rules.
    Aggregation(RuleId),
    /// A ground atom: g∨ of its aggregation and fact neurons.
    Atom(PredicateId),
}

/// The weight on an edge.
#[derive(Clone, PartialEq, Debug)]
pub enum EdgeWeight {
    /// The fixed 1.
    One,
    /// A value of the example.
    Value(Vec<f64>, Shape),
    /// A weight of the template at an index.
    Weight(WeightId, Vec<ConstantId>),
}

/// An atom neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct AtomNode {
    /// Its predicate.
    pub predicate: PredicateId,
    /// Its row in the grounding.
    pub row: u32,
    /// Its terms.
    pub terms: Vec<ConstantId>,
    /// Its aggregation neurons, in the order of the rules.
    pub groups: Range<usize>,
    /// Its fact neurons.
    pub facts: Range<usize>,
}

impl AtomNode {
    /// Returns whether it is 0, the beginning of steps: every atom of the model has a fact or a rule.
    pub fn is_zero(&self) -> bool {
        self.groups.is_empty() && self.facts.is_empty()
    }
}

/// A fact neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct FactNode {
    /// The atom it is a fact of.
    pub atom: usize,
    /// Its origin.
    pub source: FactSource,
    /// The weight with which it enters its atom.
    pub weight: EdgeWeight,
}

/// An aggregation neuron with its rule neurons.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupNode {
    /// Its rule.
    pub rule: RuleId,
    /// The values of the rule's index variables.
    pub index: Vec<ConstantId>,
    /// Its head.
    pub atom: usize,
    /// Its rule neurons.
    pub neurons: Range<usize>,
    /// Number of the first body of its rule neurons.
    first: usize,
}

impl GroupNode {
    /// Returns a weight of its rule at its index; `None` if the rule does not give the index of the weight.
    pub fn weight(&self, rule: &Rule, used: Option<&WeightUse>) -> Option<EdgeWeight> {
        let value =
            |variable| rule.index.iter().zip(&self.index).find(|it| *it.0 == variable).map(|it| *it.1);
        edge_weight(used, value)
    }
}

fn edge_weight(
    used: Option<&WeightUse>,
    value: impl Fn(VariableId) -> Option<ConstantId>,
) -> Option<EdgeWeight> {
    let Some(used) = used else { return Some(EdgeWeight::One) };
    let ground = |term: &Term| match term {
        Term::Variable(variable) => value(*variable),
        Term::Constant(constant) => Some(*constant),
    };
    Some(EdgeWeight::Weight(used.weight, used.index.iter().map(ground).collect::<Option<_>>()?))
}

/// Number of neurons of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct NeuronCounts {
    /// Fact neurons.
    pub fact: usize,
    /// Rule neurons.
    pub rule: usize,
    /// Aggregation neurons.
    pub aggregation: usize,
    /// Atom neurons.
    pub atom: usize,
}

/// No place.
const NONE: u32 = u32::MAX;

/// The ground neural network of a template with an example, or the part of it behind some atoms.
#[derive(Clone, Default, Debug)]
pub struct Reference {
    /// The atom neurons, each after those it needs; where atoms need each other, all of them together. One without
    /// aggregation and fact neurons is 0: the beginning of steps.
    pub atoms: Vec<AtomNode>,
    /// The ranges of atoms that need each other.
    pub cycles: Vec<Range<usize>>,
    /// The fact neurons, atom by atom.
    pub facts: Vec<FactNode>,
    /// The aggregation neurons, atom by atom.
    pub groups: Vec<GroupNode>,
    /// The rule neurons, group by group: the number of the ground rule among its rule's.
    pub neurons: Vec<u32>,
    /// The atoms in the bodies of the rule neurons: inputs, then guards.
    bodies: Vec<u32>,
    /// By predicate and row: the place among the atoms.
    places: Vec<Vec<u32>>,
}

impl Reference {
    /// Returns the place of the atom in this row of the grounding among the atom neurons.
    pub fn atom(&self, predicate: PredicateId, row: u32) -> Option<usize> {
        let place = *self.places.get(predicate.index())?.get(row as usize)?;
        (place != NONE).then_some(place as usize)
    }

    /// Returns the atoms in the body of a rule neuron: its inputs, then its guards; a guard that is not part of the
    /// network has no place in it.
    #[inline]
    pub fn body(&self, template: &Template, group: &GroupNode, neuron: usize) -> &[u32] {
        let rule = template.rule(group.rule);
        let width = rule.inputs.len() + rule.guards.len();
        let start = group.first + (neuron - group.neurons.start) * width;
        &self.bodies[start..start + width]
    }

    /// Returns the atoms that enter a rule neuron, in the order of the body.
    #[inline]
    pub fn inputs(&self, template: &Template, group: &GroupNode, neuron: usize) -> &[u32] {
        &self.body(template, group, neuron)[..template.rule(group.rule).inputs.len()]
    }

    /// Returns how many neurons of each kind there are.
    pub fn counts(&self) -> NeuronCounts {
        let (fact, rule) = (self.facts.len(), self.neurons.len());
        NeuronCounts { fact, rule, aggregation: self.groups.len(), atom: self.atoms.len() }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
impl Reference {
    /// Returns the places of all atoms, by predicate and row.
    pub(super) fn rows(&self) -> impl Iterator<Item = (PredicateId, usize)> {
        let of = |(predicate, places): (u32, &'_ Vec<u32>)| {
            let known = places.iter().filter(|place| **place != NONE);
            known.map(|&place| (PredicateId(predicate), place as usize)).collect::<Vec<_>>()
        };
        (0..).zip(&self.places).flat_map(of)
    }
}
