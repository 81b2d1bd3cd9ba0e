//! `lrnn weights MODEL`: the learned weights.

use std::fmt::Write as _;

use lrnn::Value;
use lrnn::diagnostic::printable;
use lrnn::model::{Model, ModelWeight, Precision, weight_names};
use lrnn_io::read_model_of;
use lrnn_lab::table::csv_cell;
use lrnn_report::shortened;
use serde_json::json;

use crate::args::{Common, WeightsArgs};
use crate::failure::{Error, ErrorKind};
use crate::output;

pub fn run(weights: &WeightsArgs, common: &Common) -> Result<u8, Error> {
    if weights.csv && common.json {
        let failure = Error::new(ErrorKind::Usage, "the weights are printed as CSV or as JSON, not as both");
        return Err(failure.help("drop `--csv` or `--json`"));
    }
    let mut model = read_model_of(&weights.model)?;
    let all = model.weights.len();
    if let Some(largest) = weights.largest {
        // Equal sizes stay in the order of the model.
        let mut all: Vec<ModelWeight> = model.weights.iter().collect();
        all.sort_by(|a, b| norm(b).total_cmp(&norm(a)));
        all.truncate(largest.get());
        model.weights = all.into_iter().collect();
    }
    if common.json {
        output::print_json(&document(&model))?;
    } else if weights.csv {
        output::print(&printable(&csv(&model)))?;
    } else {
        output::print(&printable(&(table(&model) + &summary(&model, all))))?;
    }
    Ok(0)
}

/// Returns the absolute value of a number, the Euclidean norm of a tensor.
fn norm(weight: &ModelWeight) -> f64 {
    match &*weight.numbers {
        [number] => number.abs(),
        numbers => numbers.iter().map(|number| number * number).sum::<f64>().sqrt(),
    }
}

fn table(model: &Model) -> String {
    let lines = lines(model);
    let rows: Vec<Vec<String>> = (model.weights.iter().zip(lines))
        .map(|(weight, line)| {
            let value = abbreviated(&weight, model.precision);
            vec![weight.name, weight.index, value, line]
        })
        .collect();
    // A column that nothing stands in is left out.
    let columns: Vec<usize> =
        (0..4).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let chosen = |row: &Vec<String>| columns.iter().map(|&column| row[column].clone()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(chosen).collect();
    let head: Vec<&str> =
        columns.iter().map(|&column| ["weight", "index", "value", "stands in"][column]).collect();
    if rows.is_empty() { String::new() } else { output::table(&head, &rows) + "\n" }
}

/// Writes a number, or the shape of a tensor with its norm and its range.
fn abbreviated(weight: &ModelWeight, precision: Precision) -> String {
    // Digits beyond the precision of the model mean nothing.
    let number = |number: f64| {
        let number = exact(number, precision).parse().unwrap_or(number);
        Value::from(number).to_string()
    };
    if let [only] = *weight.numbers {
        return number(only);
    }
    let least = weight.numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = weight.numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{} norm {}, from {} to {}", weight.shape, number(norm(weight)), number(least), number(most))
}

/// Returns the line of the template where each weight first stands; empty where it is that of the weight before.
fn lines(model: &Model) -> Vec<String> {
    let template = model.template().ok();
    let template = template.as_ref();
    let names = template.map(weight_names).unwrap_or_default();
    let line = |weight: &ModelWeight| {
        let span = template?.weights.get(names.iter().position(|name| *name == weight.name)?)?.span;
        Some(template?.sources.line_text(span.source, span.start).trim())
    };
    let mut before = "";
    let new_line = |weight: ModelWeight| {
        let line = line(&weight).unwrap_or("");
        let shown = if line == before { String::new() } else { shortened(line, 60) };
        before = line;
        shown
    };
    model.weights.iter().map(new_line).collect()
}

fn summary(model: &Model, all: usize) -> String {
    let shown = model.weights.len();
    let of = if shown < all { format!(" of {}", output::count(all as u64)) } else { String::new() };
    let numbers = model.weights.iter().map(|weight| weight.numbers.len() as u64).sum();
    let (shown, numbers) = (output::count(shown as u64), output::count(numbers));
    format!(
        "{shown}{of} weights, {numbers} parameters, {}, by lrnn {}\n",
        model.precision.name(),
        model.version
    )
}

/// Writes one line for each parameter.
fn csv(model: &Model) -> String {
    let mut out = String::from("weight,index,row,column,value\n");
    for weight in model.weights.iter() {
        let (name, index) = (csv_cell(&weight.name), csv_cell(&weight.index));
        let columns = weight.shape.columns.max(1) as usize;
        for (position, &number) in weight.numbers.iter().enumerate() {
            let (row, column) = (position / columns, position % columns);
            let _ = writeln!(out, "{name},{index},{row},{column},{}", exact(number, model.precision));
        }
    }
    out
}

/// Writes the shortest text that gives the same bits again.
fn exact(number: f64, precision: Precision) -> String {
    match precision {
        Precision::F32 => format!("{:?}", number as f32),
        Precision::F64 => format!("{number:?}"),
    }
}

fn document(model: &Model) -> serde_json::Value {
    let weight = |weight: ModelWeight| {
        json!({
            "name": weight.name, "index": weight.index, "shape": [weight.shape.rows, weight.shape.columns],
            "norm": norm(&weight), "value": Value { shape: weight.shape, numbers: weight.numbers },
        })
    };
    json!({
        "weights": model.weights.iter().map(weight).collect::<Vec<_>>(),
        "family": model.family,
        "precision": model.precision.name(),
        "version": model.version,
        "fingerprint": format!("{:016x}", model.fingerprint),
        "sources": model.sources.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "settings": model.settings,
        "notes": model.notes,
    })
}
