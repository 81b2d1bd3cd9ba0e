//! Molecules as examples of a dataset, with names and targets.

use lrnn::data::{Dataset, DatasetBuilder};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Error, ErrorKind};

use crate::{FactOptions, Molecule, MoleculeError};

/// The predicate of the property that is asked for, of one term: the name of the target.
const PROPERTY: &str = "property";
const RING: &str = "ring";

/// A property of molecules.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MoleculeTarget {
    /// Its name.
    pub name: String,
    /// The value of each molecule; `None` where it is not known. Empty if none is known.
    pub values: Vec<Option<f64>>,
}

/// Molecules with names and what is to be learned of them, as columns of one length.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MoleculeExamples {
    /// The names; those of the examples.
    pub names: Vec<String>,
    /// The molecules.
    pub molecules: Vec<Molecule>,
    /// The properties that are asked for.
    pub targets: Vec<MoleculeTarget>,
    /// True if molecules are asked for values that are not known of them, too.
    pub asks_unknown: bool,
}

impl MoleculeExamples {
    /// Reads SMILES. Returns those that can be read, named by their numbers from 1, and what is wrong with the others,
    /// by their places.
    ///
    /// ```
    /// use lrnn_chem::{MoleculeExamples, MoleculeTarget};
    /// let (mut molecules, wrong) = MoleculeExamples::from_smiles(["c1ccccc1", "C1CC", "CCO"]);
    /// assert_eq!((molecules.names, wrong[0].0), (vec!["1".to_owned(), "3".to_owned()], 1));
    /// molecules.names = vec!["benzene".to_owned(), "ethanol".to_owned()];
    /// molecules.targets = vec![MoleculeTarget { name: "drinkable".into(), values: vec![Some(0.0), Some(1.0)] }];
    /// let template = lrnn::Template::parse("w[E] :: property(drinkable) :- element(_, E).")?;
    /// let data = molecules.dataset(template.vocabulary.clone())?;
    /// assert_eq!(data.vocabulary.atom_text(data.queries[1][0].predicate, &data.queries[1][0].terms), "property(drinkable)");
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn from_smiles<'a>(texts: impl IntoIterator<Item = &'a str>) -> (Self, Vec<(usize, MoleculeError)>) {
        let (mut examples, mut wrong) = (Self::default(), Vec::new());
        for (place, text) in texts.into_iter().enumerate() {
            match Molecule::from_smiles(text) {
                Ok(molecule) => {
                    examples.names.push((place + 1).to_string());
                    examples.molecules.push(molecule);
                }
                Err(error) => wrong.push((place, error)),
            }
        }
        (examples, wrong)
    }

    /// Returns the molecules as examples in the names of a template. What is asked is `property(NAME)` for each target,
    /// or `NAME` itself where the template speaks of it. Where the template speaks of `ring/2`, these facts are there too.
    pub fn dataset(&self, vocabulary: Vocabulary) -> Result<Dataset, Error> {
        let knows =
            |name: &str, arity| vocabulary.predicates().any(|(_, it)| &*it.name == name && it.arity == arity);
        let alone: Vec<bool> = self.targets.iter().map(|target| knows(&target.name, 0)).collect();
        let options = FactOptions { rings: knows(RING, 2) };
        let lengths = self.targets.iter().map(|target| target.values.len()).filter(|&count| count > 0);
        if lengths.chain([self.names.len()]).any(|count| count != self.molecules.len()) {
            let message = "names, molecules and targets are not of one length";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let mut builder = DatasetBuilder::new(vocabulary);
        for (at, (name, molecule)) in self.names.iter().zip(&self.molecules).enumerate() {
            let mut example = molecule.add_to(builder.example(name), options);
            for (target, &alone) in self.targets.iter().zip(&alone) {
                let name = target.name.as_str();
                let is_known_of_others = !target.values.is_empty() && !self.asks_unknown;
                example = match (target.values.get(at).copied().flatten(), alone) {
                    (None, _) if is_known_of_others => example,
                    (Some(value), true) => example.target(value, name, ()),
                    (Some(value), false) => example.target(value, PROPERTY, (name,)),
                    (None, true) => example.query(name, ()),
                    (None, false) => example.query(PROPERTY, (name,)),
                };
            }
        }
        builder.build()
    }
}
