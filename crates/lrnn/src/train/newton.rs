//! Newton's method for a last layer that is linear: the loss is convex in its weights, so they can be solved for.
//!
//! Weights are penalised as if their features had a spread of 1, so that it does not matter how large the values of the
//! layer below are. A step is the solution of the quadratic that the loss looks like, by conjugate gradients, which need
//! no matrix; it is halved until the loss falls.

use std::collections::BTreeMap;

use crate::function::math::{sigmoid, softplus};

/// Number of steps in one call.
const STEPS: usize = 3;
const MOST_DIRECTIONS: usize = 100;
/// Share of the first residual at which conjugate gradients stop.
const ENOUGH: f64 = 1e-4;
const MOST_HALVINGS: usize = 12;
/// Keeps the quadratic from being flat.
const LEAST_PENALTY: f64 = 1e-7;

/// The form of the loss of a sum x with a target t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bend {
    /// ln(1 + e^x) − t x
    Logistic,
    /// (x − t)² / 2
    Square,
}

impl Bend {
    /// Returns the loss, its slope and its curvature.
    fn at(self, x: f64, target: f64) -> (f64, f64, f64) {
        match self {
            Self::Logistic => {
                let p = sigmoid(x);
                (softplus(x) - target * x, p - target, p * (1.0 - p))
            }
            Self::Square => (0.5 * (x - target) * (x - target), x - target, 1.0),
        }
    }
}

/// A query of a last layer.
#[derive(Clone, Debug)]
pub(super) struct LinearCase {
    /// Places of weights, and what they are multiplied with.
    pub features: Vec<(u32, f64)>,
    /// What is added to that.
    pub rest: f64,
    pub target: f64,
    /// How much it counts.
    pub weight: f64,
}

/// A last layer with features of spread 1, weights numbered from 0.
struct Layer<'a> {
    cases: &'a [LinearCase],
    rows: Vec<Vec<(usize, f64)>>,
    bend: Bend,
    penalty: f64,
    mass: f64,
}

/// Returns better weights for these cases, by place; `weight` tells what they are now.
pub(super) fn solve(
    cases: &[LinearCase],
    bend: Bend,
    l2: f64,
    weight: impl Fn(u32) -> f64,
) -> Vec<(u32, f64)> {
    let spreads = spreads(cases);
    let numbers: BTreeMap<u32, usize> = spreads.keys().copied().zip(0..).collect();
    let row = |case: &LinearCase| {
        let scaled = |&(place, value): &(u32, f64)| (numbers[&place], value / spreads[&place]);
        case.features.iter().map(scaled).collect()
    };
    let mass = cases.iter().map(|case| case.weight).sum::<f64>().max(f64::MIN_POSITIVE);
    let layer =
        Layer { cases, rows: cases.iter().map(row).collect(), bend, penalty: l2.max(LEAST_PENALTY), mass };
    let mut weights: Vec<f64> = spreads.iter().map(|(&place, spread)| weight(place) * spread).collect();
    for _ in 0..STEPS {
        if !layer.step(&mut weights) {
            break;
        }
    }
    spreads.iter().zip(weights).map(|((&place, spread), weight)| (place, weight / spread)).collect()
}

/// Returns the spread of each feature; its size, where it is the same in all cases.
fn spreads(cases: &[LinearCase]) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for &(place, value) in cases.iter().flat_map(|case| &case.features) {
        let (sum, squares) = sums.entry(place).or_default();
        *sum += value;
        *squares += value * value;
    }
    let count = cases.len().max(1) as f64;
    let spread = |(place, (sum, squares)): (u32, (f64, f64))| {
        let (mean, square) = (sum / count, squares / count);
        let variance = square - mean * mean;
        let spread = if variance > 1e-9 * square { variance.sqrt() } else { square.sqrt() };
        (place, if spread > 0.0 { spread } else { 1.0 })
    };
    sums.into_iter().map(spread).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

