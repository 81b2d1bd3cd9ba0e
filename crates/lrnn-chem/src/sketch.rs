//! A molecule as somebody wrote it down, and the way from there to a [`Molecule`]: hydrogens that are only counted,
//! charges that were left out, valences checked, one Kekulé structure, aromaticity perceived anew. So the answer does
//! not depend on how the text spells a ring.

use std::ops::Range;

use crate::molecule::{Atom, Bond, BondOrder, Molecule, MoleculeError, Ring, neighbours};
use crate::{Element, aromatic, kekule, ring};

/// An atom as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct SketchAtom {
    pub element: Element,
    pub isotope: u16,
    pub charge: i8,
    /// Hydrogens given in the text; where none can be given, the valence tells them.
    pub hydrogens: Option<u8>,
    pub radicals: u8,
    pub aromatic: bool,
    pub place: Range<usize>,
}

/// A bond as written.
#[derive(Clone, Debug)]
pub(crate) struct SketchBond {
    pub atoms: [usize; 2],
    /// None is aromatic: one or two, as the Kekulé structure needs it.
    pub order: Option<BondOrder>,
    /// True if it tells a side of a double bond.
    pub directed: bool,
}

impl SketchBond {
    /// Returns twice the order; an aromatic bond counts for three.
    pub fn twice(&self) -> i32 {
        self.order.map_or(3, |order| 2 * order as i32)
    }
}

/// A molecule as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    pub atoms: Vec<SketchAtom>,
    pub bonds: Vec<SketchBond>,
}

impl Sketch {
    /// Turns what is written into a molecule.
    pub fn molecule(mut self) -> Result<Molecule, MoleculeError> {
        self.count_hydrogens();
        let around = self.around();
        self.separate_charges(&around);
        let rings = self.rings(&around);
        let in_ring = ring::in_rings(self.bonds.len(), &rings);
        self.only_rings_are_aromatic(&around, &in_ring)?;
        let valences: Vec<i32> = (0..self.atoms.len()).map(|atom| self.valence(atom, &around)).collect();
        let hydrogens: Vec<u8> = (0..self.atoms.len())
            .map(|atom| self.hydrogens(atom, valences[atom]))
            .collect::<Result<_, _>>()?;
        let orders = kekule::orders(&self, &around, &valences, &hydrogens)?;
        let bonds = self.bonds.iter().zip(orders);
        let bonds = bonds.map(|(bond, order)| Bond { atoms: bond.atoms, order, aromatic: false }).collect();
        let atom = |(atom, hydrogens): (&SketchAtom, u8)| Atom {
            element: atom.element,
            isotope: atom.isotope,
            charge: atom.charge,
            hydrogens,
            radicals: atom.radicals,
            aromatic: false,
        };
        let atoms = self.atoms.iter().zip(hydrogens).map(atom).collect();
        let mut molecule = Molecule { atoms, bonds, rings, neighbours: around };
        for (place, atom) in self.atoms.iter().enumerate().filter(|(_, atom)| atom.hydrogens.is_some()) {
            let valence = molecule.bond_sum(place) + i32::from(molecule.atoms[place].hydrogens);
            molecule.atoms[place].radicals = atom.radicals.max(radicals(atom, valence));
        }
        aromatic::perceive(&mut molecule);
        Ok(molecule)
    }

    /// Lists the neighbours of each atom with the bond between.
    pub fn around(&self) -> Vec<Vec<(usize, usize)>> {
        neighbours(self.atoms.len(), self.bonds.iter().map(|bond| bond.atoms))
    }

    /// Finds the smallest rings.
    pub fn rings(&self, around: &[Vec<(usize, usize)>]) -> Vec<Ring> {
        let ends: Vec<[usize; 2]> = self.bonds.iter().map(|bond| bond.atoms).collect();
        ring::rings(&ends, around)
    }

    /// Takes hydrogens away that are written as atoms and say nothing more than that they are there; which isotope they are is
    /// left out, as facts leave out that of other atoms.
    fn count_hydrogens(&mut self) {
        let around = self.around();
        let gone: Vec<bool> =
            (0..self.atoms.len()).map(|atom| self.is_plain_hydrogen(atom, &around)).collect();
        if !gone.contains(&true) {
            return;
        }
        for atom in (0..self.atoms.len()).filter(|&atom| gone[atom]) {
            let heavy = &mut self.atoms[around[atom][0].0];
            match &mut heavy.hydrogens {
                Some(count) => *count = count.saturating_add(1),
                // As `[nH]`: without it, the nitrogen would take a double bond.
                None if heavy.aromatic && heavy.element != Element::C => heavy.hydrogens = Some(1),
                None => {}
            }
        }
        let mut place = vec![0; gone.len()];
        let mut next = 0;
        for (atom, gone) in gone.iter().enumerate() {
            place[atom] = next;
            next += usize::from(!gone);
        }
        self.bonds.retain(|bond| !bond.atoms.iter().any(|&atom| gone[atom]));
        self.bonds.iter_mut().for_each(|bond| bond.atoms = bond.atoms.map(|atom| place[atom]));
        let mut keep = gone.iter().map(|gone| !gone);
        self.atoms.retain(|_| keep.next().unwrap_or(true));
    }

