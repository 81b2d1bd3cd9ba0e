//! The syntax room. In: text. Out: a tree and diagnostics; and a tree as text again. It knows nothing of ids or data.

mod diagnostic;
mod source;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use source::{SourceId, Sources, Span};
