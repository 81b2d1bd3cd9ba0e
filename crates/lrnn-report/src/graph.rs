//! An example as a graph: constants as nodes, a relation as edges, contributions as colour.

use crate::colour::{self, hex};
use crate::escape::{number, shortened, xml};
use crate::stress::stress_layout;
use crate::svg::Svg;

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphNode {
    /// Its name.
    pub name: String,
    /// Text in it; its name if empty.
    pub label: String,
    /// Its contribution.
    pub amount: f64,
}

/// Two constants that the relation holds together.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphEdge {
    /// A node.
    pub from: usize,
    /// Another.
    pub to: usize,
    /// The facts.
    pub name: String,
}

/// An example as a graph.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct GraphView {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
    /// Number of constants left out.
    pub folded: usize,
}

impl GraphView {
    /// Returns the largest contribution without its sign, or what is as good as none.
    pub(crate) fn most(&self) -> f64 {
        self.nodes.iter().map(|node| node.amount.abs()).fold(1e-12, f64::max)
    }
}

const EDGE: f64 = 46.0;
const RADIUS: f64 = 14.0;
const SIDE: f64 = 36.0;
const TOP: f64 = 64.0;

/// Returns the picture of an example; `notes` are told below it.
pub fn graph_svg(title: &str, view: &GraphView, notes: &[String]) -> String {
    let edges: Vec<(usize, usize)> = view.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let places = stress_layout(view.nodes.len(), &edges);
    let bounds = |numbers: &mut dyn Iterator<Item = f64>| {
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        })
    };
    let (left, right) = bounds(&mut places.iter().map(|place| place.0));
    let (top, bottom) = bounds(&mut places.iter().map(|place| place.1));
    let spot =
        |at: usize| (SIDE + (places[at].0 - left) * EDGE, TOP + SIDE / 2.0 + (places[at].1 - top) * EDGE);
    let mut svg = Svg::new(title);
    svg.text(SIDE / 2.0, 28.0, "start", "title out", &shortened(title, 90));
    for edge in &view.edges {
        let ((x1, y1), (x2, y2)) = (spot(edge.from), spot(edge.to));
        svg.raw(&format!(
            "<line class=\"edge line\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke-width=\"2\" \
             data-from=\"n{}\" data-to=\"n{}\"><title>{}</title></line>",
            edge.from,
            edge.to,
            xml(&shortened(&edge.name, 400))
        ));
    }
    let most = view.most();
    for (at, node) in view.nodes.iter().enumerate() {
        draw_node(&mut svg, at, node, spot(at), most);
    }
    let extent = |low: f64, high: f64| if low <= high { (high - low) * EDGE } else { 0.0 };
    let below = TOP + SIDE + extent(top, bottom) + RADIUS;
    let mut told =
        vec![format!("colour: contribution, blue below 0, red above; the strongest is {}", number(most))];
    told.extend(notes.iter().cloned());
    if view.folded > 0 {
        told.push(format!("{} constants are left out", view.folded));
    }
    for (line, note) in told.iter().enumerate() {
        svg.text(
            SIDE / 2.0,
            below + 20.0 + 16.0 * line as f64,
            "start",
            "out small faint",
            &shortened(note, 120),
        );
    }
    svg.finish((extent(left, right) + 2.0 * SIDE).max(440.0), below + 24.0 + 16.0 * told.len() as f64)
}

fn draw_node(svg: &mut Svg, at: usize, node: &GraphNode, (x, y): (f64, f64), most: f64) {
    let fill = colour::diverging(node.amount / most);
    let label = if node.label.is_empty() { &node.name } else { &node.label };
    svg.raw(&format!(
        "<g class=\"node\" id=\"n{at}\" data-name=\"{}\" data-label=\"{}\" data-amount=\"{}\"><title>{}: {}</title>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{}\" stroke=\"#5c5c66\"/>",
        xml(&shortened(&node.name, 400)),
        xml(&shortened(&node.label, 400)),
        node.amount,
        xml(&shortened(&node.name, 400)),
        number(node.amount),
        hex(fill)
    ));
    let ink = if colour::is_dark(fill) { "#ffffff" } else { "#1d1d22" };
    svg.raw(&format!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" style=\"fill: {ink}\">{}</text></g>",
        y + 4.0,
        xml(&shortened(label, 4))
    ));
}
