//! Learning against the reference network, and what must not change it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::data::{Dataset, DatasetBuilder, Layout};
use crate::diagnostic::SourceId;
use crate::ground::{Limits, Plans, Statistics, fit, ground};
use crate::network::{BuildOptions, Networks, Reference, Schedule, Weights};
use crate::template::Template;

const TEMPLATE: &str = "group(1..2).
    w[T, G] :: in(A, G) :- element(A, T), *group(G).
    c[G1, G2] :: toxic :- in(A, G1), bond(A, B), in(B, G2).
    <0.3> :: toxic :- element(A, o).";

/// Molecules of a few atoms in a row, toxic where an o follows a c.
fn data(count: usize) -> String {
    let kinds = ["c", "o", "n"];
    let example = |number: usize| {
        let atoms: Vec<usize> = (0..4).map(|at| (number * 7 + at * at * 3 + number * at) % 3).collect();
        let elements = atoms.iter().enumerate().map(|(at, &kind)| format!("element(a{at}, {})", kinds[kind]));
        let bonds = (1..4).map(|at| format!("bond(a{}, a{at})", at - 1));
        let facts: Vec<String> = elements.chain(bonds).collect();
        let toxic = atoms.windows(2).any(|pair| pair == [0, 1]);
        format!("{}.0 toxic :- {}.\n", u8::from(toxic), facts.join(", "))
    };
    (0..count).map(example).collect()
}

struct Case {
    template: Template,
    dataset: Dataset,
}

impl Case {
    fn new(text: &str, data: &str) -> Self {
        let template = Template::parse(text).expect("a template");
        let mut builder = DatasetBuilder::new(template.vocabulary.clone());
        builder.examples(data, SourceId(0), Layout::Examples);
        let dataset = builder.finish().expect("data");
        let template = fit(&template, &dataset, false).0.expect("a template that fits");
        Self { template, dataset }
    }

    fn problem(&self, settings: &Settings, split: &Split) -> Problem {
        let plans = Plans::new(&self.template, &Statistics::of(&self.dataset));
        let schedule = Schedule::new(&self.template).expect("a schedule");
        let arrangement = Arrangement::new(&split.training, &split.validation, settings);
        let (limits, options) = (Limits::default(), BuildOptions::default());
        let (template, dataset) = (&self.template, &self.dataset);
        let networks = Networks::build_chunks(
            template,
            &schedule,
            dataset,
            &plans,
            &limits,
            options,
            &arrangement.chunks,
        );
        let networks = networks.expect("networks");
        let problem = Problem::new(template, schedule, dataset, networks, &arrangement, settings);
        problem.find_last_layer(settings).expect("a last layer where one is asked for");
        problem
    }

    fn all(&self) -> Split {
        Split { training: (0..self.dataset.examples.len()).collect(), ..Split::default() }
    }

    /// The state at the end, with rounds of so many epochs.
    fn learn(&self, settings: &Settings, split: &Split, round: u32, observer: &dyn Observer) -> State<f64> {
        let problem = self.problem(settings, split);
        let learner = Learner::new(&problem, settings);
        let mut state = learner.start(&self.template, &self.dataset.vocabulary, &Weights::new(0));
        while !state.is_finished() {
            learner.advance(&mut state, round, observer);
        }
        state
    }
}

fn settings(given: &[(&str, &str)]) -> Settings {
    let mut settings = Settings { epochs: 20, seed: 3, ..Settings::default() };
    given.iter().for_each(|(name, text)| settings.set(name, text).expect("a setting"));
    settings
}

/// Remembers the running losses.
#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl Observer for Losses {
    fn epoch(&self, epoch: &Epoch) {
        self.0.lock().expect("nobody failed").push(epoch.running.loss);
    }
}

#[test]
fn fifty_steps_are_those_of_the_reference_network() {
    for family in ["max_sigmoid", "avg_sigmoid"] {
        let text = format!(":- family({family}).\n{TEMPLATE}");
        let case = Case::new(&text, &data(10));
        let settings = settings(&[
            ("initialisation", "uniform"),
            ("optimizer", "sgd"),
            ("learning_rate", "0.3"),
            ("epochs", "5"),
            ("loss", "squared"),
        ]);
        let state = case.learn(&settings, &case.all(), 1, &NoObserver);
        let problem = case.problem(&settings, &case.all());
        let arrangement = Arrangement::new(&case.all().training, &[], &settings);
        let weights = by_reference(&case, &problem, &arrangement, 5);
        let found = &state.restarts[0].parameters;
        let expected: Vec<f64> =
            problem.networks().parameters.values(&case.template, &case.dataset.vocabulary, &weights);
        assert_eq!(state.restarts[0].steps, 50);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-9, "{family}: {found} {expected}");
        }
        assert!(found.iter().any(|weight| weight.abs() > 0.01));
    }
}

