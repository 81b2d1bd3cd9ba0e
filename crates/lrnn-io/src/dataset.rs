//! A file or a folder of data.

use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::{Diagnostic, SourceId, Sources};
use lrnn::vocabulary::Vocabulary;

use crate::file::{content_error, file_error, read_text};
use crate::fold_folders::{fold_folders, read_folds};
use crate::graph::GraphFormat;
use crate::graphs;
use crate::labels::add_labels;
use crate::prolog_folder;
use crate::screen;
use crate::types::add_types_of;

/// A dataset, or everything that is wrong with it.
pub(crate) type DatasetResult = Result<Dataset, Vec<Diagnostic>>;

/// Reads data: a file in one of the layouts, a folder with `examples.txt` (or `facts.txt`, `facts.pl`), `queries.txt`
/// or `labels.txt` and, where there are, `ids.txt`, `folds.txt` and `weights.txt`, each plain or `.gz`; a folder of graphs as TUDataset
/// has them; a folder of folds (`fold1/facts.txt`, `pos.txt`, `neg.txt`); a folder of Aleph (`*.b`, `*.f`, `*.n`) or Popper (`bk.pl`, `exs.pl`); a graph or triples in a format of other programs; or a screen, a `.tsv` of rows about a table of molecules. The texts join `sources`. Where a `signature.txt` stands beside the examples, the types
/// that the vocabulary speaks of are added as facts (see [`crate::SIGNATURE_NAME`]).
pub fn read_data(path: &Path, vocabulary: Vocabulary, sources: &mut Sources) -> Result<DatasetResult, Error> {
    let read = if path.is_dir() {
        read_folder(path, vocabulary, sources)?
    } else if let Some(table) = screen::table_of(path)? {
        screen::read_screen(path, &table, vocabulary, sources)?
    } else {
        read_file(path, vocabulary, sources)?
    };
    let read = read.and_then(|dataset| not_empty(path, dataset, sources));
    Ok(read.map(|dataset| Dataset { sources: sources.clone(), ..dataset }))
}

fn read_file(path: &Path, vocabulary: Vocabulary, sources: &mut Sources) -> Result<DatasetResult, Error> {
    let source = add_file(path, sources)?;
    let text = sources.text(source);
    if let Some(format) = GraphFormat::of(path).or_else(|| GraphFormat::of_text(text)) {
        let note = format.note(text, source);
        return Ok(format.read(text, source, vocabulary).map(|mut dataset| {
            dataset.notes.extend(note);
            dataset
        }));
    }
    let mut builder = DatasetBuilder::new(vocabulary);
    builder.examples(text, source, layout_of(path));
    if let Some(queries) = queries_beside(path).filter(|queries| queries.exists()) {
        let source = add_file(&queries, sources)?;
        builder.queries(sources.text(source), source);
    }
    with_types(path.parent(), builder.finish(), sources)
}

/// Returns the file of queries that belongs to a file of examples with a part in its name: `trainQueries.txt` to
/// `trainExamples.txt`.
fn queries_beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (part, ending) = name.split_once(EXAMPLES)?;
    Some(path.with_file_name(format!("{part}Queries{ending}")))
}

/// The middle of names such as `trainExamples.txt`.
const EXAMPLES: &str = "Examples";

/// Returns the dataset with the types that a signature in this folder names.
pub(crate) fn with_types(
    folder: Option<&Path>,
    read: DatasetResult,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    match (folder, read) {
        (Some(folder), Ok(mut dataset)) => Ok(add_types_of(folder, &mut dataset, sources)?.map(|()| dataset)),
        (_, read) => Ok(read),
    }
}

fn not_empty(path: &Path, dataset: Dataset, sources: &mut Sources) -> Result<Dataset, Vec<Diagnostic>> {
    if dataset.examples.is_empty() {
        let source = sources.add(path.display().to_string(), "");
        let span = lrnn::diagnostic::Span { source, start: 0, end: 0 };
        let help = "an example is a sentence of facts: `bond(a, b), carbon(a).`";
        return Err(vec![Diagnostic::error("D0119", span, "there is no example in this data").help(help)]);
    }
    Ok(dataset)
}

