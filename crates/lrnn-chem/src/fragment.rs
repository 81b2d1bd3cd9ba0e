//! Substructures that chemists speak of: rings, and atoms with what is bound to them, named as SMILES name them.

use crate::molecule::{Atom, Molecule, Ring};

/// A substructure of a molecule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fragment {
    /// Its name as SMILES writes it, the same wherever it is found: `C(=O)([OH])C`, `c1ccccc1`.
    pub name: String,
    /// The atoms of the molecule that are part of it.
    pub atoms: Vec<usize>,
    /// The bonds.
    pub bonds: Vec<usize>,
}

impl Molecule {
    /// Returns the substructures of the molecule: its rings, and each atom with its neighbours where one of them is no
    /// carbon or a bond is double or triple.
    ///
    /// ```
    /// let aniline = lrnn_chem::Molecule::from_smiles("Nc1ccccc1")?;
    /// let names: Vec<String> = aniline.fragments().into_iter().map(|fragment| fragment.name).collect();
    /// assert_eq!(names, ["[NH2]c", "c(N)(c)c", "c1ccccc1"]);
    /// # Ok::<(), lrnn_chem::MoleculeError>(())
    /// ```
    pub fn fragments(&self) -> Vec<Fragment> {
        let around = (0..self.atoms.len()).filter_map(|atom| self.surroundings(atom));
        around.chain(self.rings.iter().map(|ring| self.ring_fragment(ring))).collect()
    }

    fn surroundings(&self, atom: usize) -> Option<Fragment> {
        let near = self.neighbours(atom);
        let is_carbon = |atom: usize| self.atoms[atom].element.symbol() == "C";
        let is_plain = |bond: usize| self.bonds[bond].aromatic || self.bonds[bond].name() == "1";
        let plain = is_carbon(atom) && near.iter().all(|&(other, bond)| is_carbon(other) && is_plain(bond));
        if near.is_empty() || plain {
            return None;
        }
        let branch = |&(other, bond): &(usize, usize)| {
            let sign = self.sign(bond);
            (sign.is_empty(), format!("{sign}{}", symbol(&self.atoms[other], false)))
        };
        let mut branches: Vec<(bool, String)> = near.iter().map(branch).collect();
        branches.sort();
        let mut name = symbol(&self.atoms[atom], true);
        for (at, (_, branch)) in branches.iter().enumerate() {
            let is_last = at + 1 == branches.len();
            name += &if is_last { branch.clone() } else { format!("({branch})") };
        }
        let atoms = std::iter::once(atom).chain(near.iter().map(|near| near.0)).collect();
        Some(Fragment { name, atoms, bonds: near.iter().map(|near| near.1).collect() })
    }

    /// Returns a ring with what is double bound to it, which makes it another ring: a pyridone is no pyridine.
    fn ring_fragment(&self, ring: &Ring) -> Fragment {
        let size = ring.atoms.len();
        let outside = |atom: usize| {
            let is_double = |&&(other, bond): &&(usize, usize)| {
                self.bonds[bond].name() == "2" && !ring.atoms.contains(&other)
            };
            self.neighbours(atom).iter().filter(is_double)
        };
        let part = |at: usize, back: bool| {
            let at = at % size;
            // Going back, the bond to the next atom is the one before.
            let bond = ring.bonds[if back { (at + size - 1) % size } else { at }];
            let (place, atom) = (ring.atoms[at], &self.atoms[ring.atoms[at]]);
            let mut branches: Vec<String> = outside(place)
                .map(|&(other, _)| format!("(={})", symbol(&self.atoms[other], false)))
                .collect();
            branches.sort();
            // Which nitrogen has the hydrogen tells aromatic rings apart.
            (symbol(atom, atom.aromatic), branches.concat(), self.sign(bond))
        };
        let forwards = (0..size).map(|start| (0..size).map(|at| part(start + at, false)).collect());
        let backwards = (0..size).map(|start| (0..size).map(|at| part(start + size - at, true)).collect());
        let first: Vec<(String, String, &str)> = forwards.chain(backwards).min().unwrap_or_default();
        let mut name = String::new();
        for (at, (symbol, branches, sign)) in first.iter().enumerate() {
            let closing = if at == 0 || at + 1 == size { "1" } else { "" };
            name += symbol;
            name += if at + 1 == size && !sign.is_empty() { sign } else { "" };
            name += closing;
            name += branches;
            name += if at + 1 < size { sign } else { "" };
        }
        let (mut atoms, mut bonds) = (ring.atoms.clone(), ring.bonds.clone());
        for &(atom, bond) in ring.atoms.iter().flat_map(|&atom| outside(atom)) {
            atoms.push(atom);
            bonds.push(bond);
        }
        Fragment { name, atoms, bonds }
    }

    /// Returns a bond as SMILES writes it: a single one between aromatic atoms, as in biphenyl, is written.
    fn sign(&self, bond: usize) -> &'static str {
        let bond = &self.bonds[bond];
        match bond.name() {
            "1" if bond.atoms.iter().all(|&atom| self.atoms[atom].aromatic) => "-",
            "2" => "=",
            "3" => "#",
            "4" => "$",
            _ => "",
        }
    }
}

/// Returns an atom as SMILES writes it, small if aromatic; hydrogens stand at those that are no carbon, if asked for.
fn symbol(atom: &Atom, hydrogens: bool) -> String {
    let symbol = match atom.aromatic {
        true => atom.element.symbol().to_lowercase(),
        false => atom.element.symbol().to_owned(),
    };
    let count = if hydrogens && atom.element.symbol() != "C" { atom.hydrogens } else { 0 };
    let hydrogens = match count {
        0 => String::new(),
        1 => "H".to_owned(),
        count => format!("H{count}"),
    };
    let charge = match atom.charge {
        0 => String::new(),
        1 => "+".to_owned(),
        -1 => "-".to_owned(),
        charge => format!("{charge:+}"),
    };
    match hydrogens.is_empty() && charge.is_empty() {
        true => symbol,
        false => format!("[{symbol}{hydrogens}{charge}]"),
    }
}
