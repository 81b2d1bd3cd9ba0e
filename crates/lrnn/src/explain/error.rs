//! Why something cannot be explained.

use std::fmt;

/// Why something cannot be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExplainError {
    /// Atoms that need each other, one of them in words.
    Cycle(String),
    /// A weight whose index this rule or fact does not give.
    Index(String),
    /// The inputs of this neuron do not fit together.
    Shape(String),
    /// The value of this neuron is infinite or not a number.
    NotFinite(String),
    /// No baseline gives finite values: this neuron has none.
    Baseline(String),
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle(atom) => write!(f, "the ground network has a cycle: {atom} needs itself"),
            Self::Index(of) => write!(f, "the index of a weight is not given by {of}"),
            Self::Shape(neuron) => write!(f, "the inputs of {neuron} have shapes that do not fit together"),
            Self::NotFinite(neuron) => write!(f, "the value of {neuron} is not a finite number"),
            Self::Baseline(neuron) => {
                write!(f, "there is no baseline to compare with: the value of {neuron} is not finite there")
            }
        }
    }
}

impl std::error::Error for ExplainError {}

impl From<ExplainError> for crate::Error {
    fn from(error: ExplainError) -> Self {
        let kind = match error {
            ExplainError::NotFinite(_) | ExplainError::Baseline(_) => crate::ErrorKind::Numbers,
            _ => crate::ErrorKind::Content,
        };
        Self::new(kind, error.to_string())
    }
}
