//! Growth: rules one by one, each chosen by the gradient and the curvature of the loss where the model stands, and all
//! weights fitted again after each. How many rules there are is chosen on inner folds.

use std::time::Instant;

use lrnn::Error;
use lrnn::train::shuffled;
use rayon::prelude::*;

use crate::coverage::Coverage;
use crate::lattice::Lattice;
use crate::linear::{LinearModel, TargetKind};
use crate::search::{Judge, ScoredClause, SearchOptions, search};

/// Options of growth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowthOptions {
    /// The search for each rule.
    pub search: SearchOptions,
    /// Strength of L2 regularisation in the score of a rule.
    pub score_l2: f64,
    /// Strength of L2 regularisation of the weights.
    pub l2: f64,
    /// Most rules.
    pub rules: usize,
    /// Inner folds that choose how many rules there are.
    pub inner: u32,
    /// Rounds without a smaller loss on the held-out part after which an inner fold stops.
    pub patience: usize,
    /// Seed of the inner folds.
    pub seed: u64,
    /// The time at which growth stops with the rules it has.
    pub deadline: Option<Instant>,
}

impl Default for GrowthOptions {
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            score_l2: 1.0,
            l2: 0.1,
            rules: 150,
            inner: 5,
            patience: 10,
            seed: 1,
            deadline: None,
        }
    }
}

/// Judges a clause by what a step along its weight would gain.
struct GradientJudge {
    /// By query: slope, curvature, and 1 if it is for training.
    parts: Vec<[f64; 3]>,
    /// Number of training queries.
    count: f64,
    /// By query: slope² / curvature where the slope is positive, and where it is not.
    potential: [Vec<f64>; 2],
    l2: f64,
    min_support: f64,
    taken: Vec<u64>,
}

impl Judge for GradientJudge {
    fn score(&self, coverage: &Coverage) -> Option<f64> {
        let [mut slope, mut curvature, mut count] = [0.0; 3];
        coverage.for_each(|query| {
            let part = &self.parts[query];
            slope += part[0];
            curvature += part[1];
            count += part[2];
        });
        let is_wide = count >= self.min_support && self.count - count >= self.min_support;
        (is_wide && !self.taken.contains(&coverage.mark())).then(|| slope * slope / (curvature + self.l2))
    }

    fn bound(&self, coverage: &Coverage) -> f64 {
        let mut sums = [0.0, 0.0];
        coverage.for_each(|query| {
            sums[0] += self.potential[0][query];
            sums[1] += self.potential[1][query];
        });
        sums[0].max(sums[1])
    }
}

/// A rule of a growth.
#[derive(Clone, Debug)]
pub struct GrowthRule {
    /// The clause, with the score it was chosen by.
    pub found: ScoredClause,
    /// Mean loss of the training queries once it was taken.
    pub training_loss: f64,
    /// Mean loss of the queries that were held out.
    pub held_loss: f64,
}

/// Rules that were grown from some queries.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The rules in the order they were found.
    pub rules: Vec<GrowthRule>,
    /// The model with all of them.
    pub model: LinearModel,
    /// Mean loss of the training queries and of those held out, without rules.
    pub start: (f64, f64),
    /// True if the time was up.
    pub is_cut_short: bool,
}

/// The data of a growth: the lattice with the target of each query.
#[derive(Clone, Copy)]
pub struct Grower<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// The target of each query.
    pub targets: &'a [f64],
    /// By query: what must not be torn apart by folds.
    pub groups: &'a [u32],
    /// The kind of targets.
    pub kind: TargetKind,
    /// Options of growth.
    pub options: GrowthOptions,
}

/// The part of what rules gain on inner folds that may be lost for fewer of them.
const TOLERANCE: f64 = 0.002;
/// The smallest score of a rule.
const LEAST_GAIN: f64 = 0.5;

