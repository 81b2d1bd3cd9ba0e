//! Tables in memory: named, typed columns, each cell with the place it came from.

use std::borrow::Cow;
use std::sync::Arc;

use lrnn::diagnostic::{Sources, Span};
use lrnn::vocabulary::Constant;

use crate::Csv;
use crate::cell_format::CellFormat;
use crate::column::ColumnBuilder;
use crate::csv_file::CsvFile;
use crate::line_rows::is_constant;
use crate::time::Moment;

/// The kinds of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Texts, which become names.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Truth values, which become the names `true` and `false`.
    Boolean,
    /// Days or moments, which become names in their order.
    Date,
}

impl ColumnKind {
    /// The kinds with the names that mappings have for them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("date", Self::Date),
    ];

    /// Finds a kind by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Texts one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texts {
    bytes: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text; false if there is no more room.
    #[must_use]
    pub fn push(&mut self, text: &str) -> bool {
        self.bytes.push_str(text);
        let end = u32::try_from(self.bytes.len());
        self.ends.extend(end.iter());
        end.is_ok()
    }

    fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[row] as usize]
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        for text in texts {
            assert!(all.push(text.as_ref()), "a column of texts holds less than 4 GB");
        }
        all
    }
}

/// The cells of a column.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Texts.
    Texts(Texts),
    /// Texts of a file that tells no kinds, such as CSV.
    Untyped(Texts),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers; what is not a number is NULL.
    Numbers(Vec<f64>),
    /// Truth values.
    Booleans(Vec<bool>),
    /// Days or moments.
    Moments(Vec<Moment>),
    /// Few different values, and by row the number of its own among them.
    Coded(Vec<u16>, Box<Cells>),
}

impl Cells {
    /// Returns how many cells there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) | Self::Untyped(texts) => texts.ends.len(),
            Self::Integers(all) => all.len(),
            Self::Numbers(all) => all.len(),
            Self::Booleans(all) => all.len(),
            Self::Moments(all) => all.len(),
            Self::Coded(codes, _) => codes.len(),
        }
    }

    /// Tells whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells whether all are whole numbers.
    pub(crate) fn is_of_integers(&self) -> bool {
        match self {
            Self::Coded(_, values) => values.is_of_integers(),
            cells => matches!(cells, Self::Integers(_)),
        }
    }

    /// Returns a cell that is not NULL, or a number that is none.
    pub(crate) fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Texts(texts) | Self::Untyped(texts) => Cell::Text(Cow::Borrowed(texts.get(row))),
            Self::Integers(all) => Cell::Integer(all[row]),
            Self::Numbers(all) if all[row].is_nan() => Cell::Null,
            Self::Numbers(all) => Cell::Number(all[row]),
            Self::Booleans(all) => Cell::Boolean(all[row]),
            Self::Moments(all) => Cell::Moment(all[row]),
            Self::Coded(codes, values) => values.cell(codes[row].into()),
        }
    }

    /// Returns the cells of some rows; of a row that is not there, nothing.
    pub(crate) fn chosen(&self, rows: impl Iterator<Item = usize>) -> Self {
        match self {
            Self::Texts(texts) => Self::Texts(rows.map(|row| texts.get(row)).collect()),
            Self::Untyped(texts) => Self::Untyped(rows.map(|row| texts.get(row)).collect()),
            Self::Integers(all) => Self::Integers(rows.map(|row| all[row]).collect()),
            Self::Numbers(all) => Self::Numbers(rows.map(|row| all[row]).collect()),
            Self::Booleans(all) => Self::Booleans(rows.map(|row| all[row]).collect()),
            Self::Moments(all) => Self::Moments(rows.map(|row| all[row]).collect()),
            Self::Coded(codes, values) => Self::Coded(rows.map(|row| codes[row]).collect(), values.clone()),
        }
    }

    /// Returns no cells, of the kind of this one.
    pub(crate) fn of_kind(cell: &Cell<'_>) -> Self {
        match cell {
            Cell::Null | Cell::Text(_) => Self::Texts(Texts::default()),
            Cell::Integer(_) => Self::Integers(Vec::new()),
            Cell::Number(_) => Self::Numbers(Vec::new()),
            Cell::Boolean(_) => Self::Booleans(Vec::new()),
            Cell::Moment(_) => Self::Moments(Vec::new()),
        }
    }

    /// Tells whether a cell is of the kind of these.
    pub(crate) fn is_for(&self, cell: &Cell<'_>) -> bool {
        matches!(
            (self, cell),
            (Self::Texts(_) | Self::Untyped(_), Cell::Text(_))
                | (Self::Integers(_), Cell::Integer(_))
                | (Self::Numbers(_), Cell::Number(_))
                | (Self::Booleans(_), Cell::Boolean(_))
                | (Self::Moments(_), Cell::Moment(_))
        )
    }

    /// Adds a cell of the kind of these; false if there is no more room.
    #[must_use]
    pub(crate) fn push(&mut self, cell: &Cell<'_>) -> bool {
        match (self, cell) {
            (Self::Texts(all) | Self::Untyped(all), Cell::Text(text)) => return all.push(text),
            (Self::Integers(all), Cell::Integer(number)) => all.push(*number),
            (Self::Numbers(all), Cell::Number(number)) => all.push(*number),
            (Self::Booleans(all), Cell::Boolean(truth)) => all.push(*truth),
            (Self::Moments(all), Cell::Moment(moment)) => all.push(*moment),
            (cells, _) => cells.push_nothing(),
        }
        true
    }

    /// Adds what stands where a cell is NULL.
    pub(crate) fn push_nothing(&mut self) {
        match self {
            Self::Texts(all) | Self::Untyped(all) => _ = all.push(""),
            Self::Integers(all) => all.push(0),
            Self::Numbers(all) => all.push(f64::NAN),
            Self::Booleans(all) => all.push(false),
            Self::Moments(all) => all.push(Moment::of_day(0)),
            Self::Coded(codes, _) => codes.push(0),
        }
    }
}

