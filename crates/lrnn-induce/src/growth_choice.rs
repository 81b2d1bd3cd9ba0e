//! The choice of a growth's settings on inner folds: regularisation, what literals cost, and how many rules there are.

use lrnn::Error;
use lrnn::threads::try_each;

use crate::budget::StepCount;
use crate::folds::inner_folds;
use crate::growth::{Grower, Growth, LEAST_GAIN};
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
    /// Steps that the growth from all queries may take; none if there is no bound.
    pub steps: Option<u64>,
    /// Steps of all growths on inner folds, and what these left out.
    pub count: StepCount,
}

/// Inner folds, and the steps that growths on them may take.
struct InnerFolds {
    /// Training and held-out queries of each.
    parts: Vec<(Vec<usize>, Vec<usize>)>,
    /// Steps for all growths and the one from all queries, which follows; none if there is no bound.
    most: Option<u64>,
    /// Growths that are still to come.
    planned: u64,
    count: StepCount,
    /// True if settings are compared on a few folds, and only the best of them on all.
    is_halved: bool,
}

/// The growths on inner folds with one setting.
struct GrowthTrial<'a> {
    /// Rules are grown with the first strength of regularisation, and fitted with all.
    strengths: &'a [f64],
    /// By fold, those of each bag.
    grown: Vec<Vec<Growth>>,
}

/// Settings with the faults of all queries while these were held out, and the growths on inner folds.
struct TriedChoice {
    choice: GrowthChoice,
    faults: Vec<f64>,
    grown: Vec<Vec<Growth>>,
}

/// A growth has this part of all steps at least.
const LEAST_SHARE: u64 = 25;
/// Folds on which settings are compared where steps are short.
const FEW_FOLDS: usize = 2;

impl InnerFolds {
    /// Returns how many steps the next growth may take: what is left is dealt out evenly, but one that has taken more
    /// than its share leaves something for the others.
    fn share(&self) -> Option<u64> {
        let even = |most: u64| most.saturating_sub(self.count.steps) / self.planned.max(1);
        self.most.map(|most| even(most).max(most / LEAST_SHARE))
    }

    /// Counts what growths have taken.
    fn add<'g>(&mut self, growths: impl Iterator<Item = &'g Growth>) {
        for growth in growths {
            self.count += growth.count;
            self.planned = self.planned.saturating_sub(1);
        }
    }
}

