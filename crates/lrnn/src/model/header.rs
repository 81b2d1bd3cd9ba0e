//! The header's text: a small part of JSON, written and read in one spelling only. Whatever reads JSON can read it;
//! what is read here was written here, or its checksum would be wrong.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{ModelError, Tensor, TensorType};
use crate::function::Shape;

/// Writes a text between quotes.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Writes what is said of a tensor whose bytes begin at `start`.
pub(super) fn write_tensor(out: &mut String, tensor: &Tensor<'_>, start: usize) {
    write_string(out, &tensor.name);
    let shape = match tensor.shape {
        shape if shape.is_number() => String::new(),
        Shape { rows, columns: 1 } => rows.to_string(),
        Shape { rows, columns } => format!("{rows},{columns}"),
    };
    let (kind, end) = (tensor.kind.name(), start + tensor.bytes.len());
    let _ = write!(out, r#":{{"dtype":"{kind}","shape":[{shape}],"data_offsets":[{start},{end}]}}"#);
}

/// The entry of a tensor: its bytes are those from `start` to `end` of the data.
pub(super) struct TensorEntry<'a> {
    pub name: Cow<'a, str>,
    pub kind: TensorType,
    pub shape: Shape,
    pub start: u64,
    pub end: u64,
}

/// The fewest characters that an entry can have.
pub(super) const LEAST_ENTRY: usize = r#","":{"dtype":"U8","shape":[],"data_offsets":[0,1]}"#.len();

const SPELLING: ModelError = ModelError::Malformed("its header is not spelt as lrnn spells it");

/// The rest of a header.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderCursor<'a> {
    rest: &'a str,
}

impl<'a> HeaderCursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Takes this text, if it is next.
    pub fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes this text, which must be next.
    pub fn expect(&mut self, text: &str) -> Result<(), ModelError> {
        if self.take(text) { Ok(()) } else { Err(SPELLING) }
    }

    /// Returns a text between quotes.
    pub fn string(&mut self) -> Result<Cow<'a, str>, ModelError> {
        self.expect("\"")?;
        let mut is_escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let (text, rest) = self.rest.split_at(end.ok_or(SPELLING)?);
        self.rest = &rest[1..];
        if text.bytes().any(|byte| byte < b' ') {
            return Err(SPELLING);
        }
        if text.contains('\\') { unescaped(text).map(Cow::Owned).ok_or(SPELLING) } else { Ok(text.into()) }
    }

    fn whole(&mut self) -> Result<u64, ModelError> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        let has_idle_zero = digits.len() > 1 && digits.starts_with('0');
        digits.parse().ok().filter(|_| !has_idle_zero).ok_or(SPELLING)
    }

    fn length(&mut self) -> Result<u32, ModelError> {
        const TOO_LARGE: ModelError = ModelError::Malformed("a tensor has more than 2^32 rows or columns");
        u32::try_from(self.whole()?).map_err(|_| TOO_LARGE)
    }

    fn shape(&mut self) -> Result<Shape, ModelError> {
        if self.rest.starts_with(']') {
            return Ok(Shape::NUMBER);
        }
        let rows = self.length()?;
        let columns = if self.take(",") { self.length()? } else { 1 };
        Ok(Shape { rows, columns })
    }

    /// Returns what is said of a tensor.
    pub fn entry(&mut self) -> Result<TensorEntry<'a>, ModelError> {
        let name = self.string()?;
        self.expect(r#":{"dtype":"#)?;
        let kind =
            TensorType::find(&self.string()?).ok_or(ModelError::Malformed("a tensor has an unknown type"))?;
        self.expect(r#","shape":["#)?;
        let shape = self.shape()?;
        self.expect(r#"],"data_offsets":["#)?;
        let start = self.whole()?;
        self.expect(",")?;
        let end = self.whole()?;
        self.expect("]}")?;
        Ok(TensorEntry { name, kind, shape, start, end })
    }
}

/// Returns a text with its escapes resolved; it is never longer than it was.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut characters = escape.chars();
        out.push(match characters.next()? {
            c @ ('"' | '\\') => c,
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (digits, after) = characters.as_str().split_at_checked(4)?;
                characters = after.chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
        rest = characters.as_str();
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain", "\"", "\\", "a\\\"b", "\n\r\t\0\u{1f}\u{7f}", "é\u{2028}𝄞", "\\u0041"] {
            let mut written = String::new();
            write_string(&mut written, text);
            let mut cursor = HeaderCursor::new(&written);
            assert_eq!(cursor.string().as_deref(), Ok(text), "{written}");
            assert_eq!(cursor.rest(), "");
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for text in [
            "",
            "\"",
            "\"a",
            "\"a\\",
            "\"a\\\"",
            r#""\x""#,
            r#""\u12""#,
            r#""\ud800""#,
            r#""\u00é""#,
            "\"\n\"",
        ] {
            assert_eq!(HeaderCursor::new(text).string(), Err(SPELLING), "{text}");
        }
    }
}
