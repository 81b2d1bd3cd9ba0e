//! From an example to its graph.

use std::collections::BTreeMap;

use lrnn::data::{Example, FactTable};
use lrnn::explain::{ConstantShare, NamedConstants};
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary};

use crate::graph::{GraphEdge, GraphNode, GraphView};

/// More constants are no picture.
const MOST: usize = 300;

/// Returns the graph of an example: constants that a relation holds together by its first two terms, labelled with the
/// constants that count by their names, coloured by what they contribute. Without a relation it is the one with the
/// most facts between individuals. `None` if there is no such relation.
pub fn example_view(
    example: &Example,
    vocabulary: &Vocabulary,
    kept: &NamedConstants,
    relation: Option<PredicateId>,
    shares: &[ConstantShare],
) -> Option<(PredicateId, GraphView)> {
    let table = match relation {
        Some(relation) => example.tables.iter().find(|table| table.predicate == relation),
        None => example.tables.iter().max_by_key(|table| between(table, kept)),
    };
    let table = table.filter(|table| pairs(table).next().is_some())?;
    let mut nodes: BTreeMap<ConstantId, usize> = BTreeMap::new();
    let mut names: Vec<ConstantId> = Vec::new();
    let mut edges: BTreeMap<(usize, usize), String> = BTreeMap::new();
    let mut left_out = 0;
    for (row, (a, b)) in pairs(table).enumerate() {
        let mut number = |constant: ConstantId| {
            let next = nodes.len();
            if next >= MOST && !nodes.contains_key(&constant) {
                left_out += 1;
                return None;
            }
            Some(*nodes.entry(constant).or_insert_with(|| {
                names.push(constant);
                next
            }))
        };
        let (Some(from), Some(to)) = (number(a), number(b)) else { continue };
        let text = vocabulary.atom_text(table.predicate, table.row(row));
        edges.entry((from.min(to), from.max(to))).or_insert(text);
    }
    let node = |&constant: &ConstantId| GraphNode {
        name: vocabulary.constant(constant).to_string(),
        label: label(example, vocabulary, kept, constant),
        amount: shares
            .iter()
            .find(|share| share.constant == Some(constant))
            .map_or(0.0, |share| share.amount),
    };
    let nodes = names.iter().map(node).collect();
    let edge = |((from, to), name)| GraphEdge { from, to, name };
    let edges = edges.into_iter().map(edge).collect();
    Some((table.predicate, GraphView { nodes, edges, folded: left_out }))
}

/// Returns the first two terms of every row.
fn pairs(table: &FactTable) -> impl Iterator<Item = (ConstantId, ConstantId)> {
    (0..table.rows as usize).filter_map(|row| match table.row(row) {
        [a, b, ..] => Some((*a, *b)),
        _ => None,
    })
}

/// Returns how many facts hold two individuals together.
fn between(table: &FactTable, kept: &NamedConstants) -> usize {
    pairs(table).filter(|&(a, b)| !kept.has(a) && !kept.has(b)).count()
}

/// Returns the constants that count by their names in facts about this one alone, or the predicates that it stands in
/// alone.
fn label(example: &Example, vocabulary: &Vocabulary, kept: &NamedConstants, constant: ConstantId) -> String {
    let mut labels: Vec<String> = Vec::new();
    for table in &example.tables {
        for row in (0..table.rows as usize).map(|row| table.row(row)) {
            match row {
                [only] if *only == constant => labels.push(vocabulary.atom_text(table.predicate, &[])),
                [first, rest @ ..] if *first == constant && rest.iter().all(|&term| kept.has(term)) => {
                    labels.extend(rest.iter().map(|&term| vocabulary.constant(term).to_string()));
                }
                _ => {}
            }
        }
    }
    labels.dedup();
    labels.join(" ")
}
