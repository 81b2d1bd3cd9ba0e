//! The folder of a run: the model, the settings as used, the history, and a checkpoint to go on from.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lrnn::function::Real;
use lrnn::model::{Model, fingerprint};
use lrnn::train::State;
use lrnn_io::{CONFIG_NAME, IoError, read_text, toml_text, write_atomically, write_model};

use super::prepare::{Prepared, settings_text};
use super::watch::{Line, Watch};
use crate::args::Train;
use crate::failure::{Failure, TEXT};

const MODEL: &str = "model.safetensors";
const CHECKPOINT: &str = "checkpoint.safetensors";
pub const HISTORY: &str = "history.jsonl";

/// The folder of a run.
pub struct Folder {
    pub path: PathBuf,
}

/// The model of a run, or the model itself.
pub fn model_in(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(MODEL) } else { path.to_owned() }
}

/// The folder of a run as a dataset folder: its settings name template and data.
pub fn settings_of(run: &Path) -> Result<PathBuf, Failure> {
    if run.join(CHECKPOINT).exists() && run.join(CONFIG_NAME).exists() {
        return Ok(run.to_owned());
    }
    let failure = Failure::io(format!("{}: there is no run to go on with", run.display()));
    Err(failure.help(format!("a run is a folder with {CHECKPOINT}, which `lrnn train` writes")))
}

/// Whether a run may be written there: seen before anything is computed.
pub fn check_out(train: &Train) -> Result<(), Failure> {
    match &train.out {
        Some(out) if is_taken(out) => {
            let failure = Failure::io(format!("{}: there is something in this folder", out.display()));
            Err(failure.help("choose another with --out, or go on with the run in it by --resume"))
        }
        _ => Ok(()),
    }
}

impl Folder {
    pub fn open(train: &Train, prepared: &Prepared) -> Result<Self, Failure> {
        let path = match (&train.resume, &train.out) {
            (Some(run), _) => return Ok(Self { path: run.clone() }),
            (None, Some(out)) => out.clone(),
            (None, None) => free_name(train.folder.as_deref().unwrap_or(&prepared.path), ""),
        };
        fs::create_dir_all(&path)
            .map_err(|error| IoError::new(&path, format!("cannot make the folder: {error}")))?;
        let folder = Self { path };
        write_atomically(&folder.path.join(CONFIG_NAME), settings(prepared).as_bytes())?;
        Ok(folder)
    }

    /// What a checkpoint belongs to.
    fn texts(prepared: &Prepared) -> BTreeMap<String, String> {
        let template: String = prepared.loaded.template_sources.iter().map(|(_, text)| text).collect();
        BTreeMap::from([
            ("data".to_owned(), format!("{:016x}", fingerprint(&prepared.loaded.dataset))),
            ("template".to_owned(), template),
            ("precision".to_owned(), prepared.settings.precision.name().to_owned()),
        ])
    }

    /// Writes where learning stands; the history first, so that it is never behind.
    pub fn save<R: Real>(
        &self,
        state: &State<R>,
        watch: &Watch<'_>,
        prepared: &Prepared,
    ) -> Result<(), Failure> {
        let mut lines = watch.history();
        lines.sort_by_key(|line| (line.restart, line.epoch));
        let text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
        write_atomically(&self.path.join(HISTORY), text.as_bytes())?;
        let bytes = state.to_bytes(env!("CARGO_PKG_VERSION"), &Self::texts(prepared));
        let bytes = bytes.map_err(|error| Failure::io(error.to_string()))?;
        write_atomically(&self.path.join(CHECKPOINT), &bytes)?;
        Ok(())
    }

    /// Where learning stood, and the history up to there.
    pub fn checkpoint<R: Real>(&self, prepared: &Prepared) -> Result<(State<R>, Vec<Line>), Failure> {
        let path = self.path.join(CHECKPOINT);
        let bytes = fs::read(&path).map_err(|error| IoError::new(&path, error.to_string()))?;
        let read = State::<R>::from_bytes(&bytes);
        let (state, texts) =
            read.map_err(|error| Failure::new(TEXT, format!("{}: {error}", path.display())))?;
        for (name, text) in Self::texts(prepared) {
            if texts.get(&name) != Some(&text) {
                let message = format!("the {name} changed since this run began");
                return Err(
                    Failure::new(TEXT, message).help("begin a new run; --from takes its weights along")
                );
            }
        }
        let parameters = prepared.problem.networks().parameters.len();
        let fits = state.restarts.len() == prepared.settings.restarts.0 as usize
            && state.restarts.iter().all(|restart| {
                restart.parameters.len() == parameters
                    && restart.memories.len() == prepared.settings.optimizer.memories()
            });
        if !fits {
            let message = "the checkpoint does not belong to these settings";
            return Err(
                Failure::new(TEXT, message).help("restarts and optimizer cannot be changed on the way")
            );
        }
        let history = read_text(&self.path.join(HISTORY)).unwrap_or_default();
        let is_before = |line: &Line| {
            state.restarts.get(line.restart as usize).is_some_and(|restart| line.epoch <= restart.epoch)
        };
        let lines = history.lines().filter_map(Line::parse).filter(is_before).collect();
        Ok((state, lines))
    }

    pub fn write_model(&self, model: &Model) -> Result<(), Failure> {
        Ok(write_model(&self.path.join(MODEL), model)?)
    }

    pub fn model_path(&self) -> PathBuf {
        self.path.join(MODEL)
    }
}

/// Whether there is something already.
pub fn is_taken(path: &Path) -> bool {
    path.is_file() || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
}

/// `runs/NAME`, after the folder or file it comes from, or with the first number that is free.
pub fn free_name(source: &Path, ending: &str) -> PathBuf {
    let source = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let name = source.file_stem().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
    let name = name + ending;
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let names = std::iter::once(name.clone()).chain(numbered);
    let mut paths = names.map(|name| Path::new("runs").join(name));
    paths.find(|path| !is_taken(path)).unwrap_or_else(|| PathBuf::from("runs"))
}

/// All that is needed to do it again, as a dataset folder has it.
fn settings(prepared: &Prepared) -> String {
    let whole = |path: &Path| {
        toml_text(&path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string())
    };
    let mut text = String::from("# Written by `lrnn train`: the settings of this run as used.\n");
    let _ = writeln!(text, "template = {}\ndata = {}", whole(&prepared.path), whole(&prepared.data));
    if let Some(family) = &prepared.family {
        let _ = writeln!(text, "family = {}", toml_text(family));
    }
    if let Some(data) = &prepared.validation_data {
        let _ = writeln!(text, "validation_data = {}", whole(data));
    }
    let limits = &prepared.limits;
    let _ = writeln!(text, "max_ground_rules = {}", limits.per_example);
    let _ = writeln!(text, "max_ground_rules_total = {}", limits.total);
    text + "\n[learning]\n" + &settings_text(&prepared.settings)
}
