//! `lrnn query TEMPLATE [DATA] [ATOM]...`: atoms of the model with their values.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::function::Shape;
use lrnn::ground::{Plans, Statistics, for_each_grounding};
use lrnn::network::{NeuronCounts, Schedule, Weights};
use lrnn_lab::table::Table;
use serde_json::{Value, json};

use super::evaluate::{Evaluator, Found};
use super::ground::counts_json;
use super::pattern::Pattern;
use crate::args::{Common, Precision, Query};
use crate::failure::{Failure, TEXT, USAGE};
use crate::load::{self, Loaded};
use crate::output;
use crate::progress::with_progress;

pub fn run(query: &Query, common: &Common) -> Result<u8, Failure> {
    let (data, patterns) = split(&query.rest);
    let loaded = load::load(&query.template, data.map(Path::new), &query.options, common)?;
    let patterns = patterns
        .iter()
        .map(|text| Pattern::new(text, &loaded.dataset.vocabulary))
        .collect::<Result<Vec<_>, _>>()?;
    let unentailed = Unentailed::parse(&query.unentailed)?;
    let limits = load::limits(&query.limits, &loaded.config);
    let weights = Weights::new(query.seed.or(loaded.config.seed).unwrap_or(0));
    let schedule = Schedule::new(&loaded.template).map_err(|error| Failure::new(TEXT, error.to_string()))?;
    let evaluator = Evaluator { loaded: &loaded, schedule, weights, patterns, reference: query.reference };
    let plans = Plans::new(&loaded.template, &Statistics::of(&loaded.dataset));
    let start = Instant::now();
    let all = loaded.dataset.examples.len();
    let results = with_progress(common, "evaluating example", all, |done| {
        for_each_grounding(&loaded.template, &loaded.dataset, &plans, &limits, |example, grounding| {
            let found = match query.precision {
                Precision::F32 => evaluator.evaluate::<f32>(example, &grounding),
                Precision::F64 => evaluator.evaluate::<f64>(example, &grounding),
            };
            done.fetch_add(1, Ordering::Relaxed);
            found
        })
    });
    let results = results.map_err(|error| loaded.ground_failure(&error))?;
    let results: Vec<Found> = results.into_iter().collect::<Result<_, _>>()?;
    let missing = results.iter().map(|found| found.unentailed.len()).sum::<usize>();
    if missing > 0 && unentailed == Unentailed::Error {
        let atoms: Vec<&str> =
            results.iter().flat_map(|found| &found.unentailed).map(String::as_str).take(10).collect();
        let are = if missing == 1 { "query is" } else { "queries are" };
        let help = "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0";
        let message = format!("{missing} {are} not in the model: {}", atoms.join(", "));
        return Err(Failure::new(TEXT, message).help(help));
    }
    if common.json {
        print_json(&loaded, &results, unentailed, start.elapsed().as_secs_f64())?;
    } else if query.csv {
        output::print(&printable(&csv(&loaded, &results, unentailed)))?;
    } else {
        print_text(&loaded, &results, unentailed)?;
    }
    Ok(0)
}

/// The data, if the first word is a path, and the atoms.
fn split(rest: &[String]) -> (Option<&str>, &[String]) {
    match rest {
        [first, atoms @ ..] => {
            let is_path = Path::new(first).exists() || (first.contains(['/', '.']) && !first.contains('('));
            if is_path { (Some(first), atoms) } else { (None, rest) }
        }
        [] => (None, rest),
    }
}

/// What to say of a query outside the model.
#[derive(Clone, Copy, PartialEq)]
enum Unentailed {
    Error,
    Skip,
    Value(f64),
}

impl Unentailed {
    fn parse(text: &str) -> Result<Self, Failure> {
        match text {
            "error" => Ok(Self::Error),
            "skip" => Ok(Self::Skip),
            text => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Self::Value(value)),
                _ => Err(Failure::new(
                    USAGE,
                    format!("--unentailed is `error`, `skip` or a number, not `{text}`"),
                )),
            },
        }
    }
}

