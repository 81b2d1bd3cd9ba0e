//! Backwards through the reference network, neuron by neuron: the chain rule as it stands in the books.

use std::collections::BTreeMap;
use std::ops::Range;

use super::evaluate::{Evaluation, ValueCells, views};
use super::{AtomNode, EdgeWeight, GroupNode, Reference};
use crate::function::{Activation, Combination, OwnedValue, Real, Shape, View, times_backward};
use crate::network::settling::{most_sweeps, tolerance};
use crate::network::{NetworkError, WeightKey, Weights};
use crate::template::{Offset, Template};
use crate::vocabulary::Vocabulary;

/// The gradient by every weight at every index.
pub type Gradient<R> = BTreeMap<WeightKey, Vec<R>>;

impl Reference {
    /// Returns the gradient of Σ seed · value by every weight, where `seeds` gives atom neurons and the gradients by
    /// their values.
    pub fn gradient<R: Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
        seeds: &[(usize, Vec<R>)],
    ) -> Result<Gradient<R>, NetworkError> {
        let evaluation = self.evaluation::<R>(template, vocabulary, weights)?;
        let mut by_atoms = evaluation.values.atoms.zeros();
        seeds.iter().for_each(|(atom, seed)| by_atoms.add(*atom, seed));
        let mut backwards = Backwards { evaluation, by_atoms, by_weights: Gradient::new() };
        let mut next = self.atoms.len();
        for (number, cycle) in self.cycles.iter().enumerate().rev() {
            (cycle.end..next).rev().try_for_each(|atom| backwards.checked(atom))?;
            backwards.cycle(number, cycle.clone())?;
            next = cycle.start;
        }
        (0..next).rev().try_for_each(|atom| backwards.checked(atom))?;
        Ok(backwards.by_weights)
    }
}

struct Backwards<'a, R> {
    evaluation: Evaluation<'a, R>,
    by_atoms: ValueCells<R>,
    by_weights: Gradient<R>,
}

/// Returns the sum over the elements a number was spread over, or the gradient as it is.
fn gathered<R: Real>(gradient: &[R], shape: Shape) -> Vec<R> {
    match shape.is_number() {
        true => vec![gradient.iter().copied().sum()],
        false => gradient.to_vec(),
    }
}

