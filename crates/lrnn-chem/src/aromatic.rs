//! Aromaticity by the electrons that the atoms of a ring, or of rings that share bonds, can give: 4n + 2 of them. The
//! definitions are those of RDKit's default model, as its book tells them: an atom gives none, one or two, or has an
//! empty orbital; a bond out of the ring to something more electronegative takes an electron; up to six rings that
//! share one bond each are tried together, and the bonds on their outside are aromatic then.

use crate::Element;
use crate::molecule::{BondOrder, Molecule, Ring};
use crate::ring::in_rings;

/// The most rings that are looked at as one.
const MOST_FUSED: usize = 6;
/// The largest ring that is looked at together with others.
const LARGEST_FUSED: usize = 24;
/// Beyond so many rings in one system only pairs are tried.
const MANY_RINGS: usize = 300;

/// The electrons that an atom brings to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Electrons {
    /// It cannot be aromatic.
    Barred,
    /// As many as that.
    Gives(i32),
    /// It may be any atom.
    Any,
}

/// Marks the aromatic atoms and bonds of a molecule in its Kekulé structure.
pub(crate) fn perceive(molecule: &mut Molecule) {
    let in_ring = in_rings(molecule.bonds.len(), &molecule.rings);
    let electrons: Vec<Electrons> =
        (0..molecule.atoms.len()).map(|atom| electrons(molecule, &in_ring, atom)).collect();
    let candidate = |ring: &&Ring| {
        let any = ring.atoms.iter().all(|&atom| molecule.atoms[atom].element == Element::ANY);
        !any && ring.atoms.iter().all(|&atom| electrons[atom] != Electrons::Barred)
    };
    let rings: Vec<Ring> = molecule.rings.iter().filter(candidate).cloned().collect();
    let touching = touching(&rings);
    for system in systems(&touching) {
        perceive_system(molecule, &rings, &touching, &electrons, &system);
    }
}

/// The rings that share one bond with each ring.
fn touching(rings: &[Ring]) -> Vec<Vec<usize>> {
    let share = |a: usize, b: usize| {
        let small = rings[a].atoms.len().max(rings[b].atoms.len()) <= LARGEST_FUSED;
        a != b && small && rings[a].bonds.iter().filter(|bond| rings[b].bonds.contains(bond)).count() == 1
    };
    (0..rings.len()).map(|a| (0..rings.len()).filter(|&b| share(a, b)).collect()).collect()
}

/// Rings that hang together, in the order they are met.
fn systems(touching: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; touching.len()];
    let mut systems = Vec::new();
    for start in 0..touching.len() {
        let (mut system, mut stack) = (Vec::new(), vec![start]);
        while let Some(ring) = stack.pop() {
            if !std::mem::replace(&mut seen[ring], true) {
                system.push(ring);
                stack.extend(touching[ring].iter().rev());
            }
        }
        systems.push(system);
    }
    systems.retain(|system| !system.is_empty());
    systems
}

/// Tries single rings, then two that touch, then three, until all bonds of the system are aromatic.
fn perceive_system(
    molecule: &mut Molecule,
    rings: &[Ring],
    touching: &[Vec<usize>],
    electrons: &[Electrons],
    system: &[usize],
) {
    let all = in_rings(molecule.bonds.len(), system.iter().map(|&ring| &rings[ring]));
    let mut sets: Vec<Vec<usize>> = system.iter().map(|&ring| vec![ring]).collect();
    for size in 1..=system.len().min(MOST_FUSED) {
        let done = (0..all.len()).all(|bond| !all[bond] || molecule.bonds[bond].aromatic);
        if done || (size == 3 && system.len() > MANY_RINGS) {
            return;
        }
        for set in &sets {
            if is_aromatic(molecule.atoms.len(), rings, electrons, set) {
                mark(molecule, rings, set);
            }
        }
        sets = larger(&sets, touching);
    }
}

/// All sets of rings that hang together with one ring more.
fn larger(sets: &[Vec<usize>], touching: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut more = Vec::new();
    for set in sets {
        for &next in set.iter().flat_map(|&ring| &touching[ring]).filter(|next| !set.contains(next)) {
            let mut with: Vec<usize> = set.iter().copied().chain([next]).collect();
            with.sort_unstable();
            more.push(with);
        }
    }
    more.sort_unstable();
    more.dedup();
    more
}

