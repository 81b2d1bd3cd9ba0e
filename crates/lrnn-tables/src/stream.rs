//! Tables that are larger than memory: rows are read in groups of examples, made into facts, and dropped.
//!
//! What is kept of all rows is which examples each belongs to, found from the columns of keys and times alone. A group
//! is then read as if the tables had no other rows, by the same code that reads whole tables: so its facts are the same,
//! and in the same order. Constants are kept in the order in which they first appear, which is the order that grounding
//! goes by, but for the keys of rows that no two examples share: these are as many as rows, and a group by itself has them
//! in their order. A weight that is indexed by such keys is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use lrnn::data::{FactStore, FactsAway};
use lrnn::diagnostic::{Diagnostic, Span};
use lrnn::model::Fingerprint;
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Error, ErrorKind};

use crate::mapping::{ColumnPattern, ExpressionKind, Pattern, RelationLine, Sentence};
use crate::membership::{Membership, Memberships};
use crate::mistakes::Mistakes;
use crate::resolve::{MappingResolver, sources};
use crate::source::{ForeignKey, TableSchema};
use crate::{Frame, Mapping, Purpose, TableSource, Tables};

/// Rows that are read at once, about, where nobody says how many.
const AT_ONCE: usize = 250_000;

/// The rows of a table by example.
#[derive(Debug)]
struct ExampleRows {
    /// Example `e` has the rows from `starts[e]` to `starts[e + 1]`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// Tables whose rows are read in groups of examples.
#[derive(Debug)]
pub struct TableStream {
    /// The mapping with the kinds of all columns, and all that was learned from rows.
    mapping: Mapping,
    /// Number of its sentences as it was given.
    given: usize,
    sources: Vec<Box<dyn TableSource>>,
    purpose: Purpose,
    /// Warnings of rows that refer to rows that are not there.
    dangling: Vec<Diagnostic>,
    /// Columns that are keys of rows that no two examples share, with their tables.
    private: Vec<(String, String)>,
    /// By table; a table that is not here belongs to every example.
    rows: BTreeMap<String, ExampleRows>,
    examples: usize,
    /// Rows that are read, and facts that are fetched at once, about.
    at_once: usize,
}

/// A source with some of its rows.
#[derive(Debug)]
struct SourceRows<'a> {
    source: &'a dyn TableSource,
    rows: &'a BTreeMap<String, Vec<u32>>,
}

impl TableSource for SourceRows<'_> {
    fn name(&self) -> String {
        self.source.name()
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.source.tables()
    }

    fn schema(&self, table: &str) -> Result<TableSchema, Error> {
        self.source.schema(table)
    }

    fn foreign_keys(&self) -> Result<Vec<(String, ForeignKey)>, Error> {
        self.source.foreign_keys()
    }

    fn read(&self, table: &str, columns: &[String]) -> Result<Frame, Error> {
        match self.rows.get(table) {
            Some(rows) => self.source.read_rows(table, columns, rows),
            None => self.source.read(table, columns),
        }
    }

    fn read_alias(&self, alias: &str, table: &str, columns: &[String]) -> Result<Frame, Error> {
        match self.rows.get(alias) {
            Some(rows) => self.source.read_rows(table, columns, rows),
            None => self.source.read(table, columns),
        }
    }
}

/// Tells whether a sentence makes facts.
fn is_of_facts(sentence: &Sentence) -> bool {
    matches!(sentence, Sentence::Relation(line) if !line.is_query)
}

/// Returns a mapping without the lines of facts but one, with the number that each of its sentences had.
fn with_line(mapping: &Mapping, line: Option<usize>) -> (Mapping, Vec<usize>) {
    let is_kept = |at: &usize| !is_of_facts(&mapping.sentences[*at].0) || line == Some(*at);
    let numbers: Vec<usize> = (0..mapping.sentences.len()).filter(is_kept).collect();
    let sentences = numbers.iter().map(|at| mapping.sentences[*at].clone()).collect();
    let mut alone = mapping.clone();
    alone.sentences = sentences;
    (alone, numbers)
}

