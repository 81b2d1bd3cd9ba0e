//! A template from its texts: the main one and everything it imports.

use std::path::{Component, Path, PathBuf};

use super::library::expand;
use super::{Options, Template};
use crate::diagnostic::{Diagnostic, Error, ErrorKind, Severity, Sources};
use crate::syntax::ast::{Item, ItemKind, ModuleUse};
use crate::syntax::parse;

/// A template as read: it is there unless some diagnostic is an error.
#[derive(Clone, Debug)]
pub struct TemplateText {
    /// All texts that were read, the main one first.
    pub sources: Sources,
    /// The template.
    pub template: Option<Template>,
    /// Everything there is to say of it.
    pub diagnostics: Vec<Diagnostic>,
}

impl TemplateText {
    /// Returns the template, or all its mistakes.
    pub fn into_template(self) -> Result<Template, Error> {
        let Self { sources, template, diagnostics } = self;
        template.ok_or_else(|| Error::of(ErrorKind::Content, diagnostics, &sources))
    }
}

impl Template {
    /// Reads a template and what it imports; `read` gives the text of a path, which is relative as the import is
    /// written. An import that cannot be read is a diagnostic; only the main text is an error.
    pub fn read(
        main: &Path,
        options: Options,
        read: &mut dyn FnMut(&Path) -> Result<String, Error>,
    ) -> Result<TemplateText, Error> {
        let (sources, diagnostics) = (Sources::default(), Vec::new());
        let mut reader = TemplateReader { read, sources, diagnostics, open: Vec::new(), done: Vec::new() };
        let mut items = Vec::new();
        reader.file(main, &mut items)?;
        let (template, mut found) = Self::resolve(&items, options);
        let failed = !reader.diagnostics.is_empty();
        if failed {
            // Sentences that could not be read may hold what a warning would miss.
            found.retain(|diagnostic| diagnostic.severity == Severity::Error);
        }
        let TemplateReader { sources, mut diagnostics, .. } = reader;
        diagnostics.extend(found);
        let template =
            template.filter(|_| !failed).map(|template| Self { sources: sources.clone(), ..template });
        Ok(TemplateText { sources, template, diagnostics })
    }

    /// Reads a template from texts with names, the main one first.
    pub fn of_texts(texts: &[(String, String)], options: Options) -> Result<TemplateText, Error> {
        let Some((main, _)) = texts.first() else {
            return Err(Error::new(ErrorKind::Content, "there is no text of a template"));
        };
        Self::read(Path::new(main), options, &mut |path| {
            let found = texts.iter().find(|(name, _)| plain(Path::new(name)) == plain(path));
            let missing =
                || Error::new(ErrorKind::Content, format!("{}: there is no such text", path.display()));
            found.map(|(_, text)| text.clone()).ok_or_else(missing)
        })
    }

    /// Reads a template from one text.
    ///
    /// ```
    /// let template = lrnn::Template::parse("0.9 :: foal(A) :- parent(A, P), horse(P).")?;
    /// assert_eq!(template.rules.len(), 1);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::of_texts(&[("template.lrnn".to_owned(), text.to_owned())], Options::default())?.into_template()
    }

    /// Returns its texts by names relative to the folder of the first, as a model keeps them.
    pub fn texts(&self) -> Vec<(String, String)> {
        let main = self.sources.iter().next().map(|(name, _)| Path::new(name).to_owned()).unwrap_or_default();
        let folder = main.parent().unwrap_or(Path::new(""));
        let relative = |name: &str| {
            let name = Path::new(name);
            plain(name.strip_prefix(folder).unwrap_or(name)).to_string_lossy().replace('\\', "/")
        };
        self.sources.iter().map(|(name, text)| (relative(name), text.to_owned())).collect()
    }
}

impl std::str::FromStr for Template {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

struct TemplateReader<'a> {
    read: &'a mut dyn FnMut(&Path) -> Result<String, Error>,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The files being read, outermost first.
    open: Vec<PathBuf>,
    /// The files read to their end: a second import adds nothing.
    done: Vec<PathBuf>,
}

impl TemplateReader<'_> {
    fn file(&mut self, path: &Path, items: &mut Vec<Item>) -> Result<(), Error> {
        let text = (self.read)(path)?;
        self.open.push(plain(path));
        for item in self.parsed(path.display().to_string(), text) {
            match &item.kind {
                ItemKind::Import(import) => self.import(path, import, &item, items),
                ItemKind::Use(used) => self.module(used, items),
                _ => items.push(item),
            }
        }
        self.open.pop();
        self.done.push(plain(path));
        Ok(())
    }

    fn parsed(&mut self, name: String, text: String) -> Vec<Item> {
        let source = self.sources.add(name, text);
        let (ast, found) = parse(self.sources.text(source), source);
        self.diagnostics.extend(found);
        ast.items
    }

    /// Writes a module of the library into the template; modules may use others.
    fn module(&mut self, used: &ModuleUse, items: &mut Vec<Item>) {
        let text = match expand(used) {
            Ok(text) => text,
            Err((message, help)) => {
                let diagnostic = Diagnostic::error("E0133", used.place.0, message).help(help);
                return self.diagnostics.push(diagnostic);
            }
        };
        for item in self.parsed(format!("module {}", used.name), text) {
            match &item.kind {
                ItemKind::Use(inner) => self.module(inner, items),
                _ => items.push(item),
            }
        }
    }

    fn import(&mut self, from: &Path, import: &str, item: &Item, items: &mut Vec<Item>) {
        let path = from.parent().unwrap_or(Path::new("")).join(import);
        let file = plain(&path);
        if self.open.contains(&file) {
            let message = format!("`{import}` imports itself, directly or through others");
            let help = "drop this import, or move what both files need into a third";
            self.diagnostics.push(Diagnostic::error("E0124", item.place.0, message).help(help));
        } else if !self.done.contains(&file)
            && let Err(error) = self.file(&path, items)
        {
            let mut found =
                Diagnostic::error("E0125", item.place.0, format!("cannot import {}", error.message()));
            found.help = error.sentences().find_map(|(_, help)| help.map(str::to_owned));
            self.diagnostics.push(found);
        }
    }
}

/// Returns a path without `.`, and without `..` where there is something to leave.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
