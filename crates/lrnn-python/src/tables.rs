//! Data from tables by a mapping: frames of Python as frames of the engine, and what was learned from training rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use lrnn::train::{Cases, Settings, Split};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Error, ErrorKind, Model};
use lrnn_io::{MAPPING_NOTE, Purpose, Tables, mapping_note, read_mapping};
use lrnn_tables::{Cells, Frame, FrameColumn, FrameSource, Mapping, Moment, Texts, infer};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString};

use crate::arrow;
use crate::attended::abandonable;
use crate::error::{OrRaise, raise};

/// The tables that data comes from.
#[derive(Debug)]
pub struct Origin {
    pub tables: Arc<Tables>,
    /// The number that each example has in the tables.
    pub rows: Vec<usize>,
    /// True if the queries are those of the mapping.
    pub has_own_queries: bool,
    /// An account of the rows, as text and as JSON.
    pub preview: Arc<(String, String)>,
    /// The file of the mapping, if it says where all tables are and all examples are there as it makes them.
    pub path: Option<PathBuf>,
}

impl Origin {
    /// Makes the data of tables; returns the mapping with what it learned, too.
    pub fn read(
        tables: Tables,
        vocabulary: Vocabulary,
        path: Option<PathBuf>,
    ) -> Result<(Dataset, Self, String), Error> {
        let found = tables.dataset(vocabulary, None)?;
        let note = tables.with_kinds(found.mapping).text();
        let preview = Arc::new((found.preview.text(), crate::model::json(&found.preview)));
        let rows = (0..found.dataset.examples.len()).collect();
        let tables = Arc::new(tables);
        Ok((found.dataset, Self { tables, rows, has_own_queries: true, preview, path }, note))
    }

    /// Returns the origin of some of the examples.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { rows: rows.iter().map(|&at| self.rows[at]).collect(), path: None, ..self.copy() }
    }

    /// Returns the origin of the same examples with other queries.
    pub fn with_other_queries(&self) -> Self {
        Self { has_own_queries: false, path: None, ..self.copy() }
    }

    fn copy(&self) -> Self {
        let (tables, preview, path) = (self.tables.clone(), self.preview.clone(), self.path.clone());
        Self { tables, rows: self.rows.clone(), has_own_queries: self.has_own_queries, preview, path }
    }

    /// Tells whether the mapping learns something from training rows.
    pub fn is_open(&self) -> bool {
        self.tables.mapping().is_open()
    }

    /// Fits what the mapping learns to the training examples. Returns the data where that changes it, and what a model
    /// is to remember.
    pub fn fitted(
        &self,
        dataset: &Dataset,
        split: &mut Option<Split>,
        settings: &Settings,
    ) -> Result<(Option<Dataset>, String), Error> {
        if !self.is_open() || Cases::of(dataset) != Cases::Examples {
            return Ok((None, mapping_note(&self.tables, None)?));
        }
        let split = split.get_or_insert_with(|| Split::of(dataset, settings));
        let training: Vec<usize> = split.training.iter().map(|&case| self.rows[case]).collect();
        let found = self.tables.dataset(dataset.vocabulary.clone(), Some(&training))?;
        let note = self.tables.with_kinds(found.mapping).text();
        Ok((Some(self.cut(found.dataset, dataset)), note))
    }

    /// Returns the data by what a model remembers of its own mapping; nothing where that changes nothing.
    pub fn for_model(&self, dataset: &Dataset, model: &Model) -> Result<Option<Dataset>, Error> {
        let Some(note) = model.notes.get(MAPPING_NOTE).filter(|_| self.is_open()) else { return Ok(None) };
        let mapping = Mapping::parse("the mapping of the model", note)?;
        let found = self.tables.dataset_by(dataset.vocabulary.clone(), &mapping)?;
        Ok(Some(self.cut(found.dataset, dataset)))
    }

    /// Returns these examples of data that was made anew, with the rest as it was.
    fn cut(&self, found: Dataset, old: &Dataset) -> Dataset {
        let queries = match self.has_own_queries {
            true => self.rows.iter().map(|&row| found.queries[row].clone()).collect(),
            false => old.queries.clone(),
        };
        Dataset {
            examples: self.rows.iter().map(|&row| found.examples[row].clone()).collect(),
            queries,
            vocabulary: found.vocabulary,
            facts_seen: found.facts_seen,
            ..old.clone()
        }
    }
}

fn mapping_of(mapping: &str, is_text: bool) -> Result<Mapping, Error> {
    match is_text {
        true => Mapping::parse("mapping", mapping),
        false => read_mapping(Path::new(mapping)),
    }
}

/// Returns the table with the examples of a mapping, a path or a text.
#[pyfunction]
pub fn example_table(py: Python<'_>, mapping: &str, is_text: bool) -> PyResult<Option<String>> {
    let mapping = mapping_of(mapping, is_text).or_raise(py)?;
    Ok(mapping.example().map(|line| line.table.clone()))
}