impl Grower<'_> {
    /// Chooses on inner folds of some queries how strong L2 regularisation is, what literals cost, and how many rules there
    /// are. Literals cost nothing only where that makes better answers: rules are shorter otherwise.
    pub fn choose(&self, queries: &[usize]) -> Result<GrowthChoice, Error> {
        let costs = self.options.literal_cost.map_or(LITERAL_COSTS.to_vec(), |cost| vec![cost]);
        let mut folds = InnerFolds {
            parts: self.inner_folds(queries),
            most: self.options.steps,
            planned: 1,
            count: StepCount::default(),
            is_halved: false,
        };
        let mut chosen: Option<TriedChoice> = None;
        for cost in costs {
            let next = self.with_cost(cost).choose_rules(&mut folds, chosen.as_ref())?;
            let is_chosen = match (&chosen, &next) {
                (Some(known), Some(next)) => is_better(&next.faults, &known.faults),
                (known, _) => known.is_none(),
            };
            chosen = if is_chosen { next } else { chosen };
            if chosen.as_ref().is_none_or(|known| known.faults.iter().all(|&fault| fault == 0.0)) {
                break; // nothing can be better
            }
        }
        let Some(TriedChoice { choice, grown, .. }) = chosen else { return Ok(GrowthChoice::default()) };
        let least_worth = self.with_cost(choice.literal_cost).choose_worth(&mut folds, &choice, &grown)?;
        folds.count.halved = u64::from(folds.is_halved);
        Ok(GrowthChoice { least_worth, steps: folds.share(), count: folds.count, ..choice })
    }

    /// Chooses what a rule must be worth to stay: the most with which the loss on inner folds does not rise.
    fn choose_worth(
        &self,
        folds: &mut InnerFolds,
        choice: &GrowthChoice,
        grown: &[Vec<Growth>],
    ) -> Result<f64, Error> {
        if choice.rules < 2 || self.options.bags > 1 || self.is_over(0) {
            return Ok(LEAST_GAIN);
        }
        let grower = self.with_steps(folds.share());
        let part = |at: &usize| {
            let ((training, held), known) = (&folds.parts[*at], &grown[*at][0]);
            // Where steps are short, no more rules are looked for.
            let most = if folds.is_halved { known.rules.len() } else { usize::MAX };
            let choice = GrowthChoice { rules: choice.rules.min(most), ..choice.clone() };
            let mut grown = grower.grow_unpruned(training, &choice, Some(known))?;
            let losses = |&worth: &f64| {
                self.prune(&mut grown, training, choice.l2, worth);
                let sums = &grown.model.sums;
                held.iter().map(|&query| self.kind.loss(sums[query], self.targets[query])).sum()
            };
            let losses = WORTHS.iter().map(losses).collect::<Vec<f64>>();
            Ok((losses, grown.count))
        };
        let losses = try_each(&(0..grown.len()).collect::<Vec<_>>(), part)?;
        losses.iter().for_each(|(_, count)| folds.count += *count);
        let sum = |at: usize| losses.iter().map(|(losses, _)| losses[at]).sum::<f64>();
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

    fn faults(&self, losses: &[f64]) -> Vec<f64> {
        losses.iter().map(|&loss| self.fault(loss)).collect()
    }

    /// Chooses how strong L2 regularisation is, and how many rules there are: the fewest whose losses on inner folds, or
    /// faults, are hardly larger than those with the smallest loss. Returns the faults of the latter, too. Beside a choice
    /// with another cost of literals, rules are grown with the strength that was best there; returns none if a few
    /// folds tell that it is not better.
    fn choose_rules(
        &self,
        folds: &mut InnerFolds,
        other: Option<&TriedChoice>,
    ) -> Result<Option<TriedChoice>, Error> {
        let mut groups: Vec<&[f64]> = match &self.options.l2 {
            Some(l2) => vec![std::slice::from_ref(l2)],
            None => STRENGTHS.to_vec(),
        };
        groups.retain(|group| other.is_none_or(|other| group[0] == other.choice.growing_l2));
        let trials = match other {
            None => self.try_strengths(folds, groups)?,
            Some(other) => match self.try_cost(folds, groups[0], &other.faults)? {
                Some(trial) => vec![trial],
                None => return Ok(None),
            },
        };
        let literal_cost = self.literal_cost();
        let is_cut_short = trials.iter().any(GrowthTrial::is_cut_short);
        let mut tried: Vec<(GrowthChoice, CountLosses)> = Vec::new();
        for trial in &trials {
            let growing_l2 = trial.strengths[0];
            let choice = |l2: f64| GrowthChoice { literal_cost, growing_l2, l2, ..GrowthChoice::default() };
            let choices = trial.strengths.iter().map(|&l2| choice(l2));
            tried.extend(choices.zip(self.losses(trial, folds)));
        }
        tried.sort_by(|(one, _), (other, _)| one.l2.total_cmp(&other.l2));
        let best: Vec<Vec<f64>> = tried.iter().filter_map(|(_, losses)| smallest(losses)).collect();
        let Some(least) = smallest(&best) else {
            let choice = GrowthChoice { losses: vec![0.0], is_cut_short, ..tried.swap_remove(0).0 };
            return Ok(Some(TriedChoice { choice, faults: Vec::new(), grown: Vec::new() }));
        };
        let fewest = |((choice, losses), best): (&(GrowthChoice, CountLosses), &Vec<f64>)| {
            let best_faults = is_near(best, &least).then(|| self.faults(best));
            let is_enough = |losses: &Vec<f64>| {
                is_near(losses, &least)
                    || best_faults.as_ref().is_some_and(|best| is_near(&self.faults(losses), best))
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
        let choice = chosen.unwrap_or_default();
        let own = trials.into_iter().find(|trial| trial.strengths[0] == choice.growing_l2);
        let grown = own.map_or_else(Vec::new, |trial| trial.grown);
        Ok(Some(TriedChoice { choice, faults: self.faults(&least), grown }))
    }

    /// Grows rules with each group of strengths on all folds; where steps are short, on a few folds, and with the best
    /// group on all.
    fn try_strengths<'a>(
        &self,
        folds: &mut InnerFolds,
        groups: Vec<&'a [f64]>,
    ) -> Result<Vec<GrowthTrial<'a>>, Error> {
        let (all, bags) = (folds.parts.len(), u64::from(self.options.bags.max(1)));
        let few = all.min(FEW_FOLDS);
        let costs = if self.options.literal_cost.is_some() { 1 } else { LITERAL_COSTS.len() };
        // The growth from all queries comes at the end.
        let whole = bags * (all * (groups.len() + costs - 1) + 1) as u64;
        folds.planned = bags * (few * (groups.len() + costs - 2) + all + 1) as u64;
        let mut trials: Vec<GrowthTrial<'_>> =
            groups.into_iter().map(|strengths| GrowthTrial { strengths, grown: Vec::new() }).collect();
        for at in 0..trials.len() {
            if at == 0 {
                self.extend(&mut trials[0], folds, few)?;
                let most = folds.most.unwrap_or(u64::MAX) / whole * few as u64 * bags;
                folds.is_halved = folds.count.is_short() || folds.count.steps > most;
                if !folds.is_halved {
                    folds.planned = whole - few as u64 * bags;
                }
            }
            let upto = if folds.is_halved { few } else { all };
            self.extend(&mut trials[at], folds, upto)?;
        }
        if folds.is_halved {
            let loss = |trial: &GrowthTrial<'_>| mean(&self.least(trial, folds));
            let losses: Vec<f64> = trials.iter().map(loss).collect();
            let best = (0..losses.len()).min_by(|&one, &other| losses[one].total_cmp(&losses[other]));
            trials = vec![trials.swap_remove(best.unwrap_or(0))];
            self.extend(&mut trials[0], folds, all)?;
        }
        Ok(trials)
    }

    /// Grows rules with another cost of literals on all folds; none if steps are short and a few folds tell that this
    /// makes no better answers than those with these faults.
    fn try_cost<'a>(
        &self,
        folds: &mut InnerFolds,
        strengths: &'a [f64],
        others: &[f64],
    ) -> Result<Option<GrowthTrial<'a>>, Error> {
        let mut trial = GrowthTrial { strengths, grown: Vec::new() };
        if folds.is_halved {
            self.extend(&mut trial, folds, FEW_FOLDS)?;
            let faults = self.faults(&self.least(&trial, folds));
            if mean(&faults) >= mean(&others[..faults.len()]) {
                return Ok(None);
            }
            let rest = folds.parts.len().saturating_sub(FEW_FOLDS) as u64;
            folds.planned = (rest + 1) * u64::from(self.options.bags.max(1));
        }
        self.extend(&mut trial, folds, folds.parts.len())?;
        Ok(Some(trial))
    }

    /// Grows rules on the folds up to some that are not done.
    fn extend(&self, trial: &mut GrowthTrial<'_>, folds: &mut InnerFolds, upto: usize) -> Result<(), Error> {
        let grower = self.with_steps(folds.share());
        let part = |(training, held): &(Vec<usize>, Vec<usize>)| {
            let grow = |bag: &Vec<usize>| grower.grow(bag, held, self.options.rules, trial.strengths, None);
            try_each(&self.bags(training), grow)
        };
        let done = trial.grown.len();
        let grown = try_each(&folds.parts[done..upto.max(done)], part)?;
        folds.add(grown.iter().flatten());
        trial.grown.extend(grown);
        Ok(())
    }

    /// Returns the loss of each query while it was held out, with the strength and the number of rules of the smallest.
    fn least(&self, trial: &GrowthTrial<'_>, folds: &InnerFolds) -> Vec<f64> {
        let best = self.losses(trial, folds).iter().filter_map(smallest).collect();
        smallest(&best).unwrap_or_default()
    }

    /// Returns, by strength of regularisation and number of rules, the loss of each query while it was held out.
    fn losses(&self, trial: &GrowthTrial<'_>, folds: &InnerFolds) -> Vec<CountLosses> {
        let growths = trial.grown.iter().flatten();
        let longest = growths.map(|growth| growth.rules.len()).max().unwrap_or(0);
        let losses = |strength: usize, count: usize| {
            let mut losses = Vec::new();
            for (bags, (_, held)) in trial.grown.iter().zip(&folds.parts) {
                let sums: Vec<&[f64]> = bags.iter().map(|growth| growth.held_sums(strength, count)).collect();
                losses.extend(held.iter().enumerate().map(|(at, &query)| {
                    let sum = sums.iter().map(|sums| sums[at]).sum::<f64>() / sums.len() as f64;
                    self.kind.loss(sum, self.targets[query])
                }));
            }
            losses
        };
        let by_count = |strength: usize| (0..=longest).map(|count| losses(strength, count)).collect();
        (0..trial.strengths.len()).map(by_count).collect()
    }
}

impl GrowthTrial<'_> {
    fn is_cut_short(&self) -> bool {
        self.grown.iter().flatten().any(|growth| growth.is_cut_short)
    }
}

/// Returns the losses with the smallest mean.
fn smallest(losses: &CountLosses) -> Option<Vec<f64>> {
    losses.iter().min_by(|one, other| mean(one).total_cmp(&mean(other))).cloned()
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
