//! From what the engine explains to what the page shows.

use lrnn::explain::{EdgeView, NetworkView, NodeKind, Tree, TreeKind};

use crate::page::{self, Explanation, NetworkEdge, NetworkNode, PageNetwork, SharedTexts};
use lrnn::program::{AtomExplanation, ConstantContribution};

/// So many constants and facts are listed.
const MOST_CONSTANTS: usize = 30;
const MOST_FACTS: usize = 30;
/// Of a tensor so many numbers are shown.
const MOST_NUMBERS: usize = 4;
/// Longer texts are cut.
const LONGEST: usize = 300;

/// Returns an explanation as the page shows it, with the network behind it.
pub(super) fn explanation(
    explained: &AtomExplanation,
    constants: &[ConstantContribution],
    view: &NetworkView,
    texts: &mut SharedTexts,
) -> Explanation {
    let found = &explained.contributions;
    let mut number = |text: &str| texts.number(&crate::escape::shortened(text, LONGEST));
    let mut listed = |all: Vec<(String, f64)>, most: usize| {
        let rest = all.iter().skip(most).fold((0, 0.0), |(count, sum), it| (count + 1, sum + it.1));
        (all.iter().take(most).map(|(text, amount)| (number(text), *amount)).collect(), rest)
    };
    let facts = explained.facts.iter().map(|fact| (fact.facts.join(", "), fact.contribution));
    let (facts, facts_rest) = listed(facts.collect(), MOST_FACTS);
    let constants = constants.iter().map(|it| (it.constant.clone(), it.contribution));
    let (constants, constants_rest) = listed(constants.collect(), MOST_CONSTANTS);
    let changes = explained.changes.iter();
    let changes = changes.map(|it| (number(&it.facts), it.value_without)).collect();
    Explanation {
        value: found.value,
        baseline: found.baseline,
        sum: found.sum,
        residual: found.residual,
        constants,
        constants_rest,
        facts,
        facts_rest,
        changes,
        orders: found.orders,
        tree: of_tree(&explained.tree, texts),
        network: network(view, texts),
    }
}

fn numbers(all: &[f64]) -> Vec<f64> {
    all[..all.len().min(MOST_NUMBERS)].to_vec()
}

fn of_tree(tree: &Tree, texts: &mut SharedTexts) -> page::PageTree {
    let kind = match tree.kind {
        TreeKind::Atom => "atom",
        TreeKind::Fact => "fact",
        TreeKind::Rule => "rule",
        TreeKind::Aggregation => "aggregation",
        TreeKind::Folded => "rest",
    };
    page::PageTree {
        kind,
        text: texts.number(&crate::escape::shortened(&tree.text, LONGEST)),
        value: tree.value.first().copied(),
        weight: numbers(&tree.weight),
        note: texts.number(&tree.note),
        below: tree.below.iter().map(|below| of_tree(below, texts)).collect(),
    }
}

/// Returns a network as the page shows it: edges that enter one node stand in the order of how much they count.
pub(super) fn network(view: &NetworkView, texts: &mut SharedTexts) -> PageNetwork {
    let mut number = |text: &str| texts.number(&crate::escape::shortened(text, LONGEST));
    let nodes = view.nodes.iter().map(|node| NetworkNode {
        kind: node.kind.name(),
        text: number(&node.text),
        about: number(&node.about),
        value: node.value,
        layer: node.layer,
        predicate: node.predicate,
    });
    let nodes = nodes.collect();
    let mut edges: Vec<&EdgeView> = view.edges.iter().collect();
    let counts = |edge: &EdgeView| {
        let from = &view.nodes[edge.from];
        let weight = edge.weight.first().copied().unwrap_or(1.0);
        // What is left out stands behind all that is there.
        if from.kind == NodeKind::Folded { -1.0 } else { (weight * from.value.unwrap_or(1.0)).abs() }
    };
    edges.sort_by(|a, b| a.to.cmp(&b.to).then(counts(b).total_cmp(&counts(a))));
    let edge = |edge: &EdgeView| {
        let parts = [edge.name.as_str(), edge.binding.as_str()];
        let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let (weight, negated) = (numbers(&edge.weight), edge.negated);
        NetworkEdge { from: edge.from, to: edge.to, weight, name: number(&name.join(", ")), negated }
    };
    let edges = edges.into_iter().map(edge).collect();
    PageNetwork { nodes, edges, titles: view.titles.clone(), left_out: view.folded }
}
