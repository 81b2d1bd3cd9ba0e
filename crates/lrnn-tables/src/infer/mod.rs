//! A first mapping and a first template from a schema: `customer.churned` is what to learn, foreign keys are what to
//! join along. Every line says why it is there, and whatever was left out is told.

mod attributes;
mod examples;
mod given_tables;
mod knowledge;
mod latent;
mod quantities;
mod references;
mod schema;
mod self_references;
mod steps;
mod unknown;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};
use serde::Serialize;

use given_tables::{GivenTables, odd_cells};
use quantities::RowOwners;
use schema::{
    as_of, find_target, guess_composites, guess_links, guessed_key, is_called_as_of, key_of_several, values,
};
use self_references::InferredAlias;
use unknown::{unread_as_of, unread_time};

use crate::composite::{ColumnLink, CompositeColumn, CompositeColumns};
use crate::{ClassPair, ColumnKind, Frame, FrameColumn, TableSource};

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
    /// The settings of learning, for a file beside the mapping.
    pub settings: String,
    /// A sentence that says which of two classes counts as 1; empty where there are not two.
    pub classes: String,
    /// Columns and tables that were left out, and why.
    pub left_out: Vec<String>,
    /// Cells that are taken as unknown, and tables whose dates cannot be read.
    pub warnings: Vec<String>,
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
    /// Every cell is the same.
    Constant,
}

struct Inferrer<'a> {
    frames: Vec<Frame>,
    /// By frame: its key.
    keys: Vec<Option<String>>,
    /// By frame: the column that says when a row came to be.
    times: Vec<Option<String>>,
    links: Vec<(String, ColumnLink)>,
    /// Columns that are made of several, which are in their frames, too.
    composites: CompositeColumns,
    /// Second names of tables, which are frames of their own.
    aliases: Vec<InferredAlias>,
    target: (usize, String),
    source: &'a dyn TableSource,
    mapping: String,
    template: String,
    left_out: Vec<String>,
    warnings: Vec<String>,
    /// Rules that the template names and does not use.
    alternatives: Vec<String>,
    weights: usize,
    /// The atom that is learned.
    query: String,
    /// The variable for its class, where each class is asked for, and the predicate of classes.
    class: Option<&'static str>,
    class_predicate: String,
    /// True if the target names a thing: its numbers are classes.
    names_thing: bool,
    /// True if the target is a number.
    is_number: bool,
    /// The column of the examples that they are as of, and by frame the time of rows that it is compared with.
    as_of: Option<String>,
    dated: Vec<Option<String>>,
    /// The frames that lines read.
    reached: BTreeSet<usize>,
    /// The column, or the table, that a predicate speaks of.
    predicates: BTreeMap<String, (String, String)>,
    pair_rules: usize,
    /// True if classes of examples are learned, by quantities.
    has_quantities: bool,
    /// By frame: the rows that belong to examples.
    rows_of: BTreeMap<usize, RowOwners>,
    /// The names of quantities, and the facts of their thresholds.
    quantities: Vec<String>,
    thresholds: Vec<String>,
    /// Lines for columns that are spelled in a way of their own, each with its reason.
    lines: Vec<(String, &'static str)>,
    /// The class of two that is asked for.
    pair_note: String,
}

