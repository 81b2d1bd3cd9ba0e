//! Data from memory: facts and queries from typed values, row by row or column by column. Nothing is quoted and nothing
//! is parsed; what is wrong is told by table and row.

use super::batch::BatchFact;
use super::build::check_shape;
use super::tables::{FactTables, remove_repeated};
use super::{Dataset, DatasetBuilder, Example, FactTable, Query};
use crate::diagnostic::{Diagnostic, Error, ErrorKind, SourceId, Span};
use crate::function::Shape;
use crate::vocabulary::{Constant, ConstantId, PredicateId, Vocabulary};

/// A number, a vector or a matrix: the value of a fact, a target, or an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The numbers, row by row.
    pub numbers: Vec<f64>,
    /// Rows and columns; a vector is a column.
    pub shape: Shape,
}

impl Value {
    /// Returns the number, if it is one.
    pub fn number(&self) -> Option<f64> {
        self.shape.is_number().then(|| self.numbers[0])
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self { numbers: vec![number], shape: Shape::NUMBER }
    }
}

impl From<Vec<f64>> for Value {
    fn from(numbers: Vec<f64>) -> Self {
        Self { shape: Shape::vector(numbers.len() as u32), numbers }
    }
}

impl From<&[f64]> for Value {
    fn from(numbers: &[f64]) -> Self {
        numbers.to_vec().into()
    }
}

impl<const N: usize> From<[f64; N]> for Value {
    fn from(numbers: [f64; N]) -> Self {
        numbers.to_vec().into()
    }
}

impl std::fmt::Display for Value {
    /// Writes a number, `[1, 2]`, or `[[1, 2], [3, 4]]`, each with nine digits behind the point at most.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |numbers: &[f64]| {
            let texts: Vec<String> = numbers.iter().copied().map(number_text).collect();
            format!("[{}]", texts.join(", "))
        };
        match self.shape {
            shape if shape.is_number() => f.write_str(&number_text(self.numbers[0])),
            shape if shape.columns == 1 => f.write_str(&list(&self.numbers)),
            shape => {
                let rows: Vec<String> =
                    self.numbers.chunks(shape.columns.max(1) as usize).map(list).collect();
                write!(f, "[{}]", rows.join(", "))
            }
        }
    }
}

fn number_text(number: f64) -> String {
    if (number.abs() < 1e-5 && number != 0.0) || number.abs() >= 1e15 {
        return format!("{number:e}");
    }
    let text = format!("{number:.9}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shape {
            shape if shape.is_number() => self.numbers[0].serialize(serializer),
            shape if shape.columns == 1 => self.numbers.serialize(serializer),
            shape => serializer.collect_seq(self.numbers.chunks(shape.columns.max(1) as usize)),
        }
    }
}

/// A name or a number as a term of an atom.
pub trait AtomTerm {
    /// Returns its id, new if need be, or none if it is not a finite number.
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId>;
}

impl AtomTerm for Constant {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        match self {
            Self::Name(name) => Some(vocabulary.name(name)),
            Self::Integer(_) => Some(vocabulary.insert(self.clone())),
            Self::Number(number) => number.id(vocabulary),
        }
    }
}

impl AtomTerm for f64 {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        self.is_finite().then(|| vocabulary.number(*self))
    }
}

impl AtomTerm for i64 {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        Some(vocabulary.insert(Constant::Integer(*self)))
    }
}

impl AtomTerm for i32 {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        i64::from(*self).id(vocabulary)
    }
}

impl AtomTerm for str {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        Some(vocabulary.name(self))
    }
}

impl AtomTerm for String {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        self.as_str().id(vocabulary)
    }
}

impl<T: AtomTerm + ?Sized> AtomTerm for &T {
    fn id(&self, vocabulary: &mut Vocabulary) -> Option<ConstantId> {
        (**self).id(vocabulary)
    }
}

/// The terms of an atom: a tuple such as `("a1", 2)`, `()` for none, an array, a slice or a vector.
pub trait Terms {
    /// Adds the ids of the terms in order, none for what is not a finite number.
    fn add_to(self, vocabulary: &mut Vocabulary, ids: &mut Vec<Option<ConstantId>>);
}

