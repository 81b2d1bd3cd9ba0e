//! Template and data together, as most commands need them: from files, or from a dataset folder that names both.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lrnn::diagnostic::{Diagnostic, Severity, Sources, did_you_mean};
use lrnn::function::Family;
use lrnn::template::Options;
use lrnn::train::{Cases, Split};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Error, ErrorKind, Limits, Model, Program, Settings, Template};

use lrnn_tables::{Purpose, TableStream, Tables};

use crate::template::is_shipped;
use crate::{
    CONFIG_NAME, Config, MAPPING_NOTE, MOLECULES_TEMPLATE_NAME, MoleculeColumns, MoleculePurpose, is_mapping,
    is_molecule_file, mapping_note, read_by_note, read_data, read_molecules, read_stream, read_tables,
    read_template_for, used_columns, with_validation, without_unused,
};

/// A template and data as they were read, with what the dataset folder says if there is one.
#[derive(Debug)]
pub struct Inputs {
    /// The template.
    pub template: Template,
    /// The data; one example without facts if none was named.
    pub dataset: Dataset,
    /// Path of the template.
    pub template_path: PathBuf,
    /// Path of the data.
    pub data_path: Option<PathBuf>,
    /// The settings of the folder; paths taken out.
    pub config: Config,
    /// Messages about the template and about reading.
    pub notes: Vec<Diagnostic>,
    /// The tables that the data comes from, if it is a mapping.
    pub tables: Option<Tables>,
    /// The same tables where rows are read in groups of examples; the data has no facts then.
    pub stream: Option<TableStream>,
}

/// Finds where template and data are: the template may be a dataset folder, whose `lrnn.toml` names both, or a table of
/// molecules, for which a template comes with the program.
pub fn locate(template: &Path, data: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>, Config), Error> {
    locate_molecules(template, data, &MoleculeColumns::default())
}

/// Does the same where columns of a table of molecules may be named.
pub fn locate_molecules(
    template: &Path,
    data: Option<&Path>,
    columns: &MoleculeColumns,
) -> Result<(PathBuf, Option<PathBuf>, Config), Error> {
    if is_mapping(template) {
        // The template of a mapping stands beside it, and so may its settings.
        let [own, settings] = ["lrnn", "toml"].map(|ending| template.with_extension(ending));
        let config = if settings.is_file() { Config::read_file(&settings)? } else { Config::default() };
        return Ok((own, Some(data.unwrap_or(template).to_owned()), config));
    }
    if is_molecule_file(template, columns) {
        let data = data.unwrap_or(template).to_owned();
        return Ok((MOLECULES_TEMPLATE_NAME.into(), Some(data), Config::default()));
    }
    if !template.is_dir() {
        return Ok((template.to_owned(), data.map(Path::to_owned), Config::default()));
    }
    let mut config = Config::read(template)?;
    let Some(file) = config.template.take() else {
        let message = format!("{}: lrnn.toml does not name a template", template.display());
        return Err(Error::new(ErrorKind::Content, message).help("add the line template = \"template.lrnn\""));
    };
    let data = data.map(Path::to_owned).or(config.data.take());
    Ok((file, data, config))
}

/// Finds a family by its name.
pub fn family(name: &str, kind: ErrorKind, place: &str) -> Result<&'static Family, Error> {
    Family::find(name).ok_or_else(|| {
        let names: Vec<&str> = Family::names().collect();
        let help = did_you_mean(name, names.iter().copied());
        let help = help.unwrap_or_else(|| format!("there are {}", names.join(", ")));
        Error::new(kind, format!("{place}there is no family `{name}`")).help(help)
    })
}

impl Inputs {
    /// Reads template and data; a family and columns that are asked for go before those of the folder.
    pub fn read(
        template: &Path,
        data: Option<&Path>,
        columns: &MoleculeColumns,
        asked: Option<&str>,
        strict: bool,
    ) -> Result<Self, Error> {
        Self::read_as(template, data, columns, asked, strict, false)
    }

