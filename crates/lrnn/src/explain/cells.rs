//! Values of many neurons, one behind the other.

use crate::function::{Shape, View};

/// Values of many neurons, one behind the other.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Cells {
    numbers: Vec<f64>,
    /// Where each value begins, with its shape.
    places: Vec<(usize, Shape)>,
}

impl Cells {
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The value with this number.
    pub fn of(&self, number: usize) -> View<'_, f64> {
        let (start, shape) = self.places[number];
        (&self.numbers[start..start + shape.size()], shape)
    }

    /// The first element of the value with this number; of a number, the number.
    #[inline]
    pub fn first(&self, number: usize) -> f64 {
        self.numbers[self.places[number].0]
    }

    /// Whether the value with this number is a number.
    #[inline]
    pub fn is_number(&self, number: usize) -> bool {
        self.places[number].1.is_number()
    }

    pub(super) fn push(&mut self, numbers: &[f64], shape: Shape) {
        self.places.push((self.numbers.len(), shape));
        self.numbers.extend_from_slice(numbers);
    }

    /// As many values of the same shapes, all 0.
    pub(super) fn zeros(&self) -> Self {
        Self { numbers: vec![0.0; self.numbers.len()], places: self.places.clone() }
    }

    /// Adds to the value with this number, times a factor.
    #[inline]
    pub(super) fn add(&mut self, number: usize, amount: &[f64], factor: f64) {
        let start = self.places[number].0;
        let cells = &mut self.numbers[start..];
        cells.iter_mut().zip(amount).for_each(|(cell, amount)| *cell += factor * amount);
    }
}

/// Σ factor · (to − from).
pub(super) fn moved(factors: &[f64], from: &[f64], to: &[f64]) -> f64 {
    factors.iter().zip(from.iter().zip(to)).map(|(factor, (from, to))| factor * (to - from)).sum()
}
