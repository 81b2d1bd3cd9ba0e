//! A network in layers: facts to the left, what they lead to at the right, weights on the edges, values as shade.

use std::collections::BTreeMap;
use std::fmt::Write;

use lrnn::explain::{EdgeView, NetworkView, NodeKind, NodeView};

use crate::colour::{self, hex};
use crate::escape::{number, shortened, xml};
use crate::layout::heights;
use crate::svg::Svg;

const LETTER: f64 = 7.3;
const LONGEST: usize = 30;
const NODE_HEIGHT: f64 = 34.0;
const STEP: f64 = 52.0;
const GAP: f64 = 96.0;
const TOP: f64 = 84.0;
const SIDE: f64 = 24.0;

/// Returns the picture of a network; `notes` are told below it.
pub fn network_svg(title: &str, view: &NetworkView, notes: &[String]) -> String {
    let places = NodePlaces::new(view);
    let mut svg = Svg::new(title, SIDE, 120);
    svg.arrow();
    for (layer, name) in view.titles.iter().enumerate() {
        let x = places.x(layer) + places.widths[layer] / 2.0;
        svg.text(x, 58.0, "middle", "out faint", name);
    }
    for edge in &view.edges {
        draw_edge(&mut svg, view, &places, edge);
    }
    draw_labels(&mut svg, view, &places);
    let most =
        view.nodes.iter().filter_map(|node| node.value).fold(1.0, |most: f64, value| most.max(value.abs()));
    for (at, node) in view.nodes.iter().enumerate() {
        draw_node(&mut svg, at, node, places.left_middle(at, node), places.widths[node.layer], most);
    }
    let bottom = places.bottom() + NODE_HEIGHT;
    let mut told: Vec<String> = notes.to_vec();
    if view.folded > 0 {
        told.push(format!("{} neurons that count less are left out", view.folded));
    }
    svg.notes((SIDE, bottom + 22.0), 160, &told);
    let width = places.width().max(420.0);
    svg.finish(width, bottom + 24.0 + 16.0 * told.len() as f64)
}

struct NodePlaces {
    /// The width of the nodes in each layer.
    widths: Vec<f64>,
    /// The blank space behind each layer, with room for the labels of its edges.
    gaps: Vec<f64>,
    y: Vec<f64>,
    /// Heights at which long edges pass the layers between their ends, by these.
    passes: BTreeMap<(usize, usize), Vec<f64>>,
}

/// In a picture of more nodes, long edges run straight, behind nodes.
const MOST_ROUTED: usize = 40;

impl NodePlaces {
    fn new(view: &NetworkView) -> Self {
        let layers = view.nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
        let mut widths = vec![70.0f64; layers];
        for node in &view.nodes {
            let letters = node.text.chars().count().min(LONGEST) as f64;
            let round = if node.kind == NodeKind::Literal { 30.0 } else { 18.0 };
            widths[node.layer] = widths[node.layer].max(letters * LETTER + round);
        }
        let mut gaps = vec![GAP; layers];
        for edge in view.edges.iter().filter(|edge| view.nodes[edge.from].layer < view.nodes[edge.to].layer) {
            let (first, last) = (view.nodes[edge.from].layer, view.nodes[edge.to].layer - 1);
            let (weight, binding) = (label_width(&weight_text(edge)), label_width(&binding_text(edge)));
            let both = if first == last { weight + binding } else { weight };
            gaps[first] = gaps[first].max(both + 56.0);
            gaps[last] = gaps[last].max(binding + 56.0);
        }
        let mut layer_of: Vec<usize> = view.nodes.iter().map(|node| node.layer).collect();
        let (mut edges, mut passes) = (Vec::new(), BTreeMap::new());
        for (from, to) in view.edges.iter().map(|edge| (edge.from, edge.to)) {
            let between = layer_of[from] + 1..layer_of[to];
            if view.nodes.len() > MOST_ROUTED || between.is_empty() || passes.contains_key(&(from, to)) {
                edges.push((from, to));
                continue;
            }
            let first = layer_of.len();
            layer_of.extend(between);
            let stops: Vec<usize> = [from].into_iter().chain(first..layer_of.len()).chain([to]).collect();
            edges.extend(stops.windows(2).map(|pair| (pair[0], pair[1])));
            passes.insert((from, to), first..layer_of.len());
        }
        let y: Vec<f64> = heights(&layer_of, &edges)
            .into_iter()
            .map(|height| TOP + NODE_HEIGHT / 2.0 + height * STEP)
            .collect();
        let passes = passes.into_iter().map(|(ends, range)| (ends, y[range].to_vec())).collect();
        Self { widths, gaps, y, passes }
    }

