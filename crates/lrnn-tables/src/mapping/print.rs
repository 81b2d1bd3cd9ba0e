//! Mappings as text: one sentence a line, comments kept.

use lrnn::syntax::Comparison;
use lrnn::vocabulary::{Constant, is_bare_name, write_name};

use super::{
    ColumnPattern, Expression, ExpressionKind, Mapping, Pattern, RelationLine, RowCondition, Sentence,
    SourceLine,
};
use crate::Encoding;

/// The widest line that is not broken.
const WIDTH: usize = 110;

/// Returns a name as the language reads it.
pub(super) fn name(name: &str) -> String {
    let mut text = String::new();
    let _ = write_name(&mut text, name);
    text
}

/// Returns the name of a column or table, which may begin with a capital.
fn column(text: &str) -> String {
    let lower = text.chars().next().map(|c| c.to_lowercase().chain(text.chars().skip(1)).collect::<String>());
    match lower {
        Some(lower) if is_bare_name(&lower) && !text.contains('-') => text.to_owned(),
        _ => name(text),
    }
}

fn number(number: f64) -> String {
    Constant::number(number).to_string()
}

fn expression(it: &Expression) -> String {
    match &it.kind {
        ExpressionKind::Constant(constant) => constant.to_string(),
        ExpressionKind::Variable(name) => name.clone(),
        ExpressionKind::AsOf => "as_of".to_owned(),
        ExpressionKind::Scale(of, None) => format!("scale({})", expression(of)),
        ExpressionKind::Scale(of, Some((mean, deviation))) => {
            format!("scale({}, {}, {})", expression(of), number(*mean), number(*deviation))
        }
        ExpressionKind::Bins(of, count, None) => format!("bins({}, {count})", expression(of)),
        ExpressionKind::Bins(of, count, Some(bounds)) => {
            let bounds: Vec<String> = bounds.iter().map(|&bound| number(bound)).collect();
            format!("bins({}, {count}, [{}])", expression(of), bounds.join(", "))
        }
        ExpressionKind::Days(a, b) => format!("days({} - {})", expression(a), expression(b)),
        ExpressionKind::Log(of) => format!("log({})", expression(of)),
    }
}

fn expressions(all: &[Expression]) -> String {
    all.iter().map(expression).collect::<Vec<_>>().join(", ")
}

fn pattern(it: &ColumnPattern) -> String {
    let what = match &it.pattern {
        Pattern::Variable(name) => name.clone(),
        Pattern::Constant(constant) => constant.to_string(),
    };
    format!("{}: {what}", column(&it.column))
}

fn condition(it: &RowCondition) -> String {
    let mark = match it.comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "=<",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    };
    format!("{} {mark} {}", expression(&it.left), expression(&it.right))
}

fn relation(line: &RelationLine) -> String {
    let query = if line.is_query { "? " } else { "" };
    let value = match (line.is_vector, line.value.as_slice()) {
        (_, []) => String::new(),
        (false, value) => format!("{} :: ", expressions(value)),
        (true, value) => format!("[{}] :: ", expressions(value)),
    };
    let terms = if line.terms.is_empty() { String::new() } else { format!("({})", expressions(&line.terms)) };
    let columns: Vec<String> = line.columns.iter().map(pattern).collect();
    let mut text = format!("{query}{value}{}{terms} <- ", name(&line.predicate));
    let mut body = format!("{}({})", column(&line.table), columns.join(", "));
    for it in &line.conditions {
        body += &format!(", {}", condition(it));
    }
    if text.chars().count() + body.chars().count() > WIDTH {
        text = format!("{}\n    ", text.trim_end());
    }
    text + &body + "."
}

fn source(line: &SourceLine) -> String {
    // A place is in quotes, also where a name could be bare.
    let location = name(&line.location);
    let location = if location.starts_with('\'') { location } else { format!("'{location}'") };
    let mut text = format!(":- source({location}");
    if let Some(separator) = line.options.csv.separator {
        text += &format!(", separator: {}", name(&char::from(separator).to_string()));
    }
    let encoding = line.options.csv.encoding;
    if encoding != Encoding::default() {
        let known = Encoding::NAMES.iter().find(|(_, it)| *it == encoding);
        text += &format!(", encoding: {}", name(known.map_or("utf-8", |(name, _)| name)));
    }
    text + ")."
}

