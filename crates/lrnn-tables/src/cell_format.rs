//! Spellings of dates and numbers that a mapping names by how one looks: `'31.12.2024'` as `'DD.MM.YYYY'`, `'1.234,5'`.

use crate::time::DateFormat;
use crate::{ColumnKind, Moment};

/// A way to spell all cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellFormat {
    /// Dates by year, month and day.
    Date(DateFormat),
    /// Numbers with this sign before their fraction, and the other of `.` and `,` between thousands or not at all.
    Number(char),
}

impl CellFormat {
    /// Goes through the formats of a kind of column.
    pub fn all(kind: ColumnKind) -> impl Iterator<Item = Self> {
        let dates = DateFormat::ALL.into_iter().map(Self::Date);
        dates.chain([Self::Number(','), Self::Number('.')]).filter(move |format| format.kind() == kind)
    }

    /// Returns what the cells are.
    pub fn kind(self) -> ColumnKind {
        match self {
            Self::Date(_) => ColumnKind::Date,
            Self::Number(_) => ColumnKind::Number,
        }
    }

    /// Returns how a cell looks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Date(format) => format.name,
            Self::Number(',') => "1.234,5",
            Self::Number(_) => "1,234.5",
        }
    }

    /// Reads a date.
    pub fn moment(self, text: &str) -> Option<Moment> {
        if let Self::Date(format) = self { Moment::read_as(text, format) } else { None }
    }

    /// Reads a number: digits, all in threes before the fraction or none, and perhaps a fraction.
    pub fn number(self, text: &str) -> Option<f64> {
        let Self::Number(point) = self else { return None };
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
        let (whole, fraction) = digits.split_once(point).unwrap_or((digits, "0"));
        let mut groups = whole.split(if point == ',' { '.' } else { ',' });
        let first = groups.next()?;
        let groups: Vec<&str> = groups.collect();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let are_threes = groups.iter().all(|group| group.len() == 3 && is_number(group));
        let is_short = first.len() == 1 || !first.starts_with('0');
        let is_right = is_short
            && is_number(first)
            && is_number(fraction)
            && are_threes
            && (groups.is_empty() || first.len() <= 3);
        is_right.then(|| format!("{sign}{first}{}.{fraction}", groups.concat()).parse().ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::CellFormat::Number;

    #[test]
    fn numbers_are_read_as_they_are_spelled() {
        let read = |text| [Number(','), Number('.')].map(|format| format.number(text));
        assert_eq!(read("12,34"), [Some(12.34), None]);
        assert_eq!(read("-1.234.567,8"), [Some(-1_234_567.8), None]);
        assert_eq!(read("1,234.5"), [None, Some(1234.5)]);
        assert_eq!(read("1,234"), [Some(1.234), Some(1234.0)]);
        assert_eq!(read(" 7 "), [Some(7.0), Some(7.0)]);
        for text in ["", ",5", "5,", "1.23,4", "1234.567,8", "1,2,3", "007", "00,5", "1e5", "--1", "12,34 €"]
        {
            assert_eq!(read(text), [None, None], "{text}");
        }
    }
}
