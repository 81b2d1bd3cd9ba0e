//! Lines and rules of a target that is learned by example: its own table, the tables that refer to it, and those that they
//! refer to.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Inferrer, MOST_PAIRS, Role, name};
use crate::source::ForeignKey;
use crate::{ColumnKind, FrameColumn};

/// The reason why a column is left out that has no cell.
pub(super) const ALL_NULL: &str = "every cell is NULL";

/// A predicate of two terms, a row and its category.
pub(super) struct Category {
    predicate: String,
    values: usize,
}

impl Inferrer<'_> {
    /// Writes lines and rules of the table of examples.
    pub(super) fn own(&mut self, frame: usize, table: &str, key: &str, target: &str) {
        let (table_name, key_name) = (name(table), name(key));
        self.line(&format!("{table_name}(K) <- {table_name}({key_name}: K)."), "the example itself");
        self.rule("", &format!("{table_name}(_)"), "what holds for everyone");
        for column in self.frames[frame].columns.clone() {
            let is_link = self.links.iter().any(|(from, link)| from == table && link.column == column.name);
            if column.name == target || column.name == key || is_link {
                continue;
            }
            let (predicate, own) = (name(&format!("{table}_{}", column.name)), name(&column.name));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    self.line(
                        &format!("{predicate}(V) <- {table_name}({own}: V)."),
                        &format!("a category of {count} values"),
                    );
                    self.rule("[V]", &format!("{predicate}(V)"), "a weight for every value");
                    self.soft_groups(&format!("{table}_{}", column.name), None, "", count);
                }
                Role::Number => {
                    self.line(
                        &format!("{predicate}(bins(X, 5)) <- {table_name}({own}: X)."),
                        "a number, in fifths of the training rows",
                    );
                    self.rule("[B]", &format!("{predicate}(B)"), "a weight for every fifth");
                }
                Role::Date if self.times[frame].as_ref() == Some(&column.name) => {}
                Role::Date => self.leave(&format!("{table}.{}", column.name), "a date that nothing is as of"),
                Role::Name => self.leave(
                    &format!("{table}.{}", column.name),
                    "it names things: nearly every row has its own",
                ),
                Role::Empty => self.leave(&format!("{table}.{}", column.name), ALL_NULL),
            }
        }
    }

    /// Writes lines and rules of a table that refers to the examples, and of the tables that it refers to.
    pub(super) fn child(&mut self, frame: usize, time: Option<&str>, target: usize) {
        let table = self.frames[frame].name.clone();
        let Some(key) = self.keys[frame].clone().or_else(|| self.row_key(frame, target)) else {
            self.bare_child(frame);
            return;
        };
        let (table_name, key_name) = (name(&table), name(&key));
        let _ = writeln!(self.mapping, ":- type({table_name}.{key_name}, text).  % keys are names");
        self.line(&format!("{table_name}(R) <- {table_name}({key_name}: R)."), "a row of its own for each");
        self.rule("", &format!("{table_name}(_)"), "whether there is any");
        let many = name(&format!("{table}_many"));
        let _ = writeln!(
            self.template,
            "m{} = 0.1 :: {many} :- {table_name}(_). [aggregation = count]  % how many there are, by a soft threshold",
            self.weights
        );
        self.rule("", &many, "the count");
        let mut categories: Vec<Category> = Vec::new();
        if let Some(time) = time {
            let (predicate, own) = (name(&format!("{table}_age")), name(time));
            let line =
                format!("{predicate}(R, bins(days(as_of - D), 5)) <- {table_name}({key_name}: R, {own}: D).");
            self.line(&line, "how long ago, in fifths");
            self.rule("[B]", &format!("{predicate}(_, B)"), "recency");
            let (latest, line) = (name(&format!("{table}_recent")), "days(as_of - D) =<");
            for days in [30, 60, 120] {
                let line =
                    format!("{latest}(R, {days}) <- {table_name}({key_name}: R, {own}: D), {line} {days}.");
                self.line(&line, "the last days");
            }
            self.rule("[D]", &format!("{latest}(_, D)"), "whether there is any within so many days");
            categories.push(Category { predicate: latest, values: 3 });
        }
        for column in self.frames[frame].columns.clone() {
            let (predicate, own) = (name(&format!("{table}_{}", column.name)), name(&column.name));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let line = format!("{predicate}(R, V) <- {table_name}({key_name}: R, {own}: V).");
                    self.line(&line, &format!("a category of {count} values"));
                    self.rule("[V]", &format!("{predicate}(_, V)"), "whether some row has the value");
                    self.soft_groups(&format!("{table}_{}", column.name), Some("R"), "", count);
                    categories.push(Category { predicate, values: count });
                    if matches!(column.kind(), ColumnKind::Integer | ColumnKind::Number) {
                        self.mean(&table_name, &key_name, &format!("{table}_{}_mean", column.name), &own);
                    }
                }
                Role::Number => {
                    self.mean(&table_name, &key_name, &format!("{table}_{}", column.name), &own);
                    let fifths = name(&format!("{table}_{}_fifth", column.name));
                    let line = format!("{fifths}(R, bins(X, 5)) <- {table_name}({key_name}: R, {own}: X).");
                    self.line(&line, "the number, in fifths of the training rows");
                    self.rule("[B]", &format!("{fifths}(_, B)"), "whether some row is in the fifth");
                }
                Role::Empty => self.leave(&format!("{table}.{}", column.name), ALL_NULL),
                Role::Date if time.is_none() => {
                    self.leave(
                        &format!("{table}.{}", column.name),
                        "a date, and nothing says what examples are as of",
                    );
                }
                Role::Date | Role::Name if self.is_used(frame, &column.name, &key) => {}
                Role::Date => {
                    self.leave(&format!("{table}.{}", column.name), "a date beside the time of the rows");
                }
                Role::Name => self.leave(&format!("{table}.{}", column.name), "it names things"),
            }
        }
        let examples = self.frames[target].name.clone();
        let is_own = |(from, link): &&(String, ForeignKey)| *from == table && link.table != examples;
        let links: Vec<(String, ForeignKey)> = self.links.iter().filter(is_own).cloned().collect();
        for (_, link) in &links {
            self.parent(&table, Some(&key), link, &categories);
        }
        self.pairs(&categories);
    }

    /// Tells whether a column is a key, refers to one, or is the time of the rows.
    fn is_used(&self, frame: usize, column: &str, key: &str) -> bool {
        let table = &self.frames[frame].name;
        column == key
            || self.times[frame].as_deref() == Some(column)
            || self.links.iter().any(|(from, link)| from == table && link.column == column)
    }

    /// Returns a column that no two rows of one example have alike: the rest of a key of two columns.
    fn row_key(&self, frame: usize, target: usize) -> Option<String> {
        let (frame, examples) = (&self.frames[frame], &self.frames[target].name);
        let is_own = |(from, link): &&(String, ForeignKey)| *from == frame.name && link.table == *examples;
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
        let table = self.frames[frame].name.clone();
        self.leave(&table, "no column names its rows: how many there are, and what stands together in one");
        let table_name = name(&table);
        for column in self.frames[frame].columns.clone() {
            let (predicate, own) = (name(&format!("{table}_{}", column.name)), name(&column.name));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let line = format!("{predicate}(V) <- {table_name}({own}: V).");
                    self.line(&line, &format!("a category of {count} values"));
                    self.rule("[V]", &format!("{predicate}(V)"), "whether some row has the value");
                }
                Role::Number => {
                    let line = format!("{predicate}(bins(X, 5)) <- {table_name}({own}: X).");
                    self.line(&line, "a number, in fifths of the training rows");
                    self.rule("[B]", &format!("{predicate}(B)"), "whether some row is in the fifth");
                }
                Role::Empty => self.leave(&format!("{table}.{}", column.name), ALL_NULL),
                Role::Date | Role::Name => {}
            }
        }
        let first = self.links.iter().find(|(from, _)| *from == table).map(|(_, link)| link.column.clone());
        if let Some(column) = first {
            let any = name(&format!("{table}_any"));
            self.line(
                &format!("{any} <- {table_name}({}: X), X = X.", name(&column)),
                "whether there is any",
            );
            self.rule("", &any, "whether there is any");
        }
    }

    /// Writes a number as the value of facts, and a rule for its mean.
    fn mean(&mut self, table: &str, key: &str, predicate: &str, column: &str) {
        let predicate = name(predicate);
        let line = format!("scale(X) :: {predicate}(R) <- {table}({key}: R, {column}: X).");
        self.line(&line, "a number, as the value of the fact");
        self.rule_with("", &format!("{predicate}(_)"), " [aggregation = mean]", "the mean over rows");
    }

    /// Leaves a column out, and says so once.
    fn leave_once(&mut self, what: &str, why: &str) {
        if !self.left_out.iter().any(|it| it.starts_with(what)) {
            self.leave(what, why);
        }
    }

    fn leave_pairs(&mut self, a: &str, b: &str, count: usize) {
        self.leave(&format!("{a} with {b} in one row"), &format!("{count} pairs would have a weight each"));
    }

    /// Writes a weight for every two categories of one row.
    fn pairs(&mut self, categories: &[Category]) {
        for (at, a) in categories.iter().enumerate() {
            for b in &categories[at + 1..] {
                if a.values * b.values <= MOST_PAIRS {
                    let body = format!("{}(R, A), *{}(R, B)", a.predicate, b.predicate);
                    self.rule("[A, B]", &body, "both in one row");
                } else {
                    self.leave_pairs(&a.predicate, &b.predicate, a.values * b.values);
                }
            }
        }
    }

    /// Writes lines and rules of a table that rows refer to: those of a table, by their key, or the example itself.
    pub(super) fn parent(
        &mut self,
        table: &str,
        key: Option<&str>,
        link: &ForeignKey,
        categories: &[Category],
    ) {
        let Some(frame) = self.frames.iter().position(|frame| frame.name == link.table) else { return };
        let joins = name(&format!("{table}_{}", link.column));
        let (terms, any, columns) = match key {
            Some(key) => ("R, P", "_, P", format!("{}: R, {}: P", name(key), name(&link.column))),
            None => ("P", "P", format!("{}: P", name(&link.column))),
        };
        let line = format!("{joins}({terms}) <- {}({columns}).", name(table));
        self.line(&line, "the foreign key, to join along");
        self.vectors(&link.table, &joins, any);
        for column in self.frames[frame].columns.clone() {
            let (predicate, own) = (name(&format!("{}_{}", link.table, column.name)), name(&column.name));
            let (other, other_key) = (name(&link.table), name(&link.key));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let line = format!("{predicate}(P, V) <- {other}({other_key}: P, {own}: V).");
                    self.line_once(&line, &format!("a category of {count} values"));
                    let join = format!("{joins}({any}), *{predicate}(P, V)");
                    self.rule("[V]", &join, "whether some row is joined to the value");
                    let raw = format!("{}_{}", link.table, column.name);
                    self.soft_groups(&raw, Some("P"), &format!(", *{joins}({any})"), count);
                    for it in categories {
                        if it.values * count > MOST_PAIRS {
                            self.leave_pairs(&it.predicate, &predicate, it.values * count);
                            continue;
                        }
                        let body = format!("{}(R, A), *{joins}(R, P), *{predicate}(P, V)", it.predicate);
                        self.rule("[A, V]", &body, "both in one row");
                    }
                }
                Role::Number => {
                    let line = format!("scale(X) :: {predicate}(P) <- {other}({other_key}: P, {own}: X).");
                    self.line_once(&line, "a number, as the value of the fact");
                    let body = format!("*{joins}({any}), {predicate}(P)");
                    self.rule_with("", &body, " [aggregation = mean]", "the mean over joined rows");
                }
                Role::Date | Role::Empty => {
                    let what = format!("{}.{}", link.table, column.name);
                    let why = if column.kind() == ColumnKind::Date {
                        "a date of what rows refer to"
                    } else {
                        ALL_NULL
                    };
                    self.leave_once(&what, why);
                }
                Role::Name if self.is_used(frame, &column.name, &link.key) => {}
                Role::Name => {
                    self.leave_once(&format!("{}.{}", link.table, column.name), "it names things");
                }
            }
        }
    }
}
