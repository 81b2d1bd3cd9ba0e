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

pub mod answers;
pub mod data;
pub mod diagnostic;
pub mod evaluate;
pub mod explain;
pub mod function;
pub mod ground;
pub mod model;
pub mod network;
mod predictor;
mod program;
pub mod query;
pub mod syntax;
pub mod template;
mod threads;
pub mod train;
pub mod training;
pub mod vocabulary;

pub use answers::{Answer, Answers, Meaning, Scores};
pub use data::{Column, Dataset, DatasetBuilder, Example, Layout, Table, Terms, Value};
pub use diagnostic::{Diagnostic, Error, ErrorKind, Sources};
pub use function::{Family, Shape};
pub use ground::{Grounding, Limits, Stop};
pub use model::Model;
pub use predictor::Predictor;
pub use program::Program;
pub use template::Template;
pub use threads::Threads;
pub use train::{Epoch, Observer, Settings};
pub use training::{Fit, Training, TrainingOptions, fit, fit_observed};
pub use vocabulary::{ConstantId, PredicateId, Vocabulary};

/// The version of the library, which every model it writes is marked with.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
