//! The kinds of files that tables of molecules come in, and how each is known.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lrnn_chem::Molecule;

/// The kinds of files of molecules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MoleculeFileKind {
    /// A table with a header and a column of SMILES.
    Csv,
    /// The same, in a file that may be something else: facts, or triples.
    Text,
    /// Lines of a SMILES and a name.
    Smi,
    /// Records of an SD file.
    Sdf,
}

/// So many bytes of a text are looked at for a header.
const LOOKED_AT: u64 = 1 << 16;
/// So many rows below the header are looked at.
const LOOKED_AT_ROWS: usize = 20;

impl MoleculeFileKind {
    /// Returns the kind that the name of a file tells.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" | "txt" => Some(Self::Text),
            "smi" | "smiles" => Some(Self::Smi),
            "sdf" | "sd" | "mol" => Some(Self::Sdf),
            _ => None,
        }
    }

    /// Returns the character between the cells of a text; none where the header is to tell, or there is none.
    pub fn separator(path: &Path) -> Option<u8> {
        let is_text = Self::of(path) == Some(Self::Text);
        let head = is_text.then(|| first_lines(path)).flatten()?;
        head.first()?.contains('\t').then_some(b'\t')
    }
}

/// Tells whether a text is a table of molecules: its first line names the column of SMILES, or a column that has the
/// word in its name and molecules below it.
pub(super) fn has_molecules(path: &Path, smiles: Option<&str>) -> bool {
    let Some(lines) = first_lines(path) else { return false };
    let Some((header, rows)) = lines.split_first() else { return false };
    let Some(separator) = ['\t', ',', ';'].into_iter().find(|&it| header.contains(it)) else {
        // A single column.
        let name = cell(header);
        return smiles.map_or_else(|| is_smiles_column(name) && any_molecule(rows, None), |it| it == name);
    };
    let names: Vec<String> = header.split(separator).map(|name| cell(name).to_owned()).collect();
    match smiles {
        Some(name) => names.iter().any(|known| known == name),
        None => smiles_column(&names).is_some_and(|at| any_molecule(rows, Some((separator, at)))),
    }
}

/// Tells whether a row has a molecule in a column.
fn any_molecule(rows: &[String], column: Option<(char, usize)>) -> bool {
    let of = |row: &String| {
        let text = match column {
            Some((separator, at)) => row.split(separator).nth(at).unwrap_or_default(),
            None => row.as_str(),
        };
        let text = cell(text);
        !text.is_empty() && Molecule::from_smiles(text).is_ok()
    };
    rows.iter().take(LOOKED_AT_ROWS).any(of)
}

fn cell(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// Returns the first lines of a text, plain or gzipped.
fn first_lines(path: &Path) -> Option<Vec<String>> {
    let mut reader = BufReader::new(File::open(path).ok()?);
    let is_packed = reader.fill_buf().ok()?.starts_with(&[0x1f, 0x8b]);
    let mut bytes = Vec::new();
    // A file that is cut or damaged is told by whoever reads it.
    let _ = match is_packed {
        true => MultiGzDecoder::new(reader).take(LOOKED_AT).read_to_end(&mut bytes),
        false => reader.take(LOOKED_AT).read_to_end(&mut bytes),
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    Some(text.lines().take(LOOKED_AT_ROWS + 1).map(str::to_owned).collect())
}

/// Returns the column of SMILES: one that is called so, or the only one whose name has the word in it.
pub(super) fn smiles_column(columns: &[String]) -> Option<usize> {
    one_of(columns, &["smiles", "canonical_smiles", "structure"]).or_else(|| {
        let mut found = (0..columns.len()).filter(|&at| is_smiles_column(&columns[at]));
        found.next().filter(|_| found.next().is_none())
    })
}

fn is_smiles_column(name: &str) -> bool {
    name.to_lowercase().contains("smiles")
}

/// Returns the first column that has one of these names, whatever its capitals.
pub(super) fn one_of(columns: &[String], names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| columns.iter().position(|column| column.eq_ignore_ascii_case(name)))
}
