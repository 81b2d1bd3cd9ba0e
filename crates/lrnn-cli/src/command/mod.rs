//! One file per command.

mod answer;
pub mod check;
pub mod completions;
pub mod crossval;
mod evaluate;
pub mod experiment;
pub mod fmt;
pub mod ground;
mod limit;
pub mod list;
mod outside;
mod pattern;
pub mod predict;
pub mod query;
pub mod test;
pub mod train;
pub mod weights;
