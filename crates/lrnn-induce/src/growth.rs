//! Growth: rules one by one, each chosen by the gradient and the curvature of the loss where the model stands, and all
//! weights fitted again after each. How many rules there are is chosen on inner folds.

use std::sync::Arc;
use std::time::Instant;

use lrnn::threads::try_each;
use lrnn::train::shuffled;
use lrnn::{Error, ErrorKind};

use crate::budget::{DEFAULT_STEPS, SearchBudget, StepCount};
use crate::clause::LatticeClause;
use crate::coverage::Coverage;
use crate::facts::mark;
use crate::folds::QueryGroups;
use crate::growth_choice::{GrowthChoice, LITERAL_COSTS};
use crate::growth_journal::{GrowthJournal, GrowthLine};
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
    /// Steps that are taken at most: by all growths together, each of which has its share; none if there is no bound.
    pub steps: Option<u64>,
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
            steps: Some(DEFAULT_STEPS),
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
    /// Steps that it took, and what was left out for want of more.
    pub count: StepCount,
}

/// The data of a growth: the lattice with the target of each query.
#[derive(Clone, Copy)]
pub struct Grower<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// The target of each query.
    pub targets: &'a [f64],
    /// Queries that folds must not tear apart.
    pub groups: &'a QueryGroups,
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

/// The smallest score of a rule.
pub(crate) const LEAST_GAIN: f64 = 0.5;
/// The number of clauses that a search gives.
const SHORT_LIST: usize = 20;
/// After so many rules the next may come from the clauses of the last search...
const EXACT_RULES: usize = 8;
/// ... while the best of them gains so much of what the last rule did.
const REUSE: f64 = 0.85;
/// The share of the training queries that a bag has.
const BAG: f64 = 0.8;

