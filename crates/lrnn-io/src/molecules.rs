//! Tables of molecules: CSV with a column of SMILES, `.smi` and SDF. Rows whose molecule cannot be read are warnings
//! with their places, and the others are used.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lrnn::data::Dataset;
use lrnn::diagnostic::{Diagnostic, Span, did_you_mean};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Error, ErrorKind};
use lrnn_chem::{Molecule, MoleculeError, MoleculeExamples, MoleculeTarget, read_sdf};
use lrnn_tables::{ClassPair, Csv, CsvOptions};
use serde::{Deserialize, Serialize};

use crate::file::{content_error, read_text};

/// The template for molecules of any property that comes with the program.
pub(crate) const MOLECULES_TEMPLATE: &str = include_str!("molecules/template.lrnn");
/// The name by which it is asked for.
pub const MOLECULES_TEMPLATE_NAME: &str = "molecules";

/// Texts of a target with more classes are no classes.
const MOST_CLASSES: usize = 20;
/// So many rows that cannot be used are told one by one.
const LISTED: usize = 20;

/// A column that is to be learned.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetColumn {
    /// Its name.
    pub name: String,
    /// The texts that are its classes, the class that counts as 1 last if there are two; none where it has numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
}

impl TargetColumn {
    fn properties(&self) -> Vec<String> {
        match self.classes.len() {
            0..=2 => vec![self.name.clone()],
            _ => self.classes.iter().map(|class| class_target(&self.name, class)).collect(),
        }
    }
}

/// The columns of a table of molecules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoleculeColumns {
    /// The column of SMILES; where it is not named, a column `smiles`, or the only one with that word in its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smiles: Option<String>,
    /// The column of names; where it is not named, a column `name` or `id`, or one such as `Compound ID` that tells all
    /// rows apart, else rows have their numbers from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The columns that are to be learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetColumn>,
}

impl MoleculeColumns {
    /// Returns these columns, and where they say nothing, others.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            smiles: self.smiles.clone().or_else(|| other.smiles.clone()),
            id: self.id.clone().or_else(|| other.id.clone()),
            targets: if self.targets.is_empty() { other.targets.clone() } else { self.targets.clone() },
        }
    }

    /// Returns the names of the properties that are asked for: those of the targets, or one for each of many classes.
    pub fn properties(&self) -> Vec<String> {
        self.targets.iter().flat_map(TargetColumn::properties).collect()
    }

    /// Returns the class of a target by its number, and none if its classes have no names.
    pub fn class_name(&self, target: &str, class: usize) -> Option<&str> {
        let column = self.targets.iter().find(|column| column.name == target)?;
        column.classes.get(class).filter(|_| column.classes.len() == 2).map(String::as_str)
    }
}

