//! Sentences into a dataset, and the checks that need the whole of it.

use super::batch::{Batch, BatchFact, is_variable};
use super::pieces::pieces;
use super::sentence::{Ending, Sentences, is_list_of_facts, variable_mistake};
use super::tables::FactTables;
use super::{Dataset, Example, LiftedQuery, Query, TermPattern};
use crate::diagnostic::{Diagnostic, SourceId, Sources, Span};
use crate::function::Shape;
use crate::threads::{pooled, thread_count};
use crate::vocabulary::{ConstantId, Vocabulary};

/// After so many mistakes the rest is not worth listing.
const MOST_MISTAKES: usize = 50;

/// A text is read in pieces of at least so many bytes.
const LEAST_PIECE: usize = 1 << 19;

/// So many facts of one example are read before they are added to it.
const TOGETHER: usize = 1 << 16;

/// A way in which the sentences of a text make examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Each sentence is an example: `fact, fact, ... .` or `query :- fact, ... .`
    Examples,
    /// All sentences together are one example, each a fact or several.
    Facts,
    /// `Facts` if every sentence is a single fact, else `Examples`.
    Detect,
}

/// Builds a dataset: text by text, example by example, or column by column.
#[derive(Debug)]
pub struct DatasetBuilder {
    pub(super) dataset: Dataset,
    /// Beginning of each example.
    pub(super) example_spans: Vec<Span>,
    /// The queries of a text of their own, with the place of each sentence.
    separate: Option<Vec<(Vec<Query>, Span)>>,
    /// The atoms that link queries of a text of their own to examples; the target of one is the weight of its example.
    links: Vec<Query>,
    pub(super) has_inline_queries: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl DatasetBuilder {
    /// Begins with a vocabulary, usually the template's.
    pub fn new(vocabulary: Vocabulary) -> Self {
        let dataset = Dataset { vocabulary, sources: Sources::of_data(), ..Dataset::default() };
        Self {
            dataset,
            example_spans: Vec::new(),
            separate: None,
            links: Vec::new(),
            has_inline_queries: false,
            diagnostics: Vec::new(),
        }
    }

    /// Goes on with a dataset.
    pub fn extending(dataset: Dataset) -> Self {
        let example_spans = vec![Span::default(); dataset.examples.len()];
        Self { example_spans, dataset, ..Self::new(Vocabulary::default()) }
    }

    /// Reads a text of examples; a large one in pieces side by side.
    pub fn examples(&mut self, text: &str, source: SourceId, layout: Layout) {
        let one = match layout {
            Layout::Examples => false,
            Layout::Facts => true,
            Layout::Detect => is_list_of_facts(text, source),
        };
        let notes = self.dataset.notes.len();
        let pieces = pieces(text, thread_count().min(text.len() / LEAST_PIECE));
        let read = match pieces.len() {
            0 | 1 => None,
            _ => pooled(|| self.pieces(text, source, &pieces, one)),
        };
        let count = read.unwrap_or_else(|| self.sentences((text, 0), source, one));
        if one && layout == Layout::Detect && count > 1 {
            let first = Sentences::new((text, 0), source, Vocabulary::default()).span();
            self.dataset.notes.insert(notes, detected(first));
        }
    }

    /// Reads the sentences of a text from a place on, all of one example or each of another, and counts them.
    pub(super) fn sentences(&mut self, text: (&str, usize), source: SourceId, one: bool) -> usize {
        let vocabulary = std::mem::take(&mut self.dataset.vocabulary);
        let mut sentences = Sentences::new(text, source, vocabulary);
        let mut batch = Batch::default();
        let mut tables = FactTables::default();
        if one {
            self.begin_example(sentences.span());
        }
        let mut count = 0;
        while !sentences.at_end() {
            count += 1;
            let span = sentences.span();
            let (mut queries, first) = (Vec::new(), batch.entries.len());
            let mut ending = sentences.more(&mut batch);
            if ending == Some(Ending::If) {
                self.has_inline_queries = true;
                queries = batch.iter().skip(first).map(|entry| query(entry, 1.0)).collect();
                batch.truncate(first);
                ending = sentences.more(&mut batch);
            }
            if let (Some(Ending::Stop), Some(mistake)) = (ending, variable_mistake(&batch)) {
                sentences.diagnostics.push(mistake);
                batch.truncate(first);
                continue;
            }
            match ending {
                Some(Ending::Stop) => {
                    if !one {
                        self.begin_example(span);
                        tables = FactTables::default();
                    }
                    // The facts of one example are looked up in their tables many at a time.
                    let goes_on = one && queries.is_empty() && batch.entries.len() < TOGETHER;
                    if let Some(all) = self.dataset.queries.last_mut() {
                        all.append(&mut queries);
                    }
                    if !goes_on {
                        self.batch(&mut batch, &mut tables, &mut sentences.vocabulary);
                    }
                    continue;
                }
                Some(Ending::If) => {
                    let message = "an example has one `:-`, between its queries and its facts";
                    let help = "end each example with a full stop; rules stand in the template";
                    sentences.fail(Diagnostic::error("D0110", sentences.last_mark(), message).help(help));
                }
                None => {}
            }
            batch.truncate(first);
        }
        self.batch(&mut batch, &mut tables, &mut sentences.vocabulary);
        self.dataset.notes.extend(sentences.learned.map(not_learned));
        self.diagnostics.append(&mut sentences.diagnostics);
        self.dataset.vocabulary = sentences.vocabulary;
        count
    }

    /// Reads a text of examples under a name for messages.
    pub fn text(&mut self, name: &str, text: &str, layout: Layout) -> &mut Self {
        let source = self.dataset.sources.add(name, text);
        self.examples(text, source, layout);
        self
    }

    /// Reads a text of queries under a name for messages.
    pub fn queries_text(&mut self, name: &str, text: &str) -> &mut Self {
        let source = self.dataset.sources.add(name, text);
        self.queries(text, source);
        self
    }

    /// Returns the constants and predicates so far.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.dataset.vocabulary
    }

