//! Bytes of a file, plain or gzipped.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lrnn::diagnostic::suggest;
use lrnn::{Error, ErrorKind};

/// Places in a text are 32-bit numbers.
pub(crate) const MOST_BYTES: u64 = u32::MAX as u64 - 1;

/// Makes the error of a file or folder that cannot be read.
pub(crate) fn file_error(path: &Path, message: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::File, format!("{}: {message}", path.display())).in_file(path.display().to_string())
}

/// Makes the error of a file or folder that is not there.
pub(crate) fn not_there(path: &Path, message: &str) -> Error {
    let error = file_error(path, message);
    match missing_help(path) {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Returns what a file or folder that is not there may have been: a near name, others with its ending or with any, or that
/// its folder is empty or missing too.
pub fn missing_help(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = folder.read_dir() else {
        let near = if folder.exists() { None } else { missing_help(folder) };
        return Some(near.unwrap_or_else(|| format!("there is no folder `{}` either", folder.display())));
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    if let Some(name) = suggest(path.file_name()?.to_str()?, names.iter().map(String::as_str)) {
        return Some(format!("did you mean `{}`?", path.with_file_name(name).display()));
    }
    names.retain(|name| !name.starts_with('.'));
    let is_alike = |name: &&String| Path::new(name).extension() == path.extension();
    let has_alike = names.iter().any(|name| is_alike(&name));
    let others = names.iter().filter(|name| !has_alike || is_alike(name)).take(5);
    let others: Vec<String> =
        others.map(|name| format!("`{}`", path.with_file_name(name).display())).collect();
    Some(match others.is_empty() {
        true => format!("the folder `{}` is empty", folder.display()),
        false => format!("there is {}", others.join(", ")),
    })
}

/// Reads a file whole; gzipped if it begins as gzip does.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => not_there(path, "there is no such file"),
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