impl<T: AtomTerm> Terms for &[T] {
    fn add_to(self, vocabulary: &mut Vocabulary, ids: &mut Vec<Option<ConstantId>>) {
        ids.extend(self.iter().map(|term| term.id(vocabulary)));
    }
}

impl<T: AtomTerm> Terms for Vec<T> {
    fn add_to(self, vocabulary: &mut Vocabulary, ids: &mut Vec<Option<ConstantId>>) {
        self.as_slice().add_to(vocabulary, ids);
    }
}

impl<T: AtomTerm, const N: usize> Terms for [T; N] {
    fn add_to(self, vocabulary: &mut Vocabulary, ids: &mut Vec<Option<ConstantId>>) {
        self.as_slice().add_to(vocabulary, ids);
    }
}

impl Terms for () {
    fn add_to(self, _: &mut Vocabulary, _: &mut Vec<Option<ConstantId>>) {}
}

macro_rules! tuples {
    ($(($($name:ident),*))*) => { $(impl<$($name: AtomTerm),*> Terms for ($($name,)*) {
        #[allow(non_snake_case)]
        fn add_to(self, vocabulary: &mut Vocabulary, ids: &mut Vec<Option<ConstantId>>) {
            let ($($name,)*) = self;
            $(ids.push($name.id(vocabulary));)*
        }
    })* };
}
tuples!((A)(A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(A, B, C, D, E, F));

/// A column of constants.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Names.
    Names(&'a [&'a str]),
    /// Names that somebody owns.
    Strings(&'a [String]),
    /// Whole numbers.
    Integers(&'a [i64]),
    /// Numbers, all finite.
    Numbers(&'a [f64]),
    /// Names and finite numbers.
    Constants(&'a [Constant]),
    /// Ids that [`DatasetBuilder::constant`] gave.
    Ids(&'a [ConstantId]),
}

impl Column<'_> {
    /// Returns how many rows it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Names(names) => names.len(),
            Self::Strings(names) => names.len(),
            Self::Integers(numbers) => numbers.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Constants(constants) => constants.len(),
            Self::Ids(ids) => ids.len(),
        }
    }

    /// Tells whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells whether a row has a finite number, or an id of as many as are known.
    fn is_right(&self, row: usize, known: usize) -> bool {
        match self {
            Self::Names(_) | Self::Strings(_) | Self::Integers(_) => true,
            Self::Numbers(numbers) => numbers[row].is_finite(),
            Self::Constants(constants) => constants[row].as_number().is_none_or(f64::is_finite),
            Self::Ids(ids) => ids[row].index() < known,
        }
    }

    /// Returns the id of a row of a column that was looked through: all its numbers are finite.
    fn finite_id(&self, row: usize, vocabulary: &mut Vocabulary, integers: &mut IntegerIds) -> ConstantId {
        match self {
            Self::Names(names) => vocabulary.name(names[row]),
            Self::Strings(names) => vocabulary.name(&names[row]),
            Self::Integers(numbers) => integers.id(numbers[row], vocabulary),
            Self::Numbers(numbers) => vocabulary.number(numbers[row]),
            Self::Constants(constants) => vocabulary.insert(constants[row].clone()),
            Self::Ids(ids) => ids[row],
        }
    }
}

/// The facts or queries of one predicate, column by column.
#[derive(Clone, Debug, Default)]
pub struct Table<'a> {
    /// The name of the predicate.
    pub predicate: &'a str,
    /// A column for each term.
    pub columns: Vec<Column<'a>>,
    /// The value of each row, one after the other; 1 each if there is none. Of queries: the targets.
    pub values: Option<&'a [f64]>,
    /// The shape of each value; a number if there is none.
    pub shape: Option<Shape>,
    /// The example of each row, from 0; the only example if there is none.
    pub examples: Option<&'a [u32]>,
    /// Number of rows, for predicates without terms.
    pub rows: usize,
}

impl Table<'_> {
    fn len(&self) -> usize {
        let columns = self.columns.first().map(Column::len);
        let values =
            self.values.map(|values| values.len() / self.shape.unwrap_or(Shape::NUMBER).size().max(1));
        columns.or(self.examples.map(<[u32]>::len)).or(values).unwrap_or(self.rows)
    }

    #[inline]
    fn example_of(&self, row: usize) -> usize {
        self.examples.map_or(0, |examples| examples[row] as usize)
    }
}

