//! The fast network against the reference: values of all atoms, and gradients against central differences.

use super::*;
use crate::data::{Dataset, DatasetBuilder, Layout, Query};
use crate::diagnostic::SourceId;
use crate::function::{Activation, Aggregation, Combination, Real, Shape};
use crate::ground::{
    GroundSpace, Grounding, GroundingInRuns, Limits, Plans, Runs, Scope, SharedRows, Statistics, fit, ground,
    ground_in_runs,
};
use crate::template::Template;
use crate::vocabulary::PredicateId;

/// A template with data, ready for both networks.
pub(super) struct Case {
    text: String,
    template: Template,
    dataset: Dataset,
    groundings: Vec<Grounding>,
    in_runs: Vec<GroundingInRuns>,
}

/// `None` where the text is refused, or its ground network is cyclic or too large.
pub(super) fn case(text: &str, data: &str) -> Option<Case> {
    let template = Template::parse(text).ok()?;
    let mut builder = DatasetBuilder::new(template.vocabulary.clone());
    builder.examples(data, SourceId(0), Layout::Examples);
    let dataset = builder.finish().expect("data without mistakes");
    let template = fit(&template, &dataset, false).0?;
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let limits = Limits { per_example: 20_000, total: 100_000, ..Limits::default() };
    let groundings = dataset
        .examples
        .iter()
        .map(|example| ground(&template, &plans, &dataset.vocabulary, example, &limits));
    let groundings = groundings.collect::<Result<Vec<_>, _>>().ok()?;
    let whole = Scope::Whole;
    let in_runs = |example| {
        let space = &mut GroundSpace::default();
        ground_in_runs(&template, &plans, &dataset.vocabulary, example, &limits, whole, space).ok()
    };
    let in_runs = dataset.examples.iter().map(in_runs).collect::<Option<_>>()?;
    Some(Case { text: text.to_owned(), template, dataset, groundings, in_runs })
}

impl Case {
    /// The values of all atoms by the reference, example by example; `None` where one is not finite.
    pub(super) fn reference(&self, weights: &Weights) -> Option<Vec<Vec<f64>>> {
        let values = |(example, grounding): (usize, &Grounding)| {
            let network = Reference::build(
                &self.template,
                &self.dataset.vocabulary,
                &self.dataset.examples[example],
                grounding,
            )
            .expect("a network");
            let values = network.evaluate::<f64>(&self.template, &self.dataset.vocabulary, weights).ok()?;
            Some(network.rows().flat_map(|(_, atom)| values.atoms.of(atom).0.to_vec()).collect())
        };
        self.groundings.iter().enumerate().map(values).collect()
    }

    /// The networks of all examples, with every atom a query, or together in one.
    fn networks(&self, schedule: &Schedule, options: BuildOptions, together: bool) -> Networks {
        let mut networks = Vec::new();
        let mut builder = NetworkBuilder::new(&self.template, schedule, options);
        for (example, grounding) in self.dataset.examples.iter().zip(&self.groundings) {
            builder.add_whole(example, grounding);
            if !together {
                let done =
                    std::mem::replace(&mut builder, NetworkBuilder::new(&self.template, schedule, options));
                networks.push(done.finish());
            }
        }
        if together {
            networks.push(builder.finish());
        }
        Networks::bind(&self.template, networks)
    }

    /// Compares the networks that groundings and the same groundings in runs give, for all atoms and for some; how many
    /// runs there are, and rows of shared walks.
    fn check_runs(&self) -> (usize, usize) {
        let schedule = Schedule::new(&self.template).expect("shapes that fit");
        let mut kept = BuildSpace::default();
        for (merge, every) in [(false, 1), (true, 1), (true, 3), (true, 7)] {
            let options = BuildOptions { prune: merge, merge };
            let mut builders = [BuildSpace::default(), kept]
                .map(|space| NetworkBuilder::within(&self.template, &schedule, options, space));
            for (at, example) in self.dataset.examples.iter().enumerate() {
                let mut queries = Vec::new();
                for (predicate, relation) in self.groundings[at].relations.iter().enumerate() {
                    let predicate = PredicateId(predicate as u32);
                    let rows = relation.rows().skip(predicate.index() % every).step_by(every);
                    queries.extend(rows.map(|terms| {
                        let (target, span) = (None, Default::default());
                        Query { predicate, terms: terms.to_vec(), target, weight: 1.0, span }
                    }));
                }
                builders[0].add(example, &self.groundings[at], &queries);
                builders[1].add_runs(example, &self.in_runs[at], &queries);
            }
            let [(plain, _), (runs, space)] = builders.map(NetworkBuilder::finish_within);
            assert_eq!(format!("{plain:?}"), format!("{runs:?}"), "{}", self.text);
            kept = space;
            kept.take_back(runs);
        }
        let own = |all: &GroundingInRuns| -> usize { all.runs.own.iter().flatten().map(Runs::len).sum() };
        let shared =
            |all: &GroundingInRuns| -> usize { all.runs.shared.iter().flatten().map(SharedRows::len).sum() };
        (self.in_runs.iter().map(own).sum(), self.in_runs.iter().map(shared).sum())
    }

