//! Points of the plane.

use std::ops::{Add, Mul, Sub};

/// A point of the plane, or the way from one to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards, as on a screen.
    pub y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Returns the way of length 1 in a direction.
    pub(super) fn towards(angle: f64) -> Self {
        let (y, x) = angle.sin_cos();
        Self { x, y }
    }

    pub(crate) fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }

    pub(super) fn angle(self) -> f64 {
        self.y.atan2(self.x)
    }

    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub(super) fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub(super) fn turned(self, angle: f64) -> Self {
        let way = Self::towards(angle);
        Self::new(self.x * way.x - self.y * way.y, self.x * way.y + self.y * way.x)
    }

    /// Returns the mirror image at the line through two points.
    pub(super) fn mirrored(self, from: Self, to: Self) -> Self {
        let way = to - from;
        let along = way * ((self - from).dot(way) / way.dot(way).max(1e-12));
        from + along * 2.0 - (self - from)
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

/// Returns the middle of points.
pub(super) fn middle(points: impl Iterator<Item = Point>) -> Point {
    let (sum, count) = points.fold((Point::default(), 0), |(sum, count), point| (sum + point, count + 1));
    sum * (1.0 / f64::from(count.max(1)))
}

/// Tells whether two lines between points cross, ends not counted.
pub(super) fn cross([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let side = |p: Point, q: Point, r: Point| (q - p).cross(r - p);
    let apart = |one: f64, other: f64| one * other < -1e-9;
    apart(side(a, b, c), side(a, b, d)) && apart(side(c, d, a), side(c, d, b))
}

/// Returns how far a point is from the line between two others.
pub(super) fn distance_to_line(point: Point, [a, b]: [Point; 2]) -> f64 {
    let way = b - a;
    let share = ((point - a).dot(way) / way.dot(way).max(1e-12)).clamp(0.0, 1.0);
    (point - a - way * share).norm()
}

/// Returns the directions that divide the largest gap between others into equal parts, one after the other.
pub(super) fn divide_gap(taken: &[f64], parts: usize) -> Vec<f64> {
    let turn = std::f64::consts::TAU;
    let mut angles: Vec<f64> = taken.iter().map(|angle| angle.rem_euclid(turn)).collect();
    angles.sort_by(f64::total_cmp);
    let gap = |at: usize| match angles.get(at + 1) {
        Some(next) => next - angles[at],
        None => angles[0] + turn - angles[at],
    };
    // Gaps that differ by rounding alone are equal: the first counts.
    let widest = (0..angles.len()).reduce(|best, at| if gap(at) > gap(best) + 1e-6 { at } else { best });
    let (start, width) = widest.map_or((0.0, turn), |at| (angles[at], gap(at)));
    (1..=parts).map(|part| start + width * part as f64 / (parts + 1) as f64).collect()
}
