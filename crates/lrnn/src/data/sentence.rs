//! One sentence of data at a time: weighted atoms with commas between them.

use crate::function::Shape;
use crate::syntax::lexer::{Lexer, Token, TokenKind, unquote};
use crate::syntax::{Diagnostic, SourceId, Span};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A weighted ground atom; its terms and its value lie in the batch.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub predicate: PredicateId,
    /// Where its terms end in the batch; they begin where those of the entry before end.
    pub terms_end: usize,
    pub values_end: usize,
    /// `None` where no value is written.
    pub shape: Option<Shape>,
    pub span: Span,
}

/// A list of weighted ground atoms.
#[derive(Default)]
pub(super) struct Batch {
    pub entries: Vec<Entry>,
    pub terms: Vec<ConstantId>,
    pub values: Vec<f64>,
}

impl Batch {
    pub fn clear(&mut self) {
        self.entries.clear();
        self.terms.clear();
        self.values.clear();
    }

    /// Each entry with its terms and the numbers of its value.
    pub fn iter(&self) -> impl Iterator<Item = (&Entry, &[ConstantId], &[f64])> {
        let (mut term, mut value) = (0, 0);
        self.entries.iter().map(move |entry| {
            let (terms, values) = (&self.terms[term..entry.terms_end], &self.values[value..entry.values_end]);
            (term, value) = (entry.terms_end, entry.values_end);
            (entry, terms, values)
        })
    }
}

/// How a list ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `.`
    Stop,
    /// `:-` or `<=`
    If,
}

/// Reads the sentences of a text.
pub(super) struct Sentences<'a> {
    lexer: Lexer<'a>,
    token: Token,
    pub vocabulary: Vocabulary,
    pub diagnostics: Vec<Diagnostic>,
}

type Read<T> = Result<T, Diagnostic>;

/// After so many mistakes in one text the rest is not worth listing.
const MOST_MISTAKES: usize = 50;

impl<'a> Sentences<'a> {
    pub fn new(text: &'a str, source: SourceId, vocabulary: Vocabulary) -> Self {
        let mut lexer = Lexer::new(text, source);
        let token = lexer.next_token();
        Self { lexer, token, vocabulary, diagnostics: Vec::new() }
    }

    pub fn at_end(&self) -> bool {
        self.token.kind == TokenKind::End || self.diagnostics.len() >= MOST_MISTAKES
    }

    pub fn span(&self) -> Span {
        self.lexer.span(self.token)
    }

    /// Reads a list into the batch. A mistake is reported, the sentence skipped, and `None` returned.
    pub fn list(&mut self, batch: &mut Batch) -> Option<Ending> {
        batch.clear();
        loop {
            if let Err(diagnostic) = self.entry(batch) {
                self.fail(diagnostic);
                return None;
            }
            match self.token.kind {
                TokenKind::Mark(",") => self.advance(),
                TokenKind::Mark(".") => {
                    self.advance();
                    return Some(Ending::Stop);
                }
                TokenKind::Mark(":-" | "<=") => {
                    self.advance();
                    return Some(Ending::If);
                }
                _ => {
                    let diagnostic = self.unexpected("`,` or `.` after a fact");
                    self.fail(diagnostic);
                    return None;
                }
            }
        }
    }

    fn fail(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        while !matches!(self.token.kind, TokenKind::End | TokenKind::Mark(".")) {
            self.advance();
        }
        if self.token.kind != TokenKind::End {
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.token = self.lexer.next_token();
    }

    fn text(&self) -> &'a str {
        self.lexer.text(self.token)
    }

    fn take(&mut self, mark: &'static str) -> bool {
        let found = self.token.kind == TokenKind::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: &'static str) -> Read<()> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let text = self.text();
        match self.token.kind {
            TokenKind::End => {
                let message = format!("the text ends where {expected} was expected");
                Diagnostic::error("D0104", self.span(), message)
                    .help("does the last example end with a full stop?")
            }
            TokenKind::Variable => {
                let message = format!("`{text}` is a variable, but data has only constants");
                let help = format!("constants begin with a small letter; or quote it: '{text}'");
                Diagnostic::error("D0101", self.span(), message).help(help)
            }
            TokenKind::Unfinished => {
                Diagnostic::error("D0102", self.span(), "this quoted text or comment does not end")
            }
            _ => Diagnostic::error("D0105", self.span(), format!("expected {expected}, found `{text}`")),
        }
    }

