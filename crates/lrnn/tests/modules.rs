//! Every module of the library, values and gradients, against numbers that PyTorch computed: `modules.txt`, which
//! `benches/compare/modules.py` writes.

use std::collections::BTreeMap;

use lrnn::ground::Limits;
use lrnn::network::{BuildOptions, Weights, Workspace};
use lrnn::template::{Template, modules};
use lrnn::{Program, data::Layout};

/// A module with what PyTorch says of it.
#[derive(Default)]
struct Case {
    name: String,
    template: String,
    facts: String,
    query: String,
    weights: BTreeMap<String, Vec<f64>>,
    value: Vec<f64>,
    gradients: BTreeMap<String, Vec<f64>>,
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("modules.txt").lines() {
        let (word, rest) = line.split_once(' ').unwrap();
        if word == "case" {
            cases.push(Case { name: rest.to_owned(), ..Case::default() });
        }
        let case = cases.last_mut().unwrap();
        let named =
            || rest.split_once(" = ").map(|(name, values)| (name.to_owned(), numbers(values))).unwrap();
        match word {
            "use" => case.template = rest.split("; ").map(|module| format!(":- use({module}).\n")).collect(),
            "facts" => case.facts = format!("{rest}."),
            "query" => case.query = rest.to_owned(),
            "weight" => case.weights.extend([named()]),
            "gradient" => case.gradients.extend([named()]),
            "value" => case.value = numbers(rest),
            _ => {}
        }
    }
    cases
}

fn close(case: &Case, what: &str, found: &[f64], expected: &[f64]) {
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-5 * (1.0 + b.abs());
    let fits = found.len() == expected.len() && found.iter().zip(expected).all(is_close);
    assert!(fits, "{} {what}: {found:?} for {expected:?}", case.name);
}

fn check(case: &Case) {
    let template = Template::parse(&case.template).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let mut data = template.data();
    let mut sources = lrnn::diagnostic::Sources::of_data();
    let source = sources.add("facts".to_owned(), format!("{} :- {}", case.query, case.facts));
    data.examples(sources.text(source), source, Layout::Examples);
    let data = data.finish().unwrap_or_else(|error| panic!("{}: {error:?}", case.name));
    let program = Program::new(&template, &data, Limits::default())
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let networks = program.networks(&data, BuildOptions::default(), &[vec![0]]).unwrap();
    let (template, vocabulary) = (program.template(), &data.vocabulary);
    let mut weights = Weights::new(1);
    let name = |(weight, index): &lrnn::network::WeightKey| {
        let declared = template.weight(*weight);
        let name = declared.name.as_deref().unwrap_or("").to_owned();
        if index.is_empty() { name } else { format!("{name}[{}]", declared.index_text(vocabulary, index)) }
    };
    for (key, _) in networks.parameters.iter() {
        if let Some(numbers) = case.weights.get(&name(key)) {
            weights.set(key.0, &key.1, numbers.clone());
        }
    }
    let parameters = networks.parameters.values::<f64>(template, vocabulary, &weights);
    let (network, mut space) = (&networks.networks[0], Workspace::default());
    network.forward(program.schedule(), &parameters, &mut space);
    let found = space.output(network, 0).expect("the query is in the model").to_vec();
    close(case, "value", &found, &case.value);
    let mut gradient = vec![0.0; networks.parameters.len()];
    let seed = |_: usize, _: &[f64], by: &mut [f64]| {
        by.iter_mut().enumerate().for_each(|(at, by)| *by = 1.0 + at as f64);
    };
    network.backward(program.schedule(), &parameters, &mut space, seed, &mut gradient);
    let mut seen = 0;
    for (key, range) in networks.parameters.iter() {
        if let Some(expected) = case.gradients.get(&name(key)) {
            close(case, &name(key), &gradient[range], expected);
            seen += 1;
        }
    }
    assert_eq!(seen, case.gradients.len(), "{}: some weights have no part in the network", case.name);
}

#[test]
fn values_and_gradients_are_those_of_pytorch() {
    let cases = cases();
    cases.iter().for_each(check);
    for module in modules().iter().filter(|module| !["chains", "rings", "functional"].contains(&module.name))
    {
        let is_there = cases.iter().any(|case| case.name.split(' ').next() == Some(module.name));
        assert!(is_there, "no case of the module {}", module.name);
    }
}

/// Returns the atoms of a predicate that a module of molecules derives.
fn atoms(module: &str, predicate: &str, facts: &str) -> Vec<String> {
    let template = Template::parse(&format!(":- use({module}).\n")).unwrap();
    let mut data = template.data();
    let mut sources = lrnn::diagnostic::Sources::of_data();
    let source = sources.add("facts".to_owned(), facts.to_owned());
    data.examples(sources.text(source), source, Layout::Examples);
    let data = data.finish().unwrap();
    let program = Program::new(&template, &data, Limits::default()).unwrap();
    let grounding = program.ground(&data.vocabulary, &data.examples[0]).unwrap();
    let id = data.vocabulary.find_predicate(predicate, 2).unwrap();
    let relation = &grounding.relations[id.index()];
    let mut all: Vec<String> =
        (0..relation.len() as u32).map(|row| grounding.atom_text(&data.vocabulary, id, row)).collect();
    all.sort();
    all
}

fn bonds(all: &[(&str, &str, &str)]) -> String {
    all.iter()
        .map(|(a, b, kind)| format!("bond({a}, {b}, {kind}), bond({b}, {a}, {kind})"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn molecules_have_their_rings_and_groups() {
    // Acetic acid with a chlorine: Cl-CH2-C(=O)-OH, without its hydrogens.
    let acid = bonds(&[("c1", "c2", "1"), ("c2", "o1", "2"), ("c2", "o2", "1"), ("c1", "x", "1")]);
    let elements = "element(c1, c), element(c2, c), element(o1, o), element(o2, o), element(x, cl)";
    let found = atoms("functional, output = group", "group", &format!("{elements}, {acid}."));
    let expected = ["group(carbonyl, c2)", "group(carboxyl, c2)", "group(halide, x)", "group(hydroxyl, o2)"];
    assert_eq!(found, expected);
    let ring = bonds(&[("a", "b", "1"), ("b", "c", "1"), ("c", "d", "1"), ("d", "a", "1"), ("d", "e", "1")]);
    let found = atoms("rings", "ring", &format!("{ring}."));
    assert_eq!(found, ["ring(4, a)", "ring(4, b)", "ring(4, c)", "ring(4, d)"]);
}