    /// Compares values in every variation.
    pub(super) fn check_values(&self) -> bool {
        let weights = Weights::new(7);
        let Some(expected) = self.reference(&weights) else { return false };
        let expected: Vec<f64> = expected.concat();
        let schedule = Schedule::new(&self.template).expect("shapes that fit");
        for merge in [false, true] {
            for together in [false, true] {
                let options = BuildOptions { prune: merge, merge };
                let networks = self.networks(&schedule, options, together);
                let parameters =
                    networks.parameters.values::<f64>(&self.template, &self.dataset.vocabulary, &weights);
                let mut space = Workspace::default();
                let mut found = Vec::new();
                for network in &networks.networks {
                    network.forward(&schedule, &parameters, &mut space);
                    let outputs = (0..network.output_count()).map(|query| space.output(network, query));
                    found.extend(outputs.flat_map(|output| output.expect("an atom of the model").to_vec()));
                }
                assert_eq!(found.len(), expected.len(), "{}", self.text);
                for (found, expected) in found.iter().zip(&expected) {
                    let near = (found - expected).abs() <= 1e-12 * (1.0 + expected.abs());
                    assert!(
                        near,
                        "merge {merge}, together {together}: {found} for {expected}\n{}",
                        self.text
                    );
                }
            }
        }
        true
    }

    /// Compares gradients of a random mixture of all atoms with central differences of the reference. Gives how
    /// many coordinates were smooth enough to compare.
    pub(super) fn check_gradients(&self, random: &mut Random) -> usize {
        let weights = Weights::new(7);
        let schedule = Schedule::new(&self.template).expect("shapes that fit");
        let mut compared = 0;
        let mut gradients = Vec::new();
        let mixture: Vec<f64> = (0..4000).map(|_| random.unit() - 0.5).collect();
        for merge in [false, true] {
            let networks = self.networks(&schedule, BuildOptions { prune: merge, merge }, true);
            let parameters =
                networks.parameters.values::<f64>(&self.template, &self.dataset.vocabulary, &weights);
            let mut space = Workspace::default();
            let network = &networks.networks[0];
            network.forward(&schedule, &parameters, &mut space);
            let mut by_parameters = vec![0.0; parameters.len()];
            let seed = |query: usize, _: &[f64], seed: &mut [f64]| seed.fill(mixture[query % mixture.len()]);
            network.backward(&schedule, &parameters, &mut space, seed, &mut by_parameters);
            let keys: Vec<_> = networks.parameters.iter().map(|(key, range)| (key.clone(), range)).collect();
            gradients.push((keys, by_parameters, parameters));
        }
        let (keys, merged, parameters) = &gradients[1];
        let by_reference = self.reference_gradient(&weights, &mixture);
        for (key, range) in keys {
            let (_, plain_range) =
                gradients[0].0.iter().find(|(other, _)| other == key).expect("the same weights");
            for (at, place) in range.clone().enumerate() {
                let plain = gradients[0].1[plain_range.start + at];
                let found = merged[place];
                if random.below(2) == 0 {
                    let numbers = parameters[range.clone()].to_vec();
                    let reference = by_reference.get(key).map_or(0.0, |numbers| numbers[at]);
                    // Where max is undecided or a function has a kink, either slope is right.
                    let value = |step: f64| {
                        let (mut moved, mut numbers) = (weights.clone(), numbers.clone());
                        numbers[at] += step;
                        moved.set(key.0, &key.1, numbers);
                        Some(self.mixed(&self.reference(&moved)?, &mixture))
                    };
                    if self.check_slope(&format!("{key:?}"), found, value) {
                        compared += 1;
                        let near = |other: f64| (other - found).abs() <= 1e-9 * (1.0 + found.abs());
                        assert!(near(plain), "merging changes {plain} to {found}\n{}", self.text);
                        assert!(near(reference), "{found}, by the reference {reference}\n{}", self.text);
                    }
                }
            }
        }
        compared
    }

