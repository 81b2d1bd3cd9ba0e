//! Runs with a folder: rules learned from files, with a model to go on with, and cross-validations that continue.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lrnn::data::Dataset;
use lrnn::train::{Settings, Share};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Error, Template, Training, TrainingOptions};
use lrnn_io::{
    CONFIG_NAME, HistoryLine, MoleculeColumns, RunFolder, RunInputs, check_free, file_error,
    is_molecule_file, locate, read_dataset, used_columns, write_atomically,
};
use serde::Serialize;

use crate::foreign_bias::folder_bias;
use crate::growth_journal::GrowthJournal;
use crate::journal::JournalFile;
use crate::molecule_bias::molecule_bias;
use crate::{InduceOptions, InducedFold, Induction, Validation, induce, validate};

/// The file of finished growths in the folder of a run that is not finished.
const JOURNAL_NAME: &str = "growths.jsonl";

/// Data to learn rules from, and where it is.
#[derive(Debug)]
pub struct InduceInputs {
    /// The file or folder of the facts.
    pub path: PathBuf,
    /// The facts and queries.
    pub dataset: Dataset,
    /// The columns of a table of molecules, if it is one.
    pub molecules: Option<MoleculeColumns>,
}

/// Rules that were learned, and where they are.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InduceRun {
    /// The rules.
    #[serde(flatten)]
    pub induction: Induction,
    /// The file of the template.
    pub template: PathBuf,
    /// That of the soft rules, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_template: Option<PathBuf>,
    /// The folder of the run, which `lrnn train`, `predict` and `report` read.
    pub run: PathBuf,
}

/// The results of a cross-validation, and where they are.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValidationRun {
    /// The results.
    #[serde(flatten)]
    pub results: Validation,
    /// The folder of the run.
    pub run: PathBuf,
}

impl InduceInputs {
    /// Reads the data that a path names: a file, a table of molecules with these columns, a folder of facts and queries, or
    /// one with an lrnn.toml.
    pub fn read(path: &Path, columns: &MoleculeColumns) -> Result<Self, Error> {
        let path = match path.is_dir() && path.join(CONFIG_NAME).exists() {
            true => locate(path, None)?.1.unwrap_or_else(|| path.to_owned()),
            false => path.to_owned(),
        };
        let mut vocabulary = Vocabulary::default();
        // Molecules have their elements and types as terms where somebody asks for them.
        for name in ["atom_type", "bond_type", "element"] {
            vocabulary.predicate(name, 2);
        }
        let is_table = is_molecule_file(&path, columns);
        let columns = if is_table { used_columns(&path, columns)? } else { columns.clone() };
        if is_table {
            vocabulary.predicate("ring", 2);
            for name in columns.properties() {
                vocabulary.predicate(&name, 0);
            }
        }
        let (dataset, molecules) = read_dataset(&path, &columns, vocabulary)?;
        Ok(Self { path, dataset, molecules })
    }

    /// Returns options that have a bias, if they have none: that of a folder of Aleph's or Popper's, or that of molecules.
    pub fn options(&self, options: InduceOptions) -> Result<InduceOptions, Error> {
        let bias = options.bias.map_or_else(|| folder_bias(&self.path), |bias| Ok(Some(bias)))?;
        Ok(InduceOptions { bias: bias.or_else(|| molecule_bias(&self.dataset)), ..options })
    }

