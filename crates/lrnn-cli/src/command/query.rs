//! `lrnn query TEMPLATE [DATA] [ATOM]...`: atoms of the model with their values; of a run, with its weights.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::network::{Initialisation, NeuronCounts, Parameters, Weights};
use lrnn::program::{AtomPattern, AtomReading, AtomValue, Cycles, ExampleAtoms, Semiring};
use lrnn::train::{Settings, Unentailed};
use lrnn::{Dataset, Program};
use lrnn_io::{Purpose, check_data, model_file, read_model, read_model_data};
use lrnn_report::table::TextTable;
use serde::Serialize;

use crate::args::{Common, PrecisionFlag, QueryArgs};
use crate::failure::{Error, ErrorKind};
use crate::load::{self, limits, load, model_columns};
use crate::output;
use crate::progress::with_progress;

/// The atoms that were asked for.
#[derive(Serialize)]
struct AtomList<'a> {
    atoms: Vec<&'a AtomValue>,
    unentailed: Vec<OutsideAtom<'a>>,
    neurons: NeuronCounts,
    examples: usize,
    family: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<Cycles>,
}

/// An atom outside the model, with the value it counts as.
#[derive(Serialize)]
struct OutsideAtom<'a> {
    example: usize,
    atom: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
}

/// A template or a model with data, and weights.
struct QuerySubject {
    program: Program,
    dataset: Dataset,
    weights: Weights,
    seconds: f64,
}

pub fn run(query: &QueryArgs, common: &Common) -> Result<u8, Error> {
    let (data, atoms) = split(&query.rest);
    let subject = subject(query, data.map(Path::new), common)?;
    let QuerySubject { program, dataset, weights, .. } = &subject;
    let patterns: Vec<AtomPattern> =
        atoms.iter().map(|text| AtomPattern::parse(text, &dataset.vocabulary)).collect::<Result<_, _>>()?;
    if let Some(semiring) = Semiring::ALL.iter().find(|(name, _)| query.semiring.as_deref() == Some(*name)) {
        return read(&subject, &patterns, semiring.1, query.csv, common);
    }
    let mut settings = Settings::default();
    settings.set("unentailed", &query.unentailed)?;
    let start = Instant::now();
    let results = with_progress(common, "evaluating example", dataset.examples.len(), |done| {
        program.for_each_grounding(dataset, |example, grounding| {
            let at = (example, &grounding);
            let found = match query.precision {
                PrecisionFlag::F32 => program.atoms::<f32>(dataset, at, &patterns, weights, query.reference),
                PrecisionFlag::F64 => program.atoms::<f64>(dataset, at, &patterns, weights, query.reference),
            };
            done.fetch_add(1, Ordering::Relaxed);
            found
        })
    });
    let results: Vec<ExampleAtoms> = results?.into_iter().collect::<Result<_, _>>()?;
    let outside: Vec<&str> = results.iter().flat_map(|found| &found.outside).map(String::as_str).collect();
    if !outside.is_empty() && settings.unentailed == Unentailed::Error {
        let are = if outside.len() == 1 { "query is" } else { "queries are" };
        let message = format!("{} {are} not in the model: {}", outside.len(), listed(&outside));
        let help = "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0";
        return Err(Error::new(ErrorKind::Content, message).help(help));
    }
    let atoms: Vec<&AtomValue> = results.iter().flat_map(|found| &found.atoms).collect();
    if atoms.is_empty() {
        return Err(nothing(&outside));
    }
    let cycles = Cycles::together(results.iter().filter_map(|found| found.cycles.as_ref()));
    output::say_notes(cycles.iter().map(Cycles::sentence), common);
    let value = match settings.unentailed {
        Unentailed::Value(value) => Some(value),
        Unentailed::Skip | Unentailed::Error => None,
    };
    if common.json {
        let outside = results.iter().enumerate().flat_map(|(example, found)| {
            found.outside.iter().map(move |atom| OutsideAtom { example, atom, value })
        });
        let document = AtomList {
            atoms,
            unentailed: outside.collect(),
            neurons: results.iter().fold(NeuronCounts::default(), |sum, found| sum.plus(found.neurons)),
            examples: results.len(),
            family: program.template().family.name,
            cycles,
        };
        let evaluate = start.elapsed().as_secs_f64();
        output::print_costed(&document, &[("read", Some(subject.seconds)), ("evaluate", Some(evaluate))])?;
        return Ok(0);
    }
    match query.csv {
        true => output::print(&printable(&csv(dataset, &results, value)))?,
        false => output::print(&printable(&table(dataset, &atoms)))?,
    }
    say_outside(&outside, value);
    Ok(0)
}

/// The atoms that were asked for, under another reading.
#[derive(Serialize)]
struct AtomReadings<'a> {
    semiring: Semiring,
    atoms: &'a [AtomReading],
}

