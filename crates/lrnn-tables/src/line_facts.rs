//! The facts or queries of one line: its rows evaluated, and given to the builder column by column.

use lrnn::data::IdFacts;
use lrnn::function::Shape;
use lrnn::vocabulary::{Constant, ConstantId, digits};
use lrnn::{Column, DatasetBuilder, Error, Table};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::frame::{Cell, Cells};
use crate::line_rows::{CellError, LineRows, RowUse};
use crate::mapping::{Expression, ExpressionKind, RelationLine};
use crate::membership::{Membership, Memberships};
use crate::mistakes::Mistakes;
use crate::resolve::{ResolvedLine, Tables, TypedColumn};
use crate::{ColumnKind, Moment};

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

/// The ids of the cells of the columns that terms are. A cell that several lines name is looked up once.
#[derive(Default)]
pub(crate) struct CellIds(Vec<ColumnIds>);

const UNKNOWN: u32 = u32::MAX;

/// The ids of the cells of one column, as far as they are known.
#[derive(Default)]
struct ColumnIds {
    /// Frame and column.
    place: (usize, usize),
    /// Number of lines that still name it.
    lines: usize,
    /// By value, where a column has few; else by row, where several lines name it. `UNKNOWN` where nobody asked yet.
    ids: Vec<u32>,
    /// Days and moments are few, and their texts long to write.
    moments: FxHashMap<Moment, ConstantId>,
    /// Whole numbers that were seen lately with the ids of their names, by their last bits: rows often refer to few.
    integers: Vec<Option<(i64, ConstantId)>>,
    /// Whole numbers that were asked for, and those of them that were remembered.
    asked: usize,
    found: usize,
}

/// The number of whole numbers that a column remembers, a power of two.
const REMEMBERED: usize = 1 << 16;
/// Whole numbers from which on none is remembered, if less than a quarter were: each is then a key of its own.
const ASKED: usize = 1 << 15;

impl ColumnIds {
    /// Returns where a whole number is remembered.
    fn place_of(number: i64) -> usize {
        (number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % REMEMBERED
    }

    fn is_of_keys(&self) -> bool {
        self.asked >= ASKED && self.found < self.asked / 4
    }

    /// Returns the id of a cell, if it was seen lately.
    fn seen(&mut self, cell: &Cell<'_>) -> Option<ConstantId> {
        match cell {
            Cell::Moment(moment) => self.moments.get(moment).copied(),
            Cell::Integer(number) if !self.is_of_keys() => {
                self.asked += 1;
                let found = (*self.integers.get(Self::place_of(*number))?)?;
                self.found += usize::from(found.0 == *number);
                (found.0 == *number).then_some(found.1)
            }
            _ => None,
        }
    }

    fn remember(&mut self, cell: &Cell<'_>, id: ConstantId) {
        match cell {
            Cell::Moment(moment) => _ = self.moments.insert(*moment, id),
            Cell::Integer(number) if !self.is_of_keys() => {
                if self.integers.is_empty() {
                    self.integers = vec![None; REMEMBERED];
                }
                self.integers[Self::place_of(*number)] = Some((*number, id));
            }
            _ => {}
        }
    }
}

impl CellIds {
    /// Counts the columns that these lines name.
    pub fn of<'a>(lines: impl Iterator<Item = (&'a ResolvedLine, &'a RelationLine)>) -> Self {
        let mut all = Self::default();
        for (line, relation) in lines {
            for column in relation.terms.iter().filter_map(|term| column_of(line, term)) {
                match all.position(column) {
                    Some(at) => all.0[at].lines += 1,
                    None => {
                        let place = (column.frame, column.column);
                        all.0.push(ColumnIds { place, lines: 1, ..ColumnIds::default() });
                    }
                }
            }
        }
        all
    }

    fn position(&self, column: TypedColumn) -> Option<usize> {
        self.0.iter().position(|it| it.place == (column.frame, column.column))
    }

