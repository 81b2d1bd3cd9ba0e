//! A first mapping and a first template from a schema: `customer.churned` is what to learn, foreign keys are what to
//! join along. Every line says why it is there, and whatever was left out is told.

mod knowledge;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lrnn::diagnostic::did_you_mean;
use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};
use serde::Serialize;

use crate::frame::Cell;
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
}

/// A predicate of two terms, a row and its category.
struct Category {
    predicate: String,
    values: usize,
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
    let left_out = seen.chain(tasks.iter().map(|task| format!("{task}: labels of another task"))).collect();
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

fn find_target(frames: &[Frame], target: &str) -> Result<(usize, String), Error> {
    let wrong = |message: String, help: String| Err(Error::new(ErrorKind::Usage, message).help(help));
    let Some((table, column)) = target.split_once('.') else {
        if frames.iter().any(|frame| frame.name == target) {
            let help = format!(
                "name one of its columns, or make a view with a column that says whether a row is there: \
                 CREATE VIEW labelled AS SELECT t.*, EXISTS (SELECT 1 FROM {target} WHERE ...) AS has_{target} FROM t"
            );
            return wrong(format!("`{target}` is a table, and no column"), help);
        }
        return wrong(
            format!("`{target}` is no column"),
            "--target customer.churned names a table and its column".into(),
        );
    };
    let names = || frames.iter().map(|frame| frame.name.as_str());
    let Some(frame) = frames.iter().position(|frame| frame.name == table) else {
        let all: Vec<&str> = names().collect();
        let help =
            did_you_mean(table, names()).unwrap_or_else(|| format!("the tables are {}", all.join(", ")));
        return wrong(format!("there is no table `{table}`"), help);
    };
    let columns: Vec<&str> = frames[frame].columns.iter().map(|column| column.name.as_str()).collect();
    match columns.contains(&column) {
        true => Ok((frame, column.to_owned())),
        false => {
            let help = did_you_mean(column, columns.iter().copied());
            let help = help.unwrap_or_else(|| format!("the columns are {}", columns.join(", ")));
            wrong(format!("the table `{table}` has no column `{column}`"), help)
        }
    }
}

/// Returns the different values of a column, if there are no more than so many.
fn values(column: &FrameColumn, most: usize) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for row in 0..column.len() {
        all.extend(column.cell(row).into_name());
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// Returns the first column that no two rows have alike and that is called a key.
fn guessed_key(frame: &Frame) -> Option<String> {
    let is_called_key = |column: &&FrameColumn| {
        let name = column.name.to_lowercase();
        name == "id" || name.ends_with("_id") || name.ends_with("id") || name == frame.name.to_lowercase()
    };
    let is_key = |column: &&FrameColumn| {
        let has_null = (0..frame.rows).any(|row| column.cell(row) == Cell::Null);
        !has_null && values(column, frame.rows).is_some_and(|all| all.len() == frame.rows)
    };
    frame.columns.iter().filter(is_called_key).find(is_key).map(|column| column.name.clone())
}

/// Adds links from columns that are called as a key, or as its table, to that key where it has all their values.
fn guess_links(frames: &[Frame], keys: &[Option<String>], links: &mut Vec<(String, ForeignKey)>) {
    for frame in frames {
        for column in &frame.columns {
            for (other, key) in frames.iter().zip(keys) {
                let Some(key) = key else { continue };
                let is_known =
                    links.iter().any(|(table, link)| *table == frame.name && link.column == column.name);
                let is_itself = other.name == frame.name && *key == column.name;
                let is_called = (*key == column.name && other.name != frame.name && !is_plain(key))
                    || is_called_after(&column.name, &other.name);
                if is_known || is_itself || !is_called {
                    continue;
                }
                let all = other.position(key).and_then(|at| values(&other.columns[at], other.rows));
                let mut rows = (0..frame.rows).filter_map(|row| column.cell(row).into_name()).peekable();
                if rows.peek().is_some() && all.is_some_and(|all| rows.all(|name| all.contains(&name))) {
                    let link = ForeignKey {
                        column: column.name.clone(),
                        table: other.name.clone(),
                        key: key.clone(),
                    };
                    links.push((frame.name.clone(), link));
                }
            }
        }
    }
}

/// Tells whether a key is called so in every table.
fn is_plain(key: &str) -> bool {
    key.eq_ignore_ascii_case("id")
}

/// Tells whether a column has the name of a table: `student`, `student_id`, `from_account` of `accounts`.
fn is_called_after(column: &str, table: &str) -> bool {
    let (column, table) = (column.to_lowercase(), table.to_lowercase());
    let column = column.strip_suffix("_id").or_else(|| column.strip_suffix("id")).unwrap_or(&column);
    let column = column.trim_end_matches('_');
    let one = table.strip_suffix('s').unwrap_or(&table);
    [table.as_str(), one].iter().any(|name| {
        let before = column.strip_suffix(name);
        !name.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    })
}

/// Returns the column of the table of examples that says what an example is as of: one that is called so, or a date that
/// a tenth of the rows that refer to it do not come after. A birthday is none.
fn as_of(
    frames: &[Frame],
    times: &[Option<String>],
    links: &[(String, ForeignKey)],
    (target, key): (usize, Option<&str>),
) -> Option<String> {
    let own = &frames[target];
    let dates = || own.columns.iter().filter(|column| column.kind() == ColumnKind::Date);
    let is_called = |column: &&FrameColumn| {
        let name = column.name.to_lowercase();
        ["as_of", "asof", "cutoff", "snapshot", "until"].iter().any(|it| name.contains(it))
    };
    if let Some(column) = dates().find(is_called) {
        return Some(column.name.clone());
    }
    let key = &own.columns[own.position(key?)?];
    let moment = |column: &FrameColumn, row: usize| match column.cell(row) {
        Cell::Moment(moment) => Some(moment),
        Cell::Text(text) => crate::Moment::read(&text),
        _ => None,
    };
    let is_as_of = |column: &&FrameColumn| {
        let of_key: BTreeMap<String, crate::Moment> = (0..own.rows)
            .filter_map(|row| Some((key.cell(row).into_name()?, moment(column, row)?)))
            .collect();
        let (mut all, mut before) = (0, 0);
        for (from, link) in links.iter().filter(|(_, link)| link.table == own.name) {
            let Some(at) = frames.iter().position(|frame| frame.name == *from && *from != own.name) else {
                continue;
            };
            let frame = &frames[at];
            let date = times[at].as_ref().and_then(|date| frame.position(date));
            let (Some(date), Some(refers)) = (date, frame.position(&link.column)) else { continue };
            for row in 0..frame.rows {
                let owner = frame.columns[refers].cell(row).into_name().and_then(|it| of_key.get(&it));
                if let (Some(owner), Some(date)) = (owner, moment(&frame.columns[date], row)) {
                    all += 1;
                    before += usize::from(date <= *owner);
                }
            }
        }
        10 * before >= all && all > 0
    };
    dates().find(is_as_of).map(|column| column.name.clone())
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
        let (weight, query) = (self.weights, &self.query);
        let classes = query.split('(').next().unwrap_or("");
        let body = match self.class {
            Some(class) => format!("{body}, *{classes}_class({class})"),
            None => body.to_owned(),
        };
        let _ = writeln!(self.template, "w{weight}{index} :: {query} :- {body}.{options}  % {why}");
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

    /// Writes lines and rules of the table of examples.
    fn own(&mut self, frame: usize, table: &str, key: &str, target: &str) {
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
            }
        }
    }

