//! What rules are about: a predicate that queries ask for, or one of its classes.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::data::Dataset;
use lrnn::vocabulary::{ConstantId, PredicateId};
use lrnn::{Error, ErrorKind};

/// A predicate that queries ask for, with the constants that all rules have in their head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// The predicate.
    pub predicate: PredicateId,
    /// By column: the constant, or none where rules have a variable.
    pub constants: Vec<Option<ConstantId>>,
}

/// A column with more constants than this is not one of classes.
const MOST_CLASSES: usize = 50;

impl Goal {
    /// Returns what the queries of a dataset ask for: each predicate, and each class of those that have one right class
    /// of several.
    pub fn all(dataset: &Dataset) -> Result<Vec<Self>, Error> {
        let mut predicates: Vec<PredicateId> = Vec::new();
        for query in dataset.queries.iter().flatten().filter(|query| query.target.is_some()) {
            if query.target.as_ref().is_some_and(|target| target.len() != 1) {
                let name = dataset.vocabulary.signature(query.predicate);
                let message =
                    format!("the targets of `{name}` are vectors, and rules are learned for numbers only");
                return Err(
                    Error::new(ErrorKind::Content, message).help("give each element a query of its own")
                );
            }
            if !predicates.contains(&query.predicate) {
                predicates.push(query.predicate);
            }
        }
        if predicates.is_empty() {
            return Err(lrnn::program::no_target("learn rules from"));
        }
        Ok(predicates.into_iter().flat_map(|predicate| Self::of(dataset, predicate)).collect())
    }

    /// Returns the goals of one predicate: one for each class, or a single one.
    fn of(dataset: &Dataset, predicate: PredicateId) -> Vec<Self> {
        let arity = dataset.vocabulary.signature(predicate).arity as usize;
        for column in 0..arity {
            if let Some(classes) = classes(dataset, predicate, column) {
                let goal = |class| {
                    let mut constants = vec![None; arity];
                    constants[column] = Some(class);
                    Self { predicate, constants }
                };
                return classes.into_iter().map(goal).collect();
            }
        }
        vec![Self { predicate, constants: vec![None; arity] }]
    }

    /// Tells whether a query is about it.
    pub fn has(&self, predicate: PredicateId, terms: &[ConstantId]) -> bool {
        let fits = |(constant, term): (&Option<ConstantId>, &ConstantId)| {
            constant.is_none_or(|constant| constant == *term)
        };
        predicate == self.predicate && self.constants.iter().zip(terms).all(fits)
    }

    /// Returns the terms of a query at the columns of variables.
    pub fn free<'a>(&'a self, terms: &'a [ConstantId]) -> impl Iterator<Item = ConstantId> + 'a {
        self.constants.iter().zip(terms).filter(|(constant, _)| constant.is_none()).map(|(_, term)| *term)
    }
}

/// Returns the constants of a column if they are classes: every group of queries that are alike but for this column
/// asks for all of them, and one of them is right.
fn classes(dataset: &Dataset, predicate: PredicateId, column: usize) -> Option<Vec<ConstantId>> {
    let mut groups: BTreeMap<(usize, Vec<u32>), (BTreeSet<u32>, f64)> = BTreeMap::new();
    for (example, queries) in dataset.queries.iter().enumerate() {
        for query in queries.iter().filter(|query| query.predicate == predicate) {
            let others =
                query.terms.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, term)| term.0);
            let group = groups.entry((example, others.collect())).or_default();
            group.0.insert(query.terms[column].0);
            group.1 += query.target.as_ref()?[0];
        }
    }
    let first = groups.values().next()?.0.clone();
    let is_whole = groups.len() > 1 && (3..=MOST_CLASSES).contains(&first.len());
    let is_one = groups.values().all(|(classes, sum)| *classes == first && *sum == 1.0);
    (is_whole && is_one).then(|| first.into_iter().map(ConstantId).collect())
}
