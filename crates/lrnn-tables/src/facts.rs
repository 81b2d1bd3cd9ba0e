//! Rows into facts and queries: every line over its table, then the engine's builder.

use std::collections::BTreeMap;

use lrnn::diagnostic::Span;
use lrnn::vocabulary::{Constant, Vocabulary};
use lrnn::{Dataset, DatasetBuilder, Error, ErrorKind};

use crate::line_facts::{CellIds, FactRows, FactSink};
use crate::line_rows::LineRows;
use crate::mapping::{ExpressionKind, RelationLine};
use crate::membership::Memberships;
use crate::mistakes::Mistakes;
<<<<<<< HEAD
use crate::preview::{LinePreview, Preview};
use crate::resolve::{ResolvedLine, Tables, short};
use crate::Mapping;
=======
use crate::resolve::{Purpose, ResolvedLine, Tables, short};
use crate::{ColumnKind, Mapping, Moment};

/// An account of the rows of one line.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LineCounts {
    /// Rows of the table.
    pub rows: usize,
    /// Facts or queries that they make, one for each example a row is in.
    pub facts: usize,
    /// Rows that a constant or a comparison of the line leaves out.
    pub filtered: usize,
    /// Rows with a NULL in a column of the line.
    pub nulls: usize,
    /// Rows that belong to no example.
    pub outside: usize,
    /// Rows that are too late for every example they belong to.
    pub late: usize,
}

/// So many facts go to the builder at once: whatever the rows, no more of their texts are in memory.
const CHUNK: usize = 1 << 16;

/// Columns of terms as they grow.
enum TermCells {
    Names(Texts),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
}

impl TermCells {
    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Self::Integers(all), Cell::Integer(number)) => all.push(*number),
            (Self::Numbers(all), Cell::Integer(number)) => all.push(*number as f64),
            (Self::Numbers(all), Cell::Number(number)) => all.push(*number),
            (Self::Names(all), cell) => all.push_cell(cell),
            (Self::Integers(all), _) => all.push(0),
            (Self::Numbers(all), _) => all.push(0.0),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Names(all) => all.clear(),
            Self::Integers(all) => all.clear(),
            Self::Numbers(all) => all.clear(),
        }
    }
}

/// The facts or queries of one line, a chunk at a time for the builder.
struct LineFacts<'a> {
    relation: &'a RelationLine,
    terms: Vec<TermCells>,
    values: Vec<f64>,
    examples: Vec<u32>,
    /// The row of each fact.
    rows: Vec<u32>,
    counts: LineCounts,
    /// The first fact as text.
    first: Option<String>,
    /// Queries of rows without a label.
    is_unlabelled: bool,
}

/// The receiver of the facts of a line: the builder, with the rows that each chunk came from.
struct FactSink<'a> {
    builder: &'a mut DatasetBuilder,
    built: &'a mut Vec<(usize, Vec<u32>)>,
}

