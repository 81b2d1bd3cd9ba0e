//! The ground rules of a rule that become neurons together.

use std::borrow::Cow;

use super::ExampleParts;
use super::buffers::Buffers;
use crate::ground::{GroundRules, Runs, SharedRows};
use crate::network::merge::Interner;
use crate::template::{Rule, RuleId, Template};
use crate::vocabulary::PredicateId;

/// Number of ground rules whose memory is worth keeping.
const FEW: usize = 1 << 12;

/// Some ground rules of a rule.
pub(super) struct Selection<'g> {
    pub rule: RuleId,
    pub ground: Cow<'g, GroundRules>,
    /// Their numbers, ascending.
    pub at: Vec<u32>,
    /// Number of equal ground rules that each stands for; empty where each stands for itself.
    counts: Vec<u32>,
}

impl<'g> Selection<'g> {
    pub fn of(rule: RuleId, ground: Cow<'g, GroundRules>, at: Vec<u32>) -> Self {
        Self { rule, ground, at, counts: Vec::new() }
    }

    /// Returns all ground rules of a rule that are different, if they are not written out.
    pub fn of_different(
        adding: &mut ExampleParts<'_>,
        template: &Template,
        id: RuleId,
        buffers: &mut Buffers,
    ) -> Option<Self> {
        let (runs, rule) = (adding.runs, template.rule(id));
        if let Some(runs) = runs.own(id) {
            return Some(Self::of_different_runs(adding, id, rule, runs));
        }
        let (walk, shared, own) = runs.shared(id)?;
        if adding.distinct[walk].is_none() {
            adding.distinct[walk] = Some(DistinctRows::of(adding, template, walk, shared));
        }
        let distinct = adding.distinct[walk].as_ref()?;
        let is_taken = |place: &u32| shared.takes_all(own) || shared.takes(own, *place);
        let (mut places, mut counts) = (buffers.take(), buffers.take());
        for (place, times) in distinct.places.iter().zip(&distinct.times).filter(|(place, _)| is_taken(place))
        {
            places.push(*place);
            counts.push(*times);
        }
        let ground = shared.written_out(own, rule.inputs.len(), &places, || buffers.take());
        buffers.give(places);
        let at = buffers.filled(0..ground.len() as u32);
        Some(Self { rule: id, ground: Cow::Owned(ground), at, counts })
    }

    /// Gives its memory back, unless it is large.
    pub fn give_to(self, buffers: &mut Buffers) {
        buffers.give_all([self.at, self.counts]);
        if let Cow::Owned(ground) = self.ground
            && ground.len() <= FEW
        {
            buffers.give_all(ground.body.into_iter().chain([ground.heads]));
        }
    }

    /// Returns all ground rules of a rule that are different. Runs with the same heads, index constants and atoms as
    /// inputs give equal neurons in equal groups.
    fn of_different_runs(adding: &ExampleParts<'_>, id: RuleId, rule: &Rule, runs: &Runs) -> Self {
        let mut keys = Interner::default();
        let (mut first, mut times) = (Vec::new(), Vec::new());
        let mut key = Vec::new();
        for run in 0..runs.len() {
            key.clear();
            key.push(runs.heads(run));
            for (input, column) in rule.inputs.iter().zip(&runs.body) {
                let numbers = &adding.numbers[input.atom.predicate.index()];
                key.extend(runs.entries(column, run).iter().map(|&row| numbers[row as usize]));
            }
            for column in &runs.index {
                key.extend(runs.entries(column, run).iter().map(|constant| constant.0));
            }
            let (number, new) = keys.intern(&key);
            if new {
                first.push(run as u32);
                times.push(0);
            }
            times[number as usize] += 1;
        }
        let (ground, sizes) = runs.written_out(&first, rule.inputs.len());
        let mut counts = Vec::with_capacity(ground.len());
        sizes.iter().zip(times).for_each(|(size, times)| counts.resize(counts.len() + size, times));
        let at = (0..ground.len() as u32).collect();
        Self { rule: id, ground: Cow::Owned(ground), at, counts }
    }

    /// Returns how many equal ground rules each stands for.
    pub fn counts(&self) -> impl Iterator<Item = u32> {
        let alone = if self.counts.is_empty() { self.at.len() } else { 0 };
        self.counts.iter().copied().chain(std::iter::repeat_n(1, alone))
    }
}

/// The rows of a shared walk that stand for others: those with the same heads, index constants and atoms as inputs, for
/// every rule.
pub(super) struct DistinctRows {
    /// Ascending.
    places: Vec<u32>,
    /// Number of rows that each stands for.
    times: Vec<u32>,
}

impl DistinctRows {
    fn of(adding: &ExampleParts<'_>, template: &Template, walk: usize, shared: &SharedRows) -> Self {
        // The columns that are inputs of some rule, each once with its predicate.
        let mut inputs: Vec<(usize, Option<PredicateId>)> = Vec::new();
        let rules = adding.runs.shared_rules.iter().enumerate();
        for (number, place) in rules.filter_map(|(number, place)| Some((number, (*place)?))) {
            if place.0 == walk {
                let own = &template.rules[number].inputs;
                let predicates = own.iter().map(|input| Some(input.atom.predicate));
                let predicates = predicates.chain(std::iter::repeat(None));
                inputs.extend(shared.body(place.1).iter().copied().zip(predicates));
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        let mut keys = Interner::default();
        let (mut times, mut places) = (Vec::new(), Vec::new());
        let mut key = Vec::new();
        for row in 0..shared.len() {
            key.clear();
            key.extend(shared.terms(row).map(|constant| constant.0));
            for &(column, predicate) in &inputs {
                let there = shared.row(column, row);
                key.push(match (there, predicate) {
                    (Some(there), Some(predicate)) => adding.numbers[predicate.index()][there as usize],
                    (Some(_), None) => 0,
                    (None, _) => u32::MAX,
                });
            }
            let (number, is_new) = keys.intern(&key);
            if is_new {
                places.push(row as u32);
                times.push(0);
            }
            times[number as usize] += 1;
        }
        Self { places, times }
    }
}
