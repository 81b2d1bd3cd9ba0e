//! The file of an experiment: datasets, methods, and how they are measured.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::{learning_texts, settings_of, values};
use crate::file::{content_error, entries, file_error, read_text};
use lrnn::{Error, Settings};

/// An experiment. Paths are relative to its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFile {
    /// So many stratified folds; those of the data if it is not said.
    pub folds: Option<u32>,
    /// Number of repetitions, each with another seed.
    pub seeds: Option<u32>,
    /// The seed of the first time.
    pub seed: Option<u64>,
    /// Part held out inside the training folds.
    inner: Option<toml::Value>,
    /// Name of the search method.
    pub search: Option<String>,
    /// Number of settings tried.
    pub trials: Option<usize>,
    /// The datasets.
    #[serde(default, rename = "dataset")]
    pub datasets: Vec<ExperimentData>,
    /// The methods.
    #[serde(default, rename = "method")]
    pub methods: Vec<Method>,
}

/// A dataset, or a folder of screens.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentData {
    /// Name; that of its file or folder if it is not said.
    #[serde(default)]
    pub name: String,
    /// Its path.
    #[serde(default)]
    pub path: PathBuf,
    /// A folder: every `.tsv` in it is a dataset.
    all: Option<PathBuf>,
}

/// A way to learn: a template, or a baseline over its features.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The template.
    pub template: Option<PathBuf>,
    /// The baseline, if it is one.
    pub baseline: Option<String>,
    /// The family, instead of the template's.
    pub family: Option<String>,
    /// Settings of learning.
    #[serde(default)]
    learning: toml::Table,
    /// Settings to choose from.
    #[serde(default)]
    search: toml::Table,
}

impl Method {
    /// Returns the settings of learning: the defaults, changed as the method says; `place` begins messages.
    pub fn settings(&self, seed: Option<u64>, place: &str) -> Result<Settings, Error> {
        settings_of(seed, learning_texts(&self.learning), place)
    }

    /// Returns the settings to choose from as names and texts, in the order of the file.
    pub fn search(&self) -> Vec<(String, Vec<String>)> {
        values(&self.search)
    }
}

impl ExperimentFile {
    /// Reads the file of an experiment. Its datasets are in the folder `data`, if that is given.
    pub fn read(path: &Path, data: Option<&Path>) -> Result<Self, Error> {
        let read = toml::from_str(&read_text(path)?);
        let mut file: Self = read.map_err(|error| {
            let error = content_error(path, error.to_string().trim_end());
            error.help("an experiment is TOML with tables [[dataset]] and [[method]]")
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut datasets = Vec::new();
        for dataset in std::mem::take(&mut file.datasets) {
            datasets.extend(dataset.expanded(path, data.unwrap_or(&folder))?);
        }
        file.datasets = datasets;
        for method in &mut file.methods {
            method.template = method.template.take().map(|template| folder.join(template));
        }
        file.check(path)?;
        Ok(file)
    }

    /// Returns what is held out inside the training folds, as text.
    pub fn inner(&self) -> Option<String> {
        self.inner.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn check(&self, path: &Path) -> Result<(), Error> {
        let wrong = |message: &str, help: &str| Err(content_error(path, message).help(help));
        if self.datasets.is_empty() {
            return wrong("there is no dataset", "write [[dataset]] and path = \"FOLDER\"");
        }
        if self.methods.is_empty() {
            return wrong("there is no method", "write [[method]], name = \"NAME\", template = \"FILE\"");
        }
        for (at, method) in self.methods.iter().enumerate() {
            if method.template.is_none() && method.baseline.as_deref() != Some("majority") {
                let message = format!("method `{}` has no template", method.name);
                return wrong(&message, "write template = \"FILE\"");
            }
            if self.methods[..at].iter().any(|other| other.name == method.name) {
                return wrong(&format!("two methods are called `{}`", method.name), "give each its own name");
            }
        }
        for (at, dataset) in self.datasets.iter().enumerate() {
            if self.datasets[..at].iter().any(|other| other.name == dataset.name) {
                let message = format!("two datasets are called `{}`", dataset.name);
                return wrong(&message, "give each its own name");
            }
        }
        Ok(())
    }
}

impl ExperimentData {
    /// Itself with its name, or the screens of its folder in the order of their names.
    fn expanded(mut self, file: &Path, folder: &Path) -> Result<Vec<Self>, Error> {
        let Some(all) = self.all.take() else {
            if self.path.as_os_str().is_empty() {
                let error = content_error(file, format!("dataset `{}` has no path", self.name));
                return Err(error.help("write path = \"FOLDER\", or all = \"FOLDER\" for every .tsv in it"));
            }
            self.path = folder.join(&self.path);
            if self.name.is_empty() {
                self.name = stem(&self.path);
            }
            return Ok(vec![self]);
        };
        let all = folder.join(all);
        let mut paths = entries(&all)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
        if paths.is_empty() {
            return Err(file_error(&all, "there is no .tsv in this folder"));
        }
        let named = |path: PathBuf| Self { name: self.name.clone() + &stem(&path), path, all: None };
        Ok(paths.into_iter().map(named).collect())
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
