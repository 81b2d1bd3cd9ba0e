//! Files of work that is done, so that what was stopped goes on where it was.

use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn_io::{file_error, read_text, write_atomically};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file with a line that says what the others depend on, and a line of JSON for each piece of work.
#[derive(Debug)]
pub(crate) struct JournalFile {
    path: PathBuf,
    text: String,
}

impl JournalFile {
    /// Opens a file, which need not be there yet, and returns what it has. `inputs` says in a line what that depends on.
    pub fn open<T: DeserializeOwned>(path: &Path, inputs: &str) -> Result<(Self, Vec<T>), Error> {
        let mut journal = Self { path: path.to_owned(), text: format!("{inputs}\n") };
        let mut known = Vec::new();
        if path.exists() {
            let written = read_text(path)?;
            let mut lines = written.lines();
            if lines.next() != Some(inputs) {
                let error = file_error(path, "this run was begun with other data or options");
                return Err(error.help("choose another folder with --out"));
            }
            for line in lines {
                // The last may be cut off.
                let Ok(piece) = serde_json::from_str(line) else { break };
                journal.push(line);
                known.push(piece);
            }
        }
        Ok((journal, known))
    }

    /// Writes a piece of work down.
    pub fn add(&mut self, piece: &impl Serialize) -> Result<(), Error> {
        self.push(&serde_json::to_string(piece).unwrap_or_default());
        write_atomically(&self.path, self.text.as_bytes())
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}
