//! The table of metrics.

use super::groups::{class_accuracy, hits, macro_f1, mean_reciprocal_rank};
use super::numbers::{absolute_error, r_squared, squared_error};
use super::{Confusion, Score, binary};
use crate::function::table::table;

/// A number, or the reason why there is none. It is never infinite and never not a number.
pub type Measurement = Result<f64, &'static str>;

table! {
    /// A metric of values `x` with probabilities `p` and their targets `t`. Errors and R² of targets from 0 to 1 compare
    /// probabilities where values are log-odds.
    pub enum Metric {
        /// The share of queries on the right side of the threshold.
        Accuracy = "accuracy", ["acc"], "(TP + TN) / n";
        /// The mean of the accuracies on true and on false queries.
        BalancedAccuracy = "balanced-accuracy", ["bacc"], "½ (TP / (TP + FN) + TN / (TN + FP))";
        /// The probability that a true query has a larger value than a false one; equal values count half.
        Auc = "auc", ["roc-auc", "auroc"], "P(x_true > x_false) + ½ P(x_true = x_false)";
        /// The harmonic mean of precision and recall.
        F1 = "f1", [], "2 TP / (2 TP + FP + FN)";
        /// The cross-entropy of the probabilities, which are kept 1e-15 from 0 and 1.
        LogLoss = "log-loss", ["cross-entropy"], "mean of -t ln p - (1 - t) ln(1 - p)";
        /// The squared error of the probabilities.
        Brier = "brier", ["brier-score"], "mean of (p - t)²";
        /// The mean squared error of the values.
        SquaredError = "mse", ["squared-error"], "mean of (x - t)²";
        /// The root of the mean squared error, in the unit of the values.
        RootSquaredError = "rmse", ["root-mean-squared-error"], "√(mean of (x - t)²)";
        /// The mean absolute error of the values.
        AbsoluteError = "mae", ["absolute-error"], "mean of |x - t|";
        /// The share of the targets' variance that the values explain.
        RSquared = "r2", ["r-squared"], "1 - Σ (x - t)² / Σ (t - mean t)²";
        /// The share of examples whose right class has the largest value, the first if several have.
        ClassAccuracy = "class-accuracy", ["argmax-accuracy"], "share of argmax x = argmax t";
        /// The mean over classes of the harmonic mean of precision and recall, a class without either counting 0.
        MacroF1 = "macro-f1", ["f1-macro"], "mean over classes of 2 TP / (2 TP + FP + FN)";
        /// The mean reciprocal rank of the right candidates of an example; wrong ones with an equal value count half.
        Mrr = "mrr", ["mean-reciprocal-rank"], "mean of 1 / rank";
        /// The share of right candidates that are first.
        Hits1 = "hits@1", ["hits-1"], "share of rank ≤ 1";
        /// The share of right candidates among the first three.
        Hits3 = "hits@3", ["hits-3"], "share of rank ≤ 3";
        /// The share of right candidates among the first ten.
        Hits10 = "hits@10", ["hits-10"], "share of rank ≤ 10";
    }
}

impl Metric {
    /// Returns whether a larger number is a better one.
    pub fn larger_is_better(self) -> bool {
        !matches!(
            self,
            Self::LogLoss | Self::Brier | Self::SquaredError | Self::RootSquaredError | Self::AbsoluteError
        )
    }

    /// Returns the metric of these queries; what has a probability above the threshold is taken for true.
    pub fn of(self, scored: &[Score], threshold: f64) -> Measurement {
        if scored.is_empty() {
            return Err("there are no queries with targets");
        }
        if scored.iter().any(|query| !query.value.is_finite() || !query.target.is_finite()) {
            return Err("a value or a target is not a finite number");
        }
        let found = self.measure(scored, threshold)?;
        if found.is_finite() { Ok(found) } else { Err("the values are too large to be squared and added") }
    }

    fn measure(self, scored: &[Score], threshold: f64) -> Measurement {
        match self {
            Self::Accuracy => Ok(Confusion::of(scored, threshold)?.accuracy()),
            Self::BalancedAccuracy => Confusion::of(scored, threshold)?.balanced_accuracy(),
            Self::F1 => Confusion::of(scored, threshold)?.f1(),
            Self::Auc => binary::auc(scored),
            Self::LogLoss => binary::log_loss(scored),
            Self::Brier => binary::brier(scored),
            Self::SquaredError => Ok(squared_error(scored)),
            Self::RootSquaredError => Ok(squared_error(scored).sqrt()),
            Self::AbsoluteError => Ok(absolute_error(scored)),
            Self::RSquared => r_squared(scored),
            Self::ClassAccuracy => class_accuracy(scored),
            Self::MacroF1 => macro_f1(scored),
            Self::Mrr => mean_reciprocal_rank(scored),
            Self::Hits1 => hits(scored, 1.0),
            Self::Hits3 => hits(scored, 3.0),
            Self::Hits10 => hits(scored, 10.0),
        }
    }
}
