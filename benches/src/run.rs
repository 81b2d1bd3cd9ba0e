//! One case, measured stage by stage.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use lrnn::network::{Networks, Weights};
use lrnn::template::Start;
use lrnn_io::read_text;
use serde_json::{Value, json};

use crate::case::{BenchCase, BenchTexts};
use crate::limit::{Limit, largest_difference};
use crate::measure::{Times, peak_memory};
use crate::sampled::{SampledTraining, StepSize};
use crate::stage::{BenchProgram, Stage, read};
use crate::train::{BenchTraining, values};

/// A case with so many copies of its data, and so many examples a batch; 0 is all.
pub struct Run {
    /// The case.
    pub case: BenchCase,
    /// Copies of the data.
    pub copies: usize,
    /// Examples a batch.
    pub batch: usize,
    /// Only the first so many examples.
    pub take: Option<usize>,
    /// Steps of so many queries instead of whole networks.
    pub sampled: Option<StepSize>,
}

/// Largest difference between the loop written by hand and the engine.
const TOLERANCE: f32 = 1e-5;

impl Run {
    /// Returns every stage, many times over: a line for each.
    pub fn measure(&self, seconds: f64) -> Result<Vec<Value>, String> {
        let texts = self.texts()?;
        let limit = Duration::from_secs_f64(seconds);
        let mut lines = Vec::new();
        let mut add = |stage: Stage, times: &Times, more: Value| lines.push(self.line(stage, times, more));

        let (times, ready) = Times::of(limit, || read(&self.case, &texts))?;
        drop(texts);
        add(Stage::Read, &times, json!({}));
        if let Some(size) = self.sampled {
            let mut training = SampledTraining::new(&ready, size)?;
            let (times, ()) = Times::of(limit, || {
                training.step();
                Ok(())
            })?;
            let (peak, largest) = (peak_memory(), training.largest);
            add(Stage::Step, &times, json!({ "network_bytes": largest, "peak_bytes": peak }));
            return Ok(lines);
        }
        let (times, ground_rules) = Times::of(limit, || ready.ground())?;
        add(Stage::Ground, &times, json!({ "ground_rules": ground_rules }));
        let (times, networks) = Times::of(limit, || ready.build(self.batch))?;
        let bytes: usize = networks.networks.iter().map(|network| network.bytes()).sum();
        let neurons = networks.neurons();
        let size = json!({
            "network_bytes": bytes, "rule_neurons": neurons.rule, "atom_neurons": neurons.atom,
            "parameters": networks.parameters.len(),
        });
        add(Stage::Build, &times, size);
        let mut training = BenchTraining::new(&ready, networks);
        let (times, ()) = Times::of(limit, || {
            training.epoch();
            Ok(())
        })?;
        if training.values().iter().any(|value| !value.is_finite()) {
            return Err(format!("{}: a value is infinite or not a number", self.case.name));
        }
        add(Stage::Epoch, &times, json!({ "peak_bytes": peak_memory() }));
        drop(training);
        if self.has_limit() {
            let (times, ratio) = compare_with_limit(&ready, limit)?;
            add(Stage::Limit, &times, json!({ "ratio": ratio }));
        }
        Ok(lines)
    }

    fn texts(&self) -> Result<BenchTexts, String> {
        let BenchTexts { examples, queries } = self.case.texts(self.copies)?;
        let first = |text: String| match self.take {
            Some(count) => text.lines().take(count).map(|line| format!("{line}\n")).collect(),
            None => text,
        };
        Ok(BenchTexts { examples: first(examples), queries: first(queries) })
    }

    fn line(&self, stage: Stage, times: &Times, more: Value) -> Value {
        let batch = if self.batch == 0 { json!("all") } else { json!(self.batch) };
        let mut line =
            json!({ "case": self.case.name, "copies": self.copies, "batch": batch, "stage": stage.name() });
        for part in [times.json(), more] {
            if let (Value::Object(line), Value::Object(mut part)) = (&mut line, part) {
                line.append(&mut part);
            }
        }
        line
    }

