//! The values of a reference network, one neuron after another.

use std::ops::Range;

use super::{AtomNode, EdgeWeight, GroupNode, NeuronKind, Reference};
use crate::function::{Activation, Combination, Combiner, OwnedValue, Real, Shape, View, times};
use crate::network::error::SettlingFailure;
use crate::network::settling::{Settling, SweepChange};
use crate::network::{NetworkError, Weights};
use crate::template::{Offset, RuleId, Template};
use crate::vocabulary::{PredicateId, Vocabulary};

/// Values of many neurons, one behind the other.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ValueCells<R> {
    numbers: Vec<R>,
    /// Offset of each value, with its shape.
    places: Vec<(usize, Shape)>,
}

impl<R: Real> ValueCells<R> {
    /// Returns the value with this number.
    pub fn of(&self, number: usize) -> View<'_, R> {
        let (start, shape) = self.places[number];
        (&self.numbers[start..start + shape.size()], shape)
    }

    /// Returns the first element of the value with this number; of a number, the number.
    #[inline]
    pub fn first(&self, number: usize) -> R {
        self.numbers[self.places[number].0]
    }

    /// Returns the numbers of values, one behind the other.
    pub fn numbers(&self, values: Range<usize>) -> &[R] {
        let start = |value: usize| self.places.get(value).map_or(self.numbers.len(), |place| place.0);
        &self.numbers[start(values.start)..start(values.end)]
    }

    /// Returns whether the value with this number is a number.
    #[inline]
    pub fn is_number(&self, number: usize) -> bool {
        self.places[number].1.is_number()
    }

    /// Returns how many values there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Takes all values away.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.places.clear();
    }

    /// Adds a value behind all others.
    pub fn push(&mut self, numbers: &[R], shape: Shape) {
        self.places.push((self.numbers.len(), shape));
        self.numbers.extend_from_slice(numbers);
    }

    /// Adds numbers behind all others, each a value.
    pub fn push_numbers(&mut self, numbers: &[R]) {
        let places = (self.numbers.len()..).take(numbers.len());
        self.places.extend(places.map(|place| (place, Shape::NUMBER)));
        self.numbers.extend_from_slice(numbers);
    }

    /// Takes away all values but the first so many.
    fn truncate(&mut self, count: usize) {
        if let Some(&(start, _)) = self.places.get(count) {
            self.numbers.truncate(start);
            self.places.truncate(count);
        }
    }

    /// Returns the numbers of the value with this number.
    pub(super) fn numbers_mut(&mut self, number: usize) -> &mut [R] {
        let (start, shape) = self.places[number];
        &mut self.numbers[start..start + shape.size()]
    }

    /// Returns as many values of the same shapes, all 0.
    pub(super) fn zeros(&self) -> Self {
        Self { numbers: vec![R::ZERO; self.numbers.len()], places: self.places.clone() }
    }

    /// Adds to the value with this number.
    pub(super) fn add(&mut self, number: usize, amount: &[R]) {
        let cells = &mut self.numbers[self.places[number].0..];
        cells.iter_mut().zip(amount).for_each(|(cell, &amount)| *cell += amount);
    }
}

/// The value of each neuron; fact neurons output 1.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Values<R> {
    /// By atom neuron.
    pub atoms: ValueCells<R>,
    /// By aggregation neuron.
    pub groups: ValueCells<R>,
    /// By rule neuron.
    pub neurons: ValueCells<R>,
}

/// A weight with its numbers; none is the fixed 1.
pub(super) type EdgeValue<R> = Option<OwnedValue<R>>;

/// g∨ of a predicate: its combination, its activation and its offset.
pub type AtomFunctions<R> = (Combiner, Activation, OwnedValue<R>);

