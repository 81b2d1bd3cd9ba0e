//! The explain room. In: a template, an example, their grounding, and weights. Out: why an atom has its value: the
//! part of the ground network behind it, what each fact, constant and rule contributes, what would change it most;
//! and what was learned: latent concepts and patterns. It knows nothing of learning.
//!
//! [`Proof`] is the network behind some atoms in flat arrays; [`Run`] its values; [`Contributions`] what adds up to a
//! value. Everything here is a view for people: names are texts as the language writes them.

mod alike;
mod cells;
mod change;
mod concept;
mod constant;
mod contribution;
mod error;
mod form;
mod kept;
mod line;
mod order;
mod pattern;
mod proof;
mod run;
mod share;
mod short;
mod support;
mod tree;
mod unset;
mod view;
mod weigh;

pub use alike::{Alike, alike};
pub use cells::Cells;
pub use change::{Change, changes};
pub use concept::{Concept, concepts};
pub use constant::{ConstantShare, constant_shares};
pub use contribution::{Contributions, RuleShare, contributions};
pub use error::ExplainError;
pub use form::Form;
pub use kept::Kept;
pub use pattern::{Finder, Found, Occurrence};
pub use proof::{AtomNode, FactNode, GroupNode, Proof};
pub use run::Run;
pub use support::{Pattern, Patterns, patterns};
pub use tree::{Tree, TreeKind, TreeLimits, tree};
pub use view::{EdgeView, NetworkView, NodeKind, NodeView, network_view, template_view};
