//! `lrnn test MODEL DATA`: how well a model answers the queries of data.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use lrnn::evaluate::{Confusion, Metrics};
use lrnn::model::fingerprint;
use lrnn::program::{least_wrong_sentence, no_target};
use lrnn::train::{Cases, Unentailed};
use lrnn::{Answers, Dataset, Scores};
use lrnn_io::RunFolder;
use serde::Serialize;

use super::predict::answers;
use crate::args::{Common, TestArgs};
use crate::failure::Error;
use crate::output;

/// The metrics of a model on data.
#[derive(Serialize)]
struct TestReport<'a> {
    metrics: &'a Scores,
    undefined: BTreeMap<&'static str, &'static str>,
    confusion: Option<Confusion>,
    classes: Option<Vec<ClassCount>>,
    loss: f64,
    loss_function: &'static str,
    wrong: u32,
    answers: u32,
    least_wrong: Option<u32>,
    error: f64,
    examples: usize,
    queries: usize,
    unentailed: usize,
    learned_from: usize,
}

#[derive(Serialize)]
struct ClassCount {
    right: usize,
    taken_for: usize,
    count: u64,
}

pub fn run(test: &TestArgs, common: &Common) -> Result<u8, Error> {
    let (applied, answers, seconds) = answers(&test.asked, common)?;
    let answered = answers.answered();
    if answered.is_empty() {
        return Err(no_target("test"));
    }
    let scores = answers.scores();
    let (program, dataset) = (applied.predictor.program(), &applied.dataset);
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let least = || program.least_wrong(dataset, &all, answers.loss, answers.unentailed);
    let least = if test.least_wrong { Some(least()?) } else { None };
    let learned_from = applied.model.fingerprint == fingerprint(dataset);
    let learned = if learned_from { learned_cases(&test.asked.model, dataset) } else { 0 };
    if learned_from {
        let (all, what) = (Cases::of(dataset).count(dataset), Cases::of(dataset).name());
        output::say_notes([format!("the model learned from {learned} of these {all} {what}")], common);
    }
    let report = TestReport {
        metrics: &scores,
        undefined: scores
            .report
            .metrics
            .iter()
            .filter_map(|(it, found)| Some((it.name(), found.err()?)))
            .collect(),
        confusion: scores.report.confusion,
        classes: scores.report.classes.as_ref().map(|classes| {
            let count = |(&(right, taken_for), &count)| ClassCount { right, taken_for, count };
            classes.iter().map(count).collect()
        }),
        loss: scores.measure.loss,
        loss_function: answers.loss.name(),
        wrong: scores.measure.wrong,
        answers: scores.measure.answers,
        least_wrong: least.flatten(),
        error: scores.measure.error(),
        examples: answered.len(),
        queries: answers.all.len(),
        unentailed: answers.outside(),
        learned_from: learned,
    };
    match common.json {
        true => output::print_costed(&report, &seconds)?,
        false => output::print(&text(&report, &scores, &answers, least))?,
    }
    Ok(0)
}

/// Returns how many cases of the data it was given a model learned from, or chose its weights by: all, unless its run
/// says otherwise.
fn learned_cases(model: &Path, dataset: &Dataset) -> usize {
    let all = Cases::of(dataset).count(dataset);
    RunFolder::read_split(model).map_or(all, |split| split.training.len() + split.validation.len())
}

fn text(report: &TestReport<'_>, scores: &Scores, answers: &Answers, least: Option<Option<u32>>) -> String {
    let number = |number: f64| format!("{number:.6}");
    let mut rows = vec![vec![format!("loss ({})", report.loss_function), number(report.loss)]];
    let defined = scores.report.metrics.iter().filter_map(|(metric, found)| Some((metric, found.ok()?)));
    rows.extend(defined.map(|(metric, found)| vec![metric.name().to_owned(), number(found)]));
    let mut text = output::table(&["metric", "value"], &rows);
    text += &confusion_text(&scores.report);
    let outside = match (report.unentailed, answers.unentailed) {
        (0, _) => String::new(),
        (count, Unentailed::Value(value)) => {
            format!(", {count} of them not in the model and taken for {value}")
        }
        (count, _) => format!(", {count} of them not in the model and left out"),
    };
    let examples = match report.examples {
        1 => "1 example".to_owned(),
        count => format!("{count} examples"),
    };
    let (queries, wrong, all) = (report.queries, report.wrong, report.answers);
    let _ = writeln!(text, "\n{examples}, {queries} queries{outside}: {wrong} of {all} answers wrong");
    if let Some(least) = least {
        let _ = writeln!(text, "{}", least_wrong_sentence(least, report.answers));
    }
    text
}

/// Returns the confusion matrix: of true and false, or of classes.
fn confusion_text(report: &Metrics) -> String {
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
