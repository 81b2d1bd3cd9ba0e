//! Data: examples with their queries, built from tuples, columns, text or files, and cut without copies.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use lrnn::data::{DatasetBuilder, FactTable, Layout, Query};
use lrnn::diagnostic::{Diagnostic, Severity};
use lrnn::function::Shape;
use lrnn::model::fingerprint;
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary};
use lrnn::{Dataset, Error, ErrorKind, Limits, Model, Table, Template};
use lrnn_chem::FactOptions;
use lrnn_io::{MoleculeColumns, read_dataset, write_data};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrow;
use crate::attended::abandonable;
use crate::column::{BorrowedColumn, ColumnData, bytes_of, integers, numbers};
use crate::cut::Cut;
use crate::error::{OrRaise, diagnostics, raise};
use crate::molecules::MoleculeTexts;
use crate::tables::{self, Origin};
use crate::template::PyTemplate;
use crate::term::{WeightedAtom, fill};

enum DatasetState {
    /// Examples may be added.
    Growing(Box<DatasetBuilder>),
    Whole(Arc<Dataset>),
    Cut(Cut),
}

/// Examples with their queries.
#[pyclass(frozen, name = "Dataset", module = "lrnn._lrnn")]
pub struct PyDataset {
    state: Mutex<DatasetState>,
    /// The tables that it comes from, if it does.
    pub origin: Option<Origin>,
}

/// Returns data whose queries have no variables: the atoms of the template's model that match stand for them.
pub fn expanded(template: &Template, dataset: Arc<Dataset>) -> Result<Arc<Dataset>, Error> {
    if dataset.lifted.is_empty() {
        return Ok(dataset);
    }
    let mut whole = dataset.renumbered(template.vocabulary.clone());
    template.expand(&mut whole, Limits::default())?;
    Ok(Arc::new(whole))
}

impl PyDataset {
    /// Keeps data.
    pub fn of(dataset: Dataset) -> Self {
        Self { state: Mutex::new(DatasetState::Whole(Arc::new(dataset))), origin: None }
    }

    /// Keeps data that comes from tables.
    pub fn of_tables(dataset: Dataset, origin: Origin) -> Self {
        Self { origin: Some(origin), ..Self::of(dataset) }
    }

    /// Returns the data as a model reads it: what was learned from the rows of tables is the model's.
    pub fn for_model(&self, py: Python<'_>, model: &Model) -> PyResult<Arc<Dataset>> {
        let dataset = self.get(py)?;
        let own =
            self.origin.as_ref().map(|origin| origin.for_model(&dataset, model)).transpose().or_raise(py)?;
        let mut dataset = own.flatten().map_or(dataset, Arc::new);
        if !dataset.lifted.is_empty() {
            let program = model.program(Limits::default()).or_raise(py)?;
            let mut own = dataset.renumbered(program.vocabulary().clone());
            program.expand(&mut own).or_raise(py)?;
            dataset = Arc::new(own);
        }
        Ok(dataset)
    }

    fn state(&self) -> MutexGuard<'_, DatasetState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Returns the data as the engine has it.
    pub fn get(&self, py: Python<'_>) -> PyResult<Arc<Dataset>> {
        let mut state = self.state();
        let whole = match &mut *state {
            DatasetState::Whole(whole) => return Ok(whole.clone()),
            DatasetState::Cut(cut) => cut.dataset(),
            DatasetState::Growing(builder) => {
                let empty = DatasetBuilder::new(Vocabulary::default());
                std::mem::replace(&mut **builder, empty).build().or_raise(py)?
            }
        };
        let whole = Arc::new(whole);
        *state = DatasetState::Whole(whole.clone());
        Ok(whole)
    }

    fn cut(&self, py: Python<'_>) -> PyResult<Cut> {
        if let DatasetState::Cut(cut) = &*self.state() {
            let rows: Vec<usize> = (0..cut.rows.len()).collect();
            return Ok(cut.select(&rows));
        }
        Ok(Cut::of(self.get(py)?))
    }

    fn of_cut(cut: Cut, origin: Option<Origin>) -> Self {
        Self { state: Mutex::new(DatasetState::Cut(cut)), origin }
    }

