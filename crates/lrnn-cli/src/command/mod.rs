//! One file per command.

mod answer;
pub mod check;
pub mod completions;
pub mod concepts;
pub mod draw;
mod evaluate;
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
mod score;
mod study;
pub mod test;
pub mod train;
pub mod weights;
