//! The parameters: the numbers of all weights in one flat array, and which lie where.

use rustc_hash::FxHashMap;

use super::Weights;
use super::schedule::plain_places;
use crate::template::{Template, WeightId};
use crate::vocabulary::{ConstantId, Vocabulary};

/// A weight at an index; plain weights have the empty one.
pub type WeightKey = (WeightId, Vec<ConstantId>);

/// Which numbers of the flat array belong to which weight. Weights without an index come first, in the template's
/// order; those with an index follow in the order the networks met them.
#[derive(Clone, Debug)]
pub struct Parameters {
    keys: Vec<(WeightKey, u32)>,
    /// Only looked up, never gone through.
    places: FxHashMap<WeightKey, u32>,
    sizes: Vec<u32>,
    len: u32,
}

impl Parameters {
    /// The parameters of a template before any network.
    pub fn new(template: &Template) -> Self {
        let sizes: Vec<u32> = template.weights.iter().map(|weight| weight.shape.size() as u32).collect();
        let mut parameters = Self { keys: Vec::new(), places: FxHashMap::default(), sizes, len: 0 };
        for (number, (weight, at)) in template.weights.iter().zip(plain_places(template)).enumerate() {
            if weight.index_arity == 0 {
                let key = (WeightId(number as u32), Vec::new());
                parameters.places.insert(key.clone(), at);
                parameters.keys.push((key, at));
                parameters.len = at + parameters.sizes[number];
            }
        }
        parameters
    }

    /// Where a weight at an index begins; new ones go to the end.
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

    /// Where the numbers of a weight at an index end.
    pub(super) fn end(&self, key: &WeightKey) -> usize {
        self.places.get(key).map_or(0, |&at| (at + self.sizes[key.0.index()]) as usize)
    }

    /// How many numbers belong to weights without an index.
    pub(super) fn plain(&self) -> usize {
        let plain = self.iter().filter(|((_, index), _)| index.is_empty());
        plain.map(|(_, range)| range.end).max().unwrap_or(0)
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Each weight at each index with the range of its numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&WeightKey, std::ops::Range<usize>)> {
        self.keys.iter().map(|(key, at)| (key, *at as usize..(*at + self.sizes[key.0.index()]) as usize))
    }

    /// The numbers of all weights.
    pub fn values<R: crate::function::Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Vec<R> {
        self.values_among(template, vocabulary, weights, &vec![1; self.len()])
    }

    /// The same, where each number feeds an atom with so many contributions.
    pub fn values_among<R: crate::function::Real>(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weights: &Weights,
        contributions: &[u32],
    ) -> Vec<R> {
        let mut values = vec![R::ZERO; self.len()];
        for ((weight, index), range) in self.iter() {
            let among = contributions.get(range.start).copied().unwrap_or(1);
            let numbers = weights.value_among(template, vocabulary, *weight, index, among);
            values[range].iter_mut().zip(numbers).for_each(|(value, number)| *value = R::from_f64(number));
        }
        values
    }
}
