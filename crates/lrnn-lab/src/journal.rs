//! What is done so far, a JSON object a line, written as soon as it is done. A run that was killed goes on from it; a
//! last line that was cut off is as good as never written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lrnn::{Error, ErrorKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a journal belongs to.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    /// All that the results depend on, by name.
    pub inputs: BTreeMap<String, String>,
    /// The words that began it, and the folder they were said in. Results do not depend on them.
    pub words: Vec<String>,
    /// That folder.
    pub directory: String,
}

/// Makes the error of a journal that cannot be read or written.
fn failed(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    |error| Error::new(ErrorKind::File, format!("{}: {error}", path.display()))
}

fn content(path: &Path, line: usize) -> Error {
    let message = format!("{}: line {line} is not of a journal", path.display());
    Error::new(ErrorKind::Content, message).help("a line was changed by hand or by the disk; begin a new run")
}

/// A journal with what it held when it was opened.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// The header of a journal.
pub fn read_header(path: &Path) -> Result<Header, Error> {
    let text = std::fs::read_to_string(path).map_err(failed(path))?;
    let first = text.lines().next().unwrap_or("");
    serde_json::from_str(first).map_err(|_| content(path, 1))
}

impl Journal {
    /// Opens a journal, or begins one, and gives all that it holds.
    pub fn open<T: DeserializeOwned>(path: &Path, header: &Header) -> Result<(Self, Vec<T>), Error> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed(path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("{}: another run is writing it", path.display());
                return Err(Error::new(ErrorKind::File, message).help("wait for it, or choose another --out"));
            }
            // Where files cannot be locked, nothing better can be done.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let bytes = std::fs::read(path).map_err(failed(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(failed(path))?;
        file.seek(SeekFrom::End(0)).map_err(failed(path))?;
        let journal = Self { path: path.to_owned(), file: Mutex::new(file) };
        if whole == 0 {
            journal.append(header)?;
        }
        Ok((journal, lines(path, &bytes[..whole], header)?))
    }

    /// All that a journal holds. Nothing is written, not even over a last line that was cut off.
    pub fn read<T: DeserializeOwned>(path: &Path, header: &Header) -> Result<Vec<T>, Error> {
        let bytes = std::fs::read(path).map_err(failed(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        lines(path, &bytes[..whole], header)
    }

    /// Adds a line.
    pub fn append<T: Serialize>(&self, record: &T) -> Result<(), Error> {
        let text = serde_json::to_string(record);
        let text = text.map_err(|error| failed(&self.path)(error.into()))?;
        let Ok(mut file) = self.file.lock() else { return Ok(()) };
        file.write_all(format!("{text}\n").as_bytes()).map_err(failed(&self.path))
    }
}

/// The lines of a journal behind its header, which must be this one.
fn lines<T: DeserializeOwned>(path: &Path, bytes: &[u8], header: &Header) -> Result<Vec<T>, Error> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate();
    if let Some((_, first)) = lines.next() {
        compare(path, first, header)?;
    }
    let wrong = |line: usize| content(path, line + 1);
    lines.map(|(number, line)| serde_json::from_str(line).map_err(|_| wrong(number))).collect()
}

fn compare(path: &Path, first: &str, header: &Header) -> Result<(), Error> {
    let begun: Header = serde_json::from_str(first).map_err(|_| content(path, 1))?;
    let names = begun.inputs.keys().chain(header.inputs.keys());
    let differs = |name: &&String| begun.inputs.get(*name) != header.inputs.get(*name);
    match names.into_iter().find(differs) {
        Some(name) => {
            let message = format!("{}: it was begun with something else: {name} changed", path.display());
            Err(Error::new(ErrorKind::Content, message).help("begin a new run with another --out"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(data: &str) -> Header {
        let inputs = BTreeMap::from([("data".to_owned(), data.to_owned())]);
        Header { inputs, ..Header::default() }
    }

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("lrnn-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn numbers_come_back_to_the_last_bit() {
        let path = path("bits");
        let numbers = [0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.797e308, -0.0];
        let (journal, before) = Journal::open::<f64>(&path, &header("a")).expect("a journal");
        assert!(before.is_empty());
        numbers.iter().for_each(|number| journal.append(number).expect("a line"));
        drop(journal);
        let (_, after) = Journal::open::<f64>(&path, &header("a")).expect("the journal");
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&after), bits(&numbers));
        std::fs::remove_file(path).expect("the file of the test");
    }

    #[test]
    fn cut_off_anywhere_it_holds_what_was_whole() {
        let path = path("cut");
        let (journal, _) = Journal::open::<u32>(&path, &header("a")).expect("a journal");
        (10..14u32).for_each(|number| journal.append(&number).expect("a line"));
        drop(journal);
        let bytes = std::fs::read(&path).expect("the file");
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).expect("a shorter file");
            let (journal, held) = Journal::open::<u32>(&path, &header("a")).expect("a journal");
            assert!(held == (10..14).take(held.len()).collect::<Vec<_>>());
            journal.append(&99u32).expect("a line");
            drop(journal);
            let (_, more) = Journal::open::<u32>(&path, &header("a")).expect("a journal");
            assert_eq!(more, [held, vec![99]].concat());
        }
        std::fs::remove_file(path).expect("the file of the test");
    }

    #[test]
    fn other_inputs_and_other_files_are_refused() {
        let path = path("other");
        let first = Journal::open::<u32>(&path, &header("a")).expect("a journal");
        let error = Journal::open::<u32>(&path, &header("a")).expect_err("two at once");
        assert!(error.message().contains("another run"), "{error}");
        drop(first);
        let error = Journal::open::<u32>(&path, &header("b")).expect_err("other data");
        assert!(error.message().contains("data changed"), "{error}");
        std::fs::write(&path, "once upon a time\n").expect("a file");
        let error = Journal::open::<u32>(&path, &header("a")).expect_err("no journal");
        assert!(error.message().contains("line 1 is not"), "{error}");
        std::fs::remove_file(path).expect("the file of the test");
    }
}
