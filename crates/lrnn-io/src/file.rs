//! Reading a file as text, plain or gzipped, with errors that say what to do.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use lrnn::diagnostic::suggest;

/// Why a file could not be read or written.
#[derive(Debug)]
pub struct IoError {
    /// The file.
    pub path: PathBuf,
    /// What happened.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Whether the file was read and what it holds is wrong.
    pub is_content: bool,
}

impl IoError {
    /// A file or folder, and what is the matter with it.
    pub fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), message: message.into(), help: None, is_content: false }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn content(path: &Path, message: impl Into<String>) -> Self {
        Self { is_content: true, ..Self::new(path, message) }
    }

    pub(crate) fn of(path: &Path, error: &io::Error) -> Self {
        let mut found = Self::new(path, error.to_string());
        if error.kind() == io::ErrorKind::NotFound {
            found.message = "there is no such file or folder".into();
            found.help = neighbour(path)
                .map(|name| format!("did you mean `{}`?", path.with_file_name(name).display()));
        }
        found
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for IoError {}

/// The name of a file in the same folder that may have been meant.
fn neighbour(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        folder.read_dir().ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    suggest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Places in a text are 32-bit numbers.
const MOST_BYTES: u64 = u32::MAX as u64 - 1;

/// Reads a file as text; gzipped if it begins as gzip does.
pub fn read_text(path: &Path) -> Result<String, IoError> {
    let file = File::open(path).map_err(|error| IoError::of(path, &error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(IoError::new(path, "this is a folder, where a file was expected"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| IoError::of(path, &error))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let unpacked = MultiGzDecoder::new(bytes.as_slice()).take(MOST_BYTES + 1).read_to_end(&mut plain);
        unpacked.map_err(|error| {
            IoError::content(path, format!("the gzipped file is damaged: {error}"))
                .help("`gzip -t FILE` tests a file; copy or pack it again")
        })?;
        bytes = plain;
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(IoError::content(path, "the file holds more than 4 GB of text").help("split it"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        IoError::content(path, format!("line {line} is not UTF-8 text (byte {at})"))
            .help("save the file as UTF-8")
    })
}
