//! How far values are from targets that may be any numbers.

use super::Score;
use super::metric::Measurement;

/// Returns the mean of what a function gives for each of them.
pub(super) fn mean<T>(all: &[T], of: impl Fn(&T) -> f64) -> f64 {
    all.iter().map(of).sum::<f64>() / all.len() as f64
}

fn square(number: f64) -> f64 {
    number * number
}

pub(super) fn squared_error(scored: &[Score]) -> f64 {
    mean(scored, |query| square(query.value - query.target))
}

pub(super) fn absolute_error(scored: &[Score]) -> f64 {
    mean(scored, |query| (query.value - query.target).abs())
}

pub(super) fn r_squared(scored: &[Score]) -> Measurement {
    if scored.iter().all(|query| query.target == scored[0].target) {
        return Err("all targets are equal");
    }
    let centre = mean(scored, |query| query.target);
    Ok(1.0 - squared_error(scored) / mean(scored, |query| square(query.target - centre)))
}
