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

/// Returns what is compared with each target: the value, or its probability where values say how sure an answer is, as
/// log-odds do, and targets are from 0 to 1. A value of 8 is no worse an answer for 1 than one of 2.
fn compared(scored: &[Score]) -> impl Fn(&Score) -> f64 {
    let is_value = |query: &Score| query.probability.is_none_or(|it| it == query.value.clamp(0.0, 1.0));
    let are_truths = scored.iter().all(|query| (0.0..=1.0).contains(&query.target));
    let takes_values = !are_truths || scored.iter().all(is_value);
    move |query| query.probability.filter(|_| !takes_values).unwrap_or(query.value)
}

pub(super) fn squared_error(scored: &[Score]) -> f64 {
    let answer = compared(scored);
    mean(scored, |query| square(answer(query) - query.target))
}

pub(super) fn absolute_error(scored: &[Score]) -> f64 {
    let answer = compared(scored);
    mean(scored, |query| (answer(query) - query.target).abs())
}

pub(super) fn r_squared(scored: &[Score]) -> Measurement {
    if scored.iter().all(|query| query.target == scored[0].target) {
        return Err("all targets are equal");
    }
    let centre = mean(scored, |query| query.target);
    Ok(1.0 - squared_error(scored) / mean(scored, |query| square(query.target - centre)))
}
