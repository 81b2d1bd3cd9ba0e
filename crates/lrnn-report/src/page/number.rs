//! Numbers as short as they can be read, and texts that occur often.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// A number with six digits that count; null where it is not finite.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Number(pub f64);

/// Digits that count.
const DIGITS: usize = 6;

impl Number {
    /// Returns the number as it is written.
    pub fn rounded(self) -> f64 {
        let text = format!("{:.*e}", DIGITS - 1, self.0);
        text.parse().unwrap_or(self.0)
    }

    /// Returns all of some numbers.
    pub fn all(numbers: &[f64]) -> Vec<Self> {
        numbers.iter().copied().map(Self).collect()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.is_finite() {
            return serializer.serialize_none();
        }
        let number = self.rounded();
        // `1` is shorter than `1.0`.
        if number.fract() == 0.0 && number.abs() < 1e15 {
            return serializer.serialize_i64(number as i64);
        }
        serializer.serialize_f64(number)
    }
}

/// The number of a text among those that occur often.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct TextId(pub u32);

/// Texts that occur often, each once.
#[derive(Clone, Default, Debug)]
pub struct Texts {
    all: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Texts {
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
            assert_eq!(serde_json::to_string(&Number(number)).ok().as_deref(), Some(expected));
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
        let mut texts = Texts::default();
        let numbers = ["a", "b", "a"].map(|text| texts.number(text).0);
        assert_eq!((numbers, texts.get(TextId(1)), texts.get(TextId(9))), ([0, 1, 0], "b", ""));
        assert_eq!(texts.into_all(), ["a", "b"]);
    }
}
