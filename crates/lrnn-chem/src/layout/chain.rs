//! Chains: from atom to atom, zigzag at 120 degrees, ring systems set on as they are.

use std::collections::VecDeque;
use std::f64::consts::PI;

use super::point::{Places, Point, directions, divide_gap};
use super::system::{place_system, ring_systems};
use crate::molecule::{BondOrder, Molecule};

/// Places the atoms of a molecule, part after part, with no care for parts in the way of others.
pub(super) fn place_all(molecule: &Molecule) -> Vec<Point> {
    let systems: Vec<Places> =
        ring_systems(molecule).iter().map(|rings| place_system(molecule, rings)).collect();
    let mut growth = ChainGrowth { molecule, systems, places: vec![None; molecule.atoms.len()] };
    for part in molecule.parts() {
        growth.grow(&part);
    }
    growth.places.into_iter().map(Option::unwrap_or_default).collect()
}

struct ChainGrowth<'a> {
    molecule: &'a Molecule,
    systems: Vec<Places>,
    places: Places,
}

impl ChainGrowth<'_> {
    /// Places one part: from its largest ring system, or along its longest chain.
    fn grow(&mut self, part: &[usize]) {
        let size = |system: &Places| system.iter().flatten().count();
        let of_part = self.systems.iter().filter(|system| part.iter().any(|&atom| system[atom].is_some()));
        let largest = of_part.reduce(|best, system| if size(system) > size(best) { system } else { best });
        let mut queue: VecDeque<usize> = match largest {
            Some(system) => {
                let system = system.clone();
                let atoms = part.iter().copied().filter(|&atom| system[atom].is_some());
                atoms.inspect(|&atom| self.places[atom] = system[atom]).collect()
            }
            None => {
                let end = self.farthest(self.farthest(part[0]));
                self.places[end] = Some(Point::default());
                VecDeque::from([end])
            }
        };
        while let Some(atom) = queue.pop_front() {
            let here = self.places[atom].unwrap_or_default();
            let (next, directions) = self.directions(atom);
            for (other, direction) in next.into_iter().zip(directions) {
                let place = here + Point::towards(direction);
                queue.extend(self.set(other, place, direction));
            }
        }
    }

    /// Returns the atom that is farthest from another.
    fn farthest(&self, start: usize) -> usize {
        let reached = self.molecule.reached(start, &mut vec![false; self.places.len()]);
        reached.last().copied().unwrap_or(start)
    }

    /// Places an atom, and the ring system that it is part of. Returns what was placed.
    fn set(&mut self, atom: usize, place: Point, direction: f64) -> Vec<usize> {
        let Some(system) = self.systems.iter().find(|system| system[atom].is_some()) else {
            self.places[atom] = Some(place);
            return vec![atom];
        };
        let local = |other: usize| system[other].unwrap_or_default();
        let centre = local(atom);
        let around = self.molecule.neighbours(atom);
        let inside = around.iter().filter(|(other, _)| system[*other].is_some());
        let taken: Vec<(usize, f64)> =
            inside.map(|&(other, _)| (other, (local(other) - centre).angle())).collect();
        let outside = around.len() - taken.len();
        let free = divide_gap(self.molecule, atom, &taken, outside)[(outside - 1) / 2];
        let turn = direction + PI - free;
        let members: Vec<usize> = (0..system.len()).filter(|&member| system[member].is_some()).collect();
        for &member in &members {
            self.places[member] = Some(place + (local(member) - centre).turned(turn));
        }
        members
    }

    /// Returns the neighbours of an atom without places, and the direction of each.
    fn directions(&self, atom: usize) -> (Vec<usize>, Vec<f64>) {
        let around = self.molecule.neighbours(atom);
        let taken = directions(self.molecule, atom, &self.places);
        let mut next: Vec<usize> =
            around.iter().map(|near| near.0).filter(|&other| self.places[other].is_none()).collect();
        next.sort_by_key(|&other| std::cmp::Reverse(self.branch(atom, other)));
        let step = if self.is_linear(atom) { PI } else { 2.0 * PI / 3.0 };
        let directions = match (taken.as_slice(), next.len()) {
            ([], 1) => vec![PI / 6.0],
            ([], 2) => vec![PI / 6.0, PI / 6.0 + step],
            ([], count) => (0..count).map(|at| 2.0 * PI * at as f64 / count as f64).collect(),
            (_, 0) => Vec::new(),
            (&[(_, back)], 1) => vec![back + self.turn(atom, back) * step],
            (&[(_, back)], 2) => {
                let turn = self.turn(atom, back);
                vec![back + turn * step, back - turn * step]
            }
            // The largest branch goes straight on.
            (&[(_, back)], 3) => vec![back + PI, back + PI / 2.0, back - PI / 2.0],
            (taken, count) => divide_gap(self.molecule, atom, taken, count),
        };
        (next, directions)
    }

    /// Tells whether the bonds of an atom lie on one line.
    fn is_linear(&self, atom: usize) -> bool {
        let orders =
            || self.molecule.neighbours(atom).iter().map(|&(_, bond)| self.molecule.bonds[bond].order);
        orders().count() == 2
            && (orders().any(|order| order >= BondOrder::Triple)
                || orders().all(|order| order == BondOrder::Double))
    }

    /// Returns the side a chain turns to: the other than at the atom before.
    fn turn(&self, atom: usize, back: f64) -> f64 {
        let here = self.places[atom].unwrap_or_default();
        let near = |point: Point| (point - here - Point::towards(back)).norm() < 0.3;
        let placed = |&(other, _): &(usize, usize)| Some((other, self.places[other]?));
        let before = self.molecule.neighbours(atom).iter().filter_map(placed).find(|(_, at)| near(*at));
        let Some((before, from)) = before else { return 1.0 };
        let further = self.molecule.neighbours(before).iter().filter(|(other, _)| *other != atom);
        let side = |at: Point| (from - at).cross(here - from);
        let sides: Vec<f64> = further.filter_map(|&(other, _)| Some(side(self.places[other]?))).collect();
        match sides.first() {
            Some(&side) if side > 0.0 => 1.0,
            _ => -1.0,
        }
    }

    /// Returns how many atoms hang on an atom behind another, at most 50.
    fn branch(&self, before: usize, atom: usize) -> usize {
        let mut seen = vec![before, atom];
        let mut at = 1;
        while at < seen.len() && seen.len() < 50 {
            for &(other, _) in self.molecule.neighbours(seen[at]) {
                if !seen.contains(&other) {
                    seen.push(other);
                }
            }
            at += 1;
        }
        seen.len()
    }
}
