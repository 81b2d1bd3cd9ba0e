//! Tokens into sentences: one small function per production. A sentence that cannot be read is reported and skipped to
//! its full stop, and reading goes on behind it.

use lrnn::diagnostic::{Diagnostic, SourceId, Span, did_you_mean};
use lrnn::syntax::Comparison;
use lrnn::syntax::lexer::{Lexer, Token, TokenKind, unquote};
use lrnn::vocabulary::Constant;

use super::{
    AliasLine, ColumnName, ColumnPattern, ExampleLine, Expression, ExpressionKind, Pattern, RelationLine,
    RowCondition, Sentence, SourceLine,
};
use crate::cell_format::CellFormat;
use crate::source::SourceOptions;
use crate::{ColumnKind, Encoding};

/// A mistake that ends the reading of a sentence; it has been reported.
struct MappingSentenceError;
type MappingParse<T> = Result<T, MappingSentenceError>;

/// The directives with how each is written.
const DIRECTIVES: [(&str, &str); 10] = [
    ("source", ":- source('shop.sqlite')."),
    ("example", ":- example(customer.customer_id)."),
    ("alias", ":- alias(manager, employee)."),
    ("column", ":- column(orders.order, [shop, number])."),
    ("key", ":- key(orders.customer_id, customer.customer_id)."),
    ("time", ":- time(orders.date)."),
    ("as_of", ":- as_of(customer.as_of)."),
    ("type", ":- type(orders.code, text)."),
    ("ignore", ":- ignore(customer.label, unknown)."),
    ("null", ":- null(orders.date, ['NA', 'n/a'])."),
];

/// The functions of expressions.
const FUNCTIONS: [&str; 4] = ["scale", "bins", "days", "log"];

/// Reads a mapping: its sentences with their places, the places of its comments, and what is wrong with it.
pub(super) fn parse(text: &str, source: SourceId) -> (Vec<(Sentence, Span)>, Vec<Span>, Vec<Diagnostic>) {
    let mut lexer = Lexer::new(text, source).keeping_comments();
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token();
        tokens.push(token);
        if token.kind == TokenKind::End {
            break;
        }
    }
    let mut parser =
        MappingParser { text, lexer: Lexer::new(text, source), tokens, position: 0, diagnostics: Vec::new() };
    let mut sentences = Vec::new();
    while parser.kind() != TokenKind::End {
        let (start, span) = (parser.position, parser.span());
        match parser.sentence() {
            Ok(sentence) => sentences.push((sentence, span.to(parser.last_span()))),
            Err(MappingSentenceError) => parser.skip(start),
        }
    }
    parser.check_once(&sentences);
    (sentences, lexer.into_comments(), parser.diagnostics)
}

struct MappingParser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    tokens: Vec<Token>,
    position: usize,
    diagnostics: Vec<Diagnostic>,
}

