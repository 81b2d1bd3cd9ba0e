//! The network room. In: a template, an example and their grounding. Out: the ground neural network, and the values
//! of its neurons under some weights. It knows nothing of optimizers, files or text.
//!
//! [`Reference`] is the network of the paper, neuron by neuron: the oracle that says what every value must be.

mod backward;
mod bound;
mod build;
mod cells;
mod class;
mod contributions;
mod counts;
mod error;
mod forward;
mod initialisation;
mod kernel;
mod last_layer;
mod levels;
mod merge;
mod neighbour_sampler;
mod networks;
mod parameters;
mod product;
mod program;
mod prune;
mod reference;
mod schedule;
mod settling;
mod tables;
mod views;
mod weights;

pub(crate) use bound::bound;
pub use weights::mix;

pub(crate) use build::BuildSpace;
pub use build::{BuildOptions, NetworkBuilder};
pub use error::{NetworkError, SettlingFailure};
pub use forward::{CycleCounts, UnsettledAtom, Workspace};
pub use initialisation::Initialisation;
pub(crate) use last_layer::AnswerSum;
pub use neighbour_sampler::{NeighbourDraw, NeighbourSampler};
pub use networks::Networks;
pub use parameters::{InputFact, Parameters, WeightKey};
pub use program::Network;
pub use reference::{
    AtomFunctions, AtomNode, EdgeNumbers, EdgeWeight, FactNode, Gradient, GroupNode, NeuronCounts,
    NeuronKind, Reference, ValueCells, Values,
};
pub use schedule::Schedule;
pub use weights::Weights;

#[cfg(test)]
mod cycle_tests;
#[cfg(test)]
mod tests;
