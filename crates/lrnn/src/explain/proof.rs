//! The part of the ground network behind some atoms, in flat arrays: what the reference network has neuron by neuron,
//! small enough that all examples of a dataset can be explained one after the other.

use std::ops::Range;

use super::ExplainError;
use super::order::{Order, Row};
use super::weigh::{Scales, Weighed};
use crate::data::Example;
use crate::function::{Activation, Combination, Value};
use crate::ground::{FactSource, Grounding};
use crate::network::Weights;
use crate::template::{Offset, RuleId, Template};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// An atom neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct AtomNode {
    /// Its predicate.
    pub predicate: PredicateId,
    /// Its row in the grounding.
    pub row: u32,
    /// Its aggregation neurons, in the order of the rules.
    pub groups: Range<usize>,
    /// Its fact neurons.
    pub facts: Range<usize>,
}

/// A fact neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct FactNode {
    /// The atom it is a fact of.
    pub atom: usize,
    /// Where it was written.
    pub source: FactSource,
    pub(super) weight: Weighed,
}

impl FactNode {
    /// The numbers of its weight.
    pub fn weight(&self) -> &[f64] {
        self.weight.as_ref().map_or(&[1.0], |weight| &weight.0)
    }
}

/// An aggregation neuron.
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
    pub(super) weight: Weighed,
    pub(super) input_weights: Vec<Weighed>,
    /// Where the inputs of its rule neurons begin.
    first_input: usize,
}

impl GroupNode {
    /// The numbers of its weight.
    pub fn weight(&self) -> &[f64] {
        self.weight.as_ref().map_or(&[1.0], |weight| &weight.0)
    }

    /// The numbers of the weight on an input of its rule neurons.
    pub fn input_weight(&self, input: usize) -> &[f64] {
        self.input_weights.get(input).and_then(Option::as_ref).map_or(&[1.0], |weight| &weight.0)
    }
}

/// The part of the ground network behind some atoms, with the numbers of its weights.
#[derive(Clone, Debug)]
pub struct Proof<'a> {
    /// The template.
    pub template: &'a Template,
    /// The names.
    pub vocabulary: &'a Vocabulary,
    /// The grounding it comes from.
    pub grounding: &'a Grounding,
    /// The atom neurons, each after those it needs.
    pub atoms: Vec<AtomNode>,
    /// The fact neurons, atom by atom.
    pub facts: Vec<FactNode>,
    /// The aggregation neurons, atom by atom.
    pub groups: Vec<GroupNode>,
    /// The rule neurons, group by group: the number of the ground rule among its rule's.
    pub neurons: Vec<u32>,
    /// The atoms that enter the rule neurons.
    inputs: Vec<u32>,
    places: Vec<Vec<u32>>,
    /// By rule, b0 of g∧; by predicate, g∨ with its b0.
    pub(super) rule_offsets: Vec<Value<f64>>,
    pub(super) atom_functions: Vec<(Combination, Activation, Value<f64>)>,
}

impl<'a> Proof<'a> {
    /// All that stands behind these atoms, each a predicate with a row of the grounding.
    pub fn new(
        template: &'a Template,
        vocabulary: &'a Vocabulary,
        example: &Example,
        grounding: &'a Grounding,
        weights: &Weights,
        roots: &[(PredicateId, u32)],
    ) -> Result<Self, ExplainError> {
        let mut order = Order::new(template, vocabulary, grounding, roots)?;
        let scales = Scales { template, vocabulary, weights };
        let offset = |rule: &crate::template::Rule| scales.offset(&rule.functions.offset);
        let mut proof = Self {
            template,
            vocabulary,
            grounding,
            atoms: Vec::with_capacity(order.atoms.len()),
            facts: Vec::new(),
            groups: Vec::new(),
            neurons: Vec::new(),
            inputs: Vec::new(),
            places: std::mem::take(&mut order.places),
            rule_offsets: template.rules.iter().map(offset).collect(),
            atom_functions: atom_functions(&scales),
        };
        for &atom in &order.atoms {
            proof.atom(atom, &order, &scales, example)?;
        }
        Ok(proof)
    }