/// Returns the name of a file tells its layout; where it does not, the text does.
fn layout_of(path: &Path) -> Layout {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    match name {
        name if name.starts_with("examples.") || name.contains(EXAMPLES) => Layout::Examples,
        name if name.starts_with("facts.") || name.ends_with(".pl") || name.ends_with(".pl.gz") => {
            Layout::Facts
        }
        _ => Layout::Detect,
    }
}

fn read_folder(folder: &Path, vocabulary: Vocabulary, sources: &mut Sources) -> Result<DatasetResult, Error> {
    let Some(examples) = only_of(folder, &["examples.txt", "facts.txt", "facts.pl", "trainExamples.txt"])?
    else {
        return read_other_folder(folder, vocabulary, sources);
    };
    let mut builder = DatasetBuilder::new(vocabulary);
    let source = add_file(&examples, sources)?;
    builder.examples(sources.text(source), source, layout_of(&examples));
    let queries = only_of(folder, &["queries.txt", "trainQueries.txt"])?;
    let mut add = |file: Option<&Path>, read: fn(&mut DatasetBuilder, &str, SourceId)| -> Result<(), Error> {
        let Some(file) = file else { return Ok(()) };
        let source = add_file(file, sources)?;
        read(&mut builder, sources.text(source), source);
        Ok(())
    };
    add(queries.as_deref(), DatasetBuilder::queries)?;
    add(only_of(folder, &["ids.txt"])?.as_deref(), DatasetBuilder::ids)?;
    add(only_of(folder, &["folds.txt"])?.as_deref(), DatasetBuilder::folds)?;
    add(only_of(folder, &["weights.txt"])?.as_deref(), DatasetBuilder::weights)?;
    let mut read = builder.finish();
    if queries.is_none() {
        read = with_labels(folder, read, sources)?;
    }
    with_types(Some(folder), read, sources)
}

/// Reads a folder without examples, which may hold graphs or folds.
fn read_other_folder(
    folder: &Path,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    if let Some(files) = prolog_folder::find(folder)? {
        return prolog_folder::read(&files, vocabulary, sources);
    }
    if let Some(name) = graphs::name_of(folder)? {
        return graphs::read_graphs(folder, &name, vocabulary, sources);
    }
    let folds = fold_folders(folder)?;
    if !folds.is_empty() {
        return read_folds(&folds, vocabulary, sources);
    }
    if only_of(folder, &[screen::MOLECULES])?.is_some() {
        let error = file_error(folder, "this folder is a table of molecules for many screens");
        return Err(error.help("name one of its screens as the data: FOLDER/screens/NAME.tsv"));
    }
    let error = file_error(folder, "there is no examples.txt in this folder");
    Err(error.help("data is a file, or a folder with examples.txt and queries.txt, plain or .gz"))
}

/// Returns the dataset with the classes of its examples as queries, if the folder gives classes.
fn with_labels(folder: &Path, read: DatasetResult, sources: &mut Sources) -> Result<DatasetResult, Error> {
    match (only_of(folder, &["labels.txt"])?, read) {
        (Some(labels), Ok(mut dataset)) => {
            let source = add_file(&labels, sources)?;
            Ok(add_labels(sources.text(source), source, &mut dataset).map(|()| dataset))
        }
        (_, read) => Ok(read),
    }
}

/// Returns the file with one of these names, plain or gzipped; two of them are one too many.
pub(crate) fn only_of(folder: &Path, names: &[&str]) -> Result<Option<PathBuf>, Error> {
    let both = names.iter().flat_map(|name| [(*name).to_owned(), format!("{name}.gz")]);
    let mut found = both.filter(|name| folder.join(name).exists());
    match (found.next(), found.next()) {
        (Some(one), Some(two)) => {
            let error = content_error(folder, format!("there are both {one} and {two} in this folder"));
            Err(error.help("keep one of the two, or name the file itself as the data"))
        }
        (one, _) => Ok(one.map(|name| folder.join(name))),
    }
}

/// Adds the text of a file to the sources.
pub(crate) fn add_file(path: &Path, sources: &mut Sources) -> Result<SourceId, Error> {
    let text = read_text(path)?;
    Ok(sources.add(path.display().to_string(), text))
}
