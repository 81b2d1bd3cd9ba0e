use super::*;

/// Queries of one example each, whose values are probabilities.
fn queries(pairs: &[(f64, f64)]) -> Vec<Score> {
    let query = |(example, &(value, target)): (usize, &(f64, f64))| Score {
        example,
        class: 0,
        value,
        probability: Some(value),
        target,
    };
    pairs.iter().enumerate().map(query).collect()
}

/// Examples of several candidates each, their classes numbered.
fn examples(examples: &[&[(f64, f64)]]) -> Vec<Score> {
    let all = examples.iter().enumerate().flat_map(|(example, candidates)| {
        let candidate = move |(class, &(value, target)): (usize, &(f64, f64))| Score {
            example,
            class,
            value,
            probability: None,
            target,
        };
        candidates.iter().enumerate().map(candidate)
    });
    all.collect()
}

fn check(metric: Metric, scored: &[Score], expected: f64) {
    let found = metric.of(scored, 0.5).unwrap_or_else(|reason| panic!("{metric}: {reason}"));
    assert!((found - expected).abs() < 1e-12, "{metric}: {found}, not {expected}");
}

fn check_undefined(metric: Metric, scored: &[Score], words: &str) {
    let found = metric.of(scored, 0.5);
    assert!(found.is_err_and(|reason| reason.contains(words)), "{metric}: {found:?}");
}

#[test]
fn log_odds_are_no_numbers_to_come_close_to() {
    let sure = |value: f64, target: f64| Score {
        example: 0,
        class: 0,
        value,
        probability: Some(1.0 / (1.0 + (-value).exp())),
        target,
    };
    let right = [sure(8.0, 1.0), sure(-6.0, 0.0), sure(0.0, 0.5)];
    let brier = Metric::Brier.of(&right, 0.5).expect("probabilities");
    assert!(brier < 1e-5);
    check(Metric::SquaredError, &right, brier);
    check(Metric::RootSquaredError, &right, brier.sqrt());
    assert!(Metric::RSquared.of(&right, 0.5).is_ok_and(|share| share > 0.999));
    assert!(Metric::AbsoluteError.of(&right, 0.5).is_ok_and(|error| error < 1e-2));
    check(Metric::SquaredError, &[sure(2.0, 1.5), sure(-1.0, 0.0)], 0.625);
}

#[test]
fn what_is_true_and_what_is_not() {
    // Exactly one half is taken for false.
    let scored = queries(&[
        (0.9, 1.0),
        (0.8, 1.0),
        (0.6, 0.0),
        (0.4, 1.0),
        (0.7, 0.0),
        (0.1, 0.0),
        (0.5, 0.0),
        (0.2, 0.0),
    ]);
    let confusion =
        Confusion { true_positives: 2, false_positives: 2, true_negatives: 3, false_negatives: 1 };
    assert_eq!(Metrics::of(&scored, 0.5).confusion, Some(confusion));
    check(Metric::Accuracy, &scored, 5.0 / 8.0);
    check(Metric::BalancedAccuracy, &scored, (2.0 / 3.0 + 3.0 / 5.0) / 2.0);
    check(Metric::F1, &scored, 4.0 / 7.0);
    // 5 + 5 pairs of the first two, and 0.4 is above 0.1 and 0.2.
    check(Metric::Auc, &scored, 12.0 / 15.0);
    let higher = Metrics::of(&scored, 0.75);
    assert_eq!(higher.get(Metric::Accuracy), Some(7.0 / 8.0));
}

#[test]
fn probabilities_and_their_targets() {
    let scored = queries(&[(0.5, 1.0), (0.25, 0.0), (1.0, 1.0), (0.75, 0.5)]);
    let logarithms = 2.0f64.ln() - 0.75f64.ln() - 0.5 * 0.75f64.ln() - 0.5 * 0.25f64.ln();
    check(Metric::LogLoss, &scored, logarithms / 4.0);
    check(Metric::Brier, &scored, (0.25 + 0.0625 + 0.0625) / 4.0);
    check(Metric::LogLoss, &queries(&[(0.0, 1.0)]), 15.0 * 10.0f64.ln());
    check(Metric::Brier, &queries(&[(0.5, -1.0)]), 0.25);
}

