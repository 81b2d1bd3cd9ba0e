//! The diagnostic room. In: texts and what is wrong with them. Out: messages that show the place, and names that were
//! probably meant. Every room that reads what people wrote uses it; it knows nothing of them.

mod error;
mod message;
mod source;
mod suggest;

pub use error::{Error, ErrorKind};
pub use message::{Diagnostic, Label, Severity, printable};
pub use source::{SourceId, Sources, Span};
pub(crate) use suggest::listed;
pub use suggest::{did_you_mean, suggest};
