//! The models of folds: each is written before its fold counts as done, so that a run that goes on has them all.

use std::collections::BTreeMap;

use lrnn::model::{Model, fingerprint};
use lrnn_io::{model_sources, write_model};
use lrnn_lab::{FoldModel, Study, StudyError};

use super::folder::Folder;
use super::prepare::Prepared;
use crate::command::train::prepare::settings_text;

/// Where models go, and what they come from.
pub struct Models<'a> {
    pub folder: Folder,
    pub prepared: &'a Prepared,
    pub study: &'a Study<'a>,
}

impl Models<'_> {
    /// Writes the model of a fold, whole or not at all.
    pub fn keep(&self, learned: FoldModel) -> Result<(), StudyError> {
        let FoldModel { repeat, fold, variant, settings, loss, weights } = learned;
        let (family, path) = self.prepared.names(variant);
        let loaded = self.prepared.loaded(variant);
        let notes = BTreeMap::from([
            ("loss".to_owned(), loss.name().to_owned()),
            ("fold".to_owned(), fold.to_string()),
            ("seed".to_owned(), self.study.seed(repeat).to_string()),
        ]);
        let model = Model {
            sources: model_sources(path, &loaded.template_sources),
            family: (!family.is_empty()).then(|| family.to_owned()),
            weights,
            settings: settings_text(&settings),
            precision: settings.precision,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: fingerprint(&loaded.dataset),
            notes,
        };
        let file = self.folder.model(self.study.seed(repeat), fold);
        write_model(&file, &model).map_err(|error| StudyError::File(error.to_string()))
    }
}
