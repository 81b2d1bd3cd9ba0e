//! Molecules that facts describe: those that came from SMILES, and data that speaks of atoms and bonds in its own way.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::data::{Dataset, Example, FactTable};
use lrnn::vocabulary::{Constant, ConstantId, Vocabulary};

use crate::Element;
use crate::molecule::{Atom, Bond, BondOrder, Molecule};
use crate::sketch::{Sketch, SketchAtom, SketchBond};

/// The predicate of bonds: two atoms, and an order or a bond of its own.
const BOND: &str = "bond";

/// A molecule that the facts of an example describe, with the constants that stand for its parts.
#[derive(Clone, PartialEq, Debug)]
pub struct DescribedMolecule {
    /// The molecule.
    pub molecule: Molecule,
    /// Of each atom its constant, and behind it those of hydrogens that are only counted.
    pub atoms: Vec<Vec<ConstantId>>,
    /// Of each bond the constants that stand for it, if there are some.
    pub bonds: Vec<Vec<ConstantId>>,
}

/// Returns the molecules that the examples of a dataset describe; `None` if one describes none.
pub fn described_molecules(dataset: &Dataset) -> Option<Vec<Molecule>> {
    let molecule = |example| Some(DescribedMolecule::new(example, &dataset.vocabulary)?.molecule);
    dataset.examples.iter().map(molecule).collect()
}

/// A place in a described molecule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MoleculePart {
    /// An atom, by its number.
    Atom(usize),
    /// A bond, by its number.
    Bond(usize),
}

impl DescribedMolecule {
    /// Finds the molecule in the facts of an example: `element(A, E)` or `atom_type(A, T)`, or a predicate for each
    /// type (`c_ar(A)`) where the data has bonds, and `bond(A, B, K)`, where K is an order, or a bond whose type other facts give. `None` if
    /// the facts describe no molecule.
    pub fn new(example: &Example, vocabulary: &Vocabulary) -> Option<Self> {
        let facts = AtomFacts { example, vocabulary };
        let elements = facts.elements();
        let constants: Vec<ConstantId> = elements.keys().copied().collect();
        let ends = facts.bonds(&constants).filter(|_| !constants.is_empty())?;
        let heavy = |atom: usize| elements[&constants[atom]] != Element::H;
        let mut count = vec![0; constants.len()];
        let mut carrier: Vec<Option<usize>> = vec![None; constants.len()];
        for ([a, b], _) in &ends {
            for (one, other) in [(*a, *b), (*b, *a)] {
                let degree = ends.iter().filter(|(ends, _)| ends.contains(&one)).count();
                if !heavy(one) && heavy(other) && degree == 1 {
                    carrier[one] = Some(other);
                    count[other] += 1;
                }
            }
        }
        let explicit = carrier.iter().any(Option::is_some);
        let mut number = vec![usize::MAX; constants.len()];
        let mut described = Self { molecule: Molecule::default(), atoms: Vec::new(), bonds: Vec::new() };
        let mut sketch = Sketch::default();
        for atom in (0..constants.len()).filter(|&atom| carrier[atom].is_none()) {
            number[atom] = sketch.atoms.len();
            described.atoms.push(vec![constants[atom]]);
            let hydrogens = if explicit { Some(count[atom]) } else { facts.hydrogens(constants[atom]) };
            let aromatic = ends.iter().any(|(ends, bond)| ends.contains(&atom) && bond.order.is_none());
            sketch.atoms.push(SketchAtom {
                element: elements[&constants[atom]],
                charge: facts.charge(constants[atom]),
                hydrogens,
                aromatic,
                ..SketchAtom::default()
            });
        }
        for (atom, carrier) in carrier.iter().enumerate() {
            carrier.iter().for_each(|&carrier| described.atoms[number[carrier]].push(constants[atom]));
        }
        for (ends, bond) in ends {
            let atoms = ends.map(|end| number[end]);
            if let Some(gone) = atoms.iter().position(|&atom| atom == usize::MAX) {
                // The bond to a hydrogen counts with the atom that carries it.
                described.atoms[atoms[1 - gone]].extend(bond.constants);
            } else {
                sketch.bonds.push(SketchBond { atoms, order: bond.order, directed: false });
                described.bonds.push(bond.constants);
            }
        }
        described.molecule = sketch.clone().molecule().unwrap_or_else(|_| as_written(&sketch));
        let same = described.molecule.atoms.len() == described.atoms.len();
        Some(described).filter(|_| same)
    }

