//! Walking the substitutions of a join plan.
//!
//! A [`Search`] goes depth first: one cursor for each step, the constants bound so far in slots, the rows taken so
//! far by literal. It is a state and not a recursion, so a body of any length is safe, it can be copied, and the
//! model may grow between two runs: a cursor never looks beyond the rows that were there when the search began.
//!
//! Substitutions come in runs that differ only in the tail: the last step, and those before it that neither depend
//! on each other nor ask for anything. A run is not walked through: it is all choices of a row for each of them.

use std::ops::Range;

use super::Relation;
use super::budget::Budget;
use super::error::LimitKind;
use super::gather::LiteralRows;
use super::index::NONE;
use super::lookup::PartialModel;
use super::step::{JoinPlan, Level, Literal, Lookup};
use crate::vocabulary::ConstantId;

/// A walk over the substitutions of a plan.
#[derive(Clone, Default, Debug)]
pub(super) struct Search {
    slots: Vec<ConstantId>,
    /// The current row of each literal.
    pub rows: Vec<u32>,
    /// For each literal without free variables, where its rows end.
    ends: Vec<u32>,
    cursors: Vec<StepCursor>,
    depth: usize,
    /// The first level that has changed since this was last set beyond all levels.
    pub changed: usize,
    is_over: bool,
}

/// The places of the rows of a step.
#[derive(Clone, Copy, Debug)]
struct StepCursor {
    first: u32,
    next: u32,
    end: u32,
}

impl Search {
    /// Begins a walk. It is over at once where a literal has no rows.
    pub fn begin(&mut self, plan: &JoinPlan, model: &mut PartialModel<'_>) {
        let literals = plan.literals + plan.steps.len();
        self.rows.resize(literals, 0);
        self.ends.resize(literals, 0);
        self.is_over = false;
        self.cursors.clear();
        for step in &plan.steps {
            let part = model.part(step);
            self.is_over |= part.is_empty();
            self.cursors.push(StepCursor { first: part.start, next: part.start, end: part.end });
        }
        for literal in plan.levels.iter().flat_map(|level| &level.present) {
            let part = model.part(literal);
            self.is_over |= part.is_empty();
            self.ends[literal.number] = part.end;
        }
        if self.is_over {
            return;
        }
        model.catch_up(plan);
        self.slots.clone_from(&plan.start);
        self.is_over = !self.meets(&plan.levels[0], plan, model);
        self.depth = 0;
        self.changed = 0;
        if let Some(cursor) = self.cursors.first_mut() {
            cursor.next = cursor.first;
        }
    }

    /// Returns the rows of the first step, if it goes through a relation row by row and the walk has only begun.
    pub fn driving_rows(&self, plan: &JoinPlan) -> Option<Range<u32>> {
        let is_scan = |step: &Literal| step.link.is_none() && matches!(step.lookup, Lookup::Scan);
        let goes_through = plan.tail > 0 && plan.steps.first().is_some_and(is_scan);
        let cursor = self.cursors.first().filter(|_| goes_through && !self.is_over)?;
        Some(cursor.first..cursor.end)
    }

    /// Returns a walk that has only begun, over these rows of the first step.
    pub fn chunk(&self, rows: Range<u32>) -> Self {
        let mut chunk = self.clone();
        chunk.cursors[0] = StepCursor { first: rows.start, next: rows.start, end: rows.end };
        chunk
    }

