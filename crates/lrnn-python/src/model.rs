//! Models: what they answer, why, and how they look.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use lrnn::explain::concepts;
use lrnn::model::fingerprint;
use lrnn::program::Subject;
use lrnn::train::{Cases, Settings, Split};
use lrnn::{Answer, Answers, Dataset, Error, ErrorKind, Limits, Model, Predictor, Program, Value};
use lrnn_io::{MoleculeColumns, check_data, mapping_of, read_model_of, write_model};
use lrnn_lab::TrainingReport;
use lrnn_report::{
    PictureFormat, Predictions, draw_example, draw_network, draw_template, explain_examples, find_patterns,
    find_substructures, heat_svg, patterns_svg, substructures_svg, tree_text,
};
use lrnn_tables::sql::{Dialect, SqlOptions, sql_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use serde::Serialize;

use crate::atoms::GivenRules;
use crate::attended::interruptible;
use crate::column::bytes_of;
use crate::dataset::PyDataset;
use crate::error::{OrRaise, exception, raise};
use crate::template::PyTemplate;
use crate::term::{WeightedAtom, fill};
use crate::training::{MostRules, cache, limits};

/// Learned weights with everything that prediction needs.
#[pyclass(frozen, name = "Model", module = "lrnn._lrnn")]
pub struct PyModel {
    pub model: Arc<Model>,
    predictor: OnceLock<Predictor>,
}

/// Answers column by column.
#[pyclass(frozen, get_all, name = "AnswerColumns", module = "lrnn._lrnn")]
pub struct AnswerColumns {
    examples: Vec<String>,
    queries: Vec<String>,
    /// The number of the example of each answer.
    rows: Vec<usize>,
    /// Rows and columns of each value; 0 where there is none.
    shapes: Vec<(u32, u32)>,
    values: Py<PyBytes>,
    /// As many numbers as values, not a number where there are no probabilities.
    probabilities: Py<PyBytes>,
    classes: Vec<Option<usize>>,
    /// The size of each target, 0 where there is none.
    target_sizes: Vec<usize>,
    targets: Py<PyBytes>,
    in_model: Vec<bool>,
    loss: &'static str,
    unlearned: Vec<String>,
    notes: Vec<String>,
    /// The metrics as JSON; none if no answer has a target.
    scores: Option<String>,
    /// The document of `lrnn predict --json`, without times.
    json: String,
}

impl AnswerColumns {
    fn new(py: Python<'_>, answers: &Answers, mut notes: Vec<String>) -> PyResult<Self> {
        notes.extend(answers.notes().or_raise(py)?);
        let all = &answers.all;
        let (mut values, mut probabilities, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for answer in all {
            let numbers = answer.value.as_ref().map_or(&[][..], |value| &value.numbers);
            values.extend_from_slice(numbers);
            match &answer.probability {
                Some(probability) => probabilities.extend_from_slice(&probability.numbers),
                None => probabilities.extend(std::iter::repeat_n(f64::NAN, numbers.len())),
            }
            targets.extend_from_slice(answer.target.as_ref().map_or(&[][..], |target| &target.numbers));
        }
        let shape = |answer: &Answer| {
            answer.value.as_ref().map_or((0, 0), |value| (value.shape.rows, value.shape.columns))
        };
        let has_targets = all.iter().any(|answer| answer.target.is_some() && answer.value.is_some());
        Ok(Self {
            examples: all.iter().map(|answer| answer.example.clone()).collect(),
            queries: all.iter().map(|answer| answer.query.clone()).collect(),
            rows: all.iter().map(|answer| answer.place.0).collect(),
            shapes: all.iter().map(shape).collect(),
            values: bytes_of(py, &values).unbind(),
            probabilities: bytes_of(py, &probabilities).unbind(),
            classes: all.iter().map(|answer| answer.class).collect(),
            target_sizes: all
                .iter()
                .map(|it| it.target.as_ref().map_or(0, |target| target.numbers.len()))
                .collect(),
            targets: bytes_of(py, &targets).unbind(),
            in_model: all.iter().map(|answer| answer.in_model).collect(),
            loss: answers.loss.name(),
            unlearned: answers.unlearned.clone(),
            notes,
            scores: has_targets.then(|| json(&answers.scores())),
            json: json(&Predictions::of(answers)),
        })
    }
}

/// Name, index, rows and columns of a weight.
type WeightShape = (String, String, u32, u32);

/// Returns a result as JSON, as the command prints it.
pub fn json(result: &impl Serialize) -> String {
    serde_json::to_string(result).unwrap_or_default()
}

/// Returns data in the names of a program.
pub fn named<'a>(program: &Program, dataset: &'a Dataset) -> Cow<'a, Dataset> {
    match dataset.vocabulary.extends(program.vocabulary()) {
        true => Cow::Borrowed(dataset),
        false => Cow::Owned(dataset.renumbered(program.vocabulary().clone())),
    }
}

