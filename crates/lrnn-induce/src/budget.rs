//! Steps: what a search costs, counted and not timed, so that a bounded search finds the same rules on every machine,
//! with any number of threads, and after it was stopped.
//!
//! A step is about the work for one fact that is met, or for one query that a clause covers. A clause that is looked at
//! again costs a growth nothing, as the lattice keeps what lies ahead of it; that other growths may have looked there before
//! is not counted, as it depends on which of them came first.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::clause::LatticeClause;

/// Steps that are taken at most where nobody says otherwise: a few minutes on two cores.
pub const DEFAULT_STEPS: u64 = 30_000_000_000;

/// The steps that were taken, and what was left out for want of more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StepCount {
    /// Number of steps.
    pub steps: u64,
    /// Clauses that were not refined.
    pub left_out: u64,
    /// Growths that ended before they had all their rules.
    pub ended: u64,
    /// Choices of settings most of which were compared on a few inner folds only.
    pub halved: u64,
}

impl std::ops::AddAssign for StepCount {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.left_out += other.left_out;
        self.ended += other.ended;
        self.halved += other.halved;
    }
}

impl StepCount {
    /// Tells whether something was left out.
    pub fn is_short(&self) -> bool {
        self.left_out + self.ended + self.halved > 0
    }

    /// Returns what was left out in a sentence, if something was.
    pub fn note(&self) -> Option<String> {
        let what = [
            (self.left_out, "clauses were not refined"),
            (self.ended, "growths ended early"),
            (self.halved, "choices of settings were made on fewer inner folds"),
        ];
        let parts: Vec<String> = what
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!parts.is_empty()).then(|| {
            format!("left out, for an end in minutes: {}; --max-seconds 3600 looks further", parts.join(", "))
        })
    }
}

/// The steps that the searches of one growth may take, and those they took. What lies ahead of the clause without a
/// body is compared for every rule; clauses with a body are refined with the steps that this will leave.
#[derive(Clone, Debug, Default)]
pub struct SearchBudget {
    /// Steps of the whole growth; none if there is no bound.
    all: Option<u64>,
    /// Number of the rule that is looked for, from 1.
    rule: usize,
    /// Steps so far, and what was left out.
    pub(crate) count: StepCount,
    /// Steps of these for clauses with a body.
    refining: u64,
    /// Steps to compare what lies ahead of the clause without a body.
    comparing: u64,
    /// The clauses that were refined.
    refined: FxHashSet<LatticeClause>,
    /// Steps of each clause that was refined last, in the mean.
    pace: u64,
}

/// Steps that are left after comparisons for so many rules go into clauses with a body, evenly by the square root of
/// the number of rules.
const EVEN_RULES: usize = 60;
/// The part of a growth's steps that looking ahead of one clause may cost, about.
const PART_AHEAD: u64 = 64;
/// The first clauses that are refined together are so many at most.
const FIRST_PART: u64 = 4;

impl SearchBudget {
    /// Returns the budget of a growth that takes so many steps at most.
    pub fn new(steps: Option<u64>) -> Self {
        Self { all: steps, ..Self::default() }
    }

    /// Begins the search for one more rule beside so many.
    pub(crate) fn begin(&mut self, rules: usize) {
        self.rule = rules + 1;
        self.pace = self.most().unwrap_or(0).saturating_sub(self.refining) / FIRST_PART;
    }

    /// Returns how many steps clauses with a body take at most until the rule that is looked for is found.
    fn most(&self) -> Option<u64> {
        let share = (self.rule as f64 / EVEN_RULES as f64).min(1.0).sqrt();
        let left = |all: u64| all.saturating_sub(EVEN_RULES as u64 * self.comparing);
        self.all.map(|all| (share * left(all) as f64) as u64)
    }

    /// Tells whether all steps are taken, with those that were taken elsewhere.
    pub(crate) fn is_over(&self, elsewhere: u64) -> bool {
        self.all.is_some_and(|all| self.count.steps - self.refining + elsewhere >= all)
    }

    /// Returns how many of so many clauses are refined next; 0 if no steps are left.
    pub(crate) fn next_part(&self, clauses: usize) -> usize {
        match self.most() {
            None => clauses,
            Some(most) if self.refining >= most => 0,
            Some(most) => clauses.min(((most - self.refining) / self.pace.max(1)).max(1) as usize),
        }
    }

    /// Counts what was met ahead of some clauses: steps to find it, if that is new, and to compare it.
    pub(crate) fn pay<'a>(&mut self, looks: impl Iterator<Item = (&'a LatticeClause, (u64, u64))>) {
        let (mut steps, mut count) = (0, 0);
        for (clause, (finding, comparing)) in looks {
            // All growths share what lies ahead of the clause without a body.
            if clause.body.is_empty() {
                self.comparing = comparing;
                self.count.steps += comparing;
                continue;
            }
            let is_new = self.refined.insert(clause.clone());
            steps += comparing + if is_new { finding } else { 0 };
            count += 1;
        }
        self.pace = u64::checked_div(steps, count).unwrap_or(self.pace);
        self.refining += steps;
        self.count.steps += steps;
    }

    /// Returns how many numbers the substitutions ahead of one clause have at most: a power of two, so that growths with
    /// nearly the same budget share the lattice.
    pub(crate) fn reach(&self) -> usize {
        let part = self.all.map(|all| (all / PART_AHEAD).max(1));
        part.map_or(usize::MAX, |part| 1 << part.ilog2().min(62))
    }
}
