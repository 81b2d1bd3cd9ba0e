//! The folder of a training run: the model, the settings as used, the split, the history, and a checkpoint to go on from.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lrnn::train::{Cases, Measure, Settings, Split};
use lrnn::{Dataset, Epoch, Error, Limits, Model, Observer, Training};
use serde::{Deserialize, Serialize};

use crate::file::content_error;
use crate::template::is_shipped;
use crate::{
    CONFIG_NAME, MoleculeColumns, create_folder, file_error, molecules_template, read_text, toml_text,
    write_atomically, write_model,
};

pub(crate) const MODEL: &str = "model.safetensors";
const CHECKPOINT: &str = "checkpoint.safetensors";
const HISTORY: &str = "history.jsonl";
const SPLIT: &str = "split.json";
/// A template that came with the program.
const TEMPLATE: &str = "template.lrnn";

/// Time of a round of epochs: short enough to stop soon.
const ROUND: Duration = Duration::from_millis(200);
/// Checkpoints take at most one part in so many of the time.
const BETWEEN_CHECKPOINTS: u32 = 20;

/// An epoch at which the losses over all examples were computed: a line of the history.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct HistoryLine {
    /// The restart, from 0.
    pub restart: u32,
    /// The epoch, from 1.
    pub epoch: u32,
    /// The learning rate.
    pub rate: f64,
    /// The mean loss over the epoch, each example before its step.
    pub running_loss: f64,
    /// The share of wrong answers over the epoch.
    pub running_error: f64,
    /// The loss over the training examples after the epoch.
    pub training_loss: f64,
    /// The share of wrong training answers after the epoch.
    pub training_error: f64,
    /// The loss over the validation examples after the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_loss: Option<f64>,
    /// The share of wrong validation answers after the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_error: Option<f64>,
}

impl HistoryLine {
    /// Returns the line of an epoch; none if its losses were not computed.
    pub fn of(epoch: &Epoch) -> Option<Self> {
        let training = epoch.training?;
        Some(Self {
            restart: epoch.restart,
            epoch: epoch.epoch,
            rate: epoch.rate,
            running_loss: epoch.running.loss,
            running_error: epoch.running.error(),
            training_loss: training.loss,
            training_error: training.error(),
            validation_loss: epoch.validation.map(|measure| measure.loss),
            validation_error: epoch.validation.as_ref().map(Measure::error),
        })
    }
}

/// The numbers of the cases that a run learned from, chose its epoch by, and tested.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SplitFile {
    /// `examples`, or `queries` of the only example.
    pub of: String,
    /// Cases to learn from.
    pub training: Vec<usize>,
    /// Cases for validation.
    pub validation: Vec<usize>,
    /// Cases for the test at the end.
    pub test: Vec<usize>,
}

/// The beginnings of a run, for its `lrnn.toml`.
#[derive(Clone, Debug)]
pub struct RunInputs<'a> {
    /// The template's file.
    pub template: &'a Path,
    /// The data.
    pub data: &'a Path,
    /// Other data for validation.
    pub validation_data: Option<&'a Path>,
    /// The columns of the data, where it is a table of molecules.
    pub molecules: Option<&'a MoleculeColumns>,
    /// The family that was asked for.
    pub family: Option<&'a str>,
    /// The limits of grounding.
    pub limits: &'a Limits,
    /// The settings as used.
    pub settings: &'a Settings,
}

/// The folder of a run.
#[derive(Debug)]
pub struct RunFolder {
    /// Its path.
    pub path: PathBuf,
    /// The history from before the run was resumed.
    earlier: Vec<HistoryLine>,
}

