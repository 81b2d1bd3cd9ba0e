//! Clauses as features of queries, for methods that learn from features and know nothing of clauses: all that the root of the
//! lattice looks out to, whatever the targets are.

use std::cmp::Reverse;
use std::fmt::{Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use lrnn::Error;
use lrnn::function::math::ln;

use crate::coverage::Coverage;
use crate::lattice::Lattice;

/// A sparse matrix: a row for each example or query, a column for each feature.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Features {
    /// The name of each feature.
    pub names: Vec<String>,
    /// By example, the features that are not 0 with their values, in ascending order.
    pub rows: Vec<Vec<(u32, f64)>>,
    /// By example, how often each rule body holds, in ascending order of bodies; empty where nothing was counted, and
    /// features are taken for counts.
    pub counts: Vec<Vec<(u32, f64)>>,
}

impl Features {
    /// Returns the row of an example; an example that does not exist has an empty one.
    pub fn row(&self, example: usize) -> &[(u32, f64)] {
        self.rows.get(example).map_or(&[], Vec::as_slice)
    }
}

/// The input of a method that learns from features.
pub struct FeatureTask<'a> {
    /// The features of all examples.
    pub features: &'a Features,
    /// The class of each example, from 0. Those of test examples are never looked at.
    pub classes: &'a [u32],
    /// Number of classes.
    pub class_count: usize,
    /// The examples to learn from.
    pub training: &'a [usize],
    /// The examples to answer.
    pub test: &'a [usize],
    /// For choices by chance: the same seed gives the same answers.
    pub seed: u64,
}

impl FeatureTask<'_> {
    /// Returns how often each class occurs in the training part, as fractions; alike if there is no example.
    pub fn frequencies(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.class_count];
        self.training.iter().for_each(|&example| counts[self.classes[example] as usize] += 1.0);
        let total = self.training.len() as f64;
        let fraction = |count: f64| if total > 0.0 { count / total } else { 1.0 / self.class_count as f64 };
        counts.into_iter().map(fraction).collect()
    }

    /// Returns whether there is something to learn: two classes or more.
    pub fn has_two_classes(&self) -> bool {
        self.frequencies().iter().filter(|&&frequency| frequency > 0.0).count() > 1
    }
}

/// A method that learns from features: from a task to the probabilities of the classes of each test example.
#[derive(Clone, Copy)]
pub struct FeatureMethod {
    /// Its name.
    pub name: &'static str,
    /// The probabilities of each class, for each test example in the order of the task.
    pub fit_predict: fn(&FeatureTask<'_>) -> Vec<Vec<f64>>,
}

impl Debug for FeatureMethod {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl PartialEq for FeatureMethod {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl FeatureMethod {
    /// Learns from some queries: returns the log odds of each other query, and 0 for them.
    pub(crate) fn sums(
        &self,
        features: &Features,
        targets: &[f64],
        training: &[usize],
        seed: u64,
    ) -> Vec<f64> {
        let classes: Vec<u32> = targets.iter().map(|&target| u32::from(target > 0.5)).collect();
        let mut is_test = vec![true; targets.len()];
        training.iter().for_each(|&query| is_test[query] = false);
        let test: Vec<usize> = (0..targets.len()).filter(|&query| is_test[query]).collect();
        let task = FeatureTask { features, classes: &classes, class_count: 2, training, test: &test, seed };
        let mut sums = vec![0.0; targets.len()];
        for (&query, shares) in test.iter().zip((self.fit_predict)(&task)) {
            let share = shares[1].clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
            sums[query] = ln(share / (1.0 - share));
        }
        sums
    }
}

/// The smallest probability of an answer.
const LEAST_SHARE: f64 = 1e-12;
/// Most numbers in a matrix of all features of the queries that are learned from.
const MOST_NUMBERS: usize = 10_000_000;

/// The features of the queries of a lattice, found once.
#[derive(Default)]
pub(crate) struct ClauseFeatures(Mutex<Option<Arc<Features>>>);

impl ClauseFeatures {
    /// Returns which clauses cover each query: those that test something once, beyond so many literals that only bring
    /// variables. Where there are too many for those that are learned from, those are left out that cover nearly all queries
    /// or nearly none.
    pub fn of(&self, lattice: &Lattice, look_ahead: usize, learned: usize) -> Result<Arc<Features>, Error> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(features) = &*known {
            return Ok(Arc::clone(features));
        }
        let count = lattice.facts().queries.len();
        let outlook = lattice.outlook(&lattice.root(), look_ahead, usize::MAX)?;
        let mut columns: Vec<&Arc<Coverage>> = outlook.coverages().collect();
        let evenness = |coverage: &Coverage| coverage.count().min(count as u32 - coverage.count());
        columns.sort_by_key(|coverage| (Reverse(evenness(coverage)), coverage.mark()));
        columns.truncate((MOST_NUMBERS / learned.max(1)).max(1));
        let mut rows = vec![Vec::new(); count];
        for (at, coverage) in (0..).zip(&columns) {
            coverage.for_each(|query| rows[query].push((at, 1.0)));
        }
        let names = (1..=columns.len()).map(|number| format!("clause {number}")).collect();
        let features = Arc::new(Features { names, rows, counts: Vec::new() });
        *known = Some(Arc::clone(&features));
        Ok(features)
    }
}
