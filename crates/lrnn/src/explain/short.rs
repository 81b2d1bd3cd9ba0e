//! A form in short, if it is a path or a ring: `c-c-f`, or `c -b_7- n -b_2- o` where edges have labels.

use std::collections::{BTreeMap, BTreeSet};

use super::Form;
use super::form::{FormFact, Slot};
use crate::vocabulary::Vocabulary;

/// Pairs of individuals that a fact holds together, with what the facts say beside.
type Edges = BTreeMap<(u32, u32), BTreeSet<String>>;

impl Form {
    /// Returns the labels along the way, if the individuals make one path or one ring; a label is a kept constant
    /// beside the individual, or else the predicate that it stands in alone.
    pub fn short(&self, vocabulary: &Vocabulary) -> Option<String> {
        let (labels, edges) = self.drawn(vocabulary);
        let nodes = self.nodes(&edges);
        let neighbours = |node: u32| -> Vec<u32> {
            let other = |&(a, b): &(u32, u32)| match node {
                _ if a == node => Some(b),
                _ if b == node => Some(a),
                _ => None,
            };
            edges.keys().filter_map(other).collect()
        };
        if nodes.iter().any(|&node| labels[node as usize].is_empty() || neighbours(node).len() > 2) {
            return None;
        }
        let is_ring = nodes.len() > 2 && edges.len() == nodes.len();
        let ends: Vec<u32> =
            nodes.iter().copied().filter(|&node| is_ring || neighbours(node).len() < 2).collect();
        let mut ways = Vec::new();
        for &end in &ends {
            for first in neighbours(end).into_iter().map(Some).chain([None]) {
                let way = walk(end, first, neighbours);
                if way.len() == nodes.len() {
                    ways.push(written(&way, &labels, &edges));
                }
            }
        }
        let best = ways.into_iter().min()?;
        Some(if is_ring { format!("ring {best}") } else { best })
    }

    /// Returns the form as a graph: a label for each individual that stands in an edge or is alone, and the edges
    /// between them with what the facts say beside.
    pub fn graph(&self, vocabulary: &Vocabulary) -> (Vec<String>, Vec<(usize, usize, String)>) {
        let (labels, edges) = self.drawn(vocabulary);
        let nodes: Vec<u32> = self.nodes(&edges).into_iter().collect();
        let place = |node: u32| nodes.partition_point(|&other| other < node);
        let edge = |(&(a, b), said): (&(u32, u32), &BTreeSet<String>)| {
            (place(a), place(b), said.iter().cloned().collect::<Vec<_>>().join("+"))
        };
        let edges = edges.iter().map(edge).collect();
        (nodes.iter().map(|&node| labels[node as usize].clone()).collect(), edges)
    }

    /// Pairs that a fact holds together by its first two individuals, each with the labels of its other terms.
    fn drawn(&self, vocabulary: &Vocabulary) -> (Vec<String>, Edges) {
        let labels: Vec<String> =
            (0..self.individuals).map(|individual| self.label(individual, vocabulary)).collect();
        let mut edges = Edges::new();
        for (_, terms) in &self.facts {
            let mut any = terms.iter().filter_map(individual);
            let (Some(a), Some(b)) = (any.next(), any.next()) else { continue };
            if a == b {
                continue;
            }
            let others = terms.iter().filter(|slot| **slot != Slot::Any(a) && **slot != Slot::Any(b));
            let text = |slot: &Slot| match slot {
                Slot::Kept(constant) => vocabulary.constant(*constant).to_string(),
                Slot::Any(number) => labels[*number as usize].clone(),
            };
            let texts: Vec<String> = others.map(text).filter(|text| !text.is_empty()).collect();
            let said = edges.entry((a.min(b), a.max(b))).or_default();
            if !texts.is_empty() {
                said.insert(texts.join(","));
            }
        }
        (labels, edges)
    }

    /// Returns the individuals on the way: those of edges, or the only one.
    fn nodes(&self, edges: &Edges) -> BTreeSet<u32> {
        let alone = (edges.is_empty() && self.individuals == 1).then_some(0);
        edges.keys().flat_map(|&(a, b)| [a, b]).chain(alone).collect()
    }

    fn label(&self, individual: u32, vocabulary: &Vocabulary) -> String {
        let is_alone = |terms: &[Slot]| {
            terms.iter().all(|slot| matches!(slot, Slot::Kept(_)) || *slot == Slot::Any(individual))
        };
        let about = |(_, terms): &&FormFact| terms.contains(&Slot::Any(individual)) && is_alone(terms);
        let text = |(predicate, terms): &FormFact| {
            let kept = |slot: &Slot| match slot {
                Slot::Kept(constant) => Some(vocabulary.constant(*constant).to_string()),
                Slot::Any(_) => None,
            };
            let names: Vec<String> = terms.iter().filter_map(kept).collect();
            if names.is_empty() { vocabulary.atom_text(*predicate, &[]) } else { names.join(",") }
        };
        self.facts.iter().filter(about).map(text).collect::<Vec<_>>().join("+")
    }
}

fn individual(slot: &Slot) -> Option<u32> {
    match slot {
        Slot::Any(number) => Some(*number),
        Slot::Kept(_) => None,
    }
}

/// From a node to its first neighbour and on, until there is nothing new.
fn walk(start: u32, first: Option<u32>, neighbours: impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
    let mut way = vec![start];
    let mut next = first;
    while let Some(node) = next {
        way.push(node);
        next = neighbours(node).into_iter().find(|other| !way.contains(other));
    }
    way
}

/// Returns the labels of a way with those of its edges.
fn written(way: &[u32], labels: &[String], edges: &Edges) -> String {
    let mut text = way.first().map_or_else(String::new, |&node| labels[node as usize].clone());
    for pair in way.windows(2) {
        let key = (pair[0].min(pair[1]), pair[0].max(pair[1]));
        let said = edges.get(&key).into_iter().flatten().cloned().collect::<Vec<_>>().join("+");
        let label = &labels[pair[1] as usize];
        text.push_str(&if said.is_empty() { format!("-{label}") } else { format!(" -{said}- {label}") });
    }
    text
}
