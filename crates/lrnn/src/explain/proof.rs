//! The part of the ground network behind some atoms, with its weights and values, as explanations look at it. Its values
//! have the bits of the reference network; numbers that are added up go a short way to them, since all examples of a
//! dataset are explained one after the other.

use crate::data::Example;
use crate::function::{OwnedValue, Shape, View, times};
use crate::ground::{AtomRow, Grounding};
use crate::network::{EdgeNumbers, GroupNode, NetworkError, NeuronKind, Reference, Values, Weights};
use crate::template::{Input, Template};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// The most rule neurons of an unrolled network.
const MOST_NEURONS: usize = 10_000_000;
const TOO_LARGE: &str = "the cycles of the ground network are too large to be explained: sweep by sweep they have more than \
    10 million rule neurons; `:- recursion(steps = 4).` makes them smaller";
const SWINGS: &str = "the ground network has a cycle whose values swing to and fro before they settle, which has no explanation \
    sweep by sweep; smaller weights, or `:- recursion(steps = 4).`, have one";

/// The part of the ground network behind some atoms, with the numbers of its weights and its values. A cycle is
/// unrolled: its atoms are there once for each sweep, from 0 until they have settled.
#[derive(Clone, Debug)]
pub struct Proof<'a> {
    /// The template.
    pub template: &'a Template,
    /// The names.
    pub vocabulary: &'a Vocabulary,
    /// The grounding it comes from.
    pub grounding: &'a Grounding,
    /// The neurons.
    pub network: Reference,
    /// The numbers of the weights.
    pub numbers: EdgeNumbers<f64>,
    /// The values of the neurons.
    pub values: Values<f64>,
    /// The same neurons under the weights of the other members of an ensemble.
    pub members: Vec<Proof<'a>>,
}

impl<'a> Proof<'a> {
    /// Returns all that stands behind these atoms, each a predicate with a row of the grounding, under the weights of a model or
    /// of each member of an ensemble, the best first.
    pub fn new(
        template: &'a Template,
        vocabulary: &'a Vocabulary,
        example: &Example,
        grounding: &'a Grounding,
        members: &[&Weights],
        roots: &[AtomRow],
    ) -> Result<Self, NetworkError> {
        let mut network = Reference::behind(template, vocabulary, example, grounding, roots)?;
        if !network.cycles.is_empty() {
            let mut most = 0;
            for weights in members {
                let sweeps = network.sweeps(template, vocabulary, weights)?;
                most = most.max(sweeps.ok_or(NetworkError::Unexplained(SWINGS))?);
            }
            let sweeps = most;
            if sweeps as usize * network.neurons.len() > MOST_NEURONS {
                return Err(NetworkError::Unexplained(TOO_LARGE));
            }
            network = Reference::unrolled(template, example, grounding, roots, sweeps)?;
        }
        let under = |network: Reference, weights: &Weights| {
            let numbers = EdgeNumbers::new(&network, template, vocabulary, weights);
            let (values, members) = (Values::default(), Vec::new());
            let mut proof = Self { template, vocabulary, grounding, network, numbers, values, members };
            (0..proof.network.atoms.len()).try_for_each(|atom| proof.evaluate(atom))?;
            Ok(proof)
        };
        let others = members[1..].iter().map(|weights| under(network.clone(), weights));
        let others = others.collect::<Result<Vec<Self>, NetworkError>>()?;
        Ok(Self { members: others, ..under(network, members[0])? })
    }

