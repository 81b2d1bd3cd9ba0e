//! What can be wrong with a network.

use std::fmt;

use super::NeuronKind;
use crate::vocabulary::PredicateId;

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
    /// Atoms that need each other have no fixed point, or none that sweeps come near.
    SettlingFailure(SettlingFailure),
    /// The reason why a network with a cycle cannot be explained.
    Unexplained(&'static str),
}

/// An atom whose value was still changing after the last sweep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettlingFailure {
    /// Its predicate.
    pub predicate: PredicateId,
    /// Its text.
    pub atom: String,
    /// Number of sweeps.
    pub sweeps: u32,
    /// The last two values, or elements of values.
    pub last: [String; 2],
}

impl SettlingFailure {
    /// Returns advice.
    pub const HELP: &str = "smaller weights on the rules of the cycle, or functions that level off (max_sigmoid settles at \
        any weight), make it settle; `:- recursion(steps = 8).` takes the values after 8 steps instead";

    /// Returns a value as text, a large one with its power of ten.
    pub(crate) fn number(value: f64) -> String {
        if value.abs() < 1e6 { format!("{value}") } else { format!("{value:.6e}") }
    }
}

impl fmt::Display for SettlingFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { atom, sweeps, last: [before, after], .. } = self;
        write!(
            f,
            "the cycle through {atom} does not settle: after {sweeps} sweeps its value still went from {before} to {after}"
        )
    }
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
            Self::SettlingFailure(unsettled) => unsettled.fmt(f),
            Self::Unexplained(why) => f.write_str(why),
            Self::NotFinite(_, neuron) => write!(f, "the value of {neuron} is not a finite number"),
        }
    }
}

impl std::error::Error for NetworkError {}

impl From<NetworkError> for crate::Error {
    fn from(error: NetworkError) -> Self {
        let kind = match error {
            NetworkError::NotFinite(..) | NetworkError::SettlingFailure(_) => crate::ErrorKind::Numbers,
            _ => crate::ErrorKind::Content,
        };
        let is_unsettled = matches!(error, NetworkError::SettlingFailure(_));
        let error = Self::new(kind, error.to_string());
        if is_unsettled { error.help(SettlingFailure::HELP) } else { error }
    }
}
