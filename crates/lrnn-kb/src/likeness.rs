//! How alike two entities are: the share of what is known of both, as the cosine of their facts, those that few
//! entities have in common counting more. What holds of one is a reason that it holds of another that is like it.
//!
//! For a triple that is known, everything is as if it were not: neither its head nor its tail has it in common with others.

use lrnn::threads::each;
use serde::Serialize;

use crate::completion::Negatives;
use crate::knowledge_base::KnowledgeBase;
use crate::path::{Graph, Pair, Step};

/// Most entities that one is compared with, unless all pairs are looked at.
const ALIKE: usize = 50;
/// Most entities that a fact may have in common to count, unless all pairs are looked at.
const SHARED: usize = 1000;

/// A reason that goes by likeness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LikenessRule {
    /// The known head that is most like the head.
    Head,
    /// The mean of all known heads.
    Heads,
    /// The known tail that is most like the tail.
    Tail,
    /// The mean of all known tails.
    Tails,
    /// The known triple whose ends are most like both ends; only where all pairs are looked at.
    Both,
}

impl LikenessRule {
    /// All of them, in the order of their weights.
    pub const ALL: [Self; 5] = [Self::Head, Self::Heads, Self::Tail, Self::Tails, Self::Both];

    /// Returns the body of the rule for a relation, from X to Y, under the name that likeness has.
    pub fn body(self, relation: &str, like: &str) -> String {
        match self {
            Self::Head | Self::Heads => format!("{like}(X, Z), {relation}(Z, Y)"),
            Self::Tail | Self::Tails => format!("{like}(Y, Z), {relation}(X, Z)"),
            Self::Both => format!("{like}(X, Z), {relation}(Z, W), {like}(Y, W)"),
        }
    }

    /// Returns how a template combines the body and its groundings.
    pub fn functions(self) -> &'static str {
        match self {
            Self::Heads | Self::Tails => "[combination = product, aggregation = avg]",
            _ => "[combination = product, aggregation = max]",
        }
    }
}

/// The rows in which a reason holds, and how much.
#[derive(Clone, Debug, Default)]
pub struct GradedColumn {
    /// Rows in order.
    pub rows: Vec<u32>,
    /// By row: above 0, at most 1.
    pub values: Vec<f64>,
}

/// The likeness of entities.
#[derive(Debug)]
pub struct Likeness {
    /// By entity: others in order, with the weight of what both have in common.
    alike: Vec<Vec<(u32, f64)>>,
    /// By entity: the weight of its facts.
    facts: Vec<f64>,
    /// The likeness of each to each, row by row, if all pairs of entities are looked at; else nothing.
    table: Vec<f64>,
}

/// Reasons for one pair: how much each holds, and the entities that it goes by.
type PairReasons = [(f64, Pair); 5];

impl Likeness {
    /// Compares the entities of a graph.
    pub fn new(graph: &Graph, knowledge: &KnowledgeBase, negatives: Negatives) -> Self {
        let entities = knowledge.entities.len();
        let is_full = negatives.takes_all(entities);
        let own = |entity: u32| graph.edges(entity).iter().map(|&(step, end)| weight(graph, step, end)).sum();
        let facts: Vec<f64> = (0..entities as u32).map(own).collect();
        let of = |entity: u32| {
            let mut common = vec![0.0; entities];
            let mut met = Vec::new();
            for &(step, end) in graph.edges(entity) {
                let sharing = graph.ends(end, graph.inverse(step));
                if !is_full && sharing.len() > SHARED {
                    continue;
                }
                let weight = weight(graph, step, end);
                for &(_, other) in sharing.iter().filter(|edge| edge.1 != entity) {
                    if common[other as usize] == 0.0 {
                        met.push(other);
                    }
                    common[other as usize] += weight;
                }
            }
            let mut found: Vec<(u32, f64)> = met.into_iter().map(|at| (at, common[at as usize])).collect();
            if !is_full && found.len() > ALIKE {
                let score = |at: &(u32, f64)| at.1 / facts[at.0 as usize].sqrt();
                found.sort_by(|one, other| score(other).total_cmp(&score(one)).then(one.0.cmp(&other.0)));
                found.truncate(ALIKE);
            }
            found.sort_unstable_by_key(|found| found.0);
            found
        };
        let all: Vec<u32> = (0..entities as u32).collect();
        let alike = each(&all, |&entity| of(entity));
        let mut likeness = Self { alike, facts, table: Vec::new() };
        if is_full {
            let row = |entity: u32| (0..entities as u32).map(move |other| (entity, other));
            let values = (0..entities as u32).flat_map(row);
            likeness.table = values.map(|(one, other)| likeness.without(one, other, 0.0, false)).collect();
        }
        likeness
    }

