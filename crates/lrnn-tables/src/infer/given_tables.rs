//! Tables as a source gives them: all that can be read, keys and dates that it tells, and what is left out.

use lrnn::Error;

use super::name;
use super::schema::{odd_date, odd_number, target_splits};
use super::unknown::mended;
use crate::cell_format::CellFormat;
use crate::composite::{ColumnLink, CompositeColumns};
use crate::unread_date::is_called_when;
use crate::{ColumnKind, Frame, FrameColumn, TableSource};

/// The tables of a source, and by table what the source tells.
#[derive(Default)]
pub(super) struct GivenTables {
    pub frames: Vec<Frame>,
    /// The columns of the primary key.
    pub declared: Vec<Vec<String>>,
    /// The column that says when a row came to be.
    pub times: Vec<Option<String>>,
    /// The kinds of columns, where the source tells.
    pub kinds: Vec<Vec<Option<ColumnKind>>>,
    pub is_task: Vec<bool>,
    /// Lines for columns that are spelled in a way of their own, each with its reason.
    pub lines: Vec<(String, &'static str)>,
    /// Columns and tables that are left out, and why.
    pub left_out: Vec<String>,
}

impl GivenTables {
    /// Reads the tables of a source to learn a target.
    pub fn read(source: &dyn TableSource, target: &str) -> Result<Self, Error> {
        let mut all = Self::default();
        let names = source.tables()?;
        let own =
            target_splits(target).map(|(table, _)| table).find(|it| names.iter().any(|name| name == it));
        let own = own.unwrap_or(target);
        let hidden = source.hidden(own);
        all.left_out
            .extend(hidden.iter().map(|(table, column)| format!("{table}.{column}: the task hides it")));
        for table in names {
            let schema = source.schema(&table)?;
            if schema.is_task && table != own {
                all.left_out.push(format!("{table}: labels of another task"));
                continue;
            }
            let bytes = source.bytes(&table)?;
            all.left_out.extend(bytes.iter().map(|column| format!("{table}.{column}: it has bytes (BLOB)")));
            let is_seen = |column: &String| {
                !bytes.contains(column)
                    && !hidden.iter().any(|(hidden, name)| *hidden == table && name == column)
            };
            let columns: Vec<_> = schema.columns.into_iter().filter(|(name, _)| is_seen(name)).collect();
            let (columns, kinds): (Vec<String>, Vec<Option<ColumnKind>>) = columns.into_iter().unzip();
            let mut frame = source.read(&table, &columns)?;
            all.lines.extend(read_formats(&mut frame));
            let has_key = schema.primary_key.iter().all(|column| columns.contains(column));
            all.declared.push(if has_key { schema.primary_key } else { Vec::new() });
            all.times.push(schema.time);
            all.kinds.push(kinds);
            all.is_task.push(schema.is_task);
            all.frames.push(frame);
        }
        Ok(all)
    }

    /// Takes odd cells of dates and numbers as unknown, but for those of keys, and returns a sentence for each column.
    pub fn mend(
        &mut self,
        keys: &[Option<String>],
        links: &[(String, ColumnLink)],
        composites: &CompositeColumns,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        for (at, frame) in self.frames.iter_mut().enumerate() {
            for column in 0..frame.columns.len() {
                let (table, own) = (&frame.name, &frame.columns[column].name);
                let refers = |(from, link): &(String, ColumnLink)| {
                    (from == table && link.column == *own) || (link.table == *table && link.key == *own)
                };
                if keys[at].as_ref() == Some(own)
                    || composites.has_part(table, own)
                    || links.iter().any(refers)
                {
                    continue;
                }
                if let Some(mended) = mended(frame, column, self.kinds[at][column]) {
                    frame.columns[column] = mended.column;
                    self.lines.extend(mended.lines);
                    warnings.push(mended.warning);
                }
            }
        }
        warnings
    }

    /// Tells whether all columns of a table could be read.
    pub fn has(&self, table: &str, columns: &[String]) -> bool {
        let frame = self.frames.iter().find(|frame| frame.name == table);
        frame.is_some_and(|frame| columns.iter().all(|column| frame.position(column).is_some()))
    }
}

/// Returns a sentence for each column of dates or numbers that are not read as such.
pub(super) fn odd_cells(frames: &[Frame]) -> Vec<String> {
    let sentence = |frame: &Frame, column: &FrameColumn| {
        let (odd, kind, format) = match odd_date(column) {
            Some(odd) => (odd, "date", "DD/MM/YYYY"),
            None => (odd_number(column)?, "number", "1.234,5"),
        };
        let (table, column) = (&frame.name, &column.name);
        Some(format!(
            "{table}.{column} as {kind}s: `{odd}`, and there is more than one way, or none, to read all of them; \
             `:- type({}.{}, {kind}, '{format}').` says which",
            name(table),
            name(column)
        ))
    };
    frames
        .iter()
        .flat_map(|frame| frame.columns.iter().filter_map(move |column| sentence(frame, column)))
        .collect()
}

/// Reads columns that are dates or numbers in one way only, and returns the lines that say so.
fn read_formats(frame: &mut Frame) -> Vec<(String, &'static str)> {
    let mut lines = Vec::new();
    for column in &mut frame.columns {
        let kind = match column.kind() {
            ColumnKind::Text if odd_date(column).is_some() => ColumnKind::Date,
            ColumnKind::Text => ColumnKind::Number,
            ColumnKind::Integer if is_called_when(column) => ColumnKind::Date,
            _ => continue,
        };
        let mut found = CellFormat::all(kind).filter_map(|it| Some((it, column.read_as(it).ok()?)));
        if let (Some((format, read)), None) = (found.next(), found.next()) {
            let (table, own) = (name(&frame.name), name(&column.name));
            let line = format!(":- type({table}.{own}, {}, '{}').", kind.name(), format.name());
            lines.push((line, "all of its cells are spelled so"));
            *column = read;
        }
    }
    lines
}