    fn x(&self, layer: usize) -> f64 {
        let before = self.widths.iter().zip(&self.gaps).take(layer);
        SIDE + before.map(|(width, gap)| width + gap).sum::<f64>()
    }

    fn width(&self) -> f64 {
        self.x(self.widths.len()) - self.gaps.last().copied().unwrap_or(0.0) + SIDE
    }

    fn bottom(&self) -> f64 {
        self.y.iter().copied().fold(TOP, f64::max)
    }

    fn left_middle(&self, at: usize, node: &NodeView) -> (f64, f64) {
        (self.x(node.layer), self.y[at])
    }

    /// Returns the curves of an edge: where each begins and ends. Between them it passes a layer.
    fn curves(&self, view: &NetworkView, edge: &EdgeView) -> Vec<EdgeCurve> {
        let (from, to) = (&view.nodes[edge.from], &view.nodes[edge.to]);
        let (x, y) = self.left_middle(edge.from, from);
        let mut start = (x + self.widths[from.layer], y);
        let mut all = Vec::new();
        let passes = self.passes.get(&(edge.from, edge.to)).map_or(&[][..], Vec::as_slice);
        for (layer, &y) in (from.layer + 1..).zip(passes) {
            let left = self.x(layer);
            all.push(EdgeCurve { start, end: (left, y) });
            start = (left + self.widths[layer], y);
        }
        all.push(EdgeCurve { start, end: self.left_middle(edge.to, to) });
        all
    }
}

/// A curve from one layer to the next.
#[derive(Clone, Copy)]
struct EdgeCurve {
    start: (f64, f64),
    end: (f64, f64),
}

impl EdgeCurve {
    /// Returns the curve as a path goes on with it.
    fn path(self) -> String {
        let ((x1, y1), (x2, y2)) = (self.start, self.end);
        let middle = (x1 + x2) / 2.0;
        format!("C{middle:.1},{y1:.1} {middle:.1},{y2:.1} {x2:.1},{y2:.1}")
    }

    /// Returns a place on the curve.
    fn at(self, share: f64) -> (f64, f64) {
        let ((x1, y1), (x2, y2)) = (self.start, self.end);
        let (rest, middle) = (1.0 - share, (x1 + x2) / 2.0);
        let part = |a: f64, b: f64, c: f64, d: f64| {
            rest.powi(3) * a
                + 3.0 * rest * rest * share * b
                + 3.0 * rest * share * share * c
                + share.powi(3) * d
        };
        (part(x1, middle, middle, x2), part(y1, y1, y2, y2) + 3.5)
    }
}

fn symbol(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Atom => "∨",
        NodeKind::Rule => "∧",
        NodeKind::Aggregation => "∧*",
        NodeKind::Fact | NodeKind::Literal | NodeKind::Folded => "",
    }
}

fn draw_node(svg: &mut Svg, at: usize, node: &NodeView, (x, y): (f64, f64), width: f64, most: f64) {
    let colour = colour::of_predicate(node.predicate);
    let share = node.value.map_or(0.35, |value| value.abs() / most);
    let fill =
        if node.kind == NodeKind::Folded { "#f2f2f4".to_owned() } else { hex(colour::shade(colour, share)) };
    let (stroke, half) = (hex(colour), NODE_HEIGHT / 2.0);
    let value = node.value.map_or_else(String::new, |value| format!(" data-value=\"{value}\""));
    let (kind, text) = (node.kind.name(), xml(&node.text));
    let mut group = format!(
        "<g class=\"node {kind}\" id=\"n{at}\" data-kind=\"{kind}\" data-text=\"{text}\" data-layer=\"{}\"{value}>",
        node.layer
    );
    let about = if node.about.is_empty() { node.text.clone() } else { node.about.clone() };
    let _ = write!(group, "<title>{}</title>", xml(&shortened(&about, 2000)));
    let dash = if node.kind == NodeKind::Folded { " stroke-dasharray=\"3 3\"" } else { "" };
    let _ = match node.kind {
        NodeKind::Literal => write!(
            group,
            "<ellipse cx=\"{:.1}\" cy=\"{y:.1}\" rx=\"{:.1}\" ry=\"{half:.1}\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
            x + width / 2.0,
            width / 2.0
        ),
        _ => write!(
            group,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{NODE_HEIGHT}\" rx=\"7\" fill=\"{fill}\" stroke=\"{stroke}\"{dash}/>",
            y - half
        ),
    };
    svg.raw(&group);
    let is_network = node.value.is_some() && node.kind != NodeKind::Literal;
    let middle = x + width / 2.0;
    let line = if is_network { y - 2.0 } else { y + 4.0 };
    svg.text(middle, line, "middle", "in", &shortened(&node.text, LONGEST));
    if let Some(value) = node.value {
        svg.text(middle, y + 12.0, "middle", "in small faint", &number(value));
    }
    if !symbol(node.kind).is_empty() {
        svg.text(x + width - 6.0, y + 12.0, "end", "in small", symbol(node.kind));
    }
    svg.raw("</g>");
}

