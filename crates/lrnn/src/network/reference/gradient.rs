//! Backwards through the reference network, neuron by neuron: the chain rule as it stands in the books.

use std::collections::BTreeMap;

use super::evaluate::{Evaluation, number, plus, views};
use super::{Edge, EdgeWeight, Neuron, NeuronId, NeuronKind, Reference};
use crate::function::{Combination, Real, Shape, Value, View, times_backward};
use crate::network::{NetworkError, WeightKey, Weights};
use crate::template::{Offset, Template};
use crate::vocabulary::Vocabulary;

/// The gradient by every weight at every index.
pub type Gradient<R> = BTreeMap<WeightKey, Vec<R>>;

impl Reference {
    /// The gradient of Σ seed · value by every weight, where `seeds` gives neurons and the gradients by their values.
    pub fn gradient<R: Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
        seeds: &[(NeuronId, Vec<R>)],
    ) -> Result<Gradient<R>, NetworkError> {
        let values = self.evaluate::<R>(template, vocabulary, weights)?;
        let zeros = |id: usize| vec![R::ZERO; values.of(NeuronId(id as u32)).0.len()];
        let mut by_neurons: Vec<Vec<R>> = (0..self.neurons.len()).map(zeros).collect();
        for (id, seed) in seeds {
            by_neurons[id.index()].iter_mut().zip(seed).for_each(|(by, &seed)| *by += seed);
        }
        let evaluation = Evaluation { network: self, template, vocabulary, weights, values };
        let mut backwards = Backwards { evaluation, by_neurons, by_weights: Gradient::new() };
        for (at, neuron) in self.neurons.iter().enumerate().rev() {
            let name = || self.text(template, vocabulary, NeuronId(at as u32));
            backwards.neuron(at, neuron).ok_or_else(|| NetworkError::Shape(name()))?;
        }
        Ok(backwards.by_weights)
    }
}

struct Backwards<'a, R> {
    evaluation: Evaluation<'a, R>,
    by_neurons: Vec<Vec<R>>,
    by_weights: Gradient<R>,
}

/// The sum over the elements a number was spread over, or the gradient as it is.
fn gathered<R: Real>(gradient: &[R], shape: Shape) -> Vec<R> {
    match shape.is_number() {
        true => vec![gradient.iter().copied().sum()],
        false => gradient.to_vec(),
    }
}

impl<R: Real> Backwards<'_, R> {
    fn neuron(&mut self, at: usize, neuron: &Neuron) -> Option<()> {
        let inputs: Vec<Value<R>> =
            neuron.inputs.iter().map(|edge| self.evaluation.input(edge)).collect::<Option<_>>()?;
        let by_output = self.by_neurons[at].clone();
        let template = self.evaluation.template;
        let by_inputs = match &neuron.kind {
            NeuronKind::Fact => return Some(()),
            NeuronKind::Aggregation(rule) => {
                let rows = inputs.iter().map(|(numbers, _)| numbers.as_slice());
                let mut by_rows = vec![R::ZERO; inputs.len() * by_output.len()];
                template.rule(*rule).functions.aggregation.backward(&rows, &by_output, &mut by_rows);
                by_rows.chunks(by_output.len().max(1)).map(<[R]>::to_vec).collect()
            }
            NeuronKind::Rule(rule) => {
                let functions = &template.rule(*rule).functions;
                let minus = functions.minus_inputs && functions.combination == Combination::Sum;
                let constant = if minus { -(inputs.len() as f64) } else { 0.0 };
                let activation = functions.activation;
                let id = NeuronId(at as u32);
                self.combined(id, &inputs, functions.combination, constant, &functions.offset, |x, y, by| {
                    activation.backward(x, y, by);
                })?
            }
            NeuronKind::Atom(predicate, _) => {
                let is_fact =
                    |edge: &Edge| self.evaluation.network.neuron(edge.from).kind == NeuronKind::Fact;
                let only_facts = neuron.inputs.iter().all(is_fact);
                let id = NeuronId(at as u32);
                if only_facts && template.family.facts_enter_as_values {
                    self.combined(id, &inputs, Combination::Sum, 0.0, &Offset::Fixed(0.0), |_, _, _| {})?
                } else {
                    let (combination, activation, offset) = self.evaluation.atom_functions(*predicate);
                    self.combined(id, &inputs, combination, 0.0, &offset, |x, y, by| {
                        activation.backward(x, y, by);
                    })?
                }
            }
        };
        for (edge, by_input) in neuron.inputs.iter().zip(&by_inputs) {
            self.edge(edge, by_input)?;
        }
        Some(())
    }

    /// The gradients by the inputs of activation(combination(inputs) + constant + offset).
    fn combined(
        &mut self,
        id: NeuronId,
        inputs: &[Value<R>],
        combination: Combination,
        constant: f64,
        offset: &Offset,
        deactivate: impl Fn(&[R], &[R], &mut [R]),
    ) -> Option<Vec<Vec<R>>> {
        let result = combination.apply(&views(inputs))?;
        let offset_value = self.evaluation.offset(offset);
        let sum = plus(&plus(&result, &number(constant))?, &offset_value)?;
        let (y, shape) = self.evaluation.values.of(id);
        // A number that stands for all elements of an atom's value was spread before the activation.
        let x = if sum.1.is_number() { vec![sum.0[0]; shape.size()] } else { sum.0.clone() };
        let mut by_x = self.by_neurons[id.index()].clone();
        deactivate(&x, y, &mut by_x);
        if let Offset::Weight(weight) = offset {
            let by_offset = gathered(&by_x, offset_value.1);
            self.add((*weight, Vec::new()), &by_offset);
        }
        combination.backward(&views(inputs), &gathered(&by_x, result.1))
    }

    /// The gradient by what came in over an edge goes to the edge's weight and to the neuron it comes from.
    fn edge(&mut self, edge: &Edge, by_input: &[R]) -> Option<()> {
        let (value, shape) = self.evaluation.values.of(edge.from);
        let turned: Vec<R> = value.iter().map(|&x| if edge.negated { R::ONE - x } else { x }).collect();
        let view: View<'_, R> = (&turned, shape);
        let by_value = match self.evaluation.weight(&edge.weight) {
            None => by_input.to_vec(),
            Some((weight, weight_shape)) => {
                let (by_weight, by_value) = times_backward((&weight, weight_shape), view, by_input)?;
                if let EdgeWeight::Weight(id, index) = &edge.weight {
                    self.add((*id, index.clone()), &by_weight);
                }
                by_value
            }
        };
        let by_neuron = &mut self.by_neurons[edge.from.index()];
        for (by, &gradient) in by_neuron.iter_mut().zip(&by_value) {
            *by += if edge.negated { -gradient } else { gradient };
        }
        Some(())
    }

    fn add(&mut self, key: WeightKey, gradient: &[R]) {
        let sum = self.by_weights.entry(key).or_insert_with(|| vec![R::ZERO; gradient.len()]);
        sum.iter_mut().zip(gradient).for_each(|(sum, &gradient)| *sum += gradient);
    }
}
