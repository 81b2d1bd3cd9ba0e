//! Running a join plan on one example.
//!
//! A [`Search`] walks the substitutions of a plan depth first: one cursor for each step, the constants bound so far
//! in slots, the rows taken so far by literal. It is a state and not a recursion, so a body of any length is safe,
//! it can be copied, and the model may grow between two substitutions: a cursor never looks beyond the rows that
//! were there when the search began.
//!
//! Ground rules are gathered row by row in a buffer and moved to their columns a few thousand at a time: most rules
//! have a few dozen ground rules in an example, whose columns are then allocated once, in their exact size.
//!
//! A rule that has found [`LOOK_AHEAD`] ground rules is counted to its end by a copy of the search before anything
//! more is stored. A rule that would pass a limit so stops early and in little memory; one that would not pays for
//! searching twice, which is the smaller part of its work, and knows how much memory it needs.
//!
//! Not optimal: rules of one shape are joined each on its own. Several such rules (the 243 rules of a template of
//! the paper) walk the same rows again and again.

use super::budget::Budget;
use super::error::Bound;
use super::index::NONE;
use super::lookup::{Model, Range};
use super::step::{Demands, JoinPlan, Literal, Slot, Source, Step};
use super::{GroundRules, Relation};
use crate::vocabulary::ConstantId;

/// How many ground rules are gathered before they are moved to their columns.
const GATHERED: usize = 4096;

/// How many ground rules of one search are stored before the rest is counted.
const LOOK_AHEAD: u64 = 1 << 20;

/// A walk over the substitutions of a plan.
#[derive(Clone, Default, Debug)]
struct Search {
    slots: Vec<ConstantId>,
    /// The current row of each positive literal.
    rows: Vec<u32>,
    /// For each step, what it takes.
    ranges: Vec<Range>,
    /// For each step, what it takes next.
    cursors: Vec<u32>,
    depth: usize,
    is_over: bool,
}

impl Search {
    /// Begins a walk. It is over at once where a literal has no rows.
    fn begin(&mut self, plan: &JoinPlan, model: &mut Model<'_>) {
        self.ranges.clear();
        self.ranges.extend(plan.steps.iter().map(|step| match &step.source {
            Source::Literal(literal) => model.part(literal),
            Source::Domain(_) => Range { start: 0, end: model.domain.len() as u32 },
        }));
        let present = plan.steps.iter().flat_map(|step| &step.demands.present).chain(&plan.demands.present);
        self.is_over = self.ranges.iter().any(|range| range.is_empty()) || { present }
            .any(|literal| model.part(literal).is_empty());
        if self.is_over {
            return;
        }
        model.catch_up(&plan.indexes);
        self.slots.clone_from(&plan.start);
        self.rows.clear();
        self.rows.resize(plan.literals, 0);
        self.cursors.clear();
        self.cursors.resize(plan.steps.len(), NONE);
        self.depth = 0;
        self.is_over = !self.meets(&plan.demands, model);
        if let Some(step) = plan.steps.first() {
            self.open(step, model);
        }
    }

    /// Goes on to the next substitution; false when there is none.
    fn next(&mut self, plan: &JoinPlan, model: &Model<'_>, budget: &mut Budget<'_>) -> Result<bool, Bound> {
        if self.is_over || plan.steps.is_empty() {
            return Ok(!std::mem::replace(&mut self.is_over, true));
        }
        loop {
            if self.advance(&plan.steps[self.depth], model, budget)? {
                if self.depth + 1 == plan.steps.len() {
                    return Ok(true);
                }
                self.depth += 1;
                self.open(&plan.steps[self.depth], model);
            } else if self.depth == 0 {
                self.is_over = true;
                return Ok(false);
            } else {
                self.depth -= 1;
            }
        }
    }

    #[inline]
    fn open(&mut self, step: &Step, model: &Model<'_>) {
        let from = self.ranges[self.depth].start;
        self.cursors[self.depth] = match &step.source {
            Source::Literal(literal) => model.first(literal.predicate, &literal.lookup, &self.slots, from),
            Source::Domain(_) => from,
        };
    }

    /// Goes on to the next row or constant of the current step; false when there is none.
    #[inline]
    fn advance(&mut self, step: &Step, model: &Model<'_>, budget: &mut Budget<'_>) -> Result<bool, Bound> {
        let end = self.ranges[self.depth].end;
        loop {
            let row = self.cursors[self.depth];
            if row >= end {
                return Ok(false);
            }
            budget.candidate()?;
            let agrees = match &step.source {
                Source::Literal(literal) => {
                    self.cursors[self.depth] = model.next(&literal.lookup, row);
                    self.take(literal, row, model.relation(literal.predicate).row(row))
                }
                Source::Domain(slot) => {
                    self.cursors[self.depth] = row + 1;
                    self.slots[*slot as usize] = model.domain[row as usize];
                    true
                }
            };
            if agrees && self.meets(&step.demands, model) {
                return Ok(true);
            }
        }
    }

