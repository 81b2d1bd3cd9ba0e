//! The body of a rule: literals, guards, negation, comparisons, `@alldiff`, and the offset that may stand last.

use super::{ParseResult, Parser, SentenceError};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{
    AtomExpr, BodyExpr, BodyKind, Comparison, FunctionExpr, FunctionKind, NumberExpr, Operator, OptionExpr,
    OptionValue, Sign, TermExpr, TermKind, WeightExpr,
};
use crate::syntax::lexer::TokenKind;
use crate::vocabulary::Constant;

impl Parser<'_> {
    /// Returns the body; an offset in it becomes an option of the rule.
    pub(super) fn body(&mut self, options: &mut Vec<OptionExpr>) -> ParseResult<Vec<BodyExpr>> {
        let mut body = Vec::new();
        self.list(|parser| {
            let start = parser.span();
            if parser.at_offset() {
                options.push(parser.body_offset()?);
                return Ok(());
            }
            let mut kind = parser.body_part()?;
            let place = parser.place_from(start);
            if let BodyKind::Function(function) = &mut kind {
                function.place = place;
            }
            body.push(BodyExpr { kind, place });
            Ok(())
        })?;
        body.append(&mut self.guards);
        for (variable, kind) in std::mem::take(&mut self.types) {
            let place = variable.place;
            body.push(BodyExpr { kind: BodyKind::BuiltIn("type".into(), vec![variable, kind]), place });
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
        if !matches!(self.kind(), TokenKind::Number | TokenKind::Mark("<" | "{" | "$" | "[")) {
            return false;
        }
        let mut ahead = self.ahead(4096);
        ahead.weight("").is_ok() && (matches!(ahead.kind(), TokenKind::Mark("." | ",")) || ahead.at_options())
    }

    fn body_offset(&mut self) -> ParseResult<OptionExpr> {
        let start = self.span();
        let value = OptionValue::Weight(self.weight("an offset")?);
        let place = self.place_from(start);
        Ok(OptionExpr { key: "offset".into(), value, key_place: place, place })
    }

    fn body_part(&mut self) -> ParseResult<BodyKind> {
        if self.at("*") && self.kind_after(1) == TokenKind::Mark("@") {
            self.position += 1; // a built-in is no input in any case
        }
        if self.at_negated_special() {
            return self.negated_special();
        }
        if self.at("@") {
            let start = self.position;
            let kind = self.special(None)?;
            if !matches!(kind, BodyKind::Function(_)) || !self.at_infix() {
                return Ok(kind);
            }
            self.position = start; // a value that begins a function
            return self.function_sum(0).map(BodyKind::Function);
        }
        if self.at_arithmetic() || self.at_comparison() {
            return self.comparison();
        }
        let start = self.position;
        if let Some(weight) = self.weight_of_value()? {
            let kind = self.special(Some(weight))?;
            if !self.at_infix() {
                return Ok(kind);
            }
            self.position = start;
        }
        self.function_sum(0).map(BodyKind::Function)
    }

    /// Returns whether `not @in(X, a)` begins here, in any of its spellings.
    fn at_negated_special(&self) -> bool {
        match self.kind() {
            TokenKind::Mark("!") => {
                let stars = usize::from(self.kind_after(1) == TokenKind::Mark("*"));
                self.kind_after(1 + stars) == TokenKind::Mark("@")
            }
            TokenKind::Name => self.text() == "not" && self.kind_after(1) == TokenKind::Mark("@"),
            _ => false,
        }
    }

    /// Reads a built-in that must not hold, as the comparisons that say the same.
    fn negated_special(&mut self) -> ParseResult<BodyKind> {
        let start = self.span();
        self.position += 1;
        self.take("*");
        let place = |parser: &Self| parser.place_from(start);
        let number = |term: &TermExpr| NumberExpr::Term(term.clone());
        let differs = |result: &TermExpr, operator, left: &TermExpr, right: NumberExpr| {
            let computed = NumberExpr::Operation(operator, vec![number(left), right]);
            BodyKind::Arithmetic(Comparison::NotEqual, number(result), computed)
        };
        Ok(match self.special(None)? {
            BodyKind::Compare(comparison, left, right) => {
                BodyKind::Compare(comparison.opposite(), left, right)
            }
            BodyKind::AllDiff(terms) if terms.len() == 2 => {
                let mut terms = terms.into_iter();
                match (terms.next(), terms.next()) {
                    (Some(left), Some(right)) => BodyKind::Compare(Comparison::Equal, left, right),
                    _ => return self.unexpected("two terms"),
                }
            }
            BodyKind::BuiltIn(name, terms) => match (name.as_str(), &terms[..]) {
                ("in", [first, second, others @ ..]) => {
                    for other in others {
                        let kind = BodyKind::Compare(Comparison::NotEqual, first.clone(), other.clone());
                        let part = BodyExpr { kind, place: place(self) };
                        self.guards.push(part);
                    }
                    BodyKind::Compare(Comparison::NotEqual, first.clone(), second.clone())
                }
                ("next", [before, after]) => {
                    let kind = TermKind::Constant(Constant::Integer(1));
                    let one = NumberExpr::Term(TermExpr { kind, place: place(self) });
                    differs(after, Operator::Plus, before, one)
                }
                ("add", [left, right, sum]) => differs(sum, Operator::Plus, left, number(right)),
                ("sub", [left, right, rest]) => differs(rest, Operator::Minus, left, number(right)),
                ("mod", [left, right, rest]) => differs(rest, Operator::Modulo, left, number(right)),
                _ => return self.no_opposite(start),
            },
            _ => return self.no_opposite(start),
        })
    }

    fn no_opposite<T>(&mut self, start: Span) -> ParseResult<T> {
        let message = "this built-in cannot be negated";
        let help = "comparisons, `@in`, `@next`, `@add`, `@sub`, `@mod` and `@alldiff` of two terms can";
        self.fail(Diagnostic::error("E0135", start.to(self.last_span()), message).help(help))
    }

    /// Returns whether an operation between functions stands here.
    fn at_infix(&self) -> bool {
        self.is_plus() || self.at("*") || self.at("@")
    }

    /// Returns whether a value of terms begins here, `@value(X)` or `@add_eval(X, Y)`.
    pub(super) fn at_value(&self) -> bool {
        let name = self.text_after(1);
        name == "value" || EVALUATED.iter().any(|(known, _)| *known == name)
    }

    /// Returns the weight before `@value(...)`, if that stands here.
    fn weight_of_value(&mut self) -> ParseResult<Option<WeightExpr>> {
        let near = &self.tokens[self.position.min(self.tokens.len())..];
        if !near.iter().take(64).any(|token| token.kind == TokenKind::Mark("@")) {
            return Ok(None);
        }
        let mut ahead = self.ahead(64);
        let is_value = matches!(ahead.weight_before(""), Ok(Some(_))) && ahead.at("@");
        if is_value { self.weight_before("a value") } else { Ok(None) }
    }

    pub(super) fn literal(
        &mut self,
        weight: Option<WeightExpr>,
        sign: Sign,
        atom: AtomExpr,
        start: Span,
    ) -> ParseResult<FunctionKind> {
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
        Ok(FunctionKind::Literal(weight, sign, atom))
    }

    pub(super) fn sign(&mut self) -> Sign {
        let follows_name = |kind| matches!(kind, TokenKind::Name | TokenKind::Quoted | TokenKind::Mark("("));
        match self.kind() {
            TokenKind::Mark("*") => self.signed(Sign::Guard),
            TokenKind::Mark("~" | "-") => self.signed(Sign::Soft),
            TokenKind::Mark("!") => {
                let sign = self.signed(Sign::Not);
                self.take("*"); // what must not hold is no input in any case
                sign
            }
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
            let mut ahead = self.ahead(64);
            ahead.weight("").is_ok() && ahead.at("::")
        };
        let behind = if self.kind_after(1) == TokenKind::Mark("..") { 3 } else { 1 };
        let compares = operator(self.kind_after(behind)).is_some()
            || (self.kind() == TokenKind::Variable && self.text_after(behind) == "is");
        is_term && compares && !named_weight
    }

    pub(super) fn comparison_here(&self) -> Option<Comparison> {
        match self.kind() {
            TokenKind::Name if self.text() == "is" => Some(Comparison::Equal),
            kind => operator(kind),
        }
    }

    /// `@alldiff(X, Y)`, `@alldiff(...)` for all variables, comparisons by name, `@neq(X, Y)`, guards that the language
    /// knows, `@next(X, Y)`, and values of terms, `@value(A / 100)`.
    pub(super) fn special(&mut self, weight: Option<WeightExpr>) -> ParseResult<BodyKind> {
        let start = self.span();
        self.position += 1;
        let name = self.name("the name of a built-in such as `@alldiff`")?;
        let evaluated = EVALUATED.iter().find(|(known, _)| *known == name);
        if weight.is_some() && name != "value" && evaluated.is_none() {
            let message = "this literal is no input of the neuron, so a weight on it has no effect";
            let diagnostic = Diagnostic::error("E0115", self.place_from(start).0, message);
            return self.fail(diagnostic.help("drop the weight"));
        }
        if matches!(name.as_str(), "true" | "anypred" | "false") && !self.at("(") {
            let name = if name == "anypred" { "true".into() } else { name };
            return Ok(BodyKind::BuiltIn(name, Vec::new()));
        }
        let is_known = |(known, ..): &(&str, usize, usize)| *known == name;
        let has_terms = ["value", "alldiff"].contains(&name.as_str()) || evaluated.is_some();
        if !self.at("(")
            && !has_terms
            && !BUILT_INS.iter().any(is_known)
            && !Comparison::ALL.iter().any(|known| known.2 == name)
        {
            return self.named_comparison(&name, Vec::new(), start);
        }
        self.expect("(", "after a built-in")?;
        if name == "value" {
            let number = self.number_sum(0)?;
            self.expect(")", "after a number")?;
            return Ok(self.value(weight, number, start));
        }
        if name == "alldiff" && (self.take("...") || self.take("..") || self.at(")")) {
            self.expect(")", "after the terms of a built-in")?;
            return Ok(BodyKind::AllDiff(Vec::new()));
        }
        let terms = if self.at(")") { Vec::new() } else { self.terms()? };
        self.expect(")", "after the terms of a built-in")?;
        if name == "alldiff" {
            return Ok(BodyKind::AllDiff(terms));
        }
        if let (Some((_, operator)), 2) = (evaluated, terms.len()) {
            let parts = terms.into_iter().map(NumberExpr::Term).collect();
            return Ok(self.value(weight, NumberExpr::Operation(*operator, parts), start));
        }
        let span = start.to(self.last_span());
        match BUILT_INS.iter().find(|(known, ..)| *known == name) {
            Some((_, least, most)) if (*least..=*most).contains(&terms.len()) => {
                let name = if name == "anypred" { "true".into() } else { name };
                Ok(BodyKind::BuiltIn(name, terms))
            }
            Some(_) => {
                let message = format!("`@{name}` has another number of terms");
                let help = "write `@next(X, Y)`, `@in(X, a, b)`, `@add(X, Y, Z)`, `@maxcard(2, X, Y, Z)`, `@type(X, t)`";
                self.fail(Diagnostic::error("E0117", span, message).help(help))
            }
            None => self.named_comparison(&name, terms, start),
        }
    }

    fn value(&self, weight: Option<WeightExpr>, number: NumberExpr, start: Span) -> BodyKind {
        let (kind, place) = (FunctionKind::Value(weight, number), self.place_from(start));
        BodyKind::Function(FunctionExpr { weight: None, kind, place })
    }

    fn named_comparison(&mut self, name: &str, terms: Vec<TermExpr>, start: Span) -> ParseResult<BodyKind> {
        let span = start.to(self.last_span());
        let comparison = Comparison::ALL.iter().find(|known| known.2 == name).map(|known| known.0);
        match (comparison, <[TermExpr; 2]>::try_from(terms)) {
            (Some(comparison), Ok([left, right])) => Ok(BodyKind::Compare(comparison, left, right)),
            (Some(_), Err(_)) => {
                let message = format!("`@{name}` compares two terms");
                self.fail(Diagnostic::error("E0117", span, message).help(format!("write `@{name}(X, Y)`")))
            }
            (None, _) => {
                let message = format!("there is no built-in `@{name}`");
                let names =
                    Comparison::ALL.iter().map(|known| known.2).chain(BUILT_INS.iter().map(|it| it.0));
                let names: Vec<_> = names.chain(["value"]).map(|name| format!("@{name}")).collect();
                let help = format!("there are @alldiff, {}", names.join(", "));
                self.diagnostics.push(Diagnostic::error("E0118", span, message).help(help));
                Err(SentenceError)
            }
        }
    }
}

/// Guards that the language knows, with the least and the most terms.
const BUILT_INS: [(&str, usize, usize); 10] = [
    ("next", 2, 2),
    ("in", 2, usize::MAX),
    ("add", 3, 3),
    ("sub", 3, 3),
    ("mod", 3, 3),
    ("maxcard", 2, usize::MAX),
    ("type", 2, 2),
    ("true", 0, 0),
    ("false", 0, 0),
    ("anypred", 0, 0),
];

/// Values of two terms, by NeuraLogic's names.
const EVALUATED: [(&str, Operator); 7] = [
    ("add_eval", Operator::Plus),
    ("sub_eval", Operator::Minus),
    ("mul_eval", Operator::Times),
    ("div_eval", Operator::Divide),
    ("mod_eval", Operator::Modulo),
    ("max_eval", Operator::Largest),
    ("min_eval", Operator::Smallest),
];

fn operator(kind: TokenKind) -> Option<Comparison> {
    let TokenKind::Mark(mark) = kind else { return None };
    Comparison::ALL.iter().find(|(_, marks, _)| marks.contains(&mark)).map(|known| known.0)
}