/// Gradient descent by the reference network, one example after the other in the learner's order.
fn by_reference(case: &Case, problem: &Problem, arrangement: &Arrangement, epochs: u64) -> Weights {
    let Case { template, dataset } = case;
    let plans = Plans::new(template, &Statistics::of(dataset));
    let mut weights = Weights::new(3);
    for epoch in 0..epochs {
        for batch in shuffled(arrangement.batches.len(), &[3, 3, epoch]) {
            let example = arrangement.chunks[batch][0];
            let facts = &dataset.examples[example];
            let grounding = ground(template, &plans, &dataset.vocabulary, facts, &Limits::default());
            let grounding = grounding.expect("a grounding");
            let network =
                Reference::build(template, &dataset.vocabulary, facts, &grounding).expect("a network");
            let values = network.evaluate::<f64>(template, &dataset.vocabulary, &weights).expect("values");
            let query = &dataset.queries[example][0];
            let row = grounding.relations[query.predicate.index()].find(&query.terms).expect("an atom");
            let id = network.atom(query.predicate, row).expect("a neuron");
            let seed = values.atoms.of(id).0[0] - query.target.as_ref().expect("a target")[0];
            let seeds = [(id, vec![seed])];
            let gradient =
                network.gradient(template, &dataset.vocabulary, &weights, &seeds).expect("a gradient");
            for ((weight, index), _) in problem.networks().parameters.iter() {
                let Some(slope) = gradient.get(&(*weight, index.clone())) else { continue };
                if !template.weight(*weight).fixed {
                    let now = weights.value(template, &dataset.vocabulary, *weight, index);
                    weights.set(*weight, index, vec![now[0] - 0.3 * slope[0]]);
                }
            }
        }
    }
    weights
}

