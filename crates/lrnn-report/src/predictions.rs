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
    /// The queries of each row, where they are known.
    pub targets: &'a [PredictedTarget],
}

/// A target of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PredictedTarget {
    /// Its name.
    pub name: String,
    /// The names of its classes; none where it has numbers.
    pub classes: Vec<String>,
    /// The names of what is asked: one, or one for each class.
    pub properties: Vec<String>,
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
        let targets = table.map(|table| self.targets(table)).unwrap_or_default();
        if targets.iter().any(PredictedTarget::has_several) {
            let rows = self.target_rows(&targets);
            let names = rows.columns();
            let names: Vec<&str> = ["example"].into_iter().chain(names.iter().map(String::as_str)).collect();
            let cells = |row: &TargetRow| [vec![row.example.clone()], rows.cells(row)].concat();
            return columns(&names, &rows.rows.iter().map(cells).collect::<Vec<_>>());
        }
        let cell = |value: Option<&Value>, none: &str| value.map_or_else(|| none.into(), Value::to_string);
        let row = |answer: &&Answer| {
            vec![
                answer.example.clone(),
                answer.query.clone(),
                cell(answer.value.as_ref(), ""),
                cell(answer.probability.as_ref(), "-"),
                class(answer, target_of(&targets, &name_of(&answer.query)).map(|(target, _)| target))
                    .unwrap_or_else(|| "-".to_owned()),
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
        let free = |name: String| match about.columns.contains(&name) {
            true => format!("lrnn_{name}"),
            false => name,
        };
        let found = self.target_rows(&self.targets(about));
        let mut table =
            TextTable::new(about.columns.iter().cloned().chain(found.columns().into_iter().map(free)));
        for row in &found.rows {
            let cells = about.rows[row.place].iter().map(|cell| cell.clone().unwrap_or_default());
            table.row(cells.chain(found.cells(row)));
        }
        table.csv()
    }

    /// Returns the targets of a table; where nobody says what they are, those that the names of queries tell: `kind=acid` is
    /// a class of `kind`.
    fn targets(&self, about: PredictedTable<'_>) -> Vec<PredictedTarget> {
        let mut targets = about.targets.to_vec();
        for answer in self.predictions.iter().filter(|_| about.targets.is_empty()) {
            let property = name_of(&answer.query);
            let (name, class) = property.split_once('=').unzip();
            let name = name.unwrap_or(&property).to_owned();
            let at = targets.iter().position(|target| target.name == name).unwrap_or_else(|| {
                targets.push(PredictedTarget { name, ..PredictedTarget::default() });
                targets.len() - 1
            });
            if !targets[at].properties.contains(&property) {
                targets[at].classes.extend(class.map(str::to_owned));
                targets[at].properties.push(property);
            }
        }
        targets
    }

    /// Returns a row for each example and target: of one of several classes, the class of the largest value and the share
    /// of each class.
    fn target_rows(&self, targets: &[PredictedTarget]) -> TargetRows {
        let place = |answer: &Answer| target_of(targets, &name_of(&answer.query)).map(|it| it.0);
        let is_one_of_several = |answer: &Answer| place(answer).is_some_and(PredictedTarget::has_several);
        let belong = |a: &&'a Answer, b: &&'a Answer| {
            a.place.0 == b.place.0 && is_one_of_several(a) && place(a) == place(b)
        };
        let row = |answers: &[&'a Answer]| match place(answers[0]) {
            Some(target) if is_one_of_several(answers[0]) => class_row(target, answers),
            target => TargetRow {
                place: answers[0].place.0,
                example: answers[0].example.clone(),
                cells: [
                    target.map_or_else(|| name_of(&answers[0].query), |target| target.name.clone()),
                    exact(answers[0].value.as_ref()),
                    exact(answers[0].probability.as_ref()),
                    class(answers[0], target).unwrap_or_default(),
                ],
                shares: Vec::new(),
            },
        };
        let rows: Vec<TargetRow> = self.predictions.chunk_by(belong).map(row).collect();
        let mut classes: Vec<String> = Vec::new();
        for (class, _) in rows.iter().flat_map(|row| &row.shares) {
            if !classes.contains(class) {
                classes.push(class.clone());
            }
        }
        TargetRows { rows, classes }
    }
}

impl PredictedTarget {
    fn has_several(&self) -> bool {
        self.properties.len() > 1
    }
}

/// The prediction of an example for a target, as text.
struct TargetRow {
    place: usize,
    example: String,
    /// Target, prediction, probability and class.
    cells: [String; 4],
    /// Classes of one of several, each with its share.
    shares: Vec<(String, String)>,
}

/// Predictions with one row for each example and target.
struct TargetRows {
    rows: Vec<TargetRow>,
    /// Classes of all targets with several, each a column.
    classes: Vec<String>,
}

impl TargetRows {
    /// Returns which of the cells are shown: where every target has several classes, the target and the class.
    fn shown(&self) -> &'static [usize] {
        if self.rows.iter().all(|row| !row.shares.is_empty()) { &[0, 3] } else { &[0, 1, 2, 3] }
    }

    fn columns(&self) -> Vec<String> {
        let names = ["target", "prediction", "probability", "class"];
        let names = self.shown().iter().map(|&at| names[at].to_owned());
        names.chain(self.classes.iter().map(|class| format!("probability_{class}"))).collect()
    }

    fn cells(&self, row: &TargetRow) -> Vec<String> {
        let share = |class: &String| {
            let found = row.shares.iter().find(|(own, _)| own == class);
            found.map_or_else(String::new, |(_, share)| share.clone())
        };
        let own = self.shown().iter().map(|&at| row.cells[at].clone());
        own.chain(self.classes.iter().map(share)).collect()
    }
}

