//! Proofs: for a triple, the rules that speak for it or against it, each with facts that make it hold.

use lrnn::function::math::sigmoid;
use serde::Serialize;

use crate::knowledge_base::{KnowledgeBase, Triple};
use crate::path::Graph;
use crate::rules::{RelationRules, WeightedRule};

/// A rule that holds of a triple, with facts that make it hold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TripleProof {
    /// The rule.
    pub rule: String,
    /// Its weight.
    pub weight: f64,
    /// The facts of one way to make it hold.
    pub facts: Vec<String>,
}

/// A triple that is not known, with its probability and the reasons.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PredictedTriple {
    /// Head, relation and tail.
    pub triple: [String; 3],
    /// Sum of the weights of all rules that hold.
    pub score: f64,
    /// The sum as a probability.
    pub probability: f64,
    /// True if it stands among the triples of validation or test.
    pub is_held_out: bool,
    /// The rules of paths that hold, the largest weights first.
    pub proofs: Vec<TripleProof>,
}

/// Finds proofs in a knowledge base.
#[derive(Clone, Copy, Debug)]
pub struct Prover<'a> {
    /// The names.
    pub knowledge: &'a KnowledgeBase,
    /// The known triples.
    pub graph: &'a Graph,
}

/// Most proofs of a triple.
const PROOFS: usize = 5;

impl Prover<'_> {
    /// Returns a predicted triple with its proofs.
    pub fn predicted(&self, triple: Triple, score: f64, rules: &RelationRules) -> PredictedTriple {
        let Self { knowledge, .. } = self;
        let holds = |part: &[Triple]| part.binary_search(&triple).is_ok();
        let proofs = rules.rules.iter().filter_map(|rule| self.proof(triple, rule));
        PredictedTriple {
            triple: [
                knowledge.entities[triple.head as usize].clone(),
                knowledge.relations[triple.relation as usize].clone(),
                knowledge.entities[triple.tail as usize].clone(),
            ],
            score,
            probability: sigmoid(score),
            is_held_out: holds(&knowledge.validation) || holds(&knowledge.test),
            proofs: proofs.take(PROOFS).collect(),
        }
    }

    /// Returns the proof of a rule for a triple, if the rule holds.
    fn proof(&self, triple: Triple, rule: &WeightedRule) -> Option<TripleProof> {
        let path = rule.path.as_ref()?;
        let way = self.graph.witness(path, (triple.head, triple.tail))?;
        let facts = way.into_iter().map(|fact| self.knowledge.atom(fact)).collect();
        Some(TripleProof { rule: rule.rule.clone(), weight: rule.weight, facts })
    }
}
