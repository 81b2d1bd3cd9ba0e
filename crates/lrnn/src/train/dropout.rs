//! Dropout: in each step a share of the numbers of the weights counts as 0, and the others count for more.
//!
//! A number that is left out is left out of every ground rule of the step, so merging neurons changes nothing; which ones
//! they are comes from a hash of the seed, the step and the place of the number, so neither threads nor crews do.

use std::ops::Range;

use crate::function::Real;
use crate::network::mix;

/// The numbers that one step leaves out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Dropout {
    share: f64,
    hash: u64,
}

impl Dropout {
    /// Returns what a step leaves out; `step` tells it from all others.
    pub fn new(share: f64, step: &[u64]) -> Self {
        Self { share, hash: step.iter().fold(5, |hash, &word| mix(hash ^ mix(word))) }
    }

    /// Returns what a number counts: 0, or so much more that the mean over all steps is 1.
    fn factor(&self, number: usize) -> f64 {
        let drawn = mix(self.hash ^ mix(number as u64)) >> 11;
        if (drawn as f64) < self.share * (1u64 << 53) as f64 { 0.0 } else { 1.0 / (1.0 - self.share) }
    }

    /// Multiplies numbers that learn by what they count: weights before a step, and then their gradient.
    pub fn apply<R: Real>(&self, learnable: &[Range<usize>], numbers: &mut [R]) {
        for at in learnable.iter().flat_map(Range::clone) {
            numbers[at] *= R::from_f64(self.factor(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_left_out_and_the_mean_stays() {
        let mut numbers = vec![1.0f64; 20_000];
        Dropout::new(0.3, &[1, 2]).apply(&[10..50, 50..20_000], &mut numbers);
        assert_eq!(numbers[..10], [1.0; 10]);
        let out = numbers.iter().filter(|number| **number == 0.0).count();
        assert!((5_700..6_300).contains(&out), "{out}");
        assert!((numbers.iter().sum::<f64>() / 20_000.0 - 1.0).abs() < 0.02);
        let mut others = vec![1.0f64; 20_000];
        Dropout::new(0.3, &[2, 1]).apply(&[10..50, 50..20_000], &mut others);
        assert_ne!(numbers, others);
    }
}
