//! What only those meet who call the library.

use lrnn::data::DatasetBuilder;
use lrnn::diagnostic::SourceId;
use lrnn::template::{Options, Template};
use lrnn::{Settings, fit};

#[test]
fn a_text_without_a_file_cannot_import() {
    let error = Template::parse(":- import(\"other.lrnn\"). p :- q.").expect_err("no file to import from");
    assert_eq!(error.diagnostics()[0].code, "E0125", "{error}");
    let (ast, _) = lrnn::syntax::parse(":- import(\"other.lrnn\"). p :- q.", SourceId(0));
    let (template, found) = Template::resolve(&ast.items, Options::default());
    assert!(template.is_none() && found[0].code == "E0119", "{found:?}");
}

/// The facts of a molecule: its elements, and each bond both ways.
fn molecule(elements: &[&'static str], bonds: &[(usize, usize)]) -> Vec<(&'static str, Vec<String>)> {
    let atom = |at: usize| format!("a{at}");
    let element = |(at, element): (usize, &&str)| ("element", vec![atom(at), (*element).to_owned()]);
    let bond = |&(a, b): &(usize, usize)| [(a, b), (b, a)].map(|(a, b)| ("bond", vec![atom(a), atom(b)]));
    elements.iter().enumerate().map(element).chain(bonds.iter().flat_map(bond)).collect()
}

fn add(data: &mut DatasetBuilder, name: &str, facts: &[(&'static str, Vec<String>)], target: Option<f64>) {
    let mut example = data.example(name);
    for (predicate, terms) in facts {
        example = match &terms[..] {
            [a, b] => example.fact(predicate, (a.as_str(), b.as_str())),
            _ => panic!("facts of two terms"),
        };
    }
    if let Some(target) = target {
        example.target(target, "active", ());
    }
}

#[test]
fn what_would_change_a_value_is_the_value_of_the_data_without_the_facts() {
    // Kinds of neighbours, and what is absent, change with a fact: no walk through the network of all facts can tell.
    let template = Template::parse(
        ":- family(neuralogic). :- rule_activation(product-identity). :- atom_activation(identity).
        <e[T] = 1> :: near0(X) :- element(X, T).
        near1(X) :- near0(X).
        near1(X) :- near0(Y), *bond(X, Y).
        w[near1(X), #] = 0 :: active :- *near1(X).
        lone(X) :- element(X, T), not bond(X, _).
        v = 0 :: active :- lone(X).",
    )
    .expect("a template");
    let all = [
        (molecule(&["c", "c", "n"], &[(0, 1), (1, 2)]), 1.0),
        (molecule(&["c", "c", "o"], &[(0, 1), (1, 2)]), 0.0),
        (molecule(&["c", "n"], &[(0, 1)]), 1.0),
        (molecule(&["c", "c"], &[(0, 1)]), 0.0),
        (molecule(&["n"], &[]), 1.0),
    ];
    let mut data = template.data();
    all.iter()
        .enumerate()
        .for_each(|(at, (facts, target))| add(&mut data, &at.to_string(), facts, Some(*target)));
    let model = fit(&template, &data.build().expect("data"), &Settings { epochs: 60, ..Settings::default() });
    let model = model.expect("a model").model;
    let (facts, _) = &all[0];
    let explain = |facts: &[(&'static str, Vec<String>)]| {
        let mut data = template.data();
        add(&mut data, "new", facts, None);
        model.explain(&data.build().expect("data")).expect("explanations")
    };
    let found = explain(facts);
    let (changes, value) = (&found[0].changes, found[0].contributions.value);
    assert!(changes.len() >= 4, "{changes:?}");
    for change in changes {
        let is_left = |(predicate, terms): &&(&str, Vec<String>)| {
            !change.facts.contains(&format!("{predicate}({})", terms.join(", ")))
        };
        let left: Vec<_> = facts.iter().filter(is_left).cloned().collect();
        assert!(left.len() < facts.len(), "{}", change.facts);
        let expected = explain(&left)[0].contributions.value;
        assert!((change.value_without - expected).abs() < 1e-9, "{change:?}, not {expected}");
    }
    let chain =
        molecule(&["n", "c", "c", "c", "c", "c", "n"], &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
    let found = &explain(&chain)[0];
    let constants = &found.contributions.constants;
    for (one, other) in [("a0", "a6"), ("a1", "a5")] {
        let of = |name| constants.iter().find(|it| it.constant == name).expect("a share").contribution;
        assert_eq!(of(one), of(other), "{one} and {other} are alike");
    }
    let sum = constants.iter().map(|it| it.contribution).sum::<f64>();
    let whole = found.contributions.value - found.contributions.baseline;
    assert!((sum - whole).abs() < 1e-9 && (found.contributions.sum - whole).abs() < 1e-9);
    let nitrogen = changes.iter().find(|change| change.facts == "element(a2, n)").expect("the nitrogen");
    assert!(nitrogen.value_without < value - 0.5, "{nitrogen:?} of {value}");
}
