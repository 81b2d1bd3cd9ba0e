//! One knowledge base with many queries: a table of links, whose rows name two things, or things that other rows join to
//! things of their own kind. Nothing divides it into examples: every row is there for every query, and only targets are
//! held out.
//!
//! A query asks of one thing or of a pair. Rules look at the things themselves, at what rows of other tables join them
//! to, at the neighbours that these lead to, and, of a pair, at what both are joined to.

use lrnn::{Error, ErrorKind};

use super::examples::{ALL_NULL, ALL_ONE};
use super::schema::is_called_name;
use super::{Inferrer, MOST_LEVELS, MOST_PAIRS, Role, name, values};
use crate::ColumnKind;
use crate::composite::ColumnLink;
use crate::frame::FrameColumn;

/// Most values of a column that have a weight each, where they recur.
const MOST_RECURRING: usize = 5000;

/// The reasons why columns are left out.
const NO_TIME: &str = "a date: in one knowledge base all rows are seen by all queries, whatever their date";
const NAMES: &str = "it names things: nearly every row has its own";

/// A thing that is asked about: the variable, the column of the target's table, the thing's own table.
struct Thing {
    variable: &'static str,
    column: String,
    frame: Option<usize>,
}

/// A relation between things of a table and what else a row of a link table says.
#[derive(Clone)]
struct ThingRelation {
    predicate: String,
    /// The table whose things it begins with.
    from: usize,
    /// The table that it leads to, if its second term is a key.
    to: Option<usize>,
    /// Different values of its second term, where these recur.
    values: Option<usize>,
    /// The thing that two relations must share to meet: a table, or a column of one.
    domain: String,
}