    /// The bits of all values and of the gradient of a mixture, of a network in chunks of so many cells, on so many
    /// threads; and its stages.
    fn bits_in_chunks(&self, merge: bool, chunk: usize, threads: usize) -> (Vec<u64>, Vec<f64>, Vec<usize>) {
        let schedule = Schedule::new(&self.template).expect("shapes that fit");
        let options = BuildOptions { prune: merge, merge };
        let mut builder = NetworkBuilder::new(&self.template, &schedule, options).in_chunks_of(chunk);
        for (example, grounding) in self.dataset.examples.iter().zip(&self.groundings) {
            builder.add_whole(example, grounding);
        }
        let networks = Networks::bind(&self.template, vec![builder.finish()]);
        let weights = Weights::new(7);
        let parameters =
            networks.parameters.values::<f64>(&self.template, &self.dataset.vocabulary, &weights);
        let (network, mut space) = (&networks.networks[0], Workspace::default());
        let mut by_parameters = vec![0.0; parameters.len()];
        let run = || {
            network.forward(&schedule, &parameters, &mut space);
            let seed =
                |query: usize, _: &[f64], seed: &mut [f64]| seed.fill(mix(query as u64) as f64 / 1e19 - 0.5);
            network.backward(&schedule, &parameters, &mut space, seed, &mut by_parameters);
            let outputs = (0..network.output_count()).filter_map(|query| space.output(network, query));
            outputs.flatten().map(|number| number.to_bits()).collect()
        };
        let values = crate::threads::Threads::new(Some(threads)).expect("threads").run(run);
        let mut kinds = vec![0; 3];
        for stage in &network.stages {
            kinds[match stage.backward {
                program::StageBackward::InTurn => 0,
                program::StageBackward::Apart => 1,
                program::StageBackward::Gathered(_) => 2,
            }] += 1;
        }
        (values, by_parameters, kinds)
    }

    /// Compares networks in chunks with the whole one: the same bits of values, and the same gradients to rounding, on
    /// any number of threads with the same bits. Gives how many stages there are of each kind.
    fn check_chunks(&self) -> Vec<usize> {
        let mut found = vec![0; 3];
        for (merge, chunk) in [(false, 1), (true, 1), (true, 3)] {
            let (values, gradient, kinds) = self.bits_in_chunks(merge, usize::MAX / 8, 1);
            assert_eq!(kinds, [0, 0, 0]);
            let one = self.bits_in_chunks(merge, chunk, 1);
            assert_eq!(one.0, values, "{}", self.text);
            for (found, expected) in one.1.iter().zip(&gradient) {
                let is_near = (found - expected).abs() <= 1e-10 * (1.0 + expected.abs());
                assert!(is_near || !expected.is_finite(), "{found} for {expected}\n{}", self.text);
            }
            for threads in [2, 5] {
                let many = self.bits_in_chunks(merge, chunk, threads);
                let bits =
                    |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
                assert_eq!((many.0, bits(&many.1)), (values.clone(), bits(&one.1)), "{}", self.text);
            }
            found.iter_mut().zip(one.2).for_each(|(found, own)| *found += own);
        }
        found
    }

    /// The same gradient, neuron by neuron.
    fn reference_gradient(&self, weights: &Weights, mixture: &[f64]) -> Gradient<f64> {
        let mut sum = Gradient::new();
        let mut query = 0;
        for (example, grounding) in self.dataset.examples.iter().zip(&self.groundings) {
            let network = Reference::build(&self.template, &self.dataset.vocabulary, example, grounding)
                .expect("a network");
            let mut seeds = Vec::new();
            for (predicate, atom) in network.rows() {
                let size = self.template.predicates[predicate.index()].shape.map_or(1, |shape| shape.size());
                seeds.push((atom, vec![mixture[query % mixture.len()]; size]));
                query += 1;
            }
            let found = network
                .gradient(&self.template, &self.dataset.vocabulary, weights, &seeds)
                .expect("a gradient");
            for (key, numbers) in found {
                let total = sum.entry(key).or_insert_with(|| vec![0.0; numbers.len()]);
                total.iter_mut().zip(numbers).for_each(|(total, number)| *total += number);
            }
        }
        sum
    }

    /// Gives all facts values of their own, so that nothing is undecided.
    fn scatter_values(&mut self, random: &mut Random) {
        for table in self.dataset.examples.iter_mut().flat_map(|example| &mut example.tables) {
            let size = table.rows as usize * table.shape.size();
            table.values = (0..size).map(|_| 0.2 + 0.7 * random.unit()).collect();
        }
    }

