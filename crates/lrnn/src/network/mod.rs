//! The network room. In: a template, an example and their grounding. Out: the ground neural network, and the values
//! of its neurons under some weights. It knows nothing of optimizers, files or text.
//!
//! [`Reference`] is the network of the paper, neuron by neuron: the oracle that says what every value must be.

mod counts;
mod error;
mod reference;
mod weights;

pub use error::NetworkError;
pub use reference::{Edge, EdgeWeight, Neuron, NeuronCounts, NeuronId, NeuronKind, Reference, Values};
pub use weights::Weights;