#[test]
fn every_optimizer_and_loss_learns() {
    let case = Case::new(&format!(":- family(max_sigmoid).\n{TEMPLATE}"), &data(30));
    for &optimizer in Optimizer::ALL {
        // The last layer is solved under a loss that is curved everywhere.
        for loss in if optimizer == Optimizer::Newton {
            &["cross-entropy"][..]
        } else {
            &["squared", "cross-entropy"]
        } {
            let given = [
                ("optimizer", optimizer.name()),
                ("loss", loss),
                ("learning_rate", "0.05"),
                ("epochs", "40"),
            ];
            let settings = settings(&given);
            let problem = case.problem(&settings, &case.all());
            let learner = Learner::new(&problem, &settings);
            let mut state = learner.start::<f32>(&case.template, &case.dataset.vocabulary, &Weights::new(0));
            let first = problem.training(&state.restarts[0].parameters).loss;
            learner.advance(&mut state, 40, &NoObserver);
            let last = problem.training(state.best().weights()).loss;
            assert!(last < 0.9 * first, "{optimizer} {loss}: {first} {last}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let case = Case::new(TEMPLATE, &data(40));
    for given in [
        &[("batch_size", "8"), ("restarts", "3")][..],
        &[("optimizer", "lbfgs"), ("learning_rate", "1")],
        &[("optimizer", "newton"), ("l2", "1e-4"), ("restarts", "2")],
        &[("batch_size", "0"), ("l2", "0.01"), ("gradient_clip", "0.1"), ("class_balance", "true")],
    ] {
        let settings = settings(given);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| case.learn(&settings, &case.all(), 7, &NoObserver))
        };
        let one = on(1);
        assert!([2, 7].iter().all(|&threads| on(threads) == one));
    }
}

#[test]
fn watching_and_validating_change_no_weight() {
    let case = Case::new(TEMPLATE, &data(40));
    let training: Vec<usize> = (0..30).collect();
    let with = Split { training: training.clone(), validation: (30..40).collect(), test: Vec::new() };
    let without = Split { training, ..Split::default() };
    let settings = settings(&[("restarts", "2")]);
    let names = |split: &Split, state: &State<f64>| {
        let problem = case.problem(&settings, split);
        let parameters = &problem.networks().parameters;
        let restarts = state.restarts.iter().map(|restart| {
            parameters.iter().map(|(key, range)| (key.clone(), restart.weights()[range].to_vec())).collect()
        });
        restarts.collect::<Vec<BTreeMap<_, _>>>()
    };
    let (alone, watched) = (
        case.learn(&settings, &without, 20, &NoObserver),
        case.learn(&settings, &with, 3, &Losses::default()),
    );
    let (alone, watched) = (names(&without, &alone), names(&with, &watched));
    for (alone, watched) in alone.iter().zip(&watched) {
        assert!(alone.iter().all(|(key, numbers)| watched.get(key) == Some(numbers)));
    }
}

#[test]
fn a_state_that_was_put_away_goes_on_as_if_it_had_not() {
    let case = Case::new(TEMPLATE, &data(20));
    for optimizer in ["adam", "lbfgs", "sgd", "newton"] {
        let settings = settings(&[("optimizer", optimizer), ("restarts", "2"), ("learning_rate", "0.1")]);
        let whole = case.learn(&settings, &case.all(), 20, &NoObserver);
        let problem = case.problem(&settings, &case.all());
        let learner = Learner::new(&problem, &settings);
        let mut state = learner.start(&case.template, &case.dataset.vocabulary, &Weights::new(0));
        while !state.is_finished() {
            let texts = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
            let bytes = state.to_bytes("0.1.0", &texts).expect("bytes");
            let (read, found) = State::from_bytes(&bytes).expect("a state");
            assert_eq!((&read, &found), (&state, &texts));
            state = read;
            learner.advance(&mut state, 3, &NoObserver);
        }
        assert_eq!(state, whole);
    }
}

#[test]
fn patience_keeps_the_best_and_until_is_enough() {
    let case = Case::new(TEMPLATE, &data(40));
    let split = Split { training: (0..20).collect(), validation: (20..40).collect(), test: Vec::new() };
    let patient =
        settings(&[("patience", "10"), ("epochs", "2000"), ("evaluate", "1"), ("learning_rate", "0.3")]);
    let state = case.learn(&patient, &split, 50, &NoObserver);
    let best = state.restarts[0].best.as_ref().expect("a best");
    assert_eq!(state.restarts[0].end, Some(End::Patience));
    assert_eq!(state.restarts[0].epoch - best.epoch, 10);
    let problem = case.problem(&patient, &split);
    assert_eq!(problem.validation(state.best().weights()).expect("validation").loss, best.loss);

    let easy = settings(&[("target_loss", "0.6"), ("restarts", "4"), ("evaluate", "1"), ("epochs", "500")]);
    let state = case.learn(&easy, &split, 50, &NoObserver);
    assert_eq!(state.best().end, Some(End::Until));
}

#[test]
fn trouble_is_told_and_the_weights_before_it_kept() {
    let text = ":- family(neuralogic).\n:- rule_activation(square).\n:- atom_activation(identity).\nw = 1.0 :: p :- v = 2.0 :: q(X).";
    let case = Case::new(text, "1 p :- 3 q(a).\n0 p :- 1 q(b).\n");
    let state = case.learn(
        &settings(&[("optimizer", "sgd"), ("learning_rate", "1e30"), ("loss", "squared")]),
        &case.all(),
        20,
        &NoObserver,
    );
    let (restart, trouble) = state.troubles().next().expect("trouble");
    assert!(trouble.epoch >= 1 && restart.parameters.iter().all(|weight| weight.is_finite()));
}

#[test]
fn fixed_and_frozen_weights_stay() {
    let case = Case::new(TEMPLATE, &data(20));
    for optimizer in ["adamw", "lbfgs", "newton"] {
        let given = [("freeze", "w"), ("l2", "0.1"), ("optimizer", optimizer)];
        let settings = settings(&given);
        let problem = case.problem(&settings, &case.all());
        let start: Vec<f64> =
            problem.networks().parameters.values(&case.template, &case.dataset.vocabulary, &Weights::new(3));
        let state = case.learn(&settings, &case.all(), 20, &NoObserver);
        for ((weight, _), range) in problem.networks().parameters.iter() {
            let declared = case.template.weight(*weight);
            let stays = declared.fixed || declared.name.as_deref() == Some("w");
            let moved = start[range.clone()] != state.restarts[0].parameters[range];
            assert_eq!(moved, !stays, "{optimizer} {:?}", declared.name);
        }
    }
}

#[test]
fn settings_are_read_and_written_by_name() {
    let default = Settings::default();
    for setting in Settings::TABLE {
        let mut again = Settings::default();
        let text = (setting.get)(&default);
        assert_eq!(again.set(&setting.name.replace('_', "-"), &text), Ok(()), "{}", setting.name);
        assert_eq!(again, default);
        for alias in setting.aliases {
            assert_eq!(Settings::find(alias).map(|found| found.name), Some(setting.name), "{alias}");
        }
        for value in (setting.values)() {
            assert_eq!((setting.set)(&mut again, value), Ok(()), "{} {value}", setting.name);
        }
        assert!(setting.about.ends_with('.'), "{}", setting.name);
    }
    let mut settings = Settings::default();
    for (old, new) in
        [("rate", "learning_rate"), ("start-scale", "initialisation_scale"), ("batch", "batch_size")]
    {
        assert_eq!(settings.set(old, "7"), Ok(()), "{old}");
        assert_eq!(
            Settings::find(new).map(|setting| (setting.get)(&settings).parse()),
            Some(Ok(7.0)),
            "{new}"
        );
    }
    assert_eq!(settings.set("rates", "1"), Err(SettingError::Unknown("rates".into())));
    for (name, text) in [
        ("learning_rate", "-1"),
        ("learning_rate", "nan"),
        ("epochs", "1.5"),
        ("restarts", "0"),
        ("loss", "x"),
    ] {
        assert!(matches!(settings.set(name, text), Err(SettingError::Value(..))), "{name} {text}");
    }
}

#[test]
fn answers_have_the_loss_of_the_problem() {
    let case = Case::new(TEMPLATE, &data(40));
    let split = Split { training: (0..30).collect(), validation: (30..40).collect(), test: Vec::new() };
    for loss in Loss::ALL {
        let settings = settings(&[("loss", loss.name()), ("batch_size", "7")]);
        let problem = case.problem(&settings, &split);
        let parameters: Vec<f64> =
            problem.networks().parameters.values(&case.template, &case.dataset.vocabulary, &Weights::new(3));
        let check = |measure: Measure, answered: Vec<ExampleAnswers>, examples: std::ops::Range<usize>| {
            let found = Measure::of(problem.loss(), &answered);
            assert!((found.loss - measure.loss).abs() < 1e-12, "{loss}: {found:?} {measure:?}");
            assert_eq!((found.wrong, found.answers), (measure.wrong, measure.answers), "{loss}");
            assert!(answered.iter().map(|answered| answered.example).eq(examples));
        };
        check(problem.training(&parameters), problem.training_answers(&[&parameters[..]]), 0..30);
        let validation = problem.validation(&parameters).expect("validation");
        check(validation, problem.validation_answers(&[&parameters[..]]), 30..40);
    }
}

#[test]
fn the_weights_of_examples_reach_the_learner() {
    let mut case = Case::new(TEMPLATE, &data(9));
    case.dataset.weights = (0..9).map(f64::from).collect();
    let view = Cases::Examples.view(&case.dataset, &[0, 1, 2], &[3], false);
    assert_eq!(view.targets.weights, case.dataset.weights);
}

#[test]
fn an_example_of_weight_two_counts_as_two() {
    let lines: Vec<String> = data(9).lines().map(|line| format!("{line}\n")).collect();
    let mut weighted = Case::new(TEMPLATE, &lines.concat());
    weighted.dataset.weights = (0..9).map(|example| f64::from(example % 3)).collect();
    let copies = |(at, line): (usize, &String)| line.repeat(at % 3);
    let repeated = Case::new(TEMPLATE, &lines.iter().enumerate().map(copies).collect::<String>());
    for balanced in ["false", "true"] {
        let settings = settings(&[("batch_size", "0"), ("class_balance", balanced), ("optimizer", "sgd")]);
        let learn = |case: &Case| {
            let state = case.learn(&settings, &case.all(), 5, &NoObserver);
            let problem = case.problem(&settings, &case.all());
            let parameters = &problem.networks().parameters;
            let name = |id, index: &[_]| {
                let texts = index.iter().map(|&c| case.dataset.vocabulary.constant(c).to_string());
                (id, texts.collect::<Vec<_>>())
            };
            let numbers = &state.restarts[0].parameters;
            let all = parameters.iter().map(|((id, index), range)| (name(*id, index), numbers[range][0]));
            all.collect::<BTreeMap<_, f64>>()
        };
        let (left, right) = (learn(&weighted), learn(&repeated));
        for (key, number) in &right {
            assert!((left[key] - number).abs() < 1e-12, "{balanced} {key:?}: {} {number}", left[key]);
        }
    }
}

/// The fewest wrong answers of a template on data.
fn check_least_wrong(template: &str, data: &str, loss: Loss, expected: Option<u32>) {
    let case = Case::new(template, data);
    let plans = Plans::new(&case.template, &Statistics::of(&case.dataset));
    let schedule = Schedule::new(&case.template).expect("a schedule");
    let (limits, options) = (Limits::default(), BuildOptions::default());
    let (template, all) = (&case.template, [(0..case.dataset.examples.len()).collect::<Vec<usize>>()]);
    let networks = Networks::build_chunks(template, &schedule, &case.dataset, &plans, &limits, options, &all);
    let networks = networks.expect("networks");
    let all = case.all().training;
    let unentailed = Unentailed::Value(0.0);
    let found = least_wrong(&case.template, &case.dataset, &networks.networks[0], &all, loss, unentailed);
    assert_eq!(found, expected, "{data}");
}

#[test]
fn what_looks_alike_cannot_be_told_apart() {
    let template = "w[T] :: toxic :- element(A, T).";
    let alike = "1 toxic :- element(a, c), element(b, o). 1 toxic :- element(x, o), element(y, c).
        0 toxic :- element(u, c), element(v, o). 0 toxic :- element(a, c).";
    check_least_wrong(template, alike, Loss::Squared, Some(1));
    check_least_wrong(template, alike, Loss::Ranking, None);
    let apart = "1 toxic :- element(a, c). 0 toxic :- element(a, o).";
    check_least_wrong(template, apart, Loss::Squared, Some(0));
    // Outside the model a query is 0, so its target 1 is out of reach.
    let outside = "1 toxic :- element(a, c). 1 toxic :- bond(a, b). 0 toxic :- bond(a, b).";
    check_least_wrong(template, outside, Loss::Squared, Some(1));
    let classes = "w[T] :: is(1) :- element(A, T). v[T] :: is(2) :- element(A, T).";
    let one = "1 is(1), 0 is(2) :- element(a, c). 0 is(1), 1 is(2) :- element(b, c).";
    check_least_wrong(classes, one, Loss::Softmax, Some(1));
}

#[test]
fn weights_of_large_sums_begin_small() {
    let case = Case::new(TEMPLATE, &data(10));
    let settings =
        settings(&[("initialisation", "fan-in"), ("initialisation_scale", "3"), ("restarts", "50")]);
    let problem = case.problem(&settings, &case.all());
    let state = Learner::new(&problem, &settings).start::<f64>(
        &case.template,
        &case.dataset.vocabulary,
        &Weights::new(0),
    );
    // Four chains and a fact-like rule enter `toxic`, one weight enters each `in`.
    for ((weight, _), range) in problem.networks().parameters.iter() {
        let name = case.template.weight(*weight).name.as_deref();
        let most = match name {
            Some("c") => 3.0 / 5f64.sqrt(),
            Some("w") => 3.0,
            _ => continue,
        };
        let numbers = state.restarts.iter().map(|restart| restart.parameters[range.start].abs());
        let largest = numbers.fold(0.0, f64::max);
        assert!(largest <= most && largest > 0.8 * most, "{name:?}: {largest} {most}");
    }
}

#[test]
fn the_best_weights_are_those_with_the_least_loss_and_penalty() {
    let case = Case::new("w = 5 :: toxic :- element(A, T).", &data(10));
    let steps = [("optimizer", "sgd"), ("learning_rate", "0.05"), ("epochs", "30")];
    let given = [steps.as_slice(), &[("l2", "10"), ("evaluate", "1")]].concat();
    let state = case.learn(&settings(&given), &case.all(), 100, &NoObserver);
    assert!(state.best().best.as_ref().is_some_and(|best| best.epoch > 1), "{:?}", state.best().best);
}

#[test]
fn the_gradient_under_dropout_is_the_slope() {
    let case = Case::new(TEMPLATE, &data(8));
    let settings = settings(&[("batch_size", "0"), ("initialisation", "uniform"), ("loss", "squared")]);
    let problem = case.problem(&settings, &case.all());
    let dropout = dropout::Dropout::new(0.4, &[7]);
    let at = |numbers: &[f64]| {
        let mut numbers = numbers.to_vec();
        dropout.apply(&problem.learnable, &mut numbers);
        numbers
    };
    let state = Learner::new(&problem, &settings).start::<f64>(
        &case.template,
        &case.dataset.vocabulary,
        &Weights::new(0),
    );
    let numbers = &state.restarts[0].parameters;
    let mut bench = problem::Bench::default();
    bench.gradient.resize(numbers.len(), 0.0);
    for network in 0..problem.networks().networks.len() {
        problem.learn_from(problem.counted(network), &at(numbers), 1.0 / problem.masses[0], &mut bench);
    }
    dropout.apply(&problem.learnable, &mut bench.gradient);
    let mut out = 0;
    for number in problem.learnable.iter().cloned().flatten() {
        let moved = |by: f64| {
            let mut numbers = numbers.clone();
            numbers[number] += by;
            problem.training(&at(&numbers)).loss
        };
        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!((slope - bench.gradient[number]).abs() < 1e-8, "{number}: {slope}");
        out += u32::from(bench.gradient[number] == 0.0);
    }
    assert!(out > 0, "some are left out");
}

#[test]
fn dropout_changes_the_steps_and_threads_do_not_change_it() {
    let case = Case::new(TEMPLATE, &data(12));
    let with = |dropout: &str| settings(&[("optimizer", "adam"), ("batch_size", "4"), ("dropout", dropout)]);
    let learn = |dropout: &str, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| case.learn(&with(dropout), &case.all(), 3, &NoObserver)).restarts[0]
            .parameters
            .clone()
    };
    let dropped = learn("0.3", 1);
    assert_eq!(dropped, learn("0.3", 2));
    assert_ne!(dropped, learn("0", 1));
}

