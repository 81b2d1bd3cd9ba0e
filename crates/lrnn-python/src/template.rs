//! Templates.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lrnn::ErrorKind;
use lrnn::diagnostic::SourceId;
use lrnn::function::Family;
use lrnn::template::{Options, TemplateText};
use lrnn_io::{family, read_template};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::dataset::PyDataset;
use crate::error::{OrRaise, diagnostics};

/// A template with the messages about it, and its file if it came from one.
#[pyclass(frozen, name = "Template", module = "lrnn._lrnn")]
pub struct PyTemplate {
    pub template: Arc<lrnn::Template>,
    pub path: Option<PathBuf>,
    text: TemplateText,
}

fn family_of(py: Python<'_>, name: Option<&str>) -> PyResult<Option<&'static Family>> {
    name.map(|name| family(name, ErrorKind::Usage, "")).transpose().or_raise(py)
}

impl PyTemplate {
    /// Keeps a template that came without messages.
    pub fn of(template: lrnn::Template) -> Self {
        let (sources, diagnostics) = (template.sources.clone(), Vec::new());
        let text = TemplateText { sources, template: None, diagnostics };
        Self { template: Arc::new(template), path: None, text }
    }

    /// Keeps a template that came from a file.
    pub fn from_file(template: lrnn::Template, path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::of(template) }
    }

    /// Keeps a template as read, or raises all its mistakes.
    pub fn new(py: Python<'_>, mut text: TemplateText, path: Option<PathBuf>) -> PyResult<Self> {
        let template = text.clone().into_template().or_raise(py)?;
        text.template = None;
        Ok(Self { template: Arc::new(template), path, text })
    }
}

#[pymethods]
impl PyTemplate {
    #[staticmethod]
    fn of_texts(
        py: Python<'_>,
        texts: Vec<(String, String)>,
        family: Option<&str>,
        strict: bool,
    ) -> PyResult<Self> {
        let options = Options { family: family_of(py, family)?, strict };
        let text = lrnn::Template::of_texts(&texts, options).or_raise(py)?;
        Self::new(py, text, None)
    }

    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, family: Option<&str>, strict: bool) -> PyResult<Self> {
        let options = Options { family: family_of(py, family)?, strict };
        let text = read_template(&path, options).or_raise(py)?;
        Self::new(py, text, Some(path))
    }

    /// Returns the messages about a text, errors among them.
    #[staticmethod]
    fn check_text<'py>(
        py: Python<'py>,
        text: String,
        family: Option<&str>,
        strict: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = Options { family: family_of(py, family)?, strict };
        let texts = [("template.lrnn".to_owned(), text)];
        let text = lrnn::Template::of_texts(&texts, options).or_raise(py)?;
        diagnostics(py, &text.diagnostics, &text.sources)
    }

    /// Returns what there is to say of the template; with data, also of how both fit.
    fn check<'py>(&self, py: Python<'py>, dataset: Option<&PyDataset>) -> PyResult<Bound<'py, PyList>> {
        let TemplateText { sources, diagnostics: own, .. } = &self.text;
        let mut found = own.clone();
        found.extend(lrnn::ground::cross_products(&self.template));
        let Some(dataset) = dataset else { return diagnostics(py, &found, sources) };
        let dataset = dataset.get(py)?;
        let dataset = match dataset.vocabulary.extends(&self.template.vocabulary) {
            true => Cow::Borrowed(&*dataset),
            false => Cow::Owned(dataset.renumbered(self.template.vocabulary.clone())),
        };
        // What only data can give is there now, or is told by the fit.
        found.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
        found.extend(lrnn::ground::fit(&self.template, &dataset, false).1);
        diagnostics(py, &found, &sources.joined(&dataset.sources))
    }

    /// Returns its texts by name, the main one first.
    fn texts(&self) -> Vec<(String, String)> {
        self.template.texts()
    }

    fn asked_family(&self) -> Option<&'static str> {
        self.template.asked_family
    }

    fn family(&self) -> &'static str {
        self.template.family.name
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the main text in the standard layout.
    fn formatted(&self) -> String {
        let texts = self.template.texts();
        let text = texts.first().map_or("", |(_, text)| text);
        lrnn::syntax::print(&lrnn::syntax::parse(text, SourceId(0)).0, text)
    }

    /// Returns every predicate of the template as `name/arity`.
    fn predicates(&self) -> Vec<String> {
        self.template.vocabulary.predicates().map(|(_, signature)| signature.to_string()).collect()
    }

    fn rule_count(&self) -> usize {
        self.template.rules.len()
    }
}
