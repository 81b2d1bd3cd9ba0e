//! Cyclic ground networks by what they must mean: reachability, bottlenecks, ranks; and what learning makes of them.

#![allow(clippy::print_stderr)] // it says what is left out
use std::collections::BTreeMap;
use std::path::Path;

use lrnn::network::Weights;
use lrnn::program::AtomPattern;
use lrnn::{Dataset, ErrorKind, Limits, Program, Settings, Template, fit};

/// Edges with values.
type Edges = BTreeMap<(u32, u32), f64>;

struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(count)) as u32
    }

    fn graph(&mut self, nodes: u32, edges: u32) -> Edges {
        let edge = |_| ((self.below(nodes), self.below(nodes)), 0.1 + f64::from(self.below(90)) / 100.0);
        (0..edges).map(edge).collect()
    }
}

fn data(template: &Template, graphs: &[Edges]) -> Dataset {
    let mut data = template.data();
    for (number, graph) in graphs.iter().enumerate() {
        let mut example = data.example(&number.to_string());
        for (&(a, b), &value) in graph {
            example = example.fact_with(value, "edge", (i64::from(a), i64::from(b)));
        }
    }
    data.build().expect("data")
}

/// The values of all atoms of a predicate, example by example.
fn values(template: &Template, dataset: &Dataset, pattern: &str) -> Vec<BTreeMap<String, f64>> {
    let program = Program::new(template, dataset, Limits::default()).expect("a program");
    let patterns = [AtomPattern::parse(pattern, &dataset.vocabulary).expect("an atom")];
    let of = |example, grounding: &lrnn::ground::Grounding| {
        let found = program.atoms::<f64>(dataset, (example, grounding), &patterns, &[Weights::new(0)], false);
        let atoms = found.expect("values").atoms.into_iter();
        atoms.map(|atom| (atom.atom, atom.value.numbers[0])).collect()
    };
    program.for_each_grounding(dataset, of).expect("groundings")
}

/// What follows by Datalog, one fact after the other, with the best of the narrowest edges on the way.
fn bottlenecks(edges: &Edges) -> BTreeMap<String, f64> {
    let mut best = edges.clone();
    loop {
        let mut news = Vec::new();
        for (&(a, b), &edge) in edges {
            for (&(from, to), &path) in best.range((b, 0)..=(b, u32::MAX)) {
                debug_assert_eq!(from, b);
                if best.get(&(a, to)).is_none_or(|&known| known < edge.min(path)) {
                    news.push(((a, to), edge.min(path)));
                }
            }
        }
        if news.is_empty() {
            return best.into_iter().map(|((a, b), value)| (format!("path({a}, {b})"), value)).collect();
        }
        for (pair, value) in news {
            let known = best.entry(pair).or_insert(value);
            *known = known.max(value);
        }
    }
}

#[test]
fn reachability_and_bottlenecks_of_random_graphs() {
    let text = ":- family(godel). path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z).";
    let template = Template::parse(text).expect("a template");
    let mut random = Random(5);
    let graphs: Vec<Edges> = (0..1000).map(|number| random.graph(3 + number % 6, 4 + number % 9)).collect();
    let found = values(&template, &data(&template, &graphs), "path(X, Y)");
    for (graph, found) in graphs.iter().zip(found) {
        assert_eq!(found, bottlenecks(graph), "{graph:?}");
    }
    let cyclic = |graph: &&Edges| {
        bottlenecks(graph).keys().any(|path| (0..9).any(|node| *path == format!("path({node}, {node})")))
    };
    assert!(graphs.iter().filter(cyclic).count() > 500);
}

/// A ring that a value must go all the way round, longer than the sweeps that other cycles may take.
#[test]
fn a_value_goes_round_a_long_ring() {
    let text = ":- family(godel). seen(0). seen(Y) :- seen(X), edge(X, Y).";
    let template = Template::parse(text).expect("a template");
    let ring: Edges =
        (0..1500).map(|node| ((node, (node + 1) % 1500), if node == 700 { 0.5 } else { 0.9 })).collect();
    let found = values(&template, &data(&template, &[ring]), "seen(X)").remove(0);
    assert_eq!((found["seen(700)"], found["seen(701)"], found["seen(1499)"]), (0.9, 0.5, 0.5));
}

