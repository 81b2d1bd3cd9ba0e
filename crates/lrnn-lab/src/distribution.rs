//! Tails of the normal distribution and of Student's, from incomplete gamma and beta functions.

use lrnn::function::math::{exp, ln};

/// Returns the probability that a normal number is at least so far from 0, on either side.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    let x = z * z / 2.0;
    if x < 1.5 { 1.0 - gamma_series(0.5, x) } else { gamma_fraction(0.5, x) }
}

/// Returns the same for Student's distribution with so many degrees of freedom.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() { 0.0 } else { beta(freedom / 2.0, 0.5, freedom / (freedom + t * t)) }
}

/// Returns ln Γ(x) for x > 0: x is raised until Stirling's series is exact to the last digits.
fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = 1.0 / 12.0
        + square
            * (-1.0 / 360.0
                + square
                    * (1.0 / 1260.0
                        + square * (-1.0 / 1680.0 + square * (1.0 / 1188.0 - square * 691.0 / 360_360.0))));
    (x - 0.5) * ln(x) - x + 0.5 * ln(2.0 * std::f64::consts::PI) + series / x - ln(product)
}

/// Returns the lower regularised incomplete gamma function, for small x.
fn gamma_series(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum * exp(a * ln(x) - x - ln_gamma(a))
}

/// Returns the upper one, for large x, by its continued fraction.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let fraction = lentz(x + 1.0 - a, |n| (-n * (n - a), x + 2.0 * n + 1.0 - a));
    exp(a * ln(x) - x - ln_gamma(a)) / fraction
}

/// Returns the regularised incomplete beta function.
fn beta(a: f64, b: f64, x: f64) -> f64 {
    if x >= 1.0 {
        return 1.0;
    }
    if x <= 0.0 {
        return 0.0;
    }
    // The fraction is quick on one side of this; the function is symmetric.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta(b, a, 1.0 - x);
    }
    let front = exp(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(1.0 - x));
    let coefficient = |n: f64| {
        let m = (n / 2.0).floor();
        if n % 2.0 == 0.0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    front / a / lentz(1.0, |n| (coefficient(n), 1.0))
}

/// Returns the continued fraction `first + a1/(b1 + a2/(b2 + ...))` by Lentz's method; `next` gives aₙ and bₙ.
fn lentz(first: f64, next: impl Fn(f64) -> (f64, f64)) -> f64 {
    let tiny = 1e-300;
    let no_zero = |x: f64| if x.abs() < tiny { tiny } else { x };
    let mut value = no_zero(first);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..10_000 {
        let (a, b) = next(f64::from(n));
        d = 1.0 / no_zero(b + a * d);
        c = no_zero(b + a / c);
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-11 * expected, "{found} is not {expected}");
    }

    /// Expected values are SciPy's.
    #[test]
    fn tails_of_the_normal_distribution() {
        check(normal_two_sided(0.0), 1.0);
        check(normal_two_sided(0.1), 0.920344325445942);
        check(normal_two_sided(-1.0), 0.31731050786291415);
        check(normal_two_sided(1.96), 0.04999579029644087);
        check(normal_two_sided(3.5), 0.00046525815807105003);
        check(normal_two_sided(8.0), 1.244192114854348e-15);
        check(normal_two_sided(30.0), 9.813427854295816e-198);
    }

    #[test]
    fn tails_of_students_distribution() {
        check(student_two_sided(0.5, 1.0), 0.7048327646991335);
        check(student_two_sided(2.0, 3.0), 0.13932596855884305);
        check(student_two_sided(2.262157, 9.0), 0.05000001330443163);
        check(student_two_sided(-1.3, 9.0), 0.22590637267304933);
        check(student_two_sided(5.5, 99.0), 2.974458695016893e-07);
        check(student_two_sided(40.0, 9.0), 1.8982998449339822e-11);
        check(student_two_sided(0.0, 5.0), 1.0);
        check(student_two_sided(0.001, 2.5), 0.9992763827207849);
        assert!((student_two_sided(1.0, 1e6) - 0.3173107498335783).abs() < 1e-9);
        assert_eq!(student_two_sided(f64::INFINITY, 3.0), 0.0);
    }
}
