//! Triples, a line each: head, relation and tail with tabs between them. `ann<TAB>mother<TAB>bob` is the fact
//! `mother(ann, bob)`; all three are names, whatever they look like.

use lrnn::diagnostic::{Diagnostic, SourceId};
use lrnn::vocabulary::Constant;

use super::{CODE, GraphFacts, PlacedFact};
use crate::line::lines;

/// Returns a note where every row is a number, 0 or 1, and a number: those are the rows of a screen over molecules.
pub(super) fn note(text: &str, source: SourceId) -> Option<Diagnostic> {
    let is_screen = |row: &str| {
        let cells: Vec<&str> = row.split('\t').map(str::trim).collect();
        let is_number = |cell: &str| cell.parse::<u32>().is_ok();
        matches!(cells[..], [molecule, "0" | "1", fold] if is_number(molecule) && is_number(fold))
    };
    let first = lines(text, source).next()?;
    lines(text, source).all(|line| is_screen(line.text)).then(|| {
        let message =
            "every row is a number, 0 or 1, and a number: it is read as triples, but may be a screen";
        let help =
            "a screen over molecules has their table, `molecules.txt`, beside it or in the folder above";
        Diagnostic::note("D0207", first.span, message).help(help)
    })
}

pub(super) fn read(text: &str, source: SourceId) -> GraphFacts {
    let (mut facts, mut wrong) = (Vec::new(), Vec::new());
    for line in lines(text, source) {
        let cells: Vec<&str> = line.text.split('\t').map(str::trim).collect();
        match cells[..] {
            [head, relation, tail] if ![head, relation, tail].contains(&"") => {
                let terms = [head, tail].map(|name| Constant::Name(name.into()));
                facts.push(PlacedFact::new(relation, terms.to_vec(), line.span));
            }
            _ if wrong.len() < 50 => {
                let message = format!("cells here: {}; a triple has three, none of them empty", cells.len());
                let help = "head, relation and tail with tabs between them";
                wrong.push(Diagnostic::error(CODE, line.span, message).help(help));
            }
            _ => {}
        }
    }
    if wrong.is_empty() { Ok(vec![facts]) } else { Err(wrong) }
}
