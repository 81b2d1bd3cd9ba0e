//! The data room. In: text of examples and queries. Out: a [`Dataset`]: examples as tables of facts, and queries
//! with their targets. It knows nothing of templates or joins.

mod batch;
mod build;
mod sentence;
mod tables;
mod types;
mod value;

pub use build::{Builder, Layout};
pub use types::*;

#[cfg(test)]
mod tests;