    /// Goes on to the next run: all steps before the tail are taken. False when there is none.
    pub fn next(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, LimitKind> {
        if self.is_over || plan.tail == 0 {
            return Ok(!std::mem::replace(&mut self.is_over, true));
        }
        self.depth = self.depth.min(plan.tail - 1);
        loop {
            if self.advance(plan, model, budget)? {
                self.depth += 1;
                if self.depth == plan.tail {
                    return Ok(true);
                }
                let cursor = &mut self.cursors[self.depth];
                cursor.next = cursor.first;
            } else if self.depth == 0 {
                self.is_over = true;
                return Ok(false);
            } else {
                self.depth -= 1;
            }
        }
    }

    /// Goes on to the next row of the current step; false when there is none.
    #[inline]
    fn advance(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, LimitKind> {
        let step = &plan.steps[self.depth];
        let relation = model.relation(step);
        self.changed = self.changed.min(self.depth + 1);
        loop {
            let cursor = &mut self.cursors[self.depth];
            if cursor.next >= cursor.end {
                return Ok(false);
            }
            let (row, next) = model.step(&step.lookup, cursor.next);
            cursor.next = next;
            budget.candidates(1)?;
            if self.take(step, row, relation) && self.meets(&plan.levels[self.depth + 1], plan, model) {
                return Ok(true);
            }
        }
    }

    /// Finds the substitutions of a run, and returns how many there are: one for each choice of a row for each step
    /// of the tail. Where the tail is not linked, the rows of its literals without free variables go to `body`.
    pub fn run(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
        tail: &mut [Vec<u32>],
        body: &mut [LiteralRows],
    ) -> Result<u64, LimitKind> {
        let mut count: u64 = 1;
        for (number, found) in (plan.tail..plan.steps.len()).zip(tail) {
            let (step, level) = (&plan.steps[number], &plan.levels[number + 1]);
            let cursor = self.cursors[number];
            found.clear();
            walk(model, &step.lookup, cursor.first, cursor.end, found);
            budget.candidates(found.len() as u64)?;
            if plan.is_tail_linked {
                keep_linked(level, model, found);
            } else {
                self.keep_one_by_one(plan, model, found, body);
            }
            count = count.saturating_mul(found.len() as u64);
        }
        Ok(count)
    }

    /// Keeps the rows of the last step that meet what its level asks.
    fn keep_one_by_one(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        found: &mut Vec<u32>,
        body: &mut [LiteralRows],
    ) {
        let (Some(step), Some(level)) = (plan.steps.last(), plan.levels.last()) else { return };
        let relation = model.relation(step);
        found.retain(|&row| {
            let is_kept = self.take(step, row, relation) && self.meets(level, plan, model);
            for literal in level.present.iter().filter(|literal| is_kept && literal.link.is_none()) {
                body[literal.number].written.push(self.rows[literal.number]);
            }
            is_kept
        });
    }

    /// Returns whether everything holds that can be asked at a level. Takes the rows of the literals that have no free
    /// variable, and finds the first rows of the steps whose key is bound now.
    #[inline]
    fn meets(&mut self, level: &Level, plan: &JoinPlan, model: &PartialModel<'_>) -> bool {
        let is_free = level.tests.is_empty()
            && level.present.is_empty()
            && level.opens.is_empty()
            && level.alternatives.is_empty();
        is_free || self.meets_all(level, plan, model)
    }

    fn meets_all(&mut self, level: &Level, plan: &JoinPlan, model: &PartialModel<'_>) -> bool {
        level.tests.iter().all(|test| model.holds(test, &self.slots))
            && level.present.iter().all(|literal| {
                let row = model.first_of(literal, &self.slots, &self.rows);
                self.rows[literal.number] = row;
                row < self.ends[literal.number]
            })
            && self.goes_on(level, model)
            && level.opens.iter().all(|&number| {
                let row = model.first_of(&plan.steps[number], &self.slots, &self.rows);
                let cursor = &mut self.cursors[number];
                cursor.first = row;
                row < cursor.end
            })
    }

    /// Returns whether one of the rules that share this walk goes on.
    #[inline]
    fn goes_on(&self, level: &Level, model: &PartialModel<'_>) -> bool {
        let leads_on = |&(link, from): &(usize, usize)| model.links[link].follow(self.rows[from]) != NONE;
        level.alternatives.is_empty() || level.alternatives.iter().any(|links| links.iter().all(leads_on))
    }

    /// Binds the variables of a literal to the terms of a row; false where they do not agree.
    #[inline(always)]
    fn take(&mut self, literal: &Literal, row: u32, relation: &Relation) -> bool {
        let terms = relation.row(row);
        for &(column, slot) in &literal.binds {
            self.slots[slot as usize] = terms[column];
        }
        self.rows[literal.number] = row;
        literal.checks.iter().all(|&(column, slot)| self.slots[slot as usize] == terms[column])
    }
}

/// Adds the rows from a place on that a lookup gives.
#[inline]
fn walk(model: &PartialModel<'_>, lookup: &Lookup, first: u32, end: u32, found: &mut Vec<u32>) {
    match lookup {
        &Lookup::Index(number, _) => model.indexes[number].walk(first, end, found),
        Lookup::Number(_) => found.extend((first < end).then_some(first)),
        _ => found.extend(first..end),
    }
}

/// Keeps the rows whose links all lead somewhere.
#[inline]
fn keep_linked(level: &Level, model: &PartialModel<'_>, found: &mut Vec<u32>) {
    for link in level.present.iter().filter_map(|literal| model.link(literal)) {
        if found.iter().any(|&row| link.follow(row) == NONE) {
            found.retain(|&row| link.follow(row) != NONE);
        }
    }
}
