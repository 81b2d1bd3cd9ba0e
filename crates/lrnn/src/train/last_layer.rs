//! The last layer by Newton's method. When all other weights are given, the value of a query is a sum of the weights of its
//! last layer, each times a number; and the loss has one optimum, where a few steps lead.
//!
//! Each step is a system of linear equations, solved by conjugate gradients: all that is needed are products with the
//! numbers, so that there may be many more weights than queries, or the other way round.

use super::lbfgs::{add, dot};
use super::loss::{Loss, Outcome};
use super::matrix::conjugate_gradients;
use super::optimizer::Optimizer;
use super::problem::Problem;
use super::settings::Settings;
use crate::diagnostic::{Error, ErrorKind};
use crate::function::{Activation, Real};
use crate::ground::sorted;
use crate::network::{AnswerSum, Workspace, mix};
use crate::threads::each_with;

/// Most steps of Newton's method at a time: the next epoch goes on from there.
const MOST_STEPS: usize = 8;
/// Part of the slope that the solution of a step may leave.
const REST: f64 = 0.01;
/// Share of the loss that a step must promise to be worth it.
const WORTHWHILE: f64 = 1e-7;
/// A step must bring at least this share of what its slope promises; it is halved so often at most until it does.
const ENOUGH: f64 = 1e-4;
const MOST_HALVINGS: usize = 20;
/// Curvature that is everywhere, so that a step has an end even where there is no regularisation.
const LEAST_CURVATURE: f64 = 1e-9;

/// The last layer of a problem.
#[derive(Clone, Debug)]
pub(super) struct LastLayer {
    /// Its parameters that learn, ascending.
    places: Vec<u32>,
    /// The loss of sums, before any activation.
    loss: Loss,
}

/// The queries of an example: their sums, from the first one on, and what these should be.
struct AnswerGroup<'a> {
    first: usize,
    sizes: &'a [u32],
    targets: &'a [f64],
    importance: &'a [f64],
    share: f64,
}

/// A linear problem: values are sums of weights, each times a number.
struct LinearProblem<'a> {
    /// For each value its sum; places are numbers of weights.
    rows: Vec<AnswerSum>,
    groups: Vec<AnswerGroup<'a>>,
    loss: Loss,
    l2: f64,
}

impl Problem {
    /// Returns the parameters of the last layer, if that is solved.
    pub(super) fn last_layer_places(&self) -> &[u32] {
        self.last_layer.get().map_or(&[], |layer| &layer.places)
    }

    /// Moves the weights of the last layer to where the loss is least, given the others, if the optimizer does that.
    pub(super) fn solve_last_layer<R: Real>(&self, parameters: &mut [R], l2: f64) {
        let Some(LastLayer { places, loss }) = self.last_layer.get() else { return };
        let Some(rows) = self.sums(parameters) else { return };
        let number = |place: u32| places.binary_search(&place).ok();
        let of_row = |(sum, _): (AnswerSum, Activation)| {
            let mut row = AnswerSum { constant: sum.constant, terms: Vec::with_capacity(sum.terms.len()) };
            for (place, value) in sum.terms {
                match number(place) {
                    Some(number) => row.terms.push((number as u32, value)),
                    None => row.constant += parameters[place as usize].to_f64() * value,
                }
            }
            row
        };
        let problem = LinearProblem {
            rows: rows.into_iter().map(of_row).collect(),
            groups: self.answer_groups(),
            loss: *loss,
            l2,
        };
        let mut weights: Vec<f64> = places.iter().map(|&at| parameters[at as usize].to_f64()).collect();
        problem.improve(&mut weights);
        places.iter().zip(weights).for_each(|(&at, weight)| parameters[at as usize] = R::from_f64(weight));
    }

    /// Returns the sums of all training queries that count, with their activations, in order; none if a value is no sum.
    /// Queries outside the model have sums that nothing changes.
    fn sums<R: Real>(&self, parameters: &[R]) -> Option<Vec<(AnswerSum, Activation)>> {
        let of = |space: &mut Workspace<R>, at: usize| {
            let network = &self.networks.networks[at];
            network.forward(&self.schedule, parameters, space);
            let mut layer = network.last_layer(&self.schedule, space)?;
            let mut rows = Vec::new();
            for counted in &self.counted[at] {
                for (&query, &size) in counted.queries.iter().zip(&counted.sizes) {
                    match layer[query as usize].take() {
                        Some(answer) => {
                            rows.extend(answer.sums.into_iter().map(|sum| (sum, answer.activation)));
                        }
                        None => {
                            let constant = self.outside::<f64>().unwrap_or(0.0);
                            let sum = AnswerSum { constant, terms: Vec::new() };
                            rows.extend(std::iter::repeat_n((sum, Activation::Identity), size as usize));
                        }
                    }
                }
            }
            Some(rows)
        };
        let rows: Option<Vec<_>> = each_with(0..self.validation.start, of).into_iter().collect();
        rows.map(|rows| rows.into_iter().flatten().collect())
    }

