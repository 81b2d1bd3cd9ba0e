//! Constants: what they are, how they compare, and how they are written.

use std::cmp::Ordering;
use std::fmt;

/// A constant: a name, or a number that equals every other way to write it (`1` is `1.0`, `1e3` is `1000`).
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A name, written bare or quoted.
    Name(Box<str>),
    /// A whole number.
    Integer(i64),
    /// Any other number: finite, and no whole number that an `i64` can hold. [`Constant::number`] keeps it so.
    Number(f64),
}

/// A reason why a text is no number that can be a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// A whole number, written with digits only, that an `i64` cannot hold.
    Integer,
    /// A number that double precision cannot hold, or no number.
    Number,
    /// A number with a plus sign.
    Plus,
}

impl NumberError {
    /// Returns the message for a person.
    pub fn message(self) -> &'static str {
        match self {
            Self::Integer => "this whole number is too large: it does not fit into 64 bits",
            Self::Number => "this number is too large for double precision",
            Self::Plus => "a constant has no plus sign",
        }
    }

    /// Returns what to do about the number, which was written so.
    pub fn help(self, text: &str) -> Option<String> {
        match self {
            Self::Integer => Some(format!("quote it to make it a name: '{text}'")),
            Self::Number => None,
            Self::Plus => Some("write it without: NeuraLogic takes `+2` and `2` for two constants".into()),
        }
    }
}

/// 2^63, the first number beyond every `i64`.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

impl Constant {
    /// Returns the constant that is this finite number: an integer where one has exactly its value.
    pub fn number(number: f64) -> Self {
        let is_integer = number.trunc() == number && (-BEYOND..BEYOND).contains(&number);
        if is_integer { Self::Integer(number as i64) } else { Self::Number(number) }
    }

    /// Returns the same constant, as an integer where it is a number that equals one.
    pub(super) fn exact(self) -> Self {
        if let Self::Number(number) = self { Self::number(number) } else { self }
    }

    /// Reads a number. One without fraction and exponent is read exactly.
    pub fn read_number(text: &str) -> Result<Self, NumberError> {
        if text.starts_with('+') {
            return Err(NumberError::Plus);
        }
        if text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::Integer).map_err(|_| NumberError::Integer);
        }
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Self::number).ok_or(NumberError::Number)
    }

    /// Returns the number it is, in double precision; `None` for a name.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Name(_) => None,
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
        }
    }

    /// Compares as comparisons of the language do: numbers by value, exactly, before names by their characters.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Integer(a), Self::Number(b)) => compare_exactly(*a, *b),
            (Self::Number(a), Self::Integer(b)) => compare_exactly(*b, *a).reverse(),
            (Self::Name(a), Self::Name(b)) => a.cmp(b),
            (_, Self::Name(_)) => Ordering::Less,
            (Self::Name(_), _) => Ordering::Greater,
        }
    }
}

impl From<&str> for Constant {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for Constant {
    fn from(name: String) -> Self {
        Self::Name(name.into())
    }
}

impl From<f64> for Constant {
    fn from(number: f64) -> Self {
        Self::number(number)
    }
}

impl From<i64> for Constant {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<i32> for Constant {
    fn from(number: i32) -> Self {
        Self::Integer(number.into())
    }
}

/// Compares without rounding the integer: by the whole part of the number, which an `i64` holds, then by its fraction.
fn compare_exactly(integer: i64, number: f64) -> Ordering {
    if !(-BEYOND..BEYOND).contains(&number) {
        return 0.0_f64.total_cmp(&number);
    }
    let whole = number.trunc();
    integer.cmp(&(whole as i64)).then_with(|| whole.total_cmp(&number))
}

/// Returns whether a name can stand without quotes: a letter that is no capital, then letters, digits and `_`, and `-`
/// before a letter or digit.
pub fn is_bare_name(name: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric());
    let mut parts = name.split('-');
    let first = parts.next().unwrap_or("");
    first.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase())
        && plain(first)
        && parts.all(|part| begins(part) && plain(part))
}

/// Returns whether a character must not go to a terminal as it is: control characters, and marks that turn the
/// direction of what follows.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a name as the language reads it: bare where it can be, else quoted.
pub fn write_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_bare_name(name) && name != "not" && name != "import" {
        return f.write_str(name);
    }
    f.write_char('\'')?;
    for c in name.chars() {
        match c {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if is_hidden(c) => write!(f, "\\u{{{:x}}}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}

/// Writes a number as the language reads it, short where it is very large or very small.
pub fn write_number(f: &mut impl fmt::Write, number: f64) -> fmt::Result {
    let is_plain = number == 0.0 || (1e-7..1e15).contains(&number.abs());
    if is_plain { write!(f, "{number}") } else { write!(f, "{number:e}") }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write_name(f, name),
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Number(number) => write_number(f, *number),
        }
    }
}

/// Writes a whole number into the end of a buffer; returns it as text.
pub fn digits(number: i64, buffer: &mut [u8; 20]) -> &str {
    let (mut rest, mut at) = (number.unsigned_abs(), buffer.len());
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    str::from_utf8(&buffer[at..]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_as_they_are() {
        for number in [0, 7, -7, 10, -10, 1_234_567_890_123_456_789, i64::MAX, i64::MIN] {
            assert_eq!(digits(number, &mut [0; 20]), number.to_string());
        }
    }

    fn read(text: &str) -> Constant {
        Constant::read_number(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    #[test]
    fn numbers_are_equal_by_value() {
        let equal = |left, right| assert_eq!(read(left), read(right));
        equal("1", "1.0");
        equal("1000", "1e3");
        equal("-0", "0");
        equal("-0.0", "0");
        equal("1000000000000000000", "1e18");
        equal("-9223372036854775808", "-9223372036854775808.0");
        assert_ne!(read("1700000000000000001"), read("1700000000000000002"));
        assert_ne!(read("1"), read("1.5"));
    }

    #[test]
    fn numbers_come_back_as_they_were_written() {
        let integers = ["0", "-7", "1700000000000000001", "-9223372036854775808", "9223372036854775807"];
        for text in integers.iter().chain(&["0.5", "9.3e18", "1e300", "-1e300", "1e-9", "0.001"]) {
            assert_eq!(read(text).to_string(), *text);
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let refused = |text, error| assert_eq!(Constant::read_number(text), Err(error));
        refused("9223372036854775808", NumberError::Integer);
        refused("-9223372036854775809", NumberError::Integer);
        refused("1e400", NumberError::Number);
    }

    #[test]
    fn the_order_is_exact() {
        let ordered = [
            "-1e300",
            "-9223372036854775808",
            "-9007199254740993",
            "-9007199254740992",
            "-2.5",
            "-2",
            "-1.5",
            "0",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "9.3e18",
        ];
        for (a, left) in ordered.iter().enumerate() {
            for (b, right) in ordered.iter().enumerate() {
                assert_eq!(read(left).compare(&read(right)), a.cmp(&b), "{left} {right}");
            }
        }
        assert_eq!(read("9.3e18").compare(&Constant::Name("a".into())), Ordering::Less);
        assert_eq!(Constant::Name("a".into()).compare(&read("1")), Ordering::Greater);
    }
}
