//! A tree as text again, in one layout: `parse(print(tree)) = tree`, comments and single blank lines kept.

use std::fmt::Write;

use super::ast::Place;
use super::ast::{
    ArgumentExpr, ArgumentValue, Ast, AtomExpr, BodyExpr, BodyKind, Clause, Comparison, FunctionExpr,
    FunctionKind, FunctionName, IndexExpr, Infix, Item, ItemKind, NumberExpr, Operator, OptionExpr,
    OptionValue, PredicateItem, Sign, TermExpr, TermKind, WeightExpr, WeightValue,
};
use crate::diagnostic::Span;
use crate::vocabulary::{write_name, write_number};

/// The widest line that is written if it can be helped.
const WIDTH: usize = 100;

/// Returns the tree as text. `text` is the text it was read from, for its comments and blank lines.
pub fn print(ast: &Ast, text: &str) -> String {
    let mut printer = Printer { out: String::new(), text, end: 0 };
    let mut comments = ast.comments.iter().map(|Place(span)| *span).peekable();
    for item in &ast.items {
        let Place(span) = item.place;
        while let Some(comment) = comments.next_if(|comment| comment.start < span.end) {
            printer.comment(comment, comment.start > span.start);
        }
        printer.piece(span, &item_text(item));
        while let Some(comment) = comments.next_if(|comment| printer.same_line(comment.start)) {
            printer.comment_behind(comment);
        }
    }
    for comment in comments {
        printer.comment(comment, false);
    }
    printer.out
}

struct Printer<'a> {
    out: String,
    text: &'a str,
    /// End of the last piece in the old text.
    end: usize,
}

impl Printer<'_> {
    fn between(&self, start: u32) -> &str {
        self.text.get(self.end..start as usize).unwrap_or("")
    }

    fn same_line(&self, start: u32) -> bool {
        !self.out.is_empty() && (start as usize) >= self.end && !self.between(start).contains('\n')
    }

    fn piece(&mut self, span: Span, piece: &str) {
        let blank = self.between(span.start).matches('\n').count() > 1;
        if blank && !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(piece);
        self.out.push('\n');
        self.end = self.end.max(span.end as usize);
    }

    fn comment_text(&self, span: Span) -> String {
        self.text[span.start as usize..span.end as usize].trim_end().to_owned()
    }

    /// Writes a comment on lines of its own; one from inside a clause goes before it.
    fn comment(&mut self, span: Span, inside: bool) {
        let comment = self.comment_text(span);
        let end = self.end;
        self.piece(span, &comment);
        if inside {
            self.end = end;
        }
    }

    /// Writes a comment at the end of the line of what it stands behind.
    fn comment_behind(&mut self, span: Span) {
        let comment = self.comment_text(span);
        self.out.pop();
        let _ = writeln!(self.out, "  {comment}");
        self.end = span.end as usize;
    }
}

fn item_text(item: &Item) -> String {
    match &item.kind {
        ItemKind::Clause(clause) => clause_text(clause),
        ItemKind::Predicate(predicate) => predicate_text(predicate),
        ItemKind::Directive(directive) => {
            let mut out = ":- ".to_owned();
            let _ = write_name(&mut out, &directive.name);
            out.push('(');
            write_function(&mut out, &directive.argument);
            out + ")."
        }
        ItemKind::Import(path) => format!(":- import({}).", quoted(path)),
        ItemKind::Use(used) => {
            let mut out = ":- use(".to_owned();
            write_function(&mut out, &used.name);
            for (key, value) in &used.parameters {
                out.push_str(", ");
                let _ = write_name(&mut out, key);
                out.push_str(" = ");
                match value.parse::<f64>() {
                    Ok(_) => out.push_str(value),
                    Err(_) => write_function(&mut out, value),
                }
            }
            out + ")."
        }
    }
}

fn write_function(out: &mut String, name: &str) {
    let bare = |word: &str| crate::vocabulary::is_bare_name(word);
    let is_setting =
        name.split_once(" = ").is_some_and(|(key, value)| bare(key) && value.parse::<u32>().is_ok());
    if is_setting || name.split('-').all(bare) {
        out.push_str(name);
    } else {
        out.push_str(&quoted(name));
    }
}

fn quoted(text: &str) -> String {
    // The writer of names quotes whatever begins with a capital.
    let mut out = String::new();
    let _ = write_name(&mut out, &format!("A{text}"));
    out.replacen("'A", "'", 1)
}

fn predicate_text(predicate: &PredicateItem) -> String {
    let mut out = String::new();
    let _ = write_name(&mut out, &predicate.name);
    let _ = write!(out, "/{}", predicate.arity);
    if !predicate.options.is_empty() {
        out.push(' ');
        out.push_str(&options_text(&predicate.options));
    }
    out + "."
}

