//! Growth: rules one by one, each chosen by the gradient and the curvature of the loss where the model stands, and all
//! weights fitted again after each. How many rules there are is chosen on inner folds.

use std::sync::Arc;
use std::time::Instant;

use lrnn::threads::try_each;
use lrnn::train::shuffled;
use lrnn::{Error, ErrorKind};

use crate::clause::LatticeClause;
use crate::coverage::Coverage;
use crate::facts::mark;
use crate::growth_journal::GrowthJournal;
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
    /// Strength of L2 regularisation of the weights; none if it is chosen on inner folds.
    pub l2: Option<f64>,
    /// Score that each literal after the first must add, from 0; none if it is chosen on inner folds.
    pub literal_cost: Option<f64>,
    /// Growths from different parts of the training queries, whose weights are averaged; 1 for one from all of them.
    pub bags: u32,
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
    /// Clauses that one growth compares at most before its next rule is looked for.
    pub clauses: Option<u64>,
}

impl Default for GrowthOptions {
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            score_l2: 1.0,
            l2: None,
            literal_cost: None,
            bags: 1,
            rules: 150,
            inner: 5,
            patience: 10,
            seed: 1,
            deadline: None,
            clauses: None,
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
    /// Share of wrong answers among the training queries then.
    pub training_error: f64,
    /// By strength of regularisation: the sums of the queries that were held out.
    pub held_sums: Vec<Vec<f64>>,
}

/// Rules that were grown from some queries.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The rules in the order they were found.
    pub rules: Vec<GrowthRule>,
    /// The model with all of them, after those that were given.
    pub model: LinearModel,
    /// Mean loss of the training queries without rules.
    pub start: f64,
    /// By strength of regularisation: the sums of the queries that were held out, without rules.
    pub start_sums: Vec<Vec<f64>>,
    /// True if the time or the budget was up, or somebody stopped it.
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
    /// Rules that are there from the beginning.
    pub given: &'a [Arc<Coverage>],
    /// The kind of targets.
    pub kind: TargetKind,
    /// Options of growth.
    pub options: GrowthOptions,
    /// The number of the goal.
    pub goal: usize,
    /// Growths that are finished.
    pub journal: &'a GrowthJournal,
}

/// Losses on inner folds are hardly larger than the smallest if they are by no more than this many standard errors of the
/// difference.
const SLACK: f64 = 0.5;
/// The smallest score of a rule.
const LEAST_GAIN: f64 = 0.5;
/// Strengths of L2 regularisation to choose from: rules are grown with the first of each group, and fitted with all.
const STRENGTHS: [&[f64]; 3] = [&[0.1], &[1.0, 4.0], &[16.0, 64.0]];
/// The loss of an answer that is sure enough: a smaller one is no reason for more rules, or longer ones.
const SURE: f64 = 0.1;
/// Costs of a literal to choose from, the dearest first: it gives the shorter rules.
const LITERAL_COSTS: [f64; 2] = [1.0, 0.0];
/// The number of clauses that a search gives.
const SHORT_LIST: usize = 20;
/// After so many rules the next may come from the clauses of the last search...
const EXACT_RULES: usize = 8;
/// ... while the best of them gains so much of what the last rule did.
const REUSE: f64 = 0.85;
/// The share of the training queries that a bag has.
const BAG: f64 = 0.8;

/// By number of rules: the loss of each query while it was held out.
type CountLosses = Vec<Vec<f64>>;

/// The settings of growth that inner folds have chosen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GrowthChoice {
    /// Score that each literal after the first must add.
    pub literal_cost: f64,
    /// Strength of L2 regularisation while rules are grown.
    pub growing_l2: f64,
    /// Strength of L2 regularisation of the weights.
    pub l2: f64,
    /// Number of rules, in each bag.
    pub rules: usize,
    /// Mean loss on inner folds by number of rules.
    pub losses: Vec<f64>,
    /// True if the time or the budget of an inner fold was up.
    pub is_cut_short: bool,
}