    /// Forgets the columns that no further line names.
    fn leave(&mut self, line: &ResolvedLine, relation: &RelationLine) {
        for column in relation.terms.iter().filter_map(|term| column_of(line, term)) {
            if let Some(at) = self.position(column) {
                let own = &mut self.0[at];
                own.lines = own.lines.saturating_sub(1);
                if own.lines == 0 {
                    *own = ColumnIds { place: own.place, ..ColumnIds::default() };
                }
            }
        }
    }
}

/// Returns the column that a term is, if it is one and no more.
fn column_of(line: &ResolvedLine, term: &Expression) -> Option<TypedColumn> {
    match &term.kind {
        ExpressionKind::Variable(name) => line.variables.get(name).copied(),
        _ => None,
    }
}

/// A term of a line.
struct LineTerm<'a> {
    expression: &'a Expression,
    kind: ColumnKind,
    /// The column that it is, if it is no more than that, with its number among those whose ids are known.
    column: Option<(TypedColumn, usize)>,
}

impl LineTerm<'_> {
    /// Returns the constant of a row; nothing for NULL.
    fn id(
        &self,
        rows: &LineRows<'_>,
        row: usize,
        known: &mut CellIds,
        builder: &mut DatasetBuilder,
    ) -> Result<Option<ConstantId>, CellError> {
        let Some((column, at)) = self.column else {
            return self.new_id(&rows.evaluate(self.expression, row)?, rows, builder);
        };
        let (own, whole) = (&mut known.0[at], rows.tables.column(column));
        if whole.is_null(row) {
            return Ok(None);
        }
        // Where ids are kept: one for each value, or one for each row that a further line asks for.
        let (place, places) = match &whole.cells {
            Cells::Coded(codes, values) => (codes[row].into(), values.len()),
            cells if own.lines > 1 => (row, cells.len()),
            _ => (0, 0),
        };
        own.ids.resize(places, UNKNOWN);
        if let Some(&id) = own.ids.get(place).filter(|id| **id != UNKNOWN) {
            return Ok(Some(ConstantId(id)));
        }
        let cell = rows.cell(column, row)?;
        let seen = own.seen(&cell);
        let id = match seen {
            Some(id) => Some(id),
            None => self.new_id(&cell, rows, builder)?,
        };
        let Some(id) = id else { return Ok(None) };
        if seen.is_none() && !matches!(whole.cells, Cells::Coded(..)) {
            own.remember(&cell, id);
        }
        own.ids.get_mut(place).into_iter().for_each(|known| *known = id.0);
        Ok(Some(id))
    }

    fn new_id(
        &self,
        cell: &Cell<'_>,
        rows: &LineRows<'_>,
        builder: &mut DatasetBuilder,
    ) -> Result<Option<ConstantId>, CellError> {
        let number = |number: f64, builder: &mut DatasetBuilder| {
            let message = "the number is too large for double precision".to_owned();
            let wrong = || CellError { column: rows.column_of(self.expression), message };
            builder.constant(&number).ok_or_else(wrong)
        };
        Ok(match (self.kind, cell) {
            (_, Cell::Null) => None,
            (ColumnKind::Integer, Cell::Integer(whole)) => builder.constant(whole),
            (ColumnKind::Number, Cell::Integer(whole)) => Some(number(*whole as f64, builder)?),
            (ColumnKind::Number, Cell::Number(it)) => Some(number(*it, builder)?),
            (_, Cell::Text(text)) => builder.constant(&**text),
            (_, Cell::Integer(whole)) => builder.constant(digits(*whole, &mut [0; 20])),
            (_, cell) => cell.clone().into_name().and_then(|name| builder.constant(&name)),
        })
    }
}

/// The rows that facts came from, in their order: only messages ask, so a fact takes a byte.
#[derive(Default)]
pub(crate) struct RowsOfFacts {
    /// As many facts from the first on, each of the row after that of the fact before.
    plain: usize,
    /// Of each further fact, how many rows lie between its row and that of the fact before: 255 means so many and those that
    /// follow.
    steps: Vec<u8>,
    further: usize,
    /// The row of the last fact.
    last: usize,
}

