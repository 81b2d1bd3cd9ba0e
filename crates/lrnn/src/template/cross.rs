//! Bodies that fall apart: literals that share no variable are joined by trying every pair.

use super::{Atom, Condition, Rule, Template, Term, VariableId};
use crate::diagnostic::Diagnostic;
use crate::vocabulary::PredicateId;

impl Template {
    /// Returns a warning for each rule of some predicates whose body falls apart into parts that share no variable and no comparison: it
    /// has as many ground rules as all choices of one row from each. Parts that the template's own facts give are small,
    /// as `*group(G)` with `group(1..3).`, and do not count.
    pub(crate) fn cross_products(&self, is_whole: impl Fn(PredicateId) -> bool) -> Vec<Diagnostic> {
        let rules = self.rules.iter().filter(|rule| is_whole(rule.head.predicate));
        rules.filter_map(|rule| self.cross_product(rule)).collect()
    }

    fn cross_product(&self, rule: &Rule) -> Option<Diagnostic> {
        let parts = self.large_parts(rule);
        if parts.len() < 2 {
            return None;
        }
        let name = |part: &Vec<&Atom>| format!("`{}`", self.vocabulary.signature(part[0].predicate));
        let names: Vec<String> = parts.iter().map(name).collect();
        let message = format!(
            "the body falls apart into {} parts that share no variable, with {}: every row of each is joined with every \
             row of the others",
            parts.len(),
            names.join(", ")
        );
        let help = "add a literal that relates them, such as a guard `*bond(X, Y, B)`, or a comparison if all pairs are meant";
        Some(Diagnostic::warning("W0310", rule.span, message).help(help))
    }

    /// Returns the parts of a rule's body that share no variable, no comparison and no equation, without those that the template's own
    /// facts give.
    pub(crate) fn large_parts<'a>(&self, rule: &'a Rule) -> Vec<Vec<&'a Atom>> {
        parts(rule).into_iter().filter(|part| !part.iter().all(|atom| self.is_small(atom))).collect()
    }

    /// Returns whether only facts of the template give a predicate.
    fn is_small(&self, atom: &Atom) -> bool {
        let predicate = &self.predicates[atom.predicate.index()];
        predicate.has_facts && !predicate.is_head
    }
}

/// Returns the literals with variables in parts that share no variable.
fn parts(rule: &Rule) -> Vec<Vec<&Atom>> {
    let mut part_of: Vec<usize> = (0..rule.variables.len()).collect();
    let mut join = |variables: &[VariableId]| {
        for pair in variables.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|variable| part_of[variable.index()]);
            part_of.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
        }
    };
    rule.positive().for_each(|atom| join(&atom.variables().collect::<Vec<_>>()));
    for condition in &rule.conditions {
        if matches!(
            condition,
            Condition::Compare(_, Term::Variable(_), Term::Variable(_)) | Condition::Arithmetic(..)
        ) {
            join(&condition.variables());
        }
    }
    let mut parts: Vec<(usize, Vec<&Atom>)> = Vec::new();
    for atom in rule.positive() {
        let Some(variable) = atom.variables().next() else { continue };
        let part = part_of[variable.index()];
        match parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, atoms)) => atoms.push(atom),
            None => parts.push((part, vec![atom])),
        }
    }
    parts.into_iter().map(|(_, atoms)| atoms).collect()
}
