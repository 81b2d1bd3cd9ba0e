//! `lrnn predict MODEL DATA`: the values that a model gives to the queries of data.

use lrnn::diagnostic::printable;
use lrnn::function::Shape;
use lrnn::train::Unentailed;
use serde_json::{Value, json};

use super::answer::{Answer, Answers};
use super::query::{value_json, value_text};
use crate::args::{Common, Predict};
use crate::failure::Failure;
use crate::output;

pub fn run(predict: &Predict, common: &Common) -> Result<u8, Failure> {
    let answers = Answers::new(predict, common)?;
    match common.json {
        true => print_json(&answers)?,
        false => print_text(&answers)?,
    }
    Ok(0)
}

/// Whether the answer is yes, where the value says so; of a vector, the place of its largest element.
fn class(answers: &Answers, answer: &Answer) -> Option<usize> {
    let value = answers.value(answer)?;
    match value[..] {
        [number] => Some(usize::from(answers.loss.probability(number) > 0.5)),
        _ => (0..value.len()).reduce(|best, at| if value[at] > value[best] { at } else { best }),
    }
}

/// What is printed: everything but what is left out.
fn shown(answers: &Answers) -> impl Iterator<Item = &Answer> {
    answers.answers.iter().filter(|answer| answer.value.is_some() || answers.unentailed != Unentailed::Skip)
}

/// A target; one number is for all elements.
fn target_json(target: &[f64], shape: Shape) -> Value {
    if target.len() == 1 { json!(target[0]) } else { value_json(target, shape) }
}

fn print_json(answers: &Answers) -> Result<(), Failure> {
    let one = |answer: &Answer| {
        let shape = answers.shape(answer);
        let value = answers.value(answer).map(|value| value_json(&value, shape));
        let target = answers.query(answer).target.as_ref().map(|target| target_json(target, shape));
        json!({
            "example": answers.loaded.dataset.example_name(answer.example), "query": answers.atom(answer),
            "value": value, "class": class(answers, answer), "target": target,
            "in_model": answer.value.is_some(),
        })
    };
    let document = json!({
        "predictions": shown(answers).map(one).collect::<Vec<Value>>(),
        "unentailed": answers.outside().count(),
        "seconds": { "read": answers.loaded.seconds, "build": answers.seconds.0, "compute": answers.seconds.1 },
        "peak_memory_bytes": output::peak_memory_bytes(),
    });
    output::print_json(&document)?;
    Ok(())
}

fn print_text(answers: &Answers) -> Result<(), Failure> {
    let row = |answer: &Answer| {
        let name = answers.loaded.dataset.example_name(answer.example);
        let shape = answers.shape(answer);
        let value = answers.value(answer).map_or_else(String::new, |value| value_text(&value, shape));
        let class = class(answers, answer).map_or_else(|| "-".into(), |class| class.to_string());
        vec![name, answers.atom(answer), value, class]
    };
    let rows: Vec<Vec<String>> = shown(answers).map(row).collect();
    output::print(&printable(&output::table(&["example", "query", "value", "class"], &rows)))?;
    Ok(())
}
