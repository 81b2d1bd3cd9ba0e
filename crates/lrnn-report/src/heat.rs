//! Latent concepts as heat maps: lighter is lower, darker is higher; where weights have both signs, blue is below 0 and
//! red above.

use lrnn::explain::Concept;

use crate::axis::extent;
use crate::colour::{self, hex};
use crate::escape::{number, shortened, xml};
use crate::svg::Svg;

const CELL: (f64, f64) = (58.0, 24.0);
const LETTER: f64 = 7.3;
const LONGEST: usize = 44;
/// Rows beyond this many are left out in the middle.
const MOST_ROWS: usize = 40;

/// Returns all concepts, one below the other.
pub fn heat_svg(title: &str, concepts: &[Concept]) -> String {
    let mut svg = Svg::new(title, 20.0, 100);
    let (mut y, mut width) = (52.0, 420.0f64);
    for concept in concepts {
        let (right, bottom) = draw(&mut svg, concept, y);
        width = width.max(right);
        y = bottom + 30.0;
    }
    svg.finish(width + 20.0, y)
}

/// Draws a concept from this height on; gives its right and lower end.
fn draw(svg: &mut Svg, concept: &Concept, top: f64) -> (f64, f64) {
    let label = |text: &String| text.chars().count().min(LONGEST) as f64;
    let left = 28.0 + concept.rows.iter().map(label).fold(4.0, f64::max) * LETTER;
    let longest = concept.columns.iter().map(label).fold(0.0, f64::max) * LETTER;
    let cell = CELL.0.max(longest + 8.0).min(160.0);
    svg.raw(&format!("<g class=\"concept\" data-predicate=\"{}\">", xml(&concept.predicate)));
    svg.text(20.0, top + 14.0, "start", "out", &shortened(&concept.predicate, LONGEST));
    for (at, name) in concept.columns.iter().enumerate() {
        let x = left + cell * (at as f64 + 0.5);
        svg.text(x, top + 14.0, "middle", "out small", &shortened(name, 20));
    }
    let (low, high) = extent(concept.cells.iter().flatten().flatten().copied());
    let mut y = top + 22.0;
    for row in shown_rows(concept.rows.len(), MOST_ROWS) {
        let Some(row) = row else {
            let count = concept.rows.len() - MOST_ROWS;
            svg.text(20.0, y + 16.0, "start", "out small faint", &format!("… {count} rows are left out"));
            y += CELL.1;
            continue;
        };
        svg.text(left - 8.0, y + 16.0, "end", "out small", &shortened(&concept.rows[row], LONGEST));
        for (at, value) in concept.cells[row].iter().enumerate() {
            let Some(value) = value else { continue };
            let fill = match low < 0.0 && high > 0.0 {
                true => colour::diverging(value / high.max(-low)),
                false if high > low => colour::heat((value - low) / (high - low)),
                false => colour::heat(0.5),
            };
            draw_cell(svg, (left + cell * at as f64, y), cell, (*value, fill), (row, at));
        }
        y += CELL.1;
    }
    for (at, _) in concept.is_wild.iter().enumerate().filter(|(_, is_wild)| **is_wild) {
        svg.text(left + cell * (at as f64 + 0.5), y + 14.0, "middle", "out small faint", "wild card");
    }
    svg.raw("</g>");
    (left + cell * concept.columns.len() as f64, y + 16.0)
}

/// Returns the rows that are shown, of many so many at both ends; `None` stands for those that are not.
pub(crate) fn shown_rows(count: usize, most: usize) -> Vec<Option<usize>> {
    if count <= most {
        return (0..count).map(Some).collect();
    }
    let half = most / 2;
    (0..half).map(Some).chain([None]).chain((count - half..count).map(Some)).collect()
}

fn draw_cell(
    svg: &mut Svg,
    (x, y): (f64, f64),
    width: f64,
    (value, fill): (f64, colour::Colour),
    (row, at): (usize, usize),
) {
    let ink = if colour::is_dark(fill) { "#ffffff" } else { "#1d1d22" };
    svg.raw(&format!(
        "<g class=\"cell\" data-row=\"{row}\" data-column=\"{at}\" data-value=\"{value}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" \
         height=\"{:.1}\" rx=\"2\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"small\" style=\"fill: {ink}\">{}</text></g>",
        width - 2.0,
        CELL.1 - 2.0,
        hex(fill),
        x + width / 2.0 - 1.0,
        y + 15.0,
        number(value)
    ));
}
