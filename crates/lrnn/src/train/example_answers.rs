//! The values of queries beside their targets, for whoever measures more than the loss.

use std::ops::Range;

use super::loss::{Loss, Outcome};
use super::problem::{LossSums, Measure, Problem};
use crate::function::Real;

/// The queries of an example that have targets, with their values, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct ExampleAnswers {
    /// The example.
    pub example: usize,
    /// The values.
    pub values: Vec<f64>,
    /// The targets, as many.
    pub targets: Vec<f64>,
    /// Number of numbers of each query.
    pub sizes: Vec<u32>,
    /// Weight among other examples.
    pub weight: f64,
}

impl Default for ExampleAnswers {
    fn default() -> Self {
        Self { example: 0, values: Vec::new(), targets: Vec::new(), sizes: Vec::new(), weight: 1.0 }
    }
}

impl Measure {
    /// Returns how well examples are answered.
    pub fn of(loss: Loss, answered: &[ExampleAnswers]) -> Self {
        let sums = |ExampleAnswers { values, targets, sizes, weight, .. }: &ExampleAnswers| {
            let outcome = Outcome { values, targets, sizes };
            let (wrong, answers) = loss.wrong(outcome);
            let (own, mass) = (loss.apply(outcome, &mut vec![0.0; values.len()]), loss.mass(sizes));
            LossSums { loss: weight * own, mass: weight * mass, wrong, answers, ..LossSums::default() }
        };
        LossSums::of(answered.iter().map(sums)).measure()
    }
}

impl Problem {
    /// Returns the training examples with the mean values under the weights of some members.
    pub fn training_answers<R: Real>(&self, members: &[&[R]]) -> Vec<ExampleAnswers> {
        self.answers(0..self.validation.start, members)
    }

    /// Returns the validation examples with the mean values under the weights of some members.
    pub fn validation_answers<R: Real>(&self, members: &[&[R]]) -> Vec<ExampleAnswers> {
        self.answers(self.validation.clone(), members)
    }

    fn answers<R: Real>(&self, range: Range<usize>, members: &[&[R]]) -> Vec<ExampleAnswers> {
        let outside = self.outside::<R>().map(|value| value.to_f64());
        let mut all = Vec::new();
        for (at, values) in range.clone().zip(self.mean_values(range, members)) {
            all.extend(self.counted[at].iter().map(|counted| {
                let (example, targets, sizes) =
                    (counted.example, counted.targets.clone(), counted.sizes.clone());
                let value = |(&query, &size): (&u32, &u32)| match &values[query as usize] {
                    Some(value) => value.clone(),
                    None => outside.map_or(Vec::new(), |value| vec![value; size as usize]),
                };
                let values = counted.queries.iter().zip(&counted.sizes).flat_map(value).collect();
                ExampleAnswers { example, values, targets, sizes, weight: counted.weight }
            }));
        }
        all.sort_by_key(|answered| answered.example);
        all
    }
}