impl PyModel {
    /// Keeps a model.
    pub fn of(model: Model) -> Self {
        Self { model: Arc::new(model), predictor: OnceLock::new() }
    }

    fn predictor(&self) -> Result<Predictor, Error> {
        if let Some(predictor) = self.predictor.get() {
            return Ok(predictor.clone());
        }
        let predictor = self.model.predictor()?;
        Ok(self.predictor.get_or_init(|| predictor).clone())
    }

    /// Looks at the model on data, on threads of its own.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        dataset: Option<&PyDataset>,
        limits: Limits,
        threads: Option<usize>,
        look: impl FnOnce(&Subject<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let dataset = dataset.map(|dataset| dataset.for_model(py, &self.model)).transpose()?;
        let stop = limits.stop.clone();
        interruptible(py, threads, &stop, || look(&self.subject(dataset.as_deref(), limits)?))
    }

    fn subject<'a>(&'a self, dataset: Option<&'a Dataset>, limits: Limits) -> Result<Subject<'a>, Error> {
        let dataset = match dataset {
            None => Cow::Owned(Dataset::empty(self.model.program(limits.clone())?.vocabulary().clone())),
            Some(dataset) => Cow::Borrowed(dataset),
        };
        Subject::of_model(Cow::Borrowed(&self.model), dataset, limits)
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| read_model_of(&path)).or_raise(py).map(Self::of)
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let model = Model::from_bytes(bytes).map_err(Error::from).or_raise(py)?;
        Ok(Self::of(model))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.model.to_bytes().map_err(Error::from).or_raise(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_model(&path, &self.model)).or_raise(py)
    }

    /// Returns the weights: name, index, rows and columns of each, and all numbers one after the other.
    fn weights<'py>(&self, py: Python<'py>) -> (Vec<WeightShape>, Bound<'py, PyBytes>) {
        let (mut all, mut numbers) = (Vec::new(), Vec::new());
        for weight in self.model.weights.iter() {
            numbers.extend_from_slice(&weight.numbers);
            all.push((weight.name, weight.index, weight.shape.rows, weight.shape.columns));
        }
        (all, bytes_of(py, &numbers))
    }

    fn settings(&self) -> Vec<(String, String)> {
        self.model.settings.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn notes(&self) -> Vec<(String, String)> {
        self.model.notes.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn queries(&self) -> Vec<String> {
        self.model.queries.clone()
    }

    fn precision(&self) -> &'static str {
        self.model.precision.name()
    }

    fn version(&self) -> &str {
        &self.model.version
    }

    fn fingerprint(&self) -> String {
        format!("{:016x}", self.model.fingerprint)
    }

    fn template(&self, py: Python<'_>) -> PyResult<PyTemplate> {
        self.model.template().or_raise(py).map(PyTemplate::of)
    }

    /// Answers the queries of data.
    fn predict(
        &self,
        py: Python<'_>,
        dataset: &PyDataset,
        unentailed: Option<&str>,
        most: MostRules,
        threads: Option<usize>,
        cached: bool,
    ) -> PyResult<AnswerColumns> {
        let dataset = dataset.for_model(py, &self.model)?;
        let limits = limits(most);
        let stop = limits.stop.clone();
        let unentailed = unentailed
            .map(|text| {
                let mut settings = Settings::default();
                settings.set("unentailed", text).map_err(Error::from)?;
                Ok(settings.unentailed)
            })
            .transpose()
            .or_raise(py)?;
        let (answers, notes) = interruptible(py, threads, &stop, || {
            let predictor = self.model.predictor_within(limits)?;
            let dataset = named(predictor.program(), &dataset);
            let found = check_data(predictor.program(), &dataset)?;
            let sources = predictor.program().sources().joined(&dataset.sources);
            let notes = found.iter().map(|diagnostic| diagnostic.render(&sources)).collect();
            let mut meaning = predictor.meaning();
            meaning.unentailed = unentailed.unwrap_or(meaning.unentailed);
            let answers = match cached {
                true => predictor.predict_cached(&dataset, meaning, cache())?,
                false => predictor.predict_as(&dataset, meaning)?,
            };
            Ok((answers, notes))
        })?;
        AnswerColumns::new(py, &answers, notes)
    }

    /// Returns what answers one example at a time.
    fn bound(&self, py: Python<'_>) -> PyResult<PyPredictor> {
        py.detach(|| self.predictor()).or_raise(py).map(|predictor| PyPredictor { predictor })
    }

    /// Explains the answers of an example, or of all, as JSON; of one example, with trees as text.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
    fn explain(
        &self,
        py: Python<'_>,
        dataset: &PyDataset,
        example: Option<String>,
        query: Option<String>,
        element: usize,
        top: usize,
        threads: Option<usize>,
    ) -> PyResult<(String, Vec<String>)> {
        self.look(py, Some(dataset), Limits::default(), threads, move |subject| {
            let example = match example {
                Some(name) => Some(subject.example(&name)?),
                None => (subject.dataset.examples.len() == 1).then_some(0),
            };
            match example {
                Some(example) => {
                    let found = subject.explain(example, query.as_deref(), element, top)?;
                    let trees = found.explained.iter().map(|one| tree_text(&one.tree)).collect();
                    Ok((json(&found), trees))
                }
                None => Ok((json(&explain_examples(subject, element, &AtomicUsize::new(0))?), Vec::new())),
            }
        })
    }

    /// Returns latent concepts as JSON, and drawn.
    fn concepts(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let found = py.detach(|| {
            let all = concepts(&self.model.template()?, &self.model);
            Ok((json(&all), heat_svg("Latent concepts", &all)))
        });
        found.or_raise(py)
    }

    /// Returns what the rules answer to most as JSON, and drawn.
    fn patterns(
        &self,
        py: Python<'_>,
        dataset: &PyDataset,
        support: usize,
        top: usize,
        threads: Option<usize>,
    ) -> PyResult<(String, String)> {
        self.look(py, Some(dataset), Limits::default(), threads, move |subject| {
            let found = find_patterns(subject, support, top, &AtomicUsize::new(0))?;
            Ok((json(&found), patterns_svg("Patterns", &found)))
        })
    }

    /// Returns the substructures of molecules that raise and lower the value most as JSON, and drawn.
    fn substructures(
        &self,
        py: Python<'_>,
        dataset: &PyDataset,
        support: Option<usize>,
        top: usize,
        threads: Option<usize>,
    ) -> PyResult<(String, String)> {
        self.look(py, Some(dataset), Limits::default(), threads, move |subject| {
            let found = find_substructures(subject, None, support, top, &AtomicUsize::new(0))?;
            Ok((json(&found), substructures_svg("Substructures", &found)))
        })
    }

    /// Draws the template, the network of an example, or the example: the text, and notes.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
    fn draw(
        &self,
        py: Python<'_>,
        what: &str,
        dataset: Option<&PyDataset>,
        example: Option<String>,
        query: Option<String>,
        relation: Option<String>,
        most: usize,
        dot: bool,
    ) -> PyResult<(String, Vec<String>)> {
        let format = if dot { PictureFormat::Dot } else { PictureFormat::Svg };
        let what = match what {
            "template" | "network" | "example" => what.to_owned(),
            other => {
                let message = format!("there is no picture of `{other}`");
                return Err(raise(py, ErrorKind::Usage, message, "there are template, network and example"));
            }
        };
        self.look(py, dataset, Limits::default(), None, move |subject| {
            let example = example.map_or(Ok(0), |name| subject.example(&name));
            let query = query.as_deref();
            let picture = match &*what {
                "template" => draw_template(subject, format),
                "network" => draw_network(subject, example?, query, most, format)?,
                _ => draw_example(subject, example?, query, relation.as_deref(), format)?,
            };
            Ok((picture.text, picture.notes))
        })
    }

    /// Returns the page of the model on data.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
    fn report(
        &self,
        py: Python<'_>,
        dataset: &PyDataset,
        history: String,
        split: Option<(Vec<usize>, Vec<usize>, Vec<usize>)>,
        title: &str,
        folder: &str,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let dataset = dataset.for_model(py, &self.model)?;
        let limits = Limits::default();
        let stop = limits.stop.clone();
        let settings = Settings::of_pairs(&self.model.settings);
        interruptible(py, threads, &stop, || {
            let all = || (0..Cases::of(&dataset).count(&dataset)).collect::<Vec<usize>>();
            let is_own = fingerprint(&dataset) == self.model.fingerprint;
            let split = match split {
                Some((training, validation, test)) => Split { training, validation, test },
                None if is_own => Split::of(&dataset, &settings),
                None => Split { test: all(), ..Split::default() },
            };
            let report = TrainingReport {
                model: Cow::Borrowed(&self.model),
                dataset: Cow::Borrowed(&dataset),
                answers: None,
                split,
                history,
                settings,
                limits,
                data: PathBuf::from(title),
                molecules: MoleculeColumns::default(),
                notes: Vec::new(),
            };
            report.html(Path::new(folder), &|_, work| work(&AtomicUsize::new(0)))
        })
    }
}

