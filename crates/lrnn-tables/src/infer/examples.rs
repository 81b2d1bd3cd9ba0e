//! Lines and rules of a target that is learned by example: its own table, and the tables that refer to it and to these.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::quantities::{By, Summary};
use super::steps::Quantity;
use super::{Inferrer, MOST_PAIRS, Role, name};
use crate::composite::ColumnLink;
use crate::{ColumnKind, FrameColumn};

/// The reason why a column is left out that has no cell.
pub(super) const ALL_NULL: &str = "every cell is NULL";
/// The reason why a column is left out that tells nothing.
pub(super) const ALL_ONE: &str = "every cell is the same";
/// Most rules of two categories in one row.
const MOST_PAIR_RULES: usize = 60;
/// Value of a pair of categories, where that of a category by itself is 0.73, the sigmoid of 1.
const PAIR_SHARE: f64 = 0.3;

/// Returns the reason of a line for a category.
pub(super) fn category(count: usize) -> String {
    if count == 1 {
        "a category of one value, or NULL".to_owned()
    } else {
        format!("a category of {count} values")
    }
}

/// A predicate of two terms, a row and its category.
#[derive(Clone)]
pub(super) struct Category {
    pub predicate: String,
    pub values: usize,
}

/// Rows of a table that refers to the examples, or to other rows that do.
struct ReferringRows {
    frame: usize,
    key: String,
    categories: Vec<Category>,
}

