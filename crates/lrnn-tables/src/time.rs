//! Dates and times: as numbers of microseconds, and as texts whose order is theirs.

use std::fmt::Write;

/// Microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;

/// A moment in UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment {
    /// Microseconds since 1970.
    pub micros: i64,
    /// False for a whole day.
    pub has_time: bool,
}

impl Moment {
    /// Returns a whole day, from 1970.
    pub fn of_day(day: i64) -> Self {
        Self { micros: day.saturating_mul(DAY), has_time: false }
    }

    /// Returns a moment by its microseconds since 1970.
    pub fn of_micros(micros: i64) -> Self {
        Self { micros, has_time: true }
    }

    /// Reads `2024-01-31`, or that with `T` or a blank and `10:30`, `10:30:05`, `10:30:05.25`, and `Z` or `+02:00` behind.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 2)?, digits(bytes, 8, 2)?);
        let has_marks = bytes[4] == b'-' && bytes[7] == b'-';
        if !has_marks || !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
            return None;
        }
        let date = Self::of_day(day_number(year, month, day));
        match bytes.get(10) {
            None => Some(date),
            Some(b'T' | b' ') => clock(&text[11..]).map(|micros| Self::of_micros(date.micros + micros)),
            Some(_) => None,
        }
    }

    /// Reads a date as a format spells it, with a time of day behind it or without.
    pub(crate) fn read_as(text: &str, format: DateFormat) -> Option<Self> {
        let (date, rest) = match text.trim().split_once([' ', 'T']) {
            Some((date, time)) => (date, Some(time)),
            None => (text.trim(), None),
        };
        let parts: Vec<&str> = match format.separator {
            Some(separator) => date.split(separator).collect(),
            None if date.len() == 8 => vec![date.get(..4)?, date.get(4..6)?, date.get(6..)?],
            None => return None,
        };
        let [a, b, c] = parts[..] else { return None };
        let [year, month, day] = format.order.map(|at| [a, b, c][at]);
        let number = |part: &str, digits: std::ops::RangeInclusive<usize>| {
            let is_number = digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<i64>().ok()).flatten()
        };
        let (year, month, day) = (number(year, 4..=4)?, number(month, 1..=2)?, number(day, 1..=2)?);
        if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
            return None;
        }
        let date = Self::of_day(day_number(year, month, day));
        match rest {
            None => Some(date),
            Some(time) => clock(time).map(|micros| Self::of_micros(date.micros + micros)),
        }
    }

    /// Returns the days from another moment to this one.
    pub fn days_since(self, other: Self) -> f64 {
        (self.micros - other.micros) as f64 / DAY as f64
    }

    /// Returns the moment as text: `2024-01-31`, or `2024-01-31T10:30:05`.
    pub fn text(self) -> String {
        let (year, month, day) = date_of(self.micros.div_euclid(DAY));
        let mut text = format!("{year:04}-{month:02}-{day:02}");
        if self.has_time {
            let micros = self.micros.rem_euclid(DAY);
            let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
            let _ = write!(text, "T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if rest > 0 {
                let fraction = format!("{rest:06}");
                let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
            }
        }
        text
    }
}

/// A way to spell dates by numbers of year, month and day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DateFormat {
    /// Its name, which is how a date looks.
    pub name: &'static str,
    /// The character between its numbers; none where they stand together, with two digits for month and day.
    separator: Option<char>,
    /// The places of year, month and day.
    order: [usize; 3],
}

impl DateFormat {
    /// The formats that a mapping can name.
    pub const ALL: [Self; 8] = [
        Self { name: "YYYY/MM/DD", separator: Some('/'), order: [0, 1, 2] },
        Self { name: "YYYY.MM.DD", separator: Some('.'), order: [0, 1, 2] },
        Self { name: "DD.MM.YYYY", separator: Some('.'), order: [2, 1, 0] },
        Self { name: "DD/MM/YYYY", separator: Some('/'), order: [2, 1, 0] },
        Self { name: "MM/DD/YYYY", separator: Some('/'), order: [2, 0, 1] },
        Self { name: "DD-MM-YYYY", separator: Some('-'), order: [2, 1, 0] },
        Self { name: "MM-DD-YYYY", separator: Some('-'), order: [2, 0, 1] },
        Self { name: "YYYYMMDD", separator: None, order: [0, 1, 2] },
    ];
}

