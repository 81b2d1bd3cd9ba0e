//! Networks that were built, kept for whoever learns from the same data again under other settings.

use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Program;
use crate::data::{Dataset, Query};
use crate::diagnostic::Error;
use crate::network::{BuildOptions, Network, Networks};

/// The most bytes of networks that are kept.
const MOST_BYTES: usize = 1 << 29;

/// Networks of the last trainings and predictions, found by everything that they depend on: template, facts, queries,
/// batches, merging and limits, but not targets, weights or any other setting.
#[derive(Debug, Default)]
pub struct NetworkCache(Mutex<CacheState>);

#[derive(Debug, Default)]
struct CacheState {
    /// The one that was used last stands last.
    entries: Vec<CacheEntry>,
    built: u64,
    reused: u64,
}

#[derive(Debug)]
struct CacheEntry {
    key: u128,
    bytes: usize,
    item: Arc<dyn Any + Send + Sync>,
}

/// The network of some examples before its weights are bound, with what was asked.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkNetwork {
    pub network: Network,
    /// The queries of each example, where the data has none.
    pub queries: Vec<Vec<Query>>,
    /// For each query, whether the model knows its predicate.
    pub is_known: Vec<bool>,
}

impl NetworkCache {
    /// Returns how many networks were grounded and built, and how many were there already.
    pub fn counts(&self) -> (u64, u64) {
        let kept = self.kept();
        (kept.built, kept.reused)
    }

    /// Drops all networks.
    pub fn clear(&self) {
        self.kept().entries.clear();
    }

    fn kept(&self) -> MutexGuard<'_, CacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is kept under a key, or builds it and keeps it.
    fn item<T: Any + Send + Sync>(
        &self,
        key: u128,
        bytes: impl FnOnce(&T) -> usize,
        build: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let mut kept = self.kept();
        if let Some(at) = kept.entries.iter().position(|entry| entry.key == key && entry.item.is::<T>()) {
            let entry = kept.entries.remove(at);
            let item = Arc::clone(&entry.item);
            kept.entries.push(entry);
            kept.reused += 1;
            if let Ok(item) = item.downcast() {
                return Ok(item);
            }
        }
        drop(kept);
        let item = Arc::new(build()?);
        let mut kept = self.kept();
        kept.built += 1;
        kept.entries.push(CacheEntry { key, bytes: bytes(&item), item: Arc::clone(&item) as _ });
        while kept.entries.iter().map(|entry| entry.bytes).sum::<usize>() > MOST_BYTES {
            kept.entries.remove(0);
        }
        Ok(item)
    }

    /// Returns the networks of chunks of examples to learn from.
    pub(super) fn networks(
        &self,
        program: &Program,
        facts: &Dataset,
        options: BuildOptions,
        chunks: &[Vec<usize>],
    ) -> Result<Arc<Networks>, Error> {
        let mut key = CacheKey::new(program, facts);
        (1_u8, options.merge, chunks).hash(&mut key);
        key.examples(facts, chunks.iter().flatten().copied(), true);
        let bytes = |built: &Networks| built.networks.iter().map(Network::bytes).sum();
        self.item(key.value(), bytes, || program.networks(facts, options, chunks))
    }

    /// Returns the network of some examples to predict; `asked` stands for queries that are not the data's.
    pub(super) fn chunk(
        &self,
        program: &Program,
        dataset: &Dataset,
        examples: &[usize],
        asked: Option<&str>,
        build: impl FnOnce() -> Result<ChunkNetwork, Error>,
    ) -> Result<Arc<ChunkNetwork>, Error> {
        let mut key = CacheKey::new(program, dataset);
        (2_u8, asked, examples.len()).hash(&mut key);
        key.examples(dataset, examples.iter().copied(), asked.is_none());
        self.item(key.value(), |chunk: &ChunkNetwork| chunk.network.bytes(), build)
    }
}

/// A hash of 128 bits, so that no two inputs that anybody will meet have the same.
struct CacheKey(DefaultHasher, DefaultHasher);