impl Grower<'_> {
    /// Grows at most so many rules from some queries with the first strength of regularisation, and fits them with each,
    /// to measure queries that are held out.
    pub fn grow(
        &self,
        training: &[usize],
        held: &[usize],
        rules: usize,
        strengths: &[f64],
    ) -> Result<Growth, Error> {
        let mut models: Vec<LinearModel> = strengths.iter().map(|&l2| self.start(training, l2)).collect();
        let held_sums = |models: &[LinearModel]| -> Vec<Vec<f64>> {
            models.iter().map(|model| held.iter().map(|&query| model.sums[query]).collect()).collect()
        };
        let held_loss = |model: &LinearModel| model.mean_loss(self.targets, held);
        let (start, start_sums) = (models[0].mean_loss(self.targets, training), held_sums(&models));
        let mut best: Vec<f64> = models.iter().map(held_loss).collect();
        let (mut grown, mut since, mut is_cut_short): (Vec<GrowthRule>, _, _) = (Vec::new(), 0, false);
        let mut list = ShortList::default();
        let key = self.key(training, held, rules, strengths);
        let mut known = self.journal.known(key).map(Vec::into_iter);
        while grown.len() < rules && (held.is_empty() || since < self.options.patience) {
            is_cut_short = self.is_over(list.compared);
            if is_cut_short {
                break;
            }
            let next = match &mut known {
                Some(clauses) => Ok(clauses.next().and_then(|clause| self.recalled(clause))),
                None => self.find(&self.judge(&models[0], training), &grown, &mut list),
            };
            let found = match next {
                Ok(Some(found)) => found,
                Ok(None) => break,
                // What was found stays.
                Err(error) if error.kind() == ErrorKind::Stopped && held.is_empty() && !grown.is_empty() => {
                    is_cut_short = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            for (model, &l2) in models.iter_mut().zip(strengths) {
                model.add(found.coverage.clone(), self.targets, training, l2);
            }
            let losses: Vec<f64> = models.iter().map(held_loss).collect();
            let is_better = losses.iter().zip(&best).any(|(loss, best)| loss < best);
            since = if is_better { 0 } else { since + 1 };
            best.iter_mut().zip(&losses).for_each(|(best, loss)| *best = best.min(*loss));
            let training_loss = models[0].mean_loss(self.targets, training);
            let training_error = models[0].error(self.targets, training);
            grown.push(GrowthRule { found, training_loss, training_error, held_sums: held_sums(&models) });
        }
        if known.is_none() && !is_cut_short {
            let clauses = || grown.iter().map(|rule| (rule.found.clause.clone(), rule.found.score)).collect();
            self.journal.add(key, clauses)?;
        }
        Ok(Growth { rules: grown, model: models.swap_remove(0), start, start_sums, is_cut_short })
    }

    /// Returns a number for all that a growth depends on beside the data and the options.
    fn key(&self, training: &[usize], held: &[usize], rules: usize, strengths: &[f64]) -> u64 {
        let mut words = vec![self.goal as u64, self.literal_cost().to_bits(), rules as u64];
        words.extend(strengths.iter().map(|strength| strength.to_bits()));
        words.extend(training.iter().map(|&query| query as u64));
        words.push(u64::MAX);
        words.extend(held.iter().map(|&query| query as u64));
        mark(&words)
    }

    /// Returns a clause that was found before.
    fn recalled(&self, (clause, score): (LatticeClause, f64)) -> Option<ScoredClause> {
        let coverage = Arc::new(self.lattice.coverage(&clause)?);
        Some(ScoredClause { clause, coverage, score })
    }

    /// Returns the model without rules of its own.
    fn start(&self, training: &[usize], l2: f64) -> LinearModel {
        let mut model = LinearModel::new(self.kind, self.targets, training);
        if !self.given.is_empty() {
            model.rules = self.given.to_vec();
            model.weights = vec![0.0; self.given.len()];
            model.fit(self.targets, training, l2);
        }
        model
    }

    fn literal_cost(&self) -> f64 {
        self.options.literal_cost.unwrap_or(LITERAL_COSTS[0])
    }

    /// Returns the same with a cost of literals.
    fn with_cost(self, cost: f64) -> Self {
        Self { options: GrowthOptions { literal_cost: Some(cost), ..self.options }, ..self }
    }

    fn is_over(&self, compared: u64) -> bool {
        self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.options.clauses.is_some_and(|clauses| compared >= clauses)
    }

    /// Returns the next rule: one of the list, or else the best of a new search, whose others go to the list.
    fn find(
        &self,
        judge: &GradientJudge,
        grown: &[GrowthRule],
        list: &mut ShortList,
    ) -> Result<Option<ScoredClause>, Error> {
        if let Some(found) = list.again(judge, grown, self.literal_cost()) {
            return Ok(Some(found));
        }
        let known = grown.iter().rev().map(|rule| &rule.found.clause);
        let refinable = known.filter(|clause| clause.count.is_none()).take(self.options.search.beam);
        let known: Vec<&LatticeClause> = refinable.collect();
        let count = if grown.len() < EXACT_RULES { 1 } else { SHORT_LIST };
        let options = SearchOptions { literal_cost: self.literal_cost(), ..self.options.search };
        let found = search(self.lattice, judge, &options, count, &known)?;
        list.compared += found.compared;
        let mut best = found.best.into_iter().filter(|found| found.score >= LEAST_GAIN);
        let first = best.next();
        list.clauses = best.collect();
        Ok(first)
    }

    /// Returns the training queries of each bag.
    fn bags(&self, training: &[usize]) -> Vec<Vec<usize>> {
        if self.options.bags < 2 {
            return vec![training.to_vec()];
        }
        let size = (BAG * training.len() as f64).ceil() as usize;
        let bag = |number: u32| {
            let order = shuffled(training.len(), &[self.options.seed, BAGS, u64::from(number)]);
            let mut own: Vec<usize> = order.into_iter().take(size).map(|at| training[at]).collect();
            own.sort_unstable();
            own
        };
        (0..self.options.bags).map(bag).collect()
    }

    /// Grows rules as inner folds have chosen. Those of several bags are put together, each with the mean of its weights.
    pub fn grow_chosen(&self, training: &[usize], choice: &GrowthChoice) -> Result<Growth, Error> {
        let grower = self.with_cost(choice.literal_cost);
        let grow = |bag: &Vec<usize>| {
            let mut grown = grower.grow(bag, &[], choice.rules, &[choice.growing_l2])?;
            if choice.l2 != choice.growing_l2 {
                grown.model.fit(self.targets, bag, choice.l2);
                let training_loss = grown.model.mean_loss(self.targets, bag);
                grown.rules.iter_mut().last().into_iter().for_each(|rule| rule.training_loss = training_loss);
            }
            grown.is_cut_short |= choice.is_cut_short;
            Ok(grown)
        };
        let bags = self.bags(training);
        let mut grown = try_each(&bags, grow)?;
        if grown.len() == 1 {
            let mut grown = grown.remove(0);
            self.prune(&mut grown, training, choice.l2);
            return Ok(grown);
        }
        Ok(self.together(training, grown))
    }

    /// Takes rules away, the lightest first, while the others do without it: while that loses less than a rule must gain.
    fn prune(&self, grown: &mut Growth, training: &[usize], l2: f64) {
        while let Some(lightest) = (0..grown.rules.len()).min_by(|&one, &other| {
            let weight = |at: usize| grown.model.weights[self.given.len() + at].abs();
            weight(one).total_cmp(&weight(other))
        }) {
            let mut model = grown.model.clone();
            model.weights.remove(self.given.len() + lightest);
            model.rules.remove(self.given.len() + lightest);
            model.fit(self.targets, training, l2);
            let objective = |model: &LinearModel| model.objective(self.targets, training, l2);
            // A gain is about twice what the loss falls by.
            if 2.0 * (objective(&model) - objective(&grown.model)) >= LEAST_GAIN {
                break;
            }
            grown.model = model;
            grown.rules.remove(lightest);
        }
    }

    /// Returns one growth with the rules of several, the heaviest first.
    fn together(&self, training: &[usize], bags: Vec<Growth>) -> Growth {
        let share = 1.0 / bags.len() as f64;
        let mut model = LinearModel::new(self.kind, self.targets, training);
        let start = model.mean_loss(self.targets, training);
        model.intercept = share * bags.iter().map(|bag| bag.model.intercept).sum::<f64>();
        model.rules = self.given.to_vec();
        model.weights = vec![0.0; self.given.len()];
        let is_cut_short = bags.iter().any(|bag| bag.is_cut_short);
        let mut all: Vec<(f64, GrowthRule)> = Vec::new();
        for bag in bags {
            let (given, own) = bag.model.weights.split_at(self.given.len());
            model.weights.iter_mut().zip(given).for_each(|(sum, weight)| *sum += share * weight);
            for (rule, weight) in bag.rules.into_iter().zip(own) {
                let mark = rule.found.coverage.mark();
                match all.iter_mut().find(|(_, known)| known.found.coverage.mark() == mark) {
                    Some(known) => known.0 += share * weight,
                    None => all.push((share * weight, rule)),
                }
            }
        }
        all.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()));
        let mut rules = Vec::new();
        for (weight, mut rule) in all {
            model.weights.push(weight);
            model.rules.push(rule.found.coverage.clone());
            model.sum();
            rule.training_loss = model.mean_loss(self.targets, training);
            rule.training_error = model.error(self.targets, training);
            rules.push(rule);
        }
        model.sum();
        Growth { rules, model, start, start_sums: Vec::new(), is_cut_short }
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

    /// Chooses on inner folds of some queries how strong L2 regularisation is, what literals cost, and how many rules there
    /// are. Literals cost nothing only where that makes better answers: rules are shorter otherwise.
    pub fn choose(&self, queries: &[usize]) -> Result<GrowthChoice, Error> {
        let costs = self.options.literal_cost.map_or(LITERAL_COSTS.to_vec(), |cost| vec![cost]);
        let mut chosen: Option<(GrowthChoice, Vec<f64>)> = None;
        for cost in costs {
            if let Some((_, faults)) = &chosen
                && faults.iter().all(|&fault| fault == 0.0)
            {
                break; // nothing can be better
            }
            // With other costs, rules are grown with the regularisation that was best with the first.
            let growing_l2 = chosen.as_ref().map(|(choice, _)| choice.growing_l2);
            let next = self.with_cost(cost).choose_rules(queries, growing_l2)?;
            chosen = Some(match chosen {
                Some(known) if !is_better(&next.1, &known.1) => known,
                _ => next,
            });
        }
        Ok(chosen.map(|(choice, _)| choice).unwrap_or_default())
    }

    /// Returns what a loss has beyond that of a right answer which is sure enough; of numbers the loss itself.
    fn fault(&self, loss: f64) -> f64 {
        match self.kind {
            TargetKind::Truth => (loss - SURE).max(0.0),
            TargetKind::Number => loss,
        }
    }

    /// Chooses how strong L2 regularisation is, and how many rules there are: the fewest whose losses on inner folds, or
    /// faults, are hardly larger than those with the smallest loss. Returns the faults of the latter, too. Rules are grown with one
    /// strength if it is given.
    fn choose_rules(
        &self,
        queries: &[usize],
        growing_l2: Option<f64>,
    ) -> Result<(GrowthChoice, Vec<f64>), Error> {
        let mut groups: Vec<&[f64]> = match &self.options.l2 {
            Some(l2) => vec![std::slice::from_ref(l2)],
            None => STRENGTHS.to_vec(),
        };
        groups.retain(|group| growing_l2.is_none_or(|growing| group[0] == growing));
        let literal_cost = self.literal_cost();
        let mut tried: Vec<(GrowthChoice, CountLosses)> = Vec::new();
        let mut is_cut_short = false;
        for strengths in groups {
            let (losses, is_cut) = self.inner_losses(queries, strengths)?;
            is_cut_short |= is_cut;
            let growing_l2 = strengths[0];
            let choice = |l2: f64| GrowthChoice { literal_cost, growing_l2, l2, ..GrowthChoice::default() };
            tried.extend(strengths.iter().map(|&l2| choice(l2)).zip(losses));
        }
        tried.sort_by(|(one, _), (other, _)| one.l2.total_cmp(&other.l2));
        let smallest = |losses: &CountLosses| -> Option<Vec<f64>> {
            losses.iter().min_by(|one, other| mean(one).total_cmp(&mean(other))).cloned()
        };
        let best: Vec<Vec<f64>> = tried.iter().filter_map(|(_, losses)| smallest(losses)).collect();
        let Some(least) = smallest(&best) else {
            let choice = GrowthChoice { losses: vec![0.0], is_cut_short, ..tried.swap_remove(0).0 };
            return Ok((choice, Vec::new()));
        };
        let faults = |losses: &[f64]| losses.iter().map(|&loss| self.fault(loss)).collect::<Vec<f64>>();
        let fewest = |((choice, losses), best): (&(GrowthChoice, CountLosses), &Vec<f64>)| {
            let best_faults = is_near(best, &least).then(|| faults(best));
            let is_enough = |losses: &Vec<f64>| {
                is_near(losses, &least)
                    || best_faults.as_ref().is_some_and(|best| is_near(&faults(losses), best))
            };
            let rules = losses.iter().position(is_enough)?;
            let losses = losses.iter().map(|losses| mean(losses)).collect();
            Some(GrowthChoice { rules, losses, is_cut_short, ..choice.clone() })
        };
        let chosen = tried
            .iter()
            .zip(&best)
            .filter_map(fewest)
            .reduce(|best, next| if next.rules < best.rules { next } else { best });
        Ok((chosen.unwrap_or_default(), faults(&least)))
    }

    /// Returns, by strength of regularisation and number of rules, the loss of each query while it was held out; and
    /// whether the time or the budget was up.
    fn inner_losses(&self, queries: &[usize], strengths: &[f64]) -> Result<(Vec<CountLosses>, bool), Error> {
        let parts =
            inner_folds(queries, self.targets, self.groups, self.kind, self.options.inner, self.options.seed);
        let part = |(training, held): &(Vec<usize>, Vec<usize>)| {
            let bags = self.bags(training);
            let grow = |bag: &Vec<usize>| self.grow(bag, held, self.options.rules, strengths);
            let bags = try_each(&bags, grow)?;
            Ok((bags, held.clone()))
        };
        let grown = try_each(&parts, part)?;
        let longest =
            grown.iter().flat_map(|(bags, _)| bags).map(|growth| growth.rules.len()).max().unwrap_or(0);
        let losses = |strength: usize, count: usize| {
            let mut losses = Vec::with_capacity(queries.len());
            for (bags, held) in &grown {
                let sums: Vec<&[f64]> = bags.iter().map(|growth| growth.held_sums(strength, count)).collect();
                losses.extend(held.iter().enumerate().map(|(at, &query)| {
                    let sum = sums.iter().map(|sums| sums[at]).sum::<f64>() / sums.len() as f64;
                    self.kind.loss(sum, self.targets[query])
                }));
            }
            losses
        };
        let by_count = |strength: usize| (0..=longest).map(|count| losses(strength, count)).collect();
        let is_cut_short = grown.iter().flat_map(|(bags, _)| bags).any(|growth| growth.is_cut_short);
        Ok(((0..strengths.len()).map(by_count).collect(), is_cut_short))
    }
}

