//! That every case still runs, on little data.

use crate::case::{Case, Data, Texts, default_runs};
use crate::run::agreeing_limit;
use crate::stage::read;

/// The case with the first molecules, or a small graph.
fn small(name: &str) -> (Case, Texts) {
    let mut case = Case::find(name).expect("a case of the default runs is in the table");
    if let Data::Graph(nodes) = &mut case.data {
        *nodes = 20;
        return (case.clone(), case.texts(1).expect("a graph"));
    }
    let first = |text: &str| text.lines().take(3).collect::<Vec<_>>().join("\n");
    let texts = case.texts(1).expect("the molecules");
    (case, Texts { examples: first(&texts.examples), queries: first(&texts.queries) })
}

#[test]
fn every_case_learns() {
    let mut names: Vec<&str> = default_runs().into_iter().map(|(name, ..)| name).collect();
    names.dedup();
    for name in names {
        let (case, texts) = small(name);
        let ready = read(&case, &texts).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut training = ready.training(2).expect("networks");
        let before = training.parameters.clone();
        training.epoch();
        assert_ne!(before, training.parameters, "{name}");
        assert!(training.values().iter().all(|value| value.is_finite()), "{name}");
    }
}

#[test]
fn the_limit_computes_what_the_engine_computes() {
    let (case, texts) = small("chains");
    let ready = read(&case, &texts).expect("the paper's template");
    let training = ready.training(1).expect("networks");
    agreeing_limit(&training).expect("the same outputs");
}

#[test]
fn copies_of_molecules_share_no_constants() {
    let case = Case::find("gcn-10").expect("a case");
    let constants = |copies| {
        let texts = case.texts(copies).expect("the molecules");
        read(&case, &texts).expect("data").dataset.vocabulary.constant_count()
    };
    let (once, twice) = (constants(1), constants(2));
    // Elements and bond types are the same in all.
    assert!(2 * once - twice < 20, "{once} {twice}");
}
