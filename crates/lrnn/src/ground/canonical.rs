//! A grounding without its row numbers, so that two groundings can be compared.

use super::{FactSource, Grounding};
use crate::template::{RuleId, Template};
use crate::vocabulary::{ConstantId, PredicateId};

/// A ground atom.
pub type GroundAtom = (PredicateId, Vec<ConstantId>);

/// A ground rule: the rule, the head, the positive body literals in order and the constants of its index.
pub type GroundRule = (RuleId, GroundAtom, Vec<GroundAtom>, Vec<ConstantId>);

/// Everything a grounding says, sorted. A ground rule found by several substitutions stands there several times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The least Herbrand model.
    pub atoms: Vec<GroundAtom>,
    /// The active ground rules.
    pub rules: Vec<GroundRule>,
    /// The ground facts.
    pub facts: Vec<(GroundAtom, FactSource)>,
}

/// Returns the canonical form of a grounding.
pub fn canonical(template: &Template, grounding: &Grounding) -> Canonical {
    let atom = |predicate: PredicateId, row: u32| {
        (predicate, grounding.relations[predicate.index()].row(row).to_vec())
    };
    let predicates = (0..grounding.relations.len() as u32).map(PredicateId);
    let mut atoms = Vec::new();
    let mut facts = Vec::new();
    for predicate in predicates {
        let rows = 0..grounding.relations[predicate.index()].end();
        atoms.extend(rows.map(|row| atom(predicate, row)));
        let here = &grounding.facts[predicate.index()];
        facts.extend(here.iter().map(|&(row, source)| (atom(predicate, row), source)));
    }
    let mut rules = Vec::new();
    for id in template.rule_ids() {
        let (rule, ground) = (template.rule(id), &grounding.rules[id.index()]);
        for (number, &head) in ground.heads.iter().enumerate() {
            let columns = rule.positive().zip(&ground.body);
            let body = columns.map(|(literal, rows)| atom(literal.predicate, rows[number])).collect();
            let index = ground.index.iter().map(|constants| constants[number]).collect();
            rules.push((id, atom(rule.head.predicate, head), body, index));
        }
    }
    atoms.sort_unstable();
    rules.sort_unstable();
    facts.sort_unstable();
    Canonical { atoms, rules, facts }
}