/// Tells whether there is something at a path already.
pub fn is_taken(path: &Path) -> bool {
    path.is_file() || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns an error if a new run cannot be written to a folder because something is in it.
pub fn check_free(path: &Path, help: &str) -> Result<(), Error> {
    match (is_taken(path), path.is_file()) {
        (true, true) => Err(file_error(path, "there is such a file already").help(help)),
        (true, false) => Err(file_error(path, "there is something in this folder").help(help)),
        (false, _) => Ok(()),
    }
}

/// Returns `runs/NAME`, after the folder or file that a run comes from, with the first number that is free.
pub fn free_name(source: &Path, ending: &str) -> PathBuf {
    let source = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let name = source.file_stem().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
    let name = name + ending;
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let names = std::iter::once(name.clone()).chain(numbered);
    let mut paths = names.map(|name| Path::new("runs").join(name));
    paths.find(|path| !is_taken(path)).unwrap_or_else(|| PathBuf::from("runs"))
}

impl RunFolder {
    /// Makes the folder of a new run, with the settings as used.
    pub fn create(path: PathBuf, inputs: &RunInputs<'_>) -> Result<Self, Error> {
        create_folder(&path)?;
        if is_shipped(inputs.template) {
            let columns = inputs.molecules.cloned().unwrap_or_default();
            write_atomically(&path.join(TEMPLATE), molecules_template(&columns).as_bytes())?;
        }
        write_atomically(&path.join(CONFIG_NAME), inputs.config().as_bytes())?;
        Ok(Self { path, earlier: Vec::new() })
    }

    /// Opens the folder of a run to go on with.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if path.join(CHECKPOINT).exists() && path.join(CONFIG_NAME).exists() {
            return Ok(Self { path: path.to_owned(), earlier: Vec::new() });
        }
        let error = file_error(path, "there is no run to go on with");
        Err(error.help(format!("a run is a folder with {CHECKPOINT}, which `lrnn train` writes")))
    }

    /// Tells whether a folder holds a run that came as far as a model.
    pub fn is_run(path: &Path) -> bool {
        path.is_dir() && path.join(CONFIG_NAME).exists() && path.join(MODEL).exists()
    }

    /// Writes which cases are for what.
    pub fn write_split(&self, cases: Cases, split: &Split) -> Result<(), Error> {
        let Split { training, validation, test } = split.clone();
        let file = SplitFile { of: cases.name().to_owned(), training, validation, test };
        let text = serde_json::to_string(&file).unwrap_or_default();
        write_atomically(&self.path.join(SPLIT), format!("{text}\n").as_bytes())
    }

    /// Reads which cases are for what; none if the run does not say.
    pub fn read_split(path: &Path) -> Option<Split> {
        let SplitFile { training, validation, test, .. } =
            serde_json::from_str(&read_text(&path.join(SPLIT)).ok()?).ok()?;
        Some(Split { training, validation, test })
    }

    /// Writes where training stands; the history first, so that it is never behind.
    pub fn save(&self, training: &Training<'_>) -> Result<(), Error> {
        write_atomically(&self.path.join(HISTORY), self.history(training).as_bytes())?;
        write_atomically(&self.path.join(CHECKPOINT), &training.checkpoint()?)
    }

    /// Returns the history as text, a JSON object a line.
    pub fn history(&self, training: &Training<'_>) -> String {
        let mut lines = self.earlier.clone();
        lines.extend(training.history().iter().filter_map(HistoryLine::of));
        lines.sort_by_key(|line| (line.restart, line.epoch));
        let text = |line: &HistoryLine| serde_json::to_string(line).unwrap_or_default() + "\n";
        lines.iter().map(text).collect()
    }

    /// Reads the history of a run; empty if there is none.
    pub fn read_history(path: &Path) -> String {
        read_text(&path.join(HISTORY)).unwrap_or_default()
    }

    /// Takes training back to where the run stood.
    pub fn resume(&mut self, training: &mut Training<'_>) -> Result<(), Error> {
        let path = self.path.join(CHECKPOINT);
        let bytes = fs::read(&path).map_err(|error| file_error(&path, error))?;
        training.resume(&bytes).map_err(|error| {
            let (message, help) = error.sentences().next().unwrap_or_default();
            help.into_iter().fold(content_error(&path, message), Error::help)
        })?;
        let (_, gone) = training.progress();
        let lines = Self::read_history(&self.path);
        let lines = lines.lines().filter_map(|line| serde_json::from_str(line).ok());
        let is_before =
            |line: &HistoryLine| gone.get(line.restart as usize).is_some_and(|&gone| line.epoch <= gone);
        self.earlier = lines.filter(is_before).collect();
        Ok(())
    }

    /// Trains to the end, or until the observer says stop, and saves now and then.
    pub fn train(&self, training: &mut Training<'_>, observer: &dyn Observer) -> Result<(), Error> {
        let mut epochs = 1;
        let mut due = self.save_timed(training)?;
        while !training.is_finished() && !observer.is_stopped() {
            let round = Instant::now();
            training.advance(epochs, observer);
            if let Some(error) = training.failure() {
                return Err(error); // the last checkpoint is the one to go on from
            }
            // So many epochs that the next round takes as long as it should.
            let ratio = ROUND.as_secs_f64() / round.elapsed().as_secs_f64().max(1e-6);
            epochs = (f64::from(epochs) * ratio.clamp(0.25, 4.0)).round().clamp(1.0, 100_000.0) as u32;
            if Instant::now() > due {
                due = self.save_timed(training)?;
            }
        }
        self.save(training)
    }

    /// Saves and returns when it is time for the next time.
    fn save_timed(&self, training: &Training<'_>) -> Result<Instant, Error> {
        let start = Instant::now();
        self.save(training)?;
        Ok(Instant::now() + ROUND.max(start.elapsed() * BETWEEN_CHECKPOINTS))
    }

    /// Writes the model.
    pub fn write_model(&self, model: &Model) -> Result<(), Error> {
        write_model(&self.model_path(), model)
    }

    /// Returns where the model is.
    pub fn model_path(&self) -> PathBuf {
        self.path.join(MODEL)
    }
}

