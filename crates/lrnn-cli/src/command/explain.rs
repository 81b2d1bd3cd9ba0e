//! `lrnn explain MODEL DATA [--example NAME]`: why a model gives its values.

use std::time::Instant;

use lrnn::Settings;
use lrnn::diagnostic::printable;
use lrnn::program::Subject;
use lrnn_report::{explain_examples, explanation_text, explanations_text};

use super::subject::read_subject;
use crate::args::{Common, ExplainArgs};
use crate::failure::Error;
use crate::output;
use crate::progress::with_progress;

pub fn run(explain: &ExplainArgs, common: &Common) -> Result<u8, Error> {
    let asked = &explain.asked;
    let mut subject = read_subject(&asked.model, Some(&asked.data), &asked.molecules, &asked.limits, common)?;
    if let Some(text) = asked.unentailed.as_ref().filter(|_| subject.model.is_some()) {
        let mut settings = Settings::default();
        settings.set("unentailed", text)?;
        subject.unentailed = settings.unentailed;
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
    if common.json {
        output::print_json(&found)?;
        return Ok(0);
    }
    let texts: Vec<String> =
        found.explained.iter().map(|one| explanation_text(subject, example, one, top)).collect();
    output::print(&printable(&texts.join("\n")))?;
    let more = (found.left_out > 0).then(|| format!("{} atoms more are left out", found.left_out));
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
    match common.json {
        true => output::print_costed(&result, &[("explain", Some(seconds))])?,
        false => output::print(&printable(&explanations_text(&result, seconds)))?,
    }
    Ok(0)
}
