//! What a page shows, gathered from what the engine has. In: models on data, values, what is known of the run. Out: a
//! [`Report`], part by part. It reads no files, and the result is the same on any number of threads.
//!
//! A [`Subject`] is a model on data; of a cross-validation there is one for each fold, and every query is explained by
//! the model that did not learn from it. What would make a page too large to open is left out, and said.

mod alike;
mod choose;
mod concept;
mod curve;
mod data;
mod example;
mod examples;
mod explanation;
mod graph;
mod judge;
mod pattern;
mod template;

pub use curve::curves;
pub(crate) use data::target_text;

use std::sync::atomic::AtomicUsize;

use crate::page::{Report, SharedTexts};
use lrnn::program::Subject;

/// Models with their answers, to be made into a page.
pub struct PageInputs<'a> {
    /// The models; concepts are those of all, patterns those of the first. All have the same examples and queries.
    pub subjects: &'a [Subject<'a>],
    /// By example and query: the number of the subject that answers it.
    pub answering: Vec<Vec<usize>>,
    /// By example and query: the value; none outside the model.
    pub values: Vec<Vec<Option<Vec<f64>>>>,
    /// By example: the name of its part or fold.
    pub parts: Vec<String>,
}

/// Completes a report, which has what is known of the run, with examples, templates, concepts, patterns and what the
/// template cannot tell apart; `done` counts examples.
pub fn gather(inputs: &PageInputs<'_>, report: Report, done: &AtomicUsize) -> Report {
    let Some(first) = inputs.subjects.first() else { return report };
    let mut texts = SharedTexts::default();
    let templates = template::template_views(inputs.subjects, &mut texts);
    let list = examples::example_list(inputs, &mut texts, done);
    let mut notes = [report.notes.clone(), list.notes].concat();
    let alike = alike::alike_or_note(first, list.together.as_ref(), &mut notes);
    Report {
        program: format!("lrnn {}", lrnn::VERSION),
        data: data::data_view(&first.dataset),
        templates,
        notes,
        concepts: concept::concept_views(inputs.subjects),
        patterns: list.patterns,
        alike,
        examples: list.examples,
        texts: texts.into_all(),
        ..report
    }
}
