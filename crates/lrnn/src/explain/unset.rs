//! Which weights behind some atoms have no numbers of a model: nothing taught them.

use std::collections::BTreeSet;

use super::Proof;
use crate::ground::FactSource;
use crate::model::{key_name, weight_names};
use crate::network::{EdgeWeight, GroupNode, WeightKey, Weights};
use crate::template::WeightUse;

impl Proof<'_> {
    /// Returns the learnable weights of the proof that were never set among these, by their full names: `w[i, 1]`.
    pub fn unset(&self, weights: &Weights) -> BTreeSet<String> {
        let mut keys: BTreeSet<WeightKey> = BTreeSet::new();
        for group in &self.network.groups {
            let rule = self.template.rule(group.rule);
            let uses = rule.inputs.iter().map(|input| &input.weight).chain([&rule.weight]);
            keys.extend(uses.flatten().filter_map(|used| self.key(group, used)));
            keys.extend(rule.functions.offset.weight().map(|weight| (weight, Vec::new())));
        }
        for fact in &self.network.facts {
            let FactSource::Template(number) = fact.source else { continue };
            let Some(fact) = self.template.facts.get(number as usize) else { continue };
            let plain = fact.weight.as_ref().filter(|used| used.index.is_empty());
            keys.extend(plain.map(|used| (used.weight, Vec::new())));
        }
        for atom in &self.network.atoms {
            let known = self.template.predicates.get(atom.predicate.index());
            keys.extend(known.and_then(|known| known.offset.weight()).map(|weight| (weight, Vec::new())));
        }
        keys.retain(|(id, index)| !self.template.weight(*id).fixed && !weights.is_set(*id, index));
        if keys.is_empty() {
            return BTreeSet::new();
        }
        let names = weight_names(self.template);
        keys.iter().map(|key| key_name(&names, self.template, self.vocabulary, key)).collect()
    }

    /// Returns a weight of a rule at the index of a group.
    pub(super) fn key(&self, group: &GroupNode, used: &WeightUse) -> Option<WeightKey> {
        match group.weight(self.template.rule(group.rule), Some(used))? {
            EdgeWeight::Weight(weight, index) => Some((weight, index)),
            EdgeWeight::One | EdgeWeight::Value(..) => None,
        }
    }
}
