//! The values of a proof. Numbers alone go a short way; whatever has a shape goes through the same functions as the
//! reference network. Both give the bits that the reference gives.

use super::proof::{AtomNode, GroupNode};
use super::weigh::Weighed;
use super::{Cells, ExplainError, Proof};
use crate::function::{Combination, Shape, Value, View, times};

/// The values of a proof, for facts that count so much.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// What each fact neuron outputs: 1 in the paper.
    pub facts: Vec<f64>,
    /// By atom.
    pub atoms: Cells,
    /// By aggregation neuron.
    pub groups: Cells,
    /// By rule neuron.
    pub neurons: Cells,
}

pub(super) fn views(values: &[Value<f64>]) -> Vec<View<'_, f64>> {
    values.iter().map(|(numbers, shape)| (&numbers[..], *shape)).collect()
}

pub(super) fn view(value: &Value<f64>) -> View<'_, f64> {
    (&value.0, value.1)
}

pub(super) fn plus(left: View<'_, f64>, right: View<'_, f64>) -> Option<Value<f64>> {
    Combination::Sum.apply(&[left, right])
}

/// weight · value, or weight · (1 − value).
pub(super) fn weighed(weight: &Weighed, (value, shape): View<'_, f64>, negated: bool) -> Option<Value<f64>> {
    let value: Vec<f64> = value.iter().map(|&x| if negated { 1.0 - x } else { x }).collect();
    match weight {
        None => Some((value, shape)),
        Some(weight) => times(view(weight), (&value, shape)),
    }
}

/// What a neuron makes of its inputs.
pub(super) struct Combined {
    /// What comes in, weighed.
    pub inputs: Vec<Value<f64>>,
    /// The shape of their combination.
    pub shape: Shape,
    /// What the activation is applied to.
    pub before: Value<f64>,
}

