//! What is true and what is not.

use super::Score;
use super::metric::Measurement;
use super::numbers::mean;
use crate::function::math::ln;

pub(super) const NOT_BINARY: &str = "a target is neither 1 nor 0 (or -1)";
pub(super) const ONE_CLASS: &str = "all targets are true, or all are false";

/// A confusion matrix of two classes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Confusion {
    /// True, and taken for true.
    pub true_positives: u64,
    /// False, and taken for true.
    pub false_positives: u64,
    /// False, and taken for false.
    pub true_negatives: u64,
    /// True, and taken for false.
    pub false_negatives: u64,
}

impl Confusion {
    /// Counts queries; what has a probability above the threshold is taken for true.
    pub fn of(scored: &[Score], threshold: f64) -> Result<Self, &'static str> {
        let mut found = Self::default();
        for query in scored {
            let place = match (probability(query)? > threshold, query.truth().ok_or(NOT_BINARY)?) {
                (true, true) => &mut found.true_positives,
                (true, false) => &mut found.false_positives,
                (false, true) => &mut found.false_negatives,
                (false, false) => &mut found.true_negatives,
            };
            *place += 1;
        }
        Ok(found)
    }

    fn positives(&self) -> u64 {
        self.true_positives + self.false_negatives
    }

    fn negatives(&self) -> u64 {
        self.true_negatives + self.false_positives
    }

    pub(super) fn accuracy(&self) -> f64 {
        share(self.true_positives + self.true_negatives, self.positives() + self.negatives())
    }

    pub(super) fn balanced_accuracy(&self) -> Measurement {
        if self.positives() == 0 || self.negatives() == 0 {
            return Err(ONE_CLASS);
        }
        let (recall, other) =
            (share(self.true_positives, self.positives()), share(self.true_negatives, self.negatives()));
        Ok((recall + other) / 2.0)
    }

    pub(super) fn f1(&self) -> Measurement {
        let all = 2 * self.true_positives + self.false_positives + self.false_negatives;
        if all == 0 {
            Err("nothing is true, and nothing was taken for true")
        } else {
            Ok(share(2 * self.true_positives, all))
        }
    }
}

fn share(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

pub(super) fn probability(query: &Score) -> Result<f64, &'static str> {
    let probability = query.probability.ok_or("the values are no probabilities")?;
    let is_one = (0.0..=1.0).contains(&probability);
    if is_one { Ok(probability) } else { Err("a probability is not from 0 to 1") }
}

/// Returns the probability of a query, and its target as one.
fn probabilities(scored: &[Score]) -> Result<Vec<(f64, f64)>, &'static str> {
    let target = |query: &Score| match query.target {
        -1.0 => Ok(0.0),
        target if (0.0..=1.0).contains(&target) => Ok(target),
        _ => Err("a target is not from 0 to 1"),
    };
    scored.iter().map(|query| Ok((probability(query)?, target(query)?))).collect()
}

pub(super) fn log_loss(scored: &[Score]) -> Measurement {
    const LEAST: f64 = 1e-15;
    let loss = |&(probability, target): &(f64, f64)| {
        let p = probability.clamp(LEAST, 1.0 - LEAST);
        -target * ln(p) - (1.0 - target) * ln(1.0 - p)
    };
    Ok(mean(&probabilities(scored)?, loss))
}

pub(super) fn brier(scored: &[Score]) -> Measurement {
    Ok(mean(&probabilities(scored)?, |(probability, target)| (probability - target) * (probability - target)))
}

/// Counts in whole numbers, twice what it is, so that nothing is rounded before the end.
pub(super) fn auc(scored: &[Score]) -> Measurement {
    let mut all = Vec::with_capacity(scored.len());
    for query in scored {
        all.push((query.value, query.truth().ok_or(NOT_BINARY)?));
    }
    // Values are finite, and 0 is -0.
    all.sort_by(|(a, _), (b, _)| (a + 0.0).total_cmp(&(b + 0.0)));
    let (mut twice, mut positives, mut below) = (0u128, 0u128, 0u128);
    for equal in all.chunk_by(|(a, _), (b, _)| a == b) {
        let here = equal.iter().filter(|(_, is_true)| *is_true).count() as u128;
        let wrong = equal.len() as u128 - here;
        twice += here * (2 * below + wrong);
        positives += here;
        below += wrong;
    }
    let pairs = positives * below;
    if pairs == 0 { Err(ONE_CLASS) } else { Ok(twice as f64 / (2 * pairs) as f64) }
}