impl Layer<'_> {
    fn sum(&self, at: usize, weights: &[f64]) -> f64 {
        self.rows[at].iter().map(|&(number, value)| weights[number] * value).sum()
    }

    fn objective(&self, weights: &[f64]) -> f64 {
        let of = |(at, case): (usize, &LinearCase)| {
            case.weight * self.bend.at(case.rest + self.sum(at, weights), case.target).0
        };
        let loss: f64 = self.cases.iter().enumerate().map(of).sum();
        loss / self.mass + 0.5 * self.penalty * dot(weights, weights)
    }

    /// Moves the weights to where the objective is smaller; `false` if there is no such place on the way.
    fn step(&self, weights: &mut [f64]) -> bool {
        let (gradient, bends) = self.slopes(weights);
        let direction = self.direction(&gradient, &bends);
        let before = self.objective(weights);
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let there: Vec<f64> = weights.iter().zip(&direction).map(|(w, d)| w + length * d).collect();
            if self.objective(&there) < before {
                weights.copy_from_slice(&there);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// Returns the gradient of the objective, and the curvature of each case's loss.
    fn slopes(&self, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| self.penalty * weight).collect();
        let mut bends = Vec::with_capacity(self.cases.len());
        for (at, case) in self.cases.iter().enumerate() {
            let (_, slope, bend) = self.bend.at(case.rest + self.sum(at, weights), case.target);
            let share = case.weight / self.mass;
            self.rows[at].iter().for_each(|&(number, value)| gradient[number] += share * slope * value);
            bends.push(share * bend);
        }
        (gradient, bends)
    }

    /// Solves curvature · direction = −gradient.
    fn direction(&self, gradient: &[f64], bends: &[f64]) -> Vec<f64> {
        let mut direction = vec![0.0; gradient.len()];
        let mut residual: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
        let mut search = residual.clone();
        let mut size = dot(&residual, &residual);
        let enough = ENOUGH * ENOUGH * size;
        for _ in 0..MOST_DIRECTIONS {
            if size <= enough {
                break;
            }
            let curved = self.times_curvature(&search, bends);
            let length = size / dot(&search, &curved);
            direction.iter_mut().zip(&search).for_each(|(d, s)| *d += length * s);
            residual.iter_mut().zip(&curved).for_each(|(r, c)| *r -= length * c);
            let next = dot(&residual, &residual);
            search.iter_mut().zip(&residual).for_each(|(s, r)| *s = r + next / size * *s);
            size = next;
        }
        direction
    }

    fn times_curvature(&self, vector: &[f64], bends: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = vector.iter().map(|number| self.penalty * number).collect();
        for (at, bend) in bends.iter().enumerate() {
            let along = bend * self.sum(at, vector);
            self.rows[at].iter().for_each(|&(number, value)| product[number] += along * value);
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of three features, one of them the same in all, whose classes overlap.
    fn cases() -> Vec<LinearCase> {
        let case = |number: u32| {
            let (a, b) = (f64::from(number % 5), f64::from(number * 7 % 3) * 0.01);
            let target = f64::from(u8::from(a + 100.0 * b > 2.5) ^ u8::from(number % 11 == 0));
            LinearCase { features: vec![(4, a), (7, b), (9, 1.0)], rest: 0.2, target, weight: 1.0 }
        };
        (0..60).map(case).collect()
    }

    #[test]
    fn the_solution_has_no_slope() {
        for bend in [Bend::Logistic, Bend::Square] {
            let (cases, mut weights) = (cases(), BTreeMap::new());
            for _ in 0..5 {
                weights = solve(&cases, bend, 1e-3, |at| weights.get(&at).copied().unwrap_or(0.0))
                    .into_iter()
                    .collect();
            }
            let spreads = spreads(&cases);
            let objective = |weights: &BTreeMap<u32, f64>| {
                let sum = |case: &LinearCase| -> f64 {
                    case.features.iter().map(|(place, value)| weights[place] * value).sum::<f64>() + case.rest
                };
                let loss: f64 = cases.iter().map(|case| bend.at(sum(case), case.target).0).sum();
                let penalty: f64 = weights.iter().map(|(at, weight)| (weight * spreads[at]).powi(2)).sum();
                loss / cases.len() as f64 + 0.5e-3 * penalty
            };
            for place in [4, 7, 9] {
                let moved = |by: f64| {
                    let mut moved = weights.clone();
                    moved.entry(place).and_modify(|weight| *weight += by / spreads[&place]);
                    objective(&moved)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!(slope.abs() < 1e-6, "{bend:?} {place}: {slope}");
            }
        }
    }

    #[test]
    fn a_feature_may_come_twice_and_nothing_may_come_at_all() {
        let twice = LinearCase { features: vec![(0, 1.0), (0, 1.0)], rest: 0.0, target: 1.0, weight: 1.0 };
        let found = solve(&[twice], Bend::Square, 0.0, |_| 0.0);
        assert!((found[0].1 - 0.5).abs() < 1e-3, "{found:?}");
        assert_eq!(solve(&[], Bend::Logistic, 0.1, |_| 0.0), []);
    }
}
