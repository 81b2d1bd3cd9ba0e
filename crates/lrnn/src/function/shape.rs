//! Shapes of values and weights: everything is a matrix; a vector is a column, a number is 1 × 1.

use std::fmt;

/// The shape of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
}

impl Shape {
    /// A number.
    pub const NUMBER: Self = Self { rows: 1, columns: 1 };

    /// Returns a column vector.
    pub const fn vector(rows: u32) -> Self {
        Self { rows, columns: 1 }
    }

    /// Returns a matrix.
    pub const fn matrix(rows: u32, columns: u32) -> Self {
        Self { rows, columns }
    }

    /// Returns how many numbers a value of this shape has.
    pub const fn size(self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Returns whether it is a number.
    pub fn is_number(self) -> bool {
        self == Self::NUMBER
    }

    /// Returns whether it is a column vector of more than one row.
    pub fn is_vector(self) -> bool {
        self.columns == 1 && self.rows > 1
    }

    /// Returns the shape with rows and columns exchanged.
    pub const fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows }
    }

    /// Returns the shape of weight · value: a number scales, vectors of one length multiply element by element, all
    /// else is the matrix product. `None` where that is not defined.
    pub fn times(self, value: Self) -> Option<Self> {
        match (self, value) {
            (weight, value) if weight.is_number() => Some(value),
            (weight, value) if value.is_number() => Some(weight),
            (weight, value) if weight == value && weight.is_vector() => Some(weight),
            (weight, value) if weight.columns == value.rows => Some(Self::matrix(weight.rows, value.columns)),
            _ => None,
        }
    }

    /// Returns the shape of a sum: equal shapes, or a number added to every element. `None` where that is not defined.
    pub fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b || b.is_number() => Some(a),
            (a, b) if a.is_number() => Some(b),
            _ => None,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            _ if self.is_number() => write!(f, "number"),
            _ if self.is_vector() => write!(f, "{{{}}}", self.rows),
            _ => write!(f, "{{{},{}}}", self.rows, self.columns),
        }
    }
}
