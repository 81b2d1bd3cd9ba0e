//! The lines of a mapping as selections: the row of a table, joined along keys to its example.

use std::collections::BTreeSet;

use lrnn::Error;
use lrnn::syntax::Comparison;
use lrnn::vocabulary::{Constant, PredicateId};

use super::dialect::{Dialect, double, number, quoted, sign, text};
use super::{SqlWriter, refused};
use crate::composite::{BETWEEN, ESCAPE};
use crate::mapping::{ColumnName, Expression, ExpressionKind, Mapping, Pattern, RelationLine, RowCondition};
use crate::membership::{Direction, steps};
use crate::{ColumnKind, Moment};

/// The tables that a line joins, and what its rows must fulfil.
struct LineJoin<'a> {
    mapping: &'a Mapping,
    line: &'a RelationLine,
    from: String,
    tests: Vec<String>,
    /// The alias of the table of examples.
    example: String,
    dialect: Dialect,
}

impl<'a> LineJoin<'a> {
    fn kind(&self, column: &str) -> ColumnKind {
        let is_it = |name: &ColumnName| name.table == self.line.table && name.column == column;
        self.mapping.kinds().find(|(name, _)| is_it(name)).map_or(ColumnKind::Text, |(_, kind)| kind)
    }

    /// Returns a column of the line's table.
    fn own(&self, column: &str) -> String {
        column_of(self.mapping, self.dialect, "t", &self.line.table, column)
    }

    /// Returns a column of the line's table as a name.
    fn own_name(&self, column: &str) -> String {
        self.dialect.name(&self.own(column))
    }

    /// Returns the column of a variable: the first that has it.
    fn variable(&self, name: &str) -> Option<&'a str> {
        let is_it = |pattern: &Pattern| matches!(pattern, Pattern::Variable(known) if known == name);
        self.line.columns.iter().find(|it| is_it(&it.pattern)).map(|it| it.column.as_str())
    }
}

/// Returns a column of a table that has an alias: NULL where the mapping says so, put together where it is made of several.
fn column_of(mapping: &Mapping, dialect: Dialect, alias: &str, table: &str, column: &str) -> String {
    let is_it = |name: &ColumnName| name.table == table && name.column == column;
    let Some((_, parts)) = mapping.composites().find(|(name, _)| is_it(name)) else {
        let plain = format!("{alias}.{}", quoted(column));
        let whole = mapping.table_of(table);
        let nulls = mapping.nulls().filter(|(name, _)| name.table == whole && name.column == column);
        let nulls: Vec<String> = nulls.flat_map(|(_, all)| all).map(|it| text(&plain_text(it))).collect();
        return match nulls.is_empty() {
            true => plain,
            false => {
                let name = dialect.name(&plain);
                format!("CASE WHEN {name} IN ({}) THEN NULL ELSE {plain} END", nulls.join(", "))
            }
        };
    };
    let doubled = |of: String, character: char| {
        format!("REPLACE({of}, {}, {})", text(&character.to_string()), text(&format!("{ESCAPE}{character}")))
    };
    let part = |part: &String| {
        let name = dialect.name(&column_of(mapping, dialect, alias, table, part));
        doubled(doubled(name, ESCAPE), BETWEEN)
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!("({})", parts.join(&format!(" || {} || ", text(&BETWEEN.to_string()))))
}

/// Returns a constant as the text that a cell has which is one.
fn plain_text(constant: &Constant) -> String {
    match constant {
        Constant::Name(name) => name.to_string(),
        number => number.to_string(),
    }
}

/// The column of a table with its keys that has them as names.
const KEY_NAME: &str = "lrnn key";

/// Returns the name of a table with a key as names.
fn keyed(table: &str, column: &str) -> String {
    quoted(&format!("table {table} by {column}"))
}

/// Returns the columns of a table by which it is joined, and that say when its rows came to be.
fn columns_of<'a>(mapping: &'a Mapping, table: &str) -> BTreeSet<&'a str> {
    let keys = mapping.keys().flat_map(|(from, to)| [from, to]);
    let names = keys.chain(mapping.times()).chain(mapping.as_of()).filter(|name| name.table == table);
    let mut all: BTreeSet<&str> = names.map(|name| name.column.as_str()).collect();
    let example = mapping.example().filter(|line| line.table == table);
    all.extend(example.and_then(|line| line.column.as_deref()));
    for (name, parts) in mapping.composites().filter(|(name, _)| name.table == table) {
        if all.remove(name.column.as_str()) {
            all.extend(parts.iter().map(String::as_str));
        }
    }
    all
}

