//! The networks of a whole dataset: grounded, built and dropped example by example, in parallel.

use super::{BuildOptions, Builder, Network, NeuronCounts, Parameters, Schedule};
use crate::data::Dataset;
use crate::ground::{ExampleError, Limits, Plans, fold_groundings};
use crate::template::Template;

/// The networks of a dataset with what they share.
#[derive(Clone, Debug)]
pub struct Networks {
    /// The networks, `batch` examples each, in order.
    pub networks: Vec<Network>,
    /// Which numbers belong to which weight.
    pub parameters: Parameters,
}

impl Networks {
    /// Grounds the examples and builds their networks, so many examples in each, in order.
    pub fn build(
        template: &Template,
        schedule: &Schedule,
        dataset: &Dataset,
        plans: &Plans,
        limits: &Limits,
        options: BuildOptions,
        batch: usize,
    ) -> Result<Self, ExampleError> {
        let all: Vec<usize> = (0..dataset.examples.len()).collect();
        let chunks: Vec<Vec<usize>> = all.chunks(batch.max(1)).map(<[usize]>::to_vec).collect();
        Self::build_chunks(template, schedule, dataset, plans, limits, options, &chunks)
    }

    /// Grounds the examples of each chunk and builds a network of them. The result is the same on any number of
    /// threads.
    pub fn build_chunks(
        template: &Template,
        schedule: &Schedule,
        dataset: &Dataset,
        plans: &Plans,
        limits: &Limits,
        options: BuildOptions,
        chunks: &[Vec<usize>],
    ) -> Result<Self, ExampleError> {
        let begin = || Builder::new(template, schedule, options);
        let add = |builder: &mut Builder<'_>, example: usize, grounding| {
            builder.add(&dataset.examples[example], &grounding, &dataset.queries[example]);
        };
        let networks =
            fold_groundings(template, dataset, plans, limits, chunks, begin, add, Builder::finish)?;
        Ok(Self::bind(template, networks))
    }

    /// Networks that were built apart, with the parameters of all.
    pub fn bind(template: &Template, mut networks: Vec<Network>) -> Self {
        let mut parameters = Parameters::new(template);
        networks.iter_mut().for_each(|network| network.bind(&mut parameters));
        Self { networks, parameters }
    }

    /// For each number of the parameters, how many contributions enter the atom that it feeds, at most, in some of the
    /// networks; 1 where it feeds none.
    pub fn contributions(&self, networks: std::ops::Range<usize>) -> Vec<u32> {
        let mut most = vec![1; self.parameters.len()];
        self.networks[networks].iter().for_each(|network| network.crowds(&mut most));
        most
    }

    /// The neurons of all networks.
    pub fn neurons(&self) -> NeuronCounts {
        self.networks.iter().fold(NeuronCounts::default(), |sum, network| sum.plus(network.neurons()))
    }
}
