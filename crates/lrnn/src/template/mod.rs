//! The template room. In: the trees of a template's files. Out: a [`Template`], its names resolved to ids, its
//! functions filled in from the family, its predicates ordered, its shapes inferred, or diagnostics that say
//! what is wrong. It knows nothing of data or joins.

mod check;
mod cross;
mod library;
mod order;
mod renumbering;
mod resolve;
mod shapes;
mod source;
mod types;

pub use library::{Module, ModuleParameter, modules};
pub(crate) use order::strong_components;
pub use resolve::Options;
pub use shapes::DataShape;
pub use source::TemplateText;
pub use types::*;

#[cfg(test)]
mod tests;
