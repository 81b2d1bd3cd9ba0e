//! Atoms and their terms.

use super::{ParseResult, Parser};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::syntax::ast::{AtomExpr, TermExpr, TermKind};
use crate::syntax::lexer::TokenKind;
use crate::vocabulary::{Constant, write_name};

/// Compound terms may stand in one another so deep.
const MOST_NESTED: u32 = 64;

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
        self.list(Self::term)
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
        match kind {
            TermKind::Constant(Constant::Name(name)) if self.at(":") => self.typed(&name, start),
            TermKind::Constant(Constant::Name(name)) if self.at("(") => {
                let mut text = String::new();
                self.compound(&name, start, 1, &mut text)?;
                let kind = TermKind::Constant(Constant::Name(text.into()));
                Ok(TermExpr { kind, place: self.place_from(start) })
            }
            _ if self.at("(") => self.no_compound(start),
            kind => Ok(TermExpr { kind, place: self.place_from(start) }),
        }
    }

    /// `t:X` is the variable X, whose constants have the type t; `t:a` is the constant a.
    fn typed(&mut self, name: &str, start: Span) -> ParseResult<TermExpr> {
        self.position += 1;
        if self.kind_after(1) == TokenKind::Mark(":") {
            return self.unexpected("one type before a term");
        }
        let term = self.term()?;
        let place = self.place_from(start);
        match term.kind {
            TermKind::Variable(variable) => {
                let variable = TermExpr { kind: TermKind::Variable(variable), place };
                let of = TermExpr { kind: TermKind::Constant(Constant::Name(name.into())), place };
                if !self.types.contains(&(variable.clone(), of.clone())) {
                    self.types.push((variable.clone(), of));
                }
                Ok(variable)
            }
            // The type of a constant is said by data.
            TermKind::Constant(constant) => Ok(TermExpr { kind: TermKind::Constant(constant), place }),
            TermKind::Range(..) => self.no_range(start),
        }
    }

    /// Reads the terms behind a functor. A compound term is one constant: the name that is its text in one spelling.
    fn compound(&mut self, functor: &str, start: Span, depth: u32, text: &mut String) -> ParseResult<()> {
        if depth > MOST_NESTED {
            return self.no_compound(start);
        }
        let _ = write_name(text, functor);
        let opened = self.span();
        self.expect("(", "before the terms of a compound term")?;
        text.push('(');
        loop {
            match self.kind() {
                TokenKind::Number => text.push_str(&self.constant_number("a number")?.to_string()),
                TokenKind::Variable => return self.no_compound(start),
                _ => {
                    let name = self.name("a constant")?;
                    if self.at("(") {
                        self.compound(&name, start, depth + 1, text)?;
                    } else {
                        let _ = write_name(text, &name);
                    }
                }
            }
            if !self.take(",") {
                break;
            }
            text.push_str(", ");
        }
        self.close(")", "or `,` after a term", opened)?;
        text.push(')');
        Ok(())
    }

    fn no_compound<T>(&mut self, start: Span) -> ParseResult<T> {
        let span = start.to(self.span());
        let message = "a term is a variable or a constant: a compound term is a constant, without variables";
        let help =
            "write its parts as terms of the predicate; if it is a literal, close the bracket before it";
        self.fail(Diagnostic::error("E0111", span, message).help(help))
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
