//! Named arrays of numbers as bytes.

use std::borrow::Cow;

use crate::function::Shape;

/// The type of a tensor's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TensorType {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Whole numbers.
    U64,
}

impl TensorType {
    const ALL: [Self; 3] = [Self::F32, Self::F64, Self::U64];

    /// Returns its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F64 => "F64",
            Self::U64 => "U64",
        }
    }

    /// Returns the one with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns how many bytes a number has.
    pub fn size(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 | Self::U64 => 8,
        }
    }
}

/// An array of numbers with a name. Read from a file it is a view into the file's bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The type of its numbers.
    pub kind: TensorType,
    /// Its shape.
    pub shape: Shape,
    /// Its numbers row by row, each with its lowest byte first.
    pub bytes: Cow<'a, [u8]>,
}

impl Tensor<'static> {
    fn new<const N: usize>(
        name: String,
        kind: TensorType,
        shape: Shape,
        numbers: impl Iterator<Item = [u8; N]>,
    ) -> Self {
        Self { name: name.into(), kind, shape, bytes: numbers.flatten().collect() }
    }

    /// Numbers in single precision: each is rounded to it.
    pub fn f32(name: impl Into<String>, shape: Shape, numbers: &[f64]) -> Self {
        Self::new(
            name.into(),
            TensorType::F32,
            shape,
            numbers.iter().map(|&number| (number as f32).to_le_bytes()),
        )
    }

    /// Numbers in double precision.
    pub fn f64(name: impl Into<String>, shape: Shape, numbers: &[f64]) -> Self {
        Self::new(name.into(), TensorType::F64, shape, numbers.iter().map(|number| number.to_le_bytes()))
    }

    /// Returns whole numbers.
    pub fn u64(name: impl Into<String>, shape: Shape, numbers: &[u64]) -> Self {
        Self::new(name.into(), TensorType::U64, shape, numbers.iter().map(|number| number.to_le_bytes()))
    }
}

impl Tensor<'_> {
    /// Returns how many bytes the shape asks for; `None` if no file could hold them.
    pub(super) fn expected_len(kind: TensorType, shape: Shape) -> Option<u64> {
        (u64::from(shape.rows) * u64::from(shape.columns)).checked_mul(kind.size())
    }

    /// Returns its numbers, if it is of single or double precision.
    pub fn floats(&self) -> Option<Vec<f64>> {
        self.each_float().map(Iterator::collect)
    }

    /// Returns the same, one after the other.
    pub(super) fn each_float(&self) -> Option<Box<dyn Iterator<Item = f64> + '_>> {
        match self.kind {
            TensorType::F32 => {
                Some(Box::new(words(&self.bytes).map(|word| f64::from(f32::from_le_bytes(word)))))
            }
            TensorType::F64 => Some(Box::new(words(&self.bytes).map(f64::from_le_bytes))),
            TensorType::U64 => None,
        }
    }

    /// Returns its numbers, if they are whole ones.
    pub fn wholes(&self) -> Option<Vec<u64>> {
        (self.kind == TensorType::U64).then(|| words(&self.bytes).map(u64::from_le_bytes).collect())
    }
}

/// Returns the bytes in words of one length.
fn words<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; N]> {
    bytes.as_chunks().0.iter().copied()
}
