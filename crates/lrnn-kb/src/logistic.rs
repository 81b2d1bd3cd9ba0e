//! Logistic regression over pairs of entities: weights of the two entities and of the paths between
//! them, fitted by L-BFGS with L2 regularisation.

use lrnn::Stop;
use lrnn::function::math::{sigmoid, softplus};

use crate::likeness::GradedColumn;

/// The pairs of a relation to learn from, and what each rule covers.
#[derive(Debug)]
pub struct Design<'a> {
    /// By row: the head and the tail.
    pub pairs: &'a [(u32, u32)],
    /// By row: how often it counts.
    pub counts: &'a [f64],
    /// By row: 1 if the triple is known, 0 otherwise.
    pub targets: &'a [f64],
    /// Number of entities.
    pub entities: usize,
    /// By path: the rows that it covers.
    pub columns: Vec<&'a [u32]>,
    /// By reason of likeness: how much it holds in each row.
    pub graded: &'a [GradedColumn],
    /// Strength of L2 regularisation.
    pub l2: f64,
}

/// Fitted weights.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleWeights {
    /// The weight of the relation itself.
    pub intercept: f64,
    /// By side and entity.
    pub entities: [Vec<f64>; 2],
    /// By path.
    pub paths: Vec<f64>,
    /// By reason of likeness.
    pub likeness: Vec<f64>,
}

/// L2 regularisation of the intercept.
const INTERCEPT_L2: f64 = 1e-3;
/// L2 regularisation of a reason of likeness, as a part of that of others: there are few of them.
const LIKENESS_L2: f64 = 0.1;
/// Pairs that a rule might join and that are not known, so that a rule of few pairs is not certain.
const UNSEEN: f64 = 5.0;
/// Iterations of a fit at most.
const ITERATIONS: usize = 100;
/// Steps that L-BFGS remembers.
const MEMORY: usize = 10;
/// A fit ends when an iteration lowers the objective by less than this part of it.
const TOLERANCE: f64 = 1e-6;

impl Design<'_> {
    /// Returns the number of parameters.
    pub fn size(&self) -> usize {
        self.first_reason() + self.graded.len()
    }

    /// Returns the place of the first reason of likeness among the parameters.
    fn first_reason(&self) -> usize {
        self.first_path() + self.columns.len()
    }

    /// Returns the place of the first path among the parameters: before it come the intercept, heads and tails.
    fn first_path(&self) -> usize {
        1 + 2 * self.entities
    }

    /// Returns the sum of the intercept and the weights of both ends, and nothing of paths.
    pub fn base(&self, parameters: &[f64], (head, tail): (u32, u32)) -> f64 {
        parameters[0] + parameters[1 + head as usize] + parameters[1 + self.entities + tail as usize]
    }

    /// Returns the sum of weights by row.
    pub fn sums(&self, parameters: &[f64]) -> Vec<f64> {
        let mut sums: Vec<f64> = self.pairs.iter().map(|&pair| self.base(parameters, pair)).collect();
        for (column, weight) in self.columns.iter().zip(&parameters[self.first_path()..]) {
            column.iter().for_each(|&row| sums[row as usize] += weight);
        }
        for (column, weight) in self.graded.iter().zip(&parameters[self.first_reason()..]) {
            let rows = column.rows.iter().zip(&column.values);
            rows.for_each(|(&row, value)| sums[row as usize] += weight * value);
        }
        sums
    }

    /// Computes the objective and its gradient.
    fn objective(&self, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        let mut slopes = self.sums(parameters);
        let mut loss = 0.0;
        let mut by_entity = [vec![0.0; self.entities], vec![0.0; self.entities]];
        let mut all = 0.0;
        for (row, slope) in slopes.iter_mut().enumerate() {
            let (sum, target, count) = (*slope, self.targets[row], self.counts[row]);
            loss += count * (softplus(sum) - target * sum);
            *slope = count * (sigmoid(sum) - target);
            all += *slope;
            by_entity[0][self.pairs[row].0 as usize] += *slope;
            by_entity[1][self.pairs[row].1 as usize] += *slope;
        }
        gradient[0] = all;
        for (side, own) in by_entity.iter().enumerate() {
            let first = 1 + side * self.entities;
            gradient[first..first + self.entities].copy_from_slice(own);
        }
        for (slope, column) in gradient[self.first_path()..].iter_mut().zip(&self.columns) {
            *slope = column.iter().map(|&row| slopes[row as usize]).sum();
        }
        for (slope, column) in gradient[self.first_reason()..].iter_mut().zip(self.graded) {
            *slope = column
                .rows
                .iter()
                .zip(&column.values)
                .map(|(&row, value)| slopes[row as usize] * value)
                .sum();
        }
        for (at, (slope, parameter)) in gradient.iter_mut().zip(parameters).enumerate() {
            let l2 = match at {
                0 => INTERCEPT_L2,
                at if at < self.first_reason() => self.l2,
                _ => LIKENESS_L2 * self.l2,
            };
            loss += 0.5 * l2 * parameter * parameter;
            *slope += l2 * parameter;
        }
        loss
    }

    /// Fits all weights; a raised flag ends the fit early.
    pub fn fit(&self, stop: &Stop) -> RuleWeights {
        let mut parameters = vec![0.0; self.size()];
        let (mut known, mut all) = (0.0, 0.0);
        for (target, count) in self.targets.iter().zip(self.counts) {
            known += target * count;
            all += count;
        }
        parameters[0] = lrnn::function::math::ln((known + 0.5) / (all - known + 0.5));
        minimise(&mut parameters, stop, |parameters, gradient| self.objective(parameters, gradient));
        self.weights(&parameters)
    }

    /// Gives each rule and each end the weight of its own confidence, −ln(1 − confidence), whatever others say.
    pub fn confidences(&self) -> RuleWeights {
        let weight = |known: f64, all: f64| -lrnn::function::math::ln(1.0 - known / (all + UNSEEN));
        let of = |rows: &mut dyn Iterator<Item = usize>| {
            let (mut known, mut all) = (0.0, 0.0);
            rows.for_each(|row| {
                known += self.counts[row] * self.targets[row];
                all += self.counts[row];
            });
            weight(known, all)
        };
        let mut ends = [vec![(0.0, 0.0); self.entities], vec![(0.0, 0.0); self.entities]];
        for (row, &(head, tail)) in self.pairs.iter().enumerate() {
            for (side, entity) in [head, tail].into_iter().enumerate() {
                let end = &mut ends[side][entity as usize];
                *end = (end.0 + self.counts[row] * self.targets[row], end.1 + self.counts[row]);
            }
        }
        RuleWeights {
            intercept: of(&mut (0..self.pairs.len())),
            entities: ends.map(|side| side.into_iter().map(|(known, all)| weight(known, all)).collect()),
            paths: self
                .columns
                .iter()
                .map(|column| of(&mut column.iter().map(|&row| row as usize)))
                .collect(),
            likeness: Vec::new(),
        }
    }

    fn weights(&self, parameters: &[f64]) -> RuleWeights {
        let entity =
            |side: usize| parameters[1 + side * self.entities..1 + (side + 1) * self.entities].to_vec();
        RuleWeights {
            intercept: parameters[0],
            entities: [entity(0), entity(1)],
            paths: parameters[self.first_path()..self.first_reason()].to_vec(),
            likeness: parameters[self.first_reason()..].to_vec(),
        }
    }
}

