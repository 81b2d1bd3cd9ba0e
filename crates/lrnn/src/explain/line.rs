//! How much each input of a function moves its output on the straight line from baseline to value.
//!
//! All inputs of a neuron go together, at one speed, from their baseline to their value; an input is given the mean slope
//! of the output by it on the way. That is the sharing of Aumann and Shapley: mean slope times way, summed over
//! the inputs, is what the output moved. Sums have the same slope everywhere. Of several numbers, max and min
//! follow whoever wins, for as long as it wins; equal ones share. Products and softmax are integrated by eight
//! points of Gauss, which is exact for products of up to sixteen, and what is left of longer ones is shared by the
//! squares of the ways. So it adds up whatever the function; what rounding or a jump leaves is told apart.

use super::cells::moved;
use crate::function::{Activation, Aggregation, Combination, Shape, Value};

/// Points and weights of Gauss and Legendre on the way from 0 to 1.
const POINTS: [(f64, f64); 8] = [
    (0.019_855_071_751_231_88, 0.050_614_268_145_188_13),
    (0.101_666_761_293_186_64, 0.111_190_517_226_687_24),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_64),
    (0.408_282_678_752_175_1, 0.181_341_891_689_181),
    (0.591_717_321_247_825, 0.181_341_891_689_181),
    (0.762_766_204_958_164_5, 0.156_853_322_938_943_64),
    (0.898_333_238_706_813_4, 0.111_190_517_226_687_24),
    (0.980_144_928_248_768_1, 0.050_614_268_145_188_13),
];

/// Ways shorter than this, of the numbers at their ends, have the slope at their end.
const SHORT: f64 = 1e-9;

/// From the factors of an activation's outputs to those of its inputs, on the way between two inputs.
pub(super) fn activation(
    function: Activation,
    (from, to): (&[f64], &[f64]),
    (low, high): (&[f64], &[f64]),
    factors: &[f64],
) -> Vec<f64> {
    if function == Activation::Softmax {
        let at = |t: f64| {
            let x = between(from, to, t);
            let (mut y, mut slope) = (x.clone(), factors.to_vec());
            function.apply(&mut y);
            function.backward(&x, &y, &mut slope);
            slope
        };
        return mean(at, (from, to), moved(factors, low, high));
    }
    let mut slopes = factors.to_vec();
    for (at, slope) in slopes.iter_mut().enumerate() {
        let way = to[at] - from[at];
        if way.abs() > SHORT * to[at].abs().max(from[at].abs()).max(1.0) {
            *slope *= (high[at] - low[at]) / way;
        } else {
            function.backward(&to[at..=at], &high[at..=at], std::slice::from_mut(slope));
        }
    }
    // A slope without bound at the very end is no slope.
    slopes.iter_mut().filter(|slope| !slope.is_finite()).for_each(|slope| *slope = 0.0);
    slopes
}

/// The same for a combination; `None` where the inputs cannot be combined.
pub(super) fn combination(
    function: Combination,
    from: &[Value<f64>],
    to: &[Value<f64>],
    factors: &[f64],
) -> Option<Vec<Vec<f64>>> {
    let views = super::run::views(to);
    match function {
        Combination::Sum | Combination::Mean | Combination::CrossSum | Combination::Concat => {
            function.backward(&views, factors)
        }
        Combination::Max | Combination::Min => {
            let element = |values: &[Value<f64>], at: usize| -> Vec<f64> {
                let place = |numbers: &Vec<f64>| if numbers.len() == 1 { 0 } else { at };
                values
                    .iter()
                    .map(|(numbers, _)| numbers.get(place(numbers)).copied().unwrap_or(0.0))
                    .collect()
            };
            let mut given: Vec<Vec<f64>> = to.iter().map(|(numbers, _)| vec![0.0; numbers.len()]).collect();
            for (at, factor) in factors.iter().enumerate() {
                let ends = (element(from, at), element(to, at));
                for (input, time) in winners(&ends.0, &ends.1, function == Combination::Max) {
                    let place = if given[input].len() == 1 { 0 } else { at };
                    given[input][place] += factor * time;
                }
            }
            Some(given)
        }
        Combination::Product | Combination::ElementProduct => {
            let shapes: Vec<Shape> = to.iter().map(|value| value.1).collect();
            let (start, end) = (joined(from), joined(to));
            let low = function.apply(&super::run::views(from))?.0;
            let high = function.apply(&views)?.0;
            let at = |t: f64| {
                let inputs = parted(&between(&start, &end, t), &shapes);
                let inputs: Vec<Value<f64>> = inputs.into_iter().zip(shapes.iter().copied()).collect();
                let slopes = function.backward(&super::run::views(&inputs), factors);
                slopes.map_or_else(Vec::new, |slopes| slopes.concat())
            };
            Some(parted(&mean(at, (&start, &end), moved(factors, &low, &high)), &shapes))
        }
    }
}

