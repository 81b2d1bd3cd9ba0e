//! Numbers about numbers: mean and deviation, and tests of whether two methods differ.

use crate::distribution::{normal_two_sided, student_two_sided};

/// Returns the mean; `None` of nothing.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Returns the standard deviation of a sample, with n - 1; `None` of fewer than two.
pub fn deviation(numbers: &[f64]) -> Option<f64> {
    let mean = mean(numbers).filter(|_| numbers.len() > 1)?;
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    Some((squares / (numbers.len() - 1) as f64).sqrt())
}

/// Counts of how often the first was better, as good, worse than the second.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Record {
    /// Better.
    pub wins: usize,
    /// As good.
    pub ties: usize,
    /// Worse.
    pub losses: usize,
}

/// Compares errors, pair by pair: the lower wins. Differences of at most `tolerance` are ties; pairs with something that
/// is not a number are passed over.
pub fn record(errors: &[f64], others: &[f64], tolerance: f64) -> Record {
    let mut record = Record::default();
    for difference in differences(errors, others) {
        *match difference {
            difference if difference.abs() <= tolerance => &mut record.ties,
            ..0.0 => &mut record.wins,
            _ => &mut record.losses,
        } += 1;
    }
    record
}

/// Returns the differences of pairs, where both are numbers.
fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).filter(|difference| difference.is_finite()).collect()
}

/// The result of Wilcoxon's signed-rank test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wilcoxon {
    /// The smaller one of the sums of ranks of positive and of negative differences.
    pub statistic: f64,
    /// Number of pairs that differ.
    pub count: usize,
    /// The two-sided probability of a difference as great as this one if there is none.
    pub p: f64,
    /// True if the distribution is exact; else it is the normal approximation.
    pub is_exact: bool,
}

/// The most pairs for which the exact distribution is used.
const MOST_EXACT: usize = 50;

/// Differences that agree to so much of the greatest number are a tie: 0.3 - 0.1 and 0.4 - 0.2 are.
const ALIKE: f64 = 1e-12;

/// Wilcoxon's signed-rank test on pairs, two-sided. Pairs that are equal are dropped first, as Wilcoxon did. Of at most
/// 50 pairs without ties among the differences the distribution is exact, else normal, with the variance corrected for
/// ties and no correction for continuity. `None` if no pair differs.
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Option<Wilcoxon> {
    let scale = a.iter().chain(b).filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    let alike = scale * ALIKE;
    let mut differences = differences(a, b);
    differences.retain(|difference| difference.abs() > alike);
    differences.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let count = differences.len();
    let (mut positive, mut negative, mut ties) = (0.0, 0.0, 0.0);
    let mut first = 0;
    while first < count {
        let same =
            differences[first..].iter().take_while(|x| x.abs() - differences[first].abs() <= alike).count();
        let rank = first as f64 + (same + 1) as f64 / 2.0;
        for difference in &differences[first..first + same] {
            *if *difference > 0.0 { &mut positive } else { &mut negative } += rank;
        }
        ties += (same * same * same - same) as f64;
        first += same;
    }
    let statistic = f64::min(positive, negative);
    let is_exact = count <= MOST_EXACT && ties == 0.0;
    let p = if is_exact { exact(count, statistic as usize) } else { approximate(count, statistic, ties) };
    (count > 0).then_some(Wilcoxon { statistic, count, p, is_exact })
}

/// Returns how likely a sum of ranks is at most this one, on either side, if every sign is a coin.
fn exact(count: usize, statistic: usize) -> f64 {
    // By sum of ranks, the fraction of all signs that give it.
    let mut chances = vec![0.0; count * (count + 1) / 2 + 1];
    chances[0] = 1.0;
    for rank in 1..=count {
        for sum in (0..chances.len()).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    (2.0 * chances[..=statistic].iter().sum::<f64>()).min(1.0)
}

fn approximate(count: usize, statistic: f64, ties: f64) -> f64 {
    let n = count as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    normal_two_sided((statistic - n * (n + 1.0) / 4.0) / variance.sqrt())
}

/// The result of a t-test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TTest {
    /// The statistic; negative if the first is lower.
    pub t: f64,
    /// The two-sided probability of a difference as great as this one if there is none.
    pub p: f64,
}