/// Minimises a smooth function by L-BFGS with steps that are halved until they lower it.
fn minimise(place: &mut Vec<f64>, stop: &Stop, mut function: impl FnMut(&[f64], &mut [f64]) -> f64) {
    let mut gradient = vec![0.0; place.len()];
    let mut value = function(place, &mut gradient);
    let mut memory: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    for iteration in 0..ITERATIONS {
        let mut direction = downhill(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            memory.clear();
            direction = gradient.iter().map(|part| -part).collect();
            slope = dot(&direction, &gradient);
        }
        let mut length = if iteration == 0 { 1.0 / slope.abs().sqrt().max(1.0) } else { 1.0 };
        let mut next_gradient = vec![0.0; place.len()];
        let found = (0..30).find_map(|_| {
            let next: Vec<f64> = place.iter().zip(&direction).map(|(at, part)| at + length * part).collect();
            let next_value = function(&next, &mut next_gradient);
            let is_lower = next_value <= value + 1e-4 * length * slope;
            length *= 0.5;
            is_lower.then_some((next, next_value))
        });
        let Some((next, next_value)) = found else { return };
        let step: Vec<f64> = next.iter().zip(&*place).map(|(next, at)| next - at).collect();
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(next, at)| next - at).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 {
            if memory.len() == MEMORY {
                memory.remove(0);
            }
            memory.push((step, change, curvature));
        }
        let gained = value - next_value;
        (*place, gradient, value) = (next, next_gradient, next_value);
        if gained < TOLERANCE * value.abs().max(1e-9) || stop.is_raised() {
            return;
        }
    }
}

/// Returns the direction of L-BFGS.
fn downhill(gradient: &[f64], memory: &[(Vec<f64>, Vec<f64>, f64)]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|part| -part).collect();
    let mut factors = vec![0.0; memory.len()];
    for (at, (step, change, curvature)) in memory.iter().enumerate().rev() {
        factors[at] = dot(step, &direction) / curvature;
        add(&mut direction, change, -factors[at]);
    }
    if let Some((_, change, curvature)) = memory.last() {
        let scale = curvature / dot(change, change);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for (at, (step, change, curvature)) in memory.iter().enumerate() {
        let factor = dot(change, &direction) / curvature;
        add(&mut direction, step, factors[at] - factor);
    }
    direction
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(sum: &mut [f64], part: &[f64], factor: f64) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += factor * part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_agree_with_differences_and_vanish_at_the_end() {
        let pairs: Vec<(u32, u32)> = (0..16).map(|at| (at / 4, at % 4)).collect();
        let targets: Vec<f64> = (0..16).map(|at| f64::from(u8::from(at % 3 == 0 || at == 7))).collect();
        let counts: Vec<f64> = (0..16).map(|at| 1.0 + f64::from(at % 2)).collect();
        let graded = [GradedColumn { rows: vec![2, 3, 8, 12], values: vec![0.5, 0.25, 1.0, 0.125] }];
        let design = Design {
            pairs: &pairs,
            counts: &counts,
            targets: &targets,
            entities: 4,
            columns: vec![&[0, 3, 7, 9], &[1, 2, 3, 15]],
            graded: &graded,
            l2: 0.5,
        };
        let at: Vec<f64> = (0..design.size()).map(|at| (at as f64 * 0.7).sin()).collect();
        let mut gradient = vec![0.0; at.len()];
        design.objective(&at, &mut gradient);
        for parameter in 0..at.len() {
            let value = |by: f64| {
                let mut moved = at.clone();
                moved[parameter] += by;
                design.objective(&moved, &mut vec![0.0; at.len()])
            };
            let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!(
                (slope - gradient[parameter]).abs() < 1e-6,
                "{parameter}: {slope} {}",
                gradient[parameter]
            );
        }
        let mut place = at;
        minimise(&mut place, &Stop::default(), |at, gradient| design.objective(at, gradient));
        design.objective(&place, &mut gradient);
        assert!(gradient.iter().all(|slope| slope.abs() < 0.02), "{gradient:?}");
    }
}
