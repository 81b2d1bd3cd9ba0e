//! The compiled half of the Python package `lrnn`: the engine and the crates around it, behind few classes that the
//! half in [`python/lrnn`](../../../python/lrnn) gives their manners. Long work lets other threads of Python run, and
//! looks at signals.

mod arrow;
mod atoms;
mod attended;
mod column;
mod completion;
mod cut;
mod dataset;
mod error;
mod induction;
mod lab;
mod model;
mod molecules;
mod parcel;
mod shard;
mod tables;
mod template;
mod term;
mod torch;
mod training;

use std::ffi::OsString;

use lrnn::train::{Setting, Settings};
use lrnn_cli::WorkerFlags;
use lrnn_io::{Inputs, MoleculeColumns, TargetColumn};
use lrnn_lab::Workers;
use pyo3::prelude::*;

use crate::attended::abandonable;
use crate::dataset::PyDataset;
use crate::error::OrRaise;
use crate::shard::PyWorkers;
use crate::tables::Origin;
use crate::template::PyTemplate;

/// Runs the command with its words, the name of the program first, and a crew if they ask for one; returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, words: Vec<OsString>, crew: Option<Py<PyAny>>) -> u8 {
    let workers = crew.map(PyWorkers::new);
    py.detach(|| lrnn_cli::run_command(words, workers.as_ref().map(|workers| workers as &dyn Workers)))
}

/// The least and the most workers, the address of their cluster and the folder it shares.
type WorkerWords = ((usize, usize), Option<String>, Option<std::path::PathBuf>);

/// Returns the workers that the words of the command ask for.
#[pyfunction]
fn workers_asked(words: Vec<OsString>) -> Option<WorkerWords> {
    let WorkerFlags { workers, cluster, shared } = lrnn_cli::workers_asked(&words)?;
    Some((workers?, cluster, shared))
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

/// Reads a dataset folder or a table of molecules: its template, its data, and the settings that it says.
#[pyfunction]
fn read_folder(
    py: Python<'_>,
    path: std::path::PathBuf,
    family: Option<String>,
    smiles: Option<String>,
    id: Option<String>,
    targets: Vec<String>,
) -> PyResult<(PyTemplate, PyDataset, FolderSettings)> {
    let target = |name: String| TargetColumn { name, classes: Vec::new() };
    let columns = MoleculeColumns { smiles, id, targets: targets.into_iter().map(target).collect() };
    let (inputs, settings) = abandonable(py, move || {
        let inputs = Inputs::read(&path, None, &columns, family.as_deref(), false)?;
        let settings = inputs.config.settings()?;
        Ok((inputs, settings))
    })?;
    let changed = changed(&settings);
    let vocabulary = inputs.template.vocabulary.clone();
    let dataset = match inputs.tables {
        None => PyDataset::of(inputs.dataset),
        Some(tables) => {
            let (dataset, origin, _) = Origin::read(tables, vocabulary, inputs.data_path).or_raise(py)?;
            PyDataset::of_tables(dataset, origin)
        }
    };
    let template = PyTemplate::from_file(inputs.template, inputs.template_path);
    Ok((template, dataset, changed))
}

/// Returns the settings that are not the usual ones.
fn changed(settings: &Settings) -> FolderSettings {
    let default = Settings::default();
    let changed = settings.pairs().zip(default.pairs()).filter(|(own, usual)| own != usual);
    changed.map(|((name, value), _)| (name.to_owned(), value)).collect()
}

/// Returns the text of the template for molecules that comes with the program, with these targets.
#[pyfunction]
fn molecules_template(targets: Vec<String>) -> String {
    let target = |name: String| TargetColumn { name, classes: Vec::new() };
    let targets = targets.into_iter().map(target).collect();
    lrnn_io::molecules_template(&MoleculeColumns { targets, ..MoleculeColumns::default() })
}

/// The compiled half of the package.
#[pymodule]
mod _lrnn {
    #[pymodule_export]
    use super::{molecules_template, read_folder, run_command, settings, workers_asked};
    #[pymodule_export]
    use crate::atoms::{ground, join_plan, query};
    #[pymodule_export]
    use crate::completion::complete;
    #[pymodule_export]
    use crate::dataset::PyDataset;
    #[pymodule_export]
    use crate::induction::{induce, induce_crossval, infer_bias};
    #[pymodule_export]
    use crate::lab::{
        CrossvalParts, ExperimentParts, crossval, crossval_shard, experiment, experiment_shard, is_crossval,
        report_run, resume_crossval,
    };
    #[pymodule_export]
    use crate::model::{AnswerColumns, PyAnswer, PyModel, PyPredictor, sql};
    #[pymodule_export]
    use crate::molecules::readable;
    #[pymodule_export]
    use crate::shard::PyShard;
    #[pymodule_export]
    use crate::tables::{check_tables, example_table, format_mapping, infer_tables};
    #[pymodule_export]
    use crate::template::PyTemplate;
    #[pymodule_export]
    use crate::torch::{PyNetworkFunction, PyTape, template_weights};
    #[pymodule_export]
    use crate::training::{RunParts, cache_counts, clear_cache, fit, resume};

    /// The version of the library.
    #[pymodule_export]
    const VERSION: &str = lrnn::VERSION;
}