/// Returns the corrected resampled t-test of Nadeau and Bengio, two-sided, on the results of two methods on the same
/// splits. The training parts of the splits overlap, so the variance is raised by `test_fraction`, the number of test
/// examples over that of training examples: 1/9 for ten folds. `None` of fewer than two pairs.
pub fn corrected_t_test(a: &[f64], b: &[f64], test_fraction: f64) -> Option<TTest> {
    let differences = differences(a, b);
    let (mean, deviation) = (mean(&differences)?, deviation(&differences)?);
    let count = differences.len() as f64;
    let error = deviation * (1.0 / count + test_fraction).sqrt();
    let t = if mean == 0.0 { 0.0 } else { mean / error };
    Some(TTest { t, p: student_two_sided(t, count - 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs(), "{found} is not {expected}");
    }

    fn of_differences(differences: &[f64]) -> Wilcoxon {
        wilcoxon(differences, &vec![0.0; differences.len()]).expect("some differ")
    }

    /// Expected values are SciPy's.
    #[test]
    fn signed_ranks() {
        let a = [0.30, 0.25, 0.41, 0.22, 0.35, 0.28, 0.19, 0.33, 0.27, 0.38];
        let b = [0.32, 0.22, 0.46, 0.29, 0.36, 0.34, 0.23, 0.41, 0.36, 0.48];
        let found = wilcoxon(&a, &b).expect("they differ");
        assert_eq!((found.statistic, found.count, found.is_exact), (3.0, 10, true));
        close(found.p, 0.009765625);
        let tied = [1.0, 1.0, 2.0, -3.0, 4.0, 4.0, 5.0, -6.0, 7.0, 8.0, -2.0, 9.0];
        let found = of_differences(&tied);
        assert_eq!((found.statistic, found.is_exact), (17.5, false));
        close(found.p, 0.09130604225752473);
        let with_zeros = [&[0.0, 0.0], &tied[..]].concat();
        assert_eq!(of_differences(&with_zeros), found);
        assert_eq!(wilcoxon(&a, &a), None);
        assert_eq!(wilcoxon(&[], &[]), None);
        assert_eq!(wilcoxon(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn signed_ranks_of_more() {
        let number = |i: i32| f64::from((i * i * 7919) % 1009 - 400) + f64::from(i) / 100.0;
        let found = of_differences(&(1..=20).map(number).collect::<Vec<_>>());
        assert_eq!((found.statistic, found.is_exact), (67.0, true));
        close(found.p, 0.16495704650878906);
        let found = of_differences(&(1..=60).map(number).collect::<Vec<_>>());
        assert_eq!((found.statistic, found.is_exact), (644.0, false));
        close(found.p, 0.04604348917027671);
    }

    #[test]
    fn resampled_t() {
        let d = [0.02, 0.01, -0.01, 0.03, 0.05, 0.0, 0.02, 0.04, -0.02, 0.03];
        close(mean(&d).expect("there are some"), 0.017);
        close(deviation(&d).expect("there are two"), 0.02213594362117866);
        let found = corrected_t_test(&d, &[0.0; 10], 1.0 / 9.0).expect("there are two");
        close(found.t, 1.6714574896283785);
        close(found.p, 0.12896540746041318);
        let same = corrected_t_test(&d, &d, 0.1).expect("there are two");
        assert_eq!((same.t, same.p), (0.0, 1.0));
        let shifted = corrected_t_test(&[1.0, 2.0], &[2.0, 3.0], 0.1).expect("there are two");
        assert_eq!((shifted.t, shifted.p), (f64::NEG_INFINITY, 0.0));
        assert_eq!(corrected_t_test(&[1.0], &[2.0], 0.1), None);
    }

    #[test]
    fn wins_ties_and_losses() {
        let found = record(&[0.1, 0.2, 0.3, f64::NAN], &[0.2, 0.2, 0.1, 0.1], 1e-9);
        assert_eq!(found, Record { wins: 1, ties: 1, losses: 1 });
        assert_eq!(mean(&[]), None);
        assert_eq!(deviation(&[1.0]), None);
    }
}
