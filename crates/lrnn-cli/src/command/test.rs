//! `lrnn test MODEL DATA`: how well a model answers the queries of data.

use std::fmt::Write as _;
use std::time::Instant;

use lrnn::evaluate::{Confusion, Report};
use lrnn::train::{Answered, Unentailed};
use lrnn_io::Config;
use serde_json::{Map, Value, json};

use super::answer::Answers;
use super::limit;
use crate::args::{Common, Test};
use crate::failure::{Failure, TEXT};
use crate::load;
use crate::output;
use lrnn_lab::Scores;

pub fn run(test: &Test, common: &Common) -> Result<u8, Failure> {
    let begin = Instant::now();
    let answers = Answers::new(&test.asked, common)?;
    let answered = answers.with_targets();
    if answered.is_empty() {
        let failure = Failure::new(TEXT, "no query has a target, so there is nothing to test");
        return Err(failure.help("write targets before queries: 1.0 toxic."));
    }
    let scores = Scores::of(answers.loss, &answered);
    let least = if test.least_wrong { Some(least_wrong(test, &answers)?) } else { None };
    match common.json {
        true => print_json(&answers, &answered, &scores, least.flatten(), begin)?,
        false => print_text(&answers, &answered, &scores, least)?,
    }
    Ok(0)
}

fn least_wrong(test: &Test, answers: &Answers) -> Result<Option<u32>, Failure> {
    let all: Vec<usize> = (0..answers.loaded.dataset.examples.len()).collect();
    let limits = load::limits(&test.asked.limits, &Config::default());
    limit::of_template(&answers.loaded, &all, &limits, answers.loss, answers.unentailed)
}

fn print_json(
    answers: &Answers,
    answered: &[Answered],
    scores: &Scores,
    least: Option<u32>,
    begin: Instant,
) -> Result<(), Failure> {
    let Scores { measure, report } = scores;
    let undefined: Map<String, Value> = (report.metrics.iter())
        .filter_map(|(metric, found)| Some((metric.name().to_owned(), json!(found.err()?))))
        .collect();
    let classes = report.classes.as_ref().map(|classes| {
        let count = |(&(right, taken), &count): (&(usize, usize), &u64)| json!({ "right": right, "taken_for": taken, "count": count });
        classes.iter().map(count).collect::<Vec<Value>>()
    });
    let document = json!({
        "metrics": scores.metrics_json(),
        "undefined": undefined,
        "confusion": report.confusion.map(confusion_json),
        "classes": classes,
        "loss": measure.loss,
        "loss_function": answers.loss.name(),
        "wrong": measure.wrong,
        "answers": measure.answers,
        "least_wrong": least,
        "error": measure.error(),
        "examples": answered.len(),
        "queries": answers.answers.len(),
        "unentailed": answers.outside().count(),
        "seconds": {
            "read": answers.loaded.seconds, "build": answers.seconds.0, "compute": answers.seconds.1,
            "total": begin.elapsed().as_secs_f64(),
        },
        "peak_memory_bytes": output::peak_memory_bytes(),
    });
    output::print_json(&document)?;
    Ok(())
}

fn confusion_json(confusion: Confusion) -> Value {
    json!({
        "true_positives": confusion.true_positives, "false_positives": confusion.false_positives,
        "true_negatives": confusion.true_negatives, "false_negatives": confusion.false_negatives,
    })
}

fn print_text(
    answers: &Answers,
    answered: &[Answered],
    scores: &Scores,
    least: Option<Option<u32>>,
) -> Result<(), Failure> {
    let Scores { measure, report } = scores;
    let mut rows = vec![vec![format!("loss ({})", answers.loss.name()), number(measure.loss)]];
    let defined = report.metrics.iter().filter_map(|(metric, found)| Some((metric, found.ok()?)));
    rows.extend(defined.map(|(metric, found)| vec![metric.name().to_owned(), number(found)]));
    let mut text = output::table(&["metric", "value"], &rows);
    text += &confusion_text(report);
    let outside = match (answers.outside().count(), answers.unentailed) {
        (0, _) => String::new(),
        (count, Unentailed::Value(value)) => {
            format!(", {count} of them not in the model and taken for {value}")
        }
        (count, _) => format!(", {count} of them not in the model and left out"),
    };
    let _ = writeln!(
        text,
        "\n{}, {} queries{outside}: {} of {} answers wrong",
        if answered.len() == 1 { "1 example".to_owned() } else { format!("{} examples", answered.len()) },
        answers.answers.len(),
        measure.wrong,
        measure.answers
    );
    text += &least.map_or_else(String::new, |least| limit::sentence(least, measure.answers));
    output::print(&text)?;
    Ok(())
}

fn number(number: f64) -> String {
    format!("{number:.6}")
}

/// What was taken for what: true and false, or classes.
fn confusion_text(report: &Report) -> String {
    if let (Some(classes), true) = (&report.classes, report.queries > 0) {
        let row = |(&(right, taken), count): (&(usize, usize), &u64)| {
            vec![right.to_string(), taken.to_string(), count.to_string()]
        };
        let rows: Vec<Vec<String>> = classes.iter().map(row).collect();
        return format!("\n{}", output::table(&["class", "taken for", "count"], &rows));
    }
    let Some(confusion) = report.confusion else { return String::new() };
    let row = |name: &str, yes: u64, no: u64| vec![name.to_owned(), yes.to_string(), no.to_string()];
    let rows = [
        row("true", confusion.true_positives, confusion.false_negatives),
        row("false", confusion.false_positives, confusion.true_negatives),
    ];
    format!("\n{}", output::table(&["target", "taken for true", "for false"], &rows))
}