/// One cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// A day or moment.
    Moment(Moment),
}

impl Cell<'_> {
    /// Returns the cell as a name; nothing for NULL.
    pub fn into_name(self) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Text(text) => text.into_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(truth) => truth.to_string(),
            Self::Moment(moment) => moment.text(),
        })
    }
}

/// A named column.
#[derive(Clone, Debug)]
pub struct FrameColumn {
    /// Its name.
    pub name: String,
    /// Its cells, one a row.
    pub cells: Cells,
    /// True for each row that is NULL; empty where none is.
    pub nulls: Vec<bool>,
}

impl FrameColumn {
    /// Returns a column without NULL.
    pub fn new(name: impl Into<String>, cells: Cells) -> Self {
        Self { name: name.into(), cells, nulls: Vec::new() }
    }

    /// Returns a cell as it is stored.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        if self.nulls.get(row).copied().unwrap_or(false) {
            return Cell::Null;
        }
        self.cells.cell(row)
    }

    /// Tells whether a cell is NULL.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match &self.cells {
            Cells::Numbers(numbers) if numbers[row].is_nan() => true,
            _ => self.nulls.get(row).copied().unwrap_or(false),
        }
    }

    /// Returns how many cells it has.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Tells whether it has no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the kind of its cells. A text of CSV is a number, or any text a date, where all cells of the column are
    /// written as one: `007` is a text, and so are all that stand with it.
    pub fn kind(&self) -> ColumnKind {
        match &self.cells {
            // Each value is looked at once; what stands for NULL is none of them.
            Cells::Coded(_, values) => kind_of(values, &[]),
            cells => kind_of(cells, &self.nulls),
        }
    }

    fn chosen_rows(&self, rows: &[u32]) -> Self {
        let rows = || rows.iter().map(|&row| row as usize);
        let nulls = or_none(rows().map(|row| self.is_null(row)).collect());
        Self { name: self.name.clone(), cells: self.cells.chosen(rows()), nulls }
    }

    /// Returns the column with NULL where a cell is one of some constants.
    pub(crate) fn without(&self, constants: &[Constant]) -> Self {
        let values = if let Cells::Coded(_, values) = &self.cells { values } else { &self.cells };
        let mut column = match values {
            Cells::Texts(_) => ColumnBuilder::new(Cells::Texts(Texts::default())),
            _ => ColumnBuilder::untyped(),
        };
        for row in 0..self.len() {
            let has_room = match self.cell(row) {
                Cell::Null => {
                    column.push_null();
                    true
                }
                cell if constants.iter().any(|it| is_constant(&cell, it)) => {
                    column.push_null();
                    true
                }
                Cell::Text(text) if matches!(values, Cells::Untyped(_)) => column.push_untyped(&text),
                cell => column.push(&cell),
            };
            debug_assert!(has_room, "a part of a column has room where all of it had");
        }
        column.finish(&self.name)
    }

    /// Reads dates that are texts once and for all, if every text is one.
    pub(crate) fn read_dates(&mut self) {
        let is_text = |cells: &Cells| matches!(cells, Cells::Texts(_) | Cells::Untyped(_));
        let read = |cells: &Cells, nulls: &[bool]| {
            let moments = moments(cells, nulls, Moment::read).ok();
            moments.filter(|_| is_text(cells))
        };
        match &mut self.cells {
            Cells::Coded(_, values) => read(values, &[]).into_iter().for_each(|found| **values = found),
            cells => read(cells, &self.nulls).into_iter().for_each(|found| *cells = found),
        }
    }

    /// Reads the dates or numbers of a format; else the first row that is none.
    pub(crate) fn read_as(&self, format: CellFormat) -> Result<Self, usize> {
        let read = |cells: &Cells, nulls: &[bool]| match format {
            CellFormat::Date(_) => moments(cells, nulls, |text| format.moment(text)),
            CellFormat::Number(_) => numbers(cells, nulls, |text| format.number(text)),
        };
        let cells = match &self.cells {
            Cells::Coded(codes, values) => match read(values, &[]) {
                Ok(values) => Cells::Coded(codes.clone(), Box::new(values)),
                Err(value) => {
                    let is_it = |row: &usize| usize::from(codes[*row]) == value && !self.is_null(*row);
                    return Err((0..codes.len()).find(is_it).unwrap_or(0));
                }
            },
            cells => read(cells, &self.nulls)?,
        };
        Ok(Self { name: self.name.clone(), cells, nulls: self.nulls.clone() })
    }
}