/// The same for an aggregation of rows, one behind the other, each as long as the output.
pub(super) fn aggregation(function: Aggregation, from: &[f64], to: &[f64], factors: &[f64]) -> Vec<f64> {
    let width = factors.len().max(1);
    let mut given = vec![0.0; to.len()];
    match function {
        Aggregation::Max | Aggregation::Min => {
            for (at, factor) in factors.iter().enumerate() {
                let column =
                    |rows: &[f64]| -> Vec<f64> { rows.iter().skip(at).step_by(width).copied().collect() };
                for (row, time) in winners(&column(from), &column(to), function == Aggregation::Max) {
                    given[row * width + at] += factor * time;
                }
            }
            given
        }
        Aggregation::Mean | Aggregation::Sum | Aggregation::Count => {
            function.backward(&to.chunks(width), factors, &mut given);
            given
        }
        Aggregation::Product | Aggregation::Softmax => {
            let (mut low, mut high) = (vec![0.0; width], vec![0.0; width]);
            function.apply(from.chunks(width), &mut low);
            function.apply(to.chunks(width), &mut high);
            let at = |t: f64| {
                let all = between(from, to, t);
                let mut slopes = vec![0.0; all.len()];
                function.backward(&all.chunks(width), factors, &mut slopes);
                slopes
            };
            mean(at, (from, to), moved(factors, &low, &high))
        }
    }
}

fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect()
}

fn joined(values: &[Value<f64>]) -> Vec<f64> {
    values.iter().flat_map(|(numbers, _)| numbers.iter().copied()).collect()
}

fn parted(numbers: &[f64], shapes: &[Shape]) -> Vec<Vec<f64>> {
    let mut rest = numbers.iter().copied();
    shapes.iter().map(|shape| rest.by_ref().take(shape.size()).collect()).collect()
}

/// The mean slope on the way, changed as little as makes it give what the output moved.
fn mean(slope_at: impl Fn(f64) -> Vec<f64>, (from, to): (&[f64], &[f64]), moves: f64) -> Vec<f64> {
    if from == to {
        return slope_at(1.0);
    }
    let mut slopes = vec![0.0; to.len()];
    for (t, weight) in POINTS {
        slopes.iter_mut().zip(slope_at(t)).for_each(|(sum, slope)| *sum += weight * slope);
    }
    let lack = moves - moved(&slopes, from, to);
    let square: f64 = from.iter().zip(to).map(|(from, to)| (to - from) * (to - from)).sum();
    if lack.is_finite() && square > SHORT * SHORT {
        for (slope, (from, to)) in slopes.iter_mut().zip(from.iter().zip(to)) {
            *slope += lack * (to - from) / square;
        }
    }
    slopes
}

/// Who is the largest (or the smallest) on the way, and for which part of it. Numbers that are equal all the way share.
pub(super) fn winners(from: &[f64], to: &[f64], largest: bool) -> Vec<(usize, f64)> {
    let sign = if largest { 1.0 } else { -1.0 };
    let start = |at: usize| sign * from[at];
    let speed = |at: usize| sign * (to[at] - from[at]);
    let ahead = |a: usize, b: usize| (start(a), speed(a)) > (start(b), speed(b));
    let Some(mut winner) = (0..to.len()).reduce(|best, next| if ahead(next, best) { next } else { best })
    else {
        return Vec::new();
    };
    let (mut time, mut all) = (0.0, Vec::new());
    loop {
        let mut next: Option<(f64, usize)> = None;
        for at in (0..to.len()).filter(|&at| speed(at) > speed(winner)) {
            let meets = ((start(winner) - start(at)) / (speed(at) - speed(winner))).max(time);
            let is_first = next
                .is_none_or(|(first, other)| meets < first || (meets == first && speed(at) > speed(other)));
            if is_first {
                next = Some((meets, at));
            }
        }
        let until = next.map_or(1.0, |(meets, _)| meets.min(1.0));
        if until > time || (next.is_none_or(|(meets, _)| meets >= 1.0) && all.is_empty()) {
            let equal = |at: &usize| from[*at] == from[winner] && to[*at] == to[winner];
            let count = (0..to.len()).filter(equal).count().max(1) as f64;
            all.extend((0..to.len()).filter(equal).map(|at| (at, (until - time) / count)));
        }
        match next {
            Some((meets, at)) if meets < 1.0 => (winner, time) = (at, meets),
            _ => return all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_changes_where_lines_meet() {
        // 1 − t and t meet in the middle.
        assert_eq!(winners(&[1.0, 0.0], &[0.0, 1.0], true), [(0, 0.5), (1, 0.5)]);
        assert_eq!(winners(&[1.0, 0.0], &[0.0, 1.0], false), [(1, 0.5), (0, 0.5)]);
        assert_eq!(winners(&[0.0, 0.0, 0.0], &[1.0, 0.5, 1.0], true), [(0, 0.5), (2, 0.5)]);
        assert_eq!(winners(&[0.3], &[0.3], true), [(0, 1.0)]);
        assert_eq!(winners(&[], &[], true), []);
    }

    #[test]
    fn products_are_shared_symmetrically() {
        let value = |number: f64| (vec![number], Shape::NUMBER);
        let from = [value(0.0), value(0.0), value(0.0)];
        let to = [value(2.0), value(3.0), value(4.0)];
        let slopes = combination(Combination::Product, &from, &to, &[1.0]).expect("numbers");
        for (slope, (number, _)) in slopes.iter().zip(&to) {
            assert!((slope[0] * number[0] - 8.0).abs() < 1e-12, "{slope:?}");
        }
    }
}
