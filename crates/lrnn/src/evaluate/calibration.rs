//! Whether what is said with some probability is true that often.

use serde::Serialize;

use super::Score;
use super::binary::{NOT_BINARY, probability};

/// The queries whose probabilities lie between two bounds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bin {
    /// The lower bound, which belongs to it.
    pub low: f64,
    /// The upper bound, which belongs to the next; 1 belongs to the last.
    pub high: f64,
    /// Number of queries.
    pub count: usize,
    /// The mean of their probabilities; 0 if there is none.
    pub mean: f64,
    /// The share of them that is true; 0 if there is none.
    pub share: f64,
}

/// Returns the queries in so many bins of equal width, by their probabilities.
pub fn calibration(scored: &[Score], bins: usize) -> Result<Vec<Bin>, &'static str> {
    if scored.is_empty() || bins == 0 {
        return Err("there are no queries with targets");
    }
    let mut sums = vec![(0usize, 0.0, 0usize); bins];
    for query in scored {
        let (probability, is_true) = (probability(query)?, query.truth().ok_or(NOT_BINARY)?);
        let bin = &mut sums[((probability * bins as f64) as usize).min(bins - 1)];
        *bin = (bin.0 + 1, bin.1 + probability, bin.2 + usize::from(is_true));
    }
    let bin = |(at, (count, sum, trues)): (usize, (usize, f64, usize))| {
        let bound = |at: usize| at as f64 / bins as f64;
        let of = |sum: f64| if count == 0 { 0.0 } else { sum / count as f64 };
        Bin { low: bound(at), high: bound(at + 1), count, mean: of(sum), share: of(trues as f64) }
    };
    Ok(sums.into_iter().enumerate().map(bin).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(pairs: &[(f64, f64)]) -> Vec<Score> {
        let of = |&(value, target)| Score { example: 0, class: 0, value, probability: Some(value), target };
        pairs.iter().map(of).collect()
    }

    #[test]
    fn bins_by_hand() {
        let all = [(0.0, 0.0), (0.125, 1.0), (0.25, 0.0), (0.5, 1.0), (0.75, -1.0), (1.0, 1.0)];
        let found = calibration(&scored(&all), 4).expect("bins");
        let bin = |low, count, mean, share| Bin { low, high: low + 0.25, count, mean, share };
        let expected = [
            bin(0.0, 2, 0.0625, 0.5),
            bin(0.25, 1, 0.25, 0.0),
            bin(0.5, 1, 0.5, 1.0),
            bin(0.75, 2, 0.875, 0.5),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn where_there_are_no_bins_it_says_why() {
        assert!(calibration(&[], 10).is_err());
        assert!(calibration(&scored(&[(0.5, 1.0)]), 0).is_err());
        assert!(calibration(&scored(&[(1.5, 1.0)]), 10).is_err());
        assert_eq!(calibration(&scored(&[(0.5, 0.3)]), 10), Err(NOT_BINARY));
        assert_eq!(calibration(&scored(&[(0.1, 0.0)]), 3).map(|bins| bins[2].count), Ok(0));
    }
}
