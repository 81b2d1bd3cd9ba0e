//! Tables that refer to themselves, as an employee does to a manager: rows of the same table under another name, each with
//! its own key to join along. Of what any row refers to in its own table there is one such name; of the examples two more,
//! for the rows that refer to the example, and for those that refer to the same row as it does, the example itself among
//! them.

use std::fmt::Write;

use super::{Inferrer, name};
use crate::composite::{ColumnLink, CompositeColumn};
use crate::{Frame, FrameColumn};

/// A second name of a table, with why the mapping has it.
pub(super) struct InferredAlias {
    alias: String,
    table: String,
    why: &'static str,
}

impl InferredAlias {
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.alias == name
    }
}

impl Inferrer<'_> {
    /// Turns links of tables to themselves into links to and from second names of these.
    pub(super) fn find_aliases(&mut self) {
        let is_own = |at: &usize| self.links[*at].0 == self.links[*at].1.table;
        for at in (0..self.links.len()).filter(is_own).collect::<Vec<_>>() {
            let (table, link) = self.links[at].clone();
            let Some(frame) = self.frames.iter().position(|frame| frame.name == table) else { continue };
            let up = self.alias_name(&role_name(&link.column, &table));
            let columns = self.columns_of_others(frame, &link);
            self.add_alias(frame, &up, &columns, "the rows that rows of the table refer to");
            self.links[at].1.table.clone_from(&up);
            if frame != self.target.0 {
                let what = format!("{table}.{}", link.column);
                self.leave(&what, "rows that refer to a row of their own table, from the side of that row");
                continue;
            }
            let columns: Vec<String> = columns.into_iter().chain([link.column.clone()]).collect();
            let below = self.alias_name(&format!("{up}_of"));
            self.add_alias(frame, &below, &columns, "the rows that refer to the example");
            self.links.push((below, ColumnLink { table: table.clone(), ..link.clone() }));
            let same = self.alias_name(&format!("same_{up}"));
            let why = "the rows that refer to the same row as the example, itself among them";
            self.add_alias(frame, &same, &columns, why);
            self.links.push((same, ColumnLink { table, key: link.column.clone(), column: link.column }));
        }
    }

    /// Returns a name that no table has.
    fn alias_name(&self, raw: &str) -> String {
        let numbered = (2..).map(|number| format!("{raw}_{number}"));
        let is_free = |it: &String| !self.frames.iter().any(|frame| frame.name.eq_ignore_ascii_case(it));
        std::iter::once(raw.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// Returns the columns of a table that are looked at in other rows: neither labels nor what refers to others.
    fn columns_of_others(&mut self, frame: usize, own: &ColumnLink) -> Vec<String> {
        let table = self.frames[frame].name.clone();
        let mut kept = Vec::new();
        for column in self.frames[frame].columns.iter().map(|it| it.name.clone()).collect::<Vec<_>>() {
            let is_target = frame == self.target.0 && column == self.target.1;
            let refers = self.links.iter().any(|(from, link)| *from == table && link.column == column);
            let what = format!("{table}.{column} of other rows");
            match (is_target, refers) {
                (true, _) => {
                    self.leave_once(&what, "the label of another example may be one of the test part");
                }
                (_, true) if column == own.column => {}
                (_, true) => self.leave_once(&what, "what rows under another name refer to"),
                _ => kept.push(column),
            }
        }
        kept
    }

    fn add_alias(&mut self, frame: usize, alias: &str, columns: &[String], why: &'static str) {
        let own = &self.frames[frame];
        let kept: Vec<FrameColumn> =
            own.columns.iter().filter(|column| columns.contains(&column.name)).cloned().collect();
        let made = self.composites.all.iter().filter(|made| made.table == own.name);
        let made = made.filter(|made| columns.contains(&made.name)).cloned();
        let made: Vec<CompositeColumn> =
            made.map(|made| CompositeColumn { table: alias.to_owned(), ..made }).collect();
        self.aliases.push(InferredAlias { alias: alias.to_owned(), table: own.name.clone(), why });
        let rows = own.rows;
        self.keys.push(self.keys[frame].clone());
        self.times.push(self.times[frame].clone());
        self.frames.push(Frame {
            name: alias.to_owned(),
            columns: kept,
            rows,
            csv: None,
            numbers: Vec::new(),
        });
        self.composites.all.extend(made);
    }

    /// Returns the table of a frame that is one under a second name.
    pub(super) fn alias_of(&self, frame: usize) -> Option<&str> {
        let own = &self.frames[frame].name;
        self.aliases.iter().find(|it| it.alias == *own).map(|it| it.table.as_str())
    }

    /// Tells whether rows of a frame are examples under a second name.
    pub(super) fn is_of_examples(&self, frame: usize) -> bool {
        self.alias_of(frame) == Some(&self.frames[self.target.0].name)
    }

    /// Writes the second names of tables.
    pub(super) fn write_aliases(&mut self, as_of: Option<&str>) {
        let examples = &self.frames[self.target.0].name;
        for it in &self.aliases {
            let (alias, table) = (name(&it.alias), name(&it.table));
            let _ = writeln!(self.mapping, ":- alias({alias}, {table}).  % {}", it.why);
            if let Some(as_of) = as_of.filter(|_| it.table == *examples) {
                let time = format!(":- time({alias}.{}).", name(as_of));
                let _ =
                    writeln!(self.mapping, "{time}  % rows as of later than the example do not exist for it");
            }
        }
    }
}

/// Returns what a column calls the row that it refers to: `chief` of `chief_person_id`, `manager` of `manager_id`.
fn role_name(column: &str, table: &str) -> String {
    let lower = column.to_lowercase();
    let one = table.to_lowercase();
    let one = one.strip_suffix('s').unwrap_or(&one);
    let mut rest = lower.strip_suffix("_id").or_else(|| lower.strip_suffix("id")).unwrap_or(&lower);
    for end in [table.to_lowercase().as_str(), one] {
        rest = rest.strip_suffix(end).unwrap_or(rest);
    }
    match rest.trim_matches('_') {
        "" => format!("{}_{lower}", table.to_lowercase()),
        rest => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::role_name;

    #[test]
    fn columns_name_what_they_refer_to() {
        let all = [
            ("chief_person_id", "person"),
            ("ManagerId", "Employees"),
            ("parent", "part"),
            ("page_id", "pages"),
        ];
        let found = all.map(|(column, table)| role_name(column, table));
        assert_eq!(found, ["chief", "manager", "parent", "pages_page_id"]);
    }
}
