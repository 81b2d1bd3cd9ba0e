//! Columns of dates or numbers but for a few cells: `NA`, a blank, a day that no month has. These cells stand for no value,
//! which the mapping says by `:- null`, and each of them is told.

use std::collections::BTreeMap;

use lrnn::vocabulary::Constant;

use super::name;
use crate::cell_format::CellFormat;
use crate::column::ColumnBuilder;
use crate::frame::{Cell, Cells, is_plain_number};
use crate::resolve::short;
use crate::unread_date::UnreadDate;
use crate::{ColumnKind, Frame, FrameColumn, Moment};

/// Texts that people write where there is no value.
const NO_VALUES: [&str; 15] = [
    "", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", ".", "unknown", "missing", "n.a.",
];
/// Most different texts that are mistakes: beyond, a column has names.
const MOST_MISTAKES: usize = 20;
/// Most mistakes that a message shows.
const MOST_SHOWN: usize = 5;

/// A text that is no date or no number among many that are.
struct OddText {
    first_row: usize,
    rows: usize,
}

/// A way to read a column, and the cells that cannot be read so.
struct ColumnReading {
    kind: ColumnKind,
    format: Option<CellFormat>,
    odd: BTreeMap<String, OddText>,
    /// Cells that are read.
    good: usize,
}

/// A column whose odd cells stand for no value.
pub(super) struct MendedColumn {
    pub column: FrameColumn,
    /// The lines of the mapping that say so, each with its reason.
    pub lines: Vec<(String, &'static str)>,
    /// A sentence that names the cells.
    pub warning: String,
}

impl ColumnReading {
    /// Returns all ways to read a column of texts; plain numbers only where the texts are of a file that tells no kinds.
    fn all(may_be_number: bool) -> Vec<Self> {
        let plain = [ColumnKind::Date, ColumnKind::Number].map(|kind| (kind, None));
        let formats = [ColumnKind::Date, ColumnKind::Number]
            .into_iter()
            .flat_map(|kind| CellFormat::all(kind).map(move |format| (kind, Some(format))));
        let readings = plain.into_iter().chain(formats);
        let readings = readings
            .filter(|it| may_be_number || it.0 == ColumnKind::Date || it.1.is_some())
            .map(|(kind, format)| Self { kind, format, odd: BTreeMap::new(), good: 0 });
        readings.collect()
    }

    fn reads(&self, text: &str) -> bool {
        match (self.kind, self.format) {
            (ColumnKind::Date, None) => Moment::read(text).is_some(),
            (ColumnKind::Date, Some(format)) => format.moment(text).is_some(),
            (_, None) => is_plain_number(text),
            (_, Some(format)) => format.number(text).is_some(),
        }
    }

    /// Counts the mistakes: cells that are no value are none.
    fn mistakes(&self) -> usize {
        self.odd.iter().filter(|(text, _)| !is_no_value(text)).map(|(_, it)| it.rows).sum()
    }

