//! What learning makes small: how far the values of an example's queries are from their targets.

use std::ops::Range;

use crate::function::table::table;
use crate::function::{Activation, Real};

table! {
    /// A distance of values `x` from targets `t`. A vector counts element by element, except where shares of all are
    /// meant.
    pub enum Loss {
        /// The paper's cost, for values without bounds: the squared error behind a sigmoid.
        SquaredSigmoid = "squared-sigmoid", ["paper"], "½ (sigm(x) - sigm(t))²";
        /// The squared error.
        Squared = "squared", ["squared-error", "mse"], "½ (x - t)²";
        /// For values from 0 to 1, which are taken for probabilities.
        CrossEntropy = "cross-entropy", ["probabilities"], "-t ln x - (1 - t) ln(1 - x)";
        /// For values without bounds: cross-entropy of the sigmoid of the value.
        Logits = "logits", ["cross-entropy-logits"], "softplus(x) - t x";
        /// One class of several: over the elements of a vector, or over the queries of an example.
        Softmax = "softmax", ["softmax-cross-entropy"], "-Σ t_i ln(e^x_i / Σ_j e^x_j)";
        /// On the right side of 0 by 1; targets are above 0.5 or not.
        Hinge = "hinge", [], "max(0, 1 - s x), s = 1 where t > 0.5, else -1";
        /// For truth values and classes: the squared error, but a value below 0 is as false as 0, one above 1 as true as 1.
        SquaredHinge = "squared-hinge", ["truth"], "½ (x - t)², 0 where x < t = 0 or x > t = 1";
        /// Of the queries of an example, those with the larger targets should have the larger values.
        Ranking = "ranking", ["pairwise"], "mean of softplus(x_j - x_i) over pairs with t_i > t_j";
    }
}

/// Probabilities are kept so far from 0 and 1 that their logarithms stay small.
const LEAST_PROBABILITY: f64 = 1e-7;

/// The values of an example's queries and what they should be, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a, R> {
    /// The values.
    pub values: &'a [R],
    /// The targets, as many.
    pub targets: &'a [R],
    /// Number of numbers of each query.
    pub sizes: &'a [u32],
}

impl Loss {
    /// Returns the loss that suits classes as values which this activation gives.
    pub fn of_activation(activation: Activation, is_vector: bool) -> Self {
        match activation {
            Activation::Identity if is_vector => Self::Softmax,
            Activation::Identity => Self::Logits,
            Activation::Sigmoid | Activation::Softmax => Self::CrossEntropy,
            _ => Self::SquaredHinge,
        }
    }

    /// Returns whether the queries of an example count together, not each for itself.
    pub fn is_joint(self) -> bool {
        matches!(self, Self::Softmax | Self::Ranking)
    }

    /// Returns how much an example with queries of these sizes weighs among others: each query once, or all together
    /// once.
    pub fn mass(self, sizes: &[u32]) -> f64 {
        if self.compares(sizes) { 1.0 } else { sizes.len() as f64 }
    }

    /// Returns whether queries of these sizes have one loss together, as they are compared with each other.
    pub fn compares(self, sizes: &[u32]) -> bool {
        self == Self::Ranking || (self == Self::Softmax && sizes.iter().all(|&size| size == 1))
    }

    /// Returns the loss of an example; `gradient` gets the gradient by its values.
    pub fn apply<R: Real>(self, outcome: Outcome<'_, R>, gradient: &mut [R]) -> R {
        match self {
            Self::Softmax => apply_softmax(outcome, gradient),
            Self::Ranking => apply_ranking(outcome, |_, _| 1.0, gradient),
            _ => {
                let pairs = outcome.values.iter().zip(outcome.targets).zip(gradient);
                pairs.fold(R::ZERO, |sum, ((&x, &t), slope)| {
                    let (loss, by_x) = self.of_number(x, t);
                    *slope = by_x;
                    sum + loss
                })
            }
        }
    }