fn draw_edge(svg: &mut Svg, view: &NetworkView, places: &NodePlaces, edge: &EdgeView) {
    let curves = places.curves(view, edge);
    let ((x1, y1), mut path) = (curves[0].start, String::new());
    for (at, curve) in curves.iter().enumerate() {
        if at > 0 {
            let _ = write!(path, "L{:.1},{:.1}", curve.start.0, curve.start.1);
        }
        path.push_str(&curve.path());
    }
    let weight: Vec<String> = edge.weight.iter().map(ToString::to_string).collect();
    let size = edge.weight.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
    let minus = if matches!(*edge.weight, [weight] if weight < 0.0) { " minus" } else { "" };
    svg.raw(&format!(
        "<path class=\"edge line{minus}\" d=\"M{x1:.1},{y1:.1}{path}\" \
         stroke-width=\"{:.2}\" stroke-opacity=\"0.75\" marker-end=\"url(#arrow)\" data-from=\"n{}\" data-to=\"n{}\" data-weight=\"{}\" \
         data-name=\"{}\" data-binding=\"{}\" data-negated=\"{}\"/>",
        (0.7 + size.min(4.0) * 0.6).min(3.0),
        edge.from,
        edge.to,
        weight.join(" "),
        xml(&edge.name),
        xml(&edge.binding),
        edge.negated
    ));
}

/// Labels of one edge stand below each other, so many at most.
const MOST_LABELS: usize = 4;

/// Writes the weights on edges, and what must be equal nearer to the head. Edges between the same two nodes have one
/// place for their labels: these stand below each other, each once.
fn draw_labels(svg: &mut Svg, view: &NetworkView, places: &NodePlaces) {
    let mut ends: Vec<(usize, usize)> = view.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut taken = LabelBoxes::default();
    for (at, node) in view.nodes.iter().enumerate() {
        let (x, y) = places.left_middle(at, node);
        taken.0.push((x, y - NODE_HEIGHT / 2.0, places.widths[node.layer], NODE_HEIGHT));
    }
    for (from, to) in ends.into_iter().filter(|ends| view.nodes[ends.0].kind != NodeKind::Folded) {
        let same: Vec<&EdgeView> =
            view.edges.iter().filter(|edge| (edge.from, edge.to) == (from, to)).collect();
        let curves = places.curves(view, same[0]);
        let weights = shown(same.iter().map(|edge| weight_text(edge)).collect());
        let bindings = shown(same.iter().map(|edge| binding_text(edge)).collect());
        let places = if bindings.is_empty() { [0.4, 0.6, 0.5, 0.3, 0.7, 0.2] } else { WEIGHT_PLACES };
        stack(svg, &mut taken, curves[0], &places, "out small", &weights);
        stack(svg, &mut taken, curves[curves.len() - 1], &BINDING_PLACES, "out small faint", &bindings);
    }
}

/// The places on its curve where the label of a weight may stand, the best first.
const WEIGHT_PLACES: [f64; 6] = [0.32, 0.26, 0.4, 0.2, 0.48, 0.14];
/// The same for what must be equal.
const BINDING_PLACES: [f64; 6] = [0.72, 0.66, 0.78, 0.6, 0.84, 0.54];