    fn atom(
        &mut self,
        (predicate, row): Row,
        order: &Order<'_>,
        scales: &Scales<'_>,
        example: &Example,
    ) -> Result<(), ExplainError> {
        let first_group = self.groups.len();
        for &rule in &order.rules[predicate.index()] {
            let numbers = order.heads[rule.index()].of(row);
            self.rule(rule, numbers, scales)?;
        }
        let first_fact = self.facts.len();
        let all = &self.grounding.facts[predicate.index()];
        let terms = self.grounding.relations[predicate.index()].row(row);
        let start = all.partition_point(|fact| fact.0 < row);
        for &(_, source) in all[start..].iter().take_while(|fact| fact.0 == row) {
            let weight = scales.of_fact(source, example, terms);
            let weight = weight.ok_or_else(|| ExplainError::Index("a fact".to_owned()))?;
            self.facts.push(FactNode { atom: self.atoms.len(), source, weight });
        }
        let (groups, facts) = (first_group..self.groups.len(), first_fact..self.facts.len());
        self.atoms.push(AtomNode { predicate, row, groups, facts });
        Ok(())
    }

    /// The aggregation and rule neurons of a rule with one head.
    fn rule(&mut self, id: RuleId, numbers: &[u32], scales: &Scales<'_>) -> Result<(), ExplainError> {
        let (rule, ground) = (self.template.rule(id), &self.grounding.rules[id.index()]);
        let index = |number: u32| -> Vec<ConstantId> {
            ground.index.iter().map(|column| column[number as usize]).collect()
        };
        let mut numbers = numbers.to_vec();
        if !ground.index.is_empty() {
            numbers.sort_by_cached_key(|&number| index(number));
        }
        for same in numbers.chunk_by(|&a, &b| ground.index.is_empty() || index(a) == index(b)) {
            let index = index(same[0]);
            let weigh = |weight| {
                let found = scales.of_rule(rule, weight, &index);
                found.ok_or_else(|| ExplainError::Index(format!("rule {}", id.0 + 1)))
            };
            let weight = weigh(rule.weight.as_ref())?;
            let input_weights =
                rule.inputs.iter().map(|input| weigh(input.weight.as_ref())).collect::<Result<_, _>>()?;
            let (first_neuron, first_input) = (self.neurons.len(), self.inputs.len());
            for &number in same {
                self.neurons.push(number);
                for (input, column) in rule.inputs.iter().zip(&ground.body) {
                    let place = self.places[input.atom.predicate.index()][column[number as usize] as usize];
                    self.inputs.push(place);
                }
            }
            let (atom, neurons) = (self.atoms.len(), first_neuron..self.neurons.len());
            self.groups.push(GroupNode {
                rule: id,
                index,
                atom,
                neurons,
                weight,
                input_weights,
                first_input,
            });
        }
        Ok(())
    }

    /// The place of an atom among those of the proof.
    pub fn find(&self, predicate: PredicateId, row: u32) -> Option<usize> {
        let place = *self.places.get(predicate.index())?.get(row as usize)? as usize;
        (place < self.atoms.len()).then_some(place)
    }

    /// The atoms that enter a rule neuron of a group, in the order of the body.
    #[inline]
    pub fn inputs(&self, group: &GroupNode, neuron: usize) -> &[u32] {
        let width = group.input_weights.len();
        let start = group.first_input + (neuron - group.neurons.start) * width;
        &self.inputs[start..start + width]
    }

    /// The terms of an atom.
    pub fn terms(&self, atom: usize) -> &'a [ConstantId] {
        let AtomNode { predicate, row, .. } = self.atoms[atom];
        self.grounding.relations[predicate.index()].row(row)
    }

    /// An atom as text.
    pub fn atom_text(&self, atom: usize) -> String {
        self.vocabulary.atom_text(self.atoms[atom].predicate, self.terms(atom))
    }

    /// The ground rule of a rule neuron as text.
    pub fn rule_text(&self, group: &GroupNode, neuron: usize) -> String {
        let number = self.neurons[neuron] as usize;
        self.grounding.rule_text(self.template, self.vocabulary, group.rule, number)
    }

    /// Whether an atom has the sum of its facts, without g∨.
    pub(super) fn is_plain(&self, atom: &AtomNode) -> bool {
        atom.groups.is_empty() && self.template.family.facts_enter_as_values
    }
}

/// g∨ of every predicate; one that only the data knows has the functions of the family.
fn atom_functions(scales: &Scales<'_>) -> Vec<(Combination, Activation, Value<f64>)> {
    let family = &scales.template.family.atom;
    let functions = |predicate: usize| match scales.template.predicates.get(predicate) {
        Some(known) => (known.combination, known.activation, scales.offset(&known.offset)),
        None => (family.combination, family.activation, scales.offset(&Offset::Fixed(family.offset))),
    };
    (0..scales.vocabulary.predicate_count()).map(functions).collect()
}
