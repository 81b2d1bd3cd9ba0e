//! Where the atoms of a molecule stand in its picture. Rings are regular polygons where they can be, fused rings share
//! their bonds ([`system`]); chains are zigzag at 120 degrees ([`chain`]); parts that would lie in the way of others
//! are flipped ([`clash`]); then the whole is turned so that bonds stand as on paper and it is wider than high.

mod chain;
mod clash;
mod point;
mod system;

use std::f64::consts::PI;

pub use self::point::Point;
use crate::molecule::Molecule;

/// Distance between parts that no bond joins.
const APART: f64 = 1.2;

impl Molecule {
    /// Lays the molecule out in the plane: the place of each atom, bonds about 1 long.
    ///
    /// ```
    /// let benzene = lrnn_chem::Molecule::from_smiles("c1ccccc1")?;
    /// let places = benzene.layout();
    /// let across = (places[0].x - places[3].x).hypot(places[0].y - places[3].y);
    /// assert!((across - 2.0).abs() < 1e-9); // a regular hexagon
    /// # Ok::<(), lrnn_chem::MoleculeError>(())
    /// ```
    pub fn layout(&self) -> Vec<Point> {
        let mut places = chain::place_all(self);
        let mut left = 0.0;
        for part in self.parts() {
            self.place_part(&part, &mut places, &mut left);
        }
        places
    }

    /// Clears and turns one part, and sets it to the right of the parts before.
    fn place_part(&self, part: &[usize], places: &mut [Point], left: &mut f64) {
        let alone = self.part_of(&(0..self.atoms.len()).map(|atom| part.contains(&atom)).collect::<Vec<_>>());
        let mut own: Vec<Point> = part.iter().map(|&atom| places[atom]).collect();
        clash::resolve(&alone, &mut own);
        turn(&alone, &mut own);
        let bounds = bounds(&own);
        for (&atom, place) in part.iter().zip(own) {
            let middle = (bounds[0].y + bounds[1].y) / 2.0;
            places[atom] = Point::new(place.x - bounds[0].x + *left, place.y - middle);
        }
        *left += bounds[1].x - bounds[0].x + APART;
    }
}

/// Turns a part: most bonds at 30 degrees or upright, and wider than high.
fn turn(molecule: &Molecule, places: &mut [Point]) {
    let ways = molecule.bonds.iter().map(|bond| places[bond.atoms[1]] - places[bond.atoms[0]]);
    // Directions 60 degrees apart add up.
    let sum = ways.fold(Point::default(), |sum, way| sum + Point::towards(6.0 * way.angle()));
    let off = if sum.norm() > 1e-6 { (PI - sum.angle()) / 6.0 } else { 0.0 };
    let turned = |step: usize| -> Vec<Point> {
        let angle = off + PI / 3.0 * step as f64;
        places.iter().map(|place| place.turned(angle)).collect()
    };
    let flatness = |places: &Vec<Point>| {
        let [low, high] = bounds(places);
        (high.x - low.x) - (high.y - low.y)
    };
    let options = (0..3).map(turned);
    let best =
        options.reduce(|best, next| if flatness(&next) > flatness(&best) + 1e-3 { next } else { best });
    best.into_iter().for_each(|best| places.copy_from_slice(&best));
}

fn bounds(places: &[Point]) -> [Point; 2] {
    let start = [Point::new(f64::INFINITY, f64::INFINITY), Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY)];
    places.iter().fold(start, |[low, high], place| {
        [
            Point::new(low.x.min(place.x), low.y.min(place.y)),
            Point::new(high.x.max(place.x), high.y.max(place.y)),
        ]
    })
}
