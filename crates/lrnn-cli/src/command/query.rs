//! `lrnn query TEMPLATE [DATA] [ATOM]...`: atoms of the model with their values; of a run, with its weights.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::network::Weights;
use lrnn::program::{AtomPattern, Cycles, ExampleAtoms, Semiring};
use lrnn::{Dataset, Program};
use lrnn_io::{model_file, read_model};
use lrnn_report::{AtomList, AtomReadings};

use crate::args::{Common, PrecisionFlag, QueryArgs};
use crate::failure::Error;
use crate::load::{self, limits, load, model_columns};
use crate::output;
use crate::progress::with_progress;

/// A template or a model with data, and weights.
struct QuerySubject {
    program: Program,
    dataset: Dataset,
    members: Vec<Weights>,
    seconds: f64,
}

pub fn run(query: &QueryArgs, common: &Common) -> Result<u8, Error> {
    let (data, atoms) = split(&query.rest);
    let subject = subject(query, data.map(Path::new), common)?;
    let QuerySubject { program, dataset, members, .. } = &subject;
    let patterns: Vec<AtomPattern> =
        atoms.iter().map(|text| AtomPattern::parse(text, &dataset.vocabulary)).collect::<Result<_, _>>()?;
    if let Some(semiring) = Semiring::ALL.iter().find(|(name, _)| query.semiring.as_deref() == Some(*name)) {
        return read(&subject, &patterns, semiring.1, query.csv, common);
    }
    let unentailed = load::unentailed(&query.unentailed)?;
    let start = Instant::now();
    let results = with_progress(common, "evaluating example", dataset.examples.len(), |done| {
        program.for_each_grounding(dataset, |example, grounding| {
            let at = (example, grounding);
            let found = match query.precision {
                PrecisionFlag::F32 => program.atoms::<f32>(dataset, at, &patterns, members, query.reference),
                PrecisionFlag::F64 => program.atoms::<f64>(dataset, at, &patterns, members, query.reference),
            };
            done.fetch_add(1, Ordering::Relaxed);
            found
        })
    });
    let found: Vec<ExampleAtoms> = results?.into_iter().collect::<Result<_, _>>()?;
    let list = AtomList::new(dataset, found, unentailed, program.template().family.name)?;
    output::say_notes(list.cycles.iter().map(Cycles::sentence), common);
    let seconds = [("read", Some(subject.seconds)), ("evaluate", Some(start.elapsed().as_secs_f64()))];
    let csv = query.csv.then(|| list.csv());
    output::print_result(common, &list, &seconds, csv, || printable(&list.text()))?;
    if let Some(sentence) = list.outside_sentence().filter(|_| !common.json) {
        output::say(&printable(&format!("{sentence}\n")));
    }
    Ok(0)
}

/// Prints atoms as a semiring reads them.
fn read(
    subject: &QuerySubject,
    patterns: &[AtomPattern],
    semiring: Semiring,
    csv: bool,
    common: &Common,
) -> Result<u8, Error> {
    let QuerySubject { program, dataset, members, .. } = subject;
    let results = program.for_each_grounding(dataset, |example, grounding| {
        program.read(dataset, (example, grounding), patterns, members, semiring)
    })?;
    let atoms = results.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let readings = AtomReadings::new(dataset, semiring, atoms)?;
    let text = csv.then(|| readings.csv());
    output::print_result(common, &readings, &[], text, || printable(&readings.text()))?;
    output::say_notes(readings.note().filter(|_| !csv && !common.json), common);
    Ok(0)
}

/// Returns the template with data as it begins, or the model with its weights.
fn subject(query: &QueryArgs, data: Option<&Path>, common: &Common) -> Result<QuerySubject, Error> {
    let Some(file) = model_file(&query.template) else {
        let loaded =
            load((&query.template, data), &query.columns.columns(), &query.options, &query.limits, common)?;
        let members = vec![Weights::new(query.seed.or(loaded.config.seed).unwrap_or(0))];
        let load::ProgramInput { program, dataset, seconds, .. } = loaded;
        return Ok(QuerySubject { program, dataset, members, seconds });
    };
    let start = Instant::now();
    let model = read_model(&file)?;
    let program = model.program(limits(&query.limits, &Default::default()))?;
    let columns = model_columns(&query.template, &query.columns.molecules);
    let dataset = load::model_data(&model, &program, data, &columns, common)?;
    if data.is_none() {
        load::say_found(&program, &dataset, common)?;
    }
    let members = model.asked_weights(program.template(), &dataset.vocabulary)?;
    Ok(QuerySubject { program, dataset, members, seconds: start.elapsed().as_secs_f64() })
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
