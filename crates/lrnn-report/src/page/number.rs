//! Numbers as short as they can be read, and texts that occur often.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

/// Digits that count.
const DIGITS: usize = 6;

/// JSON in which numbers have six digits that count.
pub(super) struct ShortNumbers;

impl Formatter for ShortNumbers {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, number: f64) -> io::Result<()> {
        let number = rounded(number);
        // `1` is shorter than `1.0`.
        match number.fract() == 0.0 && number.abs() < 1e15 {
            true => write!(writer, "{}", number as i64),
            false => CompactFormatter.write_f64(writer, number),
        }
    }
}

/// Returns a number with the digits that count.
fn rounded(number: f64) -> f64 {
    let mut text = [0; 32];
    let mut rest = &mut text[..];
    let written = write!(rest, "{number:.*e}", DIGITS - 1).map(|()| 32 - rest.len());
    let written = written.ok().and_then(|length| std::str::from_utf8(&text[..length]).ok());
    written.and_then(|text| text.parse().ok()).unwrap_or(number)
}

/// The number of a text among those that occur often.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct TextId(pub u32);

/// Texts that occur often, each once.
#[derive(Clone, Default, Debug)]
pub struct SharedTexts {
    all: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl SharedTexts {
    /// Returns the number of a text, which is added if it is new.
    pub fn number(&mut self, text: &str) -> TextId {
        if let Some(&number) = self.numbers.get(text) {
            return TextId(number);
        }
        let number = self.all.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.all.push(text.to_owned());
        TextId(number)
    }

    /// Returns a text by its number.
    pub fn get(&self, text: TextId) -> &str {
        self.all.get(text.0 as usize).map_or("", String::as_str)
    }

    /// Returns all texts, in the order of their numbers.
    pub fn into_all(self) -> Vec<String> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        let check = |number: f64, expected: &str| {
            assert_eq!(super::super::json(&number).ok().as_deref(), Some(expected));
        };
        check(1.0 / 3.0, "0.333333");
        check(-123_456.789, "-123457");
        check(1.0, "1");
        check(-0.0, "0");
        check(1e-9 / 3.0, "3.33333e-10");
        check(2e300, "2e+300");
        check(f64::NAN, "null");
        check(f64::NEG_INFINITY, "null");
    }

    #[test]
    fn texts_are_there_once() {
        let mut texts = SharedTexts::default();
        let numbers = ["a", "b", "a"].map(|text| texts.number(text).0);
        assert_eq!((numbers, texts.get(TextId(1)), texts.get(TextId(9))), ([0, 1, 0], "b", ""));
        assert_eq!(texts.into_all(), ["a", "b"]);
    }
}
