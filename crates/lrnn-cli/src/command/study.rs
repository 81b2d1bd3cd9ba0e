//! What is looked at: a model, or a template as it begins, with data.

use std::collections::BTreeSet;
use std::path::Path;

use lrnn::diagnostic::{Sources, did_you_mean};
use lrnn::explain::{Kept, Proof};
use lrnn::ground::{ExampleError, Grounding, Limits, ground};
use lrnn::network::{Initialisation, NetworkError, Parameters, Weights};
use lrnn::query::AtomPattern;
use lrnn::vocabulary::PredicateId;
use lrnn::{Dataset, Model, Program, Template};
use lrnn_io::{Config, model_file, read_dataset_for, read_model_of};
use lrnn_report::gather::Subject;

use crate::args::{Common, LimitOptions, TemplateOptions};
use crate::failure::{Error, ErrorKind};
use crate::load::{Loaded, limits, load};
use crate::output;

/// A template with data and weights.
pub struct Study {
    pub loaded: StudyInputs,
    pub weights: Weights,
    /// None if it is a template as it begins.
    pub model: Option<Model>,
}

/// Template and data that fit together.
pub struct StudyInputs {
    pub program: Program,
    pub template: Template,
    pub dataset: Dataset,
    pub sources: Sources,
    pub config: Config,
}

impl StudyInputs {
    fn new(program: Program, dataset: Dataset, config: Config) -> Self {
        let sources = program.sources().joined(&dataset.sources);
        Self { template: program.template().clone(), program, dataset, sources, config }
    }

    pub fn ground_failure(&self, error: &ExampleError) -> Error {
        self.program.example_error(&self.dataset, error)
    }
}

impl Study {
    /// A model or a folder of a run with this data, or a template or dataset folder.
    pub fn new(path: &Path, data: Option<&Path>, common: &Common) -> Result<Self, Error> {
        let is_template = path.extension().is_some_and(|ending| ending == "lrnn")
            || (path.is_dir() && model_file(path).is_none() && path.join(lrnn_io::CONFIG_NAME).exists());
        if is_template || (path.is_file() && model_file(path).is_none() && data.is_none()) {
            let options = TemplateOptions { family: None, strict: false };
            let Loaded { program, dataset, config, .. } =
                load(path, data, &options, &LimitOptions::default(), common)?;
            let weights = Weights::new(config.seed.unwrap_or(0));
            return Ok(Self { loaded: StudyInputs::new(program, dataset, config), weights, model: None });
        }
        let model = read_model_of(path)?;
        let program = model.program(limits(&LimitOptions::default(), &Config::default()))?;
        let dataset = match data {
            Some(data) => read_dataset_for(&program, data)?,
            None => Dataset::empty(program.vocabulary().clone()),
        };
        // The data may know more predicates than the model.
        let program = Program::new(program.template(), &dataset, program.limits().clone())?;
        let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
        let parameters = Parameters::new(program.template());
        model.apply(program.template(), &dataset.vocabulary, &parameters, &mut weights);
        Ok(Self {
            loaded: StudyInputs::new(program, dataset, Config::default()),
            weights,
            model: Some(model),
        })
    }

    /// The same as the library looks at it.
    pub fn subject(&self) -> Subject<'_> {
        let StudyInputs { template, dataset, sources, .. } = &self.loaded;
        match &self.model {
            Some(model) => Subject::new(template, dataset, sources, model),
            None => Subject::beginning(template, dataset, sources, self.weights.clone()),
        }
    }

    pub fn kept(&self) -> Kept {
        Kept::new(&self.loaded.template, &self.loaded.dataset.vocabulary, self.model.as_ref())
    }

    /// Tells which weights behind what was looked at the model has not learned.
    pub fn say_unset(&self, unset: &BTreeSet<String>, common: &Common) {
        if self.model.is_some() && !common.quiet {
            const NAMED: usize = 5;
            let more = if unset.len() > NAMED { ", ..." } else { "" };
            let listed: Vec<&str> = unset.iter().take(NAMED).map(String::as_str).collect();
            if !unset.is_empty() {
                let note = format!("the model has not learned {}{more}: taken for 0", listed.join(", "));
                output::say_notes([note], common);
            }
        }
    }

    /// The example with this id or number.
    pub fn example(&self, name: &str) -> Result<usize, Error> {
        let dataset = &self.loaded.dataset;
        let names: Vec<String> = (0..dataset.examples.len()).map(|at| dataset.example_name(at)).collect();
        let found = names.iter().position(|known| known == name);
        let number = || name.parse::<usize>().ok().filter(|&number| number < names.len());
        found.or_else(number).ok_or_else(|| {
            let failure = Error::new(ErrorKind::Usage, format!("there is no example `{name}` in this data"));
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let known = match (names.first(), names.last()) {
                (Some(first), Some(last)) => format!("there are {}, from {first} to {last}", names.len()),
                _ => "the data has no example".to_owned(),
            };
            failure.help(near.unwrap_or(known))
        })
    }

    pub fn ground(&self, example: usize, limits: &Limits) -> Result<Grounding, Error> {
        let StudyInputs { program, template, dataset, .. } = &self.loaded;
        ground(template, program.plans(), &dataset.vocabulary, &dataset.examples[example], limits)
            .map_err(|error| self.loaded.ground_failure(&ExampleError { example, error }))
    }

    /// The atoms of the model that an example's queries ask for, or that match an atom.
    pub fn roots(
        &self,
        example: usize,
        grounding: &Grounding,
        atom: Option<&str>,
    ) -> Result<Vec<(PredicateId, u32)>, Error> {
        let dataset = &self.loaded.dataset;
        let name = dataset.example_name(example);
        if let Some(atom) = atom {
            let pattern = AtomPattern::parse(atom, &dataset.vocabulary)?;
            let relation = &grounding.relations[pattern.predicate.index()];
            let matches = |row: &u32| pattern.matches(relation.row(*row));
            let rows = (0..relation.len() as u32).filter(matches);
            let found: Vec<(PredicateId, u32)> = rows.map(|row| (pattern.predicate, row)).collect();
            if found.is_empty() {
                let message = format!("{} is not in the model of example {name}", pattern.text);
                return Err(
                    Error::new(ErrorKind::Content, message).help("no rule and no fact gives it there")
                );
            }
            return Ok(found);
        }
        let row = |query: &lrnn::data::Query| {
            let row = grounding.relations[query.predicate.index()].find(&query.terms)?;
            Some((query.predicate, row))
        };
        let found: Vec<(PredicateId, u32)> = dataset.queries[example].iter().filter_map(row).collect();
        if found.is_empty() {
            let message = format!("example {name} has no query in the model");
            return Err(Error::new(ErrorKind::Content, message).help("name an atom with --query"));
        }
        Ok(found)
    }

    pub fn proof<'a>(
        &'a self,
        example: usize,
        grounding: &'a Grounding,
        roots: &[(PredicateId, u32)],
    ) -> Result<Proof<'a>, Error> {
        let (template, dataset) = (&self.loaded.template, &self.loaded.dataset);
        let facts = &dataset.examples[example];
        Proof::new(template, &dataset.vocabulary, facts, grounding, &self.weights, roots)
            .map_err(|error| self.failure(example, &error))
    }

    pub fn failure(&self, example: usize, error: &NetworkError) -> Error {
        let kind = match error {
            NetworkError::NotFinite(..) => ErrorKind::Numbers,
            _ => ErrorKind::Content,
        };
        Error::new(kind, format!("example {}: {error}", self.loaded.dataset.example_name(example)))
    }
}
