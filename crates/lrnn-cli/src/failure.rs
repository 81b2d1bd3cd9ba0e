//! Why a command ends without its result, and the exit code for it.

use std::process::ExitCode;

use lrnn::syntax::{Diagnostic, Severity, Sources, printable};
use lrnn_io::IoError;
use serde_json::{Value, json};

use crate::args::Common;
use crate::output;

/// Exit codes.
pub const NO: u8 = 1;
pub const USAGE: u8 = 2;
pub const TEXT: u8 = 3;
pub const BUDGET: u8 = 4;
pub const IO: u8 = 5;
pub const NUMBERS: u8 = 6;

/// An end without a result.
pub struct Failure {
    code: u8,
    /// What to print; empty if it has been printed.
    message: String,
    json: Value,
}

impl Failure {
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        let message = message.into();
        let json = json!({ "message": message });
        Self { code, message: format!("error: {message}\n"), json }
    }

    pub fn io(message: impl Into<String>) -> Self {
        Self::new(IO, message)
    }

    /// A message at a place.
    pub fn at(code: u8, diagnostic: &Diagnostic, sources: &Sources) -> Self {
        Self { code, message: diagnostic.render(sources), json: diagnostic_json(diagnostic, sources) }
    }

    /// Errors of a template or of data, printed already.
    pub fn reported(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let all: Vec<Value> = errors.map(|diagnostic| diagnostic_json(diagnostic, sources)).collect();
        Self { code: TEXT, message: String::new(), json: json!(all) }
    }

    pub fn print(&self, common: &Common) -> ExitCode {
        output::say(&printable(&self.message));
        if common.json {
            let _ = output::print_json(&json!({ "error": self.json, "exit": self.code }));
        }
        ExitCode::from(self.code)
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Self {
        let help = error.help.as_ref().map_or(String::new(), |help| format!("\n = help: {help}"));
        Self::new(if error.is_content { TEXT } else { IO }, format!("{error}{help}"))
    }
}

/// Standard output that was closed is no failure: whoever read it had enough.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { code: 0, message: String::new(), json: Value::Null };
        }
        Self::io(format!("cannot write the output: {error}"))
    }
}

/// A message for machines.
pub fn diagnostic_json(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let span = diagnostic.span();
    let (line, column) = sources.line_column(span.source, span.start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    json!({
        "severity": severity, "code": diagnostic.code, "message": diagnostic.message, "help": diagnostic.help,
        "file": sources.name(span.source), "line": line, "column": column,
    })
}
