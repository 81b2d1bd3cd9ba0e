//! Tables of predicates: those that differ by name only, as `c(X)`, `o(X)` and `br(X)` where `element(X, T)` might stand.
//! Their atoms are numbered together, so that rules over them are one class, whatever the spelling, and atoms of the same
//! ancestry are one neuron.
//!
//! Predicates share a table if they compute the same, stand at the same depth of the template, and rules that are alike
//! otherwise have one where the others have another.

use rustc_hash::FxHashMap;

use super::class::is_alike;
use super::schedule::{AtomStep, RuleStep};
use crate::template::{Stratum, Template};
use crate::vocabulary::PredicateId;

/// The tables of a template's predicates.
pub(super) struct PredicateTables {
    /// By predicate, the first one of its table.
    pub first: Vec<PredicateId>,
    /// The strata, those with predicates of one table together.
    pub strata: Vec<Stratum>,
}

impl PredicateTables {
    /// Finds the predicates that share tables, and puts the first of each in the place of the others in the steps.
    pub fn new(template: &Template, steps: &mut [RuleStep], atoms: &mut [AtomStep]) -> Self {
        let depths = depths(template);
        let mut first: Vec<PredicateId> = (0..atoms.len() as u32).map(PredicateId).collect();
        for (one, other) in interchangeable(template, steps, atoms, &depths) {
            join(&mut first, one, other);
        }
        let first: Vec<PredicateId> = first.iter().map(|&predicate| root(&first, predicate)).collect();
        for input in steps.iter_mut().flat_map(|step| &mut step.inputs) {
            input.predicate = first[input.predicate.index()];
        }
        for number in 0..atoms.len() {
            let head = first[number].index();
            atoms[head].has_own_offset |= atoms[number].offset != atoms[head].offset;
        }
        for number in 0..atoms.len() {
            atoms[number].has_own_offset = atoms[first[number].index()].has_own_offset;
        }
        let strata = together(template, &first, &depths);
        Self { first, strata }
    }
}

/// Returns the first predicate of a table.
fn root(first: &[PredicateId], mut predicate: PredicateId) -> PredicateId {
    while first[predicate.index()] != predicate {
        predicate = first[predicate.index()];
    }
    predicate
}

fn join(first: &mut [PredicateId], one: PredicateId, other: PredicateId) {
    let (one, other) = (root(first, one), root(first, other));
    first[one.max(other).index()] = one.min(other);
}

/// Returns how far each predicate is from the facts, if it has a depth: in a recursive stratum it has none.
fn depths(template: &Template) -> Vec<(u32, bool)> {
    let mut depths = vec![(0, true); template.predicates.len()];
    for stratum in &template.strata {
        let bodies = stratum.rules.iter().flat_map(|&id| {
            let rule = template.rule(id);
            let inputs = rule.inputs.iter().map(|input| input.atom.predicate);
            inputs.chain(rule.guards.iter().map(|guard| guard.predicate))
        });
        let below = bodies.filter(|predicate| !stratum.predicates.contains(predicate));
        let depth = below.map(|predicate| depths[predicate.index()].0 + 1).max().unwrap_or(0);
        for predicate in &stratum.predicates {
            depths[predicate.index()] = (depth, !stratum.recursive);
        }
    }
    depths
}

/// Returns pairs of predicates at the same place of rules that are alike otherwise.
fn interchangeable(
    template: &Template,
    steps: &[RuleStep],
    atoms: &[AtomStep],
    depths: &[(u32, bool)],
) -> Vec<(PredicateId, PredicateId)> {
    let kind = kinds(template, atoms, depths);
    let mut known: FxHashMap<Vec<u32>, Vec<usize>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let own = places(template, number);
        if !atoms[own[0].index()].combination.is_sum() {
            continue;
        }
        let kinds = own.iter().map(|predicate| kind[predicate.index()]).collect();
        let candidates = known.entry(kinds).or_default();
        let is_sister = |&first: &usize| is_alike(&steps[first], &of_predicates(step, &steps[first]));
        match candidates.iter().copied().find(is_sister) {
            Some(first) => {
                let others = places(template, first);
                pairs.extend(own.into_iter().zip(others).filter(|(one, other)| one != other));
            }
            None => candidates.push(number),
        }
    }
    pairs
}

/// Returns a step with the predicates of another.
fn of_predicates(step: &RuleStep, other: &RuleStep) -> RuleStep {
    let mut step = step.clone();
    for (input, other) in step.inputs.iter_mut().zip(&other.inputs) {
        input.predicate = other.predicate;
    }
    step
}

/// Returns the predicates of a rule's head and inputs.
pub(super) fn places(template: &Template, number: usize) -> Vec<PredicateId> {
    let rule = &template.rules[number];
    let inputs = rule.inputs.iter().map(|input| input.atom.predicate);
    std::iter::once(rule.head.predicate).chain(inputs).collect()
}

/// Returns, for each predicate, the number of the first that computes the same at the same depth.
fn kinds(template: &Template, atoms: &[AtomStep], depths: &[(u32, bool)]) -> Vec<u32> {
    let mut firsts: Vec<usize> = Vec::new();
    let kind = |number: usize| {
        let (own, depth) = (&atoms[number], depths[number]);
        let is_head = |other: usize| template.predicates[other].is_head;
        let is_kind = |&first: &usize| {
            depth.1
                && [first, number].iter().all(|&it| template.predicates[it].value.is_none())
                && depths[first] == depth
                && is_head(first) == is_head(number)
                && are_alike(&atoms[first], own)
        };
        let found = firsts.iter().copied().find(is_kind);
        found.unwrap_or_else(|| {
            firsts.push(number);
            number
        }) as u32
    };
    (0..atoms.len()).map(kind).collect()
}

/// Returns whether two predicates compute the same, but for the value of their offset.
fn are_alike(one: &AtomStep, other: &AtomStep) -> bool {
    let shape = |step: &AtomStep| step.offset.map(|(_, shape)| shape);
    shape(one) == shape(other) && *one == AtomStep { offset: one.offset, ..other.clone() }
}

/// Returns the strata with those of one table together, where there is a table of several: then in the order of depth.
fn together(template: &Template, first: &[PredicateId], depths: &[(u32, bool)]) -> Vec<Stratum> {
    if first.iter().zip(0..).all(|(first, own)| first.0 == own) {
        return template.strata.clone();
    }
    let mut strata: Vec<&Stratum> = template.strata.iter().collect();
    strata.sort_by_key(|stratum| depths[stratum.predicates[0].index()].0);
    let mut joined: Vec<Stratum> = Vec::new();
    let mut place: FxHashMap<PredicateId, usize> = FxHashMap::default();
    for stratum in strata {
        let table = first[stratum.predicates[0].index()];
        match place.get(&table) {
            Some(&at) if !stratum.recursive => {
                joined[at].predicates.extend(&stratum.predicates);
                joined[at].rules.extend(&stratum.rules);
                joined[at].rules.sort_unstable();
            }
            _ => {
                place.insert(table, joined.len());
                joined.push(stratum.clone());
            }
        }
    }
    joined
}
