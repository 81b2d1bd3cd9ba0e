//! The values of weights.

use std::collections::BTreeMap;

use super::Initialisation;
use crate::template::{Start, Template, WeightId};
use crate::vocabulary::{ConstantId, Vocabulary};

/// The value of each weight at each index: what was set, else where the template says it begins. A random start
/// depends on the seed, the weight and the text of the index alone, so it is the same whatever the data's order.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    seed: u64,
    initialisation: Initialisation,
    scale: f64,
    set: BTreeMap<(WeightId, Vec<ConstantId>), Vec<f64>>,
}

impl Default for Weights {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Weights {
    /// Returns all weights where they begin; those without a start of their own between -1 and 1.
    pub fn new(seed: u64) -> Self {
        Self::starting(seed, Initialisation::Uniform, 1.0)
    }

    /// Returns all weights where they begin; those without a start of their own as the initialisation says.
    pub fn starting(seed: u64, initialisation: Initialisation, scale: f64) -> Self {
        Self { seed, initialisation, scale, set: BTreeMap::new() }
    }

    /// Returns the same, with what was set, but other random starts.
    pub fn restarted(&self, seed: u64, initialisation: Initialisation, scale: f64) -> Self {
        Self { seed, initialisation, scale, set: self.set.clone() }
    }

    /// Sets the numbers of a weight at an index; a plain weight has the empty index.
    pub fn set(&mut self, weight: WeightId, index: &[ConstantId], numbers: Vec<f64>) {
        self.set.insert((weight, index.to_vec()), numbers);
    }

    /// Goes through the weights that were set, in the order of weights and indices.
    pub fn keys(&self) -> impl Iterator<Item = &(WeightId, Vec<ConstantId>)> {
        self.set.keys()
    }

    /// Returns whether a weight at an index was set.
    pub fn is_set(&self, weight: WeightId, index: &[ConstantId]) -> bool {
        self.set.contains_key(&(weight, index.to_vec()))
    }

    /// Returns the numbers of a weight at an index, as many as its shape has.
    pub fn value(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weight: WeightId,
        index: &[ConstantId],
    ) -> Vec<f64> {
        self.value_among(template, vocabulary, weight, index, 1)
    }

    /// Returns the same, for a weight that feeds an atom with so many contributions.
    pub(super) fn value_among(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        weight: WeightId,
        index: &[ConstantId],
        contributions: u32,
    ) -> Vec<f64> {
        let declared = template.weight(weight);
        let size = declared.shape.size();
        let set = self.set.get(&(weight, index.to_vec()));
        match set.or(if let Start::Values(numbers) = &declared.start { Some(numbers) } else { None }) {
            // One number for all elements.
            Some(numbers) if numbers.len() == 1 => vec![numbers[0]; size],
            Some(numbers) => numbers.clone(),
            None => {
                let name = declared.name.as_ref().map_or_else(|| weight.0.to_string(), ToString::to_string);
                let texts = declared.index_texts(vocabulary, index);
                let texts = std::iter::once(name).chain(texts);
                let state = texts.fold(mix(self.seed), |state, text| absorb(state, &text));
                let number = |at: u64| {
                    let own = state.wrapping_add(at.wrapping_mul(STEP));
                    // The first draw is of the element's own bits; further ones scatter these again.
                    let draw = |nth: u64| {
                        let bits = if nth == 0 { own } else { mix(own).wrapping_add(nth.wrapping_mul(STEP)) };
                        uniform(mix(bits))
                    };
                    self.initialisation.number(self.scale, declared.shape, contributions, draw)
                };
                (0..size as u64).map(number).collect()
            }
        }
    }
}

/// 2^64 over the golden ratio, odd: its multiples are spread evenly.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scatters the bits: each bit of the result depends on each bit of the number.
pub fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(STEP);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits ^ (bits >> 32)
}

/// Returns the state after a text; its length too, so that two texts do not read as one.
fn absorb(state: u64, text: &str) -> u64 {
    let state = text.bytes().fold(state, |state, byte| mix(state ^ u64::from(byte)));
    mix(state ^ ((text.len() as u64) << 8))
}

/// From -1 to 1.
fn uniform(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_fill_their_range_evenly() {
        let numbers: Vec<f64> = (0..10_000).map(|i| uniform(absorb(mix(1), &i.to_string()))).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 1e4;
        let square = numbers.iter().map(|number| number * number).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.01, "{mean} {square}");
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let state = |texts: &[&str]| texts.iter().fold(0, |state, text| absorb(state, text));
        assert_ne!(state(&["ab", "c"]), state(&["a", "bc"]));
        assert_ne!(state(&["", "a"]), state(&["a", ""]));
    }
}