impl Proof<'_> {
    /// All values, where every fact neuron outputs 1 as in the paper.
    pub fn run(&self) -> Result<Run, ExplainError> {
        self.run_with(vec![1.0; self.facts.len()])
    }

    /// All values, where the fact neurons output these numbers.
    pub fn run_with(&self, facts: Vec<f64>) -> Result<Run, ExplainError> {
        let (atoms, groups, neurons) = (Cells::default(), Cells::default(), Cells::default());
        let mut run = Run { facts, atoms, groups, neurons };
        for (number, atom) in self.atoms.iter().enumerate() {
            self.run_atom(number, atom, &mut run)?;
        }
        Ok(run)
    }

    fn run_atom(&self, number: usize, atom: &AtomNode, run: &mut Run) -> Result<(), ExplainError> {
        let not_finite = || ExplainError::NotFinite(self.atom_text(number));
        let shape = || ExplainError::Shape(self.atom_text(number));
        for group in &self.groups[atom.groups.clone()] {
            if !self.run_group(group, run).ok_or_else(shape)? {
                return Err(not_finite());
            }
        }
        let (_, activation, _) = &self.atom_functions[atom.predicate.index()];
        let (mut numbers, shape) = self.combined_atom(atom, run).ok_or_else(shape)?.before;
        if !self.is_plain(atom) {
            activation.apply(&mut numbers);
        }
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(not_finite());
        }
        run.atoms.push(&numbers, shape);
        Ok(())
    }

    /// Whether all values are finite; none if shapes do not fit.
    fn run_group(&self, group: &GroupNode, run: &mut Run) -> Option<bool> {
        let functions = &self.template.rule(group.rule).functions;
        let mut is_finite = true;
        for neuron in group.neurons.clone() {
            let (mut numbers, shape) = match self.number_before(group, neuron, run) {
                Some(number) => {
                    let mut number = [number];
                    functions.activation.apply(&mut number);
                    is_finite &= number[0].is_finite();
                    run.neurons.push(&number, Shape::NUMBER);
                    continue;
                }
                None => self.combined_rule(group, neuron, run)?.before,
            };
            functions.activation.apply(&mut numbers);
            is_finite &= numbers.iter().all(|number| number.is_finite());
            run.neurons.push(&numbers, shape);
        }
        let (_, shape) = run.neurons.of(group.neurons.start);
        let fits = |neuron: usize| run.neurons.of(neuron).1 == shape;
        if !group.neurons.clone().all(fits) {
            return None;
        }
        let mut output = vec![0.0; shape.size()];
        let rows = group.neurons.clone().map(|neuron| run.neurons.of(neuron).0);
        functions.aggregation.apply(rows, &mut output);
        is_finite &= output.iter().all(|number| number.is_finite());
        run.groups.push(&output, shape);
        Some(is_finite)
    }

    /// What a rule neuron's activation is applied to, if it is a sum of numbers.
    #[inline]
    pub(super) fn number_before(&self, group: &GroupNode, neuron: usize, run: &Run) -> Option<f64> {
        let rule = self.template.rule(group.rule);
        let functions = &rule.functions;
        let offset = match &*self.rule_offsets[group.rule.index()].0 {
            [offset] if functions.combination == Combination::Sum => *offset,
            _ => return None,
        };
        let inputs = self.inputs(group, neuron);
        let mut sum: Option<f64> = None;
        for ((&atom, weight), input) in inputs.iter().zip(&group.input_weights).zip(&rule.inputs) {
            let atom = atom as usize;
            if !run.atoms.is_number(atom) {
                return None;
            }
            let value = run.atoms.first(atom);
            let value = if input.negated { 1.0 - value } else { value };
            let value = match weight {
                None => value,
                Some((numbers, shape)) if shape.is_number() => numbers[0] * value,
                Some(_) => return None,
            };
            sum = Some(sum.map_or(value, |sum| sum + value));
        }
        let minus = if functions.minus_inputs { -(inputs.len() as f64) } else { 0.0 };
        let sum = sum.unwrap_or(0.0);
        Some(if functions.minus_inputs { (sum + minus) + offset } else { sum + offset })
    }

    /// The inputs of a rule neuron and what they come to.
    pub(super) fn combined_rule(&self, group: &GroupNode, neuron: usize, run: &Run) -> Option<Combined> {
        let rule = self.template.rule(group.rule);
        let (functions, atoms) = (&rule.functions, self.inputs(group, neuron));
        let edges = rule.inputs.iter().zip(&group.input_weights).zip(atoms);
        let inputs = edges
            .map(|((input, weight), &atom)| weighed(weight, run.atoms.of(atom as usize), input.negated))
            .collect::<Option<Vec<_>>>()?;
        let (mut numbers, shape) = functions.combination.apply(&views(&inputs))?;
        if functions.minus_inputs && functions.combination == Combination::Sum {
            numbers.iter_mut().for_each(|number| *number += -(inputs.len() as f64));
        }
        let before = plus((&numbers, shape), view(&self.rule_offsets[group.rule.index()]))?;
        Some(Combined { inputs, shape, before })
    }

    /// The inputs of an atom neuron, aggregation neurons before facts, and what they come to.
    pub(super) fn combined_atom(&self, atom: &AtomNode, run: &Run) -> Option<Combined> {
        let groups = atom.groups.clone().map(|group| {
            let value = run.groups.of(group);
            weighed(&self.groups[group].weight, value, false)
        });
        let facts = atom.facts.clone().map(|fact| {
            let value = [run.facts[fact]];
            weighed(&self.facts[fact].weight, (&value, Shape::NUMBER), false)
        });
        let inputs = groups.chain(facts).collect::<Option<Vec<_>>>()?;
        let (combination, _, offset) = &self.atom_functions[atom.predicate.index()];
        if self.is_plain(atom) {
            let (numbers, shape) = Combination::Sum.apply(&views(&inputs))?;
            let before = self.spread(atom, (numbers, shape));
            return Some(Combined { inputs, shape, before });
        }
        let (numbers, shape) = combination.apply(&views(&inputs))?;
        let before = self.spread(atom, plus((&numbers, shape), view(offset))?);
        Some(Combined { inputs, shape, before })
    }

    /// All atoms of a predicate have values of one shape: a number stands for all elements.
    fn spread(&self, atom: &AtomNode, (numbers, shape): Value<f64>) -> Value<f64> {
        let known = self.template.predicates.get(atom.predicate.index()).and_then(|known| known.shape);
        match known {
            Some(known) if shape.is_number() => (vec![numbers[0]; known.size()], known),
            _ => (numbers, shape),
        }
    }
}