impl RowsOfFacts {
    fn push(&mut self, row: usize) {
        if self.further == 0 && row == self.plain {
            self.plain += 1;
        } else {
            let mut step = row - self.last;
            while step >= usize::from(u8::MAX) {
                self.steps.push(u8::MAX);
                step -= usize::from(u8::MAX);
            }
            self.steps.push(step as u8);
            self.further += 1;
        }
        self.last = row;
    }

    fn len(&self) -> usize {
        self.plain + self.further
    }

    /// Returns the row of a fact.
    pub fn get(&self, fact: usize) -> Option<usize> {
        let Some(further) = fact.checked_sub(self.plain) else { return Some(fact) };
        let mut row = self.plain.saturating_sub(1);
        let mut facts = 0..;
        for &step in &self.steps {
            row += usize::from(step);
            if step < u8::MAX && facts.next() == Some(further) {
                return Some(row);
            }
        }
        None
    }
}

/// The facts or queries of one line, for the builder.
pub(crate) struct LineFacts<'a> {
    relation: &'a RelationLine,
    terms: Vec<LineTerm<'a>>,
    /// The constants of the facts, row after row.
    ids: Vec<ConstantId>,
    values: Vec<f64>,
    /// The example of each fact; of a knowledge base nothing.
    pub examples: Vec<u32>,
    has_examples: bool,
    rows: RowsOfFacts,
    pub counts: LineCounts,
    /// The first fact as text.
    pub first: Option<String>,
    /// Queries of rows without a label.
    is_unlabelled: bool,
}

/// The taker of the facts of lines: the builder, with the rows that the facts of each line came from.
pub(crate) struct FactSink<'a> {
    pub builder: &'a mut DatasetBuilder,
    pub known: CellIds,
    /// The frame and the rows of each table that went to the builder.
    pub built: Vec<(usize, RowsOfFacts)>,
}

