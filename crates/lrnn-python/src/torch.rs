//! Networks for torch: numbers go in and come out as bytes, and a tape takes gradients back the same way.

use std::sync::{Arc, Mutex};

use lrnn::data::Query;
use lrnn::diagnostic::{Diagnostic, Severity};
use lrnn::function::Real;
use lrnn::model::{Precision, weight_names};
use lrnn::network::{WeightKey, Weights};
use lrnn::program::{NetworkFunction, Tape, model_of};
use lrnn::train::Loss;
use lrnn::vocabulary::PredicateId;
use lrnn::{Dataset, Error, ErrorKind, Model, Program, Settings, Threads};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList};

use crate::attended::interruptible;
use crate::column::{bytes_of, numbers};
use crate::dataset::{PyDataset, expanded, fact};
use crate::error::{OrRaise, raise};
use crate::model::PyModel;
use crate::template::PyTemplate;
use crate::training::{MostRules, limits};

/// Numbers that travel as bytes.
trait Bytes: Real {
    fn read(bytes: &[u8]) -> Vec<Self>;
    fn write(numbers: &[Self]) -> Vec<u8>;
}

macro_rules! bytes {
    ($($real:ty),*) => {$(
        impl Bytes for $real {
            fn read(bytes: &[u8]) -> Vec<Self> {
                bytes.as_chunks().0.iter().map(|bytes| Self::from_ne_bytes(*bytes)).collect()
            }

            fn write(numbers: &[Self]) -> Vec<u8> {
                numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
            }
        }
    )*};
}
bytes!(f32, f64);

/// A function with its data and the number of its threads.
struct TorchFunction {
    function: NetworkFunction,
    dataset: Arc<Dataset>,
    inputs: Vec<PredicateId>,
    threads: Option<usize>,
}

impl TorchFunction {
    /// Does work with as many threads as were asked for.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        match self.threads {
            Some(_) => Ok(Threads::new(self.threads)?.run(work)),
            None => Ok(work()),
        }
    }

    fn forward<R: Bytes>(&self, numbers: &[u8], outside: f64) -> Result<(Vec<u8>, Mutex<Tape<R>>), Error> {
        let (values, tape) = self.run(|| self.function.forward(&R::read(numbers), R::from_f64(outside)))?;
        Ok((R::write(&values), Mutex::new(tape)))
    }

    fn backward<R: Bytes>(&self, tape: &Mutex<Tape<R>>, by_values: &[u8]) -> Result<Vec<u8>, Error> {
        let mut tape = tape.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let tape = &mut *tape;
        let gradient = self.run(|| self.function.backward(tape, &R::read(by_values)))?;
        Ok(R::write(&gradient))
    }
}

/// A tape in either precision.
enum AnyTape {
    F32(Mutex<Tape<f32>>),
    F64(Mutex<Tape<f64>>),
}

/// The values that a forward pass leaves for backward passes.
#[pyclass(frozen, name = "Tape", module = "lrnn._lrnn")]
pub struct PyTape {
    grounded: Arc<TorchFunction>,
    tape: AnyTape,
}

#[pymethods]
impl PyTape {
    /// Returns the gradient by all numbers, from that by all values.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        by_values: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let bytes = by_values.as_bytes();
        let gradient = py.detach(|| match &self.tape {
            AnyTape::F32(tape) => self.grounded.backward(tape, bytes),
            AnyTape::F64(tape) => self.grounded.backward(tape, bytes),
        });
        Ok(PyByteArray::new(py, &gradient.or_raise(py)?))
    }
}

/// A weight at an index: its name, its index, its rows and columns, where its numbers begin, and whether it learns.
type WeightPlace = (String, String, (u32, u32), usize, bool);

/// A predicate whose facts are inputs: rows and columns of their values, and where the numbers of each fact begin; -1
/// where no query needs them.
type InputPlaces = ((u32, u32), Vec<i64>);

/// A query: its predicate, its atom, the number of its example, rows and columns, and whether it is in the model.
type QueryRow = (String, String, usize, (u32, u32), bool);

