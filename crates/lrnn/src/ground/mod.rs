//! The ground room. In: a template and an example. Out: a [`Grounding`]: the least Herbrand model of both, and
//! every ground rule that is active in it, as rows. It knows nothing of weights or values.

mod relation;
mod types;

pub use relation::Relation;
pub use types::*;