impl Grower<'_> {
    /// Grows at most so many rules from some queries with the first strength of regularisation, and fits them with each,
    /// to measure queries that are held out. Where another growth from the same queries has found as many rules
    /// already, these are taken.
    pub fn grow(
        &self,
        training: &[usize],
        held: &[usize],
        rules: usize,
        strengths: &[f64],
        other: Option<&Growth>,
    ) -> Result<Growth, Error> {
        let mut models: Vec<LinearModel> = strengths.iter().map(|&l2| self.start(training, l2)).collect();
        let held_sums = |models: &[LinearModel]| -> Vec<Vec<f64>> {
            models.iter().map(|model| held.iter().map(|&query| model.sums[query]).collect()).collect()
        };
        let held_loss = |model: &LinearModel| model.mean_loss(self.targets, held);
        let (start, start_sums) = (models[0].mean_loss(self.targets, training), held_sums(&models));
        let mut best: Vec<f64> = models.iter().map(held_loss).collect();
        let (mut grown, mut since, mut is_cut_short): (Vec<GrowthRule>, _, _) = (Vec::new(), 0, false);
        let mut list = ShortList::new(self.options.steps);
        let key = self.key(training, held, rules, strengths);
        let mut known = match other {
            Some(other) if other.rules.len() >= rules => Some(other.found()),
            // Where a clause cannot be recalled, all are searched for again.
            _ => self.journal.known(key).and_then(|line| self.recalled(line, &mut list)),
        }
        .map(Vec::into_iter);
        while grown.len() < rules && (held.is_empty() || since < self.options.patience) {
            is_cut_short = self.is_over(list.compared);
            let is_spent = known.is_none() && list.budget.is_over(fit_steps(&models));
            list.budget.count.ended += u64::from(is_spent);
            if is_cut_short || is_spent {
                break;
            }
            let next = match &mut known {
                Some(clauses) => Ok(clauses.next()),
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
            self.lattice.counter().add_rule();
        }
        let mut count = list.budget.count;
        if known.is_none() && !is_cut_short {
            let clauses = || grown.iter().map(|rule| (rule.found.clause.clone(), rule.found.score)).collect();
            self.journal.add(key, count, clauses)?;
        }
        count.steps += fit_steps(&models);
        Ok(Growth { rules: grown, model: models.swap_remove(0), start, start_sums, is_cut_short, count })
    }

    /// Returns a number for all that a growth depends on beside the data and the options.
    fn key(&self, training: &[usize], held: &[usize], rules: usize, strengths: &[f64]) -> u64 {
        let mut words = vec![self.goal as u64, self.literal_cost().to_bits(), rules as u64];
        words.push(self.options.steps.unwrap_or(u64::MAX));
        words.extend(strengths.iter().map(|strength| strength.to_bits()));
        words.extend(training.iter().map(|&query| query as u64));
        words.push(u64::MAX);
        words.extend(held.iter().map(|&query| query as u64));
        mark(&words)
    }

    /// Returns clauses that were found before, and counts the steps that it took; none if one has too many substitutions.
    fn recalled(&self, line: GrowthLine, list: &mut ShortList) -> Option<Vec<ScoredClause>> {
        let recalled = |(clause, score): (LatticeClause, f64)| {
            let coverage = Arc::new(self.lattice.coverage(&clause)?);
            Some(ScoredClause { clause, coverage, score })
        };
        let clauses = line.clauses.into_iter().map(recalled).collect::<Option<Vec<_>>>()?;
        list.budget.count = line.count;
        Some(clauses)
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

    pub(crate) fn literal_cost(&self) -> f64 {
        self.options.literal_cost.unwrap_or(LITERAL_COSTS[0])
    }

    /// Returns the same with a cost of literals.
    pub(crate) fn with_cost(self, cost: f64) -> Self {
        Self { options: GrowthOptions { literal_cost: Some(cost), ..self.options }, ..self }
    }

    /// Returns the same with so many steps.
    pub(crate) fn with_steps(self, steps: Option<u64>) -> Self {
        Self { options: GrowthOptions { steps, ..self.options }, ..self }
    }

    pub(crate) fn is_over(&self, compared: u64) -> bool {
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
        list.budget.begin(grown.len());
        let found = search(self.lattice, judge, &options, count, &known, &mut list.budget)?;
        list.compared += found.compared;
        let mut best = found.best.into_iter().filter(|found| found.score >= LEAST_GAIN);
        let first = best.next();
        list.clauses = best.collect();
        Ok(first)
    }

    /// Returns the training queries of each bag.
    pub(crate) fn bags(&self, training: &[usize]) -> Vec<Vec<usize>> {
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
        let bags = self.bags(training);
        let grower = self.with_cost(choice.literal_cost).with_steps(choice.steps);
        let mut grown = try_each(&bags, |bag| grower.grow_unpruned(bag, choice, None))?;
        if grown.len() == 1 {
            let mut grown = grown.remove(0);
            self.prune(&mut grown, training, choice.l2, choice.least_worth);
            return Ok(grown);
        }
        Ok(self.together(training, grown))
    }

    /// Grows as many rules as inner folds have chosen, and fits them with the regularisation that these have chosen.
    pub(crate) fn grow_unpruned(
        &self,
        training: &[usize],
        choice: &GrowthChoice,
        other: Option<&Growth>,
    ) -> Result<Growth, Error> {
        let mut grown = self.grow(training, &[], choice.rules, &[choice.growing_l2], other)?;
        if choice.l2 != choice.growing_l2 {
            grown.model.fit(self.targets, training, choice.l2);
            let training_loss = grown.model.mean_loss(self.targets, training);
            grown.rules.iter_mut().last().into_iter().for_each(|rule| rule.training_loss = training_loss);
        }
        grown.is_cut_short |= choice.is_cut_short;
        Ok(grown)
    }

    /// Takes rules away, the lightest first, while the others do without it: while it is worth less than the least.
    pub(crate) fn prune(&self, grown: &mut Growth, training: &[usize], l2: f64, least_worth: f64) {
        while let Some(lightest) = (0..grown.rules.len()).min_by(|&one, &other| {
            let weight = |at: usize| grown.model.weights[self.given.len() + at].abs();
            weight(one).total_cmp(&weight(other))
        }) {
            let mut model = grown.model.clone();
            model.weights.remove(self.given.len() + lightest);
            model.rules.remove(self.given.len() + lightest);
            model.fit(self.targets, training, l2);
            let objective = |model: &LinearModel| model.objective(self.targets, training, l2);
            // The worth of a rule is twice what the loss rises by without it, as a gain is twice what it falls by.
            if 2.0 * (objective(&model) - objective(&grown.model)) >= least_worth {
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
        let mut count = StepCount::default();
        bags.iter().for_each(|bag| count += bag.count);
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
        Growth { rules, model, start, start_sums: Vec::new(), is_cut_short, count }
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
}

/// The clauses that the last search met beside its best.
#[derive(Default)]
struct ShortList {
    clauses: Vec<ScoredClause>,
    /// Number of clauses that all searches have compared.
    compared: u64,
    budget: SearchBudget,
}

impl ShortList {
    fn new(steps: Option<u64>) -> Self {
        Self { budget: SearchBudget::new(steps), ..Self::default() }
    }

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

/// Returns the steps of all fits of some models.
fn fit_steps(models: &[LinearModel]) -> u64 {
    models.iter().map(|model| model.steps).sum()
}

impl Growth {
    /// Returns what was found.
    fn found(&self) -> Vec<ScoredClause> {
        self.rules.iter().map(|rule| rule.found.clone()).collect()
    }

    /// Returns the sums of the queries that were held out, with a strength of regularisation and so many rules.
    pub(crate) fn held_sums(&self, strength: usize, count: usize) -> &[f64] {
        match count.min(self.rules.len()) {
            0 => &self.start_sums[strength],
            count => &self.rules[count - 1].held_sums[strength],
        }
    }
}

/// The stream of random orders for bags.
const BAGS: u64 = 26;
