//! Mistakes in cells, each with its place in a file or table.

use std::collections::BTreeMap;

use lrnn::diagnostic::{Diagnostic, Sources, Span};
use lrnn::{Error, ErrorKind};

use crate::resolve::Tables;

/// After so many mistakes the rest is not worth listing.
const MOST_MISTAKES: usize = 20;

/// Mistakes in cells, with their places.
pub(crate) struct Mistakes<'a> {
    tables: &'a Tables,
    pub sources: Sources,
    /// The text of a frame in the sources, once it is there.
    texts: BTreeMap<usize, Span>,
    all: Vec<Diagnostic>,
}

impl<'a> Mistakes<'a> {
    pub fn new(tables: &'a Tables) -> Self {
        Self { tables, sources: tables.mapping.sources.clone(), texts: BTreeMap::new(), all: Vec::new() }
    }

    pub fn place(&mut self, frame: usize, row: usize, column: usize) -> Span {
        let own = &self.tables.frames[frame];
        match (own.csv_cell(row, column), self.texts.get(&frame)) {
            // A text joins the sources once.
            (Some((_, span)), Some(known)) => Span { source: known.source, ..span },
            _ => {
                let span = own.place(row, column, &mut self.sources);
                self.texts.insert(frame, span);
                span
            }
        }
    }

    pub fn cell(&mut self, frame: usize, row: usize, column: usize, message: String, line: Span) {
        if self.all.len() < MOST_MISTAKES {
            let span = self.place(frame, row, column);
            let help = "correct the cell, or leave it out with a comparison in the mapping";
            self.all.push(Diagnostic::error("D0407", span, message).also(line, "needed here").help(help));
        }
    }

    pub fn finish(self) -> Result<(), Error> {
        match self.all.is_empty() {
            true => Ok(()),
            false => Err(Error::of(ErrorKind::Content, self.all, &self.sources)),
        }
    }
}
