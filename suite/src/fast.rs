//! The fast network as an engine, in the ways it can be built.

use lrnn::data::Query;
use lrnn::diagnostic::Span;
use lrnn::function::{Real, Shape};
use lrnn::ground::{Grounding, Limits, Plans, Statistics, for_each_grounding};
use lrnn::network::{BuildOptions, NetworkBuilder, Networks, Schedule, Workspace};
use rayon::ThreadPoolBuilder;

use crate::engine::{EngineInput, not_evaluated, not_grounded};
use crate::outcome::{EngineOutcome, EngineStop};

/// A way to build networks.
#[derive(Clone, Copy)]
pub struct BuildChoice {
    /// Only what the claims ask for; else every atom.
    pub prune: bool,
    /// Equal neurons as one.
    pub merge: bool,
    /// All examples in one network.
    pub together: bool,
}

/// Computes all examples with the fast network.
pub fn fast<R: Real>(input: &EngineInput<'_>, how: BuildChoice) -> Result<Vec<EngineOutcome>, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let schedule = Schedule::new(template).map_err(|error| not_evaluated(&error))?;
    let plans = Plans::new(template, &Statistics::of(dataset));
    let options = BuildOptions { prune: how.prune, merge: how.merge };
    let mut builders = vec![NetworkBuilder::new(template, &schedule, options)];
    let mut asked = Vec::new();
    let groundings =
        for_each_grounding(template, dataset, &plans, &Limits::default(), |_, grounding| grounding.clone())
            .map_err(|failed| not_grounded(input, &failed.error))?;
    for (number, (example, grounding)) in dataset.examples.iter().zip(groundings).enumerate() {
        let queries = queries(input, number, &grounding, how.prune);
        if number > 0 && !how.together {
            builders.push(NetworkBuilder::new(template, &schedule, options));
        }
        builders.iter_mut().skip(if how.together { 0 } else { number }).for_each(|builder| {
            builder.add(example, &grounding, &queries);
        });
        asked.extend(queries.into_iter().map(|query| (number, query)));
    }
    let networks = Networks::bind(template, builders.into_iter().map(NetworkBuilder::finish).collect());
    let values = all_values::<R>(input, &schedule, &networks)?;
    let mut outcomes: Vec<EngineOutcome> =
        dataset.examples.iter().map(|_| EngineOutcome::default()).collect();
    for ((example, query), value) in asked.iter().zip(values) {
        let atom = input.names.atom(&dataset.vocabulary, query.predicate, &query.terms);
        let shape = template.predicates[query.predicate.index()].shape.unwrap_or(Shape::NUMBER);
        outcomes[*example].value(atom, (&value, shape));
    }
    Ok(outcomes)
}

/// Computes all examples on one thread and on three, which must give the same bits.
pub fn on_threads(input: &EngineInput<'_>, how: BuildChoice) -> Result<Vec<EngineOutcome>, EngineStop> {
    let [one, three] = [1, 3].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| EngineStop { code: "threads", message: error.to_string() })?;
        pool.install(|| fast::<f64>(input, how))
    });
    let (one, three) = (one?, three?);
    let bits = |outcomes: &[EngineOutcome]| -> Vec<u64> {
        let values = outcomes.iter().flat_map(|outcome| outcome.values.values());
        values.flat_map(|(numbers, _)| numbers.iter().map(|number| number.to_bits())).collect()
    };
    match bits(&one) == bits(&three) {
        true => Ok(three),
        false => {
            Err(EngineStop { code: "threads", message: "other bits on three threads than on one".into() })
        }
    }
}

/// Returns every atom of the model, or only those that claims speak of, if they speak of any.
fn queries(input: &EngineInput<'_>, example: usize, grounding: &Grounding, prune: bool) -> Vec<Query> {
    let vocabulary = &input.ready.dataset.vocabulary;
    let asked = &input.asked[example];
    let all = !prune || asked.is_empty();
    let mut queries = Vec::new();
    for (predicate, _) in vocabulary.predicates() {
        for terms in grounding.relations[predicate.index()].rows() {
            if all || asked.contains(&input.names.atom(vocabulary, predicate, terms)) {
                let (terms, target, span) = (terms.to_vec(), None, Span::default());
                queries.push(Query { predicate, terms, target, weight: 1.0, span });
            }
        }
    }
    queries
}

/// Returns the values of all queries, network after network.
fn all_values<R: Real>(
    input: &EngineInput<'_>,
    schedule: &Schedule,
    networks: &Networks,
) -> Result<Vec<Vec<R>>, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let parameters = networks.parameters.values::<R>(template, &dataset.vocabulary, &input.ready.weights);
    let mut space = Workspace::default();
    let mut values = Vec::new();
    for network in &networks.networks {
        network.forward(schedule, &parameters, &mut space);
        if space.unsettled(network).is_some() {
            return Err(EngineStop { code: "N0103", message: "a cycle does not settle".into() });
        }
        if !space.is_finite() {
            return Err(EngineStop { code: "not finite", message: "a value is not a finite number".into() });
        }
        let outputs = (0..network.output_count()).map(|query| space.output(network, query));
        values.extend(outputs.map(|output| output.unwrap_or_default().to_vec()));
    }
    Ok(values)
}
