//! One file per command.

mod answer;
pub mod check;
pub mod completions;
mod evaluate;
pub mod fmt;
pub mod ground;
mod limit;
pub mod list;
mod outside;
mod pattern;
pub mod predict;
pub mod query;
mod score;
pub mod test;
pub mod train;
pub mod weights;
