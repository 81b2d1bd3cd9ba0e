//! The triples of a knowledge base, from files in any layout: each fact of two terms is one.

use std::path::{Path, PathBuf};

use lrnn::diagnostic::Sources;
use lrnn::vocabulary::{Constant, Vocabulary};
use lrnn::{Dataset, Error, ErrorKind};

use crate::dataset::{only_of, read_data};
use crate::file::{content_error, file_error};

/// Triples as head, relation and tail: to learn from, to choose settings on, to test on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TripleParts {
    /// Known triples.
    pub train: Vec<[String; 3]>,
    /// Triples to choose settings on.
    pub validation: Vec<[String; 3]>,
    /// Triples to test on.
    pub test: Vec<[String; 3]>,
    /// Number of facts that do not have two terms, and so are no triples.
    pub others: usize,
}

/// The endings of files of triples.
const ENDINGS: [&str; 6] = ["tsv", "txt", "nt", "ttl", "nl", "pl"];

/// Reads the triples of a file, or of a folder with `train`, and, where there are, `facts`, `valid` (`validation`, `dev`) and
/// `test`, each with an ending such as `.tsv`, plain or `.gz`.
pub fn read_triples(path: &Path) -> Result<TripleParts, Error> {
    let mut parts = TripleParts::default();
    if !path.is_dir() {
        parts.train = part(path, &mut parts.others).map_err(|error| match path.exists() {
            true => error,
            false => error.help(
                "a file of triples has lines of head, relation and tail with tabs between them; \
                 a folder has train.tsv, and valid.tsv and test.tsv if they are there",
            ),
        })?;
        return Ok(parts);
    }
    let Some(train) = find(path, &["train"])? else {
        let error = file_error(path, "there is no train.tsv in this folder");
        return Err(error
            .help("triples are a file, or a folder with train.tsv, valid.tsv and test.tsv, plain or .gz"));
    };
    parts.train = part(&train, &mut parts.others)?;
    if let Some(facts) = find(path, &["facts"])? {
        parts.train.extend(part(&facts, &mut parts.others)?);
    }
    if let Some(validation) = find(path, &["valid", "validation", "dev"])? {
        parts.validation = part(&validation, &mut parts.others)?;
    }
    if let Some(test) = find(path, &["test"])? {
        parts.test = part(&test, &mut parts.others)?;
    }
    Ok(parts)
}

fn find(folder: &Path, stems: &[&str]) -> Result<Option<PathBuf>, Error> {
    let names: Vec<String> =
        stems.iter().flat_map(|stem| ENDINGS.map(|ending| format!("{stem}.{ending}"))).collect();
    only_of(folder, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn part(path: &Path, others: &mut usize) -> Result<Vec<[String; 3]>, Error> {
    let mut sources = Sources::of_data();
    let read = read_data(path, Vocabulary::default(), &mut sources)?;
    let dataset = read.map_err(|wrong| Error::of(ErrorKind::Content, wrong, &sources))?;
    let triples = triples(&dataset, others);
    match triples.is_empty() {
        true => Err(content_error(path, "there is no triple in this file")
            .help("a triple is a fact of two terms: `mother(ann, bob).`")),
        false => Ok(triples),
    }
}

/// Returns the facts of two terms as triples, and counts the others.
fn triples(dataset: &Dataset, others: &mut usize) -> Vec<[String; 3]> {
    let text = |constant: Constant| match constant {
        Constant::Name(name) => name.into(),
        other => other.to_string(),
    };
    let mut found = Vec::new();
    for table in dataset.examples.iter().flat_map(|example| &example.tables) {
        let signature = dataset.vocabulary.signature(table.predicate);
        if signature.arity != 2 {
            *others += table.rows as usize;
            continue;
        }
        for row in 0..table.rows as usize {
            let [head, tail] = [0, 1].map(|at| text(dataset.vocabulary.constant(table.row(row)[at])));
            found.push([head, signature.name.to_string(), tail]);
        }
    }
    found
}
