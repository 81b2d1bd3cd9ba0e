//! What is looked at: a model, or a template as it begins, with data.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use lrnn::diagnostic::did_you_mean;
use lrnn::explain::{Kept, Proof};
use lrnn::ground::{ExampleError, Grounding, Limits, Plans, Statistics, ground};
use lrnn::model::{Model, is_model};
use lrnn::network::{Initialisation, NetworkError, Parameters, Weights};
use lrnn::vocabulary::PredicateId;
use lrnn_io::read_model;
use lrnn_report::gather::Subject;

use super::answer::{load_with, say_unlearned};
use super::pattern::Pattern;
use super::train::model_in;
use crate::args::{Common, TemplateOptions};
use crate::failure::{Failure, NUMBERS, TEXT, USAGE};
use crate::load::{self, Loaded};

/// A template with data and weights.
pub struct Study {
    pub loaded: Loaded,
    pub weights: Weights,
    /// None if it is a template as it begins.
    pub model: Option<Model>,
}

fn is_model_file(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut bytes));
    read.is_ok() && is_model(&bytes)
}

impl Study {
    /// A model or a folder of a run with this data, or a template or dataset folder.
    pub fn new(path: &Path, data: Option<&Path>, common: &Common) -> Result<Self, Failure> {
        let file = model_in(path);
        let is_template = path.extension().is_some_and(|ending| ending == "lrnn")
            || (path.is_dir() && !file.exists() && path.join(lrnn_io::CONFIG_NAME).exists());
        if is_template || (path.is_file() && !is_model_file(path) && data.is_none()) {
            let loaded = load::load(path, data, &TemplateOptions { family: None, strict: false }, common)?;
            let weights = Weights::new(loaded.config.seed.unwrap_or(0));
            return Ok(Self { loaded, weights, model: None });
        }
        let model = read_model(&file)?;
        let loaded = match data {
            Some(data) => load_with(&model, data, common)?,
            None => {
                let file = lrnn_io::read_model_template(&model)?;
                load::with_data(file, None, lrnn_io::Config::default(), false, common)?
            }
        };
        let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
        let parameters = Parameters::new(&loaded.template);
        model.apply(&loaded.template, &loaded.dataset.vocabulary, &parameters, &mut weights);
        Ok(Self { loaded, weights, model: Some(model) })
    }

    /// The same as the library looks at it.
    pub fn subject(&self) -> Subject<'_> {
        let Loaded { template, dataset, sources, .. } = &self.loaded;
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
            say_unlearned(unset.iter().map(String::as_str), common);
        }
    }

    /// The example with this id or number.
    pub fn example(&self, name: &str) -> Result<usize, Failure> {
        let dataset = &self.loaded.dataset;
        let names: Vec<String> = (0..dataset.examples.len()).map(|at| dataset.example_name(at)).collect();
        let found = names.iter().position(|known| known == name);
        let number = || name.parse::<usize>().ok().filter(|&number| number < names.len());
        found.or_else(number).ok_or_else(|| {
            let failure = Failure::new(USAGE, format!("there is no example `{name}` in this data"));
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let known = match (names.first(), names.last()) {
                (Some(first), Some(last)) => format!("there are {}, from {first} to {last}", names.len()),
                _ => "the data has no example".to_owned(),
            };
            failure.help(near.unwrap_or(known))
        })
    }

    pub fn ground(&self, example: usize, limits: &Limits) -> Result<Grounding, Failure> {
        let (template, dataset) = (&self.loaded.template, &self.loaded.dataset);
        let plans = Plans::new(template, &Statistics::of(dataset));
        ground(template, &plans, &dataset.vocabulary, &dataset.examples[example], limits)
            .map_err(|error| self.loaded.ground_failure(&ExampleError { example, error }))
    }

    /// The atoms of the model that an example's queries ask for, or that match an atom.
    pub fn roots(
        &self,
        example: usize,
        grounding: &Grounding,
        atom: Option<&str>,
    ) -> Result<Vec<(PredicateId, u32)>, Failure> {
        let dataset = &self.loaded.dataset;
        let name = dataset.example_name(example);
        if let Some(atom) = atom {
            let pattern = Pattern::new(atom, &dataset.vocabulary)?;
            let relation = &grounding.relations[pattern.predicate.index()];
            let matches = |row: &u32| pattern.matches(relation.row(*row));
            let rows = (0..relation.len() as u32).filter(matches);
            let found: Vec<(PredicateId, u32)> = rows.map(|row| (pattern.predicate, row)).collect();
            if found.is_empty() {
                let message = format!("{} is not in the model of example {name}", pattern.text);
                return Err(Failure::new(TEXT, message).help("no rule and no fact gives it there"));
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
            return Err(Failure::new(TEXT, message).help("name an atom with --query"));
        }
        Ok(found)
    }

    pub fn proof<'a>(
        &'a self,
        example: usize,
        grounding: &'a Grounding,
        roots: &[(PredicateId, u32)],
    ) -> Result<Proof<'a>, Failure> {
        let (template, dataset) = (&self.loaded.template, &self.loaded.dataset);
        let facts = &dataset.examples[example];
        Proof::new(template, &dataset.vocabulary, facts, grounding, &self.weights, roots)
            .map_err(|error| self.failure(example, &error))
    }

    pub fn failure(&self, example: usize, error: &NetworkError) -> Failure {
        let code = match error {
            NetworkError::NotFinite(..) => NUMBERS,
            _ => TEXT,
        };
        Failure::new(code, format!("example {}: {error}", self.loaded.dataset.example_name(example)))
    }
}
