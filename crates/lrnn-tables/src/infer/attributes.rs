//! Attributes: rows of which each tells one thing of several about what it refers to, such as one laboratory test of a
//! visit. A number beside means something else for every value of the column that says which, so each has quantities of
//! its own.

use std::collections::{BTreeMap, BTreeSet};

use super::quantities::{RowOwners, Summary};
use super::references::RowReference;
use super::{Inferrer, MOST_VALUES, Role, name, values};
use crate::composite::ColumnLink;
use crate::{ColumnKind, Frame, FrameColumn};

/// Most attributes of a table that have quantities of their own: the most common ones.
const MOST_ATTRIBUTES: usize = 24;

/// The column that says what rows tell.
struct AttributeColumn {
    column: FrameColumn,
    /// The predicate of a row and what it tells.
    predicate: String,
    /// True if its cells are names, whatever they look like.
    is_name: bool,
    /// The names of cells that are keys, where these have others.
    labels: BTreeMap<String, String>,
}

impl AttributeColumn {
    /// Returns a cell as templates write it.
    fn term(&self, cell: &str) -> String {
        if self.is_name { name(cell) } else { cell.to_owned() }
    }

    /// Returns what a person calls a cell.
    fn label<'a>(&'a self, cell: &'a str) -> &'a str {
        self.labels.get(cell).map_or(cell, String::as_str)
    }
}

