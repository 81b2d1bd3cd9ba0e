//! `lrnn predict MODEL DATA`: the answers of a model to the queries of data.

use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::train::Settings;
use lrnn::{Answer, Answers, Value};
use lrnn_lab::table::Table;
use serde::Serialize;

use crate::args::{Common, Predict, PredictCommand};
use crate::failure::Error;
use crate::load::Applied;
use crate::output;

/// The answers of a model to the queries of data.
#[derive(Serialize)]
struct Predictions<'a> {
    predictions: Vec<&'a Answer>,
    unentailed: usize,
    unlearned: &'a [String],
    seconds: Seconds,
    peak_memory_bytes: Option<u64>,
}

/// Seconds of reading model and data, and of answering.
#[derive(Clone, Copy, Serialize)]
pub struct Seconds {
    pub read: f64,
    pub compute: f64,
}

/// Answers the queries of data, and tells what is outside the model or was never learned.
pub fn answers(asked: &Predict, common: &Common) -> Result<(Applied, Answers, Seconds), Error> {
    let applied = Applied::read(asked, common)?;
    let start = Instant::now();
    let mut meaning = applied.predictor.meaning();
    if let Some(text) = &asked.unentailed {
        let mut settings = Settings::default();
        settings.set("unentailed", text)?;
        meaning.unentailed = settings.unentailed;
    }
    let answers = applied.predictor.predict_as(&applied.dataset, meaning)?;
    output::say_notes(answers.notes()?, common);
    let seconds = Seconds { read: applied.seconds, compute: start.elapsed().as_secs_f64() };
    Ok((applied, answers, seconds))
}

pub fn run(predict: &PredictCommand, common: &Common) -> Result<u8, Error> {
    let (_, answers, seconds) = answers(&predict.asked, common)?;
    let predictions: Vec<&Answer> = answers.all.iter().filter(|answer| answer.value.is_some()).collect();
    if common.json {
        output::print_json(&Predictions {
            predictions,
            unentailed: answers.outside(),
            unlearned: &answers.unlearned,
            seconds,
            peak_memory_bytes: output::peak_memory_bytes(),
        })?;
    } else if predict.csv {
        output::print(&printable(&csv(&predictions)))?;
    } else {
        output::print(&printable(&table(&predictions)))?;
    }
    Ok(0)
}

fn cell(value: Option<&Value>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}

fn table(predictions: &[&Answer]) -> String {
    let row = |answer: &&Answer| {
        let class = answer.class.map_or_else(|| "-".to_owned(), |class| class.to_string());
        let probability = answer.probability.as_ref();
        vec![
            answer.example.clone(),
            answer.query.clone(),
            cell(answer.value.as_ref()),
            probability.map_or_else(|| "-".to_owned(), ToString::to_string),
            class,
        ]
    };
    let rows: Vec<Vec<String>> = predictions.iter().map(row).collect();
    output::table(&["example", "query", "value", "probability", "class"], &rows)
}

/// A line for each query; numbers are exact, and vectors and matrices written as in JSON.
fn csv(predictions: &[&Answer]) -> String {
    let exact =
        |value: Option<&Value>| value.and_then(|value| serde_json::to_string(value).ok()).unwrap_or_default();
    let mut table = Table::new(["example", "query", "value", "probability", "class", "target", "in_model"]);
    for answer in predictions {
        table.row([
            answer.example.clone(),
            answer.query.clone(),
            exact(answer.value.as_ref()),
            exact(answer.probability.as_ref()),
            answer.class.map_or_else(String::new, |class| class.to_string()),
            exact(answer.target.as_ref()),
            answer.in_model.to_string(),
        ]);
    }
    table.csv()
}
