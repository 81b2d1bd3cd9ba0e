//! `lrnn predict MODEL DATA`: the values that a model gives to the queries of data.

use lrnn::diagnostic::printable;
use lrnn::function::{Real, Shape};
use lrnn::train::{Loss, Unentailed};
use lrnn_lab::table::Table;
use serde_json::{Value, json};

use super::answer::{Answer, Answers};
use super::query::{value_json, value_text};
use crate::args::{Common, PredictCommand};
use crate::failure::Failure;
use crate::output;

pub fn run(predict: &PredictCommand, common: &Common) -> Result<u8, Failure> {
    let answers = Answers::new(&predict.asked, common)?;
    match (common.json, predict.csv) {
        (true, _) => print_json(&answers)?,
        (false, true) => output::print(&printable(&csv(&answers)))?,
        (false, false) => print_text(&answers)?,
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

/// Returns the value as a probability, element by element; none of a number among the classes of softmax, where it
/// depends on the other queries.
fn probability(answers: &Answers, answer: &Answer) -> Option<Vec<f64>> {
    let value = answers.value(answer)?;
    match (answers.loss, &value[..]) {
        (Loss::Softmax, [_]) => None,
        (Loss::Softmax, _) => {
            let largest = value.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = value.iter().map(|number| Real::exp(number - largest)).collect();
            let sum: f64 = powers.iter().sum();
            Some(powers.iter().map(|power| power / sum).collect())
        }
        (loss, _) => Some(value.iter().map(|&number| loss.probability(number)).collect()),
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
            "value": value, "probability": probability(answers, answer).map(|all| value_json(&all, shape)),
            "class": class(answers, answer), "target": target,
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

/// Prints a line for each query; vectors and matrices are written as in JSON.
fn csv(answers: &Answers) -> String {
    let mut table = Table::new(["example", "query", "value", "probability", "class", "target", "in_model"]);
    for answer in shown(answers) {
        let shape = answers.shape(answer);
        let text = |numbers: Option<Vec<f64>>| {
            numbers.map_or_else(String::new, |numbers| value_json(&numbers, shape).to_string())
        };
        let target = answers.query(answer).target.as_ref();
        table.row([
            answers.loaded.dataset.example_name(answer.example),
            answers.atom(answer),
            text(answers.value(answer)),
            text(probability(answers, answer)),
            class(answers, answer).map_or_else(String::new, |class| class.to_string()),
            target.map_or_else(String::new, |target| target_json(target, shape).to_string()),
            answer.value.is_some().to_string(),
        ]);
    }
    table.csv()
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