    /// Returns the loss of an example whose queries count differently: that of each times its weight, and of a pair times
    /// the mean of its two. Without weights, all count once.
    pub fn apply_weighted<R: Real>(self, outcome: Outcome<'_, R>, weights: &[f64], gradient: &mut [R]) -> R {
        let Outcome { values, targets, sizes } = outcome;
        if weights.is_empty() {
            return self.apply(outcome, gradient);
        }
        if self == Self::Ranking {
            let of_numbers: Vec<f64> = sizes
                .iter()
                .zip(weights)
                .flat_map(|(&size, &w)| std::iter::repeat_n(w, size as usize))
                .collect();
            return apply_ranking(outcome, |i, j| 0.5 * (of_numbers[i] + of_numbers[j]), gradient);
        }
        if self == Self::Softmax && sizes.iter().all(|&size| size == 1) {
            // What a query adds is its target times a logarithm.
            let weighted: Vec<R> = targets.iter().zip(weights).map(|(&t, &w)| t * R::from_f64(w)).collect();
            return self.apply(Outcome { targets: &weighted, ..outcome }, gradient);
        }
        let (mut sum, mut at) = (R::ZERO, 0);
        for (size, &weight) in sizes.iter().zip(weights) {
            let (range, weight) = (at..at + *size as usize, R::from_f64(weight));
            at = range.end;
            let (values, targets) = (&values[range.clone()], &targets[range.clone()]);
            let slopes = &mut gradient[range];
            sum += weight * self.apply(Outcome { values, targets, sizes: &[*size] }, slopes);
            slopes.iter_mut().for_each(|slope| *slope *= weight);
        }
        sum
    }

    /// Multiplies the second derivatives of [`Self::apply_weighted`] by the values with a direction: what the slopes change
    /// by along it. For `squared`, `logits` and `softmax`, which are curved everywhere; of other losses it says nothing.
    pub(super) fn curve_weighted(
        self,
        outcome: Outcome<'_, f64>,
        weights: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) {
        let weight = |query: usize| weights.get(query).copied().unwrap_or(1.0);
        if self == Self::Softmax {
            let queries: Vec<usize> = outcome.queries().collect();
            for range in outcome.group_ranges() {
                let largest = outcome.values[range.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let shares: Vec<f64> =
                    outcome.values[range.clone()].iter().map(|&value| (value - largest).exp()).collect();
                let sum: f64 = shares.iter().sum();
                let mass: f64 = range.clone().map(|at| outcome.targets[at] * weight(queries[at])).sum();
                let mean =
                    shares.iter().zip(&direction[range.clone()]).map(|(a, b)| a * b).sum::<f64>() / sum;
                for (share, at) in shares.iter().zip(range) {
                    out[at] = mass * share / sum * (direction[at] - mean);
                }
            }
            return;
        }
        for (at, query) in outcome.queries().enumerate() {
            let bend = match self {
                Self::Logits => {
                    let probability = outcome.values[at].sigmoid();
                    probability * (1.0 - probability)
                }
                _ => 1.0,
            };
            out[at] = weight(query) * bend * direction[at];
        }
    }

    /// Returns the loss of one number, and its slope.
    #[inline]
    fn of_number<R: Real>(self, x: R, t: R) -> (R, R) {
        let half = R::from_f64(0.5);
        match self {
            Self::SquaredSigmoid => {
                let y = x.sigmoid();
                let difference = y - t.sigmoid();
                (half * difference * difference, difference * y * (R::ONE - y))
            }
            Self::CrossEntropy => {
                let least = R::from_f64(LEAST_PROBABILITY);
                let p = x.max(least).min(R::ONE - least);
                let q = R::ONE - p;
                (-(t * p.ln() + (R::ONE - t) * q.ln()), (p - t) / (p * q))
            }
            Self::Logits => (x.softplus() - t * x, x.sigmoid() - t),
            Self::Hinge => {
                let side = if t > half { R::ONE } else { -R::ONE };
                let short = R::ONE - side * x;
                if short < R::ZERO { (R::ZERO, R::ZERO) } else { (short, -side) }
            }
            Self::SquaredHinge if (t <= R::ZERO && x < t) || (t >= R::ONE && x > t) => (R::ZERO, R::ZERO),
            Self::SquaredHinge | Self::Squared | Self::Softmax | Self::Ranking => {
                (half * (x - t) * (x - t), x - t)
            }
        }
    }

    /// Returns the value as a probability of being true, as far as it is one: 0.5 is where the answer changes.
    pub fn probability(self, value: f64) -> f64 {
        match self {
            Self::Logits | Self::Ranking | Self::Softmax => value.sigmoid(),
            Self::Hinge => (0.5 + 0.5 * value).clamp(0.0, 1.0),
            Self::SquaredSigmoid | Self::Squared | Self::SquaredHinge | Self::CrossEntropy => {
                value.clamp(0.0, 1.0)
            }
        }
    }

    /// Returns how many answers of an example are wrong, of how many. A target is true above 0.5.
    pub fn wrong<R: Real>(self, outcome: Outcome<'_, R>) -> (u32, u32) {
        if self == Self::Softmax {
            let groups = outcome.groups();
            let wrong =
                groups.clone().filter(|(values, targets)| largest(values) != largest(targets)).count();
            return (wrong as u32, groups.count() as u32);
        }
        if self == Self::Ranking {
            let pairs = || outcome.pairs();
            let wrong = pairs().filter(|&(i, j)| outcome.values[i] <= outcome.values[j]).count();
            return (wrong as u32, pairs().count() as u32);
        }
        let is_wrong = |(x, t): (&R, &R)| (self.probability(x.to_f64()) > 0.5) != (t.to_f64() > 0.5);
        let wrong = outcome.values.iter().zip(outcome.targets).filter(|pair| is_wrong(*pair)).count();
        (wrong as u32, outcome.values.len() as u32)
    }
}

impl<'a, R: Real> Outcome<'a, R> {
    /// Returns what the classes of softmax are: the elements of each vector, or, of numbers, all queries together.
    fn groups(self) -> impl Iterator<Item = (&'a [R], &'a [R])> + Clone {
        let of = move |range: Range<usize>| (&self.values[range.clone()], &self.targets[range]);
        self.group_ranges().into_iter().map(of)
    }