    fn has_limit(&self) -> bool {
        self.case.name == "chains" && self.copies == 1 && self.batch == 1 && self.take.is_none()
    }

    /// Returns a stage so many times, and nothing else that depends on the number.
    pub fn once(&self, stage: Stage, count: usize) -> Result<(), String> {
        let texts = self.texts()?;
        let ready = read(&self.case, &texts)?;
        match stage {
            Stage::Read => repeat(count, || read(&self.case, &texts)),
            Stage::Ground => repeat(count, || ready.ground()),
            Stage::Build => repeat(count, || ready.build(self.batch)),
            Stage::Epoch => {
                let mut training = ready.training(self.batch)?;
                repeat(count, || {
                    training.epoch();
                    Ok(())
                })
            }
            Stage::Step => {
                let size = self.sampled.ok_or("a step needs --sampled")?;
                let mut training = SampledTraining::new(&ready, size)?;
                repeat(count, || {
                    training.step();
                    Ok(())
                })
            }
            Stage::Limit => {
                let mut limit = agreeing_limit(&ready.training(1)?)?;
                repeat(count, || {
                    limit.epoch();
                    Ok(())
                })
            }
        }
    }

    /// Returns the values of all queries, with the weights of a file, or random ones.
    pub fn values(&self, weights: Option<&Path>) -> Result<Vec<f64>, String> {
        let ready = read(&self.case, &self.texts()?)?;
        let networks = ready.build(self.batch)?;
        let weights = match weights {
            Some(file) => weights_of(file, &ready, &networks)?,
            None => Weights::new(1),
        };
        let vocabulary = &ready.dataset.vocabulary;
        let parameters: Vec<f64> = networks.parameters.values(&ready.template, vocabulary, &weights);
        Ok(values(&ready, &networks, &parameters))
    }
}

/// Returns the weights of a JSON file, by their names joined with their indices; those the template gives stay.
fn weights_of(file: &Path, ready: &BenchProgram, networks: &Networks) -> Result<Weights, String> {
    let text = read_text(file).map_err(|error| error.to_string())?;
    let numbers: HashMap<String, Vec<f64>> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut weights = Weights::new(1);
    let is_open = |weight| ready.template.weight(weight).start == Start::Random;
    for ((weight, index), range) in networks.parameters.iter().filter(|((weight, _), _)| is_open(*weight)) {
        let mut name = ready.template.weight(*weight).name.as_deref().unwrap_or("").to_owned();
        for &constant in index {
            name += &format!("_{}", ready.dataset.vocabulary.constant(constant));
        }
        let found = numbers.get(&name).filter(|numbers| numbers.len() == range.len());
        let found =
            found.ok_or_else(|| format!("{} numbers are wanted for the weight `{name}`", range.len()))?;
        weights.set(*weight, index, found.clone());
    }
    Ok(weights)
}

fn repeat<T>(count: usize, mut run: impl FnMut() -> Result<T, String>) -> Result<(), String> {
    (0..count).try_for_each(|_| run().map(|made| drop(black_box(made))))
}

/// Returns the loop written by hand, if it gives what the engine gives.
pub fn agreeing_limit(training: &BenchTraining<'_>) -> Result<Limit, String> {
    let mut limit = Limit::new(training)?;
    let mut engine = training.clone();
    for epochs in 0..2 {
        let difference = largest_difference(&limit.outputs(), &engine.values());
        if difference > TOLERANCE {
            return Err(format!("after {epochs} epochs the limit differs from the engine by {difference}"));
        }
        limit.epoch();
        engine.epoch();
    }
    Ok(limit)
}

/// Returns the limit's times, and how much longer the engine takes, turn by turn: the least of each, which other work
/// on the machine disturbs the least.
fn compare_with_limit(ready: &BenchProgram, seconds: Duration) -> Result<(Times, f64), String> {
    let mut training = ready.training(1)?;
    let mut limit = agreeing_limit(&training)?;
    let (engine, limit) = Times::of_two(seconds, || training.epoch(), || limit.epoch());
    let ratio = engine.least() / limit.least();
    Ok((limit, ratio))
}
