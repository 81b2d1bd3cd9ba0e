//! One file per command: it parses no text and computes nothing, but calls the library and renders.

pub mod check;
pub mod complete;
pub mod completions;
pub mod concepts;
pub mod crossval;
pub mod draw;
pub mod experiment;
pub mod explain;
pub mod fmt;
pub mod ground;
pub mod induce;
pub mod list;
pub mod patterns;
pub mod predict;
pub mod query;
pub mod report;
pub mod sql;
pub mod tables;
pub mod test;
pub mod train;
pub mod weights;
