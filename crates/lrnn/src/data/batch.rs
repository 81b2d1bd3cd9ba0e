//! Weighted ground atoms as they are read.

use crate::diagnostic::Span;
use crate::function::Shape;
use crate::vocabulary::{ConstantId, PredicateId};

/// A weighted ground atom; its terms and its value lie in the batch. A text of 4 GB has fewer of them than 2^32.
#[derive(Clone, Copy)]
pub(super) struct BatchFact {
    pub predicate: PredicateId,
    /// End of its terms in the batch; they begin where those of the entry before end.
    pub terms_end: u32,
    pub values_end: u32,
    /// `None` where no value is written.
    pub shape: Option<Shape>,
    pub span: Span,
}

impl BatchFact {
    /// Returns a fact that is in no batch.
    pub fn new(predicate: PredicateId, shape: Option<Shape>, span: Span) -> Self {
        Self { predicate, terms_end: 0, values_end: 0, shape, span }
    }
}

/// A list of weighted ground atoms.
#[derive(Default)]
pub(super) struct Batch {
    pub entries: Vec<BatchFact>,
    pub terms: Vec<ConstantId>,
    pub values: Vec<f64>,
    /// The variables of queries, in the order of their first places. A term that is one is [`variable`] of its number.
    pub variables: Vec<Box<str>>,
    /// The place of the first variable.
    pub variable_span: Option<Span>,
}

/// Returns what stands for a variable among the terms of a batch: vocabularies are never so large.
pub(super) fn variable(number: usize) -> ConstantId {
    ConstantId(u32::MAX - number as u32)
}

/// The most variables of a sentence.
pub(super) const MOST_VARIABLES: usize = 1000;

/// Tells whether a term of a batch stands for a variable.
pub(super) fn is_variable(term: ConstantId) -> bool {
    term.0 > u32::MAX - MOST_VARIABLES as u32
}

impl Batch {
    pub fn clear(&mut self) {
        self.entries.clear();
        self.terms.clear();
        self.values.clear();
        self.variables.clear();
        self.variable_span = None;
    }

    /// Leaves the first entries, which have no variables.
    pub fn truncate(&mut self, count: usize) {
        self.variables.clear();
        self.variable_span = None;
        self.entries.truncate(count);
        let (terms, values) =
            self.entries.last().map_or((0, 0), |last| (last.terms_end as usize, last.values_end as usize));
        self.terms.truncate(terms);
        self.values.truncate(values);
    }

    /// Returns each entry with its terms and the numbers of its value.
    pub fn iter(&self) -> impl Iterator<Item = (&BatchFact, &[ConstantId], &[f64])> {
        let (mut term, mut value) = (0, 0);
        self.entries.iter().map(move |entry| {
            let (terms_end, values_end) = (entry.terms_end as usize, entry.values_end as usize);
            let (terms, values) = (&self.terms[term..terms_end], &self.values[value..values_end]);
            (term, value) = (terms_end, values_end);
            (entry, terms, values)
        })
    }
}