/// Prints atoms as a semiring reads them.
fn read(
    subject: &QuerySubject,
    patterns: &[AtomPattern],
    semiring: Semiring,
    csv: bool,
    common: &Common,
) -> Result<u8, Error> {
    let QuerySubject { program, dataset, weights, .. } = subject;
    let results = program.for_each_grounding(dataset, |example, grounding| {
        program.read(dataset, (example, &grounding), patterns, weights, semiring)
    })?;
    let atoms = results.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    if atoms.is_empty() {
        return Err(nothing(&[]));
    }
    if common.json {
        output::print_json(&AtomReadings { semiring, atoms: &atoms })?;
        return Ok(0);
    }
    let name = |atom: &AtomReading| dataset.example_name(atom.example);
    let row = |atom: &AtomReading| {
        let mark = if atom.exact { "" } else { " (not exact)" };
        vec![name(atom), atom.atom.clone(), format!("{}{mark}", atom.value)]
    };
    if csv {
        let mut table = TextTable::new(["example", "atom", "value", "exact"]);
        atoms
            .iter()
            .for_each(|it| table.row([&name(it), &it.atom, &it.value.to_string(), &it.exact.to_string()]));
        output::print(&printable(&table.csv()))?;
        return Ok(0);
    }
    output::print(&printable(&output::table(
        &["example", "atom", "value"],
        &atoms.iter().map(row).collect::<Vec<_>>(),
    )))?;
    for atom in atoms.iter().filter(|atom| !atom.proof.is_empty()) {
        let steps = atom.proof.iter().map(|step| format!("  {} :: {}\n", step.weight, step.clause));
        output::print(&printable(&format!("\n{} by\n{}", atom.atom, steps.collect::<String>())))?;
    }
    if atoms.iter().any(|atom| !atom.exact) {
        let note =
            "where proofs share facts or rules, probabilities take them for independent: these are not exact";
        output::say_notes([note], common);
    }
    Ok(0)
}

/// Returns the template with data as it begins, or the model with its weights.
fn subject(query: &QueryArgs, data: Option<&Path>, common: &Common) -> Result<QuerySubject, Error> {
    let Some(file) = model_file(&query.template) else {
        let loaded =
            load((&query.template, data), &query.columns.columns(), &query.options, &query.limits, common)?;
        let weights = Weights::new(query.seed.or(loaded.config.seed).unwrap_or(0));
        let load::ProgramInput { program, dataset, seconds, .. } = loaded;
        return Ok(QuerySubject { program, dataset, weights, seconds });
    };
    let start = Instant::now();
    let model = read_model(&file)?;
    let program = model.program(limits(&query.limits, &Default::default()))?;
    let dataset = match data {
        Some(data) => {
            let columns = model_columns(&query.template, &query.columns.molecules);
            read_model_data(&model, &program, data, &columns, Purpose::Prediction)?
        }
        None => Dataset::empty(program.vocabulary().clone()),
    };
    let found = check_data(&program, &dataset)?;
    output::say_diagnostics(&found, &program.sources().joined(&dataset.sources), common.quiet);
    let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
    let template = program.template();
    model.apply(template, &dataset.vocabulary, &Parameters::new(template), &mut weights);
    Ok(QuerySubject { program, dataset, weights, seconds: start.elapsed().as_secs_f64() })
}

/// Returns the data, if the first word is a path, and the atoms.
fn split(rest: &[String]) -> (Option<&str>, &[String]) {
    match rest {
        [first, atoms @ ..] => {
            let is_path = Path::new(first).exists() || (first.contains(['/', '.']) && !first.contains('('));
            if is_path { (Some(first), atoms) } else { (None, rest) }
        }
        [] => (None, rest),
    }
}

fn table(dataset: &Dataset, atoms: &[&AtomValue]) -> String {
    let many = dataset.examples.len() > 1;
    let row = |atom: &&AtomValue| {
        let mut row = if many { vec![dataset.example_name(atom.example)] } else { Vec::new() };
        row.extend([atom.atom.clone(), atom.value.to_string()]);
        row
    };
    let rows: Vec<Vec<String>> = atoms.iter().map(row).collect();
    output::table(if many { &["example", "atom", "value"] } else { &["atom", "value"] }, &rows)
}

/// Returns a line for each atom; numbers are exact, and vectors and matrices written as in JSON.
fn csv(dataset: &Dataset, results: &[ExampleAtoms], outside: Option<f64>) -> String {
    let mut table = TextTable::new(["example", "atom", "value", "in_model"]);
    for (example, found) in results.iter().enumerate() {
        let name = dataset.example_name(example);
        for atom in &found.atoms {
            let value = serde_json::to_string(&atom.value).unwrap_or_default();
            table.row([&name, &atom.atom, &value, "true"]);
        }
        for atom in found.outside.iter().filter(|_| outside.is_some()) {
            let value = outside.map_or_else(String::new, |value| format!("{value:?}"));
            table.row([&name, atom, &value, "false"]);
        }
    }
    table.csv()
}

/// Returns the error of a question that no atom answers.
fn nothing(outside: &[&str]) -> Error {
    let message = match outside {
        [] => "no atom of the model matches what is asked for".to_owned(),
        outside => format!("not in the model: {}", listed(outside)),
    };
    let help = "`lrnn query` without an atom prints all that follows from template and data";
    Error::new(ErrorKind::Content, message).help(help)
}

/// Returns the first of some atoms.
fn listed(atoms: &[&str]) -> String {
    const MOST: usize = 5;
    let more = if atoms.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", atoms[..atoms.len().min(MOST)].join(", "))
}

fn say_outside(outside: &[&str], value: Option<f64>) {
    if outside.is_empty() {
        return;
    }
    let value = value.map_or(String::new(), |value| format!(", and count as {value}"));
    let (count, listed) = (outside.len(), listed(outside));
    output::say(&printable(&format!("{count} asked for but not in the model{value}: {listed}\n")));
}