    fn is_plain_hydrogen(&self, place: usize, around: &[Vec<(usize, usize)>]) -> bool {
        let atom = &self.atoms[place];
        let plain = atom.element == Element::H && atom.charge == 0;
        if !plain || atom.hydrogens.unwrap_or(0) > 0 {
            return false;
        }
        let [(heavy, bond)] = around[place][..] else { return false };
        let bond = &self.bonds[bond];
        let single = bond.order == Some(BondOrder::Single);
        let kind = self.atoms[heavy].element;
        // It alone tells the side of a double bond.
        let tells_side = bond.directed && around[heavy].len() == 2;
        single && kind != Element::H && kind != Element::ANY && !tells_side
    }

    /// Writes charges that were left out: nitro groups and the like with five bonds at a nitrogen, perchlorates.
    fn separate_charges(&mut self, around: &[Vec<(usize, usize)>]) {
        for atom in 0..self.atoms.len() {
            if self.atoms[atom].charge != 0 {
                continue;
            }
            match self.atoms[atom].element.symbol() {
                "N" if self.bond_sum(atom, around) == 10 => self.separate_nitrogen(atom, around),
                "P" if self.bond_sum(atom, around) == 10 => self.separate_phosphorus(atom, around),
                "Cl" | "Br" | "I" => self.separate_halogen(atom, around),
                _ => {}
            }
        }
    }

    fn separate_nitrogen(&mut self, atom: usize, around: &[Vec<(usize, usize)>]) {
        for &(other, bond) in &around[atom] {
            let (element, charge) = (self.atoms[other].element, self.atoms[other].charge);
            let less = match (element, charge, self.bonds[bond].order) {
                (Element::O, 0, Some(BondOrder::Double)) => BondOrder::Single,
                (Element::N, 0, Some(BondOrder::Triple)) => BondOrder::Double,
                _ => continue,
            };
            self.separate(atom, other, bond, less);
            return;
        }
    }

    fn separate_phosphorus(&mut self, atom: usize, around: &[Vec<(usize, usize)>]) {
        let doubled = |element: &dyn Fn(Element) -> bool| {
            around[atom].iter().copied().find(|&(other, bond)| {
                self.bonds[bond].order == Some(BondOrder::Double) && element(self.atoms[other].element)
            })
        };
        let oxygen = doubled(&|element| element == Element::O);
        let carbon = doubled(&|element| element == Element::C || element == Element::N);
        if let (3, Some((oxygen, bond)), Some(_)) = (around[atom].len(), oxygen, carbon)
            && self.atoms[oxygen].charge == 0
        {
            self.separate(atom, oxygen, bond, BondOrder::Single);
        }
    }

    fn separate_halogen(&mut self, atom: usize, around: &[Vec<(usize, usize)>]) {
        let sum = self.bond_sum(atom, around);
        let oxygens = around[atom].iter().all(|&(other, _)| self.atoms[other].element == Element::O);
        if !matches!(sum, 6 | 10 | 14) || !oxygens {
            return;
        }
        for &(other, bond) in &around[atom] {
            if self.bonds[bond].order == Some(BondOrder::Double) {
                self.separate(atom, other, bond, BondOrder::Single);
            }
        }
    }

    /// Moves a pair of electrons from a bond to its other end.
    fn separate(&mut self, atom: usize, other: usize, bond: usize, order: BondOrder) {
        self.bonds[bond].order = Some(order);
        self.atoms[atom].charge += 1;
        self.atoms[other].charge -= 1;
    }

    /// Twice the sum of the orders of bonds and written hydrogens; an aromatic bond counts for three.
    fn bond_sum(&self, atom: usize, around: &[Vec<(usize, usize)>]) -> i32 {
        let bonds: i32 = around[atom].iter().map(|&(_, bond)| self.bonds[bond].twice()).sum();
        bonds + 2 * i32::from(self.atoms[atom].hydrogens.unwrap_or(0))
    }