pub(super) fn value_json(numbers: &[f64], shape: Shape) -> Value {
    match shape {
        shape if shape.is_number() => json!(numbers[0]),
        shape if shape.columns == 1 => json!(numbers),
        shape => numbers.chunks(shape.columns as usize).map(|row| json!(row)).collect(),
    }
}

fn print_json(
    loaded: &Loaded,
    results: &[Found],
    unentailed: Unentailed,
    seconds: f64,
) -> Result<(), Failure> {
    let mut atoms = Vec::new();
    let mut missing = Vec::new();
    for (example, found) in results.iter().enumerate() {
        for (atom, numbers, shape) in &found.atoms {
            atoms.push(json!({ "example": example, "atom": atom, "value": value_json(numbers, *shape) }));
        }
        for atom in &found.unentailed {
            let mut entry = json!({ "example": example, "atom": atom });
            if let Unentailed::Value(value) = unentailed {
                entry["value"] = json!(value);
            }
            missing.push(entry);
        }
    }
    let counts = results.iter().fold(NeuronCounts::default(), |sum, found| sum.plus(found.counts));
    let document = json!({
        "atoms": atoms,
        "unentailed": missing,
        "neurons": counts_json(counts),
        "examples": results.len(),
        "family": loaded.template.family.name,
        "seconds": { "read": loaded.seconds, "evaluate": seconds },
        "peak_memory_bytes": output::peak_memory_bytes(),
    });
    output::print_json(&document)?;
    Ok(())
}

/// Prints a line for each atom; vectors and matrices are written as in JSON.
fn csv(loaded: &Loaded, results: &[Found], unentailed: Unentailed) -> String {
    let mut table = Table::new(["example", "atom", "value", "in_model"]);
    for (example, found) in results.iter().enumerate() {
        let name = loaded.dataset.example_name(example);
        for (atom, numbers, shape) in &found.atoms {
            table.row([&name, atom, &value_json(numbers, *shape).to_string(), "true"]);
        }
        if let Unentailed::Value(value) = unentailed {
            for atom in &found.unentailed {
                table.row([&name, atom, &json!(value).to_string(), "false"]);
            }
        }
    }
    table.csv()
}

fn print_text(loaded: &Loaded, results: &[Found], unentailed: Unentailed) -> Result<(), Failure> {
    let many = results.len() > 1;
    let mut rows = Vec::new();
    for (example, found) in results.iter().enumerate() {
        for (atom, numbers, shape) in &found.atoms {
            let mut row = if many { vec![loaded.dataset.example_name(example)] } else { Vec::new() };
            row.extend([atom.clone(), value_text(numbers, *shape)]);
            rows.push(row);
        }
    }
    let head: &[&str] = if many { &["example", "atom", "value"] } else { &["atom", "value"] };
    output::print(&printable(&output::table(head, &rows)))?;
    let missing: Vec<&String> = results.iter().flat_map(|found| &found.unentailed).collect();
    if !missing.is_empty() {
        let listed: Vec<&str> = missing.iter().take(5).map(|atom| atom.as_str()).collect();
        let more = if missing.len() > 5 { ", ..." } else { "" };
        let value = match unentailed {
            Unentailed::Value(value) => format!(", and count as {value}"),
            Unentailed::Skip | Unentailed::Error => String::new(),
        };
        let message =
            format!("{} asked for but not in the model{value}: {}{more}\n", missing.len(), listed.join(", "));
        output::say(&printable(&message));
    }
    Ok(())
}

pub(super) fn value_text(numbers: &[f64], shape: Shape) -> String {
    let number = |number: &f64| {
        let text = format!("{number:.9}");
        let text = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
        if (number.abs() < 1e-5 && *number != 0.0) || number.abs() >= 1e15 {
            format!("{number:e}")
        } else {
            text
        }
    };
    let list = |numbers: &[f64]| format!("[{}]", numbers.iter().map(number).collect::<Vec<_>>().join(", "));
    match shape {
        shape if shape.is_number() => number(&numbers[0]),
        shape if shape.columns == 1 => list(numbers),
        shape => {
            format!("[{}]", numbers.chunks(shape.columns as usize).map(list).collect::<Vec<_>>().join(", "))
        }
    }
}
