//! nFOIL: clauses one by one as features of naive Bayes, each that with which the conditional likelihood of the training
//! targets is highest. What clauses cover stays with the others, and the model is a sum of weights like any other.

use std::time::Instant;

use lrnn::Error;
use lrnn::function::math;

use crate::budget::{SearchBudget, StepCount};
use crate::coverage::Coverage;
use crate::growth::{Grower, Growth, GrowthRule};
use crate::linear::LinearModel;
use crate::search::{Judge, search};

/// Most clauses.
pub(crate) const CLAUSES: usize = 25;
/// The part of the likelihood that a clause must gain.
const LEAST_GAIN: f64 = 0.001;
/// Training queries are told apart by this many pairs of class and score at most; beyond, near ones are taken for one
/// while candidates are compared.
const BUCKETS: usize = 128;

/// Counts of training queries by class: false, true.
type TruthCounts = [f64; 2];

/// Returns the log odds that a clause adds where it does not cover a query, and where it does.
fn log_odds(all: TruthCounts, covered: TruthCounts) -> [f64; 2] {
    let share = |class: usize| (covered[class] + 1.0) / (all[class] + 2.0);
    let ratio = |of: &dyn Fn(f64) -> f64| math::ln(of(share(1)) / of(share(0)));
    [ratio(&|share| 1.0 - share), ratio(&|share| share)]
}

/// Judges a clause by the conditional log likelihood of the training targets with it.
struct BayesJudge {
    /// By query: its bucket; none if it is not for training.
    buckets: Vec<u8>,
    /// By bucket: class, log odds so far, number of queries.
    all: Vec<(usize, f64, f64)>,
    counts: TruthCounts,
    min_support: f64,
    taken: Vec<u64>,
}

const NO_BUCKET: u8 = u8::MAX;

impl BayesJudge {
    fn new(grower: &Grower<'_>, sums: &[f64], training: &[usize], taken: Vec<u64>) -> Self {
        let class = |query: usize| usize::from(grower.targets[query] > 0.5);
        let mut order = training.to_vec();
        order.sort_by(|&one, &other| (class(one).cmp(&class(other))).then(sums[one].total_cmp(&sums[other])));
        let distinct = order.chunk_by(|&one, &other| class(one) == class(other) && sums[one] == sums[other]);
        let width = if distinct.count() <= BUCKETS { 1 } else { order.len().div_ceil(BUCKETS - 2) };
        let mut buckets = vec![NO_BUCKET; sums.len()];
        let mut all: Vec<(usize, f64, f64)> = Vec::new();
        for same in order
            .chunk_by(|&one, &other| class(one) == class(other) && (width > 1 || sums[one] == sums[other]))
        {
            for part in same.chunks(if width == 1 { same.len() } else { width }) {
                part.iter().for_each(|&query| buckets[query] = all.len() as u8);
                let mean = part.iter().map(|&query| sums[query]).sum::<f64>() / part.len() as f64;
                all.push((class(part[0]), mean, part.len() as f64));
            }
        }
        let mut counts = [0.0; 2];
        all.iter().for_each(|(class, _, count)| counts[*class] += count);
        let min_support = f64::from(grower.options.search.min_support);
        Self { buckets, all, counts, min_support, taken }
    }
}

/// Returns the log likelihood of a class under log odds.
fn likelihood(class: usize, odds: f64) -> f64 {
    -math::softplus(if class == 1 { -odds } else { odds })
}

impl Judge for BayesJudge {
    fn score(&self, coverage: &Coverage) -> Option<f64> {
        let mut inside = [0_u32; 256];
        coverage.for_each(|query| inside[self.buckets[query] as usize] += 1);
        let mut covered = [0.0; 2];
        for ((class, ..), &count) in self.all.iter().zip(&inside) {
            covered[*class] += f64::from(count);
        }
        let (count, rest) =
            (covered[0] + covered[1], self.counts[0] + self.counts[1] - covered[0] - covered[1]);
        if count.min(rest) < self.min_support || self.taken.contains(&coverage.mark()) {
            return None;
        }
        let odds = log_odds(self.counts, covered);
        let of = |(&(class, so_far, all), &count): (&(usize, f64, f64), &u32)| {
            let count = f64::from(count);
            count * likelihood(class, so_far + odds[1]) + (all - count) * likelihood(class, so_far + odds[0])
        };
        Some(self.all.iter().zip(&inside).map(of).sum())
    }
}

/// Learns clauses from some queries.
pub(crate) fn learn(grower: &Grower<'_>, training: &[usize]) -> Result<Growth, Error> {
    let options = grower.options.search;
    let counts = class_counts(grower, training, |_| true);
    let mut model = LinearModel::new(grower.kind, grower.targets, training);
    model.intercept = math::ln((counts[1] + 1.0) / (counts[0] + 1.0));
    model.sums.fill(model.intercept);
    let loss = |model: &LinearModel| model.mean_loss(grower.targets, training);
    let mut last = loss(&model);
    let (start, mut rules, mut is_cut_short) = (last, Vec::new(), false);
    while rules.len() < CLAUSES {
        is_cut_short = grower.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let taken = model.rules.iter().map(|rule| rule.mark()).collect();
        let judge = BayesJudge::new(grower, &model.sums, training, taken);
        if is_cut_short || judge.counts.contains(&0.0) {
            break;
        }
        let Some(found) =
            search(grower.lattice, &judge, &options, 1, &[], &mut SearchBudget::default())?.best.pop()
        else {
            break;
        };
        let odds = log_odds(counts, class_counts(grower, training, |query| found.coverage.has(query)));
        let before = model.clone();
        model.intercept += odds[0];
        model.weights.push(odds[1] - odds[0]);
        model.rules.push(found.coverage.clone());
        model.sum();
        let training_loss = loss(&model);
        if last - training_loss < LEAST_GAIN * last {
            model = before;
            break;
        }
        last = training_loss;
        let training_error = model.error(grower.targets, training);
        rules.push(GrowthRule { found, training_loss, training_error, held_sums: Vec::new() });
    }
    Ok(Growth { rules, model, start, start_sums: Vec::new(), is_cut_short, count: StepCount::default() })
}

fn class_counts(grower: &Grower<'_>, training: &[usize], is_in: impl Fn(usize) -> bool) -> TruthCounts {
    let mut counts = [0.0; 2];
    for &query in training.iter().filter(|&&query| is_in(query)) {
        counts[usize::from(grower.targets[query] > 0.5)] += 1.0;
    }
    counts
}
