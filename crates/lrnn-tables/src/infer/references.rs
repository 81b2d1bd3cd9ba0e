//! Lines and rules of what the examples, and rows that refer to them, refer to.

use super::examples::{ALL_NULL, ALL_ONE, Category, category};
use super::quantities::{By, RowOwners, Summary};
use super::steps::Quantity;
use super::{Inferrer, MOST_VALUES, Role, name, values};
use crate::composite::ColumnLink;
use crate::{ColumnKind, FrameColumn};

/// Most steps from the examples, or from rows, to what they refer to.
const MOST_STEPS: usize = 2;

/// A column that refers to a table, and the column that names its row; none where it is a row of the examples.
pub(super) struct RowReference {
    table: String,
    row: Option<String>,
    pub link: ColumnLink,
}

/// The way from an example, or from a row `R`, to a thing that is referred to.
struct Way {
    /// Atoms that join one after the other; the first has the row as `_`.
    atoms: Vec<String>,
    /// The first of them with the row as `R`, if there is a row.
    of_row: Option<String>,
    /// The variable of the thing.
    variable: &'static str,
    /// True if there may be several rows.
    has_rows: bool,
    /// The things of each example, by their rows.
    rows: RowOwners,
}

impl Way {
    /// Returns a body whose input is the first atom of the way, and what it leads to a guard.
    fn to(&self, goal: &str) -> String {
        let all: Vec<&str> =
            self.atoms.iter().map(String::as_str).chain([goal]).filter(|it| !it.is_empty()).collect();
        all.join(", *")
    }

    /// Returns a body whose input is what the way leads to.
    fn of(&self, goal: &str) -> String {
        let guards: String = self.atoms.iter().map(|atom| format!("*{atom}, ")).collect();
        guards + goal
    }
}

