//! Lifted relational neural networks.
//!
//! Weighted first-order rules are a [`template`]; with each example the template unfolds into a neural network
//! of its own, and all networks share the weights of the rules. The rooms of this crate stand in the order the
//! data flows:
//!
//! ```text
//! text ─syntax─▶ Ast ─template─▶ Template ─┐
//!                                          ├─ground─▶ Grounding ─network─▶ values
//! text ─data───▶ Dataset ──────────────────┘
//! ```
//!
//! The crate is pure: it reads no files, prints nothing, asks no clock and no environment.

pub mod data;
pub mod diagnostic;
pub mod evaluate;
pub mod explain;
pub mod function;
pub mod ground;
pub mod model;
pub mod network;
pub mod syntax;
pub mod template;
pub mod train;
pub mod vocabulary;

pub use data::{Dataset, Example};
pub use diagnostic::{Diagnostic, Sources};
pub use function::{Family, Shape};
pub use ground::{Grounding, Limits};
pub use model::Model;
pub use template::Template;
pub use vocabulary::{ConstantId, PredicateId, Vocabulary};
