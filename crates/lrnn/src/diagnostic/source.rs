//! Texts and tables, and places in them.

use std::sync::Arc;

/// A text or a table: a file, a string, or columns in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u32);

/// Sources of data are numbered from here, those of templates from 0: so both can be told apart wherever they meet.
const DATA: u32 = 1 << 30;

/// A stretch of a text in bytes, or of a table in rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The text or table.
    pub source: SourceId,
    /// The first byte, or the row from 0.
    pub start: u32,
    /// The byte or row after the last.
    pub end: u32,
}

impl Span {
    /// Returns the stretch from the beginning of this one to the end of the other.
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start, end: other.end.max(self.start) }
    }
}

#[derive(Clone, PartialEq, Debug)]
struct SourceText {
    id: SourceId,
    name: String,
    /// `None` for a table.
    text: Option<Arc<String>>,
}

/// All texts and tables that were read, with the names people know them by. Copies share the texts.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    first: u32,
    /// In the order of their ids.
    all: Vec<SourceText>,
}

impl Sources {
    /// Sources of data, whose ids are never those of a template's.
    pub fn of_data() -> Self {
        Self { first: DATA, all: Vec::new() }
    }

    fn push(&mut self, name: String, text: Option<Arc<String>>) -> SourceId {
        let id = SourceId(self.all.last().map_or(self.first, |last| last.id.0 + 1));
        self.all.push(SourceText { id, name, text });
        id
    }

    /// Adds a text under a name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.push(name.into(), Some(Arc::new(text.into())))
    }

    /// Adds a table in memory under a name; places in it are rows.
    pub fn add_table(&mut self, name: impl Into<String>) -> SourceId {
        self.push(name.into(), None)
    }

    /// Returns these sources and others, each found by its id.
    pub fn joined(&self, other: &Self) -> Self {
        let mut all = self.all.clone();
        all.extend(other.all.iter().filter(|source| self.find(source.id).is_none()).cloned());
        all.sort_by_key(|source| source.id);
        Self { first: self.first, all }
    }

    fn find(&self, id: SourceId) -> Option<&SourceText> {
        self.all.binary_search_by_key(&id, |source| source.id).ok().map(|at| &self.all[at])
    }

    /// Returns the name of a text or table.
    pub fn name(&self, id: SourceId) -> &str {
        self.find(id).map_or("", |source| &source.name)
    }

    /// Returns a text; a table has none.
    pub fn text(&self, id: SourceId) -> &str {
        self.find(id).and_then(|source| source.text.as_deref()).map_or("", String::as_str)
    }

    /// Tells whether places in a source are rows of a table.
    pub fn is_table(&self, id: SourceId) -> bool {
        self.find(id).is_some_and(|source| source.text.is_none())
    }

    /// Goes through all texts with their names, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().filter_map(|source| Some((source.name.as_str(), source.text.as_deref()?.as_str())))
    }

    /// Returns the line and the column of a byte, both from 1; columns count characters.
    pub fn line_column(&self, id: SourceId, byte: u32) -> (usize, usize) {
        let text = self.text(id);
        let before = &text[..boundary(text, byte)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// Returns the line that holds a byte, without its end.
    pub fn line_text(&self, id: SourceId, byte: u32) -> &str {
        let text = self.text(id);
        let byte = boundary(text, byte);
        let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
        text[start..end].trim_end_matches('\r')
    }

    /// Returns a place as people write it: `file:3:7`, or `table atom, row 17`.
    pub fn place(&self, span: Span) -> String {
        if self.is_table(span.source) {
            return format!("table {}, row {}", self.name(span.source), span.start);
        }
        let (line, column) = self.line_column(span.source, span.start);
        format!("{}:{line}:{column}", self.name(span.source))
    }
}

/// Returns the last boundary of characters that is not behind a byte.
fn boundary(text: &str, byte: u32) -> usize {
    let mut byte = (byte as usize).min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
