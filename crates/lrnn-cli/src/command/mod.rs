//! One file per command.

pub mod check;
pub mod completions;
mod evaluate;
pub mod fmt;
pub mod ground;
pub mod list;
mod pattern;
pub mod query;
pub mod weights;
