//! The choice of a growth's settings on inner folds: regularisation, what literals cost, and how many rules there are.

use lrnn::Error;
use lrnn::threads::try_each;

use crate::folds::inner_folds;
use crate::growth::{Grower, LEAST_GAIN};
use crate::linear::TargetKind;

/// Losses on inner folds are hardly larger than the smallest if they are by no more than this many standard errors of the
/// difference.
const SLACK: f64 = 0.5;
/// Strengths of L2 regularisation to choose from: rules are grown with the first of each group, and fitted with all.
const STRENGTHS: [&[f64]; 3] = [&[0.1], &[1.0, 4.0], &[16.0, 64.0]];
/// The loss of an answer that is sure enough: a smaller one is no reason for more rules, or longer ones.
const SURE: f64 = 0.1;
/// Worths that a rule must have to stay, to choose from.
const WORTHS: [f64; 3] = [LEAST_GAIN, 3.0, 8.0];
/// Costs of a literal to choose from, the dearest first: it gives the shorter rules.
pub(crate) const LITERAL_COSTS: [f64; 2] = [1.0, 0.0];

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
    /// Twice what the loss must rise by without a rule, for it to stay.
    pub least_worth: f64,
    /// Mean loss on inner folds by number of rules.
    pub losses: Vec<f64>,
    /// True if the time or the budget of an inner fold was up.
    pub is_cut_short: bool,
}

impl Grower<'_> {
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
        let choice = chosen.map(|(choice, _)| choice).unwrap_or_default();
        let least_worth = self.with_cost(choice.literal_cost).choose_worth(queries, &choice)?;
        Ok(GrowthChoice { least_worth, ..choice })
    }

    /// Chooses what a rule must be worth to stay: the most with which the loss on inner folds does not rise.
    fn choose_worth(&self, queries: &[usize], choice: &GrowthChoice) -> Result<f64, Error> {
        if choice.rules < 2 || self.options.bags > 1 || self.is_over(0) {
            return Ok(LEAST_GAIN);
        }
        let part = |(training, held): &(Vec<usize>, Vec<usize>)| {
            let mut grown = self.grow_unpruned(training, choice)?;
            let losses = |&worth: &f64| {
                self.prune(&mut grown, training, choice.l2, worth);
                let sums = &grown.model.sums;
                held.iter().map(|&query| self.kind.loss(sums[query], self.targets[query])).sum()
            };
            Ok(WORTHS.iter().map(losses).collect::<Vec<f64>>())
        };
        let losses = try_each(&self.inner_folds(queries), part)?;
        let sum = |at: usize| losses.iter().map(|losses| losses[at]).sum::<f64>();
        let best = (0..WORTHS.len()).rev().find(|&at| sum(at) <= sum(0)).unwrap_or(0);
        Ok(WORTHS[best])
    }

    fn inner_folds(&self, queries: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        inner_folds(queries, self.targets, self.groups, self.kind, self.options.inner, self.options.seed)
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
        let parts = self.inner_folds(queries);
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
