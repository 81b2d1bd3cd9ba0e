//! What is drawn at random: the order of the examples, and which of them are held out. Every draw is made anew from
//! the seed and what it is for, so there is no stream of random numbers to keep.

use super::cases::Cases;
use super::settings::Settings;
use crate::data::Dataset;
use crate::network::mix;

/// Random numbers for one purpose.
struct Draws(u64);

impl Draws {
    fn new(purpose: &[u64]) -> Self {
        Self(purpose.iter().fold(0, |state, &word| mix(state ^ mix(word))))
    }

    /// Returns a number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = mix(self.0);
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }
}

/// Returns the numbers below `count` in a random order.
pub fn shuffled(count: usize, purpose: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut draws = Draws::new(purpose);
    for last in (1..count).rev() {
        order.swap(last, draws.below(last + 1));
    }
    order
}

/// Returns the seed of a restart: the first has the seed itself.
pub fn restart_seed(seed: u64, restart: u32) -> u64 {
    if restart == 0 { seed } else { mix(seed ^ mix(u64::from(restart))) }
}

/// The examples of each part.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Split {
    /// To learn from.
    pub training: Vec<usize>,
    /// To know when to stop.
    pub validation: Vec<usize>,
    /// To test the result.
    pub test: Vec<usize>,
}

impl Split {
    /// Draws the parts of data as settings say: of its examples, or of the queries of its only example.
    pub fn of(dataset: &Dataset, settings: &Settings) -> Self {
        let classes = Cases::of(dataset).classes(dataset);
        Self::new(&classes, settings.validation.0, settings.test.0, settings.seed)
    }

    /// Holds out shares of the examples at random; of each class the same share, as near as can be.
    pub fn new(classes: &[u64], validation: f64, test: f64, seed: u64) -> Self {
        let mut order = shuffled(classes.len(), &[seed, 1]);
        order.sort_by_key(|&example| classes[example]);
        let mut split = Self::default();
        // How much of the next held-out example has come together so far.
        let (mut for_test, mut for_validation) = (0.5, 0.5);
        for example in order {
            for_test += test;
            for_validation += validation;
            if for_test >= 1.0 {
                for_test -= 1.0;
                split.test.push(example);
            } else if for_validation >= 1.0 {
                for_validation -= 1.0;
                split.validation.push(example);
            } else {
                split.training.push(example);
            }
        }
        let parts = [&mut split.training, &mut split.validation, &mut split.test];
        parts.into_iter().for_each(|part| part.sort_unstable());
        split
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_as_likely() {
        let mut counts = [0; 6];
        for seed in 0..6000 {
            let order = shuffled(3, &[seed]);
            counts[order[0] * 2 + usize::from(order[1] > order[2])] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn each_class_is_held_out_alike() {
        let classes: Vec<u64> = (0..200).map(|example| u64::from(example % 4 == 0)).collect();
        let split = Split::new(&classes, 0.1, 0.2, 7);
        assert_eq!((split.training.len(), split.validation.len(), split.test.len()), (140, 20, 40));
        assert_eq!(split.test.iter().filter(|&&example| classes[example] == 1).count(), 10);
        assert_ne!(split, Split::new(&classes, 0.1, 0.2, 8));
    }
}
