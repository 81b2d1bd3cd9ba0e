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
    /// The fact.
    pub name: String,
    /// The number of its relation.
    pub relation: usize,
    /// True where the relation holds the other way, too.
    pub is_both_ways: bool,
}

/// An example as a graph.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct GraphView {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
    /// The relations that edges are of.
    pub relations: Vec<String>,
    /// Number of constants left out.
    pub folded: usize,
}

impl GraphView {
    /// Returns the largest contribution without its sign, or what is as good as none.
    pub(crate) fn most(&self) -> f64 {
        self.nodes.iter().map(|node| node.amount.abs()).fold(1e-12, f64::max)
    }
}

const LETTER: f64 = 7.3;
const SMALL_LETTER: f64 = 6.1;
const HEIGHT: f64 = 24.0;
/// The height of a second line in a node.
const LINE: f64 = 12.0;
const SIDE: f64 = 24.0;
const TOP: f64 = 52.0;
/// Blank space between nodes, at least.
const GAP: f64 = 14.0;
/// The longest name that is written whole.
const LONGEST: usize = 40;

/// Nodes as they are drawn.
struct GraphPlaces {
    /// The middle of each.
    spots: Vec<(f64, f64)>,
    /// The width and height of each.
    sizes: Vec<(f64, f64)>,
}

impl GraphPlaces {
    fn new(view: &GraphView) -> Self {
        let size = |node: &GraphNode| {
            let letters = |text: &str| text.chars().count().min(LONGEST) as f64;
            let width = (letters(&node.name) * LETTER).max(letters(second_line(node)) * SMALL_LETTER);
            (width.max(10.0) + 18.0, if second_line(node).is_empty() { HEIGHT } else { HEIGHT + LINE })
        };
        let sizes: Vec<(f64, f64)> = view.nodes.iter().map(size).collect();
        let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
        let (wide, high) = ((widest + 44.0).clamp(70.0, 170.0), 70.0);
        let edges: Vec<(usize, usize)> = view.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let places = stress_layout(view.nodes.len(), &edges);
        let spots = places.iter().map(|(x, y)| (x * wide, y * high)).collect();
        let mut all = Self { spots, sizes };
        all.part();
        let edge = |of: &dyn Fn(usize) -> f64| (0..all.spots.len()).map(of).fold(f64::INFINITY, f64::min);
        let left = edge(&|at| all.spots[at].0 - all.sizes[at].0 / 2.0);
        let top = edge(&|at| all.spots[at].1 - all.sizes[at].1 / 2.0);
        for (x, y) in &mut all.spots {
            (*x, *y) = (*x - left + SIDE, *y - top + TOP);
        }
        all
    }

    /// Moves nodes that cover each other apart, along the shorter way.
    fn part(&mut self) {
        for _ in 0..200 {
            let mut is_done = true;
            for one in 0..self.spots.len() {
                for other in one + 1..self.spots.len() {
                    let (a, b) = (self.spots[one], self.spots[other]);
                    let room = |a: f64, b: f64| (a + b) / 2.0 + GAP;
                    let wide = room(self.sizes[one].0, self.sizes[other].0) - (a.0 - b.0).abs();
                    let high = room(self.sizes[one].1, self.sizes[other].1) - (a.1 - b.1).abs();
                    if wide <= 0.01 || high <= 0.01 {
                        continue;
                    }
                    is_done = false;
                    let sign = |a: f64, b: f64| if a < b { 0.5 } else { -0.5 };
                    let (x, y) =
                        if wide < high { (sign(a.0, b.0) * wide, 0.0) } else { (0.0, sign(a.1, b.1) * high) };
                    self.spots[one] = (a.0 - x, a.1 - y);
                    self.spots[other] = (b.0 + x, b.1 + y);
                }
            }
            if is_done {
                return;
            }
        }
    }

