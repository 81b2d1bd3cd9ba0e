//! Texts and places in them.

/// One text: a file, or a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u32);

/// A stretch of a text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The stretch from the beginning of this one to the end of the other.
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start, end: other.end.max(self.start) }
    }
}

/// All texts that were read, with the names people know them by.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    texts: Vec<(String, String)>,
}

impl Sources {
    /// Adds a text under a name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.texts.push((name.into(), text.into()));
        SourceId(self.texts.len() as u32 - 1)
    }

    /// The name of a text.
    pub fn name(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].0
    }

    /// A text.
    pub fn text(&self, id: SourceId) -> &str {
        &self.texts[id.0 as usize].1
    }

    /// All texts with their names, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The line and the column of a byte, both from 1; columns count characters.
    pub fn line_column(&self, id: SourceId, byte: u32) -> (usize, usize) {
        let text = self.text(id);
        let mut byte = (byte as usize).min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The line that holds a byte, without its end.
    pub fn line_text(&self, id: SourceId, byte: u32) -> &str {
        let text = self.text(id);
        let mut byte = (byte as usize).min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
        text[start..end].trim_end_matches('\r')
    }
}
