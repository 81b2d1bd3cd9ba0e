//! The answers of a model as one value: a table for people, CSV, and CSV beside the table that was asked about.

use lrnn::diagnostic::{Error, ErrorKind};
use lrnn::{Answer, Answers, Value};
use serde::Serialize;

use crate::table::{TextTable, columns};

/// The answers of a model to the queries of data that are in the model or count as a value.
#[derive(Clone, Debug, Serialize)]
pub struct Predictions<'a> {
    /// The answers.
    pub predictions: Vec<&'a Answer>,
    /// Number of queries outside the model.
    pub unentailed: usize,
    /// Weights that were never learned.
    pub unlearned: &'a [String],
}

/// The table that predictions are about, a row for each example.
#[derive(Clone, Copy)]
pub struct PredictedTable<'a> {
    /// The names of the columns.
    pub columns: &'a [String],
    /// The cells of each row; `None` is NULL.
    pub rows: &'a [Vec<Option<String>>],
    /// Returns the name of a class of a target.
    pub class_name: &'a dyn Fn(&str, usize) -> Option<&'a str>,
}

impl<'a> Predictions<'a> {
    /// Keeps the answers that have a value.
    pub fn of(answers: &'a Answers) -> Self {
        Self {
            predictions: answers.all.iter().filter(|answer| answer.value.is_some()).collect(),
            unentailed: answers.outside(),
            unlearned: &answers.unlearned,
        }
    }

    /// Returns an error where there is no answer.
    pub fn some(self) -> Result<Self, Error> {
        if self.predictions.is_empty() {
            let error = Error::new(ErrorKind::Content, "no query of this data is in the model");
            return Err(error.help("`--unentailed 0` takes those outside for 0"));
        }
        Ok(self)
    }

    /// Returns the table for people.
    pub fn text(&self, table: Option<PredictedTable<'_>>) -> String {
        let cell = |value: Option<&Value>, none: &str| value.map_or_else(|| none.into(), Value::to_string);
        let row = |answer: &&Answer| {
            vec![
                answer.example.clone(),
                answer.query.clone(),
                cell(answer.value.as_ref(), ""),
                cell(answer.probability.as_ref(), "-"),
                class(answer, table).unwrap_or_else(|| "-".to_owned()),
            ]
        };
        let rows: Vec<Vec<String>> = self.predictions.iter().map(row).collect();
        columns(&["example", "query", "value", "probability", "class"], &rows)
    }

    /// Returns a line of CSV for each query; numbers are exact, and vectors and matrices written as in JSON.
    pub fn csv(&self) -> String {
        let mut table =
            TextTable::new(["example", "query", "value", "probability", "class", "target", "in_model"]);
        for answer in &self.predictions {
            table.row([
                answer.example.clone(),
                answer.query.clone(),
                exact(answer.value.as_ref()),
                exact(answer.probability.as_ref()),
                class(answer, None).unwrap_or_default(),
                exact(answer.target.as_ref()),
                answer.in_model.to_string(),
            ]);
        }
        table.csv()
    }

    /// Returns the rows of a table, each with what is predicted of it: so it joins with the table.
    pub fn csv_beside(&self, about: PredictedTable<'_>) -> String {
        // A column of the table is not overwritten by one of ours.
        let free = |name: &str| match about.columns.iter().any(|column| column == name) {
            true => format!("lrnn_{name}"),
            false => name.to_owned(),
        };
        let own = ["target", "prediction", "probability", "class"].map(free);
        let mut table = TextTable::new(about.columns.iter().cloned().chain(own));
        for answer in &self.predictions {
            let cells = about.rows[answer.place.0].iter().map(|cell| cell.clone().unwrap_or_default());
            let own = [
                target_of(&answer.query).to_owned(),
                exact(answer.value.as_ref()),
                exact(answer.probability.as_ref()),
                class(answer, Some(about)).unwrap_or_default(),
            ];
            table.row(cells.chain(own));
        }
        table.csv()
    }
}

fn exact(value: Option<&Value>) -> String {
    value.and_then(|value| serde_json::to_string(value).ok()).unwrap_or_default()
}

/// Returns the name or the number of a class.
fn class(answer: &Answer, table: Option<PredictedTable<'_>>) -> Option<String> {
    let class = answer.class?;
    let name = table.and_then(|table| (table.class_name)(target_of(&answer.query), class));
    Some(name.map_or_else(|| class.to_string(), str::to_owned))
}

/// Returns the name of the target that a query asks for: `active` of `property(active)`.
fn target_of(query: &str) -> &str {
    let inside = query.strip_prefix("property(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(query);
    inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(inside)
}
