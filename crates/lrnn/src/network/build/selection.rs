//! The ground rules of a rule that become neurons together.

use std::borrow::Cow;

use super::ExampleParts;
use crate::ground::{GroundRules, Runs};
use crate::network::merge::Interner;
use crate::template::{Rule, RuleId};

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

    /// Returns all ground rules of a rule that are different. Runs with the same heads, index constants and atoms as
    /// inputs give equal neurons in equal groups.
    pub fn of_different_runs(adding: &ExampleParts<'_>, id: RuleId, rule: &Rule, runs: &Runs) -> Self {
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
