//! What data is made of.

use std::collections::BTreeSet;

use super::FactsAway;
use crate::diagnostic::{Diagnostic, Sources, Span};
use crate::function::Shape;
use crate::vocabulary::{ConstantId, PredicateId, Renumbering, Vocabulary};

/// The facts of one predicate in one example, row by row.
#[derive(Clone, PartialEq, Debug)]
pub struct FactTable {
    /// The predicate.
    pub predicate: PredicateId,
    /// Number of facts.
    pub rows: u32,
    /// The constants, row after row; a predicate without terms has none.
    pub terms: Vec<ConstantId>,
    /// The shape of every value.
    pub shape: Shape,
    /// The values, row after row; empty where every value is the number 1.
    pub values: Vec<f64>,
}

impl FactTable {
    /// Returns the constants of a row.
    pub fn row(&self, row: usize) -> &[ConstantId] {
        let arity = if self.rows == 0 { 0 } else { self.terms.len() / self.rows as usize };
        &self.terms[row * arity..(row + 1) * arity]
    }

    /// Returns the value of a row, which is also the weight of its fact.
    pub fn value(&self, row: usize) -> &[f64] {
        let size = self.shape.size();
        if self.values.is_empty() { &[1.0] } else { &self.values[row * size..(row + 1) * size] }
    }
}

impl FactTable {
    fn without(&self, is_left_out: impl Fn(u32) -> bool) -> Self {
        let mut left = Self { rows: 0, terms: Vec::new(), values: Vec::new(), ..*self };
        for row in (0..self.rows).filter(|&row| !is_left_out(row)) {
            left.rows += 1;
            left.terms.extend_from_slice(self.row(row as usize));
            if !self.values.is_empty() {
                left.values.extend_from_slice(self.value(row as usize));
            }
        }
        left
    }
}

/// One example: a set of weighted facts. A fact occurs once.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Example {
    /// The facts, a table per predicate, in the order of first appearance.
    pub tables: Vec<FactTable>,
}

impl Example {
    /// Returns the example without some facts, each a table and a row of it.
    pub fn without(&self, facts: &BTreeSet<(u32, u32)>) -> Self {
        let left = |(number, table): (u32, &FactTable)| table.without(|row| facts.contains(&(number, row)));
        Self { tables: (0..).zip(&self.tables).map(left).collect() }
    }
}

/// An atom whose value is asked for, with the value it should have.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The predicate.
    pub predicate: PredicateId,
    /// The constants.
    pub terms: Vec<ConstantId>,
    /// The target, if it is given; its shape is that of the predicate.
    pub target: Option<Vec<f64>>,
    /// Factor of its loss in learning, beside the weight of its example: from 0, and 1 where the data says nothing.
    pub weight: f64,
    /// Place in the text.
    pub span: Span,
}

impl Query {
    /// Returns a query without a target.
    pub fn new(predicate: PredicateId, terms: Vec<ConstantId>) -> Self {
        Self { predicate, terms, target: None, weight: 1.0, span: Span::default() }
    }
}

/// A query with variables: it asks for every atom of the model that matches.
#[derive(Clone, PartialEq, Debug)]
pub struct LiftedQuery {
    /// The number of its example.
    pub example: usize,
    /// The predicate.
    pub predicate: PredicateId,
    /// Constants and variables.
    pub terms: Vec<TermPattern>,
    /// The target of each, if it is given.
    pub target: Option<Vec<f64>>,
    /// Factor of the loss of each.
    pub weight: f64,
    /// Place in the text.
    pub span: Span,
}

/// A term of an atom with variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermPattern {
    /// A constant; `None` if no text ever named it.
    Constant(Option<ConstantId>),
    /// The same as the first term with this number.
    Variable(usize),
    /// Anything.
    Any,
}

impl TermPattern {
    /// Tells whether the terms of an atom match.
    pub fn all_match(patterns: &[Self], row: &[ConstantId]) -> bool {
        patterns.iter().zip(row).all(|(pattern, &term)| match pattern {
            Self::Constant(constant) => *constant == Some(term),
            Self::Variable(first) => row[*first] == term,
            Self::Any => true,
        })
    }
}

