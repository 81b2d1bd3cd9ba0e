//! That every case still runs, on little data.

use lrnn::network::Weights;

use crate::case::{BenchCase, BenchTexts, Data, default_runs, root};
use crate::run::agreeing_limit;
use crate::stage::{BenchProgram, read};
use crate::train::values;

/// The case with the first molecules, or a small graph.
fn small(name: &str) -> (BenchCase, BenchTexts) {
    let mut case = BenchCase::find(name).expect("a case of the default runs is in the table");
    if let Data::Graph(nodes) = &mut case.data {
        *nodes = 20;
        return (case.clone(), case.texts(1).expect("a graph"));
    }
    let first = |text: &str| text.lines().take(3).collect::<Vec<_>>().join("\n");
    let texts = case.texts(1).expect("the molecules");
    (case, BenchTexts { examples: first(&texts.examples), queries: first(&texts.queries) })
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
    let case = BenchCase::find("gcn-10").expect("a case");
    let constants = |copies| {
        let texts = case.texts(copies).expect("the molecules");
        read(&case, &texts).expect("data").dataset.vocabulary.constant_count()
    };
    let (once, twice) = (constants(1), constants(2));
    // Elements and bond types are the same in all.
    assert!(2 * once - twice < 20, "{once} {twice}");
}

/// The bits of the values of molecules, in single and in double precision, so many molecules in each network.
fn bits(ready: &BenchProgram, batch: usize) -> Vec<(u32, u64)> {
    let networks = ready.build(batch).expect("networks");
    let weights = Weights::new(1);
    let (template, vocabulary) = (&ready.template, &ready.dataset.vocabulary);
    let single = values::<f32>(ready, &networks, &networks.parameters.values(template, vocabulary, &weights));
    let double = values::<f64>(ready, &networks, &networks.parameters.values(template, vocabulary, &weights));
    single.iter().zip(&double).map(|(single, double)| (single.to_bits(), double.to_bits())).collect()
}

#[test]
fn values_of_molecules_do_not_depend_on_those_computed_with_them() {
    for (name, family) in
        [("vectors", None), ("gnn", None), ("template", None), ("template", Some("avg-sigmoid"))]
    {
        let mut case = BenchCase::find("chains").expect("the molecules");
        case.template = root().join(format!("datasets/mutagenesis/{name}.lrnn"));
        case.family = family.map(Into::into);
        let mut texts = case.texts(1).expect("the molecules");
        if name == "template" {
            // Millions of ground rules.
            let first = |text: &str| text.lines().take(15).collect::<Vec<_>>().join("\n");
            texts = BenchTexts { examples: first(&texts.examples), queries: first(&texts.queries) };
        }
        let ready = read(&case, &texts).expect("a template and its data");
        let alone = bits(&ready, 1);
        assert_eq!(alone, bits(&ready, 7), "{name}");
        assert_eq!(alone, bits(&ready, 64), "{name}");
    }
}
