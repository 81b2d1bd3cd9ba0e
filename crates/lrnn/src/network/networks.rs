//! The networks of a whole dataset: grounded, built and dropped example by example, in parallel.

use super::{BuildOptions, BuildSpace, Network, NetworkBuilder, NeuronCounts, Parameters, Schedule};
use crate::data::Dataset;
use crate::ground::{ExampleError, GroundingInRuns, Limits, Plans, fold_groundings};
use crate::template::Template;
use crate::threads::Spares;

/// The networks of a dataset with what they share.
#[derive(Clone, Debug)]
pub struct Networks {
    /// The networks, `batch` examples each, in order.
    pub networks: Vec<Network>,
    /// Numbers of each weight.
    pub parameters: Parameters,
}

impl Networks {
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
        let networks = Self::unbound_chunks(template, schedule, dataset, plans, limits, options, chunks)?;
        Ok(Self::bind_chunks(template, networks, chunks))
    }

    /// Networks of chunks of examples that were built apart, with the parameters of all.
    pub(crate) fn bind_chunks(
        template: &Template,
        mut networks: Vec<Network>,
        chunks: &[Vec<usize>],
    ) -> Self {
        for (network, chunk) in networks.iter_mut().zip(chunks) {
            network.inputs.iter_mut().for_each(|fact| fact.example = chunk[fact.example]);
        }
        Self::bind(template, networks)
    }

    /// Grounds the examples of each chunk and builds one network of them, whose weights have no places yet.
    pub(crate) fn unbound_chunks(
        template: &Template,
        schedule: &Schedule,
        dataset: &Dataset,
        plans: &Plans,
        limits: &Limits,
        options: BuildOptions,
        chunks: &[Vec<usize>],
    ) -> Result<Vec<Network>, ExampleError> {
        let spaces: Spares<BuildSpace> = Spares::default();
        let begin = || NetworkBuilder::within(template, schedule, options, spaces.take());
        let add = |builder: &mut NetworkBuilder<'_>, example: usize, all: GroundingInRuns| {
            builder.add_runs(&dataset.examples[example], &all, &dataset.queries[example]);
            Some(all.grounding)
        };
        let finish = |builder: NetworkBuilder<'_>| {
            let (network, space) = builder.finish_within();
            if network.is_small() {
                spaces.give(space);
            }
            network
        };
        fold_groundings(template, dataset, plans, limits, chunks, true, begin, add, finish)
    }

    /// Networks that were built apart, with the parameters of all.
    pub fn bind(template: &Template, mut networks: Vec<Network>) -> Self {
        let mut parameters = Parameters::new(template);
        networks.iter_mut().for_each(|network| network.bind(&mut parameters));
        let all = networks.iter_mut().enumerate();
        all.for_each(|(number, network)| network.bind_inputs(number, &mut parameters));
        Self { networks, parameters }
    }

    /// Counts, for each number of the parameters, the contributions that enter the atom that it feeds, at most, in some
    /// of the networks; 1 where it feeds none.
    pub fn contributions(&self, networks: std::ops::Range<usize>) -> Vec<u32> {
        let mut most = vec![1; self.parameters.len()];
        self.networks[networks].iter().for_each(|network| network.crowds(&mut most));
        most
    }

    /// Returns how many parameters the first so many networks have between them; those that only later ones have lie
    /// behind.
    pub fn reach(&self, networks: usize) -> usize {
        let indexed = self.networks.iter().take(networks).flat_map(|network| &network.keys);
        indexed.map(|key| self.parameters.end(key)).fold(self.parameters.plain(), usize::max)
    }

    /// Returns the neurons of all networks.
    pub fn neurons(&self) -> NeuronCounts {
        self.networks.iter().fold(NeuronCounts::default(), |sum, network| sum.plus(network.neurons()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DatasetBuilder, Layout};
    use crate::diagnostic::SourceId;
    use crate::ground::{Statistics, fit};

    #[test]
    fn weights_that_only_later_networks_have_lie_behind() {
        let template = Template::parse("u = 0.5 :: p(X) :- q(X, T).\nw[T] :: p(X) :- q(X, T).");
        let template = template.expect("a template");
        let mut builder = DatasetBuilder::new(template.vocabulary.clone());
        let text = "1 p(a) :- q(a, one).\n1 p(a) :- q(a, one), q(a, two).\n0 p(a) :- q(a, three).";
        builder.examples(text, SourceId(0), Layout::Examples);
        let dataset = builder.finish().expect("data");
        let template = fit(&template, &dataset, false).0.expect("a template that fits");
        let schedule = Schedule::new(&template).expect("shapes that fit");
        let plans = Plans::new(&template, &Statistics::of(&dataset));
        let options = BuildOptions::default();
        let chunks: Vec<Vec<usize>> = (0..dataset.examples.len()).map(|example| vec![example]).collect();
        let limits = Limits::default();
        let networks =
            Networks::build_chunks(&template, &schedule, &dataset, &plans, &limits, options, &chunks)
                .expect("networks");
        // Those without an index come first, whoever has them.
        let reach: Vec<usize> = (0..5).map(|count| networks.reach(count) - networks.reach(0)).collect();
        assert_eq!(reach, [0, 1, 2, 3, 3]);
        assert_eq!(networks.reach(3), networks.parameters.len());
    }
}