impl Inferrer<'_> {
    /// Returns the columns of a table that refer to others than the examples and the rows above.
    pub(super) fn references(
        &self,
        frame: usize,
        key: &str,
        target: usize,
        above: Option<usize>,
    ) -> Vec<RowReference> {
        let table = &self.frames[frame].name;
        let is_passed = |other: &str| {
            [Some(target), above, Some(frame)].into_iter().flatten().any(|at| self.frames[at].name == other)
        };
        let own = self.links.iter().filter(|(from, link)| from == table && !is_passed(&link.table));
        own.map(|(_, link)| RowReference {
            table: table.clone(),
            row: Some(key.to_owned()),
            link: link.clone(),
        })
        .collect()
    }

    /// Writes lines and rules of what the examples refer to.
    pub(super) fn own_parent(&mut self, table: &str, link: &ColumnLink) {
        let reference = RowReference { table: table.to_owned(), row: None, link: link.clone() };
        self.parent(&reference, &mut Vec::new());
    }

    /// Writes lines and rules of what rows, or examples, refer to. Few things are categories of the rows themselves.
    pub(super) fn parent(&mut self, reference: &RowReference, categories: &mut Vec<Category>) {
        let RowReference { table, row, link } = reference;
        let joins = self.predicate(table, &link.column, &format!("{table}_{}", link.column));
        let (terms, any, columns) = match row {
            Some(row) => ("R, P", "_, P", format!("{}: R, {}: P", name(row), name(&link.column))),
            None => ("P", "P", format!("{}: P", name(&link.column))),
        };
        let line = format!("{joins}({terms}) <- {}({columns}).", name(table));
        self.line_once(&line, "the foreign key, to join along");
        self.vectors(&link.table, &joins, any);
        let from = self.frames.iter().position(|frame| frame.name == *table);
        let rows = from.and_then(|from| self.rows_of.get(&from).cloned()).unwrap_or_default();
        let way = Way {
            rows: self.referred_rows(&rows, table, link),
            atoms: vec![format!("{joins}({any})")],
            of_row: row.as_ref().map(|_| format!("{joins}(R, P)")),
            variable: "P",
            has_rows: row.is_some(),
        };
        if let Some(count) = self.few(table, link) {
            self.few_things(&format!("{table}_{}", link.column), &way);
            if row.is_some() {
                categories.push(Category { predicate: joins, values: count });
            }
        }
        self.things(&way, link, categories);
    }

    /// Writes a rule for each thing that a way leads to.
    fn few_things(&mut self, raw: &str, way: &Way) {
        match self.has_quantities {
            true => self.count_quantity(raw, By::Name(way.variable), &way.to(""), !way.has_rows),
            false => {
                let index = format!("[{}]", way.variable);
                self.rule(&index, &way.to(""), "a weight for each, as they are few");
            }
        }
    }

    /// Returns how many things a column refers to, where they are few and no category of theirs is their name.
    fn few(&self, table: &str, link: &ColumnLink) -> Option<usize> {
        let from = self.frames.iter().find(|frame| frame.name == table)?;
        let count = values(&from.columns[from.position(&link.column)?], MOST_VALUES)?.len();
        (count > 1 && self.name_column(link).is_none()).then_some(count)
    }

    /// Returns the column that names the things that are referred to, where they are few and have one beside their key.
    pub(super) fn name_column(&self, link: &ColumnLink) -> Option<&FrameColumn> {
        let to = self.frames.iter().find(|frame| frame.name == link.table)?;
        let is_name = |column: &&FrameColumn| {
            column.name != link.key
                && column.kind() == ColumnKind::Text
                && values(column, MOST_VALUES).is_some_and(|all| all.len() == to.rows)
        };
        to.columns.iter().find(is_name)
    }

    /// Writes lines and rules of things that a way leads to, and of those that they refer to.
    fn things(&mut self, way: &Way, link: &ColumnLink, categories: &[Category]) {
        let Some(frame) = self.frames.iter().position(|frame| frame.name == link.table) else { return };
        self.reached.insert(frame);
        let variable = way.variable;
        let (other, other_key) = (name(&link.table), name(&link.key));
        for column in self.frames[frame].columns.clone() {
            let raw = format!("{}_{}", link.table, column.name);
            let (what, own) = (format!("{}.{}", link.table, column.name), name(&column.name));
            match self.role(frame, &column) {
                Role::Category(count) => {
                    let predicate = self.predicate(&link.table, &column.name, &raw);
                    let line = format!("{predicate}(R, V) <- {other}({other_key}: R, {own}: V).");
                    self.line_once(&line, &category(count));
                    let goal = format!("{predicate}({variable}, V)");
                    if self.has_quantities {
                        let by = By::column("V", &column);
                        self.count_quantity(&raw, by, &way.to(&goal), !way.has_rows);
                    } else {
                        self.rule("[V]", &way.to(&goal), "whether some row is joined to the value");
                    }
                    if way.has_rows && !self.has_quantities {
                        let (body, why) = (way.to(&goal), "how many rows are joined to the value");
                        self.rule_with("[V]", &body, " [aggregation = count]", why);
                        self.steps(&raw, Quantity::Count, "V", &body, &format!("*{body}"));
                    }
                    if let Some(of_row) = &way.of_row {
                        self.soft_groups(&raw, Some("P"), &format!(", *{}", way.atoms[0]), count);
                        for it in
                            categories.iter().filter(|it| !of_row.starts_with(&format!("{}(", it.predicate)))
                        {
                            let body = format!("{}(R, A), *{of_row}, *{goal}", it.predicate);
                            self.pair([(&it.predicate, it.values), (&predicate, count)], "[A, V]", &body);
                        }
                    }
                }
                Role::Number if self.has_quantities => {
                    let predicate = self.predicate(&link.table, &column.name, &format!("{raw}_value"));
                    let line = format!("X :: {predicate}(R) <- {other}({other_key}: R, {own}: X).");
                    self.value_line(&predicate, 1, &line, "a number, as the value of the fact");
                    let body = way.of(&format!("{predicate}({variable})"));
                    let summaries =
                        if way.has_rows { &Summary::OF_NUMBERS[..] } else { &Summary::OF_NUMBERS[..1] };
                    self.number_quantities(&raw, &body, &way.rows, (frame, &column.name), summaries);
                }
                Role::Number => {
                    let predicate = self.predicate(&link.table, &column.name, &format!("{raw}_value"));
                    let line = format!("scale(X) :: {predicate}(R) <- {other}({other_key}: R, {own}: X).");
                    self.line_once(&line, "a number, as the value of the fact");
                    let body = way.of(&format!("{predicate}({variable})"));
                    self.rule_with("", &body, " [aggregation = mean]", "the mean over joined rows");
                    if way.has_rows {
                        let guards = way.of(&format!("*{predicate}({variable})"));
                        self.steps(&raw, Quantity::Mean, "", &body, &guards);
                    }
                    if self.is_number && way.has_rows {
                        self.rule_with("", &body, " [aggregation = sum]", "the sum over joined rows");
                    }
                }
                Role::Date => self.leave_once(&what, "a date of what rows refer to"),
                Role::Empty => self.leave_once(&what, ALL_NULL),
                Role::Constant => self.leave_once(&what, ALL_ONE),
                Role::Name if self.is_used(frame, &column.name, &link.key) => {}
                Role::Name => self.leave_once(&what, "it names things"),
            }
        }
        if way.atoms.len() < MOST_STEPS {
            self.farther(way, frame, &link.key);
        }
    }

    /// Writes lines and rules of what things refer to that a way leads to.
    fn farther(&mut self, way: &Way, frame: usize, key: &str) {
        let table = self.frames[frame].name.clone();
        let examples = self.frames[self.target.0].name.clone();
        let is_next = |(from, link): &&(String, ColumnLink)| {
            let at = self.frames.iter().position(|frame| frame.name == link.table);
            *from == table && link.table != examples && at.is_some_and(|at| !self.reached.contains(&at))
        };
        let links: Vec<ColumnLink> =
            self.links.iter().filter(is_next).map(|(_, link)| link.clone()).collect();
        for link in links {
            let joins = self.predicate(&table, &link.column, &format!("{table}_{}", link.column));
            let columns = format!("{}: R, {}: P", name(key), name(&link.column));
            let line = format!("{joins}(R, P) <- {}({columns}).", name(&table));
            self.line_once(&line, "the foreign key, to join along");
            let atoms = way.atoms.iter().cloned().chain([format!("{joins}({}, Q)", way.variable)]).collect();
            let rows = self.referred_rows(&way.rows, &table, &link);
            let next = Way { atoms, of_row: None, variable: "Q", has_rows: way.has_rows, rows };
            if self.few(&table, &link).is_some() {
                self.few_things(&format!("{table}_{}", link.column), &next);
            }
            self.things(&next, &link, &[]);
        }
    }
}