    /// Compares the gradient by the values of facts with central differences of the reference, for facts of some
    /// predicates. Gives how many numbers were smooth enough to compare.
    pub(super) fn check_inputs(&mut self, predicates: &[(&str, usize)], random: &mut Random) -> usize {
        let ids = predicates
            .iter()
            .filter_map(|(name, arity)| self.dataset.vocabulary.find_predicate(name, *arity));
        let schedule = Schedule::new(&self.template).expect("shapes that fit").with_inputs(ids);
        let (weights, mixture) =
            (Weights::new(7), (0..400).map(|_| random.unit() - 0.5).collect::<Vec<f64>>());
        let Some(expected) = self.reference(&weights) else { return 0 };
        let networks = self.networks(&schedule, BuildOptions::default(), true);
        let parameters =
            networks.parameters.values::<f64>(&self.template, &self.dataset.vocabulary, &weights);
        let (network, mut space) = (&networks.networks[0], Workspace::default());
        network.forward(&schedule, &parameters, &mut space);
        let outputs = (0..network.output_count()).filter_map(|query| space.output(network, query));
        for (found, expected) in outputs.flatten().zip(expected.iter().flatten()) {
            let near = (found - expected).abs() <= 1e-12 * (1.0 + expected.abs());
            assert!(near, "{found} for {expected}\n{}", self.text);
        }
        let mut by_parameters = vec![0.0; parameters.len()];
        let seed = |query: usize, _: &[f64], seed: &mut [f64]| seed.fill(mixture[query % mixture.len()]);
        network.backward(&schedule, &parameters, &mut space, seed, &mut by_parameters);
        let mut compared = 0;
        for (fact, range) in networks.parameters.inputs() {
            let at = random.below(range.len());
            if random.below(4) > 0 {
                continue;
            }
            let examples = self.dataset.examples.clone();
            let mut value = |step: f64| {
                let tables = &mut self.dataset.examples[fact.example].tables;
                let table = tables.iter_mut().find(|table| table.predicate == fact.predicate)?;
                let size = table.shape.size();
                table.values.resize(table.rows as usize * size, 1.0);
                table.values[fact.row as usize * size + at] = fact.value[at] + step;
                Some(self.mixed(&self.reference(&weights)?, &mixture))
            };
            let values = [0.0, 1e-5, -1e-5, 2e-5, -2e-5].map(&mut value);
            self.dataset.examples = examples;
            let steps = [0.0, 1e-5, -1e-5, 2e-5, -2e-5];
            let value = |step: f64| values[steps.iter().position(|&known| known == step)?];
            let found = by_parameters[range.start + at];
            compared += usize::from(self.check_slope(&format!("{fact:?}"), found, value));
        }
        compared
    }

    /// Whether one slope is smooth enough to compare; if so, it agrees.
    fn check_slope(&self, name: &str, found: f64, value: impl Fn(f64) -> Option<f64>) -> bool {
        let here = value(0.0);
        let slopes = |step: f64| Some(((value(step)? - here?) / step, (here? - value(-step)?) / step));
        let (Some((right, left)), Some((far_right, far_left))) = (slopes(1e-5), slopes(2e-5)) else {
            return false;
        };
        let (fine, coarse) = ((right + left) / 2.0, (far_right + far_left) / 2.0);
        // Without a kink, the slopes to both sides differ by half as much at half the distance; a kink of any size adds
        // the same to both.
        let scale = 1.0 + fine.abs();
        let kink = (2.0 * (right - left) - (far_right - far_left)).abs();
        let kink = kink > 1e-9 * scale + 1e-10 * here.unwrap_or(0.0).abs();
        if !found.is_finite()
            || kink
            || (coarse - fine).abs() > 1e-7 * scale
            || here.is_none_or(|here| here.abs() > 1e4)
        {
            return false;
        }
        assert!(
            (fine - found).abs() <= 2e-6 * scale,
            "slope {found}, by differences {fine}, {name}\n{}",
            self.text
        );
        true
    }

    fn mixed(&self, values: &[Vec<f64>], mixture: &[f64]) -> f64 {
        let mut query = 0;
        let mut sum = 0.0;
        for (values, grounding) in values.iter().zip(&self.groundings) {
            let mut place = 0;
            for (predicate, relation) in grounding.relations.iter().enumerate() {
                let size = self.template.predicates[predicate].shape.map_or(1, |shape| shape.size());
                for _ in 0..relation.len() {
                    sum += mixture[query % mixture.len()] * values[place..place + size].iter().sum::<f64>();
                    place += size;
                    query += 1;
                }
            }
        }
        sum
    }
}

pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const DATA: &str = "e(a,b), e(b,c), e(c,a), 0.5 e(a,d), p(a), 0.3 p(b), q(b), -0.4 q(c), q(d), next(1,2), next(2,3), next(3,4), \
    kind(a,x), kind(b,y), kind(c,x), kind(d,x), kind(1,x), p(1), p(2).\n\
    e(a,b), e(b,a), p(a), p(b), q(a), kind(a,x), kind(b,x), 0.7 kind(c,y), e(b,c), p(c), next(1,2), p(1).";

/// Functions that came later: they are drawn aside, so that the other templates stay as they are.
const LATER: [&str; 7] =
    ["lukasiewicz-sigmoid", "sparsemax", "norm", "concat-flat", "softmax", "count", "cosine"];