    /// Returns where the classes of softmax lie.
    fn group_ranges(self) -> Vec<Range<usize>> {
        let together = [self.values.len() as u32];
        let sizes = if self.sizes.iter().all(|&size| size == 1) { &together[..] } else { self.sizes };
        let mut at = 0;
        let range = |&size: &u32| {
            let from = at;
            at += size as usize;
            from..at
        };
        sizes.iter().map(range).collect()
    }

    /// Returns the query of each number.
    fn queries(self) -> impl Iterator<Item = usize> + 'a {
        let repeated = |(query, &size): (usize, &u32)| std::iter::repeat_n(query, size as usize);
        self.sizes.iter().enumerate().flat_map(repeated)
    }

    /// Returns the pairs whose first should be above their second.
    fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.targets.len();
        let all = (0..count).flat_map(move |i| (0..count).map(move |j| (i, j)));
        all.filter(move |&(i, j)| self.targets[i] > self.targets[j])
    }
}

pub(super) fn largest<R: Real>(numbers: &[R]) -> usize {
    let better = |best: usize, at: usize| if numbers[at] > numbers[best] { at } else { best };
    (1..numbers.len()).fold(0, better)
}

fn apply_softmax<R: Real>(outcome: Outcome<'_, R>, gradient: &mut [R]) -> R {
    let (mut loss, mut at) = (R::ZERO, 0);
    for (values, targets) in outcome.groups() {
        let top = values.iter().copied().fold(values[0], R::max);
        let sum: R = values.iter().map(|&x| (x - top).exp()).sum();
        let all: R = targets.iter().copied().sum();
        for (&x, &t) in values.iter().zip(targets) {
            loss += t * (sum.ln() + top - x);
            gradient[at] = all * (x - top).exp() / sum - t;
            at += 1;
        }
    }
    loss
}

