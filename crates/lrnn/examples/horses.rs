//! The horses of the paper: a template as it is written, and the values of two queries, without learning.
#![allow(clippy::print_stdout)] // it is a program

use lrnn::{Answers, Error, Settings, Template, fit};

const TEMPLATE: &str = "
:- family(max_sigmoid).
0.9 :: foal(A) :- parent(A, P), horse(P).
0.5 :: foal(A) :- sibling(A, S), horse(S).
";

fn values() -> Result<Answers, Error> {
    let template = Template::parse(TEMPLATE)?;
    let mut data = template.data();
    data.example("star's")
        .fact("horse", ["aida"])
        .fact("horse", ["cheyenne"])
        .fact("parent", ("star", "aida"))
        .fact("parent", ("star", "cheyenne"))
        .fact_with(0.8, "sibling", ("star", "dakota"))
        .fact("horse", ["dakota"])
        .target(1.0, "foal", ["star"]);
    data.example("luna's").fact("horse", ["aida"]).fact("sibling", ("luna", "aida")).target(
        1.0,
        "foal",
        ["luna"],
    );
    let data = data.build()?;
    // No epochs: the weights stay as the template has them.
    fit(&template, &data, &Settings { epochs: 0, ..Settings::default() })?.model.predict(&data)
}

fn main() -> Result<(), Error> {
    for answer in values()?.all {
        println!("{}: {}", answer.query, answer.value.map(|value| value.to_string()).unwrap_or_default());
    }
    Ok(())
}

#[test]
fn two_parents_and_a_sibling_are_more_than_a_sibling() {
    let answers = values().expect("values");
    let value = |at: usize| answers.all[at].value.as_ref().and_then(lrnn::Value::number).expect("a number");
    assert_eq!((answers.all[0].query.as_str(), answers.all[1].query.as_str()), ("foal(star)", "foal(luna)"));
    assert!(value(0) > value(1) && value(1) > 0.0, "{answers:?}");
}
