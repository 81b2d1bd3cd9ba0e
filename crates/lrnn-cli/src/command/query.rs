//! `lrnn query TEMPLATE [DATA] [ATOM]...`: atoms of the model with their values, by the reference network.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::function::{Real, Shape};
use lrnn::ground::{Grounding, Plans, Statistics, for_each_grounding};
use lrnn::network::{NetworkError, NeuronCounts, Reference, Weights};
use lrnn::syntax::printable;
use serde_json::{Value, json};

use super::ground::counts_json;
use super::pattern::Pattern;
use crate::args::{Common, Precision, Query};
use crate::failure::{Failure, NUMBERS, TEXT, USAGE};
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
    let plans = Plans::new(&loaded.template, &Statistics::of(&loaded.dataset));
    let start = Instant::now();
    let all = loaded.dataset.examples.len();
    let results = with_progress(common, "evaluating example", all, |done| {
        for_each_grounding(&loaded.template, &loaded.dataset, &plans, &limits, |example, grounding| {
            let found = match query.precision {
                Precision::F32 => evaluate::<f32>(&loaded, example, &grounding, &weights, &patterns),
                Precision::F64 => evaluate::<f64>(&loaded, example, &grounding, &weights, &patterns),
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
        return Err(Failure::new(TEXT, format!("{message}\n = help: {help}")));
    }
    if common.json {
        print_json(&loaded, &results, unentailed, start.elapsed().as_secs_f64())?;
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

const NOT_FINITE: &str = "a number grew too large, or a function met a value it is not defined for, as log does at 0; \
    look at the weights and functions on the way there, and try --precision f64 if it was f32";

/// What was found in one example.
struct Found {
    atoms: Vec<(String, Vec<f64>, Shape)>,
    unentailed: Vec<String>,
    counts: NeuronCounts,
}

fn evaluate<R: Real>(
    loaded: &Loaded,
    example: usize,
    grounding: &Grounding,
    weights: &Weights,
    patterns: &[Pattern],
) -> Result<Found, Failure> {
    let (template, vocabulary) = (&loaded.template, &loaded.dataset.vocabulary);
    let failed = |error: NetworkError| {
        let name = loaded.dataset.example_name(example);
        let message = format!("example {name}: {error}");
        match error {
            NetworkError::NotFinite(_) => Failure::new(NUMBERS, format!("{message}\n = help: {NOT_FINITE}")),
            _ => Failure::new(TEXT, message),
        }
    };
    let network = Reference::build(template, vocabulary, &loaded.dataset.examples[example], grounding)
        .map_err(failed)?;
    let values = network.evaluate::<R>(template, vocabulary, weights).map_err(failed)?;
    let mut atoms = Vec::new();
    let mut matched = vec![false; patterns.len()];
    for (id, _) in vocabulary.predicates() {
        let relation = &grounding.relations[id.index()];
        for row in 0..relation.len() as u32 {
            let terms = relation.row(row);
            let mut wanted = patterns.is_empty();
            for (pattern, matched) in
                patterns.iter().zip(&mut matched).filter(|(pattern, _)| pattern.predicate == id)
            {
                let is_it = pattern.matches(terms);
                wanted |= is_it;
                *matched |= is_it;
            }
            if let (true, Some((numbers, shape))) = (wanted, network.value_of(&values, id, row)) {
                let numbers = numbers.iter().map(|number| number.to_f64()).collect();
                atoms.push((vocabulary.atom_text(id, terms), numbers, shape));
            }
        }
    }
    let asked = patterns.iter().zip(matched).filter(|(pattern, matched)| pattern.is_ground() && !matched);
    let mut unentailed: Vec<String> = asked.map(|(pattern, _)| pattern.text.clone()).collect();
    for query in &loaded.dataset.queries[example] {
        if grounding.relations[query.predicate.index()].find(&query.terms).is_none() {
            unentailed.push(vocabulary.atom_text(query.predicate, &query.terms));
        }
    }
    unentailed.sort();
    unentailed.dedup();
    Ok(Found { atoms, unentailed, counts: network.counts() })
}

fn value_json(numbers: &[f64], shape: Shape) -> Value {
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

fn value_text(numbers: &[f64], shape: Shape) -> String {
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