    /// Writes lines and rules of a table that refers to the examples, and of the tables that it refers to.
    fn child(&mut self, frame: usize, time: Option<&str>, target: usize) {
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

    /// Writes a weight for every two categories of one row.
    fn pairs(&mut self, categories: &[Category]) {
        for (at, a) in categories.iter().enumerate() {
            for b in &categories[at + 1..] {
                if a.values * b.values <= MOST_PAIRS {
                    let body = format!("{}(R, A), *{}(R, B)", a.predicate, b.predicate);
                    self.rule("[A, B]", &body, "both in one row");
                }
            }
        }
    }

    /// Writes lines and rules of a table that rows refer to: those of a table, by their key, or the example itself.
    fn parent(&mut self, table: &str, key: Option<&str>, link: &ForeignKey, categories: &[Category]) {
        let Some(frame) = self.frames.iter().position(|frame| frame.name == link.table) else { return };
        let joins = name(&format!("{table}_{}", link.column));
        let (terms, any, columns) = match key {
            Some(key) => ("R, P", "_, P", format!("{}: R, {}: P", name(key), name(&link.column))),
            None => ("P", "P", format!("{}: P", name(&link.column))),
        };
        let line = format!("{joins}({terms}) <- {}({columns}).", name(table));
        self.line(&line, "the foreign key, to join along");
        for column in self.frames[frame].columns.clone() {
            let (predicate, own) = (name(&format!("{}_{}", link.table, column.name)), name(&column.name));
            let (other, other_key) = (name(&link.table), name(&link.key));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let line = format!("{predicate}(P, V) <- {other}({other_key}: P, {own}: V).");
                    self.line_once(&line, &format!("a category of {count} values"));
                    let join = format!("{joins}({any}), *{predicate}(P, V)");
                    self.rule("[V]", &join, "whether some row is joined to the value");
                    for it in categories.iter().filter(|it| it.values * count <= MOST_PAIRS) {
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
                Role::Date => {}
                Role::Name if self.is_used(frame, &column.name, &link.key) => {}
                Role::Name => {
                    let what = format!("{}.{}", link.table, column.name);
                    if !self.left_out.iter().any(|it| it.starts_with(&what)) {
                        self.leave(&what, "it names things");
                    }
                }
            }
        }
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
