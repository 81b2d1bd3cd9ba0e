//! Texts line by line, with the place of each line.

use lrnn::diagnostic::{SourceId, Span};

/// A line that is not empty, without the blanks around it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// Returns the lines of a text that are not empty.
pub(crate) fn lines(text: &str, source: SourceId) -> impl Iterator<Item = Line<'_>> {
    text.lines().filter_map(move |line| {
        let trimmed = line.trim();
        let start = (trimmed.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let span = Span { source, start, end: start + trimmed.len() as u32 };
        (!trimmed.is_empty()).then_some(Line { text: trimmed, span })
    })
}
