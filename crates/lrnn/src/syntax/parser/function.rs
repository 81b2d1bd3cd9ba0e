//! Functions of literals, `tanh(p(X))` and `a + b * c`, functions by name with arguments, and numbers that are computed.

use super::{ParseResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::function::{Activation, Combination, Transformation};
use crate::syntax::ast::{
    ArgumentExpr, ArgumentValue, BodyExpr, BodyKind, FunctionExpr, FunctionKind, FunctionName, Infix,
    NumberExpr, Operator, Sign, TermExpr, TermKind,
};
use crate::syntax::lexer::TokenKind;

/// Functions of literals may stand in one another so deep.
const MOST_NESTED: u32 = 64;
/// So many operations may stand in a row, each of which is one level deeper.
const MOST_IN_A_ROW: u32 = 256;

fn is_function(name: &str) -> bool {
    let plain = name.to_ascii_lowercase();
    Activation::find(name).is_some()
        || Combination::find(name).is_some()
        || Transformation::NAMES.contains(&plain.as_str())
        || plain == "transp"
}

/// Returns the operation on numbers with this name.
fn operation(name: &str) -> Option<Operator> {
    Some(match name {
        "abs" => Operator::Absolute,
        "min" => Operator::Smallest,
        "max" => Operator::Largest,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn function_sum(&mut self, depth: u32) -> ParseResult<FunctionExpr> {
        let start = self.span();
        let mut parts = vec![self.function_product(depth)?];
        while self.is_plus() {
            self.position += 1;
            if self.at("@") && !self.at_value() {
                let start = self.span();
                let kind = self.special(None)?;
                self.guards.push(BodyExpr { kind, place: self.place_from(start) });
            } else {
                parts.push(self.function_product(depth)?);
            }
        }
        Ok(self.infix(Infix::Sum, parts, start))
    }

    fn function_product(&mut self, depth: u32) -> ParseResult<FunctionExpr> {
        let start = self.span();
        let mut left = self.function_unit(depth)?;
        for count in 0.. {
            self.not_too_many(count)?;
            let infix = match self.kind() {
                TokenKind::Mark("*") => Infix::ElementProduct,
                TokenKind::Mark("@") => Infix::Product,
                _ => return Ok(left),
            };
            self.position += 1;
            let right = self.function_unit(depth)?;
            left = match left.kind {
                FunctionKind::Infix(before, mut parts) if before == infix && left.weight.is_none() => {
                    parts.push(right);
                    self.infix(infix, parts, start)
                }
                kind => self.infix(infix, vec![FunctionExpr { kind, ..left }, right], start),
            };
        }
        Ok(left)
    }

    fn not_too_many(&mut self, count: u32) -> ParseResult<()> {
        if count < MOST_IN_A_ROW {
            return Ok(());
        }
        let diagnostic = Diagnostic::error("E0128", self.span(), "there are too many operations in a row");
        self.fail(diagnostic.help("give parts of it predicates of their own"))
    }

    fn infix(
        &self,
        infix: Infix,
        mut parts: Vec<FunctionExpr>,
        start: crate::diagnostic::Span,
    ) -> FunctionExpr {
        match parts.len() {
            1 => parts.remove(0),
            _ => FunctionExpr {
                weight: None,
                kind: FunctionKind::Infix(infix, parts),
                place: self.place_from(start),
            },
        }
    }

    /// Reads a literal, a function in brackets or a call.
    fn function_unit(&mut self, depth: u32) -> ParseResult<FunctionExpr> {
        let start = self.span();
        if depth > MOST_NESTED {
            let message = "these functions are nested too deeply";
            return self.fail(Diagnostic::error("E0128", start, message));
        }
        let weight = self.weight_before("a literal")?;
        if self.at("@") {
            return match self.special(weight)? {
                BodyKind::Function(value) => Ok(FunctionExpr { place: self.place_from(start), ..value }),
                _ => {
                    let message = "this built-in has no value, so it is no part of a function";
                    let help = "write it behind a comma";
                    self.fail(Diagnostic::error("E0134", self.place_from(start).0, message).help(help))
                }
            };
        }
        if self.at_call() {
            let (name, parts) = self.call(depth)?;
            let kind = FunctionKind::Call(name, parts);
            return Ok(FunctionExpr { weight, kind, place: self.place_from(start) });
        }
        if self.at("(") {
            let opened = self.span();
            self.position += 1;
            let inner = self.function_sum(depth + 1)?;
            self.close(")", "after a function of literals", opened)?;
            if weight.is_none() {
                return Ok(inner);
            }
            if inner.weight.is_some() {
                let message = "two weights stand before one function";
                return self.fail(Diagnostic::error("E0132", self.place_from(start).0, message));
            }
            let kind = match inner.kind {
                FunctionKind::Literal(None, sign, atom) => FunctionKind::Literal(weight, sign, atom),
                FunctionKind::Value(None, number) => FunctionKind::Value(weight, number),
                kind => {
                    return Ok(FunctionExpr { weight, kind, place: self.place_from(start) });
                }
            };
            return Ok(FunctionExpr { weight: None, kind, place: self.place_from(start) });
        }
        let literal_start = self.span();
        let sign = self.sign();
        let bracket = sign == Sign::Not && self.take("(");
        let atom = self.atom()?;
        if bracket {
            self.expect(")", "after the negated literal")?;
        }
        let kind = self.literal(weight, sign, atom, literal_start)?;
        Ok(FunctionExpr { weight: None, kind, place: self.place_from(start) })
    }

    /// Returns whether a function of literals begins here, and not an atom whose predicate has its name: such an atom
    /// has terms, and its predicate is a head of the text.
    fn at_call(&self) -> bool {
        let is_name = self.kind() == TokenKind::Name && self.kind_after(1) == TokenKind::Mark("(");
        if !is_name || !is_function(self.text()) || self.heads.iter().any(|head| head == self.text()) {
            return false;
        }
        match self.kind_after(2) {
            TokenKind::Name | TokenKind::Quoted => true,
            TokenKind::Mark("(" | "<" | "{" | "[" | "$" | "~" | "-" | "*" | "!" | "@") => true,
            TokenKind::Number => !matches!(self.kind_after(3), TokenKind::Mark("," | ")" | "..")),
            _ => false,
        }
    }

    fn call(&mut self, depth: u32) -> ParseResult<(FunctionName, Vec<FunctionExpr>)> {
        let start = self.span();
        let name = self.name("a function")?;
        let mut arguments = Vec::new();
        if self.at_argument(1) {
            arguments = self.arguments()?; // `concat(axis = 0)(p, q)`
        }
        let opened = self.span();
        self.expect("(", "after a function")?;
        let mut parts = Vec::new();
        self.list(|parser| {
            match parser.at_argument(0) {
                true => arguments.push(parser.argument()?),
                false => parts.push(parser.function_sum(depth + 1)?),
            }
            Ok(())
        })?;
        self.close(")", "or `,` after a literal", opened)?;
        let place = crate::syntax::ast::Place(start);
        Ok((FunctionName { name, arguments, place }, parts))
    }

    /// Returns whether `rows = [0, 2]` or a number stands so many tokens from here.
    fn at_argument(&self, ahead: usize) -> bool {
        match self.kind_after(ahead) {
            TokenKind::Name => {
                self.kind_after(ahead + 1) == TokenKind::Mark("=") && !self.is_named_weight(ahead)
            }
            TokenKind::Number => matches!(self.kind_after(ahead + 1), TokenKind::Mark("," | ")")),
            _ => false,
        }
    }

    /// Returns whether `w = 0.5 ::` stands so many tokens from here.
    fn is_named_weight(&self, ahead: usize) -> bool {
        let from = (self.position + ahead).min(self.tokens.len());
        let rest = &self.tokens[from..self.tokens.len().min(from + 64)];
        let ends = |kind| matches!(kind, TokenKind::Mark("," | ")" | ".")) || kind == TokenKind::End;
        let until = rest.iter().position(|token| ends(token.kind)).unwrap_or(rest.len());
        rest[..until].iter().any(|token| token.kind == TokenKind::Mark("::"))
    }

    /// Reads a function of an option: a name, perhaps with arguments.
    pub(super) fn function_with_arguments(&mut self) -> ParseResult<FunctionName> {
        let start = self.span();
        let name = match self.kind() {
            TokenKind::Variable => {
                let name = self.text().to_ascii_lowercase(); // `duplicate_grounding = True`
                self.position += 1;
                name
            }
            _ => self.function_name()?,
        };
        let arguments = if self.at("(") { self.arguments()? } else { Vec::new() };
        Ok(FunctionName { name, arguments, place: self.place_from(start) })
    }

    fn arguments(&mut self) -> ParseResult<Vec<ArgumentExpr>> {
        let opened = self.span();
        self.expect("(", "before arguments")?;
        let mut arguments = Vec::new();
        while !self.at(")") {
            arguments.push(self.argument()?);
            if !self.take(",") {
                break;
            }
        }
        self.close(")", "after arguments", opened)?;
        Ok(arguments)
    }

    fn argument(&mut self) -> ParseResult<ArgumentExpr> {
        let mut key = None;
        if self.kind() == TokenKind::Name {
            key = Some(self.name("an argument")?);
            self.expect("=", "after the name of an argument")?;
        }
        Ok(ArgumentExpr { key, value: self.argument_value()? })
    }

    fn argument_value(&mut self) -> ParseResult<ArgumentValue> {
        if self.take("...") {
            return Ok(ArgumentValue::All);
        }
        let opened = self.span();
        let closing = match self.kind() {
            TokenKind::Mark("[") => Some("]"),
            TokenKind::Mark("(") => Some(")"),
            _ => None,
        };
        self.position += usize::from(closing.is_some());
        let (mut numbers, mut variables) = (Vec::new(), Vec::new());
        loop {
            if self.kind() == TokenKind::Variable {
                variables.push(self.text().to_owned());
                self.position += 1;
            } else if self.kind() == TokenKind::Quoted {
                variables.push(self.quoted()?);
            } else {
                numbers.push(self.number("a number, a variable or `...`")?);
            }
            let is_last = closing.is_none() || !self.take(",") || closing.is_some_and(|mark| self.at(mark));
            if is_last {
                break;
            }
        }
        if let Some(mark) = closing {
            self.close(mark, "after the value of an argument", opened)?;
        }
        Ok(if variables.is_empty() {
            ArgumentValue::Numbers(numbers)
        } else {
            ArgumentValue::Variables(variables)
        })
    }

    /// Returns whether a computed number and a comparison begin here.
    pub(super) fn at_arithmetic(&self) -> bool {
        let begins = match self.kind() {
            TokenKind::Variable | TokenKind::Number => {
                self.is_operator_after(1) || operator_is(self.text_after(1))
            }
            TokenKind::Name => self.kind_after(1) == TokenKind::Mark("(") && operation(self.text()).is_some(),
            TokenKind::Mark("(" | "-") => true,
            _ => false,
        };
        if !begins {
            return false;
        }
        let mut ahead = self.ahead(256);
        ahead.number_sum(0).is_ok_and(|number| matches!(number, NumberExpr::Operation(..)))
            && ahead.comparison_here().is_some()
    }

    fn is_operator_after(&self, ahead: usize) -> bool {
        matches!(self.kind_after(ahead), TokenKind::Mark("*" | "/" | "-"))
            || matches!(self.text_after(ahead), "+" | "mod")
            || (self.kind_after(ahead) == TokenKind::Number && self.text_after(ahead).starts_with('-'))
    }

    pub(super) fn is_plus(&self) -> bool {
        self.kind() == TokenKind::Unknown && self.text() == "+"
    }

    /// Reads sums and differences.
    pub(super) fn number_sum(&mut self, depth: u32) -> ParseResult<NumberExpr> {
        let mut left = self.number_product(depth)?;
        for count in 0.. {
            self.not_too_many(count)?;
            let operator = match self.kind() {
                _ if self.is_plus() => Operator::Plus,
                TokenKind::Mark("-") => Operator::Minus,
                // `M -1` has the sign in the number.
                TokenKind::Number if self.text().starts_with('-') => {
                    let mut right = self.number_product(depth)?;
                    let operator = if drop_sign(&mut right) { Operator::Minus } else { Operator::Plus };
                    left = NumberExpr::Operation(operator, vec![left, right]);
                    continue;
                }
                _ => return Ok(left),
            };
            self.position += 1;
            let right = self.number_product(depth)?;
            left = NumberExpr::Operation(operator, vec![left, right]);
        }
        Ok(left)
    }

    fn number_product(&mut self, depth: u32) -> ParseResult<NumberExpr> {
        let mut left = self.number_unit(depth)?;
        for count in 0.. {
            self.not_too_many(count)?;
            let operator = match self.kind() {
                TokenKind::Mark("*") => Operator::Times,
                TokenKind::Mark("/") => Operator::Divide,
                TokenKind::Name if self.text() == "mod" => Operator::Modulo,
                _ => return Ok(left),
            };
            self.position += 1;
            let right = self.number_unit(depth)?;
            left = NumberExpr::Operation(operator, vec![left, right]);
        }
        Ok(left)
    }

    fn number_unit(&mut self, depth: u32) -> ParseResult<NumberExpr> {
        let opened = self.span();
        if depth > MOST_NESTED {
            return self.fail(Diagnostic::error("E0128", opened, "this number is nested too deeply"));
        }
        if self.take("-") {
            return Ok(NumberExpr::Operation(Operator::Minus, vec![self.number_unit(depth + 1)?]));
        }
        if self.take("(") {
            let number = self.number_sum(depth + 1)?;
            self.close(")", "after a number", opened)?;
            return Ok(number);
        }
        let is_call = self.kind() == TokenKind::Name && self.kind_after(1) == TokenKind::Mark("(");
        let Some(operator) = operation(self.text()).filter(|_| is_call) else {
            return self.term().map(NumberExpr::Term);
        };
        self.position += 2;
        let parts = self.list(|parser| parser.number_sum(depth + 1))?;
        self.close(")", "or `,` after a number", opened)?;
        let fits = match operator {
            Operator::Absolute => parts.len() == 1,
            _ => parts.len() > 1,
        };
        if !fits {
            let message = "`abs` is of one number, `min` and `max` of several";
            return self.fail(Diagnostic::error("E0129", self.place_from(opened).0, message));
        }
        Ok(NumberExpr::Operation(operator, parts))
    }

    /// Reads a comparison between terms or computed numbers; `is` reads `=`.
    pub(super) fn comparison(&mut self) -> ParseResult<BodyKind> {
        let left = self.number_sum(0)?;
        let Some(comparison) = self.comparison_here() else {
            return self.unexpected("a comparison such as `!=`");
        };
        self.position += 1;
        let right = self.number_sum(0)?;
        Ok(match (left, right) {
            (NumberExpr::Term(left), NumberExpr::Term(right)) => BodyKind::Compare(comparison, left, right),
            (left, right) => {
                let range = left
                    .terms()
                    .into_iter()
                    .chain(right.terms())
                    .find(|term| matches!(term.kind, TermKind::Range(..)));
                if let Some(term) = range {
                    let diagnostic = Diagnostic::error("E0112", term.place.0, "a range is no number");
                    return self.fail(diagnostic.help("write it as in `p(1..3).`"));
                }
                BodyKind::Arithmetic(comparison, left, right)
            }
        })
    }
}

fn operator_is(text: &str) -> bool {
    text == "is"
}

/// Turns the sign of the first number of a product, if it has one that can be turned.
fn drop_sign(number: &mut NumberExpr) -> bool {
    match number {
        NumberExpr::Operation(_, parts) => parts.first_mut().is_some_and(drop_sign),
        NumberExpr::Term(TermExpr { kind: TermKind::Constant(constant), .. }) => {
            let turned = Operator::Minus.of_constants(std::slice::from_ref(constant));
            turned.map(|turned| *constant = turned).is_some()
        }
        NumberExpr::Term(_) => false,
    }
}
