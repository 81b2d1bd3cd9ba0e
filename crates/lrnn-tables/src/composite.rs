//! Keys of several columns. Everything behind a source joins by one column: where a key has several, they are made into
//! one, whose cells are their names with `/` between, `north/17`. A mapping names such a column by
//! `:- column(orders.shop_number, [shop, number]).`; those that a source tells are made without a word.

use lrnn::{Error, ErrorKind};

use crate::column::ColumnBuilder;
use crate::frame::{Cell, Cells};
use crate::source::ForeignKey;
use crate::{Frame, FrameColumn, TableSource, Texts};

/// The character between the parts of a name, and the one before it where a part has it.
pub(crate) const BETWEEN: char = '/';
pub(crate) const ESCAPE: char = '\\';

/// A column that is made of several others of its table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CompositeColumn {
    pub table: String,
    pub name: String,
    pub parts: Vec<String>,
}

impl CompositeColumn {
    /// Returns its cells, NULL where a part is.
    pub fn of(&self, frame: &Frame) -> Result<FrameColumn, Error> {
        let parts: Vec<&FrameColumn> =
            self.parts.iter().filter_map(|part| frame.position(part)).map(|at| &frame.columns[at]).collect();
        let mut column = ColumnBuilder::new(Cells::Texts(Texts::default()));
        let mut name = String::new();
        for row in 0..frame.rows {
            name.clear();
            let is_whole =
                parts.iter().enumerate().all(|(at, part)| push_part(&mut name, at > 0, part.cell(row)));
            if !is_whole {
                column.push_null();
            } else if !column.push(&Cell::Text(name.as_str().into())) {
                let message = format!("the column {}.{} holds more than 4 GB of text", self.table, self.name);
                return Err(Error::new(ErrorKind::Content, message));
            }
        }
        Ok(column.finish(&self.name))
    }
}

/// Adds a part to a name; false if it is NULL.
fn push_part(name: &mut String, is_next: bool, part: Cell<'_>) -> bool {
    let Some(part) = part.into_name() else { return false };
    if is_next {
        name.push(BETWEEN);
    }
    for character in part.chars() {
        if matches!(character, BETWEEN | ESCAPE) {
            name.push(ESCAPE);
        }
        name.push(character);
    }
    true
}

/// A column that refers to a column of another table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ColumnLink {
    pub column: String,
    pub table: String,
    pub key: String,
}

/// The columns that are made of several, each with its own name.
#[derive(Clone, Default, Debug)]
pub(crate) struct CompositeColumns {
    pub all: Vec<CompositeColumn>,
}

impl CompositeColumns {
    /// Finds one by table and name.
    pub fn find(&self, table: &str, name: &str) -> Option<&CompositeColumn> {
        self.all.iter().find(|it| it.table == table && it.name == name)
    }

    /// Tells whether a column is a part of one.
    pub fn has_part(&self, table: &str, column: &str) -> bool {
        self.all.iter().any(|it| it.table == table && it.parts.iter().any(|part| part == column))
    }

    /// Returns the name of the column that is made of these, which no other of the table has.
    pub fn name(&mut self, table: &str, parts: Vec<String>, columns: &[String]) -> String {
        if let Some(known) = self.all.iter().find(|it| it.table == table && it.parts == parts) {
            return known.name.clone();
        }
        let mut name = parts.join("_");
        while columns.contains(&name) || self.find(table, &name).is_some() {
            name += "_key";
        }
        self.all.push(CompositeColumn { table: table.to_owned(), name: name.clone(), parts });
        name
    }

    /// Returns a foreign key of a table as a link of one column to one; nothing if it leads out of the source.
    pub fn link(
        &mut self,
        source: &dyn TableSource,
        table: &str,
        key: ForeignKey,
    ) -> Result<Option<ColumnLink>, Error> {
        if let ([column], [other]) = (&key.columns[..], &key.keys[..]) {
            let (column, other) = (column.clone(), other.clone());
            return Ok(Some(ColumnLink { column, table: key.table, key: other }));
        }
        if key.columns.len() != key.keys.len() || !source.tables()?.contains(&key.table) {
            return Ok(None);
        }
        let columns = |table: &str| -> Result<Vec<String>, Error> {
            Ok(source.schema(table)?.columns.into_iter().map(|(name, _)| name).collect())
        };
        let (own, other) = (columns(table)?, columns(&key.table)?);
        // In the order of the table that is referred to, whatever the order of the declaration.
        let mut pairs: Vec<(String, String)> = key.keys.into_iter().zip(key.columns).collect();
        pairs.sort_by_key(|(key, _)| other.iter().position(|it| it == key));
        let (keys, columns) = pairs.into_iter().unzip();
        let column = self.name(table, columns, &own);
        let to = self.name(&key.table, keys, &other);
        Ok(Some(ColumnLink { column, table: key.table, key: to }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_have_one_name() {
        let texts = |name: &str, all: [&str; 4]| FrameColumn::new(name, Cells::Texts(all.iter().collect()));
        let numbers = FrameColumn::new("n", Cells::Integers(vec![1, 2, 3, 4]));
        let columns = vec![texts("a", ["x/", "x", "\\", ""]), texts("b", ["y", "/y", "/", "y"]), numbers];
        let frame = Frame::new("t", columns);
        let parts = ["a", "b", "n"].map(str::to_owned).to_vec();
        let made = CompositeColumn { table: "t".into(), name: "k".into(), parts }.of(&frame).expect("cells");
        let names: Vec<String> = (0..4).filter_map(|row| made.cell(row).into_name()).collect();
        assert_eq!(names, ["x\\//y/1", "x/\\/y/2", "\\\\/\\//3", "/y/4"]);
    }
}
