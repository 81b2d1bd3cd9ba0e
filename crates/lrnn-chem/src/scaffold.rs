//! Bemis-Murcko scaffolds: rings and the chains between them, with atoms that hang on by a multiple bond.

use crate::molecule::{BondOrder, Molecule};

impl Molecule {
    /// Returns the scaffold: what is left when chains that end are taken away. A molecule without rings has an empty one.
    pub fn scaffold(&self) -> Self {
        let mut degree: Vec<usize> = self.neighbours.iter().map(Vec::len).collect();
        let mut core = vec![true; self.atoms.len()];
        let mut ends: Vec<usize> = (0..core.len()).filter(|&atom| degree[atom] <= 1).collect();
        while let Some(atom) = ends.pop() {
            core[atom] = false;
            for &(other, _) in self.neighbours[atom].iter().filter(|(other, _)| core[*other]) {
                degree[other] -= 1;
                if degree[other] == 1 {
                    ends.push(other);
                }
            }
        }
        let mut keep = core.clone();
        for bond in self.bonds.iter().filter(|bond| bond.order >= BondOrder::Double) {
            if bond.atoms.iter().any(|&atom| core[atom]) {
                bond.atoms.iter().for_each(|&atom| keep[atom] = true);
            }
        }
        self.part_of(&keep)
    }

    /// Returns a number that is the same for the same graph of elements, charges and bonds, whatever the order of its
    /// atoms. Different graphs share one only where colour refinement with ring sizes cannot tell them apart.
    pub fn form(&self) -> u64 {
        let start = |(place, atom): (usize, &crate::Atom)| {
            let rings = self.rings.iter().filter(|ring| ring.atoms.contains(&place));
            let mut sizes: Vec<u64> = rings.map(|ring| ring.atoms.len() as u64).collect();
            sizes.sort_unstable();
            let own = [u64::from(atom.element.number()), atom.charge as u64, u64::from(atom.aromatic)];
            mix(own.into_iter().chain(sizes))
        };
        let mut colours: Vec<u64> = self.atoms.iter().enumerate().map(start).collect();
        for _ in 0..self.atoms.len().min(12) {
            let next = |atom: usize| {
                let around = self.neighbours[atom].iter();
                let mut around: Vec<u64> =
                    around.map(|&(other, bond)| mix([colours[other], self.bonds[bond].kind()])).collect();
                around.sort_unstable();
                mix([colours[atom]].into_iter().chain(around))
            };
            colours = (0..colours.len()).map(next).collect();
        }
        colours.sort_unstable();
        mix(colours)
    }
}

/// Gives molecules folds, whole scaffolds each: the largest first, each to the fold that has least.
///
/// ```
/// use lrnn_chem::{Molecule, scaffold_folds};
/// let read = |text| Molecule::from_smiles(text).unwrap();
/// let molecules = ["Cc1ccccc1", "Oc1ccccc1", "C1CCCC1", "CC1CCCC1O"].map(read);
/// assert_eq!(scaffold_folds(&molecules, 2), [0, 0, 1, 1]); // benzenes together, and cyclopentanes
/// ```
pub fn scaffold_folds(molecules: &[Molecule], folds: u32) -> Vec<u32> {
    let mut sizes = vec![0; folds.max(1) as usize];
    let mut fold_of = vec![0; molecules.len()];
    for group in scaffold_groups(molecules) {
        let least = (0..sizes.len()).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[least] += group.len();
        group.iter().for_each(|&place| fold_of[place] = least as u32);
    }
    fold_of
}

/// Groups molecules by their scaffolds, the largest group first; each group has the places of its molecules.
pub fn scaffold_groups(molecules: &[Molecule]) -> Vec<Vec<usize>> {
    let forms: Vec<u64> = molecules.iter().map(|molecule| molecule.scaffold().form()).collect();
    let mut members: std::collections::BTreeMap<u64, Vec<usize>> = std::collections::BTreeMap::new();
    forms.iter().enumerate().for_each(|(place, form)| members.entry(*form).or_default().push(place));
    let mut groups: Vec<Vec<usize>> = members.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

/// A fixed mixing of numbers, the same on every machine.
fn mix(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0x9e37_79b9_7f4a_7c15, |hash, number| {
        let mixed = (hash ^ number).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(23)
    })
}
