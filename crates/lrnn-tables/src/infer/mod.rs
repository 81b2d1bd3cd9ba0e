//! A first mapping and a first template from a schema: `customer.churned` is what to learn, foreign keys are what to
//! join along. Every line says why it is there, and whatever was left out is told.

mod examples;
mod knowledge;
mod latent;
mod schema;

use std::fmt::Write;

use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};
use serde::Serialize;

use schema::{as_of, find_target, guess_links, guessed_key, odd_date, values};

use crate::source::ForeignKey;
use crate::{ColumnKind, Frame, FrameColumn, TableSource};

/// Most values of a category: beyond, a column names things.
const MOST_VALUES: usize = 50;
/// Most values of a number that are a category of levels.
const MOST_LEVELS: usize = 10;
/// Most pairs of categories that have a weight each.
const MOST_PAIRS: usize = 300;

/// A mapping and a template as texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Inference {
    /// The mapping.
    pub mapping: String,
    /// The template.
    pub template: String,
    /// Columns and tables that were left out, and why.
    pub left_out: Vec<String>,
}

/// The use of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Role {
    Category(usize),
    Number,
    Date,
    Name,
    /// Every cell is NULL.
    Empty,
}

struct Inferrer<'a> {
    frames: Vec<Frame>,
    /// By frame: its key.
    keys: Vec<Option<String>>,
    /// By frame: the column that says when a row came to be.
    times: Vec<Option<String>>,
    links: Vec<(String, ForeignKey)>,
    target: (usize, String),
    source: &'a dyn TableSource,
    mapping: String,
    template: String,
    left_out: Vec<String>,
    /// Rules that the template names and does not use.
    alternatives: Vec<String>,
    weights: usize,
    /// The atom that is learned.
    query: String,
    /// The variable for its class, where each class is asked for.
    class: Option<&'static str>,
}

