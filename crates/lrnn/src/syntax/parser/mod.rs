//! Tokens into a tree: one small function per production. Reading never stops at the first mistake: a sentence
//! that cannot be read is reported and skipped to its full stop, and reading goes on behind it.

mod atom;
mod body;
mod clause;
mod function;
mod weight;

use std::sync::Arc;

use super::ast::{Ast, BodyExpr, Item, Place, TermExpr};
use super::lexer::{Lexer, Token, TokenKind, unquote};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::vocabulary::{Constant, NumberError};

pub use atom::parse_atom;

/// Reads a template's text.
pub fn parse(text: &str, source: SourceId) -> (Ast, Vec<Diagnostic>) {
    let (mut parser, comments) = Parser::new(text, source);
    let items = parser.items();
    let comments = comments.into_iter().map(Place).collect();
    let place = Place(Span { source, start: 0, end: text.len() as u32 });
    (Ast { items, source: place, comments }, parser.diagnostics)
}

/// A mistake that ends the reading of a sentence; it has been reported.
struct SentenceError;
type ParseResult<T> = Result<T, SentenceError>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    tokens: Vec<Token>,
    position: usize,
    diagnostics: Vec<Diagnostic>,
    /// The names of predicates with terms that heads have.
    heads: Arc<Vec<String>>,
    /// Guards of the sentence that stand in sums of functions: `a(X) + @next(X, Y)`.
    guards: Vec<BodyExpr>,
    /// The variables of the sentence that have a type, and their types.
    types: Vec<(TermExpr, TermExpr)>,
}

impl<'a> Parser<'a> {
    /// Returns a parser before the first token, and the places of the comments.
    fn new(text: &'a str, source: SourceId) -> (Self, Vec<Span>) {
        let mut lexer = Lexer::new(text, source).keeping_comments();
        let tokens = lexer.tokens();
        let lexer_of_text = Lexer::new(text, source);
        let heads = Arc::new(heads(&lexer_of_text, &tokens));
        (Self::of(lexer_of_text, tokens, heads), lexer.into_comments())
    }

    fn of(lexer: Lexer<'a>, tokens: Vec<Token>, heads: Arc<Vec<String>>) -> Self {
        Self {
            lexer,
            tokens,
            position: 0,
            diagnostics: Vec::new(),
            heads,
            guards: Vec::new(),
            types: Vec::new(),
        }
    }

    /// Returns a parser of the next tokens, to look ahead.
    fn ahead(&self, most: usize) -> Self {
        let end = (self.position + most).min(self.tokens.len());
        let mut tokens = self.tokens[self.position.min(end)..end].to_vec();
        tokens.push(self.tokens[self.tokens.len() - 1]);
        Self::of(self.lexer.clone(), tokens, Arc::clone(&self.heads))
    }
}

/// Returns the names of predicates with terms that stand before the bodies of sentences.
fn heads(lexer: &Lexer<'_>, tokens: &[Token]) -> Vec<String> {
    let mut heads = Vec::new();
    let (mut in_body, mut brackets) = (false, 0_i32);
    for pair in tokens.windows(2) {
        brackets += match pair[0].kind {
            TokenKind::Mark("[") => 1,
            TokenKind::Mark("]") => -1,
            _ => 0,
        };
        in_body = match pair[0].kind {
            TokenKind::Mark(":-" | "<=") => true,
            TokenKind::Mark(".") if lexer.ends_sentence(pair[0]) => false,
            _ => in_body,
        };
        if !in_body
            && brackets <= 0
            && pair[0].kind == TokenKind::Name
            && pair[1].kind == TokenKind::Mark("(")
        {
            heads.push(lexer.text(pair[0]).to_owned());
        }
    }
    heads.sort_unstable();
    heads.dedup();
    heads
}

