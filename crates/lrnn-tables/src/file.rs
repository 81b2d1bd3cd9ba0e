//! Bytes of a file, plain or gzipped.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lrnn::{Error, ErrorKind};

/// Places in a text are 32-bit numbers.
pub(crate) const MOST_BYTES: u64 = u32::MAX as u64 - 1;

/// Makes the error of a file or folder that cannot be read.
pub(crate) fn file_error(path: &Path, message: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::File, format!("{}: {message}", path.display())).in_file(path.display().to_string())
}

/// Reads a file whole; gzipped if it begins as gzip does.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => file_error(path, "there is no such file"),
        std::io::ErrorKind::IsADirectory => file_error(path, "this is a folder, where a file was expected"),
        _ => file_error(path, error),
    })?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    let unpacked = MultiGzDecoder::new(bytes.as_slice()).take(MOST_BYTES + 1).read_to_end(&mut plain);
    unpacked.map_err(|error| {
        file_error(path, format!("the gzipped file is damaged: {error}"))
            .help("`gzip -t FILE` tests a file; copy or pack it again")
    })?;
    Ok(plain)
}
