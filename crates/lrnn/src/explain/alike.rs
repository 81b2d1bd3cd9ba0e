//! Queries that the template cannot tell apart.

use std::collections::BTreeMap;

use crate::data::Dataset;
use crate::network::Network;

/// Queries that one neuron answers: they have one value under any weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndistinctQueries {
    /// The queries: the example, and the number among its queries.
    pub queries: Vec<(usize, usize)>,
    /// True if they should have different values.
    pub is_conflict: bool,
}

/// Returns the groups of queries that the template cannot tell apart, in the order of the data; a query that is alone
/// is in none. The network must be built of these examples together, with equal neurons merged.
pub fn alike(dataset: &Dataset, network: &Network, examples: &[usize]) -> Vec<IndistinctQueries> {
    let mut groups: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    let queries = examples
        .iter()
        .flat_map(|&example| (0..dataset.queries[example].len()).map(move |query| (example, query)));
    for (number, query) in queries.enumerate().take(network.output_count()) {
        if let Some(neuron) = network.answering(number) {
            groups.entry(neuron).or_default().push(query);
        }
    }
    let group = |queries: Vec<(usize, usize)>| {
        let target = |&(example, query): &(usize, usize)| dataset.queries[example][query].target.as_ref();
        let mut targets = queries.iter().filter_map(target);
        let first = targets.next();
        let is_conflict = targets.any(|target| Some(target) != first);
        IndistinctQueries { queries, is_conflict }
    };
    let mut all: Vec<IndistinctQueries> =
        groups.into_values().filter(|group| group.len() > 1).map(group).collect();
    all.sort_by_key(|group| group.queries[0]);
    all
}