impl TableStream {
    /// Finds which rows belong to which examples; paths of the mapping are relative to a folder.
    pub fn open(mapping: Mapping, folder: &Path, purpose: Purpose) -> Result<Self, Error> {
        let mapping = mapping.with_aliases();
        let refused = |message: &str, help: &str| Err(Error::new(ErrorKind::Usage, message).help(help));
        if mapping.example().is_none() {
            let help =
                "`:- example(table.column).` says what an example is; without it read all rows at once";
            return refused("all rows are one example, which cannot be read in groups", help);
        }
        let sources = sources(&mapping, folder)?;
        if let Some(source) = sources.iter().find(|source| !source.is_streamable()) {
            let message = format!("{}: CSV is read as a whole, not in groups of examples", source.name());
            return refused(&message, "bring it into SQLite or Parquet, or read all rows at once");
        }
        let given = mapping.sentences.len();
        let (mapping, keys) = typed(mapping, &sources, purpose)?;
        let (private, rows) = (keys, BTreeMap::new());
        let mut stream = Self {
            mapping,
            given,
            sources,
            purpose,
            dangling: Vec::new(),
            private,
            rows,
            examples: 0,
            at_once: AT_ONCE,
        };
        stream.find_rows()?;
        Ok(stream)
    }

    /// Reads about so many rows at once.
    #[must_use]
    pub fn at_once(self, rows: usize) -> Self {
        Self { at_once: rows.max(1), ..self }
    }

    /// Returns the tables with the columns of keys, times and labels only.
    fn thin(&self) -> Result<Tables, Error> {
        Tables::with(with_line(&self.mapping, None).0, &self.sources, self.purpose)
    }

    fn find_rows(&mut self) -> Result<(), Error> {
        let thin = self.thin()?;
        let mut mistakes = Mistakes::new(&thin);
        let mut memberships = Memberships::new(&thin)?;
        thin.check_labels()?;
        let kept = thin.labelled(&mut memberships, &mut mistakes)?;
        mistakes.finish()?;
        let count = kept.iter().flatten().count();
        let mut rows = BTreeMap::new();
        for (number, frame) in thin.frames.iter().enumerate() {
            let membership = memberships.of(number, false)?;
            if *membership != Membership::Everywhere {
                rows.insert(frame.name.clone(), ExampleRows::of(membership, frame.rows, &kept, count));
            }
        }
        if self.purpose != Purpose::Prediction {
            self.dangling = memberships.dangling.values().map(|rows| rows.warning(&thin)).collect();
        }
        let find = |table: &str| thin.frames.iter().position(|frame| frame.name == table);
        let is_private = |(table, column): &(String, String)| {
            let from = |link: &&crate::membership::Link| {
                thin.frames[link.from.frame].name == *table && thin.column(link.from).name == *column
            };
            let mut named = thin.links.iter().filter(from).map(|link| link.to.frame).peekable();
            match named.peek() {
                Some(_) => named.all(|frame| memberships.is_private(frame)),
                None => find(table).is_some_and(|frame| memberships.is_private(frame)),
            }
        };
        self.private.retain(is_private);
        (self.rows, self.examples) = (rows, count);
        Ok(())
    }

    /// Returns examples with their queries and names, and no word about facts.
    pub fn queries(&self, vocabulary: Vocabulary) -> Result<Dataset, Error> {
        Ok(self.thin()?.dataset(vocabulary, None)?.dataset)
    }

    /// Learns what the mapping leaves to training rows, line by line.
    pub fn fit(&mut self, training: Option<&[usize]>) -> Result<(), Error> {
        let is_open =
            |at: &usize| matches!(&self.mapping.sentences[*at].0, Sentence::Relation(line) if line.is_open());
        let open: Vec<usize> = (0..self.mapping.sentences.len()).filter(is_open).collect();
        for line in open {
            let (alone, numbers) = with_line(&self.mapping, Some(line));
            let fitted = Tables::with(alone, &self.sources, self.purpose)?.fitted(training)?;
            for (sentence, at) in fitted.sentences.into_iter().zip(numbers) {
                if at == line {
                    self.mapping.sentences[line] = sentence;
                }
            }
        }
        Ok(())
    }