    /// Returns what a fact with these terms is about: an atom, a bond, or `None`.
    pub fn part(&self, terms: &[ConstantId]) -> Option<MoleculePart> {
        let bond = terms.iter().find_map(|term| self.bonds.iter().position(|known| known.contains(term)));
        if let Some(bond) = bond {
            return Some(MoleculePart::Bond(bond));
        }
        let atom = |term: &ConstantId| self.atoms.iter().position(|known| known.contains(term));
        let mut atoms: Vec<usize> = terms.iter().filter_map(atom).collect();
        atoms.dedup();
        match atoms[..] {
            [atom] => Some(MoleculePart::Atom(atom)),
            [a, b] => {
                let near = self.molecule.neighbours(a).iter().find(|near| near.0 == b)?;
                Some(MoleculePart::Bond(near.1))
            }
            _ => None,
        }
    }
}

/// Returns the molecule as it is written, where no Kekulé structure fits it.
fn as_written(sketch: &Sketch) -> Molecule {
    let atom = |it: &SketchAtom| Atom {
        element: it.element,
        isotope: 0,
        charge: it.charge,
        hydrogens: it.hydrogens.unwrap_or(0),
        radicals: 0,
        aromatic: it.aromatic,
    };
    let bond = |it: &SketchBond| Bond {
        atoms: it.atoms,
        order: it.order.unwrap_or(BondOrder::Single),
        aromatic: it.order.is_none(),
    };
    let around = sketch.around();
    Molecule {
        atoms: sketch.atoms.iter().map(atom).collect(),
        bonds: sketch.bonds.iter().map(bond).collect(),
        rings: sketch.rings(&around),
        neighbours: around,
    }
}

/// A bond of the facts.
struct BondFact {
    /// None is aromatic.
    order: Option<BondOrder>,
    constants: Vec<ConstantId>,
}

struct AtomFacts<'a> {
    example: &'a Example,
    vocabulary: &'a Vocabulary,
}