impl Inferrer<'_> {
    /// Tells whether the target is learned in one knowledge base: its table names things of others and has no key and no
    /// date, or rows of another table join its rows to each other.
    pub(super) fn is_knowledge_base(&self) -> bool {
        let table = &self.frames[self.target.0].name;
        let own = self.links.iter().filter(|(from, _)| from == table).count();
        let joins = |other: &str| {
            other != table
                && self.links.iter().filter(|(from, link)| from == other && link.table == *table).count() > 1
        };
        let is_dated = self.times[self.target.0].is_some();
        (self.keys[self.target.0].is_none() && own > 0 && !is_dated)
            || self.frames.iter().any(|frame| joins(&frame.name))
    }

    pub(super) fn knowledge_base(&mut self, location: &str, told: usize) -> Result<(), Error> {
        let (frame, column) = self.target.clone();
        self.begin(location, told, None)?;
        let asked = self.asked(frame)?;
        let variables: Vec<&str> = asked.iter().map(|it| it.variable).collect();
        let columns: Vec<String> =
            asked.iter().map(|it| format!("{}: {}", name(&it.column), it.variable)).collect();
        let is_multiple = self.questions(frame, &column, &variables, &columns)?;
        let candidates = name(&format!("{}_asked", self.frames[frame].name));
        let table = name(&self.frames[frame].name);
        self.line(
            &format!("{candidates}({}) <- {table}({}).", variables.join(", "), columns.join(", ")),
            "what is asked about",
        );
        let guard = format!("*{candidates}({})", variables.join(", "));
        let head = variables.iter().copied().chain(is_multiple.then_some("C")).collect::<Vec<_>>().join(", ");
        self.query = format!("{}({head})", self.query);
        self.class = is_multiple.then_some("C");
        self.rule("", &format!("{candidates}({})", variables.join(", ")), "what holds for all");
        let relations = self.relations(frame);
        self.tell_unjoined(frame, &asked, &relations);
        for thing in &asked {
            if let Some(own) = thing.frame {
                self.attributes(own, thing.variable, &guard, &column, frame);
                self.joined(own, thing.variable, &guard, &relations);
            }
        }
        if let [a, b] = &asked[..] {
            self.shared(a, b, &guard, &relations);
        }
        self.finish();
        Ok(())
    }

    /// Returns the things that a row of the target's table names.
    fn asked(&self, frame: usize) -> Result<Vec<Thing>, Error> {
        let table = &self.frames[frame].name;
        let mut links: Vec<&ColumnLink> =
            self.links.iter().filter(|(from, _)| from == table).map(|(_, link)| link).collect();
        // Things in the order of their columns.
        links.sort_by_key(|link| self.frames[frame].position(&link.column));
        let find = |name: &str| self.frames.iter().position(|frame| frame.name == name);
        if let Some(key) = &self.keys[frame] {
            return Ok(vec![Thing { variable: "A", column: key.clone(), frame: Some(frame) }]);
        }
        if links.len() > 3 {
            let message =
                format!("a row of `{table}` names {} things, where three are the most", links.len());
            return Err(Error::new(ErrorKind::Content, message).help("write the mapping by hand"));
        }
        let things = links.iter().zip(["A", "B", "D"]);
        Ok(things
            .map(|(link, variable)| Thing { variable, column: link.column.clone(), frame: find(&link.table) })
            .collect())
    }

    /// Writes the queries; true where each class is asked for.
    fn questions(
        &mut self,
        frame: usize,
        column: &str,
        variables: &[&str],
        columns: &[String],
    ) -> Result<bool, Error> {
        let (table, own) = (name(&self.frames[frame].name), name(column));
        let (terms, columns) = (variables.join(", "), columns.join(", "));
        self.query = own.clone();
        let at = self.frames[frame].position(column).unwrap_or(0);
        let cells = &self.frames[frame].columns[at];
        let is_number = matches!(cells.kind(), ColumnKind::Integer | ColumnKind::Number);
        if is_number && !self.names_thing && values(cells, MOST_LEVELS).is_none() {
            self.line(&format!("? Y :: {own}({terms}) <- {table}({columns}, {own}: Y)."), "numbers");
            let arity = variables.len();
            let line = format!("{own}/{arity} [activation = identity].  % any number can be the answer\n");
            self.template.push_str(&line);
            return Ok(false);
        }
        let classes = self.classes(frame, column)?;
        match &classes[..] {
            [no, yes] => {
                for (target, value) in [("1", yes), ("0", no)] {
                    let line = format!("? {target} :: {own}({terms}) <- {table}({columns}, {own}: {value}).");
                    let why = self.pair_note.clone();
                    self.line(&line, &why);
                }
            }
            classes => {
                for class in classes {
                    let line =
                        format!("? 1 :: {own}({terms}, {class}) <- {table}({columns}, {own}: {class}).");
                    self.line(&line, "a query for every class");
                    let line = format!(
                        "? 0 :: {own}({terms}, {class}) <- {table}({columns}, {own}: V), V != {class}."
                    );
                    self.line(&line, "and those it is not");
                }
                self.write_classes(column, classes);
            }
        }
        Ok(classes.len() > 2)
    }

    /// Writes lines for every table that begins at a thing, and returns what relations they give.
    fn relations(&mut self, target: usize) -> Vec<ThingRelation> {
        let mut all = self.own_relations(target);
        for at in (0..self.frames.len()).filter(|&at| at != target) {
            let table = self.frames[at].name.clone();
            let find = |name: &str| self.frames.iter().position(|frame| frame.name == name);
            let keys: Vec<(String, usize)> = self
                .links
                .iter()
                .filter(|(from, _)| *from == table)
                .filter_map(|(_, link)| Some((link.column.clone(), find(&link.table)?)))
                .collect();
            for (column, from) in &keys {
                for other in self.frames[at].columns.clone() {
                    let to = keys.iter().find(|(key, _)| *key == other.name).map(|(_, to)| *to);
                    let is_own_key = self.keys[at].as_ref() == Some(&other.name);
                    let count = values(&other, MOST_RECURRING).map(|all| all.len());
                    if other.name == *column || is_own_key {
                        continue;
                    }
                    let is_number = match to {
                        Some(_) => false,
                        None => match self.joined_number(at, &other) {
                            Some(is_number) => is_number,
                            None => continue,
                        },
                    };
                    let predicate = name(&format!("{table}_{column}_{}", other.name));
                    let term = if is_number { "bins(X, 5)" } else { "X" };
                    let line = format!(
                        "{predicate}(K, {term}) <- {}({}: K, {}: X).",
                        name(&table),
                        name(column),
                        name(&other.name)
                    );
                    let why = if is_number {
                        "a number, in fifths of the rows"
                    } else {
                        "what a row joins a thing to"
                    };
                    self.line(&line, why);
                    if is_number {
                        let domain = format!("{table}.{} in fifths", other.name);
                        all.push(ThingRelation { predicate, from: *from, to, values: Some(5), domain });
                        continue;
                    }
                    let domain =
                        to.map_or(format!("{table}.{}", other.name), |to| self.frames[to].name.clone());
                    let count = count.filter(|_| to.is_none() && recurs(&other, 3));
                    all.push(ThingRelation { predicate, from: *from, to, values: count, domain });
                }
                if self.frames[at].columns.iter().any(|other| {
                    let predicate = name(&format!("{table}_{column}_{}", other.name));
                    all.iter().any(|it| it.predicate == predicate)
                }) {
                    continue;
                }
                // Of rows that say no more, that they are there.
                let (predicate, own) = (name(&format!("{table}_{column}")), name(column));
                let line = format!("{predicate}(K, X) <- {}({own}: K, {own}: X).", name(&table));
                self.line(&line, "whether there is any");
                let domain = format!("{table}.{column} itself");
                all.push(ThingRelation { predicate, from: *from, to: None, values: None, domain });
            }
        }
        all
    }

    /// Tells of the tables that nothing joins to what is asked about.
    fn tell_unjoined(&mut self, target: usize, asked: &[Thing], relations: &[ThingRelation]) {
        let is_joined = |at: usize| {
            at == target
                || asked.iter().any(|it| it.frame == Some(at))
                || relations.iter().any(|it| it.from == at || it.to == Some(at))
                || self.links.iter().any(|(from, _)| *from == self.frames[at].name)
        };
        let others: Vec<usize> = (0..self.frames.len()).filter(|&at| !is_joined(at)).collect();
        for at in others {
            let table = self.frames[at].name.clone();
            self.leave(&table, "no foreign key joins it to what is asked about");
        }
    }

    /// Tells whether a column of rows that join things is a number; nothing if it is left out, which is told.
    fn joined_number(&mut self, at: usize, column: &FrameColumn) -> Option<bool> {
        let role = self.role(at, column);
        let why = match role {
            Role::Number if !is_called_name(&column.name) => return Some(true),
            Role::Date => NO_TIME,
            Role::Empty => ALL_NULL,
            Role::Constant => ALL_ONE,
            _ if !recurs(column, 1) => NAMES,
            _ => return Some(false),
        };
        let what = format!("{}.{}", self.frames[at].name, column.name);
        self.leave_once(&what, why);
        None
    }

    /// Writes lines for the columns of the asked things that refer to others of their kind, and returns what relations they
    /// give: from either side.
    fn own_relations(&mut self, target: usize) -> Vec<ThingRelation> {
        let (table, Some(key)) = (self.frames[target].name.clone(), self.keys[target].clone()) else {
            return Vec::new();
        };
        let is_own = |(from, link): &&(String, ColumnLink)| *from == table && link.table == table;
        let columns: Vec<String> =
            self.links.iter().filter(is_own).map(|(_, link)| link.column.clone()).collect();
        let mut all = Vec::new();
        for column in columns {
            for (suffix, terms) in [("", "K, X"), ("_of", "X, K")] {
                let predicate = name(&format!("{table}_{column}{suffix}"));
                let (key, column) = (name(&key), name(&column));
                let line = format!("{predicate}({terms}) <- {}({key}: K, {column}: X).", name(&table));
                self.line(&line, "the table refers to itself");
                let (to, domain) = (Some(target), table.clone());
                all.push(ThingRelation { predicate, from: target, to, values: None, domain });
            }
        }
        all
    }

    /// Writes lines and rules of the columns of a thing's own table.
    fn attributes(&mut self, frame: usize, variable: &str, guard: &str, target: &str, target_frame: usize) {
        for it in self.attribute_predicates(frame, target, target_frame) {
            self.rule("[V]", &format!("{guard}, {it}({variable}, V)"), "a weight for every value");
        }
    }

    /// Returns the predicates of a table's columns, after writing the lines of those that have none yet.
    fn attribute_predicates(&mut self, frame: usize, target: &str, target_frame: usize) -> Vec<String> {
        let (table, Some(key)) = (self.frames[frame].name.clone(), self.keys[frame].clone()) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for column in self.frames[frame].columns.clone() {
            if column.name == key || (frame == target_frame && column.name == target) {
                continue;
            }
            let (predicate, own) = (name(&format!("{table}_{}", column.name)), name(&column.name));
            let start = format!("{}({}: K, {own}: X).", name(&table), name(&key));
            let line = match self.role(frame, &column) {
                Role::Category(_) => format!("{predicate}(K, X) <- {start}"),
                Role::Number => format!("{predicate}(K, bins(X, 5)) <- {start}"),
                role => {
                    let is_link = |(from, link): &(String, ColumnLink)| {
                        *from == table && self.is_of(&table, &link.column, &column)
                    };
                    let is_made = self.composites.find(&table, &column.name).is_some();
                    let why = match role {
                        Role::Date => NO_TIME,
                        Role::Empty => ALL_NULL,
                        Role::Constant => ALL_ONE,
                        _ => NAMES,
                    };
                    if !is_made && !self.links.iter().any(is_link) {
                        self.leave_once(&format!("{table}.{}", column.name), why);
                    }
                    continue;
                }
            };
            if !self.mapping.contains(&line) {
                self.line(&line, "what a thing is");
            }
            all.push(predicate);
        }
        all
    }

    /// Writes rules of what a thing is joined to, and of the neighbours that this leads to.
    fn joined(&mut self, frame: usize, variable: &str, guard: &str, relations: &[ThingRelation]) {
        for it in relations.iter().filter(|it| it.from == frame) {
            let (predicate, body) = (&it.predicate, format!("{guard}, {}({variable}, X)", it.predicate));
            match it.values {
                Some(_) => self.rule("[X]", &body, "a weight for every value that it is joined to"),
                None => {
                    self.rule("", &format!("{guard}, {predicate}({variable}, _)"), "whether there is any");
                }
            }
            let Some(to) = it.to else { continue };
            let (target, column) = self.target.clone();
            for attribute in self.attribute_predicates(to, &column, target) {
                let body = format!("{guard}, *{predicate}({variable}, X), {attribute}(X, V)");
                self.rule("[V]", &body, "what a neighbour is");
            }
            let next = relations.iter().filter(|next| next.from == to && next.values.is_some());
            for next in next.cloned().collect::<Vec<_>>() {
                let body = format!("{guard}, *{predicate}({variable}, X), {}(X, V)", next.predicate);
                self.rule("[V]", &body, "what a neighbour is joined to");
            }
        }
    }

    /// Writes rules of a pair: what both are, whether one row names both, what rows join both to.
    fn shared(&mut self, a: &Thing, b: &Thing, guard: &str, relations: &[ThingRelation]) {
        let (Some(first), Some(second)) = (a.frame, b.frame) else { return };
        let (target, column) = self.target.clone();
        let count = |it: &Self, frame: usize, predicate: &str| {
            let columns = it.frames[frame].columns.iter();
            let own = columns
                .filter(|column| name(&format!("{}_{}", it.frames[frame].name, column.name)) == predicate);
            own.filter_map(|column| values(column, MOST_PAIRS)).map(|all| all.len()).next().unwrap_or(5)
        };
        let (ours, theirs) = (
            self.attribute_predicates(first, &column, target),
            self.attribute_predicates(second, &column, target),
        );
        for p in &ours {
            for q in &theirs {
                if count(self, first, p) * count(self, second, q) <= MOST_PAIRS {
                    let body = format!("{guard}, {p}(A, V), {q}(B, U)");
                    self.rule("[V, U]", &body, "what both are");
                }
            }
        }
        for p in relations.iter().filter(|it| it.from == first) {
            if p.to == Some(second) {
                self.rule("", &format!("{guard}, {}(A, B)", p.predicate), "a row names both");
            }
            for q in relations.iter().filter(|it| it.from == second && it.domain == p.domain) {
                let body = format!("{guard}, {}(A, X), {}(B, X)", p.predicate, q.predicate);
                self.rule("", &body, "both are joined to one thing");
            }
        }
    }
}

/// Tells whether the values of a column recur so often on average, or are but two.
fn recurs(column: &FrameColumn, times: usize) -> bool {
    let most = (column.len() / times).min(column.len().saturating_sub(1)).max(2);
    values(column, most).is_some_and(|all| !all.is_empty())
}
