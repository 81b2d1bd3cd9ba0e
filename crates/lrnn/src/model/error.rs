//! Why bytes are no model, or a model has no bytes.

use std::fmt;

/// A reason why a model could not be read or written, in a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelError {
    /// It does not begin as a model does.
    NotAModel,
    /// It begins as a model does and ends too early.
    CutShort,
    /// Its checksum is not that of its bytes.
    Damaged,
    /// A later version wrote it, in a form that this one does not know.
    Newer {
        /// The version of lrnn that wrote it.
        version: String,
    },
    /// Its checksum is right, but what it says makes no model.
    Malformed(&'static str),
    /// The model cannot be written so that it could be read again.
    Unwritable(String),
}

impl ModelError {
    /// Returns what to do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::NotAModel => Some("a model is a file that `lrnn train` wrote"),
            Self::CutShort | Self::Damaged => Some("copy it again from where it came, or train it again"),
            Self::Newer { .. } => Some("install that version of lrnn, or a later one"),
            Self::Malformed(_) | Self::Unwritable(_) => None,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAModel => f.write_str("this is not a model of lrnn"),
            Self::CutShort => f.write_str("the model is cut short: its end is missing"),
            Self::Damaged => f.write_str("the model is damaged: its checksum is not that of its content"),
            Self::Newer { version } => {
                write!(
                    f,
                    "the model was written by lrnn {version}, in a form that this version does not know"
                )
            }
            Self::Malformed(what) => write!(f, "the model makes no sense: {what}"),
            Self::Unwritable(what) => write!(f, "the model cannot be written: {what}"),
        }
    }
}

impl std::error::Error for ModelError {}

impl From<ModelError> for crate::Error {
    fn from(error: ModelError) -> Self {
        let found = Self::new(crate::ErrorKind::Content, error.to_string());
        error.help().into_iter().fold(found, Self::help)
    }
}