impl AtomFacts<'_> {
    /// Returns the facts of a predicate, each with its number and the table.
    fn rows(&self, name: &str, arity: u32) -> impl Iterator<Item = (usize, &[ConstantId], &FactTable)> {
        let table = self.example.tables.iter().find(|table| {
            let signature = self.vocabulary.signature(table.predicate);
            &*signature.name == name && signature.arity == arity
        });
        let rows = |table: &FactTable| 0..table.rows as usize;
        table.into_iter().flat_map(move |table| rows(table).map(move |row| (row, table.row(row), table)))
    }

    /// Returns a constant as text, without quotes: `*` is any atom.
    fn text(&self, constant: ConstantId) -> String {
        match self.vocabulary.constant(constant) {
            Constant::Name(name) => name.into(),
            other => other.to_string(),
        }
    }

    fn elements(&self) -> BTreeMap<ConstantId, Element> {
        let mut elements = BTreeMap::new();
        for name in ["element", "atom_type"] {
            for (_, row, _) in self.rows(name, 2) {
                if let Some(element) = element_of(&self.text(row[1])) {
                    elements.entry(row[0]).or_insert(element);
                }
            }
        }
        if elements.is_empty() && self.knows_bonds() {
            let bonds: BTreeSet<ConstantId> = self.rows(BOND, 3).map(|(_, row, _)| row[2]).collect();
            for table in &self.example.tables {
                let signature = self.vocabulary.signature(table.predicate);
                if let (1, Some(element)) = (signature.arity, element_of(&signature.name)) {
                    let constants = (0..table.rows as usize).map(|row| table.row(row)[0]);
                    let atoms = constants.filter(|constant| !bonds.contains(constant));
                    atoms.for_each(|atom| _ = elements.entry(atom).or_insert(element));
                }
            }
        }
        elements
    }

    /// Tells whether the data speaks of bonds: `c(X)` alone is no carbon.
    fn knows_bonds(&self) -> bool {
        self.vocabulary.predicates().any(|(_, it)| &*it.name == BOND && it.arity == 3)
    }

    /// Returns the bonds between atoms, which are in order, each once; none if one is of something that is no atom.
    fn bonds(&self, atoms: &[ConstantId]) -> Option<Vec<([usize; 2], BondFact)>> {
        let mut bonds: Vec<([usize; 2], BondFact)> = Vec::new();
        let mut known: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for (_, row, _) in self.rows(BOND, 3) {
            let [a, b] = [atoms.binary_search(&row[0]).ok()?, atoms.binary_search(&row[1]).ok()?];
            if a == b {
                return None;
            }
            let ends = [a.min(b), a.max(b)];
            let (order, constant) = self.order(row[2]);
            let at = *known.entry(ends).or_insert_with(|| {
                bonds.push((ends, BondFact { order, constants: Vec::new() }));
                bonds.len() - 1
            });
            let constants = &mut bonds[at].1.constants;
            constants.extend(constant.filter(|constant| !constants.contains(constant)));
        }
        Some(bonds)
    }

    /// Returns the order of a bond, and its constant if it has one of its own.
    fn order(&self, bond: ConstantId) -> (Option<BondOrder>, Option<ConstantId>) {
        if let Some(order) = order_of(&self.text(bond)) {
            return (order, None);
        }
        let given = self.rows("bond_type", 2).find(|(_, row, _)| row[0] == bond);
        let alone = || {
            let mut names = self.example.tables.iter().filter_map(|table| {
                let signature = self.vocabulary.signature(table.predicate);
                let has = || (0..table.rows as usize).any(|row| table.row(row)[0] == bond);
                (signature.arity == 1 && has()).then(|| signature.name.to_string())
            });
            names.find_map(|name| order_of(&name))
        };
        let order = given.and_then(|(_, row, _)| order_of(&self.text(row[1]))).or_else(alone);
        (order.unwrap_or(Some(BondOrder::Single)), Some(bond))
    }

    fn hydrogens(&self, atom: ConstantId) -> Option<u8> {
        let row = self.rows("hydrogens", 2).find(|(_, row, _)| row[0] == atom)?;
        self.text(row.1[1]).parse().ok()
    }

    fn charge(&self, atom: ConstantId) -> i8 {
        let fact = self.rows("charge", 1).find(|(_, row, _)| row[0] == atom);
        let value = fact.and_then(|(row, _, table)| table.value(row).first().copied()).unwrap_or(0.0);
        if value.fract() == 0.0 && value.abs() < 16.0 { value as i8 } else { 0 }
    }
}

/// Returns the element that the name of a type begins with: `c`, `cl`, `c_ar`, `n.3`.
fn element_of(name: &str) -> Option<Element> {
    let symbol = name.split(['_', '.']).next()?;
    let mut letters = symbol.chars();
    let first = letters.next()?.to_ascii_uppercase();
    Element::find(&format!("{first}{}", letters.as_str().to_ascii_lowercase()))
}

/// Returns the order that the name of a type says, aromatic as `None`: `1`, `b_7`, `ar`.
fn order_of(name: &str) -> Option<Option<BondOrder>> {
    match name.strip_prefix("b_").unwrap_or(name) {
        "1" | "am" => Some(Some(BondOrder::Single)),
        "2" => Some(Some(BondOrder::Double)),
        "3" => Some(Some(BondOrder::Triple)),
        "4" => Some(Some(BondOrder::Quadruple)),
        "7" | "ar" => Some(None),
        _ => None,
    }
}
