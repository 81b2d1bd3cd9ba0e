//! Facts and queries as tuples of Python: `("bond", 1, 2)`, `(0.3, "charge", 1)`, `([1, 2], "position", "a")`.

use lrnn::data::{ExampleBuilder, Value};
use lrnn::function::Shape;
use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Returns a term of an atom, or why it cannot be one.
pub fn constant(term: &Bound<'_, PyAny>) -> Result<Constant, String> {
    if let Ok(name) = term.cast::<PyString>() {
        return name.to_str().map(Constant::from).map_err(|error| format!("{error}"));
    }
    if term.is_instance_of::<PyBool>() {
        return Ok(if term.is_truthy().unwrap_or(false) { "true" } else { "false" }.into());
    }
    if term.is_instance_of::<PyInt>()
        || !term.is_instance_of::<PyFloat>() && term.hasattr("__index__").unwrap_or(false)
    {
        let number = term.extract::<i64>();
        return number.map(Constant::from).map_err(|_| format!("{term} does not fit into 64 bits"));
    }
    match term.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(number.into()),
        Ok(_) => Err(format!("{term} is not a finite number")),
        Err(_) => Err(format!("{} is neither a name nor a number", shown(term))),
    }
}

fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
    text.chars().take(60).collect()
}

/// Returns a value before an atom: a number, or a list or array of numbers or of rows.
fn value(given: &Bound<'_, PyAny>) -> Result<Value, String> {
    if let Ok(number) = given.extract::<f64>() {
        return Ok(number.into());
    }
    let wrong = || format!("{} is no value: it must be a number, a vector or a matrix", shown(given));
    let list = match given.cast::<PyList>() {
        Ok(list) => list.clone().into_any(),
        Err(_) => given.call_method0("tolist").unwrap_or_else(|_| given.clone()),
    };
    if let Ok(number) = list.extract::<f64>() {
        return Ok(number.into());
    }
    if let Ok(numbers) = list.extract::<Vec<f64>>() {
        return Ok(numbers.into());
    }
    let rows: Vec<Vec<f64>> = list.extract().map_err(|_| wrong())?;
    let columns = rows.first().map_or(0, Vec::len);
    if columns == 0 || rows.iter().any(|row| row.len() != columns) {
        return Err(wrong());
    }
    let shape = Shape::matrix(rows.len() as u32, columns as u32);
    Ok(Value { numbers: rows.concat(), shape })
}

/// An atom with its value, if one is written.
pub struct WeightedAtom {
    pub value: Option<Value>,
    pub name: String,
    pub terms: Vec<Constant>,
}

impl WeightedAtom {
    /// Reads a tuple, or a name alone.
    pub fn new(given: &Bound<'_, PyAny>) -> Result<Self, String> {
        if let Ok(name) = given.cast::<PyString>() {
            return Ok(Self { value: None, name: name.to_string(), terms: Vec::new() });
        }
        let parts: Vec<Bound<'_, PyAny>> = match given.cast::<PyTuple>() {
            Ok(parts) => parts.iter().collect(),
            Err(_) => match given.cast::<PyList>() {
                Ok(parts) => parts.iter().collect(),
                Err(_) => return Err(format!("{} is no fact", shown(given))),
            },
        };
        let (value, rest) = match parts.split_first() {
            Some((first, rest)) if !first.is_instance_of::<PyString>() => (Some(value(first)?), rest),
            _ => (None, &parts[..]),
        };
        let Some((name, terms)) = rest.split_first() else {
            return Err(format!("{} names no predicate", shown(given)));
        };
        let name =
            name.cast::<PyString>().map_err(|_| format!("{} is no name of a predicate", shown(name)))?;
        let terms = terms.iter().map(constant).collect::<Result<_, _>>()?;
        Ok(Self { value, name: name.to_string(), terms })
    }
}

const HELP: &str = "a fact is (\"bond\", 1, 2), with a value (0.3, \"charge\", 1)";

/// Returns the error of a fact or query that is none.
fn wrong(example: &str, what: &str, row: usize, why: &str) -> Error {
    let place = if example.is_empty() { String::new() } else { format!(" of example {example}") };
    Error::new(ErrorKind::Content, format!("{why}\n --> {what} {row}{place}")).help(HELP)
}

/// Adds facts and queries to an example.
pub fn fill(
    mut example: ExampleBuilder<'_>,
    name: &str,
    facts: &Bound<'_, PyAny>,
    queries: &[Bound<'_, PyAny>],
) -> Result<(), Error> {
    let items = facts.try_iter().map_err(|_| {
        Error::new(ErrorKind::Content, format!("{} is no list of facts", shown(facts))).help(HELP)
    })?;
    for (row, item) in items.enumerate() {
        let item = item.map_err(|error| wrong(name, "fact", row, &error.to_string()))?;
        let WeightedAtom { value, name: predicate, terms } =
            WeightedAtom::new(&item).map_err(|why| wrong(name, "fact", row, &why))?;
        example = match value {
            Some(value) => example.fact_with(value, &predicate, terms),
            None => example.fact(&predicate, terms),
        };
    }
    for (row, item) in queries.iter().enumerate() {
        let WeightedAtom { value, name: predicate, terms } =
            WeightedAtom::new(item).map_err(|why| wrong(name, "query", row, &why))?;
        example = match value {
            Some(value) => example.target(value, &predicate, terms),
            None => example.query(&predicate, terms),
        };
    }
    Ok(())
}