impl MappingParser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn kind_after(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.lexer.span(self.token())
    }

    fn last_span(&self) -> Span {
        self.lexer.span(self.tokens[self.position.saturating_sub(1)])
    }

    fn word(&self) -> &str {
        self.lexer.text(self.token())
    }

    fn at(&self, mark: &'static str) -> bool {
        self.kind() == TokenKind::Mark(mark)
    }

    fn take(&mut self, mark: &'static str) -> bool {
        let is_it = self.at(mark);
        self.position += usize::from(is_it);
        is_it
    }

    fn fail<T>(&mut self, code: &'static str, span: Span, message: String, help: &str) -> MappingParse<T> {
        let diagnostic = Diagnostic::error(code, span, message);
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        Err(MappingSentenceError)
    }

    fn expected<T>(&mut self, what: &str, help: &str) -> MappingParse<T> {
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word()),
        };
        self.fail("D0401", self.span(), format!("expected {what}, found {found}"), help)
    }

    fn expect(&mut self, mark: &'static str, help: &str) -> MappingParse<()> {
        if self.take(mark) { Ok(()) } else { self.expected(&format!("`{mark}`"), help) }
    }

    /// Goes on behind the next full stop that ends a sentence, and past `start` in any case.
    fn skip(&mut self, start: usize) {
        self.position = self.position.max(start);
        while self.kind() != TokenKind::End && !self.is_end() {
            self.position += 1;
        }
        self.position += usize::from(self.kind() != TokenKind::End);
    }

    /// Tells whether a full stop stands here that nothing is joined to.
    fn is_end(&self) -> bool {
        let next = self.text.as_bytes().get(self.token().end as usize);
        self.at(".") && next.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'%')
    }

    fn check_once(&mut self, sentences: &[(Sentence, Span)]) {
        let examples = sentences.iter().filter(|(it, _)| matches!(it, Sentence::Example(_)));
        let as_of = sentences.iter().filter(|(it, _)| matches!(it, Sentence::AsOf(_)));
        for (what, mut all) in [("example", examples.collect::<Vec<_>>()), ("as_of", as_of.collect())] {
            let first = if all.is_empty() { continue } else { all.remove(0).1 };
            for (_, span) in all {
                let message = format!("there is another `{what}` already");
                let twice = Diagnostic::error("D0402", *span, message).also(first, "the first one");
                self.diagnostics.push(twice.help("keep one of the two"));
            }
        }
    }

    fn sentence(&mut self) -> MappingParse<Sentence> {
        if self.take(":-") { self.directive() } else { self.relation().map(Sentence::Relation) }
    }

    fn directive(&mut self) -> MappingParse<Sentence> {
        let (name, span) = (self.word().to_owned(), self.span());
        let Some((_, form)) = DIRECTIVES.iter().find(|(known, _)| *known == name) else {
            let names = DIRECTIVES.map(|(name, _)| name);
            let help =
                did_you_mean(&name, names).unwrap_or_else(|| format!("there are {}", names.join(", ")));
            return self.fail("D0402", span, format!("a mapping has no directive `{name}`"), &help);
        };
        self.position += 1;
        self.expect("(", form)?;
        let sentence = match name.as_str() {
            "source" => self.source(form)?,
            "example" => self.example(form)?,
            "alias" => self.alias(form)?,
            "column" => self.composite(form)?,
            "key" => {
                let from = self.column_name(form)?;
                self.expect(",", form)?;
                Sentence::Key(from, self.column_name(form)?)
            }
            "time" => Sentence::Time(self.column_name(form)?),
            "as_of" => Sentence::AsOf(self.column_name(form)?),
            "type" => self.column_kind(form)?,
            "null" => self.null(form)?,
            _ => {
                let column = self.column_name(form)?;
                self.expect(",", form)?;
                Sentence::Ignore(column, self.constant(form)?)
            }
        };
        self.expect(")", form)?;
        self.expect(".", form)?;
        Ok(sentence)
    }

    fn source(&mut self, form: &str) -> MappingParse<Sentence> {
        let span = self.span();
        if self.kind() != TokenKind::Quoted {
            return self.expected("a path or the URL of a database in quotes", form);
        }
        let location = self.name(form)?;
        let mut options = SourceOptions::default();
        while self.take(",") {
            let (name, at) = (self.word().to_owned(), self.span());
            self.position += 1;
            self.expect(":", form)?;
            let value_span = self.span();
            let value = self.name("separator: ';' or encoding: latin-1")?;
            match name.as_str() {
                "separator" if value.len() == 1 => options.csv.separator = value.bytes().next(),
                "separator" => {
                    return self.fail("D0402", value_span, "a separator is one character".into(), form);
                }
                "encoding" => match Encoding::find(&value) {
                    Some(encoding) => options.csv.encoding = encoding,
                    None => {
                        let names = Encoding::NAMES.map(|(name, _)| name).join(", ");
                        let message = format!("there is no encoding `{value}`");
                        return self.fail("D0402", value_span, message, &format!("there are {names}"));
                    }
                },
                _ => {
                    let message = format!("a source has no option `{name}`");
                    return self.fail("D0402", at, message, "there are separator and encoding");
                }
            }
        }
        Ok(Sentence::Source(SourceLine { location, options, span }))
    }

    fn example(&mut self, form: &str) -> MappingParse<Sentence> {
        let span = self.span();
        let table = self.name(form)?;
        let column = if self.take(".") { Some(self.name(form)?) } else { None };
        Ok(Sentence::Example(ExampleLine { table, column, span: span.to(self.last_span()) }))
    }

    fn alias(&mut self, form: &str) -> MappingParse<Sentence> {
        let span = self.span();
        let alias = self.name(form)?;
        self.expect(",", form)?;
        let table_span = self.span();
        Ok(Sentence::Alias(AliasLine { alias, table: self.name(form)?, span, table_span }))
    }

    fn column_name(&mut self, form: &str) -> MappingParse<ColumnName> {
        let span = self.span();
        let table = self.name(form)?;
        self.expect(".", form)?;
        let column = self.name(form)?;
        Ok(ColumnName { table, column, span: span.to(self.last_span()) })
    }

    fn composite(&mut self, form: &str) -> MappingParse<Sentence> {
        let made = self.column_name(form)?;
        self.expect(",", form)?;
        let span = self.span();
        self.expect("[", form)?;
        let mut parts = vec![self.name(form)?];
        while self.take(",") {
            parts.push(self.name(form)?);
        }
        self.expect("]", form)?;
        if parts.len() < 2 {
            let message = "a column that is made of others is made of two or more".to_owned();
            return self.fail("D0402", span, message, form);
        }
        Ok(Sentence::Column(made, parts))
    }

    fn column_kind(&mut self, form: &str) -> MappingParse<Sentence> {
        let column = self.column_name(form)?;
        self.expect(",", form)?;
        let (name, span) = (self.word().to_owned(), self.span());
        let Some(kind) = ColumnKind::find(&name) else {
            let names = ColumnKind::NAMES.map(|(name, _)| name);
            let help =
                did_you_mean(&name, names).unwrap_or_else(|| format!("there are {}", names.join(", ")));
            return self.fail("D0402", span, format!("there is no type `{name}`"), &help);
        };
        self.position += 1;
        if CellFormat::all(kind).next().is_none() || !self.take(",") {
            return Ok(Sentence::Kind(column, kind, None));
        }
        let (found, span) = (unquote(self.word()).unwrap_or_else(|| self.word().to_owned()), self.span());
        let Some(format) = CellFormat::all(kind).find(|format| format.name() == found) else {
            let names: Vec<String> =
                CellFormat::all(kind).map(|format| format!("'{}'", format.name())).collect();
            let message = format!("there is no format of {}s `{found}`", kind.name());
            return self.fail("D0402", span, message, &format!("there are {}", names.join(", ")));
        };
        self.position += 1;
        Ok(Sentence::Kind(column, kind, Some(format)))
    }

    /// Reads a column and the cells, one or a list, that stand for no value.
    fn null(&mut self, form: &str) -> MappingParse<Sentence> {
        let column = self.column_name(form)?;
        self.expect(",", form)?;
        if !self.take("[") {
            return Ok(Sentence::Null(column, vec![self.constant(form)?]));
        }
        let mut constants = vec![self.constant(form)?];
        while self.take(",") {
            constants.push(self.constant(form)?);
        }
        self.expect("]", form)?;
        Ok(Sentence::Null(column, constants))
    }

    /// Reads a name: bare, with a capital too, or quoted.
    fn name(&mut self, help: &str) -> MappingParse<String> {
        let name = match self.kind() {
            TokenKind::Name | TokenKind::Variable | TokenKind::Import => Some(self.word().to_owned()),
            TokenKind::Quoted => unquote(self.word()),
            _ => None,
        };
        match name {
            Some(name) => {
                self.position += 1;
                Ok(name)
            }
            None => self.expected("a name", help),
        }
    }

    fn constant(&mut self, help: &str) -> MappingParse<Constant> {
        match self.kind() {
            TokenKind::Number => match Constant::read_number(self.word()) {
                Ok(constant) => {
                    self.position += 1;
                    Ok(constant)
                }
                Err(wrong) => {
                    let help = wrong.help(self.word()).unwrap_or_default();
                    self.fail("D0401", self.span(), wrong.message().to_owned(), &help)
                }
            },
            TokenKind::Name | TokenKind::Quoted => self.name(help).map(Constant::from),
            _ => self.expected("a name or a number", help),
        }
    }

    fn relation(&mut self) -> MappingParse<RelationLine> {
        const FORM: &str = "a line reads `C :: charge(A) <- atom(atom_id: A, charge: C).`";
        let span = self.span();
        let is_query = self.kind() == TokenKind::Unknown && self.word() == "?";
        self.position += usize::from(is_query);
        let (value, is_vector) = self.value(FORM)?;
        if self.kind() == TokenKind::Variable {
            return self.expected(
                "a predicate, which is no capitalised word",
                "quote it to make it a name, or put `::` behind a value",
            );
        }
        let predicate = self.name(FORM)?;
        let mut terms = Vec::new();
        if self.take("(") && !self.take(")") {
            terms.push(self.expression(FORM)?);
            while self.take(",") {
                terms.push(self.expression(FORM)?);
            }
            self.expect(")", FORM)?;
        }
        if self.at(":-") {
            let help = "a mapping has `<-`, and columns by their names: `<- atom(atom_id: A)`; rules stand in the template";
            return self.expected("`<-`", help);
        }
        if !(self.at("<") && self.kind_after(1) == TokenKind::Mark("-")) {
            return self.expected("`<-` and a table", FORM);
        }
        self.position += 2;
        let table_span = self.span();
        let table = self.name(FORM)?;
        let columns = self.columns(FORM)?;
        let mut conditions = Vec::new();
        while self.take(",") {
            conditions.push(self.condition()?);
        }
        self.expect(".", "a line ends with a full stop; one table a line: the template joins")?;
        let span = span.to(self.last_span());
        Ok(RelationLine {
            is_query,
            value,
            is_vector,
            predicate,
            terms,
            table,
            table_span,
            columns,
            conditions,
            span,
        })
    }

    /// Reads the value before `::`, if there is one.
    fn value(&mut self, form: &str) -> MappingParse<(Vec<Expression>, bool)> {
        if self.take("[") {
            let mut all = vec![self.expression(form)?];
            while self.take(",") {
                all.push(self.expression(form)?);
            }
            self.expect("]", form)?;
            self.expect("::", form)?;
            return Ok((all, true));
        }
        if !self.is_value() {
            return Ok((Vec::new(), false));
        }
        let value = self.expression(form)?;
        self.expect("::", "a value has `::` behind it")?;
        Ok((vec![value], false))
    }

    /// Tells whether `::` comes before the arrow.
    fn is_value(&self) -> bool {
        let rest = self.tokens[self.position.min(self.tokens.len() - 1)..].iter();
        let mark = rest
            .map(|token| token.kind)
            .find(|kind| matches!(kind, TokenKind::Mark("::" | "<" | "." | ":-") | TokenKind::End));
        mark == Some(TokenKind::Mark("::"))
    }

    fn columns(&mut self, form: &str) -> MappingParse<Vec<ColumnPattern>> {
        let mut columns = Vec::new();
        self.expect("(", form)?;
        if self.take(")") {
            return Ok(columns);
        }
        loop {
            let span = self.span();
            let column = self.name(form)?;
            if !self.at(":") {
                let help = "columns go by their names: `atom(atom_id: A)`";
                return self.expected("`:` behind the name of a column", help);
            }
            self.position += 1;
            let pattern_span = self.span();
            let pattern = match self.kind() {
                TokenKind::Variable => {
                    let name = self.word().to_owned();
                    self.position += 1;
                    Pattern::Variable(name)
                }
                _ => Pattern::Constant(self.constant(form)?),
            };
            columns.push(ColumnPattern { column, pattern, span, pattern_span });
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", form)?;
        Ok(columns)
    }

    fn condition(&mut self) -> MappingParse<RowCondition> {
        const FORM: &str = "behind the table stand comparisons, `C > 0`; the template joins tables";
        let left = self.expression(FORM)?;
        let comparison = match self.kind() {
            TokenKind::Mark("=" | "==") => Comparison::Equal,
            TokenKind::Mark("!=" | "\\=") => Comparison::NotEqual,
            TokenKind::Mark("<") => Comparison::Less,
            TokenKind::Mark("=<" | "<=") => Comparison::LessOrEqual,
            TokenKind::Mark(">") => Comparison::Greater,
            TokenKind::Mark(">=") => Comparison::GreaterOrEqual,
            _ => return self.expected("a comparison", FORM),
        };
        self.position += 1;
        let right = self.expression(FORM)?;
        Ok(RowCondition { left, comparison, right })
    }

    fn expression(&mut self, form: &str) -> MappingParse<Expression> {
        let span = self.span();
        let is_call = self.kind() == TokenKind::Name && self.kind_after(1) == TokenKind::Mark("(");
        let kind = match self.kind() {
            TokenKind::Variable => {
                let name = self.word().to_owned();
                self.position += 1;
                ExpressionKind::Variable(name)
            }
            _ if is_call => self.call(form)?,
            _ => ExpressionKind::Constant(self.constant(form)?),
        };
        Ok(Expression { kind, span: span.to(self.last_span()) })
    }

    fn call(&mut self, form: &str) -> MappingParse<ExpressionKind> {
        let (name, span) = (self.word().to_owned(), self.span());
        if !FUNCTIONS.contains(&name.as_str()) {
            let help = did_you_mean(&name, FUNCTIONS)
                .unwrap_or_else(|| format!("there are {}", FUNCTIONS.join(", ")));
            return self.fail("D0401", span, format!("there is no function `{name}`"), &help);
        }
        self.position += 2;
        if name == "days" {
            let of = Box::new(self.moment(form)?);
            self.expect("-", "days(D2 - D1) are the days from D1 to D2")?;
            let since = Box::new(self.moment(form)?);
            self.expect(")", form)?;
            return Ok(ExpressionKind::Days(of, since));
        }
        let of = Box::new(self.expression(form)?);
        let kind = match name.as_str() {
            "scale" if self.take(",") => {
                let mean = self.number()?;
                self.expect(",", "scale(X, MEAN, DEVIATION)")?;
                ExpressionKind::Scale(of, Some((mean, self.number()?)))
            }
            "scale" => ExpressionKind::Scale(of, None),
            "log" => ExpressionKind::Log(of),
            _ => self.bins(of)?,
        };
        self.expect(")", form)?;
        Ok(kind)
    }

    /// Reads a date: an expression, or `as_of`.
    fn moment(&mut self, form: &str) -> MappingParse<Expression> {
        if self.kind() == TokenKind::Name && self.word() == "as_of" {
            let span = self.span();
            self.position += 1;
            return Ok(Expression { kind: ExpressionKind::AsOf, span });
        }
        if self.kind() == TokenKind::Name && self.word().starts_with("as_of-") {
            let help = "put blanks around the `-`: as_of - D";
            return self.fail("D0401", self.span(), format!("`{}` is one name", self.word()), help);
        }
        self.expression(form)
    }

    fn bins(&mut self, of: Box<Expression>) -> MappingParse<ExpressionKind> {
        const FORM: &str = "bins(X, 4) makes four bins, from 2 to 1000";
        self.expect(",", FORM)?;
        let span = self.span();
        let count = self.number()?;
        if !(2.0..=1000.0).contains(&count) || count.fract() != 0.0 {
            return self.fail(
                "D0401",
                span,
                "the number of bins is a whole number from 2 to 1000".into(),
                FORM,
            );
        }
        if !self.take(",") {
            return Ok(ExpressionKind::Bins(of, count as u32, None));
        }
        self.expect("[", FORM)?;
        let mut bounds = Vec::new();
        while !self.take("]") {
            bounds.push(self.number()?);
            if !self.take(",") && !self.at("]") {
                return self.expected("`,` or `]`", FORM);
            }
        }
        Ok(ExpressionKind::Bins(of, count as u32, Some(bounds)))
    }

    fn number(&mut self) -> MappingParse<f64> {
        let number = match self.kind() {
            TokenKind::Number => self.word().parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        };
        match number {
            Some(number) => {
                self.position += 1;
                Ok(number)
            }
            None => self.expected("a number", ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Mapping;
    use crate::mapping::format_mapping;

    /// Reads a mapping, formats it, and formats what comes out again.
    fn check(text: &str, expected: &str) {
        let mapping = Mapping::parse("m", text).unwrap_or_else(|error| panic!("{error}"));
        let printed = format_mapping(&mapping);
        assert_eq!(printed.trim_end(), expected.trim_end());
        let again = Mapping::parse("m", &printed).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(format_mapping(&again), printed);
    }

    #[test]
    fn sentences_have_one_layout() {
        check(":- source('tables').", ":- source('tables').");
        check(
            ":-source('a b.sqlite',separator:';', encoding: latin-1).",
            ":- source('a b.sqlite', separator: ';', encoding: latin-1).",
        );
        check(
            ":- example(Molecule.'Mol ID').% names\n\n\n% keys\n:- key(a.b,c.D).",
            ":- example(Molecule.'Mol ID').  % names\n\n% keys\n:- key(a.b, c.D).",
        );
    }

    #[test]
    fn cells_that_stand_for_no_value_have_one_layout() {
        check(":-null(t.'a b',['NA']).", ":- null(t.'a b', 'NA').");
        check(":- null(T.a,['NA','',-999]).", ":- null(T.a, ['NA', '', -999]).");
    }

    #[test]
    fn aliases_have_one_layout() {
        check(":-alias(Chief,'my people').", ":- alias(Chief, 'my people').");
    }

    #[test]
    fn relations_have_one_layout() {
        check("element(A,E)<-atom(atom_id:A,element:E).", "element(A, E) <- atom(atom_id: A, element: E).");
        check("?1::toxic<-molecule(Label:'pos').", "? 1 :: toxic <- molecule(Label: pos).");
        check(
            "[scale(X),log(Y)]::at(A)<-atom(id:A,x:X,y:Y),X>0,Y!=a.",
            "[scale(X), log(Y)] :: at(A) <- atom(id: A, x: X, y: Y), X > 0, Y != a.",
        );
        check(
            "days(D2-D1)::age(A,bins(X,4))<-t('a b':A,x:X,d:D1,e:D2).",
            "days(D2 - D1) :: age(A, bins(X, 4)) <- t('a b': A, x: X, d: D1, e: D2).",
        );
        check(
            "scale(X,0.5,-2)::p(bins(X,3,[1,2.5]))<-t(x:X).",
            "scale(X, 0.5, -2) :: p(bins(X, 3, [1, 2.5])) <- t(x: X).",
        );
        check("? p <- t().", "? p <- t().");
        check("p(D)<-t(d:D),days(as_of - D)=<30.", "p(D) <- t(d: D), days(as_of - D) =< 30.");
    }
}
