//! The fast network beside the reference: it must not panic, and give the same values.

use lrnn::Template;
use lrnn::data::Example;
use lrnn::ground::Grounding;
use lrnn::network::{
    BuildOptions, NetworkBuilder, Networks, Reference, Schedule, Values, Weights, Workspace,
};
use lrnn::vocabulary::{PredicateId, Vocabulary};

/// Computes every atom of an example in every way a network can be built, forwards and backwards, and compares.
pub fn check(
    template: &Template,
    vocabulary: &Vocabulary,
    example: &Example,
    grounding: &Grounding,
    (network, values): (&Reference, &Values<f64>),
) {
    let Ok(schedule) = Schedule::new(template) else { return };
    let expected: Vec<&[f64]> = (0..grounding.relations.len())
        .flat_map(|predicate| {
            let rows = 0..grounding.relations[predicate].len() as u32;
            rows.filter_map(move |row| network.value_of(values, PredicateId(predicate as u32), row))
        })
        .map(|(numbers, _)| numbers)
        .collect();
    for (prune, merge) in [(false, false), (false, true), (true, true)] {
        let mut builder = NetworkBuilder::new(template, &schedule, BuildOptions { prune, merge });
        builder.add_whole(example, grounding);
        let networks = Networks::bind(template, vec![builder.finish()]);
        let parameters = networks.parameters.values::<f64>(template, vocabulary, &Weights::new(1));
        let mut space = Workspace::default();
        for network in &networks.networks {
            network.forward(&schedule, &parameters, &mut space);
            assert_eq!(network.output_count(), expected.len());
            for (query, expected) in expected.iter().enumerate() {
                let found = space.output(network, query).unwrap_or_default();
                let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
                let same = found.len() == expected.len() && found.iter().zip(*expected).all(near);
                assert!(same, "{found:?} for {expected:?}, prune {prune}, merge {merge}");
            }
            let mut gradient = vec![0.0; parameters.len()];
            let seed = |_: usize, _: &[f64], seed: &mut [f64]| seed.fill(1.0);
            network.backward(&schedule, &parameters, &mut space, seed, &mut gradient);
        }
    }
}