/// Examples with their queries.
#[derive(Clone, Default, Debug)]
pub struct Dataset {
    /// All constants and predicates: it extends the vocabulary the reading began with.
    pub vocabulary: Vocabulary,
    /// The examples.
    pub examples: Vec<Example>,
    /// The queries of each example.
    pub queries: Vec<Vec<Query>>,
    /// The queries with variables, which a template turns into those above.
    pub lifted: Vec<LiftedQuery>,
    /// A name for each example, if the data gives them.
    pub ids: Vec<Box<str>>,
    /// The fold of each example, if the data gives them.
    pub folds: Vec<u32>,
    /// Weight of each example in learning, if the data says so; else all count 1.
    pub weights: Vec<f64>,
    /// The texts and tables that it came from.
    pub sources: Sources,
    /// Messages about how it was read.
    pub notes: Vec<Diagnostic>,
    /// By predicate: the shape of its facts' values and the place of the first, if there are facts of it.
    pub facts_seen: Vec<Option<(Shape, Span)>>,
    /// The place of the facts, where they are not in the examples.
    pub away: Option<FactsAway>,
}

impl Dataset {
    /// Returns one example without facts: a template that brings its own.
    pub fn empty(vocabulary: Vocabulary) -> Self {
        let (examples, queries) = (vec![Example::default()], vec![Vec::new()]);
        Self { vocabulary, examples, queries, ..Self::default() }
    }

    /// Adds the examples of other data, which was read in the names of this or an extension of them.
    pub fn append(&mut self, other: Self) {
        if !self.ids.is_empty() || !other.ids.is_empty() {
            let names = |dataset: &Self| -> Vec<Box<str>> {
                (0..dataset.examples.len()).map(|example| dataset.example_name(example).into()).collect()
            };
            self.ids = [names(self), names(&other)].concat();
        }
        if !self.weights.is_empty() || !other.weights.is_empty() {
            self.weights.resize(self.examples.len(), 1.0);
            self.weights.extend(other.weights);
            self.weights.resize(self.examples.len() + other.examples.len(), 1.0);
        }
        self.facts_seen.resize(self.facts_seen.len().max(other.facts_seen.len()), None);
        for (own, seen) in self.facts_seen.iter_mut().zip(other.facts_seen) {
            *own = own.or(seen);
        }
        self.vocabulary = other.vocabulary;
        self.sources = self.sources.joined(&other.sources);
        let count = self.examples.len();
        let moved = |query: LiftedQuery| LiftedQuery { example: query.example + count, ..query };
        self.lifted.extend(other.lifted.into_iter().map(moved));
        self.examples.extend(other.examples);
        self.queries.extend(other.queries);
    }

    /// Returns the numbers of example and query of every query of some examples.
    pub fn places(&self, examples: &[usize]) -> Vec<(usize, usize)> {
        let of = |&example: &usize| (0..self.queries[example].len()).map(move |query| (example, query));
        examples.iter().flat_map(of).collect()
    }

    /// Returns the name of an example: its id, or its number from 0.
    pub fn example_name(&self, example: usize) -> String {
        self.ids.get(example).map_or_else(|| example.to_string(), |id| id.to_string())
    }

    /// Returns the same data in the ids of another vocabulary, into which names that it lacks are added.
    pub fn renumbered(&self, mut vocabulary: Vocabulary) -> Self {
        let ids = Renumbering::new(&self.vocabulary, &mut vocabulary);
        let facts_seen = vec![None; vocabulary.predicate_count()];
        let mut dataset = Self { vocabulary, facts_seen, ..self.clone() };
        for (old, seen) in (0..).map(PredicateId).zip(&self.facts_seen) {
            dataset.facts_seen[ids.predicate(old).index()] = *seen;
        }
        dataset.rename(&ids);
        dataset
    }

    /// Gives facts and queries other ids.
    pub(super) fn rename(&mut self, ids: &Renumbering) {
        let tables = self.examples.iter_mut().flat_map(|example| &mut example.tables);
        let tables = tables.map(|table| (&mut table.predicate, &mut table.terms));
        let queries = self.queries.iter_mut().flatten().map(|query| (&mut query.predicate, &mut query.terms));
        for (predicate, terms) in tables.chain(queries) {
            *predicate = ids.predicate(*predicate);
            terms.iter_mut().for_each(|term| *term = ids.constant(*term));
        }
        for query in &mut self.lifted {
            query.predicate = ids.predicate(query.predicate);
            for term in &mut query.terms {
                if let TermPattern::Constant(Some(constant)) = term {
                    *constant = ids.constant(*constant);
                }
            }
        }
    }
}
