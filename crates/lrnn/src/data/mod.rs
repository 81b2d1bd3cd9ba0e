//! The data room. In: text of examples and queries, or values and columns in memory. Out: a [`Dataset`]: examples as tables of facts, and queries
//! with their targets. It knows nothing of templates or joins.

mod away;
mod batch;
mod build;
mod memory;
mod pieces;
mod sentence;
mod tables;
mod types;
mod value;

pub use away::{FactStore, FactsAway};
pub use build::{DatasetBuilder, Layout};
pub use memory::{AtomTerm, Column, ExampleBuilder, IdFacts, Table, Terms, Value};
pub use types::*;

#[cfg(test)]
mod tests;
