//! Points of the plane.

use std::ops::{Add, Mul, Sub};

use crate::molecule::{Molecule, Ring};

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

/// The places of atoms; `None` where nothing is known yet.
pub(super) type Places = Vec<Option<Point>>;

/// Returns the neighbours of an atom that have places, each with its direction.
pub(super) fn directions(molecule: &Molecule, atom: usize, places: &Places) -> Vec<(usize, f64)> {
    let here = places[atom].unwrap_or_default();
    let around = molecule.neighbours(atom).iter();
    around.filter_map(|&(other, _)| Some((other, (places[other]? - here).angle()))).collect()
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

/// Share of its width that a gap inside a ring counts: what hangs on a ring stands outside it.
const INSIDE: f64 = 0.55;

/// Returns the directions that divide the largest gap between the bonds of an atom into equal parts, one after the other;
/// `taken` has the other ends of its bonds with their directions.
pub(super) fn divide_gap(molecule: &Molecule, atom: usize, taken: &[(usize, f64)], parts: usize) -> Vec<f64> {
    let turn = std::f64::consts::TAU;
    let mut ends: Vec<(usize, f64)> =
        taken.iter().map(|&(other, angle)| (other, angle.rem_euclid(turn))).collect();
    ends.sort_by(|one, other| one.1.total_cmp(&other.1));
    let next = |at: usize| match ends.get(at + 1) {
        Some(&(other, angle)) => (other, angle - ends[at].1),
        None => (ends[0].0, ends[0].1 + turn - ends[at].1),
    };
    let has = |ring: &Ring, end: usize| ring.atoms.contains(&end);
    let is_inside = |one: usize, other: usize| {
        one != other
            && molecule.rings.iter().any(|ring| has(ring, atom) && has(ring, one) && has(ring, other))
    };
    let room = |at: usize| {
        let (other, width) = next(at);
        if is_inside(ends[at].0, other) && ends.len() > 2 { INSIDE * width } else { width }
    };
    // Gaps that differ by rounding alone are equal: the first counts.
    let widest = (0..ends.len()).reduce(|best, at| if room(at) > room(best) + 1e-6 { at } else { best });
    let (start, width) = widest.map_or((0.0, turn), |at| (ends[at].1, next(at).1));
    (1..=parts).map(|part| start + width * part as f64 / (parts + 1) as f64).collect()
}
