//! Molecules as facts of an example.

use lrnn::data::ExampleBuilder;
use lrnn::vocabulary::Constant;

use crate::{Bond, Molecule};

/// The facts that a molecule gives beside its elements, bonds, charges, hydrogens and aromatic atoms.
#[derive(Clone, Copy, Debug, Default)]
pub struct FactOptions {
    /// `ring(A, N)` for each size N of a ring that atom A is in.
    pub rings: bool,
}

impl Molecule {
    /// Adds the molecule to an example. Atoms are `a1`, `a2` and on, in their order.
    ///
    /// | fact | meaning |
    /// |---|---|
    /// | `element(A, E)` | atom A is of element E, written in small letters: `c`, `cl` |
    /// | `bond(A, B, K)` | both ways, K is `1`, `2`, `3`, `4` or `ar` |
    /// | `Q :: charge(A)` | the formal charge, where it is not 0 |
    /// | `hydrogens(A, N)` | A carries N hydrogens, 0 or more |
    /// | `aromatic(A)` | A is aromatic |
    /// | `ring(A, N)` | A is in a ring of N atoms, if asked for |
    ///
    /// ```
    /// use lrnn_chem::{FactOptions, Molecule};
    /// let template = lrnn::Template::parse("w[E] :: toxic :- element(A, E), *bond(A, B, ar).")?;
    /// let mut data = template.data();
    /// let phenol = Molecule::from_smiles("Oc1ccccc1").unwrap();
    /// phenol.add_to(data.example("phenol"), FactOptions::default()).target(1.0, "toxic", ());
    /// assert_eq!(data.build()?.examples.len(), 1);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn add_to<'a>(&self, mut example: ExampleBuilder<'a>, options: FactOptions) -> ExampleBuilder<'a> {
        for (place, atom) in self.atoms.iter().enumerate() {
            let name = atom_name(place);
            example = example.fact("element", (name.as_str(), atom.element.symbol().to_lowercase().as_str()));
            example = example.fact("hydrogens", (name.as_str(), i64::from(atom.hydrogens)));
            if atom.charge != 0 {
                example = example.fact_with(f64::from(atom.charge), "charge", (name.as_str(),));
            }
            if atom.aromatic {
                example = example.fact("aromatic", (name.as_str(),));
            }
        }
        for bond in &self.bonds {
            let [a, b] = bond.atoms.map(atom_name);
            example = example.fact("bond", (a.as_str(), b.as_str(), kind(bond)));
            example = example.fact("bond", (b.as_str(), a.as_str(), kind(bond)));
        }
        if options.rings {
            for (atom, size) in self.ring_sizes() {
                example = example.fact("ring", (atom_name(atom).as_str(), size as i64));
            }
        }
        example
    }

    /// Each atom with each size of its rings, once.
    fn ring_sizes(&self) -> Vec<(usize, usize)> {
        let of = |ring: &crate::Ring| {
            let size = ring.atoms.len();
            ring.atoms.iter().map(move |&atom| (atom, size)).collect::<Vec<_>>()
        };
        let mut sizes: Vec<(usize, usize)> = self.rings.iter().flat_map(of).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// The order of a bond: a number, or `ar`.
fn kind(bond: &Bond) -> Constant {
    if bond.aromatic { bond.name().into() } else { (bond.order as i64).into() }
}

/// The name of an atom in facts.
fn atom_name(place: usize) -> String {
    format!("a{}", place + 1)
}
