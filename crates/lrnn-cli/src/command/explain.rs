//! `lrnn explain MODEL DATA [--example NAME]`: why a model gives its values.

use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::program::Subject;
use lrnn_report::{explain_examples, explanation_text, explanations_text};

use crate::args::{Common, ExplainArgs};
use crate::failure::Error;
use crate::load::{read_subject, unentailed};
use crate::output;
use crate::progress::with_progress;

pub fn run(explain: &ExplainArgs, common: &Common) -> Result<u8, Error> {
    let asked = &explain.asked;
    let mut subject = read_subject(&asked.model, Some(&asked.data), &asked.molecules, &asked.limits, common)?;
    if let Some(text) = asked.unentailed.as_ref().filter(|_| subject.model.is_some()) {
        subject.unentailed = unentailed(text)?;
    }
    match &explain.example {
        Some(name) => one(&subject, explain, subject.example(name)?, common),
        None if subject.dataset.examples.len() == 1 => one(&subject, explain, 0, common),
        None => all(&subject, explain, common),
    }
}

fn one(subject: &Subject<'_>, explain: &ExplainArgs, example: usize, common: &Common) -> Result<u8, Error> {
    let (element, top) = (explain.element.get() - 1, explain.top.get());
    let found = subject.explain(example, explain.query.as_deref(), element, top)?;
    output::say_notes(&found.notes, common);
    let text = |one| explanation_text(subject, example, one, top);
    let text = || printable(&found.explained.iter().map(text).collect::<Vec<_>>().join("\n"));
    output::print_result(common, &found, &[], None, text)?;
    let more =
        (found.left_out > 0 && !common.json).then(|| format!("{} atoms more are left out", found.left_out));
    output::say_notes(more, common);
    Ok(0)
}

fn all(subject: &Subject<'_>, explain: &ExplainArgs, common: &Common) -> Result<u8, Error> {
    let start = Instant::now();
    let count = subject.dataset.examples.len();
    let element = explain.element.get() - 1;
    let result =
        with_progress(common, "explaining example", count, |done| explain_examples(subject, element, done))?;
    output::say_notes(&result.notes, common);
    let seconds = start.elapsed().as_secs_f64();
    let text = || printable(&explanations_text(&result, seconds));
    output::print_result(common, &result, &[("explain", Some(seconds))], None, text)
}
