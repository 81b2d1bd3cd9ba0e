//! Initialisation of random weights.

use crate::function::Shape;
use crate::function::table::table;

table! {
    /// An initialisation of random weights; `s` is `initialisation_scale`.
    pub enum Initialisation {
        /// Evenly, the narrower the more is summed: weights that feed a sum of many begin small, others do not.
        FanIn = "fan-in", [], "from -s / √n to s / √n, n the contributions to the atom, times the columns";
        /// Evenly on both sides of 0.
        Uniform = "uniform", [], "from -s to s";
        /// Mostly near 0.
        Normal = "normal", ["gaussian"], "mean 0, deviation s";
        /// Evenly, the narrower the larger the matrix: for sigmoid and tanh.
        Glorot = "glorot", ["xavier"], "from -s √(6 / (rows + columns)) to s √(6 / (rows + columns))";
        /// Mostly near 0, the nearer the wider the matrix: for relu.
        He = "he", ["kaiming"], "mean 0, deviation s √(2 / columns)";
        /// The same for all, which learning cannot tell apart where nothing else does.
        Constant = "constant", [], "s";
    }
}

impl Initialisation {
    /// Returns a number for an element of a weight of this shape, that feeds an atom with so many contributions, from
    /// random bits that `draw` gives.
    pub fn number(self, scale: f64, shape: Shape, contributions: u32, draw: impl Fn(u64) -> f64) -> f64 {
        let (rows, columns) = (f64::from(shape.rows), f64::from(shape.columns));
        let normal = || (0..12).map(&draw).sum::<f64>() / 2.0; // twelve even ones are nearly a normal one
        match self {
            Self::FanIn => scale / (f64::from(contributions.max(1)) * columns).sqrt() * draw(0),
            Self::Uniform => scale * draw(0),
            Self::Normal => scale * normal(),
            Self::Glorot => scale * (6.0 / (rows + columns)).sqrt() * draw(0),
            Self::He => scale * (2.0 / columns).sqrt() * normal(),
            Self::Constant => scale,
        }
    }
}