/// A template grounded with data.
#[pyclass(frozen, name = "NetworkFunction", module = "lrnn._lrnn")]
pub struct PyNetworkFunction {
    grounded: Arc<TorchFunction>,
}

/// Returns the weights of a template before any data, as those of a function, but without places.
#[pyfunction]
pub fn template_weights(template: &PyTemplate) -> Vec<(String, (u32, u32), bool, bool)> {
    let template = &template.template;
    let all = template.weights.iter().zip(weight_names(template));
    all.map(|(weight, name)| {
        (name, (weight.shape.rows, weight.shape.columns), !weight.index.is_empty(), !weight.fixed)
    })
    .collect()
}

#[pymethods]
impl PyNetworkFunction {
    /// Grounds a template with data; the values of facts of the input predicates are numbers that go in.
    #[new]
    fn new(
        py: Python<'_>,
        template: &PyTemplate,
        dataset: &PyDataset,
        inputs: Vec<(String, usize)>,
        most: MostRules,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (dataset, limits) = (dataset.get(py)?, limits(most));
        let find = |(name, arity): &(String, usize)| {
            dataset.vocabulary.find_predicate(name, *arity).ok_or_else(|| {
                let message = format!("the data has no facts of the input {name}/{arity}");
                let help =
                    "inputs name predicates of the data with their numbers of terms: inputs={\"digit\": 2}";
                raise(py, ErrorKind::Usage, message, help)
            })
        };
        let inputs = inputs.iter().map(find).collect::<PyResult<Vec<PredicateId>>>()?;
        let (template, stop) = (&*template.template, limits.stop.clone());
        let function = interruptible(py, threads, &stop, || {
            let dataset = expanded(template, dataset)?;
            let program = Program::new(template, &dataset, limits)?;
            Ok((NetworkFunction::new(program, &dataset, &inputs)?, dataset))
        })?;
        let (function, dataset) = function;
        Ok(Self { grounded: Arc::new(TorchFunction { function, dataset, inputs, threads }) })
    }

    /// Returns how many numbers go in.
    fn __len__(&self) -> usize {
        self.grounded.function.parameters().len()
    }

    /// Returns warnings about how template and data fit, as text.
    fn warnings(&self) -> Vec<String> {
        let program = self.grounded.function.program();
        let is_warning = |found: &&Diagnostic| found.severity > Severity::Note;
        program.notes().iter().filter(is_warning).map(|found| found.render(program.sources())).collect()
    }

    /// Returns every weight at every index.
    fn weights(&self) -> Vec<WeightPlace> {
        let TorchFunction { function, dataset, .. } = &*self.grounded;
        let (template, vocabulary) =
            (function.program().template(), function.program().names(&dataset.vocabulary));
        let names = weight_names(template);
        let place = |((id, index), range): (&WeightKey, std::ops::Range<usize>)| {
            let declared = template.weight(*id);
            let (name, index) = (names[id.index()].clone(), declared.index_text(vocabulary, index));
            (name, index, (declared.shape.rows, declared.shape.columns), range.start, !declared.fixed)
        };
        function.parameters().iter().map(place).collect()
    }

