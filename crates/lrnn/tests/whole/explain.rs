//! Contributions add up, whatever the template; a proof has the values of the reference network; and a value without some
//! facts is what the network of the data without them says.

use lrnn::data::{Dataset, Layout};
use lrnn::explain::{Proof, contributions, values_without};
use lrnn::function::{Activation, Aggregation, Combination};
use lrnn::ground::{Grounding, Limits, Plans, Statistics, ground};
use lrnn::network::{Reference, Weights};
use lrnn::template::Template;
use lrnn::vocabulary::PredicateId;

use crate::case::Case;
use crate::solve::read;

/// How many atoms were explained, and the largest error of a sum.
#[derive(Default)]
struct Explained {
    atoms: usize,
    examples: usize,
    error: f64,
}

fn explain(text: &str, data: &str, explained: &mut Explained) {
    let Ok((template, dataset)) = read(&[text.to_owned()], &[data.to_owned()], Layout::Examples) else {
        return;
    };
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    for number in 0..dataset.examples.len() {
        let limits = Limits { per_example: 20_000, total: 20_000, ..Limits::default() };
        let example = &dataset.examples[number];
        if let Ok(grounding) = ground(&template, &plans, &dataset.vocabulary, example, &limits) {
            explain_example(&template, &dataset, number, &grounding, explained);
        }
    }
}

fn explain_example(
    template: &Template,
    dataset: &Dataset,
    number: usize,
    grounding: &Grounding,
    explained: &mut Explained,
) {
    let (vocabulary, example, weights) = (&dataset.vocabulary, &dataset.examples[number], Weights::new(5));
    let network = Reference::build(template, vocabulary, example, grounding).expect("a network");
    let Ok(values) = network.evaluate::<f64>(template, vocabulary, &weights) else { return };
    let rows = |id: PredicateId| (0..grounding.relations[id.index()].len() as u32).map(move |row| (id, row));
    let roots: Vec<(PredicateId, u32)> = vocabulary.predicates().flat_map(|(id, _)| rows(id)).collect();
    let proof = Proof::new(template, vocabulary, example, grounding, &[&weights], &roots).expect("a proof");
    explained.examples += 1;
    for (predicate, row) in roots {
        let place = proof.find(predicate, row).expect("an atom of the proof");
        let (expected, _) = network.value_of(&values, predicate, row).expect("a value");
        // Exactly, but for cycles: sweeps end where values change no more than so much.
        let found = proof.values.atoms.of(place).0;
        let is_near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-9 * (1.0 + a.abs());
        let is_same = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
        assert!(is_same, "{}: {found:?}, not {expected:?}", proof.atom_text(place));
        for element in 0..expected.len() {
            let found = contributions(&proof, place, element, |_| true);
            let aim = found.value - found.baseline;
            // Functions such as exp of exp reach values where the last digit is large.
            let largest = found.facts.iter().map(|share| share.amount.abs()).fold(1.0, f64::max);
            let size = found.value.abs().max(found.baseline.abs()).max(largest);
            let constants = found.constants.iter().map(|share| share.amount).sum::<f64>();
            for sum in [found.sum(), constants] {
                let error = (sum - aim).abs() / size;
                assert!(error < 1e-9, "{}: {sum} for {aim}", proof.atom_text(place));
            }
            explained.error = explained.error.max(found.residual().abs() / size);
            explained.atoms += 1;
        }
    }
}

#[test]
fn contributions_add_up_for_random_templates() {
    let mut explained = Explained::default();
    for seed in 0..400 {
        let case = Case::new(seed);
        explain(&case.template.join("\n"), &case.data(), &mut explained);
    }
    assert!(explained.examples >= 200, "{} examples", explained.examples);
    assert!(explained.atoms > 2000, "{} atoms", explained.atoms);
    assert!(explained.error < 1e-9, "{}", explained.error);
}

const DATA: &str = "0.7 q(a), 1.5 q(b), 0.2 q(c), 0.9 r(a, b), 2 r(b, c), r(a, c), 0.4 r(c, a).\n\
    q(a), q(b), 0.5 r(a, a), 0.25 r(a, b).";

#[test]
fn contributions_add_up_for_every_function() {
    let mut explained = Explained::default();
    let families = ["max_sigmoid", "avg_sigmoid", "godel", "lukasiewicz", "neuralogic"];
    // Every function with every other, the families in turn.
    let mut turn = families.iter().cycle();
    for combination in Combination::ALL {
        for activation in Activation::ALL {
            for aggregation in Aggregation::ALL {
                let family = turn.next().expect("they go round");
                let text = format!(
                    ":- family({family}).\n\
                     0.8 :: s(X) :- 0.3 :: q(X), r(X, Y), ~q(Y). [activation = {combination}-{activation}, \
                     aggregation = {aggregation}]\n\
                     t(X) :- s(X), q(X).\n-0.6 :: u :- t(X), ~s(X).\ns/1 [activation = {activation}]."
                );
                explain(&text, DATA, &mut explained);
            }
        }
    }
    assert!(explained.atoms > 10_000, "{} atoms", explained.atoms);
    assert!(explained.error < 1e-6, "{}", explained.error);
}

