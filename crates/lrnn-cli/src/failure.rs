//! Errors as the command ends with them: the exit code, the text, and the same for machines.

use lrnn::diagnostic::{Diagnostic, Severity, Sources, printable};
pub use lrnn::{Error, ErrorKind};
use serde::Serialize;

use crate::args::Common;
use crate::{interrupt, output};

/// The exit code for "no": a check that found problems.
pub const NO: u8 = 1;

/// A message for machines.
#[derive(Default, Serialize)]
pub struct MessageJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    message: &'a str,
    /// Null where a message with a place has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl<'a> MessageJson<'a> {
    pub fn of(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Self {
        let span = diagnostic.span();
        let (line, column) = sources.line_column(span.source, span.start);
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        Self {
            severity: Some(severity),
            code: Some(diagnostic.code),
            message: &diagnostic.message,
            help: Some(diagnostic.help.as_deref()),
            file: Some(sources.name(span.source)),
            line: Some(line),
            column: Some(column),
        }
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    error: Option<&'a MessageJson<'a>>,
    errors: &'a [MessageJson<'a>],
    exit: u8,
}

fn print_errors(errors: &[MessageJson<'_>], exit: u8) -> u8 {
    let _ = output::print_json(&ErrorJson { error: errors.first(), errors, exit });
    exit
}

pub fn exit_code(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Usage => 2,
        ErrorKind::Content => 3,
        ErrorKind::Limit => 4,
        ErrorKind::File => 5,
        ErrorKind::Numbers => 6,
        ErrorKind::Stopped => interrupt::exit_code().max(1),
    }
}

/// Prints an error and ends with its exit code.
pub fn end(error: &Error, common: Option<&Common>, json: bool) -> u8 {
    let is_quiet = common.is_some_and(|common| common.quiet);
    for (sentence, help) in error.sentences() {
        let help = help.map_or(String::new(), |help| format!(" = help: {help}\n"));
        output::say(&printable(&format!("error: {sentence}\n{help}")));
    }
    let least = if is_quiet { Severity::Error } else { Severity::Note };
    let shown = error.diagnostics().iter().filter(|diagnostic| diagnostic.severity >= least);
    let shown: Vec<String> = shown.map(|diagnostic| diagnostic.render(error.sources())).collect();
    output::say(&shown.join("\n"));
    if json {
        let without_place = |(message, help): (_, Option<_>)| MessageJson {
            message,
            help: help.map(Some),
            file: error.file(),
            ..MessageJson::default()
        };
        let mut errors: Vec<MessageJson<'_>> = error.sentences().map(without_place).collect();
        let diagnostics = error.diagnostics().iter().filter(|found| found.severity == Severity::Error);
        errors.extend(diagnostics.map(|diagnostic| MessageJson::of(diagnostic, error.sources())));
        print_errors(&errors, exit_code(error));
    }
    exit_code(error)
}

/// Prints what the parser of the command line says, as JSON too.
pub fn end_usage(error: &clap::Error) -> u8 {
    let text = error.to_string();
    output::say(&printable(&text));
    let first = text.lines().next().unwrap_or("").trim_start_matches("error: ");
    let error = Error::new(ErrorKind::Usage, first);
    print_errors(&[MessageJson { message: error.message(), ..MessageJson::default() }], 2)
}
