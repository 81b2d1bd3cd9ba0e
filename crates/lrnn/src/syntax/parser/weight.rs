//! Weights: `0.5`, `<0.5>`, `w`, `w = 0.5`, `w[T, G]`, `w[h(X), #]`, `_`, `{3, 2}`, `[1, 2]`, `[[1, 2], [3, 4]]`, `$w = 0.5`.

use super::{ParseResult, Parser};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{IndexExpr, Place, WeightExpr, WeightValue};
use crate::syntax::lexer::{Token, TokenKind};

impl Parser<'_> {
    /// Returns the weight before a head or a literal, if there is one, and the `::` behind it.
    pub(super) fn weight_before(&mut self, what: &str) -> ParseResult<Option<WeightExpr>> {
        if !self.at_weight() {
            return Ok(None);
        }
        let needs_mark = matches!(self.kind(), TokenKind::Name | TokenKind::Quoted | TokenKind::Variable);
        let weight = self.weight("a weight")?;
        if !self.take("::") && (needs_mark || self.at(":")) {
            let result = self.unexpected(&format!("`::` between the weight and {what}"));
            return self.advise(result, "a weight is written as in `w = 0.5 :: foal(X) :- horse(X).`");
        }
        Ok(Some(weight))
    }

    fn at_weight(&self) -> bool {
        match self.kind() {
            TokenKind::Number | TokenKind::Mark("<" | "{" | "[" | "$") => true,
            TokenKind::Variable => self.kind_after(1) == TokenKind::Mark("::"),
            TokenKind::Name | TokenKind::Quoted => {
                matches!(self.kind_after(1), TokenKind::Mark("::" | "=" | "=<" | "["))
                    && !(self.kind_after(1) == TokenKind::Mark("[") && self.looks_like_options())
            }
            _ => false,
        }
    }

    /// Returns whether the bracket behind this name holds options, as in `p [activation = tanh].`
    fn looks_like_options(&self) -> bool {
        matches!(self.kind_after(2), TokenKind::Name | TokenKind::Quoted)
            && self.kind_after(3) == TokenKind::Mark("=")
    }

    /// Returns a weight by itself.
    pub(super) fn weight(&mut self, what: &str) -> ParseResult<WeightExpr> {
        let start = self.span();
        let mut fixed = self.take("<");
        let (mut name, mut index, mut value) = (None, Vec::new(), None);
        match self.kind() {
            TokenKind::Variable if self.text() == "_" => self.position += 1,
            TokenKind::Mark("$") | TokenKind::Name | TokenKind::Quoted => {
                self.take("$");
                name = Some(self.name("the name of a weight")?);
                index = self.index()?;
                if self.take_equals() {
                    fixed = fixed || self.take("<"); // `w = <0.5>` is `<w = 0.5>`
                    value = Some(self.weight_value("the start of the weight")?);
                }
            }
            TokenKind::Variable => {
                let (span, text) = (self.span(), self.text().to_owned());
                let message = format!("the variable `{text}` cannot be a weight");
                let help = "a weight is a number, or a name that begins with a small letter";
                return self.fail(Diagnostic::error("E0120", span, message).help(help));
            }
            _ => value = Some(self.weight_value(what)?),
        }
        if fixed {
            self.close_fixed(name.as_deref(), value.as_ref(), start)?;
        }
        Ok(WeightExpr { name, index, value, fixed, place: self.place_from(start) })
    }

    /// Takes `=`. Where a weight follows, `=<` is `=` and the beginning of `<0.5>`.
    pub(super) fn take_equals(&mut self) -> bool {
        if self.at("=<") {
            let token = &mut self.tokens[self.position];
            *token = Token { kind: TokenKind::Mark("<"), start: token.start + 1, ..*token };
            return true;
        }
        self.take("=")
    }

    fn close_fixed(
        &mut self,
        name: Option<&str>,
        value: Option<&WeightValue>,
        start: Span,
    ) -> ParseResult<()> {
        self.expect(">", "after a fixed weight")?;
        let span = start.to(self.last_span());
        match value {
            Some(WeightValue::Random(..)) | None => {
                let what = name.map_or("it".to_owned(), |name| format!("`{name}`"));
                let message =
                    format!("a fixed weight needs its numbers, or {what} would stay random for ever");
                let help = "write the numbers, as in `<0.5>`, `<w = 0.5>` or `<[1, 2]>`; or drop `<` and `>`";
                self.fail(Diagnostic::error("E0121", span, message).help(help))
            }
            Some(_) => Ok(()),
        }
    }

    fn index(&mut self) -> ParseResult<Vec<IndexExpr>> {
        let opened = self.span();
        if !self.take("[") {
            return Ok(Vec::new());
        }
        let index = self.list(Self::index_part)?;
        self.close("]", "or `,` in the index of a weight", opened)?;
        Ok(index)
    }

    fn index_part(&mut self) -> ParseResult<IndexExpr> {
        let start = self.span();
        match self.kind() {
            TokenKind::Name | TokenKind::Quoted if self.kind_after(1) == TokenKind::Mark("(") => {
                self.atom().map(IndexExpr::Kind)
            }
            TokenKind::Unknown if self.text() == "#" => {
                self.position += 1;
                Ok(IndexExpr::Number(self.place_from(start)))
            }
            _ => self.term().map(IndexExpr::Term),
        }
    }

    fn weight_value(&mut self, what: &str) -> ParseResult<WeightValue> {
        match self.kind() {
            TokenKind::Mark("{") => self.random(),
            TokenKind::Mark("[") => self.literal_tensor(),
            TokenKind::Number if self.lexer.is_percentage(self.token()) => {
                let diagnostic = Diagnostic::error("E0127", self.span(), "`%` begins a comment here");
                self.fail(diagnostic.help("a weight is a number: write `90%` as `0.9`"))
            }
            _ => Ok(WeightValue::Number(self.number(what)?)),
        }
    }

    fn random(&mut self) -> ParseResult<WeightValue> {
        let start = self.span();
        self.expect("{", "before a shape")?;
        let rows = self.whole("the number of rows")?;
        let columns = if self.take(",") { Some(self.whole("the number of columns")?) } else { None };
        self.expect("}", "after a shape of one or two numbers")?;
        let size = u64::from(rows) * u64::from(columns.unwrap_or(1));
        if size == 0 || size > 10_000_000 {
            let Place(span) = self.place_from(start);
            let message = format!("a weight has between one and ten million numbers, not {size}");
            let help = "`{3}` is a vector of three numbers, `{3, 2}` a matrix of three rows and two columns";
            return self.fail(Diagnostic::error("E0122", span, message).help(help));
        }
        Ok(WeightValue::Random(rows, columns))
    }

    fn literal_tensor(&mut self) -> ParseResult<WeightValue> {
        let is_pipe = |ahead| self.kind_after(ahead) == TokenKind::Unknown && self.text_after(ahead) == "|";
        if is_pipe(2) || is_pipe(4) {
            return self.sparse();
        }
        if self.kind_after(1) != TokenKind::Mark("[") {
            return Ok(WeightValue::Vector(self.row()?));
        }
        let start = self.span();
        self.expect("[", "before a matrix")?;
        let rows = self.list(Self::row)?;
        self.close("]", "or `,` after a row of a matrix", start)?;
        if let Some(other) = rows.iter().find(|row| row.len() != rows[0].len()) {
            let Place(span) = self.place_from(start);
            let message = format!(
                "the rows of this matrix have different lengths: {} and {}",
                rows[0].len(),
                other.len()
            );
            return self.fail(Diagnostic::error("E0123", span, message));
        }
        Ok(WeightValue::Matrix(rows))
    }

    /// `[3|0:1, 2:-1]`, a vector, and `[2, 3|0, 1:5]`, a matrix, of which only some numbers are not 0.
    fn sparse(&mut self) -> ParseResult<WeightValue> {
        let opened = self.span();
        self.position += 1;
        let rows = self.whole("the number of rows")? as usize;
        let columns = if self.take(",") { Some(self.whole("the number of columns")? as usize) } else { None };
        self.position += 1; // the pipe
        let size = rows.saturating_mul(columns.unwrap_or(1));
        if size == 0 || size > 10_000_000 {
            let message = format!("a weight has between one and ten million numbers, not {size}");
            return self.fail(Diagnostic::error("E0122", self.place_from(opened).0, message));
        }
        let mut numbers = vec![0.0; size];
        while !self.at("]") {
            let element = self.span();
            let bracket = self.take("(");
            let row = self.whole("the place of a number")? as usize;
            let mut column = 0;
            if columns.is_some() {
                self.expect(",", "between row and column")?;
                column = self.whole("the column of a number")? as usize;
            }
            // `2:-1` has the mark of a rule in it.
            let sign = if self.take(":-") { -1.0 } else { 1.0 };
            if sign > 0.0 {
                self.expect(":", "between the place and the number")?;
            }
            let number = sign * self.number("a number")?;
            if bracket {
                self.expect(")", "after a number")?;
            }
            if row >= rows || column >= columns.unwrap_or(1) {
                let message = "this place is outside; places count from 0";
                return self.fail(Diagnostic::error("E0131", self.place_from(element).0, message));
            }
            numbers[row * columns.unwrap_or(1) + column] = number;
            if !self.take(",") {
                break;
            }
        }
        self.close("]", "or `,` after a number", opened)?;
        Ok(match columns {
            None => WeightValue::Vector(numbers),
            Some(columns) => WeightValue::Matrix(numbers.chunks(columns).map(<[f64]>::to_vec).collect()),
        })
    }

    fn row(&mut self) -> ParseResult<Vec<f64>> {
        let opened = self.span();
        self.expect("[", "before a list of numbers")?;
        let row = self.list(|parser| parser.number("a number"))?;
        self.close("]", "or `,` after a number", opened)?;
        Ok(row)
    }
}
