//! A linear model over the coverage of rules, fitted by Newton steps with L2 regularisation.

use std::sync::Arc;

use lrnn::function::math;
use serde::{Deserialize, Serialize};

use crate::coverage::Coverage;

/// The kind of targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// Truth values or probabilities: the logistic loss.
    Truth,
    /// Numbers: the squared loss.
    Number,
}

impl TargetKind {
    /// Returns the kind of some targets.
    pub fn of(targets: &[f64]) -> Self {
        if targets.iter().all(|target| (0.0..=1.0).contains(target)) { Self::Truth } else { Self::Number }
    }

    /// Returns what a sum of weights means: a probability, or the number itself.
    pub fn answer(self, sum: f64) -> f64 {
        match self {
            Self::Truth => math::sigmoid(sum),
            Self::Number => sum,
        }
    }

    /// Returns the loss of a sum of weights.
    pub fn loss(self, sum: f64, target: f64) -> f64 {
        match self {
            Self::Truth => math::softplus(sum) - target * sum,
            Self::Number => 0.5 * (sum - target) * (sum - target),
        }
    }

    /// Returns the curvature of the loss where the answer is this.
    pub fn curvature(self, answer: f64) -> f64 {
        match self {
            Self::Truth => answer * (1.0 - answer),
            Self::Number => 1.0,
        }
    }
}

/// A weighted sum of rules.
#[derive(Clone, Debug)]
pub struct LinearModel {
    /// The kind of targets.
    pub kind: TargetKind,
    /// The weight of no rule.
    pub intercept: f64,
    /// The weight of each rule.
    pub weights: Vec<f64>,
    /// The coverage of each rule.
    pub rules: Vec<Arc<Coverage>>,
    /// By query: the sum of the weights of the rules that cover it.
    pub sums: Vec<f64>,
    /// Steps that all fits took.
    pub(crate) steps: u64,
}

/// L2 regularisation of the intercept.
const INTERCEPT_L2: f64 = 1e-6;
/// Steps of a fit at most.
const STEPS: usize = 25;
/// With more rules the quadratic approximation is solved weight by weight, not as a system of equations.
const MOST_EQUATIONS: usize = 24;
/// Rounds over all weights at most.
const SWEEPS: usize = 30;
/// The part of the loss that a step must gain, where weights are found one by one.
const LEAST_STEP: f64 = 1e-8;

impl LinearModel {
    /// Returns the model without rules for some training queries.
    pub fn new(kind: TargetKind, targets: &[f64], training: &[usize]) -> Self {
        let mut model = Self {
            kind,
            intercept: 0.0,
            weights: Vec::new(),
            rules: Vec::new(),
            sums: vec![0.0; targets.len()],
            steps: 0,
        };
        model.fit(targets, training, 1.0);
        model
    }

    /// Adds a rule and fits all weights again.
    pub fn add(&mut self, rule: Arc<Coverage>, targets: &[f64], training: &[usize], l2: f64) {
        self.rules.push(rule);
        self.weights.push(0.0);
        self.fit(targets, training, l2);
    }

    /// Computes the sums again.
    pub(crate) fn sum(&mut self) {
        let Self { intercept, weights, rules, sums, .. } = self;
        sums.fill(*intercept);
        for (rule, weight) in rules.iter().zip(weights) {
            rule.for_each(|query| sums[query] += *weight);
        }
    }

    /// Returns the loss of the training queries, and that of the weights.
    pub(crate) fn objective(&self, targets: &[f64], training: &[usize], l2: f64) -> f64 {
        let loss: f64 = training.iter().map(|&query| self.kind.loss(self.sums[query], targets[query])).sum();
        loss + 0.5 * l2 * self.weights.iter().map(|weight| weight * weight).sum::<f64>()
    }

    /// Fits all weights to the training queries by Newton steps, halved where they lead too far.
    pub fn fit(&mut self, targets: &[f64], training: &[usize], l2: f64) {
        self.sum();
        let covered =
            self.rules.iter().map(|rule| u64::from(rule.count())).sum::<u64>() + training.len() as u64;
        let mut before = self.objective(targets, training, l2);
        for _ in 0..STEPS {
            let is_small = self.rules.len() <= MOST_EQUATIONS;
            let (step, passes) = match is_small {
                true => (self.newton_step(targets, training, l2), self.rules.len() / 2),
                false => self.descent_step(targets, training, l2),
            };
            // A query that is covered is a fraction of a step.
            self.steps += (passes as u64 + 2) * covered / 4;
            let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
            let (intercept, weights) = (self.intercept, self.weights.clone());
            let mut scale = 1.0;
            let after = loop {
                self.intercept = intercept + scale * step[0];
                for (at, weight) in self.weights.iter_mut().enumerate() {
                    *weight = weights[at] + scale * step[at + 1];
                }
                self.sum();
                let after = self.objective(targets, training, l2);
                if after <= before + 1e-12 * before.abs() || scale < 1e-6 {
                    break after;
                }
                scale *= 0.5;
            };
            let gained = before - after;
            before = after;
            let least = if is_small { 1e-10 } else { LEAST_STEP };
            if largest < 1e-7 || gained < least * (1.0 + before.abs()) {
                break;
            }
        }
    }