    /// Returns the reasons that there are.
    pub fn rules(&self) -> &'static [LikenessRule] {
        if self.table.is_empty() { &LikenessRule::ALL[..4] } else { &LikenessRule::ALL }
    }

    /// Returns how much an entity is like another, by all that is known.
    fn value(&self, entity: u32, other: u32) -> f64 {
        match self.table.get(entity as usize * self.facts.len() + other as usize) {
            Some(&value) => value,
            None => self.without(entity, other, 0.0, false),
        }
    }

    /// Returns how much an entity is like another, without a fact of this weight and, if the other has it, what both
    /// have in common by it; with the digits that a template shows.
    fn without(&self, entity: u32, other: u32, own: f64, is_shared: bool) -> f64 {
        let alike = &self.alike[entity as usize];
        let Ok(at) = alike.binary_search_by_key(&other, |found| found.0) else { return 0.0 };
        let common = alike[at].1 - if is_shared { own } else { 0.0 };
        let norm = ((self.facts[entity as usize] - own) * self.facts[other as usize]).sqrt();
        if common <= 0.0 || norm <= 0.0 { 0.0 } else { ((common / norm).min(1.0) * 1000.0).round() / 1000.0 }
    }

    /// Returns whom an entity is like, and how much.
    pub fn others(&self, entity: u32) -> impl Iterator<Item = (u32, f64)> {
        let value = move |&(other, _): &(u32, f64)| (other, self.value(entity, other));
        self.alike[entity as usize].iter().map(value).filter(|found| found.1 > 0.0)
    }

    /// Returns how much each reason holds for a pair of a relation.
    pub fn reasons(&self, graph: &Graph, relation: u32, (head, tail): Pair) -> PairReasons {
        let back = graph.inverse(relation);
        let is_known = holds(graph, relation, (head, tail));
        let own = |step: Step, end: u32| if is_known { weight(graph, step, end) } else { 0.0 };
        let (of_head, of_tail) = (own(relation, tail), own(back, head));
        // What the head has in common with another known head of the tail is the triple itself.
        let like_head = |other: u32| match is_known {
            true => self.without(head, other, of_head, holds(graph, relation, (other, tail))),
            false => self.value(head, other),
        };
        let like_tail = |other: u32| match is_known {
            true => self.without(tail, other, of_tail, holds(graph, relation, (head, other))),
            false => self.value(tail, other),
        };
        let (best_head, heads) = best_and_mean(head, graph.ends(tail, back), like_head);
        let (best_tail, tails) = best_and_mean(tail, graph.ends(head, relation), like_tail);
        let mut both = (0.0, (0, 0));
        if !self.table.is_empty() {
            for &(other, _) in &self.alike[head as usize] {
                let ends = graph.ends(other, relation);
                let one = if ends.is_empty() { 0.0 } else { like_head(other) };
                if one <= both.0 {
                    continue;
                }
                for &(_, end) in ends.iter().filter(|edge| edge.1 != tail) {
                    let value = one * like_tail(end);
                    both = if value > both.0 { (value, (other, end)) } else { both };
                }
            }
        }
        let (by_head, by_tail) = ((best_head.1, tail), (head, best_tail.1));
        [(best_head.0, by_head), (heads, by_head), (best_tail.0, by_tail), (tails, by_tail), both]
    }

    /// Returns the pairs of a relation for which a reason of one end holds, in no order.
    pub fn pairs(&self, known: &[Pair]) -> Vec<Pair> {
        let mut likers = vec![Vec::new(); self.alike.len()];
        for (entity, others) in (0..).zip(&self.alike) {
            others.iter().for_each(|found| likers[found.0 as usize].push(entity));
        }
        let heads = known
            .iter()
            .flat_map(|&(head, tail)| likers[head as usize].iter().map(move |&entity: &u32| (entity, tail)));
        let tails = known
            .iter()
            .flat_map(|&(head, tail)| likers[tail as usize].iter().map(move |&entity| (head, entity)));
        heads.chain(tails).collect()
    }

    /// Returns how much each reason holds in each row of a relation.
    pub fn columns(&self, graph: &Graph, relation: u32, pairs: &[Pair]) -> Vec<GradedColumn> {
        let mut columns = vec![GradedColumn::default(); self.rules().len()];
        for (row, &pair) in (0..).zip(pairs) {
            for (column, (value, _)) in columns.iter_mut().zip(self.reasons(graph, relation, pair)) {
                if value > 0.0 {
                    column.rows.push(row);
                    column.values.push(value);
                }
            }
        }
        columns
    }
}

/// Returns the other entity that one is most like, and the mean of all that it is like.
fn best_and_mean(entity: u32, others: &[(Step, u32)], like: impl Fn(u32) -> f64) -> ((f64, u32), f64) {
    let (mut best, mut sum, mut count) = ((0.0, 0), 0.0, 0.0);
    for &(_, other) in others.iter().filter(|edge| edge.1 != entity) {
        let value = like(other);
        if value > 0.0 {
            (sum, count) = (sum + value, count + 1.0);
            best = if value > best.0 { (value, other) } else { best };
        }
    }
    (best, if count > 0.0 { sum / count } else { 0.0 })
}

/// Returns the weight of a fact: the fewer entities have it, the more.
fn weight(graph: &Graph, step: Step, end: u32) -> f64 {
    let sharing = graph.ends(end, graph.inverse(step)).len();
    lrnn::function::math::ln((graph.entities() + 1) as f64 / (sharing + 1) as f64)
}

/// Tells whether a triple is known.
fn holds(graph: &Graph, relation: u32, (head, tail): Pair) -> bool {
    graph.edges(head).binary_search(&(relation, tail)).is_ok()
}
