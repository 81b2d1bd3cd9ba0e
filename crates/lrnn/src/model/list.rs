//! The weights of a model, close together: even many small ones take less memory than their file.

use super::ModelWeight;
use crate::function::Shape;

/// The weights of a model, in order.
#[derive(Clone, Default, Debug)]
pub struct WeightList {
    /// Names and indices, one behind the other.
    texts: String,
    numbers: WeightNumbers,
    entries: Vec<WeightEntry>,
}

/// Numbers in the precision that they came in.
#[derive(Clone, Debug)]
pub(super) enum WeightNumbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Default for WeightNumbers {
    fn default() -> Self {
        Self::F64(Vec::new())
    }
}

impl WeightNumbers {
    fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    fn push(&mut self, number: f64) {
        match self {
            Self::F32(numbers) => numbers.push(number as f32),
            Self::F64(numbers) => numbers.push(number),
        }
    }

    fn range(&self, range: std::ops::Range<usize>) -> Vec<f64> {
        match self {
            Self::F32(numbers) => numbers[range].iter().map(|&number| f64::from(number)).collect(),
            Self::F64(numbers) => numbers[range].to_vec(),
        }
    }
}

/// One weight: where its texts and its numbers end.
#[derive(Clone, Copy, Debug)]
struct WeightEntry {
    name_end: usize,
    index_end: usize,
    numbers_end: usize,
    shape: Shape,
}

impl WeightList {
    /// Makes room for so many weights with so many bytes of text.
    pub(super) fn with_capacity(weights: usize, texts: usize, numbers: WeightNumbers) -> Self {
        let (texts, entries) = (String::with_capacity(texts), Vec::with_capacity(weights));
        Self { texts, numbers, entries }
    }

    /// Adds a weight.
    pub(super) fn push(&mut self, name: &str, index: &str, shape: Shape, numbers: impl Iterator<Item = f64>) {
        self.texts.push_str(name);
        let name_end = self.texts.len();
        self.texts.push_str(index);
        numbers.for_each(|number| self.numbers.push(number));
        let (index_end, numbers_end) = (self.texts.len(), self.numbers.len());
        self.entries.push(WeightEntry { name_end, index_end, numbers_end, shape });
    }

    /// Returns how many weights there are, each index counted.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns a weight by its number.
    pub fn get(&self, at: usize) -> Option<ModelWeight> {
        let entry = self.entries.get(at)?;
        let (text, number) = match at.checked_sub(1).map(|before| &self.entries[before]) {
            Some(before) => (before.index_end, before.numbers_end),
            None => (0, 0),
        };
        Some(ModelWeight {
            name: self.texts[text..entry.name_end].to_owned(),
            index: self.texts[entry.name_end..entry.index_end].to_owned(),
            shape: entry.shape,
            numbers: self.numbers.range(number..entry.numbers_end),
        })
    }

    /// Returns the weights, in order.
    pub fn iter(&self) -> impl Iterator<Item = ModelWeight> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl FromIterator<ModelWeight> for WeightList {
    fn from_iter<I: IntoIterator<Item = ModelWeight>>(weights: I) -> Self {
        let mut list = Self::default();
        for ModelWeight { name, index, shape, numbers } in weights {
            list.push(&name, &index, shape, numbers.into_iter());
        }
        list
    }
}

impl PartialEq for WeightList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}
