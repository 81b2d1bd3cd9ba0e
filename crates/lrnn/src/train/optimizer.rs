//! How a gradient becomes a step. To add an optimizer: its line in the table, its memories, its step.

use crate::function::Real;
use crate::function::table::table;

table! {
    /// A rule that makes a step of the weights `w` from a gradient `g`, with the learning rate `r`.
    pub enum Optimizer {
        /// L-BFGS where every step can look at all examples, else Adam; chosen with all settings that are not given.
        Auto = "auto", [], "lbfgs or adam";
        /// Stochastic gradient descent, as in the paper.
        Sgd = "sgd", [], "w -= r g";
        /// Gradient descent that keeps its speed.
        Momentum = "momentum", [], "m = momentum m + g; w -= r m";
        /// Each weight has a step of its own, from the means of its gradient and of its square.
        Adam = "adam", [], "m = mean of g; v = mean of g²; w -= r m / (√v + 1e-8)";
        /// Adam, with weights drawn to 0 beside it by `l2`.
        AdamW = "adamw", ["adam-w"], "Adam; w -= r l2 w";
        /// Each weight has a step of its own, from the mean of the square of its gradient.
        RmsProp = "rmsprop", ["rms-prop"], "v = mean of g²; w -= r g / (√v + 1e-8)";
        /// Steps grow shorter with all the gradients that were.
        Adagrad = "adagrad", [], "v += g²; w -= r g / (√v + 1e-8)";
        /// Steps that know the curvature of the loss over all examples: every step needs all of them.
        Lbfgs = "lbfgs", ["l-bfgs"], "w -= H g, H the inverse curvature that the last 30 steps tell of";
        /// Adam, but the weights of the last layer are solved in every step, by Newton's method over all examples.
        Newton = "newton", ["variable-projection"], "w of the last layer = the best there are; the others as Adam";
    }
}

/// Keeps the division from 0.
const LEAST: f64 = 1e-8;
/// Decay of the mean of squares.
const SQUARES: f64 = 0.999;

/// The size of a step.
#[derive(Clone, Copy, Debug)]
pub struct Stride {
    /// The rate.
    pub rate: f64,
    /// Decay of the speed, or of the mean of gradients.
    pub momentum: f64,
    /// Weight decay, for AdamW.
    pub decay: f64,
    /// Number of the step, from 1.
    pub number: u64,
}

impl Optimizer {
    /// Returns how many numbers it remembers for each weight.
    pub fn memories(self) -> usize {
        match self {
            Self::Sgd | Self::Lbfgs => 0,
            Self::Momentum | Self::RmsProp | Self::Adagrad => 1,
            Self::Auto | Self::Adam | Self::AdamW | Self::Newton => 2,
        }
    }

    /// Returns whether a step needs all examples.
    pub fn needs_all(self) -> bool {
        matches!(self, Self::Lbfgs | Self::Newton)
    }

    /// Returns whether a step tries points and gives some of them up.
    pub fn tries_points(self) -> bool {
        self == Self::Lbfgs
    }

    /// Returns whether it draws weights to 0 itself, so that the gradient must not.
    pub fn has_decay(self) -> bool {
        self == Self::AdamW
    }

