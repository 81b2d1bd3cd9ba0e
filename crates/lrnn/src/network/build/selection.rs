//! The ground rules that become neurons together.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ExampleParts;
use super::buffers::Buffers;
use crate::ground::{GroundRules, Runs, SharedRows};
use crate::network::merge::Interner;
use crate::template::{Rule, RuleId};

/// Number of ground rules whose memory is worth keeping, and to which those of another rule are added.
const FEW: usize = 1 << 14;

/// Some ground rules of a rule, or of several rules of one class.
pub(super) struct Selection<'g> {
    /// The rules, with the end of the ground rules of each.
    ends: Vec<(RuleId, u32)>,
    /// Rows of each rule are those of its own predicates.
    pub ground: Cow<'g, GroundRules>,
    /// Their numbers, ascending.
    pub at: Vec<u32>,
    /// Number of equal ground rules that each stands for; empty where each stands for itself.
    counts: Vec<u32>,
}

impl<'g> Selection<'g> {
    pub fn of(rule: RuleId, ground: Cow<'g, GroundRules>, at: Vec<u32>) -> Self {
        let counts = match ground.times.is_empty() {
            true => Vec::new(),
            false => at.iter().map(|&at| ground.times[at as usize]).collect(),
        };
        Self { ends: vec![(rule, at.len() as u32)], ground, at, counts }
    }

    /// Adds ground rules of a rule of the same class.
    fn add(&mut self, rule: RuleId, ground: &GroundRules, at: &[u32]) {
        let own = self.ground.to_mut();
        own.heads.extend(at.iter().map(|&at| ground.heads[at as usize]));
        for (own, rows) in own.body.iter_mut().zip(&ground.body) {
            own.extend(at.iter().map(|&at| rows[at as usize]));
        }
        own.index.resize_with(ground.index.len(), Vec::new);
        for (own, constants) in own.index.iter_mut().zip(&ground.index) {
            own.extend(at.iter().map(|&at| constants[at as usize]));
        }
        match ground.times.is_empty() {
            true => self.counts.resize(own.heads.len(), 1),
            false => self.counts.extend(at.iter().map(|&at| ground.times[at as usize])),
        }
        self.end(rule);
    }

    /// Adds all ground rules of a rule of the same class that are different, from the rows of a shared walk.
    pub fn add_shared(
        &mut self,
        adding: &mut ExampleParts<'_>,
        (id, rule): (RuleId, &Rule),
        (walk, shared, own): (usize, &SharedRows, usize),
    ) {
        let distinct = adding.distinct[walk].take();
        let distinct = distinct.unwrap_or_else(|| DistinctRows::of(adding, shared));
        let (ground, inputs) = (self.ground.to_mut(), rule.inputs.len());
        if self.ends.is_empty() {
            let most = (shared.rules() * distinct.places.len()).min(FEW + distinct.places.len());
            let lists = ground.body.iter_mut().chain([&mut ground.heads, &mut self.counts, &mut self.at]);
            lists.for_each(|list| list.reserve(most));
        }
        if shared.takes_all(own) {
            shared.write_out(own, inputs, &distinct.places, ground);
            self.counts.extend_from_slice(&distinct.times);
        } else {
            let all = distinct.places.iter().zip(&distinct.times);
            let (places, times): (Vec<u32>, Vec<u32>) =
                all.filter(|(place, _)| shared.takes(own, **place)).unzip();
            shared.write_out(own, inputs, &places, ground);
            self.counts.extend_from_slice(&times);
        }
        self.end(id);
        adding.distinct[walk] = Some(distinct);
    }

    /// Selects what was added.
    fn end(&mut self, rule: RuleId) {
        let count = self.ground.len() as u32;
        self.at.extend(self.at.len() as u32..count);
        self.ends.push((rule, count));
    }

    /// Returns the first of its rules.
    pub fn first(&self) -> RuleId {
        self.ends[0].0
    }

