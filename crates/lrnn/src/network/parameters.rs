//! The parameters: the numbers of all weights in one flat array, and which lie where.

use rustc_hash::FxHashMap;

use super::Weights;
use crate::template::{Template, WeightId};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A weight at an index; plain weights have the empty one.
pub type WeightKey = (WeightId, Vec<ConstantId>);

/// A fact of an example whose value is an input of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct InputFact {
    /// The number of the network.
    pub network: usize,
    /// The number of the example in the dataset; of a network built by hand, in the order the builder got them.
    pub example: usize,
    /// The predicate.
    pub predicate: PredicateId,
    /// The row in the example's table of the predicate.
    pub row: u32,
    /// The value in the data.
    pub value: Vec<f64>,
}

/// The places of weights in the flat array of numbers. Weights without an index come first, in the template's
/// order; those with an index follow in the order the networks met them; the values of facts that are inputs come last,
/// network by network.
#[derive(Clone, Debug)]
pub struct Parameters {
    keys: Vec<(WeightKey, u32)>,
    /// Only looked up, never gone through.
    places: FxHashMap<WeightKey, u32>,
    sizes: Vec<u32>,
    len: u32,
    inputs: Vec<(InputFact, u32)>,
}

impl Parameters {
    /// Returns the parameters of a template before any network.
    pub fn new(template: &Template) -> Self {
        let sizes: Vec<u32> = template.weights.iter().map(|weight| weight.shape.size() as u32).collect();
        let (keys, inputs) = (Vec::new(), Vec::new());
        let mut parameters = Self { keys, places: FxHashMap::default(), sizes, len: 0, inputs };
        let plain = (0..).map(WeightId).zip(&template.weights).filter(|(_, weight)| weight.index.is_empty());
        plain.for_each(|(id, _)| _ = parameters.place(&(id, Vec::new())));
        parameters
    }

    /// Returns where a weight at an index begins; new ones go to the end.
    pub(crate) fn place(&mut self, key: &WeightKey) -> u32 {
        if let Some(&at) = self.places.get(key) {
            return at;
        }
        let at = self.len;
        self.len += self.sizes[key.0.index()];
        self.places.insert(key.clone(), at);
        self.keys.push((key.clone(), at));
        at
    }

    /// Returns where a weight at an index begins, if it has a place.
    pub(crate) fn find(&self, key: &WeightKey) -> Option<u32> {
        self.places.get(key).copied()
    }

    /// Returns where the value of a fact begins, which goes to the end.
    pub(super) fn place_input(&mut self, fact: InputFact) -> u32 {
        let at = self.len;
        self.len += fact.value.len() as u32;
        self.inputs.push((fact, at));
        at
    }

    /// Returns each fact whose value is an input with the range of its numbers, network by network.
    pub fn inputs(&self) -> impl Iterator<Item = (&InputFact, std::ops::Range<usize>)> {
        self.inputs.iter().map(|(fact, at)| (fact, *at as usize..*at as usize + fact.value.len()))
    }

    /// Returns where the numbers of a weight at an index end.
    pub(super) fn end(&self, key: &WeightKey) -> usize {
        self.places.get(key).map_or(0, |&at| (at + self.sizes[key.0.index()]) as usize)
    }

    /// Returns how many numbers belong to weights without an index.
    pub(super) fn plain(&self) -> usize {
        let plain = self.iter().filter(|((_, index), _)| index.is_empty());
        plain.map(|(_, range)| range.end).max().unwrap_or(0)
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns each weight at each index with the range of its numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&WeightKey, std::ops::Range<usize>)> {
        self.keys.iter().map(|(key, at)| (key, *at as usize..(*at + self.sizes[key.0.index()]) as usize))
    }

    /// Returns the numbers of all weights, and the values of inputs as they are in the data.
    pub fn values<R: crate::function::Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Vec<R> {
        self.values_among(template, vocabulary, weights, &vec![1; self.len()])
    }

    /// Returns the same, where each number feeds an atom with so many contributions.
    pub fn values_among<R: crate::function::Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
        contributions: &[u32],
    ) -> Vec<R> {
        let mut values = vec![R::ZERO; self.len()];
        let mut set = |range: std::ops::Range<usize>, numbers: &[f64]| {
            values[range].iter_mut().zip(numbers).for_each(|(value, &number)| *value = R::from_f64(number));
        };
        for ((weight, index), range) in self.iter() {
            let among = contributions.get(range.start).copied().unwrap_or(1);
            set(range, &weights.value_among(template, vocabulary, *weight, index, among));
        }
        self.inputs().for_each(|(fact, range)| set(range, &fact.value));
        values
    }
}
