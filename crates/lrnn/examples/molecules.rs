//! A few molecules: learn an indexed template, write the model to bytes, read it again, and predict.
#![allow(clippy::print_stdout)] // it is a program

mod common;

use std::collections::BTreeMap;

use common::Task;
use lrnn::model::{Model, Precision, fingerprint};
use lrnn::network::Weights;
use lrnn::train::Settings;

/// Soft groups of elements, and a weight for each pair of groups that is bonded.
const TEMPLATE: &str = "
group(1..2).
w[T, G] :: in(A, G) :- element(A, T), *group(G).
c[G1, G2] :: toxic :- in(A, G1), bond(A, B), in(B, G2).
";
const KNOWN: &str = "
1 toxic :- element(a, c), element(b, o), bond(a, b).
0 toxic :- element(a, o), element(b, c), bond(a, b).
0 toxic :- element(a, c), element(b, c), bond(a, b).
0 toxic :- element(a, o), element(b, o), bond(a, b).
1 toxic :- element(a, c), element(b, c), element(d, o), bond(a, b), bond(b, d).
0 toxic :- element(a, o), element(b, o), element(d, c), bond(a, b), bond(b, d).
";
const NEW: &str = "
toxic :- element(x, c), element(y, o), element(z, o), bond(x, y), bond(y, z).
toxic :- element(x, o), element(y, c), element(z, c), bond(x, y), bond(y, z).
";

/// A model as bytes.
fn learn() -> Option<Vec<u8>> {
    let mut settings = Settings { epochs: 400, ..Settings::default() };
    settings.set("learning_rate", "0.05").ok()?;
    let task = Task::parse(TEMPLATE, KNOWN)?;
    let problem = task.problem(&settings)?;
    let weights = task.learn(&problem, &settings);
    let (template, vocabulary) = (&task.template, &task.dataset.vocabulary);
    let model = Model {
        sources: vec![("template.lrnn".into(), TEMPLATE.into())],
        family: None,
        weights: Model::weights_of(template, vocabulary, &problem.networks().parameters, &weights),
        settings: String::new(),
        precision: Precision::F64,
        version: "0.1.0".into(),
        fingerprint: fingerprint(&task.dataset),
        notes: BTreeMap::from([("loss".into(), problem.loss().name().into())]),
    };
    model.to_bytes().ok()
}

/// The value of each query of other data. The targets are not known: any number stands for them.
fn predict(bytes: &[u8], data: &str) -> Option<Vec<f64>> {
    let model = Model::from_bytes(bytes).ok()?;
    let task = Task::parse(&model.sources.first()?.1, &data.replace("toxic :-", "0 toxic :-"))?;
    let problem = task.problem(&Settings::default())?;
    let (template, vocabulary) = (&task.template, &task.dataset.vocabulary);
    let (parameters, mut weights) = (&problem.networks().parameters, Weights::new(0));
    model.apply(template, vocabulary, parameters, &mut weights);
    let numbers: Vec<f64> = parameters.values(template, vocabulary, &weights);
    Some(problem.training_answers(&numbers).iter().map(|answered| answered.values[0]).collect())
}

fn main() {
    let values = learn().and_then(|bytes| predict(&bytes, NEW)).unwrap_or_default();
    for (molecule, value) in values.iter().enumerate() {
        println!("molecule {molecule}: {value:.4}");
    }
}

#[test]
fn what_was_learned_holds_for_others() {
    let values = predict(&learn().expect("a model"), NEW).expect("values");
    assert!(values[0] > 0.5 && values[1] < 0.5, "{values:?}");
}
