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
#[inline(always)]
fn polynomial<F: Float>(coefficients: &[F], x: F) -> F {
    let square = x * x;
    coefficients.chunks_exact(2).rev().fold(F::ZERO, |sum, pair| sum * square + (pair[0] + pair[1] * x))
}

/// x as k ln(2) + r: gives k, and e^r − 1 as a larger and a smaller part.
#[inline(always)]
fn reduce<F: Float>(x: F) -> (i32, F, F) {
    let shifted = x * F::LOG2_E + F::ROUNDER;
    let k = shifted - F::ROUNDER;
    // The leading part of r is exact; its rounding goes to the smaller part.
    let (high, low) = (x - k * F::LN_2_HIGH, k * F::LN_2_LOW);
    let r = high - low;
    (F::whole(shifted), high, r * r * polynomial(F::EXP_SERIES, r) - low)
}

#[inline(always)]
fn clamp<F: Float>(x: F, (low, high): (F, F)) -> F {
    let above = if x < low { low } else { x };
    if above > high { high } else { above }
}

/// Returns e^x.
#[inline(always)]
pub fn exp<F: Float>(x: F) -> F {
    let (k, high, low) = reduce(clamp(x, F::EXP_RANGE));
    // In two steps, since 2^k alone may be too large or too small.
    let half = k >> 1;
    (F::ONE + (high + low)) * F::two_to(half) * F::two_to(k - half)
}

/// Returns e^x − 1 for x ≤ 0, without cancellation near 0.
#[inline(always)]
fn exp_minus_one<F: Float>(x: F) -> F {
    // Below the bound the result is −1 to the last bit.
    let (k, high, low) = reduce(clamp(x, (F::from_f64(-64.0), F::ZERO)));
    let scale = F::two_to(k);
    (scale - F::ONE) + scale * (high + low)
}

/// Returns the natural logarithm.
#[inline(always)]
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

/// Returns ln(1 + x) for 0 ≤ x ≤ 1.
#[inline(always)]
fn ln_one_plus<F: Float>(x: F) -> F {
    let sum = F::ONE + x;
    // What the sum lost in rounding comes back to first order.
    ln(sum) + (x - (sum - F::ONE)) / sum
}

/// Returns the hyperbolic tangent.
#[inline(always)]
pub fn tanh<F: Float>(x: F) -> F {
    let t = exp_minus_one(F::from_f64(-2.0) * x.abs());
    (-t / (F::from_f64(2.0) + t)).with_sign(x)
}

/// Returns 1 / (1 + e^−x).
#[inline(always)]
pub fn sigmoid<F: Float>(x: F) -> F {
    let e = exp(-x.abs());
    (if x < F::ZERO { e } else { F::ONE }) / (F::ONE + e)
}

