//! How well a model answers, as one value: a table for people, and for machines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lrnn::evaluate::{Confusion, Metrics};
use lrnn::program::least_wrong_sentence;
use lrnn::train::Unentailed;
use lrnn::{Answer, Answers, Scores};
use serde::Serialize;

use crate::predictions::{PredictedTarget, name_of};
use crate::table::{columns, numbered};

/// The metrics of a model on data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TestReport {
    /// All metrics.
    pub metrics: Scores,
    /// Metrics without a value, and why.
    pub undefined: BTreeMap<&'static str, &'static str>,
    /// Counts of true and false answers, where targets are true or false.
    pub confusion: Option<Confusion>,
    /// Counts by right and predicted class, where there are classes.
    pub classes: Option<Vec<ClassCount>>,
    /// Mean loss of an answer.
    pub loss: f64,
    /// The name of the loss.
    pub loss_function: &'static str,
    /// Number of wrong answers.
    pub wrong: u32,
    /// Number of answers with a target.
    pub answers: u32,
    /// Number of answers that any weights leave wrong, where it was asked for.
    pub least_wrong: Option<u32>,
    /// Share of wrong answers.
    pub error: f64,
    /// True if targets are numbers and not classes.
    #[serde(skip)]
    pub is_regression: bool,
    /// Number of examples with an answer.
    pub examples: usize,
    /// Number of queries.
    pub queries: usize,
    /// Number of queries outside the model.
    pub unentailed: usize,
    /// Number of cases that the model learned from.
    pub learned_from: usize,
    /// Value of queries outside the model.
    #[serde(skip)]
    pub outside: Unentailed,
    /// The names of the classes, of two that of false first; none where nobody named them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub class_names: Vec<String>,
    /// The same for each target by itself, where there are several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, TestReport>,
}

/// Answers of one class for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ClassCount {
    /// The target.
    pub right: usize,
    /// The answer.
    pub taken_for: usize,
    /// Number of answers.
    pub count: u64,
}

impl TestReport {
    /// Measures answers; `learned` cases of the data are those that the model learned from.
    pub fn new(answers: &Answers, least_wrong: Option<u32>, learned: usize) -> Self {
        let scores = answers.scores();
        let count = |(&(right, taken_for), &count)| ClassCount { right, taken_for, count };
        let undefined = scores.report.metrics.iter();
        let measure = &scores.measure;
        Self {
            undefined: undefined.filter_map(|(it, found)| Some((it.name(), found.err()?))).collect(),
            confusion: scores.report.confusion,
            classes: scores.report.classes.as_ref().map(|classes| classes.iter().map(count).collect()),
            loss: measure.loss,
            loss_function: answers.loss.name(),
            wrong: measure.wrong,
            answers: measure.answers,
            least_wrong,
            error: measure.error(),
            is_regression: answers.all.iter().all(|answer| answer.probability.is_none()),
            examples: answers.answered().len(),
            queries: answers.all.len(),
            unentailed: answers.outside(),
            learned_from: learned,
            outside: answers.unentailed,
            class_names: Vec::new(),
            targets: BTreeMap::new(),
            metrics: scores,
        }
    }

    /// Names the classes of targets; where there are several, each is measured by itself.
    pub fn with_targets(mut self, answers: &Answers, targets: &[PredictedTarget]) -> Self {
        match targets {
            [] => {}
            [target] => self.class_names.clone_from(&target.classes),
            several => {
                let of = |target: &PredictedTarget| {
                    let is_own = |answer: &&Answer| target.properties.contains(&name_of(&answer.query));
                    let places: Vec<(usize, usize)> =
                        answers.all.iter().filter(is_own).map(|answer| answer.place).collect();
                    let own = answers.of_places(&places);
                    let report = Self::new(&own, None, self.learned_from);
                    (target.name.clone(), Self { class_names: target.classes.clone(), ..report })
                };
                self.targets = several.iter().map(of).filter(|(_, report)| report.answers > 0).collect();
            }
        }
        self
    }

    /// Returns the tables of metrics and of confusion; `least` is what the least number of wrong answers is, where it
    /// was asked for.
    pub fn text(&self, least: Option<Option<u32>>) -> String {
        if !self.targets.is_empty() {
            let own = |(name, report): (&String, &Self)| format!("{name}\n{}", report.text(None));
            let least = least.map(|least| least_wrong_sentence(least, self.answers) + "\n");
            let all: Vec<String> = self.targets.iter().map(own).chain(least).collect();
            return all.join("\n");
        }
        let number = |number: f64| format!("{number:.6}");
        let mut rows = vec![vec![format!("loss ({})", self.loss_function), number(self.loss)]];
        let defined =
            self.metrics.report.metrics.iter().filter_map(|(metric, found)| Some((metric, found.ok()?)));
        rows.extend(defined.map(|(metric, found)| vec![metric.name().to_owned(), number(found)]));
        let mut text = columns(&["metric", "value"], &rows);
        text += &confusion_text(&self.metrics.report, &self.class_names);
        let outside = match (self.unentailed, self.outside) {
            (0, _) => String::new(),
            (count, Unentailed::Value(value)) => {
                format!(", {count} of them not in the model and taken for {value}")
            }
            (count, _) => format!(", {count} of them not in the model and left out"),
        };
        let examples = numbered(self.examples, "example");
        let (queries, wrong, all) = (self.queries, self.wrong, self.answers);
        let end =
            if self.is_regression { String::new() } else { format!(": {wrong} of {all} answers wrong") };
        let _ = writeln!(text, "\n{examples}, {queries} queries{outside}{end}");
        if let Some(least) = least {
            let _ = writeln!(text, "{}", least_wrong_sentence(least, self.answers));
        }
        text
    }
}

/// Returns the confusion matrix: of true and false, or of classes.
fn confusion_text(report: &Metrics, names: &[String]) -> String {
    let name = |class: usize| names.get(class).cloned().unwrap_or_else(|| class.to_string());
    if let (Some(classes), true) = (&report.classes, report.queries > 0) {
        let row = |(&(right, taken), count): (&(usize, usize), &u64)| {
            vec![name(right), name(taken), count.to_string()]
        };
        let rows: Vec<Vec<String>> = classes.iter().map(row).collect();
        return format!("\n{}", columns(&["class", "taken for", "count"], &rows));
    }
    let Some(confusion) = report.confusion else { return String::new() };
    let [no, yes] = match names {
        [no, yes] => [no.as_str(), yes],
        _ => ["false", "true"],
    };
    let row = |name: &str, yes: u64, no: u64| vec![name.to_owned(), yes.to_string(), no.to_string()];
    let rows = [
        row(yes, confusion.true_positives, confusion.false_negatives),
        row(no, confusion.false_positives, confusion.true_negatives),
    ];
    let head = ["target", &format!("taken for {yes}"), &format!("for {no}")];
    format!("\n{}", columns(&head, &rows))
}
