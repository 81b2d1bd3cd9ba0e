//! What is looked at: a model, or a template as it begins, with data.

use std::borrow::Cow;
use std::path::Path;

use lrnn::network::Weights;
use lrnn::program::Subject;
use lrnn_io::{Config, model_file, read_model_of};

use crate::args::{Common, LimitOptions, MoleculeFlags, TemplateOptions};
use crate::failure::Error;
use crate::load::{ProgramInput, limits, load, model_columns, model_data};

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
