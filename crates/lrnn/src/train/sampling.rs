//! Batches of queries of one example, each with the network of what its queries reach: built when it is its turn, and
//! dropped after its step, so that no more of them are in memory than there are threads.

use std::collections::VecDeque;

use super::example_queries::ExampleQueries;
use super::order::shuffled;
use super::problem::CountedNetwork;
use super::settings::Settings;
use crate::data::Query;
use crate::network::{NeighbourDraw, NeighbourSampler, Network, Parameters, mix};
use crate::threads::{each, thread_count};

/// The queries to learn from, and the source of their networks.
#[derive(Debug)]
pub(super) struct Sampling {
    sampler: NeighbourSampler,
    /// Queries that count.
    queries: Vec<Query>,
    /// Targets, sizes and weights of these, in this order.
    counted: ExampleQueries,
    /// End of the targets of each.
    ends: Vec<usize>,
    batch: usize,
    most: Option<u32>,
}

impl Sampling {
    /// Keeps those queries of an example that count.
    pub fn new(
        sampler: NeighbourSampler,
        queries: &[Query],
        counted: ExampleQueries,
        settings: &Settings,
    ) -> Self {
        let queries: Vec<Query> =
            counted.queries.iter().map(|&query| queries[query as usize].clone()).collect();
        let mut end = 0;
        let ends = counted.sizes.iter().map(|&size| {
            end += size as usize;
            end
        });
        let ends = ends.collect();
        let batch = match settings.batch_queries {
            0 => queries.len(),
            count => count as usize,
        };
        let most = Some(settings.sampled_neighbours).filter(|&most| most > 0);
        Self { sampler, queries, counted, ends, batch: batch.max(1), most }
    }

    /// Returns how many batches an epoch has.
    pub fn batches(&self) -> usize {
        self.queries.len().div_ceil(self.batch)
    }

    /// Returns some of what counts, as the queries of a network of their own.
    fn some(&self, queries: &[usize]) -> ExampleQueries {
        let all = &self.counted;
        let targets = |&query: &usize| {
            let end = self.ends[query];
            &all.targets[end - all.sizes[query] as usize..end]
        };
        ExampleQueries {
            example: all.example,
            queries: (0..queries.len() as u32).collect(),
            sizes: queries.iter().map(|&query| all.sizes[query]).collect(),
            targets: queries.iter().flat_map(targets).copied().collect(),
            weight: all.weight,
            importance: match all.importance.is_empty() {
                true => Vec::new(),
                false => queries.iter().map(|&query| all.importance[query]).collect(),
            },
        }
    }
}

/// The network of a batch, and what counts of it.
#[derive(Debug)]
pub(super) struct SampledBatch {
    network: Network,
    pub counted: Vec<ExampleQueries>,
}

impl SampledBatch {
    /// Returns it as a network of its problem.
    pub fn network(&self) -> CountedNetwork<'_> {
        CountedNetwork { network: &self.network, counted: &self.counted, number: None }
    }
}

/// The batches of one epoch.
pub(super) struct SampledEpoch<'a> {
    sampling: &'a Sampling,
    parameters: &'a Parameters,
    /// The queries in the order of the epoch.
    order: Vec<usize>,
    seed: u64,
    /// Number of batches that are built.
    built: usize,
    ready: VecDeque<SampledBatch>,
}

impl<'a> SampledEpoch<'a> {
    /// Draws the batches of an epoch: they depend on `purpose` alone.
    pub fn new(sampling: &'a Sampling, parameters: &'a Parameters, purpose: &[u64]) -> Self {
        let order = shuffled(sampling.queries.len(), purpose);
        let seed = purpose.iter().fold(1, |state, &word| mix(state ^ mix(word)));
        Self { sampling, parameters, order, seed, built: 0, ready: VecDeque::new() }
    }

    fn build(&self, batch: usize) -> SampledBatch {
        let Sampling { sampler, queries, batch: size, most, .. } = self.sampling;
        let start = batch * size;
        let some = &self.order[start..(start + size).min(self.order.len())];
        let own: Vec<Query> = some.iter().map(|&query| queries[query].clone()).collect();
        let draw = NeighbourDraw { most: *most, seed: mix(self.seed ^ mix(batch as u64)) };
        let network = sampler.network(&own, draw, self.parameters);
        SampledBatch { network, counted: vec![self.sampling.some(some)] }
    }
}

impl Iterator for SampledEpoch<'_> {
    type Item = SampledBatch;

    /// Returns the next batch; as many are built at once as there are threads.
    fn next(&mut self) -> Option<SampledBatch> {
        if self.ready.is_empty() {
            let end = (self.built + thread_count()).min(self.sampling.batches());
            let numbers: Vec<usize> = (self.built..end).collect();
            self.ready = each(&numbers, |&batch| self.build(batch)).into();
            self.built = end;
        }
        self.ready.pop_front()
    }
}
