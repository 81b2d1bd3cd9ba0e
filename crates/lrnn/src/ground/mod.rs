//! The ground room. In: a template and an example. Out: a [`Grounding`]: the least Herbrand model of both, and
//! every ground rule that is active in it, as rows. It knows nothing of weights or values.
//!
//! [`Statistics`] of a dataset make [`Plans`], once; with them [`ground`] grounds an example, and
//! [`for_each_grounding`] all of them. [`naive()`] is the oracle that says what the result must be, and
//! [`canonical()`] makes two results comparable.

mod budget;
mod canonical;
mod cycle;
mod demand;
mod dense;
mod error;
mod estimate;
mod facts;
mod fit;
mod gather;
mod herbrand;
mod index;
mod join;
mod kind;
mod link;
mod lookup;
mod many;
mod naive;
mod plan;
mod relation;
mod runs;
mod search;
mod shared;
mod sorting;
mod step;
mod text;
mod types;

pub use canonical::{Canonical, GroundAtom, GroundRule, canonical};
pub(crate) use cycle::{StratumAtoms, edges};
pub(crate) use demand::Scope;
pub use demand::cross_products;
pub use error::{ClauseId, ExampleError, GroundError, LimitKind};
pub use estimate::{Estimate, Statistics};
pub(crate) use facts::instance_term;
pub use fit::fit;
pub use herbrand::ground;
pub(crate) use herbrand::{GroundSpace, ground_in_runs};
pub(crate) use many::fold_groundings;
pub use many::for_each_grounding;
pub use naive::naive;
pub use plan::{Plans, RuleReport};
pub use relation::Relation;
pub(crate) use runs::{AllRuns, GroundingInRuns, Runs};
pub(crate) use shared::SharedRows;
pub(crate) use sorting::{HeadIndex, sorted, starts};
pub use types::*;

#[cfg(test)]
mod tests;
