//! What a report shows, gathered from what the engine has. In: templates, data, models, values, the history of learning.
//! Out: a [`Report`](crate::page::Report), part by part. It reads no files, and the result is the same on any number
//! of threads.
//!
//! A [`Subject`] is a model on data; of a cross-validation there is one for each fold, and every query is explained by
//! the model that did not learn from it. What would make a page too large to open is left out, and said.

mod alike;
mod choose;
mod concept;
mod curve;
mod data;
mod examples;
mod explained;
mod explanation;
mod graph;
mod judge;
mod pattern;
mod seen;
mod subject;
mod template;

pub use alike::alike_view;
pub use concept::concept_views;
pub use curve::curves;
pub use data::data_view;
pub use examples::{Asked, Gathered, gather};
pub use explained::{Explained, explained};
pub use explanation::{explanation, network};
pub use pattern::{classes, pattern_views};
pub use subject::Subject;
pub use template::template_views;
