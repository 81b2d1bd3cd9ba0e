//! Tables in memory: named, typed columns, each cell with the place it came from.

use std::borrow::Cow;
use std::sync::Arc;

use lrnn::diagnostic::{Sources, Span};

use crate::Csv;
use crate::time::{DateFormat, Moment};

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
    /// A column of a CSV file.
    Csv(Arc<Csv>, usize),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers; what is not a number is NULL.
    Numbers(Vec<f64>),
    /// Truth values.
    Booleans(Vec<bool>),
    /// Days or moments.
    Moments(Vec<Moment>),
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
    /// True for each row that is NULL; empty where none is. Cells of a CSV file know it themselves.
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
        match &self.cells {
            Cells::Texts(texts) => Cell::Text(Cow::Borrowed(texts.get(row))),
            Cells::Csv(csv, column) => csv.cell(row, *column).map_or(Cell::Null, Cell::Text),
            Cells::Integers(numbers) => Cell::Integer(numbers[row]),
            Cells::Numbers(numbers) if numbers[row].is_nan() => Cell::Null,
            Cells::Numbers(numbers) => Cell::Number(numbers[row]),
            Cells::Booleans(truths) => Cell::Boolean(truths[row]),
            Cells::Moments(moments) => Cell::Moment(moments[row]),
        }
    }

    /// Tells whether a cell is NULL.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        match &self.cells {
            Cells::Csv(csv, column) => csv.is_null(row, *column),
            Cells::Numbers(numbers) if numbers[row].is_nan() => true,
            _ => self.nulls.get(row).copied().unwrap_or(false),
        }
    }

    /// Returns how many cells it has.
    pub fn len(&self) -> usize {
        match &self.cells {
            Cells::Texts(texts) => texts.ends.len(),
            Cells::Csv(csv, _) => csv.rows(),
            Cells::Integers(numbers) => numbers.len(),
            Cells::Numbers(numbers) => numbers.len(),
            Cells::Booleans(truths) => truths.len(),
            Cells::Moments(moments) => moments.len(),
        }
    }

    /// Tells whether it has no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the kind of its cells. A text that CSV holds is a number, or any text a date, where all cells of the
    /// column are written as one: `007` is a text, and so are all that stand with it.
    pub fn kind(&self) -> ColumnKind {
        match &self.cells {
            Cells::Integers(_) => ColumnKind::Integer,
            Cells::Numbers(_) => ColumnKind::Number,
            Cells::Booleans(_) => ColumnKind::Boolean,
            Cells::Moments(_) => ColumnKind::Date,
            Cells::Texts(_) if self.is_all(|text| Moment::read(text).is_some()) => ColumnKind::Date,
            Cells::Texts(_) => ColumnKind::Text,
            Cells::Csv(..) => self.kind_of_csv(),
        }
    }

    fn chosen_rows(&self, rows: &[u32]) -> Self {
        let rows = || rows.iter().map(|&row| row as usize);
        let cells = match &self.cells {
            Cells::Texts(texts) => Cells::Texts(rows().map(|row| texts.get(row)).collect()),
            Cells::Csv(csv, column) => {
                Cells::Texts(rows().map(|row| csv.cell(row, *column).unwrap_or_default()).collect())
            }
            Cells::Integers(all) => Cells::Integers(rows().map(|row| all[row]).collect()),
            Cells::Numbers(all) => Cells::Numbers(rows().map(|row| all[row]).collect()),
            Cells::Booleans(all) => Cells::Booleans(rows().map(|row| all[row]).collect()),
            Cells::Moments(all) => Cells::Moments(rows().map(|row| all[row]).collect()),
        };
        let nulls: Vec<bool> = rows().map(|row| self.is_null(row)).collect();
        let nulls = if nulls.contains(&true) { nulls } else { Vec::new() };
        Self { name: self.name.clone(), cells, nulls }
    }

    /// Reads dates that are texts once and for all, if every text is one.
    pub(crate) fn read_dates(&mut self) {
        let Cells::Texts(texts) = &self.cells else { return };
        let moment = |row: usize| match self.is_null(row) {
            true => Some(Moment::of_day(0)),
            false => Moment::read(texts.get(row)),
        };
        if let Some(moments) = (0..texts.ends.len()).map(moment).collect() {
            self.cells = Cells::Moments(moments);
        }
    }

    /// Reads the dates of a format; else the first row that is none.
    pub(crate) fn read_dates_as(&self, format: DateFormat) -> Result<Self, usize> {
        let moment = |row: usize| match self.cell(row) {
            Cell::Null => Ok(Moment::of_day(0)),
            Cell::Moment(moment) => Ok(moment),
            Cell::Text(text) => Moment::read_as(&text, format).ok_or(row),
            _ => Err(row),
        };
        let moments = (0..self.len()).map(moment).collect::<Result<Vec<_>, _>>()?;
        let nulls: Vec<bool> = (0..self.len()).map(|row| self.is_null(row)).collect();
        let nulls = if nulls.contains(&true) { nulls } else { Vec::new() };
        Ok(Self { name: self.name.clone(), cells: Cells::Moments(moments), nulls })
    }

    /// Tells whether there are texts and all are such.
    fn is_all(&self, is_such: impl Fn(&str) -> bool) -> bool {
        let mut found = false;
        let all = (0..self.len()).all(|row| match self.cell(row) {
            Cell::Text(text) => {
                found = true;
                is_such(&text)
            }
            _ => true,
        });
        all && found
    }

    fn kind_of_csv(&self) -> ColumnKind {
        let kinds = [
            (ColumnKind::Integer, is_plain_integer as fn(&str) -> bool),
            (ColumnKind::Number, is_plain_number),
            (ColumnKind::Date, |text: &str| Moment::read(text).is_some()),
        ];
        kinds.iter().find(|(_, is_such)| self.is_all(is_such)).map_or(ColumnKind::Text, |(kind, _)| *kind)
    }
}

