//! Latent concepts as text: heat maps of weights for a terminal, and CSV.

use std::fmt::Write as _;

use lrnn::diagnostic::printable;
use lrnn::explain::Concept;
use serde::Serialize;

use crate::axis::extent;
use crate::heat::shown_rows;
use crate::shortened;
use crate::table::TextTable;

/// The maximum number of rows in a table; those in the middle are left out.
const MOST_ROWS: usize = 30;

/// The latent concepts of a model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ConceptReport {
    /// Concepts in the order of the template.
    pub concepts: Vec<Concept>,
}

impl ConceptReport {
    /// Returns a table of each concept, on greys of the terminal if it has colours.
    pub fn text(&self, is_coloured: bool) -> String {
        let texts: Vec<String> = self.concepts.iter().map(|concept| table(concept, is_coloured)).collect();
        texts.join("\n")
    }

    /// Returns a line of CSV for each weight.
    pub fn csv(&self) -> String {
        let mut table = TextTable::new(["predicate", "row", "column", "wild_card", "weight"]);
        for concept in &self.concepts {
            for (row, cells) in concept.rows.iter().zip(&concept.cells) {
                for ((column, is_wild), cell) in concept.columns.iter().zip(&concept.is_wild).zip(cells) {
                    let Some(cell) = cell else { continue };
                    table.row([&concept.predicate, row, column, &is_wild.to_string(), &format!("{cell:?}")]);
                }
            }
        }
        table.csv()
    }
}

fn table(concept: &Concept, is_coloured: bool) -> String {
    let names: Vec<String> = concept.rows.iter().map(|row| printable(&shortened(row, 60))).collect();
    let heads: Vec<String> = concept.columns.iter().map(|column| printable(&shortened(column, 24))).collect();
    let left = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let width = heads.iter().map(|head| head.chars().count()).max().unwrap_or(0).max(8);
    let mut out = format!("{}\n{}", printable(&shortened(&concept.predicate, 80)), " ".repeat(left));
    heads.iter().for_each(|head| out.push_str(&format!("  {}{head}", blanks(width, head))));
    out.push('\n');
    let (low, high) = extent(concept.cells.iter().flatten().flatten().copied());
    for row in shown_rows(names.len(), MOST_ROWS) {
        let Some(row) = row else {
            let _ = writeln!(out, "... {} rows are left out; --csv has them all", names.len() - MOST_ROWS);
            continue;
        };
        let _ = write!(out, "{}{}", names[row], blanks(left, &names[row]));
        for cell in &concept.cells[row] {
            let text = cell.map_or_else(String::new, |cell| format!("{cell:.4}"));
            let padded = format!("{}{text}", blanks(width, &text));
            let share = cell.filter(|_| high > low).map(|cell| (cell - low) / (high - low));
            match share.filter(|_| is_coloured) {
                Some(share) => out.push_str(&format!(" {}", block(&format!(" {padded}"), share))),
                None => out.push_str(&format!("  {padded}")),
            }
        }
        out.push('\n');
    }
    for (head, _) in heads.iter().zip(&concept.is_wild).filter(|(_, is_wild)| **is_wild) {
        let _ = writeln!(out, "group {head} is a wild card: it gives all rows almost the same weight");
    }
    out
}

fn blanks(width: usize, text: &str) -> String {
    " ".repeat(width.saturating_sub(text.chars().count()))
}

/// Writes a text on a grey of the terminal, from light for low to dark for high.
fn block(text: &str, share: f64) -> String {
    let grey = 255 - (share.clamp(0.0, 1.0) * 22.0).round() as u32;
    let ink = if grey > 243 { 232 } else { 255 };
    format!("\u{1b}[48;5;{grey}m\u{1b}[38;5;{ink}m{text}\u{1b}[0m")
}