#[test]
fn a_query_of_weight_two_counts_as_two() {
    let text = "w :: p(X) :- q(X). v :: p(X) :- r(X).";
    let facts = "q(a), r(b), 0.4 q(c), 0.7 r(c)";
    let learned = |text_of_data: &str, weights: &[f64]| {
        let mut case = Case::new(text, text_of_data);
        let queries = case.dataset.queries[0].iter_mut().zip(weights);
        queries.for_each(|(query, &weight)| query.weight = weight);
        // The range of fan-in looks at the queries.
        let start = ("initialisation", "uniform");
        let settings =
            settings(&[start, ("optimizer", "sgd"), ("learning_rate", "0.5"), ("loss", "squared")]);
        case.learn(&settings, &case.all(), 5, &NoObserver).restarts[0].parameters.clone()
    };
    let weighed = learned(&format!("1 p(a), 0 p(b), 1 p(c) :- {facts}."), &[2.0, 1.0, 0.0]);
    let repeated = learned(&format!("1 p(a), 0 p(b), 1 p(a) :- {facts}."), &[]);
    for (weighed, repeated) in weighed.iter().zip(&repeated) {
        assert!((weighed - repeated).abs() < 1e-12, "{weighed} {repeated}");
    }
    assert_ne!(repeated, learned(&format!("1 p(a), 0 p(b), 1 p(c) :- {facts}."), &[]));
}