    /// Returns the far corner of all nodes.
    fn corner(&self) -> (f64, f64) {
        self.spots.iter().zip(&self.sizes).fold((0.0, TOP), |(right, bottom), (spot, size)| {
            (f64::max(right, spot.0 + size.0 / 2.0), f64::max(bottom, spot.1 + size.1 / 2.0))
        })
    }

    /// Returns where the line towards a place leaves a node.
    fn border(&self, node: usize, towards: (f64, f64)) -> (f64, f64) {
        let ((x, y), (width, height)) = (self.spots[node], self.sizes[node]);
        let (dx, dy) = (towards.0 - x, towards.1 - y);
        let share = |half: f64, way: f64| if way == 0.0 { f64::INFINITY } else { half / way.abs() };
        let share = share(width / 2.0, dx).min(share(height / 2.0, dy)).min(1.0);
        (x + dx * share, y + dy * share)
    }
}

/// Returns what stands below the name of a node: its label, where that says more.
fn second_line(node: &GraphNode) -> &str {
    if node.label == node.name { "" } else { &node.label }
}

/// Returns the picture of an example; `notes` are told below it.
pub fn graph_svg(title: &str, view: &GraphView, notes: &[String]) -> String {
    let places = GraphPlaces::new(view);
    let mut svg = Svg::new(title, SIDE, 90);
    svg.arrow();
    for (at, edge) in view.edges.iter().enumerate() {
        draw_edge(&mut svg, view, &places, at, edge);
    }
    let most = view.most();
    for (at, node) in view.nodes.iter().enumerate() {
        draw_node(&mut svg, at, node, &places, most);
    }
    let (right, bottom) = places.corner();
    let below = draw_relations(&mut svg, view, bottom + 26.0);
    let mut told =
        vec![format!("colour: contribution, blue below 0, red above; the strongest is {}", number(most))];
    told.extend(notes.iter().cloned());
    if view.folded > 0 {
        told.push(format!("{} constants are left out", view.folded));
    }
    svg.notes((SIDE, below), 120, &told);
    svg.finish((right + SIDE).max(440.0), below + 8.0 + 16.0 * told.len() as f64)
}

/// Writes which colour each relation has; returns where the next line is.
fn draw_relations(svg: &mut Svg, view: &GraphView, top: f64) -> f64 {
    for (relation, name) in view.relations.iter().enumerate() {
        let y = top + 16.0 * relation as f64;
        svg.raw(&format!(
            "<path class=\"line\" style=\"stroke: {}\" d=\"M{SIDE:.1},{:.1}L{:.1},{:.1}\" stroke-width=\"2.5\"/>",
            hex(colour::of_predicate(relation)),
            y - 3.5,
            SIDE + 18.0,
            y - 3.5
        ));
        svg.text(SIDE + 24.0, y, "start", "out small", &shortened(name, 60));
    }
    top + 16.0 * view.relations.len() as f64
}

fn draw_edge(svg: &mut Svg, view: &GraphView, places: &GraphPlaces, at: usize, edge: &GraphEdge) {
    if edge.from == edge.to {
        return;
    }
    // Edges between the same two nodes run beside each other.
    let ends = |edge: &GraphEdge| (edge.from.min(edge.to), edge.from.max(edge.to));
    let same = |range: std::ops::Range<usize>| {
        view.edges[range].iter().filter(|other| ends(other) == ends(edge)).count() as f64
    };
    let aside = 6.0 * (same(0..at) - (same(0..view.edges.len()) - 1.0) / 2.0);
    let (low, high) = ends(edge);
    let (a, b) = (places.spots[low], places.spots[high]);
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1e-9);
    let (x, y) = (-(b.1 - a.1) / length * aside, (b.0 - a.0) / length * aside);
    let start = places.border(edge.from, places.spots[edge.to]);
    let end = places.border(edge.to, places.spots[edge.from]);
    let arrow = if edge.is_both_ways { "" } else { " marker-end=\"url(#arrow)\"" };
    svg.raw(&format!(
        "<path class=\"edge line\" style=\"stroke: {}\" d=\"M{:.1},{:.1}L{:.1},{:.1}\" stroke-width=\"1.6\"{arrow} \
         data-from=\"n{}\" data-to=\"n{}\"><title>{}</title></path>",
        hex(colour::of_predicate(edge.relation)),
        start.0 + x,
        start.1 + y,
        end.0 + x,
        end.1 + y,
        edge.from,
        edge.to,
        xml(&shortened(&edge.name, 400))
    ));
}

