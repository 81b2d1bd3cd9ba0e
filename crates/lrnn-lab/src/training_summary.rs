//! The outcome of learning as one value: a table for people, and for machines.

use std::collections::BTreeMap;

use lrnn::evaluate::Metric;
use lrnn::network::NeuronCounts;
use lrnn::program::least_wrong_sentence;
use lrnn::train::End;
use lrnn::{Scores, Training};
use lrnn_report::table::columns;
use serde::Serialize;

use crate::report::PageFile;

/// The outcome of learning.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingSummary {
    /// The path of the model.
    pub model: String,
    /// The page, if one was written.
    pub report: Option<PageFile>,
    /// Mean loss of a training answer.
    pub loss: f64,
    /// The name of the loss.
    pub loss_function: &'static str,
    /// By part of the data: training, validation, test.
    pub metrics: BTreeMap<&'static str, Scores>,
    /// Number of answers that any weights leave wrong, where it was asked for and could be found.
    pub least_wrong: Option<u32>,
    /// Number of cases, by part of the data.
    pub examples: BTreeMap<&'static str, usize>,
    /// Number of queries outside the model.
    pub unentailed: usize,
    /// Number of weights that are learned.
    pub weights: usize,
    /// The restart whose weights were kept; of an ensemble, the best.
    pub restart: u32,
    /// Number of restarts whose mean is the model.
    pub ensemble: u32,
    /// Number of epochs of each restart.
    pub epochs: Vec<u32>,
    /// True if learning was stopped before its end.
    pub interrupted: bool,
    /// The neurons of all networks.
    pub neurons: NeuronCounts,
    /// True if targets are numbers and not classes: then no answer is right or wrong.
    #[serde(skip)]
    is_regression: bool,
    /// True if the least number of wrong answers was asked for.
    #[serde(skip)]
    has_least: bool,
    #[serde(skip)]
    end: Option<End>,
}

impl TrainingSummary {
    /// Sums up learning, whose model is in a file; `test` are the scores of the test part, `least` the least number of
    /// wrong answers, where it was asked for.
    pub fn new(
        training: &Training<'_>,
        model: String,
        test: Option<Scores>,
        least: Option<Option<u32>>,
    ) -> Self {
        let scores = training.scores();
        let (split, (restart, epochs)) = (training.split(), training.progress());
        let counts = [&split.training, &split.validation, &split.test].map(Vec::len);
        Self {
            model,
            report: None,
            loss: scores[0].1.measure.loss,
            loss_function: training.problem().loss().name(),
            metrics: scores.into_iter().chain(test.map(|scores| ("test", scores))).collect(),
            least_wrong: least.flatten(),
            examples: ["training", "validation", "test"].into_iter().zip(counts).collect(),
            unentailed: training.outside(),
            weights: training.problem().learnable(),
            restart,
            ensemble: training.settings().ensemble.0,
            epochs,
            interrupted: !training.is_finished(),
            neurons: training.problem().networks().neurons(),
            is_regression: training.is_regression(),
            has_least: least.is_some(),
            end: training.end(),
        }
    }

    /// Returns the table for people, how learning ended, and where the model is, with the median of the seconds of an
    /// epoch and what else took how long.
    pub fn text(&self, epoch_median: Option<f64>, times: &str) -> String {
        let end = match self.end {
            _ if self.interrupted => "stopped before the end",
            Some(End::Until) => "the target loss is reached",
            Some(End::Patience) => "early stopping: the validation loss became no smaller",
            Some(End::Converged) => "converged: no step made the loss smaller",
            Some(End::Trouble(_)) => "training diverged",
            Some(End::Epochs) | None => "all epochs done",
        };
        let median = epoch_median.map(|median| format!(", {:.2} ms each", 1e3 * median)).unwrap_or_default();
        let epochs: u32 = self.epochs.iter().sum();
        let restarts = match self.epochs.len() {
            1 => String::new(),
            count if self.ensemble > 1 => {
                format!(" in {count} restarts, the mean of the best {} kept", self.ensemble)
            }
            count => format!(" in {count} restarts"),
        };
        let mut text = self.table() + &format!("{epochs} epochs{restarts}{median}: {end}; {times}\n");
        if self.has_least {
            let answers = self.metrics["training"].measure.answers;
            text += &format!("training: {}\n", least_wrong_sentence(self.least_wrong, answers));
        }
        text + &format!("model: {}\n", self.model)
    }

    /// Returns a row for each part of the data; the metrics that suit the targets stand last.
    fn table(&self) -> String {
        let parts: Vec<(&str, &Scores)> = ["training", "validation", "test"]
            .into_iter()
            .filter_map(|part| Some((part, self.metrics.get(part)?)))
            .collect();
        let has = |metric: &Metric| parts.iter().any(|(_, scores)| scores.report.get(*metric).is_some());
        let extra: Vec<Metric> = match self.is_regression {
            true => vec![Metric::RootSquaredError, Metric::RSquared],
            false => [Metric::Auc, Metric::ClassAccuracy, Metric::RSquared]
                .into_iter()
                .find(has)
                .into_iter()
                .collect(),
        };
        let row = |(name, scores): &(&str, &Scores)| {
            let measure = &scores.measure;
            let mut row =
                vec![(*name).to_owned(), measure.answers.to_string(), format!("{:.5}", measure.loss)];
            if !self.is_regression {
                row.extend([measure.wrong.to_string(), format!("{:.1} %", 100.0 * measure.error())]);
            }
            let number = |metric: &Metric| {
                scores.report.get(*metric).map_or("-".to_owned(), |found| format!("{found:.4}"))
            };
            row.extend(extra.iter().map(number));
            row
        };
        let rows: Vec<Vec<String>> = parts.iter().map(row).collect();
        let mut head = vec!["", "answers", "loss"];
        if !self.is_regression {
            head.extend(["wrong", "error"]);
        }
        head.extend(extra.iter().map(|metric| metric.name()));
        columns(&head, &rows)
    }
}
