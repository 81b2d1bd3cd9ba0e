//! Learning with others: shards of a training in other processes, and the crew of them that Python keeps.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use lrnn::program::Shard;
use lrnn::train::{Crew, Split};
use lrnn::{Dataset, Error, ErrorKind, Settings, Template, Threads, TrainingOptions};
use lrnn_lab::Workers;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::dataset::PyDataset;
use crate::error::OrRaise;
use crate::template::PyTemplate;
use crate::training::{MostRules, limits, settings_of};

/// Cases of training, validation and test.
type Parts = (Vec<usize>, Vec<usize>, Vec<usize>);

/// The networks of some chunks of a training.
#[pyclass(frozen, name = "Shard", module = "lrnn._lrnn")]
pub struct PyShard {
    template: Arc<Template>,
    dataset: Arc<Dataset>,
    settings: Settings,
    split: Option<Split>,
    strict: bool,
    most: MostRules,
    threads: usize,
    shard: Mutex<Shard>,
}

impl PyShard {
    fn run<T: Send>(&self, work: impl FnOnce(&mut Shard) -> Result<T, Error> + Send) -> Result<T, Error> {
        let own = || work(&mut self.shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        Threads::new(Some(self.threads))?.run(own)
    }
}

#[pymethods]
impl PyShard {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
    fn new(
        py: Python<'_>,
        template: &PyTemplate,
        dataset: &PyDataset,
        settings: Vec<(String, String)>,
        split: Option<Parts>,
        strict: bool,
        most: MostRules,
        threads: usize,
    ) -> PyResult<Self> {
        Ok(Self {
            template: template.template.clone(),
            dataset: dataset.get(py)?,
            settings: settings_of(py, settings, Settings::default())?,
            split: split.map(|(training, validation, test)| Split { training, validation, test }),
            strict,
            most,
            threads,
            shard: Mutex::default(),
        })
    }

    /// Grounds some chunks; returns the summary of each.
    fn ground<'py>(&self, py: Python<'py>, chunks: Vec<usize>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let options = TrainingOptions {
            limits: limits(self.most),
            strict: self.strict,
            split: self.split.clone(),
            ..TrainingOptions::default()
        };
        let grounded = py.detach(|| {
            self.run(|shard| shard.ground(&self.template, &self.dataset, &self.settings, options, &chunks))
        });
        Ok(grounded.or_raise(py)?.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    /// Says where the numbers of a chunk lie among all parameters.
    fn place(&self, py: Python<'_>, chunk: usize, places: &Bound<'_, PyBytes>) -> PyResult<()> {
        let places = places.as_bytes().as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let placed = self.run(|shard| {
            shard.place(chunk, places);
            Ok(())
        });
        placed.or_raise(py)
    }

    /// Returns the answer of each chunk to an order.
    fn work<'py>(
        &self,
        py: Python<'py>,
        chunks: Vec<usize>,
        order: &Bound<'py, PyBytes>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let order = order.as_bytes();
        let answers = py.detach(|| self.run(|shard| shard.work(&chunks, order)));
        Ok(answers.or_raise(py)?.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }
}

/// Workers that Python keeps: an object with the methods `ground`, `place`, `work`, `run_folds` and `run_cells`.
pub struct PyWorkers(Arc<Py<PyAny>>);

impl PyWorkers {
    pub fn new(object: Py<PyAny>) -> Self {
        Self(Arc::new(object))
    }

    fn call<'py, A: PyCallArgs<'py>>(
        &self,
        py: Python<'py>,
        method: &str,
        arguments: A,
    ) -> Result<(), Error> {
        let done = self.0.bind(py).call_method1(method, arguments);
        done.map(drop).map_err(|raised| error_of(py, &raised))
    }
}

impl Workers for PyWorkers {
    fn crew(
        &self,
        template: &Template,
        dataset: &Dataset,
        settings: &Settings,
        options: &TrainingOptions<'_>,
    ) -> Result<Arc<dyn Crew>, Error> {
        let Split { training, validation, test } = options.split.clone().unwrap_or_default();
        Ok(Arc::new(PyCrew {
            object: self.0.clone(),
            parcel: crate::parcel::pack(dataset),
            texts: template.texts(),
            family: template.asked_family,
            settings: settings.pairs().collect(),
            split: options.split.is_some().then_some((training, validation, test)),
            strict: options.strict,
            most: (Some(options.limits.per_example), Some(options.limits.total)),
        }))
    }

    fn run_folds(&self, run: &Path, shards: usize) -> Result<(), Error> {
        Python::attach(|py| self.call(py, "run_folds", (run, shards)))
    }

    fn run_cells(&self, file: &Path, data: Option<&Path>, out: &Path, shards: usize) -> Result<(), Error> {
        Python::attach(|py| self.call(py, "run_cells", (file, data, out, shards)))
    }
}

/// The crew of one training.
struct PyCrew {
    object: Arc<Py<PyAny>>,
    /// The data, as workers read it.
    parcel: Vec<u8>,
    texts: Vec<(String, String)>,
    family: Option<&'static str>,
    settings: Vec<(&'static str, String)>,
    split: Option<Parts>,
    strict: bool,
    most: MostRules,
}

impl std::fmt::Debug for PyCrew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PyCrew").finish_non_exhaustive()
    }
}

/// Returns an exception as an error: what it says, and the help of one of ours.
fn error_of(py: Python<'_>, raised: &PyErr) -> Error {
    let value = raised.value(py);
    let text = |name: &str| value.getattr(name).ok()?.extract::<String>().ok();
    let kind = match value.getattr("exit").and_then(|exit| exit.extract::<u8>()) {
        Ok(2) => ErrorKind::Usage,
        Ok(4) => ErrorKind::Limit,
        Ok(6) => ErrorKind::Numbers,
        Ok(3) => ErrorKind::Content,
        _ => ErrorKind::File,
    };
    let error = Error::new(kind, text("message").unwrap_or_else(|| raised.to_string()));
    match text("help") {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Calls Python for bytes.
fn call(
    make: impl for<'py> FnOnce(Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>>,
) -> Result<Vec<Vec<u8>>, Error> {
    Python::attach(|py| {
        let answers = make(py).map_err(|raised| error_of(py, &raised))?;
        Ok(answers.iter().map(|bytes| bytes.as_bytes().to_vec()).collect())
    })
}

impl Crew for PyCrew {
    fn ground(&self, chunks: usize) -> Result<Vec<Vec<u8>>, Error> {
        let Self { parcel, texts, family, settings, split, strict, most, .. } = self;
        call(|py| {
            let (texts, settings, split) = (texts.clone(), settings.clone(), split.clone());
            let inputs = (texts, *family, settings, split, *strict, *most);
            let parcel = PyBytes::new(py, parcel);
            self.object.bind(py).call_method1("ground", (chunks, parcel, inputs))?.extract()
        })
    }

    fn place(&self, places: &[Vec<u32>]) -> Result<(), Error> {
        Python::attach(|py| {
            let bytes = |places: &Vec<u32>| {
                let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
                PyBytes::new(py, &bytes)
            };
            let all: Vec<Bound<'_, PyBytes>> = places.iter().map(bytes).collect();
            self.object
                .bind(py)
                .call_method1("place", (all,))
                .map(drop)
                .map_err(|raised| error_of(py, &raised))
        })
    }

    fn work(&self, chunks: Range<usize>, order: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        call(|py| {
            let order = PyBytes::new(py, order);
            self.object.bind(py).call_method1("work", (chunks.start, chunks.end, order))?.extract()
        })
    }
}