/// The numbers of all weights in a network.
#[derive(Clone, Debug)]
pub struct EdgeNumbers<R> {
    /// By aggregation neuron: the weight of its rule.
    pub groups: Vec<EdgeValue<R>>,
    /// By aggregation neuron: the weights on the inputs of its rule neurons.
    pub inputs: Vec<Vec<EdgeValue<R>>>,
    /// By fact neuron.
    pub facts: Vec<EdgeValue<R>>,
    /// By rule: b0 of g∧.
    pub offsets: Vec<OwnedValue<R>>,
    /// By predicate: g∨. One that only the data knows has the functions of the family.
    pub atoms: Vec<AtomFunctions<R>>,
}

pub(super) fn views<R>(values: &[OwnedValue<R>]) -> Vec<View<'_, R>> {
    values.iter().map(|(numbers, shape)| (&numbers[..], *shape)).collect()
}

/// weight · value, or weight · (1 − value).
pub(super) fn weighed<R: Real>(
    weight: &EdgeValue<R>,
    (value, shape): View<'_, R>,
    negated: bool,
) -> Option<OwnedValue<R>> {
    let value: Vec<R> = value.iter().map(|&x| if negated { R::ONE - x } else { x }).collect();
    match weight {
        None => Some((value, shape)),
        Some((weight, weight_shape)) => times((weight, *weight_shape), (&value, shape)),
    }
}

pub(super) fn plus<R: Real>(left: &OwnedValue<R>, right: &OwnedValue<R>) -> Option<OwnedValue<R>> {
    Combination::Sum.apply(&[(&left.0, left.1), (&right.0, right.1)])
}

impl<R: Real> EdgeNumbers<R> {
    /// Returns the numbers of the weights under these weights.
    pub fn new(network: &Reference, template: &Template, vocabulary: &Vocabulary, weights: &Weights) -> Self {
        let reals = |numbers: Vec<f64>| numbers.into_iter().map(R::from_f64).collect::<Vec<R>>();
        let number = |weight: Option<EdgeWeight>| match weight {
            None | Some(EdgeWeight::One) => None,
            Some(EdgeWeight::Value(numbers, shape)) => Some((reals(numbers), shape)),
            Some(EdgeWeight::Weight(weight, index)) => {
                let numbers = weights.value(template, vocabulary, weight, &index);
                Some((reals(numbers), template.weight(weight).shape))
            }
        };
        let offset = |offset: &Offset| match offset {
            Offset::Fixed(offset) => (vec![R::from_f64(*offset)], Shape::NUMBER),
            Offset::Weight(weight) => {
                let numbers = weights.value(template, vocabulary, *weight, &[]);
                (reals(numbers), template.weight(*weight).shape)
            }
        };
        let rule = |group: &GroupNode| template.rule(group.rule);
        let inputs = |group: &GroupNode| {
            let inputs = rule(group).inputs.iter();
            inputs.map(|input| number(group.weight(rule(group), input.weight.as_ref()))).collect()
        };
        let family = &template.family.atom;
        let atom = |predicate: usize| match template.predicates.get(predicate) {
            Some(known) => (known.combination.clone(), known.activation, offset(&known.offset)),
            None => (family.combination.into(), family.activation, offset(&Offset::Fixed(family.offset))),
        };
        let of_group = |group: &GroupNode| number(group.weight(rule(group), rule(group).weight.as_ref()));
        Self {
            groups: network.groups.iter().map(of_group).collect(),
            inputs: network.groups.iter().map(inputs).collect(),
            facts: network.facts.iter().map(|fact| number(Some(fact.weight.clone()))).collect(),
            offsets: template.rules.iter().map(|rule| offset(&rule.functions.offset)).collect(),
            atoms: (0..vocabulary.predicate_count()).map(atom).collect(),
        }
    }

    /// Returns what g∧ of a rule is applied to: its combined inputs with their number, if it counts, and the offset.
    pub fn rule_sum(
        &self,
        template: &Template,
        rule: RuleId,
        inputs: &[OwnedValue<R>],
    ) -> Option<OwnedValue<R>> {
        let functions = &template.rule(rule).functions;
        let mut value = functions.combination.apply(&views(inputs))?;
        if functions.minus_inputs && functions.combination.is_sum() {
            value.0.iter_mut().for_each(|number| *number += R::from_f64(-(inputs.len() as f64)));
        }
        plus(&value, &self.offsets[rule.index()])
    }

