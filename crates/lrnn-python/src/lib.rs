//! The compiled half of the Python package `lrnn`: the engine and the crates around it, behind few classes that the
//! half in [`python/lrnn`](../../../python/lrnn) gives their manners. Long work lets other threads of Python run, and
//! looks at signals.

mod arrow;
mod attended;
mod column;
mod dataset;
mod error;
mod model;
mod parcel;
mod shard;
mod template;
mod term;
mod torch;
mod training;

use std::ffi::OsString;

use lrnn::train::{Setting, Settings};
use lrnn_io::{Inputs, MoleculeColumns};
use pyo3::prelude::*;

use crate::dataset::PyDataset;
use crate::error::OrRaise;
use crate::template::PyTemplate;

/// Runs the command with its words, the name of the program first, and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| lrnn_cli::run_command(words))
}

/// Returns the settings of learning: name, aliases, kind, values, default, and a line about each.
#[pyfunction]
fn settings() -> Vec<SettingRow> {
    let default = Settings::default();
    let row = |setting: &'static Setting<Settings>| {
        (
            setting.name,
            setting.aliases.to_vec(),
            setting.kind,
            (setting.values)(),
            (setting.get)(&default),
            setting.about,
        )
    };
    Settings::TABLE.iter().map(row).collect()
}

/// Name, aliases, kind, values, default and description of a setting.
type SettingRow = (&'static str, Vec<&'static str>, &'static str, Vec<&'static str>, String, &'static str);

/// Settings that a folder says, by name.
type FolderSettings = Vec<(String, String)>;

/// Reads a dataset folder: its template, its data, and the settings that it says.
#[pyfunction]
fn read_folder(
    py: Python<'_>,
    path: std::path::PathBuf,
    family: Option<String>,
) -> PyResult<(PyTemplate, PyDataset, FolderSettings)> {
    let read = py.detach(|| {
        let inputs = Inputs::read(&path, None, &MoleculeColumns::default(), family.as_deref(), false)?;
        let settings = inputs.config.settings()?;
        Ok((inputs, settings))
    });
    let (inputs, settings) = read.or_raise(py)?;
    let default = Settings::default();
    let changed = settings.pairs().zip(default.pairs()).filter(|(own, usual)| own != usual);
    let changed = changed.map(|((name, value), _)| (name.to_owned(), value)).collect();
    let template = PyTemplate::from_file(inputs.template, inputs.template_path);
    Ok((template, PyDataset::of(inputs.dataset), changed))
}

/// The compiled half of the package.
#[pymodule]
mod _lrnn {
    #[pymodule_export]
    use super::{read_folder, run_command, settings};
    #[pymodule_export]
    use crate::dataset::PyDataset;
    #[pymodule_export]
    use crate::model::{AnswerColumns, PyAnswer, PyModel, PyPredictor};
    #[pymodule_export]
    use crate::shard::PyShard;
    #[pymodule_export]
    use crate::template::PyTemplate;
    #[pymodule_export]
    use crate::torch::{PyLayer, PyTape, template_weights};
    #[pymodule_export]
    use crate::training::{RunParts, fit, resume};

    /// The version of the library.
    #[pymodule_export]
    const VERSION: &str = lrnn::VERSION;
}