#[test]
fn the_loss_suits_family_and_targets() {
    let loss = |family: &str, targets: [&str; 2]| {
        let data = format!("{} p :- q(a). {} p :- r(a).", targets[0], targets[1]);
        let case = Case::new(&format!(":- family({family}). w :: p :- q(X). v :: p :- r(X)."), &data);
        case.problem(&Settings::default(), &case.all()).loss()
    };
    let (classes, shares, numbers) = (["1", "0"], ["1", "0.3"], ["1", "7"]);
    let check = |family: &str, of_classes: Loss, of_shares: Loss| {
        assert_eq!((loss(family, classes), loss(family, shares)), (of_classes, of_shares), "{family}");
        assert_eq!(loss(family, numbers), Loss::Squared, "{family}");
    };
    check("max_sigmoid", Loss::CrossEntropy, Loss::CrossEntropy);
    check("avg_sigmoid", Loss::Logits, Loss::Logits);
    for truth in ["godel", "lukasiewicz", "neuralogic"] {
        check(truth, Loss::SquaredHinge, Loss::Squared);
    }
}

#[test]
fn conjunctions_of_many_inputs_are_learned_in_bounds() {
    let template =
        ":- family(lukasiewicz). _ :: p :- in(A), in(B), in(C), in(D), in(E), A < B, B < C, C < D, D < E.
        s[S] :: in(X) :- state(X, S).";
    let example = |target: u8, states: &str| {
        let states = states.chars().zip("abcde".chars());
        let facts: Vec<String> = states.map(|(state, name)| format!("state({name}, {state})")).collect();
        format!("{target} p :- {}.\n", facts.join(", "))
    };
    let data = [example(1, "iiiii"), example(0, "iiiiw"), example(0, "wiwii"), example(1, "iiiii")].concat();
    let case = Case::new(template, &data);
    let settings = Settings::default().chosen(&case.template, &case.dataset);
    let state = case.learn(&settings, &case.all(), 300, &NoObserver);
    assert_eq!(case.problem(&settings, &case.all()).training(state.best().weights()).wrong, 0);
}

