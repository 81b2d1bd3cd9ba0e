//! What a cross-validation is asked for, as plain data: it is written into the folder of the run, which goes on from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lrnn::train::Settings;
use lrnn::{Error, Limits};
use lrnn_io::MoleculeColumns;
use serde::{Deserialize, Serialize};

use crate::folds::{Inner, SplitMethod};
use crate::search::{SearchMethod, SearchSpace};

/// The options of a cross-validation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CrossvalOptions {
    /// A file or a folder of data.
    pub data: PathBuf,
    /// The columns of the data, where it is a table of molecules.
    #[serde(default)]
    pub molecules: MoleculeColumns,
    /// The way to draw folds.
    #[serde(default)]
    pub split: SplitMethod,
    /// The templates to choose from, at least one, in the order of the table.
    pub templates: Vec<PathBuf>,
    /// The families to choose from, at least one; `None` is the template's own.
    pub families: Vec<Option<String>>,
    /// True if warnings are errors.
    pub strict: bool,
    /// The settings of learning; those of validation and test do not count, as folds are held out instead.
    #[serde(with = "pairs")]
    pub settings: Settings,
    /// The values of settings to choose from.
    pub space: SearchSpace,
    /// The number of stratified folds; those of the data if it is `None`, or 10.
    pub folds: Option<u32>,
    /// Part held out inside the training folds to choose settings by.
    pub inner: Inner,
    /// Order in which the search space is gone through.
    pub search: SearchMethod,
    /// The number of repetitions with other seeds, from 1.
    pub repeats: u32,
    /// True if test folds are measured at every evaluation, for the best epoch over them.
    pub best_epoch: bool,
    /// The names of baselines to measure on the same folds.
    pub baselines: Vec<String>,
    /// True if the model of each fold is kept, and one is learned from all data in the end.
    pub keep_models: bool,
    /// Bounds on grounding, and the flag that stops everything. Results do not depend on them.
    pub limits: Limits,
}

impl CrossvalOptions {
    /// Returns the options of a template on data, with nothing to choose.
    pub fn new(template: PathBuf, data: PathBuf, settings: Settings) -> Self {
        Self {
            data,
            molecules: MoleculeColumns::default(),
            split: SplitMethod::default(),
            templates: vec![template],
            families: vec![None],
            strict: false,
            settings,
            space: SearchSpace::default(),
            folds: None,
            inner: Inner::Share(0.2),
            search: SearchMethod::Grid,
            repeats: 1,
            best_epoch: false,
            baselines: Vec::new(),
            keep_models: true,
            limits: Limits::default(),
        }
    }

    /// Returns the options with settings to choose from. The templates among them are in this folder; `place` begins
    /// the messages about what is wrong.
    pub fn with_space(mut self, space: SearchSpace, folder: &Path, place: &str) -> Result<Self, Error> {
        space.check(place)?;
        if let Some(names) = space.values("template") {
            self.templates = names.iter().map(|name| folder.join(name)).collect();
        }
        if let Some(names) = space.values("family") {
            self.families = names.iter().cloned().map(Some).collect();
        }
        self.space = space;
        Ok(self)
    }

    /// Returns the number of the template and family that a trial takes.
    pub(crate) fn variant(&self, taken: &[(String, String)]) -> usize {
        let place = |name: &str| {
            let (_, value) = taken.iter().find(|(other, _)| other == name)?;
            self.space.values(name)?.iter().position(|other| other == value)
        };
        place("template").unwrap_or(0) * self.families.len() + place("family").unwrap_or(0)
    }
}

/// Settings as names and texts.
mod pairs {
    use super::{BTreeMap, Settings};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(settings: &Settings, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(settings.given())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Settings, D::Error> {
        let mut settings = Settings::default();
        for (name, text) in BTreeMap::<String, String>::deserialize(deserializer)? {
            settings.set(&name, &text).map_err(serde::de::Error::custom)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_from_json() {
        let settings = Settings { epochs: 7, seed: u64::MAX, ..Settings::default() };
        let space = SearchSpace(vec![("family".into(), vec!["godel".into(), "max_sigmoid".into()])]);
        let mut options = CrossvalOptions::new("t.lrnn".into(), "d.txt".into(), settings)
            .with_space(space, Path::new(""), "")
            .expect("a space");
        (options.inner, options.search) = (Inner::Folds(3), SearchMethod::Halving(Some(4)));
        let text = serde_json::to_string(&options).expect("JSON");
        let read: CrossvalOptions = serde_json::from_str(&text).expect("options");
        assert_eq!(serde_json::to_string(&read).expect("JSON"), text);
        assert_eq!((read.settings, read.families.len()), (options.settings, 2));
        assert!(serde_json::from_str::<CrossvalOptions>(&text.replace("\"epochs\"", "\"epoch\"")).is_err());
    }
}