/// The clauses that the last search met beside its best.
#[derive(Default)]
struct ShortList {
    clauses: Vec<ScoredClause>,
    /// Number of clauses that all searches have compared.
    compared: u64,
}

impl ShortList {
    /// Takes the clause that is best by now, if it gains nearly what the last rule did.
    fn again(
        &mut self,
        judge: &GradientJudge,
        grown: &[GrowthRule],
        literal_cost: f64,
    ) -> Option<ScoredClause> {
        let least = (REUSE * grown.last()?.found.score).max(LEAST_GAIN);
        for found in &mut self.clauses {
            let cost = literal_cost * (found.clause.body.len() as f64 - 1.0);
            found.score = judge.score(&found.coverage).map_or(f64::NEG_INFINITY, |score| score - cost);
        }
        let best = self.clauses.iter().enumerate().reduce(|best, next| {
            if next.1.compare(best.1) == std::cmp::Ordering::Less { next } else { best }
        });
        let (at, _) = best.filter(|(_, best)| best.score >= least)?;
        Some(self.clauses.swap_remove(at))
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Tells whether losses are hardly larger than the smallest.
fn is_near(losses: &[f64], least: &[f64]) -> bool {
    let differences: Vec<f64> = losses.iter().zip(least).map(|(own, least)| own - least).collect();
    mean(&differences) <= SLACK * standard_error(&differences)
}

/// Tells whether faults are smaller than others by more than a standard error.
fn is_better(faults: &[f64], others: &[f64]) -> bool {
    let gains: Vec<f64> = others.iter().zip(faults).map(|(other, own)| other - own).collect();
    mean(&gains) > standard_error(&gains)
}

/// Returns the standard error of the mean of some numbers.
fn standard_error(values: &[f64]) -> f64 {
    let (middle, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|one| (one - middle) * (one - middle)).sum();
    (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
}

impl Growth {
    /// Returns the sums of the queries that were held out, with a strength of regularisation and so many rules.
    fn held_sums(&self, strength: usize, count: usize) -> &[f64] {
        match count.min(self.rules.len()) {
            0 => &self.start_sums[strength],
            count => &self.rules[count - 1].held_sums[strength],
        }
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
/// That for bags.
const BAGS: u64 = 26;