impl Parser<'_> {
    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.kind() != TokenKind::End {
            let start = self.position;
            self.types.clear();
            self.guards.clear();
            match self.item() {
                Ok(item) => items.push(item),
                Err(SentenceError) => self.skip_sentence(start),
            }
        }
        items
    }

    /// Goes on behind the next full stop, and past `start` in any case.
    fn skip_sentence(&mut self, start: usize) {
        self.position = self.position.max(start);
        while self.kind() != TokenKind::End && !self.lexer.ends_sentence(self.token()) {
            self.position += 1;
        }
        if self.kind() != TokenKind::End {
            self.position += 1;
        }
        // The options of the skipped rule belong to it.
        if self.at_options() {
            while !matches!(self.kind(), TokenKind::End | TokenKind::Mark("]" | ".")) {
                self.position += 1;
            }
            self.take("]");
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn kind_after(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)].kind
    }

    fn text_after(&self, ahead: usize) -> &str {
        self.lexer.text(self.tokens[(self.position + ahead).min(self.tokens.len() - 1)])
    }

    fn at(&self, mark: &'static str) -> bool {
        self.kind() == TokenKind::Mark(mark)
    }

    fn text(&self) -> &str {
        self.lexer.text(self.token())
    }

    fn span(&self) -> Span {
        self.lexer.span(self.token())
    }

    fn last_span(&self) -> Span {
        self.lexer.span(self.tokens[self.position.saturating_sub(1)])
    }

    fn place_from(&self, start: Span) -> Place {
        Place(start.to(self.last_span()))
    }

    fn take(&mut self, mark: &'static str) -> bool {
        let found = self.at(mark);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &'static str, what: &str) -> ParseResult<()> {
        if self.take(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}` {what}")) }
    }

    /// Takes the mark that closes what was opened there.
    fn close(&mut self, mark: &'static str, what: &str, opened: Span) -> ParseResult<()> {
        let result = self.expect(mark, what);
        if let (Err(SentenceError), Some(last)) = (&result, self.diagnostics.last_mut()) {
            *last = last.clone().also(opened, "opened here");
        }
        result
    }

    /// Adds help to the message of what went wrong, where it has none.
    fn advise<T>(&mut self, result: ParseResult<T>, help: &str) -> ParseResult<T> {
        if let (Err(SentenceError), Some(last)) = (&result, self.diagnostics.last_mut()) {
            last.help.get_or_insert_with(|| help.to_owned());
        }
        result
    }

    /// Reads one of something or more, with commas between them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> ParseResult<T>) -> ParseResult<Vec<T>> {
        let mut all = vec![item(self)?];
        while self.take(",") {
            all.push(item(self)?);
        }
        Ok(all)
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> ParseResult<T> {
        self.diagnostics.push(diagnostic);
        Err(SentenceError)
    }

    /// Reports that something else was expected here.
    fn unexpected<T>(&mut self, expected: &str) -> ParseResult<T> {
        let (span, text) = (self.span(), self.text().to_owned());
        let diagnostic = match self.kind() {
            TokenKind::Unfinished if text.starts_with("/*") => {
                Diagnostic::error("E0101", span, "this comment does not end").help("close it with `*/`")
            }
            TokenKind::Unfinished => {
                Diagnostic::error("E0102", span, "this quoted text does not end on its line")
                    .help("close the quote; write a quote inside as \\' and a line end as \\n")
            }
            TokenKind::Unknown => {
                let known = self.lexer.slip(self.token());
                let hint = known.unwrap_or(match text.as_str() {
                    "+" => "a sum stands in the body of a rule, between two inputs",
                    "\\" => "negation is written `not`, and inequality `!=`",
                    "&" | "|" => "a body is a list with commas: `p(X), q(X)`",
                    _ => "quote it if it is part of a name: 'like this'",
                });
                let shown = if text == "\\" { text } else { text.escape_debug().to_string() };
                let message = format!("the character `{shown}` has no place in the language");
                Diagnostic::error("E0103", span, message).help(hint)
            }
            TokenKind::End => {
                let message = format!("the text ends where {expected} was expected");
                Diagnostic::error("E0104", self.behind(), message).help_if(self.lexer.slip(self.token()))
            }
            _ => {
                let message = format!("expected {expected}, found `{text}`");
                Diagnostic::error("E0105", span, message).help_if(self.lexer.slip(self.token()))
            }
        };
        self.fail(diagnostic)
    }

    /// Returns the place right behind the last token.
    fn behind(&self) -> Span {
        let last = self.last_span();
        Span { start: last.end, ..last }
    }

    /// Returns a name, bare or quoted.
    fn name(&mut self, what: &str) -> ParseResult<String> {
        match self.kind() {
            TokenKind::Name => {
                let name = self.text().to_owned();
                self.position += 1;
                Ok(name)
            }
            TokenKind::Quoted => self.quoted(),
            TokenKind::Variable => {
                let (span, text) = (self.span(), self.text().to_owned());
                let message = format!("expected {what}, found the variable `{text}`");
                let help = format!("names begin with a small letter; or quote it: '{text}'");
                self.fail(Diagnostic::error("E0106", span, message).help(help))
            }
            _ => self.unexpected(what),
        }
    }

    fn quoted(&mut self) -> ParseResult<String> {
        let span = self.span();
        let Some(text) = unquote(self.text()) else {
            let message = "an escape in this quoted text is not known";
            return self.fail(
                Diagnostic::error("E0107", span, message)
                    .help("known are \\' \\\" \\\\ \\n \\t \\r and \\u{e9}"),
            );
        };
        self.position += 1;
        Ok(text)
    }

    /// Returns a finite number.
    fn number(&mut self, what: &str) -> ParseResult<f64> {
        let is_sign = self.is_plus() && self.kind_after(1) == TokenKind::Number;
        self.position += usize::from(is_sign); // `h/1 +0.5`
        if self.kind() != TokenKind::Number {
            return self.unexpected(what);
        }
        match self.text().parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.position += 1;
                Ok(number + 0.0)
            }
            _ => {
                let span = self.span();
                self.fail(Diagnostic::error("E0108", span, NumberError::Number.message()))
            }
        }
    }

    /// Returns a number as a constant.
    fn constant_number(&mut self, what: &str) -> ParseResult<Constant> {
        if self.kind() != TokenKind::Number {
            return self.unexpected(what);
        }
        match Constant::read_number(self.text()) {
            Ok(number) => {
                self.position += 1;
                Ok(number)
            }
            Err(error) => {
                let code = match error {
                    NumberError::Integer => "E0126",
                    NumberError::Number => "E0108",
                    NumberError::Plus => "E0136",
                };
                let help = error.help(self.text());
                self.fail(Diagnostic::error(code, self.span(), error.message()).help_if(help))
            }
        }
    }

    fn whole(&mut self, what: &str) -> ParseResult<u32> {
        let span = self.span();
        let number = self.number(what)?;
        if number.fract() == 0.0 && (0.0..=1e6).contains(&number) {
            return Ok(number as u32);
        }
        let message = format!("expected {what}, a whole number from 0 to 1000000");
        self.fail(Diagnostic::error("E0109", span, message))
    }
}
