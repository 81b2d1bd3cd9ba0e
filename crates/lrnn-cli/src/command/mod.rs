//! One file per command.

pub mod check;
pub mod completions;
pub mod fmt;
pub mod ground;
pub mod list;
mod pattern;
pub mod query;
