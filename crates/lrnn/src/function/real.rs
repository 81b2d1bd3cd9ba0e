//! The numbers that networks compute with: `f32` for speed, `f64` for checking.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use lrnn_wide::Work;

use super::math;

/// Something of which each number type has its own, such as a function over its numbers.
pub trait PerReal {
    /// That of a number type.
    type Of<R: Real>;
}

/// A number type. The functions are those of [`math`], the same to the last bit on every platform.
pub trait Real:
    Copy
    + Default
    + PartialEq
    + PartialOrd
    + Debug
    + Display
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;

    /// Returns the nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// Returns the same number.
    fn to_f64(self) -> f64;
    /// Returns e to this power.
    fn exp(self) -> Self;
    /// Returns the natural logarithm.
    fn ln(self) -> Self;
    /// Returns the hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Returns 1 / (1 + e^-x)
    fn sigmoid(self) -> Self;
    /// Returns ln(1 + e^x)
    fn softplus(self) -> Self;
    /// Returns the square root.
    fn sqrt(self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
    /// Returns whether it is neither infinite nor not a number.
    fn is_finite(self) -> bool;

    /// Returns that of this type. So a generic function can call functions that were compiled once for each type,
    /// where they are, and not again in every crate that calls it.
    #[doc(hidden)]
    fn own<P: PerReal>(single: P::Of<f32>, double: P::Of<f64>) -> P::Of<Self>;

    /// Does a piece of work, in single precision as widely as the processor can.
    #[doc(hidden)]
    fn work<W: Work>(work: W) -> W::Output;

    /// Returns the larger; the first of equal ones; what is not a number stays, so that it is found in the end.
    fn max(self, other: Self) -> Self {
        if other.beats(self, self < other) { other } else { self }
    }

    /// Returns the smaller; the first of equal ones; what is not a number stays.
    fn min(self, other: Self) -> Self {
        if other.beats(self, self > other) { other } else { self }
    }

    /// Returns whether a later number takes the place of the best so far: it is better, or it is not a number.
    #[doc(hidden)]
    #[expect(clippy::eq_op, reason = "only what is not a number differs from itself")]
    fn beats(self, best: Self, better: bool) -> bool {
        better || (self != self && best == best)
    }
}

macro_rules! real {
    ($($real:ty: ($single:pat, $double:pat) => $own:ident, $work:path;)*) => { $(impl Real for $real {
        const ZERO: Self = 0.0;
        const ONE: Self = 1.0;

        #[inline(always)]
        fn from_f64(value: f64) -> Self {
            value as Self
        }

        #[inline(always)]
        fn to_f64(self) -> f64 {
            f64::from(self)
        }

        #[inline(always)]
        fn exp(self) -> Self {
            math::exp(self)
        }

        #[inline(always)]
        fn ln(self) -> Self {
            math::ln(self)
        }

        #[inline(always)]
        fn tanh(self) -> Self {
            math::tanh(self)
        }

        #[inline(always)]
        fn sigmoid(self) -> Self {
            math::sigmoid(self)
        }

        #[inline(always)]
        fn softplus(self) -> Self {
            math::softplus(self)
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            <$real>::sqrt(self)
        }

        #[inline(always)]
        fn abs(self) -> Self {
            <$real>::abs(self)
        }

        #[inline(always)]
        fn is_finite(self) -> bool {
            <$real>::is_finite(self)
        }

        #[inline(always)]
        fn own<P: PerReal>($single: P::Of<f32>, $double: P::Of<f64>) -> P::Of<Self> {
            $own
        }

        #[inline(always)]
        fn work<W: Work>(work: W) -> W::Output {
            $work(work)
        }
    })* };
}
real! {
    f32: (single, _) => single, lrnn_wide::widest;
    f64: (_, double) => double, lrnn_wide::narrow;
}

#[cfg(test)]
mod tests {
    use super::Real;

    #[test]
    fn what_is_not_a_number_is_never_lost() {
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(Real::max(a, b).is_nan() && Real::min(a, b).is_nan());
        }
        assert_eq!((Real::max(1.0, 2.0), Real::min(1.0, 2.0)), (2.0, 1.0));
    }
}
