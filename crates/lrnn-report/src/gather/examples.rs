//! All examples: what is listed, what is explained, and what must be left out.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::explain::ExamplePatterns;
use lrnn::ground::Grounding;
use lrnn::network::Network;
use lrnn::program::Subject;
use lrnn::threads::each;

use super::PageInputs;
use super::alike::MOST_TOGETHER;
use super::choose::{chosen, spread};
use super::example::{ExampleFindings, ExampleTask, look};
use super::judge::judged;
use super::pattern::pattern_views;
use crate::page::{PageAnswer, PageExample, PagePattern, SharedTexts, TextId};

/// So many queries are explained at most, and their explanations have at most about so many bytes.
const MOST_EXPLAINED: usize = 400;
const MOST_BYTES: usize = 7_000_000;
/// So many queries of one example are explained.
const MOST_OF_EXAMPLE: usize = 40;
/// So many neurons are shown in all networks together, and in one.
const MOST_NEURONS: usize = 20_000;
const NEURONS: std::ops::RangeInclusive<usize> = 60..=200;
/// So many examples are listed, and so many queries.
const MOST_LISTED: usize = 20_000;
/// Patterns are looked for in so many examples.
const MOST_FOR_PATTERNS: usize = 1000;
/// The facts of an example have so many characters; where there are many examples, fewer.
const MOST_TEXT: usize = 6000;
const SHORT_TEXT: usize = 300;

/// Examples and patterns as the page shows them.
#[derive(Default)]
pub(super) struct ExampleList {
    pub examples: Vec<PageExample>,
    pub patterns: Vec<PagePattern>,
    /// Notes on whatever is left out.
    pub notes: Vec<String>,
    /// One network of all examples with equal neurons merged, if there is one.
    pub together: Option<Network>,
    /// Number of queries explained so far.
    explained: usize,
}

/// Looks at all examples, on all threads; `done` counts those that were looked at.
pub(super) fn example_list(
    inputs: &PageInputs<'_>,
    texts: &mut SharedTexts,
    done: &AtomicUsize,
) -> ExampleList {
    let mut list = ExampleList::default();
    list.fill(inputs);
    let tasks = tasks(inputs, &mut list);
    let findings = match list.look_together(inputs, &tasks, done) {
        Some(findings) => findings,
        None => {
            let of = |task: &ExampleTask| {
                let findings = look(inputs.subjects, task, None);
                done.fetch_add(1, Ordering::Relaxed);
                findings
            };
            each(&tasks, of)
        }
    };
    list.add(inputs, findings, texts);
    list
}

/// Returns what is explained, of what is listed; and where patterns are looked for.
fn tasks(inputs: &PageInputs<'_>, list: &mut ExampleList) -> Vec<ExampleTask> {
    let can = |example: usize, query: usize| {
        let subject = inputs.subjects.get(inputs.answering[example][query]);
        subject.is_some_and(|subject| subject.model.is_some()) && inputs.values[example][query].is_some()
    };
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for (example, listed) in list.examples.iter().enumerate() {
        let own: Vec<usize> = (0..listed.answers.len()).filter(|&query| can(example, query)).collect();
        let losses: Vec<Option<f64>> = own.iter().map(|&query| listed.answers[query].loss).collect();
        candidates.extend(chosen(&losses, MOST_OF_EXAMPLE).into_iter().map(|at| (example, own[at])));
    }
    let loss = |&(example, query): &(usize, usize)| list.examples[example].answers[query].loss;
    let losses: Vec<Option<f64>> = candidates.iter().map(loss).collect();
    let mut all: BTreeMap<usize, ExampleTask> = BTreeMap::new();
    let explained = chosen(&losses, MOST_EXPLAINED);
    let neurons = (MOST_NEURONS / explained.len().max(1)).clamp(*NEURONS.start(), *NEURONS.end());
    let new = |example| ExampleTask { example, queries: Vec::new(), patterns: false, neurons };
    for at in explained {
        let (example, query) = candidates[at];
        let one = all.entry(example).or_insert_with(|| new(example));
        one.queries.push((query, inputs.answering[example][query]));
    }
    if inputs.subjects.first().is_some_and(|subject| subject.model.is_some()) {
        let count = inputs.subjects[0].dataset.examples.len();
        if count > MOST_FOR_PATTERNS {
            list.notes.push(format!("patterns are those of {MOST_FOR_PATTERNS} of {count} examples"));
        }
        for example in spread(count, MOST_FOR_PATTERNS) {
            all.entry(example).or_insert_with(|| new(example)).patterns = true;
        }
    }
    all.into_values().collect()
}

impl ExampleList {
    /// Looks at all examples with one grounding of each, from which one network of all is built, too; none if they are too
    /// many, or not all can be grounded.
    fn look_together(
        &mut self,
        inputs: &PageInputs<'_>,
        tasks: &[ExampleTask],
        done: &AtomicUsize,
    ) -> Option<Vec<ExampleFindings>> {
        let first = inputs.subjects.first().filter(|first| first.dataset.examples.len() <= MOST_TOGETHER)?;
        let of = |example, grounding: &Grounding| {
            let task = tasks.binary_search_by_key(&example, |task| task.example).ok()?;
            Some(look(inputs.subjects, &tasks[task], Some(grounding)))
        };
        let (findings, together) = first.look_together(done, of).ok()?;
        self.together = Some(together);
        Some(findings.into_iter().flatten().collect())
    }

