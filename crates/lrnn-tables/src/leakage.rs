//! What an example should not know: rows and dates later than the moment it is as of, and single columns that give its
//! answer away. A column that alone predicts nearly everything is seldom luck: more often it was written when the answer
//! was known, or is the answer under another name.

use std::collections::BTreeMap;

use lrnn::evaluate::{Roc, Score};
use lrnn::vocabulary::{ConstantId, PredicateId};
use lrnn::{Dataset, Error};
use serde::Serialize;

use crate::facts::TableDataset;
use crate::frame::Cell;
use crate::membership::Memberships;
use crate::resolve::{Tables, TypedColumn};
use crate::{ColumnKind, Moment};

/// From this on a single column predicts too well: the area under the ROC curve, or the share of right answers.
const TOO_WELL: f64 = 0.98;
/// A class that is as frequent as this is predicted so without looking.
const NEARLY_ALL: f64 = 0.95;
/// Fewer examples of a class prove nothing.
const FEWEST: usize = 10;
/// A value that fewer examples have proves nothing.
const FEWEST_OF_VALUE: usize = 5;

/// Something that an example should not know.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Leak {
    /// The table and column, or the predicate, that knows it.
    pub place: String,
    /// The finding, a sentence.
    pub message: String,
    /// The remedy, a sentence.
    pub help: String,
}

/// Things that examples should not know, and how much was looked at.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LeakageReport {
    /// The findings: labels of others, then rows and dates, before columns that predict too well.
    pub leaks: Vec<Leak>,
    /// Columns of facts, and values, whose prediction was measured.
    pub measured: usize,
    /// The reason why nothing was measured, if so.
    pub unmeasured: Option<String>,
}

impl Tables {
    /// Looks for what examples should not know, in the tables and in the data that was made of them.
    pub fn leakage(&self, data: &TableDataset) -> Result<LeakageReport, Error> {
        let leaks = self.labels_of_others().into_iter().chain(self.future()?).collect();
        let mut report = LeakageReport { leaks, ..LeakageReport::default() };
        match labels(&data.dataset) {
            Ok(labels) => predictors(&data.dataset, &labels, &mut report),
            Err(why) => report.unmeasured = Some(why.to_owned()),
        }
        Ok(report)
    }

    /// Finds dates later than the moment that their example is as of, where no `time` hides their rows.
    fn future(&self) -> Result<Vec<Leak>, Error> {
        let mut leaks = Vec::new();
        let Some((example, _)) = self.example else { return Ok(leaks) };
        let mut memberships = Memberships::new(self)?;
        let moments = memberships.moments();
        for column in self.read_columns() {
            let own = self.column(column);
            if column.kind != ColumnKind::Date
                || self.times[column.frame].is_some()
                || self.as_of.is_some_and(|it| (it.frame, it.column) == (column.frame, column.column))
            {
                continue;
            }
            let place = format!("{}.{}", self.frames[column.frame].name, own.name);
            if self.as_of.is_none() {
                if column.frame != example {
                    let message = "rows have dates, but nothing says what an example is as of".to_owned();
                    let help = "add `:- as_of(table.column).` and `:- time(table.column).`, or be sure that no row is later than the answer";
                    leaks.push(Leak { place, message, help: help.to_owned() });
                }
                continue;
            }
            let membership = memberships.of(column.frame, false)?;
            let everyone: Vec<u32> = (0..moments.len() as u32).collect();
            let is_late = |row: &usize| match self.cell(column, *row) {
                Ok(Cell::Moment(moment)) => membership
                    .of(*row)
                    .unwrap_or(&everyone)
                    .iter()
                    .any(|&it| later(moment, moments[it as usize])),
                _ => false,
            };
            let late = (0..self.frames[column.frame].rows).filter(is_late).count();
            if late > 0 {
                let message =
                    format!("{late} rows have a date later than an example that sees them is as of");
                let help = if column.frame == example {
                    "leave the column out of the lines: it was not known at that moment".to_owned()
                } else {
                    format!("`:- time({place}).` hides them")
                };
                leaks.push(Leak { place, message, help });
            }
        }
        Ok(leaks)
    }

    /// Returns the columns that lines of facts read.
    fn read_columns(&self) -> Vec<TypedColumn> {
        let mut all: Vec<TypedColumn> = Vec::new();
        for line in self.lines.iter().filter(|line| !self.line(line).is_query) {
            all.extend(line.columns.iter().flatten());
        }
        all.sort_by_key(|it| (it.frame, it.column));
        all.dedup_by_key(|it| (it.frame, it.column));
        all
    }
}

fn later(moment: Moment, as_of: Moment) -> bool {
    moment.days_since(as_of) > 0.0
}

