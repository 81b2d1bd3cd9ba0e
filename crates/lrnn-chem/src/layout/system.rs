//! Ring systems. Rings that share a bond stand side by side as regular polygons, one after the other; a ring that meets
//! what stands already in more than a bond closes by an arc. Where that does not come out even, as in bridged systems,
//! a long cycle becomes the outline, the rest stands inside, each atom in the middle of its neighbours (Tutte), and
//! springs pull lengths and angles right. What has the best shape is taken.

use std::f64::consts::{PI, TAU};

use super::point::{Places, Point, cross, directions, divide_gap, middle};
use crate::molecule::{Molecule, Ring};

/// At most so many ways to begin are tried.
const MOST_STARTS: usize = 8;
/// At most so many outlines of a bridged system.
const MOST_OUTLINES: usize = 16;
/// Rings of more atoms bend around others instead of standing across.
const LARGE: usize = 8;
/// At most so many rings of a bridged system are held regular one after the other.
const MOST_HELD: usize = 10;
/// The price of a ring that is visibly not regular.
const UNEVEN: f64 = 1.5;
/// A shape as good as this needs no other.
const GOOD: f64 = 0.02;

/// Groups rings that share atoms.
pub(super) fn ring_systems(molecule: &Molecule) -> Vec<Vec<&Ring>> {
    let mut systems: Vec<Vec<&Ring>> = Vec::new();
    for ring in &molecule.rings {
        let touches = |system: &Vec<&Ring>| system.iter().any(|other| shared(ring, other) > 0);
        let (mut joined, apart): (Vec<_>, Vec<_>) = systems.into_iter().partition(touches);
        joined.push(vec![ring]);
        systems = apart;
        systems.push(joined.concat());
    }
    systems
}

/// Counts the atoms that two rings share.
fn shared(one: &Ring, other: &Ring) -> usize {
    one.atoms.iter().filter(|atom| other.atoms.contains(atom)).count()
}

/// Places the atoms of a ring system.
pub(super) fn place_system(molecule: &Molecule, rings: &[&Ring]) -> Places {
    let system = RingSystem::new(molecule, rings);
    let mut best: Option<(f64, Places)> = None;
    let is_good = |best: &Option<(f64, Places)>| best.as_ref().is_some_and(|best| best.0 < GOOD);
    let mut starts: Vec<&Ring> = rings.to_vec();
    starts
        .sort_by_key(|ring| std::cmp::Reverse(rings.iter().filter(|other| shared(ring, other) > 1).count()));
    for start in starts.iter().take(MOST_STARTS) {
        let mut places = vec![None; molecule.atoms.len()];
        polygon(&start.atoms, &mut places);
        system.complete(&mut places);
        system.consider(&mut best, places);
        if is_good(&best) {
            break;
        }
    }
    if !is_good(&best) {
        let relaxed = best.as_ref().map(|best| system.relaxed(best.1.clone(), &[]));
        relaxed.into_iter().for_each(|places| system.consider(&mut best, places));
        for outline in system.outlines().iter().take(MOST_OUTLINES) {
            let mut places = system.inside(outline);
            system.complete(&mut places);
            system.consider(&mut best, system.relaxed(places, &[]));
        }
        system.hold_rings(&mut best);
    }
    best.map(|best| best.1).unwrap_or_default()
}

/// Places a ring as a regular polygon around 0.
fn polygon(cycle: &[usize], places: &mut Places) {
    let size = cycle.len() as f64;
    let radius = 0.5 / (PI / size).sin();
    for (at, &atom) in cycle.iter().enumerate() {
        places[atom] = Some(Point::towards(TAU * at as f64 / size) * radius);
    }
}

/// Returns the places of `count` atoms between two, all bonds 1 long, on an arc to one side.
fn arc(from: Point, to: Point, count: usize, side: f64) -> Vec<Point> {
    let (way, edges) = (to - from, (count + 1) as f64);
    let distance = way.norm();
    // The chord over the edges, by half of the angle that each edge spans: it falls from `edges` to 0.
    let chord = |half: f64| (edges * half).sin() / half.sin();
    let (mut low, mut high) = (1e-6, PI / edges);
    for _ in 0..60 {
        let half = (low + high) / 2.0;
        if chord(half) > distance { low = half } else { high = half }
    }
    let half = (low + high) / 2.0;
    let length = (distance / chord(half)).max(1.0);
    let mut place = from;
    let step = |at: usize| {
        let turn = side * half * (edges - 1.0 - 2.0 * at as f64);
        place = place + Point::towards(way.angle() + turn) * length;
        place
    };
    (0..count).map(step).collect()
}

struct RingSystem<'a> {
    molecule: &'a Molecule,
    rings: &'a [&'a Ring],
    atoms: Vec<usize>,
    bonds: Vec<usize>,
}

