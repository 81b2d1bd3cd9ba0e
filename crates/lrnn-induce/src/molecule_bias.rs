//! The bias of molecules that were read as such: the order of a bond, a number of hydrogens and the size of a ring are of
//! different types, though they share constants.

use std::collections::BTreeSet;
use std::fmt::Write;

use lrnn::data::Dataset;

/// The relations of molecules, with the types of their columns.
const RELATIONS: [(&str, &[&str]); 6] = [
    ("aromatic", &["atom"]),
    ("bond", &["atom", "atom", "order"]),
    ("charge", &["atom"]),
    ("element", &["atom", "element"]),
    ("hydrogens", &["atom", "number"]),
    ("ring", &["atom", "size"]),
];
/// Those that tell molecules from other data.
const NEEDED: [&str; 3] = ["bond", "element", "hydrogens"];
/// The type of the individuals.
const ATOM: &str = "atom";

/// Returns directives for data whose facts are all of molecules; none for other data.
pub(crate) fn molecule_bias(dataset: &Dataset) -> Option<String> {
    let tables = dataset.examples.iter().flat_map(|example| &example.tables).filter(|table| table.rows > 0);
    let predicates: BTreeSet<_> = tables.map(|table| table.predicate).collect();
    let relation = |&predicate| {
        let signature = dataset.vocabulary.signature(predicate);
        let is_it = |(name, types): &&(&str, &[&str])| {
            **name == *signature.name && types.len() == signature.arity as usize
        };
        RELATIONS.iter().find(is_it)
    };
    let found: Vec<_> = predicates.iter().map(relation).collect::<Option<_>>()?;
    if !NEEDED.iter().all(|needed| found.iter().any(|(name, _)| name == needed)) {
        return None;
    }
    let mut text = String::new();
    for (name, types) in &found {
        let _ = writeln!(text, ":- type({name}({})).", types.join(", "));
    }
    let types: BTreeSet<&str> = found.iter().flat_map(|(_, types)| types.iter().copied()).collect();
    for name in types {
        let directive = if name == ATOM { "distinct" } else { "values" };
        let _ = writeln!(text, ":- {directive}({name}).");
    }
    Some(text)
}
