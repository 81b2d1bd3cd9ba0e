//! `lrnn predict MODEL DATA`: the answers of a model to the queries of data.

use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::train::Settings;
use lrnn::{Answer, Answers, Value};
use lrnn_io::MoleculeTable;
use lrnn_report::table::TextTable;
use serde::Serialize;

use crate::args::{Common, ModelDataArgs, PredictArgs};
use crate::failure::{Error, ErrorKind};
use crate::load::ModelInput;
use crate::output;

/// The answers of a model to the queries of data.
#[derive(Serialize)]
struct Predictions<'a> {
    predictions: Vec<&'a Answer>,
    unentailed: usize,
    unlearned: &'a [String],
}

/// The stages of answering with their seconds.
pub type AnswerSeconds = [(&'static str, Option<f64>); 2];

/// Answers the queries of data, and tells what is outside the model or was never learned.
pub fn answers(
    asked: &ModelDataArgs,
    common: &Common,
) -> Result<(ModelInput, Answers, AnswerSeconds), Error> {
    let applied = ModelInput::read(asked, common)?;
    let start = Instant::now();
    let mut meaning = applied.predictor.meaning();
    if let Some(text) = &asked.unentailed {
        let mut settings = Settings::default();
        settings.set("unentailed", text)?;
        meaning.unentailed = settings.unentailed;
    }
    let answers = applied.predictor.predict_as(&applied.dataset, meaning)?;
    output::say_notes(answers.notes()?, common);
    let seconds = [("read", Some(applied.seconds)), ("compute", Some(start.elapsed().as_secs_f64()))];
    Ok((applied, answers, seconds))
}

pub fn run(predict: &PredictArgs, common: &Common) -> Result<u8, Error> {
    let (applied, answers, seconds) = answers(&predict.asked, common)?;
    let predictions: Vec<&Answer> = answers.all.iter().filter(|answer| answer.value.is_some()).collect();
    if predictions.is_empty() {
        let error = Error::new(ErrorKind::Content, "no query of this data is in the model");
        return Err(error.help("`--unentailed 0` takes those outside for 0"));
    }
    if common.json {
        let (unentailed, unlearned) = (answers.outside(), &*answers.unlearned);
        output::print_costed(&Predictions { predictions, unentailed, unlearned }, &seconds)?;
    } else if predict.csv {
        let text = applied.table.as_ref().map(|table| molecules_csv(table, &predictions));
        output::print(&printable(&text.unwrap_or_else(|| csv(&predictions))))?;
    } else {
        output::print(&printable(&table(&predictions, applied.table.as_ref())))?;
    }
    Ok(0)
}

fn cell(value: Option<&Value>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}

fn table(predictions: &[&Answer], molecules: Option<&MoleculeTable>) -> String {
    let row = |answer: &&Answer| {
        let class = class(answer, molecules).unwrap_or_else(|| "-".to_owned());
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

/// Returns the name or the number of a class.
fn class(answer: &Answer, molecules: Option<&MoleculeTable>) -> Option<String> {
    let class = answer.class?;
    let name = molecules.and_then(|table| table.used.class_name(target_of(&answer.query), class));
    Some(name.map_or_else(|| class.to_string(), str::to_owned))
}

/// Returns the name of the target that a query asks for: `active` of `property(active)`.
fn target_of(query: &str) -> &str {
    let inside = query.strip_prefix("property(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(query);
    inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(inside)
}

/// Returns the rows of a table of molecules, each with what is predicted of it: so it joins with the table.
fn molecules_csv(molecules: &MoleculeTable, predictions: &[&Answer]) -> String {
    let own = ["target", "prediction", "probability", "class"];
    // A column of the table is not overwritten by one of ours.
    let free = |name: &str| match molecules.columns.iter().any(|column| column == name) {
        true => format!("lrnn_{name}"),
        false => name.to_owned(),
    };
    let head = molecules.columns.iter().cloned().chain(own.iter().map(|name| free(name)));
    let mut table = TextTable::new(head);
    let exact =
        |value: Option<&Value>| value.and_then(|value| serde_json::to_string(value).ok()).unwrap_or_default();
    for answer in predictions {
        let cells = molecules.rows[answer.place.0].iter().map(|cell| cell.clone().unwrap_or_default());
        let own = [
            target_of(&answer.query).to_owned(),
            exact(answer.value.as_ref()),
            exact(answer.probability.as_ref()),
            class(answer, Some(molecules)).unwrap_or_default(),
        ];
        table.row(cells.chain(own));
    }
    table.csv()
}

/// Returns a line for each query; numbers are exact, and vectors and matrices written as in JSON.
fn csv(predictions: &[&Answer]) -> String {
    let exact =
        |value: Option<&Value>| value.and_then(|value| serde_json::to_string(value).ok()).unwrap_or_default();
    let mut table =
        TextTable::new(["example", "query", "value", "probability", "class", "target", "in_model"]);
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