    /// Returns all numbers: weights where learning with this seed begins, and values of facts as they are in the data.
    fn start<'py>(&self, py: Python<'py>, seed: u64) -> Bound<'py, PyBytes> {
        let TorchFunction { function, dataset, .. } = &*self.grounded;
        let Settings { initialisation, initialisation_scale, .. } = Settings::default();
        let weights = Weights::starting(seed, initialisation, initialisation_scale);
        let (template, contributions) = (function.program().template(), function.contributions());
        let vocabulary = function.program().names(&dataset.vocabulary);
        bytes_of(py, &function.parameters().values_among(template, vocabulary, &weights, &contributions))
    }

    /// Returns where the numbers of the facts of each input predicate begin, in the order of the data.
    fn inputs(&self) -> Vec<InputPlaces> {
        let TorchFunction { function, dataset, inputs, .. } = &*self.grounded;
        let places = |&predicate: &PredicateId| {
            let (mut firsts, mut count) = (Vec::with_capacity(dataset.examples.len()), 0);
            for example in &dataset.examples {
                firsts.push(count);
                let tables = example.tables.iter().filter(|table| table.predicate == predicate);
                count += tables.map(|table| table.rows as usize).sum::<usize>();
            }
            let mut places = vec![-1; count];
            for (fact, range) in
                function.parameters().inputs().filter(|(fact, _)| fact.predicate == predicate)
            {
                places[firsts[fact.example] + fact.row as usize] = range.start as i64;
            }
            let shape = function.program().shape(predicate);
            ((shape.rows, shape.columns), places)
        };
        inputs.iter().map(places).collect()
    }

    /// Returns the facts of an input predicate in the order of the data, each with the number of its example.
    fn facts<'py>(&self, py: Python<'py>, input: usize) -> PyResult<Bound<'py, PyList>> {
        let TorchFunction { dataset, inputs, .. } = &*self.grounded;
        let list = PyList::empty(py);
        let Some(predicate) = inputs.get(input) else { return Ok(list) };
        for (number, example) in dataset.examples.iter().enumerate() {
            for table in example.tables.iter().filter(|table| table.predicate == *predicate) {
                for row in 0..table.rows as usize {
                    list.append((number, fact(py, dataset, table, row)?))?;
                }
            }
        }
        Ok(list)
    }

    /// Returns the queries in the order of the values that come out.
    fn queries(&self) -> Vec<QueryRow> {
        let TorchFunction { function, dataset, .. } = &*self.grounded;
        let vocabulary = &dataset.vocabulary;
        let row = |((example, query), is_entailed): ((usize, &Query), bool)| {
            let shape = function.program().shape(query.predicate);
            let predicate = vocabulary.signature(query.predicate).to_string();
            let atom = vocabulary.atom_text(query.predicate, &query.terms);
            (predicate, atom, example, (shape.rows, shape.columns), is_entailed)
        };
        let own = |(example, queries)| std::iter::repeat(example).zip::<&Vec<Query>>(queries);
        dataset.queries.iter().enumerate().flat_map(own).zip(function.entailed()).map(row).collect()
    }

    /// Returns the values of all queries for these numbers, and with `keep` the tape.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        numbers: &Bound<'py, PyBytes>,
        double: bool,
        outside: f64,
        keep: bool,
    ) -> PyResult<(Bound<'py, PyByteArray>, Option<PyTape>)> {
        let (grounded, bytes) = (&self.grounded, numbers.as_bytes());
        let size = if double { 8 } else { 4 };
        if bytes.len() != size * self.__len__() {
            let message = format!("{} bytes for {} numbers of {size} bytes", bytes.len(), self.__len__());
            return Err(raise(py, ErrorKind::Usage, message, "call what Module.ground gives"));
        }
        let passed = py.detach(|| match double {
            true => grounded.forward(bytes, outside).map(|(values, tape)| (values, AnyTape::F64(tape))),
            false => grounded.forward(bytes, outside).map(|(values, tape)| (values, AnyTape::F32(tape))),
        });
        let (values, tape) = passed.or_raise(py)?;
        let tape = keep.then(|| PyTape { grounded: grounded.clone(), tape });
        Ok((PyByteArray::new(py, &values), tape))
    }

    /// Returns a model with these numbers, in double precision, as weights.
    fn model(
        &self,
        py: Python<'_>,
        weights: &Bound<'_, PyBytes>,
        double: bool,
        loss: &str,
    ) -> PyResult<PyModel> {
        let TorchFunction { function, dataset, .. } = &*self.grounded;
        let Some(loss) = Loss::find(loss) else {
            let help = format!("a loss is one of {}", Loss::names().collect::<Vec<_>>().join(", "));
            return Err(raise(py, ErrorKind::Usage, format!("there is no loss `{loss}`"), &help));
        };
        let precision = if double { Precision::F64 } else { Precision::F32 };
        let settings = Settings { precision, loss: Some(loss), ..Settings::default() };
        let (program, numbers) = (function.program(), numbers(weights.as_bytes()));
        let weights = Model::weights_of(
            program.template(),
            program.names(&dataset.vocabulary),
            function.parameters(),
            &numbers,
        );
        Ok(PyModel::of(model_of(program, dataset, &settings, loss, vec![weights])))
    }
}