fn path(of: &super::ColumnName) -> String {
    format!("{}.{}", column(&of.table), column(&of.column))
}

/// Returns one sentence.
pub(super) fn sentence(sentence: &Sentence) -> String {
    match sentence {
        Sentence::Source(line) => source(line),
        Sentence::Example(line) => match &line.column {
            Some(key) => format!(":- example({}.{}).", column(&line.table), column(key)),
            None => format!(":- example({}).", column(&line.table)),
        },
        Sentence::Alias(line) => format!(":- alias({}, {}).", column(&line.alias), column(&line.table)),
        Sentence::Column(made, parts) => {
            let parts: Vec<String> = parts.iter().map(|part| column(part)).collect();
            format!(":- column({}, [{}]).", path(made), parts.join(", "))
        }
        Sentence::Key(from, to) => format!(":- key({}, {}).", path(from), path(to)),
        Sentence::Time(column) => format!(":- time({}).", path(column)),
        Sentence::AsOf(column) => format!(":- as_of({}).", path(column)),
        Sentence::Kind(column, kind, None) => format!(":- type({}, {}).", path(column), kind.name()),
        Sentence::Kind(column, kind, Some(format)) => {
            format!(":- type({}, {}, '{}').", path(column), kind.name(), format.name())
        }
        Sentence::Ignore(column, constant) => format!(":- ignore({}, {constant}).", path(column)),
        Sentence::Null(column, constants) => match &constants[..] {
            [only] => format!(":- null({}, {only}).", path(column)),
            all => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                format!(":- null({}, [{}]).", path(column), all.join(", "))
            }
        },
        Sentence::Relation(line) => relation(line),
    }
}

/// Returns a mapping in the standard layout, with its comments: each before or behind the sentence it stands at.
pub fn format_mapping(mapping: &Mapping) -> String {
    let Some(source) = mapping.sentences.first().map(|(_, span)| span.source) else {
        let source = mapping.comments.first().map(|span| span.source);
        return source
            .map_or(String::new(), |source| mapping.sources.text(source).trim_end().to_owned() + "\n");
    };
    let text = mapping.sources.text(source);
    let mut out = String::new();
    let mut comments = mapping.comments.iter().peekable();
    let mut end = 0;
    for (at, (it, span)) in mapping.sentences.iter().enumerate() {
        while let Some(comment) = comments.next_if(|comment| comment.start < span.start) {
            gap(&mut out, text, end, comment.start as usize);
            out.push_str(text[comment.start as usize..comment.end as usize].trim_end());
            out.push('\n');
            end = comment.end as usize;
        }
        gap(&mut out, text, end, span.start as usize);
        out.push_str(&sentence(it));
        end = span.end as usize;
        let next = mapping.sentences.get(at + 1).map_or(u32::MAX, |(_, next)| next.start);
        let is_behind = |start: usize, end: usize| !text[end.min(start)..start].contains('\n');
        while let Some(comment) =
            comments.next_if(|comment| comment.start < next && is_behind(comment.start as usize, end))
        {
            out.push_str("  ");
            out.push_str(text[comment.start as usize..comment.end as usize].trim_end());
            end = end.max(comment.end as usize);
        }
        out.push('\n');
    }
    for comment in comments {
        gap(&mut out, text, end, comment.start as usize);
        out.push_str(text[comment.start as usize..comment.end as usize].trim_end());
        out.push('\n');
        end = comment.end as usize;
    }
    out
}

/// Keeps one blank line where the text has some.
fn gap(out: &mut String, text: &str, end: usize, start: usize) {
    let between = text.get(end..start).unwrap_or("");
    if !out.is_empty() && between.matches('\n').count() > 1 {
        out.push('\n');
    }
}
