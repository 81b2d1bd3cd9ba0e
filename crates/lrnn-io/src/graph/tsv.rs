//! Triples, a line each: head, relation and tail with tabs between them. `ann<TAB>mother<TAB>bob` is the fact
//! `mother(ann, bob)`; all three are names, whatever they look like.

use lrnn::diagnostic::{Diagnostic, SourceId};
use lrnn::vocabulary::Constant;

use super::{CODE, GraphFacts, PlacedFact};
use crate::line::lines;

pub(super) fn read(text: &str, source: SourceId) -> GraphFacts {
    let (mut facts, mut wrong) = (Vec::new(), Vec::new());
    for line in lines(text, source) {
        let cells: Vec<&str> = line.text.split('\t').map(str::trim).collect();
        match cells[..] {
            [head, relation, tail] if ![head, relation, tail].contains(&"") => facts.push(PlacedFact {
                predicate: relation.to_owned(),
                terms: vec![Constant::Name(head.into()), Constant::Name(tail.into())],
                values: Vec::new(),
                place: line.span,
            }),
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