/// One of the later functions in the place of another, now and then.
fn aside<'a>(random: &Random, name: &'a str, later: &[&'a str]) -> &'a str {
    let mut aside = Random(random.0 ^ 0x9e37_79b9);
    if aside.below(5) == 0 { aside.pick(later) } else { name }
}

/// A rule's or predicate's options.
fn options(random: &mut Random, is_rule: bool) -> String {
    let mut parts = Vec::new();
    if random.below(3) == 0 {
        // A jump makes a difference in the last bit a large one.
        let jumps = [Activation::Sign, Activation::Step];
        let smooth = Activation::ALL.iter().filter(|activation| !jumps.contains(activation));
        let names: Vec<&str> = smooth.map(|activation| activation.name()).collect();
        let is_later = |name: &&str| LATER.contains(name) && *name != "softmax";
        let (later, names): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_later);
        let name = random.pick(&names);
        parts.push(format!("activation = {}", aside(random, name, &later)));
    }
    if is_rule && random.below(3) == 0 {
        let names: Vec<&str> = Aggregation::ALL.iter().map(|aggregation| aggregation.name()).collect();
        parts.push(format!("aggregation = {}", random.pick(&names)));
    }
    if random.below(6) == 0 {
        let names: Vec<&str> = Combination::ALL.iter().map(|combination| combination.name()).collect();
        let (later, names): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|name| LATER.contains(name));
        let names = if is_rule { &names[..] } else { &["sum", "min", "max", "mean", "element-product"] };
        let name = random.pick(names);
        parts.push(format!("combination = {}", if is_rule { aside(random, name, &later) } else { name }));
    }
    if random.below(4) == 0 {
        parts.push(format!("offset = {}", random.pick(&["0.3", "<-0.2>", "_", "shared"])));
    }
    if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(", ")) }
}

/// A random template in layers over the predicates of the data.
fn template(random: &mut Random) -> String {
    let vectors = random.below(3) == 0;
    let weights = if vectors {
        vec![
            "",
            "0.5 ::",
            "_ ::",
            "w ::",
            "{2} ::",
            "{2,2} ::",
            "{1,2} ::",
            "m = {2,2} ::",
            "<[1, -2]> ::",
            "v[X] ::",
            "u[X] = {2} ::",
        ]
    } else {
        vec!["", "0.5 ::", "_ ::", "w ::", "<0.7> ::", "shared ::", "v[X] ::", "z[X, Y] = 0.2 ::"]
    };
    let mut text = format!(
        ":- family({}).\n",
        random.pick(&["max-sigmoid", "avg-sigmoid", "godel", "lukasiewicz", "neuralogic"])
    );
    let mut known = vec!["p", "q"];
    for layer in ["l1", "l2", "l3"] {
        for _ in 0..1 + random.below(3) {
            let mut body = vec![format!("{}(X)", random.pick(&known))];
            let mut bound = vec!["X"];
            if random.below(2) == 0 {
                body.push(random.pick(&["e(X, Y)", "*e(X, Y)", "e(Y, X)", "kind(X, Y)"]).into());
                bound.push("Y");
            }
            for _ in 0..random.below(3) {
                let (variable, mark) = (random.pick(&bound), random.pick(&["", "", "~", "*"]));
                body.push(format!("{mark}{}({variable})", random.pick(&known)));
            }
            for literal in body.iter_mut().filter(|literal| !literal.starts_with('*')) {
                let weight = random.pick(&weights);
                if random.below(3) == 0 && (bound.len() > 1 || !weight.contains('Y')) {
                    *literal = format!("{weight} {literal}");
                }
            }
            let weight = random.pick(&weights);
            let weight = if bound.len() == 1 && weight.contains('Y') { "" } else { weight };
            let (head, options) = (random.pick(&bound), options(random, true));
            let body = body.join(", ");
            text += &format!("{weight} {layer}({head}) :- {body}.{options}\n");
            // Rules of one shape: only weights, constants and guards differ.
            for _ in 0..random.below(6).saturating_sub(3) {
                let weight = random.pick(&weights);
                let weight = if bound.len() == 1 && weight.contains('Y') { "" } else { weight };
                let guard = random.pick(&["", ", *kind(X, x)", ", *kind(X, y)", ", *p(X)"]);
                text += &format!("{weight} {layer}({head}) :- {body}{guard}.{options}\n");
            }
        }
        if random.below(2) == 0 {
            text += &format!("{layer}/1{}.\n", options(random, false));
        }
        if random.below(4) == 0 {
            text +=
                &format!("{} {layer}({}).\n", random.pick(&["0.4 ::", "_ ::", ""]), random.pick(&["a", "X"]));
        }
        known.push(layer);
    }
    if random.below(3) == 0 {
        text += "r(1) :- p(1).\nk :: r(Y) :- r(X), 0.5 :: p(Y), *next(X, Y).\n";
    }
    text + "_ :: out :- l3(X).\n"
}

#[test]
fn values_and_gradients_agree_on_random_templates() {
    let (mut cases, mut compared) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random(seed);
        let text = template(&mut random);
        let Some(case) = case(&text, DATA) else { continue };
        if case.check_values() {
            cases += 1;
            compared += case.check_gradients(&mut random);
        }
    }
    assert!(cases > 1500 && compared > 10_000, "{cases} templates, {compared} slopes");
}

