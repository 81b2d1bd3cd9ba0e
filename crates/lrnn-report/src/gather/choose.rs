//! What is shown where there is too much: the worst, and a spread of all others.

/// At most so many places of a list, in order: half of them those with the largest losses, the others spread evenly.
/// What has no loss counts as the best.
pub(super) fn chosen(losses: &[Option<f64>], most: usize) -> Vec<usize> {
    if losses.len() <= most {
        return (0..losses.len()).collect();
    }
    let mut order: Vec<usize> = (0..losses.len()).collect();
    let loss = |at: usize| losses[at].unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)).then(a.cmp(&b)));
    let worst = most / 2;
    let mut rest = order.split_off(worst);
    rest.sort_unstable();
    let mut all = order;
    all.extend(spread(rest.len(), most - worst).into_iter().map(|at| rest[at]));
    all.sort_unstable();
    all
}

/// So many of a list's places, evenly, the first and the last with them.
pub(super) fn spread(count: usize, most: usize) -> Vec<usize> {
    match most {
        _ if count <= most => (0..count).collect(),
        0 => Vec::new(),
        1 => vec![0],
        _ => (0..most).map(|at| at * (count - 1) / (most - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_and_a_spread_are_chosen() {
        let losses: Vec<Option<f64>> = (0..10).map(|at| Some(f64::from(at % 5))).collect();
        assert_eq!(chosen(&losses, 10), (0..10).collect::<Vec<_>>());
        // 4 and 9 have the largest losses; of the others the first and the last.
        assert_eq!(chosen(&losses, 4), [0, 4, 8, 9]);
        assert_eq!(chosen(&losses, 1).len(), 1);
        assert_eq!(chosen(&[None, Some(f64::NAN), Some(1.0)], 2).len(), 2);
        assert_eq!((chosen(&losses, 0), chosen(&[], 3)), (vec![], vec![]));
        assert_eq!((spread(5, 3), spread(100, 2)), (vec![0, 2, 4], vec![0, 99]));
    }
}
