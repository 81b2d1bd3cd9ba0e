//! Paths through the graph of known triples: which pairs of entities each joins.
//!
//! A step goes along a relation or against it; all entities of a path are different from each other, but that it may come back to
//! where it began. So no path of two or three steps goes through the triple that joins its own ends, and a query's own
//! fact is never a reason for it.

use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::knowledge_base::{KnowledgeBase, Triple};

/// A pair of entities: head and tail.
pub type Pair = (u32, u32);

/// A step of a path: a relation, or its number and that of all relations where it is gone against.
pub type Step = u32;

/// At most three steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    steps: [Step; 3],
    length: u8,
}

impl Path {
    /// Makes a path of one to three steps.
    pub fn new(steps: &[Step]) -> Self {
        let mut all = [0; 3];
        all[..steps.len()].copy_from_slice(steps);
        Self { steps: all, length: steps.len() as u8 }
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.length as usize]
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.length, self.steps).cmp(&(other.length, other.steps))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A path with the pairs that it joins, in order.
#[derive(Clone, Debug)]
pub struct PathPairs {
    /// The path.
    pub path: Path,
    /// The pairs, each once.
    pub pairs: Vec<Pair>,
}

/// Known triples by the entity they start from, gone along and against.
#[derive(Debug)]
pub struct Graph {
    /// Number of relations.
    pub relations: u32,
    /// By entity: steps with the entities they lead to, in order.
    edges: Vec<Vec<(Step, u32)>>,
}

impl Graph {
    /// Builds the graph of the triples to learn from.
    pub fn new(knowledge: &KnowledgeBase) -> Self {
        let relations = knowledge.relations.len() as u32;
        let mut edges = vec![Vec::new(); knowledge.entities.len()];
        for &Triple { relation, head, tail } in &knowledge.train {
            edges[head as usize].push((relation, tail));
            edges[tail as usize].push((relation + relations, head));
        }
        edges.iter_mut().for_each(|edges: &mut Vec<_>| edges.sort_unstable());
        Self { relations, edges }
    }

    /// Returns the number of entities.
    pub fn entities(&self) -> usize {
        self.edges.len()
    }

    /// Returns the step back.
    pub fn inverse(&self, step: Step) -> Step {
        if step < self.relations { step + self.relations } else { step - self.relations }
    }

    /// Returns all steps from an entity with where they lead.
    pub fn edges(&self, entity: u32) -> &[(Step, u32)] {
        &self.edges[entity as usize]
    }

    /// Returns where a step leads from an entity.
    pub fn ends(&self, entity: u32, step: Step) -> &[(Step, u32)] {
        let edges = &self.edges[entity as usize];
        let start = edges.partition_point(|edge| edge.0 < step);
        let count = edges[start..].partition_point(|edge| edge.0 == step);
        &edges[start..start + count]
    }

    /// Calls for each way along a path from an entity, with the entities behind each step.
    fn walk(&self, start: u32, path: &Path, call: &mut dyn FnMut(&[u32])) {
        let steps = path.steps();
        let mut found = [0; 3];
        self.walk_on(start, steps, 0, &mut found, call);
    }

    fn walk_on(
        &self,
        start: u32,
        steps: &[Step],
        at: usize,
        found: &mut [u32; 3],
        call: &mut dyn FnMut(&[u32]),
    ) {
        let from = if at == 0 { start } else { found[at - 1] };
        let is_last = at + 1 == steps.len();
        for &(_, to) in self.ends(from, steps[at]) {
            let is_new = (steps.len() == 1 || to != from) && !found[..at].contains(&to);
            let is_free = is_new
                && if is_last {
                    steps.len() > 1 || to != start || steps[0] < self.relations
                } else {
                    to != start
                };
            if !is_free {
                continue;
            }
            found[at] = to;
            if is_last {
                call(&found[..=at]);
            } else {
                self.walk_on(start, steps, at + 1, found, call);
            }
        }
    }

    /// Returns the pairs that a path joins, or none if they are more than so many.
    pub fn pairs(&self, path: Path, most: usize) -> Option<PathPairs> {
        let mut pairs = Vec::new();
        for head in 0..self.entities() as u32 {
            let begin = pairs.len();
            self.walk(head, &path, &mut |found| pairs.push((head, found[found.len() - 1])));
            pairs[begin..].sort_unstable();
            let mut kept = begin;
            for at in begin..pairs.len() {
                if at == begin || pairs[at] != pairs[kept - 1] {
                    pairs[kept] = pairs[at];
                    kept += 1;
                }
            }
            pairs.truncate(kept);
            if pairs.len() > most {
                return None;
            }
        }
        Some(PathPairs { path, pairs })
    }