fn digits(bytes: &[u8], from: usize, count: usize) -> Option<i64> {
    let digits = bytes.get(from..from + count)?;
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

/// Reads the time of a day as microseconds.
fn clock(text: &str) -> Option<i64> {
    let at = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(at);
    let bytes = time.as_bytes();
    let (hour, minute) = (digits(bytes, 0, 2)?, digits(bytes, 3, 2)?);
    let second = if bytes.len() > 5 { digits(bytes, 6, 2)? } else { 0 };
    let marks = bytes.get(2) == Some(&b':') && matches!(bytes.get(5), None | Some(b':'));
    let fraction = match bytes.get(8) {
        None => 0,
        Some(b'.') if (10..=15).contains(&bytes.len()) => {
            digits(bytes, 9, bytes.len() - 9)? * 10_i64.pow(15 - bytes.len() as u32)
        }
        Some(_) => return None,
    };
    if !marks || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction;
    Some(micros - offset(zone)? * 60_000_000)
}

/// Reads a time zone as minutes.
fn offset(zone: &str) -> Option<i64> {
    let bytes = zone.as_bytes();
    let sign = match bytes.first() {
        None => return Some(0),
        Some(b'Z') => return (bytes.len() == 1).then_some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let minutes = match bytes.len() {
        3 => 0,
        5 => digits(bytes, 3, 2)?,
        6 if bytes[3] == b':' => digits(bytes, 4, 2)?,
        _ => return None,
    };
    Some(sign * (digits(bytes, 1, 2)? * 60 + minutes))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days before a year, counted from the year 0.
fn before_year(year: i64) -> i64 {
    let last = year - 1;
    365 * year + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400) + 1
}

fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    before_year(year) - before_year(1970) + months + day - 1
}

fn date_of(number: i64) -> (i64, i64, i64) {
    let absolute = number + before_year(1970);
    let mut year = absolute.div_euclid(366);
    while before_year(year + 1) <= absolute {
        year += 1;
    }
    let mut rest = absolute - before_year(year);
    let mut month = 1;
    while rest >= days_of(year, month) {
        rest -= days_of(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back_as_they_were_written() {
        for text in ["1970-01-01", "2024-02-29", "1999-12-31", "0001-01-01", "2000-03-01", "9999-12-31"] {
            assert_eq!(Moment::read(text).expect(text).text(), text);
        }
        for day in (-700_000..800_000).step_by(97) {
            let moment = Moment::of_day(day);
            assert_eq!(Moment::read(&moment.text()), Some(moment), "{day}");
        }
        assert_eq!(Moment::read("1970-01-02").map(|moment| moment.micros), Some(DAY));
    }

    #[test]
    fn times_are_of_one_zone() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Moment::read(text).map(Moment::text).as_deref(), Some(expected));
        };
        check("2024-01-31 10:30", "2024-01-31T10:30:00");
        check("2024-01-31T10:30:05.250", "2024-01-31T10:30:05.25");
        check("2024-01-01T00:30:00+02:00", "2023-12-31T22:30:00");
        check("2024-01-31 10:30:05.000001Z", "2024-01-31T10:30:05.000001");
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-1-1",
            "20240101",
            "2024-01-01x",
            "2024-01-01T25:00",
            "",
            "ä024-01-01",
        ] {
            assert_eq!(Moment::read(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_read_as_a_format_spells_them() {
        let check = |format: &str, text: &str, expected: Option<&str>| {
            let found = Moment::read_as(
                text,
                DateFormat::ALL.into_iter().find(|it| it.name == format).expect("a format"),
            );
            assert_eq!(found.map(Moment::text).as_deref(), expected, "{text} as {format}");
        };
        check("DD/MM/YYYY", "31/01/2024", Some("2024-01-31"));
        check("MM/DD/YYYY", "1/31/2024", Some("2024-01-31"));
        check("MM/DD/YYYY", "31/01/2024", None);
        check("DD.MM.YYYY", "29.2.2024 10:30", Some("2024-02-29T10:30:00"));
        check("DD.MM.YYYY", "29.2.2023", None);
        check("YYYY/MM/DD", "2024/12/01", Some("2024-12-01"));
        check("DD-MM-YYYY", "01-02-24", None);
        check("DD/MM/YYYY", "1/2/2024/3", None);
        check("DD/MM/YYYY", "+1/2/2024", None);
        check("YYYYMMDD", "20240229", Some("2024-02-29"));
        check("YYYYMMDD", "20230229", None);
        check("YYYYMMDD", "2024-2-9", None);
        check("YYYYMMDD", "202é229", None);
    }

    #[test]
    fn days_between() {
        let days = |a: &str, b: &str| Moment::read(a).expect(a).days_since(Moment::read(b).expect(b));
        assert_eq!((days("2024-03-01", "2024-02-28"), days("2024-01-01T12:00", "2024-01-02")), (2.0, -0.5));
    }
}