    /// Makes a step, if it needs no more than a gradient. There are as many memories as [`Self::memories`] says, each as long as the weights.
    pub fn step<R: Real>(self, stride: Stride, weights: &mut [R], gradient: &[R], memories: &mut [&mut [R]]) {
        let (rate, momentum) = (R::from_f64(stride.rate), R::from_f64(stride.momentum));
        let (squares, least) = (R::from_f64(SQUARES), R::from_f64(LEAST));
        match (self, memories) {
            (Self::Momentum, [speed]) => {
                each(weights, gradient, speed, |weight, g, speed| {
                    *speed = momentum * *speed + g;
                    *weight -= rate * *speed;
                });
            }
            (Self::RmsProp, [mean]) => {
                each(weights, gradient, mean, |weight, g, mean| {
                    *mean = squares * *mean + (R::ONE - squares) * g * g;
                    *weight -= rate * g / (mean.sqrt() + least);
                });
            }
            (Self::Adagrad, [sum]) => {
                each(weights, gradient, sum, |weight, g, sum| {
                    *sum += g * g;
                    *weight -= rate * g / (sum.sqrt() + least);
                });
            }
            (Self::Auto | Self::Adam | Self::AdamW | Self::Newton, [first, second]) => {
                // Means begin at 0, which is corrected for.
                let first_share = 1.0 - power(stride.momentum, stride.number);
                let second_share = 1.0 - power(SQUARES, stride.number);
                let rate = R::from_f64(stride.rate / first_share);
                let share = R::from_f64(1.0 / second_share);
                let kept =
                    R::from_f64(1.0 - if self == Self::AdamW { stride.rate * stride.decay } else { 0.0 });
                for (((weight, &g), m), v) in
                    weights.iter_mut().zip(gradient).zip(&mut **first).zip(&mut **second)
                {
                    *m = momentum * *m + (R::ONE - momentum) * g;
                    *v = squares * *v + (R::ONE - squares) * g * g;
                    *weight = kept * *weight - rate * *m / ((share * *v).sqrt() + least);
                }
            }
            _ => weights.iter_mut().zip(gradient).for_each(|(weight, &g)| *weight -= rate * g),
        }
    }
}

#[inline(always)]
fn each<R: Real>(weights: &mut [R], gradient: &[R], memory: &mut [R], step: impl Fn(&mut R, R, &mut R)) {
    for ((weight, &g), memory) in weights.iter_mut().zip(gradient).zip(memory) {
        step(weight, g, memory);
    }
}

/// By squaring: the same bits everywhere.
pub(super) fn power(base: f64, mut exponent: u64) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the weights after two steps with the gradients 1 and -3.
    fn two_steps(optimizer: Optimizer) -> f64 {
        let mut weights = [0.5];
        let mut memories = vec![[0.0]; optimizer.memories()];
        for (number, gradient) in [(1, 1.0), (2, -3.0)] {
            let mut memories: Vec<&mut [f64]> = memories.iter_mut().map(|memory| &mut memory[..]).collect();
            let stride = Stride { rate: 0.1, momentum: 0.9, decay: 0.2, number };
            optimizer.step(stride, &mut weights, &[gradient], &mut memories);
        }
        weights[0]
    }

    #[test]
    fn steps_are_those_of_the_books() {
        let check = |optimizer, expected: f64| {
            let found = two_steps(optimizer);
            assert!((found - expected).abs() < 2e-6, "{optimizer}: {found} {expected}");
        };
        check(Optimizer::Sgd, 0.5 - 0.1 + 0.3);
        check(Optimizer::Momentum, 0.5 - 0.1 - 0.1 * (0.9 - 3.0));
        check(Optimizer::RmsProp, 0.5 - 0.1 / 0.001f64.sqrt() + 0.3 / (0.001f64 * 0.999 + 0.009).sqrt());
        check(Optimizer::Adagrad, 0.5 - 0.1 + 0.3 / 10f64.sqrt());
        let second = 0.1 * ((0.09 - 0.3) / 0.19) / ((0.000999 + 0.009) / (1.0 - 0.998001)).sqrt();
        check(Optimizer::Adam, 0.5 - 0.1 - second);
        check(Optimizer::Auto, 0.5 - 0.1 - second);
        check(Optimizer::Newton, 0.5 - 0.1 - second);
        check(Optimizer::AdamW, (0.5 * 0.98 - 0.1) * 0.98 - second);
    }

    #[test]
    fn all_of_them_go_down() {
        for &optimizer in Optimizer::ALL.iter().filter(|optimizer| !optimizer.needs_all()) {
            let (mut weights, mut memories) = ([3.0f32, -2.0], vec![[0.0; 2]; optimizer.memories()]);
            for number in 1..2000 {
                let gradient = weights; // of half the square
                let mut memories: Vec<&mut [f32]> =
                    memories.iter_mut().map(|memory| &mut memory[..]).collect();
                let stride = Stride { rate: 0.05, momentum: 0.9, decay: 0.0, number };
                optimizer.step(stride, &mut weights, &gradient, &mut memories);
            }
            assert!(weights.iter().all(|weight| weight.abs() < 0.5), "{optimizer} {weights:?}");
        }
    }
}
