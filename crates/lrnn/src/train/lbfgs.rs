//! The method of Broyden, Fletcher, Goldfarb and Shanno with limited memory: steps that know the curvature of the loss
//! over all examples, from the last few steps and how they changed the gradient.
//!
//! It sees one loss and one gradient at a time, as every optimizer does: those at the point it tried. A point whose
//! loss is not enough smaller is given up for one nearer to where the step began, and one where the loss still falls as
//! steeply for one farther away: then a step also gets across the kinks that a maximum makes.

use crate::function::Real;

/// Number of steps that it remembers.
const PAIRS: usize = 30;
/// A step must bring at least this share of what its slope promises.
const ENOUGH: f64 = 1e-4;
/// Share of the slope above which a step is too short.
const STEEP: f64 = 0.9;
/// A kink stays steep however near one comes: after so many points a lower one will do.
const MOST_LONGER: u32 = 4;
/// Share of the loss that a step must promise to be worth it.
const WORTHWHILE: f64 = 1e-7;
/// Share of the slope below which a point is level, and share of the loss below which that is where it should be.
const LEVEL: f64 = 1e-4;
const LOW: f64 = 0.01;
/// After so many points that were no better, there is nothing to gain in that direction.
const MOST_TRIALS: u32 = 20;

/// The curvature of the loss, as the last few steps tell, and the step that is being made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curvature<R> {
    /// Beginning of the step, and the gradient there.
    pub base: Vec<R>,
    /// The gradient where the step began.
    pub gradient: Vec<R>,
    /// Direction of the step.
    pub direction: Vec<R>,
    /// Steps that were made, the last one last, each with the change of the gradient.
    pub pairs: Vec<(Vec<R>, Vec<R>)>,
    /// The loss where the step began.
    pub loss: f64,
    /// Distance along the direction of the point that is tried.
    pub length: f64,
    /// The longest length that is known to be too short.
    pub short: f64,
    /// The shortest length that is known to be too long.
    pub long: f64,
    /// Number of points tried in this direction.
    pub trials: u32,
}

pub(super) fn dot<R: Real>(left: &[R], right: &[R]) -> f64 {
    left.iter().zip(right).map(|(&a, &b)| a.to_f64() * b.to_f64()).sum()
}

/// `to += factor · from`
pub(super) fn add<R: Real>(to: &mut [R], factor: f64, from: &[R]) {
    let factor = R::from_f64(factor);
    to.iter_mut().zip(from).for_each(|(to, &from)| *to += factor * from);
}

fn minus<R: Real>(left: &[R], right: &[R]) -> Vec<R> {
    left.iter().zip(right).map(|(&a, &b)| a - b).collect()
}

impl<R: Real> Curvature<R> {
    /// Takes the loss and gradient at `point` and moves it to the next point to try. `false` if no step makes the
    /// loss smaller; `point` is then the best there is.
    pub fn step(&mut self, rate: f64, loss: f64, gradient: &[R], point: &mut [R]) -> bool {
        let slope = dot(&self.gradient, &self.direction);
        let is_lower = loss <= self.loss + ENOUGH * self.length * slope && !self.is_plateau(loss, gradient);
        let is_steep = dot(gradient, &self.direction) < STEEP * slope;
        if self.base.is_empty() {
            self.begin(loss, gradient, point);
        } else if is_lower && !(is_steep && self.trials < MOST_LONGER) {
            self.remember(gradient, point);
            self.begin(loss, gradient, point);
            if !self.pairs.is_empty() && -dot(&self.direction, gradient) <= WORTHWHILE * loss.abs() {
                return false;
            }
        } else if self.trials < MOST_TRIALS {
            self.trials += 1;
            *(if is_lower { &mut self.short } else { &mut self.long }) = self.length;
            self.length = if self.long.is_infinite() { 2.0 * self.short } else { self.between() };
        } else if self.short > 0.0 {
            self.length = self.short; // lower at least
        } else if self.pairs.is_empty() {
            point.copy_from_slice(&self.base);
            return false;
        } else {
            self.pairs.clear(); // what it remembers misleads: straight down once more
            let (base, gradient) = (self.base.clone(), self.gradient.clone());
            self.begin(self.loss, &gradient, &base);
        }
        if self.trials == 0 {
            // Without memory the length is a guess: as far as the rate, whatever the gradient.
            let norm = dot(&self.direction, &self.direction).sqrt();
            if norm == 0.0 {
                return false; // it is level here
            }
            self.length = if self.pairs.is_empty() { rate / norm } else { 1.0 };
        }
        point.copy_from_slice(&self.base);
        add(point, self.length, &self.direction);
        true
    }

