//! What is done so far, a JSON object a line, written as soon as it is done. A run that was killed goes on from it; a
//! last line that was cut off is as good as never written.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lrnn::{Error, ErrorKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::trainer::CaseValues;

/// All that the results of a journal depend on, by name.
pub type JournalInputs = BTreeMap<String, String>;

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    inputs: JournalInputs,
}

/// Makes the error of a journal that cannot be read or written.
fn failed(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    |error| Error::new(ErrorKind::File, format!("{}: {error}", path.display()))
}

fn content(path: &Path, line: usize) -> Error {
    let message = format!("{}: line {line} is not of a journal", path.display());
    Error::new(ErrorKind::Content, message).help("a line was changed by hand or by the disk; begin a new run")
}

/// Reads a journal without a last line that was cut off.
fn whole_lines(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = std::fs::read(path).map_err(failed(path))?;
    bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
    Ok(bytes)
}

/// A journal with what it held when it was opened.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens a journal, or begins one, and gives all that it holds.
    pub fn open<T: DeserializeOwned>(path: &Path, inputs: &JournalInputs) -> Result<(Self, Vec<T>), Error> {
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
        let bytes = whole_lines(path)?;
        file.set_len(bytes.len() as u64).map_err(failed(path))?;
        file.seek(SeekFrom::End(0)).map_err(failed(path))?;
        let journal = Self { path: path.to_owned(), file: Mutex::new(file) };
        if bytes.is_empty() {
            journal.append(&Header { inputs: inputs.clone() })?;
        }
        Ok((journal, lines(path, &bytes, inputs)?))
    }

    /// Returns all that a journal holds. Nothing is written, not even over a last line that was cut off.
    pub fn read<T: DeserializeOwned>(path: &Path, inputs: &JournalInputs) -> Result<Vec<T>, Error> {
        lines(path, &whole_lines(path)?, inputs)
    }

    /// Adds a line.
    pub fn append<T: Serialize>(&self, record: &T) -> Result<(), Error> {
        let text = serde_json::to_string(record);
        let text = text.map_err(|error| failed(&self.path)(error.into()))?;
        let Ok(mut file) = self.file.lock() else { return Ok(()) };
        file.write_all(format!("{text}\n").as_bytes()).map_err(failed(&self.path))
    }
}

/// Returns the lines of a journal behind its header, which must be this one.
fn lines<T: DeserializeOwned>(path: &Path, bytes: &[u8], inputs: &JournalInputs) -> Result<Vec<T>, Error> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate();
    if let Some((_, first)) = lines.next() {
        compare(path, first, inputs)?;
    }
    let wrong = |line: usize| content(path, line + 1);
    lines.map(|(number, line)| serde_json::from_str(line).map_err(|_| wrong(number))).collect()
}

/// Compares only what counts today: a name that results no longer depend on is passed over.
fn compare(path: &Path, first: &str, inputs: &JournalInputs) -> Result<(), Error> {
    let begun: Header = serde_json::from_str(first).map_err(|_| content(path, 1))?;
    match inputs.iter().find(|(name, text)| begun.inputs.get(*name) != Some(*text)) {
        Some((name, _)) => {
            let message = format!("{}: it was begun with something else: {name} changed", path.display());
            Err(Error::new(ErrorKind::Content, message).help("begin a new run with another --out"))
        }
        None => Ok(()),
    }
}

/// A line of a journal behind its header.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalLine {
    Trial(TrialRecord),
    Fold(FoldRecord),
    Refit(RefitRecord),
}

/// The lines of a journal, to be found again.
#[derive(Default)]
pub(crate) struct JournalRecords {
    /// By repetition, fold, rung, part and trial.
    pub trials: BTreeMap<(u32, u32, u32, u32, u32), TrialRecord>,
    /// By repetition and fold.
    pub folds: BTreeMap<(u32, u32), FoldRecord>,
    pub refit: Option<RefitRecord>,
}

impl JournalRecords {
    /// Opens a journal, or begins one, with the lines that it holds.
    pub fn open(path: &Path, inputs: &JournalInputs) -> Result<(Journal, Self), Error> {
        let (journal, lines) = Journal::open::<JournalLine>(path, inputs)?;
        Ok((journal, lines.into_iter().collect()))
    }

    /// Returns whether there is no line yet that says what this one says.
    pub fn is_new(&self, line: &JournalLine) -> bool {
        match line {
            JournalLine::Trial(one) => !self.trials.contains_key(&one.key()),
            JournalLine::Fold(one) => !self.folds.contains_key(&(one.repeat, one.fold)),
            JournalLine::Refit(_) => self.refit.is_none(),
        }
    }

    /// Adds a line; a later one counts.
    pub fn insert(&mut self, line: JournalLine) {
        match line {
            JournalLine::Trial(one) => drop(self.trials.insert(one.key(), one)),
            JournalLine::Fold(one) => drop(self.folds.insert((one.repeat, one.fold), one)),
            JournalLine::Refit(one) => self.refit = Some(one),
        }
    }
}

impl FromIterator<JournalLine> for JournalRecords {
    fn from_iter<I: IntoIterator<Item = JournalLine>>(lines: I) -> Self {
        let mut all = Self::default();
        lines.into_iter().for_each(|line| all.insert(line));
        all
    }
}

