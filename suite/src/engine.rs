//! The engines: every way there is to compute what a template means. To add one, add a line to the table.

use lrnn::function::Real;
use lrnn::ground::{GroundError, Grounding, Limits, Plans, Statistics, for_each_grounding, ground, naive};
use lrnn::network::{NetworkError, Reference};

use crate::fast::{BuildChoice, fast, on_threads};
use crate::outcome::{ConstantNames, EngineOutcome, EngineStop, HerbrandModel};
use crate::reading::SuiteProgram;

/// The input of an engine.
pub struct EngineInput<'a> {
    /// Template, data and weights.
    pub ready: &'a SuiteProgram,
    /// The names of constants.
    pub names: &'a ConstantNames,
    /// The atoms whose values the file speaks of, example by example. An engine that prunes keeps these.
    pub asked: &'a [Vec<String>],
}

/// One way to compute: an outcome for each example.
pub struct Engine {
    /// Its name in messages.
    pub name: &'static str,
    /// Computes all examples.
    pub run: fn(&EngineInput<'_>) -> Result<Vec<EngineOutcome>, EngineStop>,
    /// Largest difference from the oracle, for values about 1.
    pub tolerance: f64,
}

/// All engines. The first is the oracle.
pub const ENGINES: &[Engine] = &[
    Engine { name: "naive grounder, reference network", run: oracle, tolerance: 0.0 },
    Engine { name: "planned grounder, one example at a time", run: planned::<f64>, tolerance: 1e-12 },
    Engine { name: "planned grounder, examples in parallel", run: parallel::<f64>, tolerance: 1e-12 },
    Engine { name: "planned grounder, f32", run: parallel::<f32>, tolerance: 1e-5 },
    Engine { name: "fast network, whole", run: |input| fast::<f64>(input, WHOLE), tolerance: 1e-12 },
    Engine { name: "fast network, merged", run: |input| fast::<f64>(input, MERGED), tolerance: 1e-12 },
    Engine { name: "fast network, pruned", run: |input| fast::<f64>(input, PRUNED), tolerance: 1e-12 },
    Engine {
        name: "fast network, all examples in one",
        run: |input| fast::<f64>(input, ONE),
        tolerance: 1e-12,
    },
    Engine {
        name: "fast network, one thread and three",
        run: |input| on_threads(input, PRUNED),
        tolerance: 1e-12,
    },
    Engine { name: "fast network, f32", run: |input| fast::<f32>(input, ONE), tolerance: 1e-5 },
];

const WHOLE: BuildChoice = BuildChoice { prune: false, merge: false, together: false };
const MERGED: BuildChoice = BuildChoice { merge: true, ..WHOLE };
const PRUNED: BuildChoice = BuildChoice { prune: true, ..MERGED };
const ONE: BuildChoice = BuildChoice { together: true, ..PRUNED };

fn oracle(input: &EngineInput<'_>) -> Result<Vec<EngineOutcome>, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let one = |example: usize| {
        let grounding = naive(template, &dataset.vocabulary, &dataset.examples[example]);
        reference::<f64>(input, example, &grounding)
    };
    (0..dataset.examples.len()).map(one).collect()
}

fn planned<R: Real>(input: &EngineInput<'_>) -> Result<Vec<EngineOutcome>, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let plans = Plans::new(template, &Statistics::of(dataset));
    let one = |(example, facts)| {
        let grounding = ground(template, &plans, &dataset.vocabulary, facts, &Limits::default());
        reference::<R>(input, example, &grounding.map_err(|error| not_grounded(input, &error))?)
    };
    dataset.examples.iter().enumerate().map(one).collect()
}

fn parallel<R: Real>(input: &EngineInput<'_>) -> Result<Vec<EngineOutcome>, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let plans = Plans::new(template, &Statistics::of(dataset));
    let use_it = |example, grounding: &Grounding| reference::<R>(input, example, grounding);
    let outcomes = for_each_grounding(template, dataset, &plans, &Limits::default(), use_it);
    outcomes.map_err(|failed| not_grounded(input, &failed.error))?.into_iter().collect()
}

pub(crate) fn not_grounded(input: &EngineInput<'_>, error: &GroundError) -> EngineStop {
    let code = match error {
        GroundError::Budget { .. } => "G0101",
        GroundError::Cycle { .. } => "G0102",
        GroundError::Stopped => "stopped",
    };
    EngineStop { code, message: error.message(&input.ready.dataset.vocabulary) }
}

fn reference<R: Real>(
    input: &EngineInput<'_>,
    example: usize,
    grounding: &Grounding,
) -> Result<EngineOutcome, EngineStop> {
    let (template, dataset) = (&input.ready.template, &input.ready.dataset);
    let vocabulary = &dataset.vocabulary;
    let network = Reference::build(template, vocabulary, &dataset.examples[example], grounding)
        .map_err(|error| not_evaluated(&error))?;
    let values = network
        .evaluate::<R>(template, vocabulary, &input.ready.weights)
        .map_err(|error| not_evaluated(&error))?;
    let model = HerbrandModel::of(template, vocabulary, grounding, input.names);
    let mut outcome =
        EngineOutcome { model: Some(model), neurons: Some(network.counts()), ..EngineOutcome::default() };
    for (id, _) in vocabulary.predicates() {
        let relation = &grounding.relations[id.index()];
        for row in 0..relation.len() as u32 {
            if let Some(value) = network.value_of(&values, id, row) {
                outcome.value(input.names.atom(vocabulary, id, relation.row(row)), value);
            }
        }
    }
    Ok(outcome)
}

pub(crate) fn not_evaluated(error: &NetworkError) -> EngineStop {
    let code = match error {
        NetworkError::Cycle(_) => "G0102",
        NetworkError::Index(_) => "index",
        NetworkError::Shape(_) => "shape",
        NetworkError::NotFinite(..) => "not finite",
        NetworkError::SettlingFailure(_) => "N0103",
        NetworkError::Unexplained(_) => "not explained",
    };
    EngineStop { code, message: error.to_string() }
}
