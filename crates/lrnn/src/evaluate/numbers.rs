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

/// Returns an error where values say how sure an answer is, as log-odds do, and targets are 0 and 1: a value of 8 is no
/// worse an answer for 1 than one of 2.
fn check_same_unit(scored: &[Score]) -> Result<(), &'static str> {
    let is_share = |query: &Score| query.probability.is_none_or(|it| it == query.value.clamp(0.0, 1.0));
    match scored.iter().all(|query| matches!(query.target, 0.0 | 1.0)) && !scored.iter().all(is_share) {
        true => {
            Err("values are log-odds and targets 0 and 1; the Brier score compares probabilities with them")
        }
        false => Ok(()),
    }
}

pub(super) fn squared_error(scored: &[Score]) -> Measurement {
    check_same_unit(scored)?;
    Ok(mean(scored, |query| square(query.value - query.target)))
}

pub(super) fn absolute_error(scored: &[Score]) -> Measurement {
    check_same_unit(scored)?;
    Ok(mean(scored, |query| (query.value - query.target).abs()))
}

pub(super) fn r_squared(scored: &[Score]) -> Measurement {
    if scored.iter().all(|query| query.target == scored[0].target) {
        return Err("all targets are equal");
    }
    let centre = mean(scored, |query| query.target);
    Ok(1.0 - squared_error(scored)? / mean(scored, |query| square(query.target - centre)))
}