fn clause_text(clause: &Clause) -> String {
    let head = weight_before(clause.weight.as_ref()) + &atom_text(&clause.head);
    let parts: Vec<String> = clause.body.iter().map(body_text).collect();
    let mut out = if parts.is_empty() { head } else { rule_text(&head, &parts) };
    out.push('.');
    if !clause.options.is_empty() {
        out.push(' ');
        out.push_str(&options_text(&clause.options));
    }
    out
}

/// On one line if it fits, else the body filled into indented lines.
fn rule_text(head: &str, parts: &[String]) -> String {
    let line = format!("{head} :- {}", parts.join(", "));
    if line.chars().count() < WIDTH {
        return line;
    }
    let mut out = format!("{head} :-");
    let mut column = WIDTH;
    for (position, part) in parts.iter().enumerate() {
        let comma = if position + 1 < parts.len() { "," } else { "" };
        let length = part.chars().count() + 2;
        if column + length > WIDTH {
            out.push_str("\n   ");
            column = 3;
        }
        let _ = write!(out, " {part}{comma}");
        column += length;
    }
    out
}

fn body_text(part: &BodyExpr) -> String {
    match &part.kind {
        BodyKind::Compare(comparison, left, right) => {
            format!("{} {} {}", term_text(left), comparison_mark(*comparison), term_text(right))
        }
        BodyKind::AllDiff(terms) if terms.is_empty() => "@alldiff(...)".into(),
        BodyKind::AllDiff(terms) => format!("@alldiff({})", terms_text(terms)),
        BodyKind::Arithmetic(comparison, left, right) => {
            format!("{} {} {}", number_expr(left, 0), comparison_mark(*comparison), number_expr(right, 0))
        }
        BodyKind::BuiltIn(name, terms) if terms.is_empty() => format!("@{name}"),
        BodyKind::BuiltIn(name, terms) => format!("@{name}({})", terms_text(terms)),
        BodyKind::Function(function) => function_text(function, 0),
    }
}

fn weight_before(weight: Option<&WeightExpr>) -> String {
    weight.map_or(String::new(), |weight| weight_text(weight) + " :: ")
}

fn computed_text(weight: Option<&WeightExpr>, number: &NumberExpr) -> String {
    format!("{}@value({})", weight_before(weight), number_expr(number, 0))
}

fn literal_text(weight: Option<&WeightExpr>, sign: Sign, atom: &AtomExpr) -> String {
    let sign = match sign {
        Sign::Input => "",
        Sign::Soft => "~",
        Sign::Guard => "*",
        Sign::Not => "not ",
    };
    format!("{}{sign}{}", weight_before(weight), atom_text(atom))
}

fn comparison_mark(comparison: Comparison) -> &'static str {
    Comparison::ALL.iter().find(|known| known.0 == comparison).map_or("", |known| known.1[0])
}

/// Returns a computed number as text, in brackets where it binds less than what stands around it.
fn number_expr(number: &NumberExpr, around: u8) -> String {
    let (operator, parts) = match number {
        NumberExpr::Term(term) => return term_text(term),
        NumberExpr::Operation(operator, parts) => (operator, parts),
    };
    let call = |name: &str| format!("{name}({})", joined(parts, |part| number_expr(part, 0)));
    let (mark, own) = match (operator, parts.len()) {
        (Operator::Absolute, _) => return call("abs"),
        (Operator::Smallest, _) => return call("min"),
        (Operator::Largest, _) => return call("max"),
        (Operator::Minus, 1) => return format!("-({})", number_expr(&parts[0], 0)),
        (Operator::Plus, _) => ("+", 1),
        (Operator::Minus, _) => ("-", 1),
        (Operator::Times, _) => ("*", 2),
        (Operator::Divide, _) => ("/", 2),
        (Operator::Modulo, _) => ("mod", 2),
    };
    // The operations bind from the left.
    let texts: Vec<String> =
        parts.iter().zip(0..).map(|(part, at)| number_expr(part, own + u8::from(at > 0))).collect();
    let text = texts.join(&format!(" {mark} "));
    if around > own { format!("({text})") } else { text }
}

/// Returns a function of literals as text.
pub(crate) fn function_text_of(function: &FunctionExpr) -> String {
    function_text(function, 0)
}

