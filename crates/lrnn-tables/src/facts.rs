//! Rows into facts and queries: every line over its table, then the engine's builder.

use std::collections::BTreeMap;

use lrnn::diagnostic::{Diagnostic, Span};
use lrnn::vocabulary::{Constant, Vocabulary};
use lrnn::{Dataset, DatasetBuilder, Error, ErrorKind};

use crate::Mapping;
use crate::line_facts::{CellIds, FactSink, RowsOfFacts};
use crate::line_rows::LineRows;
use crate::mapping::{ExpressionKind, RelationLine};
use crate::membership::Memberships;
use crate::mistakes::Mistakes;
use crate::preview::{LinePreview, Preview};
use crate::resolve::{Purpose, ResolvedLine, Tables, short};

/// A dataset with how it came to be.
#[derive(Debug)]
pub struct TableDataset {
    /// The dataset.
    pub dataset: Dataset,
    /// An account of the rows.
    pub preview: Preview,
    /// The mapping with all that was learned from training rows.
    pub mapping: Mapping,
}

impl Tables {
    /// Makes the dataset. What the mapping learns, it learns from these examples; from all if none are named.
    pub fn dataset(&self, vocabulary: Vocabulary, training: Option<&[usize]>) -> Result<TableDataset, Error> {
        self.built(vocabulary, training, None)
    }

    /// Makes the dataset by what this mapping, or one that learned from other rows, has learned already.
    pub fn dataset_by(&self, vocabulary: Vocabulary, fitted: &Mapping) -> Result<TableDataset, Error> {
        let is_same = |line: &ResolvedLine| {
            let (own, other) = (self.line(line), fitted.sentences.get(line.sentence));
            matches!(other, Some((crate::mapping::Sentence::Relation(other), _))
                if own.predicate == other.predicate && own.table == other.table && own.terms.len() == other.terms.len())
        };
        match self.lines.iter().all(is_same) {
            true => self.built(vocabulary, None, Some(fitted)),
            false => Err(Error::new(
                ErrorKind::Content,
                "the tables were mapped in another way when it was learned",
            )
            .help("map them with the mapping that was learned with")),
        }
    }

    /// Returns the mapping with all that it learns from these examples; from all if none are named.
    pub fn fitted(&self, training: Option<&[usize]>) -> Result<Mapping, Error> {
        let mut mistakes = Mistakes::new(self);
        let mut memberships = Memberships::new(self)?;
        let kept = self.labelled(&mut memberships, &mut mistakes)?;
        let mapping = self.fit(&mut memberships, &kept, training, &mut mistakes)?;
        mistakes.finish()?;
        Ok(mapping)
    }

    pub(crate) fn built(
        &self,
        vocabulary: Vocabulary,
        training: Option<&[usize]>,
        fitted: Option<&Mapping>,
    ) -> Result<TableDataset, Error> {
        if let Some((frame, _)) = self.example.filter(|_| self.example_count() == 0) {
            let message =
                format!("the table `{}` has no rows, so there are no examples", self.frames[frame].name);
            return Err(Error::new(ErrorKind::Content, message));
        }
        let mut mistakes = Mistakes::new(self);
        let mut memberships = Memberships::new(self)?;
        self.check_labels()?;
        let kept = self.labelled(&mut memberships, &mut mistakes)?;
        let mapping = match fitted {
            Some(fitted) => fitted.clone(),
            None => self.fit(&mut memberships, &kept, training, &mut mistakes)?,
        };
        let mut builder = DatasetBuilder::new(self.with_bins(vocabulary));
        builder.reach(kept.iter().flatten().max().map_or(0, |&last| last as usize + 1));
        let relations = self.lines.iter().map(|line| (line, mapping_line(&mapping, line)));
        let known = CellIds::of(relations.clone());
        let mut sink = FactSink { builder: &mut builder, known, built: Vec::new() };
        let mut previews = Vec::new();
        for (line, relation) in relations {
            let rows = LineRows { tables: self, line, relation, as_of: None };
            for is_unlabelled in [false, true] {
                if is_unlabelled && !self.asks_unlabelled(line) {
                    continue;
                }
                let sink = Some(&mut sink);
                let facts =
                    self.line_facts(&rows, &mut memberships, &kept, is_unlabelled, &mut mistakes, sink)?;
                if is_unlabelled && facts.counts.facts == 0 {
                    continue;
                }
                previews.push(LinePreview {
                    line: crate::mapping::line_text(relation),
                    counts: facts.counts,
                    first: facts.first,
                    by: memberships.path(line.frame),
                });
            }
        }
        let built = sink.built;
        mistakes.finish()?;
        let names: Vec<String> = self.example_names(&kept)?;
        if !names.is_empty() {
            builder.names(names);
        }
        let mut dataset = builder.build().map_err(|error| self.placed(&error, &built))?;
        let unlabelled = self.example_count() - kept.iter().flatten().count();
        let dangling = memberships.dangling.values().filter(|_| self.purpose != Purpose::Prediction);
        self.add_notes(&mut dataset, dangling.map(|rows| rows.warning(self)).collect());
        let preview = self.preview_of(&dataset, previews, unlabelled);
        Ok(TableDataset { dataset, preview, mapping })
    }

