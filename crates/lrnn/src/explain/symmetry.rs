//! Constants that stand in the same place among the facts of an example, such as the two oxygens of a nitro group.
//!
//! Colours are refined: individuals begin alike, and are told apart by the facts they are in, with the values of these
//! and the colours of the other terms, until no round tells more apart. Constants of one colour need not be mirror images
//! of each other, as atoms of two rings of five and of one ring of ten; who uses colours asks the network as well.

use std::collections::BTreeMap;

use super::Proof;
use crate::network::{EdgeWeight, mix};
use crate::vocabulary::ConstantId;

/// The colour of each constant that facts name.
pub(super) struct Colours(BTreeMap<ConstantId, u64>);

impl Colours {
    /// Refines the colours of the constants of some facts. Those for which `is_individual` does not hold are themselves.
    pub fn of(proof: &Proof<'_>, facts: &[usize], is_individual: impl Fn(ConstantId) -> bool) -> Self {
        let mut colours = BTreeMap::new();
        for &fact in facts {
            for &term in proof.terms(proof.network.facts[fact].atom) {
                let own = if is_individual(term) { 0 } else { mix(u64::from(term.0) + 1) };
                colours.insert(term, own);
            }
        }
        let mut colours = Self(colours);
        let mut classes = colours.classes();
        loop {
            let refined = colours.refined(proof, facts);
            let count = refined.classes();
            if count == classes {
                return colours;
            }
            (colours, classes) = (refined, count);
        }
    }

    /// Returns the colour of a constant.
    pub fn colour(&self, constant: ConstantId) -> u64 {
        self.0.get(&constant).copied().unwrap_or(0)
    }

    fn classes(&self) -> usize {
        let mut all: Vec<u64> = self.0.values().copied().collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    fn refined(&self, proof: &Proof<'_>, facts: &[usize]) -> Self {
        let mut refined = self.0.clone();
        for &fact in facts {
            let node = &proof.network.facts[fact];
            let terms = proof.terms(node.atom);
            let begin = mix(u64::from(proof.network.atoms[node.atom].predicate.0) + 1);
            let numbers = match &node.weight {
                EdgeWeight::Value(numbers, _) => &numbers[..],
                EdgeWeight::One | EdgeWeight::Weight(..) => &[],
            };
            let value = numbers.iter().fold(begin, |so_far, number| mix(so_far ^ number.to_bits()));
            let whole = terms.iter().fold(value, |so_far, &term| mix(so_far ^ self.colour(term)));
            for (place, term) in terms.iter().enumerate() {
                if let Some(colour) = refined.get_mut(term) {
                    // Whatever the order of the facts.
                    *colour = colour.wrapping_add(mix(whole.wrapping_add(place as u64)));
                }
            }
        }
        Self(refined)
    }
}
