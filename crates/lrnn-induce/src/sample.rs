//! A sample of the queries to search with, where one answer is far commoner than the other: rules are found with all
//! queries of the rare answer and some of the others, and their weights are fitted to all.

use std::sync::Arc;

use lrnn::Stop;
use lrnn::threads::each;
use lrnn::train::shuffled;

use crate::bias::Bias;
use crate::coverage::Coverage;
use crate::facts::FactIndex;
use crate::folds::QueryGroups;
use crate::growth::Growth;
use crate::lattice::{Lattice, LatticeLimits};
use crate::linear::{LinearModel, TargetKind};

/// So many queries of the common answer are taken for each of the rare one.
const SHARE: usize = 20;
/// Fewer queries are searched as they are.
const LEAST: usize = 4000;
/// The stream of random orders.
const SAMPLE: u64 = 27;

/// The queries that rules are searched with, and the lattice over all.
pub(crate) struct QuerySample {
    /// By query of the sample: its number among all.
    pub numbers: Vec<usize>,
    /// By query of the sample: its target.
    pub targets: Vec<f64>,
    /// Queries of the sample that folds must not tear apart.
    pub groups: QueryGroups,
    /// The rules that were given, over the sample.
    pub given: Vec<Arc<Coverage>>,
    /// The clauses over all queries.
    pub all: Lattice,
}

impl QuerySample {
    /// Draws a sample if one answer is rare among many; returns it with the facts to search in.
    pub fn draw(
        facts: &FactIndex,
        bias: &Bias,
        limits: LatticeLimits,
        stop: &Stop,
        (targets, groups, given): (&[f64], &QueryGroups, &[Arc<Coverage>]),
    ) -> Option<(Self, FactIndex)> {
        let trues = targets.iter().filter(|target| **target > 0.5).count();
        let is_true_rare = 2 * trues < targets.len();
        let rare = if is_true_rare { trues } else { targets.len() - trues };
        if targets.len() < LEAST || rare == 0 || (SHARE + 1) * rare >= targets.len() {
            return None;
        }
        let is_rare = |query: usize| (targets[query] > 0.5) == is_true_rare;
        let common: Vec<usize> = (0..targets.len()).filter(|&query| !is_rare(query)).collect();
        let drawn = shuffled(common.len(), &[SAMPLE]).into_iter().take(SHARE * rare).map(|at| common[at]);
        let mut numbers: Vec<usize> =
            (0..targets.len()).filter(|&query| is_rare(query)).chain(drawn).collect();
        numbers.sort_unstable();
        let part =
            |coverage: &Arc<Coverage>| Arc::new(Coverage::of(numbers.len(), |at| coverage.has(numbers[at])));
        let sample = Self {
            targets: numbers.iter().map(|&query| targets[query]).collect(),
            groups: groups.of(&numbers),
            given: given.iter().map(part).collect(),
            all: Lattice::new(facts.clone(), bias.clone(), limits, stop.clone()),
            numbers: numbers.clone(),
        };
        let searched = facts.with_queries(&numbers);
        Some((sample, searched))
    }

    /// Returns the queries of the sample that are among some of all.
    pub fn inside(&self, queries: &[usize], count: usize) -> Vec<usize> {
        let mut is_in = vec![false; count];
        queries.iter().for_each(|&query| is_in[query] = true);
        (0..self.numbers.len()).filter(|&at| is_in[self.numbers[at]]).collect()
    }

    /// Returns the numbers among all of the queries of the sample that are among some of all.
    pub fn numbers_inside(&self, queries: &[usize], count: usize) -> Vec<usize> {
        self.inside(queries, count).into_iter().map(|at| self.numbers[at]).collect()
    }

    /// Returns rules with what they cover of all queries, and weights that are fitted to some of these.
    pub fn widen(
        &self,
        mut growth: Growth,
        (kind, targets, given): (TargetKind, &[f64], &[Arc<Coverage>]),
        training: &[usize],
        l2: f64,
    ) -> Growth {
        let empty = || Coverage::of(targets.len(), |_| false);
        let wide = each(&growth.rules, |rule| self.all.coverage(&rule.found.clause));
        for (rule, whole) in growth.rules.iter_mut().zip(wide) {
            rule.found.coverage = Arc::new(whole.unwrap_or_else(empty));
        }
        let mut model = LinearModel::new(kind, targets, training);
        growth.start = model.mean_loss(targets, training);
        model.rules =
            given.iter().chain(growth.rules.iter().map(|rule| &rule.found.coverage)).cloned().collect();
        model.weights = growth.model.weights.clone();
        model.fit(targets, training, l2);
        growth.model = model;
        growth
    }
}
