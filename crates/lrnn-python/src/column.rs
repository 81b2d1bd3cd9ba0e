//! Columns of Python as columns of the engine: bytes of numpy arrays, lists, and whatever hands out Arrow data.

use arrow_array::ArrayRef;
use lrnn::vocabulary::Constant;
use lrnn::{Column, ErrorKind};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::arrow;
use crate::error::raise;
use crate::term::constant;

/// A column with whatever its values are borrowed from.
pub enum ColumnData {
    Names(Vec<PyBackedStr>),
    /// Names in chunks of Arrow data.
    Arrow(Vec<ArrayRef>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Constants(Vec<Constant>),
}

/// A column whose names are borrowed.
pub enum BorrowedColumn<'a> {
    Names(Vec<&'a str>),
    Integers(&'a [i64]),
    Numbers(&'a [f64]),
    Constants(&'a [Constant]),
}

impl BorrowedColumn<'_> {
    /// Returns the column as the engine takes it.
    pub fn column(&self) -> Column<'_> {
        match self {
            Self::Names(names) => Column::Names(names),
            Self::Integers(numbers) => Column::Integers(numbers),
            Self::Numbers(numbers) => Column::Numbers(numbers),
            Self::Constants(constants) => Column::Constants(constants),
        }
    }
}

impl ColumnData {
    /// Returns the column of the table `name`: `("i8" or "f8", bytes)`, a list, or an object with Arrow data.
    pub fn new(table: &str, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = given.py();
        if let Ok(tagged) = given.cast::<PyTuple>() {
            let (kind, bytes): (PyBackedStr, Bound<'_, PyBytes>) = tagged.extract()?;
            return Ok(match &*kind {
                "i8" => Self::Integers(integers(bytes.as_bytes())),
                _ => Self::Numbers(numbers(bytes.as_bytes())),
            });
        }
        if let Ok(list) = given.cast::<PyList>() {
            if list.iter().all(|item| item.is_exact_instance_of::<PyString>()) {
                return Ok(Self::Names(list.extract()?));
            }
            let all = list
                .iter()
                .enumerate()
                .map(|(row, item)| constant(&item).map_err(|why| row_error(py, table, row, &why)));
            return all.collect::<PyResult<_>>().map(Self::Constants);
        }
        arrow::column(table, &arrow::chunks(given)?).map_err(|error| crate::error::exception(py, &error))
    }

    /// Returns the column with its names borrowed.
    pub fn borrowed(&self) -> BorrowedColumn<'_> {
        match self {
            Self::Names(names) => BorrowedColumn::Names(names.iter().map(|name| &**name).collect()),
            Self::Arrow(chunks) => BorrowedColumn::Names(chunks.iter().flat_map(arrow::names).collect()),
            Self::Integers(numbers) => BorrowedColumn::Integers(numbers),
            Self::Numbers(numbers) => BorrowedColumn::Numbers(numbers),
            Self::Constants(constants) => BorrowedColumn::Constants(constants),
        }
    }
}

/// Returns the exception of a value that cannot be in a column.
pub fn row_error(py: Python<'_>, table: &str, row: usize, why: &str) -> PyErr {
    let message = format!("{why}\n --> table {table}, row {row}");
    raise(py, ErrorKind::Content, message, "a term is a name or a finite number")
}

/// Reads the whole numbers of a numpy array.
pub fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()
}

/// Reads the numbers of a numpy array.
pub fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

/// Writes numbers for a numpy array.
pub fn bytes_of<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}
