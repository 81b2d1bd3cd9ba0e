//! A table of molecules as its file has it: cells with their places, and the molecule of each row or why there is none.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use lrnn::Error;
use lrnn::diagnostic::{Diagnostic, SourceId, Sources, Span, did_you_mean};
use lrnn_chem::{Molecule, MoleculeError, SdfRecord, read_sdf};
use lrnn_tables::{Csv, CsvOptions};

use super::LISTED;
use super::file_kind::{MoleculeFileKind, smiles_column};
use crate::dataset::add_file;
use crate::file::content_error;

/// A cell with its place in the text.
pub(super) struct RawCell {
    /// The text between separators; `None` is NULL.
    pub text: Option<String>,
    /// The place.
    pub span: Span,
}

/// A row with its molecule.
pub(super) struct RawRow {
    /// One for each column.
    pub cells: Vec<RawCell>,
    /// The molecule, or why there is none.
    pub molecule: Result<Molecule, MoleculeError>,
    /// True if an extension of SMILES between bars stands behind it, which is not read.
    pub has_extension: bool,
    /// The place where the text of the molecule begins.
    pub start: u32,
    /// The place of the molecule.
    pub span: Span,
}

/// A table with its molecules, whatever file it came from.
pub(super) struct RawTable {
    /// The text.
    pub sources: Sources,
    /// Its number.
    pub source: SourceId,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, those whose molecules cannot be used among them.
    pub rows: Vec<RawRow>,
    /// Messages about the file.
    pub notes: Vec<Diagnostic>,
}

impl RawTable {
    /// Reads a file of any kind; the column of SMILES may be named.
    pub fn read(path: &Path, smiles: Option<&str>) -> Result<Self, Error> {
        match MoleculeFileKind::of(path) {
            Some(MoleculeFileKind::Smi) => Self::smi(path),
            Some(MoleculeFileKind::Sdf) => Self::sdf(path),
            _ => Self::csv(path, smiles),
        }
    }

    fn csv(path: &Path, smiles: Option<&str>) -> Result<Self, Error> {
        let separator = MoleculeFileKind::separator(path);
        let csv = Csv::read(path, CsvOptions { separator, ..CsvOptions::default() })?;
        let smiles = match smiles {
            Some(name) => csv.expect_column(name)?,
            None => smiles_column(csv.names()).ok_or_else(|| {
                let error = content_error(path, "which column has the SMILES?");
                error.help(format!("--smiles NAME; the columns are {}", csv.names().join(", ")))
            })?,
        };
        let row = |row: usize| {
            let cell = |column: usize| RawCell {
                text: csv.cell(row, column).map(Cow::into_owned),
                span: csv.span(row, column),
            };
            let cells: Vec<RawCell> = (0..csv.names().len()).map(cell).collect();
            let span = cells[smiles].span;
            let (molecule, has_extension) = read_smiles(cells[smiles].text.as_deref().unwrap_or_default());
            RawRow { cells, molecule, has_extension, start: span.start, span }
        };
        let rows = (0..csv.rows()).map(row).collect();
        let text = csv.sources().iter().next().map_or("", |(_, text)| text);
        let mut sources = Sources::of_data();
        let source = sources.add(path.display().to_string(), text);
        Ok(Self { sources, source, columns: csv.names().to_vec(), rows, notes: Vec::new() })
    }

    /// Reads lines of a SMILES and a name behind it.
    fn smi(path: &Path) -> Result<Self, Error> {
        let mut sources = Sources::of_data();
        let source = add_file(path, &mut sources)?;
        let (mut rows, mut notes, mut start) = (Vec::new(), Vec::new(), 0);
        for line in sources.text(source).split_inclusive('\n') {
            let trimmed = line.trim();
            let at = (start + line.len() - line.trim_start().len()) as u32;
            start += line.len();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let SmilesParts { smiles, extension, name } = SmilesParts::of(trimmed);
            let span = Span { source, start: at, end: at + smiles.len() as u32 };
            let (molecule, _) = read_smiles(smiles);
            if rows.is_empty() && notes.is_empty() && molecule.is_err() && is_header(smiles) {
                notes.push(Diagnostic::note("D0142", span, "this line names columns, and is no molecule"));
                continue;
            }
            let name = Some(name).filter(|name| !name.is_empty()).map(str::to_owned);
            let cells = vec![RawCell { text: Some(smiles.to_owned()), span }, RawCell { text: name, span }];
            rows.push(RawRow { cells, molecule, has_extension: extension.is_some(), start: at, span });
        }
        Ok(Self { sources, source, columns: vec!["smiles".into(), "name".into()], rows, notes })
    }

