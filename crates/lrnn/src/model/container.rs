//! The file: tensors by name and texts by key, in the format safetensors, so that other programs can read it too.
//!
//! ```text
//! 8 bytes     the length of the header, lowest byte first
//! the header  {"__metadata__":{"checksum":"…","format":"1","lrnn":"0.1.0", key:text, …}, name:{…}, …} and blanks
//! the data    the numbers of all tensors, one after the other
//! ```
//!
//! The checksum covers every byte of the file, its own digits taken for zeros: a file with an end that is missing or
//! a bit that flipped is refused. The same content has the same bytes. Reading a stranger's file runs nothing, and
//! needs less memory than the file has bytes; a model made of it needs no more either.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::hash::Hash;
use super::header::{HeaderCursor, LEAST_ENTRY, TensorEntry};
use super::{ModelError, Tensor};

/// The form of the file; a later one is refused by its number.
pub(super) const FORMAT: u32 = 1;

pub(super) const BEGINNING: &str = r#"{"__metadata__":{"checksum":""#;
/// Offset of the header.
pub(super) const HEADER: usize = 8;
/// Offset of the digits of the checksum.
pub(super) const DIGITS: usize = HEADER + BEGINNING.len();
pub(super) const DIGIT_COUNT: usize = 16;
/// The most texts. Each takes more memory than the few bytes it may have in the file.
pub(super) const MOST_TEXTS: usize = 4096;

/// A file as read.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    /// The version of lrnn that wrote it.
    pub version: String,
    /// The texts by key.
    pub texts: BTreeMap<String, String>,
    /// The header from the first tensor on.
    entries: HeaderCursor<'a>,
    data: &'a [u8],
}

impl<'a> Container<'a> {
    /// Reads a file.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let (header, data) = split(bytes)?;
        let found = Self::parse(header, data);
        let is_whole = bytes.get(DIGITS..DIGITS + DIGIT_COUNT) == Some(checksum(bytes).as_bytes());
        match found {
            found if is_whole => found,
            Err(ModelError::CutShort) => Err(ModelError::CutShort),
            _ => Err(ModelError::Damaged),
        }
    }

    fn parse(header: &'a [u8], data: &'a [u8]) -> Result<Self, ModelError> {
        let header = str::from_utf8(header).map_err(|_| ModelError::Malformed("its header is not UTF-8"))?;
        let mut cursor = HeaderCursor::new(header);
        let (version, texts) = read_texts(&mut cursor)?;
        let found = Self { version, texts, entries: cursor, data };
        found.check()?;
        Ok(found)
    }

    /// Returns the tensors, in the order of the file.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor<'a>> + use<'a> {
        let data = self.data;
        // They were all looked at when the file was read.
        self.entries().map_while(move |entry| view(entry.ok()?, data).ok())
    }

    fn entries(&self) -> Entries<'a> {
        Entries { cursor: self.entries, position: 0, is_over: false }
    }

    /// Returns whether the tensors have names of their own and share out the data among them.
    fn check(&self) -> Result<(), ModelError> {
        let mut names = Vec::with_capacity(1 + self.entries.rest().len() / LEAST_ENTRY);
        names.push(Cow::Borrowed("__metadata__"));
        let mut end = 0;
        for entry in self.entries() {
            let entry = entry?;
            end = entry.end;
            names.push(view(entry, self.data)?.name);
        }
        if end != self.data.len() as u64 {
            return Err(ModelError::Malformed("it holds bytes that belong to no tensor"));
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ModelError::Malformed("two tensors have one name"));
        }
        Ok(())
    }
}

/// Returns whether a file that begins with these bytes, a few dozen of them, means to be a model.
pub fn is_model(beginning: &[u8]) -> bool {
    split(beginning) != Err(ModelError::NotAModel)
}

/// Returns the header and the data.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), ModelError> {
    let Some((length, rest)) = bytes.split_first_chunk::<HEADER>() else { return Err(ModelError::NotAModel) };
    if !rest.starts_with(BEGINNING.as_bytes()) {
        let may_begin_so = !rest.is_empty() && BEGINNING.as_bytes().starts_with(rest);
        return Err(if may_begin_so { ModelError::CutShort } else { ModelError::NotAModel });
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| ModelError::CutShort)?;
    rest.split_at_checked(length).ok_or(ModelError::CutShort)
}

/// Returns the checksum of a file, which must be long enough to hold one.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let (before, rest) = bytes.split_at(DIGITS.min(bytes.len()));
    let (_, behind) = rest.split_at(DIGIT_COUNT.min(rest.len()));
    let hash = Hash::new().bytes(before).bytes(&[b'0'; DIGIT_COUNT]).bytes(behind);
    format!("{:016x}", hash.value())
}

/// Returns the version and the texts; the cursor is then at the first tensor.
fn read_texts(cursor: &mut HeaderCursor<'_>) -> Result<(String, BTreeMap<String, String>), ModelError> {
    cursor.expect(BEGINNING.trim_end_matches('"'))?;
    cursor.string()?;
    cursor.expect(r#","format":"#)?;
    let format = cursor.string()?;
    cursor.expect(r#","lrnn":"#)?;
    let version = cursor.string()?.into_owned();
    if format != FORMAT.to_string() {
        return Err(ModelError::Newer { version });
    }
    let mut texts = BTreeMap::new();
    while cursor.take(",") {
        let key = cursor.string()?.into_owned();
        cursor.expect(":")?;
        let is_in_order = texts.last_key_value().is_none_or(|(last, _)| *last < key);
        if !is_in_order || texts.len() == MOST_TEXTS {
            return Err(ModelError::Malformed("its texts are too many, or not in order"));
        }
        texts.insert(key, cursor.string()?.into_owned());
    }
    cursor.expect("}")?;
    Ok((version, texts))
}

/// The tensors of a header, the bytes of one behind those of the other.
struct Entries<'a> {
    cursor: HeaderCursor<'a>,
    /// Offset of the bytes of the next.
    position: u64,
    is_over: bool,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<TensorEntry<'a>, ModelError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        if self.cursor.take(",") {
            let entry = self.cursor.entry().and_then(|entry| in_place(entry, self.position));
            self.position = entry.as_ref().map_or(0, |entry| entry.end);
            return Some(entry);
        }
        self.is_over = true;
        let ends_well = self.cursor.take("}") && self.cursor.rest().trim_start_matches(' ').is_empty();
        (!ends_well).then_some(Err(ModelError::Malformed("its header does not end as it should")))
    }
}

/// Returns the entry, if its bytes begin here and are as many as its shape asks for.
fn in_place(entry: TensorEntry<'_>, position: u64) -> Result<TensorEntry<'_>, ModelError> {
    let length = entry.end.checked_sub(entry.start);
    if entry.start != position || length != Tensor::expected_len(entry.kind, entry.shape) {
        return Err(ModelError::Malformed("the bytes of a tensor are not where they should be"));
    }
    Ok(entry)
}

fn view<'a>(entry: TensorEntry<'a>, data: &'a [u8]) -> Result<Tensor<'a>, ModelError> {
    let place = |byte: u64| usize::try_from(byte).map_err(|_| ModelError::CutShort);
    let bytes = data.get(place(entry.start)?..place(entry.end)?).ok_or(ModelError::CutShort)?;
    Ok(Tensor { name: entry.name, kind: entry.kind, shape: entry.shape, bytes: Cow::Borrowed(bytes) })
}
