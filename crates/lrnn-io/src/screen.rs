//! One table of molecules, many screens over it: `molecules.txt` (plain or `.gz`), a molecule a line, and for each
//! screen a `.tsv` beside it or in a folder beside it (`screens/786_0.tsv`), whose rows are the number of a molecule
//! from 1, its label (1 active, 0 not) and, in all rows or none, its fold. Row i is example i; its query is `active`.

use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn::data::{Dataset, DatasetBuilder, Example, Layout, Query};
use lrnn::diagnostic::{Diagnostic, SourceId, Sources, Span};
use lrnn::vocabulary::{PredicateId, Vocabulary};

use crate::dataset::{DatasetResult, add_file, only_of, with_types};
use crate::line::{Line, lines};

/// The name of a table of molecules, plain or gzipped.
pub(crate) const MOLECULES: &str = "molecules.txt";

/// The query of a molecule.
pub(crate) const ACTIVE: &str = "active";

/// Returns the table of molecules that a screen is about, if this is a screen.
pub(crate) fn table_of(path: &Path) -> Result<Option<PathBuf>, Error> {
    let is_table = path.extension().is_some_and(|extension| extension == "tsv");
    if !is_table || !path.exists() {
        return Ok(None);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for folder in [folder.to_owned(), folder.join("..")] {
        if let Some(table) = only_of(&folder, &[MOLECULES])? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// Reads one screen over a table of molecules.
pub(crate) fn read_screen(
    path: &Path,
    table: &Path,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    let source = add_file(path, sources)?;
    let rows = match rows(sources.text(source), source) {
        Ok(rows) => rows,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let mut builder = DatasetBuilder::new(vocabulary);
    let molecules_source = add_file(table, sources)?;
    let text = sources.text(molecules_source);
    let molecules = lines(text, molecules_source).count();
    builder.examples(text, molecules_source, Layout::Examples);
    let read = builder.finish().and_then(|table| {
        one_a_line(&table, molecules, source)?;
        screen(table, &rows)
    });
    with_types(table.parent(), read, sources)
}

/// A row of a screen.
struct ScreenRow {
    molecule: usize,
    label: f64,
    fold: Option<u32>,
    span: Span,
}

fn rows(text: &str, source: SourceId) -> Result<Vec<ScreenRow>, Vec<Diagnostic>> {
    let (mut rows, mut wrong): (Vec<ScreenRow>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for line in lines(text, source) {
        match row(line) {
            Ok(row) => {
                if rows.first().is_some_and(|first| first.fold.is_some() != row.fold.is_some()) {
                    let message = "some rows have a fold and some have none";
                    let error = Diagnostic::error("D0121", row.span, message);
                    wrong.push(error.help("give all rows a fold, or none"));
                }
                rows.push(row);
            }
            Err(diagnostic) => wrong.push(diagnostic),
        }
    }
    wrong.truncate(50);
    if wrong.is_empty() { Ok(rows) } else { Err(wrong) }
}

fn row(line: Line<'_>) -> Result<ScreenRow, Diagnostic> {
    let fields: Vec<&str> = line.text.split_whitespace().collect();
    let read = || {
        let molecule = fields.first()?.parse().ok().filter(|&number: &usize| number > 0)?;
        let label = fields.get(1)?.parse().ok().filter(|&label: &f64| label == 0.0 || label == 1.0)?;
        let fold = match fields.get(2) {
            Some(fold) => Some(fold.parse().ok()?),
            None => None,
        };
        (fields.len() <= 3).then_some(ScreenRow { molecule, label, fold, span: line.span })
    };
    read().ok_or_else(|| {
        let message = format!("`{}` is no row of a screen", fields.join(" "));
        let help = "a row has the number of a molecule from 1, its label 1 or 0, and its fold from 0";
        Diagnostic::error("D0121", line.span, message).help(help)
    })
}

/// Checks that line i of the table is molecule i.
fn one_a_line(table: &Dataset, lines: usize, source: SourceId) -> Result<(), Vec<Diagnostic>> {
    if table.examples.len() == lines {
        return Ok(());
    }
    let span = Span { source, start: 0, end: 0 };
    let found = table.examples.len();
    let message = format!("{MOLECULES} does not have one molecule a line: lines {lines}, molecules {found}");
    let help = "each line of it is one molecule: facts with commas, and a full stop at the end";
    Err(vec![Diagnostic::error("D0122", span, message).help(help)])
}

fn screen(mut table: Dataset, rows: &[ScreenRow]) -> Result<Dataset, Vec<Diagnostic>> {
    let count = table.examples.len();
    let beyond = rows.iter().filter(|row| row.molecule > count).take(50).map(|row| {
        let message = format!("there is no molecule {}: {MOLECULES} has {count}", row.molecule);
        Diagnostic::error("D0123", row.span, message).help("molecules are numbered by their lines, from 1")
    });
    let beyond: Vec<Diagnostic> = beyond.collect();
    if !beyond.is_empty() {
        return Err(beyond);
    }
    let active = table.vocabulary.predicate(ACTIVE, 0);
    table.examples = rows.iter().map(|row| table.examples[row.molecule - 1].clone()).collect();
    table.queries = rows.iter().map(|row| vec![query(active, row)]).collect();
    table.ids = rows.iter().map(|row| row.molecule.to_string().into()).collect();
    table.folds = rows.iter().filter_map(|row| row.fold).collect();
    forget_others(&mut table);
    Ok(table)
}

fn query(active: PredicateId, row: &ScreenRow) -> Query {
    Query { predicate: active, terms: Vec::new(), target: Some(vec![row.label]), weight: 1.0, span: row.span }
}

/// Forgets the facts of molecules outside the screen.
fn forget_others(dataset: &mut Dataset) {
    let mut used = vec![false; dataset.vocabulary.predicate_count()];
    let tables =
        |example: &Example| example.tables.iter().map(|table| table.predicate.index()).collect::<Vec<_>>();
    dataset.examples.iter().flat_map(tables).for_each(|predicate| used[predicate] = true);
    dataset.facts_seen.resize(used.len(), None);
    for (seen, used) in dataset.facts_seen.iter_mut().zip(used) {
        *seen = seen.filter(|_| used);
    }
}
