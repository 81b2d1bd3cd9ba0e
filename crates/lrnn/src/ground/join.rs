//! Running a join plan on one example.
//!
//! A rule that has found [`LOOK_AHEAD`] ground rules is counted to its end by a copy of the search before anything
//! more is stored. A rule that would pass a limit so stops early and in little memory; one that would not pays for
//! searching twice, which is the smaller part of its work, and knows how much memory it needs.
//!
//! A large driving relation, that of the first literal of the plan, is searched in chunks of its rows on all threads;
//! what they find is stored chunk after chunk, so the order is that of one thread.
//!
//! Not optimal: what is found is stored by one thread. Rules with the same steps share their walk (see
//! [`super::shared`]).

use std::ops::Range;

use super::GroundRules;
use super::budget::Budget;
use super::error::LimitKind;
use super::gather::{LiteralRows, RuleBatch, RuleRun};
use super::lookup::PartialModel;
use super::runs::Runs;
use super::search::Search;
use super::shared::{MOST_ROWS, SharedRows, SharedWalk};
use super::step::JoinPlan;
use crate::threads::{each, thread_count};

/// Number of ground rules gathered before they are moved to their columns.
const GATHERED: usize = 512;

/// Number of ground rules of one search stored before the rest is counted.
const LOOK_AHEAD: usize = 1 << 20;

/// Number of rows of the driving relation in a chunk.
const CHUNK: u32 = 1 << 13;

/// Number of ground rules that a chunk may have before one thread goes on with it.
const MOST_OF_A_CHUNK: usize = 1 << 17;

/// Runs plans one after another; keeps its memory between them.
#[derive(Default, Debug)]
pub(super) struct Joiner {
    search: Search,
    gathered: RuleBatch,
    /// The rows of each step of the tail in the current run.
    tail: Vec<Vec<u32>>,
}

impl Joiner {
    /// Adds all ground rules of a plan to `ground`, or to `runs` where they come in runs, and their heads to the model.
    pub fn run(
        &mut self,
        plan: &JoinPlan,
        model: &mut PartialModel<'_>,
        ground: &mut GroundRules,
        runs: Option<&mut Option<Runs>>,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        match self.begin(plan, model) {
            Some(rows) if thread_count() > 1 => self.run_in_chunks(plan, rows, model, ground, budget),
            _ => match runs.zip(Runs::of(plan)) {
                Some((runs, none)) => self.walk_runs(plan, model, runs.insert(none), budget),
                None => self.walk(plan, model, ground, budget),
            },
        }
    }

    /// Begins with a plan; returns the rows of its first literal, if they are so many that chunks are worth it.
    fn begin(&mut self, plan: &JoinPlan, model: &mut PartialModel<'_>) -> Option<Range<u32>> {
        self.search.begin(plan, model);
        self.gathered.begin(plan);
        self.tail.resize(self.tail.len().max(plan.steps.len() - plan.tail), Vec::new());
        self.search.driving_rows(plan).filter(|rows| rows.end - rows.start > 2 * CHUNK)
    }