    /// Returns the value of an atom from its weighed inputs: g∨, or the sum of its facts where facts enter as values
    /// and it has nothing else.
    pub fn atom_value(
        &self,
        template: &Template,
        predicate: PredicateId,
        inputs: &[OwnedValue<R>],
        only_facts: bool,
    ) -> Option<OwnedValue<R>> {
        if only_facts && template.family.facts_enter_as_values {
            return Some(spread(template, predicate, Combination::Sum.apply(&views(inputs))?));
        }
        let (combination, activation, offset) = &self.atoms[predicate.index()];
        let value = plus(&combination.apply(&views(inputs))?, offset)?;
        let mut value = spread(template, predicate, value);
        if declared(template, predicate).is_some_and(|declared| declared != value.1) {
            return None; // an atom lacks a rule that others of its predicate have
        }
        activation.apply(&mut value.0);
        Some(value)
    }
}

/// Returns the shape of a predicate's values, if the template knows it.
fn declared(template: &Template, predicate: PredicateId) -> Option<Shape> {
    template.predicates.get(predicate.index())?.shape
}

/// Returns the value of a predicate's atom before any sweep.
fn zero<R: Real>(template: &Template, predicate: PredicateId) -> OwnedValue<R> {
    let shape = declared(template, predicate).unwrap_or(Shape::NUMBER);
    (vec![R::ZERO; shape.size()], shape)
}

/// Gives all atoms of a predicate values of one shape: a number stands for all elements.
fn spread<R: Real>(
    template: &Template,
    predicate: PredicateId,
    (numbers, shape): OwnedValue<R>,
) -> OwnedValue<R> {
    match declared(template, predicate) {
        Some(declared) if shape.is_number() => (vec![numbers[0]; declared.size()], declared),
        _ => (numbers, shape),
    }
}

pub(super) struct Evaluation<'a, R> {
    pub network: &'a Reference,
    pub template: &'a Template,
    pub vocabulary: &'a Vocabulary,
    pub numbers: EdgeNumbers<R>,
    /// Those of the neurons so far.
    pub values: Values<R>,
    /// By cycle: how it settled.
    pub settled: Vec<Settling<R>>,
}

impl Reference {
    /// Returns the value of every neuron. An error where shapes do not fit or a value is not finite: it names the
    /// neuron.
    pub fn evaluate<R: Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Result<Values<R>, NetworkError> {
        Ok(self.evaluation(template, vocabulary, weights)?.values)
    }

    pub(super) fn evaluation<'a, R: Real>(
        &'a self,
        template: &'a Template,
        vocabulary: &'a Vocabulary,
        weights: &Weights,
    ) -> Result<Evaluation<'a, R>, NetworkError> {
        let numbers = EdgeNumbers::new(self, template, vocabulary, weights);
        let values = Values::default();
        let settled = Vec::new();
        let mut evaluation = Evaluation { network: self, template, vocabulary, numbers, values, settled };
        let mut next = 0;
        for cycle in &self.cycles {
            (next..cycle.start).try_for_each(|atom| evaluation.atom(&self.atoms[atom]))?;
            evaluation.cycle(cycle.clone())?;
            next = cycle.end;
        }
        (next..self.atoms.len()).try_for_each(|atom| evaluation.atom(&self.atoms[atom]))?;
        Ok(evaluation)
    }

    /// Returns the sweeps of the cycles under these weights, at most; none where a sweep went half the way.
    pub(crate) fn sweeps(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Result<Option<u32>, NetworkError> {
        let settled = self.evaluation::<f64>(template, vocabulary, weights)?.settled;
        let is_plain = settled.iter().all(|state| state.damping == 1.0);
        Ok(is_plain.then(|| settled.iter().map(|state| state.sweeps).max().unwrap_or(0)))
    }

    /// Returns the value of the atom in this row of the grounding.
    pub fn value_of<'a, R: Real>(
        &self,
        values: &'a Values<R>,
        predicate: PredicateId,
        row: u32,
    ) -> Option<View<'a, R>> {
        Some(values.atoms.of(self.atom(predicate, row)?))
    }
}

