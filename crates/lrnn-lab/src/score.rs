//! Metrics of answers: from values and targets to what the evaluate room measures.

use lrnn::evaluate::{Metric, Report, Scored};
use lrnn::function::Real;
use lrnn::train::{Answered, Loss, Measure};
use serde_json::{Map, Value, json};

/// How well some examples are answered.
pub struct Scores {
    /// Loss and error.
    pub measure: Measure,
    /// Every metric.
    pub report: Report,
}

/// What has a larger probability is taken for true.
const THRESHOLD: f64 = 0.5;

impl Scores {
    /// Of answers under a loss, which says what values are taken for.
    pub fn of(loss: Loss, answered: &[Answered]) -> Self {
        Self { measure: Measure::of(loss, answered), report: Report::of(&scored(loss, answered), THRESHOLD) }
    }

    /// Every metric by its name; null where it has no number.
    pub fn metrics_json(&self) -> Map<String, Value> {
        let number = |(metric, _): &(Metric, _)| (metric.name().to_owned(), json!(self.report.get(*metric)));
        self.report.metrics.iter().map(number).collect()
    }
}

/// The numbers of all queries. What belongs together is told apart from the rest: the elements of a vector, or the
/// queries of an example.
pub(crate) fn scored(loss: Loss, answered: &[Answered]) -> Vec<Scored> {
    let (mut all, mut group) = (Vec::new(), 0);
    for Answered { values, targets, sizes, .. } in answered {
        let has_vectors = sizes.iter().any(|&size| size > 1);
        let together = [values.len() as u32];
        let mut at = 0;
        for &size in if has_vectors { sizes.as_slice() } else { &together } {
            let range = at..at + size as usize;
            at = range.end;
            let shares = probabilities(loss, &values[range.clone()]);
            for (class, (place, probability)) in range.zip(shares).enumerate() {
                let (value, target) = (values[place], targets[place]);
                all.push(Scored { example: group, class, value, probability: Some(probability), target });
            }
            group += 1;
        }
    }
    all
}

/// The probabilities of values that belong together: shares of all where the loss takes them so.
fn probabilities(loss: Loss, values: &[f64]) -> Vec<f64> {
    if loss != Loss::Softmax || values.len() < 2 {
        return values.iter().map(|&value| loss.probability(value)).collect();
    }
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = values.iter().map(|value| Real::exp(value - top)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}
