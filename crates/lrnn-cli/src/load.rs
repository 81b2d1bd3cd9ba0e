//! Template and data for a command: read, fitted together, and what there is to say of them said.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use lrnn::network::Weights;
use lrnn::program::Subject;
use lrnn::train::{Settings, Unentailed};
use lrnn::{Dataset, Limits, Model, Predictor, Program};
use lrnn_io::{
    Config, Inputs, MAPPING_NOTE, MoleculeColumns, MoleculePurpose, MoleculeTable, Purpose, check_data,
    columns_of, is_molecule_file, model_file, read_model_data, read_model_of, read_molecules,
    read_streamed_data,
};

use crate::args::{Common, LimitOptions, ModelDataArgs, MoleculeFlags, TemplateOptions};
use crate::failure::Error;
use crate::{interrupt, output};

/// A template and data that fit together.
pub struct ProgramInput {
    pub program: Program,
    pub dataset: Dataset,
    pub config: Config,
    /// Seconds of reading.
    pub seconds: f64,
}

/// Returns the limits of grounding: flags, then the folder's, then the defaults; a signal stops it.
pub fn limits(options: &LimitOptions, config: &Config) -> Limits {
    let limits = config.limits(options.max_ground_rules, options.max_ground_rules_total);
    Limits { stop: interrupt::stop(), ..limits }
}

/// Reads template and data and fits them together; messages go to standard error.
pub fn load(
    (template, data): (&Path, Option<&Path>),
    columns: &MoleculeColumns,
    options: &TemplateOptions,
    limit_options: &LimitOptions,
    common: &Common,
) -> Result<ProgramInput, Error> {
    let start = Instant::now();
    let mut inputs = Inputs::read(template, data, columns, options.family.as_deref(), options.strict)?;
    let program = inputs.program(limits(limit_options, &inputs.config), options.strict)?;
    output::say_diagnostics(&inputs.notes, program.sources(), common.quiet);
    let Inputs { dataset, config, .. } = inputs;
    Ok(ProgramInput { program, dataset, config, seconds: start.elapsed().as_secs_f64() })
}

/// Reads what a query outside the model counts as, as the setting of learning is read.
pub fn unentailed(text: &str) -> Result<Unentailed, Error> {
    let mut settings = Settings::default();
    settings.set("unentailed", text)?;
    Ok(settings.unentailed)
}

/// A model with data to apply it to.
pub struct ModelInput {
    pub model: Model,
    pub predictor: Predictor,
    pub dataset: Dataset,
    /// The rows that the examples came from, where the data is a table of molecules.
    pub table: Option<MoleculeTable>,
    /// Seconds of reading.
    pub seconds: f64,
}

/// Returns the columns of molecules to read for a model: flags, then those it learned from.
pub fn model_columns(model: &Path, flags: &MoleculeFlags) -> MoleculeColumns {
    flags.columns(&[]).or(&columns_of(model))
}

/// Reads data for a model and its program; without any it is one example without facts.
pub fn model_data(
    model: &Model,
    program: &Program,
    data: Option<&Path>,
    columns: &MoleculeColumns,
    common: &Common,
) -> Result<Dataset, Error> {
    let Some(data) = data else { return Ok(Dataset::empty(program.vocabulary().clone())) };
    let dataset = read_model_data(model, program, data, columns, Purpose::Prediction)?;
    say_found(program, &dataset, common)?;
    Ok(dataset)
}

/// Says what is suspicious about data for the program of a model, or returns what is wrong.
pub fn say_found(program: &Program, dataset: &Dataset, common: &Common) -> Result<(), Error> {
    let found = check_data(program, dataset)?;
    output::say_diagnostics(&found, &program.sources().joined(&dataset.sources), common.quiet);
    Ok(())
}

impl ModelInput {
    /// Reads the model and the data, of molecules to predict them or to score what is predicted; messages about the data go
    /// to standard error.
    pub fn read(
        asked: &ModelDataArgs,
        is_streamed: bool,
        purpose: MoleculePurpose,
        common: &Common,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let model = read_model_of(&asked.model)?;
        let predictor = model.predictor_within(limits(&asked.limits, &Config::default()))?;
        let program = predictor.program();
        let columns = model_columns(&asked.model, &asked.molecules);
        let is_molecules = is_molecule_file(&asked.data, &columns) && !model.notes.contains_key(MAPPING_NOTE);
        let (dataset, table) = match is_molecules {
            _ if is_streamed => (read_streamed_data(&model, program, &asked.data)?, None),
            true => {
                let read = read_molecules(&asked.data, &columns, program.vocabulary().clone(), purpose)?;
                (read.dataset, Some(read.table))
            }
            false => (read_model_data(&model, program, &asked.data, &columns, Purpose::Prediction)?, None),
        };
        say_found(program, &dataset, common)?;
        Ok(Self { model, predictor, dataset, table, seconds: start.elapsed().as_secs_f64() })
    }
}

/// Reads a model or a folder of a run with this data, or a template or dataset folder.
pub fn read_subject(
    path: &Path,
    data: Option<&Path>,
    molecules: &MoleculeFlags,
    limit_options: &LimitOptions,
    common: &Common,
) -> Result<Subject<'static>, Error> {
    let is_template = path.extension().is_some_and(|ending| ending == "lrnn")
        || (path.is_dir() && model_file(path).is_none() && path.join(lrnn_io::CONFIG_NAME).exists());
    if is_template || (path.is_file() && model_file(path).is_none() && data.is_none()) {
        let options = TemplateOptions { family: None, strict: false };
        let ProgramInput { program, dataset, config, .. } =
            load((path, data), &molecules.columns(&[]), &options, limit_options, common)?;
        let weights = Weights::new(config.seed.unwrap_or(0));
        return Ok(Subject::untrained(Cow::Owned(program), Cow::Owned(dataset), weights));
    }
    let model = read_model_of(path)?;
    let program = model.program(limits(limit_options, &Config::default()))?;
    let dataset = model_data(&model, &program, data, &model_columns(path, molecules), common)?;
    Subject::of_model(Cow::Owned(model), Cow::Owned(dataset), program.limits().clone())
}
