//! Latent concepts for the page.

use lrnn::explain::{Concept, concepts};

use crate::heat::shown_rows;
use crate::page;
use lrnn::program::Subject;

/// A table with more rows shows those at its ends.
const MOST_ROWS: usize = 120;
/// Tables of so many models are shown.
const MOST_MODELS: usize = 20;

/// Returns the concepts of each model, under its name.
pub(super) fn concept_views(subjects: &[Subject<'_>]) -> Vec<page::PageConcept> {
    let mut all = Vec::new();
    for subject in subjects.iter().filter(|subject| subject.model.is_some()).take(MOST_MODELS) {
        let Some(model) = &subject.model else { continue };
        all.extend(concepts(subject.template(), model).iter().map(|concept| view(&subject.name, concept)));
    }
    all
}

fn view(model: &str, concept: &Concept) -> page::PageConcept {
    let count = concept.rows.len();
    let rows: Vec<usize> = shown_rows(count, MOST_ROWS).into_iter().flatten().collect();
    let left = if rows.len() < count { format!(", {} of {count} rows", rows.len()) } else { String::new() };
    page::PageConcept {
        model: model.to_owned(),
        title: format!("{}{left}", concept.predicate),
        rows: rows.iter().map(|&row| concept.rows[row].clone()).collect(),
        columns: concept.columns.clone(),
        values: rows.iter().map(|&row| concept.cells[row].clone()).collect(),
        wild: (0..concept.is_wild.len()).filter(|&column| concept.is_wild[column]).collect(),
    }
}