/// Writes a model, or a template whose weights all have values, as SQL: the document of `lrnn sql --json`.
#[pyfunction]
pub fn sql(
    py: Python<'_>,
    rules: GivenRules<'_>,
    dialect: &str,
    atom: Option<&str>,
    view: Option<&str>,
) -> PyResult<String> {
    let model = match rules {
        GivenRules::Model(given) => given.model.clone(),
        GivenRules::Template(given) => {
            Arc::new(Model { sources: given.template.texts(), ..Model::default() })
        }
    };
    let Some(dialect) = Dialect::find(dialect) else {
        let names: Vec<&str> = Dialect::NAMES.iter().map(|(name, _)| *name).collect();
        let message = format!("there is no dialect `{dialect}`");
        return Err(raise(py, ErrorKind::Usage, message, &format!("there are {}", names.join(", "))));
    };
    let made = py.detach(|| {
        let options = SqlOptions { dialect, atom, view };
        sql_of(&model, mapping_of(&model)?.as_ref(), options).map(|sql| json(&sql))
    });
    made.or_raise(py)
}

/// A model made ready to answer one example at a time.
#[pyclass(frozen, name = "Predictor", module = "lrnn._lrnn")]
pub struct PyPredictor {
    predictor: Predictor,
}

/// The answer to one query.
#[pyclass(frozen, get_all, name = "Answer", module = "lrnn._lrnn")]
pub struct PyAnswer {
    query: String,
    /// A number or a list; None outside the model if such queries are left out.
    value: Option<Py<PyAny>>,
    /// None where numbers were learned, not classes.
    probability: Option<Py<PyAny>>,
    class_: Option<usize>,
    in_model: bool,
}

