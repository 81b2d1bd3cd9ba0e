//! L-BFGS with backtracking, for smooth convex functions. Deterministic: sums run in one order.

/// Number of steps that are remembered.
const MEMORY: usize = 10;
const SMALL_SLOPE: f64 = 1e-5;

/// A step and how the slope changed over it.
struct CurvaturePair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

/// Returns where a function, given with its slope, is least, from a start and within so many steps.
pub(crate) fn minimise(
    start: Vec<f64>,
    most_steps: usize,
    function: impl Fn(&[f64]) -> (f64, Vec<f64>),
) -> Vec<f64> {
    let mut point = start;
    let (mut value, mut slope) = function(&point);
    let mut pairs: Vec<CurvaturePair> = Vec::new();
    for _ in 0..most_steps {
        if slope.iter().all(|slope| slope.abs() < SMALL_SLOPE) {
            break;
        }
        let mut direction = direction(&slope, &pairs);
        let mut descent = dot(&direction, &slope);
        if descent >= 0.0 || descent.is_nan() {
            pairs.clear();
            direction = slope.iter().map(|slope| -slope).collect();
            descent = dot(&direction, &slope);
        }
        let length = if pairs.is_empty() { (1.0 / dot(&slope, &slope).sqrt()).min(1.0) } else { 1.0 };
        let Some((next, next_value, next_slope)) =
            search(&point, value, &direction, descent, length, &function)
        else {
            break;
        };
        let step: Vec<f64> = next.iter().zip(&point).map(|(next, point)| next - point).collect();
        let change: Vec<f64> = next_slope.iter().zip(&slope).map(|(next, slope)| next - slope).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            pairs.push(CurvaturePair { step, change, curvature });
            if pairs.len() > MEMORY {
                pairs.remove(0);
            }
        }
        (point, value, slope) = (next, next_value, next_slope);
    }
    point
}

/// Halves the step until the function falls enough.
fn search(
    point: &[f64],
    value: f64,
    direction: &[f64],
    descent: f64,
    mut length: f64,
    function: &impl Fn(&[f64]) -> (f64, Vec<f64>),
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    for _ in 0..40 {
        let next: Vec<f64> = point.iter().zip(direction).map(|(point, step)| point + length * step).collect();
        let (next_value, slope) = function(&next);
        if next_value <= value + 1e-4 * length * descent {
            return Some((next, next_value, slope));
        }
        length *= 0.5;
    }
    None
}

/// Returns the two loops of L-BFGS.
fn direction(slope: &[f64], pairs: &[CurvaturePair]) -> Vec<f64> {
    let mut direction: Vec<f64> = slope.iter().map(|slope| -slope).collect();
    let mut shares = vec![0.0; pairs.len()];
    for (pair, share) in pairs.iter().zip(&mut shares).rev() {
        *share = dot(&pair.step, &direction) / pair.curvature;
        add(&mut direction, -*share, &pair.change);
    }
    if let Some(last) = pairs.last() {
        let scale = last.curvature / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|number| *number *= scale);
    }
    for (pair, share) in pairs.iter().zip(&shares) {
        let back = dot(&pair.change, &direction) / pair.curvature;
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_least_value_of_a_narrow_valley() {
        let valley = |x: &[f64]| {
            let (a, b) = (x[0] - 3.0, 100.0 * (x[1] + x[0]));
            (0.5 * a * a + b * b / 200.0, vec![a + b, b])
        };
        let found = minimise(vec![0.0, 0.0], 100, valley);
        assert!((found[0] - 3.0).abs() < 1e-3 && (found[1] + 3.0).abs() < 1e-3, "{found:?}");
    }
}