impl<R: Real> Evaluation<'_, R> {
    /// Returns the value, if shapes fit and it is finite; an error names the neuron.
    fn checked(
        &self,
        value: Option<OwnedValue<R>>,
        kind: NeuronKind,
        name: impl Fn() -> String,
    ) -> Result<OwnedValue<R>, NetworkError> {
        let value = value.ok_or_else(|| NetworkError::Shape(name()))?;
        match value.0.iter().all(|&number| number.is_finite()) {
            true => Ok(value),
            false => Err(NetworkError::NotFinite(kind, name())),
        }
    }

    fn rule_name(&self, group: &GroupNode) -> String {
        let head = self.template.rule(group.rule).head.predicate;
        format!("rule {} for {}", group.rule.0 + 1, self.vocabulary.signature(head))
    }

    /// Computes atoms that need each other: sweep by sweep from 0, each from the values before it.
    fn cycle(&mut self, atoms: Range<usize>) -> Result<(), NetworkError> {
        let kept = [&self.values.groups, &self.values.neurons].map(ValueCells::count);
        let mut state = Settling::new(atoms.len());
        let mut now = ValueCells::default();
        for atom in atoms.clone() {
            let (zero, shape) = zero(self.template, self.network.atoms[atom].predicate);
            self.values.atoms.push(&zero, shape);
            now.push(&zero, shape);
        }
        let mut last = now.clone();
        while !state.is_done {
            let [groups, neurons] = kept;
            self.values.groups.truncate(groups);
            self.values.neurons.truncate(neurons);
            let (mut change, mut worst) = (SweepChange::default(), (atoms.start, R::ZERO, R::ZERO));
            for (at, atom) in atoms.clone().enumerate() {
                let value = self.atom_value(&self.network.atoms[atom]);
                let (numbers, _) = value.map_err(|error| self.unsettled(error, atom, &state))?;
                now.numbers_mut(at).copy_from_slice(&numbers);
                let pairs = self.values.atoms.of(atom).0.iter().zip(&numbers);
                for ((&before, &after), last) in pairs.zip(last.numbers_mut(at)) {
                    let largest = change.largest;
                    change.add(before, after, last);
                    if change.largest > largest {
                        worst = (atom, before, after);
                    }
                }
            }
            state.sweep(&change);
            if state.has_failed {
                return Err(self.still_changing(worst, &state));
            }
            let share = if state.is_done { R::ONE } else { state.damping };
            for (at, atom) in atoms.clone().enumerate() {
                let values = self.values.atoms.numbers_mut(atom).iter_mut().zip(now.of(at).0);
                values.for_each(|(value, &now)| {
                    *value = if share == R::ONE { now } else { *value + share * (now - *value) };
                });
            }
        }
        self.settled.push(state);
        Ok(())
    }

    fn still_changing(&self, (atom, before, after): (usize, R, R), state: &Settling<R>) -> NetworkError {
        let node = &self.network.atoms[atom];
        NetworkError::SettlingFailure(SettlingFailure {
            predicate: node.predicate,
            atom: self.vocabulary.atom_text(node.predicate, &node.terms),
            sweeps: state.sweeps,
            last: [before, after].map(|number| SettlingFailure::number(number.to_f64())),
        })
    }

    /// Returns what it means that a value is not finite in a sweep.
    fn unsettled(&self, error: NetworkError, atom: usize, state: &Settling<R>) -> NetworkError {
        match error {
            NetworkError::NotFinite(..) if state.sweeps > 0 => {
                let value = self.values.atoms.first(atom);
                self.still_changing((atom, value, value / R::ZERO), state)
            }
            error => error,
        }
    }

    fn atom(&mut self, atom: &AtomNode) -> Result<(), NetworkError> {
        let (numbers, shape) = self.atom_value(atom)?;
        self.values.atoms.push(&numbers, shape);
        Ok(())
    }

    fn atom_value(&mut self, atom: &AtomNode) -> Result<OwnedValue<R>, NetworkError> {
        if atom.is_zero() {
            return Ok(zero(self.template, atom.predicate));
        }
        for number in atom.groups.clone() {
            self.group(&self.network.groups[number], number)?;
        }
        let known = self.template.predicates.get(atom.predicate.index());
        let value = match known.and_then(|known| known.value.as_ref()) {
            Some(number) => {
                Some((vec![R::from_f64(number.of_row(self.vocabulary, &atom.terms))], Shape::NUMBER))
            }
            None => self.atom_inputs(atom).and_then(|inputs| {
                self.numbers.atom_value(self.template, atom.predicate, &inputs, atom.groups.is_empty())
            }),
        };
        let name = || self.vocabulary.atom_text(atom.predicate, &atom.terms);
        self.checked(value, NeuronKind::Atom(atom.predicate), name)
    }

    /// Returns a rule's neurons with one head, and their aggregation.
    fn group(&mut self, group: &GroupNode, number: usize) -> Result<(), NetworkError> {
        let functions = &self.template.rule(group.rule).functions;
        let mut rows = Vec::with_capacity(group.neurons.len());
        for neuron in group.neurons.clone() {
            let value = self.rule_inputs(group, number, neuron).and_then(|inputs| {
                let mut value = self.numbers.rule_sum(self.template, group.rule, &inputs)?;
                functions.activation.apply(&mut value.0);
                Some(value)
            });
            let name = || {
                let atoms = self.network.inputs(self.template, group, neuron).iter();
                let atoms = atoms.map(|&atom| &self.network.atoms[atom as usize]);
                let texts = atoms.map(|atom| self.vocabulary.atom_text(atom.predicate, &atom.terms));
                format!("{} with inputs [{}]", self.rule_name(group), texts.collect::<Vec<_>>().join(", "))
            };
            let value = self.checked(value, NeuronKind::Rule(group.rule), name)?;
            self.values.neurons.push(&value.0, value.1);
            rows.push(value);
        }
        let shape = rows.first().map_or(Shape::NUMBER, |row| row.1);
        let value = rows.iter().all(|row| row.1 == shape).then(|| {
            let mut output = vec![R::ZERO; shape.size()];
            functions.aggregation.apply(rows.iter().map(|row| &row.0[..]), &mut output);
            (output, shape)
        });
        let name = || format!("the aggregation of {}", self.rule_name(group));
        let (numbers, shape) = self.checked(value, NeuronKind::Aggregation(group.rule), name)?;
        self.values.groups.push(&numbers, shape);
        Ok(())
    }

    /// Returns what enters a rule neuron, weighed.
    pub fn rule_inputs(&self, group: &GroupNode, number: usize, neuron: usize) -> Option<Vec<OwnedValue<R>>> {
        let rule = self.template.rule(group.rule);
        let atoms = self.network.inputs(self.template, group, neuron).iter();
        let edges = rule.inputs.iter().zip(&self.numbers.inputs[number]).zip(atoms);
        edges
            .map(|((input, weight), &atom)| {
                weighed(weight, self.values.atoms.of(atom as usize), input.negated)
            })
            .collect()
    }

    /// Returns what enters an atom neuron, weighed: aggregation neurons before facts.
    pub fn atom_inputs(&self, atom: &AtomNode) -> Option<Vec<OwnedValue<R>>> {
        let groups = atom.groups.clone();
        let groups =
            groups.map(|group| weighed(&self.numbers.groups[group], self.values.groups.of(group), false));
        let one: View<'_, R> = (&[R::ONE], Shape::NUMBER);
        let facts = atom.facts.clone().map(|fact| weighed(&self.numbers.facts[fact], one, false));
        groups.chain(facts).collect()
    }
}
