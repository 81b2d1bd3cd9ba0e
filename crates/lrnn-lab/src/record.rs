//! What a finished piece of a study leaves behind.

use serde::{Deserialize, Serialize};

/// How well a trial did on one inner part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrialRecord {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The number of the outer fold.
    pub fold: u32,
    /// How often the worse ones have been dropped before; 0 but for halving.
    pub rung: u32,
    /// The inner part.
    pub part: u32,
    /// The number of the trial.
    pub trial: u32,
    /// How many answers were wrong.
    pub wrong: u32,
    /// Of how many.
    pub answers: u32,
    /// Their mean loss; none if it is no finite number.
    pub loss: Option<f64>,
    /// The epoch of the weights that were kept.
    pub epoch: u32,
}

/// What was chosen for a fold, inside its training folds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Chosen {
    /// The number of the trial.
    pub trial: u32,
    /// How many epochs to learn.
    pub epochs: u32,
    /// Its share of wrong answers on what was held out; none if there was nothing to choose.
    pub error: Option<f64>,
}

/// A fold that was learned and tested.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FoldRecord {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The number of the fold.
    pub fold: u32,
    /// What was chosen.
    pub chosen: Chosen,
    /// The loss that was made small.
    pub loss: String,
    /// The values of the queries of each test case.
    pub answers: Vec<Vec<Option<Vec<Option<f64>>>>>,
    /// Wrong answers and all answers at each evaluation, with its epoch, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(u32, u32, u32)>,
}

/// Answers as JSON can hold them: a number that is not finite is null.
pub(crate) fn stored(answers: &crate::bench::CaseValues) -> Vec<Vec<Option<Vec<Option<f64>>>>> {
    let number = |number: &f64| Some(*number).filter(|number| number.is_finite());
    let value = |value: &Option<Vec<f64>>| value.as_ref().map(|value| value.iter().map(number).collect());
    answers.iter().map(|queries| queries.iter().map(value).collect()).collect()
}

impl FoldRecord {
    /// The answers again; what was no finite number is not a number.
    pub fn values(&self) -> crate::bench::CaseValues {
        let number = |number: &Option<f64>| number.unwrap_or(f64::NAN);
        let value =
            |value: &Option<Vec<Option<f64>>>| value.as_ref().map(|value| value.iter().map(number).collect());
        self.answers.iter().map(|queries| queries.iter().map(value).collect()).collect()
    }
}
