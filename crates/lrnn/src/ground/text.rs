//! Ground facts and ground rules as text.

use super::{FactSource, Grounding};
use crate::template::{RuleId, Template};
use crate::vocabulary::{PredicateId, Vocabulary};

impl Grounding {
    /// Returns the ground facts as text, in the order of predicates and rows, each with where it was written.
    pub fn fact_texts(&self, vocabulary: &Vocabulary) -> Vec<(String, FactSource)> {
        let mut texts = Vec::new();
        for (predicate, facts) in self.facts.iter().enumerate() {
            for &(row, source) in facts {
                texts.push((self.atom_text(vocabulary, PredicateId(predicate as u32), row), source));
            }
        }
        texts
    }

    /// Returns the atom in a row of the model as text.
    pub fn atom_text(&self, vocabulary: &Vocabulary, predicate: PredicateId, row: u32) -> String {
        vocabulary.atom_text(predicate, self.relations[predicate.index()].row(row))
    }

    /// Returns a ground rule as text: `foal(star) :- parent(star, aida), horse(aida)`, guards with `*`, soft negation
    /// with `~`.
    pub fn rule_text(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        rule: RuleId,
        ground: usize,
    ) -> String {
        let (rules, rule) = (&self.rules[rule.index()], template.rule(rule));
        let mut body = Vec::new();
        for (position, (atom, column)) in rule.positive().zip(&rules.body).enumerate() {
            let mark = match rule.inputs.get(position) {
                Some(input) if input.negated => "~",
                Some(_) => "",
                None => "*",
            };
            body.push(format!("{mark}{}", self.atom_text(vocabulary, atom.predicate, column[ground])));
        }
        let head = self.atom_text(vocabulary, rule.head.predicate, rules.heads[ground]);
        if body.is_empty() { head } else { format!("{head} :- {}", body.join(", ")) }
    }
}