/// Writes a mapping and a template that learn a column of a table. The location is for the mapping.
pub fn infer(source: &dyn TableSource, location: &str, target: &str) -> Result<Inference, Error> {
    let mut given = GivenTables::read(source, target)?;
    let target = find_target(&given.frames, target)?;
    let single = |key: &Vec<String>| Some(key).filter(|key| key.len() == 1).map(|key| key[0].clone());
    let mut keys: Vec<Option<String>> = given.declared.iter().map(single).collect();
    for at in (0..keys.len()).filter(|&at| !given.is_task[at]) {
        keys[at] = keys[at].take().or_else(|| guessed_key(&given.frames, at, &target));
    }
    let (mut links, mut composites) = (Vec::new(), CompositeColumns::default());
    for (table, key) in source.foreign_keys()? {
        if given.has(&table, &key.columns) && given.has(&key.table, &key.keys) {
            links.extend(composites.link(source, &table, key)?.map(|link| (table, link)));
        }
    }
    let mut told = links.len();
    guess_links(&given.frames, &keys, &mut links);
    for (at, parts) in std::mem::take(&mut given.declared).into_iter().enumerate() {
        if parts.len() > 1 && keys[at].is_none() {
            keys[at] = key_of_several(&given.frames, at, parts, &target, &links, &mut composites);
        }
    }
    guess_composites(&given.frames, &mut keys, &target, &mut links, &mut composites)?;
    // What the target refers to would give it away.
    let own = given.frames[target.0].name.clone();
    let has_answer = |made: &CompositeColumn| made.table == own && made.parts.contains(&target.1);
    let is_answer = |(from, link): &(String, ColumnLink)| {
        *from == own
            && (link.column == target.1 || composites.find(from, &link.column).is_some_and(has_answer))
    };
    let names_thing = links.iter().any(is_answer);
    told -= links[..told].iter().filter(|link| is_answer(link)).count();
    links.retain(|link| !is_answer(link));
    composites.all.retain(|made| !has_answer(made));
    let warnings = given.mend(&keys, &links, &composites);
    let left_out = given.left_out.into_iter().chain(odd_cells(&given.frames)).collect();
    let has_time = given.times[target.0].is_some();
    let (mut frames, mut times) = (given.frames, given.times);
    for (frame, time) in frames.iter().zip(&mut times).filter(|(_, time)| time.is_none()) {
        *time = frame.columns.iter().find(|it| it.kind() == ColumnKind::Date).map(|it| it.name.clone());
    }
    for made in &composites.all {
        if let Some(frame) = frames.iter_mut().find(|frame| frame.name == made.table) {
            let column = made.of(frame)?;
            frame.columns.push(column);
        }
    }
    if keys[target.0].is_some() && !has_time {
        times[target.0] = as_of(&frames, &times, &links, (target.0, keys[target.0].as_deref()));
    }
    let mut it = Inferrer {
        frames,
        keys,
        times,
        links,
        composites,
        aliases: Vec::new(),
        target,
        source,
        mapping: String::new(),
        template: String::new(),
        left_out,
        warnings,
        alternatives: Vec::new(),
        weights: 0,
        query: String::new(),
        class: None,
        class_predicate: String::new(),
        names_thing,
        is_number: false,
        as_of: None,
        dated: Vec::new(),
        reached: BTreeSet::new(),
        predicates: BTreeMap::new(),
        pair_rules: 0,
        has_quantities: false,
        rows_of: BTreeMap::new(),
        quantities: Vec::new(),
        thresholds: Vec::new(),
        lines: given.lines,
        pair_note: String::new(),
    };
    match it.is_knowledge_base() {
        true => it.knowledge_base(location, told)?,
        false => {
            it.find_aliases();
            it.write(location, told)?;
        }
    }
    let settings = it.settings();
    let classes = it.pair_note;
    let (mapping, template, warnings) = (it.mapping, it.template, it.warnings);
    Ok(Inference { mapping, template, settings, classes, left_out: it.left_out, warnings })
}

/// Returns a name as the language reads it.
fn name(text: &str) -> String {
    Constant::from(text).to_string()
}

