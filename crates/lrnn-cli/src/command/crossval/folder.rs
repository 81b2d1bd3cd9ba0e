//! The folder of a run: the journal while it goes, the results in the end.

use std::fs;
use std::path::{Path, PathBuf};

use lrnn_io::{IoError, write_atomically};
use lrnn_lab::baseline::Baseline;
use lrnn_lab::{FoldRecord, Results, Study, StudyError, predictions_csv};

use super::models::Models;
use super::prepare::Prepared;
use crate::args::Crossval;
use crate::command::train::{free_name, is_taken};
use crate::failure::Failure;

pub const JOURNAL: &str = "journal.jsonl";
/// All results, once the run has come to its end.
pub const RESULTS: &str = "results.json";
const MODELS: &str = "models";

/// The folder of a run.
pub struct Folder {
    pub path: PathBuf,
}

/// Whether this is the folder of a cross-validation.
pub fn is_run(folder: &Path) -> bool {
    folder.join(JOURNAL).exists()
}

/// Whether a run may be written there: seen before anything is computed.
pub fn check_out(crossval: &Crossval) -> Result<(), Failure> {
    match &crossval.out {
        Some(out) if is_taken(out) && !is_run(out) => {
            let failure = Failure::io(format!("{}: there is something in this folder", out.display()));
            Err(failure.help("choose another with --out"))
        }
        _ => Ok(()),
    }
}

impl Folder {
    pub fn open(crossval: &Crossval, prepared: &Prepared) -> Result<Self, Failure> {
        let source = crossval.folder.as_deref().unwrap_or(&prepared.asked.data);
        Self::make(crossval.out.clone().unwrap_or_else(|| free_name(source, "-crossval")))
    }

    pub fn make(path: PathBuf) -> Result<Self, Failure> {
        fs::create_dir_all(&path)
            .map_err(|error| IoError::new(&path, format!("cannot make the folder: {error}")))?;
        Ok(Self { path })
    }

    /// The journal, that of a baseline by its name.
    pub fn journal(&self, baseline: Option<&Baseline>) -> PathBuf {
        match baseline {
            None => self.path.join(JOURNAL),
            Some(baseline) => self.path.join(format!("journal-{}.jsonl", baseline.name)),
        }
    }

    /// The model of a fold.
    pub fn model(&self, seed: u64, fold: u32) -> PathBuf {
        self.path.join(MODELS).join(format!("seed-{seed}-fold-{fold}.safetensors"))
    }

    /// What keeps the models of the folds.
    pub fn models<'a>(&self, prepared: &'a Prepared, study: &'a Study<'a>) -> Result<Models<'a>, Failure> {
        let path = self.path.join(MODELS);
        fs::create_dir_all(&path)
            .map_err(|error| IoError::new(&path, format!("cannot make the folder: {error}")))?;
        Ok(Models { folder: Self { path: self.path.clone() }, prepared, study })
    }

    /// Writes all results.
    pub fn write(
        &self,
        study: &Study<'_>,
        records: &[FoldRecord],
        results: &Results,
    ) -> Result<Result<(), Failure>, StudyError> {
        let files = [
            (RESULTS, format!("{:#}\n", results.json())),
            ("results.csv", results.csv()),
            ("results.tex", results.tex()),
            ("predictions.csv", predictions_csv(study, records)?),
        ];
        for (name, text) in files {
            if let Err(error) = write_atomically(&self.path.join(name), text.as_bytes()) {
                return Ok(Err(error.into()));
            }
        }
        Ok(Ok(()))
    }
}
