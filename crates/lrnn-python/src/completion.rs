//! Knowledge bases: triples from memory or files, completed by rules.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::{Error, ErrorKind, Stop};
use lrnn_io::{TripleParts, check_free, file_error, read_triples, write_atomically};
use lrnn_kb::{Completion, CompletionOptions, KnowledgeBase, Negatives, completion_steps};
use pyo3::prelude::*;
use serde::Serialize;

use crate::attended::attended;
use crate::error::OrRaise;
use crate::model::json;

/// Triples of head, relation and tail, or where they are.
#[derive(FromPyObject)]
pub enum TriplePlace {
    Path(PathBuf),
    Rows(Vec<(String, String, String)>),
}

impl TriplePlace {
    fn read(self) -> Result<TripleParts, Error> {
        match self {
            Self::Path(path) => read_triples(&path),
            Self::Rows(rows) => {
                let train = rows.into_iter().map(|(head, relation, tail)| [head, relation, tail]).collect();
                Ok(TripleParts { train, ..TripleParts::default() })
            }
        }
    }
}

/// The words of `lrnn complete`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CompletionWords {
    length: u8,
    rules: Vec<usize>,
    l2: Vec<f64>,
    paths_only: bool,
    end: Option<String>,
    filter: Option<TriplePlace>,
    /// None stands for all pairs that are not known.
    negatives: Option<usize>,
    predictions: usize,
    seed: u64,
}

impl CompletionWords {
    fn options(&self) -> Result<CompletionOptions, Error> {
        let Self { length, predictions, seed, .. } = *self;
        let (rules, l2, likeness) = (self.rules.clone(), self.l2.clone(), !self.paths_only);
        let negatives = self.negatives.map_or(Negatives::All, Negatives::Sampled);
        let end = self.end.as_deref().map(str::parse).transpose();
        let end = end.map_err(|error| Error::new(ErrorKind::Usage, format!("end: {error}")))?;
        let limits = lrnn_kb::PathLimits::default();
        CompletionOptions { length, rules, l2, likeness, end, negatives, predictions, seed, limits }.checked()
    }
}

/// The document of `lrnn complete --json`, without times; the files only where a folder was asked for.
#[derive(Serialize)]
struct CompletionDocument<'a> {
    #[serde(flatten)]
    completion: &'a Completion,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a Path>,
}

/// Completes a knowledge base: the document, the template of the rules, and notes.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with all of them")]
pub fn complete(
    py: Python<'_>,
    triples: TriplePlace,
    validation: Option<TriplePlace>,
    test: Option<TriplePlace>,
    mut words: CompletionWords,
    out: Option<PathBuf>,
    threads: Option<usize>,
    tick: Option<Py<PyAny>>,
) -> PyResult<(String, String, Vec<String>)> {
    let (stop, done, all) = (Stop::default(), AtomicUsize::new(0), AtomicUsize::new(0));
    let mut attend = |py: Python<'_>, _: Option<&lrnn::Epoch>| {
        let Some(tick) = &tick else { return Ok(false) };
        let (done, all) = (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed).max(1));
        tick.call1(py, (done as f64 / all as f64, done))?.bind(py).is_truthy()
    };
    let work = || {
        let options = words.options()?;
        if let Some(out) = &out {
            check_free(out, "choose another with out=")?;
        }
        let (knowledge, mut notes) = knowledge(triples, validation, test, words.seed)?;
        let filter = words.filter.take().map(TriplePlace::read).transpose()?.unwrap_or_default();
        let knowledge = knowledge.with_others(&filter.train);
        all.store(completion_steps(&knowledge), Ordering::Relaxed);
        let completion = lrnn_kb::complete(&knowledge, &options, &stop, &done)?;
        let template = completion.template(&knowledge);
        notes.extend(completion.notes.iter().cloned());
        let file = out.as_ref().map(|out| out.join("template.lrnn"));
        let document =
            CompletionDocument { completion: &completion, template: file.as_deref(), run: out.as_deref() };
        if let (Some(out), Some(file)) = (&out, &file) {
            std::fs::create_dir_all(out).map_err(|error| file_error(out, error))?;
            write_atomically(file, template.as_bytes())?;
            let text = serde_json::to_string_pretty(&document).unwrap_or_default();
            write_atomically(&out.join("results.json"), (text + "\n").as_bytes())?;
        }
        Ok((json(&document), template, notes))
    };
    match attended(py, threads, &|| stop.raise(), &mut attend, |_| work())? {
        (_, Some(failed)) => Err(failed),
        (found, None) => found.or_raise(py),
    }
}

fn knowledge(
    triples: TriplePlace,
    validation: Option<TriplePlace>,
    test: Option<TriplePlace>,
    seed: u64,
) -> Result<(KnowledgeBase, Vec<String>), Error> {
    let mut parts = triples.read()?;
    for (place, part) in [(validation, &mut parts.validation), (test, &mut parts.test)] {
        if let Some(place) = place {
            let read = place.read()?;
            *part = read.train;
            parts.others += read.others;
        }
    }
    let others = parts.others;
    let note = (others > 0).then(|| format!("{others} facts do not have two terms and are no triples"));
    let knowledge = KnowledgeBase::new(&parts.train, &parts.validation, &parts.test)?.with_validation(seed);
    Ok((knowledge, note.into_iter().collect()))
}
