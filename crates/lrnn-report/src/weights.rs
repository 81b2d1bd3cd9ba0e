//! The learned weights of a model: one list, for people and for machines.

use std::collections::BTreeMap;

use lrnn::Value;
use lrnn::model::{Model, ModelWeight, Precision, weight_names};
use serde::Serialize;

use crate::axis::extent;
use crate::shortened;
use crate::table::{TextTable, columns, count};

/// The weights of a model, or the largest of them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WeightReport {
    /// The weights, in the order of the model, or the largest first.
    pub weights: Vec<WeightRow>,
    /// The family that was asked for instead of the template's.
    pub family: Option<String>,
    /// The name of the precision.
    pub precision: &'static str,
    /// The version of lrnn that wrote the model.
    pub version: String,
    /// The fingerprint of the data, in hexadecimal digits.
    pub fingerprint: String,
    /// The names of the template's files.
    pub sources: Vec<String>,
    /// The settings of learning, by name.
    pub settings: BTreeMap<String, String>,
    /// Whatever else the model keeps, by name.
    pub notes: BTreeMap<String, String>,
    /// The number of members; of several, the weights are those of the best.
    pub members: usize,
    /// The number of weights that the model has.
    #[serde(skip)]
    pub all: usize,
}

/// A weight at an index.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WeightRow {
    /// The name, as [`weight_names`] gives it.
    pub name: String,
    /// The index as text; empty for a plain weight.
    pub index: String,
    /// Rows and columns.
    pub shape: [u32; 2],
    /// The absolute value of a number, the Euclidean norm of a tensor.
    pub norm: f64,
    /// The value.
    pub value: Value,
    /// The line of the template where the weight first stands.
    #[serde(skip)]
    pub line: String,
}

impl WeightReport {
    /// Lists the weights of a model: all, or so many with the largest norm.
    pub fn new(model: &Model, largest: Option<usize>) -> Self {
        let template = model.template().ok();
        let template = template.as_ref();
        let names = template.map(weight_names).unwrap_or_default();
        let line = |weight: &ModelWeight| {
            let span = template?.weights.get(names.iter().position(|name| *name == weight.name)?)?.span;
            Some(template?.sources.line_text(span.source, span.start).trim().to_owned())
        };
        let entry = |weight: ModelWeight| WeightRow {
            line: line(&weight).unwrap_or_default(),
            shape: [weight.shape.rows, weight.shape.columns],
            norm: norm(&weight.numbers),
            name: weight.name,
            index: weight.index,
            value: Value { shape: weight.shape, numbers: weight.numbers },
        };
        let mut weights: Vec<WeightRow> = model.weights.iter().map(entry).collect();
        if let Some(largest) = largest {
            // Equal sizes stay in the order of the model.
            weights.sort_by(|a, b| b.norm.total_cmp(&a.norm));
            weights.truncate(largest);
        }
        Self {
            weights,
            family: model.family.clone(),
            precision: model.precision.name(),
            version: model.version.clone(),
            fingerprint: format!("{:016x}", model.fingerprint),
            sources: model.sources.iter().map(|(name, _)| name.clone()).collect(),
            settings: model.settings.clone(),
            notes: model.notes.clone(),
            members: model.members.len() + 1,
            all: model.weights.len(),
        }
    }

    /// Returns the table for people, and how many weights there are.
    pub fn text(&self) -> String {
        let mut before = "";
        let mut rows = Vec::new();
        for weight in &self.weights {
            // A line that several weights share is shown with the first.
            let line = if weight.line == before { String::new() } else { shortened(&weight.line, 60) };
            before = &weight.line;
            rows.push([weight.name.clone(), weight.index.clone(), self.abbreviated(weight), line]);
        }
        // A column that nothing stands in is left out.
        let used: Vec<usize> =
            (0..4).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
        let chosen = |row: &[String; 4]| used.iter().map(|&column| row[column].clone()).collect();
        let head: Vec<&str> =
            used.iter().map(|&column| ["weight", "index", "value", "stands in"][column]).collect();
        let shown: Vec<Vec<String>> = rows.iter().map(chosen).collect();
        let table = if shown.is_empty() { String::new() } else { columns(&head, &shown) + "\n" };
        let of =
            if rows.len() < self.all { format!(" of {}", count(self.all as u64)) } else { String::new() };
        let numbers = self.weights.iter().map(|weight| weight.value.numbers.len() as u64).sum();
        let (shown, numbers) = (count(rows.len() as u64), count(numbers));
        let (precision, version) = (self.precision, &self.version);
        let member = match self.members {
            1 => String::new(),
            members => format!("; of the best of {members} members"),
        };
        format!("{table}{shown}{of} weights, {numbers} parameters, {precision}, by lrnn {version}{member}\n")
    }

    /// Returns a line of CSV for each parameter.
    pub fn csv(&self) -> String {
        let mut table = TextTable::new(["weight", "index", "row", "column", "value"]);
        for weight in &self.weights {
            let columns = weight.shape[1].max(1) as usize;
            for (position, &number) in weight.value.numbers.iter().enumerate() {
                let (row, column) = ((position / columns).to_string(), (position % columns).to_string());
                table.row([&weight.name, &weight.index, &row, &column, &self.exact(number)]);
            }
        }
        table.csv()
    }

    /// Writes a number, or the shape of a tensor with its norm and its range.
    fn abbreviated(&self, weight: &WeightRow) -> String {
        // Digits beyond the precision of the model mean nothing.
        let number = |number: f64| Value::from(self.exact(number).parse().unwrap_or(number)).to_string();
        let numbers = &weight.value.numbers;
        if let [only] = numbers[..] {
            return number(only);
        }
        let (least, most) = extent(numbers.iter().copied());
        let shape = weight.value.shape;
        format!("{shape} norm {}, from {} to {}", number(weight.norm), number(least), number(most))
    }

    /// Writes the shortest text that gives the same bits again.
    fn exact(&self, number: f64) -> String {
        match Precision::find(self.precision) {
            Some(Precision::F32) => format!("{:?}", number as f32),
            _ => format!("{number:?}"),
        }
    }
}

fn norm(numbers: &[f64]) -> f64 {
    match numbers {
        [number] => number.abs(),
        numbers => numbers.iter().map(|number| number * number).sum::<f64>().sqrt(),
    }
}
