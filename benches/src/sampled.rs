//! Steps of some queries of one example, each with the network of what they reach.

use lrnn::data::Query;
use lrnn::network::{BuildOptions, NeighbourDraw, NeighbourSampler, Parameters, Weights, Workspace, mix};

use crate::stage::BenchProgram;
use crate::train::step;

/// Learning rate: so small that nothing overflows however long the clock runs.
const RATE: f32 = 1e-5;

/// The sizes of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepSize {
    /// Queries of a step.
    pub queries: usize,
    /// Most ground rules that an aggregation neuron keeps; 0 for all.
    pub neighbours: u32,
}

/// A grounded example and everything a step needs.
pub struct SampledTraining<'a> {
    ready: &'a BenchProgram,
    sampler: NeighbourSampler,
    layout: Parameters,
    numbers: Vec<f32>,
    gradient: Vec<f32>,
    space: Workspace<f32>,
    size: StepSize,
    steps: u64,
    /// Bytes of the largest network so far.
    pub largest: usize,
}

impl<'a> SampledTraining<'a> {
    /// Grounds the only example. Weights have no index: who has which is known before any network is built.
    pub fn new(ready: &'a BenchProgram, size: StepSize) -> Result<Self, String> {
        if ready.dataset.examples.len() != 1 || ready.template.weights.iter().any(|it| !it.index.is_empty()) {
            return Err("--sampled is for one example and weights without an index".into());
        }
        let grounding = ready.whole_grounding()?;
        let (template, example) = (&ready.template, &ready.dataset.examples[0]);
        let options = BuildOptions::default();
        let sampler = NeighbourSampler::new(template, &ready.schedule, example, grounding, options);
        let layout = Parameters::new(template);
        let mut numbers: Vec<f32> = layout.values(template, &ready.dataset.vocabulary, &Weights::new(1));
        numbers.iter_mut().for_each(|number| *number *= 0.25);
        let gradient = vec![0.0; numbers.len()];
        let (space, steps, largest) = (Workspace::default(), 0, 0);
        Ok(Self { ready, sampler, layout, numbers, gradient, space, size, steps, largest })
    }

    /// Takes a step of random queries.
    pub fn step(&mut self) {
        let all = &self.ready.dataset.queries[0];
        let pick = |nth: usize| all[mix(self.steps ^ mix(nth as u64)) as usize % all.len()].clone();
        let queries: Vec<Query> = (0..self.size.queries).map(pick).collect();
        let most = Some(self.size.neighbours).filter(|&most| most > 0);
        let network = self.sampler.network(&queries, NeighbourDraw { most, seed: self.steps }, &self.layout);
        self.steps += 1;
        self.largest = self.largest.max(network.bytes());
        let Self { ready, numbers, gradient, space, .. } = self;
        network.forward(&ready.schedule, numbers, space);
        gradient.fill(0.0);
        let share = 1.0 / queries.len() as f32;
        let target = |query: usize| queries[query].target.as_ref().map_or(0.0, |target| target[0] as f32);
        let seed =
            |query: usize, value: &[f32], seed: &mut [f32]| seed[0] = (value[0] - target(query)) * share;
        network.backward(&ready.schedule, numbers, space, seed, gradient);
        step(numbers, gradient, RATE);
    }
}
