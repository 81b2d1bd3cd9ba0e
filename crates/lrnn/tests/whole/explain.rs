//! Contributions add up, whatever the template; and a proof has the values of the reference network.

use lrnn::data::{Dataset, Layout};
use lrnn::explain::{ExplainError, Proof, constant_shares, contributions};
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
    without_baseline: usize,
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
    let proof = Proof::new(template, vocabulary, example, grounding, &weights, &roots).expect("a proof");
    let run = proof.run().expect("values");
    explained.examples += 1;
    for (predicate, row) in roots {
        let place = proof.find(predicate, row).expect("an atom of the proof");
        let (expected, _) = network.value_of(&values, predicate, row).expect("a value");
        assert_eq!(run.atoms.of(place).0, expected, "{}", proof.atom_text(place));
        for element in 0..expected.len() {
            match contributions(&proof, &run, place, element) {
                Err(ExplainError::Baseline(_)) => explained.without_baseline += 1,
                Err(error) => panic!("{error}"),
                Ok(found) => {
                    let aim = found.value - found.baseline;
                    let rules = found.rules.iter().map(|rule| rule.own).sum::<f64>();
                    let constants = constant_shares(&proof, &found, |_| true);
                    let constants = constants.iter().map(|share| share.amount).sum::<f64>();
                    let sums = [found.sum(), found.kept + constants, rules + found.given + found.kept];
                    // Functions such as exp of exp reach values where the last digit is large.
                    let size = found.value.abs().max(found.baseline.abs()).max(1.0);
                    for sum in sums {
                        let error = (sum - aim).abs() / size;
                        assert!(error < 1e-9, "{}: {sum} for {aim}", proof.atom_text(place));
                    }
                    explained.error = explained.error.max(found.residual().abs() / size);
                    explained.atoms += 1;
                }
            }
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
    assert!(explained.atoms > 2000 && explained.without_baseline == 0, "{} atoms", explained.atoms);
    assert!(explained.error < 1e-9, "{}", explained.error);
}

const DATA: &str = "0.7 q(a), 1.5 q(b), 0.2 q(c), 0.9 r(a, b), 2 r(b, c), r(a, c), 0.4 r(c, a).\n\
    q(a), q(b), 0.5 r(a, a), 0.25 r(a, b).";

#[test]
fn contributions_add_up_for_every_function() {
    let mut explained = Explained::default();
    let families = ["max_sigmoid", "avg_sigmoid", "godel", "lukasiewicz", "neuralogic"];
    for family in families {
        for combination in Combination::ALL {
            for activation in Activation::ALL {
                for aggregation in Aggregation::ALL {
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
