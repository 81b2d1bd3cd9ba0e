//! Portable mathematics: `exp`, `ln` and what is made of them, in `f64` and `f32`.
//!
//! The functions of a platform's library differ from platform to platform in the last bit, and learning carries
//! that bit a long way. These are built of basic operations alone, which every platform rounds alike, without
//! tables and almost without branches, so that loops over slices vectorise. In exchange they are not correctly
//! rounded. Errors, in units in the last place, as the tests check them:
//!
//! | function | bound | note |
//! |---|---|---|
//! | [`exp`] | 1 | to the smallest numbers, then 0; too large is infinite |
//! | [`ln`] | 1 | of 0 minus infinity; of a negative number not a number |
//! | [`tanh`], [`sigmoid`], [`softplus`] | 3 | relative also where the result is near 0 |
//!
//! What is not a number gives what is not a number.

use super::float::Float;

/// c0 + c1 x + c2 x² + … for an even number of coefficients, two at a time to shorten the chain of operations.
#[inline]
fn polynomial<F: Float>(coefficients: &[F], x: F) -> F {
    let square = x * x;
    coefficients.chunks_exact(2).rev().fold(F::ZERO, |sum, pair| sum * square + (pair[0] + pair[1] * x))
}

/// x as k ln(2) + r: gives k, and e^r − 1 as a larger and a smaller part.
#[inline]
fn reduce<F: Float>(x: F) -> (i32, F, F) {
    let shifted = x * F::LOG2_E + F::ROUNDER;
    let k = shifted - F::ROUNDER;
    // The leading part of r is exact; its rounding goes to the smaller part.
    let (high, low) = (x - k * F::LN_2_HIGH, k * F::LN_2_LOW);
    let r = high - low;
    (F::whole(shifted), high, r * r * polynomial(F::EXP_SERIES, r) - low)
}

#[inline]
fn clamp<F: Float>(x: F, (low, high): (F, F)) -> F {
    let above = if x < low { low } else { x };
    if above > high { high } else { above }
}

/// e^x.
#[inline]
pub fn exp<F: Float>(x: F) -> F {
    let (k, high, low) = reduce(clamp(x, F::EXP_RANGE));
    // In two steps, since 2^k alone may be too large or too small.
    let half = k >> 1;
    (F::ONE + (high + low)) * F::two_to(half) * F::two_to(k - half)
}

/// e^x − 1 for x ≤ 0, without cancellation near 0.
#[inline]
fn exp_minus_one<F: Float>(x: F) -> F {
    // Below the bound the result is −1 to the last bit.
    let (k, high, low) = reduce(clamp(x, (F::from_f64(-64.0), F::ZERO)));
    let scale = F::two_to(k);
    (scale - F::ONE) + scale * (high + low)
}

/// The natural logarithm.
#[inline]
pub fn ln<F: Float>(x: F) -> F {
    let (k, m) = x.split();
    let f = m - F::ONE;
    // ln(1 + f) = 2 artanh(s) with s = f / (2 + f), written so that f, which is exact, leads.
    let s = f / (F::from_f64(2.0) + f);
    let square = s * s;
    let half = F::from_f64(0.5) * f * f;
    let rest = s * (half + square * polynomial(F::ARTANH_SERIES, square)) + k * F::LN_2_LOW;
    let result = k * F::LN_2_HIGH - ((half - rest) - f);
    match x {
        _ if x > F::ZERO && x < F::INFINITY => result,
        _ if x == F::ZERO => -F::INFINITY,
        _ if x == F::INFINITY => x,
        _ => F::NAN,
    }
}

/// ln(1 + x) for 0 ≤ x ≤ 1.
#[inline]
fn ln_one_plus<F: Float>(x: F) -> F {
    let sum = F::ONE + x;
    // What the sum lost in rounding comes back to first order.
    ln(sum) + (x - (sum - F::ONE)) / sum
}

/// The hyperbolic tangent.
#[inline]
pub fn tanh<F: Float>(x: F) -> F {
    let t = exp_minus_one(F::from_f64(-2.0) * x.abs());
    (-t / (F::from_f64(2.0) + t)).with_sign(x)
}

/// 1 / (1 + e^−x).
#[inline]
pub fn sigmoid<F: Float>(x: F) -> F {
    let e = exp(-x.abs());
    (if x < F::ZERO { e } else { F::ONE }) / (F::ONE + e)
}

/// ln(1 + e^x).
#[inline]
pub fn softplus<F: Float>(x: F) -> F {
    let above = if x < F::ZERO { F::ZERO } else { x };
    above + ln_one_plus(exp(-x.abs()))
}
