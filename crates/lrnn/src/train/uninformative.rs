//! Whether a model that was learned says anything at all.

use super::example_answers::ExampleAnswers;
use super::loss::Loss;
use super::problem::Measure;

/// Probabilities that differ by less than this are the same for everybody who looks at them.
const SAME: f64 = 1e-3;

/// Returns a sentence if training ended where it tells nothing: all answers (nearly) the same though the targets are not,
/// or no fewer wrong answers than by always guessing the most frequent one.
pub fn uninformative(answered: &[ExampleAnswers], loss: Loss) -> Option<String> {
    let pairs = || answered.iter().flat_map(|one| one.values.iter().zip(&one.targets));
    let count = pairs().count();
    let first = pairs().next()?;
    if count < 2 || loss == Loss::Ranking || pairs().all(|(_, target)| target == first.1) {
        return None;
    }
    const HELP: &str = "try a larger learning rate, other initialisation or more restarts; and see whether the \
        template can tell the examples apart (`--least-wrong`)";
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let bounds = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
        high - low
    };
    let is_class = pairs().all(|(_, target)| (0.0..=1.0).contains(target));
    let spread = match is_class && loss != Loss::Softmax {
        true => range(&mut pairs().map(|(value, _)| loss.probability(*value))),
        false => {
            range(&mut pairs().map(|(value, _)| *value)) / range(&mut pairs().map(|(_, target)| *target))
        }
    };
    if spread < SAME {
        return Some(format!(
            "the model gives all {count} training answers nearly the same value: it has learned nothing; {HELP}"
        ));
    }
    if !is_class || loss.is_joint() {
        return None;
    }
    let positive = pairs().filter(|(_, target)| **target > 0.5).count();
    let guessing = positive.min(count - positive) as u32;
    let Measure { wrong, answers, .. } = Measure::of(loss, answered);
    (guessing > 0 && wrong >= guessing).then(|| {
        format!("{wrong} of {answers} training answers are wrong, no fewer than by always guessing the same ({guessing}): \
            the model has learned nothing; {HELP}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(values: &[f64], targets: &[f64]) -> Vec<ExampleAnswers> {
        let one = |(&value, &target): (&f64, &f64)| ExampleAnswers {
            values: vec![value],
            targets: vec![target],
            sizes: vec![1],
            ..ExampleAnswers::default()
        };
        values.iter().zip(targets).map(one).collect()
    }

    #[test]
    fn models_that_say_nothing_are_told() {
        let targets = [1.0, 1.0, 0.0, 1.0];
        let same = uninformative(&answered(&[0.7, 0.7, 0.7001, 0.7], &targets), Loss::CrossEntropy);
        assert!(same.is_some_and(|note| note.contains("same value")));
        let guess = uninformative(&answered(&[0.9, 0.7, 0.6, 0.8], &targets), Loss::CrossEntropy);
        assert!(guess.is_some_and(|note| note.contains("guessing")));
        assert_eq!(uninformative(&answered(&[0.9, 0.7, 0.4, 0.8], &targets), Loss::CrossEntropy), None);
        assert_eq!(uninformative(&answered(&[0.9, 0.9], &[1.0, 1.0]), Loss::CrossEntropy), None);
        assert_eq!(uninformative(&answered(&[1.9, 7.9, 3.0], &[2.0, 8.0, 3.0]), Loss::Squared), None);
        assert!(uninformative(&answered(&[4.0, 4.0, 4.0], &[2.0, 8.0, 3.0]), Loss::Squared).is_some());
    }
}
