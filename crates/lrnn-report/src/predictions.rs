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
        if let Some(ClassTable { names, rows }) = table.and_then(|_| self.by_example()) {
            let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
            let names: Vec<&str> =
                std::iter::once("example").chain(names.iter().map(String::as_str)).collect();
            return columns(&names, &rows);
        }
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
        if let Some(ClassTable { names, rows }) = self.by_example() {
            let own = names.iter().map(|name| free(name));
            let mut table = TextTable::new(about.columns.iter().cloned().chain(own));
            for (place, row) in rows {
                let cells = about.rows[place].iter().map(|cell| cell.clone().unwrap_or_default());
                table.row(cells.chain(row.into_iter().skip(1)));
            }
            return table.csv();
        }
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

    /// Returns a row for each example where every query asks for one of several classes of one target, `kind=acid`: the
    /// target, the class of the largest value and the probability of each class.
    fn by_example(&self) -> Option<ClassTable> {
        let split = |answer: &&'a Answer| target_of(&answer.query).split_once('=');
        let (target, _) = self.predictions.first().and_then(split)?;
        let mut classes: Vec<&str> = Vec::new();
        for answer in &self.predictions {
            let (own, class) = split(answer)?;
            answer.probability.as_ref()?.number()?;
            if own != target {
                return None;
            }
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let examples = self.predictions.chunk_by(|a, b| a.place.0 == b.place.0);
        let row = |answers: &[&'a Answer]| {
            let number = |it: &Answer| it.probability.as_ref().and_then(Value::number).unwrap_or(0.0);
            let best = answers.iter().copied().reduce(|a, b| if number(b) > number(a) { b } else { a });
            let class = best.and_then(|best| split(&best)).map_or("", |(_, class)| class);
            let of = |class: &&str| answers.iter().find(|it| split(it).is_some_and(|(_, own)| own == *class));
            let each =
                classes.iter().map(|it| of(it).map_or(String::new(), |it| exact(it.probability.as_ref())));
            let first = [answers[0].example.clone(), target.to_owned(), class.to_owned()];
            (answers[0].place.0, first.into_iter().chain(each).collect())
        };
        let named = classes.iter().map(|class| format!("probability_{class}"));
        let names = ["target", "class"].map(str::to_owned).into_iter().chain(named).collect();
        (classes.len() > 1).then(|| ClassTable { names, rows: examples.map(row).collect() })
    }
}

/// Predictions with one row for each example and a column for each class.
struct ClassTable {
    /// Of the columns behind the example's.
    names: Vec<String>,
    /// The example's place, then its name and what the columns hold.
    rows: Vec<(usize, Vec<String>)>,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(example: usize, query: &str, probability: f64) -> Answer {
        Answer {
            example: format!("m{example}"),
            query: query.to_owned(),
            value: Some(Value::from(probability)),
            probability: Some(Value::from(probability)),
            class: Some(0),
            target: None,
            in_model: true,
            place: (example, 0),
        }
    }

    #[test]
    fn classes_of_one_target_are_one_row_of_the_table() {
        let all = [
            answer(0, "property('kind=acid')", 0.25),
            answer(0, "property('kind=base')", 0.5),
            answer(1, "property('kind=acid')", 0.75),
            answer(1, "property('kind=base')", 0.5),
        ];
        let predictions = Predictions { predictions: all.iter().collect(), unentailed: 0, unlearned: &[] };
        let (columns, rows) = (["class".to_owned()], [vec![Some("a".to_owned())], vec![None]]);
        let about = PredictedTable { columns: &columns, rows: &rows, class_name: &|_, _| None };
        assert_eq!(
            predictions.csv_beside(about),
            "class,target,lrnn_class,probability_acid,probability_base\na,kind,base,0.25,0.5\n,kind,acid,0.75,0.5\n"
        );
        assert!(predictions.csv().contains("m0,property('kind=acid'),0.25"), "{}", predictions.csv());
    }
}
