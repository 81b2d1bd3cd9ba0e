//! Why a command ends without its result, and the exit code for it.

use std::process::ExitCode;

use lrnn::diagnostic::{Diagnostic, Severity, Sources, printable};
use lrnn_io::IoError;
use serde_json::{Value, json};

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
    text: String,
    /// The same for machines, each with its message.
    errors: Vec<Value>,
}

impl Failure {
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, text: format!("error: {message}\n"), errors: vec![json!({ "message": message })] }
    }

    /// The same with help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        let help = help.into();
        self.text.push_str(&format!(" = help: {help}\n"));
        self.errors.iter_mut().for_each(|error| error["help"] = json!(help));
        self
    }

    /// The same with a sentence before it.
    pub fn before(mut self, sentence: &str) -> Self {
        self.text = format!("error: {sentence}\n{}", self.text);
        self.errors.insert(0, json!({ "message": sentence }));
        self
    }

    pub fn io(message: impl Into<String>) -> Self {
        Self::new(IO, message)
    }

    /// A message at a place.
    pub fn at(code: u8, diagnostic: &Diagnostic, sources: &Sources) -> Self {
        Self { code, text: diagnostic.render(sources), errors: vec![diagnostic_json(diagnostic, sources)] }
    }

    /// Errors of a template or of data, printed already.
    pub fn reported(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let errors = errors.map(|diagnostic| diagnostic_json(diagnostic, sources)).collect();
        Self { code: TEXT, text: String::new(), errors }
    }

    /// A command line that cannot be read; the parser has the words for it.
    pub fn usage(error: &clap::Error) -> Self {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or("").trim_start_matches("error: ");
        Self { code: USAGE, errors: vec![json!({ "message": first })], text: message }
    }

    pub fn print(&self, json: bool) -> ExitCode {
        output::say(&printable(&self.text));
        if json {
            let document = json!({ "error": self.errors.first(), "errors": self.errors, "exit": self.code });
            let _ = output::print_json(&document);
        }
        ExitCode::from(self.code)
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Self {
        let mut failure = Self::new(if error.is_content { TEXT } else { IO }, error.to_string());
        failure.errors[0]["file"] = json!(error.path.display().to_string());
        match error.help {
            Some(help) => failure.help(help),
            None => failure,
        }
    }
}

/// Standard output that was closed is no failure: whoever read it had enough.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { code: 0, text: String::new(), errors: Vec::new() };
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