    /// Returns a vocabulary with the numbers of all bins: each fold of a cross-validation has bins of its own, and one
    /// may be empty in the data as a whole.
    fn with_bins(&self, mut vocabulary: Vocabulary) -> Vocabulary {
        for term in self.mapping.relations().flat_map(|line| &line.terms) {
            if let ExpressionKind::Bins(_, count, _) = &term.kind {
                for bin in 1..=i64::from(*count) {
                    vocabulary.insert(Constant::Integer(bin));
                }
            }
        }
        vocabulary
    }

    /// Returns how many examples the tables have, with a label or without.
    pub(crate) fn example_count(&self) -> usize {
        self.example.map_or(1, |(frame, _)| self.frames[frame].rows)
    }

    fn example_names(&self, kept: &[Option<u32>]) -> Result<Vec<String>, Error> {
        let Some((_, Some(column))) = self.example else { return Ok(Vec::new()) };
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        let mut names = Vec::new();
        for (row, is_kept) in kept.iter().map(Option::is_some).enumerate() {
            let name = self.column(column).cell(row).into_name();
            let message = match &name {
                None => Some("the key of an example is NULL".to_owned()),
                Some(name) => first
                    .insert(name.clone(), row)
                    .map(|_| format!("two examples have the key `{}`", short(name))),
            };
            if let Some(message) = message {
                let mut mistakes = Mistakes::new(self);
                let line = self.mapping.example().map_or(Span::default(), |line| line.span);
                mistakes.cell(column.frame, row, column.column, message, line);
                mistakes.finish()?;
            }
            if is_kept {
                names.extend(name);
            }
        }
        Ok(names)
    }

    /// Returns an error of the builder with the places of rows where they were read.
    fn placed(&self, error: &Error, built: &[(usize, RowsOfFacts)]) -> Error {
        let mut mistakes = Mistakes::new(self);
        let mut found = Vec::new();
        for diagnostic in error.diagnostics() {
            let mut diagnostic = diagnostic.clone();
            for label in &mut diagnostic.labels {
                let at = table_number(error, label.span);
                if let Some((frame, rows)) = at.and_then(|at| built.get(at))
                    && let Some(row) = rows.get(label.span.start as usize)
                {
                    label.span = mistakes.place(*frame, row, 0);
                }
            }
            found.push(diagnostic);
        }
        match found.is_empty() {
            true => error.clone(),
            false => Error::of(error.kind(), found, &mistakes.sources),
        }
    }

    /// Adds what is to be said of the mapping, and of the rows, to the notes of the data.
    pub(crate) fn add_notes(&self, dataset: &mut Dataset, of_rows: Vec<Diagnostic>) {
        let Some((name, text)) = self.mapping.sources.iter().next() else { return };
        if self.notes.is_empty() && of_rows.is_empty() {
            return;
        }
        let source = dataset.sources.add(name, text);
        for mut note in self.notes.iter().cloned().chain(of_rows) {
            note.labels.iter_mut().for_each(|label| label.span.source = source);
            dataset.notes.push(note);
        }
    }
}

/// Returns which of the tables that went to the builder a place is in.
fn table_number(error: &Error, span: Span) -> Option<usize> {
    let first = (0..).map(|at| Span { source: lrnn::diagnostic::SourceId(span.source.0 - at), ..span });
    let is_line = |span: &Span| {
        !error.sources().name(span.source).starts_with("of example ") && error.sources().is_table(span.source)
    };
    let count = first.take(span.source.0 as usize).take_while(is_line).count();
    count.checked_sub(1)
}

fn mapping_line<'a>(mapping: &'a Mapping, line: &ResolvedLine) -> &'a RelationLine {
    match &mapping.sentences[line.sentence].0 {
        crate::mapping::Sentence::Relation(relation) => relation,
        _ => unreachable!("lines are resolved from relations"),
    }
}