/// A table of molecules as it was read: the rows whose molecules can be used.
#[derive(Clone, Debug, Default)]
pub struct MoleculeTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The cells of each row; `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// The columns that were used, with their classes.
    pub used: MoleculeColumns,
}

/// Data of a table of molecules.
#[derive(Clone, Debug)]
pub struct MoleculeData {
    /// The examples.
    pub dataset: Dataset,
    /// The rows; row i is example i.
    pub table: MoleculeTable,
}

/// Tells whether a path is a table of molecules, by how its name ends.
pub fn is_molecule_file(path: &Path) -> bool {
    kind_of(path).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MoleculeFileKind {
    Csv,
    Smi,
    Sdf,
}

fn kind_of(path: &Path) -> Option<MoleculeFileKind> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" => Some(MoleculeFileKind::Csv),
        "smi" | "smiles" => Some(MoleculeFileKind::Smi),
        "sdf" | "sd" | "mol" => Some(MoleculeFileKind::Sdf),
        _ => None,
    }
}

/// Reads a table of molecules as examples in the names of a template, with all targets.
pub fn read_molecules(
    path: &Path,
    columns: &MoleculeColumns,
    vocabulary: Vocabulary,
) -> Result<MoleculeData, Error> {
    read_table(path, columns)?.data(path, columns, true, vocabulary)
}

/// Reads a table of molecules to be predicted, which need not have the targets.
pub fn read_new_molecules(
    path: &Path,
    columns: &MoleculeColumns,
    vocabulary: Vocabulary,
) -> Result<MoleculeData, Error> {
    read_table(path, columns)?.data(path, columns, false, vocabulary)
}

/// Returns the columns of a table of molecules as they are used, with the classes of the targets; there must be targets.
pub fn used_columns(path: &Path, columns: &MoleculeColumns) -> Result<MoleculeColumns, Error> {
    let table = read_table(path, columns)?;
    if columns.targets.is_empty() {
        let error = Error::new(
            ErrorKind::Usage,
            format!("{}: what should be learned of these molecules?", path.display()),
        );
        return Err(error.help(format!("--target COLUMN; the columns are {}", table.columns.join(", "))));
    }
    Ok(table.data(path, columns, true, Vocabulary::default())?.table.used)
}

fn read_table(path: &Path, columns: &MoleculeColumns) -> Result<RawTable, Error> {
    match kind_of(path) {
        Some(MoleculeFileKind::Smi) => RawTable::smi(path),
        Some(MoleculeFileKind::Sdf) => RawTable::sdf(path),
        _ => RawTable::csv(path, columns),
    }
}

/// A cell with its place in the text.
struct RawCell {
    text: Option<String>,
    place: (u32, u32),
}

struct RawRow {
    cells: Vec<RawCell>,
    molecule: Result<Molecule, MoleculeError>,
    /// Place where the text of the molecule begins.
    start: u32,
    place: (u32, u32),
}

/// A table with its molecules, whatever file it came from.
struct RawTable {
    text: String,
    columns: Vec<String>,
    rows: Vec<RawRow>,
}

impl RawTable {
    fn csv(path: &Path, columns: &MoleculeColumns) -> Result<Self, Error> {
        let csv = Csv::read(path, CsvOptions::default())?;
        let smiles = match &columns.smiles {
            Some(name) => csv.expect_column(name)?,
            None => smiles_column(csv.names()).ok_or_else(|| {
                let error = content_error(path, "which column has the SMILES?");
                error.help(format!("--smiles NAME; the columns are {}", csv.names().join(", ")))
            })?,
        };
        let row = |row: usize| {
            let cell = |column: usize| {
                let span = csv.span(row, column);
                RawCell { text: csv.cell(row, column).map(Cow::into_owned), place: (span.start, span.end) }
            };
            let cells: Vec<RawCell> = (0..csv.names().len()).map(cell).collect();
            let (text, place) = (cells[smiles].text.clone(), cells[smiles].place);
            let molecule = read_smiles(text.as_deref());
            RawRow { cells, molecule, start: place.0, place }
        };
        let rows = (0..csv.rows()).map(row).collect();
        let text = csv.sources().iter().next().map_or_else(String::new, |(_, text)| text.to_owned());
        Ok(Self { text, columns: csv.names().to_vec(), rows })
    }

    /// Reads lines of a SMILES and a name behind it.
    fn smi(path: &Path) -> Result<Self, Error> {
        let text = read_text(path)?;
        let (mut rows, mut start) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim();
            let at = (start + line.len() - line.trim_start().len()) as u32;
            start += line.len();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let (smiles, name) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
            let place = (at, at + smiles.len() as u32);
            let name = Some(name.trim()).filter(|name| !name.is_empty()).map(str::to_owned);
            let cells = vec![RawCell { text: Some(smiles.to_owned()), place }, RawCell { text: name, place }];
            rows.push(RawRow { cells, molecule: read_smiles(Some(smiles)), start: at, place });
        }
        Ok(Self { text, columns: vec!["smiles".into(), "name".into()], rows })
    }

    fn sdf(path: &Path) -> Result<Self, Error> {
        let text = read_text(path)?;
        let records = read_sdf(&text);
        let mut columns: Vec<String> = vec!["name".into()];
        for (name, _) in records.iter().flat_map(|record| &record.fields) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let row = |record: lrnn_chem::SdfRecord| {
            let place = (record.place.start as u32, record.place.end as u32);
            let mut cells: Vec<RawCell> = columns.iter().map(|_| RawCell { text: None, place }).collect();
            cells[0].text = Some(record.name).filter(|name| !name.is_empty());
            for (name, text) in record.fields {
                let at = columns.iter().position(|column| *column == name).unwrap_or(0);
                cells[at].text = Some(text).filter(|text| !text.trim().is_empty());
            }
            RawRow { cells, molecule: record.molecule, start: 0, place }
        };
        let rows = records.into_iter().map(row).collect();
        Ok(Self { text, columns, rows })
    }

    fn data(
        self,
        path: &Path,
        asked: &MoleculeColumns,
        has_targets: bool,
        vocabulary: Vocabulary,
    ) -> Result<MoleculeData, Error> {
        let column = |name: &String| {
            self.columns.iter().position(|known| known == name).ok_or_else(|| {
                let names = self.columns.iter().map(String::as_str);
                let listed = || format!("the columns are {}", self.columns.join(", "));
                let help = did_you_mean(name, names).unwrap_or_else(listed);
                content_error(path, format!("there is no column `{name}`")).help(help)
            })
        };
        let id = match &asked.id {
            Some(name) => Some(column(name)?),
            None => one_of(&self.columns, &["name", "id", "title"]).or_else(|| self.name_column()),
        };
        let mut used = MoleculeColumns { targets: Vec::new(), ..asked.clone() };
        let usable: Vec<&RawRow> = self.rows.iter().filter(|row| row.molecule.is_ok()).collect();
        let (mut targets, mut notes, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for target in &asked.targets {
            let (name, yes) = self.target_and_class(&target.name);
            let found = if has_targets { Some(column(&name)?) } else { column(&name).ok() };
            let Some(at) = found else {
                used.targets.push(target.clone());
                targets.extend(
                    target.properties().into_iter().map(|name| MoleculeTarget { name, values: Vec::new() }),
                );
                continue;
            };
            let cells: Vec<&RawCell> = usable.iter().map(|row| &row.cells[at]).collect();
            let read = TargetCells { name: &name, cells: &cells, yes }.read(&target.classes);
            match read {
                Ok((classes, values, unknown)) => {
                    if has_targets {
                        let about = class_note(&name, &classes).into_iter().chain(unknown);
                        notes.extend(about.map(|message| ((0, 0), message)));
                        notes.extend(apart_note(&name, &usable, at).filter(|_| are_classes(&values)));
                    }
                    used.targets.push(TargetColumn { name, classes });
                    targets.extend(values);
                }
                Err(found) => wrong.extend(found),
            }
        }
        let examples = MoleculeExamples {
            names: self
                .rows
                .iter()
                .enumerate()
                .filter(|(_, row)| row.molecule.is_ok())
                .map(|(at, row)| name_of(row, id, at))
                .collect(),
            molecules: usable.iter().filter_map(|row| row.molecule.as_ref().ok().cloned()).collect(),
            targets,
        };
        let mut dataset = examples.dataset(vocabulary)?;
        let source = dataset.sources.add(path.display().to_string(), self.text.clone());
        let span = |(start, end): (u32, u32)| Span { source, start, end };
        if !wrong.is_empty() {
            let all = wrong.into_iter().map(|(place, message, help): (_, String, String)| {
                Diagnostic::error("D0141", span(place), message).help(help)
            });
            return Err(Error::of(ErrorKind::Content, all.collect(), &dataset.sources));
        }
        dataset.notes.extend(
            self.unreadable()
                .into_iter()
                .map(|(place, code, message)| Diagnostic::warning(code, span(place), message)),
        );
        if usable.is_empty() {
            let all = std::mem::take(&mut dataset.notes);
            let none = Diagnostic::error(
                "D0119",
                span((0, 0)),
                "there is no molecule in this data that can be read",
            );
            let all = all.into_iter().chain([none]).collect();
            return Err(Error::of(ErrorKind::Content, all, &dataset.sources));
        }
        dataset.notes.extend(
            notes.into_iter().map(|(place, message)| Diagnostic::note("D0142", span(place), message)),
        );
        let cells = |row: &&RawRow| row.cells.iter().map(|cell| cell.text.clone()).collect();
        let rows = usable.iter().map(cells).collect();
        Ok(MoleculeData { dataset, table: MoleculeTable { columns: self.columns, rows, used } })
    }

    /// Returns the first column that is called as one of names and tells all rows apart: `Compound ID`, `mol_name`.
    fn name_column(&self) -> Option<usize> {
        let is_called = |column: &str| {
            let words = column.to_lowercase();
            let last = words.rsplit([' ', '_', '-', '.']).next().unwrap_or_default();
            ["id", "name", "identifier"].contains(&last) || column.ends_with("ID")
        };
        let tells_apart = |at: usize| {
            let mut seen = BTreeSet::new();
            self.rows.iter().all(|row| row.cells[at].text.as_ref().is_some_and(|text| seen.insert(text)))
        };
        (0..self.columns.len()).find(|&at| is_called(&self.columns[at]) && tells_apart(at))
    }

    /// Returns the column that a target names, and the class that should count as 1 where it names one: `activity=weak`.
    fn target_and_class<'a>(&self, target: &'a str) -> (String, Option<&'a str>) {
        let is_column = |name: &str| self.columns.iter().any(|column| column == name);
        let mut parts = target.match_indices('=').map(|(at, _)| (&target[..at], &target[at + 1..]));
        match parts.find(|(column, _)| !is_column(target) && is_column(column)) {
            Some((column, class)) => (column.to_owned(), Some(class)),
            None => (target.to_owned(), None),
        }
    }

    /// Returns what is wrong with rows whose molecules cannot be used, each with its place.
    fn unreadable(&self) -> Vec<((u32, u32), &'static str, String)> {
        let wrong: Vec<_> =
            self.rows.iter().filter_map(|row| Some((row, row.molecule.as_ref().err()?))).collect();
        let told = wrong.iter().take(LISTED).map(|(row, error)| {
            let start = row.start;
            let place = (start + error.place.start as u32, start + error.place.end as u32);
            let place = if place.1 <= row.place.1 { place } else { row.place };
            (place, "D0140", format!("the row is left out: {}", error.message))
        });
        let mut all: Vec<_> = told.collect();
        if !wrong.is_empty() {
            let (count, rows) = (wrong.len(), self.rows.len());
            let more = if count > LISTED {
                format!(", {} of them not listed", count - LISTED)
            } else {
                String::new()
            };
            let message = format!("{count} of {rows} molecules cannot be read and are left out{more}");
            all.push((wrong[0].0.place, "D0140", message));
        }
        all
    }
}

/// Returns the name of the property that a molecule is of one of many classes.
fn class_target(target: &str, class: &str) -> String {
    format!("{target}={class}")
}

fn class_note(target: &str, classes: &[String]) -> Option<String> {
    match classes {
        [no, yes] => {
            let pair = ClassPair::of(no, yes);
            let hint = match pair.is_told || pair.yes != yes {
                true => String::new(),
                false => format!(", which nothing tells; --target '{target}={no}' turns it round"),
            };
            Some(format!("{target}: `{yes}` counts as 1, `{no}` as 0{hint}"))
        }
        [_, _, _, ..] => Some(format!(
            "{target}: {} classes, each asked for itself: {}",
            classes.len(),
            classes.join(", ")
        )),
        _ => None,
    }
}

/// Tells whether all values are those of classes.
fn are_classes(targets: &[MoleculeTarget]) -> bool {
    targets.iter().flat_map(|target| &target.values).flatten().all(|value| [0.0, 1.0].contains(value))
}

/// Returns a note of rows that have the molecule of an earlier row, as a graph, and another class in a column, at the first.
fn apart_note(target: &str, rows: &[&RawRow], at: usize) -> Option<((u32, u32), String)> {
    let mut known: BTreeMap<u64, &str> = BTreeMap::new();
    let mut apart: Vec<&RawRow> = Vec::new();
    for row in rows {
        let (Ok(molecule), Some(class)) = (&row.molecule, &row.cells[at].text) else { continue };
        if *known.entry(molecule.form()).or_insert(class.trim()) != class.trim() {
            apart.push(row);
        }
    }
    let have = match apart.len() {
        1 => "this row has".to_owned(),
        count => format!("{count} rows, this the first, have"),
    };
    let message = format!(
        "{target}: {have} the molecule of an earlier row, stereochemistry apart, with another class; all are used"
    );
    apart.first().map(|row| (row.cells[at].place, message))
}

fn name_of(row: &RawRow, id: Option<usize>, at: usize) -> String {
    let named = id.and_then(|id| row.cells[id].text.clone());
    named.unwrap_or_else(|| (at + 1).to_string())
}

/// Returns the column of SMILES: one that is called so, or the only one whose name has the word in it.
fn smiles_column(columns: &[String]) -> Option<usize> {
    one_of(columns, &["smiles", "canonical_smiles", "structure"]).or_else(|| {
        let has_word = |&at: &usize| columns[at].to_lowercase().contains("smiles");
        let mut found = (0..columns.len()).filter(has_word);
        found.next().filter(|_| found.next().is_none())
    })
}

fn one_of(columns: &[String], names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| columns.iter().position(|column| column.eq_ignore_ascii_case(name)))
}

fn read_smiles(text: Option<&str>) -> Result<Molecule, MoleculeError> {
    let nothing = || MoleculeError { message: "there is no SMILES".into(), place: 0..0 };
    let text = text.filter(|text| !text.trim().is_empty()).ok_or_else(nothing)?;
    let front = text.len() - text.trim_start().len();
    Molecule::from_smiles(text.trim()).map_err(|error| {
        let place = error.place.start + front..error.place.end + front;
        MoleculeError { place, ..error }
    })
}

/// Mistakes in cells: places, sentences and help.
type CellMistakes = Vec<((u32, u32), String, String)>;

/// The cells of a target.
struct TargetCells<'a> {
    name: &'a str,
    cells: &'a [&'a RawCell],
    /// The class of two that should count as 1, where it is named.
    yes: Option<&'a str>,
}

/// The classes of a target, the values of what is asked, and a note of cells that count as unknown.
type TargetValues = (Vec<String>, Vec<MoleculeTarget>, Option<String>);

impl TargetCells<'_> {
    /// Returns the classes, and the values of what is asked: numbers, 0 and 1 for two classes, or one property a class.
    fn read(&self, classes: &[String]) -> Result<TargetValues, CellMistakes> {
        let known = self.cells.iter().filter_map(|cell| cell.text.as_deref());
        let numbers = known.clone().filter(|text| number(text).is_some()).count();
        let others = known.clone().filter(|text| number(text).is_none() && !is_unknown(text)).count();
        if classes.is_empty() && self.yes.is_none() && numbers > others {
            return Ok((Vec::new(), vec![self.numbers()?], self.unknown_note()));
        }
        let classes = if classes.is_empty() { self.classes(known)? } else { classes.to_vec() };
        let unknown = |cell: &&RawCell| cell.text.as_ref().is_some_and(|text| !classes.contains(text));
        let wrong: CellMistakes = self
            .cells
            .iter()
            .filter(|cell| unknown(cell))
            .take(LISTED)
            .map(|cell| {
                let text = cell.text.as_deref().unwrap_or_default();
                (
                    cell.place,
                    format!("`{text}` is no class of {}", self.name),
                    format!("the classes are {}", classes.join(", ")),
                )
            })
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let values = |class: &String| -> Vec<Option<f64>> {
            self.cells
                .iter()
                .map(|cell| cell.text.as_ref().map(|text| f64::from(u8::from(text == class))))
                .collect()
        };
        let targets = match classes.as_slice() {
            [] => vec![MoleculeTarget { name: self.name.to_owned(), values: vec![None; self.cells.len()] }],
            [one] => vec![MoleculeTarget { name: self.name.to_owned(), values: values(one) }],
            [_, yes] => vec![MoleculeTarget { name: self.name.to_owned(), values: values(yes) }],
            many => many
                .iter()
                .map(|class| MoleculeTarget { name: class_target(self.name, class), values: values(class) })
                .collect(),
        };
        Ok((classes, targets, None))
    }

    fn numbers(&self) -> Result<MoleculeTarget, CellMistakes> {
        let mut wrong = CellMistakes::new();
        let mut value = |cell: &&RawCell| {
            let text = cell.text.as_deref()?;
            let found = number(text);
            if found.is_none() && !is_unknown(text) && wrong.len() < LISTED {
                let help = "an unknown value is an empty cell, or NA".to_owned();
                wrong.push((
                    cell.place,
                    format!("`{text}` is no number, as the other values of {} are", self.name),
                    help,
                ));
            }
            found
        };
        let values = self.cells.iter().map(&mut value).collect();
        if wrong.is_empty() { Ok(MoleculeTarget { name: self.name.to_owned(), values }) } else { Err(wrong) }
    }

    /// Returns a note of the cells between numbers that say that a value is not known.
    fn unknown_note(&self) -> Option<String> {
        let all = self.cells.iter().filter_map(|cell| cell.text.as_deref()).filter(|text| is_unknown(text));
        let first = all.clone().next()?;
        let (count, name) = (all.count(), self.name);
        Some(match count {
            1 => format!("{name}: one cell is no number, and counts as unknown: `{first}`"),
            _ => format!("{name}: {count} cells are no numbers, and count as unknown, `{first}` the first"),
        })
    }

    fn classes<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<Vec<String>, CellMistakes> {
        let mut classes: Vec<String> = texts.map(str::to_owned).collect();
        classes.sort();
        classes.dedup();
        if classes.len() > MOST_CLASSES {
            let message =
                format!("{} has {} different texts, too many for classes", self.name, classes.len());
            let place = self.cells.first().map_or((0, 0), |cell| cell.place);
            return Err(vec![(
                place,
                message,
                "--target names a column of numbers or of a few classes".into(),
            )]);
        }
        if let [one, two] = classes.as_slice() {
            let ClassPair { no, yes, .. } = ClassPair::of(one, two);
            let is_turned = self.yes == Some(no);
            classes = if is_turned { [yes, no] } else { [no, yes] }.map(str::to_owned).to_vec();
        }
        let is_class = |yes: &&str| classes.len() == 2 && classes.iter().any(|class| class == yes);
        if let Some(yes) = self.yes.filter(|yes| !is_class(yes)) {
            let place = self.cells.first().map_or((0, 0), |cell| cell.place);
            let message =
                format!("`{yes}` is not one of two classes of {}, one of which counts as 1", self.name);
            let help = format!(
                "its values are {}; `--target '{}'` takes them as they are",
                classes.join(", "),
                self.name
            );
            return Err(vec![(place, message, help)]);
        }
        Ok(classes)
    }
}

/// Tells whether a text between numbers says that a value is not known.
fn is_unknown(text: &str) -> bool {
    ["na", "n/a", "#n/a", "nan", "null", "none", "?"].contains(&&*text.trim().to_lowercase())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