    /// Returns one way along a path from head to tail: the triples that it goes through.
    pub fn witness(&self, path: &Path, (head, tail): Pair) -> Option<Vec<Triple>> {
        let mut way: Option<Vec<u32>> = None;
        self.walk(head, path, &mut |found| {
            if way.is_none() && found.last() == Some(&tail) {
                way = Some(found.to_vec());
            }
        });
        let mut from = head;
        let triple = |(&step, to): (&Step, u32)| {
            let found = if step < self.relations {
                Triple { relation: step, head: from, tail: to }
            } else {
                Triple { relation: step - self.relations, head: to, tail: from }
            };
            from = to;
            found
        };
        way.map(|way| path.steps().iter().zip(way).map(triple).collect())
    }

    /// Returns the body of a path from X to Y, as the language writes it.
    pub fn body(&self, path: &Path, knowledge: &KnowledgeBase) -> String {
        let names = ["X", "Z", "W"];
        let steps = path.steps();
        let mut text = String::new();
        for (at, &step) in steps.iter().enumerate() {
            let (from, to) = (names[at], if at + 1 == steps.len() { "Y" } else { names[at + 1] });
            let separator = if at == 0 { "" } else { ", " };
            let (relation, from, to) =
                if step < self.relations { (step, from, to) } else { (step - self.relations, to, from) };
            let _ = write!(text, "{separator}{}({from}, {to})", knowledge.relation(relation));
        }
        text.push_str(match steps.len() {
            1 if steps[0] < self.relations => "",
            1 => ", X != Y",
            2 => ", Z != X, Z != Y",
            _ => ", Z != X, Z != Y, W != X, W != Y, Z != W",
        });
        text
    }
}

/// Bounds of the paths that are looked at.
#[derive(Clone, Copy, Debug)]
pub struct PathLimits {
    /// Most pairs of one path.
    pub pairs: usize,
    /// Most pairs of all paths together.
    pub total: usize,
}

impl Default for PathLimits {
    fn default() -> Self {
        Self { pairs: 1_000_000, total: 40_000_000 }
    }
}

/// The paths of one and two steps, and how many were left out because they join too many pairs.
#[derive(Debug)]
pub struct ShortPaths {
    /// The paths in order.
    pub paths: Vec<PathPairs>,
    /// Number of paths that were left out.
    pub left_out: usize,
}

impl ShortPaths {
    /// Finds all paths of one step, and of two if that is asked for.
    pub fn new(graph: &Graph, length: u8, limits: PathLimits) -> Self {
        let steps = 2 * graph.relations;
        let single = (0..steps).filter_map(|step| graph.pairs(Path::new(&[step]), usize::MAX));
        let mut paths: Vec<PathPairs> = single.collect();
        let mut left_out = 0;
        if length > 1 {
            let (kept, dropped) = kept_pairs_of_steps(graph, limits);
            left_out = dropped;
            paths.extend(paths_of_two(graph, &kept));
        }
        paths.retain(|path| !path.pairs.is_empty());
        paths.sort_unstable_by_key(|path| path.path);
        Self { paths, left_out }
    }
}

/// Returns the pairs of steps that join few enough pairs of entities, by a bound, and how many do not.
fn kept_pairs_of_steps(graph: &Graph, limits: PathLimits) -> (Vec<(Step, Step)>, usize) {
    let mut bounds: BTreeMap<(Step, Step), usize> = BTreeMap::new();
    for entity in 0..graph.entities() as u32 {
        let mut counts: Vec<(Step, usize)> = Vec::new();
        for &(step, _) in graph.edges(entity) {
            match counts.last_mut() {
                Some(last) if last.0 == step => last.1 += 1,
                _ => counts.push((step, 1)),
            }
        }
        for &(back, ways) in &counts {
            for &(on, ends) in &counts {
                *bounds.entry((graph.inverse(back), on)).or_insert(0) += ways * ends;
            }
        }
    }
    let mut order: Vec<(usize, (Step, Step))> =
        bounds.into_iter().map(|(steps, bound)| (bound, steps)).collect();
    order.sort_unstable();
    let all = order.len();
    let mut total = 0;
    order.retain(|&(bound, _)| {
        total += bound;
        bound <= limits.pairs && total <= limits.total
    });
    let left_out = all - order.len();
    (order.into_iter().map(|(_, steps)| steps).collect(), left_out)
}

fn paths_of_two(graph: &Graph, kept: &[(Step, Step)]) -> Vec<PathPairs> {
    let empty =
        |&(first, second): &(Step, Step)| PathPairs { path: Path::new(&[first, second]), pairs: Vec::new() };
    let mut found: Vec<PathPairs> = kept.iter().map(empty).collect();
    let place: FxHashMap<(Step, Step), u32> = kept.iter().zip(0..).map(|(steps, at)| (*steps, at)).collect();
    let mut ends: Vec<(u32, u32)> = Vec::new();
    for head in 0..graph.entities() as u32 {
        ends.clear();
        for &(first, middle) in graph.edges(head).iter().filter(|edge| edge.1 != head) {
            for &(second, tail) in graph.edges(middle).iter().filter(|edge| edge.1 != middle) {
                ends.extend(place.get(&(first, second)).map(|&at| (at, tail)));
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends.iter().for_each(|&(at, tail)| found[at as usize].pairs.push((head, tail)));
    }
    found
}
