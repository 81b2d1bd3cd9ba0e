//! Exclusive or, learned from its four rows of numbers.
#![allow(clippy::print_stdout)] // it is a program

use lrnn::train::Loss;
use lrnn::{Answers, Error, Settings, Template, fit};

/// Two inputs, three hidden neurons with an offset each, one output.
const TEMPLATE: &str = "
:- family(neuralogic).
:- rule_activation(tanh).
:- atom_activation(identity).
unit(1..3).
a[H] :: hidden(H) :- *unit(H), first.
b[H] :: hidden(H) :- *unit(H), second.
c[H] :: hidden(H) :- *unit(H), one.
squashed(H) :- hidden(H).
out[H] :: xor :- *unit(H), squashed(H).
";

fn learn() -> Result<Answers, Error> {
    let template = Template::parse(TEMPLATE)?;
    let mut data = template.data();
    for (first, second, xor) in [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0)] {
        let row = data.example("").fact_with(first, "first", ()).fact_with(second, "second", ());
        row.fact("one", ()).target(xor, "xor", ());
    }
    let mut settings = Settings { epochs: 500, loss: Some(Loss::Squared), ..Settings::default() };
    for (name, value) in [("learning-rate", "0.05"), ("batch-size", "4"), ("restarts", "4")] {
        settings.set(name, value)?;
    }
    let data = data.build()?;
    fit(&template, &data, &settings)?.model.predict(&data)
}

fn main() -> Result<(), Error> {
    for answer in learn()?.all {
        let [value, target] =
            [answer.value, answer.target].map(|it| it.map(|it| it.to_string()).unwrap_or_default());
        println!("row {}: {value}, should be {target}", answer.example);
    }
    Ok(())
}

#[test]
fn all_four_rows_are_learned() {
    let answers = learn().expect("answers").answered();
    assert_eq!(answers.len(), 4);
    assert!(answers.iter().all(|row| (row.values[0] - row.targets[0]).abs() < 0.2), "{answers:?}");
}
