//! The data room. In: text of examples and queries. Out: a [`Dataset`]: examples as tables of facts, and queries
//! with their targets. It knows nothing of templates or joins.

mod types;

pub use types::*;
