//! The loss of an example, answer by answer: which answers are wrong, and by how much.

use super::loss::{Loss, Outcome, largest};
use crate::function::Real;

/// One answer, judged by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AnswerLoss {
    /// Its part of the loss of its example.
    pub loss: f64,
    /// True if it is wrong.
    pub is_wrong: bool,
}

impl Loss {
    /// Returns each query of an example judged by itself. The losses add up to that of the example; of a ranking each
    /// query of a pair has half. Of queries that are classes together, those are wrong that were taken for the right
    /// one and are not, or are and were not.
    pub fn each(self, outcome: Outcome<'_, f64>) -> Vec<AnswerLoss> {
        let is_vector = outcome.sizes.iter().any(|&size| size > 1);
        match self {
            Self::Softmax if !is_vector => classes(outcome),
            Self::Ranking => ranked(outcome),
            _ => alone(self, outcome),
        }
    }
}

fn alone(loss: Loss, outcome: Outcome<'_, f64>) -> Vec<AnswerLoss> {
    let mut at = 0;
    let one = |&size: &u32| {
        let range = at..(at + size as usize).min(outcome.values.len());
        at = range.end;
        let (values, targets) = (&outcome.values[range.clone()], &outcome.targets[range]);
        let own = Outcome { values, targets, sizes: &[size] };
        // The softmax of one number is always 1.
        let loss_of = if values.is_empty() { 0.0 } else { loss.apply(own, &mut vec![0.0; values.len()]) };
        AnswerLoss { loss: loss_of, is_wrong: loss.wrong(own).0 > 0 }
    };
    outcome.sizes.iter().map(one).collect()
}

fn classes(outcome: Outcome<'_, f64>) -> Vec<AnswerLoss> {
    let Outcome { values, targets, .. } = outcome;
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = values.iter().map(|value| Real::exp(value - top)).sum();
    let (taken, right) = (largest(values), largest(targets));
    let one = |at: usize| {
        let loss = targets[at] * (Real::ln(sum) + top - values[at]);
        AnswerLoss { loss, is_wrong: (at == taken) != (at == right) }
    };
    (0..values.len()).map(one).collect()
}

fn ranked(outcome: Outcome<'_, f64>) -> Vec<AnswerLoss> {
    let Outcome { values, targets, .. } = outcome;
    let mut all = vec![AnswerLoss { loss: 0.0, is_wrong: false }; values.len()];
    let mut pairs = 0;
    for i in 0..values.len() {
        for j in (0..values.len()).filter(|&j| targets[i] > targets[j]) {
            pairs += 1;
            for at in [i, j] {
                all[at].loss += 0.5 * (values[j] - values[i]).softplus();
                all[at].is_wrong |= values[i] <= values[j];
            }
        }
    }
    all.iter_mut().for_each(|judged| judged.loss /= f64::from(pairs.max(1)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_answers_add_up_to_that_of_the_example() {
        let (values, targets) = ([0.3, 0.9, 0.55, 0.1], [0.0, 1.0, 0.0, 0.0]);
        for &loss in Loss::ALL {
            for sizes in [&[1, 1, 1, 1][..], &[2, 2]] {
                let outcome = Outcome { values: &values, targets: &targets, sizes };
                let each = loss.each(outcome);
                let sum: f64 = each.iter().map(|judged| judged.loss).sum();
                let whole = loss.apply(outcome, &mut [0.0; 4]);
                assert!((sum - whole).abs() < 1e-12, "{loss} {sizes:?}: {sum} {whole}");
                let is_wrong = each.iter().any(|judged| judged.is_wrong);
                assert_eq!(is_wrong, loss.wrong(outcome).0 > 0, "{loss} {sizes:?}");
            }
        }
    }

    #[test]
    fn of_classes_the_wrong_and_the_missed_are_wrong() {
        let outcome = Outcome { values: &[0.2, 0.9, 0.1], targets: &[1.0, 0.0, 0.0], sizes: &[1, 1, 1] };
        let wrong: Vec<bool> = Loss::Softmax.each(outcome).iter().map(|judged| judged.is_wrong).collect();
        assert_eq!(wrong, [true, true, false]);
    }
}