/// Returns the row of a target with several classes; shares add up to 1, also where each class was learned by itself. There
/// are none where numbers were learned.
fn class_row(target: &PredictedTarget, answers: &[&Answer]) -> TargetRow {
    let probability = |answer: &&Answer| answer.probability.as_ref().and_then(Value::number);
    let value = |answer: &&Answer| answer.value.as_ref().and_then(Value::number);
    let number = |answer: &&Answer| probability(answer).or_else(|| value(answer)).unwrap_or(0.0);
    let sum: f64 = answers.iter().filter_map(probability).sum();
    let share = |answer: &&Answer| match sum > 0.0 {
        true => exact(probability(answer).map(|it| Value::from(it / sum)).as_ref()),
        false => exact(answer.probability.as_ref()),
    };
    let class = |answer: &&Answer| {
        let property = name_of(&answer.query);
        let at = target.properties.iter().position(|known| *known == property);
        at.and_then(|at| target.classes.get(at).cloned()).unwrap_or(property)
    };
    let best = answers.iter().reduce(|a, b| if number(b) > number(a) { b } else { a });
    let shared = answers.iter().filter(|answer| answer.probability.is_some());
    TargetRow {
        place: answers[0].place.0,
        example: answers[0].example.clone(),
        cells: [
            target.name.clone(),
            best.map_or_else(String::new, |best| exact(best.value.as_ref())),
            best.map_or_else(String::new, share),
            best.map_or_else(String::new, class),
        ],
        shares: shared.map(|answer| (class(answer), share(answer))).collect(),
    }
}

fn exact(value: Option<&Value>) -> String {
    value.and_then(|value| serde_json::to_string(value).ok()).unwrap_or_default()
}

/// Returns the name or the number of a class.
fn class(answer: &Answer, target: Option<&PredictedTarget>) -> Option<String> {
    let class = answer.class?;
    let name = target.filter(|target| target.classes.len() == 2).and_then(|target| target.classes.get(class));
    Some(name.map_or_else(|| class.to_string(), Clone::clone))
}

/// Returns the target of a property, and the number of the property in it.
fn target_of<'a>(targets: &'a [PredictedTarget], property: &str) -> Option<(&'a PredictedTarget, usize)> {
    targets
        .iter()
        .find_map(|target| Some((target, target.properties.iter().position(|known| known == property)?)))
}

/// Returns the name of the property that a query asks for: `active` of `property(active)`.
pub(crate) fn name_of(query: &str) -> String {
    let inside = query.strip_prefix("property(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(query);
    let Some(quoted) = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) else {
        return inside.to_owned();
    };
    let (mut name, mut rest) = (String::new(), quoted.chars());
    while let Some(c) = rest.next() {
        match (c, if c == '\\' { rest.next() } else { None }) {
            (_, Some('n')) => name.push('\n'),
            (_, Some('t')) => name.push('\t'),
            (_, Some('r')) => name.push('\r'),
            (_, Some('u')) => {
                let code: String = rest.by_ref().skip(1).take_while(|&c| c != '}').collect();
                name.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            (_, Some(other)) => name.push(other),
            (c, None) => name.push(c),
        }
    }
    name
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
        let about = PredictedTable { columns: &columns, rows: &rows, targets: &[] };
        let (third, rest) = (0.25 / 0.75, 0.5 / 0.75);
        let head = "class,target,lrnn_class,probability_acid,probability_base";
        assert_eq!(
            predictions.csv_beside(about),
            format!("{head}\na,kind,base,{third},{rest}\n,kind,acid,0.6,0.4\n")
        );
        assert!(predictions.csv().contains("m0,property('kind=acid'),0.25"), "{}", predictions.csv());
    }

    #[test]
    fn targets_of_several_classes_stand_beside_others() {
        let all = [
            answer(0, "property('kind=acid')", 0.2),
            answer(0, "property('kind=base')", 0.6),
            answer(0, "property('it\\'s')", 0.25),
        ];
        let predictions = Predictions { predictions: all.iter().collect(), unentailed: 0, unlearned: &[] };
        let target = |name: &str, classes: [&str; 2], properties: &[&str]| PredictedTarget {
            name: name.to_owned(),
            classes: classes.map(str::to_owned).to_vec(),
            properties: properties.iter().map(|it| (*it).to_owned()).collect(),
        };
        let targets = [
            target("kind", ["acid", "base"], &["kind=acid", "kind=base"]),
            target("it's", ["no, never", "yes"], &["it's"]),
        ];
        let (columns, rows) = (["name".to_owned()], [vec![Some("a\tb".to_owned())]]);
        let about = PredictedTable { columns: &columns, rows: &rows, targets: &targets };
        let (least, most) = (0.2 / 0.8, 0.6 / 0.8);
        assert_eq!(
            predictions.csv_beside(about),
            format!(
                "name,target,prediction,probability,class,probability_acid,probability_base\n\
                 a\tb,kind,0.6,{most},base,{least},{most}\na\tb,it's,0.25,0.25,\"no, never\",,\n"
            )
        );
        assert!(predictions.text(Some(about)).contains("it's"), "{}", predictions.text(Some(about)));
    }

    #[test]
    fn names_are_those_of_the_columns() {
        let check = |name: &str| {
            let query = format!("property({})", lrnn::vocabulary::Constant::from(name));
            assert_eq!(name_of(&query), name);
        };
        ["active", "it's", "a\\b", "two\nlines", "tab\t", "\u{202e}", "Log P", "a=b"]
            .into_iter()
            .for_each(check);
    }
}