impl<'a> LineFacts<'a> {
    fn new(tables: &Tables, rows: &LineRows<'a>, is_unlabelled: bool, known: Option<&CellIds>) -> Self {
        let (line, relation) = (rows.line, rows.relation);
        let place = |column: TypedColumn| Some((column, known?.position(column)?));
        let term = |expression: &'a Expression| LineTerm {
            expression,
            kind: tables.kind_of(line, expression),
            column: column_of(line, expression).and_then(place),
        };
        let counts = LineCounts { rows: tables.frames[line.frame].rows, ..LineCounts::default() };
        Self {
            relation,
            terms: relation.terms.iter().map(term).collect(),
            ids: Vec::new(),
            values: Vec::new(),
            examples: Vec::new(),
            has_examples: tables.example.is_some(),
            rows: RowsOfFacts::default(),
            counts,
            first: None,
            is_unlabelled,
        }
    }

    /// Adds the terms and values of a row for each example by its own moment.
    fn add_by_example(
        &mut self,
        rows: &LineRows<'a>,
        row: usize,
        examples: &[u32],
        moments: &[Moment],
        sink: &mut Option<&mut FactSink<'_>>,
    ) -> Result<RowUse, CellError> {
        let mut found = RowUse::Filtered;
        for &example in examples {
            let own = LineRows { as_of: Some(moments[example as usize]), ..*rows };
            match own.holds(row, true)? {
                RowUse::Kept => found = self.add(&own, row, &[example], sink)?,
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
        sink: &mut Option<&mut FactSink<'_>>,
    ) -> Result<RowUse, CellError> {
        let values = self.values.len();
        for value in rows.relation.value.iter().filter(|_| !self.is_unlabelled) {
            match rows.number(value, row)? {
                Some(number) => self.values.push(number),
                None => {
                    self.values.truncate(values);
                    return Ok(RowUse::Null);
                }
            }
        }
        match self.add_terms(rows, row, examples.len(), sink) {
            Ok(true) => {}
            wrong => {
                self.values.truncate(values);
                return wrong.map(|_| RowUse::Null);
            }
        }
        let width = self.values.len() - values;
        for number in 0..examples.len() {
            if number > 0 {
                self.values.extend_from_within(values..values + width);
            }
            self.rows.push(row);
        }
        if examples.is_empty() {
            self.values.truncate(values);
        }
        if self.has_examples {
            self.examples.extend_from_slice(examples);
        }
        self.counts.facts += examples.len();
        if let (None, false, Some(sink)) = (&self.first, examples.is_empty(), sink) {
            self.first = Some(self.text_of_first(sink.builder));
        }
        Ok(RowUse::Kept)
    }

    /// Adds the terms of a row for so many examples; false where one is NULL.
    fn add_terms(
        &mut self,
        rows: &LineRows<'_>,
        row: usize,
        examples: usize,
        sink: &mut Option<&mut FactSink<'_>>,
    ) -> Result<bool, CellError> {
        let start = self.ids.len();
        for term in &self.terms {
            let found = match sink {
                Some(FactSink { builder, known, .. }) => term.id(rows, row, known, builder),
                // Nobody wants to know but whether it is there.
                None => {
                    let cell = rows.evaluate(term.expression, row);
                    cell.map(|cell| (cell != Cell::Null).then_some(ConstantId(0)))
                }
            };
            match found {
                Ok(Some(id)) => self.ids.push(id),
                wrong => {
                    self.ids.truncate(start);
                    return wrong.map(|_| false);
                }
            }
        }
        let end = self.ids.len();
        match sink {
            Some(_) if examples > 0 => (1..examples).for_each(|_| self.ids.extend_from_within(start..end)),
            _ => self.ids.truncate(start),
        }
        Ok(true)
    }

    /// Gives the facts to the builder.
    fn build(&mut self, frame: usize, sink: &mut FactSink<'_>) {
        if self.rows.len() == 0 {
            return;
        }
        let relation = self.relation;
        let has_values = !relation.value.is_empty() && !self.is_unlabelled;
        let shape = relation.is_vector.then(|| Shape::vector(relation.value.len() as u32));
        let (predicate, arity) = (&*relation.predicate, self.terms.len());
        let (terms, values) = (std::mem::take(&mut self.ids), std::mem::take(&mut self.values));
        let values = has_values.then_some(values);
        let examples = self.has_examples.then_some(&self.examples[..]);
        if arity > 0 && !relation.is_query {
            sink.builder.facts_by_id(IdFacts { predicate, arity, terms, values, shape, examples });
        } else {
            let column = |at: usize| terms.iter().copied().skip(at).step_by(arity).collect();
            let columns: Vec<Vec<ConstantId>> = (0..arity).map(column).collect();
            let columns = columns.iter().map(|ids| Column::Ids(ids)).collect();
            let (values, rows) = (values.as_deref(), self.rows.len());
            let table = Table { predicate, columns, values, shape, examples, rows };
            match relation.is_query {
                true => sink.builder.queries_of(&table),
                false => sink.builder.facts(&table),
            };
        }
        sink.built.push((frame, std::mem::take(&mut self.rows)));
    }

    /// Returns the first fact as text.
    fn text_of_first(&self, builder: &DatasetBuilder) -> String {
        let terms: Vec<String> = self
            .ids
            .iter()
            .take(self.terms.len())
            .map(|&id| builder.vocabulary().constant(id).to_string())
            .collect();
        let values: Vec<String> = self
            .values
            .iter()
            .take(self.relation.value.len())
            .map(|&value| Constant::number(value).to_string())
            .collect();
        let value = match (self.relation.is_vector, self.is_unlabelled || values.is_empty()) {
            (_, true) => String::new(),
            (true, _) => format!("[{}] :: ", values.join(", ")),
            (false, _) => format!("{} :: ", values.join(", ")),
        };
        let terms = if terms.is_empty() { String::new() } else { format!("({})", terms.join(", ")) };
        format!("{value}{}{terms}", Constant::from(self.relation.predicate.as_str()))
    }

    /// Adds a row that the line takes to the examples it is in.
    fn add_to_examples(
        &mut self,
        rows: &LineRows<'a>,
        row: usize,
        examples: &LineExamples<'_>,
        own: &mut Vec<u32>,
        sink: &mut Option<&mut FactSink<'_>>,
    ) -> Result<(), CellError> {
        let to = match examples.membership.of(row) {
            None => &examples.everyone[..],
            Some(found) => {
                own.clear();
                own.extend(found.iter().filter_map(|&example| examples.kept[example as usize]));
                if found.is_empty() {
                    match examples.membership.is_late(row) {
                        false => self.counts.outside += 1,
                        true => self.counts.late += 1,
                    }
                }
                &own[..]
            }
        };
        if to.is_empty() {
            return Ok(());
        }
        let added = match &examples.moments {
            None => self.add(rows, row, to, sink)?,
            Some(moments) => self.add_by_example(rows, row, to, moments, sink)?,
        };
        self.count(added);
        Ok(())
    }

    fn count(&mut self, found: RowUse) {
        match found {
            RowUse::Kept => {}
            RowUse::Null => self.counts.nulls += 1,
            RowUse::Filtered => self.counts.filtered += 1,
        }
    }
}

/// The examples that rows of a line are in.
struct LineExamples<'a> {
    membership: &'a Membership,
    /// The number that each example has among those that are kept.
    kept: &'a [Option<u32>],
    everyone: Vec<u32>,
    /// The moments of those that are kept, where something in the line depends on the example.
    moments: Option<Vec<Moment>>,
}

