//! Arrow data through its C interface: what pandas, polars, pyarrow, DuckDB and ADBC hand out. Names are borrowed where
//! they lie.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayReader, ArrayRef, StructArray, make_array};
use arrow_schema::{ArrowError, DataType};
use lrnn::{Error, ErrorKind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::column::ColumnData;

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// Opens the stream of a column or a table.
fn stream(object: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a valid stream, which is moved out of it, as the interface asks for; what is
    // left there is released, so that the capsule does not release it a second time.
    unsafe { ArrayStreamReader::from_raw(pointer.as_ptr()) }.map_err(failed)
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns an array that is handed out alone.
fn array(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let both = object.call_method0("__arrow_c_array__")?;
    let both = both.cast::<PyTuple>()?;
    let (schema, array) = (both.get_item(0)?, both.get_item(1)?);
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: the capsules hold a valid schema and array, which are moved out of them.
    let data = unsafe {
        let (schema, array) =
            (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()));
        from_ffi(array, &schema)
    };
    data.map(make_array).map_err(failed)
}

/// Returns the chunks of one column.
pub fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if object.hasattr("__arrow_c_stream__")? {
        let chunks: Vec<ArrayRef> = stream(object)?.collect::<Result<_, _>>().map_err(failed)?;
        return chunks.into_iter().map(only).collect();
    }
    if object.hasattr("__arrow_c_array__")? {
        return Ok(vec![array(object)?]);
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a column is a numpy array, a list, or Arrow data as pandas, polars, pyarrow and DuckDB have it, not {kind}"
    )))
}

/// Returns the only column of a table, or the column that is none.
fn only(chunk: ArrayRef) -> PyResult<ArrayRef> {
    match chunk.as_struct_opt().map(StructArray::columns) {
        None => Ok(chunk),
        Some([column]) => Ok(column.clone()),
        Some(columns) => {
            let count = columns.len();
            Err(PyTypeError::new_err(format!("a column was expected, and this is a table of {count}")))
        }
    }
}