fn apply_ranking<R: Real>(
    outcome: Outcome<'_, R>,
    weight: impl Fn(usize, usize) -> f64,
    gradient: &mut [R],
) -> R {
    gradient.fill(R::ZERO);
    let pairs = outcome.pairs().count();
    let one = R::ONE / R::from_f64(pairs.max(1) as f64);
    outcome.pairs().fold(R::ZERO, |sum, (i, j)| {
        let share = one * R::from_f64(weight(i, j));
        let behind = outcome.values[j] - outcome.values[i];
        let slope = share * behind.sigmoid();
        gradient[i] -= slope;
        gradient[j] += slope;
        sum + share * behind.softplus()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 4] = [0.3, 0.9, 0.55, 0.1];
    const TARGETS: [f64; 4] = [0.0, 1.0, 0.0, 1.0];

    fn loss_at(loss: Loss, values: &[f64], sizes: &[u32]) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; values.len()];
        let total = loss.apply(Outcome { values, targets: &TARGETS, sizes }, &mut gradient);
        (total, gradient)
    }

    #[test]
    fn every_gradient_is_the_slope() {
        for &loss in Loss::ALL {
            for sizes in [&[1, 1, 1, 1][..], &[2, 2]] {
                let (_, gradient) = loss_at(loss, &VALUES, sizes);
                for at in 0..4 {
                    let moved = |by: f64| {
                        let mut values = VALUES;
                        values[at] += by;
                        loss_at(loss, &values, sizes).0
                    };
                    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!((slope - gradient[at]).abs() < 1e-8, "{loss} {at}: {slope} {}", gradient[at]);
                }
            }
        }
    }

    #[test]
    fn weights_of_queries_scale_their_losses_and_slopes() {
        for &loss in Loss::ALL {
            for (sizes, weights) in [(&[1, 1, 1, 1][..], &[0.5, 2.0, 1.0, 3.0][..]), (&[2, 2], &[0.25, 3.0])]
            {
                let at = |values: &[f64], gradient: &mut [f64]| {
                    loss.apply_weighted(Outcome { values, targets: &TARGETS, sizes }, weights, gradient)
                };
                let mut gradient = [0.0; 4];
                let whole = at(&VALUES, &mut gradient);
                let outcome = Outcome { values: &VALUES, targets: &TARGETS, sizes };
                let each = loss.each(outcome);
                let sum: f64 = each.iter().zip(weights).map(|(judged, weight)| judged.loss * weight).sum();
                let by_query = loss != Loss::Ranking || sizes.len() == 4;
                assert!(!by_query || (sum - whole).abs() < 1e-12, "{loss} {sizes:?}: {sum} {whole}");
                for number in 0..4 {
                    let moved = |by: f64| {
                        let mut values = VALUES;
                        values[number] += by;
                        at(&values, &mut [0.0; 4])
                    };
                    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!((slope - gradient[number]).abs() < 1e-8, "{loss} {sizes:?} {number}");
                }
                let ones = vec![2.0; weights.len()];
                let twice = loss.apply_weighted(outcome, &ones, &mut [0.0; 4]);
                assert!((twice - 2.0 * loss.apply(outcome, &mut [0.0; 4])).abs() < 1e-12, "{loss}");
            }
        }
    }

    #[test]
    fn losses_are_those_of_the_books() {
        let one = |loss: Loss, x: f64, t: f64| {
            let mut gradient = [0.0];
            loss.apply(Outcome { values: &[x], targets: &[t], sizes: &[1] }, &mut gradient)
        };
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!(
            (one(Loss::SquaredSigmoid, 0.4, 1.0) - 0.5 * (sigmoid(1.0) - sigmoid(0.4)).powi(2)).abs() < 1e-15
        );
        assert!((one(Loss::CrossEntropy, 0.25, 1.0) - 4f64.ln()).abs() < 1e-15);
        assert!((one(Loss::Logits, 0.7, 0.0) + (1.0 - sigmoid(0.7)).ln()).abs() < 1e-15);
        assert_eq!((one(Loss::Hinge, 0.25, 1.0), one(Loss::Hinge, -3.0, 0.0)), (0.75, 0.0));
        let truth = |x: f64, t: f64| one(Loss::SquaredHinge, x, t);
        assert_eq!((truth(-0.5, 0.0), truth(0.5, 0.0), truth(2.0, 1.0)), (0.0, 0.125, 0.0));
        assert_eq!((truth(-1.0, 1.0), truth(2.0, 0.0), truth(0.0, 0.5)), (2.0, 2.0, 0.125));
        assert!(
            one(Loss::CrossEntropy, 1.0, 0.0).is_finite() && one(Loss::CrossEntropy, 0.0, 1.0).is_finite()
        );
    }

    #[test]
    fn answers_are_counted() {
        let outcome = Outcome { values: &VALUES, targets: &TARGETS, sizes: &[1; 4] };
        assert_eq!(Loss::Squared.wrong(outcome), (2, 4)); // 0.55 and 0.1
        assert_eq!(Loss::Ranking.wrong(outcome), (2, 4)); // 0.1 is below both
        assert_eq!(Loss::Softmax.wrong(Outcome { sizes: &[2, 2], ..outcome }), (1, 2));
    }
}