    /// Learns rules, and writes template, bias and model into a new folder; the template to `output` as well.
    pub fn learn(
        &self,
        options: &InduceOptions,
        out: PathBuf,
        output: Option<PathBuf>,
    ) -> Result<InduceRun, Error> {
        let path = out.join(JOURNAL_NAME);
        if !path.exists() {
            check_free(&out, "choose another with --out")?;
        }
        std::fs::create_dir_all(&out).map_err(|error| file_error(&out, error))?;
        let journal = GrowthJournal::open(&path, &self.inputs_line(options))?;
        let induction = induce(&self.dataset, &InduceOptions { journal, ..options.clone() })?;
        let text = induction.template();
        let template = Template::parse(&text)?;
        let own = out.join("template.lrnn");
        write_atomically(&own, text.as_bytes())?;
        if let Some(output) = &output {
            write_atomically(output, text.as_bytes())?;
        }
        let soft_template = self.write_soft(&induction, output.as_deref().unwrap_or(&own))?;
        write_atomically(&out.join("history.jsonl"), history(&induction).as_bytes())?;
        let mut biases: Vec<&str> = induction.goals.iter().map(|goal| goal.bias.as_str()).collect();
        biases.dedup();
        write_atomically(&out.join("bias.lrnn"), biases.join("\n").as_bytes())?;
        let settings = Settings { validation: Share(0.0), test: Share(0.0), ..Settings::default() };
        let inputs = RunInputs {
            template: &own,
            data: &self.path,
            validation_data: None,
            molecules: self.molecules.as_ref(),
            family: None,
            limits: &lrnn::Limits::default(),
            settings: &settings,
        };
        let folder = RunFolder::create(out.clone(), &inputs)?;
        // The ids of the template come first.
        let columns = self.molecules.clone().unwrap_or_default();
        let again = read_dataset(&self.path, &columns, template.vocabulary.clone())?.0;
        let training = Training::new(&template, &again, &settings, TrainingOptions::default())?;
        folder.write_model(&training.model())?;
        // Who was stopped may go on.
        let is_unfinished = options.stop.is_raised() && induction.is_cut_short();
        if path.exists() && !is_unfinished {
            std::fs::remove_file(&path).map_err(|error| file_error(&path, error))?;
        }
        Ok(InduceRun { induction, template: output.unwrap_or(own), soft_template, run: out })
    }

    /// Writes soft rules beside crisp ones: rules-soft.lrnn beside rules.lrnn.
    fn write_soft(&self, induction: &Induction, crisp: &Path) -> Result<Option<PathBuf>, Error> {
        let Some(text) = induction.soft_template() else { return Ok(None) };
        let stem = crisp.file_stem().unwrap_or_default().to_string_lossy();
        let path = crisp.with_file_name(format!("{stem}-soft.lrnn"));
        write_atomically(&path, text.as_bytes())?;
        Ok(Some(path))
    }

    /// Measures the whole procedure by cross-validation; folds that the folder has already are not done again. `done`
    /// is told how many folds there are.
    pub fn validate(
        &self,
        options: &InduceOptions,
        out: PathBuf,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<ValidationRun, Error> {
        std::fs::create_dir_all(&out).map_err(|error| file_error(&out, error))?;
        let path = out.join("folds.jsonl");
        let (journal, known) = JournalFile::open::<InducedFold>(&path, &self.inputs_line(options))?;
        let journal = Mutex::new((journal, known.len()));
        let results = validate(&self.dataset, options, &known, &|fold| {
            let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.1 += 1;
            done(journal.1);
            journal.0.add(fold)
        })?;
        let run = ValidationRun { results, run: out };
        let json = serde_json::to_string_pretty(&run).unwrap_or_default();
        write_atomically(&run.run.join("results.json"), (json + "\n").as_bytes())?;
        Ok(run)
    }

    /// Returns what the folds of a run depend on.
    fn inputs_line(&self, options: &InduceOptions) -> String {
        let InduceOptions {
            method,
            growth,
            limits,
            soft,
            from,
            bias,
            folds,
            group,
            stop: _,
            counter: _,
            journal: _,
        } = options;
        // A deadline does not change what is found, only how much.
        let growth = crate::GrowthOptions { deadline: None, ..*growth };
        let apart = group.map(|column| ("apart", column));
        let options =
            format!("{method:?} {growth:?} {limits:?} {from:?} {bias:?} {folds:?} {apart:?} {soft:?}");
        serde_json::json!({ "data": lrnn::model::fingerprint(&self.dataset), "options": options }).to_string()
    }
}

/// Returns how the loss fell, rule by rule, in the form of a history of learning: a goal is a restart, a rule an
/// epoch, and inner folds are the validation.
fn history(induction: &Induction) -> String {
    let mut text = String::new();
    for (number, goal) in induction.goals.iter().enumerate() {
        for (at, rule) in goal.rules.iter().enumerate() {
            let line = HistoryLine {
                restart: number as u32,
                epoch: at as u32 + 1,
                rate: 1.0,
                running_loss: rule.loss,
                running_error: rule.error,
                training_loss: rule.loss,
                training_error: rule.error,
                validation_loss: goal.inner_losses.get(at + 1).copied(),
                validation_error: None,
            };
            text.push_str(&(serde_json::to_string(&line).unwrap_or_default() + "\n"));
        }
    }
    text
}