    /// Returns what a model remembers of the mapping: all that was learned, and the kinds of columns.
    pub fn note(&self) -> Result<String, Error> {
        let mut mapping = self.mapping.clone();
        mapping.sentences.truncate(self.given);
        Ok(self.tables(&[])?.with_kinds(mapping).text())
    }

    /// Returns the data, whose facts are fetched when they are needed. All rows are looked through once.
    pub fn dataset(self: &Arc<Self>, vocabulary: Vocabulary) -> Result<Dataset, Error> {
        let mut dataset = self.queries(vocabulary)?;
        dataset.vocabulary = self.constants(dataset.vocabulary)?;
        let mut survey =
            Survey { fingerprint: Fingerprint::new(self.examples), count: 0, shapes: BTreeMap::new() };
        for (number, group) in self.groups().iter().enumerate() {
            let tables = self.tables(group)?;
            if number == 0 {
                tables.add_notes(&mut dataset, self.dangling.clone());
            }
            let part = tables.built(dataset.vocabulary.clone(), None, Some(&self.mapping))?.dataset;
            survey.add(&part);
        }
        for line in self.mapping.relations().filter(|line| !line.is_query) {
            let key = (line.predicate.clone(), line.terms.len());
            let Some(shape) = survey.shapes.get(&key) else { continue };
            let predicate = dataset.vocabulary.predicate(&line.predicate, line.terms.len()).index();
            dataset.facts_seen.resize(dataset.facts_seen.len().max(predicate + 1), None);
            if dataset.facts_seen[predicate].is_none() {
                let source = dataset.sources.add_table(&*line.predicate);
                dataset.facts_seen[predicate] = Some((*shape, Span { source, start: 0, end: 0 }));
            }
        }
        let fingerprint = survey.fingerprint.value(&dataset.weights);
        let source: Arc<dyn FactStore> = Arc::<Self>::clone(self);
        dataset.away = Some(FactsAway { source, count: survey.count, at_once: self.at_once, fingerprint });
        Ok(dataset)
    }

    /// Returns groups of examples one after the other, none with too many rows.
    fn groups(&self) -> Vec<Vec<usize>> {
        let rows =
            |example: usize| -> usize { self.rows.values().map(|it| it.of_example(example).len()).sum() };
        let (mut groups, mut most) = (vec![Vec::new()], 0);
        for example in 0..self.examples {
            most += rows(example);
            if let Some(last) = groups.last_mut().filter(|last| last.is_empty() || most <= self.at_once) {
                last.push(example);
            } else {
                groups.push(vec![example]);
                most = rows(example);
            }
        }
        groups
    }

    /// Returns the tables of some examples.
    fn tables(&self, examples: &[usize]) -> Result<Tables, Error> {
        let of = |rows: &ExampleRows| {
            let all: BTreeSet<u32> = examples.iter().flat_map(|&it| rows.of_example(it)).copied().collect();
            all.into_iter().collect::<Vec<u32>>()
        };
        let rows: BTreeMap<String, Vec<u32>> =
            self.rows.iter().map(|(table, rows)| (table.clone(), of(rows))).collect();
        let group = |source| Box::new(SourceRows { source, rows: &rows }) as Box<dyn TableSource + '_>;
        let sources: Vec<_> = self.sources.iter().map(|source| group(&**source)).collect();
        Tables::with(self.mapping.clone(), &sources, self.purpose)
    }