#[test]
fn values_and_numbers_to_come_close_to() {
    let scored = queries(&[(1.0, 2.0), (4.0, 2.0), (7.0, 8.0)]);
    check(Metric::SquaredError, &scored, 2.0);
    check(Metric::AbsoluteError, &scored, 4.0 / 3.0);
    check(Metric::RSquared, &scored, 1.0 - 6.0 / 24.0);
    check_undefined(Metric::Accuracy, &queries(&[(0.5, 2.0)]), "neither 1 nor 0");
    check_undefined(Metric::LogLoss, &queries(&[(0.5, 2.0)]), "target is not from 0 to 1");
}

#[test]
fn the_raw_value_ranks_and_the_probability_decides() {
    let scored = |value, probability, target| Score { example: 0, class: 0, value, probability, target };
    let all = [scored(-3.0, Some(0.9), 1.0), scored(5.0, Some(0.1), 0.0)];
    check(Metric::Accuracy, &all, 1.0);
    check(Metric::Auc, &all, 0.0);
    let far = [scored(-3.0, Some(0.9), 2.0), scored(5.0, Some(0.1), 0.0)];
    check(Metric::SquaredError, &far, (25.0 + 25.0) / 2.0);
    check(Metric::RootSquaredError, &far, 5.0);
    check_undefined(Metric::Brier, &[scored(5.0, None, 1.0)], "no probabilities");
    check_undefined(Metric::Brier, &[scored(5.0, Some(5.0), 1.0)], "not from 0 to 1");
    check_undefined(Metric::F1, &[scored(5.0, Some(f64::NAN), 1.0)], "not from 0 to 1");
}

#[test]
fn classes() {
    let scored = examples(&[
        &[(3.0, 1.0), (1.0, 0.0), (2.0, 0.0)],
        &[(0.0, 0.0), (5.0, 0.0), (4.0, 1.0)],
        &[(7.0, 0.0), (7.0, 1.0)],
        &[(-1.0, -1.0), (8.0, 1.0)],
    ]);
    check(Metric::ClassAccuracy, &scored, 0.5);
    check(Metric::MacroF1, &scored, (2.0 / 3.0 + 0.5 + 0.0) / 3.0);
    let expected = ClassCounts::from([((0, 0), 1), ((2, 1), 1), ((1, 0), 1), ((1, 1), 1)]);
    assert_eq!(Metrics::of(&scored, 0.5).classes, Some(expected));
    for wrong in
        [&[(1.0, 1.0)][..], &[(1.0, 1.0), (2.0, 1.0)], &[(1.0, 0.0), (2.0, 0.0)], &[(1.0, 1.0), (2.0, 0.3)]]
    {
        check_undefined(Metric::ClassAccuracy, &examples(&[wrong]), "one right class");
    }
}

#[test]
fn rankings() {
    // Ranks 1 and 2 (other right candidates do not count), 2.5 between two equal ones, 12; the last two have none.
    let far: Vec<(f64, f64)> =
        (0..12).map(|number| (f64::from(number), if number == 0 { 1.0 } else { 0.0 })).collect();
    let scored = examples(&[
        &[(9.0, 1.0), (8.0, 0.0), (7.0, 1.0), (6.0, 0.0)],
        &[(5.0, 0.0), (4.0, 1.0), (4.0, 0.0), (3.0, 0.0)],
        &far,
        &[(1.0, 1.0)],
        &[(1.0, 0.0), (2.0, 0.0)],
    ]);
    check(Metric::Mrr, &scored, (1.0 + 1.0 / 2.0 + 1.0 / 2.5 + 1.0 / 12.0) / 4.0);
    check(Metric::Hits1, &scored, 0.25);
    check(Metric::Hits3, &scored, 0.75);
    check(Metric::Hits10, &scored, 0.75);
    // The order of the queries does not matter.
    let backwards: Vec<Score> = scored.iter().rev().copied().collect();
    assert_eq!(Metric::Mrr.of(&backwards, 0.5), Metric::Mrr.of(&scored, 0.5));
}