/// Returns which rows are NULL; nothing where none is.
fn or_none(nulls: Vec<bool>) -> Vec<bool> {
    if nulls.contains(&true) { nulls } else { Vec::new() }
}

/// Reads texts as dates; else the first row that is none.
fn moments(cells: &Cells, nulls: &[bool], read: impl Fn(&str) -> Option<Moment>) -> Result<Cells, usize> {
    let moment = |row: usize| match cells.cell(row) {
        _ if nulls.get(row).copied().unwrap_or(false) => Ok(Moment::of_day(0)),
        Cell::Moment(moment) => Ok(moment),
        Cell::Text(text) => read(&text).ok_or(row),
        Cell::Integer(number) => read(&number.to_string()).ok_or(row),
        _ => Err(row),
    };
    Ok(Cells::Moments((0..cells.len()).map(moment).collect::<Result<_, _>>()?))
}

/// Reads texts as numbers; else the first row that is none.
fn numbers(cells: &Cells, nulls: &[bool], read: impl Fn(&str) -> Option<f64>) -> Result<Cells, usize> {
    let number = |row: usize| match cells.cell(row) {
        _ if nulls.get(row).copied().unwrap_or(false) => Ok(0.0),
        Cell::Integer(number) => Ok(number as f64),
        Cell::Number(number) => Ok(number),
        Cell::Text(text) => read(&text).ok_or(row),
        _ => Err(row),
    };
    Ok(Cells::Numbers((0..cells.len()).map(number).collect::<Result<_, _>>()?))
}

/// Returns the kind of cells. A text of a file without kinds is a number, or any text a date, where all are written as one.
fn kind_of(cells: &Cells, nulls: &[bool]) -> ColumnKind {
    // There are texts, and all are such.
    let is_all = |texts: &Texts, is_such: fn(&str) -> bool| {
        let mut rows =
            (0..texts.ends.len()).filter(|&row| !nulls.get(row).copied().unwrap_or(false)).peekable();
        rows.peek().is_some() && rows.all(|row| is_such(texts.get(row)))
    };
    let kinds = [
        (ColumnKind::Integer, (|text| plain_integer(text).is_some()) as fn(&str) -> bool),
        // What has more digits than a whole number of 64 bits is one of many: as a number it would be the same as its neighbours.
        (ColumnKind::Text, is_whole),
        (ColumnKind::Number, is_plain_number),
        (ColumnKind::Date, |text| Moment::read(text).is_some()),
    ];
    let of_texts = |texts: &Texts, first: usize| {
        let found = kinds[first..].iter().find(|(_, is_such)| is_all(texts, *is_such));
        found.map_or(ColumnKind::Text, |(kind, _)| *kind)
    };
    match cells {
        Cells::Integers(_) => ColumnKind::Integer,
        Cells::Numbers(_) => ColumnKind::Number,
        Cells::Booleans(_) => ColumnKind::Boolean,
        Cells::Moments(_) => ColumnKind::Date,
        Cells::Texts(texts) => of_texts(texts, 3),
        Cells::Untyped(texts) => of_texts(texts, 0),
        Cells::Coded(_, values) => kind_of(values, &[]),
    }
}

