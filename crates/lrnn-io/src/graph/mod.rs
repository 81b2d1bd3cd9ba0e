//! Graphs and triples in the formats of other programs, each a reader that turns a text into placed facts. A new format is
//! a file here and a line of [`FORMATS`].

mod graphml;
mod node_link;
mod tsv;
mod turtle;
mod xml;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lrnn::data::{Dataset, Example, FactTable};
use lrnn::diagnostic::{Diagnostic, SourceId, Span};
use lrnn::function::Shape;
use lrnn::vocabulary::{Constant, PredicateId, Vocabulary};

/// A fact with its place in the text.
pub(crate) struct PlacedFact {
    pub predicate: String,
    pub terms: Vec<Constant>,
    /// The numbers of its value; none where that is 1.
    pub values: Vec<f64>,
    pub place: Span,
}

impl PlacedFact {
    /// Returns a fact of value 1.
    fn new(predicate: &str, terms: Vec<Constant>, place: Span) -> Self {
        Self { predicate: predicate.to_owned(), terms, values: Vec::new(), place }
    }
}

/// The facts of each example of a text, or everything that is wrong with it.
type GraphFacts = Result<Vec<Vec<PlacedFact>>, Vec<Diagnostic>>;

/// A format of graphs.
pub(crate) struct GraphFormat {
    /// End of the names of its files, before `.gz`.
    ending: &'static str,
    read: fn(&str, SourceId) -> GraphFacts,
}

/// All there are.
const FORMATS: [GraphFormat; 5] = [
    GraphFormat { ending: ".tsv", read: tsv::read },
    GraphFormat { ending: ".nt", read: turtle::read },
    GraphFormat { ending: ".ttl", read: turtle::read },
    GraphFormat { ending: ".json", read: node_link::read },
    GraphFormat { ending: ".graphml", read: graphml::read },
];

impl GraphFormat {
    /// Returns the format that the name of a file tells, if it is one of these.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        FORMATS.iter().find(|format| name.ends_with(format.ending))
    }

    /// Returns what is to be said of a text that may have been meant otherwise.
    pub fn note(&self, text: &str, source: SourceId) -> Option<Diagnostic> {
        if self.ending == FORMATS[0].ending { tsv::note(text, source) } else { None }
    }

    /// Returns the format of a text whose name does not tell: lines of three cells with tabs between them.
    pub fn of_text(text: &str) -> Option<&'static Self> {
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        let is_triple = first.matches('\t').count() == 2 && !first.trim_end().ends_with(['.', ',']);
        is_triple.then_some(&FORMATS[0])
    }

    /// Reads a text as data.
    pub fn read(
        &self,
        text: &str,
        source: SourceId,
        vocabulary: Vocabulary,
    ) -> Result<Dataset, Vec<Diagnostic>> {
        let mut dataset = Dataset { vocabulary, ..Dataset::default() };
        let mut wrong = Vec::new();
        for facts in (self.read)(text, source)? {
            wrong.extend(add_example(&mut dataset, facts));
        }
        if wrong.is_empty() { Ok(dataset) } else { Err(wrong) }
    }
}

/// Adds an example; a fact that stands twice is one.
fn add_example(dataset: &mut Dataset, facts: Vec<PlacedFact>) -> Vec<Diagnostic> {
    let mut example = Example::default();
    let mut places: BTreeMap<PredicateId, usize> = BTreeMap::new();
    let (mut seen, mut wrong) = (HashMap::new(), Vec::new());
    for fact in facts {
        let shape =
            if fact.values.len() < 2 { Shape::NUMBER } else { Shape::vector(fact.values.len() as u32) };
        let predicate = dataset.vocabulary.predicate(&fact.predicate, fact.terms.len());
        dataset.facts_seen.resize(dataset.vocabulary.predicate_count(), None);
        let (first_shape, first) = *dataset.facts_seen[predicate.index()].get_or_insert((shape, fact.place));
        if first_shape != shape {
            let message = format!("the values of `{}` have different numbers of elements", fact.predicate);
            wrong.push(Diagnostic::error(CODE, fact.place, message).also(first, "the first one"));
            continue;
        }
        let terms: Vec<_> = fact.terms.into_iter().map(|term| dataset.vocabulary.insert(term)).collect();
        match seen.entry((predicate, terms.clone())) {
            Entry::Vacant(entry) => drop(entry.insert(fact.values.clone())),
            Entry::Occupied(entry) if *entry.get() == fact.values => continue,
            Entry::Occupied(_) => {
                let message = format!("a fact of `{}` has two values", fact.predicate);
                wrong.push(Diagnostic::error(CODE, fact.place, message));
                continue;
            }
        }
        let at = *places.entry(predicate).or_insert_with(|| {
            let (terms, values) = (Vec::new(), Vec::new());
            example.tables.push(FactTable { predicate, rows: 0, terms, shape, values });
            example.tables.len() - 1
        });
        let table = &mut example.tables[at];
        table.rows += 1;
        table.terms.extend(terms);
        if !fact.values.is_empty() || !table.values.is_empty() {
            let values = if fact.values.is_empty() { vec![1.0] } else { fact.values };
            table.values.resize((table.rows as usize - 1) * shape.size(), 1.0);
            table.values.extend(values);
        }
    }
    dataset.examples.push(example);
    dataset.queries.push(Vec::new());
    wrong
}

/// The code of all that is wrong with a graph.
const CODE: &str = "D0143";

/// Makes the message of something wrong at a place of the text.
fn wrong(source: SourceId, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(CODE, Span { source, start: start as u32, end: end as u32 }, message)
}