/// Returns the class of each example, or why there is none.
fn labels(dataset: &Dataset) -> Result<Vec<Option<bool>>, &'static str> {
    if dataset.examples.len() < 2 {
        return Err("there is one knowledge base: nothing is measured by example");
    }
    let label = |queries: &Vec<lrnn::data::Query>| match &queries[..] {
        [only] => only.target.as_ref().map(|target| target.first().is_some_and(|&it| it > 0.5)),
        _ => None,
    };
    let labels: Vec<Option<bool>> = dataset.queries.iter().map(label).collect();
    let count = |class| labels.iter().filter(|label| **label == Some(class)).count();
    match count(true).min(count(false)) < FEWEST {
        true => Err("there are not two classes with ten examples each, one query an example"),
        false => Ok(labels),
    }
}

/// The facts that one example has of a predicate.
#[derive(Default)]
struct Having {
    /// The sum of the values and their number.
    values: (f64, usize),
    /// By column: the constants.
    constants: Vec<Vec<ConstantId>>,
}

/// Measures how well every predicate's number, value and columns predict on their own.
fn predictors(dataset: &Dataset, labels: &[Option<bool>], report: &mut LeakageReport) {
    let mut all: BTreeMap<PredicateId, Vec<Having>> = BTreeMap::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        for table in &example.tables {
            let having = all.entry(table.predicate).or_default();
            having.resize_with(dataset.examples.len(), Having::default);
            let own = &mut having[number];
            own.constants.resize(dataset.vocabulary.signature(table.predicate).arity as usize, Vec::new());
            for row in 0..table.rows as usize {
                own.values.0 += table.value(row).first().copied().unwrap_or(1.0);
                own.values.1 += 1;
                for (column, constant) in own.constants.iter_mut().zip(table.row(row)) {
                    column.push(*constant);
                }
            }
        }
    }
    for (predicate, having) in all {
        let name = dataset.vocabulary.signature(predicate).to_string();
        let mean = |it: &Having| if it.values.1 == 0 { 0.0 } else { it.values.0 / it.values.1 as f64 };
        let measures: [(&str, Vec<f64>); 2] = [
            ("number of facts", having.iter().map(|it| it.values.1 as f64).collect()),
            ("mean value", having.iter().map(mean).collect()),
        ];
        for (what, numbers) in measures {
            report.measured += 1;
            measure(&format!("the {what} of {name}"), &numbers, labels, report);
        }
        let arity = dataset.vocabulary.signature(predicate).arity as usize;
        for column in 0..arity {
            report.measured += 1;
            category(&name, column, &having, labels, dataset, report);
        }
    }
}

/// Reports a number that tells the classes apart.
fn measure(place: &str, numbers: &[f64], labels: &[Option<bool>], report: &mut LeakageReport) {
    let score = |(example, (&value, label)): (usize, (&f64, &Option<bool>))| {
        let target = f64::from(u8::from((*label)?));
        Some(Score { example, class: 0, value, probability: None, target })
    };
    let scores: Vec<Score> = numbers.iter().zip(labels).enumerate().filter_map(score).collect();
    let Ok(area) = Roc::of(&scores).map(|curve| curve.area()) else { return };
    if area.max(1.0 - area) >= TOO_WELL {
        report.leaks.push(Leak {
            place: place.to_owned(),
            message: format!(
                "it alone tells the classes apart: area under the ROC curve {:.3}",
                area.max(1.0 - area)
            ),
            help: "make sure that it is known before the answer; else leave its line out".to_owned(),
        });
    }
}

/// Reports a column whose values tell the classes apart.
fn category(
    name: &str,
    column: usize,
    having: &[Having],
    labels: &[Option<bool>],
    dataset: &Dataset,
    report: &mut LeakageReport,
) {
    let mut counts: BTreeMap<Option<ConstantId>, [usize; 2]> = BTreeMap::new();
    let mut totals = [0; 2];
    for (own, label) in having.iter().zip(labels) {
        let Some(label) = label else { continue };
        totals[usize::from(*label)] += 1;
        // An example with several values is known by the first: it suffices for what a table says of its row.
        let first = own.constants.get(column).and_then(|all| all.first()).copied();
        counts.entry(first).or_default()[usize::from(*label)] += 1;
    }
    let all = totals[0] + totals[1];
    let frequent: Vec<&[usize; 2]> = counts.values().filter(|it| it[0] + it[1] >= FEWEST_OF_VALUE).collect();
    let covered: usize = frequent.iter().map(|it| it[0] + it[1]).sum();
    let right: usize = frequent.iter().map(|it| it[0].max(it[1])).sum();
    let nearly_all = totals[0].max(totals[1]) as f64 >= NEARLY_ALL * all as f64;
    if counts.len() < 2 || nearly_all || 2 * covered < all || (right as f64) < TOO_WELL * covered as f64 {
        return;
    }
    let pure = counts.iter().max_by_key(|(_, it)| it[0].max(it[1]));
    let shown =
        pure.and_then(|(constant, _)| *constant).map(|it| dataset.vocabulary.constant(it).to_string());
    report.leaks.push(Leak {
        place: format!("term {} of {name}", column + 1),
        message: format!(
            "its value alone tells the class of {right} of {covered} examples{}",
            shown.map_or(String::new(), |value| format!(", `{value}` the most"))
        ),
        help: "make sure that it is known before the answer; else leave its line out".to_owned(),
    });
}
