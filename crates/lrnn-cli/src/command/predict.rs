//! `lrnn predict MODEL DATA`: the values that a model gives to the queries of data.

use lrnn::syntax::printable;
use serde_json::{Value, json};

use super::answer::{Answer, Answers};
use super::query::{value_json, value_text};
use crate::args::{Common, Predict};
use crate::failure::Failure;
use crate::output;

pub fn run(predict: &Predict, common: &Common) -> Result<u8, Failure> {
    let answers = Answers::new(&predict.model, &predict.data, &predict.limits, common)?;
    match common.json {
        true => print_json(&answers)?,
        false => print_text(&answers)?,
    }
    Ok(0)
}

/// Whether the answer is yes, where the value says so; of a vector, the place of its largest element.
fn class(answers: &Answers, answer: &Answer) -> Option<usize> {
    let value = answer.value.as_ref()?;
    match value[..] {
        [number] => Some(usize::from(answers.loss.probability(number) > 0.5)),
        _ => (0..value.len()).reduce(|best, at| if value[at] > value[best] { at } else { best }),
    }
}

fn print_json(answers: &Answers) -> Result<(), Failure> {
    let one = |answer: &Answer| {
        let value = answer.value.as_ref().map(|value| value_json(value, answers.shape(answer)));
        let target =
            answers.query(answer).target.as_ref().map(|target| value_json(target, answers.shape(answer)));
        json!({
            "example": answers.loaded.dataset.example_name(answer.example), "query": answers.atom(answer),
            "value": value, "class": class(answers, answer), "target": target,
        })
    };
    let document = json!({
        "predictions": answers.answers.iter().map(one).collect::<Vec<Value>>(),
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
        let value =
            answer.value.as_ref().map_or_else(|| "not in the model".into(), |value| value_text(value, shape));
        let class = class(answers, answer).map_or_else(|| "-".into(), |class| class.to_string());
        vec![name, answers.atom(answer), value, class]
    };
    let rows: Vec<Vec<String>> = answers.answers.iter().map(row).collect();
    output::print(&printable(&output::table(&["example", "query", "value", "class"], &rows)))?;
    Ok(())
}
