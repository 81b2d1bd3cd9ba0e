//! Logistic regression with L2, for two classes or more. Features are standardised on the training part. The strength
//! of L2 is the one with the least cross-entropy over an inner split.

use lrnn::function::math::{exp, ln};

use super::split::{others, parts};
use super::{FeatureTask, Features};
use crate::minimise::minimise;

/// The strengths of L2 to choose from, per mean loss of an example; strong first, so that each is a start for the next.
const STRENGTHS: [f64; 6] = [1.0, 0.3, 0.1, 0.03, 0.01, 0.001];
const INNER_PARTS: usize = 3;
const MOST_STEPS: usize = 200;

pub(super) fn fit_predict(task: &FeatureTask<'_>) -> Vec<Vec<f64>> {
    if !task.has_two_classes() {
        return vec![task.frequencies(); task.test.len()];
    }
    let strength = choose(task);
    let path = STRENGTHS.iter().copied().filter(|&other| other >= strength);
    let mut model = LogisticModel::new(task, task.training);
    path.for_each(|strength| model.fit(strength));
    task.test.iter().map(|&example| model.predict(task.features.row(example))).collect()
}

fn choose(task: &FeatureTask<'_>) -> f64 {
    let parts = parts(task.training, task.classes, INNER_PARTS, task.seed);
    let mut losses = [0.0; STRENGTHS.len()];
    for (number, held_out) in parts.iter().enumerate() {
        let training = others(&parts, number);
        let mut model = LogisticModel::new(task, &training);
        for (loss, &strength) in losses.iter_mut().zip(&STRENGTHS) {
            model.fit(strength);
            *loss += held_out.iter().map(|&example| model.loss(example)).sum::<f64>();
        }
    }
    let best =
        (1..losses.len()).fold(0, |best, other| if losses[other] < losses[best] { other } else { best });
    STRENGTHS[best]
}

/// Weights on standardised features. Two classes need one output, more have one each.
struct LogisticModel<'a> {
    task: &'a FeatureTask<'a>,
    training: &'a [usize],
    outputs: usize,
    means: Vec<f64>,
    /// One over the deviation; 0 for a feature that is the same in all training examples.
    scales: Vec<f64>,
    /// By output, the weights of all features and then the offset.
    weights: Vec<f64>,
}

impl<'a> LogisticModel<'a> {
    fn new(task: &'a FeatureTask<'a>, training: &'a [usize]) -> Self {
        let (means, scales) = standard(task.features, training);
        let outputs = if task.class_count == 2 { 1 } else { task.class_count };
        let weights = vec![0.0; outputs * (means.len() + 1)];
        Self { task, training, outputs, means, scales, weights }
    }

    /// Returns weights that act on plain features: by output, those of all features and then the offset.
    fn plain(&self, weights: &[f64]) -> Vec<f64> {
        let mut plain = weights.to_vec();
        for output in plain.chunks_exact_mut(self.means.len() + 1) {
            let mut shift = 0.0;
            for ((weight, mean), scale) in output.iter_mut().zip(&self.means).zip(&self.scales) {
                *weight *= scale;
                shift += *weight * mean;
            }
            output[self.means.len()] -= shift;
        }
        plain
    }

    fn probabilities(&self, plain: &[f64], row: &[(u32, f64)]) -> Vec<f64> {
        let mut logits = vec![0.0; self.task.class_count];
        let first = self.task.class_count - self.outputs;
        for (logit, output) in logits[first..].iter_mut().zip(plain.chunks_exact(self.means.len() + 1)) {
            *logit = output[self.means.len()]
                + row.iter().map(|&(f, value)| output[f as usize] * value).sum::<f64>();
        }
        softmax(&logits)
    }

    fn predict(&self, row: &[(u32, f64)]) -> Vec<f64> {
        self.probabilities(&self.plain(&self.weights), row)
    }

    fn loss(&self, example: usize) -> f64 {
        let probabilities = self.predict(self.task.features.row(example));
        cross_entropy(probabilities[self.task.classes[example] as usize])
    }

    /// Goes on from the weights it has.
    fn fit(&mut self, strength: f64) {
        let start = std::mem::take(&mut self.weights);
        self.weights = minimise(start, MOST_STEPS, |weights| self.objective(strength, weights));
    }

    /// Returns the mean cross-entropy and half the strength times the squares of the weights, with its slope.
    fn objective(&self, strength: f64, weights: &[f64]) -> (f64, Vec<f64>) {
        let Self { task, training, .. } = *self;
        let (width, plain) = (self.means.len(), self.plain(weights));
        let mut slope = vec![0.0; weights.len()];
        let mut loss = 0.0;
        let share = 1.0 / training.len() as f64;
        for &example in training {
            let row = task.features.row(example);
            let own = task.classes[example] as usize;
            let probabilities = self.probabilities(&plain, row);
            loss += cross_entropy(probabilities[own]) * share;
            let first = self.task.class_count - self.outputs;
            for (output, slope) in slope.chunks_exact_mut(width + 1).enumerate() {
                let class = output + first;
                let residual = (probabilities[class] - f64::from(u8::from(class == own))) * share;
                row.iter().for_each(|&(feature, value)| slope[feature as usize] += residual * value);
                slope[width] += residual;
            }
        }
        for (output, weights) in slope.chunks_exact_mut(width + 1).zip(weights.chunks_exact(width + 1)) {
            let total = output[width];
            for feature in 0..width {
                let standard = (output[feature] - self.means[feature] * total) * self.scales[feature];
                output[feature] = standard + strength * weights[feature];
                loss += 0.5 * strength * weights[feature] * weights[feature];
            }
        }
        (loss, slope)
    }
}

fn cross_entropy(probability: f64) -> f64 {
    -ln(probability.max(1e-15))
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.iter().map(|&logit| exp(logit - most)).collect();
    let total: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / total).collect()
}

/// Returns the mean of each feature over the training examples, and one over its deviation.
fn standard(features: &Features, training: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let width = features.names.len();
    let (mut means, mut squares) = (vec![0.0; width], vec![0.0; width]);
    let count = training.len().max(1) as f64;
    for &example in training {
        features.row(example).iter().for_each(|&(feature, value)| means[feature as usize] += value / count);
    }
    let mut zeros = vec![count; width];
    for &(feature, value) in training.iter().flat_map(|&example| features.row(example)) {
        let feature = feature as usize;
        squares[feature] += (value - means[feature]).powi(2);
        zeros[feature] -= 1.0;
    }
    let scale = |feature: usize| {
        let variance = (squares[feature] + zeros[feature] * means[feature] * means[feature]) / count;
        if variance > 1e-12 { 1.0 / variance.sqrt() } else { 0.0 }
    };
    let scales = (0..width).map(scale).collect();
    (means, scales)
}
