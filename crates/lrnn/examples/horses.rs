//! The horses of the paper: a template and facts, grounded, and the values of the atoms.
#![allow(clippy::print_stdout)] // it is a program

mod common;

use common::Task;
use lrnn::train::Settings;

const TEMPLATE: &str = "
:- family(max_sigmoid).
0.9 :: foal(A) :- parent(A, P), horse(P).
0.5 :: foal(A) :- sibling(A, S), horse(S).
";
const DATA: &str = "
1 foal(star) :- horse(aida), horse(cheyenne), horse(dakotta),
    parent(star, aida), parent(star, cheyenne), 0.8 sibling(star, dakotta).
1 foal(luna) :- horse(aida), sibling(luna, aida).
";

/// The value of each query.
fn values() -> Option<Vec<(String, f64)>> {
    let task = Task::parse(TEMPLATE, DATA)?;
    let problem = task.problem(&Settings::default())?;
    let vocabulary = &task.dataset.vocabulary;
    let start = lrnn::network::Weights::new(0);
    let weights: Vec<f64> = problem.networks().parameters.values(&task.template, vocabulary, &start);
    let answers = problem.training_answers(&weights);
    let atom = |example: usize| {
        let query = &task.dataset.queries[example][0];
        vocabulary.atom_text(query.predicate, &query.terms)
    };
    Some(answers.iter().map(|answered| (atom(answered.example), answered.values[0])).collect())
}

fn main() {
    for (atom, value) in values().unwrap_or_default() {
        println!("{atom}: {value:.6}");
    }
}

#[test]
fn two_parents_and_a_sibling_are_more_than_a_sibling() {
    let values = values().expect("values");
    assert_eq!((values[0].0.as_str(), values[1].0.as_str()), ("foal(star)", "foal(luna)"));
    assert!(values[0].1 > values[1].1 && values[1].1 > 0.0, "{values:?}");
}
