//! A few molecules in memory: learn a template, keep the model as bytes, read it again, and predict another molecule.
#![allow(clippy::print_stdout)] // it is a program

use lrnn::train::Count;
use lrnn::{Answers, Error, Model, Settings, Template, fit};

/// Soft groups of elements, and a weight for each pair of groups that is bonded.
const TEMPLATE: &str = "
group(1..2).
w[T, G] :: in(A, G) :- element(A, T), *group(G).
c[G1, G2] :: toxic :- in(A, G1), bond(A, B), in(B, G2).
";

fn learn_and_predict() -> Result<Answers, Error> {
    let template = Template::parse(TEMPLATE)?;
    let mut data = template.data();
    for (first, second, toxic) in [("c", "o", 1.0), ("o", "c", 0.0), ("c", "c", 0.0), ("o", "o", 0.0)] {
        let example = data.example("").fact("element", ("a", first)).fact("element", ("b", second));
        example.fact("bond", ("a", "b")).target(toxic, "toxic", ());
    }
    let settings = Settings { epochs: 400, learning_rate: 0.05, restarts: Count(4), ..Settings::default() };
    let bytes = fit(&template, &data.build()?, &settings)?.model.to_bytes()?;
    let predictor = Model::from_bytes(&bytes)?.predictor()?;
    let mut new = predictor.data();
    new.example("x").fact("element", (1, "c")).fact("element", (2, "o")).fact("bond", (1, 2));
    new.example("y").fact("element", (1, "o")).fact("element", (2, "c")).fact("bond", (1, 2));
    predictor.predict(&new.build()?)
}

fn main() -> Result<(), Error> {
    for answer in learn_and_predict()?.all {
        let probability = answer.probability.map(|probability| probability.to_string()).unwrap_or_default();
        println!("molecule {}: {} with probability {probability}", answer.example, answer.query);
    }
    Ok(())
}

#[test]
fn what_was_learned_holds_for_others() {
    let answers = learn_and_predict().expect("answers");
    let classes: Vec<Option<usize>> = answers.all.iter().map(|answer| answer.class).collect();
    assert_eq!(classes, [Some(1), Some(0)], "{answers:?}");
}