    /// Does the same, with tables whose rows are to be read in groups of examples if that is asked.
    pub fn read_as(
        template: &Path,
        data: Option<&Path>,
        columns: &MoleculeColumns,
        asked: Option<&str>,
        strict: bool,
        is_streamed: bool,
    ) -> Result<Self, Error> {
        let (template_path, data_path, mut config) = locate_molecules(template, data, columns)?;
        let family = config.asked_family(asked)?;
        let mut columns = config.molecules.as_ref().map_or_else(|| columns.clone(), |own| columns.or(own));
        if let Some(data) =
            data_path.as_deref().filter(|data| is_molecule_file(data, &columns) && is_shipped(&template_path))
        {
            columns = used_columns(data, &columns)?;
        }
        let read = read_template_for(&template_path, &columns, Options { family, strict })?;
        let mut notes = read.diagnostics.clone();
        let template = read.into_template()?;
        // What is left to the data is the data's to answer.
        if data_path.is_some() {
            notes.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
        }
        let vocabulary = template.vocabulary.clone();
        let failed = |error: Error| with_notes(error, &notes, &template.sources);
        let mapping = data_path.as_deref().filter(|data| is_mapping(data));
        if is_streamed {
            let Some(mapping) = mapping else {
                let error = Error::new(ErrorKind::Usage, "only tables can be read in groups of examples");
                return Err(error.help("name a mapping, such as shop.tables"));
            };
            let stream = read_stream(mapping, Purpose::Learning).map_err(failed)?;
            let dataset = stream.queries(vocabulary).map_err(failed)?;
            let (tables, stream) = (None, Some(stream));
            return Ok(Self { template, dataset, template_path, data_path, config, notes, tables, stream });
        }
        let tables = mapping.map(|data| read_tables(data, Purpose::Learning)).transpose().map_err(failed)?;
        let dataset = match (&data_path, &tables) {
            (None, _) => Dataset::empty(vocabulary),
            (Some(_), Some(tables)) => tables.dataset(vocabulary, None).map_err(failed)?.dataset,
            (Some(data), None) => {
                let (dataset, used) = read_dataset(data, &columns, vocabulary).map_err(failed)?;
                config.molecules = used;
                dataset
            }
        };
        let mut inputs =
            Self { template, dataset, template_path, data_path, config, notes, tables, stream: None };
        let limits = inputs.config.limits(None, None);
        let expanded = inputs.template.expand(&mut inputs.dataset, limits);
        let found = expanded.map_err(|error| with_notes(error, &inputs.notes, &inputs.sources()))?;
        inputs.notes.extend(found);
        Ok(inputs)
    }

    /// Returns the texts of template and data.
    pub fn sources(&self) -> Sources {
        self.template.sources.joined(&self.dataset.sources)
    }

    /// Fits what a mapping learns to the training examples; returns what the model is to remember of it.
    pub fn fit_mapping(
        &mut self,
        split: &mut Option<Split>,
        settings: &Settings,
    ) -> Result<Option<String>, Error> {
        if let Some(mut stream) = self.stream.take() {
            let split = split.get_or_insert_with(|| Split::of(&self.dataset, settings));
            stream.fit(Some(&split.training))?;
            let (note, vocabulary) = (stream.note()?, self.template.vocabulary.clone());
            self.dataset = Arc::new(stream).dataset(vocabulary)?;
            return Ok(Some(note));
        }
        let Some(tables) = &self.tables else { return Ok(None) };
        let is_examples = Cases::of(&self.dataset) == Cases::Examples;
        if !tables.mapping().is_open() || !is_examples {
            return mapping_note(tables, None).map(Some);
        }
        let split = split.get_or_insert_with(|| Split::of(&self.dataset, settings));
        let training = Some(&split.training[..]);
        self.dataset = tables.dataset(self.template.vocabulary.clone(), training)?.dataset;
        mapping_note(tables, training).map(Some)
    }

    /// Adds other data for validation, read as the data was, and returns the split of both.
    pub fn add_validation(
        &mut self,
        path: &Path,
        mapping: Option<&str>,
        split: Option<Split>,
        settings: &Settings,
    ) -> Result<Split, Error> {
        let names = &self.dataset.vocabulary;
        let by_note = |note| read_by_note(note, path, names.clone(), Purpose::Learning, false);
        let other = match mapping.map(by_note).transpose()?.flatten() {
            Some(other) => other,
            None => read_dataset(path, &self.config.molecules.clone().unwrap_or_default(), names.clone())?.0,
        };
        Ok(with_validation(&mut self.dataset, other, split, settings))
    }

    /// Fits the template to the data. What there is to say of it joins the notes.
    pub fn program(&mut self, limits: Limits, strict: bool) -> Result<Program, Error> {
        let program = Program::strict(&self.template, &self.dataset, limits, strict)
            .map_err(|error| with_notes(error, &self.notes, &self.sources()))?;
        if self.data_path.is_some() {
            self.notes.extend(without_unused(&self.template_path, program.notes().to_vec()));
        }
        Ok(program)
    }
}

/// Returns an error with warnings and notes before its own messages.
fn with_notes(error: Error, notes: &[Diagnostic], sources: &Sources) -> Error {
    if error.diagnostics().is_empty() {
        return error;
    }
    let all = notes.iter().chain(error.diagnostics()).cloned().collect();
    Error::of(error.kind(), all, &sources.joined(error.sources()))
}

/// Reads data in the names of a vocabulary, or gives all its mistakes. Of a table of molecules the columns are told as
/// they were used.
pub fn read_dataset(
    path: &Path,
    columns: &MoleculeColumns,
    vocabulary: Vocabulary,
) -> Result<(Dataset, Option<MoleculeColumns>), Error> {
    if is_mapping(path) {
        return Ok((read_tables(path, Purpose::Learning)?.dataset(vocabulary, None)?.dataset, None));
    }
    if is_molecule_file(path, columns) {
        let read = read_molecules(path, columns, vocabulary, MoleculePurpose::Learning)?;
        return Ok((read.dataset, Some(read.table.used)));
    }
    if let Some(target) =
        columns.targets.first().map(|target| target.name.as_str()).or(columns.smiles.as_deref())
    {
        let message =
            format!("{}: this is no table of molecules, and has no column `{target}`", path.display());
        return Err(
            Error::new(ErrorKind::Usage, message).help("a table of molecules ends in .csv, .smi or .sdf, or is a text whose first line names the column of SMILES")
        );
    }
    let mut sources = Sources::of_data();
    let read = read_data(path, vocabulary, &mut sources)?;
    Ok((read.map_err(|diagnostics| Error::of(ErrorKind::Content, diagnostics, &sources))?, None))
}

