//! The evaluate room. In: values with the targets they should have. Out: metrics, each a number or the reason why there
//! is none, and tables of what was taken for what. It knows nothing of networks, files or how things are shown.
//!
//! ```
//! use lrnn::evaluate::{Metric, Metrics, Score};
//! let scored = |example, value: f64, target| Score { example, class: 0, value, probability: Some(value), target };
//! let metrics = Metrics::of(&[scored(0, 0.9, 1.0), scored(1, 0.2, 0.0), scored(2, 0.6, 0.0)], 0.5);
//! assert_eq!(metrics.get(Metric::Auc), Some(1.0));
//! assert_eq!(metrics.get(Metric::F1), Some(2.0 / 3.0));
//! assert_eq!(metrics.reason(Metric::Mrr), Some("no example has both right and wrong candidates"));
//! ```

mod binary;
mod calibration;
mod groups;
mod metric;
mod numbers;
mod roc;

pub use binary::Confusion;
pub use calibration::{Bin, calibration};
pub use groups::{ClassCounts, class_counts};
pub use metric::{Measurement, Metric};
pub use roc::Roc;

/// A query, or one element of a vector, with its value and its target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// Number of its group: the queries of one example, or the elements of one vector. Classes and ranks are told
    /// apart within it; all other metrics look at each query by itself.
    pub example: usize,
    /// The class or the candidate it stands for within its example. It only names the rows of [`ClassCounts`].
    pub class: usize,
    /// The value as computed. It decides what is larger, and how far it is from the target.
    pub value: f64,
    /// The value as a probability: itself where values are from 0 to 1, its sigmoid where they have no bounds, whatever
    /// the loss took it for. `None` where it is no probability.
    pub probability: Option<f64>,
    /// The target: 1 for what is true and 0 (or -1) for what is not, a share between, or any number to come close to.
    pub target: f64,
}

impl Score {
    /// Returns whether it is true, if its target says so.
    fn truth(&self) -> Option<bool> {
        match self.target {
            1.0 => Some(true),
            0.0 | -1.0 => Some(false),
            _ => None,
        }
    }
}

/// Every metric of some queries.
#[derive(Clone, PartialEq, Debug)]
pub struct Metrics {
    /// Number of queries.
    pub queries: usize,
    /// Each metric with its number or the reason why there is none, in the order of the table.
    pub metrics: Vec<(Metric, Measurement)>,
    /// Confusion matrix, if targets are true or false.
    pub confusion: Option<Confusion>,
    /// Counts of classes, if every example has one right class of several.
    pub classes: Option<ClassCounts>,
}

impl Metrics {
    /// Returns the report of these queries; what has a probability above the threshold is taken for true.
    pub fn of(scored: &[Score], threshold: f64) -> Self {
        Self {
            queries: scored.len(),
            metrics: Metric::ALL.iter().map(|metric| (*metric, metric.of(scored, threshold))).collect(),
            confusion: Confusion::of(scored, threshold).ok(),
            classes: class_counts(scored).ok(),
        }
    }

    fn measured(&self, metric: Metric) -> Measurement {
        let found = self.metrics.iter().find(|(known, _)| *known == metric);
        found.map_or(Err("it was not measured"), |(_, measured)| *measured)
    }

    /// Returns the number of a metric, if it has one.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.measured(metric).ok()
    }

    /// Returns why a metric has no number, in words for people.
    pub fn reason(&self, metric: Metric) -> Option<&'static str> {
        self.measured(metric).err()
    }
}

#[cfg(test)]
mod tests;
