//! Messages to the person who wrote a text: a code, a sentence, the places drawn with a caret, and help.

use std::fmt::Write;

use super::{Sources, Span};
use crate::vocabulary::is_hidden;

/// The grades of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably a mistake.
    Warning,
    /// Cannot go on.
    Error,
}

/// A place and what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Remark on the place; may be empty.
    pub text: String,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its grade.
    pub severity: Severity,
    /// Its code.
    pub code: &'static str,
    /// The sentence.
    pub message: String,
    /// The places, the main one first.
    pub labels: Vec<Label>,
    /// Advice.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Returns a message at a place.
    pub fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        let labels = vec![Label { span, text: String::new() }];
        Self { severity, code, message: message.into(), labels, help: None }
    }

    /// Returns an error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// Returns a warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// Returns a note at a place.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    /// Returns the same with a word at the main place.
    pub fn at(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = text.into();
        self
    }

    /// Returns the same with another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Returns the same with help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the diagnostic with help, if there is any.
    pub(crate) fn help_if(self, help: Option<impl Into<String>>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Returns the main place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// Returns the message as people read it.
    pub fn render(&self, sources: &Sources) -> String {
        let mut out = String::new();
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(out, "{severity}[{}]: {}", self.code, printable(&self.message));
        let places: Vec<_> = self
            .labels
            .iter()
            .map(|label| sources.line_column(label.span.source, label.span.start))
            .collect();
        let gutter = places.iter().map(|(line, _)| line.to_string().len()).max().unwrap_or(1);
        for (position, (label, &place)) in self.labels.iter().zip(&places).enumerate() {
            let arrow = if position == 0 { "-->" } else { ":::" };
            let _ = writeln!(out, "{:gutter$}{arrow} {}", "", printable(&sources.place(label.span)));
            if !sources.is_table(label.span.source) {
                draw(&mut out, sources, label, place, gutter);
            }
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{:gutter$} = help: {}", "", printable(help));
        }
        out
    }
}

/// The widest stretch of a line that is drawn.
const WIDTH: usize = 100;

fn draw(out: &mut String, sources: &Sources, label: &Label, (line, column): (usize, usize), gutter: usize) {
    let text = sources.line_text(label.span.source, label.span.start);
    let all: Vec<char> = text.chars().collect();
    let first = if column > WIDTH - 20 { column - WIDTH / 2 } else { 1 };
    let shown: String = all.iter().skip(first - 1).take(WIDTH).map(|&c| plain(c)).collect();
    let cut = if all.len() > first - 1 + WIDTH { " ..." } else { "" };
    let source = sources.text(label.span.source);
    let (start, end) = (label.span.start as usize, label.span.end as usize);
    let marked = source
        .get(start..end.max(start))
        .map_or(1, |marked| marked.lines().next().unwrap_or("").chars().count());
    let marked = marked.clamp(1, WIDTH.saturating_sub(column - first).max(1));
    let _ = writeln!(out, "{:gutter$} |", "");
    let _ = writeln!(out, "{line:gutter$} | {}{shown}{cut}", if first > 1 { "... " } else { "" });
    let pad = column - first + if first > 1 { 4 } else { 0 };
    let carets = "^".repeat(marked);
    let _ = writeln!(out, "{:gutter$} | {:pad$}{carets} {}", "", "", printable(&label.text));
    while out.ends_with(" \n") {
        out.truncate(out.len() - 2);
        out.push('\n');
    }
}

/// Returns a character as it may go to a terminal: tabs as a blank, control and direction characters as a mark.
fn plain(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// Returns a text as it may go to a terminal; line ends stay.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { plain(c) }).collect()
}
