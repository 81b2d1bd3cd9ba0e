//! Classes of rules: those that compute the same from predicates of the same tables, whatever their constants, guards and
//! weights. 243 rules that spell out the values of an index are one class, and run as fast as the one indexed rule.
//!
//! The rules of a class have their neurons and groups in common, numbered together: neurons with the same inputs are one
//! neuron whichever rule they are of. What may differ, the weight of the rule, stands on the way from a group to its
//! atom, so where it does, each way has its slot.

use rustc_hash::FxHashMap;

use super::schedule::{ParameterPlace, RuleStep};
use super::tables::places;
use crate::template::{RuleId, Template};
use crate::vocabulary::PredicateId;

/// Returns, for each rule, the first one of its class; that one's step becomes the step of the class.
pub(super) fn share(template: &Template, steps: &mut [RuleStep], table: &[PredicateId]) -> Vec<RuleId> {
    let mut known: FxHashMap<Vec<PredicateId>, Vec<usize>> = FxHashMap::default();
    let mut classes = Vec::with_capacity(steps.len());
    for number in 0..steps.len() {
        let predicates = places(template, number).into_iter().map(|predicate| table[predicate.index()]);
        let candidates = known.entry(predicates.collect()).or_default();
        // Where contributions do not simply add up, their order counts, and it is that of the rules.
        let head = template.rules[number].head.predicate;
        let adds_up = template.predicates[head.index()].combination.is_sum();
        let own = &steps[number];
        let found = candidates.iter().copied().find(|&first| adds_up && is_alike(&steps[first], own));
        let first = found.unwrap_or(number);
        if found.is_none() {
            candidates.push(number);
        } else if steps[first].weight != steps[number].weight {
            steps[first].weight.place = ParameterPlace::Slots;
        }
        classes.push(RuleId(first as u32));
    }
    classes
}

/// Returns whether two rules compute the same, but for the values of their weights.
pub(super) fn is_alike(one: &RuleStep, other: &RuleStep) -> bool {
    let (one_has, other_has) =
        (one.weight.place != ParameterPlace::One, other.weight.place != ParameterPlace::One);
    let same_kind = one_has == other_has && one.weight.shape == other.weight.shape;
    same_kind && *one == RuleStep { weight: one.weight, ..other.clone() }
}
