//! The rules of all relations as a template.

use std::fmt::Write;

use crate::completion::Completion;
use crate::knowledge_base::KnowledgeBase;
use crate::rules::WeightedRule;

impl Completion {
    /// Returns the template of the rules, for data whose facts are the known triples: `uncle(ann, bob)`.
    pub fn template(&self, knowledge: &KnowledgeBase) -> String {
        let mut text = String::from(
            "% Rules for the triples of a knowledge base, learned from those that are known. A body that holds counts 1, however\n\
             % often it does; an answer is the sum of the weights of the rules that hold, as a probability.\n\
             :- family(godel).\n\
             holds/3 [activation = sum-sigmoid].\n\n\
             % Whoever stands in a triple.\n",
        );
        for relation in 0..knowledge.relations.len() as u32 {
            if knowledge.train.iter().any(|triple| triple.relation == relation) {
                let name = knowledge.relation(relation);
                let _ = writeln!(text, "entity(X) :- {name}(X, _).\nentity(Y) :- {name}(_, Y).");
            }
        }
        let mut write = |heading: String, rules: &[WeightedRule]| {
            let _ = writeln!(text, "\n% {heading}");
            for rule in rules {
                let _ = writeln!(text, "{} :: {}.", rule.weight, rule.rule);
            }
        };
        for relation in self.rules.iter().filter(|relation| relation.base.weight != 0.0) {
            write(
                format!("{}: {} rules.", relation.relation, relation.rules.len()),
                std::slice::from_ref(&relation.base),
            );
            write("Paths from head to tail.".to_owned(), &relation.rules);
            if !relation.entities.is_empty() {
                write("Single heads and tails.".to_owned(), &relation.entities);
            }
        }
        let (ast, _) = lrnn::syntax::parse(&text, lrnn::diagnostic::SourceId::default());
        lrnn::syntax::print(&ast, &text)
    }
}
