//! Gradient boosted trees, by `forust-ml`. It knows two classes; several are learned one against the rest. On one
//! thread and without sampling it is deterministic. How many trees are used is chosen by an inner split.

use std::collections::BTreeMap;

use forust_ml::{GradientBooster, Matrix};

use super::split::{others, parts};
use super::{FeatureTask, Features, rivals, shares};
use lrnn::function::math::{ln, sigmoid};

/// The numbers of trees to choose from.
const TREES: [usize; 5] = [10, 20, 40, 80, 120];
const DEPTH: usize = 4;
const RATE: f32 = 0.1;
/// One part in so many is held out to choose.
const INNER_PARTS: usize = 4;

pub(super) fn fit_predict(task: &FeatureTask<'_>) -> Vec<Vec<f64>> {
    if !task.has_two_classes() {
        return vec![task.frequencies(); task.test.len()];
    }
    let columns = FeatureColumns::of(task.features, task.training);
    let of_class = |class| BoostedClass { task, columns: &columns, class }.scores();
    let scores: Vec<Vec<f64>> = rivals(task).map(of_class).collect();
    let answer = |place: usize| shares(scores.iter().map(|scores| sigmoid(scores[place])).collect());
    (0..task.test.len()).map(answer).collect()
}

/// A class that is learned against the rest.
struct BoostedClass<'a> {
    task: &'a FeatureTask<'a>,
    columns: &'a FeatureColumns,
    class: u32,
}

impl BoostedClass<'_> {
    /// Returns the log-odds of the class for each test example.
    fn scores(&self) -> Vec<f64> {
        let task = self.task;
        let inner = parts(task.training, task.classes, INNER_PARTS, task.seed);
        let booster = self.fit(&others(&inner, 0), TREES[TREES.len() - 1]);
        let trees = booster.map_or(TREES[0], |booster| self.choose(&inner[0], booster));
        match self.fit(task.training, trees) {
            Some(booster) => self.predict(task.test, &booster),
            None => {
                let own = task.frequencies()[self.class as usize].clamp(1e-6, 1.0 - 1e-6);
                vec![ln(own / (1.0 - own)); task.test.len()]
            }
        }
    }

    fn is_own(&self, example: usize) -> bool {
        self.task.classes[example] == self.class
    }

    fn choose(&self, held_out: &[usize], mut booster: GradientBooster) -> usize {
        let mut best = (f64::INFINITY, TREES[0]);
        for trees in TREES {
            booster.prediction_iteration = Some(trees.min(booster.trees.len()));
            let loss = |(&example, score): (&usize, f64)| {
                -ln(sigmoid(if self.is_own(example) { score } else { -score }).max(1e-15))
            };
            let loss: f64 = held_out.iter().zip(self.predict(held_out, &booster)).map(loss).sum();
            if loss < best.0 {
                best = (loss, trees);
            }
        }
        best.1
    }

    /// Learns so many trees; none if the training part has one side or no feature that varies.
    fn fit(&self, training: &[usize], trees: usize) -> Option<GradientBooster> {
        let targets: Vec<f64> =
            training.iter().map(|&example| f64::from(u8::from(self.is_own(example)))).collect();
        let is_both = targets.contains(&0.0) && targets.contains(&1.0);
        if !is_both || self.columns.0.is_empty() {
            return None;
        }
        let data = self.columns.dense(self.task.features, training);
        let mut booster = GradientBooster::default()
            .set_iterations(trees)
            .set_learning_rate(RATE)
            .set_max_depth(DEPTH)
            .set_parallel(false)
            .set_seed(self.task.seed);
        let matrix = Matrix::new(&data, training.len(), self.columns.0.len());
        booster.fit_unweighted(&matrix, &targets, None).ok()?;
        Some(booster)
    }

    fn predict(&self, examples: &[usize], booster: &GradientBooster) -> Vec<f64> {
        if examples.is_empty() {
            return Vec::new();
        }
        let data = self.columns.dense(self.task.features, examples);
        booster.predict(&Matrix::new(&data, examples.len(), self.columns.0.len()), false)
    }
}

/// The features that trees can split by, each with its column.
struct FeatureColumns(BTreeMap<u32, usize>);

/// A leaf needs a hessian of 1, and an example has at most a quarter.
const FEWEST: usize = 4;

/// Counts of a feature in the training part.
#[derive(Clone, Copy)]
struct FeatureCounts {
    /// In how many examples it is not 0.
    count: usize,
    /// Its first value, and in how many examples it has that.
    value: f64,
    same: usize,
    /// In how many examples the feature before it is not 0 either.
    with_last: usize,
}

impl FeatureColumns {
    fn of(features: &Features, training: &[usize]) -> Self {
        let mut seen =
            vec![FeatureCounts { count: 0, value: 0.0, same: 0, with_last: 0 }; features.names.len()];
        for row in training.iter().map(|&example| features.row(example)) {
            let mut last = None;
            for &(feature, value) in row {
                let seen = &mut seen[feature as usize];
                if seen.count == 0 {
                    seen.value = value;
                }
                seen.count += 1;
                seen.same += usize::from(seen.value == value);
                seen.with_last += usize::from(last.is_some_and(|last: u32| last + 1 == feature));
                last = Some(feature);
            }
        }
        let splits = |feature: usize| {
            let FeatureCounts { count, same, with_last, .. } = seen[feature];
            let is_same = same == count;
            // Who can split by a count has no use for the presence, which stands behind it.
            let is_presence =
                is_same && feature > 0 && with_last == count && seen[feature - 1].count == count;
            count >= FEWEST && !is_presence && (!is_same || training.len() - count >= FEWEST)
        };
        let used = (0..seen.len()).filter(|&feature| splits(feature));
        Self(used.map(|feature| feature as u32).zip(0..).collect())
    }

    /// Column after column.
    fn dense(&self, features: &Features, examples: &[usize]) -> Vec<f64> {
        let mut data = vec![0.0; self.0.len() * examples.len()];
        for (place, &example) in examples.iter().enumerate() {
            for (feature, value) in features.row(example) {
                if let Some(column) = self.0.get(feature) {
                    data[column * examples.len() + place] = *value;
                }
            }
        }
        data
    }
}
