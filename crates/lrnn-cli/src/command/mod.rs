//! One file per command.

mod answer;
pub mod check;
pub mod completions;
pub mod concepts;
pub mod crossval;
pub mod draw;
mod evaluate;
pub mod experiment;
pub mod explain;
pub mod fmt;
pub mod ground;
mod limit;
pub mod list;
mod outside;
mod pattern;
pub mod patterns;
pub mod predict;
pub mod query;
pub mod report;
mod study;
pub mod test;
pub mod train;
pub mod weights;