/// Hückel's rule over the atoms that are in one or two of the rings.
fn is_aromatic(atoms: usize, rings: &[Ring], electrons: &[Electrons], set: &[usize]) -> bool {
    let mut times = vec![0; atoms];
    set.iter().flat_map(|&ring| &rings[ring].atoms).for_each(|&atom| times[atom] += 1);
    let (mut least, mut any) = (0, 0);
    for atom in (0..atoms).filter(|&atom| matches!(times[atom], 1 | 2)) {
        match electrons[atom] {
            Electrons::Gives(count) => least += count,
            Electrons::Any => any += 1,
            Electrons::Barred => return false,
        }
    }
    let most = least + 2 * any;
    any <= 1 && (most == 2 || (most >= 6 && (least..=most).any(|count| (count - 2) % 4 == 0)))
}

/// Marks the atoms of the rings, and the bonds that only one of them has.
fn mark(molecule: &mut Molecule, rings: &[Ring], set: &[usize]) {
    let mut times = vec![0; molecule.bonds.len()];
    for &ring in set {
        rings[ring].atoms.iter().for_each(|&atom| molecule.atoms[atom].aromatic = true);
        rings[ring].bonds.iter().for_each(|&bond| times[bond] += 1);
    }
    for (bond, _) in molecule.bonds.iter_mut().zip(times).filter(|(_, times)| *times == 1) {
        bond.aromatic = matches!(bond.order, BondOrder::Single | BondOrder::Double);
    }
}

/// Returns the electrons that an atom brings to the rings it is in.
fn electrons(molecule: &Molecule, in_ring: &[bool], place: usize) -> Electrons {
    let given = match molecule.atoms[place].element {
        Element::ANY if doubled(molecule, place).any(|(_, bond)| in_ring[bond]) => Electrons::Gives(1),
        Element::ANY => Electrons::Any,
        _ => donated(molecule, in_ring, place).map_or(Electrons::Barred, Electrons::Gives),
    };
    if may_be_aromatic(molecule, place) { given } else { Electrons::Barred }
}

/// The neighbours with a double or triple bond.
fn doubled(molecule: &Molecule, place: usize) -> impl Iterator<Item = (usize, usize)> {
    let bonds = &molecule.bonds;
    molecule.neighbours[place].iter().copied().filter(|&(_, bond)| bonds[bond].order >= BondOrder::Double)
}

/// The electrons an atom gives, if it can take part.
fn donated(molecule: &Molecule, in_ring: &[bool], place: usize) -> Option<i32> {
    let atom = &molecule.atoms[place];
    let spare = spare_electrons(molecule, place)?;
    let outside = doubled(molecule, place).find(|&(_, bond)| !in_ring[bond]);
    let taken = outside
        .is_some_and(|(other, _)| molecule.atoms[other].element.is_more_electronegative_than(atom.element));
    let inside = doubled(molecule, place).any(|(_, bond)| in_ring[bond]);
    match (spare, outside.is_some()) {
        (..0, _) => None,
        (0, true) => Some(0),
        (0, false) => inside.then_some(1),
        (1, true) => Some(i32::from(!taken)),
        (1, false) if inside => Some(1),
        (1, false) => (atom.charge == 1).then_some(0),
        (count, _) => Some(if (count - i32::from(taken)) % 2 == 1 { 1 } else { 2 }),
    }
}

/// Electrons that are in no single bond and may go into a ring; none for atoms that cannot.
fn spare_electrons(molecule: &Molecule, place: usize) -> Option<i32> {
    let atom = &molecule.atoms[place];
    let usual = atom.element.valence();
    let degree = degree(molecule, place);
    if usual <= 1 || degree > 3 {
        return None;
    }
    let lone = (atom.element.outer_electrons() - usual - i32::from(atom.charge)).max(0);
    let spare = usual - degree + lone - i32::from(atom.radicals);
    let unsaturated = molecule.bond_sum(place) - molecule.neighbours[place].len() as i32;
    Some(if spare > 1 && unsaturated > 1 { 1 } else { spare })
}

fn degree(molecule: &Molecule, place: usize) -> i32 {
    molecule.neighbours[place].len() as i32 + i32::from(molecule.atoms[place].hydrogens)
}

/// Only elements up to argon, selenium and tellurium, in their usual valence, with at most one multiple bond; and
/// unpaired electrons only on neutral carbon.
fn may_be_aromatic(molecule: &Molecule, place: usize) -> bool {
    let atom = &molecule.atoms[place];
    let known = atom.element.number() <= 18 || matches!(atom.element, Element::SE | Element::TE);
    let like = atom.element.of_charge(atom.charge);
    let total = molecule.bond_sum(place) + i32::from(atom.hydrogens);
    let usual = atom.element.valence() <= 0 || total <= like.valence();
    let radical = atom.radicals > 0 && (atom.element != Element::C || atom.charge != 0);
    known && usual && !radical && doubled(molecule, place).count() <= 1
}