/// Returns a mapping, a path or a text, in the standard layout.
#[pyfunction]
pub fn format_mapping(py: Python<'_>, mapping: &str, is_text: bool) -> PyResult<String> {
    let mapping = mapping_of(mapping, is_text).or_raise(py)?;
    Ok(lrnn_tables::mapping::format_mapping(&mapping))
}

/// Writes a mapping and a template from the schema of tables, in memory or where a location says: the document of `lrnn
/// tables infer --json`.
#[pyfunction]
pub fn infer_tables(
    py: Python<'_>,
    location: &str,
    frames: Vec<(String, Bound<'_, PyAny>)>,
    target: &str,
) -> PyResult<String> {
    let frames: Vec<Frame> =
        frames.iter().map(|(name, given)| frame(name, given)).collect::<PyResult<_>>()?;
    let inferred = py.detach(|| {
        if !frames.is_empty() {
            return infer(&FrameSource { frames }, "memory", target);
        }
        let source = lrnn_tables::source::open(location, &Default::default())?;
        let whole = Path::new(location).canonicalize();
        infer(
            &*source,
            &whole.map_or_else(|_| location.to_owned(), |path| path.display().to_string()),
            target,
        )
    });
    inferred.or_raise(py).map(|found| crate::model::json(&found))
}

/// Looks for what examples should not know: the document of `lrnn tables check --json`.
#[pyfunction]
pub fn check_tables(
    py: Python<'_>,
    mapping: &str,
    is_text: bool,
    frames: Vec<(String, Bound<'_, PyAny>)>,
) -> PyResult<String> {
    let frames: Vec<Frame> =
        frames.iter().map(|(name, given)| frame(name, given)).collect::<PyResult<_>>()?;
    let report = py.detach(|| {
        let tables =
            Tables::with_frames(mapping_of(mapping, is_text)?, frames, Path::new(""), Purpose::Checking)?;
        tables.leakage(&tables.dataset(Vocabulary::default(), None)?)
    });
    report.or_raise(py).map(|found| crate::model::json(&found))
}

/// Reads tables by a mapping, which is a path or a text: the data with its origin, and the mapping with what it learned.
pub fn read(
    py: Python<'_>,
    mapping: String,
    is_text: bool,
    frames: Vec<(String, Bound<'_, PyAny>)>,
    labels: bool,
    vocabulary: Vocabulary,
) -> PyResult<(Dataset, Origin, String)> {
    let frames: Vec<Frame> =
        frames.iter().map(|(name, given)| frame(name, given)).collect::<PyResult<_>>()?;
    let purpose = if labels { Purpose::Learning } else { Purpose::Prediction };
    let is_whole = frames.is_empty() && labels && !is_text;
    let path = is_whole.then(|| PathBuf::from(&mapping));
    abandonable(py, move || {
        let mapping = mapping_of(&mapping, is_text)?;
        let tables = Tables::with_frames(mapping, frames, Path::new(""), purpose)?;
        Origin::read(tables, vocabulary, path)
    })
}

/// Returns a table of Python as a frame: Arrow data, or names with lists.
fn frame(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Frame> {
    let py = given.py();
    if let Ok(columns) = given.extract::<Vec<(String, Bound<'_, PyList>)>>() {
        let cells = |(column, list): &(String, Bound<'_, PyList>)| list_column(name, column, list);
        let columns: Vec<FrameColumn> = columns.iter().map(cells).collect::<PyResult<_>>()?;
        return same_length(py, Frame::new(name, columns));
    }
    let columns = arrow::named_table(given)?;
    let columns =
        columns.into_iter().map(|(column, kind, chunks)| arrow_column(name, column, &kind, &chunks));
    columns.collect::<Result<Vec<_>, Error>>().map(|columns| Frame::new(name, columns)).or_raise(py)
}

fn same_length(py: Python<'_>, frame: Frame) -> PyResult<Frame> {
    match frame.columns.iter().find(|column| column.len() != frame.rows) {
        None => Ok(frame),
        Some(column) => {
            let (name, column, count) = (&frame.name, &column.name, frame.rows);
            let message =
                format!("column {column} of table {name} does not have {count} rows as the first has");
            Err(raise(py, ErrorKind::Content, message, "give all columns one length"))
        }
    }
}

fn arrow_column(
    table: &str,
    name: String,
    kind: &DataType,
    chunks: &[ArrayRef],
) -> Result<FrameColumn, Error> {
    let null = |chunk: &ArrayRef| {
        let nulls = chunk.logical_nulls();
        (0..chunk.len()).map(|row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))).collect::<Vec<_>>()
    };
    let mut nulls: Vec<bool> = chunks.iter().flat_map(null).collect();
    let cells = match kind {
        DataType::Null => Cells::Texts(nulls.iter().map(|_| "").collect()),
        DataType::Boolean => {
            Cells::Booleans(chunks.iter().flat_map(|chunk| chunk.as_boolean().values()).collect())
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            Cells::Moments(chunks.iter().flat_map(|chunk| moments(kind, chunk)).collect())
        }
        kind if arrow::is_text(kind) => {
            Cells::Texts(chunks.iter().flat_map(arrow::texts).map(Option::unwrap_or_default).collect())
        }
        _ => match (arrow::whole_numbers(chunks), arrow::real_numbers(chunks)) {
            (Some(Ok(numbers)), _) => Cells::Integers(numbers),
            (Some(Err(row)), _) => {
                let message = format!(
                    "a whole number does not fit into 64 bits\n --> table {table}, column {name}, row {row}"
                );
                return Err(Error::new(ErrorKind::Content, message).help("make the column one of text"));
            }
            (_, Some(numbers)) => Cells::Numbers(numbers),
            _ => {
                let message =
                    format!("column {name} of table {table} is of type {kind}, which no cell can be");
                return Err(Error::new(ErrorKind::Content, message)
                    .help("make it text, numbers, truth values or dates"));
            }
        },
    };
    if !nulls.contains(&true) {
        nulls.clear();
    }
    Ok(FrameColumn { name, cells, nulls })
}

fn moments(kind: &DataType, chunk: &ArrayRef) -> Vec<Moment> {
    let micros = |numbers: &[i64], of: fn(i64) -> i64| {
        numbers.iter().map(|&number| Moment::of_micros(of(number))).collect()
    };
    match kind {
        DataType::Date32 => {
            let days = chunk.as_primitive::<Date32Type>().values();
            days.iter().map(|&day| Moment::of_day(i64::from(day))).collect()
        }
        DataType::Date64 => {
            let millis = chunk.as_primitive::<Date64Type>().values();
            millis.iter().map(|millis| Moment::of_day(millis.div_euclid(86_400_000))).collect()
        }
        DataType::Timestamp(TimeUnit::Second, _) => {
            micros(chunk.as_primitive::<TimestampSecondType>().values(), |it| it.saturating_mul(1_000_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            micros(chunk.as_primitive::<TimestampMillisecondType>().values(), |it| it.saturating_mul(1000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            micros(chunk.as_primitive::<TimestampMicrosecondType>().values(), |it| it)
        }
        _ => micros(chunk.as_primitive::<TimestampNanosecondType>().values(), |it| it.div_euclid(1000)),
    }
}

/// Returns a column of a list: texts, whole numbers, numbers or truth values; None, and what is not a number, is NULL.
fn list_column(table: &str, name: &str, list: &Bound<'_, PyList>) -> PyResult<FrameColumn> {
    let is_null = |item: &Bound<'_, PyAny>| {
        item.is_none() || item.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
    };
    let nulls: Vec<bool> = list.iter().map(|item| is_null(&item)).collect();
    let known: Vec<Bound<'_, PyAny>> = list.iter().filter(|item| !is_null(item)).collect();
    let all = |is_such: fn(&Bound<'_, PyAny>) -> bool| known.iter().all(is_such);
    let cells = if all(|item| item.is_instance_of::<PyBool>()) && !known.is_empty() {
        Cells::Booleans(list.iter().map(|item| item.is_truthy().unwrap_or(false)).collect())
    } else if all(|item| item.is_instance_of::<PyInt>() && !item.is_instance_of::<PyBool>())
        && !known.is_empty()
    {
        let whole = |item: Bound<'_, PyAny>| if item.is_none() { Ok(0) } else { item.extract::<i64>() };
        Cells::Integers(list.iter().map(whole).collect::<PyResult<_>>()?)
    } else if all(|item| item.is_instance_of::<PyFloat>() || item.is_instance_of::<PyInt>())
        && !known.is_empty()
    {
        let number =
            |item: Bound<'_, PyAny>| if item.is_none() { Ok(f64::NAN) } else { item.extract::<f64>() };
        Cells::Numbers(list.iter().map(number).collect::<PyResult<_>>()?)
    } else if all(|item| item.is_instance_of::<PyString>()) {
        let text = |item: Bound<'_, PyAny>| {
            if item.is_none() { Ok(String::new()) } else { item.extract::<String>() }
        };
        Cells::Texts(list.iter().map(text).collect::<PyResult<Vec<_>>>()?.into_iter().collect::<Texts>())
    } else {
        let message = format!(
            "column {name} of table {table} has values of several kinds, or of none that a cell can be"
        );
        let help = "make it text, numbers, truth values or dates";
        return Err(raise(list.py(), ErrorKind::Content, message, help));
    };
    Ok(FrameColumn {
        name: name.to_owned(),
        cells,
        nulls: if nulls.contains(&true) { nulls } else { Vec::new() },
    })
}