impl Inferrer<'_> {
    /// Writes lines and rules of the numbers of rows by attribute, where rows have one, among the things that they refer to
    /// or by itself.
    pub(super) fn numbers_by_attribute(&mut self, frame: usize, key: &str, references: &[RowReference]) {
        let Some(column) = self.attribute_column(frame, key, references) else { return };
        let is_number = |it: &FrameColumn| it.name != column.name && self.role(frame, it) == Role::Number;
        let numbers: Vec<FrameColumn> =
            self.frames[frame].columns.iter().filter(|it| is_number(it)).cloned().collect();
        if numbers.is_empty() {
            return;
        }
        let table = self.frames[frame].name.clone();
        let predicate = self.predicate(&table, &column.name, &format!("{table}_{}", column.name));
        let reference = references.iter().find(|reference| reference.link.column == column.name);
        // The line that joins along the column has its own variable.
        let variable = if reference.is_some() { "P" } else { "V" };
        let columns = format!("{}: R, {}: {variable}", name(key), name(&column.name));
        let line = format!("{predicate}(R, {variable}) <- {}({columns}).", name(&table));
        self.line_once(&line, "what the numbers of the row are of");
        // Keys are names, and so is what refers to them.
        let is_name = column.kind() == ColumnKind::Text || column.name == key || reference.is_some();
        let labels = reference.map_or_else(BTreeMap::new, |reference| self.labels(&reference.link));
        let which = AttributeColumn { column, predicate, is_name, labels };
        for number in numbers {
            let raw = format!("{table}_{}", number.name);
            let value = self.predicate(&table, &number.name, &raw);
            if self.has_quantities {
                self.attribute_quantities(frame, (&value, &raw, &number.name), &which);
            } else {
                let body = format!("{value}(R), *{}(R, V)", which.predicate);
                self.rule_with("[V]", &body, " [aggregation = mean]", "the mean of each attribute by itself");
            }
        }
    }

    /// Writes quantities of a number, for each attribute.
    fn attribute_quantities(
        &mut self,
        frame: usize,
        (value, raw, number): (&str, &str, &str),
        which: &AttributeColumn,
    ) {
        let mut rows_of: BTreeMap<String, RowOwners> = BTreeMap::new();
        for &(example, row) in self.rows_of.get(&frame).into_iter().flatten() {
            if let Some(cell) = which.column.cell(row as usize).into_name() {
                rows_of.entry(cell).or_default().push((example, row));
            }
        }
        let mut attributes: Vec<(String, RowOwners)> = rows_of.into_iter().collect();
        attributes.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
        if attributes.len() > MOST_ATTRIBUTES {
            let (table, column) = (&self.frames[frame].name, &which.column.name);
            let what = format!("{table}.{number} of single values of {column}");
            self.leave(&what, &format!("those of the {MOST_ATTRIBUTES} most common are looked at"));
        }
        for (cell, rows) in attributes.iter().take(MOST_ATTRIBUTES) {
            let owners: BTreeSet<u32> = rows.iter().map(|(example, _)| *example).collect();
            let summaries =
                if owners.len() == rows.len() { &[Summary::Mean][..] } else { &Summary::OF_LEVELS[..] };
            let body = format!("{value}(R), *{}(R, {})", which.predicate, which.term(cell));
            let raw = format!("{raw}_of_{}", which.label(cell));
            self.number_quantities(&raw, &body, rows, (frame, number), summaries);
        }
    }

    /// Returns the names of things that are referred to, by their keys, where they have names.
    fn labels(&self, link: &ColumnLink) -> BTreeMap<String, String> {
        let named = || {
            let to = self.frames.iter().find(|frame| frame.name == link.table)?;
            let (keys, names) = (&to.columns[to.position(&link.key)?], self.name_column(link)?);
            let pair = |row: usize| Some((keys.cell(row).into_name()?, names.cell(row).into_name()?));
            Some((0..to.rows).filter_map(pair).collect())
        };
        named().unwrap_or_default()
    }

    /// Returns the column that says which of several things a row tells: no two rows that refer to the same thing have it
    /// alike, and most of these have several. It has texts, refers to few things, or is called a code; other numbers, such
    /// as those of lines, tell rows apart and nothing else.
    fn attribute_column(&self, frame: usize, key: &str, references: &[RowReference]) -> Option<FrameColumn> {
        let own = &self.frames[frame];
        let links = || self.links.iter().filter(|(from, _)| *from == own.name).map(|(_, link)| link);
        let is_link = |column: &FrameColumn| links().any(|link| self.is_of(&own.name, &link.column, column));
        let may_say = |column: &FrameColumn| match column.kind() {
            _ if is_link(column) => refers(references, &column.name),
            ColumnKind::Text => true,
            ColumnKind::Integer => is_called_code(&column.name),
            _ => false,
        };
        let is_attribute = |column: &&FrameColumn| {
            // What rows are of is no attribute of what they refer to.
            let mut owners = links().filter(|link| {
                link.column != column.name && !(is_link(column) && refers(references, &link.column))
            });
            may_say(column)
                && self.composites.find(&own.name, &column.name).is_none()
                && (column.name == key || self.keys[frame].as_ref() != Some(&column.name))
                && values(column, MOST_VALUES).is_some_and(|all| all.len() > 1)
                && owners.any(|link| tells_apart(own, link, column))
        };
        own.columns.iter().find(is_attribute).cloned()
    }
}

/// Tells whether a column is one that refers.
fn refers(references: &[RowReference], column: &str) -> bool {
    references.iter().any(|reference| reference.link.column == column)
}

/// Tells whether the name of a column says that its numbers are codes.
fn is_called_code(column: &str) -> bool {
    let name = column.to_lowercase();
    ["id", "code", "type", "kind"].iter().any(|end| name.ends_with(end))
}

/// Tells whether no two rows that refer to one thing have a column alike, and things have more than one row each.
fn tells_apart(frame: &Frame, link: &ColumnLink, column: &FrameColumn) -> bool {
    let Some(at) = frame.position(&link.column) else { return false };
    let (mut owners, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let is_new = |row: usize| match (frame.columns[at].cell(row).into_name(), column.cell(row).into_name()) {
        (Some(owner), Some(own)) => {
            owners.insert(owner.clone());
            seen.insert((owner, own))
        }
        _ => true,
    };
    (0..frame.rows).all(is_new) && seen.len() > owners.len() + owners.len() / 4
}
