//! What is split into parts and folds: the examples of a dataset, or the queries of its only example.

use std::borrow::Cow;

use super::example_queries::classes;
use crate::data::{Dataset, Example, Query};

/// The units that are split into parts and folds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cases {
    /// Each example with all its queries.
    Examples,
    /// Each query of the only example, whose facts are there for all of them.
    Queries,
}

/// The data of one learning: what is grounded, and what the learner may know of targets.
#[derive(Debug)]
pub struct CasesView<'a> {
    /// Facts and queries, without a word about who may see which target.
    pub facts: Cow<'a, Dataset>,
    /// The targets that may be seen and the weights of examples, and nothing else.
    pub targets: Dataset,
    /// The examples of `facts` to learn from.
    pub training: Vec<usize>,
    /// The examples of `facts` that are held out.
    pub held: Vec<usize>,
}

impl Cases {
    /// Returns what suits the data.
    pub fn of(dataset: &Dataset) -> Self {
        match &dataset.queries[..] {
            [queries] if queries.len() > 1 => Self::Queries,
            _ => Self::Examples,
        }
    }

    /// Returns what they are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Examples => "examples",
            Self::Queries => "queries",
        }
    }

    /// Returns how many there are.
    pub fn count(self, dataset: &Dataset) -> usize {
        match self {
            Self::Examples => dataset.examples.len(),
            Self::Queries => dataset.queries[0].len(),
        }
    }

    /// Returns the class of each, as far as targets tell.
    pub fn classes(self, dataset: &Dataset) -> Vec<u64> {
        match self {
            Self::Examples => classes(dataset),
            Self::Queries => {
                let alone = |query: &Query| vec![query.clone()];
                classes(&Dataset {
                    queries: dataset.queries[0].iter().map(alone).collect(),
                    ..Dataset::default()
                })
            }
        }
    }

    /// Returns the queries of one.
    pub fn queries(self, dataset: &Dataset, case: usize) -> &[Query] {
        match self {
            Self::Examples => &dataset.queries[case],
            Self::Queries => std::slice::from_ref(&dataset.queries[0][case]),
        }
    }

    /// Returns the name of one: that of its example, or its query.
    pub fn label(self, dataset: &Dataset, case: usize) -> String {
        match self {
            Self::Examples => dataset.example_name(case),
            Self::Queries if dataset.ids.len() == dataset.queries[0].len() => dataset.ids[case].to_string(),
            Self::Queries => case.to_string(),
        }
    }

    /// Returns the data for learning from some cases, with others held out; `seen` says whether the targets of these
    /// may be known, as they are inside the training folds.
    pub fn view<'a>(
        self,
        dataset: &'a Dataset,
        training: &[usize],
        held: &[usize],
        seen: bool,
    ) -> CasesView<'a> {
        match self {
            Self::Examples => {
                let mut queries: Vec<Vec<Query>> = vec![Vec::new(); dataset.queries.len()];
                for &example in training.iter().chain(held) {
                    queries[example] = dataset.queries[example].clone();
                }
                if !seen {
                    held.iter().for_each(|&example| blind(&mut queries[example]));
                }
                let targets = Dataset { weights: dataset.weights.clone(), ..of_targets(queries) };
                let (training, held) = (training.to_vec(), held.to_vec());
                CasesView { facts: Cow::Borrowed(dataset), targets, training, held }
            }
            Self::Queries => {
                let some =
                    |part: &[usize]| part.iter().map(|&case| dataset.queries[0][case].clone()).collect();
                let mut queries: Vec<Vec<Query>> = vec![some(training), some(held)];
                queries.truncate(1 + usize::from(!held.is_empty()));
                let facts = Dataset {
                    vocabulary: dataset.vocabulary.clone(),
                    examples: vec![dataset.examples[0].clone(); queries.len()],
                    queries: queries.clone(),
                    facts_seen: dataset.facts_seen.clone(),
                    ..Dataset::default()
                };
                if !seen {
                    queries[1..].iter_mut().for_each(|held| blind(held));
                }
                let (training, held) = (vec![0], (1..queries.len()).collect());
                CasesView { facts: Cow::Owned(facts), targets: of_targets(queries), training, held }
            }
        }
    }

    /// Returns the numbers of example and query of every query of some cases.
    pub fn places(self, dataset: &Dataset, cases: &[usize]) -> Vec<(usize, usize)> {
        match self {
            Self::Examples => dataset.places(cases),
            Self::Queries => cases.iter().map(|&case| (0, case)).collect(),
        }
    }
}

fn blind(queries: &mut [Query]) {
    queries.iter_mut().for_each(|query| query.target = None);
}

fn of_targets(queries: Vec<Vec<Query>>) -> Dataset {
    Dataset { examples: vec![Example::default(); queries.len()], queries, ..Dataset::default() }
}
