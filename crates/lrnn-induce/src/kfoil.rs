//! kFOIL: clauses one by one as features of a support vector machine with the kernel (1 + x·z)². The clauses that
//! correlate most with the multipliers of the machine so far are short-listed, the machine is trained with each, and
//! that with which it answers the training queries best is taken.
//!
//! The kernel is a scalar product of explicit features: 1, each clause times √3, each pair of clauses times √2.

use std::time::Instant;

use lrnn::Error;
use lrnn::threads::each;
use lrnn::train::shuffled;

use crate::budget::SearchBudget;
use crate::coverage::Coverage;
use crate::growth::Grower;
use crate::search::{Judge, ScoredClause, SearchOptions, search};

/// Most clauses.
const CLAUSES: usize = 25;
/// Clauses that the machine is trained with in each round.
const SHORT_LIST: usize = 20;
/// Sweeps of dual coordinate ascent.
const SWEEPS: usize = 8;
/// Largest multiplier.
const COST: f64 = 1.0;
/// Weight of the mean hinge loss beside the accuracy.
const HINGE_WEIGHT: f64 = 0.01;
/// Stream of random orders.
const ORDER: u64 = 22;

/// Judges a clause by its correlation with the multipliers, signed by class.
struct CorrelationJudge {
    /// By query: how far its signed multiplier is from their mean, and 1 if it is for training.
    parts: Vec<[f64; 2]>,
    count: f64,
    min_support: f64,
    taken: Vec<u64>,
}

impl CorrelationJudge {
    fn new(values: &[f64], training: &[usize], options: &SearchOptions, taken: Vec<u64>) -> Self {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let last = training.iter().max().map_or(0, |last| last + 1);
        let mut parts = vec![[0.0; 2]; last];
        training.iter().zip(values).for_each(|(&query, value)| parts[query] = [value - mean, 1.0]);
        let min_support = f64::from(options.min_support);
        Self { parts, count: training.len() as f64, min_support, taken }
    }
}

impl Judge for CorrelationJudge {
    fn score(&self, coverage: &Coverage) -> Option<f64> {
        let [mut sum, mut count] = [0.0; 2];
        coverage.for_each(|query| {
            let part = self.parts.get(query).copied().unwrap_or_default();
            sum += part[0];
            count += part[1];
        });
        let rest = self.count - count;
        let is_wide = count.min(rest) >= self.min_support;
        (is_wide && !self.taken.contains(&coverage.mark()))
            .then(|| sum.abs() / (count * rest / self.count).sqrt())
    }
}

/// A machine: multipliers of training queries, and what they make of each feature.
#[derive(Clone, Default)]
struct ClauseMachine {
    multipliers: Vec<f64>,
    weights: Vec<f64>,
}

/// The clauses of a machine, and those that cover each query.
#[derive(Clone, Default)]
struct ClauseRows {
    count: usize,
    /// By query: the clauses that cover it, in ascending order.
    rows: Vec<Vec<u8>>,
}

impl ClauseRows {
    fn add(&mut self, coverage: &Coverage) {
        coverage.for_each(|query| self.rows[query].push(self.count as u8));
        self.count += 1;
    }

    /// Calls for each feature of a query that is not 0, with its value.
    fn features(&self, query: usize, mut call: impl FnMut(usize, f64)) {
        call(0, 1.0);
        for (at, &clause) in self.rows[query].iter().enumerate() {
            // A clause has its own feature, and then one with each before it.
            let first = 1 + clause as usize * (clause as usize + 1) / 2;
            call(first, SQRT_3);
            for &other in &self.rows[query][..at] {
                call(first + 1 + other as usize, std::f64::consts::SQRT_2);
            }
        }
    }

    fn feature_count(&self) -> usize {
        1 + self.count * (self.count + 1) / 2
    }
}

const SQRT_3: f64 = 1.732_050_807_568_877_2;

impl ClauseMachine {
    fn sum(&self, rows: &ClauseRows, query: usize) -> f64 {
        let mut sum = 0.0;
        rows.features(query, |feature, value| sum += self.weights[feature] * value);
        sum
    }

    /// Goes on from the multipliers, query after query in an order.
    fn train(&mut self, rows: &ClauseRows, training: &[usize], signs: &[f64], order: &[usize]) {
        self.weights = vec![0.0; rows.feature_count()];
        let mut squares = vec![0.0; training.len()];
        for (at, &query) in training.iter().enumerate() {
            let step = self.multipliers[at] * signs[at];
            rows.features(query, |feature, value| {
                self.weights[feature] += step * value;
                squares[at] += value * value;
            });
        }
        for _ in 0..SWEEPS {
            for &at in order {
                let slope = signs[at] * self.sum(rows, training[at]) - 1.0;
                let old = self.multipliers[at];
                let new = (old - slope / squares[at]).clamp(0.0, COST);
                if new != old {
                    self.multipliers[at] = new;
                    let step = (new - old) * signs[at];
                    rows.features(training[at], |feature, value| self.weights[feature] += step * value);
                }
            }
        }
    }

    /// Returns the share of right answers, less a little for the loss.
    fn quality(&self, rows: &ClauseRows, training: &[usize], signs: &[f64]) -> f64 {
        let (mut right, mut loss) = (0.0, 0.0);
        for (&query, sign) in training.iter().zip(signs) {
            let margin = sign * self.sum(rows, query);
            right += f64::from(u8::from(margin > 0.0));
            loss += (1.0 - margin).max(0.0);
        }
        (right - HINGE_WEIGHT * loss) / training.len().max(1) as f64
    }
}

/// Learns clauses from some queries: returns the sum of each query, and how many clauses there are.
pub(crate) fn learn(grower: &Grower<'_>, training: &[usize]) -> Result<(Vec<f64>, usize), Error> {
    let signs: Vec<f64> =
        training.iter().map(|&query| if grower.targets[query] > 0.5 { 1.0 } else { -1.0 }).collect();
    let order = shuffled(training.len(), &[grower.options.seed, ORDER]);
    let mut rows = ClauseRows { count: 0, rows: vec![Vec::new(); grower.targets.len()] };
    let mut machine = ClauseMachine { multipliers: vec![0.0; training.len()], weights: Vec::new() };
    machine.train(&rows, training, &signs, &order);
    let options = grower.options.search;
    let mut taken = Vec::new();
    while rows.count < CLAUSES && grower.options.deadline.is_none_or(|deadline| Instant::now() < deadline) {
        let values: Vec<f64> = match rows.count {
            0 => signs.clone(),
            _ => machine.multipliers.iter().zip(&signs).map(|(one, sign)| one * sign).collect(),
        };
        let judge = CorrelationJudge::new(&values, training, &grower.options.search, taken.clone());
        let found =
            search(grower.lattice, &judge, &options, SHORT_LIST, &[], &mut SearchBudget::default())?.best;
        let with = |clause: &ScoredClause| {
            let (mut rows, mut machine) = (rows.clone(), machine.clone());
            rows.add(&clause.coverage);
            machine.train(&rows, training, &signs, &order);
            (machine.quality(&rows, training, &signs), machine)
        };
        let tried = each(&found, with);
        let best =
            tried.into_iter().enumerate().reduce(|best, next| if next.1.0 > best.1.0 { next } else { best });
        let Some((at, (_, trained))) = best else { break };
        machine = trained;
        rows.add(&found[at].coverage);
        taken.push(found[at].coverage.mark());
    }
    Ok(((0..grower.targets.len()).map(|query| machine.sum(&rows, query)).collect(), rows.count))
}
