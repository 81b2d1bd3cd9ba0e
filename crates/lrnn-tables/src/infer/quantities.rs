//! Quantities: what a class is learned from. Counts, sums, means, the least and the largest of the rows of an example
//! are numbers, each with thresholds; whether a quantity is above a threshold is an atom that has a weight.
//!
//! What a quantity says need not be in proportion to it, nor rise with it, and of many quantities few say anything. So a
//! weight is the product of two, `a` and `b`, which `l2` draws to 0 together: as if the absolute value of the product
//! were drawn to 0, most of them are then nearly 0, and those that are not are hardly drawn. What two quantities say together,
//! and neither alone, is learned by units: each is the square of a weighted sum, two of them added and two subtracted, so
//! that the product of any two thresholds has a weight, as in a factorisation machine. Units with a tanh
//! were as good on some draws of a database and far worse on another.
//!
//! Thresholds lie between values that examples have, about as many examples below one as below the next: all examples,
//! those of test folds as well, but without their labels.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Inferrer, name};
use crate::composite::ColumnLink;
use crate::frame::Cell;
use crate::{ColumnKind, FrameColumn, Moment};

/// Most thresholds of a quantity.
const MOST_THRESHOLDS: usize = 24;
/// The counts of a value from which on rows have it often.
const COUNTS: [u32; 8] = [1, 2, 3, 4, 6, 9, 13, 20];
/// Units, each of which looks at several quantities; every second is subtracted.
const UNITS: usize = 4;
/// Numbers that differ by no larger share are the same: sums of the same numbers in another order, or in single precision,
/// differ so much, and nothing must depend on that.
const SAME: f64 = 1e-6;
/// Of so many thresholds units look at one.
const EVERY: usize = 3;

/// Options of a predicate that is the sum of what its rules say.
const IDENTITY: &str = "[activation = identity, offset = <0>]";

/// Numbers of examples, each with that of a row that belongs to it.
pub(super) type RowOwners = Vec<(u32, u32)>;

/// A way to make one number of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Summary {
    Count,
    Sum,
    Mean,
    Least,
    Largest,
}

impl Summary {
    /// Summaries of the numbers of rows.
    pub const OF_NUMBERS: [Self; 4] = [Self::Sum, Self::Mean, Self::Least, Self::Largest];
    /// Summaries of what has no meaning as a sum, such as days and laboratory values.
    pub const OF_LEVELS: [Self; 3] = [Self::Least, Self::Mean, Self::Largest];