/// Returns ln(1 + e^x).
#[inline(always)]
pub fn softplus<F: Float>(x: F) -> F {
    let above = if x < F::ZERO { F::ZERO } else { x };
    above + ln_one_plus(exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function in both number types.
    type Both = (fn(f64) -> f64, fn(f32) -> f32);

    /// Returns many numbers over a range.
    fn dense(low: f64, high: f64) -> impl Iterator<Item = f64> {
        (0..=200_000).map(move |i| low + (high - low) * (f64::from(i) / 200_000.0))
    }

    /// Returns many numbers of every size over a range.
    fn sizes(low: f64, high: f64) -> impl Iterator<Item = f64> {
        dense(low.ln(), high.ln()).map(f64::exp)
    }

    /// Returns how far a result is from the exact one, in units in the last place.
    fn error_of(found: f64, exact: f64, unit: f64) -> f64 {
        if found == exact { 0.0 } else { (found - exact).abs() / unit }
    }

    /// Checks a function in both types against the platform's in `f64`, which may itself be off by one unit.
    fn check((wide, narrow): Both, platform: fn(f64) -> f64, numbers: impl Iterator<Item = f64>, bound: f64) {
        for x in numbers {
            let exact = platform(x);
            let error = error_of(wide(x), exact, exact.abs().next_up() - exact.abs());
            assert!(error <= bound + 1.0, "f64 {x}: {} for {exact}, {error} units", wide(x));
            let x = x as f32;
            let (exact, rounded) = (platform(f64::from(x)), platform(f64::from(x)) as f32);
            if rounded.is_finite() {
                let unit = f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
                let error = error_of(f64::from(narrow(x)), exact, unit);
                assert!(error <= bound, "f32 {x}: {} for {exact}, {error} units", narrow(x));
            }
        }
    }

    #[test]
    fn exponential_and_logarithm_are_right_to_the_last_place() {
        check((exp, exp), f64::exp, dense(-745.0, 709.0), 1.0);
        check((exp, exp), f64::exp, dense(-87.0, 88.0), 1.0);
        check((exp, exp), f64::exp, dense(-1.0, 1.0), 1.0);
        check((ln, ln), f64::ln, sizes(1e-300, 1e300), 1.0);
        check((ln, ln), f64::ln, sizes(1e-38, 1e38), 1.0);
        check((ln, ln), f64::ln, dense(0.5, 2.0), 1.0);
    }

    #[test]
    fn the_others_are_right_within_three_places() {
        check((tanh, tanh), f64::tanh, dense(-20.0, 20.0), 3.0);
        check((tanh, tanh), f64::tanh, dense(-1.0, 1.0), 3.0);
        check((tanh, tanh), f64::tanh, sizes(1e-300, 1.0), 3.0);
        let platform = |x: f64| {
            let e = (-x.abs()).exp();
            if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
        };
        check((sigmoid, sigmoid), platform, dense(-740.0, 40.0), 3.0);
        check((sigmoid, sigmoid), platform, dense(-20.0, 20.0), 3.0);
        let platform = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        check((softplus, softplus), platform, dense(-740.0, 740.0), 3.0);
        check((softplus, softplus), platform, dense(-20.0, 20.0), 3.0);
    }

    fn check_edges<F: Float>(smallest: F) {
        let (zero, one, endless) = (F::ZERO, F::ONE, F::INFINITY);
        let (half, large) = (F::from_f64(0.5), F::from_f64(1e4));
        let check = |function: fn(F) -> F, edges: &[(F, F)]| {
            edges.iter().for_each(|&(x, y)| assert_eq!(function(x), y, "of {x}"));
        };
        check(exp, &[(zero, one), (endless, endless), (-endless, zero), (large, endless), (-large, zero)]);
        check(ln, &[(one, zero), (zero, -endless), (-zero, -endless), (endless, endless)]);
        check(tanh, &[(zero, zero), (endless, one), (-endless, -one), (smallest, smallest)]);
        check(sigmoid, &[(zero, half), (endless, one), (-endless, zero)]);
        check(softplus, &[(endless, endless), (-endless, zero), (large, large)]);
        let is_nan = |x: F| x.partial_cmp(&x).is_none();
        assert!([exp, ln, tanh, sigmoid, softplus].iter().all(|function| is_nan(function(F::NAN))));
        assert!(is_nan(ln(-one)) && is_nan(ln(-endless)));
        assert!((ln(smallest) - F::from_f64(smallest.to_f64().ln())).abs() < F::from_f64(1e-4));
    }

    #[test]
    fn edges_are_what_they_should_be() {
        check_edges(f64::from_bits(1));
        check_edges(f32::from_bits(1));
    }

    #[test]
    fn every_platform_gives_the_same_bits() {
        let mut sum = 0u64;
        for x in dense(-20.0, 20.0) {
            for function in [exp, ln, tanh, sigmoid, softplus] {
                let bits = if function(x).is_nan() { 0 } else { function(x).to_bits() };
                sum = sum.rotate_left(5) ^ bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            for function in [exp, ln, tanh, sigmoid, softplus] {
                let y = function(x as f32);
                let bits = if y.is_nan() { 0 } else { y.to_bits() };
                sum = sum.rotate_left(5) ^ u64::from(bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
        assert_eq!(sum, 0x7b6f_d955_56bd_780d);
    }
}
