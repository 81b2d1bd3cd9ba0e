//! From an example to its graph.

use std::collections::BTreeMap;

use lrnn::data::{Example, FactTable};
use lrnn::explain::{ConstantShare, NamedConstants};
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary};

use crate::graph::{GraphEdge, GraphNode, GraphView};

/// More constants are no picture.
const MOST: usize = 300;

/// The relations that hold the constants of an example together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphRelations {
    /// The one with the most facts between individuals.
    Largest,
    /// All between individuals.
    All,
    /// This one.
    Named(PredicateId),
}

/// Returns the graph of an example: constants that relations hold together by their first two terms, labelled with the
/// constants that count by their names, coloured by what they contribute. `None` if there is no such relation.
pub fn example_view(
    example: &Example,
    vocabulary: &Vocabulary,
    kept: &NamedConstants,
    relations: GraphRelations,
    shares: &[ConstantShare],
) -> Option<GraphView> {
    let tables = chosen(example, kept, relations);
    let mut numbers: BTreeMap<ConstantId, usize> = BTreeMap::new();
    let mut names: Vec<ConstantId> = Vec::new();
    let mut edges: BTreeMap<(usize, usize, usize), String> = BTreeMap::new();
    let mut folded = 0;
    for (relation, table) in tables.iter().enumerate() {
        let is_between = |(a, b): (ConstantId, ConstantId)| !kept.has(a) && !kept.has(b);
        for (row, (a, b)) in pairs(table).enumerate() {
            if tables.len() > 1 && !is_between((a, b)) {
                continue;
            }
            let mut number = |constant: ConstantId| {
                let next = numbers.len();
                if next >= MOST && !numbers.contains_key(&constant) {
                    folded += 1;
                    return None;
                }
                Some(*numbers.entry(constant).or_insert_with(|| {
                    names.push(constant);
                    next
                }))
            };
            let (Some(from), Some(to)) = (number(a), number(b)) else { continue };
            let text = vocabulary.atom_text(table.predicate, table.row(row));
            edges.entry((from, to, relation)).or_insert(text);
        }
    }
    let node = |&constant: &ConstantId| GraphNode {
        name: vocabulary.constant(constant).to_string(),
        label: label(example, vocabulary, kept, constant),
        amount: shares
            .iter()
            .find(|share| share.constant == Some(constant))
            .map_or(0.0, |share| share.amount),
    };
    let nodes: Vec<GraphNode> = names.iter().map(node).collect();
    let has = |edge: &(usize, usize, usize)| edges.contains_key(edge);
    let of = |(&(from, to, relation), name): (&(usize, usize, usize), &String)| {
        let is_both_ways = from != to && has(&(to, from, relation));
        let edge = GraphEdge { from, to, name: name.clone(), relation, is_both_ways };
        // One line for both ways.
        (!is_both_ways || from < to).then_some(edge)
    };
    let edges: Vec<GraphEdge> = edges.iter().filter_map(of).collect();
    let relations = tables.iter().map(|table| vocabulary.signature(table.predicate).to_string()).collect();
    (!edges.is_empty()).then_some(GraphView { nodes, edges, relations, folded })
}

fn chosen<'a>(example: &'a Example, kept: &NamedConstants, relations: GraphRelations) -> Vec<&'a FactTable> {
    let named = |relation| example.tables.iter().filter(|it| it.predicate == relation).collect();
    let largest = || example.tables.iter().max_by_key(|table| between(table, kept)).into_iter().collect();
    match relations {
        GraphRelations::Named(relation) => named(relation),
        GraphRelations::Largest => largest(),
        GraphRelations::All => {
            let all: Vec<_> = example.tables.iter().filter(|table| between(table, kept) > 0).collect();
            if all.is_empty() { largest() } else { all }
        }
    }
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
