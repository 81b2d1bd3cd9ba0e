//! Proofs: for a triple, the rules that speak for it or against it, each with facts that make it hold.

use serde::Serialize;

use crate::knowledge_base::{KnowledgeBase, Triple};
use crate::likeness::LikenessRule;
use crate::problem::SharedGraph;
use crate::rules::{RelationRules, WeightedRule};

/// A rule that holds of a triple, with facts that make it hold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TripleProof {
    /// The rule.
    pub rule: String,
    /// Its weight.
    pub weight: f64,
    /// The share to which it holds: 1 for a path.
    pub value: f64,
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
    /// The rules that hold, those that count most first.
    pub proofs: Vec<TripleProof>,
    /// The part of the score that the proofs do not have: where all triples of the relation begin, head and tail by
    /// themselves, and rules that count less.
    pub rest: f64,
}

/// Finds proofs in a knowledge base.
#[derive(Clone, Copy, Debug)]
pub struct Prover<'a> {
    /// The names.
    pub knowledge: &'a KnowledgeBase,
    /// The known triples.
    pub shared: &'a SharedGraph,
}

/// Most proofs of a triple.
const PROOFS: usize = 5;

impl Prover<'_> {
    /// Returns a predicted triple, its score and probability, with its proofs.
    pub fn predicted(
        &self,
        triple: Triple,
        (score, probability): (f64, f64),
        rules: &RelationRules,
    ) -> PredictedTriple {
        let Self { knowledge, .. } = self;
        let holds = |part: &[Triple]| part.binary_search(&triple).is_ok();
        let reasons = rules.rules.iter().chain(&rules.likeness);
        let mut proofs: Vec<TripleProof> = reasons.filter_map(|rule| self.proof(triple, rule)).collect();
        let counts = |proof: &TripleProof| (proof.weight * proof.value).abs();
        proofs.sort_by(|one, other| counts(other).total_cmp(&counts(one)));
        proofs.truncate(PROOFS);
        let told: f64 = proofs.iter().map(|proof| proof.weight * proof.value).sum();
        PredictedTriple {
            triple: [
                knowledge.entities[triple.head as usize].clone(),
                knowledge.relations[triple.relation as usize].clone(),
                knowledge.entities[triple.tail as usize].clone(),
            ],
            score,
            probability,
            is_held_out: holds(&knowledge.validation) || holds(&knowledge.test),
            proofs,
            rest: ((score - told) * 1e6).round() / 1e6,
        }
    }

    /// Returns the proof of a rule for a triple, if the rule holds.
    fn proof(&self, triple: Triple, rule: &WeightedRule) -> Option<TripleProof> {
        let (value, facts) = match rule.path.as_ref() {
            Some(path) => {
                let way = self.shared.graph.witness(path, (triple.head, triple.tail))?;
                (1.0, way.into_iter().map(|fact| self.knowledge.atom(fact)).collect())
            }
            None => self.likeness(triple, rule)?,
        };
        // Two rules of likeness differ in nothing but their functions.
        let functions = rule.likeness.map_or_else(String::new, |reason| format!(" {}", reason.functions()));
        Some(TripleProof { rule: rule.rule.clone() + &functions, weight: rule.weight, value, facts })
    }

    /// Returns how much a rule of likeness holds, with the known triple that it goes by and how alike the ends are.
    fn likeness(&self, triple: Triple, rule: &WeightedRule) -> Option<(f64, Vec<String>)> {
        let Self { knowledge, shared } = self;
        let Triple { relation, head, tail } = triple;
        let place = LikenessRule::ALL.iter().position(|reason| Some(*reason) == rule.likeness)?;
        let (value, by) = shared.likeness.reasons(&shared.graph, relation, (head, tail))[place];
        let like = |one: u32, other: u32| {
            let found = shared.likeness.others(one).find(|found| found.0 == other);
            found.map(|(_, value)| {
                format!(
                    "{}({}, {}) {value}",
                    knowledge.like(),
                    knowledge.entity(one),
                    knowledge.entity(other)
                )
            })
        };
        let known = knowledge.atom(Triple { relation, head: by.0, tail: by.1 });
        let facts = [like(head, by.0), Some(known), like(tail, by.1)];
        (value > 0.0).then(|| (value, facts.into_iter().flatten().collect()))
    }
}