    /// Adds what `add` does, to data that grows.
    fn grow<T>(
        &self,
        py: Python<'_>,
        add: impl FnOnce(&mut DatasetBuilder) -> Result<T, Error>,
    ) -> PyResult<T> {
        if self.origin.as_ref().is_some_and(Origin::is_open) {
            let message = "data whose mapping learns from training rows cannot have examples that are not in its tables";
            return Err(raise(py, ErrorKind::Usage, message, "add rows to the tables"));
        }
        if !matches!(&*self.state(), DatasetState::Growing(_)) {
            let whole = self.get(py)?;
            // The only holder but the state itself gives its data away; what others hold is copied.
            *self.state() = DatasetState::Growing(Box::new(DatasetBuilder::new(Vocabulary::default())));
            let dataset = Arc::unwrap_or_clone(whole);
            *self.state() = DatasetState::Growing(Box::new(DatasetBuilder::extending(dataset)));
        }
        match &mut *self.state() {
            DatasetState::Growing(builder) => add(builder).or_raise(py),
            DatasetState::Whole(_) | DatasetState::Cut(_) => Err(busy(py)),
        }
    }
}

fn busy(py: Python<'_>) -> PyErr {
    let help = "add examples from one thread, or build a dataset in each";
    raise(py, ErrorKind::Usage, "another thread uses this dataset while an example is added", help)
}

fn vocabulary_of(template: Option<&PyTemplate>) -> Vocabulary {
    template.map(|template| template.template.vocabulary.clone()).unwrap_or_default()
}

/// The numbers of values with their shape: `(bytes, shape)` of a numpy array, or Arrow data.
struct ValueColumn {
    numbers: Vec<f64>,
    shape: Shape,
}

impl ValueColumn {
    fn new(table: &str, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = given.py();
        if let Ok((bytes, shape)) = given.extract::<(Bound<'_, PyBytes>, Vec<u32>)>() {
            let shape = match shape[..] {
                [] => Shape::NUMBER,
                [rows] => Shape::vector(rows),
                [rows, columns, ..] => Shape::matrix(rows, columns),
            };
            return Ok(Self { numbers: numbers(bytes.as_bytes()), shape });
        }
        let (numbers, size) = arrow::values(table, &arrow::chunks(given)?).or_raise(py)?;
        let shape = if size == 0 { Shape::NUMBER } else { Shape::vector(size as u32) };
        Ok(Self { numbers, shape })
    }
}

