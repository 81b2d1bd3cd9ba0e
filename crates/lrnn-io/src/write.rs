//! Writing a file whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::file::file_error;
use lrnn::Error;

/// Writes a file so that whoever looks sees either what was there before or all of the new bytes, even if the disk is
/// full or the machine stops: a file beside it is written first and then takes its place. A link stays a link; what is
/// no ordinary file, as a pipe is not, is written to as it is.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes)).map_err(|error| file_error(path, reason(&error)))
}

/// Makes a folder, and those that it is in, where they are not there.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|error| file_error(path, format!("cannot make the folder: {error}")))
}

fn write_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => write(&mut OpenOptions::new().write(true).open(&target)?),
        Ok(metadata) => replace(&target, Some(metadata.permissions()), write),
        Err(_) => replace(&target, None, write),
    }
}

fn replace(
    target: &Path,
    permissions: Option<fs::Permissions>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (mut file, beside) = create_beside(target)?;
    let written = write(&mut file)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
        return written;
    }
    // The new file is in its place; where a folder cannot be synced, nothing better can be done.
    let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
    Ok(())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a new file in the same folder, under a name that nobody else has.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    loop {
        let mut beside = OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let beside = folder(target).join(beside);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, beside)),
        }
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "cannot be written: no space left on the device".into(),
        io::ErrorKind::NotFound => "cannot be written: there is no such folder".into(),
        io::ErrorKind::IsADirectory => "cannot be written: this is a folder".into(),
        _ => format!("cannot be written: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an empty folder for one test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lrnn-write-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        folder
    }

    fn names(folder: &Path) -> Vec<OsString> {
        folder.read_dir().expect("the folder").map(|entry| entry.expect("an entry").file_name()).collect()
    }

    #[test]
    fn a_file_is_written_and_replaced() {
        let folder = folder("replace");
        let path = folder.join("model");
        for bytes in [&b"first"[..], b"2", b""] {
            write_atomically(&path, bytes).expect("a written file");
            assert_eq!(fs::read(&path).expect("the file"), bytes);
        }
        assert_eq!(names(&folder), ["model"]);
        fs::remove_dir_all(folder).expect("the folder of the test");
    }

    #[test]
    fn what_fails_half_way_leaves_no_trace() {
        let folder = folder("half");
        let fail = |file: &mut File| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert!(write_with(&folder.join("new"), fail).is_err());
        assert_eq!(names(&folder), [""; 0]);
        let path = folder.join("model");
        write_atomically(&path, b"before").expect("a written file");
        let error = write_with(&path, fail).expect_err("a full disk");
        assert_eq!(reason(&error), "cannot be written: no space left on the device");
        assert_eq!(
            (names(&folder), fs::read(&path).expect("the file")),
            (vec!["model".into()], b"before".to_vec())
        );
        fs::remove_dir_all(folder).expect("the folder of the test");
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let folder = folder("told");
        let error = write_atomically(&folder, b"").expect_err("a folder");
        assert!(error.message().ends_with("cannot be written: this is a folder"), "{error}");
        let error = write_atomically(&folder.join("no/model"), b"").expect_err("no folder");
        assert!(error.message().ends_with("cannot be written: there is no such folder"), "{error}");
        assert!(error.kind() == lrnn::ErrorKind::File && write_atomically(Path::new(""), b"").is_err());
        fs::remove_dir_all(folder).expect("the folder of the test");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_told_and_stays_a_device() {
        let error = write_atomically(Path::new("/dev/full"), b"bytes").expect_err("a full device");
        assert_eq!(error.message(), "/dev/full: cannot be written: no space left on the device");
        assert!(!fs::metadata("/dev/full").expect("a device").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("links");
        let (path, link) = (folder.join("model"), folder.join("link"));
        write_atomically(&path, b"before").expect("a written file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        symlink("model", &link).expect("a link");
        write_atomically(&link, b"behind").expect("a written file");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        let mode = fs::metadata(&path).expect("the file").permissions().mode() & 0o777;
        assert_eq!((fs::read(&path).expect("the file"), mode), (b"behind".to_vec(), 0o640));
        fs::remove_dir_all(folder).expect("the folder of the test");
    }
}