    /// Lists every example with its queries, values, losses and facts.
    fn fill(&mut self, inputs: &PageInputs<'_>) {
        let Some(dataset) = inputs.subjects.first().map(|subject| &*subject.dataset) else { return };
        let count = dataset.examples.len();
        let (mut left, mut listed) = (0, 0);
        for (example, facts) in dataset.examples.iter().enumerate() {
            let queries = &dataset.queries[example];
            let judged = judged(inputs, example);
            let answer = |query: usize| PageAnswer {
                atom: dataset.vocabulary.atom_text(queries[query].predicate, &queries[query].terms),
                target: queries[query].target.clone(),
                value: inputs.values[example][query].clone(),
                is_wrong: judged[query].map(|judged| judged.is_wrong),
                loss: judged[query].map(|judged| judged.loss),
                explanation: None,
            };
            let room = (MOST_LISTED - listed.min(MOST_LISTED)).max(1);
            let answers: Vec<PageAnswer> = (0..queries.len().min(room)).map(answer).collect();
            left += queries.len() - answers.len();
            listed += answers.len();
            let most = match count {
                0..=MOST_EXPLAINED => MOST_TEXT,
                _ if count <= MOST_LISTED => SHORT_TEXT,
                _ => 0,
            };
            self.examples.push(PageExample {
                name: dataset.example_name(example),
                part: inputs.parts.get(example).cloned().unwrap_or_default(),
                answers,
                picture: None,
                molecule: None,
                facts: facts.tables.iter().map(|table| table.rows as usize).sum(),
                text: super::data::facts_text(dataset, example, most),
            });
        }
        if left > 0 {
            self.notes.push(format!("{left} queries are not listed: the page would be too large"));
        }
    }

    /// Puts findings into the examples, the worst answers first, as long as there is room.
    fn add(&mut self, inputs: &PageInputs<'_>, findings: Vec<ExampleFindings>, texts: &mut SharedTexts) {
        let mut found: Vec<(usize, ExamplePatterns)> = Vec::new();
        let mut unset: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut failures = Vec::new();
        let room = self.room(&findings);
        for mut one in findings {
            found.extend(one.found.take().map(|found| (one.example, found)));
            for (subject, names) in std::mem::take(&mut one.unset) {
                unset.entry(subject).or_default().extend(names);
            }
            failures.append(&mut one.failures);
            self.examples[one.example].picture = one.picture.take();
            self.examples[one.example].molecule = one.molecule.take();
            for (query, mut explanation) in std::mem::take(&mut one.explanations) {
                if !room.contains(&(one.example, query)) {
                    continue;
                }
                for text in explanation.texts() {
                    *text = TextId(texts.number(one.texts.get(*text)).0);
                }
                self.explained += 1;
                self.examples[one.example].answers[query].explanation = Some(explanation);
            }
        }
        if let Some(subject) = inputs.subjects.first().filter(|subject| subject.model.is_some()) {
            self.patterns = pattern_views(subject, found);
        }
        self.note_unset(inputs, &unset);
        self.note_rest(inputs, &failures);
    }

    /// Returns the explanations that there is room for.
    fn room(&self, findings: &[ExampleFindings]) -> BTreeSet<(usize, usize)> {
        let mut all: Vec<(f64, usize, usize, usize)> = Vec::new();
        for one in findings {
            for (query, explanation) in &one.explanations {
                let loss = self.examples[one.example].answers[*query].loss.unwrap_or(0.0);
                all.push((loss, one.example, *query, explanation.bytes()));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut bytes = 0;
        let fits = |one: &(f64, usize, usize, usize)| {
            bytes += one.3;
            (bytes <= MOST_BYTES).then_some((one.1, one.2))
        };
        all.iter().map_while(fits).collect()
    }

    fn note_unset(&mut self, inputs: &PageInputs<'_>, unset: &BTreeMap<usize, BTreeSet<String>>) {
        let notes = unset.iter().filter_map(|(&subject, names)| inputs.subjects[subject].unset_note(names));
        self.notes.extend(notes);
        self.notes.extend(inputs.subjects.iter().find_map(Subject::member_note));
    }

    fn note_rest(&mut self, inputs: &PageInputs<'_>, failures: &[String]) {
        if let Some(first) = failures.first() {
            let more =
                if failures.len() > 1 { format!("; and {} more", failures.len() - 1) } else { String::new() };
            self.notes.push(format!("not everything can be explained: {first}{more}"));
        }
        let values = inputs.values.iter().flatten();
        let inside = values.filter(|value| value.is_some()).count();
        let all = inputs.values.iter().map(Vec::len).sum::<usize>();
        if inside < all {
            self.notes.push(format!("{} of {all} queries are not in the model", all - inside));
        }
        if self.explained > 0 && self.explained < inside && failures.is_empty() {
            let explained = self.explained;
            self.notes.push(format!(
                "{explained} of {inside} answers are explained: those with the largest losses and a spread of the others"
            ));
        }
    }
}