impl RunInputs<'_> {
    /// Returns all that is needed to do it again, as a dataset folder has it.
    fn config(&self) -> String {
        let whole = |path: &Path| {
            toml_text(&path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string())
        };
        let mut text = String::from("# Written by `lrnn train`: the settings of this run as used.\n");
        let template = if is_shipped(self.template) { toml_text(TEMPLATE) } else { whole(self.template) };
        let _ = writeln!(text, "template = {template}\ndata = {}", whole(self.data));
        if let Some(family) = self.family {
            let _ = writeln!(text, "family = {}", toml_text(family));
        }
        if let Some(data) = self.validation_data {
            let _ = writeln!(text, "validation_data = {}", whole(data));
        }
        let _ = writeln!(text, "max_ground_rules = {}", self.limits.per_example);
        let _ = writeln!(text, "max_ground_rules_total = {}", self.limits.total);
        text += &format!("\n[learning]\n{}", settings_toml(self.settings));
        let columns = self.molecules.and_then(|columns| toml::Value::try_from(columns).ok());
        let tables = columns.map(|columns| toml::Table::from_iter([("molecules".to_owned(), columns)]));
        text + &tables.map(|tables| format!("\n{tables}")).unwrap_or_default()
    }
}

/// Adds other data for validation to data, and returns the split of both: the one given, or as the settings draw it.
pub fn with_validation(
    dataset: &mut Dataset,
    other: Dataset,
    split: Option<Split>,
    settings: &Settings,
) -> Split {
    let own = dataset.examples.len();
    // Beside other data, a knowledge base is one example, and all its queries are for training.
    let drawn = || match Cases::of(dataset) {
        Cases::Examples => Split::of(dataset, settings),
        Cases::Queries => Split { training: (0..own).collect(), ..Split::default() },
    };
    let mut split = split.unwrap_or_else(drawn);
    dataset.append(other);
    split.validation.retain(|&example| example < own);
    split.validation.extend(own..dataset.examples.len());
    split
}

/// Returns settings as lines of TOML.
pub fn settings_toml(settings: &Settings) -> String {
    let line = |setting: &lrnn::train::Setting<Settings>| {
        let text = (setting.get)(settings);
        // TOML has whole numbers of 63 bits only.
        let is_number = text.parse::<f64>().is_ok() && !text.parse().is_ok_and(|n: u64| n > i64::MAX as u64);
        let is_bare = setting.kind == "BOOL" || is_number;
        format!("{} = {}\n", setting.name, if is_bare { text } else { toml_text(&text) })
    };
    Settings::TABLE.iter().map(line).collect()
}
