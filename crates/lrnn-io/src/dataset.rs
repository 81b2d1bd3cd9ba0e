//! A file or a folder of data.

use std::path::{Path, PathBuf};

use lrnn::data::{Builder, Dataset, Layout};
use lrnn::syntax::{Diagnostic, Sources};
use lrnn::vocabulary::Vocabulary;

use crate::file::{IoError, read_text};

/// Reads data: a file in one of the layouts, or a folder with `examples.txt` (or `facts.txt`, `facts.pl`),
/// `queries.txt` and, where there are, `ids.txt`, `folds.txt` and `weights.txt`, each plain or `.gz`. The texts join
/// `sources`.
pub fn read_data(
    path: &Path,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<Result<Dataset, Vec<Diagnostic>>, IoError> {
    let mut builder = Builder::new(vocabulary);
    if path.is_dir() {
        read_folder(path, &mut builder, sources)?;
    } else {
        let layout = layout_of(path);
        with_text(path, sources, |text, source| builder.examples(text, source, layout))?;
    }
    Ok(builder.finish().and_then(|dataset| not_empty(path, dataset, sources)))
}

fn not_empty(path: &Path, dataset: Dataset, sources: &mut Sources) -> Result<Dataset, Vec<Diagnostic>> {
    if dataset.examples.is_empty() {
        let source = sources.add(path.display().to_string(), "");
        let span = lrnn::syntax::Span { source, start: 0, end: 0 };
        let help = "an example is a sentence of facts: `bond(a, b), carbon(a).`";
        return Err(vec![Diagnostic::error("D0119", span, "there is no example in this data").help(help)]);
    }
    Ok(dataset)
}

/// The name of a file tells its layout; where it does not, the text does.
fn layout_of(path: &Path) -> Layout {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    match name {
        name if name.starts_with("examples.") => Layout::Examples,
        name if name.starts_with("facts.") || name.ends_with(".pl") || name.ends_with(".pl.gz") => {
            Layout::Facts
        }
        _ => Layout::Detect,
    }
}

fn read_folder(folder: &Path, builder: &mut Builder, sources: &mut Sources) -> Result<(), IoError> {
    let Some(examples) = only_of(folder, &["examples.txt", "facts.txt", "facts.pl"])? else {
        let error = IoError::new(folder, "there is no examples.txt in this folder");
        return Err(error.help("data is a file, or a folder with examples.txt and queries.txt, plain or .gz"));
    };
    let layout = layout_of(&examples);
    with_text(&examples, sources, |text, source| builder.examples(text, source, layout))?;
    if let Some(queries) = only_of(folder, &["queries.txt"])? {
        with_text(&queries, sources, |text, source| builder.queries(text, source))?;
    }
    if let Some(ids) = only_of(folder, &["ids.txt"])? {
        with_text(&ids, sources, |text, source| builder.ids(text, source))?;
    }
    if let Some(folds) = only_of(folder, &["folds.txt"])? {
        with_text(&folds, sources, |text, source| builder.folds(text, source))?;
    }
    if let Some(weights) = only_of(folder, &["weights.txt"])? {
        with_text(&weights, sources, |text, source| builder.weights(text, source))?;
    }
    Ok(())
}

/// The file with one of these names, plain or gzipped; two of them are one too many.
fn only_of(folder: &Path, names: &[&str]) -> Result<Option<PathBuf>, IoError> {
    let both = names.iter().flat_map(|name| [(*name).to_owned(), format!("{name}.gz")]);
    let mut found = both.filter(|name| folder.join(name).exists());
    match (found.next(), found.next()) {
        (Some(one), Some(two)) => {
            let error = IoError::content(folder, format!("there are both {one} and {two} in this folder"));
            Err(error.help("keep one of the two, or name the file itself as the data"))
        }
        (one, _) => Ok(one.map(|name| folder.join(name))),
    }
}

fn with_text(
    path: &Path,
    sources: &mut Sources,
    read: impl FnOnce(&str, lrnn::syntax::SourceId),
) -> Result<(), IoError> {
    let text = read_text(path)?;
    let source = sources.add(path.display().to_string(), text);
    read(sources.text(source), source);
    Ok(())
}
