//! The body of a rule: literals, guards, negation, comparisons, `@alldiff`, and the offset that may stand last.

use super::{ParseResult, Parser, SentenceError};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{
    AtomExpr, BodyExpr, BodyKind, Comparison, OptionExpr, OptionValue, Sign, TermExpr, WeightExpr,
};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    /// Returns the body; an offset in it becomes an option of the rule.
    pub(super) fn body(&mut self, options: &mut Vec<OptionExpr>) -> ParseResult<Vec<BodyExpr>> {
        let mut body = Vec::new();
        loop {
            let start = self.span();
            if self.at_offset() {
                options.push(self.body_offset()?);
            } else {
                let kind = self.body_part()?;
                body.push(BodyExpr { kind, place: self.place_from(start) });
            }
            if !self.take(",") {
                break;
            }
        }
        if body.is_empty() {
            let span = self.last_span();
            return self.fail(
                Diagnostic::error("E0114", span, "the body of this rule has no literal")
                    .help("a fact is written without `:-`"),
            );
        }
        Ok(body)
    }

    /// Returns whether what stands here is a weight with nothing to weigh: an offset.
    fn at_offset(&self) -> bool {
        let mut ahead =
            Parser { lexer: self.lexer.clone(), tokens: Vec::new(), position: 0, diagnostics: Vec::new() };
        if !matches!(self.kind(), TokenKind::Number | TokenKind::Mark("<" | "{" | "$" | "[")) {
            return false;
        }
        let end = (self.position + 4096).min(self.tokens.len());
        ahead.tokens.extend_from_slice(&self.tokens[self.position..end]);
        ahead.tokens.push(self.tokens[self.tokens.len() - 1]);
        ahead.weight("").is_ok() && (matches!(ahead.kind(), TokenKind::Mark("." | ",")) || ahead.at_options())
    }

    fn body_offset(&mut self) -> ParseResult<OptionExpr> {
        let start = self.span();
        let value = OptionValue::Weight(self.weight("an offset")?);
        let place = self.place_from(start);
        Ok(OptionExpr { key: "offset".into(), value, key_place: place, place })
    }

    fn body_part(&mut self) -> ParseResult<BodyKind> {
        if self.at("@") {
            return self.special();
        }
        if self.at_comparison() {
            return self.comparison();
        }
        let weight = self.weight_before("a literal")?;
        let start = self.span();
        let sign = self.sign();
        let bracket = sign == Sign::Not && self.take("(");
        let atom = self.atom()?;
        if bracket {
            self.expect(")", "after the negated literal")?;
        }
        self.literal(weight, sign, atom, start)
    }

    fn literal(
        &mut self,
        weight: Option<WeightExpr>,
        sign: Sign,
        atom: AtomExpr,
        start: Span,
    ) -> ParseResult<BodyKind> {
        if weight.is_some() && matches!(sign, Sign::Guard | Sign::Not) {
            let span = start.to(self.last_span());
            let message = "this literal is no input of the neuron, so a weight on it has no effect";
            return self.fail(
                Diagnostic::error("E0115", span, message).help("drop the weight, or the `*` or `not`"),
            );
        }
        if self.comparison_here().is_some() {
            let span = atom.place.0;
            let message = "atoms are not compared, only variables and constants";
            let help = "give the value a term of its own and compare that: `age(X, A), A < 3`";
            return self.fail(Diagnostic::error("E0116", span, message).help(help));
        }
        Ok(BodyKind::Literal(weight, sign, atom))
    }

    fn sign(&mut self) -> Sign {
        let follows_name = |kind| matches!(kind, TokenKind::Name | TokenKind::Quoted | TokenKind::Mark("("));
        match self.kind() {
            TokenKind::Mark("*") => self.signed(Sign::Guard),
            TokenKind::Mark("~") => self.signed(Sign::Soft),
            TokenKind::Mark("!") => self.signed(Sign::Not),
            TokenKind::Name if self.text() == "not" && follows_name(self.kind_after(1)) => {
                self.signed(Sign::Not)
            }
            _ => Sign::Input,
        }
    }

    fn signed(&mut self, sign: Sign) -> Sign {
        self.position += 1;
        sign
    }

    fn at_comparison(&self) -> bool {
        let is_term = matches!(
            self.kind(),
            TokenKind::Variable | TokenKind::Number | TokenKind::Name | TokenKind::Quoted
        );
        let is_name = matches!(self.kind(), TokenKind::Name | TokenKind::Quoted);
        let equals = matches!(self.kind_after(1), TokenKind::Mark("=" | "=<"));
        let named_weight = is_name && equals && {
            let mut ahead = Parser {
                lexer: self.lexer.clone(),
                tokens: self.tokens[self.position..].iter().take(64).copied().collect(),
                position: 0,
                diagnostics: Vec::new(),
            };
            ahead.tokens.push(self.tokens[self.tokens.len() - 1]);
            ahead.weight("").is_ok() && ahead.at("::")
        };
        let behind = if self.kind_after(1) == TokenKind::Mark("..") { 3 } else { 1 };
        let compares = operator(self.kind_after(behind)).is_some();
        is_term && compares && !named_weight
    }

    fn comparison_here(&self) -> Option<Comparison> {
        operator(self.kind())
    }

    fn comparison(&mut self) -> ParseResult<BodyKind> {
        let left = self.term()?;
        let Some(comparison) = self.comparison_here() else {
            return self.unexpected("a comparison such as `!=`");
        };
        self.position += 1;
        let right = self.term()?;
        Ok(BodyKind::Compare(comparison, left, right))
    }

    /// `@alldiff(X, Y)`, `@alldiff(...)` for all variables, and comparisons by name: `@neq(X, Y)`.
    fn special(&mut self) -> ParseResult<BodyKind> {
        let start = self.span();
        self.position += 1;
        let name = self.name("the name of a built-in such as `@alldiff`")?;
        self.expect("(", "after a built-in")?;
        if name == "alldiff" && (self.take("...") || self.take("..") || self.at(")")) {
            self.expect(")", "after the terms of a built-in")?;
            return Ok(BodyKind::AllDiff(Vec::new()));
        }
        let terms = self.terms()?;
        self.expect(")", "after the terms of a built-in")?;
        if name == "alldiff" {
            return Ok(BodyKind::AllDiff(terms));
        }
        self.named_comparison(&name, terms, start)
    }

    fn named_comparison(&mut self, name: &str, terms: Vec<TermExpr>, start: Span) -> ParseResult<BodyKind> {
        let span = start.to(self.last_span());
        let comparison =
            COMPARISONS.iter().find(|(known, _)| *known == name).map(|(_, comparison)| *comparison);
        match (comparison, <[TermExpr; 2]>::try_from(terms)) {
            (Some(comparison), Ok([left, right])) => Ok(BodyKind::Compare(comparison, left, right)),
            (Some(_), Err(_)) => {
                let message = format!("`@{name}` compares two terms");
                self.fail(Diagnostic::error("E0117", span, message).help(format!("write `@{name}(X, Y)`")))
            }
            (None, _) => {
                let message = format!("there is no built-in `@{name}`");
                let names: Vec<_> = COMPARISONS.iter().map(|(name, _)| format!("@{name}")).collect();
                let help = format!("there are @alldiff, {}", names.join(", "));
                self.diagnostics.push(Diagnostic::error("E0118", span, message).help(help));
                Err(SentenceError)
            }
        }
    }
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("eq", Comparison::Equal),
    ("neq", Comparison::NotEqual),
    ("lt", Comparison::Less),
    ("leq", Comparison::LessOrEqual),
    ("gt", Comparison::Greater),
    ("geq", Comparison::GreaterOrEqual),
];

fn operator(kind: TokenKind) -> Option<Comparison> {
    Some(match kind {
        TokenKind::Mark("=" | "==") => Comparison::Equal,
        TokenKind::Mark("!=" | "\\=") => Comparison::NotEqual,
        TokenKind::Mark("<") => Comparison::Less,
        TokenKind::Mark("=<" | "<=") => Comparison::LessOrEqual,
        TokenKind::Mark(">") => Comparison::Greater,
        TokenKind::Mark(">=") => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
