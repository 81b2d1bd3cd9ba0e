//! Molecules for lrnn. In: SMILES, MOL blocks and SDF. Out: a [`Molecule`] with hydrogens counted, rings, one Kekulé
//! structure and aromaticity as RDKit's default model perceives it; its facts for a template; its scaffold for a split.
//!
//! ```
//! let caffeine = lrnn_chem::Molecule::from_smiles("Cn1cnc2c1c(=O)n(C)c(=O)n2C")?;
//! assert_eq!(caffeine.atoms.iter().filter(|atom| atom.aromatic).count(), 9);
//! assert_eq!(caffeine.scaffold().atoms.len(), 11); // the two rings and their oxygens
//! # Ok::<(), lrnn_chem::MoleculeError>(())
//! ```
//!
//! Stereochemistry is read and left out, since no fact speaks of it. Dative bonds are refused.

mod aromatic;
mod described;
mod element;
mod examples;
mod facts;
mod fragment;
mod kekule;
mod layout;
mod mol;
mod molecule;
mod ring;
mod scaffold;
mod sketch;
mod smiles;

pub use described::{DescribedMolecule, MoleculePart, described_molecules};
pub use element::Element;
pub use examples::{MoleculeExamples, MoleculeTarget};
pub use facts::FactOptions;
pub use fragment::Fragment;
pub use layout::Point;
pub use mol::{SdfRecord, read_sdf};
pub use molecule::{Atom, Bond, BondOrder, Molecule, MoleculeError, Ring};
pub use scaffold::{scaffold_folds, scaffold_groups};