    /// Whether everything holds that can be asked now; takes the rows of the literals that have no free variable.
    #[inline]
    fn meets(&mut self, demands: &Demands, model: &Model<'_>) -> bool {
        if !demands.tests.iter().all(|test| model.holds(test, &self.slots)) {
            return false;
        }
        demands.present.iter().all(|literal| {
            let row = model.first(literal.predicate, &literal.lookup, &self.slots, 0);
            self.rows[literal.number] = row;
            row < model.part(literal).end
        })
    }

    /// Binds the variables of a literal to the terms of a row; false where they do not agree.
    #[inline]
    fn take(&mut self, literal: &Literal, row: u32, terms: &[ConstantId]) -> bool {
        for &(column, slot) in &literal.binds {
            self.slots[slot as usize] = terms[column];
        }
        self.rows[literal.number] = row;
        literal.checks.iter().all(|&(column, slot)| self.slots[slot as usize] == terms[column])
    }
}

/// Runs plans one after another; keeps its memory between them.
#[derive(Default, Debug)]
pub(super) struct Joiner {
    search: Search,
    head: Vec<ConstantId>,
    gathered: Vec<u32>,
}

impl Joiner {
    /// Adds all ground rules of a plan to `ground`, and their heads to the model.
    pub fn run(
        &mut self,
        plan: &JoinPlan,
        model: &mut Model<'_>,
        ground: &mut GroundRules,
        budget: &mut Budget<'_>,
    ) -> Result<(), Bound> {
        self.search.begin(plan, model);
        let mut found: u64 = 0;
        let mut last_head = NONE;
        let most = GATHERED * (1 + plan.literals + plan.index.len());
        while self.search.next(plan, model, budget)? {
            budget.ground(1)?;
            last_head = self.insert_head(plan, &mut model.relations[plan.head.index()], last_head);
            self.gathered.push(last_head);
            self.gathered.extend_from_slice(&self.search.rows);
            self.gathered.extend(plan.index.iter().map(|&slot| self.search.slots[slot as usize].0));
            found += 1;
            if self.gathered.len() >= most {
                self.store(plan, ground);
                budget.share()?;
            }
            if found == LOOK_AHEAD {
                let more = self.count_the_rest(plan, model, budget)?;
                reserve(ground, more);
            }
        }
        self.store(plan, ground);
        Ok(())
    }

    /// The row of the current head, which is new or not; most often that of the ground rule before it.
    #[inline]
    fn insert_head(&mut self, plan: &JoinPlan, relation: &mut Relation, last: u32) -> u32 {
        let slots = &self.search.slots;
        let terms = plan.head_terms.iter().map(|&slot: &Slot| slots[slot as usize]);
        if last != NONE && relation.row(last).iter().copied().eq(terms.clone()) {
            return last;
        }
        self.head.clear();
        self.head.extend(terms);
        relation.insert(&self.head).0
    }

    /// How many ground rules are still to come; an error where they would pass a limit.
    fn count_the_rest(
        &self,
        plan: &JoinPlan,
        model: &Model<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<usize, Bound> {
        let mut search = self.search.clone();
        let mark = budget.mark();
        let mut count = 0;
        while search.next(plan, model, budget)? {
            budget.ground(1)?;
            count += 1;
        }
        budget.rewind(mark);
        Ok(count)
    }

    /// Moves what was gathered to the columns.
    fn store(&mut self, plan: &JoinPlan, ground: &mut GroundRules) {
        let width = 1 + plan.literals + plan.index.len();
        let column = |number: usize| self.gathered.chunks_exact(width).map(move |rows| rows[number]);
        ground.heads.extend(column(0));
        for (number, rows) in ground.body.iter_mut().enumerate() {
            rows.extend(column(1 + number));
        }
        for (number, constants) in ground.index.iter_mut().enumerate() {
            constants.extend(column(1 + plan.literals + number).map(ConstantId));
        }
        self.gathered.clear();
    }
}

fn reserve(ground: &mut GroundRules, more: usize) {
    ground.heads.reserve_exact(more);
    ground.body.iter_mut().for_each(|rows| rows.reserve_exact(more));
    ground.index.iter_mut().for_each(|constants| constants.reserve_exact(more));
}