    fn sdf(path: &Path) -> Result<Self, Error> {
        let mut sources = Sources::of_data();
        let source = add_file(path, &mut sources)?;
        let records = read_sdf(sources.text(source));
        let mut columns: Vec<String> = vec!["name".into()];
        for (name, _) in records.iter().flat_map(|record| &record.fields) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let row = |record: SdfRecord| {
            let span = Span { source, start: record.place.start as u32, end: record.place.end as u32 };
            let mut cells: Vec<RawCell> = columns.iter().map(|_| RawCell { text: None, span }).collect();
            cells[0].text = Some(record.name).filter(|name| !name.is_empty());
            for (name, text) in record.fields {
                let at = columns.iter().position(|column| *column == name).unwrap_or(0);
                cells[at].text = Some(text).filter(|text| !text.trim().is_empty());
            }
            RawRow { cells, molecule: record.molecule, has_extension: false, start: 0, span }
        };
        let rows = records.into_iter().map(row).collect();
        Ok(Self { sources, source, columns, rows, notes: Vec::new() })
    }

    /// Returns the rows whose molecules can be used.
    pub fn usable(&self) -> Vec<&RawRow> {
        self.rows.iter().filter(|row| row.molecule.is_ok()).collect()
    }

    /// Returns the name and the text of the file.
    pub fn text(&self) -> (&str, &str) {
        (self.sources.name(self.source), self.sources.text(self.source))
    }

    /// Returns the place of the table as a whole.
    pub fn span(&self) -> Span {
        Span { source: self.source, start: 0, end: 0 }
    }

    /// Returns the column of this name, or an error that tells the names there are.
    pub fn column(&self, path: &Path, name: &str) -> Result<usize, Error> {
        self.columns.iter().position(|known| known == name).ok_or_else(|| {
            let names = self.columns.iter().map(String::as_str);
            let listed = || format!("the columns are {}", self.columns.join(", "));
            let help = did_you_mean(name, names).unwrap_or_else(listed);
            content_error(path, format!("there is no column `{name}`")).help(help)
        })
    }

    /// Returns the column that tells the names of rows where nobody says which: `name`, `id` or `title`, or the first that
    /// is called as one of names and tells all rows apart (`Compound ID`, `mol_name`).
    pub fn name_column(&self) -> Option<usize> {
        let is_called = |column: &str| {
            let words = column.to_lowercase();
            let last = words.rsplit([' ', '_', '-', '.']).next().unwrap_or_default();
            ["id", "name", "identifier"].contains(&last) || column.ends_with("ID")
        };
        let tells_apart = |at: usize| {
            let mut seen = BTreeSet::new();
            self.rows.iter().all(|row| row.cells[at].text.as_ref().is_some_and(|text| seen.insert(text)))
        };
        let of_names = || (0..self.columns.len()).find(|&at| is_called(&self.columns[at]) && tells_apart(at));
        super::file_kind::one_of(&self.columns, &["name", "id", "title"]).or_else(of_names)
    }

