//! What a report shows: how learning went, and how well.

use serde::Serialize;

use super::Number;

/// The curves of a restart.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// True if the model comes from it.
    pub kept: bool,
    /// The epochs.
    pub epochs: Vec<u32>,
    /// The loss of the training examples.
    pub training_loss: Vec<Option<Number>>,
    /// Their share of wrong answers.
    pub training_error: Vec<Option<Number>>,
    /// The loss of the validation examples.
    pub validation_loss: Vec<Option<Number>>,
    /// Their share of wrong answers.
    pub validation_error: Vec<Option<Number>>,
}

/// The metrics of a part of the data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PagePart {
    /// Training, validation or test, or what was held out of folds.
    pub name: String,
    /// Number of answers.
    pub answers: u32,
    /// Metrics by name.
    pub metrics: Vec<(String, Option<Number>)>,
    /// A confusion matrix.
    pub confusion: Option<PageConfusion>,
    /// The curve of what is found against what is found in vain.
    pub roc: Option<PageRoc>,
    /// True if what is said with some probability is true that often.
    pub calibration: Option<Vec<PageBin>>,
}

/// A confusion matrix.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageConfusion {
    /// The classes.
    pub labels: Vec<String>,
    /// Rows are targets, columns answers.
    pub counts: Vec<Vec<u64>>,
}

/// A receiver operating characteristic.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageRoc {
    /// The share of false queries above each threshold.
    pub false_positive: Vec<Number>,
    /// The share of true ones.
    pub true_positive: Vec<Number>,
}

/// Answers whose probabilities lie between two bounds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PageBin {
    /// The lower bound.
    pub low: Number,
    /// The upper bound.
    pub high: Number,
    /// Number of them.
    pub count: usize,
    /// The mean of their probabilities.
    pub mean: Number,
    /// The share of them that is true.
    pub share: Number,
}

/// The table of a cross-validation.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct CrossvalTable {
    /// Lines for people.
    pub summary: Vec<String>,
    /// A row for each fold.
    pub rows: Vec<FoldRow>,
    /// Name, mean and deviation of the accuracy, of the template and of baselines.
    pub methods: Vec<(String, Number, Number)>,
}

/// A fold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FoldRow {
    /// The seed.
    pub seed: u64,
    /// Its number.
    pub fold: u32,
    /// Number of its cases.
    pub examples: usize,
    /// The chosen setting.
    pub chosen: String,
    /// The error it was chosen by.
    pub inner_error: Option<Number>,
    /// The share of right answers.
    pub accuracy: Number,
    /// The area under the curve.
    pub auc: Option<Number>,
}
