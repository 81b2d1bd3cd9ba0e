//! Facts that are not in memory. Data may have its queries and names here and its facts elsewhere, such as in a database
//! that is larger than memory: those of some examples are fetched when they are needed, and dropped again.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::Dataset;
use crate::diagnostic::Error;
use crate::vocabulary::Vocabulary;

/// A place that facts are fetched from.
pub trait FactStore: Send + Sync + Debug {
    /// Returns data with these examples, one after the other, in names that extend a vocabulary. It needs no queries.
    fn facts(&self, examples: &[usize], vocabulary: &Vocabulary) -> Result<Dataset, Error>;
}

/// Facts that are elsewhere, with what must be known of all of them.
#[derive(Clone, Debug)]
pub struct FactsAway {
    /// The place that they are fetched from.
    pub source: Arc<dyn FactStore>,
    /// Number of facts.
    pub count: usize,
    /// Facts that are fetched at once, about.
    pub at_once: usize,
    /// Number that tells the data from other data, as if all facts were here.
    pub fingerprint: u64,
}

impl Dataset {
    /// Returns how many facts all examples have.
    pub fn fact_count(&self) -> usize {
        let here = || self.examples.iter().flat_map(|it| &it.tables).map(|table| table.rows as usize).sum();
        self.away.as_ref().map_or_else(here, |away| away.count)
    }

    /// Returns which chunks of so many examples are worked on at once: all, where the facts are here.
    pub(crate) fn groups(&self, sizes: &[usize]) -> Vec<Range<usize>> {
        let Some(away) = &self.away else { return std::iter::once(0..sizes.len()).collect() };
        let most = (away.at_once.saturating_mul(self.examples.len()) / away.count.max(1)).max(1);
        let (mut groups, mut start, mut examples) = (Vec::new(), 0, 0);
        for (at, size) in sizes.iter().enumerate() {
            if examples > 0 && examples + size > most {
                groups.push(start..at);
                (start, examples) = (at, 0);
            }
            examples += size;
        }
        groups.push(start..sizes.len());
        groups
    }

    /// Gives data that has the facts of some examples to `work`, with the numbers that these examples have in it.
    pub(crate) fn with_facts<T>(
        &self,
        examples: &[usize],
        work: impl FnOnce(&Self, &[usize]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(away) = &self.away else { return work(self, examples) };
        let mut part = away.source.facts(examples, &self.vocabulary)?;
        part.queries = examples.iter().map(|&example| self.queries[example].clone()).collect();
        part.ids = examples.iter().map(|&example| self.example_name(example).into()).collect();
        work(&part, &(0..examples.len()).collect::<Vec<_>>())
    }
}
