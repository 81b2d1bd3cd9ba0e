//! The rules of all relations as a template.

use std::fmt::Write;

use crate::completion::{Completion, RuleCombination};
use crate::knowledge_base::KnowledgeBase;
use crate::rules::WeightedRule;

impl Completion {
    /// Returns the template of the rules, for data whose facts are the known triples: `uncle(ann, bob)`.
    pub fn template(&self, knowledge: &KnowledgeBase) -> String {
        let (answer, activation) = match self.setting.combination {
            RuleCombination::Logistic => ("as a probability", "sum-sigmoid"),
            RuleCombination::NoisyOr => ("S; the probability by their noisy-or is 1 - e^-S", "sum"),
        };
        let mut text = format!(
            "% Rules for the triples of a knowledge base, learned from those that are known. A body that holds counts 1, however\n\
             % often it does; an answer is the sum of the weights of the rules that hold, {answer}.\n\
             :- family(godel).\n\
             holds/3 [activation = {activation}].\n\n\
             % Whoever stands in a triple.\n",
        );
        for relation in 0..knowledge.relations.len() as u32 {
            if knowledge.train.iter().any(|triple| triple.relation == relation) {
                let name = knowledge.relation(relation);
                let _ = writeln!(text, "entity(X) :- {name}(X, _).\nentity(Y) :- {name}(_, Y).");
            }
        }
        if !self.likeness.is_empty() {
            let name = knowledge.like();
            let _ = writeln!(text, "\n% How alike two entities are, by the facts that they have in common.");
            for &(entity, other, value) in &self.likeness {
                let (entity, other) = (knowledge.entity(entity), knowledge.entity(other));
                let _ = writeln!(text, "<{value}> :: {name}({entity}, {other}).");
            }
        }
        let mut write = |heading: String, rules: &[WeightedRule]| {
            let _ = writeln!(text, "\n% {heading}");
            for rule in rules {
                let functions = rule.likeness.map(|reason| format!(" {}", reason.functions()));
                let _ = writeln!(text, "{} :: {}.{}", rule.weight, rule.rule, functions.unwrap_or_default());
            }
        };
        for relation in self.rules.iter().filter(|relation| relation.is_learned()) {
            write(
                format!("{}: {} rules.", relation.relation, relation.rules.len()),
                std::slice::from_ref(&relation.base),
            );
            write("Paths from head to tail.".to_owned(), &relation.rules);
            if !relation.likeness.is_empty() {
                write(
                    "What holds of others that are like the head or the tail.".to_owned(),
                    &relation.likeness,
                );
            }
            if !relation.entities.is_empty() {
                write("Single heads and tails.".to_owned(), &relation.entities);
            }
        }
        let (ast, _) = lrnn::syntax::parse(&text, lrnn::diagnostic::SourceId::default());
        lrnn::syntax::print(&ast, &text)
    }
}