    fn entry(&mut self, batch: &mut Batch) -> Read<()> {
        let start = self.span();
        let shape = self.value(batch)?;
        self.take("::");
        self.take("*");
        let name = self.name("a fact")?;
        let first = batch.terms.len();
        if self.take("(") && !self.take(")") {
            loop {
                let term = self.term()?;
                batch.terms.push(term);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let predicate = self.vocabulary.predicate(&name, batch.terms.len() - first);
        let span = Span { end: self.token.start.max(start.end), ..start };
        let (terms_end, values_end) = (batch.terms.len(), batch.values.len());
        batch.entries.push(Entry { predicate, terms_end, values_end, shape, span });
        Ok(())
    }

    fn name(&mut self, expected: &str) -> Read<std::borrow::Cow<'a, str>> {
        let name = match self.token.kind {
            TokenKind::Name => self.text().into(),
            TokenKind::Quoted => match unquote(self.text()) {
                Some(text) => text.into(),
                None => {
                    return Err(Diagnostic::error(
                        "D0103",
                        self.span(),
                        "an escape in this quoted text is not known",
                    ));
                }
            },
            _ => return Err(self.unexpected(expected)),
        };
        self.advance();
        Ok(name)
    }

    fn term(&mut self) -> Read<ConstantId> {
        let term = match self.token.kind {
            TokenKind::Number => {
                let number = self.number()?;
                self.vocabulary.number(number)
            }
            _ => {
                let name = self.name("a constant")?;
                self.vocabulary.name(&name)
            }
        };
        if self.token.kind == TokenKind::Mark("(") {
            let message =
                "a constant is a name, a number or a quoted text: functions are not part of the language";
            let help = "quote the whole term to make it a constant: 'f(x)'";
            return Err(Diagnostic::error("D0106", self.span(), message).help(help));
        }
        Ok(term)
    }

    fn number(&mut self) -> Read<f64> {
        if self.token.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        let number = self.text().parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(number) = number else {
            return Err(Diagnostic::error(
                "D0107",
                self.span(),
                "this number is too large for double precision",
            ));
        };
        self.advance();
        Ok(number)
    }

    /// The value before a fact, if there is one.
    fn value(&mut self, batch: &mut Batch) -> Read<Option<Shape>> {
        let fixed = self.take("<"); // data is fixed in any case
        let shape = match self.token.kind {
            TokenKind::Number => {
                let number = self.number()?;
                batch.values.push(number);
                Shape::NUMBER
            }
            TokenKind::Mark("[") => self.tensor(batch)?,
            TokenKind::Mark("{" | "$") => {
                let message = "a weight in an example is data: it must be a number, a vector or a matrix";
                return Err(Diagnostic::error("D0108", self.span(), message));
            }
            _ if fixed => return Err(self.unexpected("a number")),
            _ => return Ok(None),
        };
        if fixed {
            self.expect(">")?;
        }
        Ok(Some(shape))
    }

    fn tensor(&mut self, batch: &mut Batch) -> Read<Shape> {
        let start = self.span();
        self.expect("[")?;
        if self.token.kind != TokenKind::Mark("[") {
            let rows = self.numbers(batch)?;
            return Ok(Shape::vector(rows));
        }
        let (mut rows, mut columns) = (0, None);
        loop {
            self.expect("[")?;
            let length = self.numbers(batch)?;
            if columns.is_some_and(|columns| columns != length) {
                return Err(Diagnostic::error(
                    "D0109",
                    start,
                    "the rows of this matrix have different lengths",
                ));
            }
            (rows, columns) = (rows + 1, Some(length));
            if !self.take(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(Shape::matrix(rows, columns.unwrap_or(1)))
    }

    /// Numbers up to and with `]`; how many.
    fn numbers(&mut self, batch: &mut Batch) -> Read<u32> {
        let mut count = 0;
        loop {
            let number = self.number()?;
            batch.values.push(number);
            count += 1;
            if !self.take(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(count)
    }
}

/// Whether every sentence of a text is a single fact: then the text is one example. A text without sentences is none.
pub(super) fn is_list_of_facts(text: &str, source: SourceId) -> bool {
    let mut lexer = Lexer::new(text, source);
    let mut depth = 0_u32;
    let mut is_empty = true;
    loop {
        let kind = lexer.next_token().kind;
        if kind == TokenKind::End {
            return !is_empty;
        }
        is_empty = false;
        match kind {
            TokenKind::Mark("(" | "[" | "<") => depth += 1,
            TokenKind::Mark(")" | "]" | ">") => depth = depth.saturating_sub(1),
            TokenKind::Mark(",") if depth == 0 => return false,
            TokenKind::Mark(":-" | "<=") => return false,
            _ => {}
        }
    }
}
