//! Grounding the examples of a dataset, in parallel.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::demand::Scope;
use super::error::{ClauseId, ExampleError, GroundError, LimitKind};
use super::herbrand::{GroundJob, GroundSpace};
use super::plan::Plans;
use super::runs::GroundingInRuns;
use super::{Grounding, Limits};
use crate::data::Dataset;
use crate::template::Template;
use crate::threads::{Spares, each};

/// The memory of larger groundings is not kept, in ground rules.
const MOST_KEPT: usize = 1 << 16;

/// Grounds every example, gives each grounding to `use_it` as soon as it is there, and returns what that makes of
/// them in the order of the examples. Its memory is used for the next when `use_it` has seen it, so no more are in memory
/// at once than there are threads. The error is that of the first example that has one.
pub fn for_each_grounding<T: Send>(
    template: &Template,
    dataset: &Dataset,
    plans: &Plans,
    limits: &Limits,
    use_it: impl Fn(usize, &Grounding) -> T + Sync,
) -> Result<Vec<T>, ExampleError> {
    let add = |made: &mut Option<T>, example, all: GroundingInRuns| {
        *made = Some(use_it(example, &all.grounding));
        Some(all.grounding)
    };
    let alone: Vec<Vec<usize>> = (0..dataset.examples.len()).map(|example| vec![example]).collect();
    let all = fold_groundings(template, dataset, plans, limits, &alone, false, || None, add, |made| made)?;
    Ok(all.into_iter().flatten().collect())
}

/// Grounds the examples of each chunk and adds them up: each chunk begins with what `begin` gives, `add` adds the
/// groundings of its examples in order, whole or, in runs, as much of each as its queries need, and gives back those that it
/// does not keep; `finish` makes of it what is kept. Chunks are made in parallel and come back in order.
///
/// Only which example passes the limit of all examples together depends on the threads; that error names the first
/// example that noticed, and the rule expected to have the most ground rules.
#[expect(clippy::too_many_arguments, reason = "what is grounded, and what is made of it")]
pub(crate) fn fold_groundings<A, B: Send>(
    template: &Template,
    dataset: &Dataset,
    plans: &Plans,
    limits: &Limits,
    chunks: &[Vec<usize>],
    in_runs: bool,
    begin: impl Fn() -> A + Sync,
    add: impl Fn(&mut A, usize, GroundingInRuns) -> Option<Grounding> + Sync,
    finish: impl Fn(A) -> B + Sync,
) -> Result<Vec<B>, ExampleError> {
    // A template that was renumbered into the names of the data may have more of them.
    let vocabulary = match dataset.vocabulary.predicate_count() < template.vocabulary.predicate_count()
        || dataset.vocabulary.constant_count() < template.vocabulary.constant_count()
    {
        true => &template.vocabulary,
        false => &dataset.vocabulary,
    };
    let total = AtomicU64::new(0);
    let first_failed = AtomicUsize::new(usize::MAX);
    let spaces: Spares<GroundSpace> = Spares::default();
    let job = GroundJob { template, plans, vocabulary, limits, total: &total, in_runs };
    let ground = |chunk: &Vec<usize>| {
        let (mut made, mut space) = (begin(), spaces.take());
        for &example in chunk {
            if example > first_failed.load(Ordering::Relaxed) {
                return None;
            }
            let asked = || dataset.queries[example].iter().map(|query| query.predicate);
            let scope = if in_runs { plans.scope(asked()) } else { Scope::Whole };
            match job.ground(&dataset.examples[example], scope, &mut space) {
                Ok(grounding) => {
                    let rest = add(&mut made, example, grounding);
                    if let Some(rest) = rest.filter(|rest| rest.rule_count() <= MOST_KEPT) {
                        space.take_back(rest);
                    }
                }
                Err(error) => {
                    first_failed.fetch_min(example, Ordering::Relaxed);
                    return Some(Err(ExampleError { example, error: name_largest(error, template, plans) }));
                }
            }
        }
        spaces.give(space);
        Some(Ok(finish(made)))
    };
    // Skipped examples come after one that failed, so the first error is met before any of them.
    each(chunks, ground).into_iter().flatten().collect()
}

/// Names the rule expected to have the most where the examples are too many together.
fn name_largest(error: GroundError, template: &Template, plans: &Plans) -> GroundError {
    match (error, plans.largest()) {
        (GroundError::Budget { bound: LimitKind::Total, limit, .. }, Some(rule)) => {
            GroundError::budget(template, ClauseId::Rule(rule), LimitKind::Total, limit)
        }
        (error, _) => error,
    }
}