#[pymethods]
impl PyAnswer {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = |value: &Option<Py<PyAny>>| match value {
            Some(value) => value.bind(py).repr().map(|text| text.to_string()),
            None => Ok("None".to_owned()),
        };
        let (value, probability) = (text(&self.value)?, text(&self.probability)?);
        let class = self.class_.map_or("None".to_owned(), |class| class.to_string());
        let Self { query, in_model, .. } = self;
        let in_model = if *in_model { "True" } else { "False" };
        Ok(format!(
            "Answer(query={query:?}, value={value}, probability={probability}, class_={class}, in_model={in_model})"
        ))
    }
}

impl PyAnswer {
    fn of(py: Python<'_>, answer: Answer) -> PyResult<Self> {
        let object = |value: Value| match value.number() {
            Some(number) => Ok(number.into_pyobject(py)?.into_any().unbind()),
            None => PyList::new(py, value.numbers).map(|list| list.into_any().unbind()),
        };
        Ok(Self {
            query: answer.query,
            value: answer.value.map(object).transpose()?,
            probability: answer.probability.map(object).transpose()?,
            class_: answer.class,
            in_model: answer.in_model,
        })
    }
}

#[pymethods]
impl PyPredictor {
    /// Answers the queries of an example of tuples; without queries, what training asked.
    fn answers(
        &self,
        py: Python<'_>,
        facts: &Bound<'_, PyAny>,
        queries: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PyAnswer>> {
        let mut builder = self.predictor.data();
        builder.try_example("", |example| fill(example, "", facts, &queries)).or_raise(py)?;
        let dataset = builder.build().or_raise(py)?;
        let answers =
            py.detach(|| self.predictor.predict(&dataset)).map_err(|error| exception(py, &error))?;
        answers.all.into_iter().map(|answer| PyAnswer::of(py, answer)).collect()
    }

    /// Answers an example so many times, from facts that Rust has already: what a call from Python is measured against.
    fn repeat(&self, py: Python<'_>, facts: Vec<Bound<'_, PyAny>>, times: u32) -> PyResult<()> {
        let atoms: Vec<WeightedAtom> =
            facts.iter().map(WeightedAtom::new).collect::<Result<_, _>>().map_err(PyValueError::new_err)?;
        let ask = || {
            let mut builder = self.predictor.data();
            builder.try_example("", |mut example| {
                for WeightedAtom { value, name, terms } in &atoms {
                    example = match value {
                        Some(value) => example.fact_with(value.clone(), name, terms.clone()),
                        None => example.fact(name, terms.clone()),
                    };
                }
                Ok(())
            })?;
            self.predictor.predict(&builder.build()?).map(drop)
        };
        py.detach(|| (0..times).try_for_each(|_| ask())).or_raise(py)
    }
}