/// Returns the columns of a table, each in chunks.
pub fn table(object: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<ArrayRef>>> {
    Ok(named_table(object)?.into_iter().map(|(_, _, chunks)| chunks).collect())
}

/// Returns the columns of a table with their names and types, each in chunks.
pub fn named_table(object: &Bound<'_, PyAny>) -> PyResult<Vec<(String, DataType, Vec<ArrayRef>)>> {
    let reader = stream(object)?;
    let field = reader.field();
    let mut columns: Vec<(String, DataType, Vec<ArrayRef>)> = match field.data_type() {
        DataType::Struct(fields) => {
            fields.iter().map(|it| (it.name().clone(), it.data_type().clone(), Vec::new())).collect()
        }
        kind => vec![(field.name().clone(), kind.clone(), Vec::new())],
    };
    for chunk in reader {
        let chunk = chunk.map_err(failed)?;
        let own = chunk.as_struct_opt().map_or_else(|| vec![chunk.clone()], |all| all.columns().to_vec());
        columns.iter_mut().zip(own).for_each(|((_, _, chunks), column)| chunks.push(column));
    }
    Ok(columns)
}

/// Returns a column of constants from its chunks.
pub fn column(table: &str, chunks: &[ArrayRef]) -> Result<ColumnData, Error> {
    no_nulls(table, chunks)?;
    let Some(first) = chunks.first() else { return Ok(ColumnData::Integers(Vec::new())) };
    if let Some(all) = whole_numbers(chunks) {
        return all.map(ColumnData::Integers).map_err(|row| {
            let message = format!("a whole number does not fit into 64 bits\n --> table {table}, row {row}");
            Error::new(ErrorKind::Content, message).help("make the column one of text")
        });
    }
    if let Some(all) = real_numbers(chunks) {
        return Ok(ColumnData::Numbers(all));
    }
    match text_type(first.data_type()) {
        true => Ok(ColumnData::Arrow(chunks.to_vec())),
        false => Err(Error::new(
            ErrorKind::Content,
            format!("a column of table {table} is of type {}, which is no constant", first.data_type()),
        )
        .help("make it text or numbers")),
    }
}

/// Returns the numbers of a column, for values and targets; truth values are 0 and 1. A list of fixed size is a row.
pub fn values(table: &str, chunks: &[ArrayRef]) -> Result<(Vec<f64>, usize), Error> {
    no_nulls(table, chunks)?;
    if let Some(DataType::FixedSizeList(_, size)) = chunks.first().map(|chunk| chunk.data_type()) {
        let inner: Vec<ArrayRef> =
            chunks.iter().map(|chunk| chunk.as_fixed_size_list().values().clone()).collect();
        return values(table, &inner).map(|(numbers, _)| (numbers, *size as usize));
    }
    if let Some(Ok(all)) = whole_numbers(chunks) {
        return Ok((all.into_iter().map(|number| number as f64).collect(), 0));
    }
    if let Some(all) = real_numbers(chunks) {
        return Ok((all, 0));
    }
    if chunks.iter().all(|chunk| *chunk.data_type() == DataType::Boolean) {
        let bits = chunks.iter().flat_map(|chunk| chunk.as_boolean().values());
        return Ok((bits.map(|bit| f64::from(u8::from(bit))).collect(), 0));
    }
    let kind = chunks.first().map_or("nothing".to_owned(), |chunk| chunk.data_type().to_string());
    let message = format!("the values of table {table} are of type {kind}");
    Err(Error::new(ErrorKind::Content, message).help("values are numbers"))
}

fn no_nulls(table: &str, chunks: &[ArrayRef]) -> Result<(), Error> {
    let mut before = 0;
    for chunk in chunks {
        let nulls = chunk.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(row) = nulls.and_then(|nulls| (0..chunk.len()).find(|&row| nulls.is_null(row))) {
            let message = format!("a value is missing\n --> table {table}, row {}", before + row);
            return Err(Error::new(ErrorKind::Content, message)
                .help("drop such rows, or write a name for what is missing"));
        }
        before += chunk.len();
    }
    Ok(())
}

fn text_type(kind: &DataType) -> bool {
    *kind == DataType::Boolean || is_text(kind)
}

/// Tells whether a column is of text.
pub fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Returns the texts of a chunk of text; none where there is NULL.
pub fn texts(chunk: &ArrayRef) -> Vec<Option<&str>> {
    match chunk.data_type() {
        DataType::Utf8 => chunk.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => chunk.as_string::<i64>().iter().collect(),
        DataType::Utf8View => chunk.as_string_view().iter().collect(),
        DataType::Dictionary(..) => {
            let dictionary = chunk.as_any_dictionary();
            let known = texts(dictionary.values());
            let keys = dictionary.keys().logical_nulls();
            let is_null = |row: usize| keys.as_ref().is_some_and(|keys| keys.is_null(row));
            let text = |(row, key): (usize, usize)| {
                if is_null(row) { None } else { known.get(key).copied().flatten() }
            };
            dictionary.normalized_keys().into_iter().enumerate().map(text).collect()
        }
        _ => vec![None; chunk.len()],
    }
}

/// Goes through the names of a chunk of text.
pub fn names(chunk: &ArrayRef) -> Vec<&str> {
    match chunk.data_type() {
        DataType::Utf8 => chunk.as_string::<i32>().iter().flatten().collect(),
        DataType::LargeUtf8 => chunk.as_string::<i64>().iter().flatten().collect(),
        DataType::Utf8View => chunk.as_string_view().iter().flatten().collect(),
        DataType::Boolean => {
            chunk.as_boolean().iter().flatten().map(|bit| if bit { "true" } else { "false" }).collect()
        }
        DataType::Dictionary(..) => {
            let dictionary = chunk.as_any_dictionary();
            let known = names(dictionary.values());
            dictionary.normalized_keys().into_iter().map(|key| known[key]).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the whole numbers of a column of such; the row of one that does not fit as an error.
pub fn whole_numbers(chunks: &[ArrayRef]) -> Option<Result<Vec<i64>, usize>> {
    fn add<T: ArrowPrimitiveType>(chunk: &ArrayRef, all: &mut Vec<i64>)
    where
        i64: From<T::Native>,
    {
        all.extend(chunk.as_primitive::<T>().values().iter().map(|&number| i64::from(number)));
    }
    let mut all = Vec::with_capacity(chunks.iter().map(|chunk| chunk.len()).sum());
    for chunk in chunks {
        match chunk.data_type() {
            DataType::Int8 => add::<Int8Type>(chunk, &mut all),
            DataType::Int16 => add::<Int16Type>(chunk, &mut all),
            DataType::Int32 => add::<Int32Type>(chunk, &mut all),
            DataType::Int64 => all.extend_from_slice(chunk.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => add::<UInt8Type>(chunk, &mut all),
            DataType::UInt16 => add::<UInt16Type>(chunk, &mut all),
            DataType::UInt32 => add::<UInt32Type>(chunk, &mut all),
            DataType::UInt64 => {
                for &number in chunk.as_primitive::<UInt64Type>().values() {
                    let Ok(number) = i64::try_from(number) else { return Some(Err(all.len())) };
                    all.push(number);
                }
            }
            _ => return None,
        }
    }
    Some(Ok(all))
}

/// Returns the numbers of a column of such.
pub fn real_numbers(chunks: &[ArrayRef]) -> Option<Vec<f64>> {
    let mut all = Vec::with_capacity(chunks.iter().map(|chunk| chunk.len()).sum());
    for chunk in chunks {
        match chunk.data_type() {
            DataType::Float32 => {
                let numbers = chunk.as_primitive::<Float32Type>().values();
                all.extend(numbers.iter().map(|&number| f64::from(number)));
            }
            DataType::Float64 => all.extend_from_slice(chunk.as_primitive::<Float64Type>().values()),
            _ => return None,
        }
    }
    Some(all)
}
