//! How learning went, from its history.

use std::collections::BTreeMap;

use serde_json::Value;

use super::choose::spread;
use crate::page::Curve;

/// More points of one curve are more than a screen has.
const MOST_POINTS: usize = 400;
/// More curves are not told apart.
const MOST_CURVES: usize = 50;

/// Returns a curve for each restart of a history: a JSON object a line, with `restart`, `epoch`, and loss and error of
/// training and validation. Lines that are none are left out. The model comes from the restart `kept`.
pub fn curves(history: &str, kept: Option<u32>) -> Vec<Curve> {
    let mut restarts: BTreeMap<u32, Vec<(u32, Value)>> = BTreeMap::new();
    for line in history.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let number = |name: &str| value[name].as_u64().and_then(|number| u32::try_from(number).ok());
        let (Some(restart), Some(epoch)) = (number("restart"), number("epoch")) else { continue };
        restarts.entry(restart).or_default().push((epoch, value));
    }
    let is_shown = |restart: &u32| (*restart as usize) < MOST_CURVES || Some(*restart) == kept;
    let all = restarts.into_iter().filter(|(restart, _)| is_shown(restart));
    all.map(|(restart, lines)| curve(restart, lines, kept)).collect()
}

fn curve(restart: u32, mut lines: Vec<(u32, Value)>, kept: Option<u32>) -> Curve {
    lines.sort_by_key(|line| line.0);
    let shown = spread(lines.len(), MOST_POINTS);
    let numbers = |name: &str| shown.iter().map(|&at| lines[at].1[name].as_f64()).collect();
    Curve {
        name: format!("restart {restart}"),
        kept: Some(restart) == kept,
        epochs: shown.iter().map(|&at| lines[at].0).collect(),
        training_loss: numbers("training_loss"),
        training_error: numbers("training_error"),
        validation_loss: numbers("validation_loss"),
        validation_error: numbers("validation_error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_restart_has_its_curve() {
        let history = "{\"restart\":1,\"epoch\":2,\"training_loss\":0.5}\nno line\n{\"restart\":0,\"epoch\":1,\"training_loss\":0.25,\"validation_error\":0.1}\n{\"restart\":1,\"epoch\":1}\n";
        let curves = curves(history, Some(1));
        assert_eq!(curves.iter().map(|curve| curve.kept).collect::<Vec<_>>(), [false, true]);
        assert_eq!(curves[0].validation_error, [Some(0.1)]);
        assert_eq!((&curves[1].epochs, &curves[1].training_loss), (&vec![1, 2], &vec![None, Some(0.5)]));
    }

    #[test]
    fn long_curves_are_thinned() {
        let line = |epoch: u32| format!("{{\"restart\":0,\"epoch\":{epoch},\"training_loss\":{epoch}.5}}\n");
        let curves = curves(&(0..100_000).map(line).collect::<String>(), None);
        assert_eq!(curves[0].epochs.len(), MOST_POINTS);
        assert_eq!((curves[0].epochs[0], curves[0].epochs[MOST_POINTS - 1]), (0, 99_999));
    }
}
