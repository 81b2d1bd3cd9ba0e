//! Pictures in the language of Graphviz.

use std::fmt::Write;

use lrnn::explain::{NetworkView, NodeKind};

use crate::colour::{self, hex};
use crate::escape::{dot_text, number, shortened};
use crate::graph::GraphView;

const LONGEST: usize = 200;

/// Returns a network in layers as DOT.
pub fn network_dot(title: &str, view: &NetworkView) -> String {
    let mut out = format!(
        "digraph {{\n  rankdir=LR;\n  label={};\n  node [style=\"filled,rounded\", fontname=\"sans-serif\"];\n",
        dot_text(&shortened(title, LONGEST))
    );
    let most =
        view.nodes.iter().filter_map(|node| node.value).fold(1.0, |most: f64, value| most.max(value.abs()));
    for (at, node) in view.nodes.iter().enumerate() {
        let share = node.value.map_or(0.35, |value| value.abs() / most);
        let colour = colour::of_predicate(node.predicate);
        let shape = if node.kind == NodeKind::Literal { "ellipse" } else { "box" };
        let text = shortened(&node.text, LONGEST);
        let label = node.value.map_or_else(|| text.clone(), |value| format!("{text} = {}", number(value)));
        let _ = writeln!(
            out,
            "  n{at} [label={}, shape={shape}, color=\"{}\", fillcolor=\"{}\", class=\"{}\"];",
            dot_text(&label),
            hex(colour),
            hex(colour::shade(colour, share)),
            node.kind.name()
        );
    }
    for layer in 0..view.titles.len() {
        let nodes = view.nodes.iter().enumerate().filter(|(_, node)| node.layer == layer);
        let names: Vec<String> = nodes.map(|(at, _)| format!("n{at};")).collect();
        let _ = writeln!(out, "  {{ rank=same; {} }}", names.join(" "));
    }
    for edge in &view.edges {
        let numbers: Vec<String> = edge.weight.iter().take(4).map(|&weight| number(weight)).collect();
        let parts = [shortened(&edge.name, LONGEST), numbers.join(" "), shortened(&edge.binding, LONGEST)];
        let label: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let _ = writeln!(out, "  n{} -> n{} [label={}];", edge.from, edge.to, dot_text(&label.join(", ")));
    }
    out + "}\n"
}

/// Returns an example as DOT.
pub fn graph_dot(title: &str, view: &GraphView) -> String {
    let mut out = format!(
        "digraph {{\n  layout=neato;\n  label={};\n  node [shape=circle, style=filled, fontname=\"sans-serif\"];\n",
        dot_text(&shortened(title, LONGEST))
    );
    let most = view.most();
    for (at, node) in view.nodes.iter().enumerate() {
        let label = if node.label.is_empty() { &node.name } else { &node.label };
        let (label, fill) = (shortened(label, LONGEST), hex(colour::diverging(node.amount / most)));
        let tip = format!("{}: {}", shortened(&node.name, LONGEST), number(node.amount));
        let _ = writeln!(
            out,
            "  n{at} [label={}, tooltip={}, fillcolor=\"{fill}\"];",
            dot_text(&label),
            dot_text(&tip)
        );
    }
    for edge in &view.edges {
        let _ = writeln!(
            out,
            "  n{} -> n{} [tooltip={}, color=\"{}\"{}];",
            edge.from,
            edge.to,
            dot_text(&shortened(&edge.name, LONGEST)),
            hex(colour::of_predicate(edge.relation)),
            if edge.is_both_ways { ", dir=none" } else { "" }
        );
    }
    out + "}\n"
}