/// The graph of citations, where there is one, and a random graph.
fn large_graphs() -> Vec<Edges> {
    let mut all = vec![Random(3).graph(300, 1200)];
    let folder = std::env::var_os("LRNN_DATA");
    let text =
        folder.and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("cora/edges.tsv")).ok());
    match text {
        Some(text) => {
            let numbers = |line: &str| -> Option<(u32, u32)> {
                let (a, b) = line.split_once('\t')?;
                Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
            };
            let both = text.lines().filter_map(numbers).flat_map(|(a, b)| [((a, b), 1.0), ((b, a), 1.0)]);
            all.push(both.collect());
        }
        None => eprintln!(
            "\n*** LRNN_DATA has no cora/edges.tsv: ranks were computed on a random graph alone. ***\n"
        ),
    }
    all
}

/// Compares with what steps of a direct implementation come to.
fn check_direct(
    text: &str,
    pattern: &str,
    graph: &Edges,
    step: impl Fn(&BTreeMap<u32, f64>) -> BTreeMap<u32, f64>,
) {
    let template = Template::parse(text).expect("a template");
    let found = values(&template, &data(&template, std::slice::from_ref(graph)), pattern).remove(0);
    let mut now: BTreeMap<u32, f64> = graph.keys().flat_map(|&(a, b)| [(a, 0.0), (b, 0.0)]).collect();
    for _ in 0..230 {
        now = step(&now);
    }
    let name = pattern.split('(').next().unwrap_or("");
    assert_eq!(found.len(), now.len());
    for (node, value) in now {
        let found = found[&format!("{name}({node})")];
        assert!((found - value).abs() < 1e-9, "{name}({node}): {found} for {value}");
    }
}

#[test]
fn ranks_and_labels_are_those_of_direct_implementations() {
    let linear = ":- family(neuralogic). :- atom_activation(identity). :- rule_activation(identity).
        node(X) :- edge(X, Y). node(Y) :- edge(X, Y). node/1 [activation = identity].";
    for graph in large_graphs() {
        // The rank of a page: what is given to all, and shares of the ranks of those that link to it.
        let mut shares = graph.clone();
        let mut degree: BTreeMap<u32, f64> = BTreeMap::new();
        graph.keys().for_each(|&(a, _)| *degree.entry(a).or_default() += 1.0);
        shares.iter_mut().for_each(|(&(a, _), share)| *share = 1.0 / degree[&a]);
        let rank = format!(
            "{linear} <0.15> :: rank(X) :- *node(X). [activation = identity, aggregation = max, offset = <1>]
            <0.85> :: rank(X) :- edge(Y, X), rank(Y). [combination = product, aggregation = sum]"
        );
        check_direct(&rank, "rank(X)", &shares, |now| {
            let mut next: BTreeMap<u32, f64> = now.keys().map(|&node| (node, 0.15)).collect();
            for (&(a, b), share) in &shares {
                *next.entry(b).or_default() += 0.85 * share * now[&a];
            }
            next
        });
        // Labels: every seventh node has one, the others nine tenths of the mean of those they link to.
        let seeds: String = graph
            .keys()
            .flat_map(|&(a, b)| [a, b])
            .filter(|node| node % 7 == 0)
            .collect::<std::collections::BTreeSet<u32>>()
            .into_iter()
            .map(|node| format!("<1> :: label({node}). "))
            .collect();
        let label = format!(
            "{linear} <0> :: label(X) :- node(X). <0.9> :: label(X) :- label(Y), *edge(X, Y). {seeds}"
        );
        check_direct(&label, "label(X)", &graph, |now| {
            let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
            for &(a, b) in graph.keys() {
                let sum = sums.entry(a).or_default();
                *sum = (sum.0 + now[&b], sum.1 + 1.0);
            }
            let mean = |node: u32| sums.get(&node).map_or(0.0, |(sum, count)| 0.9 * sum / count);
            now.keys().map(|&node| (node, mean(node) + if node % 7 == 0 { 1.0 } else { 0.0 })).collect()
        });
    }
}