#[test]
fn contributions_add_up_for_vectors() {
    let mut explained = Explained::default();
    for activation in Activation::ALL {
        for aggregation in Aggregation::ALL {
            let text = format!(
                ":- family(neuralogic).\n\
                 {{3}} :: s(X) :- q(X), r(X, Y). [activation = {activation}, aggregation = {aggregation}]\n\
                 t(X) :- {{3, 3}} :: s(X), {{3, 3}} :: s(Y), *r(X, Y). [activation = element-product-tanh]\n\
                 {{2, 3}} :: u(X) :- t(X), s(X).\nu/1 [activation = {activation}]."
            );
            explain(&text, DATA, &mut explained);
        }
    }
    assert!(explained.atoms > 1000, "{} atoms", explained.atoms);
    assert!(explained.error < 1e-6, "{}", explained.error);
}

const MOLECULES: &str = ":- family(FAMILY).
    w[T] :: in(X) :- element(X, T).
    near(X) :- in(X), in(Y), *bond(X, Y). [aggregation = AGGREGATION]
    -0.7 :: near(X) :- 0.5 :: near2(Y), *bond(Y, X).
    near2(X) :- in(X), bond(X, Y). [aggregation = AGGREGATION]
    0.9 :: answer :- near(X), in(X). [aggregation = AGGREGATION]
    1.2 :: answer :- *bond(X, Y), ~in(X).
    extra :- light.";

const ATOMS: [&str; 9] = [
    "element(a, c)",
    "element(b, o)",
    "element(d, n)",
    "element(e, c)",
    "bond(a, b)",
    "bond(b, a)",
    "bond(b, d)",
    "bond(d, e)",
    "light",
];

/// The values of `answer` without each of these facts, by taking them away and by grounding anew.
fn check_without(text: &str) {
    let value = |facts: &[&str]| -> Option<f64> {
        let (template, dataset) =
            read(&[text.to_owned()], &[format!("{}.", facts.join(", "))], Layout::Examples).expect("data");
        let plans = Plans::new(&template, &Statistics::of(&dataset));
        let (vocabulary, example) = (&dataset.vocabulary, &dataset.examples[0]);
        let grounding = ground(&template, &plans, vocabulary, example, &Limits::default()).expect("ground");
        let network = Reference::build(&template, vocabulary, example, &grounding).expect("a network");
        let values = network.evaluate::<f64>(&template, vocabulary, &Weights::new(5)).expect("values");
        let answer = vocabulary.find_predicate("answer", 0).expect("the predicate");
        network.value_of(&values, answer, 0).map(|(numbers, _)| numbers[0])
    };
    let (template, dataset) =
        read(&[text.to_owned()], &[format!("{}.", ATOMS.join(", "))], Layout::Examples).expect("data");
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let (vocabulary, example) = (&dataset.vocabulary, &dataset.examples[0]);
    let grounding = ground(&template, &plans, vocabulary, example, &Limits::default()).expect("ground");
    let answer = vocabulary.find_predicate("answer", 0).expect("the predicate");
    let weights = Weights::new(5);
    let proof =
        Proof::new(&template, vocabulary, example, &grounding, &[&weights], &[(answer, 0)]).expect("a proof");
    let root = proof.find(answer, 0).expect("the root");
    // Every set of facts.
    for set in 1..1usize << ATOMS.len() {
        let is_away =
            |text: &str| ATOMS.iter().position(|it| *it == text).is_some_and(|at| set >> at & 1 == 1);
        let facts: Vec<usize> = (0..proof.network.facts.len())
            .filter(|&fact| is_away(&proof.atom_text(proof.network.facts[fact].atom)))
            .collect();
        let left: Vec<&str> = ATOMS.into_iter().filter(|text| !is_away(text)).collect();
        if left.is_empty() {
            continue;
        }
        let found = values_without(&proof, root, 0, &[&facts])[0];
        let absent =
            values_without(&proof, root, 0, &[&(0..proof.network.facts.len()).collect::<Vec<_>>()])[0];
        let expected = value(&left).unwrap_or(absent);
        assert!((found - expected).abs() < 1e-12, "{text}: without {set:b} {found}, not {expected}");
    }
}

#[test]
fn a_value_without_facts_is_that_of_the_data_without_them() {
    for family in ["max_sigmoid", "avg_sigmoid", "godel", "neuralogic"] {
        for aggregation in Aggregation::ALL {
            let text = MOLECULES.replace("FAMILY", family).replace("AGGREGATION", &aggregation.to_string());
            // Of ground rules that count once, one is kept: without its guards another would stand in for it.
            let text = text.replace("~in(X).", "~in(X). [duplicate_grounding = true]");
            check_without(&text);
        }
    }
}

#[test]
fn counted_facts_have_shares_and_mirror_images_are_one() {
    let text = ":- family(neuralogic). 0.3 :: answer :- *p(X, Y). [aggregation = count]";
    let (template, dataset) =
        read(&[text.to_owned()], &["p(a, b), p(b, a), p(c, d).".to_owned()], Layout::Examples).expect("data");
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let (vocabulary, example) = (&dataset.vocabulary, &dataset.examples[0]);
    let grounding = ground(&template, &plans, vocabulary, example, &Limits::default()).expect("ground");
    let answer = vocabulary.find_predicate("answer", 0).expect("the predicate");
    let weights = Weights::new(5);
    let proof =
        Proof::new(&template, vocabulary, example, &grounding, &[&weights], &[(answer, 0)]).expect("a proof");
    let found = contributions(&proof, proof.find(answer, 0).expect("the root"), 0, |_| true);
    assert_eq!(found.facts.iter().map(|share| share.facts.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(found.facts.iter().all(|share| share.amount > 0.05), "{found:?}");
    assert!(found.baseline == 0.0 && found.residual().abs() < 1e-12, "{found:?}");
    assert_eq!(found.constants.len(), 4);
}
