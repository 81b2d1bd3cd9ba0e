//! The values of a reference network, one neuron after another.

use super::{Edge, EdgeWeight, Neuron, NeuronId, NeuronKind, Reference};
use crate::function::{Activation, Aggregation, Combination, Real, Shape, Value, View, times};
use crate::network::{NetworkError, Weights};
use crate::template::{Offset, Rule, Template};
use crate::vocabulary::{PredicateId, Vocabulary};

/// The value of each neuron, by its id.
#[derive(Clone, PartialEq, Debug)]
pub struct Values<R> {
    values: Vec<Value<R>>,
}

impl<R: Real> Values<R> {
    /// The value of a neuron.
    pub fn of(&self, neuron: NeuronId) -> View<'_, R> {
        let (numbers, shape) = &self.values[neuron.index()];
        (numbers, *shape)
    }
}

impl Reference {
    /// The value of every neuron. An error where shapes do not fit or a value is not finite: it names the neuron.
    pub fn evaluate<R: Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Result<Values<R>, NetworkError> {
        let values = Values::<R> { values: Vec::with_capacity(self.neurons.len()) };
        let mut evaluation = Evaluation { network: self, template, vocabulary, weights, values };
        for (number, neuron) in self.neurons.iter().enumerate() {
            let id = NeuronId(number as u32);
            let name = || self.text(template, vocabulary, id);
            let value = evaluation.neuron(neuron).ok_or_else(|| NetworkError::Shape(name()))?;
            if !value.0.iter().all(|&number| number.is_finite()) {
                return Err(NetworkError::NotFinite(id, name()));
            }
            evaluation.values.values.push(value);
        }
        Ok(evaluation.values)
    }

    /// The value of the atom in this row of the grounding.
    pub fn value_of<'a, R: Real>(
        &self,
        values: &'a Values<R>,
        predicate: PredicateId,
        row: u32,
    ) -> Option<View<'a, R>> {
        Some(values.of(self.atom(predicate, row)?))
    }
}

pub(super) struct Evaluation<'a, R> {
    pub network: &'a Reference,
    pub template: &'a Template,
    pub vocabulary: &'a Vocabulary,
    pub weights: &'a Weights,
    /// Those of the neurons so far.
    pub values: Values<R>,
}

pub(super) fn views<R>(values: &[Value<R>]) -> Vec<View<'_, R>> {
    values.iter().map(|(numbers, shape)| (&numbers[..], *shape)).collect()
}

pub(super) fn number<R: Real>(number: f64) -> Value<R> {
    (vec![R::from_f64(number)], Shape::NUMBER)
}

impl<R: Real> Evaluation<'_, R> {
    /// The value of a neuron, or `None` where shapes do not fit.
    fn neuron(&self, neuron: &Neuron) -> Option<Value<R>> {
        let inputs = neuron.inputs.iter().map(|edge| self.input(edge)).collect::<Option<Vec<_>>>()?;
        match &neuron.kind {
            NeuronKind::Fact => Some(number(1.0)),
            NeuronKind::Rule(rule) => self.rule(self.template.rule(*rule), &inputs),
            NeuronKind::Aggregation(rule) => {
                aggregate(self.template.rule(*rule).functions.aggregation, &inputs)
            }
            NeuronKind::Atom(predicate, _) => self.atom(neuron, *predicate, &inputs),
        }
    }

    /// What comes in over an edge: weight · value, or weight · (1 − value).
    pub fn input(&self, edge: &Edge) -> Option<Value<R>> {
        let (value, shape) = self.values.of(edge.from);
        let turn = |x: R| if edge.negated { R::ONE - x } else { x };
        let value: Vec<R> = value.iter().map(|&x| turn(x)).collect();
        match self.weight(&edge.weight) {
            None => Some((value, shape)),
            Some((weight, weight_shape)) => times((&weight, weight_shape), (&value, shape)),
        }
    }

    /// The numbers of an edge's weight; none for the fixed 1.
    pub fn weight(&self, weight: &EdgeWeight) -> Option<Value<R>> {
        let (numbers, shape) = match weight {
            EdgeWeight::One => return None,
            EdgeWeight::Value(numbers, shape) => (numbers.clone(), *shape),
            EdgeWeight::Weight(weight, index) => {
                let numbers = self.weights.value(self.template, self.vocabulary, *weight, index);
                (numbers, self.template.weight(*weight).shape)
            }
        };
        Some((numbers.into_iter().map(R::from_f64).collect(), shape))
    }

    /// g∧
    fn rule(&self, rule: &Rule, inputs: &[Value<R>]) -> Option<Value<R>> {
        let functions = &rule.functions;
        let mut value = functions.combination.apply(&views(inputs))?;
        if functions.minus_inputs && functions.combination == Combination::Sum {
            value = plus(&value, &number(-(inputs.len() as f64)))?;
        }
        value = plus(&value, &self.offset(&functions.offset))?;
        functions.activation.apply(&mut value.0);
        Some(value)
    }

    /// g∨
    fn atom(&self, neuron: &Neuron, predicate: PredicateId, inputs: &[Value<R>]) -> Option<Value<R>> {
        let kind = |edge: &Edge| &self.network.neuron(edge.from).kind;
        let only_facts = neuron.inputs.iter().all(|edge| *kind(edge) == NeuronKind::Fact);
        if only_facts && self.template.family.facts_enter_as_values {
            return Some(self.spread(predicate, Combination::Sum.apply(&views(inputs))?));
        }
        let (combination, activation, offset) = self.atom_functions(predicate);
        let value = plus(&combination.apply(&views(inputs))?, &self.offset(&offset))?;
        let mut value = self.spread(predicate, value);
        activation.apply(&mut value.0);
        Some(value)
    }

    /// g∨ of a predicate; one that only the data knows has the functions of the family.
    pub fn atom_functions(&self, predicate: PredicateId) -> (Combination, Activation, Offset) {
        let family = &self.template.family.atom;
        match self.template.predicates.get(predicate.index()) {
            Some(declared) => (declared.combination, declared.activation, declared.offset.clone()),
            None => (family.combination, family.activation, Offset::Fixed(family.offset)),
        }
    }

    /// All atoms of a predicate have values of one shape: a number stands for all elements.
    fn spread(&self, predicate: PredicateId, (numbers, shape): Value<R>) -> Value<R> {
        let declared = self.template.predicates.get(predicate.index()).and_then(|declared| declared.shape);
        match declared {
            Some(declared) if shape.is_number() => (vec![numbers[0]; declared.size()], declared),
            _ => (numbers, shape),
        }
    }

    pub fn offset(&self, offset: &Offset) -> Value<R> {
        match offset {
            Offset::Fixed(offset) => number(*offset),
            Offset::Weight(weight) => {
                let numbers = self.weights.value(self.template, self.vocabulary, *weight, &[]);
                let shape = self.template.weight(*weight).shape;
                (numbers.into_iter().map(R::from_f64).collect(), shape)
            }
        }
    }
}

pub(super) fn plus<R: Real>(left: &Value<R>, right: &Value<R>) -> Option<Value<R>> {
    Combination::Sum.apply(&[(&left.0, left.1), (&right.0, right.1)])
}

/// g*
fn aggregate<R: Real>(aggregation: Aggregation, inputs: &[Value<R>]) -> Option<Value<R>> {
    let (_, shape) = *inputs.first()?;
    if inputs.iter().any(|input| input.1 != shape) {
        return None;
    }
    let mut output = vec![R::ZERO; shape.size()];
    aggregation.apply(inputs.iter().map(|input| &input.0[..]), &mut output);
    Some((output, shape))
}