const GROWS: &str = ":- family(neuralogic). :- atom_activation(identity). :- rule_activation(identity).
    far(X) :- start(X). w = 0.5 :: far(Y) :- far(X), *next(X, Y).";

fn ring(template: &Template, target: f64) -> Dataset {
    let mut data = template.data();
    let example =
        data.example("ring").fact("start", ("a",)).fact("next", ("a", "b")).fact("next", ("b", "a"));
    example.target(target, "far", ("b",));
    data.build().expect("data")
}

/// far(b) = w / (1 − w²), which is 4.7 at w = 0.9: steps that are too long would leave the weights that settle.
#[test]
fn a_step_with_which_a_cycle_does_not_settle_is_refused() {
    let optimizers = [("sgd", 0.5), ("adam", 0.05), ("lbfgs", 0.05), ("lbfgs", 0.5), ("lbfgs", 5.0)];
    for (optimizer, learning_rate) in optimizers {
        let template = Template::parse(GROWS).expect("a template");
        let mut settings = Settings { epochs: 300, learning_rate, ..Settings::default() };
        settings.set("optimizer", optimizer).expect("an optimizer");
        settings.set("loss", "squared").expect("a loss");
        let fitted = fit(&template, &ring(&template, 4.0), &settings);
        let fitted = fitted.unwrap_or_else(|error| panic!("{optimizer}: {error}"));
        let weight = fitted.model.weights.iter().next().expect("a weight").numbers[0];
        assert!(weight.abs() < 1.0, "{optimizer}: {weight}");
        assert!(fitted.scores[0].1.measure.loss.is_finite(), "{optimizer}: {:?}", fitted.scores[0].1.measure);
        assert!(fitted.notes.iter().any(|note| note.contains("cyclic in `far/1`")), "{:?}", fitted.notes);
        let answers = fitted.model.predict(&ring(&template, 4.0)).expect("answers");
        assert_eq!(answers.cycles.as_ref().map(|cycles| (cycles.cycles, cycles.atoms)), Some((1, 2)));
    }
}

#[test]
fn what_does_not_settle_is_refused_everywhere() {
    let template = Template::parse(
        &GROWS.replace("w = 0.5", "<2>").replace("far(X) :- start", "v = 1 :: far(X) :- start"),
    )
    .expect("a template");
    let data = ring(&template, 4.0);
    let error = fit(&template, &data, &Settings::default()).expect_err("no fixed point");
    assert_eq!(error.kind(), ErrorKind::Numbers);
    let text = error.to_string();
    assert!(text.contains("does not settle") && text.contains("far("), "{text}");
}

#[test]
fn contributions_in_a_cycle_add_up() {
    for head in ["", ":- recursion(steps = 6)."] {
        let text = format!(
            "{head} w = 0.7 :: reach(X) :- start(X). u = 0.6 :: reach(Y) :- reach(X), edge(X, Y). 0.3 :: reach(c)."
        );
        let template = Template::parse(&text).expect("a template");
        let mut data = template.data();
        let example =
            data.example("one").fact("start", ("a",)).fact("edge", ("a", "b")).fact("edge", ("b", "a"));
        example.fact("edge", ("b", "c")).fact("edge", ("c", "b")).target(1.0, "reach", ("b",));
        let data = data.build().expect("data");
        let settings = Settings { epochs: 5, ..Settings::default() };
        let model = fit(&template, &data, &settings).expect("a model").model;
        let value = model.predict(&data).expect("answers").all[0].value.clone().expect("a value").numbers[0];
        let explained = model.explain(&data).expect("an explanation");
        let found = &explained[0].contributions;
        assert!((found.value - value).abs() < 1e-5, "{} for {value}", found.value);
        let sum: f64 = explained[0].facts.iter().map(|fact| fact.contribution).sum();
        assert!(explained[0].facts.len() < 8, "{:?}", explained[0].facts);
        assert!((found.baseline + sum - found.value).abs() < 1e-9, "{found:?} {sum}");
    }
}
