//! Tables of molecules: CSV and other texts with a column of SMILES, `.smi` and SDF. Rows whose molecule cannot be read are warnings
//! with their places, and the others are used.

mod file_kind;
mod raw_table;
mod target_cells;

use std::collections::BTreeMap;
use std::path::Path;

use lrnn::data::Dataset;
use lrnn::diagnostic::Diagnostic;
use lrnn::vocabulary::Vocabulary;
use lrnn::{Error, ErrorKind};
use lrnn_chem::{MoleculeExamples, MoleculeTarget};
use lrnn_tables::ClassPair;
use serde::{Deserialize, Serialize};

use self::file_kind::MoleculeFileKind;
use self::raw_table::{RawRow, RawTable, rows_have};
use self::target_cells::{TargetCells, known_text};
use crate::file::content_error;

/// The template for molecules of any property that comes with the program.
pub(crate) const MOLECULES_TEMPLATE: &str = include_str!("molecules/template.lrnn");
/// The name by which it is asked for.
pub const MOLECULES_TEMPLATE_NAME: &str = "molecules";

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
    /// Returns the names of what is asked: that of the target, or one for each of many classes.
    pub fn properties(&self) -> Vec<String> {
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

/// Tells whether a path is a table of molecules: by how its name ends, or, of a text that may be something else, by the
/// line of its header. The column of SMILES may be named.
pub fn is_molecule_file(path: &Path, columns: &MoleculeColumns) -> bool {
    match MoleculeFileKind::of(path) {
        Some(MoleculeFileKind::Text) => file_kind::has_molecules(path, columns.smiles.as_deref()),
        kind => kind.is_some(),
    }
}

/// The purposes of reading a table of molecules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoleculePurpose {
    /// To learn: the columns of all targets must be there, and a molecule is asked for what is known of it.
    Learning,
    /// To score the answers of a model: a molecule is asked for what is known of it, and each cell must be a number, or a
    /// class that the model knows.
    Scoring,
    /// To predict: every molecule is asked for every target; what cannot be read of one is told, and is unknown.
    Prediction,
}

/// Reads a table of molecules as examples in the names of a template.
pub fn read_molecules(
    path: &Path,
    columns: &MoleculeColumns,
    vocabulary: Vocabulary,
    purpose: MoleculePurpose,
) -> Result<MoleculeData, Error> {
    ReadTable::of(path, columns, purpose)?.data(vocabulary)
}

/// Returns the columns of a table of molecules as they are used, with the classes of the targets; there must be targets.
pub fn used_columns(path: &Path, columns: &MoleculeColumns) -> Result<MoleculeColumns, Error> {
    if columns.targets.is_empty() {
        let table = RawTable::read(path, columns.smiles.as_deref())?;
        let message = format!("{}: what should be learned of these molecules?", path.display());
        let error = Error::new(ErrorKind::Usage, message);
        return Err(error.help(format!("--target COLUMN; the columns are {}", table.columns.join(", "))));
    }
    Ok(ReadTable::of(path, columns, MoleculePurpose::Learning)?.used)
}

/// A table of molecules with what was made of its targets.
struct ReadTable {
    table: RawTable,
    used: MoleculeColumns,
    examples: MoleculeExamples,
    notes: Vec<Diagnostic>,
}