/// The facts of one predicate, their terms as ids.
#[derive(Debug, Default)]
pub struct IdFacts<'a> {
    /// The name of the predicate.
    pub predicate: &'a str,
    /// The number of its terms, from 1.
    pub arity: usize,
    /// The terms, row after row.
    pub terms: Vec<ConstantId>,
    /// The values, row after row; 1 each if there are none.
    pub values: Option<Vec<f64>>,
    /// The shape of each value; a number if there is none.
    pub shape: Option<Shape>,
    /// The example of each row, from 0; the only example if there is none.
    pub examples: Option<&'a [u32]>,
}

/// The order in which the rows of one example come one after the other; in most tables they do already.
struct RowOrder(Option<Vec<u32>>);

impl RowOrder {
    fn of(table: &Table<'_>, count: usize) -> Self {
        if (1..count).all(|row| table.example_of(row - 1) <= table.example_of(row)) {
            return Self(None);
        }
        let mut rows: Vec<u32> = (0..count as u32).collect();
        rows.sort_by_key(|&row| table.example_of(row as usize));
        Self(Some(rows))
    }

    #[inline]
    fn row(&self, at: usize) -> usize {
        self.0.as_ref().map_or(at, |rows| rows[at] as usize)
    }

    /// Returns where the rows of each example begin and end.
    fn examples(&self, table: &Table<'_>, count: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        let mut start = 0;
        while start < count {
            let example = table.example_of(self.row(start));
            let is_other = |&at: &usize| table.example_of(self.row(at)) != example;
            let end = (start + 1..count).find(is_other).unwrap_or(count);
            all.push((start, end));
            start = end;
        }
        all
    }

    /// Returns the values of some rows; none where each is the number 1.
    fn values(&self, table: &Table<'_>, range: std::ops::Range<usize>, shape: Shape) -> Vec<f64> {
        let (Some(values), size) = (table.values, shape.size()) else { return Vec::new() };
        let of_row = |at: usize| &values[self.row(at) * size..(self.row(at) + 1) * size];
        if shape == Shape::NUMBER && range.clone().all(|at| of_row(at) == [1.0]) {
            return Vec::new();
        }
        let mut own = Vec::with_capacity(range.len() * size);
        range.for_each(|at| own.extend_from_slice(of_row(at)));
        own
    }
}

/// FactTables with fewer rows are added row by row.
const BULK: usize = 1024;

/// The ids of the whole numbers of a table, by number where they lie close together: so most are found without a hash.
#[derive(Default)]
struct IntegerIds {
    least: i64,
    ids: Vec<Option<ConstantId>>,
}

impl IntegerIds {
    fn of(columns: &[Column<'_>]) -> Self {
        let numbers = columns.iter().filter_map(|column| match column {
            Column::Integers(numbers) => Some(*numbers),
            _ => None,
        });
        let (mut least, mut most, mut count) = (i64::MAX, i64::MIN, 0);
        for &number in numbers.flatten() {
            (least, most, count) = (least.min(number), most.max(number), count + 1);
        }
        let range = most.checked_sub(least).and_then(|range| usize::try_from(range).ok());
        match range.filter(|&range| range < 2 * count) {
            Some(range) => Self { least, ids: vec![None; range + 1] },
            None => Self::default(),
        }
    }

    #[inline]
    fn id(&mut self, number: i64, vocabulary: &mut Vocabulary) -> ConstantId {
        match self.ids.get_mut(number.wrapping_sub(self.least) as usize) {
            Some(known) => *known.get_or_insert_with(|| vocabulary.insert(Constant::Integer(number))),
            None => vocabulary.insert(Constant::Integer(number)),
        }
    }
}

/// An example that is being built.
#[derive(Debug)]
pub struct ExampleBuilder<'a> {
    builder: &'a mut DatasetBuilder,
    tables: FactTables,
    source: SourceId,
    facts: u32,
    /// The terms of the last atom.
    terms: Vec<Option<ConstantId>>,
    ids: Vec<ConstantId>,
}

