//! Learning rate schedules.

use super::optimizer::power;
use crate::function::table::table;

table! {
    /// A learning rate schedule; `r` is the learning rate.
    pub enum RateSchedule {
        /// The same always.
        Constant = "constant", [], "r";
        /// Times `decay_factor` after every `decay_every` epochs.
        Step = "step", [], "r factor^⌊epoch / every⌋";
        /// Times `decay_factor` after every epoch.
        Geometric = "geometric", ["exponential"], "r factor^epoch";
        /// Down to 0 with the last epoch, evenly.
        Linear = "linear", ["arithmetic"], "r (1 - epoch / epochs)";
        /// Down to 0 with the last epoch, slowly at both ends.
        Cosine = "cosine", [], "r (1 + cos(π epoch / epochs)) / 2";
    }
}

impl RateSchedule {
    /// Returns the rate in an epoch, counted from 0.
    pub fn rate(self, rate: f64, epoch: u32, epochs: u32, factor: f64, every: u32) -> f64 {
        match self {
            Self::Constant => rate,
            Self::Step => rate * power(factor, u64::from(epoch / every.max(1))),
            Self::Geometric => rate * power(factor, u64::from(epoch)),
            Self::Linear => rate * (1.0 - f64::from(epoch.min(epochs)) / f64::from(epochs.max(1))),
            Self::Cosine => rate * (1.0 + cosine(f64::from(epoch) / f64::from(epochs.max(1)))) / 2.0,
        }
    }
}

/// cos(π x) for x from 0 to 1, by its series: the platform's may differ in the last bit.
fn cosine(x: f64) -> f64 {
    // From the nearer end, where the series is short.
    let (x, sign) = if x > 0.5 { (1.0 - x, -1.0) } else { (x, 1.0) };
    let square = (x * std::f64::consts::PI) * (x * std::f64::consts::PI);
    let term = |(sum, term): (f64, f64), n: i32| {
        let next = -term * square / f64::from((2 * n - 1) * (2 * n));
        (sum + next, next)
    };
    sign * (1..=12).fold((1.0, 1.0), term).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_what_the_table_says() {
        let rates = |schedule: RateSchedule| [0, 5, 10].map(|epoch| schedule.rate(2.0, epoch, 10, 0.5, 5));
        assert_eq!(rates(RateSchedule::Constant), [2.0; 3]);
        assert_eq!(rates(RateSchedule::Step), [2.0, 1.0, 0.5]);
        assert_eq!(rates(RateSchedule::Geometric), [2.0, 2.0 / 32.0, 2.0 / 1024.0]);
        assert_eq!(rates(RateSchedule::Linear), [2.0, 1.0, 0.0]);
        let cosine = rates(RateSchedule::Cosine);
        assert!(
            (cosine[0] - 2.0).abs() < 1e-15 && (cosine[1] - 1.0).abs() < 1e-15 && cosine[2].abs() < 1e-15
        );
    }

    #[test]
    fn the_cosine_is_one() {
        for n in 0..=1000 {
            let x = f64::from(n) / 1000.0;
            assert!((cosine(x) - (std::f64::consts::PI * x).cos()).abs() < 1e-15);
        }
    }
}
