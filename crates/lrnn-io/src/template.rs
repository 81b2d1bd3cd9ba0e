//! A template's file and everything it imports.

use std::path::{Path, PathBuf};

use lrnn::diagnostic::{Diagnostic, Severity, Sources};
use lrnn::syntax::ast::{Item, ItemKind};
use lrnn::syntax::parse;
use lrnn::template::{Options, Template};

use crate::file::{IoError, read_text};
use crate::model::plain;

/// A template as read: there unless some diagnostic is an error.
#[derive(Debug)]
pub struct TemplateFile {
    /// All texts that were read.
    pub sources: Sources,
    /// The template.
    pub template: Option<Template>,
    /// What there is to say of it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a template and what it imports. Only a file that cannot be read at all is an [`IoError`].
pub fn read_template(path: &Path, options: Options) -> Result<TemplateFile, IoError> {
    resolve(path, Texts::Files, options)
}

/// Where the texts are.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'a> {
    /// In files.
    Files,
    /// Here, by name.
    Stored(&'a [(String, String)]),
}

impl Texts<'_> {
    fn read(self, path: &Path) -> Result<String, IoError> {
        let Texts::Stored(texts) = self else { return read_text(path) };
        let found = texts.iter().find(|(name, _)| plain(Path::new(name)) == plain(path));
        found
            .map(|(_, text)| text.clone())
            .ok_or_else(|| IoError::content(path, "the model does not hold this part of its template"))
    }

    /// The one path of a text that may have several.
    fn file(self, path: &Path) -> PathBuf {
        match self {
            Self::Files => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            Self::Stored(_) => plain(path),
        }
    }
}

pub(crate) fn resolve(path: &Path, texts: Texts<'_>, options: Options) -> Result<TemplateFile, IoError> {
    let mut reader = Reader::new(texts);
    let mut items = Vec::new();
    reader.read(path, &mut items)?;
    let (template, mut found) = Template::resolve(&items, options);
    let failed = !reader.diagnostics.is_empty();
    if failed {
        // Sentences that could not be read may hold what a warning would miss.
        found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    }
    reader.diagnostics.extend(found);
    let template = template.filter(|_| !failed);
    Ok(TemplateFile { sources: reader.sources, template, diagnostics: reader.diagnostics })
}

struct Reader<'a> {
    texts: Texts<'a>,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The files being read, outermost first.
    open: Vec<PathBuf>,
    /// The files read to their end: a second import adds nothing.
    done: Vec<PathBuf>,
}

impl<'a> Reader<'a> {
    fn new(texts: Texts<'a>) -> Self {
        let (sources, diagnostics) = (Sources::default(), Vec::new());
        Self { texts, sources, diagnostics, open: Vec::new(), done: Vec::new() }
    }

    fn read(&mut self, path: &Path, items: &mut Vec<Item>) -> Result<(), IoError> {
        let text = self.texts.read(path)?;
        let source = self.sources.add(path.display().to_string(), text);
        let (ast, found) = parse(self.sources.text(source), source);
        self.diagnostics.extend(found);
        let file = self.texts.file(path);
        self.open.push(file.clone());
        for item in ast.items {
            match &item.kind {
                ItemKind::Import(import) => self.import(path, import, &item, items),
                _ => items.push(item),
            }
        }
        self.open.pop();
        self.done.push(file);
        Ok(())
    }

    fn import(&mut self, from: &Path, import: &str, item: &Item, items: &mut Vec<Item>) {
        let path = from.parent().unwrap_or(Path::new("")).join(import);
        let file = self.texts.file(&path);
        if self.open.contains(&file) {
            let message = format!("`{import}` imports itself, directly or through others");
            let help = "drop this import, or move what both files need into a third";
            self.diagnostics.push(Diagnostic::error("E0124", item.place.0, message).help(help));
        } else if !self.done.contains(&file)
            && let Err(error) = self.read(&path, items)
        {
            let mut diagnostic = Diagnostic::error("E0125", item.place.0, format!("cannot import {error}"));
            diagnostic.help = error.help;
            self.diagnostics.push(diagnostic);
        }
    }
}
