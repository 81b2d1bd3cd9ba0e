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
        let start = self.span();
        if self.take("$") {
            self.name("the name of a weight")?;
            self.expect("=")?;
            self.learned.get_or_insert(self.since(start));
        }
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
            TokenKind::Mark("{") => self.sized(batch)?,
            _ if fixed => return Err(self.unexpected("a number")),
            _ => return Ok(None),
        };
        if fixed {
            self.expect(">")?;
        }
        Ok(Some(shape))
    }

    /// Reads one or two sizes in braces, `{3}` or `{2, 3}`: zeros, as nothing of an example is drawn or learned.
    fn sized(&mut self, batch: &mut Batch) -> SentenceResult<Shape> {
        let start = self.span();
        self.expect("{")?;
        let mut sizes = vec![self.number()?];
        if self.take(",") && self.token.kind != TokenKind::Mark("}") {
            sizes.push(self.number()?);
        }
        self.expect("}")?;
        let shape = self.shape(&sizes, start)?;
        batch.values.extend(std::iter::repeat_n(0.0, shape.size()));
        self.learned.get_or_insert(self.since(start));
        Ok(shape)
    }

    /// Returns the shape of one or two sizes.
    fn shape(&self, sizes: &[f64], opened: Span) -> SentenceResult<Shape> {
        let size: f64 = sizes.iter().product();
        let is_whole = sizes.iter().all(|size| size.fract() == 0.0 && *size >= 1.0);
        if sizes.len() > 2 || !is_whole || size > 1e7 {
            let message = "a shape has one or two sizes, of at most ten million numbers";
            return Err(Diagnostic::error("D0134", self.since(opened), message));
        }
        Ok(Shape::matrix(sizes[0] as u32, sizes.get(1).map_or(1, |&columns| columns as u32)))
    }

    fn tensor(&mut self, batch: &mut Batch) -> SentenceResult<Shape> {
        let start = self.span();
        self.expect("[")?;
        if self.token.kind != TokenKind::Mark("[") {
            return self.vector(batch, start);
        }
        let (mut rows, mut columns) = (0, None);
        loop {
            let opened = self.span();
            self.expect("[")?;
            let length = self.numbers(batch)?;
            self.close("]", "a number", opened)?;
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

    /// Reads a vector, or one or two sizes and a pipe, and then the numbers that are not 0: `[3|0:1]`, `[2, 3|0, 1:5]`.
    fn vector(&mut self, batch: &mut Batch, opened: Span) -> SentenceResult<Shape> {
        let first = batch.values.len();
        let count = self.numbers(batch)?;
        if !self.take_pipe() {
            self.close("]", "a number", opened)?;
            return Ok(Shape::vector(count));
        }
        let sizes: Vec<f64> = batch.values.drain(first..).collect();
        let shape = self.shape(&sizes, opened)?;
        batch.values.resize(first + shape.size(), 0.0);
        while self.token.kind != TokenKind::Mark("]") {
            let (start, bracket) = (self.span(), self.take("("));
            let row = self.number()?;
            let column = if sizes.len() == 2 {
                self.expect(",")?;
                self.number()?
            } else {
                0.0
            };
            // `2:-1` has the mark of a rule in it.
            let sign = if self.take(":-") { -1.0 } else { 1.0 };
            if sign > 0.0 {
                self.expect(":")?;
            }
            let number = sign * self.number()?;
            if bracket {
                self.expect(")")?;
            }
            let is_place = |at: f64, size: u32| at.fract() == 0.0 && (0.0..f64::from(size)).contains(&at);
            if !is_place(row, shape.rows) || !is_place(column, shape.columns) {
                let message = "this place is outside; places count from 0";
                return Err(Diagnostic::error("D0135", self.since(start), message));
            }
            batch.values[first + row as usize * shape.columns as usize + column as usize] = number;
            if !self.take(",") {
                break;
            }
        }
        self.close("]", "a number", opened)?;
        Ok(shape)
    }

    /// Reads numbers with commas between them; returns how many.
    fn numbers(&mut self, batch: &mut Batch) -> SentenceResult<u32> {
        let first = batch.values.len();
        loop {
            let number = self.number()?;
            batch.values.push(number);
            if !self.take(",") {
                return Ok((batch.values.len() - first) as u32);
            }
        }
    }
}