    /// Returns the rules with the range of each among the selected ground rules.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (RuleId, Range<usize>)> {
        self.ends.iter().enumerate().map(|(number, &(rule, end))| {
            let start = if number == 0 { 0 } else { self.ends[number - 1].1 };
            (rule, start as usize..end as usize)
        })
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
    pub fn of_different_runs(adding: &ExampleParts<'_>, id: RuleId, rule: &Rule, runs: &Runs) -> Self {
        let DistinctRows { places, times } = DistinctRows::by(runs.len(), Interner::default(), |run, key| {
            key.push(runs.heads(run));
            for (input, column) in rule.inputs.iter().zip(&runs.body) {
                let numbers = &adding.numbers[input.atom.predicate.index()];
                key.extend(runs.entries(column, run).iter().map(|&row| numbers[row as usize]));
            }
            for column in &runs.index {
                key.extend(runs.entries(column, run).iter().map(|constant| constant.0));
            }
        });
        let (ground, sizes) = runs.written_out(&places, rule.inputs.len());
        let mut counts = Vec::with_capacity(ground.len());
        sizes.iter().zip(times).for_each(|(size, times)| counts.resize(counts.len() + size, times));
        let at = (0..ground.len() as u32).collect();
        Self { ends: vec![(id, ground.len() as u32)], ground: Cow::Owned(ground), at, counts }
    }

    /// Returns how many equal ground rules each stands for.
    pub fn counts(&self) -> impl Iterator<Item = u32> {
        let alone = if self.counts.is_empty() { self.at.len() } else { 0 };
        self.counts.iter().copied().chain(std::iter::repeat_n(1, alone))
    }
}

/// Selections of a stratum without levels, in which rules of one class are together.
pub(super) struct Stacks<'g> {
    pub selections: Vec<Selection<'g>>,
    /// By class of rules and number of index variables, the selection that others are added to.
    places: FxHashMap<(RuleId, usize), usize>,
}

impl<'g> Stacks<'g> {
    pub fn new(rules: usize) -> Self {
        Self { selections: Vec::with_capacity(rules), places: FxHashMap::default() }
    }

    /// Takes ground rules of a rule whose class has others.
    pub fn add(
        &mut self,
        rule: &Rule,
        (id, class): (RuleId, RuleId),
        ground: Cow<'g, GroundRules>,
        at: Vec<u32>,
        buffers: &mut Buffers,
    ) {
        if at.len() > FEW {
            return self.selections.push(Selection::of(id, ground, at));
        }
        if !at.is_empty() {
            self.stack(class, rule, buffers).add(id, &ground, &at);
        }
        buffers.give(at);
    }

    /// Returns the selection for the ground rules of a rule of this class.
    pub fn stack(&mut self, class: RuleId, rule: &Rule, buffers: &mut Buffers) -> &mut Selection<'g> {
        let next = self.selections.len();
        let place = self.places.entry((class, rule.index.len())).or_insert(next);
        if self.selections.get(*place).is_some_and(|full| full.at.len() > FEW) {
            *place = next;
        }
        if *place == next {
            let body = rule.inputs.iter().map(|_| buffers.take()).collect();
            let ground = Cow::Owned(GroundRules { heads: buffers.take(), body, ..GroundRules::default() });
            let (at, counts) = (buffers.take(), buffers.take());
            self.selections.push(Selection { ends: Vec::new(), ground, at, counts });
        }
        &mut self.selections[*place]
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
    fn of(adding: &ExampleParts<'_>, shared: &SharedRows) -> Self {
        let mut keys = Interner::default();
        keys.reserve_hashed(shared.len(), 0);
        Self::by(shared.len(), keys, |row, key| {
            key.extend(shared.terms(row).map(|constant| constant.0));
            for &(column, predicate) in shared.inputs() {
                let there = shared.row(column, row);
                key.push(match (there, predicate) {
                    (Some(there), Some(predicate)) => adding.numbers[predicate.index()][there as usize],
                    (Some(_), None) => 0,
                    (None, _) => u32::MAX,
                });
            }
        })
    }

    /// Finds the different ones of so many rows by their keys, which `write` writes.
    fn by(rows: usize, mut keys: Interner, write: impl Fn(usize, &mut Vec<u32>)) -> Self {
        let (mut times, mut places, mut key) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows {
            key.clear();
            write(row, &mut key);
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