    /// Returns what the language calls it.
    fn aggregation(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Least => "min",
            Self::Largest => "max",
        }
    }

    fn of(self, numbers: &[f64]) -> f64 {
        let sum: f64 = numbers.iter().sum();
        match self {
            Self::Count => numbers.len() as f64,
            Self::Sum => sum,
            Self::Mean => sum / numbers.len() as f64,
            Self::Least => numbers.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Largest => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// A term that a quantity is of: SQL keeps numbers and names apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By<'a> {
    Name(&'a str),
    Number(&'a str),
}

impl<'a> By<'a> {
    /// Returns a variable for the cells of a column.
    pub fn column(variable: &'a str, column: &FrameColumn) -> Self {
        match column.kind() {
            ColumnKind::Integer | ColumnKind::Number => Self::Number(variable),
            _ => Self::Name(variable),
        }
    }
}

/// Returns a cell as a number.
fn number_of(column: &FrameColumn, row: usize) -> Option<f64> {
    let number = match column.cell(row) {
        Cell::Integer(number) => number as f64,
        Cell::Number(number) => number,
        Cell::Text(text) => text.parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Returns a cell as a moment.
fn moment_of(column: &FrameColumn, row: usize) -> Option<Moment> {
    match column.cell(row) {
        Cell::Moment(moment) => Some(moment),
        Cell::Text(text) => Moment::read(&text),
        _ => None,
    }
}

/// Returns thresholds between values, with about as many values between one and the next; below all values as well if some
/// examples have none.
fn thresholds(mut values: Vec<f64>, examples: usize) -> Vec<f64> {
    let has_all = values.len() == examples;
    values.sort_by(f64::total_cmp);
    let Some(&least) = values.first() else { return Vec::new() };
    let mut found = if has_all { Vec::new() } else { vec![least - 1.0] };
    for part in 1..MOST_THRESHOLDS {
        let first = (values.len() * part / MOST_THRESHOLDS).min(values.len() - 1);
        let is_wide = |pair: &&[f64]| pair[1] - pair[0] > SAME * pair[0].abs();
        let place = values[first..].windows(2).find(is_wide).map(|pair| 0.5 * (pair[0] + pair[1]));
        found.extend(place.filter(|place| found.last().is_none_or(|last| last < place)));
    }
    found
}

impl Inferrer<'_> {
    /// Finds the rows of a table for each example: those of the examples themselves, or those that refer to rows of
    /// tables that are known, without those that are too late.
    pub(super) fn find_rows(&mut self, frame: usize) {
        if self.rows_of.contains_key(&frame) {
            return;
        }
        let found = if frame == self.target.0 {
            (0..self.frames[frame].rows as u32).map(|row| (row, row)).collect()
        } else {
            self.referring_rows(frame)
        };
        self.rows_of.insert(frame, found);
    }

    /// Finds the rows of a table that the examples refer to.
    pub(super) fn find_entities(&mut self, examples: usize, entity: usize) {
        let (from, to) = (self.frames[examples].name.clone(), self.frames[entity].name.clone());
        let own = |(table, link): &&(String, ColumnLink)| *table == from && link.table == to;
        if let Some((_, link)) = self.links.iter().find(own) {
            let rows = (0..self.frames[examples].rows as u32).map(|row| (row, row)).collect();
            let found = self.referred_rows(&rows, &from, link);
            self.rows_of.insert(entity, found);
        }
    }

    fn referring_rows(&self, frame: usize) -> RowOwners {
        let own = &self.frames[frame];
        let known = |link: &ColumnLink| {
            let at = self.frames.iter().position(|it| it.name == link.table)?;
            Some((at, self.rows_of.get(&at)?))
        };
        let mut links = self.links.iter().filter(|(from, _)| *from == own.name);
        let Some((link, (to, rows))) = links.find_map(|(_, link)| Some((link, known(link)?))) else {
            return Vec::new();
        };
        let key = self.frames[to].position(&link.key).map(|at| &self.frames[to].columns[at]);
        let (Some(key), Some(refers)) = (key, own.position(&link.column)) else { return Vec::new() };
        let mut examples: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (example, row) in rows {
            if let Some(key) = key.cell(*row as usize).into_name() {
                examples.entry(key).or_default().push(*example);
            }
        }
        let mut found = Vec::new();
        for row in 0..own.rows {
            let of_row = own.columns[refers].cell(row).into_name().and_then(|key| examples.get(&key));
            let of_row = of_row.into_iter().flatten().copied();
            let is_known = |example: &u32| self.days(frame, *example, row).is_none_or(|days| days >= 0.0);
            found.extend(of_row.filter(is_known).map(|example| (example, row as u32)));
        }
        found
    }

    /// Returns how many days a row came to be before the moment that an example is as of.
    fn days(&self, frame: usize, example: u32, row: usize) -> Option<f64> {
        let (examples, own) = (&self.frames[self.target.0], &self.frames[frame]);
        let as_of = &examples.columns[examples.position(self.as_of.as_ref()?)?];
        let date = if self.is_of_examples(frame) { self.as_of.as_ref() } else { self.dated[frame].as_ref() };
        let date = &own.columns[own.position(date?)?];
        Some(moment_of(as_of, example as usize)?.days_since(moment_of(date, row)?))
    }

    /// Returns the rows that some rows refer to, for each example.
    pub(super) fn referred_rows(&self, rows: &RowOwners, table: &str, link: &ColumnLink) -> RowOwners {
        let find = |name: &str| self.frames.iter().find(|frame| frame.name == name);
        let (Some(from), Some(to)) = (find(table), find(&link.table)) else { return Vec::new() };
        let (Some(refers), Some(key)) = (from.position(&link.column), to.position(&link.key)) else {
            return Vec::new();
        };
        let named = |row| Some((to.columns[key].cell(row).into_name()?, row as u32));
        let places: BTreeMap<String, u32> = (0..to.rows).filter_map(named).collect();
        let place = |(example, row): &(u32, u32)| {
            let key = from.columns[refers].cell(*row as usize).into_name()?;
            Some((*example, *places.get(&key)?))
        };
        rows.iter().filter_map(place).collect()
    }

    /// Writes a quantity of numbers, which a body has as its values.
    pub(super) fn number_quantities(
        &mut self,
        raw: &str,
        body: &str,
        rows: &RowOwners,
        (frame, column): (usize, &str),
        summaries: &[Summary],
    ) {
        let frame = &self.frames[frame];
        let Some(at) = frame.position(column) else { return };
        let values =
            rows.iter().filter_map(|(it, row)| Some((*it, number_of(&frame.columns[at], *row as usize)?)));
        let values = values.collect();
        self.summaries(raw, body, &values, summaries);
    }

    /// Writes quantities of how long ago rows came to be.
    pub(super) fn day_quantities(&mut self, raw: &str, body: &str, frame: usize) {
        let rows = self.rows_of.get(&frame).cloned().unwrap_or_default();
        let value =
            |(example, row): &(u32, u32)| Some((*example, self.days(frame, *example, *row as usize)?));
        let values = rows.iter().filter_map(value).collect();
        self.summaries(raw, body, &values, &Summary::OF_LEVELS);
    }

    /// Writes a quantity of how long before its moment a date of an example is.
    pub(super) fn own_days(&mut self, raw: &str, body: &str, column: &FrameColumn) {
        let days =
            (0..column.len()).filter_map(|row| Some((row as u32, self.own_day(column, row)?))).collect();
        self.summaries(raw, body, &days, &[Summary::Sum]);
    }

    /// Returns how many days before its moment a date of an example is.
    pub(super) fn own_day(&self, column: &FrameColumn, row: usize) -> Option<f64> {
        let examples = &self.frames[self.target.0];
        let as_of = &examples.columns[examples.position(self.as_of.as_ref()?)?];
        Some(moment_of(as_of, row)?.days_since(moment_of(column, row)?))
    }

    /// Writes a quantity of how many rows there are.
    pub(super) fn row_quantity(&mut self, raw: &str, body: &str, frame: usize) {
        let rows = self.rows_of.get(&frame).cloned().unwrap_or_default();
        let values = rows.iter().map(|(example, _)| (*example, 1.0)).collect();
        self.summaries(raw, body, &values, &[Summary::Count]);
    }

    fn summaries(&mut self, raw: &str, body: &str, values: &Vec<(u32, f64)>, summaries: &[Summary]) {
        let mut by_example: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (example, value) in values {
            by_example.entry(*example).or_default().push(*value);
        }
        let examples = self.frames[self.target.0].rows;
        for summary in summaries {
            let all = by_example.values().map(|values| summary.of(values)).collect();
            let aggregation = summary.aggregation();
            let raw = if summaries.len() > 1 { format!("{raw}_{aggregation}") } else { raw.to_owned() };
            self.quantity(&raw, By::Name("all"), body, aggregation, &thresholds(all, examples));
        }
    }

    /// Writes a quantity of how many ways there are to make a body true, by a variable of it.
    pub(super) fn count_quantity(&mut self, raw: &str, by: By<'_>, body: &str, is_single: bool) {
        let counts = if is_single { &COUNTS[..1] } else { &COUNTS[..] };
        let thresholds: Vec<f64> = counts.iter().map(|count| f64::from(*count) - 0.5).collect();
        self.quantity(raw, by, body, "count", &thresholds);
    }

    fn quantity(&mut self, raw: &str, by: By<'_>, body: &str, aggregation: &str, thresholds: &[f64]) {
        let raw = (1..).map(|at| if at == 1 { raw.to_owned() } else { format!("{raw}_{at}") });
        let is_new = |raw: &String| !self.quantities.contains(&name(raw));
        let Some(raw) = raw.into_iter().find(is_new) else { return };
        if thresholds.is_empty() {
            return;
        }
        let own = name(&raw);
        let (predicate, by) = match by {
            By::Name(by) => (self.predicate("?", "quantity", "quantity"), by),
            By::Number(by) => (self.predicate("?", "level", "level"), by),
        };
        let _ = writeln!(
            self.template,
            "<1> :: {predicate}({own}, {by}) :- {body}. [aggregation = {aggregation}, activation = identity]"
        );
        let threshold = self.predicate("?", "threshold", "threshold");
        let fact = |(at, number): (usize, &f64)| format!("<{}> :: {threshold}({own}, {at}).", -number);
        let facts: Vec<String> = thresholds.iter().enumerate().map(fact).collect();
        self.thresholds.push(facts.join(" "));
        self.quantities.push(own);
    }

    /// Writes a fact of a mapping whose value is a number as it is.
    pub(super) fn value_line(&mut self, predicate: &str, arity: usize, line: &str, why: &str) {
        if !self.mapping.contains(line) {
            self.line(line, why);
            let _ = writeln!(self.template, "{predicate}/{arity} [activation = identity].");
        }
    }

    /// Writes that two categories are in one row, with a weight for every two.
    pub(super) fn both(&mut self, index: &str, body: &str) {
        let (at, terms) = (self.pair_rules, index.trim_matches(['[', ']']));
        let predicate = self.predicate("?", &format!("both {at}"), &format!("both_{at}"));
        let class = self.class.map_or(String::new(), |class| format!(", {class}"));
        let (query, weighed) = (self.query.clone(), self.with_class(&format!("{predicate}({terms})")));
        let _ = writeln!(
            self.template,
            "{predicate}/2 {IDENTITY}.\n\
             c{at}[{terms}] :: {predicate}({terms}) :- {body}. [activation = identity]  % both in one row\n\
             d{at}[{terms}{class}] :: {query} :- {weighed}. [activation = identity]"
        );
    }

    /// Writes the rules that weigh quantities: of names, and of numbers.
    pub(super) fn weigh_quantities(&mut self) {
        let thresholds = std::mem::take(&mut self.thresholds).join("\n");
        let [threshold, unit, look, looks] =
            ["threshold", "unit", "looks_at", "looks"].map(|raw| self.predicate("?", raw, raw));
        let units = UNITS;
        let _ = writeln!(
            self.template,
            "\n% Thresholds between the values that examples have, with the sign turned; labels were not looked at.\n\
             {threshold}/2 [activation = identity].\n{thresholds}"
        );
        if self.class.is_none() {
            let every: Vec<String> =
                (0..=MOST_THRESHOLDS).step_by(EVERY).map(|at| format!("{look}({at}).")).collect();
            let _ = writeln!(
                self.template,
                "\n% What two quantities say together: each unit is the square of a weighted sum.\n\
                 {unit}/1 [activation = square, offset = <0>].\n{} {looks}(1..{units}).",
                every.join(" ")
            );
            for at in 1..=units {
                let sign = if at % 2 == 0 { "-" } else { "" };
                let query = &self.query;
                let _ =
                    writeln!(self.template, "<{sign}1> :: {query} :- {unit}({at}). [activation = identity]");
            }
        }
        for (raw, suffix) in [("quantity", ""), ("level", "_level")] {
            let quantity = self.predicate("?", raw, raw);
            if self.template.contains(&format!("<1> :: {quantity}(")) {
                self.weigh(&quantity, suffix);
            }
        }
    }

    /// Writes the rules that weigh what a predicate says.
    fn weigh(&mut self, quantity: &str, suffix: &str) {
        let [threshold, unit, look, looks] =
            ["threshold", "unit", "looks_at", "looks"].map(|raw| self.predicate("?", raw, raw));
        let [above, chosen, seen] = ["above", "chosen", "seen"]
            .map(|raw| format!("{raw}{suffix}"))
            .map(|raw| self.predicate("?", &raw, &raw));
        let class = self.class.map_or(String::new(), |class| format!(", {class}"));
        let (query, weighed) = (self.query.clone(), self.with_class(&format!("{chosen}(Q, V, K)")));
        let _ = writeln!(
            self.template,
            "\n{quantity}/2 {IDENTITY}.  % a number of the example, by what it is of\n\
             {above}/3 [activation = step, offset = <0>].  % 1 where it is above a threshold, else 0\n\
             <1> :: {above}(Q, V, K) :- {quantity}(Q, V), *{threshold}(Q, K). [activation = identity]\n\
             <1> :: {above}(Q, V, K) :- {threshold}(Q, K), *{quantity}(Q, V). [activation = identity]\n\
             {chosen}/3 {IDENTITY}.  % a weight is the product of two: most become 0\n\
             a{suffix}[Q, V, K] :: {chosen}(Q, V, K) :- {above}(Q, V, K). [activation = identity]\n\
             b{suffix}[Q, V, K{class}] :: {query} :- {weighed}. [activation = identity]"
        );
        if self.class.is_none() {
            let _ = writeln!(
                self.template,
                "{seen}/4 {IDENTITY}.\n\
                 e{suffix}[U, Q, V, K] :: {seen}(U, Q, V, K) :- <0.5> :: {above}(Q, V, K), *{look}(K), *{looks}(U). \
                 [activation = identity]\n\
                 f{suffix}[U, Q, V, K] :: {unit}(U) :- {seen}(U, Q, V, K). [activation = identity]"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_between_values() {
        assert_eq!(thresholds(vec![3.0, 1.0, 1.0, 2.0], 4), [1.5, 2.5]);
        assert_eq!(thresholds(vec![1.0, 1.0], 3), [0.0], "whether there is a value at all");
        assert_eq!(thresholds(vec![1.0, 1.0], 2), [0.0; 0]);
        let rounded = thresholds(vec![0.1 + 0.2, 0.3, 0.4, 0.3], 4);
        assert!(matches!(rounded[..], [only] if (only - 0.35).abs() < 1e-9), "0.1 + 0.2 is 0.3: {rounded:?}");
        let many = thresholds((0..1000).map(f64::from).collect(), 1000);
        assert_eq!((many.len(), many[0]), (MOST_THRESHOLDS - 1, 41.5));
    }

    #[test]
    fn summaries_are_of_all_numbers() {
        let all = [Summary::Count, Summary::Sum, Summary::Mean, Summary::Least, Summary::Largest];
        assert_eq!(all.map(|it| it.of(&[4.0, 1.0, 1.0])), [3.0, 6.0, 2.0, 1.0, 4.0]);
    }
}
