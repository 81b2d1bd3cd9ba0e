//! Exclusive or, learned from its four rows.
#![allow(clippy::print_stdout)] // it is a program

mod common;

use common::Task;
use lrnn::train::{Answered, Settings};

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
const DATA: &str = "
0 xor :- 0 first, 0 second, 1 one.
1 xor :- 0 first, 1 second, 1 one.
1 xor :- 1 first, 0 second, 1 one.
0 xor :- 1 first, 1 second, 1 one.
";

fn learn() -> Option<Vec<Answered>> {
    let mut settings = Settings { epochs: 500, ..Settings::default() };
    for (name, value) in
        [("loss", "squared"), ("learning_rate", "0.05"), ("batch_size", "4"), ("restarts", "4")]
    {
        settings.set(name, value).ok()?;
    }
    let task = Task::parse(TEMPLATE, DATA)?;
    let problem = task.problem(&settings)?;
    let weights = task.learn(&problem, &settings);
    Some(problem.training_answers(&weights))
}

fn main() {
    for answered in learn().unwrap_or_default() {
        println!("row {}: {:.4}, should be {}", answered.example, answered.values[0], answered.targets[0]);
    }
}

#[test]
fn all_four_rows_are_learned() {
    let answers = learn().expect("answers");
    assert_eq!(answers.len(), 4);
    assert!(answers.iter().all(|row| (row.values[0] - row.targets[0]).abs() < 0.2), "{answers:?}");
}
