//! The one error of the library: what went wrong, where, and what to do about it.

use std::fmt;

use super::{Diagnostic, Severity, Sources};

/// The kinds of errors. The command's exit codes are these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A call that makes no sense: an unknown setting, an example that is not there.
    Usage,
    /// A mistake in a template, in data or in a model.
    Content,
    /// More ground rules than allowed.
    Limit,
    /// A file that cannot be read or written.
    File,
    /// A value that is infinite or not a number.
    Numbers,
    /// Somebody asked to stop.
    Stopped,
}

/// An error with all its messages. It prints as people should read it: each message with its place and help.
///
/// ```
/// let error = lrnn::Template::parse("foal(X) :- parent(X, P horse(P).").unwrap_err();
/// assert_eq!(error.kind(), lrnn::ErrorKind::Content);
/// assert!(error.to_string().contains("expected `)` or `,`"), "{error}");
/// ```
#[derive(Clone)]
pub struct Error(Box<Content>);

#[derive(Clone)]
struct Content {
    kind: ErrorKind,
    /// Sentences before the diagnostics, each with its help.
    sentences: Vec<(String, Option<String>)>,
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
    file: Option<String>,
    is_about_data: bool,
}

impl Error {
    /// Makes an error of one sentence.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut error = Self::of(kind, Vec::new(), &Sources::default());
        error.0.sentences.push((message.into(), None));
        error
    }

    /// Makes an error of messages with places, warnings and notes among them.
    pub fn of(kind: ErrorKind, diagnostics: Vec<Diagnostic>, sources: &Sources) -> Self {
        Self(Box::new(Content {
            kind,
            sentences: Vec::new(),
            diagnostics,
            sources: sources.clone(),
            file: None,
            is_about_data: false,
        }))
    }

    /// Returns the error with help for its last message.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        match (self.0.diagnostics.last_mut(), self.0.sentences.last_mut()) {
            (Some(last), _) => last.help = Some(help.into()),
            (None, Some(last)) => last.1 = Some(help.into()),
            (None, None) => {}
        }
        self
    }

    /// Returns the error with the file it is about.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file = Some(file.into());
        self
    }

    /// Marks the error as one about the data as a whole.
    pub fn about_data(mut self) -> Self {
        self.0.is_about_data = true;
        self
    }

    /// Returns the error with the name of the data before its first sentence, if it is about the data as a whole.
    pub fn with_data(mut self, name: impl fmt::Display) -> Self {
        if let (true, Some((first, _))) = (self.0.is_about_data, self.0.sentences.first_mut()) {
            *first = format!("{name}: {first}");
        }
        self
    }

    /// Returns the file it is about, if it is about one as a whole.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the error with a sentence before it.
    pub fn before(mut self, sentence: impl Into<String>) -> Self {
        self.0.sentences.insert(0, (sentence.into(), None));
        self
    }

    /// Returns what kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the messages that have places, with [`Error::sources`] to draw them.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// Returns the texts and tables that the places of the diagnostics are in.
    pub fn sources(&self) -> &Sources {
        &self.0.sources
    }

    /// Goes through the messages that have no place, each with its help.
    pub fn sentences(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.0.sentences.iter().map(|(sentence, help)| (sentence.as_str(), help.as_deref()))
    }

    /// Returns the first message, without place and help.
    pub fn message(&self) -> &str {
        let first = self.0.sentences.first().map(|(sentence, _)| sentence.as_str());
        let mut diagnostics = self.0.diagnostics.iter();
        let error = diagnostics.find(|diagnostic| diagnostic.severity == Severity::Error);
        first.or(error.map(|diagnostic| diagnostic.message.as_str())).unwrap_or("")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (sentence, help) in self.sentences() {
            let help = help.map_or(String::new(), |help| format!("\n = help: {help}"));
            parts.push(format!("error: {sentence}{help}"));
        }
        let drawn = self.0.diagnostics.iter().map(|diagnostic| diagnostic.render(&self.0.sources));
        parts.extend(drawn.map(|text| text.trim_end().to_owned()));
        f.write_str(&parts.join("\n"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
