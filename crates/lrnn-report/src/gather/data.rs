//! The data in numbers.

use std::collections::BTreeMap;

use lrnn::data::Dataset;

use crate::page::DataView;

/// So many targets are counted.
const MOST_TARGETS: usize = 20;

/// Returns the data in numbers; predicates in the order the vocabulary met them.
pub(super) fn data_view(dataset: &Dataset) -> DataView {
    let mut facts = vec![0usize; dataset.vocabulary.predicate_count()];
    for table in dataset.examples.iter().flat_map(|example| &example.tables) {
        facts[table.predicate.index()] += table.rows as usize;
    }
    let predicates = dataset.vocabulary.predicates().zip(&facts).filter(|(_, count)| **count > 0);
    let predicates = predicates.map(|((_, signature), count)| (signature.to_string(), *count)).collect();
    DataView {
        examples: dataset.examples.len(),
        queries: dataset.queries.iter().map(Vec::len).sum(),
        facts: facts.iter().sum(),
        constants: dataset.vocabulary.constant_count(),
        predicates,
        targets: targets(dataset),
    }
}

fn targets(dataset: &Dataset) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for query in dataset.queries.iter().flatten() {
        *counts.entry(target_text(query.target.as_deref())).or_default() += 1;
    }
    let mut all: Vec<(String, usize)> = counts.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(MOST_TARGETS);
    all
}

/// Returns a target as text.
pub(crate) fn target_text(target: Option<&[f64]>) -> String {
    match target {
        None => "none".to_owned(),
        Some([number]) => number.to_string(),
        Some(numbers) => format!("{numbers:?}"),
    }
}

/// Returns the facts of an example as they are written, cut after so many characters.
pub(super) fn facts_text(dataset: &Dataset, example: usize, most: usize) -> String {
    let mut text = String::new();
    for table in &dataset.examples[example].tables {
        for row in 0..table.rows as usize {
            if text.len() > most {
                return text + ", ...";
            }
            if !text.is_empty() {
                text.push_str(", ");
            }
            match table.value(row) {
                [1.0] => {}
                [number] => text.push_str(&format!("{number} ")),
                numbers => text.push_str(&format!("{numbers:?} ")),
            }
            text.push_str(&dataset.vocabulary.atom_text(table.predicate, table.row(row)));
        }
    }
    if !text.is_empty() {
        text.push('.');
    }
    text
}
