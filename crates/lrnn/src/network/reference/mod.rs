//! The reference network: the ground neural network of the paper, neuron by neuron. It is the oracle for every
//! faster engine, so it stays as close to the definition as it can, and is never optimised.

mod build;
mod evaluate;
mod gradient;
mod order;

pub use evaluate::Values;
pub use gradient::Gradient;

use crate::function::Shape;
use crate::template::{RuleId, Template, WeightId};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A neuron of a reference network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NeuronId(pub u32);

impl NeuronId {
    /// The id as an index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a neuron stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NeuronKind {
    /// A ground fact: it has no inputs and outputs 1.
    Fact,
    /// A ground rule: g∧ of its body.
    Rule(RuleId),
    /// A rule, at an index of its weights, with one head: g* of its ground rules.
    Aggregation(RuleId),
    /// A ground atom: g∨ of its aggregation and fact neurons.
    Atom(PredicateId, Vec<ConstantId>),
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

/// An input of a neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Where it comes from.
    pub from: NeuronId,
    /// The weight on it.
    pub weight: EdgeWeight,
    /// Soft negation: 1 − value enters.
    pub negated: bool,
}

/// A neuron with its inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Neuron {
    /// What it stands for.
    pub kind: NeuronKind,
    /// Its inputs, all of them earlier neurons.
    pub inputs: Vec<Edge>,
}

/// How many neurons of each kind there are.
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

/// The ground neural network of a template with an example.
#[derive(Clone, Default, Debug)]
pub struct Reference {
    /// The neurons, each after its inputs.
    pub neurons: Vec<Neuron>,
    /// The atom neurons, by predicate id and row of the grounding.
    pub atoms: Vec<Vec<NeuronId>>,
}

impl Reference {
    /// The neuron with this id.
    pub fn neuron(&self, id: NeuronId) -> &Neuron {
        &self.neurons[id.index()]
    }

    /// The neuron of the atom in this row of the grounding.
    pub fn atom(&self, predicate: PredicateId, row: u32) -> Option<NeuronId> {
        self.atoms.get(predicate.index())?.get(row as usize).copied()
    }

    /// How many neurons of each kind there are.
    pub fn counts(&self) -> NeuronCounts {
        let mut counts = NeuronCounts::default();
        for neuron in &self.neurons {
            match neuron.kind {
                NeuronKind::Fact => counts.fact += 1,
                NeuronKind::Rule(_) => counts.rule += 1,
                NeuronKind::Aggregation(_) => counts.aggregation += 1,
                NeuronKind::Atom(..) => counts.atom += 1,
            }
        }
        counts
    }

    /// A neuron in words: its atom, or its rule with the atoms that enter.
    pub fn text(&self, template: &Template, vocabulary: &Vocabulary, id: NeuronId) -> String {
        let neuron = self.neuron(id);
        let head = |rule: RuleId| {
            let predicate = template.rule(rule).head.predicate;
            format!("rule {} for {}", rule.0 + 1, vocabulary.signature(predicate))
        };
        match &neuron.kind {
            NeuronKind::Fact => "a fact".to_owned(),
            NeuronKind::Aggregation(rule) => format!("the aggregation of {}", head(*rule)),
            NeuronKind::Atom(predicate, terms) => vocabulary.atom_text(*predicate, terms),
            NeuronKind::Rule(rule) => {
                let inputs = neuron.inputs.iter().map(|edge| self.text(template, vocabulary, edge.from));
                format!("{} with inputs [{}]", head(*rule), inputs.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests;