/// Places that are taken: left, top, width and height of each.
#[derive(Default)]
struct LabelBoxes(Vec<(f64, f64, f64, f64)>);

impl LabelBoxes {
    fn is_free(&self, (x, y, width, height): (f64, f64, f64, f64)) -> bool {
        let meets = |it: &(f64, f64, f64, f64)| {
            x < it.0 + it.2 && it.0 < x + width && y < it.1 + it.3 && it.1 < y + height
        };
        !self.0.iter().any(meets)
    }
}

/// Returns texts, each once, and no more than there is room for.
fn shown(texts: Vec<String>) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    if shown.len() > MOST_LABELS {
        let more = shown.len() - (MOST_LABELS - 1);
        shown.truncate(MOST_LABELS - 1);
        shown.push(format!("and {more} more"));
    }
    shown
}

/// Writes texts below each other, at the first place on a curve that is free; else a little above or below the curve.
fn stack(
    svg: &mut Svg,
    taken: &mut LabelBoxes,
    curve: EdgeCurve,
    places: &[f64],
    class: &str,
    texts: &[String],
) {
    if texts.is_empty() {
        return;
    }
    let height = 12.0 * texts.len() as f64;
    let width = texts.iter().map(|text| label_width(text)).fold(0.0, f64::max);
    let corner = |share: f64, aside: f64| {
        let (x, y) = curve.at(share);
        (x - width / 2.0, y - 9.5 - (height - 12.0) / 2.0 + aside, width, height)
    };
    let candidates = [0.0, 13.0, -13.0, 26.0, -26.0]
        .iter()
        .flat_map(|&aside| places.iter().map(move |&share| (share, aside)));
    let free = candidates.map(|(share, aside)| corner(share, aside)).find(|it| taken.is_free(*it));
    let (x, y, ..) = free.unwrap_or_else(|| corner(places[0], 0.0));
    taken.0.push((x, y, width, height));
    for (line, text) in texts.iter().enumerate() {
        svg.label(x + width / 2.0, y + 9.5 + 12.0 * line as f64, class, text);
    }
}

/// Returns how wide the label of a text is.
fn label_width(text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { text.chars().count() as f64 * 6.2 + 4.0 }
}

/// Returns what must be equal, as far as there is room.
fn binding_text(edge: &EdgeView) -> String {
    shortened(&edge.binding, 24)
}

/// Returns the weight on an edge: its name, its number, or what there is room for.
fn weight_text(edge: &EdgeView) -> String {
    let value = match &*edge.weight {
        [weight] => number(*weight),
        [] => String::new(),
        numbers => format!("{} numbers", numbers.len()),
    };
    let name = shortened(&edge.name, 14);
    let label = match (name.is_empty(), value.is_empty()) {
        (true, _) => value,
        (false, true) => name,
        (false, false) => format!("{name} = {value}"),
    };
    if edge.negated { format!("1 − ·, {label}") } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_edges_between_the_same_nodes_do_not_cover_each_other() {
        let node = |layer: usize| NodeView {
            kind: NodeKind::Literal,
            text: "p(X)".to_owned(),
            about: String::new(),
            value: None,
            layer,
            predicate: 0,
        };
        let edge = |binding: &str| {
            let (weight, name, binding) = (vec![1.0], String::new(), binding.to_owned());
            EdgeView { from: 0, to: 1, weight, name, binding, negated: false }
        };
        let bindings = ["A=H", "B=H", "A=H, B=I", "A=I", "B=I", "A=H"];
        let view = NetworkView {
            nodes: vec![node(0), node(1)],
            edges: bindings.iter().map(|binding| edge(binding)).collect(),
            ..NetworkView::default()
        };
        let svg = network_svg("template", &view, &[]);
        let place = |text: &str| {
            let line = svg.lines().find(|line| line.ends_with(&format!(">{text}</text>")))?;
            line.split("y=\"").nth(1)?.split('"').next()?.parse::<f64>().ok()
        };
        let heights: Vec<f64> =
            ["A=H", "B=H", "A=H, B=I", "and 2 more"].iter().filter_map(|text| place(text)).collect();
        assert_eq!(heights.len(), 4);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 11.9), "{heights:?}");
        assert_eq!(svg.matches("data-binding").count(), 6);
    }
}
