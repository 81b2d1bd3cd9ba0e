//! The function room: activations, combinations, aggregations and families, and the portable mathematics they
//! are made of. It knows nothing of the rest.

mod shape;

pub use shape::Shape;

/// g without its sum: applied to each number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// x
    Identity,
}

/// How the inputs of a neuron become one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combination {
    /// Σ
    Sum,
}

/// g*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregation {
    /// The largest.
    Max,
}

/// A preset of functions.
#[derive(Debug)]
pub struct Family {}
