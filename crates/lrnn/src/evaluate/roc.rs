//! The curve of what is found against what is found in vain.

use super::Score;
use super::binary::{NOT_BINARY, ONE_CLASS};

/// The receiver operating characteristic: for every threshold on the values, from above all to below all, which share of
/// the false queries and which of the true ones lies above it. It goes from (0, 0) to (1, 1).
#[derive(Clone, PartialEq, Debug)]
pub struct Roc {
    /// Points: the share of false queries above a threshold, and that of true ones.
    pub points: Vec<(f64, f64)>,
}

impl Roc {
    /// Returns the curve of these queries, which must be true or false, both at least once. Points on a straight line
    /// between others are left out.
    pub fn of(scored: &[Score]) -> Result<Self, &'static str> {
        let mut all = Vec::with_capacity(scored.len());
        for query in scored {
            if !query.value.is_finite() {
                return Err("a value is not a finite number");
            }
            all.push((query.value, query.truth().ok_or(NOT_BINARY)?));
        }
        // Values are finite, and 0 is -0.
        all.sort_by(|(a, _), (b, _)| (b + 0.0).total_cmp(&(a + 0.0)));
        let trues = all.iter().filter(|(_, is_true)| *is_true).count();
        let falses = all.len() - trues;
        if trues == 0 || falses == 0 {
            return Err(ONE_CLASS);
        }
        let mut counts: Vec<(usize, usize)> = vec![(0, 0)];
        let mut above = (0, 0);
        for equal in all.chunk_by(|(a, _), (b, _)| a == b) {
            let here = equal.iter().filter(|(_, is_true)| *is_true).count();
            above = (above.0 + equal.len() - here, above.1 + here);
            if let [.., first, last] = counts[..]
                && is_straight(first, last, above)
            {
                counts.pop();
            }
            counts.push(above);
        }
        let share = |(x, y): (usize, usize)| (x as f64 / falses as f64, y as f64 / trues as f64);
        Ok(Self { points: counts.into_iter().map(share).collect() })
    }

    /// Returns the area below the curve: the metric `auc`.
    pub fn area(&self) -> f64 {
        let trapezoid = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0;
        self.points.windows(2).map(trapezoid).sum()
    }
}

/// Returns whether the middle of three points is on the line between the others.
fn is_straight(a: (usize, usize), b: (usize, usize), c: (usize, usize)) -> bool {
    ((b.0 - a.0) as u128) * ((c.1 - b.1) as u128) == ((c.0 - b.0) as u128) * ((b.1 - a.1) as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(pairs: &[(f64, f64)]) -> Vec<Score> {
        let of = |&(value, target)| Score { example: 0, class: 0, value, probability: None, target };
        pairs.iter().map(of).collect()
    }

    #[test]
    fn a_curve_by_hand() {
        // From above: true, false, true and false at one value, true, false.
        let all = [(0.9, 1.0), (0.8, 0.0), (0.6, 1.0), (0.6, 0.0), (0.3, 1.0), (0.1, -1.0)];
        let roc = Roc::of(&scored(&all)).expect("a curve");
        let third = 1.0 / 3.0;
        let expected = [
            (0.0, 0.0),
            (0.0, third),
            (third, third),
            (2.0 * third, 2.0 * third),
            (2.0 * third, 1.0),
            (1.0, 1.0),
        ];
        // The point after the equal values lies on no straight line with what comes after it.
        assert_eq!(roc.points, expected);
        assert!((roc.area() - (third * third + third * 0.5 + third)).abs() < 1e-12);
    }

    #[test]
    fn straight_lines_have_no_points_between() {
        let all: Vec<(f64, f64)> =
            (0..100).map(|at| (f64::from(at), f64::from(u8::from(at >= 50)))).collect();
        let roc = Roc::of(&scored(&all)).expect("a curve");
        assert_eq!((roc.points.len(), roc.area()), (3, 1.0));
    }

    #[test]
    fn where_there_is_no_curve_it_says_why() {
        assert_eq!(Roc::of(&scored(&[(0.1, 1.0), (0.2, 1.0)])), Err(ONE_CLASS));
        assert_eq!(Roc::of(&scored(&[(0.1, 0.3)])), Err(NOT_BINARY));
        assert!(Roc::of(&scored(&[(f64::NAN, 1.0), (0.2, 0.0)])).is_err());
        assert!(Roc::of(&[]).is_err());
    }
}
