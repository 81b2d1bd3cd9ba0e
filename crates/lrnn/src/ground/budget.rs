//! Counting while grounding, so that a template that explodes stops at once.
//!
//! Ground rules and instances of facts are counted against the limit of the example and, through a counter that
//! all threads share, against the total. The shared counter is asked only every few thousand ground rules: `stop`
//! holds what this example may reach until then. Candidates are counted too, the rejected ones as well, or a cross
//! product whose conditions reject everything would run for ever and never meet a limit.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Limits;
use super::error::LimitKind;

/// Number of candidates that may be tried for each ground rule that is allowed.
const CANDIDATES_PER_GROUND_RULE: u64 = 5;

/// Number of candidates tried between two looks at the flag to stop.
const BETWEEN_LOOKS: u64 = 1 << 16;

/// No relation may have more rows than a row number can name, whatever the limits say.
const MOST_GROUND_RULES: u64 = u32::MAX as u64 / 2;

/// The part of its limits that one example has used.
#[derive(Clone, Debug)]
pub(super) struct Budget<'a> {
    per_example: u64,
    limits: &'a Limits,
    total: &'a AtomicU64,
    used: u64,
    shared: u64,
    stop: u64,
    tried: u64,
    most_tried: u64,
    /// Number of candidates that may be tried until the flag to stop is asked again.
    next_look: u64,
}

impl<'a> Budget<'a> {
    /// Returns an example that has used nothing, while all examples before and beside it have used `total`.
    pub fn new(limits: &'a Limits, total: &'a AtomicU64) -> Self {
        let per_example = limits.per_example.min(MOST_GROUND_RULES);
        let left = limits.total.saturating_sub(total.load(Ordering::Relaxed));
        Self {
            per_example,
            limits,
            total,
            used: 0,
            shared: 0,
            stop: left.min(per_example),
            tried: 0,
            most_tried: per_example.saturating_mul(CANDIDATES_PER_GROUND_RULE),
            next_look: 0,
        }
    }

    /// Counts ground rules or instances of facts.
    #[inline]
    pub fn ground(&mut self, count: u64) -> Result<(), LimitKind> {
        self.used = self.used.saturating_add(count);
        if self.used <= self.stop { Ok(()) } else { Err(self.passed()) }
    }

    /// Counts candidates.
    #[inline]
    pub fn candidates(&mut self, count: u64) -> Result<(), LimitKind> {
        self.tried += count;
        if self.tried < self.next_look { Ok(()) } else { self.look() }
    }

    /// Looks whether too many candidates were tried, or somebody asked to stop.
    #[cold]
    fn look(&mut self) -> Result<(), LimitKind> {
        self.next_look = (self.tried + BETWEEN_LOOKS).min(self.most_tried + 1);
        match () {
            () if self.limits.stop.is_raised() => Err(LimitKind::Stopped),
            () if self.tried > self.most_tried => Err(LimitKind::Candidates),
            () => Ok(()),
        }
    }

    /// Counts what a copy of this budget has used since the mark, when it was made.
    pub fn add(&mut self, (used, tried): (u64, u64), copy: &Self) -> Result<(), LimitKind> {
        self.candidates(copy.tried - tried)?;
        self.ground(copy.used - used)
    }

    fn passed(&self) -> LimitKind {
        if self.used > self.per_example { LimitKind::PerExample } else { LimitKind::Total }
    }

    /// Adds what was used since the last time to the counter of all examples, and asks it how much is left.
    pub fn share(&mut self) -> Result<(), LimitKind> {
        if self.limits.stop.is_raised() {
            return Err(LimitKind::Stopped);
        }
        let new = self.used - self.shared;
        let total = self.total.fetch_add(new, Ordering::Relaxed).saturating_add(new);
        self.shared = self.used;
        let left = self.limits.total.saturating_sub(total);
        self.stop = self.used.saturating_add(left).min(self.per_example);
        if total <= self.limits.total { Ok(()) } else { Err(LimitKind::Total) }
    }

    /// Returns what was used at some moment, to come back to with [`Self::rewind`].
    pub fn mark(&self) -> (u64, u64) {
        (self.used, self.tried)
    }

    /// Forgets what was counted since the mark. Nothing of it may have been shared.
    pub fn rewind(&mut self, (used, tried): (u64, u64)) {
        self.used = used;
        self.tried = tried;
    }

    /// Returns the number of a limit.
    pub fn limit(&self, bound: LimitKind) -> u64 {
        match bound {
            LimitKind::PerExample => self.per_example,
            LimitKind::Total => self.limits.total,
            LimitKind::Candidates => self.most_tried,
            LimitKind::Stopped => 0,
        }
    }
}