/// Templates whose last layers are of all kinds, each with a loss and with what stands for the query of [`data`].
const LAST_LAYERS: [(&str, &str, [&str; 2]); 4] = [
    (TEMPLATE, "cross-entropy", ["0 toxic", "1 toxic"]),
    (
        ":- family(neuralogic).
        h[T] = {3} :: h(X) :- element(X, T).
        toxic/0 [activation = identity].
        {1, 3} :: toxic :- h(X), bond(X, Y).
        {1, 3} :: toxic :- h(Y), bond(X, Y), not element(X, o). [aggregation = sum]
        w :: toxic :- element(X, c). [aggregation = count]
        0.5 toxic.",
        "logits",
        ["0 toxic", "1 toxic"],
    ),
    (
        ":- family(avg_sigmoid).
        toxic/1 [activation = identity].
        h[T] :: h(X) :- element(X, T).
        class(a). class(b). class(c).
        w[K] :: toxic(K) :- h(X), bond(X, Y), *class(K).
        v[K, T] :: toxic(K) :- element(X, T), *class(K).
        0.3 :: toxic(b) :- element(X, o).",
        "softmax",
        ["1 toxic(a), 0 toxic(b), 0 toxic(c)", "0 toxic(a), 0 toxic(b), 1 toxic(c)"],
    ),
    (
        ":- family(neuralogic).
        toxic/0 [activation = identity].
        {2} :: toxic :- element(X, o).
        h[T] = {2} :: h(X) :- element(X, T).
        w :: toxic :- h(X).
        {2} :: toxic :- h(X), bond(X, Y).
        {2, 2} :: toxic :- h(Y), bond(X, Y).",
        "squared",
        ["[0.5, -2] toxic", "[1, 3] toxic"],
    ),
];

