//! Classes of rules: those that compute the same from the same predicates, whatever their constants, guards and
//! weights. 243 rules that spell out the values of an index are one class, and run as fast as the one indexed rule.
//!
//! The rules of a class have their neurons and groups in common, numbered together: neurons with the same inputs are one
//! neuron whichever rule they are of. What may differ, the weight of the rule, stands on the way from a group to its
//! atom, so where it does, each way has its slot.

use rustc_hash::FxHashMap;

use super::schedule::{ParameterPlace, RuleStep};
use crate::template::{RuleId, Template};
use crate::vocabulary::PredicateId;

/// Returns, for each rule, the first one of its class; that one's step becomes the step of the class.
pub(super) fn share(template: &Template, steps: &mut [RuleStep]) -> Vec<RuleId> {
    let mut known: FxHashMap<Vec<PredicateId>, Vec<usize>> = FxHashMap::default();
    let mut classes = Vec::with_capacity(steps.len());
    for number in 0..steps.len() {
        let candidates = known.entry(predicates(template, number)).or_default();
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

/// Returns the predicates of a rule's head and inputs.
fn predicates(template: &Template, number: usize) -> Vec<PredicateId> {
    let rule = &template.rules[number];
    let inputs = rule.inputs.iter().map(|input| input.atom.predicate);
    std::iter::once(rule.head.predicate).chain(inputs).collect()
}

/// Returns whether two rules compute the same, but for the values of their weights.
fn is_alike(one: &RuleStep, other: &RuleStep) -> bool {
    let (one_has, other_has) =
        (one.weight.place != ParameterPlace::One, other.weight.place != ParameterPlace::One);
    let same_kind = one_has == other_has && one.weight.shape == other.weight.shape;
    same_kind && *one == RuleStep { weight: one.weight, ..other.clone() }
}
