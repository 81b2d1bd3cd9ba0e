//! Sentences: clauses, predicates with options, directives, imports.

use super::{ParseResult, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    AtomExpr, BodyExpr, Clause, Directive, Item, ItemKind, ModuleUse, OptionExpr, OptionValue, Place,
    PredicateItem,
};
use crate::syntax::lexer::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn item(&mut self) -> ParseResult<Item> {
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

    fn clause(&mut self) -> ParseResult<ItemKind> {
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
            self.no_arity(&head, &body)?;
            self.options(&mut options)?;
        }
        self.sentence_end(!body.is_empty())?;
        if self.at_options() {
            self.options(&mut options)?;
            self.take(".");
        }
        Ok(ItemKind::Clause(Clause { weight, head, body, options }))
    }

    /// Refuses options of a predicate that is written without its arity, as in `l1_embed [transformation = tanh]`.
    fn no_arity(&mut self, head: &AtomExpr, body: &[BodyExpr]) -> ParseResult<()> {
        let arity = self.arity_elsewhere(&head.name);
        let (true, true, Some(arity)) = (head.terms.is_empty(), body.is_empty(), arity) else {
            return Ok(());
        };
        let message = "options belong to a predicate, which is its name and the number of its terms";
        let help = format!("write {}/{arity}", head.name);
        self.fail(Diagnostic::error("E0130", head.place.0, message).help(help))
    }

    /// Returns the number of terms with which a name first stands in the text.
    fn arity_elsewhere(&self, name: &str) -> Option<usize> {
        let is_it = |pair: &[Token]| self.lexer.text(pair[0]) == name && pair[1].kind == TokenKind::Mark("(");
        let first = self.tokens.windows(2).position(is_it)?;
        let (mut depth, mut commas) = (0, 0);
        for token in &self.tokens[first + 1..] {
            match token.kind {
                TokenKind::Mark("(") => depth += 1,
                TokenKind::Mark(")") => depth -= 1,
                TokenKind::Mark(",") if depth == 1 => commas += 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        Some(commas + 1)
    }

    /// Returns the full stop; where it is missing at the end of a line, that is the place to tell.
    fn sentence_end(&mut self, is_rule: bool) -> ParseResult<()> {
        if self.take(".") {
            return Ok(());
        }
        let readable = !matches!(self.kind(), TokenKind::Unfinished | TokenKind::Unknown);
        let expected = if is_rule { "`,` or `.` behind a literal" } else { "`.` at the end of the sentence" };
        let between = (self.last_span().end as usize, self.span().start as usize);
        if readable && self.lexer.between(between).contains('\n') && self.kind() != TokenKind::End {
            let span = self.behind();
            let message = format!("expected {expected}, but the line ends here");
            let help = "a sentence ends with a full stop, and a comma stands between two literals";
            return self.fail(Diagnostic::error("E0105", span, message).help(help));
        }
        let help = match self.kind() {
            TokenKind::Mark(";") => "there is no \"or\" in a body: write a rule for each alternative",
            TokenKind::Unknown => "a body is a list with commas: `p(X), q(X)`",
            _ if is_rule => "a comma stands between two literals, and a full stop at the end",
            _ => "a sentence ends with a full stop",
        };
        let result = self.unexpected(expected);
        self.advise(result, help)
    }

    fn predicate(&mut self) -> ParseResult<ItemKind> {
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

    fn directive(&mut self) -> ParseResult<ItemKind> {
        let read = self.directive_behind_mark();
        if let (Err(_), Some(last)) = (&read, self.diagnostics.last_mut())
            && matches!(last.code, "E0104" | "E0105" | "E0106")
        {
            let help = "what begins with `:-` is a directive such as `:- family(godel).`; a rule has its head before `:-`";
            last.help = Some(help.into());
        }
        read
    }

    fn directive_behind_mark(&mut self) -> ParseResult<ItemKind> {
        self.position += 1;
        let name = if self.kind() == TokenKind::Import {
            self.unexpected("`import(\"file\")`")
        } else {
            self.name("a directive")
        }?;
        self.expect("(", "after the name of a directive")?;
        if name == "use" {
            return self.module();
        }
        let start = self.span();
        let mut argument =
            if self.kind() == TokenKind::Quoted { self.quoted()? } else { self.function_name()? };
        if name == "recursion" && self.take_equals() {
            argument = format!("{argument} = {}", self.whole("the number of steps")?);
        }
        let place = self.place_from(start);
        self.expect(")", "after the argument of a directive")?;
        self.expect(".", "at the end of the directive")?;
        if name == "import" {
            return Ok(ItemKind::Import(argument));
        }
        Ok(ItemKind::Directive(Directive { name, argument, place }))
    }

    /// `:- use(gcn, output = h, ...).`, behind the bracket.
    fn module(&mut self) -> ParseResult<ItemKind> {
        let start = self.span();
        let name = self.name("the name of a module")?;
        let place = self.place_from(start);
        let mut parameters = Vec::new();
        while self.take(",") {
            let key = self.name("a parameter")?;
            self.expect("=", "after the name of a parameter")?;
            let value = match self.kind() {
                TokenKind::Number => self.constant_number("a number")?.to_string(),
                _ => self.function_name()?,
            };
            parameters.push((key, value));
        }
        self.expect(")", "or `,` after a parameter")?;
        self.expect(".", "at the end of the directive")?;
        Ok(ItemKind::Use(ModuleUse { name, parameters, place }))
    }

    /// Returns whether `[activation = ...]` begins here; a weight `[1, 2]` begins otherwise.
    pub(super) fn at_options(&self) -> bool {
        self.at("[")
            && matches!(self.kind_after(1), TokenKind::Name | TokenKind::Quoted | TokenKind::Mark("]"))
    }

    fn options(&mut self, options: &mut Vec<OptionExpr>) -> ParseResult<()> {
        self.expect("[", "before options")?;
        if self.take("]") {
            return Ok(());
        }
        options.extend(self.list(Self::option)?);
        self.expect("]", "or `,` after an option")
    }

    fn option(&mut self) -> ParseResult<OptionExpr> {
        let key_start = self.span();
        let key = self.name("an option such as `activation`")?;
        let key_place = Place(key_start);
        let mark = if self.take_equals() { Ok(()) } else { self.expect("=", "after the name of an option") };
        self.advise(mark, "options are written as in `[activation = tanh, aggregation = mean]`")?;
        let start = self.span();
        let value = match key.as_str() {
            "offset" => OptionValue::Weight(self.weight("an offset")?),
            _ => OptionValue::Function(self.function_with_arguments()?),
        };
        Ok(OptionExpr { key, value, key_place, place: self.place_from(start) })
    }

    /// Returns the name of a function or family: words joined by `-`.
    pub(super) fn function_name(&mut self) -> ParseResult<String> {
        let mut name = self.name("the name of a function")?;
        while self.at("-") && self.kind_after(1) == TokenKind::Name {
            self.position += 1;
            name.push('-');
            name.push_str(&self.name("a word")?);
        }
        Ok(name)
    }
}