impl ExampleBuilder<'_> {
    /// Reads an atom, whose terms become `ids`; none with a message if a term is not a finite number.
    fn atom(&mut self, predicate: &str, terms: impl Terms) -> Option<(PredicateId, Span)> {
        self.terms.clear();
        terms.add_to(&mut self.builder.dataset.vocabulary, &mut self.terms);
        let predicate = self.builder.dataset.vocabulary.predicate(predicate, self.terms.len());
        let span = Span { source: self.source, start: self.facts, end: self.facts + 1 };
        self.facts += 1;
        self.ids.clear();
        self.ids.extend(self.terms.iter().flatten());
        if let Some(column) = self.terms.iter().position(Option::is_none) {
            self.builder.not_finite(span, column);
            return None;
        }
        Some((predicate, span))
    }

    /// Adds a fact of value 1.
    pub fn fact(self, predicate: &str, terms: impl Terms) -> Self {
        self.add(None, predicate, terms)
    }

    /// Adds a fact with a value.
    pub fn fact_with(self, value: impl Into<Value>, predicate: &str, terms: impl Terms) -> Self {
        self.add(Some(value.into()), predicate, terms)
    }

    fn add(mut self, value: Option<Value>, predicate: &str, terms: impl Terms) -> Self {
        let Some((predicate, span)) = self.atom(predicate, terms) else { return self };
        let shape = value.as_ref().map(|value| value.shape);
        let numbers = value.map_or_else(Vec::new, |value| value.numbers);
        let (entry, last) = (BatchFact::new(predicate, shape, span), self.builder.dataset.examples.len() - 1);
        self.builder.checked_fact(last, &mut self.tables, &entry, &self.ids, &numbers);
        self
    }

    /// Adds a query.
    pub fn query(self, predicate: &str, terms: impl Terms) -> Self {
        self.ask(None, predicate, terms)
    }

    /// Adds a query with the value it should have.
    pub fn target(self, value: impl Into<Value>, predicate: &str, terms: impl Terms) -> Self {
        self.ask(Some(value.into()), predicate, terms)
    }

    fn ask(mut self, target: Option<Value>, predicate: &str, terms: impl Terms) -> Self {
        let Some((predicate, span)) = self.atom(predicate, terms) else { return self };
        let target = target.map(|target| target.numbers);
        if target.iter().flatten().any(|number| !number.is_finite()) {
            self.builder.report(Diagnostic::error("D0133", span, "a target is not a finite number"));
        } else if let Some(queries) = self.builder.dataset.queries.last_mut() {
            queries.push(Query { predicate, terms: self.ids.clone(), target, weight: 1.0, span });
        }
        self
    }
}

