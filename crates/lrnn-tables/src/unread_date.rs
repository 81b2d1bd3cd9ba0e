//! Columns that seem to say when, and that are no columns of dates: most of their cells are dates, or their name says so.

use crate::frame::Cell;
use crate::{ColumnKind, FrameColumn, Moment};

/// Words of columns that say when.
const WHEN: [&str; 12] =
    ["date", "datum", "day", "time", "timestamp", "datetime", "when", "at", "on", "ts", "created", "updated"];
/// Fewest digits of a number that counts the seconds to a moment, and of a text that is one.
const FEWEST_DIGITS: [usize; 2] = [9, 4];

/// A cell that is no date, in a column that seems to say when.
pub(crate) struct UnreadDate {
    pub row: usize,
    pub text: String,
    /// Cells of the column that are dates, and all that are not NULL.
    pub dates: usize,
    pub cells: usize,
}

impl UnreadDate {
    /// Finds the first cell that is no date; nothing if the column is one of dates, or does not seem to say when.
    pub fn of(column: &FrameColumn) -> Option<Self> {
        if matches!(column.kind(), ColumnKind::Date | ColumnKind::Boolean) {
            return None;
        }
        let (mut dates, mut cells, mut first) = (0, 0, None);
        for row in 0..column.len() {
            let cell = column.cell(row);
            let is_date = matches!(&cell, Cell::Text(text) if Moment::read(text).is_some());
            let Some(text) = cell.into_name() else { continue };
            cells += 1;
            dates += usize::from(is_date);
            if !is_date && first.is_none() {
                first = Some((row, text));
            }
        }
        let (row, text) = first?;
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let fewest = FEWEST_DIGITS[usize::from(column.kind() == ColumnKind::Text)];
        let seems = (dates > 0 && 4 * dates >= cells) || (is_called_when(column) && digits >= fewest);
        seems.then_some(Self { row, text, dates, cells })
    }
}

/// Tells whether the name of a column says when.
pub(crate) fn is_called_when(column: &FrameColumn) -> bool {
    let name = column.name.to_lowercase();
    name.ends_with("date")
        || name.ends_with("time")
        || name.split(|it: char| !it.is_alphanumeric()).any(|word| WHEN.contains(&word))
}