    /// Returns the names of the rows that can be used: those of a column, and where there is none the numbers of the rows.
    pub fn names(&self, column: Option<usize>) -> Vec<String> {
        let named = |row: &RawRow| column.and_then(|at| row.cells[at].text.clone());
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.molecule.is_ok());
        rows.map(|(at, row)| named(row).unwrap_or_else(|| (at + 1).to_string())).collect()
    }

    /// Returns the column that a target names, and the class that should count as 1 where it names one: `activity=weak`.
    pub fn target_and_class<'a>(&self, target: &'a str) -> (String, Option<&'a str>) {
        let is_column = |name: &str| self.columns.iter().any(|column| column == name);
        let mut parts = target.match_indices('=').map(|(at, _)| (&target[..at], &target[at + 1..]));
        match parts.find(|(column, _)| !is_column(target) && is_column(column)) {
            Some((column, class)) => (column.to_owned(), Some(class)),
            None => (target.to_owned(), None),
        }
    }

    /// Returns warnings of rows whose molecules cannot be used, and notes of what is not read of the others.
    pub fn messages(&self) -> Vec<Diagnostic> {
        let wrong: Vec<_> =
            self.rows.iter().filter_map(|row| Some((row, row.molecule.as_ref().err()?))).collect();
        let told = wrong.iter().take(LISTED).map(|(row, error)| {
            let start = row.start;
            let (start, end) = (start + error.place.start as u32, start + error.place.end as u32);
            let span = if end <= row.span.end { Span { start, end, ..row.span } } else { row.span };
            Diagnostic::warning("D0140", span, format!("the row is left out: {}", error.message))
        });
        let mut all: Vec<_> = self.notes.iter().cloned().chain(told).collect();
        if let Some((first, _)) = wrong.first() {
            let (count, rows) = (wrong.len(), self.rows.len());
            let more = (count > LISTED).then(|| format!(", {} of them not listed", count - LISTED));
            let more = more.unwrap_or_default();
            let message = format!("{count} of {rows} molecules cannot be read and are left out{more}");
            all.push(Diagnostic::warning("D0140", first.span, message));
        }
        let extended: Vec<_> = self.rows.iter().filter(|row| row.has_extension).collect();
        if let Some(first) = extended.first() {
            let (count, rows) = (extended.len(), self.rows.len());
            let message = format!(
                "behind {count} of {rows} SMILES stands an extension, `|...|`; it is not read, also where it has radicals"
            );
            all.push(Diagnostic::note("D0142", first.span, message));
        }
        all
    }

    /// Returns a warning of rows that have the name of an earlier row.
    pub fn repeated_names(&self, column: Option<usize>) -> Option<Diagnostic> {
        let column = column?;
        let mut seen = BTreeSet::new();
        let cells = self.rows.iter().filter(|row| row.molecule.is_ok()).map(|row| &row.cells[column]);
        let repeated: Vec<&RawCell> =
            cells.filter(|cell| cell.text.as_ref().is_some_and(|text| !seen.insert(text))).collect();
        let first = repeated.first()?;
        let have = rows_have(repeated.len());
        let name = first.text.as_deref().unwrap_or_default();
        let message = format!("{have} the {} of an earlier row: `{name}`", self.columns[column]);
        let help =
            "--id COLUMN takes another column of names; `--example NAME` finds the first row of a name";
        Some(Diagnostic::warning("D0145", first.span, message).help(help))
    }
}

/// Returns how a sentence begins about so many rows, at the first of them.
pub(super) fn rows_have(count: usize) -> String {
    if count == 1 { "this row has".to_owned() } else { format!("{count} rows, this the first, have") }
}

/// The parts of a line or a cell with a SMILES: `CCO |$;;R$| ethanol`.
struct SmilesParts<'a> {
    smiles: &'a str,
    /// The text between bars behind it (CXSMILES).
    extension: Option<&'a str>,
    name: &'a str,
}

impl<'a> SmilesParts<'a> {
    fn of(text: &'a str) -> Self {
        let (smiles, name) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let name = name.trim();
        match name.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
            Some((extension, name)) => Self { smiles, extension: Some(extension), name: name.trim() },
            None => Self { smiles, extension: None, name },
        }
    }
}

/// Tells whether the first word of a file of SMILES names a column.
fn is_header(word: &str) -> bool {
    let word = word.to_lowercase();
    word.contains("smiles") || word == "structure"
}

/// Returns the molecule of a SMILES, and whether an extension stands behind it.
fn read_smiles(text: &str) -> (Result<Molecule, MoleculeError>, bool) {
    let front = text.len() - text.trim_start().len();
    let text = text.trim();
    if text.is_empty() {
        return (Err(MoleculeError { message: "there is no SMILES".into(), place: 0..0 }), false);
    }
    let parts = SmilesParts::of(text);
    let has_extension = parts.extension.is_some() && parts.name.is_empty();
    let molecule = Molecule::from_smiles(if has_extension { parts.smiles } else { text }).map_err(|error| {
        let place = error.place.start + front..error.place.end + front;
        MoleculeError { place, ..error }
    });
    (molecule, has_extension)
}