/// Rules of one atom whose values make a longer one.
#[test]
fn gradients_reach_every_rule_of_an_atom_that_combines_them_otherwise() {
    for &combination in Combination::ALL {
        let shape = combination.shape(&[Shape::vector(2), Shape::vector(2)]).expect("a shape");
        let (name, size) = (combination.name(), shape.size());
        let text = format!(
            "{{2, 2}} :: g(X) :- v(X).\n{{2, 2}} :: g(X) :- w(X).\ng/1 [combination = {name}].\n{{1, {size}}} :: out :- g(X).\n"
        );
        let data = "[0.3, -0.2] v(a), [1, 2] v(b), [0.7, 0.1] w(a), [-0.4, 0.6] w(b).";
        let case = case(&text, data).expect("a template that fits");
        assert!(case.check_values(), "{name}");
        let compared: usize = (0..4).map(|seed| case.check_gradients(&mut Random(seed))).sum();
        assert!(compared > 8, "{name}: {compared} slopes");
    }
}

/// A rule over a pair of constants and others that each of them chooses on its own.
#[test]
fn networks_in_chunks_have_the_same_bits_on_any_number_of_threads() {
    let mut random = Random(41);
    let mut kinds = vec![0; 3];
    for _ in 0..150 {
        let text = template(&mut random);
        let Some(case) = case(&text, DATA) else { continue };
        if case.reference(&Weights::new(7)).is_some() {
            kinds.iter_mut().zip(case.check_chunks()).for_each(|(sum, own)| *sum += own);
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
}

fn product_rule(random: &mut Random) -> String {
    let mut body = vec![format!("{}e(X, Y)", random.pick(&["", "*", "0.5 ::", "v[X] ::"]))];
    let tails = ["kind(X, U)", "kind(Y, V)", "e(X, W)", "e(Z, Y)", "e(X, S), l1(S)", "kind(Y, T), *p(Y)"];
    for tail in tails {
        if random.below(2) == 0 {
            body.push(format!("{}{tail}", random.pick(&["", "", "*", "~", "_ ::", "u[X] ::"])));
        }
    }
    let body = body.join(", ");
    let bound: Vec<&str> = "X Y U V W Z S T".split(' ').filter(|name| body.contains(name)).collect();
    let weight = match random.below(3) {
        0 => format!("z[{}, {}] ::", random.pick(&bound), random.pick(&bound)),
        _ => String::new(),
    };
    let (one, other) = (random.pick(&bound), random.pick(&bound));
    format!("{weight} pair({one}, {other}) :- {body}.{}\n", options(random, true))
}

#[test]
fn ground_rules_in_runs_give_the_same_networks() {
    let (mut cases, mut runs, mut shared) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        let rules: String = (0..1 + random.below(2)).map(|_| product_rule(&mut random)).collect();
        let text = format!("{}{rules}_ :: out :- pair(X, Y).\n", template(&mut random));
        let Some(case) = case(&text, DATA) else { continue };
        cases += 1;
        let (own, of_walks) = case.check_runs();
        (runs, shared) = (runs + own, shared + of_walks);
    }
    assert!(cases > 200 && runs > 2000 && shared > 100, "{cases} templates, {runs} runs, {shared} rows");
}

/// Two spellings of all chains of three nodes over two clusters.
#[test]
fn rules_that_share_a_walk_give_the_same_networks() {
    let data = "node(a), node(b), node(c), node(d), marked(a), marked(c), bond(a,b), bond(b,a), bond(b,c), bond(c,b), \
        bond(c,d), bond(d,c).\nnode(a), node(b), marked(b), bond(a,b), bond(b,a).";
    let mut shared = 0;
    for is_named in [true, false] {
        for end in [".", ", X != Z.", ", *marked(Z)."] {
            for head in ["out", "out(X)", "out(Y,Z)"] {
                let cluster = |group, variable| match is_named {
                    true => format!("in{group}({variable})"),
                    false => format!("in({variable},{group})"),
                };
                let mut text = String::new();
                for group in ["1", "2"] {
                    let own = cluster(group, "X");
                    text += &format!("u{group} :: {own} :- node(X).\nv{group} :: {own} :- marked(X).\n");
                }
                for [one, two, three] in ["111", "112", "121", "122", "211", "212", "221", "222"]
                    .map(|groups| [0, 1, 2].map(|at| &groups[at..=at]))
                {
                    let [one, two, three] = [cluster(one, "X"), cluster(two, "Y"), cluster(three, "Z")];
                    text += &format!("w :: {head} :- {one}, bond(X,Y), {two}, bond(Y,Z), {three}{end}\n");
                }
                let case = case(&text, data).unwrap_or_else(|| panic!("{text}"));
                shared += case.check_runs().1;
                assert!(case.check_values(), "{text}");
            }
        }
    }
    assert!(shared > 200, "{shared} rows");
}

#[test]
fn rules_of_one_class_with_many_ground_rules_have_the_values_of_each() {
    // Nine rules, whose ground rules are too many to become neurons together.
    let rules: String = (0..9).map(|rule| format!("w{rule} :: p(X) :- q(X, Y).\n")).collect();
    let fact = |number: usize| format!("{} q(a{}, b{})", mix(number as u64) % 7, number / 46, number % 46);
    let facts: Vec<String> = (0..46 * 46).map(fact).collect();
    let case = case(&rules, &format!("1 p(a1) :- {}.", facts.join(", "))).expect("a case");
    assert!(case.check_values());
    assert_eq!(case.check_runs(), (0, 0));
}

#[test]
fn gradients_by_the_values_of_facts_agree_with_differences() {
    let mut compared = 0;
    for seed in 0..600 {
        let mut random = Random(seed);
        let text = template(&mut random);
        if let Some(mut case) = case(&text, DATA) {
            case.scatter_values(&mut random);
            compared += case.check_inputs(&[("p", 1), ("e", 2), ("kind", 2)], &mut random);
        }
    }
    assert!(compared > 1000, "{compared} slopes");
}

#[test]
fn vectors_can_be_inputs() {
    let text = "{2, 2} :: h(X) :- v(X). [activation = tanh]\n{1, 2} :: out :- h(X), v(Y), *e(X, Y). \
        [activation = sigmoid, aggregation = mean]\n";
    let data = "[0.3, -0.2] v(a), [0.3, -0.2] v(b), [1, 2] v(c), e(a, b), e(b, c), e(a, c).\n[0.3, -0.2] v(a), e(a, a).";
    let mut case = case(text, data).expect("a template that fits");
    let compared: usize = (0..10).map(|seed| case.check_inputs(&[("v", 1)], &mut Random(seed))).sum();
    assert!(compared > 5, "{compared} slopes");
    // Facts that are equal in every respect are inputs of their own, and named by example, predicate and row.
    let v = case.dataset.vocabulary.find_predicate("v", 1).expect("v/1");
    let schedule = Schedule::new(&case.template).expect("shapes that fit").with_inputs([v]);
    let networks = case.networks(&schedule, BuildOptions::default(), true);
    let named: Vec<_> = networks.parameters.inputs().map(|(fact, _)| (fact.example, fact.row)).collect();
    assert_eq!(named, [(0, 0), (0, 1), (0, 2), (1, 0)]);
    assert_eq!(
        networks.parameters.inputs().last().map(|(_, range)| range.end),
        Some(networks.parameters.len())
    );
}

/// The bits of all values, and of the gradient of their sum, from networks built on so many threads.
fn bits(case: &Case, threads: usize, batch: usize) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let Case { template, dataset, .. } = case;
    let schedule = Schedule::new(template).expect("shapes that fit");
    let plans = Plans::new(template, &Statistics::of(dataset));
    let (limits, options) = (Limits::default(), BuildOptions::default());
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let chunks: Vec<Vec<usize>> = all.chunks(batch).map(<[usize]>::to_vec).collect();
    let build = || Networks::build_chunks(template, &schedule, dataset, &plans, &limits, options, &chunks);
    let networks = pool.install(build).expect("networks");
    let parameters = networks.parameters.values::<f32>(template, &dataset.vocabulary, &Weights::new(3));
    let (mut space, mut gradient, mut found) =
        (Workspace::default(), vec![0.0; parameters.len()], Vec::new());
    for network in &networks.networks {
        network.forward(&schedule, &parameters, &mut space);
        let outputs = (0..network.output_count()).filter_map(|query| space.output(network, query));
        found.extend(outputs.flatten().copied());
        let seed = |_: usize, _: &[f32], seed: &mut [f32]| seed.fill(1.0);
        network.backward(&schedule, &parameters, &mut space, seed, &mut gradient);
    }
    found.into_iter().chain(gradient).map(f32::to_bits).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (mut compared, data, queries) = (0, DATA.repeat(8), "out.\n".repeat(16));
    for seed in 0..40 {
        let Some(mut case) = case(&template(&mut Random(seed)), &data) else { continue };
        let mut builder = DatasetBuilder::new(case.template.vocabulary.clone());
        builder.examples(&data, SourceId(0), Layout::Examples);
        builder.queries(&queries, SourceId(0));
        case.dataset = builder.finish().expect("data without mistakes");
        for batch in [1, 3] {
            let alone = bits(&case, 1, batch);
            assert_eq!(alone, bits(&case, 2, batch), "{}", case.text);
            assert_eq!(alone, bits(&case, 5, batch), "{}", case.text);
            compared += alone.len();
        }
    }
    assert!(compared > 500, "{compared} numbers");
}