    /// Returns how many examples there are so far.
    pub fn len(&self) -> usize {
        self.dataset.examples.len()
    }

    /// Tells whether there is no example yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Begins examples without facts until there are so many.
    pub fn reach(&mut self, count: usize) -> &mut Self {
        while self.len() < count {
            self.begin_example(Span::default());
        }
        self
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_MISTAKES {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn begin_example(&mut self, span: Span) {
        self.dataset.examples.push(Example::default());
        self.dataset.queries.push(Vec::new());
        self.example_spans.push(span);
    }

    /// Adds the facts of a batch to the last example, and clears it.
    /// Takes the examples away that stand behind so many.
    pub(super) fn truncate(&mut self, count: usize) {
        self.dataset.examples.truncate(count);
        self.dataset.queries.truncate(count);
        self.example_spans.truncate(count);
    }

    fn batch(&mut self, batch: &mut Batch, tables: &mut FactTables, vocabulary: &mut Vocabulary) {
        std::mem::swap(&mut self.dataset.vocabulary, vocabulary);
        if let Some(example) = self.dataset.examples.len().checked_sub(1) {
            for (entry, terms, values) in batch.iter() {
                self.checked_fact(example, tables, entry, terms, values);
            }
        }
        std::mem::swap(&mut self.dataset.vocabulary, vocabulary);
        batch.clear();
    }

    /// Adds a fact to an example: once if it is the same, with a message if its value or shape is not.
    pub(super) fn checked_fact(
        &mut self,
        example: usize,
        tables: &mut FactTables,
        entry: &BatchFact,
        terms: &[ConstantId],
        values: &[f64],
    ) {
        let shape = entry.shape.unwrap_or(Shape::NUMBER);
        if values.iter().any(|number| !number.is_finite()) {
            self.report(Diagnostic::error("D0133", entry.span, "the value of a fact is not a finite number"));
            return;
        }
        let Dataset { vocabulary, facts_seen, examples, .. } = &mut self.dataset;
        if let Some(diagnostic) = check_shape(facts_seen, vocabulary, entry, shape) {
            self.report(diagnostic);
        } else if let Err(first) = tables.add(&mut examples[example], entry, terms, values, shape) {
            let atom = vocabulary.atom_text(entry.predicate, terms);
            let message = format!("the fact `{atom}` stands twice in this example, with different values");
            let diagnostic = Diagnostic::error("D0111", entry.span, message).also(first, "the other one");
            self.report(diagnostic.help("keep one of the two"));
        }
    }

    /// Reads a text of queries: sentence i is about example i, or all are about the only example.
    pub fn queries(&mut self, text: &str, source: SourceId) {
        let vocabulary = std::mem::take(&mut self.dataset.vocabulary);
        let mut sentences = Sentences::new((text, 0), source, vocabulary);
        sentences.asks = true;
        let mut batch = Batch::default();
        let mut all = self.separate.take().unwrap_or_default();
        while !sentences.at_end() {
            let span = sentences.span();
            match sentences.list(&mut batch) {
                Some(Ending::Stop) => all.push((batch.iter().map(|entry| query(entry, 1.0)).collect(), span)),
                // `example1 :- 1 toxic.`: the queries of the example that has this atom before its facts. With a number
                // before the atom, `0.5 example1 :- 1 toxic.`, they count so much in learning.
                Some(Ending::If) => {
                    let mark = sentences.last_mark();
                    let links: Vec<Query> = batch.iter().map(|entry| query(entry, 1.0)).collect();
                    sentences.diagnostics.extend(variable_mistake(&batch));
                    let is_weighted = links.iter().any(|link| link.target.is_some());
                    let ending = sentences.list(&mut batch);
                    let is_target = |(entry, ..): (&BatchFact, _, _)| entry.shape.is_some();
                    let is_link = !is_weighted || (links.len() == 1 && batch.iter().all(is_target));
                    match (ending, links.into_iter().next()) {
                        (Some(Ending::Stop), Some(link)) if is_link => {
                            let weight = link.target.as_ref().map_or(1.0, |numbers| numbers[0]);
                            if weight < 0.0 {
                                let message = "queries count less than nothing in learning";
                                let mistake = Diagnostic::error("D0134", link.span, message);
                                sentences.diagnostics.push(mistake.help("the least weight is 0"));
                            }
                            self.links.push(link);
                            all.push((batch.iter().map(|entry| query(entry, weight)).collect(), span));
                            continue;
                        }
                        (None, _) => continue,
                        _ => {}
                    }
                    let message = "a query has no body: its facts stand in the examples";
                    let help = "end the query with a full stop before `:-`";
                    sentences.diagnostics.push(Diagnostic::error("D0112", mark, message).help(help));
                }
                None => {}
            }
        }
        self.diagnostics.append(&mut sentences.diagnostics);
        self.separate = Some(all);
        self.dataset.vocabulary = sentences.vocabulary;
    }

    /// Reads a text with the fold of each example, one a line.
    pub fn folds(&mut self, text: &str, source: SourceId) {
        for (line, span) in lines(text, source) {
            match line.parse() {
                Ok(fold) => self.dataset.folds.push(fold),
                Err(_) => {
                    let message = format!("`{line}` is not the number of a fold");
                    let help = "each line is the fold of one example, a whole number from 0";
                    self.diagnostics.push(Diagnostic::error("D0113", span, message).help(help));
                }
            }
        }
        self.same_count(self.dataset.folds.len(), "folds", source, text);
    }

    /// Reads a text with the weight of each example, one a line.
    pub fn weights(&mut self, text: &str, source: SourceId) {
        for (line, span) in lines(text, source) {
            match line.parse() {
                Ok(weight) if f64::is_finite(weight) && weight >= 0.0 => self.dataset.weights.push(weight),
                _ => {
                    let message = format!("`{line}` is not the weight of an example");
                    let help = "each line is the weight of one example, a number from 0";
                    self.diagnostics.push(Diagnostic::error("D0129", span, message).help(help));
                }
            }
        }
        self.one_each(self.dataset.weights.len(), "weights", source, text);
    }

    /// Reads a text with the name of each example, one a line.
    pub fn ids(&mut self, text: &str, source: SourceId) {
        self.dataset.ids = lines(text, source).map(|(line, _)| line.into()).collect();
        self.same_count(self.dataset.ids.len(), "ids", source, text);
    }

    fn same_count(&mut self, found: usize, what: &str, source: SourceId, text: &str) {
        // One example with many queries has a line per query.
        let queries = self.separate.as_ref().map_or(0, Vec::len);
        if !(self.dataset.examples.len() == 1 && found == queries) {
            self.one_each(found, what, source, text);
        }
    }

    fn one_each(&mut self, found: usize, what: &str, source: SourceId, text: &str) {
        let examples = self.dataset.examples.len();
        if found != examples && self.diagnostics.is_empty() {
            let end = text.trim_end().len() as u32;
            let extra = lines(text, source).nth(examples).map(|(_, span)| span);
            let span = extra.unwrap_or(Span { source, start: end, end });
            let message =
                format!("there {} for {}", are(found, what), counted(examples, "example", "examples"));
            let help = format!("line i of the {what} is about example i");
            self.diagnostics.push(Diagnostic::error("D0114", span, message).help(help));
        }
    }

    /// Returns the dataset, or everything that is wrong with it.
    pub fn finish(mut self) -> Result<Dataset, Vec<Diagnostic>> {
        if let Some(separate) = self.separate.take() {
            self.align(separate);
        } else if self.has_inline_queries {
            for (queries, &span) in self.dataset.queries.iter().zip(&self.example_spans) {
                if queries.is_empty() {
                    let message = "this example has no query, but others have";
                    let help = "an example with its query reads `1 query :- fact, fact.`";
                    self.diagnostics.push(Diagnostic::error("D0115", span, message).help(help));
                }
            }
        }
        self.lift();
        self.dataset.facts_seen.resize(self.dataset.vocabulary.predicate_count(), None);
        if self.diagnostics.is_empty() { Ok(self.dataset) } else { Err(self.diagnostics) }
    }

    /// Puts queries with variables apart.
    fn lift(&mut self) {
        let Dataset { queries, lifted, .. } = &mut self.dataset;
        let has_variable = |query: &Query| query.terms.iter().copied().any(is_variable);
        for (example, queries) in queries.iter_mut().enumerate() {
            for query in queries.extract_if(.., |query| has_variable(query)) {
                let Query { predicate, target, weight, span, .. } = query;
                let pattern = |&term: &ConstantId| match is_variable(term) {
                    true => TermPattern::Variable(query.terms.iter().position(|it| *it == term).unwrap_or(0)),
                    false => TermPattern::Constant(Some(term)),
                };
                let terms = query.terms.iter().map(pattern).collect();
                lifted.push(LiftedQuery { example, predicate, terms, target, weight, span });
            }
        }
    }

    /// Gives each example the queries whose link is the atom before its facts.
    fn follow_links(&mut self, separate: &[(Vec<Query>, Span)]) {
        let links = std::mem::take(&mut self.links);
        let is_same = |a: &Query, b: &Query| (a.predicate, &a.terms) == (b.predicate, &b.terms);
        let mut missing = None;
        for (queries, &span) in self.dataset.queries.iter_mut().zip(&self.example_spans) {
            let own = queries.first().cloned();
            let linked = || {
                let is_own = |link: &Query| own.as_ref().is_some_and(|own| is_same(own, link));
                links.iter().zip(separate).filter(move |(link, _)| is_own(link))
            };
            *queries = linked().flat_map(|(_, (queries, _))| queries.clone()).collect();
            if queries.is_empty() {
                missing.get_or_insert(span);
            }
        }
        if let Some(span) = missing {
            let message = "no query is linked to this example";
            let help = "the queries begin with the atom before its facts: `example1 :- 1 toxic.`";
            self.diagnostics.push(Diagnostic::error("D0115", span, message).help(help));
        }
    }

    fn align(&mut self, separate: Vec<(Vec<Query>, Span)>) {
        let (examples, queries) = (self.dataset.examples.len(), separate.len());
        if self.has_inline_queries && !self.links.is_empty() && self.links.len() == separate.len() {
            self.follow_links(&separate);
        } else if self.has_inline_queries {
            let span = self.example_spans.first().copied().unwrap_or_default();
            let message = "queries stand both in the examples and in a text of their own";
            self.diagnostics.push(Diagnostic::error("D0116", span, message).help("keep one of the two"));
        } else if examples == 1 {
            self.dataset.queries[0] = separate.into_iter().flat_map(|(queries, _)| queries).collect();
        } else if examples == queries {
            self.dataset.queries = separate.into_iter().map(|(queries, _)| queries).collect();
        } else if !self.diagnostics.is_empty() {
            // Sentences that could not be read upset the count; they have been reported.
        } else {
            let (code, span, what) = match examples > queries {
                true => ("D0115", self.example_spans[queries], "example has no query"),
                false => ("D0117", separate[examples].1, "query has no example"),
            };
            let message = format!("this {what}: {}", both(examples, queries));
            let help = "sentence i of the queries is about example i";
            self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
        }
    }
}

/// Returns the warning of a value that is written like a weight.
fn not_learned(span: Span) -> Diagnostic {
    let message =
        "values of examples are neither drawn nor learned: one that is only a shape is 0 everywhere";
    let help = "what is learned for each constant stands in the template: `w[X] = {3} :: p(X) :- *q(X).`";
    Diagnostic::warning("D0136", span, message).help(help)
}

fn detected(span: Span) -> Diagnostic {
    let message = "every sentence is a single fact: together they are one example";
    let help = "the name tells it too: `facts.txt` is one example, `examples.txt` has one a sentence";
    Diagnostic::note("D0205", span, message).help(help)
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn are(number: usize, many: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{verb} {}", counted(number, many.trim_end_matches('s'), many))
}

fn both(examples: usize, queries: usize) -> String {
    format!("there {} and {}", are(examples, "examples"), counted(queries, "query", "queries"))
}

fn query((entry, terms, values): (&BatchFact, &[ConstantId], &[f64]), weight: f64) -> Query {
    let target = entry.shape.map(|_| values.to_vec());
    Query { predicate: entry.predicate, terms: terms.to_vec(), target, weight, span: entry.span }
}

fn lines(text: &str, source: SourceId) -> impl Iterator<Item = (&str, Span)> {
    text.lines().filter_map(move |line| {
        let start = (line.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let span = Span { source, start, end: start + line.len() as u32 };
        (!line.trim().is_empty()).then_some((line.trim(), span))
    })
}

/// Checks that the values of a predicate's facts have one shape in all examples.
pub(super) fn check_shape(
    seen: &mut Vec<Option<(Shape, Span)>>,
    vocabulary: &Vocabulary,
    entry: &BatchFact,
    shape: Shape,
) -> Option<Diagnostic> {
    let number = entry.predicate.index();
    if seen.len() <= number {
        seen.resize(number + 1, None);
    }
    let (before, place) = *seen[number].get_or_insert((shape, entry.span));
    (before != shape).then(|| {
        let name = vocabulary.signature(entry.predicate);
        let message =
            format!("the value of this fact has shape {shape}, that of `{name}` elsewhere {before}");
        Diagnostic::error("D0118", entry.span, message).also(place, "the first one")
    })
}
