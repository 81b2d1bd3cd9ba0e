//! Parts of a molecule that lie in the way of others: flipped at bonds outside rings, where that is not enough turned,
//! until nothing crosses or touches.

use super::point::{Point, cross, distance_to_line};
use crate::molecule::Molecule;
use crate::ring::in_rings;

/// At most so many moves.
const MOST_MOVES: usize = 60;
/// Nothing is in the way of anything else.
const CLEAR: f64 = 0.05;

/// A bond outside rings, with the atoms behind its second end.
struct Joint {
    ends: [usize; 2],
    behind: Vec<usize>,
    is_behind: Vec<bool>,
}

/// Flips and turns parts until nothing is in the way of anything else, or no move makes it better.
pub(super) fn resolve(molecule: &Molecule, places: &mut Vec<Point>) {
    let joints = joints(molecule);
    for _ in 0..MOST_MOVES {
        let crowding = crowding(molecule, places);
        let now: f64 = crowding.iter().sum();
        if now < CLEAR || !step(molecule, &joints, places, (&crowding, now)) {
            return;
        }
    }
}

/// Makes the best move of a joint, if there is a good one.
fn step(
    molecule: &Molecule,
    joints: &[Joint],
    places: &mut Vec<Point>,
    (crowds, now): (&[f64], f64),
) -> bool {
    let crowded: Vec<bool> = crowds.iter().map(|&crowd| crowd > CLEAR / 4.0).collect();
    let mut best: Option<(f64, Vec<Point>)> = None;
    // A flip keeps all angles; a turn costs something.
    let turns = [0.35, 0.7, 1.05, 1.6, 2.1].into_iter().flat_map(|turn| [turn, -turn]);
    for turn in [0.0].into_iter().chain(turns) {
        for joint in joints {
            let [inside, outside] = [true, false]
                .map(|behind| (0..places.len()).any(|atom| crowded[atom] && joint.is_behind[atom] == behind));
            if !(inside && outside) || (turn == 0.0 && joint.behind.len() < 2) {
                continue;
            }
            let moved = joint.moved(places, turn);
            let value = crowding(molecule, &moved).iter().sum::<f64>() + 0.1 * f64::abs(turn);
            if value < now - 1e-3 && best.as_ref().is_none_or(|best| value < best.0 - 1e-6) {
                best = Some((value, moved));
            }
        }
        // What flips can do, turns need not.
        if turn == 0.0 && best.as_ref().is_some_and(|best| best.0 < now / 2.0) {
            break;
        }
    }
    best.map(|best| *places = best.1).is_some()
}

impl Joint {
    fn moved(&self, places: &[Point], turn: f64) -> Vec<Point> {
        let mut moved = places.to_vec();
        let [from, to] = self.ends.map(|end| places[end]);
        for &atom in &self.behind {
            moved[atom] = match turn == 0.0 {
                true => places[atom].mirrored(from, to),
                false => from + (places[atom] - from).turned(turn),
            };
        }
        moved
    }
}

/// Returns the bonds outside rings, each once from either end.
fn joints(molecule: &Molecule) -> Vec<Joint> {
    let cyclic = in_rings(molecule.bonds.len(), &molecule.rings);
    let open = molecule.bonds.iter().zip(cyclic).filter(|(_, cyclic)| !cyclic);
    let both = open.flat_map(|(bond, _)| [bond.atoms, [bond.atoms[1], bond.atoms[0]]]);
    let joint = |ends: [usize; 2]| {
        let mut is_behind = vec![false; molecule.atoms.len()];
        is_behind[ends[0]] = true;
        let behind = molecule.reached(ends[1], &mut is_behind);
        is_behind[ends[0]] = false;
        Joint { ends, behind, is_behind }
    };
    both.map(joint).filter(|joint| joint.behind.len() * 2 <= molecule.atoms.len() + 1).collect()
}

/// Returns how much is in the way of each atom: atoms too near, and bonds that cross or touch.
fn crowding(molecule: &Molecule, places: &[Point]) -> Vec<f64> {
    let mut crowding = vec![0.0; places.len()];
    for (atom, &place) in places.iter().enumerate() {
        for (other, &there) in places.iter().enumerate().take(atom) {
            let (x, y) = (place.x - there.x, place.y - there.y);
            let square = x * x + y * y;
            if square < 0.9 && !molecule.neighbours(atom).iter().any(|near| near.0 == other) {
                let crowd = (0.95 - square.sqrt()).powi(2) * 2.0;
                crowding[atom] += crowd;
                crowding[other] += crowd;
            }
        }
    }
    for (number, bond) in molecule.bonds.iter().enumerate() {
        let line = bond.atoms.map(|atom| places[atom]);
        for other in &molecule.bonds[..number] {
            let apart = other.atoms.iter().all(|atom| !bond.atoms.contains(atom));
            let lines = other.atoms.map(|atom| places[atom]);
            let far = (line[0].x - lines[0].x).abs() > 2.5 || (line[0].y - lines[0].y).abs() > 2.5;
            if apart && !far && cross(line, lines) {
                other.atoms.iter().chain(&bond.atoms).for_each(|&atom| crowding[atom] += 1.0);
            }
        }
        for (atom, &place) in places.iter().enumerate() {
            let far = (place.x - line[0].x).abs() > 1.6 || (place.y - line[0].y).abs() > 1.6;
            if !far && !bond.atoms.contains(&atom) {
                let distance = distance_to_line(place, line);
                if distance < 0.35 {
                    crowding[atom] += 0.35 - distance;
                }
            }
        }
    }
    crowding
}
