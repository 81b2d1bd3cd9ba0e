//! From the file of an experiment to what one study needs.

use std::path::{Path, PathBuf};

use lrnn::ground::Limits;
use lrnn::train::Settings;
use lrnn_io::{ExperimentData, Method};
use lrnn_lab::{Inner, Search, Space};

use super::Session;
use crate::command::crossval::{Asked, families, search_of, space_failure, templates};
use crate::command::train::prepare::apply;
use crate::failure::{Failure, TEXT};

/// What is held out inside the training folds if nobody says.
const INNER: Inner = Inner::Share(0.2);

impl Session<'_> {
    /// What one method on one dataset needs.
    pub fn asked(&self, dataset: &ExperimentData, method: &Method) -> Result<Asked, Failure> {
        let place = format!("{}, method `{}`", self.path.display(), method.name);
        let mut settings = Settings { seed: self.file.seed.unwrap_or(0), ..Settings::default() };
        apply(&mut settings, method.learning().into_iter(), TEXT, &format!("{place}, learning: "))?;
        (settings.validation.0, settings.test.0) = (0.0, 0.0);
        let space = Space(method.search());
        let place = format!("{place}, search: ");
        space.check().map_err(|error| space_failure(&place, error))?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Ok(Asked {
            data: data_of(&dataset.path),
            templates: templates(&space, Some(folder), &self.template(method)?),
            families: families(&space, method.family.clone()),
            strict: false,
            settings,
            space,
            place,
            limits: Limits::default(),
            folds: self.folds()?,
            inner: self.inner()?,
            search: self.search()?,
            repeats: self.file.seeds.unwrap_or(1).max(1),
            best_epoch: false,
        })
    }

    /// Its template; a baseline that needs none takes any, to read the data with.
    fn template(&self, method: &Method) -> Result<PathBuf, Failure> {
        let any = || self.file.methods.iter().find_map(|method| method.template.clone());
        method.template.clone().or_else(any).ok_or_else(|| {
            let failure = self.wrong("no method has a template to read the data with");
            failure.help("write template = \"FILE\" for one of them")
        })
    }

    fn folds(&self) -> Result<Option<u32>, Failure> {
        match self.file.folds {
            Some(0 | 1) => Err(self.wrong("`folds` must be a number from 2")),
            folds => Ok(folds),
        }
    }

    fn inner(&self) -> Result<Inner, Failure> {
        match self.file.inner() {
            None => Ok(INNER),
            Some(text) => {
                text.parse().map_err(|why| self.wrong(&format!("`inner` cannot be `{text}`: {why}")))
            }
        }
    }

    fn search(&self) -> Result<Search, Failure> {
        let name = self.file.search.as_deref().unwrap_or("grid");
        search_of(name, self.file.trials).unwrap_or_else(|| {
            let failure = self.wrong(&format!("there is no search `{name}`"));
            Err(failure.help("there are grid, random, halving"))
        })
    }
}

/// A dataset folder may name its data elsewhere.
fn data_of(path: &Path) -> PathBuf {
    if path.join(lrnn_io::CONFIG_NAME).exists() {
        let data = lrnn_io::Config::read(path).ok().and_then(|config| config.data);
        return data.unwrap_or_else(|| path.to_owned());
    }
    path.to_owned()
}