    /// Tells whether nearly all cells can be read. Digits with idle zeros are codes, and so are their neighbours.
    fn is_likely(&self) -> bool {
        let (mistakes, is_date) = (self.mistakes(), self.kind == ColumnKind::Date);
        let is_code = |text: &String| text.len() > 1 && text.bytes().all(|it| it.is_ascii_digit());
        let (share, fewest) = if is_date { (10, 4) } else { (50, 10) };
        let is_rare = share * mistakes <= self.good || (mistakes == 1 && self.good >= fewest);
        self.good > 0 && is_rare && (is_date || !self.odd.keys().any(is_code))
    }
}

fn is_no_value(text: &str) -> bool {
    NO_VALUES.contains(&text.trim().to_lowercase().as_str())
}

/// Returns the likely ways to read a column of texts with the fewest mistakes, those without a format first.
fn readings(column: &FrameColumn, may_be_number: bool) -> Vec<ColumnReading> {
    let mut all = ColumnReading::all(may_be_number);
    for row in 0..column.len() {
        let Cell::Text(text) = column.cell(row) else { continue };
        for reading in &mut all {
            if reading.reads(&text) {
                reading.good += 1;
            } else {
                let new = OddText { first_row: row, rows: 0 };
                reading.odd.entry(text.clone().into_owned()).or_insert(new).rows += 1;
            }
        }
        all.retain(|reading| reading.odd.len() <= MOST_MISTAKES + NO_VALUES.len());
        if all.is_empty() {
            break;
        }
    }
    all.retain(ColumnReading::is_likely);
    let fewest = all.iter().map(ColumnReading::mistakes).min();
    all.retain(|reading| Some(reading.mistakes()) == fewest);
    if all.iter().any(|reading| reading.format.is_none()) {
        all.retain(|reading| reading.format.is_none());
    }
    all
}

/// Reads a column of texts as dates or numbers, where nearly all cells are and in one way only.
pub(super) fn mended(frame: &Frame, at: usize, declared: Option<ColumnKind>) -> Option<MendedColumn> {
    let column = &frame.columns[at];
    if column.kind() != ColumnKind::Text {
        return None;
    }
    let values = if let Cells::Coded(_, values) = &column.cells { values } else { &column.cells };
    let is_untyped = matches!(values, Cells::Untyped(_));
    let is_number = matches!(declared, Some(ColumnKind::Integer | ColumnKind::Number));
    let mut found = readings(column, is_untyped || is_number);
    let reading = found.pop().filter(|reading| found.is_empty() && !reading.odd.is_empty())?;
    let texts: Vec<Constant> = reading.odd.keys().map(|text| Constant::Name(text.as_str().into())).collect();
    let mut column = column.without(&texts);
    let own = format!("{}.{}", name(&frame.name), name(&column.name));
    let list: Vec<String> = texts.iter().map(ToString::to_string).collect();
    let list = if let [only] = &list[..] { only.clone() } else { format!("[{}]", list.join(", ")) };
    let mut lines = vec![(format!(":- null({own}, {list})."), "cells that stand for no value")];
    let kind = reading.kind.name();
    if let Some(format) = reading.format {
        column = column.read_as(format).ok()?;
        lines.push((
            format!(":- type({own}, {kind}, '{}').", format.name()),
            "all other cells are spelled so",
        ));
    } else if reading.kind == ColumnKind::Number && !is_untyped {
        column = untyped(&column);
        lines.push((format!(":- type({own}, {kind})."), "all other cells are numbers"));
    }
    Some(MendedColumn { warning: warning(&frame.name, &column.name, &reading), column, lines })
}

/// Returns a column as if its source told no kinds.
fn untyped(column: &FrameColumn) -> FrameColumn {
    let mut made = ColumnBuilder::untyped();
    for row in 0..column.len() {
        match column.cell(row).into_name() {
            Some(text) => _ = made.push_untyped(&text),
            None => made.push_null(),
        }
    }
    made.finish(&column.name)
}

/// Returns a sentence that names the odd cells, mistakes first.
fn warning(table: &str, column: &str, reading: &ColumnReading) -> String {
    let mut odd: Vec<(&String, &OddText)> = reading.odd.iter().collect();
    odd.sort_by_key(|(text, it)| (is_no_value(text), it.first_row));
    let shown = |(text, it): &(&String, &OddText)| {
        let more = if it.rows > 1 { format!(" and {} more", it.rows - 1) } else { String::new() };
        let text = if text.trim().is_empty() { "a blank".to_owned() } else { format!("`{}`", short(text)) };
        format!("{text} (row {}{more})", it.first_row + 1)
    };
    let names: Vec<String> = odd.iter().take(MOST_SHOWN).map(shown).collect();
    let more = if odd.len() > MOST_SHOWN {
        format!(", {} texts more", odd.len() - MOST_SHOWN)
    } else {
        String::new()
    };
    let cells: usize = reading.odd.values().map(|it| it.rows).sum();
    let (count, what) = match cells {
        1 => ("1 cell is".to_owned(), format!("no {}", reading.kind.name())),
        _ => (format!("{cells} cells are"), format!("no {}s", reading.kind.name())),
    };
    format!("{table}.{column}: {count} {what}, and taken as unknown: {}{more}", names.join(", "))
}

/// Returns a sentence about examples whose moments cannot be read.
pub(super) fn unread_as_of(table: &str, column: &FrameColumn) -> Option<String> {
    let UnreadDate { row, text, .. } = UnreadDate::of(column)?;
    let (own, line) = (name(&column.name), name(table));
    Some(format!(
        "{table}.{}: it seems to say what examples are as of, and `{}` in row {} is no date, so rows are seen whatever their \
         date. Write dates as 2024-01-31, or name their format, `:- type({line}.{own}, date, 'DD/MM/YYYY').`",
        column.name,
        short(&text),
        row + 1
    ))
}

/// Returns a sentence about rows that seem to have dates, which cannot be read.
pub(super) fn unread_time(frame: &Frame, column: &FrameColumn) -> Option<String> {
    let UnreadDate { row, text, .. } = UnreadDate::of(column)?;
    let (table, own) = (name(&frame.name), name(&column.name));
    Some(format!(
        "{}: no column of dates can be read, so rows are seen whatever their date, later ones too: `{}` has `{}` in row \
         {}. Write dates as 2024-01-31, or name their format, `:- type({table}.{own}, date, 'DD/MM/YYYY').`; then add \
         `:- time({table}.{own}).`",
        frame.name,
        column.name,
        short(&text),
        row + 1
    ))
}