impl Inferrer<'_> {
    fn role(&self, frame: usize, column: &FrameColumn) -> Role {
        let (table, is_key) = (&self.frames[frame].name, self.is_key(frame, column));
        let count = values(column, MOST_VALUES).map(|all| all.len());
        match (is_key, column.kind(), count) {
            (true, ..) => Role::Name,
            (_, _, Some(0)) => Role::Empty,
            (_, _, Some(1)) if column.len() > 1 && (0..column.len()).all(|row| !column.is_null(row)) => {
                Role::Constant
            }
            (_, ColumnKind::Date, _) => Role::Date,
            // What tells rows apart is no quantity, and no category if it has many values.
            (_, ColumnKind::Integer | ColumnKind::Text, count)
                if self.composites.has_part(table, &column.name)
                    && count.is_none_or(|count| count > MOST_LEVELS) =>
            {
                Role::Name
            }
            (_, ColumnKind::Integer | ColumnKind::Number, count)
                if count.is_none_or(|count| count > MOST_LEVELS) =>
            {
                Role::Number
            }
            (_, _, Some(count)) => Role::Category(count),
            (_, _, None) => Role::Name,
        }
    }

    /// Tells whether a column names rows, or refers to some.
    fn is_key(&self, frame: usize, column: &FrameColumn) -> bool {
        let table = &self.frames[frame].name;
        self.keys[frame].as_ref() == Some(&column.name)
            || self.composites.find(table, &column.name).is_some()
            || self.links.iter().any(|(from, link)| from == table && self.is_of(table, &link.column, column))
    }

    /// Tells whether a column is another, or one of those that the other is made of.
    fn is_of(&self, table: &str, other: &str, column: &FrameColumn) -> bool {
        let made = self.composites.find(table, other);
        other == column.name || made.is_some_and(|made| made.parts.contains(&column.name))
    }

    /// Returns the settings of learning: weights are about 0 with a deviation of 1, unless the rows say otherwise.
    fn settings(&self) -> String {
        let (frame, column) = &self.target;
        let frame = &self.frames[*frame];
        let column = frame.position(column).map(|at| &frame.columns[at]);
        let rows = column.map_or(0, |column| (0..frame.rows).filter(|&row| !column.is_null(row)).count());
        let queries = match (self.class, column.and_then(|column| values(column, MOST_VALUES))) {
            (Some(_), Some(all)) => rows * all.len(),
            _ => rows,
        };
        if self.has_quantities {
            let l2 = 0.1 / (queries.max(1) as f64).sqrt();
            return format!(
                "# Inferred with the mapping of the same name; flags of lrnn train and lrnn crossval go first.\n[learning]\n\
                 epochs = 100\nrestarts = 1\nl2 = {l2:.2e}  # 0.1 / √{queries} answers: most weights become 0, unless rows say otherwise\n"
            );
        }
        let l2 = 0.5 / queries.max(1) as f64;
        format!(
            "# Inferred with the mapping of the same name; flags of lrnn train and lrnn crossval go first.\n[learning]\n\
             epochs = 100\nl2 = {l2:.2e}  # 1 / (2 · {queries} answers): weights about 0, of deviation 1, unless rows say otherwise\n"
        )
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
        match self.class {
            Some(class) => format!("{body}, *{}({class})", self.class_predicate),
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
        let own_key = key.clone().or_else(|| entities.first().map(|(column, _)| column.clone()));
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
        if own_key.is_none() && self.frames.len() > 1 {
            let why = "no column names its rows (none is unique and called an id or a number): nothing can refer to them";
            self.leave(&table, why);
        }
        self.begin(location, told, Some((key.as_deref(), as_of.as_deref())))?;
        self.dated = self.times.iter().map(|time| time.clone().filter(|_| as_of.is_some())).collect();
        self.dated[frame] = None;
        for at in (0..self.frames.len()).filter(|&at| self.is_of_examples(at)).collect::<Vec<_>>() {
            self.dated[at] = None;
        }
        self.as_of = as_of;
        if self.as_of.is_none() {
            let columns = self.frames[frame].columns.iter();
            let found =
                columns.filter(|it| is_called_as_of(it)).find_map(|column| unread_as_of(&table, column));
            self.warnings.extend(found);
        }
        let below: Vec<usize> = self.frames_below(&children, &table);
        for child in &below {
            match self.dated[*child].clone() {
                Some(date) => {
                    let line = format!(":- time({}.{}).", name(&self.frames[*child].name), name(&date));
                    self.line(&line, "rows exist from this date; those without one are seen by no example");
                }
                None => self.warn_of_unread_date(*child),
            }
        }
        self.mapping.push('\n');
        self.reached.insert(frame);
        self.targets(frame, &table, &column)?;
        self.has_quantities = !self.is_number;
        self.find_rows(frame);
        self.own(frame, &table, own_key.as_deref(), &column);
        for (_, entity) in entities.iter().filter(|_| key.is_none()) {
            if let (Some(key), true) = (self.keys[*entity].clone(), self.reached.insert(*entity)) {
                self.find_entities(frame, *entity);
                self.own(*entity, &self.frames[*entity].name.clone(), Some(&key), "");
            }
        }
        let own_links: Vec<ColumnLink> = self
            .links
            .iter()
            .filter(|(from, link)| *from == table && key.is_some() && link.table != table)
            .map(|(_, link)| link.clone())
            .collect();
        for link in &own_links {
            self.own_parent(&table, link);
        }
        for child in &children {
            if !self.reached.contains(child) {
                self.child(*child, frame);
            }
        }
        self.tell_unreached();
        self.finish();
        Ok(())
    }

    /// Warns of rows that seem to have dates where examples are as of one, and whose dates cannot be read.
    fn warn_of_unread_date(&mut self, at: usize) {
        let frame = &self.frames[at];
        let others = frame.columns.iter().filter(|column| !self.is_key(at, column));
        if self.as_of.is_some() && self.times[at].is_none() {
            let warning = others.filter_map(|column| unread_time(frame, column)).next();
            self.warnings.extend(warning);
        }
    }

    /// Returns some tables and those that refer to them.
    fn frames_below(&self, children: &[usize], examples: &str) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        all.extend(children.iter().copied().filter({
            let mut seen = BTreeSet::new();
            move |child| seen.insert(*child)
        }));
        for at in 0..self.frames.len() {
            let refers = |(from, link): &(String, ColumnLink)| {
                *from == self.frames[at].name
                    && from != examples
                    && children.iter().any(|&child| self.frames[child].name == link.table)
            };
            if !all.contains(&at) && self.links.iter().any(refers) {
                all.push(at);
            }
        }
        all
    }

    /// Tells of the tables that no line reads.
    fn tell_unreached(&mut self) {
        for at in (0..self.frames.len()).filter(|at| !self.reached.contains(at)).collect::<Vec<_>>() {
            let table = self.frames[at].name.clone();
            self.leave(&table, "no foreign key joins it to the examples in few steps");
        }
    }

    /// Returns a predicate that speaks of a column, or of the rows of a table, and of nothing else.
    fn predicate(&mut self, table: &str, column: &str, raw: &str) -> String {
        let what = (table.to_owned(), column.to_owned());
        let others = (2..).map(|number| format!("{raw}_{number}"));
        for candidate in std::iter::once(raw.to_owned()).chain(others) {
            if *self.predicates.entry(candidate.clone()).or_insert_with(|| what.clone()) == what {
                return name(&candidate);
            }
        }
        name(raw)
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
        for (line, why) in std::mem::take(&mut self.lines) {
            self.line(&line, why);
        }
        self.write_aliases(example.and_then(|(_, as_of)| as_of));
        for made in self.composites.all.clone() {
            let parts: Vec<String> = made.parts.iter().map(|part| name(part)).collect();
            let line =
                format!(":- column({}.{}, [{}]).", name(&made.table), name(&made.name), parts.join(", "));
            self.line(&line, "a key of several columns, as one");
        }
        for (at, (from, link)) in self.links.clone().iter().enumerate() {
            let is_alias = self.aliases.iter().any(|it| it.is_named(from) || it.is_named(&link.table));
            let why = match at < told {
                _ if is_alias => "the table refers to itself",
                true => "a foreign key",
                false => "guessed by its name; nearly all values are there",
            };
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
        let family = ":- family(max_sigmoid).\n";
        if self.has_quantities {
            self.weigh_quantities();
        }
        let with_steps = format!("{family}{}", self.step_facts());
        self.template = self.template.replacen(family, &with_steps, 1);
        self.write_alternatives();
        let left: Vec<String> = self.left_out.iter().map(|it| format!("% Left out: {it}\n")).collect();
        self.mapping.push_str(&left.concat());
    }

    /// Returns the classes of the target as the language writes them, the opposite of two first; an error where it is
    /// no class.
    fn classes(&mut self, frame: usize, column: &str) -> Result<Vec<String>, Error> {
        let at = self.frames[frame].position(column).unwrap_or(0);
        let cells = &self.frames[frame].columns[at];
        let is_number = matches!(cells.kind(), ColumnKind::Integer | ColumnKind::Number);
        let mut found: Vec<String> = values(cells, MOST_VALUES).unwrap_or_default().into_iter().collect();
        if found.len() < 2 {
            let table = &self.frames[frame].name;
            let all = values(cells, usize::MAX).map_or(0, |all| all.len());
            let message = match all {
                0 if self.frames[frame].rows == 0 => format!("the table `{table}` has no rows"),
                0 => format!("every cell of `{table}.{column}` is NULL"),
                1 => format!("`{table}.{column}` has one value only: there is nothing to tell apart"),
                _ => format!("`{table}.{column}` has {all} values: neither a number nor one of few values"),
            };
            return Err(Error::new(ErrorKind::Content, message).help("name another --target"));
        }
        if let [one, two] = &found[..] {
            let pair = ClassPair::of(one, two);
            let told = format!("`{}` counts as 1, `{}` as 0", pair.yes, pair.no);
            self.pair_note = match pair.is_told {
                true => told,
                false => format!(
                    "{told}, which nothing tells: to turn it round, change 1 and 0 where lines begin with `?`"
                ),
            };
            found = vec![pair.no.to_owned(), pair.yes.to_owned()];
        }
        // Columns that refer to a key have names, whatever they look like.
        let quoted = |value: String| match value.parse::<f64>().is_ok() {
            true => format!("'{value}'"),
            false => name(&value),
        };
        let written = |value: String| if is_number && !self.names_thing { value } else { quoted(value) };
        Ok(found.into_iter().map(written).collect())
    }

    /// Writes the queries.
    fn targets(&mut self, frame: usize, table: &str, column: &str) -> Result<(), Error> {
        let at = self.frames[frame].position(column).unwrap_or(0);
        let cells = &self.frames[frame].columns[at];
        let is_number = matches!(cells.kind(), ColumnKind::Integer | ColumnKind::Number);
        let count = values(cells, MOST_VALUES).map_or(usize::MAX, |all| all.len());
        let (raw, table, own) = (column.to_owned(), name(table), name(column));
        self.query.clone_from(&own);
        self.predicates.insert(raw.clone(), ("?".to_owned(), raw.clone()));
        if is_number && count > 2 && !self.names_thing {
            self.is_number = true;
            let why = match count {
                0..=MOST_LEVELS => "numbers; a column of texts would be learned as classes",
                _ => "numbers",
            };
            self.line(&format!("? Y :: {own} <- {table}({own}: Y)."), why);
            let _ =
                writeln!(self.template, "{own}/0 [activation = identity].  % any number can be the answer");
            return Ok(());
        }
        let classes = self.classes(frame, column)?;
        if let [no, yes] = &classes[..] {
            for (target, value) in [("1", yes), ("0", no)] {
                let line = format!("? {target} :: {own} <- {table}({own}: {value}).");
                let why = self.pair_note.clone();
                self.line(&line, &why);
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
        self.write_classes(&raw, &classes);
        self.query = format!("{own}(C)");
        self.class = Some("C");
        Ok(())
    }

    /// Writes the classes as facts of the template.
    fn write_classes(&mut self, raw: &str, classes: &[String]) {
        self.class_predicate = self.predicate("?", raw, &format!("{raw}_class"));
        let facts: Vec<String> =
            classes.iter().map(|class| format!("{}({class}).", self.class_predicate)).collect();
        let _ = writeln!(self.template, "{}  % the classes", facts.join(" "));
    }

    /// Writes a line that is not there yet.
    fn line_once(&mut self, line: &str, why: &str) {
        if !self.mapping.contains(line) {
            self.line(line, why);
        }
    }
}