fn last_layers() -> impl Iterator<Item = (Case, Settings)> {
    LAST_LAYERS.iter().map(|(text, loss, [no, yes])| {
        let data = data(25).replace("0.0 toxic", no).replace("1.0 toxic", yes);
        let given = [("optimizer", "newton"), ("loss", loss), ("l2", "1e-3"), ("learning_rate", "0.05")];
        (Case::new(text, &data), settings(&given))
    })
}

#[test]
fn the_last_layer_has_no_slope_after_a_step_and_the_rest_learns() {
    for (case, settings) in last_layers() {
        let problem = case.problem(&settings, &case.all());
        let learner = Learner::new(&problem, &settings);
        let mut state = learner.start::<f64>(&case.template, &case.dataset.vocabulary, &Weights::new(0));
        let places = problem.last_layer_places();
        assert!(
            !places.is_empty() && places.len() < problem.learnable(),
            "{}",
            settings.loss.expect("a loss")
        );
        let mut losses = Vec::new();
        for _ in 0..3 {
            learner.advance(&mut state, 5, &NoObserver);
            let parameters = &state.restarts[0].parameters;
            let whole = |parameters: &[f64]| {
                let squares: f64 = problem
                    .learnable
                    .iter()
                    .flat_map(|range| &parameters[range.clone()])
                    .map(|weight| weight * weight)
                    .sum();
                problem.training(parameters).loss + 0.5 * settings.l2 * squares
            };
            losses.push(whole(parameters));
            // Finite differences of all that is made small.
            for &place in places {
                let moved = |by: f64| {
                    let mut parameters = parameters.clone();
                    parameters[place as usize] += by;
                    whole(&parameters)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!(slope.abs() < 1e-3, "{:?} {place}: {slope}", settings.loss);
            }
        }
        assert!(losses.is_sorted_by(|a, b| a > b), "{:?} {losses:?}", settings.loss);
    }
}

#[test]
fn sums_of_the_last_layer_are_the_values() {
    for (case, settings) in last_layers() {
        let problem = case.problem(&settings, &case.all());
        let networks = problem.networks();
        let start: Vec<f64> =
            networks.parameters.values(&case.template, &case.dataset.vocabulary, &Weights::new(5));
        for network in &networks.networks {
            let mut space = crate::network::Workspace::default();
            network.forward(&problem.schedule, &start, &mut space);
            let layer = network.last_layer(&problem.schedule, &space).expect("sums");
            for (query, answer) in layer.into_iter().enumerate() {
                let answer = answer.expect("every query is in the model");
                let value = |sum: &crate::network::AnswerSum| {
                    sum.terms.iter().fold(sum.constant, |all, term| all + start[term.0 as usize] * term.1)
                };
                let mut values: Vec<f64> = answer.sums.iter().map(value).collect();
                answer.activation.apply(&mut values);
                let output = space.output(network, query).expect("a value");
                let is_same = values.iter().zip(output).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(is_same && values.len() == output.len(), "{values:?} {output:?}");
            }
        }
    }
}

#[test]
fn curvatures_are_how_slopes_change() {
    let (values, direction) = ([0.3, -0.7, 1.1, 0.2], [0.5, 1.0, -0.25, 2.0]);
    let (targets, weights) = ([1.0, 0.0, 0.0, 1.0], [1.0, 0.5, 2.0, 3.0]);
    for loss in [Loss::Logits, Loss::Squared, Loss::Softmax] {
        for sizes in [&[1, 1, 1, 1][..], &[2, 2]] {
            for weights in [&[][..], &weights[..sizes.len()]] {
                let slopes = |by: f64| {
                    let values: Vec<f64> =
                        values.iter().zip(direction).map(|(value, along)| value + by * along).collect();
                    let mut slopes = vec![0.0; values.len()];
                    let outcome = Outcome { values: &values, targets: &targets, sizes };
                    loss.apply_weighted(outcome, weights, &mut slopes);
                    slopes
                };
                let mut found = [0.0; 4];
                let outcome = Outcome { values: &values, targets: &targets, sizes };
                loss.curve_weighted(outcome, weights, &direction, &mut found);
                for ((found, more), less) in found.iter().zip(slopes(1e-5)).zip(slopes(-1e-5)) {
                    let expected = (more - less) / 2e-5;
                    assert!(
                        (found - expected).abs() < 1e-8,
                        "{loss} {sizes:?} {weights:?}: {found} {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_has_no_linear_last_layer_is_refused() {
    let refusal = |text: &str, given: &[(&str, &str)]| {
        let case = Case::new(text, &data(10));
        let settings = settings(&[&[("optimizer", "newton")], given].concat());
        let problem = case.problem(&Settings { optimizer: Optimizer::Adam, ..settings.clone() }, &case.all());
        problem.find_last_layer(&settings).expect_err("a refusal").to_string()
    };
    assert!(refusal(TEMPLATE, &[("loss", "squared")]).contains("does not know the loss squared"));
    assert!(refusal(TEMPLATE, &[("l1", "0.1")]).contains("knows no l1"));
    let godel = format!(":- family(godel).\n{TEMPLATE}");
    assert!(refusal(&godel, &[("loss", "squared")]).contains("weighted sum"));
    let shared = "w :: h(X) :- element(X, c). w :: toxic :- h(X).";
    assert!(refusal(shared, &[]).contains("stand nowhere else"));
    let plain = ":- family(neuralogic). toxic/0 [activation = identity].
        w :: h(X) :- element(X, c). toxic :- h(X).";
    assert!(refusal(plain, &[]).contains("needs weights"));
}
