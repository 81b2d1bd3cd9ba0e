//! Answers judged one by one.

use lrnn::train::{AnswerLoss, Outcome, Unentailed};

use super::PageInputs;

/// Returns the queries of an example judged; none without a target, or where it does not count. Queries of one model
/// belong together.
pub(super) fn judged(inputs: &PageInputs<'_>, example: usize) -> Vec<Option<AnswerLoss>> {
    let answering = &inputs.answering[example];
    let mut all = vec![None; answering.len()];
    let mut models: Vec<usize> = answering.clone();
    models.sort_unstable();
    models.dedup();
    for model in models {
        let Some(subject) = inputs.subjects.get(model) else { continue };
        let queries = &subject.dataset.queries[example];
        let (mut values, mut targets, mut sizes, mut places) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for place in (0..queries.len()).filter(|&place| answering[place] == model) {
            let Some(target) = &queries[place].target else { continue };
            let size = subject.program.shape(queries[place].predicate).size();
            let value = match (&inputs.values[example][place], subject.unentailed) {
                (Some(value), _) => value.clone(),
                (None, Unentailed::Value(value)) => vec![value; size],
                (None, Unentailed::Skip | Unentailed::Error) => continue,
            };
            // One target is for all elements.
            let spread = if target.len() == 1 { vec![target[0]; value.len()] } else { target.clone() };
            if spread.len() != value.len() || value.iter().any(|number| !number.is_finite()) {
                continue;
            }
            sizes.push(value.len() as u32);
            values.extend(value);
            targets.extend(spread);
            places.push(place);
        }
        let outcome = Outcome { values: &values, targets: &targets, sizes: &sizes };
        for (place, judged) in places.into_iter().zip(subject.loss.each(outcome)) {
            all[place] = Some(judged);
        }
    }
    all
}