impl Tables {
    /// Evaluates a line over its table, and gives its facts away if somebody takes them.
    pub(crate) fn line_facts<'a>(
        &'a self,
        rows: &LineRows<'a>,
        memberships: &mut Memberships<'_>,
        kept: &[Option<u32>],
        is_unlabelled: bool,
        mistakes: &mut Mistakes<'_>,
        mut sink: Option<&mut FactSink<'_>>,
    ) -> Result<LineFacts<'a>, Error> {
        let mut facts = LineFacts::new(self, rows, is_unlabelled, sink.as_ref().map(|sink| &sink.known));
        let frame = rows.line.frame;
        let moments = is_by_example(rows.relation).then(|| kept_moments(&memberships.moments(), kept));
        let membership = memberships.of(frame, !rows.relation.is_query)?;
        let everyone: Vec<u32> = kept.iter().flatten().copied().collect();
        let examples = LineExamples { membership, kept, everyone, moments };
        let mut own = Vec::new();
        for row in 0..self.frames[frame].rows {
            let found = match self.takes(rows, row, is_unlabelled) {
                Ok(RowUse::Kept) => facts.add_to_examples(rows, row, &examples, &mut own, &mut sink),
                Ok(other) => {
                    facts.count(other);
                    Ok(())
                }
                Err(wrong) => Err(wrong),
            };
            if let Err(wrong) = found {
                mistakes.cell(frame, row, wrong.column, wrong.message, rows.relation.span);
            }
        }
        if let Some(sink) = sink {
            facts.build(frame, sink);
            // What no label names is asked for by the same line once more.
            if is_unlabelled || !self.asks_unlabelled(rows.line) {
                sink.known.leave(rows.line, rows.relation);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::RowsOfFacts;

    #[test]
    fn rows_of_facts_are_kept() {
        let runs: [Vec<usize>; 5] = [
            vec![],
            vec![0, 1, 2],
            vec![0, 0, 1, 2, 3],
            vec![7, 261, 262, 516, 516, 1_000_000],
            vec![0, 1, 2, 255, 510, 1020],
        ];
        for rows in runs {
            let mut kept = RowsOfFacts::default();
            rows.iter().for_each(|&row| kept.push(row));
            let found: Vec<Option<usize>> = (0..=rows.len()).map(|fact| kept.get(fact)).collect();
            assert_eq!(kept.len(), rows.len());
            assert_eq!(found, rows.iter().map(|&row| Some(row)).chain([None]).collect::<Vec<_>>());
        }
    }
}
