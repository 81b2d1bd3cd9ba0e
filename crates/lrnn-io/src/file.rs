//! Reading a file as text, plain or gzipped, with errors that say what to do.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use lrnn::{Error, ErrorKind};
use lrnn_tables::missing_help;

/// Makes the error of a file or folder that cannot be read or written.
pub fn file_error(path: &Path, message: impl Display) -> Error {
    Error::new(ErrorKind::File, format!("{}: {message}", path.display())).in_file(path.display().to_string())
}

/// Makes the error of a file that was read and holds something wrong.
pub(crate) fn content_error(path: &Path, message: impl Display) -> Error {
    Error::new(ErrorKind::Content, format!("{}: {message}", path.display()))
        .in_file(path.display().to_string())
}

pub(crate) fn io_error(path: &Path, error: &io::Error) -> Error {
    if error.kind() != io::ErrorKind::NotFound {
        return file_error(path, error);
    }
    let found = file_error(path, "there is no such file or folder");
    missing_help(path).into_iter().fold(found, Error::help)
}

/// Returns the paths of what is in a folder, in the order of their names.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = folder.read_dir().map_err(|error| io_error(folder, &error))?;
    let paths: io::Result<Vec<PathBuf>> = read.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|error| file_error(folder, error))?;
    paths.sort();
    Ok(paths)
}

/// Places in a text are 32-bit numbers.
const MOST_BYTES: u64 = u32::MAX as u64 - 1;

/// Reads a file as text; gzipped if it begins as gzip does.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let file = File::open(path).map_err(|error| io_error(path, &error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(file_error(path, "this is a folder, where a file was expected"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| io_error(path, &error))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let unpacked = MultiGzDecoder::new(bytes.as_slice()).take(MOST_BYTES + 1).read_to_end(&mut plain);
        unpacked.map_err(|error| {
            content_error(path, format!("the gzipped file is damaged: {error}"))
                .help("`gzip -t FILE` tests a file; copy or pack it again")
        })?;
        bytes = plain;
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(content_error(path, "the file holds more than 4 GB of text").help("split it"));
    }
    // The mark that some editors write at the beginning is no text.
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        content_error(path, format!("line {line} is not UTF-8 text (byte {at})"))
            .help("save the file as UTF-8")
    })
}
