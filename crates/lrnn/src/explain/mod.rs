//! The explain room. In: a template, an example, their grounding, and weights. Out: why an atom has its value: the
//! part of the ground network behind it, what each fact, constant and rule contributes, what would change it most;
//! and what was learned: latent concepts and patterns. It knows nothing of learning.
//!
//! [`Proof`] is the network behind some atoms in flat arrays; [`Run`] its values; [`Contributions`] what adds up to a
//! value. Everything here is a view for people: names are texts as the language writes them.

mod cells;
mod change;
mod constant;
mod contribution;
mod error;
mod line;
mod order;
mod proof;
mod run;
mod share;
mod weigh;

pub use cells::Cells;
pub use change::{Change, changes};
pub use constant::{ConstantShare, constant_shares};
pub use contribution::{Contributions, RuleShare, contributions};
pub use error::ExplainError;
pub use proof::{AtomNode, FactNode, GroupNode, Proof};
pub use run::Run;
