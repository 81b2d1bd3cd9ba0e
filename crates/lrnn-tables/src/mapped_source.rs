//! A source as a mapping sees it: tables under second names, and keys of several columns as one.

use lrnn::Error;
use lrnn::vocabulary::Constant;

use crate::composite::{CompositeColumn, CompositeColumns};
use crate::mapping::{AliasLine, ColumnName};
use crate::source::TableSchema;
use crate::{ColumnKind, Frame, FrameColumn, TableSource};

/// A source with second names of its tables, and columns that are made of several.
#[derive(Debug)]
pub(crate) struct MappedSource<'a> {
    pub source: &'a (dyn TableSource + 'a),
    pub aliases: Vec<AliasLine>,
    pub composites: CompositeColumns,
    /// By column: the cells that stand for no value.
    pub nulls: Vec<(ColumnName, Vec<Constant>)>,
}

impl MappedSource<'_> {
    /// Returns the table that a second name stands for.
    fn table_of(&self, name: &str) -> Option<&str> {
        self.aliases.iter().find(|line| line.alias == name).map(|line| line.table.as_str())
    }

    /// Returns a frame of a table, or of a second name, with NULL where a cell stands for no value.
    fn with_nulls(&self, table: &str, mut frame: Frame) -> Frame {
        let whole = self.table_of(table).unwrap_or(table);
        for (name, constants) in self.nulls.iter().filter(|(name, _)| name.table == whole) {
            if let Some(at) = frame.position(&name.column) {
                frame.columns[at] = frame.columns[at].without(constants);
            }
        }
        frame
    }

    /// Reads columns, those that are made of several with their parts.
    fn read_with(
        &self,
        table: &str,
        columns: &[String],
        read: impl FnOnce(&[String]) -> Result<Frame, Error>,
    ) -> Result<Frame, Error> {
        let made: Vec<&CompositeColumn> =
            columns.iter().filter_map(|column| self.composites.find(table, column)).collect();
        let read = |columns: &[String]| read(columns).map(|frame| self.with_nulls(table, frame));
        if made.is_empty() {
            return read(columns);
        }
        let mut plain: Vec<String> =
            columns.iter().filter(|it| self.composites.find(table, it).is_none()).cloned().collect();
        for part in made.iter().flat_map(|it| &it.parts) {
            if !plain.contains(part) {
                plain.push(part.clone());
            }
        }
        let mut frame = read(&plain)?;
        for it in made {
            let column = it.of(&frame)?;
            frame.columns.push(column);
        }
        let place = |column: &FrameColumn| columns.iter().position(|name| *name == column.name);
        frame.columns.retain(|column| place(column).is_some());
        frame.columns.sort_by_key(place);
        Ok(frame)
    }
}

impl TableSource for MappedSource<'_> {
    fn name(&self) -> String {
        self.source.name()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut all = self.source.tables()?;
        let own = self.aliases.iter().filter(|line| all.contains(&line.table));
        let own: Vec<String> = own.map(|line| line.alias.clone()).collect();
        all.extend(own);
        Ok(all)
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        let mut schema = self.source.schema(self.table_of(table).unwrap_or(table))?;
        schema.name = table.to_owned();
        let made = self.composites.all.iter().filter(|it| it.table == table);
        schema.columns.extend(made.map(|it| (it.name.clone(), Some(ColumnKind::Text))));
        Ok(schema)
    }

    fn bytes(&self, table: &str) -> Result<Vec<String>, Error> {
        self.source.bytes(self.table_of(table).unwrap_or(table))
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        self.read_with(table, columns, |plain| match self.table_of(table) {
            Some(whole) => self.source.read_alias(table, whole, plain),
            None => self.source.read(table, plain),
        })
    }

    fn read_rows(&self, table: &str, columns: &[String], rows: &[u32]) -> Result<Frame, Error> {
        let whole = self.table_of(table).unwrap_or(table);
        self.read_with(table, columns, |plain| self.source.read_rows(whole, plain, rows))
    }

    fn rest(&self) {
        self.source.rest();
    }
}