/// The result of a trial on one inner part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrialRecord {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The number of the outer fold.
    pub fold: u32,
    /// Number of times that the worse ones have been dropped before; 0 but for halving.
    pub rung: u32,
    /// The inner part.
    pub part: u32,
    /// The number of the trial.
    pub trial: u32,
    /// The number of wrong answers.
    pub wrong: u32,
    /// The number of all answers.
    pub answers: u32,
    /// Their mean loss; none if it is no finite number.
    pub loss: Option<f64>,
    /// The epoch of the weights that were kept.
    pub epoch: u32,
}

impl TrialRecord {
    fn key(&self) -> (u32, u32, u32, u32, u32) {
        (self.repeat, self.fold, self.rung, self.part, self.trial)
    }
}

/// A setting chosen for a fold, inside its training folds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The number of the trial.
    pub trial: u32,
    /// The number of epochs to learn.
    pub epochs: u32,
    /// Its share of wrong answers on what was held out; none if there was nothing to choose.
    pub error: Option<f64>,
}

/// A fold that was learned and tested.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FoldRecord {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The number of the fold.
    pub fold: u32,
    /// The setting that it was learned with.
    pub chosen: Choice,
    /// The loss that was made small.
    pub loss: String,
    /// The values of the queries of each test case; a number that is not finite is null in JSON.
    #[serde(deserialize_with = "values_with_nulls")]
    pub answers: Vec<Vec<Option<Vec<f64>>>>,
    /// Wrong answers and all answers at each evaluation, with its epoch, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(u32, u32, u32)>,
}

/// Reads values as JSON has them: a number that is not finite is null there, and becomes not a number.
fn values_with_nulls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CaseValues, D::Error> {
    let number = |number: Option<f64>| number.unwrap_or(f64::NAN);
    let value = |value: Option<Vec<Option<f64>>>| Some(value?.into_iter().map(number).collect());
    let cases: Vec<Vec<Option<Vec<Option<f64>>>>> = Deserialize::deserialize(deserializer)?;
    Ok(cases.into_iter().map(|queries| queries.into_iter().map(value).collect()).collect())
}

/// A model that was learned from all data and written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefitRecord {
    /// The number of the trial.
    pub trial: u32,
    /// The number of epochs.
    pub epochs: u32,
    /// The number of folds that chose the trial, of all repetitions.
    pub folds: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(data: &str) -> JournalInputs {
        BTreeMap::from([("the data".to_owned(), data.to_owned())])
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
        let (journal, before) = Journal::open::<f64>(&path, &inputs("a")).expect("a journal");
        assert!(before.is_empty());
        numbers.iter().for_each(|number| journal.append(number).expect("a line"));
        drop(journal);
        let (_, after) = Journal::open::<f64>(&path, &inputs("a")).expect("the journal");
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&after), bits(&numbers));
        std::fs::remove_file(path).expect("the file of the test");
    }

    #[test]
    fn numbers_that_are_not_finite_are_null_and_come_back_as_none() {
        let record = FoldRecord {
            repeat: 0,
            fold: 1,
            chosen: Choice { trial: 0, epochs: 5, error: None },
            loss: "squared".to_owned(),
            answers: vec![vec![Some(vec![0.5, f64::INFINITY]), None]],
            curve: Vec::new(),
        };
        let text = serde_json::to_string(&record).expect("a line");
        assert!(text.contains("\"answers\":[[[0.5,null],null]]"), "{text}");
        let back: FoldRecord = serde_json::from_str(&text).expect("the record");
        let [Some(numbers), None] = &back.answers[0][..] else { panic!("{back:?}") };
        assert!(numbers[0] == 0.5 && numbers[1].is_nan());
    }

    #[test]
    fn cut_off_anywhere_it_holds_what_was_whole() {
        let path = path("cut");
        let (journal, _) = Journal::open::<u32>(&path, &inputs("a")).expect("a journal");
        (10..14u32).for_each(|number| journal.append(&number).expect("a line"));
        drop(journal);
        let bytes = std::fs::read(&path).expect("the file");
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).expect("a shorter file");
            let (journal, held) = Journal::open::<u32>(&path, &inputs("a")).expect("a journal");
            assert!(held == (10..14).take(held.len()).collect::<Vec<_>>());
            journal.append(&99u32).expect("a line");
            drop(journal);
            let (_, more) = Journal::open::<u32>(&path, &inputs("a")).expect("a journal");
            assert_eq!(more, [held, vec![99]].concat());
        }
        std::fs::remove_file(path).expect("the file of the test");
    }

    #[test]
    fn other_inputs_and_other_files_are_refused() {
        let path = path("other");
        let first = Journal::open::<u32>(&path, &inputs("a")).expect("a journal");
        let error = Journal::open::<u32>(&path, &inputs("a")).expect_err("two at once");
        assert!(error.message().contains("another run"), "{error}");
        drop(first);
        let error = Journal::open::<u32>(&path, &inputs("b")).expect_err("other data");
        assert!(error.message().contains("data changed"), "{error}");
        std::fs::write(&path, "once upon a time\n").expect("a file");
        let error = Journal::open::<u32>(&path, &inputs("a")).expect_err("no journal");
        assert!(error.message().contains("line 1 is not"), "{error}");
        std::fs::remove_file(path).expect("the file of the test");
    }

    #[test]
    fn what_no_longer_counts_is_passed_over() {
        let path = path("old");
        std::fs::write(
            &path,
            "{\"inputs\":{\"the data\":\"a\",\"the limits\":\"7\"},\"words\":[\"x\"]}\n5\n",
        )
        .expect("a file");
        let (_, lines) = Journal::open::<u32>(&path, &inputs("a")).expect("the journal");
        assert_eq!(lines, [5]);
        std::fs::remove_file(path).expect("the file of the test");
    }
}