#[pymethods]
impl PyDataset {
    #[new]
    fn new(template: Option<&PyTemplate>) -> Self {
        let builder = DatasetBuilder::new(vocabulary_of(template));
        Self { state: Mutex::new(DatasetState::Growing(Box::new(builder))), origin: None }
    }

    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, template: Option<&PyTemplate>) -> PyResult<Self> {
        let vocabulary = vocabulary_of(template);
        let read = move || read_dataset(&path, &MoleculeColumns::default(), vocabulary);
        abandonable(py, read).map(|(dataset, _)| Self::of(dataset))
    }

    /// Reads tables by a mapping, a path or a text; returns the mapping with what it learned, too.
    #[staticmethod]
    fn from_tables(
        py: Python<'_>,
        mapping: String,
        is_text: bool,
        frames: Vec<(String, Bound<'_, PyAny>)>,
        labels: bool,
        template: Option<&PyTemplate>,
    ) -> PyResult<(Self, String)> {
        let (dataset, origin, note) =
            tables::read(py, mapping, is_text, frames, labels, vocabulary_of(template))?;
        Ok((Self::of_tables(dataset, origin), note))
    }

    /// Returns what became of the rows of tables, as text and as JSON.
    fn tables_preview(&self) -> Option<(String, String)> {
        self.origin.as_ref().map(|origin| (*origin.preview).clone())
    }

    /// Tells whether its mapping learns from training rows.
    fn is_open(&self) -> bool {
        self.origin.as_ref().is_some_and(Origin::is_open)
    }

    /// Returns warnings and notes about the data.
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let dataset = self.get(py)?;
        diagnostics(py, &dataset.notes, &dataset.sources)
    }

    #[staticmethod]
    fn parse(
        py: Python<'_>,
        examples: String,
        queries: Option<String>,
        one: Option<bool>,
        template: Option<&PyTemplate>,
    ) -> PyResult<Self> {
        let layout = match one {
            None => Layout::Detect,
            Some(true) => Layout::Facts,
            Some(false) => Layout::Examples,
        };
        let mut builder = DatasetBuilder::new(vocabulary_of(template));
        let build = move || {
            builder.text("examples", &examples, layout);
            if let Some(queries) = queries {
                builder.queries_text("queries", &queries);
            }
            builder.build()
        };
        abandonable(py, build).map(Self::of)
    }

    /// Adds an example of tuples.
    fn add(
        &self,
        py: Python<'_>,
        facts: &Bound<'_, PyAny>,
        queries: Vec<Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<()> {
        self.grow(py, |builder| {
            let number = builder.len();
            let shown = if name.is_empty() { number.to_string() } else { name.to_owned() };
            builder.try_example(name, |example| fill(example, &shown, facts, &queries))
        })
    }

    /// Adds molecules, a text each, with their names and queries. Those that cannot be read are told, all of them, each
    /// with its row: as an error, or, where `skip`, as warnings beside the numbers of those that were added.
    fn add_molecules<'py>(
        &self,
        py: Python<'py>,
        smiles: Vec<Option<String>>,
        names: Vec<String>,
        queries: Vec<Vec<Bound<'_, PyAny>>>,
        rings: bool,
        skip: bool,
    ) -> PyResult<(Vec<usize>, Bound<'py, PyList>)> {
        let read = py.detach(|| MoleculeTexts::read(&smiles));
        let (sources, wrong) = (read.sources, read.wrong);
        let told = diagnostics(py, &wrong, &sources)?;
        if !wrong.is_empty() && !skip || read.molecules.is_empty() && !smiles.is_empty() {
            let error = |it: Diagnostic| Diagnostic { severity: Severity::Error, ..it };
            let error = Error::of(ErrorKind::Content, wrong.into_iter().map(error).collect(), &sources);
            return Err(crate::error::exception(py, &error));
        }
        let rows = read.molecules.iter().map(|(row, _)| *row).collect();
        self.grow(py, |builder| {
            for (row, molecule) in &read.molecules {
                builder.try_example(&names[*row], |example| {
                    let example = molecule.add_to(example, FactOptions { rings });
                    fill(example, &names[*row], PyList::empty(py).as_any(), &queries[*row])
                })?;
            }
            Ok(())
        })?;
        Ok((rows, told))
    }

    /// Adds facts, or queries, of one predicate column by column.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
    fn add_columns(
        &self,
        py: Python<'_>,
        predicate: &str,
        columns: Vec<Bound<'_, PyAny>>,
        values: Option<Bound<'_, PyAny>>,
        examples: Option<Bound<'_, PyBytes>>,
        rows: usize,
        is_query: bool,
    ) -> PyResult<()> {
        let columns: Vec<ColumnData> =
            columns.iter().map(|column| ColumnData::new(predicate, column)).collect::<PyResult<_>>()?;
        let values = values.map(|values| ValueColumn::new(predicate, &values)).transpose()?;
        let examples: Option<Vec<u32>> =
            examples.map(|bytes| integers(bytes.as_bytes()).into_iter().map(|at| at as u32).collect());
        self.grow(py, |builder| {
            let borrowed: Vec<BorrowedColumn<'_>> = columns.iter().map(ColumnData::borrowed).collect();
            let table = Table {
                predicate,
                columns: borrowed.iter().map(BorrowedColumn::column).collect(),
                values: values.as_ref().map(|values| values.numbers.as_slice()),
                shape: values.as_ref().map(|values| values.shape),
                examples: examples.as_deref(),
                rows,
            };
            if is_query {
                builder.queries_of(&table)
            } else {
                builder.facts(&table)
            };
            Ok(())
        })
    }

    /// Adds the facts of a table, a term for each column.
    fn add_table(&self, py: Python<'_>, predicate: &str, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let columns: Vec<ColumnData> = arrow::table(table)?
            .iter()
            .map(|chunks| arrow::column(predicate, chunks).or_raise(py))
            .collect::<PyResult<_>>()?;
        self.grow(py, |builder| {
            let borrowed: Vec<BorrowedColumn<'_>> = columns.iter().map(ColumnData::borrowed).collect();
            let columns = borrowed.iter().map(BorrowedColumn::column).collect();
            builder.facts(&Table { predicate, columns, ..Table::default() });
            Ok(())
        })
    }

    /// Begins examples until there are so many.
    fn reach(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.grow(py, |builder| {
            builder.reach(count);
            Ok(())
        })
    }

    fn set_names(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        self.grow(py, |builder| {
            builder.names(names);
            Ok(())
        })
    }

    /// Builds what was added, or raises everything that is wrong with it.
    fn build(&self, py: Python<'_>) -> PyResult<()> {
        self.get(py).map(drop)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match &*self.state() {
            DatasetState::Cut(cut) => return Ok(cut.rows.len()),
            DatasetState::Growing(builder) => return Ok(builder.len()),
            DatasetState::Whole(_) => {}
        }
        Ok(self.get(py)?.examples.len())
    }

    /// Returns some examples, which share their facts with this data.
    fn select(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<Self> {
        let origin = self.origin.as_ref().map(|origin| origin.select(&rows));
        Ok(Self::of_cut(self.cut(py)?.select(&rows), origin))
    }

    /// Returns the same examples with other weights in learning.
    fn with_weights(&self, py: Python<'_>, weights: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let weights = Some(numbers(weights.as_bytes()));
        let every: Vec<usize> = (0..self.__len__(py)?).collect();
        let origin = self.origin.as_ref().map(|origin| origin.select(&every));
        Ok(Self::of_cut(Cut { weights, ..self.cut(py)? }, origin))
    }

    /// Returns the same examples with other queries.
    fn with_queries(&self, py: Python<'_>, queries: Vec<Vec<Bound<'_, PyAny>>>) -> PyResult<Self> {
        let cut = self.cut(py)?;
        let mut vocabulary = cut.whole.vocabulary.clone();
        let mut all = Vec::with_capacity(queries.len());
        for (row, queries) in queries.iter().enumerate() {
            let of = |query: &Bound<'_, PyAny>| {
                let atom = WeightedAtom::new(query).map_err(|why| {
                    let message =
                        format!("{why}\n --> query of example {}", cut.whole.example_name(cut.rows[row]));
                    raise(py, ErrorKind::Content, message, "a query is (1.0, \"active\") or (\"active\",)")
                })?;
                let predicate = vocabulary.predicate(&atom.name, atom.terms.len());
                let terms = atom.terms.into_iter().map(|term| vocabulary.insert(term)).collect();
                let target = atom.value.map(|value| value.numbers);
                Ok(Query { predicate, terms, target, weight: 1.0, span: Default::default() })
            };
            all.push(queries.iter().map(of).collect::<PyResult<Vec<Query>>>()?);
        }
        // New names need a vocabulary that has them; the facts are shared as they are where there are none.
        let is_same = vocabulary.predicate_count() == cut.whole.vocabulary.predicate_count()
            && vocabulary.constant_count() == cut.whole.vocabulary.constant_count();
        let base = match is_same {
            true => cut.whole.clone(),
            false => {
                let mut facts_seen = cut.whole.facts_seen.clone();
                facts_seen.resize(vocabulary.predicate_count(), None);
                Arc::new(Dataset { vocabulary, facts_seen, ..Dataset::clone(&cut.whole) })
            }
        };
        let origin = self.origin.as_ref().map(Origin::with_other_queries);
        Ok(Self::of_cut(Cut { whole: base, queries: Some(all), ..cut }, origin))
    }

    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let cut = self.cut(py)?;
        Ok(cut.rows.iter().map(|&row| cut.whole.example_name(row)).collect())
    }

    fn has_names(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.cut(py)?.whole.ids.is_empty())
    }

    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let cut = self.cut(py)?;
        Ok(bytes_of(py, &(0..cut.rows.len()).map(|at| cut.weight(at)).collect::<Vec<_>>()))
    }

    /// Returns the number of targets of each example, their sizes and their numbers; an absent target is not a number.
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Vec<usize>, Bound<'py, PyBytes>)> {
        let cut = self.cut(py)?;
        let (mut counts, mut sizes, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..cut.rows.len() {
            counts.push(cut.queries(at).len());
            for query in cut.queries(at) {
                let target = query.target.as_deref().unwrap_or(&[f64::NAN]);
                sizes.push(target.len());
                all.extend_from_slice(target);
            }
        }
        Ok((counts, sizes, bytes_of(py, &all)))
    }

    /// Returns the queries of each example as text.
    fn queries(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        let cut = self.cut(py)?;
        let vocabulary = &cut.whole.vocabulary;
        let text = |query: &Query| vocabulary.atom_text(query.predicate, &query.terms);
        Ok((0..cut.rows.len()).map(|at| cut.queries(at).iter().map(text).collect()).collect())
    }

    /// Returns the facts of an example as tuples.
    fn facts<'py>(&self, py: Python<'py>, at: usize, most: usize) -> PyResult<Bound<'py, PyList>> {
        let cut = self.cut(py)?;
        let list = PyList::empty(py);
        for table in &cut.whole.examples[cut.rows[at]].tables {
            for row in 0..table.rows as usize {
                if list.len() == most {
                    return Ok(list);
                }
                list.append(fact(py, &cut.whole, table, row)?)?;
            }
        }
        Ok(list)
    }

    /// Returns each predicate with the number of its facts, and of its values if they are no numbers.
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let cut = self.cut(py)?;
        let mut counts = vec![(0_u64, None); cut.whole.vocabulary.predicate_count()];
        for table in cut.rows.iter().flat_map(|&row| &cut.whole.examples[row].tables) {
            let entry = &mut counts[table.predicate.index()];
            *entry = (entry.0 + u64::from(table.rows), Some(table.shape));
        }
        let dict = PyDict::new(py);
        for ((_, signature), (count, shape)) in cut.whole.vocabulary.predicates().zip(counts) {
            if count > 0 {
                dict.set_item(signature.to_string(), (count, shape.unwrap_or(Shape::NUMBER).to_string()))?;
            }
        }
        Ok(dict)
    }

    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let dataset = self.get(py)?;
        Ok(py.detach(|| format!("{:016x}", fingerprint(&dataset))))
    }

    /// Writes the data as a folder of text.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let dataset = self.get(py)?;
        py.detach(|| write_data(&path, &dataset)).or_raise(py)
    }

    /// Returns the data as bytes, for other processes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let dataset = self.get(py)?;
        let bytes = py.detach(|| crate::parcel::pack(&dataset));
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        crate::parcel::unpack(bytes).or_raise(py).map(Self::of)
    }

    /// Returns whether the data has folds of its own.
    fn folds(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let cut = self.cut(py)?;
        Ok(cut.rows.iter().filter_map(|&row| cut.whole.folds.get(row).copied()).collect())
    }
}