/// The bits of the values of all atoms, from networks of so many examples each.
fn value_bits<R: Real>(case: &Case, batch: usize) -> Vec<u64> {
    let schedule = Schedule::new(&case.template).expect("shapes that fit");
    let mut networks = Vec::new();
    let all: Vec<_> = case.dataset.examples.iter().zip(&case.groundings).collect();
    for chunk in all.chunks(batch) {
        let mut builder = NetworkBuilder::new(&case.template, &schedule, BuildOptions::default());
        chunk.iter().for_each(|(example, grounding)| builder.add_whole(example, grounding));
        networks.push(builder.finish());
    }
    let networks = Networks::bind(&case.template, networks);
    let parameters =
        networks.parameters.values::<R>(&case.template, &case.dataset.vocabulary, &Weights::new(3));
    let (mut space, mut found) = (Workspace::default(), Vec::new());
    for network in &networks.networks {
        network.forward(&schedule, &parameters, &mut space);
        let outputs = (0..network.output_count()).filter_map(|query| space.output(network, query));
        // The sign of what is not a number means nothing.
        let bits = |value: f64| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
        found.extend(outputs.flatten().map(|value| bits(value.to_f64())));
    }
    found
}

#[test]
fn values_do_not_depend_on_the_other_examples_of_a_network() {
    // The same and others, so that some neurons are merged and some are not, and appear in another order.
    let more = "e(d,a), e(a,b), p(d), q(b), 0.3 p(b), kind(a,y), kind(d,x), kind(b,y), next(1,2), p(1), e(b,d).\n\
        q(c), p(c), 0.5 e(c,b), e(b,a), p(a), 0.3 p(b), kind(b,y), kind(c,x), kind(a,x), e(a,c), q(a).\n";
    let wide: String =
        (0..90).map(|n| format!("e(n{n}, n{}), kind(n{n}, {}), ", n * 7 % 90, ["x", "y"][n % 2])).collect();
    let wide: String = (0..90).fold(wide, |text, n| text + &format!("0.{n} p(n{n}), q(n{n}), ")) + "p(a).\n";
    let data = [more, DATA, "\n", &wide, DATA, "\n", more].concat();
    let mut compared = 0;
    for seed in 0..400 {
        let Some(case) = case(&template(&mut Random(seed)), &data) else { continue };
        let alone = value_bits::<f32>(&case, 1);
        assert_eq!(alone, value_bits::<f32>(&case, 2), "{}", case.text);
        assert_eq!(alone, value_bits::<f32>(&case, 7), "{}", case.text);
        assert_eq!(value_bits::<f64>(&case, 1), value_bits::<f64>(&case, 7), "{}", case.text);
        compared += alone.len();
    }
    assert!(compared > 50_000, "{compared} numbers");
}