    /// Returns whether a first step, whose length is a guess, has led to where nothing can be learned any more: it is level
    /// there, but not low.
    fn is_plateau(&self, loss: f64, gradient: &[R]) -> bool {
        let steepness = dot(&self.gradient, &self.gradient);
        self.pairs.is_empty()
            && loss > LOW * self.loss
            && dot(gradient, gradient) <= LEVEL * LEVEL * steepness
    }

    /// Returns a length between one that is too short and one that is too long.
    fn between(&self) -> f64 {
        if self.short > 0.0 { 0.5 * (self.short + self.long) } else { 0.4 * self.long }
    }

    fn begin(&mut self, loss: f64, gradient: &[R], point: &[R]) {
        self.base = point.to_vec();
        self.gradient = gradient.to_vec();
        self.loss = loss;
        (self.short, self.long, self.trials) = (0.0, f64::INFINITY, 0);
        self.direction = self.towards();
        let slope = dot(&self.direction, gradient);
        let is_far = self.direction.iter().any(|number| !number.is_finite());
        if slope >= 0.0 || !slope.is_finite() || is_far {
            self.pairs.clear();
            self.direction = gradient.iter().map(|&slope| -slope).collect();
        }
    }

    /// Keeps the step that was made, if the slope grew along it.
    fn remember(&mut self, gradient: &[R], point: &[R]) {
        let (step, change) = (minus(point, &self.base), minus(gradient, &self.gradient));
        let bend = dot(&step, &change);
        if bend > 1e-10 * dot(&change, &change) && bend.is_finite() {
            self.pairs.push((step, change));
            if self.pairs.len() > PAIRS {
                self.pairs.remove(0);
            }
        }
    }

    /// Minus the gradient, times the inverse curvature that the pairs tell of.
    fn towards(&self) -> Vec<R> {
        let mut direction: Vec<R> = self.gradient.iter().map(|&slope| -slope).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change) in self.pairs.iter().rev() {
            let share = dot(step, &direction) / dot(step, change);
            add(&mut direction, -share, change);
            shares.push(share);
        }
        if let Some((step, change)) = self.pairs.last() {
            let scale = R::from_f64(dot(step, change) / dot(change, change));
            direction.iter_mut().for_each(|number| *number *= scale);
        }
        for ((step, change), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = dot(change, &direction) / dot(step, change);
            add(&mut direction, share - back, step);
        }
        direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a long, bent valley: Rosenbrock's.
    fn valley(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
    }

    #[test]
    fn it_finds_the_end_of_a_bent_valley() {
        let (mut point, mut curvature) = (vec![-1.2, 1.0], Curvature::default());
        for _ in 0..100 {
            let (loss, gradient) = valley(&point);
            if !curvature.step(0.1, loss, &gradient, &mut point) {
                break;
            }
        }
        assert!(valley(&point).0 < 1e-12, "{point:?}");
    }

    /// A length of the rate over no slope is none, and what is remembered may be out of range in single precision.
    #[test]
    fn no_point_is_out_of_range() {
        let (mut point, mut curvature) = (vec![3.0f32], Curvature::default());
        assert!(!curvature.step(10.0, 1.0, &[0.0], &mut point));
        assert_eq!(point, [3.0]);
        let mut curvature = Curvature::default();
        let gradient = |x: f32| -> f32 { if x > 1.0 { 1e30 } else { 1e-30 } };
        let mut point = vec![1.5f32];
        for _ in 0..60 {
            let loss = f64::from(point[0]) * f64::from(gradient(point[0]));
            let goes_on = curvature.step(1.0, loss, &[gradient(point[0])], &mut point);
            assert!(point[0].is_finite(), "{curvature:?}");
            if !goes_on {
                break;
            }
        }
    }

    /// A valley at 1, and a plateau behind 4 that is lower than the start.
    #[test]
    fn a_first_step_that_is_too_long_does_not_end_on_a_plateau() {
        let (mut point, mut curvature) = (vec![-1.0f64], Curvature::default());
        for _ in 0..100 {
            let x = point[0];
            let (bell, step) = ((-(x - 1.0) * (x - 1.0)).exp(), (20.0 * (x - 4.0)).sigmoid());
            let loss = 1.0 - 0.9 * bell - 0.3 * step;
            let slope = 1.8 * (x - 1.0) * bell - 6.0 * step * (1.0 - step);
            if !curvature.step(10.0, loss, &[slope], &mut point) {
                break;
            }
        }
        assert!((point[0] - 1.0).abs() < 1e-3, "{point:?}");
    }

    #[test]
    fn at_the_bottom_it_says_so() {
        let (mut point, mut curvature) = (vec![3.0f32], Curvature::default());
        let goes_on = |_| {
            let (loss, gradient) = (f64::from(point[0].abs()), [point[0].signum()]);
            curvature.step(1.0, loss, &gradient, &mut point)
        };
        assert!((0..1000).map(goes_on).any(|goes_on| !goes_on), "a kink without an end");
        assert!(point[0].abs() < 1e-3);
    }
}