impl ReadTable {
    fn of(path: &Path, columns: &MoleculeColumns, purpose: MoleculePurpose) -> Result<Self, Error> {
        let table = RawTable::read(path, columns.smiles.as_deref())?;
        let named = columns.id.as_ref().map(|name| table.column(path, name)).transpose()?;
        let id = named.or_else(|| table.name_column());
        let usable = table.usable();
        let mut used = MoleculeColumns { targets: Vec::new(), ..columns.clone() };
        let (mut targets, mut wrong) = (Vec::new(), Vec::new());
        let mut notes: Vec<Diagnostic> = table.messages();
        notes.extend(table.repeated_names(id));
        for target in &columns.targets {
            let (name, yes) = table.target_and_class(&target.name);
            if used.targets.iter().any(|known: &TargetColumn| known.name == name) {
                let error = Error::new(ErrorKind::Usage, format!("the target `{name}` is named twice"));
                return Err(error.help("name each column once"));
            }
            let at = match table.column(path, &name) {
                Ok(at) => at,
                Err(error) if purpose == MoleculePurpose::Learning => return Err(error),
                Err(_) => {
                    used.targets.push(target.clone());
                    let unknown = |name| MoleculeTarget { name, values: Vec::new() };
                    targets.extend(target.properties().into_iter().map(unknown));
                    continue;
                }
            };
            let cells: Vec<_> = usable.iter().map(|row| &row.cells[at]).collect();
            let cells = TargetCells { name: &name, cells: &cells, yes, table: table.span() };
            let read = match purpose {
                MoleculePurpose::Learning => cells.read(&target.classes),
                MoleculePurpose::Scoring => cells.read_known(&target.classes),
                MoleculePurpose::Prediction => Ok(cells.read_what_is_known(&target.classes)),
            };
            match read {
                Ok(values) => {
                    if purpose == MoleculePurpose::Learning {
                        let note = class_note(&name, &values.classes);
                        notes.extend(note.map(|message| Diagnostic::note("D0142", table.span(), message)));
                        notes.extend(apart_note(&name, &usable, at).filter(|_| are_classes(&values.targets)));
                    }
                    notes.extend(values.notes);
                    used.targets.push(TargetColumn { name, classes: values.classes });
                    targets.extend(values.targets);
                }
                Err(found) => wrong.extend(found),
            }
        }
        if !wrong.is_empty() {
            return Err(Error::of(ErrorKind::Content, wrong, &table.sources));
        }
        if usable.is_empty() {
            let message = "there is no molecule in this data that can be read";
            notes.retain(|note| note.code == "D0140");
            notes.push(Diagnostic::error("D0119", table.span(), message));
            return Err(Error::of(ErrorKind::Content, notes, &table.sources));
        }
        let is_unknown = |target: &MoleculeTarget| target.values.iter().all(Option::is_none);
        if purpose == MoleculePurpose::Learning && !targets.is_empty() && targets.iter().all(is_unknown) {
            let names: Vec<&str> = used.targets.iter().map(|target| target.name.as_str()).collect();
            let error = content_error(path, format!("no molecule has a value of {}", names.join(", ")));
            return Err(error.help("--target COLUMN names a column with numbers or classes"));
        }
        let molecules = usable.iter().filter_map(|row| row.molecule.as_ref().ok().cloned()).collect();
        let asks_unknown = purpose == MoleculePurpose::Prediction;
        let examples = MoleculeExamples { names: table.names(id), molecules, targets, asks_unknown };
        Ok(Self { table, used, examples, notes })
    }

    /// Returns the examples in the names of a template.
    fn data(self, vocabulary: Vocabulary) -> Result<MoleculeData, Error> {
        let Self { table, used, examples, notes } = self;
        let mut dataset = examples.dataset(vocabulary)?;
        let cells = |row: &RawRow| row.cells.iter().map(|cell| cell.text.clone()).collect();
        let rows = table.usable().into_iter().map(cells).collect();
        let (name, text) = table.text();
        let source = dataset.sources.add(name, text);
        for mut note in notes {
            note.labels.iter_mut().for_each(|label| label.span.source = source);
            dataset.notes.push(note);
        }
        Ok(MoleculeData { dataset, table: MoleculeTable { columns: table.columns, rows, used } })
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
fn apart_note(target: &str, rows: &[&RawRow], at: usize) -> Option<Diagnostic> {
    let mut known: BTreeMap<u64, &str> = BTreeMap::new();
    let mut apart: Vec<&RawRow> = Vec::new();
    for row in rows {
        let (Ok(molecule), Some(class)) = (&row.molecule, known_text(&row.cells[at], false)) else {
            continue;
        };
        if *known.entry(molecule.form()).or_insert(class) != class {
            apart.push(row);
        }
    }
    let message = format!(
        "{target}: {} the molecule of an earlier row, stereochemistry apart, with another class; all are used",
        rows_have(apart.len())
    );
    apart.first().map(|row| Diagnostic::note("D0142", row.cells[at].span, message))
}