/// The neurons of a template's network for all examples.
fn neurons(text: &str) -> NeuronCounts {
    neurons_of(text, DATA)
}

fn neurons_of(text: &str, data: &str) -> NeuronCounts {
    let case = case(text, data).expect("a template");
    let schedule = Schedule::new(&case.template).expect("shapes that fit");
    case.networks(&schedule, BuildOptions::default(), true).neurons()
}

#[test]
fn rules_written_out_are_the_neurons_of_the_indexed_rule() {
    let indexed = "w[K] :: l(X) :- p(X), kind(X, K).\nout :- l(X).";
    let plain = "a :: l(X) :- p(X), kind(X, x).\nb :: l(X) :- p(X), kind(X, y).\nout :- l(X).";
    assert_eq!(neurons(indexed), neurons(plain));
}

#[test]
fn rules_over_predicates_that_differ_by_name_are_the_neurons_of_the_indexed_rule() {
    let indexed =
        "g(1..2).\nw[K, G] :: l(X, G) :- kind(X, K), *g(G).\nc[G] :: out :- l(X, G), e(X, Y), l(Y, G).";
    let named = "a = {1} :: l1(X) :- x(X).\nb = {1} :: l1(X) :- y(X).\nc = {1} :: l2(X) :- x(X).\nd = {1} :: l2(X) :- y(X).\n\
        f = {1} :: out :- l1(X), e(X, Y), l1(Y).\ng = {1} :: out :- l2(X), e(X, Y), l2(Y).";
    let data = |spell: fn(&str, &str) -> String| {
        let kinds = [("a", "x"), ("b", "y"), ("c", "x"), ("d", "y")].map(|(node, kind)| spell(node, kind));
        format!("e(a,b), e(b,c), e(c,d), e(a,d), {}, 1 out.", kinds.join(", "))
    };
    let [indexed, named] = [
        neurons_of(indexed, &data(|node, kind| format!("kind({node}, {kind})"))),
        neurons_of(named, &data(|node, kind| format!("{kind}({node})"))),
    ];
    assert_eq!((indexed.rule, indexed.aggregation), (named.rule, named.aggregation));
    // The facts of the groups are guards, and every atom is a query here.
    assert_eq!(indexed.atom, named.atom + 1);
}

#[test]
fn predicates_that_compute_different_things_share_no_table() {
    let names = "p/1 [activation = tanh].\na :: l1(X) :- p(X).\nb :: l2(X) :- q(X).\nl1/1 [activation = tanh].\nout :- l1(X).\nout :- l2(X).";
    let mut case = case(names, DATA).expect("a template");
    case.scatter_values(&mut Random(3));
    assert!(case.check_values());
    let schedule = Schedule::new(&case.template).expect("shapes that fit");
    let table =
        |name: &str| schedule.table(case.dataset.vocabulary.find_predicate(name, 1).expect("a predicate"));
    assert_ne!(table("l1"), table("l2"));
}
