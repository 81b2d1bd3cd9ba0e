//! Folders `fold1`, `fold2`, ... of knowledge bases: each with `facts.txt`, and the atoms that hold and that do not in
//! `pos.txt` and `neg.txt`.

use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;

use crate::dataset::{DatasetResult, add_file, only_of};
use crate::file::{entries, file_error};
use crate::prolog_folder::with_truth;

/// Returns the folders of folds in a folder, by their number.
pub(crate) fn fold_folders(folder: &Path) -> Result<Vec<(u32, PathBuf)>, Error> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix("fold")).and_then(|number| number.parse().ok());
        if let Some(number) = number.filter(|_| path.is_dir()) {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found)
}

/// Reads each fold as one example, whose queries have target 1 or 0.
pub(crate) fn read_folds(
    folders: &[(u32, PathBuf)],
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    let mut all = Dataset { vocabulary, ..Dataset::default() };
    for (number, folder) in folders {
        match read_fold(folder, all.vocabulary.clone(), sources)? {
            Ok(mut fold) => {
                fold.ids = vec![format!("fold{number}").into()];
                all.append(fold);
                all.folds.push(*number);
            }
            Err(diagnostics) => return Ok(Err(diagnostics)),
        }
    }
    Ok(Ok(all))
}

fn read_fold(folder: &Path, vocabulary: Vocabulary, sources: &mut Sources) -> Result<DatasetResult, Error> {
    let mut builder = DatasetBuilder::new(vocabulary);
    let facts = add_file(&needed(folder, "facts.txt")?, sources)?;
    builder.examples(sources.text(facts), facts, Layout::Facts);
    let positive = add_file(&needed(folder, "pos.txt")?, sources)?;
    builder.queries(sources.text(positive), positive);
    let negative = add_file(&needed(folder, "neg.txt")?, sources)?;
    builder.queries(sources.text(negative), negative);
    Ok(with_truth(builder, &[positive]))
}

fn needed(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let missing = || {
        let error = file_error(folder, format!("there is no {name} in this folder"));
        error.help("a fold is a folder with facts.txt, pos.txt and neg.txt, plain or .gz")
    };
    only_of(folder, &[name])?.ok_or_else(missing)
}