    fn evaluate(&mut self, number: usize) -> Result<(), NetworkError> {
        if self.network.atoms[number].is_zero() {
            let predicate = self.template.predicates.get(self.network.atoms[number].predicate.index());
            let shape = predicate.and_then(|known| known.shape).unwrap_or(Shape::NUMBER);
            self.values.atoms.push(&vec![0.0; shape.size()], shape);
            return Ok(());
        }
        let (predicate, groups) =
            (self.network.atoms[number].predicate, self.network.atoms[number].groups.clone());
        let mut is_finite = true;
        for group in groups.clone() {
            let (neurons, rule) =
                (self.network.groups[group].neurons.clone(), self.network.groups[group].rule);
            if let Some(numbers) = self.rule_numbers(group) {
                self.values.neurons.push_numbers(&numbers);
            } else {
                for neuron in neurons.clone() {
                    let atoms = self.inputs(group, neuron);
                    let value =
                        self.rule_value(group, atoms.len(), |at| self.values.atoms.of(atoms[at] as usize));
                    let (numbers, shape) =
                        value.ok_or_else(|| NetworkError::Shape(self.atom_text(number)))?;
                    self.values.neurons.push(&numbers, shape);
                }
            }
            let (_, first) = self.values.neurons.of(neurons.start);
            let rows = neurons.clone().map(|neuron| self.values.neurons.of(neuron).0);
            is_finite &= rows.clone().flatten().all(|number| number.is_finite());
            if !neurons.clone().all(|neuron| self.values.neurons.of(neuron).1 == first) {
                return Err(NetworkError::Shape(self.atom_text(number)));
            }
            let mut output = vec![0.0; first.size()];
            self.template.rule(rule).functions.aggregation.apply(rows, &mut output);
            is_finite &= output.iter().all(|number| number.is_finite());
            self.values.groups.push(&output, first);
        }
        let inputs = groups.clone().map(|group| self.group_part(group, self.values.groups.of(group)));
        let facts = self.network.atoms[number].facts.clone().map(|fact| self.fact_part(fact));
        let inputs: Option<Vec<OwnedValue<f64>>> = inputs.chain(facts).collect();
        let value =
            inputs.and_then(|it| self.numbers.atom_value(self.template, predicate, &it, groups.is_empty()));
        let (numbers, its_shape) = value.ok_or_else(|| NetworkError::Shape(self.atom_text(number)))?;
        if !is_finite || !numbers.iter().all(|number| number.is_finite()) {
            return Err(NetworkError::NotFinite(NeuronKind::Atom(predicate), self.atom_text(number)));
        }
        self.values.atoms.push(&numbers, its_shape);
        Ok(())
    }

    /// Returns what an aggregation neuron with this value brings to its atom.
    pub(super) fn group_part(&self, group: usize, value: View<'_, f64>) -> Option<OwnedValue<f64>> {
        weighed(&self.numbers.groups[group], value, false)
    }

    /// Returns what a fact brings to its atom.
    pub(super) fn fact_part(&self, fact: usize) -> Option<OwnedValue<f64>> {
        weighed(&self.numbers.facts[fact], (&[1.0], Shape::NUMBER), false)
    }

    /// Returns the values of all rule neurons of a group, if each is a function of a sum of numbers.
    fn rule_numbers(&self, group: usize) -> Option<Vec<f64>> {
        let node = &self.network.groups[group];
        let rule = self.template.rule(node.rule);
        let functions = &rule.functions;
        let offset = match &*self.numbers.offsets[node.rule.index()].0 {
            [offset] if functions.combination.is_sum() && !functions.activation.is_joint() => *offset,
            _ => return None,
        };
        let minus = if functions.minus_inputs { -(rule.inputs.len() as f64) } else { -0.0 };
        let weight = |(weight, literal): (&Option<OwnedValue<f64>>, &Input)| match weight {
            None => Some((1.0, literal.negated)),
            Some((numbers, shape)) => shape.is_number().then(|| (numbers[0], literal.negated)),
        };
        let weights = self.numbers.inputs[group].iter().zip(&rule.inputs).map(weight);
        let weights: Vec<(f64, bool)> = weights.collect::<Option<_>>()?;
        let mut all = Vec::with_capacity(node.neurons.len());
        for neuron in node.neurons.clone() {
            let mut sum = -0.0;
            for (&(weight, negated), &atom) in weights.iter().zip(self.inputs(group, neuron)) {
                if !self.values.atoms.is_number(atom as usize) {
                    return None;
                }
                let value = self.values.atoms.first(atom as usize);
                sum += weight * if negated { 1.0 - value } else { value };
            }
            all.push((if weights.is_empty() { 0.0 } else { sum } + minus) + offset);
        }
        functions.activation.apply(&mut all);
        Some(all)
    }