    /// Returns the examples of training in the order of their sums.
    fn answer_groups(&self) -> Vec<AnswerGroup<'_>> {
        let mass: f64 = self.masses.iter().sum();
        let mut next = 0;
        let mut groups = Vec::new();
        for counted in self.counted[..self.validation.start].iter().flatten() {
            let share = counted.weight / mass.max(f64::MIN_POSITIVE);
            let (sizes, targets, importance) = (&counted.sizes, &counted.targets, &counted.importance);
            groups.push(AnswerGroup { first: next, sizes, targets, importance, share });
            next += targets.len();
        }
        groups
    }

    /// Finds the last layer, if the optimizer solves it. An error if values are no sums, or the loss is not one that is
    /// curved everywhere.
    pub(super) fn find_last_layer(&self, settings: &Settings) -> Result<(), Error> {
        if settings.optimizer != Optimizer::Newton {
            return Ok(());
        }
        let refuse = |what: &str, help: &str| {
            let message = format!("the optimizer newton {what}");
            Err(Error::new(ErrorKind::Usage, message).help(help))
        };
        if self.away.is_some() {
            let help = "train without workers, or with --optimizer lbfgs";
            return refuse("needs all examples at one place", help);
        }
        if settings.l1 > 0.0 {
            return refuse("knows no l1", "--l2 draws weights to 0 too; --optimizer adam knows l1");
        }
        let other = "--optimizer lbfgs learns any template";
        // Any numbers will do: which parameters there are does not depend on them.
        let number = |place: usize| mix(place as u64) as f64 / u64::MAX as f64 - 0.5;
        let mut numbers: Vec<f64> = (0..self.networks.parameters.len()).map(number).collect();
        let linear = "needs queries whose value is a weighted sum, or the sigmoid of one";
        let Some(rows) = self.sums(&numbers) else { return refuse(linear, other) };
        let mut learns = vec![false; numbers.len()];
        self.learnable.iter().for_each(|range| learns[range.clone()].fill(true));
        let all = rows.iter().flat_map(|row| &row.0.terms).map(|term| term.0);
        let places = sorted(all.filter(|&place| learns[place as usize]));
        if places.is_empty() {
            return refuse("needs weights in the rules of the queries", other);
        }
        let mut losses =
            rows.iter().filter(|row| !row.0.terms.is_empty()).map(|row| self.loss.of_sums(row.1));
        let Some(Some(loss)) = losses.next().filter(|first| losses.all(|loss| loss == *first)) else {
            let what = format!("does not know the loss {} of these queries", self.loss);
            let help = "it knows cross-entropy behind a sigmoid; and logits, softmax, squared of values without bounds";
            return refuse(&what, help);
        };
        // A weight that stands elsewhere too changes what it is multiplied with.
        places.iter().for_each(|&place| numbers[place as usize] = number(place as usize + numbers.len()));
        let same = |(before, after): (&(AnswerSum, Activation), &(AnswerSum, Activation))| {
            let terms = before.0.terms.iter().zip(&after.0.terms);
            (before.0.constant - after.0.constant).abs() < 1e-9
                && terms.clone().all(|(before, after)| (before.1 - after.1).abs() < 1e-9)
        };
        let moved = self.sums(&numbers).unwrap_or_default();
        if !rows.iter().zip(&moved).all(same) {
            return refuse("needs weights in the last layer that stand nowhere else", other);
        }
        drop(self.last_layer.set(LastLayer { places, loss }));
        Ok(())
    }
}

impl Loss {
    /// Returns the loss of sums that is this loss of what an activation makes of them, if it is curved everywhere.
    fn of_sums(self, activation: Activation) -> Option<Self> {
        match (self, activation) {
            (Self::CrossEntropy, Activation::Sigmoid) => Some(Self::Logits),
            (Self::Logits | Self::Softmax | Self::Squared, Activation::Identity) => Some(self),
            _ => None,
        }
    }
}