impl Hasher for CacheKey {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
        self.1.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl CacheKey {
    fn new(program: &Program, dataset: &Dataset) -> Self {
        let mut key = Self(DefaultHasher::new(), DefaultHasher::new());
        key.1.write_u8(1);
        let Program { template, statistics, limits, .. } = program;
        (template.texts(), template.family.name, limits.per_example, limits.total).hash(&mut key);
        format!("{statistics:?}").hash(&mut key);
        for (_, constant) in dataset.vocabulary.constants() {
            constant.to_string().hash(&mut key);
        }
        for (_, signature) in dataset.vocabulary.predicates() {
            (&*signature.name, signature.arity).hash(&mut key);
        }
        key
    }

    fn examples(&mut self, dataset: &Dataset, examples: impl Iterator<Item = usize>, with_queries: bool) {
        for example in examples {
            let tables = &dataset.examples[example].tables;
            tables.len().hash(self);
            for table in tables {
                (table.predicate, table.rows, &table.terms).hash(self);
                (table.shape.rows, table.shape.columns, table.values.len()).hash(self);
                table.values.iter().for_each(|value| value.to_bits().hash(self));
            }
            let queries = if with_queries { &dataset.queries[example][..] } else { &[] };
            queries.len().hash(self);
            queries.iter().for_each(|query| (query.predicate, &query.terms).hash(self));
        }
    }

    fn value(&self) -> u128 {
        u128::from(self.0.finish()) << 64 | u128::from(self.1.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::NoObserver;
    use crate::{Settings, Template, Training, TrainingOptions};

    fn data(template: &Template, charge: f64, target: f64) -> Dataset {
        let mut data = template.data();
        for (name, element) in [("a", "c"), ("b", "cl")] {
            let value = if element == "cl" { target } else { 0.0 };
            data.example(name).fact_with(charge, "element", ("x", element)).target(value, "toxic", ());
        }
        data.build().expect("data")
    }

    /// Returns the weights and what was built and reused after learning with a cache.
    fn check(
        cache: &Arc<NetworkCache>,
        template: &Template,
        data: &Dataset,
        l2: f64,
    ) -> (Vec<u8>, (u64, u64)) {
        let mut settings = Settings { epochs: 5, ..Settings::default() };
        settings.set("l2", &l2.to_string()).expect("a setting");
        let learn = |cache| {
            let options = TrainingOptions { cache, ..TrainingOptions::default() };
            let mut training = Training::new(template, data, &settings, options).expect("training");
            training.advance(5, &NoObserver);
            training.finish().expect("a fit").model
        };
        let model = learn(Some(Arc::clone(cache)));
        let predictor = model.predictor().expect("a predictor");
        let answers = predictor.predict_cached(data, predictor.meaning(), cache).expect("answers");
        assert_eq!(answers.all, predictor.predict(data).expect("answers").all);
        let bytes = model.to_bytes().expect("bytes");
        assert_eq!(bytes, learn(None).to_bytes().expect("bytes"));
        (bytes, cache.counts())
    }

    #[test]
    fn networks_are_built_once_for_what_they_depend_on() {
        let cache = Arc::new(NetworkCache::default());
        let template = Template::parse("w[T] :: toxic :- element(A, T).").expect("a template");
        let first = check(&cache, &template, &data(&template, 1.0, 1.0), 0.0);
        assert_eq!(first.1, (2, 0)); // one to learn from, one to predict
        let other = check(&cache, &template, &data(&template, 1.0, 1.0), 0.5);
        assert_eq!(other.1, (2, 2));
        assert_ne!(first.0, other.0);
        assert_eq!(check(&cache, &template, &data(&template, 1.0, 0.0), 0.0).1, (2, 4)); // other targets
        assert_eq!(check(&cache, &template, &data(&template, 0.5, 1.0), 0.0).1, (4, 4)); // other values
        let longer = Template::parse("w[T] :: toxic :- element(A, T). v :: toxic :- element(A, c).");
        assert_eq!(check(&cache, &longer.expect("a template"), &data(&template, 1.0, 1.0), 0.0).1, (6, 4));
        cache.clear();
        assert_eq!(check(&cache, &template, &data(&template, 1.0, 1.0), 0.0).1, (8, 4));
    }
}
