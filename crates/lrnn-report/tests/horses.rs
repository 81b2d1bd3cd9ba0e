//! The horses of the paper, drawn: its figure neuron by neuron and weight by weight, read from the structure of the SVG.

use std::collections::BTreeMap;

use lrnn::Dataset;
use lrnn::diagnostic::SourceId;
use lrnn::explain::{Proof, network_view, template_view};
use lrnn::ground::{Limits, Plans, Statistics, ground};
use lrnn::network::Weights;
use lrnn::syntax::parse;
use lrnn::template::{Options, Template};
use lrnn_report::{network_dot, network_svg};

const HORSES: &str = "\
w_m = 0.6 :: foal(A) :- parent(A, P), horse(P).
w_n = 0.2 :: foal(A) :- sibling(A, S), horse(S).
w_1 = 0.1 :: horse(dakotta).
w_2 = 0.25 :: horse(cheyenne).
w_3 = 0.3 :: horse(aida).
w_6 = 0.65 :: parent(star, aida).
w_5 = 0.5 :: parent(star, cheyenne).
w_4 = 0.4 :: sibling(star, dakotta).
";

fn template() -> Template {
    let (tree, diagnostics) = parse(HORSES, SourceId(0));
    assert_eq!(diagnostics, []);
    Template::resolve(&tree.items, Options::default()).0.expect("the horses")
}

/// Every element of a kind, by its attributes.
fn elements(svg: &str, start: &str) -> Vec<BTreeMap<String, String>> {
    let attributes = |element: &str| {
        let mut rest = element;
        let mut found = BTreeMap::new();
        while let Some((before, after)) = rest.split_once("=\"") {
            let name = before.rsplit([' ', '<']).next().unwrap_or("").to_owned();
            let (value, next) = after.split_once('"').expect("the end of an attribute");
            found.insert(name, value.to_owned());
            rest = next;
        }
        found
    };
    svg.split(start).skip(1).map(|part| attributes(part.split_once('>').expect("an element").0)).collect()
}

fn drawn_network() -> (String, String) {
    let template = template();
    let dataset = Dataset::empty(template.vocabulary.clone());
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let (vocabulary, example) = (&dataset.vocabulary, &dataset.examples[0]);
    let grounding = ground(&template, &plans, vocabulary, example, &Limits::default()).expect("a grounding");
    let foal = vocabulary.find_predicate("foal", 1).expect("foals");
    let weights = Weights::new(0);
    let proof =
        Proof::new(&template, vocabulary, example, &grounding, &[&weights], &[(foal, 0)]).expect("a proof");
    let root = proof.find(foal, 0).expect("a foal");
    let view = network_view(&proof, &[root], 80);
    (network_svg("horses", &view, &[]), network_dot("horses", &view))
}

#[test]
fn the_ground_network_is_that_of_the_figure() {
    let (svg, dot) = drawn_network();
    let nodes = elements(&svg, "<g class=\"node");
    let count = |kind: &str| nodes.iter().filter(|node| node["data-kind"] == kind).count();
    assert_eq!(["fact", "atom", "rule", "aggregation", "folded"].map(count), [6, 7, 3, 2, 0]);
    let named: BTreeMap<&str, (&str, &str)> = nodes
        .iter()
        .map(|node| (node["id"].as_str(), (node["data-kind"].as_str(), node["data-text"].as_str())))
        .collect();
    let mut edges: Vec<(&str, &str, &str, &str, String, String)> = elements(&svg, "<path class=\"edge")
        .iter()
        .map(|edge| {
            let (from, to) = (named[edge["data-from"].as_str()], named[edge["data-to"].as_str()]);
            (from.0, from.1, to.0, to.1, edge["data-name"].clone(), edge["data-weight"].clone())
        })
        .collect();
    edges.sort();
    let fact =
        |atom, name: &str, weight: &str| ("fact", atom, "atom", atom, name.to_owned(), weight.to_owned());
    let one = |from, atom, to| (from, atom, to, "foal(star)", String::new(), "1".to_owned());
    let last = |name: &str, weight: &str| {
        ("aggregation", "foal(star)", "atom", "foal(star)", name.to_owned(), weight.to_owned())
    };
    let mut expected = vec![
        fact("horse(dakotta)", "w_1", "0.1"),
        fact("horse(cheyenne)", "w_2", "0.25"),
        fact("horse(aida)", "w_3", "0.3"),
        fact("sibling(star, dakotta)", "w_4", "0.4"),
        fact("parent(star, cheyenne)", "w_5", "0.5"),
        fact("parent(star, aida)", "w_6", "0.65"),
        one("atom", "horse(dakotta)", "rule"),
        one("atom", "horse(cheyenne)", "rule"),
        one("atom", "horse(aida)", "rule"),
        one("atom", "sibling(star, dakotta)", "rule"),
        one("atom", "parent(star, cheyenne)", "rule"),
        one("atom", "parent(star, aida)", "rule"),
        one("rule", "foal(star)", "aggregation"),
        one("rule", "foal(star)", "aggregation"),
        one("rule", "foal(star)", "aggregation"),
        last("w_m", "0.6"),
        last("w_n", "0.2"),
    ];
    expected.sort();
    assert_eq!(edges, expected);
    // Each rule neuron has its two atoms, the first aggregation neuron two rules and the second one.
    let into = |kind: &str| -> Vec<usize> {
        let of_kind = nodes.iter().filter(|node| node["data-kind"] == kind);
        let all = elements(&svg, "<path class=\"edge");
        let mut counts: Vec<usize> =
            of_kind.map(|node| all.iter().filter(|edge| edge["data-to"] == node["id"]).count()).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(
        (into("rule"), into("aggregation"), into("atom")),
        (vec![2, 2, 2], vec![1, 2], vec![1, 1, 1, 1, 1, 1, 2])
    );
    assert_eq!((dot.matches(" -> ").count(), dot.matches("label=").count()), (17, 17 + 18 + 1));
}

#[test]
fn the_template_is_that_of_the_figure() {
    let template = template();
    let view = template_view(&template, &Weights::new(0));
    let svg = network_svg("horses", &view, &[]);
    let nodes = elements(&svg, "<g class=\"node");
    let texts = |kind: &str| -> Vec<&str> {
        nodes.iter().filter(|node| node["data-kind"] == kind).map(|node| node["data-text"].as_str()).collect()
    };
    let facts = [
        "horse(dakotta)",
        "horse(cheyenne)",
        "horse(aida)",
        "parent(star, aida)",
        "parent(star, cheyenne)",
        "sibling(star, dakotta)",
    ];
    assert_eq!(texts("fact"), facts);
    // The paper names the variable of the horses X; any name that is free will do.
    let mut literals = texts("literal");
    literals.sort_unstable();
    assert_eq!(literals, ["foal(H)", "horse(Q)", "parent(A, P)", "sibling(B, S)"]);
    let mut edges: Vec<(String, String, String)> = elements(&svg, "<path class=\"edge")
        .iter()
        .map(|edge| {
            let from = nodes.iter().find(|node| node["id"] == edge["data-from"]).expect("a node");
            (from["data-text"].clone(), edge["data-weight"].clone(), edge["data-binding"].clone())
        })
        .collect();
    edges.sort();
    let edge = |from: &str, binding: &str| (from.to_owned(), "1".to_owned(), binding.to_owned());
    assert_eq!(edges, [edge("horse(Q)", ""), edge("parent(A, P)", "A=H"), edge("sibling(B, S)", "B=H")]);
}