fn function_text(function: &FunctionExpr, around: u8) -> String {
    let around_weight =
        |inner: &Option<WeightExpr>| if inner.is_some() && function.weight.is_some() { 2 } else { 3 };
    let (text, own) = match &function.kind {
        FunctionKind::Literal(weight, sign, atom) => {
            (literal_text(weight.as_ref(), *sign, atom), around_weight(weight))
        }
        FunctionKind::Value(weight, number) => {
            (computed_text(weight.as_ref(), number), around_weight(weight))
        }
        FunctionKind::Call(name, parts) => {
            let mut texts: Vec<String> = parts.iter().map(|part| function_text(part, 0)).collect();
            texts.extend(name.arguments.iter().map(argument_text));
            let mut call = String::new();
            write_function(&mut call, &name.name);
            (format!("{call}({})", texts.join(", ")), 3)
        }
        FunctionKind::Infix(infix, parts) => {
            let (mark, own) = match infix {
                Infix::Sum => (" + ", 1),
                Infix::ElementProduct => (" * ", 2),
                Infix::Product => (" @ ", 2),
            };
            // Sums and products in themselves would be read as one.
            let texts: Vec<String> = parts.iter().map(|part| function_text(part, own + 1)).collect();
            (texts.join(mark), own)
        }
    };
    match &function.weight {
        Some(weight) if own < 3 => format!("{} :: ({text})", weight_text(weight)),
        Some(weight) => format!("{} :: {text}", weight_text(weight)),
        None if around > own => format!("({text})"),
        None => text,
    }
}

fn argument_text(argument: &ArgumentExpr) -> String {
    let mut out = argument.key.as_ref().map_or(String::new(), |key| format!("{key} = "));
    let texts: Vec<String> = match &argument.value {
        ArgumentValue::All => return out + "...",
        ArgumentValue::Numbers(numbers) => numbers.iter().map(|&number| number_text(number)).collect(),
        ArgumentValue::Variables(names) => names.iter().map(|name| variable_text(name)).collect(),
    };
    match texts.as_slice() {
        [text] if argument.key.is_none() => out.push_str(text),
        _ => out.push_str(&format!("[{}]", texts.join(", "))),
    }
    out
}

/// Returns the name of a variable, in quotes where it would not be read as one.
fn variable_text(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain { name.to_owned() } else { quoted(name) }
}

fn function_name_text(function: &FunctionName) -> String {
    let mut out = String::new();
    write_function(&mut out, &function.name);
    if !function.arguments.is_empty() {
        let _ = write!(out, "({})", joined(&function.arguments, argument_text));
    }
    out
}

/// Returns an atom as text.
pub fn atom_text(atom: &AtomExpr) -> String {
    let mut out = String::new();
    let _ = write_name(&mut out, &atom.name);
    if !atom.terms.is_empty() {
        let _ = write!(out, "({})", terms_text(&atom.terms));
    }
    out
}

fn terms_text(terms: &[TermExpr]) -> String {
    joined(terms, term_text)
}

fn joined<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

pub(crate) fn term_text(term: &TermExpr) -> String {
    match &term.kind {
        TermKind::Variable(name) => name.clone(),
        TermKind::Constant(constant) => constant.to_string(),
        TermKind::Range(first, last) => format!("{first}..{last}"),
    }
}

fn index_text(index: &IndexExpr) -> String {
    match index {
        IndexExpr::Term(term) => term_text(term),
        IndexExpr::Kind(atom) => atom_text(atom),
        IndexExpr::Number(_) => "#".to_owned(),
    }
}

/// Returns a number as the language reads it.
pub fn number_text(number: f64) -> String {
    let mut out = String::new();
    let _ = write_number(&mut out, number);
    out
}

/// Returns a weight as text.
pub fn weight_text(weight: &WeightExpr) -> String {
    let mut out = String::new();
    if let Some(name) = &weight.name {
        let _ = write_name(&mut out, name);
        if !weight.index.is_empty() {
            let _ = write!(out, "[{}]", joined(&weight.index, index_text));
        }
        if weight.value.is_some() {
            out.push_str(" = ");
        }
    }
    match &weight.value {
        Some(value) => out.push_str(&value_text(value)),
        None if weight.name.is_none() => out.push('_'),
        None => {}
    }
    if weight.fixed { format!("<{out}>") } else { out }
}

fn value_text(value: &WeightValue) -> String {
    let row = |row: &[f64]| format!("[{}]", joined(row, |&number| number_text(number)));
    match value {
        WeightValue::Number(number) => number_text(*number),
        WeightValue::Vector(numbers) => row(numbers),
        WeightValue::Matrix(rows) => format!("[{}]", joined(rows, |numbers| row(numbers))),
        WeightValue::Random(rows, None) => format!("{{{rows}}}"),
        WeightValue::Random(rows, Some(columns)) => format!("{{{rows}, {columns}}}"),
    }
}

fn options_text(options: &[OptionExpr]) -> String {
    format!("[{}]", joined(options, option_text))
}

fn option_text(option: &OptionExpr) -> String {
    let mut out = String::new();
    let _ = write_name(&mut out, &option.key);
    out.push_str(" = ");
    match &option.value {
        OptionValue::Function(function) => out.push_str(&function_name_text(function)),
        OptionValue::Weight(weight) => out.push_str(&weight_text(weight)),
    }
    out
}