/// Tells whether a text is a whole number in its only spelling.
fn is_plain_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_idle_zero = digits.starts_with('0') && text != "0";
    !has_idle_zero && digits.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_ok()
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
    pub csv: Option<Arc<Csv>>,
    /// The number of each row in the table, where it is not all of it.
    pub(crate) numbers: Vec<u32>,
}

impl Frame {
    /// Returns a table of columns of one length.
    pub fn new(name: impl Into<String>, columns: Vec<FrameColumn>) -> Self {
        let rows = columns.first().map_or(0, FrameColumn::len);
        Self { name: name.into(), columns, rows, ..Self::default() }
    }

    /// Returns the table of a CSV file.
    pub fn of_csv(name: impl Into<String>, csv: Arc<Csv>) -> Self {
        let columns = csv.names().iter().enumerate();
        let column = |(at, name): (usize, &String)| FrameColumn::new(name, Cells::Csv(Arc::clone(&csv), at));
        let (columns, rows) = (columns.map(column).collect(), csv.rows());
        Self { name: name.into(), columns, rows, csv: Some(csv), numbers: Vec::new() }
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

    /// Returns the number that a column has in its CSV file.
    pub(crate) fn csv_column(&self, column: usize) -> usize {
        let name = self.columns.get(column).map(|column| &column.name);
        let names = self.csv.as_ref().map_or(&[][..], |csv| csv.names());
        names.iter().position(|it| Some(it) == name).unwrap_or(0)
    }

    /// Returns the place of a cell, and adds the text it is in to the sources: of CSV the line and the column, else
    /// the row.
    pub(crate) fn place(&self, row: usize, column: usize, sources: &mut Sources) -> Span {
        let Some(csv) = &self.csv else {
            let column = self.columns.get(column).map_or("", |column| &column.name);
            let source = sources.add_table(format!("{}, column {column}", self.name));
            let row = self.numbers.get(row).map_or(row as u32, |number| *number);
            return Span { source, start: row + 1, end: row + 2 };
        };
        let span = csv.span(row, self.csv_column(column));
        let name = csv.sources().name(span.source).to_owned();
        let source = sources.add(name, csv.sources().text(span.source));
        Span { source, ..span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CsvOptions;

    /// Returns the kind of a column of CSV with these cells.
    fn kind(cells: &str) -> ColumnKind {
        let text = format!("a,b\n{}", cells.split(' ').map(|cell| format!("{cell},\n")).collect::<String>());
        let csv = Csv::parse("t", text.into(), CsvOptions::default()).expect("CSV");
        Frame::of_csv("t", Arc::new(csv)).columns[0].kind()
    }

    #[test]
    fn kinds_of_texts() {
        assert_eq!(kind("1 -2 0"), ColumnKind::Integer);
        assert_eq!(kind("1 2.5 1e400"), ColumnKind::Number);
        assert_eq!(kind("1 007"), ColumnKind::Text);
        assert_eq!(kind("9223372036854775808 1"), ColumnKind::Number);
        assert_eq!(kind("2024-01-01 2024-02-01"), ColumnKind::Date);
        assert_eq!(kind("inf 1"), ColumnKind::Text);
        assert_eq!(kind(""), ColumnKind::Text);
    }
}