/// Writes a mapping and a template that learn a column of a table. The location is for the mapping.
pub fn infer(source: &dyn TableSource, location: &str, target: &str) -> Result<Inference, Error> {
    let (mut frames, mut keys, mut times, mut tasks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut has_time = false;
    let own = target.split_once('.').map_or(target, |(table, _)| table);
    let hidden = source.hidden(own);
    for table in source.tables()? {
        let schema = source.schema(&table)?;
        if schema.is_task && table != own {
            tasks.push(table);
            continue;
        }
        let is_seen =
            |column: &String| !hidden.iter().any(|(hidden, name)| *hidden == table && name == column);
        let columns: Vec<String> =
            schema.columns.iter().map(|(name, _)| name.clone()).filter(is_seen).collect();
        let frame = source.read(&table, &columns)?;
        let given = Some(&schema.primary_key).filter(|key| key.len() == 1).map(|key| key[0].clone());
        keys.push(given.or_else(|| if schema.is_task { None } else { guessed_key(&frame) }));
        has_time |= schema.time.is_some() && table == own;
        let date = || frame.columns.iter().find(|it| it.kind() == ColumnKind::Date).map(|it| it.name.clone());
        times.push(schema.time.or_else(date));
        frames.push(frame);
    }
    let target = find_target(&frames, target)?;
    let mut links = source.foreign_keys()?;
    links.retain(|(table, link)| {
        let is_there = |name: &str| frames.iter().any(|frame| frame.name == name);
        is_there(table) && is_there(&link.table)
    });
    let (mapping, template, query) = (String::new(), String::new(), String::new());
    let seen = hidden.iter().map(|(table, column)| format!("{table}.{column}: the task hides it"));
    let left_out = seen.chain(tasks.iter().map(|task| format!("{task}: labels of another task")));
    let left_out = left_out.chain(odd_dates(&frames)).collect();
    let told = links.len();
    guess_links(&frames, &keys, &mut links);
    if keys[target.0].is_some() && !has_time {
        times[target.0] = as_of(&frames, &times, &links, (target.0, keys[target.0].as_deref()));
    }
    let mut it = Inferrer {
        frames,
        keys,
        times,
        links,
        target,
        source,
        mapping,
        template,
        left_out,
        alternatives: Vec::new(),
        weights: 0,
        query,
        class: None,
    };
    match it.is_knowledge_base() {
        true => it.knowledge_base(location, told)?,
        false => it.write(location, told)?,
    }
    Ok(Inference { mapping: it.mapping, template: it.template, left_out: it.left_out })
}

/// Returns a sentence for each column of dates that are not read as dates.
fn odd_dates(frames: &[Frame]) -> Vec<String> {
    let sentence = |frame: &Frame, column: &FrameColumn| {
        let odd = odd_date(column)?;
        let (table, column) = (&frame.name, &column.name);
        Some(format!("{table}.{column} as dates: `{odd}` is not written as 2024-01-31 is"))
    };
    frames
        .iter()
        .flat_map(|frame| frame.columns.iter().filter_map(move |column| sentence(frame, column)))
        .collect()
}

/// Returns a name as the language reads it.
fn name(text: &str) -> String {
    Constant::from(text).to_string()
}

impl Inferrer<'_> {
    fn role(&self, frame: usize, column: &FrameColumn) -> Role {
        let table = &self.frames[frame].name;
        let is_key = self.keys[frame].as_ref() == Some(&column.name)
            || self.links.iter().any(|(from, link)| from == table && link.column == column.name);
        let count = values(column, MOST_VALUES).map(|all| all.len());
        match (is_key, column.kind(), count) {
            (true, ..) => Role::Name,
            (_, _, Some(0)) => Role::Empty,
            (_, ColumnKind::Date, _) => Role::Date,
            (_, ColumnKind::Integer | ColumnKind::Number, count)
                if count.is_none_or(|count| count > MOST_LEVELS) =>
            {
                Role::Number
            }
            (_, _, Some(count)) => Role::Category(count),
            (_, _, None) => Role::Name,
        }
    }

    fn line(&mut self, line: &str, why: &str) {
        let _ = writeln!(self.mapping, "{line}  % {why}");
    }

    fn rule(&mut self, weight: &str, body: &str, why: &str) {
        self.rule_with(weight, body, "", why);
    }

    /// Writes a rule with options; where each class is asked for, a weight for each.
    fn rule_with(&mut self, index: &str, body: &str, options: &str, why: &str) {
        self.weights += 1;
        let index = match (self.class, index) {
            (None, index) => index.to_owned(),
            (Some(class), "") => format!("[{class}]"),
            (Some(class), index) => format!("{}, {class}]", index.trim_end_matches(']')),
        };
        let (weight, query, body) = (self.weights, &self.query, self.with_class(body));
        let _ = writeln!(self.template, "w{weight}{index} :: {query} :- {body}.{options}  % {why}");
    }

    /// Returns a body with its class, where each class is asked for.
    fn with_class(&self, body: &str) -> String {
        let classes = self.query.split('(').next().unwrap_or("");
        match self.class {
            Some(class) => format!("{body}, *{classes}_class({class})"),
            None => body.to_owned(),
        }
    }

    fn leave(&mut self, what: &str, why: &str) {
        self.left_out.push(format!("{what}: {why}"));
    }

    fn write(&mut self, location: &str, told: usize) -> Result<(), Error> {
        let (frame, column) = self.target.clone();
        let table = self.frames[frame].name.clone();
        let find = |name: &str| self.frames.iter().position(|frame| frame.name == name);
        let entities: Vec<(String, usize)> = self
            .links
            .iter()
            .filter(|(from, _)| *from == table)
            .filter_map(|(_, link)| Some((link.column.clone(), find(&link.table)?)))
            .collect();
        let key = self.keys[frame].clone();
        let Some(own_key) = key.clone().or_else(|| entities.first().map(|(column, _)| column.clone())) else {
            let message = format!("no column of `{table}` names its rows: none is unique and called an id");
            return Err(Error::new(ErrorKind::Content, message).help("add one, or write the mapping by hand"));
        };
        let as_of = self.times[frame].clone();
        let is_owner = |name: &str| {
            name == table || (key.is_none() && entities.iter().any(|(_, at)| self.frames[*at].name == name))
        };
        let children: Vec<usize> = self
            .links
            .iter()
            .filter(|(from, link)| *from != table && is_owner(&link.table))
            .filter_map(|(from, _)| find(from))
            .collect();
        self.begin(location, told, Some((key.as_deref(), as_of.as_deref())))?;
        let mut times = Vec::new();
        for child in &children {
            let date = self.times[*child].clone().filter(|_| as_of.is_some());
            if let Some(date) = &date {
                let line = format!(":- time({}.{}).", name(&self.frames[*child].name), name(date));
                self.line(&line, "rows exist from this date");
            }
            times.push(date);
        }
        self.mapping.push('\n');
        self.targets(frame, &table, &column)?;
        self.own(frame, &table, &own_key, &column);
        let mut used: Vec<usize> = Vec::new();
        for (_, entity) in entities.iter().filter(|_| key.is_none()) {
            if let (Some(key), false) = (self.keys[*entity].clone(), used.contains(entity)) {
                self.own(*entity, &self.frames[*entity].name.clone(), &key, "");
                used.push(*entity);
            }
        }
        let own_links: Vec<ForeignKey> = self
            .links
            .iter()
            .filter(|(from, link)| *from == table && link.table != table && key.is_some())
            .map(|(_, link)| link.clone())
            .collect();
        for link in &own_links {
            self.parent(&table, None, link, &[]);
        }
        for (child, time) in children.iter().zip(times) {
            if !used.contains(child) {
                self.child(*child, time.as_deref(), frame);
                used.push(*child);
            }
        }
        for at in 0..self.frames.len() {
            let name = self.frames[at].name.clone();
            let is_parent = self.links.iter().any(|(from, link)| {
                link.table == name
                    && (*from == table || used.iter().any(|&child| self.frames[child].name == *from))
            });
            if at != frame && !used.contains(&at) && !is_parent {
                self.leave(&name, "no foreign key joins it to the examples in two steps");
            }
        }
        self.finish();
        Ok(())
    }

    /// Writes what a mapping begins with: its source, the examples with their key and date, the keys.
    fn begin(
        &mut self,
        location: &str,
        told: usize,
        example: Option<(Option<&str>, Option<&str>)>,
    ) -> Result<(), Error> {
        let (source, (frame, column)) = (self.source.name(), self.target.clone());
        let table = self.frames[frame].name.clone();
        let _ = writeln!(self.mapping, "% Inferred from {source} to learn {table}.{column}.");
        let _ = writeln!(
            self.template,
            "% Inferred from {source} to learn {table}.{column}.\n:- family(max_sigmoid).\n"
        );
        let quoted = location.replace('\\', "\\\\").replace('\'', "\\'");
        self.line(&format!(":- source('{quoted}')."), "where the tables are");
        if let Some((key, as_of)) = example {
            let key = key.map_or(String::new(), |key| format!(".{}", name(key)));
            self.line(&format!(":- example({}{key}).", name(&table)), "one example a row");
            if let Some(as_of) = as_of {
                let line = format!(":- as_of({}.{}).", name(&table), name(as_of));
                self.line(&line, "later rows do not exist for the example");
            }
        }
        for (at, (from, link)) in self.links.clone().iter().enumerate() {
            let why = if at < told { "a foreign key" } else { "guessed: its name, and all values are there" };
            let line = format!(
                ":- key({}.{}, {}.{}).",
                name(from),
                name(&link.column),
                name(&link.table),
                name(&link.key)
            );
            self.line(&line, why);
        }
        Ok(())
    }

    /// Writes what was left out.
    fn finish(&mut self) {
        self.write_alternatives();
        let left: Vec<String> = self.left_out.iter().map(|it| format!("% Left out: {it}\n")).collect();
        self.mapping.push_str(&left.concat());
    }

    /// Returns the classes of the target as the language writes them, the opposite of two first; an error where it is
    /// no class.
    fn classes(&self, frame: usize, column: &str) -> Result<Vec<String>, Error> {
        let at = self.frames[frame].position(column).unwrap_or(0);
        let cells = &self.frames[frame].columns[at];
        let is_number = matches!(cells.kind(), ColumnKind::Integer | ColumnKind::Number);
        let mut found: Vec<String> = values(cells, MOST_VALUES).unwrap_or_default().into_iter().collect();
        if found.len() < 2 {
            let table = &self.frames[frame].name;
            let message = format!("`{table}.{column}` is neither a number nor one of few values");
            return Err(Error::new(ErrorKind::Content, message).help("name another --target"));
        }
        if found.len() == 2 && is_no(&found[1]) && !is_no(&found[0]) {
            found.swap(0, 1);
        }
        Ok(found.into_iter().map(|value| if is_number { value } else { name(&value) }).collect())
    }

    /// Writes the queries.
    fn targets(&mut self, frame: usize, table: &str, column: &str) -> Result<(), Error> {
        let at = self.frames[frame].position(column).unwrap_or(0);
        let cells = &self.frames[frame].columns[at];
        let is_number = matches!(cells.kind(), ColumnKind::Integer | ColumnKind::Number);
        let count = values(cells, MOST_VALUES).map_or(usize::MAX, |all| all.len());
        let (table, own) = (name(table), name(column));
        self.query.clone_from(&own);
        if is_number && count > 2 {
            self.line(&format!("? Y :: {own} <- {table}({own}: Y)."), "numbers");
            let _ =
                writeln!(self.template, "{own}/0 [activation = identity].  % any number can be the answer");
            return Ok(());
        }
        let classes = self.classes(frame, column)?;
        if let [no, yes] = &classes[..] {
            for (target, value) in [("1", yes), ("0", no)] {
                let line = format!("? {target} :: {own} <- {table}({own}: {value}).");
                self.line(&line, "two values: a class and its opposite");
            }
            return Ok(());
        }
        for class in &classes {
            self.line(
                &format!("? 1 :: {own}({class}) <- {table}({own}: {class})."),
                "a query for every class",
            );
            let line = format!("? 0 :: {own}({class}) <- {table}({own}: V), V != {class}.");
            self.line(&line, "and those it is not");
        }
        let facts: Vec<String> = classes.iter().map(|class| format!("{own}_class({class}).")).collect();
        let _ = writeln!(self.template, "{}  % the classes", facts.join(" "));
        self.query = format!("{own}(C)");
        self.class = Some("C");
        Ok(())
    }

    /// Writes a line that is not there yet.
    fn line_once(&mut self, line: &str, why: &str) {
        if !self.mapping.contains(line) {
            self.line(line, why);
        }
    }
}

/// Tells whether a label reads as the opposite of what is asked.
fn is_no(value: &str) -> bool {
    matches!(
        value.to_lowercase().as_str(),
        "no" | "n" | "false" | "f" | "0" | "neg" | "negative" | "-" | "-1" | "inactive"
    )
}
