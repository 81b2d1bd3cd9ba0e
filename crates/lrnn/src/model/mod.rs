//! The model room. In: what was learned, with the template, the settings and a fingerprint of the data it was learned
//! from. Out: one file as bytes, and back; and the weights of a model for a template, for prediction or as a start.
//! It knows nothing of paths.
//!
//! [`Model`] is what people mean by a model; [`Container`] is the file below it, for whoever keeps other tensors too.

mod codec;
mod container;
mod error;
mod fingerprint;
mod hash;
mod header;
mod list;
mod names;
mod tensor;
mod transfer;
mod write;

use std::collections::BTreeMap;

pub use container::{Container, is_model};
pub use error::ModelError;
pub use fingerprint::{Fingerprint, fingerprint};
pub use list::WeightList;
pub use names::weight_names;
pub(crate) use names::{index_constants, key_name};
pub use tensor::{Tensor, TensorType};
#[cfg(test)]
pub(crate) use transfer::LOOKUPS;
pub use transfer::WeightMatch;
pub use write::write;

use crate::function::Shape;

/// A template with learned weights, and where they come from.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Model {
    /// The template: the name and the text of its file, then of all that it imports.
    pub sources: Vec<(String, String)>,
    /// The family that was asked for instead of the template's.
    pub family: Option<String>,
    /// The weights that can be learned, each at each index, in the template's order; of an ensemble, those of its best
    /// member.
    pub weights: WeightList,
    /// The same weights of the other members of an ensemble: an answer is the mean of all.
    pub members: Vec<WeightList>,
    /// The training queries that the readout `kernel` compares with; none of other models.
    pub supports: Vec<Support>,
    /// The settings of learning, by name.
    pub settings: BTreeMap<String, String>,
    /// Queries of training: atoms, with variables where they differ from example to example.
    pub queries: Vec<String>,
    /// The relations of the data it was learned from: joins are planned by them, and their shapes settle others.
    pub relations: Vec<RelationSummary>,
    /// The precision of the weights.
    pub precision: Precision,
    /// The version of lrnn that wrote the model.
    pub version: String,
    /// The [`fingerprint`] of the data it was learned from.
    pub fingerprint: u64,
    /// Whatever else is worth keeping, by name: metrics, what became of learning.
    pub notes: BTreeMap<String, String>,
}

/// A training query of a model whose readout is `kernel`.
#[derive(Clone, PartialEq, Debug)]
pub struct Support {
    /// Its weight; the sign says for which class it speaks.
    pub multiplier: f64,
    /// The numbers of the weights that it uses, among those of the model, each with how much.
    pub uses: Vec<(u32, f64)>,
}

/// The statistics of one predicate of the data that a model was learned from.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationSummary {
    /// The name of the predicate.
    pub name: String,
    /// The shape of its facts' values; `None` where the data has no fact of it.
    pub shape: Option<Shape>,
    /// The mean number of facts in an example.
    pub rows: f64,
    /// The mean number of different constants in an example, by column.
    pub distinct: Vec<f64>,
}

/// A weight at an index with its numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelWeight {
    /// Its name, as [`weight_names`] gives it.
    pub name: String,
    /// Its index as text, `c, 1`; empty for a plain weight.
    pub index: String,
    /// Its shape.
    pub shape: Shape,
    /// Its numbers, row by row.
    pub numbers: Vec<f64>,
}

impl ModelWeight {
    /// Tells whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.numbers.iter().all(|number| number.is_finite())
    }

    /// Name and index together: `w[c, 1]`.
    pub fn full_name(&self) -> String {
        if self.index.is_empty() { self.name.clone() } else { format!("{}[{}]", self.name, self.index) }
    }
}

/// The precision of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Precision {
    /// Single precision.
    #[default]
    F32,
    /// Double precision.
    F64,
}

impl Precision {
    /// Returns its name: `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the one with this name.
    pub fn find(name: &str) -> Option<Self> {
        [Self::F32, Self::F64].into_iter().find(|precision| precision.name() == name)
    }
}

#[cfg(test)]
mod tests;
