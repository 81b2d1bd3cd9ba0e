//! An epoch, as plain as it can be: stochastic gradient descent on the squared error, in the order of the data.

use std::ops::Range;

use lrnn::function::Real;
use lrnn::network::{Network, Networks, Weights, Workspace};
use lrnn::template::Start;

use crate::stage::BenchProgram;

/// Learning rate where all weights are numbers.
pub const RATE: f32 = 0.01;
/// Learning rate where there are matrices: so small that nothing overflows however long the clock runs.
const SHORT_RATE: f32 = 1e-5;

/// Networks with parameters and everything an epoch needs.
#[derive(Clone)]
pub struct BenchTraining<'a> {
    /// Template and data that are learned from.
    pub ready: &'a BenchProgram,
    /// The networks.
    pub networks: Networks,
    /// The numbers of all weights.
    pub parameters: Vec<f32>,
    gradient: Vec<f32>,
    space: Workspace<f32>,
    targets: Vec<f32>,
    rate: f32,
    /// Ranges of the numbers of fixed weights.
    fixed: Vec<Range<usize>>,
}

impl<'a> BenchTraining<'a> {
    /// Random starts. Numbers begin between -1 and 1; matrices in a range that narrows with their size, so that deep
    /// networks neither vanish nor overflow.
    pub fn new(ready: &'a BenchProgram, networks: Networks) -> Self {
        let weights = Weights::new(1);
        let (mut rate, mut fixed) = (RATE, Vec::new());
        let mut parameters: Vec<f32> =
            networks.parameters.values(&ready.template, &ready.dataset.vocabulary, &weights);
        for ((weight, _), range) in networks.parameters.iter() {
            let weight = ready.template.weight(*weight);
            if weight.fixed {
                fixed.push(range.clone());
            }
            if weight.start == Start::Random && !weight.shape.is_number() {
                let scale = (2.0 / f64::from(weight.shape.rows + weight.shape.columns)).sqrt();
                parameters[range].iter_mut().for_each(|number| *number *= scale.min(1.0) as f32);
                rate = SHORT_RATE;
            }
        }
        let queries = ready.dataset.queries.iter().flatten();
        let target = |query: &lrnn::data::Query| query.target.as_ref().map_or(0.0, |target| target[0] as f32);
        Self {
            targets: queries.map(target).collect(),
            gradient: vec![0.0; parameters.len()],
            space: Workspace::default(),
            ready,
            networks,
            parameters,
            rate,
            fixed,
        }
    }

    /// Runs one pass over all networks, with a step after each.
    pub fn epoch(&mut self) {
        let mut first = 0;
        let Self { ready, networks, parameters, gradient, space, targets, rate, fixed } = self;
        for network in &networks.networks {
            let count = network.output_count();
            let (targets, share) = (&targets[first..first + count], 1.0 / count as f32);
            first += count;
            network.forward(&ready.schedule, parameters, space);
            gradient.fill(0.0);
            let seed = |query: usize, value: &[f32], seed: &mut [f32]| {
                seed[0] = (value[0] - targets[query]) * share;
            };
            network.backward(&ready.schedule, parameters, space, seed, gradient);
            fixed.iter().for_each(|range| gradient[range.clone()].fill(0.0));
            step(parameters, gradient, *rate);
        }
    }

    /// Returns the values of all queries.
    pub fn values(&mut self) -> Vec<f32> {
        values(self.ready, &self.networks, &self.parameters)
    }
}

/// Goes down the gradient.
pub fn step(parameters: &mut [f32], gradient: &[f32], rate: f32) {
    parameters.iter_mut().zip(gradient).for_each(|(parameter, gradient)| *parameter -= rate * gradient);
}

/// Returns the first number of every query's value; not a number outside the model.
pub fn values<R: Real>(ready: &BenchProgram, networks: &Networks, parameters: &[R]) -> Vec<R> {
    let mut space = Workspace::default();
    let mut of_network = |network: &Network| -> Vec<R> {
        network.forward(&ready.schedule, parameters, &mut space);
        let value = |query| space.output(network, query).map_or(R::from_f64(f64::NAN), |value| value[0]);
        (0..network.output_count()).map(value).collect()
    };
    networks.networks.iter().flat_map(&mut of_network).collect()
}
