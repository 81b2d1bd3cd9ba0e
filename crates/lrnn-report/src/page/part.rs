//! What a report shows: how learning went, and how well.

use lrnn::evaluate::Bin;
use serde::Serialize;

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
    pub training_loss: Vec<Option<f64>>,
    /// Their share of wrong answers.
    pub training_error: Vec<Option<f64>>,
    /// The loss of the validation examples.
    pub validation_loss: Vec<Option<f64>>,
    /// Their share of wrong answers.
    pub validation_error: Vec<Option<f64>>,
}

/// The metrics of a part of the data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PagePart {
    /// Training, validation or test, or what was held out of folds.
    pub name: String,
    /// Number of answers.
    pub answers: u32,
    /// Metrics by name.
    pub metrics: Vec<(String, Option<f64>)>,
    /// A confusion matrix.
    pub confusion: Option<PageConfusion>,
    /// The curve of what is found against what is found in vain.
    pub roc: Option<PageRoc>,
    /// True if what is said with some probability is true that often.
    pub calibration: Option<Vec<Bin>>,
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
    pub false_positive: Vec<f64>,
    /// The share of true ones.
    pub true_positive: Vec<f64>,
}

/// The table of a cross-validation.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct CrossvalTable {
    /// Lines for people.
    pub summary: Vec<String>,
    /// A row for each fold.
    pub rows: Vec<FoldRow>,
    /// Name, mean and deviation of the accuracy, of the template and of baselines.
    pub methods: Vec<(String, f64, f64)>,
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
    pub inner_error: Option<f64>,
    /// The share of right answers.
    pub accuracy: f64,
    /// The area under the curve.
    pub auc: Option<f64>,
}
