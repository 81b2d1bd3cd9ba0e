//! What can be wrong with a network.

use std::fmt;

use super::NeuronKind;

/// A reason why there is no network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkError {
    /// Atoms of which each needs the next, and the last the first.
    Cycle(Vec<String>),
    /// A weight whose index this rule or fact does not give.
    Index(String),
    /// The inputs of this neuron have shapes that do not fit together or their weights.
    Shape(String),
    /// The value of a neuron of this kind is infinite or not a number; and the neuron in words.
    NotFinite(NeuronKind, String),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle(atoms) => {
                let first = atoms.first().map_or("", |atom| atom);
                write!(f, "the ground network has a cycle: {} needs {first}", atoms.join(" needs "))
            }
            Self::Index(of) => write!(f, "the index of a weight is not given by {of}"),
            Self::Shape(neuron) => write!(f, "the inputs of {neuron} have shapes that do not fit together"),
            Self::NotFinite(_, neuron) => write!(f, "the value of {neuron} is not a finite number"),
        }
    }
}

impl std::error::Error for NetworkError {}

impl From<NetworkError> for crate::Error {
    fn from(error: NetworkError) -> Self {
        let kind = match error {
            NetworkError::NotFinite(..) => crate::ErrorKind::Numbers,
            _ => crate::ErrorKind::Content,
        };
        Self::new(kind, error.to_string())
    }
}