    /// Walks the rows that rules share; none where they are many, so that each is better walked on its own.
    pub fn walk_shared(
        &mut self,
        walk: &SharedWalk,
        model: &mut PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SharedRows>, LimitKind> {
        let plan = &walk.plan;
        if self.begin(plan, model).is_some() {
            return Ok(None);
        }
        while self.search.next(plan, model, budget)? {
            let Self { search, gathered, tail } = self;
            let count = search.run(plan, model, budget, tail, &mut gathered.body)? as usize;
            if gathered.count.saturating_add(count) > MOST_ROWS {
                gathered.give_rows(plan);
                return Ok(None);
            }
            gathered.add(RuleRun { plan, search, tail }, model, count);
        }
        let rows = self.gathered.give_rows(plan);
        Ok(Some(SharedRows::new(walk, model, rows)))
    }

    /// Walks the search to its end and keeps the runs as they are.
    fn walk_runs(
        &mut self,
        plan: &JoinPlan,
        model: &mut PartialModel<'_>,
        runs: &mut Runs,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        while self.search.next(plan, model, budget)? {
            let count = self.search.run(plan, model, budget, &mut self.tail, &mut [])?;
            if count > 0 {
                budget.ground(count)?;
                let tail = &self.tail[..plan.steps.len() - plan.tail];
                runs.add(&RuleRun { plan, search: &mut self.search, tail }, model);
            }
        }
        budget.share()
    }

    /// Searches chunks of the driving rows in parallel, a few at a time, and stores what they found in order.
    fn run_in_chunks(
        &mut self,
        plan: &JoinPlan,
        rows: Range<u32>,
        model: &mut PartialModel<'_>,
        ground: &mut GroundRules,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        let starts: Vec<u32> = (rows.start..rows.end).step_by(CHUNK as usize).collect();
        for wave in starts.chunks(2 * thread_count()) {
            let (begun, reader, before) = (&*self, &*model, &*budget);
            let search = |&start: &u32| {
                let rows = start..rows.end.min(start + CHUNK);
                let mut joiner = Self { search: begun.search.chunk(rows), ..Self::default() };
                let mut budget = before.clone();
                let found = joiner.search_chunk(plan, reader, &mut budget);
                (joiner, found, budget)
            };
            let found = each(wave, search);
            let mark = budget.mark();
            for (mut joiner, result, used) in found {
                result?;
                budget.add(mark, &used)?;
                joiner.gathered.store(plan, model, ground);
                joiner.walk(plan, model, ground, budget)?; // where it had too many ground rules
            }
            budget.share()?;
        }
        Ok(())
    }

    /// Gathers the ground rules of a chunk, unless they are too many.
    fn search_chunk(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        self.gathered.begin(plan);
        self.tail.resize(plan.steps.len() - plan.tail, Vec::new());
        while self.gathered.count < MOST_OF_A_CHUNK && self.search.next(plan, model, budget)? {
            self.gather(plan, model, budget)?;
        }
        Ok(())
    }

    /// Walks the search to its end.
    fn walk(
        &mut self,
        plan: &JoinPlan,
        model: &mut PartialModel<'_>,
        ground: &mut GroundRules,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        let before = ground.len();
        let mut has_looked_ahead = false;
        while self.search.next(plan, model, budget)? {
            self.gather(plan, model, budget)?;
            if self.gathered.count >= GATHERED {
                self.gathered.store(plan, model, ground);
                budget.share()?;
                if !has_looked_ahead && ground.len() - before >= LOOK_AHEAD {
                    has_looked_ahead = true;
                    reserve(ground, self.count_the_rest(plan, model, budget)?);
                }
            }
        }
        self.gathered.store(plan, model, ground);
        Ok(())
    }

    /// Gathers the ground rules of a run.
    fn gather(
        &mut self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        let Self { search, gathered, tail } = self;
        let count = search.run(plan, model, budget, tail, &mut gathered.body)?;
        budget.ground(count)?;
        gathered.add(RuleRun { plan, search, tail }, model, count as usize);
        Ok(())
    }

    /// Returns how many ground rules are still to come; an error where they would pass a limit.
    fn count_the_rest(
        &self,
        plan: &JoinPlan,
        model: &PartialModel<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<usize, LimitKind> {
        let (mut search, mut tail) = (self.search.clone(), self.tail.clone());
        let mut body = vec![LiteralRows::default(); self.gathered.body.len()];
        let mark = budget.mark();
        let mut all = 0;
        while search.next(plan, model, budget)? {
            body.iter_mut().for_each(|column| column.written.clear());
            let count = search.run(plan, model, budget, &mut tail, &mut body)?;
            budget.ground(count)?;
            all += count as usize;
        }
        budget.rewind(mark);
        Ok(all)
    }
}

fn reserve(ground: &mut GroundRules, more: usize) {
    ground.heads.reserve_exact(more);
    ground.body.iter_mut().for_each(|rows| rows.reserve_exact(more));
    ground.index.iter_mut().for_each(|constants| constants.reserve_exact(more));
}