impl Grower<'_> {
    /// Grows at most so many rules from some queries, and measures others on the way.
    pub fn grow(&self, training: &[usize], held: &[usize], rules: usize) -> Result<Growth, Error> {
        let mut model = LinearModel::new(self.kind, self.targets, training);
        let loss = |model: &LinearModel, queries: &[usize]| model.mean_loss(self.targets, queries);
        let start = (loss(&model, training), loss(&model, held));
        let mut grown: Vec<GrowthRule> = Vec::new();
        let (mut best, mut since) = (start.1, 0);
        let mut is_cut_short = false;
        while grown.len() < rules && (held.is_empty() || since < self.options.patience) {
            is_cut_short = self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_cut_short {
                break;
            }
            let judge = self.judge(&model, training);
            let Some(found) = search(self.lattice, &judge, &self.options.search, 1)?.pop() else { break };
            if found.score < LEAST_GAIN {
                break;
            }
            model.add(found.coverage.clone(), self.targets, training, self.options.l2);
            let (training_loss, held_loss) = (loss(&model, training), loss(&model, held));
            since += 1;
            if held_loss < best {
                (best, since) = (held_loss, 0);
            }
            grown.push(GrowthRule { found, training_loss, held_loss });
        }
        Ok(Growth { rules: grown, model, start, is_cut_short })
    }

    fn judge(&self, model: &LinearModel, training: &[usize]) -> GradientJudge {
        let count = self.targets.len();
        let mut parts = vec![[0.0; 3]; count];
        let mut potential = [vec![0.0; count], vec![0.0; count]];
        for &query in training {
            let answer = self.kind.answer(model.sums[query]);
            let slope = self.targets[query] - answer;
            let curvature = self.kind.curvature(answer);
            potential[usize::from(slope <= 0.0)][query] = slope * slope / curvature.max(1e-12);
            parts[query] = [slope, curvature, 1.0];
        }
        GradientJudge {
            parts,
            count: training.len() as f64,
            potential,
            l2: self.options.score_l2,
            min_support: f64::from(self.options.search.min_support),
            taken: model.rules.iter().map(|rule| rule.mark()).collect(),
        }
    }

    /// Returns the fewest rules that give all but nothing away of the smallest loss on inner folds of some queries, and
    /// that mean loss by number.
    pub fn choose(&self, queries: &[usize]) -> Result<(usize, Vec<f64>), Error> {
        let parts =
            inner_folds(queries, self.targets, self.groups, self.kind, self.options.inner, self.options.seed);
        let grown: Vec<(Growth, usize)> = parts
            .par_iter()
            .map(|(training, held)| Ok((self.grow(training, held, self.options.rules)?, held.len())))
            .collect::<Result<_, Error>>()?;
        let longest = grown.iter().map(|(growth, _)| growth.rules.len()).max().unwrap_or(0);
        let loss = |growth: &Growth, count: usize| match count.min(growth.rules.len()) {
            0 => growth.start.1,
            count => growth.rules[count - 1].held_loss,
        };
        let total = |count: usize| -> f64 {
            grown.iter().map(|(growth, held)| loss(growth, count) * *held as f64).sum::<f64>()
                / queries.len().max(1) as f64
        };
        let losses: Vec<f64> = (0..=longest).map(total).collect();
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let enough = least + TOLERANCE * (losses[0] - least);
        let fewest = losses.iter().position(|&loss| loss <= enough).unwrap_or(0);
        Ok((fewest, losses))
    }
}

/// Returns inner folds of some queries, whole groups each with their share of every class: those to learn from, and
/// those held out.
pub fn inner_folds(
    queries: &[usize],
    targets: &[f64],
    groups: &[u32],
    kind: TargetKind,
    folds: u32,
    seed: u64,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let numbers = deal(queries, targets, groups, kind, folds, seed);
    let count = numbers.iter().max().map_or(0, |&last| last + 1);
    let part = |fold: u32| {
        let places: (Vec<usize>, Vec<usize>) = (0..queries.len()).partition(|&at| numbers[at] != fold);
        let of = |places: &[usize]| places.iter().map(|&at| queries[at]).collect();
        (of(&places.0), of(&places.1))
    };
    if count < 2 { Vec::new() } else { (0..count).map(part).collect() }
}

/// Deals queries out to folds, group by group, each class in a random order.
pub fn deal(
    queries: &[usize],
    targets: &[f64],
    groups: &[u32],
    kind: TargetKind,
    folds: u32,
    seed: u64,
) -> Vec<u32> {
    let mut members: Vec<(u32, usize, f64)> = Vec::new();
    let mut place = std::collections::BTreeMap::new();
    for &query in queries {
        let at = *place.entry(groups[query]).or_insert(members.len());
        if at == members.len() {
            members.push((groups[query], 0, 0.0));
        }
        members[at].1 += 1;
        members[at].2 += targets[query];
    }
    let class = |&(_, count, sum): &(u32, usize, f64)| match kind {
        TargetKind::Truth => u8::from(sum * 2.0 > count as f64),
        TargetKind::Number => 0,
    };
    let mut order = shuffled(members.len(), &[seed, INNER]);
    order.sort_by_key(|&at| class(&members[at]));
    let mut fold = vec![0; members.len()];
    let folds = folds.clamp(1, members.len().max(1) as u32);
    order.into_iter().enumerate().for_each(|(at, group)| fold[group] = at as u32 % folds);
    queries.iter().map(|query| fold[place[&groups[*query]]]).collect()
}

/// The stream of random orders for inner folds.
const INNER: u64 = 21;