/// Returns where the data of a dataset folder is, which may name another place.
fn data_path(path: &Path) -> PathBuf {
    let named = || locate(path, None).ok().and_then(|(_, data, _)| data);
    match path.is_dir() && path.join(CONFIG_NAME).exists() {
        true => named().unwrap_or_else(|| path.to_owned()),
        false => path.to_owned(),
    }
}

/// Reads data for a program; a dataset folder may name it elsewhere. Molecules need not have the targets among the
/// columns; to predict, those of which nothing is known are asked, too.
pub fn read_dataset_for(
    program: &Program,
    path: &Path,
    columns: &MoleculeColumns,
    purpose: Purpose,
) -> Result<Dataset, Error> {
    let path = data_path(path);
    if is_molecule_file(&path, columns) {
        let purpose = match purpose {
            Purpose::Learning | Purpose::Checking => MoleculePurpose::Scoring,
            Purpose::Prediction => MoleculePurpose::Prediction,
        };
        return Ok(read_molecules(&path, columns, program.vocabulary().clone(), purpose)?.dataset);
    }
    let mut dataset = read_dataset(&path, &MoleculeColumns::default(), program.vocabulary().clone())?.0;
    if !dataset.lifted.is_empty() {
        let found = program.expand(&mut dataset)?;
        dataset.notes.extend(found);
    }
    Ok(dataset)
}

/// Reads data for a model and its program. A model that learned from tables reads tables by its own mapping, one that
/// learned from molecules their columns.
pub fn read_model_data(
    model: &Model,
    program: &Program,
    path: &Path,
    columns: &MoleculeColumns,
    purpose: Purpose,
) -> Result<Dataset, Error> {
    let path = data_path(path);
    if let Some(note) = model.notes.get(MAPPING_NOTE)
        && let Some(dataset) = read_by_note(note, &path, program.vocabulary().clone(), purpose, false)?
    {
        return Ok(dataset);
    }
    read_dataset_for(program, &path, columns, purpose)
}

/// Reads tables for a model that learned from tables, their rows in groups of examples when they are needed.
pub fn read_streamed_data(model: &Model, program: &Program, path: &Path) -> Result<Dataset, Error> {
    let (path, names) = (data_path(path), program.vocabulary().clone());
    let by_note = |note: &String| read_by_note(note, &path, names, Purpose::Prediction, true);
    let read = model.notes.get(MAPPING_NOTE).map(by_note).transpose()?;
    read.flatten().ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, "only tables can be read in groups of examples");
        error.help("a model that learned from tables reads others, such as new.sqlite")
    })
}

/// Returns the columns of molecules that a run learned from; none where it learned from something else.
pub fn columns_of(run: &Path) -> MoleculeColumns {
    let trained = || Config::read(run).ok()?.molecules;
    let validated = || {
        let text = crate::read_text(&run.join("options.json")).ok()?;
        let options: serde_json::Value = serde_json::from_str(&text).ok()?;
        serde_json::from_value(options["options"]["molecules"].clone()).ok()
    };
    if !run.is_dir() {
        return MoleculeColumns::default();
    }
    trained().or_else(validated).unwrap_or_default()
}

/// Returns what is wrong or suspicious about data for the program of a model: warnings, or an error.
pub fn check_data(program: &Program, dataset: &Dataset) -> Result<Vec<Diagnostic>, Error> {
    let template = program.sources().iter().next().map_or("", |(name, _)| name);
    let found = without_unused(Path::new(template), program.check(dataset));
    match found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        true => Err(Error::of(ErrorKind::Content, found, &program.sources().joined(&dataset.sources))),
        false => Ok(found),
    }
}

/// Tells whether a path is a model, or the folder of a run that has one; gives the model's file.
pub fn model_file(path: &Path) -> Option<PathBuf> {
    let file = if path.is_dir() { path.join(crate::run::MODEL) } else { path.to_owned() };
    crate::model::is_model_file(&file).then_some(file)
}

/// Reads the model of a run, or a model file.
pub fn read_model_of(path: &Path) -> Result<Model, Error> {
    crate::read_model(&if path.is_dir() { path.join(crate::run::MODEL) } else { path.to_owned() })
}

/// Reads the model of a run, a model file, or a template as a model in which nothing was learned.
pub fn read_model_or_template(path: &Path) -> Result<Model, Error> {
    if path.extension().is_none_or(|ending| ending != "lrnn") {
        return read_model_of(path);
    }
    let template = crate::read_template(path, Options::default())?.into_template()?;
    Ok(Model { sources: template.texts(), ..Model::default() })
}