impl<R: Real> Backwards<'_, R> {
    fn checked(&mut self, number: usize) -> Result<(), NetworkError> {
        let (network, vocabulary) = (self.evaluation.network, self.evaluation.vocabulary);
        let atom = &network.atoms[number];
        let name = || NetworkError::Shape(vocabulary.signature(atom.predicate).to_string());
        let by_atom = self.by_atoms.of(number).0.to_vec();
        if atom.is_zero() { Ok(()) } else { self.atom(number, atom, by_atom).ok_or_else(name) }
    }

    /// Goes backwards through atoms that need each other, with the terms of λ = g + Jᵀg + JᵀJᵀg + ...
    fn cycle(&mut self, number: usize, atoms: Range<usize>) -> Result<(), NetworkError> {
        let (state, vocabulary) = (self.evaluation.settled[number], self.evaluation.vocabulary);
        let name = |node: &AtomNode| vocabulary.signature(node.predicate).to_string();
        let share = state.damping;
        let mut term = self.taken(&atoms);
        term.iter_mut().flatten().for_each(|number| *number *= share);
        let size =
            |term: &[Vec<R>]| term.iter().flatten().fold(R::ZERO, |most, number| most.max(number.abs()));
        let first = size(&term);
        for _ in 0..most_sweeps(atoms.len()) {
            if size(&term) <= tolerance::<R>() * first {
                break;
            }
            // Each atom sends its part of the term on, and none sees what another sent.
            for (at, atom) in atoms.clone().enumerate() {
                let node = &self.evaluation.network.atoms[atom];
                self.atom(atom, node, term[at].clone()).ok_or_else(|| NetworkError::Shape(name(node)))?;
            }
            for (term, next) in term.iter_mut().zip(self.taken(&atoms)) {
                let both = term.iter_mut().zip(next);
                both.for_each(|(term, next)| *term = (R::ONE - share) * *term + share * next);
            }
        }
        Ok(())
    }

    /// Returns the gradients by some atoms, and makes them 0.
    fn taken(&mut self, atoms: &Range<usize>) -> Vec<Vec<R>> {
        let mut take = |atom: usize| {
            let numbers = self.by_atoms.numbers_mut(atom);
            let taken = numbers.to_vec();
            numbers.fill(R::ZERO);
            taken
        };
        atoms.clone().map(&mut take).collect()
    }

    fn atom(&mut self, number: usize, atom: &AtomNode, mut by_x: Vec<R>) -> Option<()> {
        let known = self.evaluation.template.predicates.get(atom.predicate.index());
        if known.is_some_and(|known| known.value.is_some()) {
            return Some(()); // no weight is behind it
        }
        let inputs = self.evaluation.atom_inputs(atom)?;
        let (template, output) = (self.evaluation.template, self.evaluation.values.atoms.of(number));
        let is_plain = atom.groups.is_empty() && template.family.facts_enter_as_values;
        let (combination, activation, offset) = match &self.evaluation.numbers.atoms[atom.predicate.index()] {
            _ if is_plain => (Combination::Sum.into(), Activation::Identity, (vec![R::ZERO], Shape::NUMBER)),
            known => known.clone(),
        };
        let result = combination.apply(&views(&inputs))?;
        let sum = super::evaluate::plus(&result, &offset)?;
        // A number that stands for all elements of an atom's value was spread before the activation.
        let x = if sum.1.is_number() { vec![sum.0[0]; output.0.len()] } else { sum.0 };
        activation.backward(&x, output.0, &mut by_x);
        let known = template.predicates.get(atom.predicate.index()).filter(|_| !is_plain);
        self.offset(known.map(|known| &known.offset), &by_x, offset.1);
        let by_inputs = combination.backward(&views(&inputs), &gathered(&by_x, result.1))?;
        let (by_groups, by_facts) = by_inputs.split_at(atom.groups.len());
        for (group, by_input) in atom.groups.clone().zip(by_groups) {
            self.group(group, by_input)?;
        }
        let one: View<'_, R> = (&[R::ONE], Shape::NUMBER);
        for (fact, by_input) in atom.facts.clone().zip(by_facts) {
            let weight = Some(self.evaluation.network.facts[fact].weight.clone());
            let numbers = self.evaluation.numbers.facts[fact].clone();
            self.edge(weight, &numbers, one, by_input)?;
        }
        Some(())
    }

    fn group(&mut self, number: usize, by_input: &[R]) -> Option<()> {
        let (network, template) = (self.evaluation.network, self.evaluation.template);
        let group: &GroupNode = &network.groups[number];
        let rule = template.rule(group.rule);
        let numbers = self.evaluation.numbers.groups[number].clone();
        let (value, shape) = self.evaluation.values.groups.of(number);
        let value = value.to_vec();
        let weight = group.weight(rule, rule.weight.as_ref());
        let by_group = self.edge(weight, &numbers, (&value, shape), by_input)?;
        let values = &self.evaluation.values.neurons;
        let rows = group.neurons.clone().map(|neuron| values.of(neuron).0);
        let mut by_rows = vec![R::ZERO; group.neurons.len() * by_group.len()];
        rule.functions.aggregation.backward(&rows, &by_group, &mut by_rows);
        for (neuron, by_neuron) in group.neurons.clone().zip(by_rows.chunks(by_group.len().max(1))) {
            self.rule(group, number, neuron, by_neuron.to_vec())?;
        }
        Some(())
    }

    fn rule(&mut self, group: &GroupNode, number: usize, neuron: usize, mut by_sum: Vec<R>) -> Option<()> {
        let (network, template) = (self.evaluation.network, self.evaluation.template);
        let rule = template.rule(group.rule);
        let inputs: Vec<OwnedValue<R>> = self.evaluation.rule_inputs(group, number, neuron)?;
        let sum = self.evaluation.numbers.rule_sum(template, group.rule, &inputs)?;
        let output = self.evaluation.values.neurons.of(neuron).0;
        rule.functions.activation.backward(&sum.0, output, &mut by_sum);
        let shape = self.evaluation.numbers.offsets[group.rule.index()].1;
        self.offset(Some(&rule.functions.offset), &by_sum, shape);
        let combination = &rule.functions.combination;
        let combined = combination.apply(&views(&inputs))?.1;
        let by_inputs = combination.backward(&views(&inputs), &gathered(&by_sum, combined))?;
        let atoms = network.inputs(template, group, neuron);
        for (position, (&atom, by_input)) in atoms.iter().zip(&by_inputs).enumerate() {
            let input = &rule.inputs[position];
            let (value, shape) = self.evaluation.values.atoms.of(atom as usize);
            let turned: Vec<R> = value.iter().map(|&x| if input.negated { R::ONE - x } else { x }).collect();
            let numbers = self.evaluation.numbers.inputs[number][position].clone();
            let weight = group.weight(rule, input.weight.as_ref());
            let mut by_value = self.edge(weight, &numbers, (&turned, shape), by_input)?;
            if input.negated {
                by_value.iter_mut().for_each(|by| *by = -*by);
            }
            self.by_atoms.add(atom as usize, &by_value);
        }
        Some(())
    }

    /// Returns the gradient by what came in over an edge goes to the edge's weight; what is left is that by the value.
    fn edge(
        &mut self,
        weight: Option<EdgeWeight>,
        numbers: &Option<OwnedValue<R>>,
        value: View<'_, R>,
        by_input: &[R],
    ) -> Option<Vec<R>> {
        let Some((numbers, shape)) = numbers else { return Some(by_input.to_vec()) };
        let (by_weight, by_value) = times_backward((numbers, *shape), value, by_input)?;
        if let Some(EdgeWeight::Weight(id, index)) = weight {
            self.add((id, index), &by_weight);
        }
        Some(by_value)
    }

    fn offset(&mut self, offset: Option<&Offset>, by_sum: &[R], shape: Shape) {
        if let Some(Offset::Weight(weight)) = offset {
            self.add((*weight, Vec::new()), &gathered(by_sum, shape));
        }
    }

    fn add(&mut self, key: WeightKey, gradient: &[R]) {
        let sum = self.by_weights.entry(key).or_insert_with(|| vec![R::ZERO; gradient.len()]);
        sum.iter_mut().zip(gradient).for_each(|(sum, &gradient)| *sum += gradient);
    }
}
