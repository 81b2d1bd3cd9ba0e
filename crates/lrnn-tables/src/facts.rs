//! Rows into facts and queries: every line over its table, then the engine's builder.

use std::collections::BTreeMap;

use lrnn::diagnostic::{Diagnostic, Span, did_you_mean};
use lrnn::function::Shape;
use lrnn::vocabulary::{Constant, Vocabulary};
use lrnn::{Column, Dataset, DatasetBuilder, Error, ErrorKind, Table};
use serde::Serialize;

use crate::frame::{Cell, Texts};
use crate::line_rows::{CellError, LineRows, RowUse, is_constant};
use crate::mapping::{Expression, ExpressionKind, Pattern, RelationLine};
use crate::membership::Memberships;
use crate::mistakes::Mistakes;
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

    fn built(
        &self,
        vocabulary: Vocabulary,
        training: Option<&[usize]>,
        fitted: Option<&Mapping>,
    ) -> Result<TableDataset, Error> {
        let mut mistakes = Mistakes::new(self);
        let mut memberships = Memberships::new(self)?;
        let examples = self.example_count();
        let lines: Vec<&ResolvedLine> = self.lines.iter().collect();
        self.check_labels()?;
        let kept = self.labelled(&mut memberships, &mut mistakes)?;
        let mapping = match fitted {
            Some(fitted) => fitted.clone(),
            None => self.fit(&mut memberships, &kept, training, &mut mistakes)?,
        };
        let mut builder = DatasetBuilder::new(self.with_bins(vocabulary));
        let mut built = Vec::new();
        let mut previews = Vec::new();
        self.begin_examples(&kept, &mut builder);
        for line in &lines {
            let relation = mapping_line(&mapping, line);
            let rows = LineRows { tables: self, line, relation, as_of: None };
            for is_unlabelled in [false, true] {
                if is_unlabelled && !self.asks_unlabelled(line) {
                    continue;
                }
                let sink = Some(FactSink { builder: &mut builder, built: &mut built });
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
        mistakes.finish()?;
        let names: Vec<String> = self.example_names(&kept)?;
        if !names.is_empty() {
            builder.names(names);
        }
        let mut dataset = builder.build().map_err(|error| self.placed(&error, &built))?;
        let unlabelled = examples - kept.iter().flatten().count();
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

    fn example_count(&self) -> usize {
        self.example.map_or(1, |(frame, _)| self.frames[frame].rows)
    }

    /// Begins every example, those without facts too, and the only one of a knowledge base.
    fn begin_examples(&self, kept: &[Option<u32>], builder: &mut DatasetBuilder) {
        let last = kept.iter().flatten().max().copied();
        if let Some(last) = last {
            // A table without rows begins the examples that it names.
            for _ in 0..=last {
                builder.example("");
            }
        }
    }

    /// Returns the number that each example has among those that are kept: to learn, those with a label.
    fn labelled(
        &self,
        memberships: &mut Memberships<'_>,
        mistakes: &mut Mistakes<'_>,
    ) -> Result<Vec<Option<u32>>, Error> {
        let count = self.example_count();
        let all: Vec<Option<u32>> = (0..count as u32).map(Some).collect();
        let asks = self.lines.iter().any(|line| self.line(line).is_query);
        if self.purpose == Purpose::Prediction || self.example.is_none() || !asks {
            return Ok(all);
        }
        let mut has_label = vec![false; count];
        for line in self.lines.iter().filter(|line| self.line(line).is_query) {
            let rows = LineRows::new(self, line);
            for &example in &self.line_facts(&rows, memberships, &all, false, mistakes, None)?.examples {
                has_label[example as usize] = true;
            }
        }
        let mut next = 0;
        let number = |has_label: bool| {
            has_label.then(|| {
                next += 1;
                next - 1
            })
        };
        Ok(has_label.into_iter().map(number).collect())
    }

    /// Tells whether rows without a label are asked for by this line: the first of its predicate with its terms.
    fn asks_unlabelled(&self, line: &ResolvedLine) -> bool {
        let relation = self.line(line);
        let kinds = |it: &RelationLine| it.terms.iter().map(|term| term.kind.clone()).collect::<Vec<_>>();
        let same = |other: &&ResolvedLine| {
            let it = self.line(other);
            it.is_query
                && it.predicate == relation.predicate
                && it.table == relation.table
                && kinds(it) == kinds(relation)
        };
        let is_first = self.lines.iter().find(same).is_some_and(|first| first.sentence == line.sentence);
        relation.is_query && self.purpose == Purpose::Prediction && is_first
    }

    /// Evaluates a line over its table.
    fn line_facts<'a>(
        &'a self,
        rows: &LineRows<'a>,
        memberships: &mut Memberships<'_>,
        kept: &[Option<u32>],
        is_unlabelled: bool,
        mistakes: &mut Mistakes<'_>,
        mut sink: Option<FactSink<'_>>,
    ) -> Result<LineFacts<'a>, Error> {
        let mut facts = LineFacts::new(self, rows.line, rows.relation, is_unlabelled);
        let frame = rows.line.frame;
        let all_moments = memberships.moments();
        let membership = memberships.of(frame, !rows.relation.is_query)?;
        let everyone: Vec<u32> = kept.iter().flatten().copied().collect();
        let moments = is_by_example(rows.relation).then(|| kept_moments(&all_moments, kept));
        let mut own = Vec::new();
        for row in 0..self.frames[frame].rows {
            facts.flush(frame, false, &mut sink);
            let taken = match self.takes(rows, row, is_unlabelled) {
                Ok(taken) => taken,
                Err(wrong) => {
                    mistakes.cell(frame, row, wrong.column, wrong.message, rows.relation.span);
                    continue;
                }
            };
            match taken {
                RowUse::Filtered => facts.counts.filtered += 1,
                RowUse::Null => facts.counts.nulls += 1,
                RowUse::Kept => {
                    let examples = match membership.of(row) {
                        None => &everyone[..],
                        Some(examples) => {
                            own.clear();
                            own.extend(examples.iter().filter_map(|&example| kept[example as usize]));
                            if examples.is_empty() {
                                match membership.hidden(row) {
                                    0 => facts.counts.outside += 1,
                                    _ => facts.counts.late += 1,
                                }
                            }
                            &own[..]
                        }
                    };
                    if examples.is_empty() {
                        continue;
                    }
                    let added = match &moments {
                        None => facts.add(rows, row, examples, !is_unlabelled),
                        Some(moments) => facts.add_by_example(rows, row, examples, moments, !is_unlabelled),
                    };
                    match added {
                        Ok(RowUse::Kept) => {}
                        Ok(RowUse::Null) => facts.counts.nulls += 1,
                        Ok(RowUse::Filtered) => facts.counts.filtered += 1,
                        Err(wrong) => {
                            mistakes.cell(frame, row, wrong.column, wrong.message, rows.relation.span);
                        }
                    }
                }
            }
        }
        facts.flush(frame, true, &mut sink);
        Ok(facts)
    }

    /// Tells whether a line takes a row; of a query without a label, whether no label is there.
    fn takes(&self, rows: &LineRows<'_>, row: usize, is_unlabelled: bool) -> Result<RowUse, CellError> {
        if !is_unlabelled {
            return rows.takes(row, false);
        }
        let same = |other: &&ResolvedLine| {
            let it = self.line(other);
            it.is_query && it.predicate == rows.relation.predicate && it.table == rows.relation.table
        };
        for line in self.lines.iter().filter(same) {
            let other = LineRows::new(self, line);
            let has_target = other.takes(row, false)? == RowUse::Kept
                && other.relation.value.iter().all(|value| matches!(other.number(value, row), Ok(Some(_))));
            if has_target {
                return Ok(RowUse::Filtered);
            }
        }
        // A target that is NULL is no reason not to ask.
        Ok(RowUse::Kept)
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
    fn placed(&self, error: &Error, built: &[(usize, Vec<u32>)]) -> Error {
        let mut mistakes = Mistakes::new(self);
        let mut found = Vec::new();
        for diagnostic in error.diagnostics() {
            let mut diagnostic = diagnostic.clone();
            for label in &mut diagnostic.labels {
                let at = table_number(error, label.span);
                if let Some((frame, rows)) = at.and_then(|at| built.get(at))
                    && let Some(&row) = rows.get(label.span.start as usize)
                {
                    label.span = mistakes.place(*frame, row as usize, 0);
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

    /// Checks that every value of a label is named by some query.
    fn check_labels(&self) -> Result<(), Error> {
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut seen: Vec<(usize, usize)> = Vec::new();
        for line in self.lines.iter().filter(|line| self.line(line).is_query) {
            let relation = self.line(line);
            for (it, column) in relation.columns.iter().zip(&line.columns) {
                let (Pattern::Constant(_), Some(column)) = (&it.pattern, *column) else { continue };
                if seen.contains(&(column.frame, column.column)) {
                    continue;
                }
                seen.push((column.frame, column.column));
                let known = self.named_labels(&relation.table, &it.column);
                let mut others: BTreeMap<String, usize> = BTreeMap::new();
                for row in 0..self.frames[column.frame].rows {
                    let Ok(cell) = self.cell(column, row) else { continue };
                    if cell != Cell::Null && !known.iter().any(|constant| is_constant(&cell, constant)) {
                        *others.entry(short(&cell.into_name().unwrap_or_default())).or_default() += 1;
                    }
                }
                if !others.is_empty() {
                    found.push(unnamed(&relation.table, it, &known, &others));
                }
            }
        }
        match found.is_empty() {
            true => Ok(()),
            false => Err(Error::of(ErrorKind::Content, found, &self.mapping.sources)),
        }
    }

    /// Returns the labels of a column that queries name, and those that are left out on purpose.
    fn named_labels(&self, table: &str, column: &str) -> Vec<Constant> {
        let queries = self.mapping.relations().filter(|line| line.is_query && line.table == table);
        let patterns = queries.flat_map(|line| &line.columns).filter(|it| it.column == column);
        let constants = patterns.filter_map(|it| match &it.pattern {
            Pattern::Constant(constant) => Some(constant.clone()),
            Pattern::Variable(_) => None,
        });
        let ignored = self.mapping.ignored().filter(|(name, _)| name.table == table && name.column == column);
        constants.chain(ignored.map(|(_, constant)| constant.clone())).collect()
    }

    fn preview_of(&self, dataset: &Dataset, lines: Vec<LinePreview>, unlabelled: usize) -> Preview {
        let mut made: Vec<(String, usize)> = Vec::new();
        for (line, preview) in self.lines.iter().zip(&lines) {
            let relation = self.line(line);
            if relation.is_query {
                continue;
            }
            let name = format!("{}/{}", Constant::from(relation.predicate.as_str()), relation.terms.len());
            match made.iter_mut().find(|(known, _)| *known == name) {
                Some((_, facts)) => *facts += preview.counts.facts,
                None => made.push((name, preview.counts.facts)),
            }
        }
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        for table in dataset.examples.iter().flat_map(|example| &example.tables) {
            let signature = dataset.vocabulary.signature(table.predicate);
            let name = format!("{}/{}", Constant::from(&*signature.name), signature.arity);
            *kept.entry(name).or_default() += table.rows as usize;
        }
        let predicates = made.into_iter().map(|(predicate, all)| {
            let facts = kept.get(&predicate).copied().unwrap_or(0);
            PredicateCount { predicate, facts, repeated: all.saturating_sub(facts) }
        });
        let blank = |frame: &crate::Frame| {
            let lines = frame.csv.as_ref()?.blank_lines().len();
            (lines > 0).then(|| (frame.name.clone(), lines))
        };
        Preview {
            sources: self.names.clone(),
            examples: dataset.examples.len(),
            unlabelled,
            predicates: predicates.collect(),
            lines,
            blank_lines: self.frames.iter().filter_map(blank).collect(),
        }
    }
}

/// Returns which of the tables that went to the builder a place is in: they follow those of examples.
fn table_number(error: &Error, span: Span) -> Option<usize> {
    let first = (0..).map(|at| Span { source: lrnn::diagnostic::SourceId(span.source.0 - at), ..span });
    let is_line = |span: &Span| {
        !error.sources().name(span.source).starts_with("of example ") && error.sources().is_table(span.source)
    };
    let count = first.take(span.source.0 as usize).take_while(is_line).count();
    count.checked_sub(1)
}

/// Tells whether something in a line depends on the example.
pub(crate) fn is_by_example(line: &RelationLine) -> bool {
    let conditions = line.conditions.iter().flat_map(|it| [&it.left, &it.right]);
    line.value.iter().chain(&line.terms).chain(conditions).any(Expression::is_by_example)
}

/// Returns the moments of the examples that are kept.
fn kept_moments(all: &[Moment], kept: &[Option<u32>]) -> Vec<Moment> {
    all.iter().zip(kept).filter(|(_, kept)| kept.is_some()).map(|(moment, _)| *moment).collect()
}

fn mapping_line<'a>(mapping: &'a Mapping, line: &ResolvedLine) -> &'a RelationLine {
    match &mapping.sentences[line.sentence].0 {
        crate::mapping::Sentence::Relation(relation) => relation,
        _ => unreachable!("lines are resolved from relations"),
    }
}

fn unnamed(
    table: &str,
    it: &crate::mapping::ColumnPattern,
    known: &[Constant],
    others: &BTreeMap<String, usize>,
) -> Diagnostic {
    let mut values: Vec<(&String, &usize)> = others.iter().collect();
    values.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let shown: Vec<String> =
        values.iter().take(10).map(|(name, count)| format!("`{name}` ({count})")).collect();
    let more = if values.len() > 10 { ", ..." } else { "" };
    let column = &it.column;
    let message = format!("`{table}.{column}` has values that no query names: {}{more}", shown.join(", "));
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let near = values.first().and_then(|(name, _)| did_you_mean(name, names.iter().map(String::as_str)));
    let constant = Constant::from(values[0].0.as_str());
    let advice = format!("add a query for each, or `:- ignore({table}.{column}, {constant}).`");
    let help = near.map_or(advice.clone(), |near| format!("{near} Else {advice}"));
    Diagnostic::error("D0408", it.pattern_span, message).help(help)
}
