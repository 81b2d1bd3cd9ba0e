//! Some examples of data, which share their facts with it.

use std::sync::Arc;

use lrnn::Dataset;
use lrnn::data::{LiftedQuery, Query};

/// Examples of other data, with other weights or queries where they are given.
pub struct Cut {
    pub whole: Arc<Dataset>,
    pub rows: Vec<usize>,
    pub weights: Option<Vec<f64>>,
    pub queries: Option<Vec<Vec<Query>>>,
}

impl Cut {
    /// Takes all examples of data.
    pub fn of(whole: Arc<Dataset>) -> Self {
        let rows = (0..whole.examples.len()).collect();
        Self { whole, rows, weights: None, queries: None }
    }

    /// Returns the queries of an example.
    pub fn queries(&self, at: usize) -> &[Query] {
        match &self.queries {
            Some(queries) => &queries[at],
            None => &self.whole.queries[self.rows[at]],
        }
    }

    /// Returns the queries with variables; others take their place.
    fn lifted(&self) -> Vec<LiftedQuery> {
        if self.queries.is_some() || self.whole.lifted.is_empty() {
            return Vec::new();
        }
        let of = |(example, row): (usize, &usize)| {
            let own = self.whole.lifted.iter().filter(move |query| query.example == *row);
            own.map(move |query| LiftedQuery { example, ..query.clone() }).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(of).collect()
    }

    /// Returns the weight of an example in learning.
    pub fn weight(&self, at: usize) -> f64 {
        let given = self.weights.as_ref().map(|weights| weights[at]);
        given.or_else(|| self.whole.weights.get(self.rows[at]).copied()).unwrap_or(1.0)
    }

    /// Returns some of the examples.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            whole: self.whole.clone(),
            rows: rows.iter().map(|&at| self.rows[at]).collect(),
            weights: self.weights.as_ref().map(|weights| rows.iter().map(|&at| weights[at]).collect()),
            queries: self
                .queries
                .as_ref()
                .map(|queries| rows.iter().map(|&at| queries[at].clone()).collect()),
        }
    }

    /// Returns the examples as data of their own.
    pub fn dataset(&self) -> Dataset {
        let Self { whole, rows, .. } = self;
        let every = |all: usize| rows.len() == all && rows.iter().enumerate().all(|(at, &row)| at == row);
        let named = !whole.ids.is_empty() || !every(whole.examples.len());
        let weighted = self.weights.is_some() || !whole.weights.is_empty();
        Dataset {
            vocabulary: whole.vocabulary.clone(),
            examples: rows.iter().map(|&row| whole.examples[row].clone()).collect(),
            queries: (0..rows.len()).map(|at| self.queries(at).to_vec()).collect(),
            lifted: self.lifted(),
            ids: rows.iter().filter(|_| named).map(|&row| whole.example_name(row).into()).collect(),
            folds: rows.iter().filter_map(|&row| whole.folds.get(row).copied()).collect(),
            weights: (0..rows.len()).filter(|_| weighted).map(|at| self.weight(at)).collect(),
            sources: whole.sources.clone(),
            notes: Vec::new(),
            facts_seen: whole.facts_seen.clone(),
            away: None,
        }
    }
}