/// A stream of numbers that look random.
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn auc_is_the_share_of_pairs_in_order() {
    let mut next = numbers();
    for round in 0..200 {
        let values = 1 + next(30);
        let pairs: Vec<(f64, f64)> =
            (0..2 + next(40)).map(|_| (next(values) as f64 - 7.0, next(2) as f64)).collect();
        let (mut count, mut sum) = (0.0, 0.0);
        for (x, _) in pairs.iter().filter(|(_, target)| *target == 1.0) {
            for (y, _) in pairs.iter().filter(|(_, target)| *target == 0.0) {
                count += 1.0;
                sum += if x > y {
                    1.0
                } else if x == y {
                    0.5
                } else {
                    0.0
                };
            }
        }
        match Metric::Auc.of(&queries(&pairs), 0.5) {
            Ok(found) => assert!((found - sum / count).abs() < 1e-12, "round {round}"),
            Err(_) => assert_eq!(count, 0.0, "round {round}"),
        }
    }
    check(Metric::Auc, &queries(&[(0.0, 1.0), (-0.0, 0.0)]), 0.5);
}

#[test]
fn what_is_not_defined_has_a_reason() {
    for metric in Metric::ALL {
        check_undefined(*metric, &[], "no queries");
        check_undefined(*metric, &queries(&[(f64::NAN, 1.0), (0.5, 0.0)]), "finite");
        check_undefined(*metric, &queries(&[(0.5, f64::INFINITY)]), "finite");
    }
    let one_class = queries(&[(0.5, 0.0), (0.25, 0.0)]);
    check_undefined(Metric::Auc, &one_class, "all are false");
    check_undefined(Metric::BalancedAccuracy, &one_class, "all are false");
    check_undefined(Metric::F1, &one_class, "nothing is true");
    check_undefined(Metric::RSquared, &one_class, "targets are equal");
    check_undefined(Metric::Hits3, &one_class, "right and wrong");
    check_undefined(Metric::SquaredError, &queries(&[(1e300, -1e300)]), "too large");
    let report = Metrics::of(&one_class, 0.5);
    assert_eq!((report.queries, report.metrics.len()), (2, Metric::ALL.len()));
    assert_eq!((report.get(Metric::Auc), report.reason(Metric::Accuracy)), (None, None));
    assert_eq!(report.reason(Metric::Auc), Some("all targets are true, or all are false"));
}

#[test]
fn what_is_better_is_told_by_the_table() {
    let (good, bad) = (&[(1.0, 1.0), (0.0, 0.0)], &[(0.25, 1.0), (0.75, 0.0)]);
    for metric in Metric::ALL {
        let of = |pairs: &[(f64, f64)]| match metric {
            Metric::ClassAccuracy | Metric::MacroF1 | Metric::Mrr | Metric::Hits1 => {
                metric.of(&examples(&[pairs]), 0.5)
            }
            Metric::Hits3 | Metric::Hits10 => {
                let mut candidates = vec![(0.5, 0.0); 20];
                candidates.push(pairs[0]);
                metric.of(&examples(&[&candidates]), 0.5)
            }
            _ => metric.of(&queries(pairs), 0.5),
        };
        let (good, bad) = (of(good).expect("a number"), of(bad).expect("a number"));
        assert_eq!(good > bad, metric.larger_is_better(), "{metric}: {good} {bad}");
        assert_ne!(good, bad, "{metric}");
        assert_eq!(Metric::find(metric.name()), Some(*metric));
        assert!(metric.about().ends_with('.') && !metric.formula().is_empty(), "{metric}");
        assert!(metric.entry().aliases.iter().all(|alias| Metric::find(alias) == Some(*metric)), "{metric}");
    }
}
