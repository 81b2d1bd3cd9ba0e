//! Errors of the engine as exceptions of Python, which the package defines.

use lrnn::diagnostic::{Diagnostic, Severity, Sources};
use lrnn::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Returns the exit code of the command for an error, by which the package finds its exception.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => 2,
        ErrorKind::Content => 3,
        ErrorKind::Limit => 4,
        ErrorKind::File => 5,
        ErrorKind::Numbers => 6,
        ErrorKind::Stopped => 130,
    }
}

/// Returns an error as an exception.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let made = || {
        let diagnostics = diagnostics(py, error.diagnostics(), error.sources())?;
        let helps = error.sentences().filter_map(|(_, help)| help);
        let help = helps.chain(error.diagnostics().iter().filter_map(|found| found.help.as_deref())).next();
        let arguments =
            (exit_code(error.kind()), error.to_string(), error.message(), help, error.file(), diagnostics);
        let class = py.import("lrnn._errors")?.getattr("error_of")?;
        Ok(PyErr::from_value(class.call1(arguments)?))
    };
    made().unwrap_or_else(|failed| failed)
}

/// Returns messages with their places as the package's own.
pub fn diagnostics<'py>(
    py: Python<'py>,
    found: &[Diagnostic],
    sources: &Sources,
) -> PyResult<Bound<'py, PyList>> {
    let class = py.import("lrnn._errors")?.getattr("Diagnostic")?;
    let one = |diagnostic: &Diagnostic| {
        let span = diagnostic.span();
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = sources.place(span);
        let (line, column) = match sources.is_table(span.source) {
            true => (None, None),
            false => {
                let (line, column) = sources.line_column(span.source, span.start);
                (Some(line), Some(column))
            }
        };
        let (code, message, help) = (diagnostic.code, &diagnostic.message, diagnostic.help.as_deref());
        class.call1((code, severity, message, help, place, line, column, diagnostic.render(sources)))
    };
    let all: Vec<Bound<'py, PyAny>> = found.iter().map(one).collect::<PyResult<_>>()?;
    PyList::new(py, all)
}

/// A result whose error becomes an exception.
pub trait OrRaise<T> {
    /// Returns the value, or the error as an exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// Returns the exception of a mistake in data or in how something was called.
pub fn raise(py: Python<'_>, kind: ErrorKind, message: impl Into<String>, help: &str) -> PyErr {
    exception(py, &Error::new(kind, message).help(help))
}