/// Returns the kind of the constant that an expression gives.
fn kind_of(join: &LineJoin<'_>, expression: &Expression) -> ColumnKind {
    match &expression.kind {
        ExpressionKind::Variable(name) => join.variable(name).map_or(ColumnKind::Text, |it| join.kind(it)),
        ExpressionKind::Constant(Constant::Name(_)) => ColumnKind::Text,
        ExpressionKind::Constant(Constant::Integer(_)) | ExpressionKind::Bins(..) => ColumnKind::Integer,
        ExpressionKind::AsOf => ColumnKind::Date,
        _ => ColumnKind::Number,
    }
}

impl SqlWriter<'_> {
    /// Returns a column of a table that has an alias, as a name.
    pub(super) fn name_of(&self, mapping: &Mapping, alias: &str, table: &str, column: &str) -> String {
        self.dialect.name(&column_of(mapping, self.dialect, alias, table, column))
    }

    /// Defines the tables that lines join to, with their keys as names: for SQLite, which else compares them by the types
    /// and collations of their columns, where a text may equal a number that is written in another way.
    pub(super) fn keyed_tables(&mut self) {
        let Some(mapping) =
            self.mapping.filter(|it| self.dialect == Dialect::Sqlite && it.example().is_some())
        else {
            return;
        };
        for name in mapping.keys().flat_map(|(from, to)| [from, to]) {
            let relation = keyed(&name.table, &name.column);
            if self.relations.iter().any(|(known, ..)| *known == relation) {
                continue;
            }
            let columns: Vec<String> =
                columns_of(mapping, &name.table).into_iter().map(|it| format!("k.{}", quoted(it))).collect();
            let body = format!(
                "SELECT {}, {} AS {} FROM {} AS k",
                columns.join(", "),
                self.name_of(mapping, "k", &name.table, &name.column),
                quoted(KEY_NAME),
                quoted(mapping.table_of(&name.table))
            );
            self.define(relation, "", body);
        }
    }

    /// Tells whether a term of a line is a number.
    pub(super) fn is_number_term(&self, line: &RelationLine, at: usize) -> bool {
        let Some(mapping) = self.mapping else { return false };
        let join = LineJoin {
            mapping,
            line,
            from: String::new(),
            tests: Vec::new(),
            example: String::new(),
            dialect: self.dialect,
        };
        matches!(kind_of(&join, &line.terms[at]), ColumnKind::Integer | ColumnKind::Number)
    }

    /// Returns the selections of the lines of a predicate.
    pub(super) fn lines(&self, mapping: &Mapping, predicate: PredicateId) -> Result<Vec<String>, Error> {
        let signature = self.vocabulary.signature(predicate);
        let is_own = |line: &&RelationLine| {
            !line.is_query
                && line.predicate == *signature.name
                && line.terms.len() == signature.arity as usize
        };
        mapping.relations().filter(is_own).map(|line| self.line(mapping, line)).collect()
    }

    fn line(&self, mapping: &Mapping, line: &RelationLine) -> Result<String, Error> {
        let mut join = self.path(mapping, line)?;
        self.patterns(&mut join)?;
        for condition in &line.conditions {
            let test = self.row_condition(&join, condition)?;
            join.tests.push(test);
        }
        let example = match mapping.example() {
            None => "''".to_owned(),
            Some(it) => {
                let column = self.example_column(it)?;
                self.name_of(mapping, &join.example, &it.table, &column)
            }
        };
        let mut selected = vec![format!("{example} AS example")];
        for (at, term) in line.terms.iter().enumerate() {
            selected.push(format!("{} AS a{}", self.line_term(&join, term)?, at + 1));
        }
        let value = match &line.value[..] {
            [] => double(&number(1.0)),
            [only] if !line.is_vector => self.number_of(&join, only)?,
            _ => {
                let what = format!("the values of `{}` are vectors", line.predicate);
                return Err(refused(what, "SQL is written for templates without vectors"));
            }
        };
        selected.push(format!("{value} AS y"));
        let tests = if join.tests.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", join.tests.join(" AND "))
        };
        Ok(format!("SELECT DISTINCT {} FROM {}{tests}", selected.join(", "), join.from))
    }

    /// Joins the table of a line along keys to the table of examples; later rows do not exist for an example.
    fn path<'a>(&self, mapping: &'a Mapping, line: &'a RelationLine) -> Result<LineJoin<'a>, Error> {
        let from = format!("{} AS t", quoted(mapping.table_of(&line.table)));
        let mut join = LineJoin {
            mapping,
            line,
            from,
            tests: Vec::new(),
            example: "t".to_owned(),
            dialect: self.dialect,
        };
        let Some(example) = mapping.example() else { return Ok(join) };
        let keys: Vec<_> = mapping.keys().collect();
        let mut tables: Vec<&str> = vec![&example.table, &line.table];
        tables.extend(keys.iter().flat_map(|(from, to)| [&*from.table, &*to.table]));
        let place = |table: &str| tables.iter().position(|it| *it == table).unwrap_or(0);
        let links: Vec<(usize, usize)> =
            keys.iter().map(|(from, to)| (place(&from.table), place(&to.table))).collect();
        let steps = steps(tables.len(), place(&example.table), &links);
        let (mut at, mut alias, mut visited) =
            (place(&line.table), "t".to_owned(), vec![(line.table.as_str(), "t".to_owned())]);
        while at != place(&example.table) {
            let Some((link, direction)) = steps[at] else {
                join.from += &format!(" CROSS JOIN {} AS e", quoted(mapping.table_of(&example.table)));
                alias = "e".to_owned();
                break;
            };
            let (from, to) = keys[link];
            let (here, there) = if direction == Direction::Out { (from, to) } else { (to, from) };
            at = place(&there.table);
            let next = format!("p{}", visited.len());
            let here = self.name_of(mapping, &alias, &here.table, &here.column);
            join.from += &match self.dialect {
                // SQLite makes an index of a column, and of no expression.
                Dialect::Sqlite => {
                    let table = keyed(&there.table, &there.column);
                    format!(" JOIN {table} AS {next} ON {next}.{} = {here}", quoted(KEY_NAME))
                }
                _ => {
                    let table = quoted(mapping.table_of(&there.table));
                    let key = self.name_of(mapping, &next, &there.table, &there.column);
                    format!(" JOIN {table} AS {next} ON {key} = {here}")
                }
            };
            visited.push((&there.table, next.clone()));
            alias = next;
        }
        join.example.clone_from(&alias);
        if let Some(as_of) = mapping.as_of() {
            let moment = |alias: &str, name: &ColumnName| {
                self.dialect.moment(&column_of(mapping, self.dialect, alias, &name.table, &name.column))
            };
            let known = moment(&alias, as_of);
            for (table, alias) in &visited {
                for time in mapping.times().filter(|time| time.table == *table) {
                    join.tests.push(format!("{} <= {known}", moment(alias, time)));
                }
            }
        }
        Ok(join)
    }

    /// Adds what the columns of a line must be.
    fn patterns(&self, join: &mut LineJoin<'_>) -> Result<(), Error> {
        for it in &join.line.columns {
            let column = join.own(&it.column);
            match &it.pattern {
                Pattern::Variable(name) if name == "_" => {}
                Pattern::Variable(name) => {
                    join.tests.push(format!("{column} IS NOT NULL"));
                    let first = join.variable(name).unwrap_or(&it.column);
                    if first != it.column {
                        let test = format!("{} = {}", join.own_name(&it.column), join.own_name(first));
                        join.tests.push(test);
                    }
                }
                Pattern::Constant(constant) => {
                    let test = match (join.kind(&it.column), constant) {
                        (ColumnKind::Integer, Constant::Integer(number)) => {
                            format!("CAST({column} AS BIGINT) = {number}")
                        }
                        (ColumnKind::Number, Constant::Integer(_) | Constant::Number(_)) => {
                            format!("{} = {constant}", double(&column))
                        }
                        (ColumnKind::Boolean, constant) => {
                            let truth = matches!(constant, Constant::Name(name) if &**name == "true")
                                || *constant == Constant::Integer(1);
                            format!("{} = '{truth}'", boolean(&column))
                        }
                        (ColumnKind::Date, Constant::Name(name)) => {
                            format!("{} = {}", self.dialect.moment(&column), self.dialect.moment(&text(name)))
                        }
                        (_, constant) => {
                            format!("{} = {}", join.own_name(&it.column), text(&plain_text(constant)))
                        }
                    };
                    join.tests.push(test);
                }
            }
        }
        Ok(())
    }

    fn line_term(&self, join: &LineJoin<'_>, term: &Expression) -> Result<String, Error> {
        let kind = kind_of(join, term);
        match (&term.kind, kind) {
            (ExpressionKind::Constant(Constant::Name(name)), _) => Ok(text(name)),
            (ExpressionKind::Constant(constant), _) => Ok(text(&constant.to_string())),
            (ExpressionKind::Variable(name), ColumnKind::Text) => {
                Ok(join.own_name(join.variable(name).unwrap_or(name)))
            }
            (ExpressionKind::Variable(name), ColumnKind::Boolean) => {
                Ok(boolean(&join.own(join.variable(name).unwrap_or(name))))
            }
            (ExpressionKind::Variable(name), ColumnKind::Integer) => {
                Ok(format!("CAST(CAST({} AS BIGINT) AS TEXT)", join.own(join.variable(name).unwrap_or(name))))
            }
            (ExpressionKind::Bins(..), _) => Ok(format!("CAST({} AS TEXT)", self.bin(join, term)?)),
            (_, kind) => {
                let (predicate, kind) = (&join.line.predicate, kind.name());
                let what = format!("a term of `{predicate}` is a {kind}, which systems do not write alike");
                Err(refused(what, "`bins(X, 5)` makes a whole number of it"))
            }
        }
    }

    /// Returns the number of a bin.
    fn bin(&self, join: &LineJoin<'_>, expression: &Expression) -> Result<String, Error> {
        let ExpressionKind::Bins(of, _, bounds) = &expression.kind else { return Ok("0".to_owned()) };
        let of = self.number_of(join, of)?;
        let above = |bound: &f64| format!(" + CASE WHEN {of} > {} THEN 1 ELSE 0 END", number(*bound));
        let bounds = bounds.as_ref().ok_or_else(|| unfitted("bins"))?;
        Ok(format!("(1{})", bounds.iter().map(above).collect::<String>()))
    }

    fn number_of(&self, join: &LineJoin<'_>, expression: &Expression) -> Result<String, Error> {
        Ok(match &expression.kind {
            ExpressionKind::Constant(Constant::Integer(number)) => double(&number.to_string()),
            ExpressionKind::Constant(Constant::Number(it)) => double(&number(*it)),
            ExpressionKind::Constant(Constant::Name(name)) => double(&text(name)),
            ExpressionKind::Variable(name) => {
                let column = join.variable(name).unwrap_or(name);
                match join.kind(column) {
                    ColumnKind::Boolean => double(&format!(
                        "CASE WHEN {} = 'true' THEN 1 ELSE 0 END",
                        boolean(&join.own(column))
                    )),
                    _ => double(&join.own(column)),
                }
            }
            ExpressionKind::AsOf => self.moment_of(join, expression),
            ExpressionKind::Days(a, b) => {
                self.dialect.days(&self.moment_of(join, a), &self.moment_of(join, b))
            }
            ExpressionKind::Scale(of, fit) => {
                let (mean, deviation) = fit.ok_or_else(|| unfitted("scale"))?;
                format!("(({} - {}) / {})", self.number_of(join, of)?, number(mean), number(deviation))
            }
            ExpressionKind::Bins(..) => double(&self.bin(join, expression)?),
            ExpressionKind::Log(of) => {
                let of = self.number_of(join, of)?;
                format!("(CASE WHEN {of} < 0 THEN -LN(1 - {of}) ELSE LN(1 + {of}) END)")
            }
        })
    }

    fn moment_of(&self, join: &LineJoin<'_>, expression: &Expression) -> String {
        match &expression.kind {
            ExpressionKind::Constant(constant) => {
                let written = match constant {
                    Constant::Name(name) => name.to_string(),
                    other => other.to_string(),
                };
                self.dialect.moment(&text(&written))
            }
            ExpressionKind::Variable(name) => {
                self.dialect.moment(&join.own(join.variable(name).unwrap_or(name)))
            }
            _ => {
                let as_of = join.mapping.as_of().map_or("", |name| name.column.as_str());
                let table = join.mapping.as_of().map_or("", |name| name.table.as_str());
                self.dialect.moment(&column_of(join.mapping, self.dialect, &join.example, table, as_of))
            }
        }
    }

    /// Compares as the language does: numbers by value, before names by their characters; dates are names.
    fn row_condition(&self, join: &LineJoin<'_>, condition: &RowCondition) -> Result<String, Error> {
        let RowCondition { left, comparison, right } = condition;
        let class = |of: &Expression| match (kind_of(join, of), &of.kind) {
            (ColumnKind::Integer | ColumnKind::Number, _) => Class::Number,
            (ColumnKind::Date, _) => Class::Date,
            (_, ExpressionKind::Constant(Constant::Name(name))) if Moment::read(name).is_some() => {
                Class::DateName
            }
            _ => Class::Name,
        };
        Ok(match (class(left), class(right)) {
            (Class::Number, Class::Number) => {
                format!(
                    "{} {} {}",
                    self.compared(join, left)?,
                    sign(*comparison),
                    self.compared(join, right)?
                )
            }
            (Class::Date, Class::Date | Class::DateName) | (Class::DateName, Class::Date) => {
                format!(
                    "{} {} {}",
                    self.moment_of(join, left),
                    sign(*comparison),
                    self.moment_of(join, right)
                )
            }
            (Class::Number, _) | (_, Class::Number) => {
                // A number is before every name.
                let is_left = class(left) == Class::Number;
                let holds = match comparison {
                    Comparison::Equal => false,
                    Comparison::NotEqual => true,
                    Comparison::Less | Comparison::LessOrEqual => is_left,
                    Comparison::Greater | Comparison::GreaterOrEqual => !is_left,
                };
                if holds { "1 = 1".to_owned() } else { "1 = 0".to_owned() }
            }
            _ => {
                let (a, b) = (self.line_term(join, left)?, self.line_term(join, right)?);
                self.dialect.compare_texts(*comparison, &a, &b)
            }
        })
    }

    /// Returns a number to compare: a whole one as it is, for those of 19 digits are no doubles.
    fn compared(&self, join: &LineJoin<'_>, expression: &Expression) -> Result<String, Error> {
        match (&expression.kind, kind_of(join, expression)) {
            (ExpressionKind::Variable(name), ColumnKind::Integer) => {
                Ok(format!("CAST({} AS BIGINT)", join.own(join.variable(name).unwrap_or(name))))
            }
            (ExpressionKind::Constant(Constant::Integer(number)), _) => Ok(number.to_string()),
            _ => self.number_of(join, expression),
        }
    }
}

/// The type that an expression is compared as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Number,
    Date,
    /// A name that reads as a date.
    DateName,
    Name,
}

/// Returns a truth value as the name that it is.
fn boolean(column: &str) -> String {
    format!("CASE WHEN CAST({column} AS TEXT) IN ('1', 'true', 't') THEN 'true' ELSE 'false' END")
}

fn unfitted(what: &str) -> Error {
    refused(
        format!("the mapping does not know the numbers of `{what}` yet"),
        "they are learned from training rows: name the run or the model",
    )
}