impl<'a> LineFacts<'a> {
    fn new(tables: &Tables, line: &ResolvedLine, relation: &'a RelationLine, is_unlabelled: bool) -> Self {
        let cells = |term: &Expression| match tables.kind_of(line, term) {
            ColumnKind::Integer => TermCells::Integers(Vec::new()),
            ColumnKind::Number => TermCells::Numbers(Vec::new()),
            ColumnKind::Text | ColumnKind::Boolean | ColumnKind::Date => TermCells::Names(Texts::default()),
        };
        let terms = relation.terms.iter().map(cells).collect();
        let counts = LineCounts { rows: tables.frames[line.frame].rows, ..LineCounts::default() };
        let (values, examples, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { relation, terms, values, examples, rows, counts, first: None, is_unlabelled }
    }

    /// Adds the terms and values of a row for each example by its own moment.
    fn add_by_example(
        &mut self,
        rows: &LineRows<'a>,
        row: usize,
        examples: &[u32],
        moments: &[Moment],
        with_value: bool,
    ) -> Result<RowUse, CellError> {
        let mut found = RowUse::Filtered;
        for &example in examples {
            let own = LineRows { as_of: Some(moments[example as usize]), ..*rows };
            match own.holds(row, true)? {
                RowUse::Kept => found = self.add(&own, row, &[example], with_value)?,
                RowUse::Null if found == RowUse::Filtered => found = RowUse::Null,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Adds the terms and values of a row for some examples, where nothing is NULL.
    fn add(
        &mut self,
        rows: &LineRows<'a>,
        row: usize,
        examples: &[u32],
        with_value: bool,
    ) -> Result<RowUse, CellError> {
        let relation = rows.relation;
        let values = self.values.len();
        for value in relation.value.iter().filter(|_| with_value) {
            match rows.number(value, row)? {
                Some(number) => self.values.push(number),
                None => {
                    self.values.truncate(values);
                    return Ok(RowUse::Null);
                }
            }
        }
        let mut terms: [Cell<'_>; 8] = std::array::from_fn(|_| Cell::Null);
        let mut more = Vec::new();
        for (at, term) in relation.terms.iter().enumerate() {
            let cell = rows.term(term, row)?;
            if cell == Cell::Null {
                self.values.truncate(values);
                return Ok(RowUse::Null);
            }
            match terms.get_mut(at) {
                Some(place) => *place = cell,
                None => more.push(cell),
            }
        }
        let width = self.values.len() - values;
        for number in 0..examples.len() {
            for (cells, cell) in self.terms.iter_mut().zip(terms.iter().chain(&more)) {
                cells.push(cell);
            }
            if number > 0 {
                self.values.extend_from_within(values..values + width);
            }
            self.rows.push(row as u32);
        }
        if examples.is_empty() {
            self.values.truncate(values);
        }
        self.examples.extend_from_slice(examples);
        self.counts.facts += examples.len();
        Ok(RowUse::Kept)
    }

    /// Gives a chunk of facts to the builder, if one is full or the last.
    fn flush(&mut self, frame: usize, is_last: bool, sink: &mut Option<FactSink<'_>>) {
        if self.first.is_none() {
            self.first = self.text_of_first(self.relation);
        }
        if self.rows.is_empty() || !(is_last || self.rows.len() >= CHUNK) {
            return;
        }
        if let Some(FactSink { builder, built }) = sink {
            self.build(self.relation, builder);
            built.push((frame, std::mem::take(&mut self.rows)));
            self.examples.clear();
        }
        self.rows.clear();
        self.values.clear();
        self.terms.iter_mut().for_each(TermCells::clear);
    }

    /// Gives the facts to the builder.
    fn build(&self, relation: &RelationLine, builder: &mut DatasetBuilder) {
        let names: Vec<Vec<&str>> = self
            .terms
            .iter()
            .map(|cells| match cells {
                TermCells::Names(names) => names.iter().collect(),
                _ => Vec::new(),
            })
            .collect();
        let columns = self.terms.iter().zip(&names).map(|(cells, names)| match cells {
            TermCells::Names(_) => Column::Names(names),
            TermCells::Integers(numbers) => Column::Integers(numbers),
            TermCells::Numbers(numbers) => Column::Numbers(numbers),
        });
        let has_values = !relation.value.is_empty() && !self.is_unlabelled;
        let table = Table {
            predicate: &relation.predicate,
            columns: columns.collect(),
            values: has_values.then_some(&self.values[..]),
            shape: relation.is_vector.then(|| Shape::vector(relation.value.len() as u32)),
            examples: Some(&self.examples),
            rows: self.rows.len(),
        };
        match relation.is_query {
            true => builder.queries_of(&table),
            false => builder.facts(&table),
        };
    }

    /// Returns the first fact as text.
    fn text_of_first(&self, relation: &RelationLine) -> Option<String> {
        self.rows.first()?;
        let term = |cells: &TermCells| match cells {
            TermCells::Names(names) => Constant::from(names.iter().next().unwrap_or("")).to_string(),
            TermCells::Integers(numbers) => numbers[0].to_string(),
            TermCells::Numbers(numbers) => Constant::number(numbers[0]).to_string(),
        };
        let terms: Vec<String> = self.terms.iter().map(term).collect();
        let values: Vec<String> = self
            .values
            .iter()
            .take(relation.value.len())
            .map(|&value| Constant::number(value).to_string())
            .collect();
        let value = match (relation.is_vector, self.is_unlabelled || values.is_empty()) {
            (_, true) => String::new(),
            (true, _) => format!("[{}] :: ", values.join(", ")),
            (false, _) => format!("{} :: ", values.join(", ")),
        };
        let terms = if terms.is_empty() { String::new() } else { format!("({})", terms.join(", ")) };
        Some(format!("{value}{}{terms}", Constant::from(relation.predicate.as_str())))
    }
}

/// A line with what became of its rows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinePreview {
    /// The line.
    pub line: String,
    /// An account of the rows.
    #[serde(flatten)]
    pub counts: LineCounts,
    /// The first fact, or query.
    pub first: Option<String>,
    /// The ways of rows to their examples.
    pub by: String,
}

/// Facts of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PredicateCount {
    /// Its name and arity.
    pub predicate: String,
    /// Facts in all examples together.
    pub facts: usize,
    /// Rows that said what another row had said already.
    pub repeated: usize,
}

/// The data that a mapping makes of its tables.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Preview {
    /// The names of the sources.
    pub sources: Vec<String>,
    /// Number of examples.
    pub examples: usize,
    /// Rows of the example table without a label, which are no examples.
    pub unlabelled: usize,
    /// The lines.
    pub lines: Vec<LinePreview>,
    /// The predicates of facts.
    pub predicates: Vec<PredicateCount>,
    /// Blank lines of CSV files, which are no rows: the table, and how many.
    pub blank_lines: Vec<(String, usize)>,
}
>>>>>>> refs/heads/door

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

    fn built(
        &self,
        vocabulary: Vocabulary,
        training: Option<&[usize]>,
        fitted: Option<&Mapping>,
    ) -> Result<TableDataset, Error> {
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
        self.add_notes(&mut dataset);
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
    fn placed(&self, error: &Error, built: &[(usize, FactRows)]) -> Error {
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

    /// Adds what is to be said of the mapping to the notes of the data.
    fn add_notes(&self, dataset: &mut Dataset) {
        let Some((name, text)) = self.mapping.sources.iter().next() else { return };
        if self.notes.is_empty() {
            return;
        }
        let source = dataset.sources.add(name, text);
        for note in &self.notes {
            let mut note = note.clone();
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
