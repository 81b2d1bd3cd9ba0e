//! Sentences: clauses, predicates with options, directives, imports.

use super::{Parsed, Parser};
use crate::syntax::Diagnostic;
use crate::syntax::ast::{Clause, Directive, Item, ItemKind, OptionExpr, OptionValue, Place, PredicateItem};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Import => self.import_line(),
            TokenKind::Mark(":-" | "<=") => self.directive()?,
            TokenKind::Name | TokenKind::Quoted if self.kind_after(1) == TokenKind::Mark("/") => {
                self.predicate()?
            }
            _ => self.clause()?,
        };
        Ok(Item { kind, place: self.place_from(start) })
    }

    fn import_line(&mut self) -> ItemKind {
        let path = self.text()["import".len()..].trim();
        let path = path.trim_matches(|c| c == '"' || c == '\'').to_owned();
        self.position += 1;
        ItemKind::Import(path)
    }

    fn clause(&mut self) -> Parsed<ItemKind> {
        let weight = self.weight_before("the head")?;
        self.take("*"); // a fact may be written as the guard it will be
        let head = self.atom()?;
        let mut options = Vec::new();
        let mut body = Vec::new();
        if self.take(":-") || self.take("<=") {
            body = self.body(&mut options)?;
        } else if let TokenKind::Mark("," | ";") = self.kind() {
            let (span, text) = (self.span(), self.text().to_owned());
            let message = format!("a sentence of a template is one clause, found `{text}` after its head");
            return self
                .fail(Diagnostic::error("E0113", span, message).help("end each fact with a full stop"));
        }
        if self.at_options() {
            self.options(&mut options)?;
        }
        self.expect(".", "at the end of the sentence")?;
        if self.at_options() {
            self.options(&mut options)?;
            self.take(".");
        }
        Ok(ItemKind::Clause(Clause { weight, head, body, options }))
    }

    fn predicate(&mut self) -> Parsed<ItemKind> {
        let name = self.name("a predicate")?;
        self.expect("/", "between a predicate and its arity")?;
        let arity = self.whole("the arity")?;
        let mut options = Vec::new();
        if self.at_options() {
            self.options(&mut options)?;
        } else if !self.at(".") {
            let start = self.span();
            let weight = self.weight("the predicate's offset")?;
            let place = self.place_from(start);
            let value = OptionValue::Weight(weight);
            options.push(OptionExpr { key: "offset".into(), value, key_place: place, place });
        }
        self.take(".");
        Ok(ItemKind::Predicate(PredicateItem { name, arity, options }))
    }

    fn directive(&mut self) -> Parsed<ItemKind> {
        self.position += 1;
        let name = if self.kind() == TokenKind::Import {
            self.unexpected("`import(\"file\")`")
        } else {
            self.name("a directive")
        }?;
        self.expect("(", "after the name of a directive")?;
        let start = self.span();
        let argument = if self.kind() == TokenKind::Quoted { self.quoted()? } else { self.function_name()? };
        let place = self.place_from(start);
        self.expect(")", "after the argument of a directive")?;
        self.expect(".", "at the end of the directive")?;
        if name == "import" {
            return Ok(ItemKind::Import(argument));
        }
        Ok(ItemKind::Directive(Directive { name, argument, place }))
    }

    /// Whether `[activation = ...]` begins here; a weight `[1, 2]` begins otherwise.
    pub(super) fn at_options(&self) -> bool {
        self.at("[") && matches!(self.kind_after(1), TokenKind::Name | TokenKind::Mark("]"))
    }

    fn options(&mut self, options: &mut Vec<OptionExpr>) -> Parsed<()> {
        self.expect("[", "before options")?;
        if self.take("]") {
            return Ok(());
        }
        loop {
            options.push(self.option()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect("]", "or `,` after an option")
    }

    fn option(&mut self) -> Parsed<OptionExpr> {
        let key_start = self.span();
        let key = self.name("an option such as `activation`")?;
        let key_place = Place(key_start);
        self.expect("=", "after the name of an option")?;
        let start = self.span();
        let value = match key.as_str() {
            "offset" => OptionValue::Weight(self.weight("an offset")?),
            _ => OptionValue::Name(self.function_name()?),
        };
        Ok(OptionExpr { key, value, key_place, place: self.place_from(start) })
    }

    /// The name of a function or family: words joined by `-`.
    fn function_name(&mut self) -> Parsed<String> {
        let mut name = self.name("the name of a function")?;
        while self.at("-") && self.kind_after(1) == TokenKind::Name {
            self.position += 1;
            name.push('-');
            name.push_str(&self.name("a word")?);
        }
        Ok(name)
    }
}
