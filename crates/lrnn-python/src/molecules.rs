//! Molecules from texts.

use lrnn::diagnostic::{Diagnostic, Sources, Span};
use lrnn_chem::Molecule;
use pyo3::prelude::*;

/// Molecules of texts, and what is wrong with those that cannot be read.
pub struct MoleculeTexts {
    /// Each with its row.
    pub molecules: Vec<(usize, Molecule)>,
    pub sources: Sources,
    /// At most so many as the command lists, then a sum of all.
    pub wrong: Vec<Diagnostic>,
}

/// So many rows that cannot be used are told one by one, as the command does.
const LISTED: usize = 20;

impl MoleculeTexts {
    /// Reads a molecule from each text.
    pub fn read(texts: &[Option<String>]) -> Self {
        let (mut molecules, mut sources, mut wrong, mut count) =
            (Vec::new(), Sources::of_data(), Vec::new(), 0);
        let source = sources.add_table("smiles");
        for (row, text) in texts.iter().enumerate() {
            let text = text.as_deref().unwrap_or("").trim();
            let message = match Molecule::from_smiles(text) {
                _ if text.is_empty() => "there is no SMILES".to_owned(),
                Ok(molecule) => {
                    molecules.push((row, molecule));
                    continue;
                }
                Err(error) => format!("`{text}`: {}", error.message),
            };
            count += 1;
            if count <= LISTED {
                let span = Span { source, start: row as u32, end: row as u32 + 1 };
                wrong.push(Diagnostic::warning("D0140", span, message));
            }
        }
        if let Some(first) = wrong.first() {
            let more = match count.saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(", {more} of them not listed"),
            };
            let message = format!("{count} of {} molecules cannot be read{more}", texts.len());
            let help = "leave them out with on_error=\"skip\", or correct them";
            wrong.push(Diagnostic::warning("D0140", first.span(), message).help(help));
        }
        Self { molecules, sources, wrong }
    }
}

/// Tells which texts can be read as molecules.
#[pyfunction]
pub fn readable(py: Python<'_>, texts: Vec<Option<String>>) -> Vec<bool> {
    py.detach(|| {
        let mut all = vec![false; texts.len()];
        MoleculeTexts::read(&texts).molecules.iter().for_each(|(row, _)| all[*row] = true);
        all
    })
}
