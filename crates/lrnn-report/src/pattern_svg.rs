//! Patterns as small graphs, side by side.

use crate::axis::extent;
use crate::colour::{self, hex};
use crate::escape::{shortened, xml};
use crate::patterns::{ClassSupport, PatternFinding, PatternReport};
use crate::stress::stress_layout;
use crate::svg::Svg;

const COLUMNS: usize = 4;
const WIDTH: f64 = 230.0;
/// The most height of a pattern.
const HEIGHT: f64 = 150.0;
/// The most distance of two nodes beside each other.
const EDGE: f64 = 62.0;
const LINE: f64 = 14.0;
const LINES: f64 = 3.0;
const RADIUS: f64 = 13.0;

/// Draws patterns under their rules, four beside each other.
pub fn patterns_svg(title: &str, report: &PatternReport) -> String {
    let mut svg = Svg::new(title, 20.0, 100);
    let mut y = 50.0;
    for rule in &report.rules {
        let heading = format!("rule {}: {}", rule.rule, rule.text);
        svg.text(20.0, y + 12.0, "start", "out", &shortened(&heading, 120));
        y += 24.0;
        for row in rule.patterns.chunks(COLUMNS) {
            let laid: Vec<RingLayout> = row.iter().map(RingLayout::new).collect();
            let height = laid.iter().map(RingLayout::height).fold(0.0, f64::max);
            for (column, (pattern, laid)) in row.iter().zip(&laid).enumerate() {
                draw(&mut svg, pattern, laid, (20.0 + column as f64 * WIDTH, y), height);
            }
            y += height + LINES * LINE + 18.0;
        }
    }
    svg.finish(40.0 + COLUMNS as f64 * WIDTH, y + 10.0)
}

/// Returns the lines below a pattern.
fn lines(pattern: &PatternFinding) -> [String; LINES as usize] {
    let share = |class: &ClassSupport| format!("{:.0} % of {}", 100.0 * class.confidence, class.class);
    let effect = pattern.effect.map_or(String::new(), |it| format!("effect {it:+.3}, "));
    [
        format!("{effect}output {:.3}  {}", pattern.output, pattern.head),
        format!("{} times in {} examples", pattern.times, pattern.examples),
        pattern.classes.iter().map(share).collect::<Vec<_>>().join(", "),
    ]
}

fn draw(svg: &mut Svg, pattern: &PatternFinding, laid: &RingLayout, (left, top): (f64, f64), height: f64) {
    let spot = |at: usize| {
        let (x, y) = laid.places[at];
        (left + WIDTH / 2.0 + x, top + height / 2.0 + y)
    };
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
    for (line, text) in lines(pattern).iter().enumerate() {
        let y = top + height + 8.0 + LINE * line as f64;
        let class = if line == 0 { "out small" } else { "out small faint" };
        svg.text(left + WIDTH / 2.0, y, "middle", class, &shortened(text, 36));
    }
    svg.raw("</g>");
}

/// Places around a middle, within a box, at most as far apart as looks well.
struct RingLayout {
    places: Vec<(f64, f64)>,
}

fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = extent(numbers);
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

impl RingLayout {
    fn new(pattern: &PatternFinding) -> Self {
        let pairs: Vec<(usize, usize)> = pattern.edges.iter().map(|edge| (edge.0, edge.1)).collect();
        let places = stress_layout(pattern.nodes.len(), &pairs);
        let (x0, x1) = ends(places.iter().map(|place| place.0));
        let (y0, y1) = ends(places.iter().map(|place| place.1));
        let (wide, high) = (WIDTH - 4.0 * RADIUS, HEIGHT - 4.0 * RADIUS);
        let scale = (wide / (x1 - x0).max(1e-9)).min(high / (y1 - y0).max(1e-9)).min(EDGE);
        let placed = |(x, y): (f64, f64)| ((x - (x0 + x1) / 2.0) * scale, (y - (y0 + y1) / 2.0) * scale);
        Self { places: places.into_iter().map(placed).collect() }
    }

    fn height(&self) -> f64 {
        let (low, high) = ends(self.places.iter().map(|place| place.1));
        high - low + 4.0 * RADIUS
    }
}