    /// Returns a vocabulary with all constants of facts that are kept, in the order in which they first appear: line by
    /// line, and row by row.
    fn constants(&self, mut vocabulary: Vocabulary) -> Result<Vocabulary, Error> {
        for at in 0..self.mapping.sentences.len() {
            let (mut alone, numbers) = with_line(&self.mapping, Some(at));
            let own = numbers.iter().position(|number| *number == at);
            let Some((Sentence::Relation(line), _)) = own.and_then(|own| alone.sentences.get_mut(own)) else {
                continue;
            };
            if line.is_query {
                continue;
            }
            let kept = line.clone().terms.into_iter().filter(|term| !self.is_private(line, &term.kind));
            (line.terms, line.value, line.is_vector) = (kept.collect(), Vec::new(), false);
            if !line.terms.is_empty() {
                let tables = Tables::with(alone.clone(), &self.sources, self.purpose)?;
                let found = tables.built(vocabulary.clone(), None, Some(&alone))?.dataset.vocabulary;
                let new = found.constants().skip(vocabulary.constant_count());
                new.for_each(|(_, constant)| _ = vocabulary.insert(constant.clone()));
            }
        }
        Ok(vocabulary)
    }

    /// Tells whether a term is the key of a row that no two examples share.
    fn is_private(&self, line: &RelationLine, term: &ExpressionKind) -> bool {
        let ExpressionKind::Variable(name) = term else { return false };
        let is_it = |it: &&ColumnPattern| it.pattern == Pattern::Variable(name.clone());
        let column = line.columns.iter().find(is_it).map(|it| it.column.clone());
        column.is_some_and(|column| self.private.contains(&(line.table.clone(), column)))
    }
}

impl FactStore for TableStream {
    fn facts(&self, examples: &[usize], vocabulary: &Vocabulary) -> Result<Dataset, Error> {
        let tables = self.tables(examples)?;
        let mut built = tables.built(vocabulary.clone(), None, Some(&self.mapping))?.dataset;
        // Rows are read in the order of the table, whatever order was asked for.
        let mut order: Vec<usize> = (0..examples.len()).collect();
        order.sort_by_key(|&at| examples[at]);
        let mut all = vec![lrnn::data::Example::default(); examples.len()];
        for (example, at) in std::mem::take(&mut built.examples).into_iter().zip(order) {
            all[at] = example;
        }
        built.examples = all;
        Ok(built)
    }
}

impl ExampleRows {
    fn of(membership: &Membership, rows: usize, kept: &[Option<u32>], examples: usize) -> Self {
        let of = |row: usize| {
            let own = membership.of(row).unwrap_or_default();
            own.iter().filter_map(|&example| kept[example as usize]).map(|example| example as usize)
        };
        let mut starts = vec![0; examples + 1];
        (0..rows).flat_map(of).for_each(|example| starts[example + 1] += 1);
        for example in 0..examples {
            starts[example + 1] += starts[example];
        }
        let mut next: Vec<u32> = starts.clone();
        let mut all = vec![0; starts[examples] as usize];
        for row in 0..rows {
            for example in of(row) {
                all[next[example] as usize] = row as u32;
                next[example] += 1;
            }
        }
        Self { starts, rows: all }
    }

    fn of_example(&self, example: usize) -> &[u32] {
        &self.rows[self.starts[example] as usize..self.starts[example + 1] as usize]
    }
}

/// Sums over all facts, each of which was seen once.
struct Survey {
    fingerprint: Fingerprint,
    count: usize,
    /// By name and arity: the shape of the values of a predicate that has facts.
    shapes: BTreeMap<(String, usize), lrnn::function::Shape>,
}

impl Survey {
    /// Adds a part of the data.
    fn add(&mut self, part: &Dataset) {
        self.fingerprint.add(part);
        for table in part.examples.iter().flat_map(|example| &example.tables) {
            let signature = part.vocabulary.signature(table.predicate);
            self.count += table.rows as usize;
            self.shapes.entry((signature.name.to_string(), signature.arity as usize)).or_insert(table.shape);
        }
    }
}

/// Returns a mapping with the kinds of all columns, and the columns that are keys.
fn typed(
    mut mapping: Mapping,
    sources: &[Box<dyn TableSource>],
    purpose: Purpose,
) -> Result<(Mapping, Vec<(String, String)>), Error> {
    let (resolver, keys) = MappingResolver::new(&mapping, sources, purpose)?;
    let keys = resolver.key_columns(&keys);
    let kinds = resolver.column_kinds(&keys)?;
    mapping.sentences.extend(kinds.into_iter().map(|kind| (kind, Span::default())));
    Ok((mapping, keys))
}
