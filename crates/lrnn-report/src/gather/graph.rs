//! Pictures of examples and patterns for the page: where each node is.

use std::collections::BTreeMap;

use lrnn::data::Dataset;
use lrnn::explain::{ConstantShare, Form, NamedConstants};
use lrnn::vocabulary::Vocabulary;

use crate::example::{GraphRelations, example_view};
use crate::page::{PageGraph, PageGraphEdge, PageGraphNode};
use crate::stress::stress_layout;

/// Returns where a node is, as finely as a screen can tell.
fn place(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Contributions of facts, by their texts.
pub(super) type FactAmounts = BTreeMap<String, f64>;

/// Returns an example drawn, with what its constants and facts contribute if that is known. None without a relation to
/// draw, or with more constants than a picture has room for.
pub(super) fn example_graph(
    dataset: &Dataset,
    example: usize,
    kept: &NamedConstants,
    shares: Option<(&[ConstantShare], &FactAmounts)>,
) -> Option<PageGraph> {
    let (facts, vocabulary) = (&dataset.examples[example], &dataset.vocabulary);
    let shown = shares.map_or(&[][..], |shares| shares.0);
    let view = example_view(facts, vocabulary, kept, GraphRelations::Largest, shown)?;
    if view.folded > 0 {
        return None;
    }
    let node = |node: crate::GraphNode| (node.name, node.label, shares.map(|_| node.amount));
    let edge = |edge: crate::GraphEdge| {
        let amount = shares.map(|(_, facts)| facts.get(&edge.name).copied().unwrap_or(0.0));
        PageGraphEdge { from: edge.from, to: edge.to, label: edge.name, amount }
    };
    Some(laid(view.nodes.into_iter().map(node).collect(), view.edges.into_iter().map(edge).collect()))
}

/// Places nodes, each a text, a label and an amount, by the edges between them.
fn laid(nodes: Vec<(String, String, Option<f64>)>, edges: Vec<PageGraphEdge>) -> PageGraph {
    let pairs: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let places = stress_layout(nodes.len(), &pairs);
    let node =
        |((text, label, amount), (x, y))| PageGraphNode { text, label, x: place(x), y: place(y), amount };
    PageGraph { nodes: nodes.into_iter().zip(places).map(node).collect(), edges }
}

/// Returns a pattern drawn.
pub(super) fn pattern_graph(form: &Form, vocabulary: &Vocabulary) -> Option<PageGraph> {
    let (labels, edges) = form.graph(vocabulary);
    if labels.is_empty() {
        return None;
    }
    let nodes = labels.into_iter().map(|label| (label.clone(), label, None)).collect();
    let edge = |(from, to, label)| PageGraphEdge { from, to, label, amount: None };
    Some(laid(nodes, edges.into_iter().map(edge).collect()))
}
