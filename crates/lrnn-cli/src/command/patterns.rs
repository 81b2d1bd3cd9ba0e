//! `lrnn patterns MODEL DATA`: what the rules of a model answer to most.

use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::program::Subject;
use lrnn_io::is_molecule_file;
use lrnn_report::{are_molecules, find_patterns, find_substructures, patterns_svg, substructures_svg};

use crate::args::{Common, PatternsArgs};
use crate::failure::Error;
use crate::load::{model_columns, read_subject};
use crate::output;
use crate::progress::with_progress;

pub fn run(asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (model, data) = (&asked.asked.model, &asked.asked.data);
    let subject = read_subject(model, Some(data), &asked.asked.molecules, &asked.asked.limits, common)?;
    let is_table = || {
        is_molecule_file(data, &model_columns(model, &asked.asked.molecules))
            && are_molecules(&subject.dataset)
    };
    if asked.substructures || (!asked.rules && is_table()) {
        return substructures(&subject, asked, common);
    }
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let result = with_progress(common, "looking at example", count, |done| {
        find_patterns(&subject, asked.support.map_or(1, usize::from), asked.top.get(), done)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    output::say_notes(&result.notes, common);
    output::write_beside(asked.svg.as_deref(), || patterns_svg("Patterns", &result), common)?;
    let csv = asked.csv.then(|| result.csv());
    output::print_result(common, &result, &[("patterns", Some(seconds))], csv, || {
        printable(&format!("{}{count} examples in {seconds:.2} s\n", result.text()))
    })
}

/// Tells the substructures that raise and lower the value most.
fn substructures(subject: &Subject<'_>, asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let support = asked.support.map(usize::from);
    let found = with_progress(common, "looking at molecule", count, |done| {
        find_substructures(subject, asked.query.as_deref(), support, asked.top.get(), done)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    output::write_beside(asked.svg.as_deref(), || substructures_svg("Substructures", &found), common)?;
    let csv = asked.csv.then(|| found.csv());
    output::print_result(common, &found, &[("substructures", Some(seconds))], csv, || {
        let least = match found.least_support {
            0 | 1 => String::new(),
            least => format!(", each in {least} or more"),
        };
        let end = format!("{} substructures in {count} molecules{least}, {seconds:.2} s\n", found.count);
        printable(&(found.text() + &end))
    })
}
