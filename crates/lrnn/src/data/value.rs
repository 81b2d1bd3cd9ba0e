//! The value of a fact: a number, a vector or a matrix.

use super::batch::Batch;
use super::sentence::{SentenceResult, Sentences};
use crate::diagnostic::{Diagnostic, Span};
use crate::function::Shape;
use crate::syntax::lexer::TokenKind;

impl Sentences<'_> {
    /// Returns the value before a fact, if there is one.
    pub(super) fn value(&mut self, batch: &mut Batch) -> SentenceResult<Option<Shape>> {
        let fixed = self.take("<"); // data is fixed in any case
        let shape = match self.token.kind {
            TokenKind::Number if self.at_percentage() => {
                let diagnostic = Diagnostic::error("D0131", self.span(), "`%` begins a comment here");
                return Err(diagnostic.help("a value is a number: write `90%` as `0.9`"));
            }
            TokenKind::Number => {
                let number = self.number()?;
                batch.values.push(number);
                Shape::NUMBER
            }
            TokenKind::Mark("[") => self.tensor(batch)?,
            TokenKind::Mark("{" | "$") => {
                let message = "a weight in an example is data: it must be a number, a vector or a matrix";
                let help = "write the numbers, as in `0.5 p(a)` or `[1, 2] p(a)`; what is learned stands in the template";
                return Err(Diagnostic::error("D0108", self.span(), message).help(help));
            }
            _ if fixed => return Err(self.unexpected("a number")),
            _ => return Ok(None),
        };
        if fixed {
            self.expect(">")?;
        }
        Ok(Some(shape))
    }

    fn tensor(&mut self, batch: &mut Batch) -> SentenceResult<Shape> {
        let start = self.span();
        self.expect("[")?;
        if self.token.kind != TokenKind::Mark("[") {
            let rows = self.numbers(batch, start)?;
            return Ok(Shape::vector(rows));
        }
        let (mut rows, mut columns) = (0, None);
        loop {
            let opened = self.span();
            self.expect("[")?;
            let length = self.numbers(batch, opened)?;
            if columns.is_some_and(|columns| columns != length) {
                let before = columns.unwrap_or(0);
                let message =
                    format!("the rows of this matrix have different lengths: {before} and {length}");
                return Err(Diagnostic::error("D0109", self.since(start), message));
            }
            (rows, columns) = (rows + 1, Some(length));
            if !self.take(",") {
                break;
            }
        }
        self.close("]", "a row of a matrix", start)?;
        Ok(Shape::matrix(rows, columns.unwrap_or(1)))
    }

    /// Numbers up to and with `]`; how many.
    fn numbers(&mut self, batch: &mut Batch, opened: Span) -> SentenceResult<u32> {
        let mut count = 0;
        loop {
            let number = self.number()?;
            batch.values.push(number);
            count += 1;
            if !self.take(",") {
                break;
            }
        }
        self.close("]", "a number", opened)?;
        Ok(count)
    }
}
