//! A number that tells one dataset from another.

use super::hash::Hash;
use crate::data::{Dataset, FactTable, Query};
use crate::function::Shape;
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// Returns a number that depends on the examples, their weights, the queries and the targets, and on nothing else: not
/// on the template, the layout of the files, the platform or the version. The order of facts counts, as it is part of
/// the data.
pub fn fingerprint(dataset: &Dataset) -> u64 {
    if let Some(away) = &dataset.away {
        return away.fingerprint;
    }
    let mut all = Fingerprint::new(dataset.examples.len());
    all.add(dataset);
    all.value(&dataset.weights)
}

/// The fingerprint of data that is seen part by part.
#[derive(Clone, Debug)]
pub struct Fingerprint(Hash);

impl Fingerprint {
    /// Begins with the number of all examples.
    pub fn new(examples: usize) -> Self {
        Self(Hash::new().number(examples as u64))
    }

    /// Adds the examples of a part, which come after those of all parts before.
    pub fn add(&mut self, part: &Dataset) {
        let (names, mut hash) = (NameHashes::of(&part.vocabulary), self.0);
        for (number, example) in part.examples.iter().enumerate() {
            hash = hash.number(example.tables.len() as u64);
            hash = example.tables.iter().fold(hash, |hash, table| names.table(hash, table));
            let queries = part.queries.get(number).map_or(&[][..], Vec::as_slice);
            hash = hash.number(queries.len() as u64);
            hash = queries.iter().fold(hash, |hash, query| names.query(hash, query));
        }
        self.0 = hash;
    }

    /// Returns the number, given the weights of all examples.
    pub fn value(&self, weights: &[f64]) -> u64 {
        let hash = if weights.is_empty() { self.0 } else { numbers(self.0, weights) };
        hash.value()
    }
}

/// The hash of each name, by id: ids themselves differ from template to template.
struct NameHashes {
    constants: Vec<u64>,
    predicates: Vec<u64>,
}

impl NameHashes {
    fn of(vocabulary: &Vocabulary) -> Self {
        let hash = |text: String| Hash::new().text(&text).value();
        Self {
            constants: vocabulary.constants().map(|(_, constant)| hash(constant.to_string())).collect(),
            predicates: vocabulary.predicates().map(|(_, signature)| hash(signature.to_string())).collect(),
        }
    }

    fn atom(&self, hash: Hash, predicate: PredicateId, terms: &[ConstantId]) -> Hash {
        let hash = hash.number(self.predicates[predicate.index()]);
        terms.iter().fold(hash, |hash, term| hash.number(self.constants[term.index()]))
    }

    fn table(&self, hash: Hash, table: &FactTable) -> Hash {
        let hash = shape(hash, table.shape).number(u64::from(table.rows));
        (0..table.rows as usize).fold(hash, |hash, row| {
            numbers(self.atom(hash, table.predicate, table.row(row)), table.value(row))
        })
    }

    fn query(&self, hash: Hash, query: &Query) -> Hash {
        let hash = self.atom(hash, query.predicate, &query.terms);
        let hash = if query.weight == 1.0 { hash } else { numbers(hash, &[query.weight]) };
        match &query.target {
            None => hash.number(0),
            Some(target) => numbers(hash.number(1 + target.len() as u64), target),
        }
    }
}

fn shape(hash: Hash, shape: Shape) -> Hash {
    hash.number(u64::from(shape.rows)).number(u64::from(shape.columns))
}

fn numbers(hash: Hash, numbers: &[f64]) -> Hash {
    numbers.iter().fold(hash, |hash, number| hash.number(number.to_bits()))
}
