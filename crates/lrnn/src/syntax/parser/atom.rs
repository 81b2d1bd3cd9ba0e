//! Atoms and their terms.

use super::{ParseResult, Parser};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::syntax::ast::{AtomExpr, TermExpr, TermKind};
use crate::syntax::lexer::TokenKind;
use crate::vocabulary::Constant;

/// Reads one atom, as in a query: `foal(X)`. A full stop may stand behind it.
pub fn parse_atom(text: &str, source: SourceId) -> Result<AtomExpr, Diagnostic> {
    const HELP: &str = "write it as in `foal(X)`";
    let (mut parser, _) = Parser::new(text, source);
    let result = parser.atom();
    let atom = parser.advise(result, HELP);
    parser.take(".");
    let span = Span { source, start: 0, end: text.len() as u32 };
    let wrong = Diagnostic::error("E0110", span, "this is not one atom").help(HELP);
    match atom {
        Ok(atom) if parser.kind() == TokenKind::End => Ok(atom),
        _ => Err(parser.diagnostics.pop().unwrap_or(wrong)),
    }
}

impl Parser<'_> {
    pub(super) fn atom(&mut self) -> ParseResult<AtomExpr> {
        let start = self.span();
        let name = self.name("a predicate")?;
        let mut terms = Vec::new();
        let opened = self.span();
        if self.take("(") && !self.take(")") {
            terms = self.terms()?;
            self.close(")", "or `,` after a term", opened)?;
        }
        Ok(AtomExpr { name, terms, place: self.place_from(start) })
    }

    pub(super) fn terms(&mut self) -> ParseResult<Vec<TermExpr>> {
        let mut terms = vec![self.term()?];
        while self.take(",") {
            terms.push(self.term()?);
        }
        Ok(terms)
    }

    pub(super) fn term(&mut self) -> ParseResult<TermExpr> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Variable => {
                let name = self.text().to_owned();
                self.position += 1;
                TermKind::Variable(name)
            }
            TokenKind::Number => {
                let number = self.constant_number("a number")?;
                if self.take("..") { self.range(start, &number)? } else { TermKind::Constant(number) }
            }
            _ => TermKind::Constant(Constant::Name(self.name("a term")?.into())),
        };
        if self.at("..") {
            return self.no_range(start);
        }
        if self.at("(") {
            let span = start.to(self.span());
            let message = "a term is a variable or a constant: functions are not part of the language";
            let help = "quote the whole term to make it a constant: 'f(x)'; if it is a literal, close the bracket before it";
            return self.fail(Diagnostic::error("E0111", span, message).help(help));
        }
        Ok(TermExpr { kind, place: self.place_from(start) })
    }

    fn range(&mut self, start: Span, first: &Constant) -> ParseResult<TermKind> {
        let last = self.constant_number("the end of the range")?;
        match (first, last) {
            (&Constant::Integer(first), Constant::Integer(last))
                if first <= last && last.abs_diff(first) < 1_000_000 =>
            {
                Ok(TermKind::Range(first, last))
            }
            _ => self.no_range(start),
        }
    }

    fn no_range<T>(&mut self, start: Span) -> ParseResult<T> {
        let span = start.to(self.last_span());
        let message = "a range goes from a whole number up to another, over at most a million numbers";
        self.fail(Diagnostic::error("E0112", span, message).help("write it as in `p(1..3).`"))
    }
}
