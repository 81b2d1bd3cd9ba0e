//! Patterns as small graphs, side by side.

use crate::colour::{self, hex};
use crate::escape::{shortened, xml};
use crate::stress::stress_layout;
use crate::svg::Svg;

/// A pattern with what is said of it.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternView {
    /// A label for each node.
    pub nodes: Vec<String>,
    /// The edges with their labels.
    pub edges: Vec<(usize, usize, String)>,
    /// Lines below it.
    pub lines: Vec<String>,
}

const COLUMNS: usize = 4;
const WIDTH: f64 = 230.0;
const HEIGHT: f64 = 150.0;
const LINE: f64 = 14.0;
const RADIUS: f64 = 13.0;

/// Patterns under headings, four beside each other.
pub fn patterns_svg(title: &str, sections: &[(String, Vec<PatternView>)]) -> String {
    let mut svg = Svg::new(title);
    svg.text(20.0, 28.0, "start", "title out", &shortened(title, 100));
    let mut y = 50.0;
    for (heading, patterns) in sections {
        svg.text(20.0, y + 12.0, "start", "out", &shortened(heading, 120));
        y += 24.0;
        for row in patterns.chunks(COLUMNS) {
            let lines = row.iter().map(|pattern| pattern.lines.len()).max().unwrap_or(0) as f64;
            for (column, pattern) in row.iter().enumerate() {
                draw(&mut svg, pattern, (20.0 + column as f64 * WIDTH, y));
            }
            y += HEIGHT + lines * LINE + 16.0;
        }
    }
    svg.finish(40.0 + COLUMNS as f64 * WIDTH, y + 10.0)
}

fn draw(svg: &mut Svg, pattern: &PatternView, (left, top): (f64, f64)) {
    let pairs: Vec<(usize, usize)> = pattern.edges.iter().map(|edge| (edge.0, edge.1)).collect();
    let places = stress_layout(pattern.nodes.len(), &pairs);
    let spot = fitted(&places, (left, top));
    svg.raw("<g class=\"pattern\">");
    for (from, to, label) in &pattern.edges {
        let ((x1, y1), (x2, y2)) = (spot(*from), spot(*to));
        svg.raw(&format!(
            "<line class=\"line\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke-width=\"2\"/>"
        ));
        if !label.is_empty() {
            svg.label((x1 + x2) / 2.0, (y1 + y2) / 2.0 + 3.5, "out small faint", &shortened(label, 8));
        }
    }
    for (at, label) in pattern.nodes.iter().enumerate() {
        let (x, y) = spot(at);
        let fill = hex(colour::shade(colour::of_predicate(3), 0.3));
        svg.raw(&format!(
            "<g class=\"node\" data-label=\"{}\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"#5c5c66\"/>",
            xml(&shortened(label, 400))
        ));
        svg.text(x, y + 4.0, "middle", "in", &shortened(label, 4));
        svg.raw("</g>");
    }
    for (line, text) in pattern.lines.iter().enumerate() {
        let y = top + HEIGHT + 4.0 + LINE * line as f64;
        let class = if line == 0 { "out small" } else { "out small faint" };
        svg.text(left + WIDTH / 2.0, y, "middle", class, &shortened(text, 36));
    }
    svg.raw("</g>");
}

/// Places within a box, at most as far apart as looks well.
fn fitted(places: &[(f64, f64)], (left, top): (f64, f64)) -> impl Fn(usize) -> (f64, f64) {
    let ends = |numbers: Vec<f64>| {
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low <= high { (low, high) } else { (0.0, 0.0) }
    };
    let (x0, x1) = ends(places.iter().map(|place| place.0).collect());
    let (y0, y1) = ends(places.iter().map(|place| place.1).collect());
    let (wide, high) = (WIDTH - 4.0 * RADIUS, HEIGHT - 4.0 * RADIUS);
    let scale = (wide / (x1 - x0).max(1e-9)).min(high / (y1 - y0).max(1e-9)).min(62.0);
    let middle = (left + WIDTH / 2.0, top + HEIGHT / 2.0);
    let places = places.to_vec();
    move |at| {
        let (x, y) = places[at];
        (middle.0 + (x - (x0 + x1) / 2.0) * scale, middle.1 + (y - (y0 + y1) / 2.0) * scale)
    }
}
