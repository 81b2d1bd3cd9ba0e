//! Data that is a mapping from tables, and what a model remembers of it.

use std::path::Path;
use std::sync::Arc;

use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Error};
use lrnn_tables::source::SourceOptions;
use lrnn_tables::{Mapping, Purpose, TableStream, Tables};

use crate::read_text;

/// The ending of mappings.
pub const MAPPING_ENDING: &str = "tables";

/// The note of a model that holds the mapping of its data.
pub const MAPPING_NOTE: &str = "mapping";

/// Tells whether a path is that of a mapping.
pub fn is_mapping(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == MAPPING_ENDING)
}

/// Reads a mapping; the paths in it are made whole.
pub fn read_mapping(path: &Path) -> Result<Mapping, Error> {
    let mapping = Mapping::parse(&path.display().to_string(), &read_text(path)?)?;
    Ok(mapping.relative_to(path.parent().unwrap_or(Path::new(""))))
}

/// Reads the tables of a mapping.
pub fn read_tables(path: &Path, purpose: Purpose) -> Result<Tables, Error> {
    Tables::open(read_mapping(path)?, Path::new(""), purpose)
}

/// Finds the rows of each example of a mapping, to be read in groups.
pub fn read_stream(path: &Path, purpose: Purpose) -> Result<TableStream, Error> {
    TableStream::open(read_mapping(path)?, Path::new(""), purpose)
}

/// Returns what a model remembers of its data's mapping: all that was learned from these examples, and the kinds of
/// columns.
pub fn mapping_note(tables: &Tables, training: Option<&[usize]>) -> Result<String, Error> {
    Ok(tables.with_kinds(tables.fitted(training)?).text())
}

/// Returns the mapping that a model remembers; nothing if it learned from other data.
pub fn mapping_of(model: &lrnn::Model) -> Result<Option<Mapping>, Error> {
    model.notes.get(MAPPING_NOTE).map(|note| Mapping::parse("the mapping of the model", note)).transpose()
}

/// Reads the sources of another mapping, or a source as such, by the mapping that a model remembers; nothing if the path
/// is data of another kind. Streamed, the facts stay where they are until they are needed.
pub fn read_by_note(
    note: &str,
    path: &Path,
    vocabulary: Vocabulary,
    purpose: Purpose,
    is_streamed: bool,
) -> Result<Option<Dataset>, Error> {
    let mapping = Mapping::parse("the mapping of the model", note)?;
    let mapping = if is_mapping(path) {
        let own: Vec<_> = read_mapping(path)?.locations().cloned().collect();
        mapping.with_locations(own)
    } else if lrnn_tables::source::is_source(path) {
        mapping.at(&path.display().to_string(), SourceOptions::default())
    } else {
        return Ok(None);
    };
    if is_streamed {
        let stream = Arc::new(TableStream::open(mapping, Path::new(""), purpose)?);
        return stream.dataset(vocabulary).map(Some);
    }
    let tables = Tables::open(mapping, Path::new(""), purpose)?;
    Ok(Some(tables.dataset(vocabulary, None)?.dataset))
}
