//! Molecules: atoms, bonds and rings, with hydrogens counted and aromaticity perceived.

use std::ops::Range;

use crate::Element;

/// An atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Its element.
    pub element: Element,
    /// Mass number; 0 if none is given.
    pub isotope: u16,
    /// Formal charge.
    pub charge: i8,
    /// Number of hydrogens it carries that are no atoms of the molecule.
    pub hydrogens: u8,
    /// Unpaired electrons.
    pub radicals: u8,
    /// True if it is part of an aromatic ring system.
    pub aromatic: bool,
}

/// The number of pairs of electrons that a bond has in the Kekulé structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BondOrder {
    /// One.
    Single = 1,
    /// Two.
    Double = 2,
    /// Three.
    Triple = 3,
    /// Four.
    Quadruple = 4,
}

/// A bond between two atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bond {
    /// The places of its atoms in [`Molecule::atoms`], in the order of the text.
    pub atoms: [usize; 2],
    /// Its order in one Kekulé structure.
    pub order: BondOrder,
    /// True if it is part of an aromatic ring system.
    pub aromatic: bool,
}

impl Bond {
    /// Returns the other end.
    pub fn other(&self, atom: usize) -> usize {
        if self.atoms[0] == atom { self.atoms[1] } else { self.atoms[0] }
    }

    /// The name as a number.
    pub(crate) fn kind(&self) -> u64 {
        if self.aromatic { 5 } else { self.order as u64 }
    }

    /// Returns the order as a name: `1`, `2`, `3`, `4`, or `ar`.
    pub fn name(&self) -> &'static str {
        match (self.aromatic, self.order) {
            (true, _) => "ar",
            (false, BondOrder::Single) => "1",
            (false, BondOrder::Double) => "2",
            (false, BondOrder::Triple) => "3",
            (false, BondOrder::Quadruple) => "4",
        }
    }
}

/// A smallest ring: atoms in order around it, and the bond from each to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Atoms, each next to the one before, the last next to the first.
    pub atoms: Vec<usize>,
    /// Bonds; bond i joins atom i with the next.
    pub bonds: Vec<usize>,
}

/// A molecule, or several that one text names. Stereochemistry is read and left out.
///
/// ```
/// let phenol = lrnn_chem::Molecule::from_smiles("Oc1ccccc1")?;
/// assert_eq!((phenol.atoms.len(), phenol.bonds.len(), phenol.rings.len()), (7, 7, 1));
/// assert_eq!((phenol.atoms[0].hydrogens, phenol.atoms[1].aromatic), (1, true));
/// # Ok::<(), lrnn_chem::MoleculeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Molecule {
    /// Atoms, without hydrogens that an atom carries.
    pub atoms: Vec<Atom>,
    /// Bonds.
    pub bonds: Vec<Bond>,
    /// The smallest rings, all of a size where several are as good.
    pub rings: Vec<Ring>,
    /// Of each atom, its neighbours with the bond between.
    pub(crate) neighbours: Vec<Vec<(usize, usize)>>,
}

impl Molecule {
    /// Returns the neighbours of an atom, each with the bond between.
    pub fn neighbours(&self, atom: usize) -> &[(usize, usize)] {
        &self.neighbours[atom]
    }

    /// Returns the parts that no bond joins, each as its atoms.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.atoms.len()];
        let mut parts = Vec::new();
        for start in 0..self.atoms.len() {
            if !seen[start] {
                let mut part = self.reached(start, &mut seen);
                part.sort_unstable();
                parts.push(part);
            }
        }
        parts
    }

    /// Returns the atoms that can be reached from one past none that is seen, the nearest first; they are seen then.
    pub(crate) fn reached(&self, start: usize, seen: &mut [bool]) -> Vec<usize> {
        seen[start] = true;
        let (mut reached, mut next) = (vec![start], 0);
        while let Some(&atom) = reached.get(next) {
            next += 1;
            for &(other, _) in &self.neighbours[atom] {
                if !std::mem::replace(&mut seen[other], true) {
                    reached.push(other);
                }
            }
        }
        reached
    }

    /// Returns the sum of the orders of an atom's bonds.
    pub(crate) fn bond_sum(&self, atom: usize) -> i32 {
        self.neighbours[atom].iter().map(|&(_, bond)| self.bonds[bond].order as i32).sum()
    }

    /// Returns the molecule of some of its atoms and the bonds among them, hydrogens in place of what is cut off.
    /// Aromaticity stays as it is.
    pub(crate) fn part_of(&self, keep: &[bool]) -> Self {
        let mut place = vec![usize::MAX; self.atoms.len()];
        let mut part = Self::default();
        for (old, atom) in self.atoms.iter().enumerate().filter(|(old, _)| keep[*old]) {
            place[old] = part.atoms.len();
            let cut = self.neighbours[old].iter().filter(|(other, _)| !keep[*other]);
            let freed: u8 = cut.map(|&(_, bond)| self.bonds[bond].order as u8).sum();
            part.atoms.push(Atom { hydrogens: atom.hydrogens.saturating_add(freed), ..atom.clone() });
        }
        let mut bond_place = vec![usize::MAX; self.bonds.len()];
        for (old, bond) in self.bonds.iter().enumerate() {
            let atoms = bond.atoms.map(|atom| place[atom]);
            if !atoms.contains(&usize::MAX) {
                bond_place[old] = part.bonds.len();
                part.bonds.push(Bond { atoms, ..bond.clone() });
            }
        }
        part.neighbours = neighbours(part.atoms.len(), part.bonds.iter().map(|bond| bond.atoms));
        let whole = self.rings.iter().filter(|ring| ring.atoms.iter().all(|&atom| keep[atom]));
        let moved = |ring: &Ring| Ring {
            atoms: ring.atoms.iter().map(|&atom| place[atom]).collect(),
            bonds: ring.bonds.iter().map(|&bond| bond_place[bond]).collect(),
        };
        part.rings = whole.map(moved).collect();
        part
    }
}

/// Lists the neighbours of each atom with the bond between.
pub(crate) fn neighbours(atoms: usize, bonds: impl Iterator<Item = [usize; 2]>) -> Vec<Vec<(usize, usize)>> {
    let mut all = vec![Vec::new(); atoms];
    for (bond, [a, b]) in bonds.enumerate() {
        all[a].push((b, bond));
        all[b].push((a, bond));
    }
    all
}

/// A mistake in the text of a molecule, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoleculeError {
    /// The sentence, without a full stop.
    pub message: String,
    /// The bytes of the text it is about.
    pub place: Range<usize>,
}

impl MoleculeError {
    pub(crate) fn new(message: impl Into<String>, place: Range<usize>) -> Self {
        Self { message: message.into(), place }
    }
}

impl std::fmt::Display for MoleculeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (at character {})", self.message, self.place.start + 1)
    }
}

impl std::error::Error for MoleculeError {}