/// Tells whether a text is a whole number in its only spelling, of any length.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Reads a whole number of 64 bits in its only spelling.
pub(crate) fn plain_integer(text: &str) -> Option<i64> {
    if is_whole(text) { text.parse().ok() } else { None }
}

/// Tells whether a text is a number as people write them, without idle zeros before it.
pub(crate) fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_idle_zero = digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let begins = digits.starts_with(|c: char| c.is_ascii_digit());
    begins && !has_idle_zero && text.parse::<f64>().is_ok()
}

/// A table in memory.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The name of the table.
    pub name: String,
    /// Its columns, all of one length.
    pub columns: Vec<FrameColumn>,
    /// Number of rows.
    pub rows: usize,
    /// The CSV file that it was read from.
    pub csv: Option<Arc<CsvFile>>,
    /// The number of each row in the table, where it is not all of it.
    pub(crate) numbers: Vec<u32>,
}

impl Frame {
    /// Returns a table of columns of one length.
    pub fn new(name: impl Into<String>, columns: Vec<FrameColumn>) -> Self {
        let rows = columns.first().map_or(0, FrameColumn::len);
        Self { name: name.into(), columns, rows, ..Self::default() }
    }

    /// Returns the number of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the table with some of its rows.
    pub(crate) fn chosen_rows(&self, rows: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| column.chosen_rows(rows)).collect();
        Self { name: self.name.clone(), columns, rows: rows.len(), csv: None, numbers: rows.to_vec() }
    }

    /// Returns the number of a row in the whole table.
    fn number(&self, row: usize) -> u32 {
        self.numbers.get(row).map_or(row as u32, |number| *number)
    }

    /// Returns the text and the place of a cell of a CSV file.
    pub(crate) fn csv_cell(&self, row: usize, column: usize) -> Option<(&Csv, Span)> {
        let name = self.columns.get(column).map_or("", |column| &column.name);
        self.csv.as_ref()?.cell(self.number(row) as usize, name)
    }

    /// Returns the place of a cell, and adds the text it is in to the sources: of CSV the line and the column, else
    /// the row.
    pub(crate) fn place(&self, row: usize, column: usize, sources: &mut Sources) -> Span {
        if let Some((csv, span)) = self.csv_cell(row, column) {
            let source = sources.add(csv.sources().name(span.source), csv.sources().text(span.source));
            return Span { source, ..span };
        }
        let name = self.columns.get(column).map_or("", |column| &column.name);
        let (source, row) = (sources.add_table(format!("{}, column {name}", self.name)), self.number(row));
        Span { source, start: row + 1, end: row + 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kind of a column of CSV with these cells.
    fn kind(cells: &str) -> ColumnKind {
        let mut column = ColumnBuilder::untyped();
        for cell in cells.split_whitespace() {
            assert!(column.push_untyped(cell));
        }
        column.finish("a").kind()
    }

    #[test]
    fn kinds_of_texts() {
        assert_eq!(kind("1 -2 0"), ColumnKind::Integer);
        assert_eq!(kind("1 2.5 1e400"), ColumnKind::Number);
        assert_eq!(kind("1 007"), ColumnKind::Text);
        assert_eq!(kind("9223372036854775807 1"), ColumnKind::Integer);
        assert_eq!(kind("9223372036854775808 1"), ColumnKind::Text);
        assert_eq!(kind("9223372036854775808 1.5"), ColumnKind::Number);
        assert_eq!(kind("2024-01-01 2024-02-01"), ColumnKind::Date);
        assert_eq!(kind("inf 1"), ColumnKind::Text);
        assert_eq!(kind(""), ColumnKind::Text);
    }
}