impl DatasetBuilder {
    /// Begins an example. Its name is for people; an empty one is its number.
    ///
    /// ```
    /// let template = lrnn::Template::parse("w[T] :: toxic :- element(A, T).")?;
    /// let mut data = template.data();
    /// data.example("benzene").fact("element", ("a1", "c")).fact_with(0.3, "charge", ("a1",)).target(0.0, "toxic", ());
    /// assert_eq!(data.build()?.examples.len(), 1);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn example(&mut self, name: &str) -> ExampleBuilder<'_> {
        let number = self.dataset.examples.len();
        let shown = if name.is_empty() { number.to_string() } else { name.to_owned() };
        let source = self.dataset.sources.add_table(format!("of example {shown}"));
        self.begin_example(Span { source, start: 0, end: 0 });
        if !name.is_empty() || !self.dataset.ids.is_empty() {
            let numbered = (self.dataset.ids.len()..number).map(|number| number.to_string().into());
            let before: Vec<Box<str>> = numbered.collect();
            self.dataset.ids.extend(before);
            self.dataset.ids.push(shown.into());
        }
        let (terms, ids) = (Vec::new(), Vec::new());
        ExampleBuilder { builder: self, tables: FactTables::default(), source, facts: 0, terms, ids }
    }

    /// Adds an example that `fill` gives its facts and queries; where something is wrong with it, the data stays as it was.
    pub fn try_example(
        &mut self,
        name: &str,
        fill: impl FnOnce(ExampleBuilder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (count, named) = (self.dataset.examples.len(), !self.dataset.ids.is_empty());
        let seen = self.dataset.facts_seen.clone();
        let before = std::mem::take(&mut self.diagnostics);
        let filled = fill(self.example(name));
        let found = std::mem::replace(&mut self.diagnostics, before);
        if filled.is_ok() && found.is_empty() {
            return Ok(());
        }
        self.truncate(count);
        self.dataset.ids.truncate(if named { count } else { 0 });
        self.dataset.facts_seen = seen;
        filled.and_then(|()| Err(Error::of(ErrorKind::Content, found, &self.dataset.sources)))
    }

    /// Adds facts column by column. Examples that rows name and that are not there yet are begun.
    ///
    /// ```
    /// use lrnn::{Column, Table};
    /// let template = lrnn::Template::parse("near(X, Y) :- edge(X, Y), *charge(X).")?;
    /// let mut data = template.data();
    /// let columns = vec![Column::Names(&["a", "b"]), Column::Integers(&[1, 2])];
    /// data.facts(&Table { predicate: "edge", columns, ..Table::default() });
    /// let columns = vec![Column::Names(&["a"])];
    /// data.facts(&Table { predicate: "charge", columns, values: Some(&[0.5]), ..Table::default() });
    /// assert_eq!(data.build()?.examples[0].tables.len(), 2);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn facts(&mut self, table: &Table<'_>) -> &mut Self {
        let (count, known) = (table.len(), self.dataset.vocabulary.constant_count());
        let is_right = |column: &Column<'_>| (0..count).all(|row| column.is_right(row, known));
        if !table.columns.is_empty()
            && table.columns.iter().all(|column| column.len() == count)
            && self.is_bulk(table, table.columns.len(), count)
            && table.columns.iter().all(is_right)
        {
            let mut integers = IntegerIds::of(&table.columns);
            return self.add_bulk(table, table.columns.len(), count, |vocabulary, row, terms| {
                terms.extend(table.columns.iter().map(|it| it.finite_id(row, vocabulary, &mut integers)));
            });
        }
        self.rows(table, true, |builder, example, tables, entry, terms, values| {
            builder.checked_fact(example, tables, &entry, terms, values);
        })
    }

    /// Adds facts whose terms are ids that [`Self::constant`] gave, row after row. Many facts of a predicate that an
    /// example has none of are taken as they are.
    pub fn facts_by_id(&mut self, facts: IdFacts<'_>) -> &mut Self {
        let IdFacts { predicate, arity, terms, values: given, shape, examples } = facts;
        let rows = terms.len() / arity.max(1);
        let whole = Table { predicate, values: given.as_deref(), shape, examples, rows, ..Table::default() };
        let most = self.dataset.vocabulary.constant_count();
        let is_right = arity > 0 && rows * arity == terms.len() && terms.iter().all(|id| id.index() < most);
        if !is_right || !self.is_bulk(&whole, arity, rows) {
            let column = |at: usize| terms.iter().copied().skip(at).step_by(arity).collect();
            let columns: Vec<Vec<ConstantId>> = (0..arity).map(column).collect();
            return self
                .facts(&Table { columns: columns.iter().map(|ids| Column::Ids(ids)).collect(), ..whole });
        }
        if examples.is_some() {
            return self.add_bulk(&whole, arity, rows, |_, row, own| {
                own.extend_from_slice(&terms[row * arity..(row + 1) * arity]);
            });
        }
        let Some((predicate, source)) = self.begin_bulk(&whole, arity, rows) else { return self };
        let shape = shape.unwrap_or(Shape::NUMBER);
        let is_one = shape == Shape::NUMBER && given.iter().flatten().all(|value| *value == 1.0);
        let values = given.filter(|_| !is_one).unwrap_or_default();
        let facts = FactTable { predicate, rows: rows as u32, terms, shape, values };
        self.add_table(0, facts, source, |row| row);
        self
    }

    /// Returns the id of a constant for [`Column::Ids`], new if need be, or none if it is not a finite number.
    pub fn constant(&mut self, constant: &(impl AtomTerm + ?Sized)) -> Option<ConstantId> {
        constant.id(&mut self.dataset.vocabulary)
    }

    /// Tells whether so many facts can be added at once: to examples that have none of the predicate, without a mistake
    /// that would need a message.
    fn is_bulk(&self, table: &Table<'_>, arity: usize, count: usize) -> bool {
        let known = self.dataset.vocabulary.find_predicate(table.predicate, arity);
        let has_facts: Vec<bool> = match known {
            None => Vec::new(),
            Some(predicate) => {
                let has_facts = |own: &Example| own.tables.iter().any(|it| it.predicate == predicate);
                self.dataset.examples.iter().map(has_facts).collect()
            }
        };
        let is_new = |example: u32| !has_facts.get(example as usize).copied().unwrap_or(false);
        let (values, size) = (table.values.unwrap_or_default(), table.shape.unwrap_or(Shape::NUMBER).size());
        count >= BULK
            && u32::try_from(count).is_ok()
            && table.examples.is_none_or(|examples| examples.len() == count)
            && (table.values.is_none() || values.len() == count * size)
            && table.examples.unwrap_or(&[0]).iter().all(|&example| is_new(example))
            && values.iter().all(|number| number.is_finite())
    }

    /// Begins the examples of a table that is added at once; nothing, with a message, where the shape of its values is not
    /// the one of the predicate's other facts.
    fn begin_bulk(
        &mut self,
        table: &Table<'_>,
        arity: usize,
        count: usize,
    ) -> Option<(PredicateId, SourceId)> {
        let shape = table.shape.unwrap_or(Shape::NUMBER);
        let source = self.dataset.sources.add_table(table.predicate);
        let predicate = self.dataset.vocabulary.predicate(table.predicate, arity);
        self.begin_examples(table, count, Span { source, start: 0, end: 0 });
        let first = BatchFact::new(predicate, table.values.map(|_| shape), Span { source, start: 0, end: 1 });
        let Dataset { vocabulary, facts_seen, .. } = &mut self.dataset;
        let wrong = check_shape(facts_seen, vocabulary, &first, shape);
        let begun = wrong.is_none().then_some((predicate, source));
        wrong.into_iter().for_each(|diagnostic| self.report(diagnostic));
        begun
    }

    /// Adds the rows of a table at once. Rows that are equal are found by sorting, which needs no hash table that
    /// outgrows the cache.
    fn add_bulk(
        &mut self,
        table: &Table<'_>,
        arity: usize,
        count: usize,
        mut add_terms: impl FnMut(&mut Vocabulary, usize, &mut Vec<ConstantId>),
    ) -> &mut Self {
        let Some((predicate, source)) = self.begin_bulk(table, arity, count) else { return self };
        let (order, shape) = (RowOrder::of(table, count), table.shape.unwrap_or(Shape::NUMBER));
        for (start, end) in order.examples(table, count) {
            let mut terms = Vec::with_capacity((end - start) * arity);
            for row in (start..end).map(|at| order.row(at)) {
                add_terms(&mut self.dataset.vocabulary, row, &mut terms);
            }
            let values = order.values(table, start..end, shape);
            let facts = FactTable { predicate, rows: (end - start) as u32, terms, shape, values };
            self.add_table(table.example_of(order.row(start)), facts, source, |row| order.row(start + row));
        }
        self
    }

    /// Adds the facts of a predicate to an example that has none of it, each once.
    fn add_table(
        &mut self,
        example: usize,
        mut facts: FactTable,
        source: SourceId,
        row_of: impl Fn(usize) -> usize,
    ) {
        let place = |row: usize| {
            let row = row_of(row) as u32;
            Span { source, start: row, end: row + 1 }
        };
        for (row, first, terms) in remove_repeated(&mut facts) {
            let atom = self.dataset.vocabulary.atom_text(facts.predicate, &terms);
            let message = format!("the fact `{atom}` stands twice in this example, with different values");
            let diagnostic =
                Diagnostic::error("D0111", place(row), message).also(place(first), "the other one");
            self.report(diagnostic.help("keep one of the two"));
        }
        self.dataset.examples[example].tables.push(facts);
    }

    /// Begins the examples that the rows of a table name.
    fn begin_examples(&mut self, table: &Table<'_>, count: usize, span: Span) {
        let most = (0..count).map(|row| table.example_of(row)).max().map_or(0, |most| most + 1);
        while self.dataset.examples.len() < most {
            self.begin_example(span);
        }
    }

    /// Adds queries column by column; the values are their targets.
    pub fn queries_of(&mut self, table: &Table<'_>) -> &mut Self {
        self.rows(table, false, |builder, example, _, entry, terms, values| {
            let target = entry.shape.map(|_| values.to_vec());
            let (predicate, span) = (entry.predicate, entry.span);
            let queries = &mut builder.dataset.queries[example];
            // Most examples have one.
            if queries.is_empty() {
                queries.reserve_exact(1);
            }
            queries.push(Query { predicate, terms: terms.to_vec(), target, weight: 1.0, span });
        })
    }

    fn rows(
        &mut self,
        table: &Table<'_>,
        is_fact: bool,
        mut add: impl FnMut(&mut Self, usize, &mut FactTables, BatchFact, &[ConstantId], &[f64]),
    ) -> &mut Self {
        let source = self.dataset.sources.add_table(table.predicate);
        let whole = Span { source, start: 0, end: 0 };
        let (count, shape) = (table.len(), table.shape.unwrap_or(Shape::NUMBER));
        let lengths = table.columns.iter().map(Column::len).chain(table.examples.map(<[u32]>::len));
        let lengths = lengths.chain(table.values.map(|values| values.len() / shape.size().max(1)));
        if lengths.into_iter().any(|length| length != count)
            || table.values.is_some_and(|v| v.len() != count * shape.size())
        {
            let message =
                format!("the columns of `{}` do not all have the same number of rows", table.predicate);
            self.report(
                Diagnostic::error("D0132", whole, message).help("each term, value and example is a column"),
            );
            return self;
        }
        let predicate = self.dataset.vocabulary.predicate(table.predicate, table.columns.len());
        self.begin_examples(table, count, whole);
        let order = RowOrder::of(table, count);
        let (mut tables, mut current, mut terms) = (FactTables::default(), usize::MAX, Vec::new());
        let mut integers = IntegerIds::of(&table.columns);
        for row in (0..count).map(|at| order.row(at)) {
            let example = table.example_of(row);
            if example != current {
                (tables, current) =
                    (FactTables::of(&self.dataset.examples[example], predicate, whole), example);
                if table.examples.is_none() && is_fact {
                    tables.reserve(&mut self.dataset.examples[example], predicate, shape, count);
                }
            }
            terms.clear();
            let span = Span { source, start: row as u32, end: row as u32 + 1 };
            let known = self.dataset.vocabulary.constant_count();
            if let Some(wrong) = table.columns.iter().position(|column| !column.is_right(row, known)) {
                self.not_finite(span, wrong);
                continue;
            }
            let vocabulary = &mut self.dataset.vocabulary;
            terms.extend(table.columns.iter().map(|it| it.finite_id(row, vocabulary, &mut integers)));
            let values =
                table.values.map_or(&[][..], |values| &values[row * shape.size()..(row + 1) * shape.size()]);
            let entry = BatchFact::new(predicate, table.values.map(|_| shape), span);
            add(self, example, &mut tables, entry, &terms, values);
        }
        self
    }

    fn not_finite(&mut self, span: Span, column: usize) {
        let message = format!("the constant in column {column} is not a finite number");
        self.report(
            Diagnostic::error("D0133", span, message)
                .help("a number that stands for an object must be finite"),
        );
    }

    /// Sets the name of each example.
    pub fn names(&mut self, names: impl IntoIterator<Item = impl Into<Box<str>>>) -> &mut Self {
        self.dataset.ids = names.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the dataset, or everything that is wrong with it.
    pub fn build(self) -> Result<Dataset, Error> {
        let sources = self.dataset.sources.clone();
        if !self.dataset.ids.is_empty() && self.dataset.ids.len() != self.dataset.examples.len() {
            let (names, examples) = (self.dataset.ids.len(), self.dataset.examples.len());
            let message = format!("there are {names} names for {examples} examples");
            return Err(Error::new(ErrorKind::Content, message).help("give each example one name, or none"));
        }
        self.finish().map_err(|diagnostics| Error::of(ErrorKind::Content, diagnostics, &sources))
    }
}
