//! `lrnn patterns MODEL DATA`: what the rules of a model answer to most.

use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::program::Subject;
use lrnn_report::{find_patterns, find_substructures, patterns_svg, substructures_svg};

use super::subject::read_subject;
use crate::args::{Common, PatternsArgs};
use crate::failure::{Error, ErrorKind};
use crate::output;
use crate::progress::with_progress;

pub fn run(asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (model, data) = (&asked.asked.model, &asked.asked.data);
    let subject = read_subject(model, Some(data), &asked.asked.molecules, &asked.asked.limits, common)?;
    if asked.substructures {
        return substructures(&subject, asked, common);
    }
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let result = with_progress(common, "looking at example", count, |done| {
        find_patterns(&subject, asked.support.map_or(1, usize::from), asked.top.get(), done)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    output::say_notes(&result.notes, common);
    if let Some(path) = &asked.svg {
        output::write_picture(path, &patterns_svg("Patterns", &result), common)?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_costed(&result, &[("patterns", Some(seconds))])?;
    } else if asked.csv {
        output::print(&printable(&result.csv()))?;
    } else {
        let end = format!("{count} examples in {seconds:.2} s\n");
        output::print(&printable(&(result.text() + &end)))?;
    }
    Ok(0)
}

/// Tells the substructures that raise and lower the value most.
fn substructures(subject: &Subject<'_>, asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    // What is in one or two of many molecules is a matter of chance.
    let support = asked.support.map_or(if count < 100 { 1 } else { 3 }, usize::from);
    let found = with_progress(common, "looking at molecule", count, |done| {
        find_substructures(subject, support, asked.top.get(), done)
    })?;
    let found = found.ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, "the examples are no molecules");
        error.help("a molecule has facts of element/2 and bond/3, or comes from a column of SMILES")
    })?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = &asked.svg {
        output::write_picture(path, &substructures_svg("Substructures", &found), common)?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_costed(&found, &[("substructures", Some(seconds))])?;
    } else if asked.csv {
        output::print(&printable(&found.csv()))?;
    } else {
        let least = if support > 1 { format!(", each in {support} or more") } else { String::new() };
        let end = format!("{} substructures in {count} molecules{least}, {seconds:.2} s\n", found.count);
        output::print(&printable(&(found.text() + &end)))?;
    }
    Ok(0)
}