    /// Returns the value of a rule neuron of a group, if it is a function of a sum of numbers.
    #[inline]
    pub(super) fn rule_number<'v>(
        &self,
        group: usize,
        count: usize,
        input: impl Fn(usize) -> View<'v, f64>,
    ) -> Option<f64> {
        let rule = self.template.rule(self.network.groups[group].rule);
        let functions = &rule.functions;
        let offset = match &*self.numbers.offsets[self.network.groups[group].rule.index()].0 {
            [offset] if functions.combination.is_sum() => *offset,
            _ => return None,
        };
        let weights = &self.numbers.inputs[group];
        let mut sum: Option<f64> = None;
        for (at, (weight, literal)) in weights.iter().zip(&rule.inputs).enumerate() {
            let ([value], shape) = input(at) else { return None };
            let value = if literal.negated { 1.0 - value } else { *value };
            let value = match weight {
                _ if !shape.is_number() => return None,
                None => value,
                Some((numbers, shape)) if shape.is_number() => numbers[0] * value,
                Some(_) => return None,
            };
            sum = Some(sum.map_or(value, |sum| sum + value));
        }
        let sum = sum.unwrap_or(0.0);
        let mut number =
            [if functions.minus_inputs { (sum + -(count as f64)) + offset } else { sum + offset }];
        functions.activation.apply(&mut number);
        Some(number[0])
    }

    /// Returns the value of a rule neuron of a group, of whatever shape; `None` where shapes do not fit.
    pub(super) fn rule_value<'v>(
        &self,
        group: usize,
        count: usize,
        input: impl Fn(usize) -> View<'v, f64>,
    ) -> Option<OwnedValue<f64>> {
        let id = self.network.groups[group].rule;
        let rule = self.template.rule(id);
        let weights = &self.numbers.inputs[group];
        let inputs = (0..count)
            .map(|at| weighed(&weights[at], input(at), rule.inputs[at].negated))
            .collect::<Option<Vec<_>>>()?;
        let mut value = self.numbers.rule_sum(self.template, id, &inputs)?;
        rule.functions.activation.apply(&mut value.0);
        Some(value)
    }

    /// Returns the place of an atom among those of the proof.
    pub fn find(&self, predicate: PredicateId, row: u32) -> Option<usize> {
        self.network.atom(predicate, row)
    }

    /// Returns the places of those of some atoms that are in it.
    pub fn find_all(&self, atoms: &[AtomRow]) -> Vec<usize> {
        atoms.iter().filter_map(|&(predicate, row)| self.find(predicate, row)).collect()
    }

    /// Returns the atoms that enter a rule neuron of a group, in the order of the body.
    #[inline]
    pub fn inputs(&self, group: usize, neuron: usize) -> &[u32] {
        self.network.inputs(self.template, &self.network.groups[group], neuron)
    }

    /// Returns the terms of an atom.
    pub fn terms(&self, atom: usize) -> &[ConstantId] {
        &self.network.atoms[atom].terms
    }

    /// Returns an atom as text.
    pub fn atom_text(&self, atom: usize) -> String {
        self.vocabulary.atom_text(self.network.atoms[atom].predicate, self.terms(atom))
    }

    /// Returns the ground rule of a rule neuron as text.
    pub fn rule_text(&self, group: &GroupNode, neuron: usize) -> String {
        let number = self.network.neurons[neuron] as usize;
        self.grounding.rule_text(self.template, self.vocabulary, group.rule, number)
    }
}

/// Returns the numbers of a weight.
pub(super) fn plain(weight: &Option<OwnedValue<f64>>) -> &[f64] {
    weight.as_ref().map_or(&[1.0], |weight| &weight.0)
}

fn weighed(
    weight: &Option<OwnedValue<f64>>,
    (value, shape): View<'_, f64>,
    negated: bool,
) -> Option<OwnedValue<f64>> {
    let value: Vec<f64> = value.iter().map(|&x| if negated { 1.0 - x } else { x }).collect();
    match weight {
        None => Some((value, shape)),
        Some((weight, weight_shape)) => times((weight, *weight_shape), (&value, shape)),
    }
}
