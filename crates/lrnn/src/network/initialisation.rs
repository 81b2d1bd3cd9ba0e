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
        /// Evenly, near what is true, nearer by every restart in turn: for values with bounds, beyond which nothing has a slope.
        Truth = "truth", [], "from (1 - r) / n to 1 / n, r in turn 2 s, s, s / 2, s / 4, s / 8, n the contributions";
        /// The same for all, which learning cannot tell apart where nothing else does.
        Constant = "constant", [], "s";
    }
}

impl Initialisation {
    /// Returns the scale with which a restart begins.
    pub fn scale_of_restart(self, scale: f64, restart: u32) -> f64 {
        if self == Self::Truth { 2.0 * scale / f64::from(1u32 << (restart % 5)) } else { scale }
    }

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
            Self::Truth => (1.0 - scale * 0.5 * (1.0 - draw(0))) / f64::from(contributions.max(1)),
            Self::Constant => scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_begins_below_1_and_ever_nearer_to_it() {
        let least = |restart, contributions| {
            let scale = Initialisation::Truth.scale_of_restart(1.0, restart);
            let number = |draw| Initialisation::Truth.number(scale, Shape::NUMBER, contributions, |_| draw);
            assert_eq!(number(1.0), 1.0 / f64::from(contributions));
            number(-1.0)
        };
        assert_eq!([0, 1, 2, 3, 4, 5].map(|restart| least(restart, 1)), [-1.0, 0.0, 0.5, 0.75, 0.875, -1.0]);
        assert_eq!(least(2, 2), 0.25);
        assert_eq!(Initialisation::FanIn.scale_of_restart(3.0, 7), 3.0);
    }
}
