//! Paths of three steps: there are too many to look at them all, so those are taken which join known triples more often
//! than the same triples with an end drawn at random.

use std::collections::BTreeMap;

use lrnn::train::shuffled;

use crate::path::{Graph, Pair, Path, Step};

/// Most triples of a relation that are looked at.
const SAMPLE: usize = 150;
/// Most ways of three steps that are gone for one relation.
const WAYS: usize = 20_000_000;
/// Most paths that are proposed for one relation.
const PROPOSED: usize = 200;
/// The stream of random ends.
const ENDS: u64 = 32;

/// Steps between two entities, to go from both ends and meet in the middle.
#[derive(Debug)]
pub struct Middle {
    /// By entity: where its steps lead, with the step, in order.
    toward: Vec<Vec<(u32, Step)>>,
}

impl Middle {
    /// Builds it from a graph.
    pub fn new(graph: &Graph) -> Self {
        let toward = |entity: u32| {
            let mut all: Vec<(u32, Step)> =
                graph.edges(entity).iter().map(|&(step, to)| (to, step)).collect();
            all.sort_unstable();
            all
        };
        Self { toward: (0..graph.entities() as u32).map(toward).collect() }
    }

    fn steps(&self, from: u32, to: u32) -> &[(u32, Step)] {
        let all = &self.toward[from as usize];
        let start = all.partition_point(|&(end, _)| end < to);
        let count = all[start..].partition_point(|&(end, _)| end == to);
        &all[start..start + count]
    }

    /// Adds 1 to the count of each path of three steps between two entities; returns the number of ways.
    fn count(
        &self,
        graph: &Graph,
        (head, tail): Pair,
        which: usize,
        counts: &mut BTreeMap<[Step; 3], [u32; 2]>,
    ) -> usize {
        let mut found: Vec<[Step; 3]> = Vec::new();
        let is_inner = |entity: u32| entity != head && entity != tail;
        for &(first, middle) in graph.edges(head).iter().filter(|edge| is_inner(edge.1)) {
            for &(back, second) in
                graph.edges(tail).iter().filter(|edge| is_inner(edge.1) && edge.1 != middle)
            {
                let last = graph.inverse(back);
                found.extend(self.steps(middle, second).iter().map(|&(_, step)| [first, step, last]));
            }
        }
        let ways = found.len();
        found.sort_unstable();
        found.dedup();
        found.into_iter().for_each(|path| counts.entry(path).or_default()[which] += 1);
        ways
    }
}

/// Proposes paths of three steps for a relation with these known pairs.
pub fn propose(graph: &Graph, middle: &Middle, known: &[Pair], seed: u64) -> Vec<Path> {
    let mut counts = BTreeMap::new();
    let mut ways = 0;
    for (number, at) in shuffled(known.len(), &[seed, ENDS]).into_iter().take(SAMPLE).enumerate() {
        if ways > WAYS {
            break;
        }
        let (head, tail) = known[at];
        // An end of another known triple, so that what only tells the type of an end does not count.
        let (other_head, other_tail) = known[(at + 1 + number) % known.len()];
        ways += middle.count(graph, (head, tail), 0, &mut counts);
        for other in [(head, other_tail), (other_head, tail)] {
            if known.binary_search(&other).is_err() {
                ways += middle.count(graph, other, 1, &mut counts);
            }
        }
    }
    let score = |[known, other]: [u32; 2]| {
        let (known, other) = (f64::from(known), 0.5 * f64::from(other));
        if known < 2.0 || known <= other {
            0.0
        } else {
            (known - other) * (known - other) / (known + other + 1.0)
        }
    };
    let mut found: Vec<(f64, [Step; 3])> =
        counts.into_iter().map(|(path, counts)| (score(counts), path)).collect();
    found.retain(|found| found.0 > 0.0);
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    found.into_iter().take(PROPOSED).map(|(_, steps)| Path::new(&steps)).collect()
}