fn draw_node(svg: &mut Svg, at: usize, node: &GraphNode, places: &GraphPlaces, most: f64) {
    let ((x, y), (width, height)) = (places.spots[at], places.sizes[at]);
    let fill = colour::diverging(node.amount / most);
    svg.raw(&format!(
        "<g class=\"node\" id=\"n{at}\" data-name=\"{}\" data-label=\"{}\" data-amount=\"{}\"><title>{}: {}</title>\
         <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"11\" fill=\"{}\" stroke=\"#5c5c66\"/>",
        xml(&shortened(&node.name, 400)),
        xml(&shortened(&node.label, 400)),
        node.amount,
        xml(&shortened(&node.name, 400)),
        number(node.amount),
        x - width / 2.0,
        y - height / 2.0,
        hex(fill)
    ));
    let ink = if colour::is_dark(fill) { "#ffffff" } else { "#1d1d22" };
    let mut text = |y: f64, class: &str, text: &str| {
        svg.raw(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{class} style=\"fill: {ink}\">{}</text>",
            xml(&shortened(text, LONGEST))
        ));
    };
    let second = second_line(node);
    text(if second.is_empty() { y + 4.0 } else { y - 2.0 }, "", &node.name);
    if !second.is_empty() {
        text(y + 11.0, " class=\"small\"", second);
    }
    svg.raw("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the graph of all pairs of some constants with long names.
    fn complete(count: usize) -> GraphView {
        let node = |at: usize| GraphNode {
            name: format!("a person with the number {at}"),
            label: "person".to_owned(),
            amount: 0.5,
        };
        let pairs = (0..count).flat_map(|from| (0..from).map(move |to| (from, to)));
        let edge = |(from, to)| GraphEdge {
            from,
            to,
            name: "knows".to_owned(),
            relation: from % 2,
            is_both_ways: to == 0,
        };
        GraphView {
            nodes: (0..count).map(node).collect(),
            edges: pairs.map(edge).collect(),
            relations: vec!["knows/2".to_owned(), "likes/2".to_owned()],
            folded: 0,
        }
    }

    #[test]
    fn no_node_covers_another() {
        let places = GraphPlaces::new(&complete(9));
        for one in 0..9 {
            for other in 0..one {
                let (a, b) = (places.spots[one], places.spots[other]);
                let (wide, high) = (places.sizes[one].0, places.sizes[one].1);
                assert!(
                    (a.0 - b.0).abs() >= wide || (a.1 - b.1).abs() >= high,
                    "{one} and {other}: {a:?}, {b:?}"
                );
            }
        }
    }

    #[test]
    fn names_are_whole_and_edges_have_directions_and_colours() {
        let svg = graph_svg("it", &complete(4), &[]);
        assert_eq!(svg.matches(">a person with the number 3</text>").count(), 1);
        assert_eq!(svg.matches("class=\"edge line\"").count(), 6);
        assert_eq!(svg.matches("marker-end").count(), 3, "those of one direction");
        assert!(svg.contains(">knows/2</text>") && svg.contains(">likes/2</text>"));
        let colour = |relation: usize| format!("stroke: {}\"", hex(colour::of_predicate(relation)));
        assert_ne!(colour(0), colour(1));
        assert_eq!((svg.matches(&colour(0)).count(), svg.matches(&colour(1)).count()), (3, 5));
    }
}
