//! Filtered ranking, as PyKEEN reports it: the true end of each triple among all entities, without those that would make
//! another known triple, from both ends. A tie has the mean of its best and its worst rank (the *realistic* rank).

use serde::Serialize;

use crate::knowledge_base::{KnowledgeBase, Triple};

/// All triples that are known to hold, of every part, from both ends.
#[derive(Debug)]
pub struct KnownTriples {
    /// (relation, head, tail) in order.
    by_head: Vec<(u32, u32, u32)>,
    /// (relation, tail, head) in order.
    by_tail: Vec<(u32, u32, u32)>,
}

/// The end of a triple that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Its heads are asked for.
    Head,
    /// Its tails are asked for.
    Tail,
}

impl std::str::FromStr for Side {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "head" => Ok(Self::Head),
            "tail" => Ok(Self::Tail),
            _ => Err("it must be `head` or `tail`"),
        }
    }
}

impl KnownTriples {
    /// Gathers the triples of all parts.
    pub fn new(knowledge: &KnowledgeBase) -> Self {
        let KnowledgeBase { train, validation, test, others, .. } = knowledge;
        let all = || train.iter().chain(validation).chain(test).chain(others);
        let ordered = |key: fn(&Triple) -> (u32, u32, u32)| {
            let mut keys: Vec<_> = all().map(key).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        Self {
            by_head: ordered(|triple| (triple.relation, triple.head, triple.tail)),
            by_tail: ordered(|triple| (triple.relation, triple.tail, triple.head)),
        }
    }

    /// Goes through the known ends of a triple on one side.
    fn ends(&self, triple: Triple, side: Side) -> impl Iterator<Item = u32> {
        let (all, other) = match side {
            Side::Tail => (&self.by_head, triple.head),
            Side::Head => (&self.by_tail, triple.tail),
        };
        let start = all.partition_point(|key| (key.0, key.1) < (triple.relation, other));
        all[start..].iter().take_while(move |key| (key.0, key.1) == (triple.relation, other)).map(|key| key.2)
    }

    /// Returns the realistic rank of the end of a triple among the scores of all entities.
    pub fn rank(&self, triple: Triple, side: Side, scores: &[f64]) -> f64 {
        let own = if side == Side::Tail { triple.tail } else { triple.head };
        let score = scores[own as usize];
        let count = |is_counted: fn(f64, f64) -> bool| {
            let all = scores.iter().filter(|&&other| is_counted(other, score)).count();
            let known =
                self.ends(triple, side).filter(|&end| is_counted(scores[end as usize], score)).count();
            // The end itself is among the known ones, and among all.
            (all - known) as f64
        };
        1.0 + count(|other, score| other > score) + 0.5 * count(|other, score| other == score)
    }
}

/// The rank of a triple from both ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TripleRank {
    /// The triple.
    pub triple: Triple,
    /// The rank of its head, from 1.
    pub head: f64,
    /// The rank of its tail, from 1.
    pub tail: f64,
}

/// Mean figures of ranks.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct RankScores {
    /// Number of ranks.
    pub ranks: usize,
    /// Mean reciprocal rank.
    pub mrr: f64,
    /// Share of ranks up to 1.
    pub hits_at_1: f64,
    /// Share of ranks up to 3.
    pub hits_at_3: f64,
    /// Share of ranks up to 10.
    pub hits_at_10: f64,
    /// Mean rank.
    pub mean_rank: f64,
}

impl RankScores {
    fn of(ranks: &[f64]) -> Self {
        let mean = |value: &dyn Fn(f64) -> f64| {
            ranks.iter().map(|&rank| value(rank)).fold(0.0, |sum, part| sum + part)
                / ranks.len().max(1) as f64
        };
        let hits = |most: f64| mean(&|rank| f64::from(u8::from(rank <= most)));
        Self {
            ranks: ranks.len(),
            mrr: mean(&|rank| 1.0 / rank),
            hits_at_1: hits(1.0),
            hits_at_3: hits(3.0),
            hits_at_10: hits(10.0),
            mean_rank: mean(&|rank| rank),
        }
    }
}

/// The ranking of some triples: of one relation, or of all.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ranking {
    /// The relation; none if it is of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// Ranks from both ends together.
    pub both: RankScores,
    /// Ranks of heads.
    pub head: RankScores,
    /// Ranks of tails.
    pub tail: RankScores,
    /// The same by relation, of those that have triples here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Ranking>,
}

impl Ranking {
    /// Computes the figures of ranks, by relation as well.
    pub fn new(knowledge: &KnowledgeBase, ranks: &[TripleRank]) -> Self {
        let of = |number: u32| {
            let own: Vec<TripleRank> =
                ranks.iter().filter(|rank| rank.triple.relation == number).copied().collect();
            let name = knowledge.relations[number as usize].clone();
            (!own.is_empty()).then(|| Self::figures(Some(name), &own))
        };
        let relations = (0..knowledge.relations.len() as u32).filter_map(of).collect();
        Self { relations, ..Self::figures(None, ranks) }
    }

    /// Returns the figures of one end, or of both.
    pub fn of(&self, end: Option<Side>) -> &RankScores {
        match end {
            Some(Side::Head) => &self.head,
            Some(Side::Tail) => &self.tail,
            None => &self.both,
        }
    }

    fn figures(relation: Option<String>, ranks: &[TripleRank]) -> Self {
        let heads: Vec<f64> = ranks.iter().map(|rank| rank.head).collect();
        let tails: Vec<f64> = ranks.iter().map(|rank| rank.tail).collect();
        let both: Vec<f64> = heads.iter().chain(&tails).copied().collect();
        Self {
            relation,
            both: RankScores::of(&both),
            head: RankScores::of(&heads),
            tail: RankScores::of(&tails),
            relations: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scores: &[f64], known: &[u32], expected: f64) {
        let own = Triple { relation: 0, head: 0, tail: 2 };
        let mut by_head: Vec<_> = known.iter().chain(&[own.tail]).map(|&tail| (0, 0, tail)).collect();
        by_head.sort_unstable();
        let known = KnownTriples { by_head, by_tail: Vec::new() };
        assert_eq!(known.rank(own, Side::Tail, scores), expected);
    }

    #[test]
    fn known_triples_are_left_out_and_ties_have_their_mean_rank() {
        check(&[0.1, 0.2, 0.9], &[], 1.0);
        check(&[0.1, 0.95, 0.9], &[], 2.0);
        check(&[0.1, 0.95, 0.9], &[1], 1.0);
        check(&[0.9, 0.9, 0.9], &[], 2.0);
        check(&[0.9, 0.9, 0.9], &[0], 1.5);
        check(&[0.9, 1.0, 0.9, 0.9, 2.0], &[4], 3.0);
    }

    #[test]
    fn figures_are_means_of_ranks() {
        let scores = RankScores::of(&[1.0, 2.0, 4.0, 20.0]);
        assert_eq!(scores.mrr, (1.0 + 0.5 + 0.25 + 0.05) / 4.0);
        assert_eq!((scores.hits_at_1, scores.hits_at_3, scores.hits_at_10), (0.25, 0.5, 0.75));
        assert_eq!(scores.mean_rank, 6.75);
    }
}