impl Inferrer<'_> {
    /// Writes lines and rules of the table of examples.
    pub(super) fn own(&mut self, frame: usize, table: &str, key: Option<&str>, target: &str) {
        let table_name = name(table);
        let itself = self.predicate(table, "", table);
        match key {
            Some(key) => {
                let line = format!("{itself}(K) <- {table_name}({}: K).", name(key));
                self.line(&line, "the example itself");
            }
            // No column names it: it is the one row of its example.
            None => _ = writeln!(self.template, "{itself}(row).  % every example is one row"),
        }
        self.rule("", &format!("{itself}(_)"), "what holds for everyone");
        let key = key.unwrap_or_default();
        for column in self.frames[frame].columns.clone() {
            let is_link = self.links.iter().any(|(from, link)| from == table && link.column == column.name);
            if column.name == target || column.name == key || is_link {
                continue;
            }
            let raw = format!("{table}_{}", column.name);
            let (predicate, own) = (self.predicate(table, &column.name, &raw), name(&column.name));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    self.line(&format!("{predicate}(V) <- {table_name}({own}: V)."), &category(count));
                    match self.has_quantities {
                        true => {
                            self.count_quantity(
                                &raw,
                                By::column("V", &column),
                                &format!("{predicate}(V)"),
                                true,
                            );
                        }
                        false => self.rule("[V]", &format!("{predicate}(V)"), "a weight for every value"),
                    }
                    self.soft_groups(&raw, None, "", count);
                }
                Role::Number if self.has_quantities => {
                    let line = format!("X :: {predicate} <- {table_name}({own}: X).");
                    self.value_line(&predicate, 0, &line, "a number, as the value of the fact");
                    let rows = self.rows_of.get(&frame).cloned().unwrap_or_default();
                    self.number_quantities(&raw, &predicate, &rows, (frame, &column.name), &[Summary::Sum]);
                }
                Role::Number => {
                    self.line(
                        &format!("{predicate}(bins(X, 5)) <- {table_name}({own}: X)."),
                        "a number, in fifths of the training rows",
                    );
                    self.rule("[B]", &format!("{predicate}(B)"), "a weight for every fifth");
                    if self.is_number {
                        let value = self.predicate(table, &column.name, &format!("{raw}_value"));
                        let line = format!("scale(X) :: {value} <- {table_name}({own}: X).");
                        self.line(&line, "the number itself, as the value of the fact");
                        self.rule("", &value, "in proportion");
                    }
                }
                Role::Date if self.dated[frame].as_ref() == Some(&column.name) => {}
                Role::Date if self.as_of.as_ref() == Some(&column.name) => {}
                Role::Date => self.own_date(frame, &column),
                Role::Name if self.is_used(frame, &column.name, key) => {}
                Role::Name => self.leave(
                    &format!("{table}.{}", column.name),
                    "it names things: nearly every row has its own",
                ),
                Role::Empty => self.leave(&format!("{table}.{}", column.name), ALL_NULL),
                Role::Constant => self.leave(&format!("{table}.{}", column.name), ALL_ONE),
            }
        }
    }

    /// Writes a line and rules of a date of the examples: how long before the moment they are as of.
    fn own_date(&mut self, frame: usize, column: &FrameColumn) {
        let what = format!("{}.{}", self.frames[frame].name, column.name);
        if self.as_of.is_none() || frame != self.target.0 {
            return self.leave(&what, "a date that nothing is as of");
        }
        let is_late = |row: &usize| self.own_day(column, *row).is_some_and(|days| days < 0.0);
        let late = (0..column.len()).filter(is_late).count();
        if late > 0 {
            let why = format!("a date, in {late} rows later than they are as of: it was not known then");
            return self.leave(&what, &why);
        }
        let table = self.frames[frame].name.clone();
        let raw = format!("{table}_{}_days", column.name);
        let predicate = self.predicate(&table, &column.name, &raw);
        let row = format!("{}({}: D)", name(&table), name(&column.name));
        if self.has_quantities {
            let line = format!("days(as_of - D) :: {predicate} <- {row}.");
            self.value_line(&predicate, 0, &line, "how many days ago, as the value of the fact");
            return self.own_days(&raw, &predicate, column);
        }
        let line = format!("{predicate}(bins(days(as_of - D), 5)) <- {row}.");
        self.line(&line, "how many days ago, in fifths of the training rows");
        self.rule("[B]", &format!("{predicate}(B)"), "a weight for every fifth");
        let value = self.predicate(&table, &column.name, &format!("{raw}_value"));
        let line = format!("scale(days(as_of - D)) :: {value} <- {row}.");
        self.line(&line, "the days themselves, as the value of the fact");
        self.rule("", &value, "in proportion");
    }

    /// Writes lines and rules of a table that refers to the examples, of the tables that it refers to, and of those that
    /// refer to it.
    pub(super) fn child(&mut self, frame: usize, target: usize) {
        // The rest of a key names a row of an example more briefly than all of it.
        let own = self.keys[frame].clone();
        let is_made =
            own.as_ref().is_some_and(|key| self.composites.find(&self.frames[frame].name, key).is_some());
        let rest = if own.is_none() || is_made { self.row_key(frame, target) } else { None };
        match rest.or(own) {
            Some(key) => self.rows(frame, key, target, None),
            None => self.bare_child(frame),
        }
    }

    /// Writes lines and rules of rows that have a key, `above` being the rows that they are rows of.
    fn rows(
        &mut self,
        frame: usize,
        key: String,
        target: usize,
        above: Option<(&ReferringRows, &ColumnLink)>,
    ) {
        self.reached.insert(frame);
        self.find_rows(frame);
        let table = self.frames[frame].name.clone();
        self.row_counts(frame, &table, &key);
        let mut categories: Vec<Category> = Vec::new();
        if let Some(time) = self.dated[frame].clone() {
            categories.push(self.recency(frame, &table, &key, &time));
        }
        for column in self.frames[frame].columns.clone() {
            self.row_column(frame, &key, &column, &mut categories);
        }
        let mut references = self.references(frame, &key, target, above.map(|(rows, _)| rows.frame));
        self.numbers_by_attribute(frame, &key, &references);
        let below = self.referring(frame, target);
        for (detail, link) in &below {
            if self.keys[*detail].is_none() && self.reached.insert(*detail) {
                self.detail(*detail, link, &mut categories);
                references.extend(self.references(*detail, &link.column, target, Some(frame)));
            }
        }
        for reference in &references {
            self.parent(reference, &mut categories);
        }
        self.pairs(&categories);
        let rows = ReferringRows { frame, key, categories };
        match above {
            Some((above, link)) => self.pairs_above(&rows, above, link),
            None => {
                for (below, link) in &below {
                    if let (Some(key), false) = (self.keys[*below].clone(), self.reached.contains(below)) {
                        self.rows(*below, key, target, Some((&rows, link)));
                    }
                }
            }
        }
    }

    /// Writes lines and rules of the rows themselves: whether there are any, and how many.
    fn row_counts(&mut self, frame: usize, table: &str, key: &str) {
        let (table_name, key_name) = (name(table), name(key));
        let _ = writeln!(self.mapping, ":- type({table_name}.{key_name}, text).  % keys are names");
        let row = self.predicate(table, "", table);
        self.line(&format!("{row}(R) <- {table_name}({key_name}: R)."), "a row of its own for each");
        let body = format!("{row}(_)");
        if self.has_quantities {
            return self.row_quantity(table, &body, frame);
        }
        self.rule("", &body, "whether there is any");
        self.steps(table, Quantity::Count, "", &body, &format!("*{body}"));
        if self.is_number {
            self.rule_with("", &format!("{row}(_)"), " [aggregation = count]", "in proportion to the count");
        }
    }

    /// Writes lines and rules of how long ago rows came to be.
    fn recency(&mut self, frame: usize, table: &str, key: &str, time: &str) -> Category {
        let (table_name, key_name, own) = (name(table), name(key), name(time));
        let raw = if self.has_quantities { format!("{table}_days") } else { format!("{table}_age") };
        let predicate = self.predicate(table, time, &raw);
        if self.has_quantities {
            let line = format!("days(as_of - D) :: {predicate}(R) <- {table_name}({key_name}: R, {own}: D).");
            self.value_line(&predicate, 1, &line, "how many days ago, as the value of the fact");
            self.day_quantities(&raw, &format!("{predicate}(_)"), frame);
        } else {
            let line =
                format!("{predicate}(R, bins(days(as_of - D), 5)) <- {table_name}({key_name}: R, {own}: D).");
            self.line(&line, "how long ago, in fifths");
            self.rule("[B]", &format!("{predicate}(_, B)"), "recency");
        }
        let latest = self.predicate(table, time, &format!("{table}_recent"));
        for days in [30, 60, 120] {
            let line = format!(
                "{latest}(R, {days}) <- {table_name}({key_name}: R, {own}: D), days(as_of - D) =< {days}."
            );
            self.line(&line, "the last days");
        }
        match self.has_quantities {
            true => {
                let raw = format!("{table}_recent");
                self.count_quantity(&raw, By::Number("D"), &format!("{latest}(_, D)"), false);
            }
            false => self.rule("[D]", &format!("{latest}(_, D)"), "whether there is any within so many days"),
        }
        Category { predicate: latest, values: 3 }
    }

    /// Writes lines and rules of a column of rows.
    fn row_column(&mut self, frame: usize, key: &str, column: &FrameColumn, categories: &mut Vec<Category>) {
        let table = self.frames[frame].name.clone();
        let (raw, what) = (format!("{table}_{}", column.name), format!("{table}.{}", column.name));
        let (table_name, key_name, own) = (name(&table), name(key), name(&column.name));
        match self.role(frame, column) {
            Role::Category(count) => {
                let predicate = self.predicate(&table, &column.name, &raw);
                let line = format!("{predicate}(R, V) <- {table_name}({key_name}: R, {own}: V).");
                self.line_once(&line, &category(count));
                // What names a row is a name, whatever it looks like.
                let by = if column.name == key { By::Name("V") } else { By::column("V", column) };
                self.counted(&raw, &predicate, by);
                self.soft_groups(&raw, Some("R"), "", count);
                categories.push(Category { predicate, values: count });
                if matches!(column.kind(), ColumnKind::Integer | ColumnKind::Number) {
                    let what = if self.has_quantities { "value" } else { "mean" };
                    self.mean(frame, key, &format!("{raw}_{what}"), &column.name);
                }
            }
            Role::Number => {
                self.mean(frame, key, &raw, &column.name);
                if self.has_quantities {
                    return;
                }
                let fifths = self.predicate(&table, &column.name, &format!("{raw}_fifth"));
                let line = format!("{fifths}(R, bins(X, 5)) <- {table_name}({key_name}: R, {own}: X).");
                self.line(&line, "the number, in fifths of the training rows");
                self.rule("[B]", &format!("{fifths}(_, B)"), "whether some row is in the fifth");
            }
            Role::Empty => self.leave(&what, ALL_NULL),
            Role::Constant => self.leave(&what, ALL_ONE),
            Role::Date if self.as_of.is_none() => {
                self.leave(&what, "a date, and nothing says what examples are as of");
            }
            Role::Date | Role::Name if self.is_used(frame, &column.name, key) => {}
            Role::Date => self.leave(&what, "a date beside the time of the rows"),
            Role::Name => self.leave(&what, "it names things"),
        }
    }

    /// Writes rules for whether some row has a value, and how many do.
    fn counted(&mut self, raw: &str, predicate: &str, by: By<'_>) {
        let body = format!("{predicate}(_, V)");
        if self.has_quantities {
            return self.count_quantity(raw, by, &body, false);
        }
        self.rule("[V]", &body, "whether some row has the value");
        self.rule_with("[V]", &body, " [aggregation = count]", "how many rows have the value");
        self.steps(raw, Quantity::Count, "V", &body, &format!("*{body}"));
    }

    /// Writes lines of a table whose rows have no name and refer to rows that have one: what these have, too.
    fn detail(&mut self, frame: usize, link: &ColumnLink, categories: &mut Vec<Category>) {
        let table = self.frames[frame].name.clone();
        let (table_name, row) = (name(&table), name(&link.column));
        for column in self.frames[frame].columns.clone() {
            let (raw, own) = (format!("{table}_{}", column.name), name(&column.name));
            let (term, count, why) = match self.role(frame, &column) {
                Role::Category(count) => ("V", count, category(count)),
                Role::Number => ("bins(V, 5)", 5, "a number, in fifths of the training rows".to_owned()),
                Role::Empty | Role::Constant => {
                    let why = if self.role(frame, &column) == Role::Empty { ALL_NULL } else { ALL_ONE };
                    self.leave(&format!("{table}.{}", column.name), why);
                    continue;
                }
                Role::Date | Role::Name => continue,
            };
            let predicate = self.predicate(&table, &column.name, &raw);
            let line = format!("{predicate}(R, {term}) <- {table_name}({row}: R, {own}: V).");
            self.line(&line, &why);
            self.counted(&raw, &predicate, By::column("V", &column));
            categories.push(Category { predicate, values: count });
        }
    }

    /// Returns the tables whose rows refer to those of a table, and not to the examples.
    fn referring(&self, frame: usize, target: usize) -> Vec<(usize, ColumnLink)> {
        let (table, examples) = (&self.frames[frame].name, &self.frames[target].name);
        let refers =
            |from: &str, to: &str| self.links.iter().any(|(other, link)| other == from && link.table == to);
        let is_below = |(from, link): &&(String, ColumnLink)| {
            link.table == *table && from != table && from != examples && !refers(from, examples)
        };
        let find = |name: &str| self.frames.iter().position(|frame| frame.name == name);
        let below = self.links.iter().filter(is_below);
        below.filter_map(|(from, link)| Some((find(from)?, link.clone()))).collect()
    }

    /// Tells whether a column is a key, refers to one, or is the time of the rows.
    pub(super) fn is_used(&self, frame: usize, column: &str, key: &str) -> bool {
        let table = &self.frames[frame].name;
        column == key
            || self.times[frame].as_deref() == Some(column)
            || self.composites.find(table, column).is_some()
            || self.composites.has_part(table, column)
            || self.links.iter().any(|(from, link)| from == table && link.column == column)
    }

    /// Returns a column that no two rows of one example have alike: the rest of a key of two columns.
    fn row_key(&self, frame: usize, target: usize) -> Option<String> {
        let (frame, examples) = (&self.frames[frame], &self.frames[target].name);
        let is_own = |(from, link): &&(String, ColumnLink)| *from == frame.name && link.table == *examples;
        let (_, link) = self.links.iter().find(is_own)?;
        let owner = &frame.columns[frame.position(&link.column)?];
        let is_key = |column: &&FrameColumn| {
            let mut seen = BTreeSet::new();
            column.name != owner.name
                && (0..frame.rows).all(|row| {
                    let (owner, own) = (owner.cell(row).into_name(), column.cell(row).into_name());
                    own.is_some() && seen.insert((owner, own))
                })
        };
        frame.columns.iter().find(is_key).map(|column| column.name.clone())
    }

    /// Writes lines and rules of a table that refers to the examples and whose rows have no name: whether an example has
    /// a value, and no more.
    fn bare_child(&mut self, frame: usize) {
        self.reached.insert(frame);
        let table = self.frames[frame].name.clone();
        self.leave(&table, "no column names its rows: how many there are, and what stands together in one");
        let table_name = name(&table);
        for column in self.frames[frame].columns.clone() {
            let raw = format!("{table}_{}", column.name);
            let predicate = self.predicate(&table, &column.name, &raw);
            let own = name(&column.name);
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let line = format!("{predicate}(V) <- {table_name}({own}: V).");
                    self.line(&line, &category(count));
                    let by = By::column("V", &column);
                    self.some_row(&raw, &predicate, by, "whether some row has the value");
                }
                Role::Number => {
                    let line = format!("{predicate}(bins(X, 5)) <- {table_name}({own}: X).");
                    self.line(&line, "a number, in fifths of the training rows");
                    let by = By::Number("V");
                    self.some_row(&raw, &predicate, by, "whether some row is in the fifth");
                }
                Role::Empty => self.leave(&format!("{table}.{}", column.name), ALL_NULL),
                Role::Constant => self.leave(&format!("{table}.{}", column.name), ALL_ONE),
                Role::Date | Role::Name => {}
            }
        }
        let first = self.links.iter().find(|(from, _)| *from == table).map(|(_, link)| link.column.clone());
        if let Some(column) = first {
            let any = self.predicate(&table, "", &format!("{table}_any"));
            self.line(
                &format!("{any} <- {table_name}({}: X), X = X.", name(&column)),
                "whether there is any",
            );
            self.rule("", &any, "whether there is any");
        }
    }

    /// Writes a rule for the values that some row of an example has.
    fn some_row(&mut self, raw: &str, predicate: &str, by: By<'_>, why: &str) {
        let body = format!("{predicate}(V)");
        match self.has_quantities {
            true => self.count_quantity(raw, by, &body, true),
            false => self.rule("[V]", &body, why),
        }
    }

    /// Writes a number as the value of facts, and a rule for its mean; of a target that is a number, for its sum.
    fn mean(&mut self, frame: usize, key: &str, raw: &str, column: &str) {
        let table = self.frames[frame].name.clone();
        let predicate = self.predicate(&table, column, raw);
        let (table, key, own) = (name(&table), name(key), column);
        let column = name(column);
        if self.has_quantities {
            let line = format!("X :: {predicate}(R) <- {table}({key}: R, {column}: X).");
            self.value_line(&predicate, 1, &line, "a number, as the value of the fact");
            let rows = self.rows_of.get(&frame).cloned().unwrap_or_default();
            let body = format!("{predicate}(_)");
            return self.number_quantities(raw, &body, &rows, (frame, own), &Summary::OF_NUMBERS);
        }
        let line = format!("scale(X) :: {predicate}(R) <- {table}({key}: R, {column}: X).");
        self.line(&line, "a number, as the value of the fact");
        let body = format!("{predicate}(_)");
        self.rule_with("", &body, " [aggregation = mean]", "the mean over rows");
        self.steps(raw, Quantity::Mean, "", &body, &format!("*{body}"));
        if self.is_number {
            self.rule_with("", &body, " [aggregation = sum]", "the sum over rows");
        }
    }

    /// Leaves a column out, and says so once.
    pub(super) fn leave_once(&mut self, what: &str, why: &str) {
        if !self.left_out.iter().any(|it| it.starts_with(&format!("{what}:"))) {
            self.leave(what, why);
        }
    }

    /// Writes a weight for every two categories that a body joins, unless there are too many.
    pub(super) fn pair(&mut self, [a, b]: [(&str, usize); 2], index: &str, body: &str) {
        let count = a.1 * b.1;
        if count > MOST_PAIRS {
            self.leave(
                &format!("{} with {} in one row", a.0, b.0),
                &format!("{count} pairs would have a weight each"),
            );
        } else if self.pair_rules < MOST_PAIR_RULES {
            self.pair_rules += 1;
            if self.has_quantities {
                return self.both(index, body);
            }
            // Pairs are many, and most say nothing: each counts less than half, which keeps its weight nearer to 0.
            let body = format!("<{PAIR_SHARE}> :: {body}");
            self.rule_with(index, &body, " [activation = identity]", "both in one row");
        } else {
            self.leave(&format!("{} with {} in one row", a.0, b.0), "there are many such rules already");
        }
    }

    /// Writes a weight for every two categories of one row.
    fn pairs(&mut self, categories: &[Category]) {
        for (at, a) in categories.iter().enumerate() {
            for b in &categories[at + 1..] {
                let body = format!("{}(R, A), *{}(R, B)", a.predicate, b.predicate);
                self.pair([(&a.predicate, a.values), (&b.predicate, b.values)], "[A, B]", &body);
            }
        }
    }

    /// Writes a weight for every category of a row with one of the row that it is a row of.
    fn pairs_above(&mut self, rows: &ReferringRows, above: &ReferringRows, link: &ColumnLink) {
        if rows.categories.is_empty() || above.categories.is_empty() {
            return;
        }
        let table = self.frames[rows.frame].name.clone();
        let joins = self.predicate(&table, &link.column, &format!("{table}_{}", link.column));
        let line =
            format!("{joins}(R, P) <- {}({}: R, {}: P).", name(&table), name(&rows.key), name(&link.column));
        self.line_once(&line, "the foreign key, to join along");
        for a in &rows.categories {
            for b in &above.categories {
                let body = format!("{}(R, A), *{joins}(R, P), *{}(P, B)", a.predicate, b.predicate);
                self.pair([(&a.predicate, a.values), (&b.predicate, b.values)], "[A, B]", &body);
            }
        }
    }
}
