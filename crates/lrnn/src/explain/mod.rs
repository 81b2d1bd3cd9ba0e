//! The explain room. In: a template, an example, their grounding, and weights. Out: why an atom has its value: the
//! part of the ground network behind it, what each constant and each fact contributes, what it would be without them;
//! and what was learned: latent concepts and patterns. It knows nothing of learning.
//!
//! [`Proof`] is the network behind some atoms with its values; [`Contributions`] what adds up to a value. Everything here is a view for people: names are texts as the language writes them.

mod alike;
mod concept;
mod contribution;
mod form;
mod named_constants;
mod pattern;
mod proof;
mod removal;
mod short;
mod support;
mod symmetry;
mod tree;
mod unset;
mod view;

pub use alike::{IndistinctQueries, alike};
pub use concept::{Concept, concepts};
pub use contribution::{
    ConstantShare, Contributions, FactShare, absent, contributions, contributions_without, values_without,
};
pub use form::Form;
pub use named_constants::NamedConstants;
pub use pattern::{ExamplePatterns, Finder, Occurrence};
pub use proof::Proof;
pub use support::{Patterns, RulePattern, patterns};
pub use tree::{Tree, TreeKind, TreeLimits, tree};
pub use view::{EdgeView, NetworkView, NodeKind, NodeView, network_view, template_view};
