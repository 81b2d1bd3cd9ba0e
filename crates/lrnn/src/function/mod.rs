//! The function room. In: numbers in slices, and names. Out: activations, combinations, aggregations and families,
//! forwards and backwards, and the portable mathematics they are made of. It knows nothing of the rest.
//!
//! Each kind of function is one table in its file; names, help, tests and the language follow from the table.

mod activation;
mod aggregation;
mod combination;
mod family;
mod float;
mod graph;
pub mod math;
mod product;
mod real;
mod shape;
pub(crate) mod table;

pub use activation::Activation;
pub use aggregation::Aggregation;
pub use combination::Combination;
pub use family::{AtomFunction, FAMILIES, Family, RuleFunction, find_rule_function, rule_function_names};
pub use float::Float;
pub use graph::{Combiner, FunctionGraph, FunctionNode, Transformation};
pub use product::{OwnedValue, View, times, times_backward};
pub use real::{PerReal, Real};
pub use shape::Shape;
pub use table::Entry;