    /// Returns the step to the minimum of the second-order approximation, the intercept first.
    fn newton_step(&self, targets: &[f64], training: &[usize], l2: f64) -> Vec<f64> {
        let size = self.rules.len() + 1;
        let mut gradient = vec![0.0; size];
        let mut matrix = vec![0.0; size * size];
        let mut slope = vec![0.0; self.sums.len()];
        let mut curvature = vec![0.0; self.sums.len()];
        for &query in training {
            let answer = self.kind.answer(self.sums[query]);
            slope[query] = targets[query] - answer;
            curvature[query] = self.kind.curvature(answer);
            gradient[0] += slope[query];
            matrix[0] += curvature[query];
        }
        for (at, rule) in self.rules.iter().enumerate() {
            let (mut first, mut second) = (0.0, 0.0);
            rule.for_each(|query| {
                first += slope[query];
                second += curvature[query];
            });
            gradient[at + 1] = first - l2 * self.weights[at];
            matrix[at + 1] = second;
            matrix[(at + 1) * size] = second;
            matrix[(at + 1) * size + at + 1] = second + l2;
            let mut own = vec![0.0; self.sums.len()];
            rule.for_each(|query| own[query] = curvature[query]);
            for (other, earlier) in self.rules[..at].iter().enumerate() {
                let mut both = 0.0;
                earlier.for_each(|query| both += own[query]);
                matrix[(at + 1) * size + other + 1] = both;
                matrix[(other + 1) * size + at + 1] = both;
            }
        }
        // Where all targets are alike the intercept would grow for ever.
        gradient[0] -= INTERCEPT_L2 * self.intercept;
        matrix[0] += INTERCEPT_L2;
        solve(&mut matrix, gradient)
    }

    /// Returns about the same step, found weight by weight, which with many rules is far less work; and how often it went
    /// through them.
    fn descent_step(&self, targets: &[f64], training: &[usize], l2: f64) -> (Vec<f64>, usize) {
        let mut slope = vec![0.0; self.sums.len()];
        let mut curvature = vec![0.0; self.sums.len()];
        let mut of_all = INTERCEPT_L2;
        for &query in training {
            let answer = self.kind.answer(self.sums[query]);
            slope[query] = targets[query] - answer;
            curvature[query] = self.kind.curvature(answer);
            of_all += curvature[query];
        }
        let of_rule = |rule: &Arc<Coverage>| {
            let mut sum = l2;
            rule.for_each(|query| sum += curvature[query]);
            sum.max(1e-12)
        };
        let seconds: Vec<f64> = self.rules.iter().map(of_rule).collect();
        let mut step = vec![0.0; self.rules.len() + 1];
        let mut sweeps = 0;
        while sweeps < SWEEPS {
            sweeps += 1;
            // The slope at the step so far: each part lowers it by its curvature.
            let sum: f64 = training.iter().map(|&query| slope[query]).sum();
            let part = (sum - INTERCEPT_L2 * (self.intercept + step[0])) / of_all;
            step[0] += part;
            training.iter().for_each(|&query| slope[query] -= part * curvature[query]);
            let mut largest = part.abs();
            for (at, rule) in self.rules.iter().enumerate() {
                let mut sum = 0.0;
                rule.for_each(|query| sum += slope[query]);
                let part = (sum - l2 * (self.weights[at] + step[at + 1])) / seconds[at];
                step[at + 1] += part;
                rule.for_each(|query| slope[query] -= part * curvature[query]);
                largest = largest.max(part.abs());
            }
            if largest < 1e-5 {
                break;
            }
        }
        (step, sweeps)
    }

    /// Returns the mean loss over some queries.
    pub fn mean_loss(&self, targets: &[f64], queries: &[usize]) -> f64 {
        let sum: f64 = queries.iter().map(|&query| self.kind.loss(self.sums[query], targets[query])).sum();
        sum / queries.len().max(1) as f64
    }
}

impl LinearModel {
    /// Returns the share of wrong answers to some queries; 0 for numbers.
    pub fn error(&self, targets: &[f64], queries: &[usize]) -> f64 {
        let is_wrong = |query: &&usize| (self.sums[**query] > 0.0) != (targets[**query] > 0.5);
        match self.kind {
            TargetKind::Truth => queries.iter().filter(is_wrong).count() as f64 / queries.len().max(1) as f64,
            TargetKind::Number => 0.0,
        }
    }
}

/// Solves a positive definite system by Cholesky's method.
fn solve(matrix: &mut [f64], mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        for row in column..size {
            let known: f64 = (0..column).map(|at| matrix[row * size + at] * matrix[column * size + at]).sum();
            let value = matrix[row * size + column] - known;
            matrix[row * size + column] =
                if row == column { value.max(1e-12).sqrt() } else { value / matrix[column * size + column] };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|at| matrix[row * size + at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[at * size + row] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_zero_at_the_end() {
        let targets: Vec<f64> = (0..60).map(|at| f64::from(u8::from(at % 3 == 0 || at > 50))).collect();
        let training: Vec<usize> = (0..50).collect();
        for kind in [TargetKind::Truth, TargetKind::Number] {
            let mut model = LinearModel::new(kind, &targets, &training);
            for every in [2, 3, 5] {
                model.add(Arc::new(Coverage::of(60, |at| at % every == 0)), &targets, &training, 0.5);
            }
            let slope = |query: usize| targets[query] - kind.answer(model.sums[query]);
            let intercept: f64 = training.iter().map(|&query| slope(query)).sum();
            assert!(intercept.abs() < 1e-5, "{intercept}");
            for (rule, weight) in model.rules.iter().zip(&model.weights) {
                let sum: f64 =
                    training.iter().filter(|&&query| rule.has(query)).map(|&query| slope(query)).sum();
                assert!((sum - 0.5 * weight).abs() < 1e-5, "{sum} {weight}");
            }
        }
    }
}
