//! One sentence of data at a time: weighted atoms with commas between them.

use super::batch::{Batch, BatchFact, MOST_VARIABLES, variable};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::syntax::lexer::{Lexer, Token, TokenKind, unquote};
use crate::vocabulary::{Constant, ConstantId, NumberError, PredicateId, Vocabulary, write_name};

/// The ends of a list.
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
    pub(super) token: Token,
    /// End of the token before.
    end: u32,
    /// That of the last fact, which most often is that of the next.
    predicate: Option<PredicateId>,
    pub vocabulary: Vocabulary,
    pub diagnostics: Vec<Diagnostic>,
    /// The types of constants in the current list.
    types: Vec<(ConstantId, ConstantId)>,
    /// True if lists are queries, in which a type says nothing new.
    pub asks: bool,
    /// The first value that is written like a weight.
    pub learned: Option<Span>,
}

pub(super) type SentenceResult<T> = Result<T, Diagnostic>;

/// After so many mistakes in one text the rest is not worth listing.
const MOST_MISTAKES: usize = 50;
/// Compound terms may stand in one another so deep.
const MOST_NESTED: u32 = 64;

impl<'a> Sentences<'a> {
    /// Begins at a place of a text, before a token.
    pub fn new((text, start): (&'a str, usize), source: SourceId, vocabulary: Vocabulary) -> Self {
        let mut lexer = Lexer::new(text, source).from(start);
        let token = lexer.next_token();
        Self {
            lexer,
            token,
            end: token.start,
            predicate: None,
            vocabulary,
            diagnostics: Vec::new(),
            types: Vec::new(),
            asks: false,
            learned: None,
        }
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
        self.more(batch)
    }

    /// Reads a list behind what the batch has.
    pub fn more(&mut self, batch: &mut Batch) -> Option<Ending> {
        self.types.clear();
        loop {
            if let Err(diagnostic) = self.entry(batch) {
                self.fail(diagnostic);
                return None;
            }
            match self.token.kind {
                TokenKind::Mark(",") => self.advance(),
                TokenKind::Mark(".") => {
                    self.advance();
                    self.add_types(batch);
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

    /// Adds the facts that types of constants are.
    fn add_types(&mut self, batch: &mut Batch) {
        for (constant, kind) in std::mem::take(&mut self.types).into_iter().filter(|_| !self.asks) {
            batch.terms.extend([constant, kind]);
            let predicate = self.vocabulary.predicate("@type", 2);
            let (terms_end, values_end) = (batch.terms.len() as u32, batch.values.len() as u32);
            let span = self.last_mark();
            batch.entries.push(BatchFact { predicate, terms_end, values_end, shape: None, span });
        }
    }

    /// Returns the stretch from the beginning of another to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { end: self.end.max(start.start), ..start }
    }

    /// Returns the token that ended a list.
    pub fn last_mark(&self) -> Span {
        Span { start: self.end.saturating_sub(2), end: self.end, ..self.span() }
    }

    /// Reports a mistake and goes on behind the next full stop.
    pub fn fail(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        while self.token.kind != TokenKind::End && !self.lexer.ends_sentence(self.token) {
            self.advance();
        }
        if self.token.kind != TokenKind::End {
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.end = self.token.end;
        self.token = self.lexer.next_token();
    }

    fn text(&self) -> &'a str {
        self.lexer.text(self.token)
    }

    pub(super) fn take(&mut self, mark: &'static str) -> bool {
        let found = self.token.kind == TokenKind::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn take_pipe(&mut self) -> bool {
        let found = self.token.kind == TokenKind::Unknown && self.text() == "|";
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> SentenceResult<()> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    /// Takes the mark that closes what was opened there.
    pub(super) fn close(&mut self, mark: &'static str, what: &str, opened: Span) -> SentenceResult<()> {
        let close = |this: &Self| {
            this.unexpected(&format!("`{mark}` or `,` after {what}")).also(opened, "opened here")
        };
        if self.take(mark) { Ok(()) } else { Err(close(self)) }
    }

    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let text = self.text();
        match self.token.kind {
            TokenKind::End => {
                let message = format!("the text ends where {expected} was expected");
                let span = Span { start: self.end, end: self.end, ..self.span() };
                Diagnostic::error("D0104", span, message).help("does the last example end with a full stop?")
            }
            TokenKind::Variable => no_variable(text, self.span()),
            TokenKind::Unfinished if text.starts_with("/*") => {
                Diagnostic::error("D0102", self.span(), "this comment does not end")
                    .help("close it with `*/`")
            }
            TokenKind::Unfinished => {
                Diagnostic::error("D0102", self.span(), "this quoted text does not end on its line")
                    .help("close the quote; write a quote inside as \\' and a line end as \\n")
            }
            _ => {
                let general = "an example is a list of facts with commas, and a full stop at its end";
                let help = self.lexer.slip(self.token).unwrap_or(general);
                let message = format!("expected {expected}, found `{text}`");
                Diagnostic::error("D0105", self.span(), message).help(help)
            }
        }
    }

    fn entry(&mut self, batch: &mut Batch) -> SentenceResult<()> {
        let start = self.span();
        let shape = self.value(batch)?;
        self.take("::");
        self.take("*");
        let name = self.name("a fact")?;
        let first = batch.terms.len();
        let opened = self.span();
        if self.take("(") && !self.take(")") {
            loop {
                let term = match self.token.kind {
                    TokenKind::Variable if batch.variables.len() < MOST_VARIABLES => self.variable(batch),
                    _ => self.term()?,
                };
                batch.terms.push(term);
                if !self.take(",") {
                    break;
                }
            }
            self.close(")", "a term", opened)?;
        }
        let predicate = self.predicate(&name, batch.terms.len() - first);
        let span = self.since(start);
        let (terms_end, values_end) = (batch.terms.len() as u32, batch.values.len() as u32);
        batch.entries.push(BatchFact { predicate, terms_end, values_end, shape, span });
        Ok(())
    }

    /// Reads a variable, which only queries may have. Each `_` is one of its own.
    fn variable(&mut self, batch: &mut Batch) -> ConstantId {
        let (name, span) = (self.text(), self.span());
        self.advance();
        batch.variable_span.get_or_insert(span);
        let known = batch.variables.iter().position(|other| **other == *name && name != "_");
        variable(known.unwrap_or_else(|| {
            batch.variables.push(name.into());
            batch.variables.len() - 1
        }))
    }

    fn predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        let is_it = |id: &PredicateId| {
            let signature = self.vocabulary.signature(*id);
            signature.arity as usize == arity && *signature.name == *name
        };
        let last = self.predicate.filter(is_it);
        *self.predicate.insert(last.unwrap_or_else(|| self.vocabulary.predicate(name, arity)))
    }

    pub(super) fn name(&mut self, expected: &str) -> SentenceResult<std::borrow::Cow<'a, str>> {
        let name = match self.token.kind {
            TokenKind::Name => self.text().into(),
            TokenKind::Quoted => match unquote(self.text()) {
                Some(text) => text.into(),
                None => {
                    return Err(Diagnostic::error(
                        "D0103",
                        self.span(),
                        "an escape in this quoted text is not known",
                    )
                    .help("known are \\' \\\" \\\\ \\n \\t \\r and \\u{e9}"));
                }
            },
            _ => return Err(self.unexpected(expected)),
        };
        self.advance();
        Ok(name)
    }

    fn term(&mut self) -> SentenceResult<ConstantId> {
        self.term_of(true)
    }

    /// Reads a term, which may have a type before it or not.
    fn term_of(&mut self, may_have_type: bool) -> SentenceResult<ConstantId> {
        if self.token.kind == TokenKind::Number {
            let number = self.number_term()?;
            return Ok(self.vocabulary.insert(number));
        }
        let start = self.span();
        let name = self.name("a constant")?;
        if may_have_type && self.take(":") {
            let kind = self.vocabulary.name(&name);
            let constant = self.term_of(false)?; // `t:a` is the constant a, and says that its type is t
            if !self.types.contains(&(constant, kind)) {
                self.types.push((constant, kind));
            }
            return Ok(constant);
        }
        if self.token.kind != TokenKind::Mark("(") {
            return Ok(self.vocabulary.name(&name));
        }
        let mut text = String::new();
        self.compound(&name, start, 1, &mut text)?;
        Ok(self.vocabulary.name(&text))
    }

    fn number_term(&mut self) -> SentenceResult<Constant> {
        let start = self.span();
        let number = Constant::read_number(self.text()).map_err(|error| self.no_number(error))?;
        self.advance();
        match self.token.kind {
            TokenKind::Mark("(") => Err(self.no_term("a number has no terms of its own", start)),
            _ => Ok(number),
        }
    }

    /// Reads the terms behind a functor. A compound term is one constant: the name that is its text in one spelling.
    fn compound(&mut self, functor: &str, start: Span, depth: u32, text: &mut String) -> SentenceResult<()> {
        if depth > MOST_NESTED {
            return Err(self.no_term("this term is nested too deeply", start));
        }
        let _ = write_name(text, functor);
        let opened = self.span();
        self.expect("(")?;
        text.push('(');
        loop {
            let start = self.span();
            if self.token.kind == TokenKind::Number {
                text.push_str(&self.number_term()?.to_string());
            } else {
                let name = self.name("a constant")?;
                if self.token.kind == TokenKind::Mark("(") {
                    self.compound(&name, start, depth + 1, text)?;
                } else {
                    let _ = write_name(text, &name);
                }
            }
            if !self.take(",") {
                break;
            }
            text.push_str(", ");
        }
        self.close(")", "a term", opened)?;
        text.push(')');
        Ok(())
    }

    fn no_term(&self, message: &str, start: Span) -> Diagnostic {
        let help = "quote the whole term to make it a constant: 'f(x)'";
        Diagnostic::error("D0106", Span { end: self.token.end, ..start }, message).help(help)
    }

    /// Returns whether a percent sign stands right behind the token, where it begins a comment.
    pub(super) fn at_percentage(&self) -> bool {
        self.lexer.is_percentage(self.token)
    }

    pub(super) fn number(&mut self) -> SentenceResult<f64> {
        if self.token.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        let number = self.text().parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| self.no_number(NumberError::Number))?;
        self.advance();
        Ok(number)
    }

    fn no_number(&self, error: NumberError) -> Diagnostic {
        let code = match error {
            NumberError::Integer => "D0130",
            NumberError::Number => "D0107",
            NumberError::Plus => "D0138",
        };
        Diagnostic::error(code, self.span(), error.message()).help_if(error.help(self.text()))
    }
}

/// Returns the mistake of a variable where there must be none.
fn no_variable(text: &str, span: Span) -> Diagnostic {
    let message = format!("`{text}` is a variable, but facts have only constants");
    let help = format!("constants begin with a small letter; or quote it: '{text}'");
    Diagnostic::error("D0101", span, message).help(help)
}

/// Returns the mistake of the first variable of a list of facts, if there is one.
pub(super) fn variable_mistake(batch: &Batch) -> Option<Diagnostic> {
    Some(no_variable(batch.variables.first()?, batch.variable_span?))
}

/// Returns whether every sentence of a text is a single fact: then the text is one example. A text without sentences is
/// none.
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
            TokenKind::Mark("(" | "[" | "{" | "<") => depth += 1,
            TokenKind::Mark(")" | "]" | "}" | ">") => depth = depth.saturating_sub(1),
            TokenKind::Mark(",") if depth == 0 => return false,
            TokenKind::Mark(":-" | "<=") => return false,
            _ => {}
        }
    }
}