    /// Aromatic atoms stand in rings; aromatic bonds outside are single.
    fn only_rings_are_aromatic(
        &mut self,
        around: &[Vec<(usize, usize)>],
        in_ring: &[bool],
    ) -> Result<(), MoleculeError> {
        for (bond, _) in in_ring.iter().enumerate().filter(|(_, ring)| !**ring) {
            self.bonds[bond].order.get_or_insert(BondOrder::Single);
        }
        let outside = |&(place, atom): &(usize, &SketchAtom)| {
            atom.aromatic && !around[place].iter().any(|&(_, bond)| in_ring[bond])
        };
        match self.atoms.iter().enumerate().find(outside) {
            Some((_, atom)) => Err(MoleculeError::new("an aromatic atom is in no ring", atom.place.clone())),
            None => Ok(()),
        }
    }

    /// The sum of bonds and written hydrogens, with half bonds of aromatic atoms settled.
    fn valence(&self, place: usize, around: &[Vec<(usize, usize)>]) -> i32 {
        let atom = &self.atoms[place];
        let sum = self.bond_sum(place, around);
        let element = as_charged(atom);
        let usual = element.valence();
        let aromatic = around[place].iter().any(|&(_, bond)| self.bonds[bond].order.is_none());
        if aromatic && usual >= 0 && sum > 2 * usual {
            let allowed = element.valences().iter().filter(|&&valence| 2 * valence <= sum);
            let below = allowed.copied().max().unwrap_or(usual);
            if sum - 2 * below <= 3 {
                return below;
            }
        }
        (sum + 1) / 2
    }

    /// The hydrogens of an atom with bonds of this sum, or what is wrong with it.
    fn hydrogens(&self, place: usize, valence: i32) -> Result<u8, MoleculeError> {
        let atom = &self.atoms[place];
        let own = atom.element.valences();
        let any = |valences: &[i32]| valences.last() == Some(&-1);
        let (mut element, mut bonds) = (as_charged(atom), valence);
        let beyond = |element: Element| {
            let number = element.number();
            (number > 16 && matches!(atom.element, Element::P | Element::S))
                || (number > 34 && matches!(atom.element, Element::AS | Element::SE))
        };
        if beyond(element) {
            element = atom.element;
            bonds -= i32::from(atom.charge);
        }
        let valences = element.valences();
        let hydride = atom.element == Element::H && atom.charge == -1;
        let most = if hydride { 2 } else { valences.last().copied().unwrap_or(-1) };
        if !any(own) && !any(valences) && bonds > most {
            return Err(self.too_many_bonds(place, valence));
        }
        if let Some(hydrogens) = atom.hydrogens {
            return Ok(hydrogens);
        }
        let bonds = bonds + i32::from(atom.radicals);
        let aromatic = self.bonds.iter().any(|bond| bond.order.is_none() && bond.atoms.contains(&place));
        let next = match (any(own) && own.len() == 1, aromatic) {
            (true, _) => None,
            (_, true) => Some(element.valence()),
            (_, false) => valences.iter().copied().find(|&valence| valence >= bonds),
        };
        Ok(next.map_or(0, |next| (next - bonds).max(0)) as u8)
    }

    fn too_many_bonds(&self, place: usize, valence: i32) -> MoleculeError {
        let atom = &self.atoms[place];
        let sign = match atom.charge {
            0 => String::new(),
            charge => format!(" of charge {charge:+}"),
        };
        let message = format!("{}{sign} cannot have {valence} bonds", atom.element.symbol());
        MoleculeError::new(message, atom.place.clone())
    }
}

/// The element whose valences a charged atom has: that with as many electrons.
pub(crate) fn as_charged(atom: &SketchAtom) -> Element {
    if atom.element.valences() == [-1] { atom.element } else { atom.element.of_charge(atom.charge) }
}

/// Unpaired electrons that follow from the hydrogens that were written.
fn radicals(atom: &SketchAtom, valence: i32) -> u8 {
    let (element, charge) = (atom.element, i32::from(atom.charge));
    if element == Element::ANY || element.valences() == [-1] {
        return 0;
    }
    let full = if element.number() <= 2 { 2 } else { 8 };
    let outer = element.outer_electrons();
    let mut count = full - outer - valence + charge;
    if count < 0 {
        let open = element.valences().iter().map(|next| next - valence + charge).find(|&open| open >= 0);
        count = open.unwrap_or(0);
    }
    let early = outer - valence - charge;
    if early >= 0 { count.min(early).max(0) as u8 } else { count as u8 }
}
