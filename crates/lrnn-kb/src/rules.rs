//! The rules of a relation as a person reads them.

use serde::Serialize;

use crate::knowledge_base::KnowledgeBase;
use crate::likeness::LikenessRule;
use crate::path::Path;
use crate::problem::{FittedRelation, SharedGraph};

/// A rule with its weight.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WeightedRule {
    /// The rule in the language, without weight and full stop.
    pub rule: String,
    /// The weight.
    pub weight: f64,
    /// The path that it goes along, if it is one.
    #[serde(skip)]
    pub(crate) path: Option<Path>,
    /// The reason of likeness that it is, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeness: Option<LikenessRule>,
}

/// All rules of a relation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RelationRules {
    /// The relation.
    pub relation: String,
    /// The rule that holds of every pair.
    pub base: WeightedRule,
    /// Rules about paths, the largest weights first.
    pub rules: Vec<WeightedRule>,
    /// Rules about entities that are alike.
    pub likeness: Vec<WeightedRule>,
    /// Weights of single entities as head or tail.
    pub entities: Vec<WeightedRule>,
}

impl RelationRules {
    /// Writes the rules of fitted weights; those of weight 0 are no rules.
    pub fn new(
        knowledge: &KnowledgeBase,
        shared: &SharedGraph,
        relation: u32,
        fitted: &FittedRelation,
    ) -> Self {
        let name = knowledge.relation(relation);
        let head = |head: &str, tail: &str| format!("holds({head}, {name}, {tail})");
        let plain = |rule: String, weight: f64| WeightedRule { rule, weight, path: None, likeness: None };
        let mut rules = Vec::new();
        for (path, &weight) in fitted.paths.iter().zip(&fitted.weights.paths) {
            let rule = format!("{} :- {}", head("X", "Y"), shared.graph.body(path, knowledge));
            rules.push(WeightedRule { path: Some(*path), ..plain(rule, weight) });
        }
        rules.retain(|rule| rule.weight != 0.0);
        rules.sort_by(|one, other| {
            other.weight.abs().total_cmp(&one.weight.abs()).then_with(|| one.rule.cmp(&other.rule))
        });
        let reasons = shared.likeness.rules().iter().zip(&fitted.weights.likeness);
        let likeness = reasons.filter(|reason| *reason.1 != 0.0).map(|(&reason, &weight)| {
            let rule = format!("{} :- {}", head("X", "Y"), reason.body(&name, &knowledge.like()));
            WeightedRule { likeness: Some(reason), ..plain(rule, weight) }
        });
        let likeness = likeness.collect();
        let mut entities = Vec::new();
        for (side, weights) in fitted.weights.entities.iter().enumerate() {
            for (entity, &weight) in weights.iter().enumerate().filter(|weight| *weight.1 != 0.0) {
                let own = knowledge.entity(entity as u32);
                let text = if side == 0 {
                    format!("{} :- entity(Y)", head(&own, "Y"))
                } else {
                    format!("{} :- entity(X)", head("X", &own))
                };
                entities.push(plain(text, weight));
            }
        }
        let base = plain(format!("{} :- entity(X), entity(Y)", head("X", "Y")), fitted.weights.intercept);
        Self { relation: knowledge.relations[relation as usize].clone(), base, rules, likeness, entities }
    }

    /// Tells whether anything was learned: nothing is of a relation without known triples.
    pub fn is_learned(&self) -> bool {
        let lists = [&self.rules, &self.likeness, &self.entities];
        self.base.weight != 0.0 || lists.iter().any(|rules| !rules.is_empty())
    }
}