impl<'a> RingSystem<'a> {
    fn new(molecule: &'a Molecule, rings: &'a [&'a Ring]) -> Self {
        let all = |of: fn(&Ring) -> &Vec<usize>| {
            let mut all: Vec<usize> = rings.iter().flat_map(|ring| of(ring).iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        Self { molecule, rings, atoms: all(|ring| &ring.atoms), bonds: all(|ring| &ring.bonds) }
    }

    /// Keeps a shape if it is better than the best.
    fn consider(&self, best: &mut Option<(f64, Places)>, places: Places) {
        let badness = self.badness(&places);
        if best.as_ref().is_none_or(|known| badness < known.0 - 1e-9) {
            *best = Some((badness, places));
        }
    }

    /// Tries shapes in which rings that others bridge stay regular, first each alone, then with those that did.
    fn hold_rings(&self, best: &mut Option<(f64, Places)>) {
        if self.rings.len() > MOST_HELD {
            return;
        }
        let mut held: Vec<usize> = Vec::new();
        loop {
            let before = best.as_ref().map_or(f64::INFINITY, |best| best.0);
            let mut next = None;
            for ring in (0..self.rings.len()).filter(|ring| !held.contains(ring)).collect::<Vec<_>>() {
                let Some((badness, places)) = best.clone() else { return };
                let together: Vec<usize> = held.iter().copied().chain([ring]).collect();
                self.consider(best, self.relaxed(places, &together));
                if best.as_ref().is_some_and(|best| best.0 < badness) {
                    next = Some(ring);
                }
            }
            match next {
                Some(ring) if best.as_ref().is_some_and(|best| best.0 < before - 1e-3) => held.push(ring),
                _ => return,
            }
        }
    }

    fn ends(&self, bond: usize) -> [usize; 2] {
        self.molecule.bonds[bond].atoms
    }

    /// Adds ring after ring to what stands: rings of six first, then those that meet it in most atoms.
    fn complete(&self, places: &mut Places) {
        let mut open: Vec<&Ring> = self.rings.to_vec();
        loop {
            open.retain(|ring| ring.atoms.iter().any(|&atom| places[atom].is_none()));
            let met = |ring: &Ring| ring.atoms.iter().filter(|&&atom| places[atom].is_some()).count();
            let key =
                |ring: &Ring| (met(ring).min(2), ring.atoms.len() <= LARGE, ring.atoms.len() == 6, met(ring));
            let reached = open.iter().filter(|ring| met(ring) > 0);
            let Some(next) = reached.reduce(|best, ring| if key(ring) > key(best) { ring } else { best })
            else {
                break;
            };
            self.add(next, places);
        }
    }

    /// Adds a ring that has at least one place: each run of atoms without one becomes an arc, or the ring a polygon.
    fn add(&self, ring: &Ring, places: &mut Places) {
        let size = ring.atoms.len();
        let known = |at: usize, places: &Places| places[ring.atoms[at % size]].is_some();
        let Some(first) = (0..size).find(|&at| known(at, places) && !known(at + 1, places)) else { return };
        let mut at = first;
        while at < first + size {
            let run = (at + 1..at + size).take_while(|&next| !known(next, places)).count();
            if run > 0 {
                let ends = [ring.atoms[at % size], ring.atoms[(at + run + 1) % size]];
                let atoms: Vec<usize> = (at + 1..=at + run).map(|at| ring.atoms[at % size]).collect();
                self.add_run(ends, &atoms, places);
            }
            at += run + 1;
        }
    }

    fn add_run(&self, [from, to]: [usize; 2], atoms: &[usize], places: &mut Places) {
        let (Some(start), Some(end)) = (places[from], places[to]) else { return };
        let options = match from == to {
            true => {
                let taken = directions(self.molecule, from, places);
                let way = Point::towards(divide_gap(self.molecule, from, &taken, 1)[0]);
                let size = (atoms.len() + 1) as f64;
                let centre = start + way * (0.5 / (PI / size).sin());
                let around = |at: usize| centre + (start - centre).turned(TAU * (at + 1) as f64 / size);
                vec![(0..atoms.len()).map(around).collect()]
            }
            false => vec![arc(start, end, atoms.len(), 1.0), arc(start, end, atoms.len(), -1.0)],
        };
        let crowd = |option: &Vec<Point>| {
            let others = self.atoms.iter().filter_map(|&atom| places[atom]).collect::<Vec<_>>();
            let near = |point: &Point| {
                others.iter().map(|other| 1.0 / (*other - *point).dot(*other - *point).max(1e-3)).sum::<f64>()
            };
            option.iter().map(near).sum::<f64>()
        };
        let best = options.into_iter().min_by(|one, other| crowd(one).total_cmp(&crowd(other)));
        for (&atom, place) in atoms.iter().zip(best.into_iter().flatten()) {
            places[atom] = Some(place);
        }
    }

    /// Returns how far a shape is from what it should be: bonds of length 1, nothing crossing, nothing too near, rings
    /// regular.
    fn badness(&self, places: &Places) -> f64 {
        let at = |atom: usize| places[atom].unwrap_or_default();
        let line = |bond: usize| self.ends(bond).map(at);
        let lengths = self.bonds.iter().map(|&bond| {
            let [a, b] = line(bond);
            10.0 * ((a - b).norm() - 1.0).powi(2)
        });
        let mut badness: f64 = lengths.sum();
        for (number, &bond) in self.bonds.iter().enumerate() {
            let crossed = |&&other: &&usize| cross(line(bond), line(other));
            badness += 5.0 * self.bonds[..number].iter().filter(crossed).count() as f64;
        }
        for (number, &atom) in self.atoms.iter().enumerate() {
            for &other in &self.atoms[..number] {
                let distance = (at(atom) - at(other)).norm();
                if distance < 0.8 && !self.bonded(atom, other) {
                    badness += 20.0 * (0.8 - distance).powi(2);
                }
            }
        }
        badness += self.rings.iter().map(|ring| irregularity(ring, places)).sum::<f64>();
        badness += UNEVEN * self.rings.iter().filter(|ring| is_uneven(ring, places)).count() as f64;
        badness + self.atoms.iter().map(|&atom| self.confinement(atom, places)).sum::<f64>()
    }

    /// Returns how much the system is in the way of what hangs on one of its atoms.
    fn confinement(&self, atom: usize, places: &Places) -> f64 {
        let around = self.molecule.neighbours(atom);
        let outside = around.iter().filter(|near| places[near.0].is_none()).count();
        let (Some(here), true) = (places[atom], outside > 0) else { return 0.0 };
        let ways = divide_gap(self.molecule, atom, &directions(self.molecule, atom, places), outside);
        let confined = |way: f64| {
            let line = [here, here + Point::towards(way)];
            let ends = |bond: usize| self.ends(bond).map(|end| places[end].unwrap_or_default());
            let open = self.bonds.iter().filter(|&&bond| !self.ends(bond).contains(&atom));
            let crossed = open.filter(|&&bond| cross(line, ends(bond))).count();
            let others = self.atoms.iter().filter(|&&other| other != atom);
            let distances = others.filter_map(|&other| Some((places[other]? - line[1]).norm()));
            let near: f64 = distances.map(|distance| (0.8 - distance).max(0.0).powi(2)).sum();
            1.5 * crossed as f64 + 10.0 * near
        };
        ways.into_iter().map(confined).sum()
    }

    fn bonded(&self, atom: usize, other: usize) -> bool {
        self.molecule.neighbours(atom).iter().any(|&(near, _)| near == other)
    }

    /// Returns cycles that bridged rings add up to, the longest first.
    fn outlines(&self) -> Vec<Vec<usize>> {
        let bridged = |ring: &&&Ring| {
            let crosses = |other: &&&Ring| !std::ptr::eq(**ring, **other) && shared(ring, other) > 2;
            ring.atoms.len() <= 2 * LARGE && self.rings.iter().any(|other| crosses(&other))
        };
        let core: Vec<&Ring> = self.rings.iter().filter(bridged).take(8).copied().collect();
        let mut outlines: Vec<Vec<usize>> = Vec::new();
        for chosen in 1_u32..1 << core.len() {
            let mut bonds: Vec<usize> = Vec::new();
            for ring in core.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, ring)| ring)
            {
                for bond in &ring.bonds {
                    match bonds.iter().position(|known| known == bond) {
                        Some(at) => drop(bonds.swap_remove(at)),
                        None => bonds.push(*bond),
                    }
                }
            }
            outlines.extend(self.cycle(bonds));
        }
        outlines.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        outlines.dedup();
        outlines
    }

    /// Returns the atoms around a cycle of bonds; none if the bonds are no single cycle.
    fn cycle(&self, mut bonds: Vec<usize>) -> Option<Vec<usize>> {
        bonds.sort_unstable();
        let [start, mut at] = self.ends(*bonds.first()?);
        let mut atoms = vec![start];
        bonds.remove(0);
        while at != start {
            atoms.push(at);
            let next = bonds.iter().position(|&bond| self.ends(bond).contains(&at))?;
            at = self.molecule.bonds[bonds.remove(next)].other(at);
        }
        bonds.is_empty().then_some(atoms)
    }

    /// Places a cycle as a regular polygon, and what bridges it inside, each atom in the middle of its neighbours.
    fn inside(&self, outline: &[usize]) -> Places {
        let mut places = vec![None; self.molecule.atoms.len()];
        polygon(outline, &mut places);
        let inner: Vec<usize> = self.bridging(outline);
        inner.iter().for_each(|&atom| places[atom] = Some(Point::default()));
        for _ in 0..200 {
            for &atom in &inner {
                let around = self.molecule.neighbours(atom).iter();
                let around: Vec<Point> = around.filter_map(|&(other, _)| places[other]).collect();
                places[atom] = Some(middle(around.into_iter()));
            }
        }
        places
    }

    /// Returns the atoms outside an outline whose rings meet it in more than a bond.
    fn bridging(&self, outline: &[usize]) -> Vec<usize> {
        let mut known: Vec<usize> = outline.to_vec();
        loop {
            let met = |ring: &&&Ring| ring.atoms.iter().filter(|atom| known.contains(atom)).count();
            let next = self.rings.iter().find(|ring| met(ring) > 2 && met(ring) < ring.atoms.len());
            let Some(next) = next else { break };
            let new: Vec<usize> = next.atoms.iter().copied().filter(|atom| !known.contains(atom)).collect();
            known.extend(new);
        }
        known.split_off(outline.len())
    }

    /// Pulls lengths and angles right by springs, in many small steps, with some rings held regular though others bridge
    /// them.
    fn relaxed(&self, mut places: Places, held: &[usize]) -> Places {
        let springs = self.springs(held);
        for _ in 0..600 {
            let mut moves = vec![Point::default(); places.len()];
            let mut pull = |[a, b]: [usize; 2], length: f64, strength: f64| {
                let (Some(from), Some(to)) = (places[a], places[b]) else { return };
                let distance = (to - from).norm().max(1e-6);
                let by = (to - from) * (strength * (distance - length) / distance);
                moves[a] = moves[a] + by;
                moves[b] = moves[b] - by;
            };
            springs.iter().for_each(|&(ends, length, strength)| pull(ends, length, strength));
            for (number, &atom) in self.atoms.iter().enumerate() {
                for &other in &self.atoms[..number] {
                    let both = places[atom].zip(places[other]);
                    if both.is_some_and(|(a, b)| (a - b).norm() < 0.9) && !self.bonded(atom, other) {
                        pull([atom, other], 0.9, 0.1);
                    }
                }
            }
            for &atom in &self.atoms {
                places[atom] = places[atom].map(|place| place + moves[atom]);
            }
        }
        places
    }

    /// Returns pairs of atoms with the distance they should have and how strongly: bonds, and the atoms of each ring,
    /// strongly where no other ring bridges it.
    fn springs(&self, held: &[usize]) -> Vec<([usize; 2], f64, f64)> {
        // Bonds give way to rings that are held.
        let is_held = |bond: &usize| held.iter().any(|&ring| self.rings[ring].bonds.contains(bond));
        let strength = |bond: &usize| if held.is_empty() || is_held(bond) { 0.2 } else { 0.12 };
        let mut springs: Vec<_> =
            self.bonds.iter().map(|bond| (self.ends(*bond), 1.0, strength(bond))).collect();
        for (number, ring) in self.rings.iter().enumerate() {
            let size = ring.atoms.len();
            let crossed = |other: &&&Ring| !std::ptr::eq(*ring, **other) && shared(ring, other) > 2;
            let is_loose = !held.contains(&number) && self.rings.iter().any(|other| crossed(&other));
            let strength = if is_loose { 0.01 } else { 0.15 };
            for at in 0..size {
                for step in 2..=size / 2 {
                    let ends = [ring.atoms[at], ring.atoms[(at + step) % size]];
                    let angle = PI / size as f64;
                    let length = (angle * step as f64).sin() / angle.sin();
                    springs.push((ends, length, strength / (size / 2) as f64));
                }
            }
        }
        springs
    }
}

/// Returns by what share the distance of each atom of a ring from its middle is off that of a regular polygon.
fn off_radius(ring: &Ring, places: &Places) -> Vec<f64> {
    let points: Vec<Point> = ring.atoms.iter().filter_map(|&atom| places[atom]).collect();
    let centre = middle(points.iter().copied());
    let radius = 0.5 / (PI / ring.atoms.len() as f64).sin();
    points.iter().map(|point| (*point - centre).norm() / radius - 1.0).collect()
}

/// Returns how unequal the distances of a ring's atoms from its middle are.
fn irregularity(ring: &Ring, places: &Places) -> f64 {
    let off = off_radius(ring, places);
    off.iter().map(|off| off * off).sum::<f64>() / off.len().max(1) as f64
}

/// Tells whether a ring is visibly not regular.
fn is_uneven(ring: &Ring, places: &Places) -> bool {
    off_radius(ring, places).iter().any(|off| off.abs() > 0.09)
}