/// Returns a fact as a tuple, its value first if it is not 1.
pub fn fact<'py>(
    py: Python<'py>,
    dataset: &Dataset,
    table: &FactTable,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let mut parts: Vec<Bound<'py, PyAny>> = Vec::new();
    match table.value(row) {
        [1.0] => {}
        [number] => parts.push(number.into_pyobject(py)?.into_any()),
        numbers if table.shape.columns == 1 => parts.push(PyList::new(py, numbers)?.into_any()),
        numbers => {
            let rows = numbers.chunks(table.shape.columns.max(1) as usize);
            parts.push(PyList::new(py, rows.map(<[f64]>::to_vec))?.into_any());
        }
    }
    parts.extend(atom(py, &dataset.vocabulary, table.predicate, table.row(row))?);
    Ok(pyo3::types::PyTuple::new(py, parts)?.into_any())
}

fn atom<'py>(
    py: Python<'py>,
    vocabulary: &Vocabulary,
    predicate: PredicateId,
    terms: &[ConstantId],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    use lrnn::vocabulary::Constant;
    let name = vocabulary.signature(predicate).name.to_string().into_pyobject(py)?.into_any();
    let mut parts = vec![name];
    for &term in terms {
        parts.push(match vocabulary.constant(term) {
            Constant::Name(name) => (&*name).into_pyobject(py)?.into_any(),
            Constant::Integer(number) => number.into_pyobject(py)?.into_any(),
            Constant::Number(number) => number.into_pyobject(py)?.into_any(),
        });
    }
    Ok(parts)
}