impl LinearProblem<'_> {
    /// Moves weights to where the loss is least.
    fn improve(&self, weights: &mut [f64]) {
        let mut values: Vec<f64> = self.rows.iter().map(|row| row.constant + product(row, weights)).collect();
        let mut slopes = vec![0.0; values.len()];
        for _ in 0..MOST_STEPS {
            let loss = self.loss_of(&values, &mut slopes) + self.penalty(weights);
            let mut slope: Vec<f64> = weights.iter().map(|weight| self.l2 * weight).collect();
            self.add_back(&slopes, &mut slope);
            let step = self.newton_step(&values, &slope);
            let promise = -dot(&step, &slope);
            if promise.is_nan() || promise <= WORTHWHILE * loss.abs() {
                return;
            }
            let along: Vec<f64> = self.rows.iter().map(|row| product(row, &step)).collect();
            let mut length = 1.0;
            let found = (0..MOST_HALVINGS).find_map(|_| {
                let (values, weights) = (moved(&values, &along, length), moved(weights, &step, length));
                let lower = self.loss_of(&values, &mut slopes) + self.penalty(&weights);
                let is_enough = lower <= loss - ENOUGH * length * promise;
                length *= 0.5;
                is_enough.then_some((values, weights))
            });
            let Some(found) = found else { return };
            values = found.0;
            weights.copy_from_slice(&found.1);
        }
    }

    /// Returns the loss of values without the penalty; `slopes` gets those of the values.
    fn loss_of(&self, values: &[f64], slopes: &mut [f64]) -> f64 {
        let of = |group: &AnswerGroup<'_>| {
            let (outcome, range) = group.outcome(values);
            let slopes = &mut slopes[range];
            let loss = self.loss.apply_weighted(outcome, group.importance, slopes);
            slopes.iter_mut().for_each(|slope| *slope *= group.share);
            loss * group.share
        };
        self.groups.iter().map(of).sum()
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        0.5 * self.l2 * dot(weights, weights)
    }

    /// Adds to every weight what the values bring back to it.
    fn add_back(&self, of_values: &[f64], of_weights: &mut [f64]) {
        for (row, by_value) in self.rows.iter().zip(of_values) {
            row.terms.iter().for_each(|&(weight, value)| of_weights[weight as usize] += by_value * value);
        }
    }

    /// Returns the product of the curvature of the loss by the weights with a direction.
    fn curve(&self, values: &[f64], direction: &[f64]) -> Vec<f64> {
        let along: Vec<f64> = self.rows.iter().map(|row| product(row, direction)).collect();
        let mut bent = vec![0.0; along.len()];
        for group in &self.groups {
            let (outcome, range) = group.outcome(values);
            let bent = &mut bent[range.clone()];
            self.loss.curve_weighted(outcome, group.importance, &along[range], bent);
            bent.iter_mut().for_each(|number| *number *= group.share);
        }
        let mut all: Vec<f64> = direction.iter().map(|number| (self.l2 + LEAST_CURVATURE) * number).collect();
        self.add_back(&bent, &mut all);
        all
    }

    /// Returns the step to where the slope would be 0 if the curvature were the same everywhere, by conjugate gradients.
    fn newton_step(&self, values: &[f64], slope: &[f64]) -> Vec<f64> {
        let mut step = vec![0.0; slope.len()];
        let curve = |direction: &[f64]| (self.curve(values, direction), ());
        let go = |length: f64, direction: &[f64], ()| add(&mut step, length, direction);
        conjugate_gradients(slope.iter().map(|slope| -slope).collect(), REST, curve, go);
        step
    }
}

impl AnswerGroup<'_> {
    /// Returns its values with what they should be, and their range.
    fn outcome<'a>(&'a self, values: &'a [f64]) -> (Outcome<'a, f64>, std::ops::Range<usize>) {
        let range = self.first..self.first + self.targets.len();
        (Outcome { values: &values[range.clone()], targets: self.targets, sizes: self.sizes }, range)
    }
}

fn product(row: &AnswerSum, weights: &[f64]) -> f64 {
    row.terms.iter().map(|&(weight, value)| weights[weight as usize] * value).sum()
}

/// Returns `from + length · direction`.
fn moved(from: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
    from.iter().zip(direction).map(|(from, direction)| from + length * direction).collect()
}
