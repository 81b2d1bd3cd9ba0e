//! Running a join plan on one example.
//!
//! A rule that has found [`LOOK_AHEAD`] ground rules is counted to its end by a copy of the search before anything
//! more is stored. A rule that would pass a limit so stops early and in little memory; one that would not pays for
//! searching twice, which is the smaller part of its work, and knows how much memory it needs.
//!
//! Not optimal: rules of one shape are joined each on its own. Several such rules (the 243 rules of a template of
//! the paper) walk the same rows again and again; only what these rows find in other relations is looked up once
//! for all of them, by links.

use super::GroundRules;
use super::budget::Budget;
use super::error::Bound;
use super::gather::{Column, Gathered};
use super::lookup::Model;
use super::search::Search;
use super::step::JoinPlan;

/// How many ground rules are gathered before they are moved to their columns.
const GATHERED: usize = 512;

/// How many ground rules of one search are stored before the rest is counted.
const LOOK_AHEAD: usize = 1 << 20;

/// Runs plans one after another; keeps its memory between them.
#[derive(Default, Debug)]
pub(super) struct Joiner {
    search: Search,
    gathered: Gathered,
    /// The rows of each step of the tail in the current run.
    tail: Vec<Vec<u32>>,
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
        self.gathered.begin(plan);
        self.tail.resize(self.tail.len().max(plan.steps.len() - plan.tail), Vec::new());
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
    fn gather(&mut self, plan: &JoinPlan, model: &Model<'_>, budget: &mut Budget<'_>) -> Result<(), Bound> {
        let Self { search, gathered, tail } = self;
        let count = search.run(plan, model, budget, tail, &mut gathered.body)?;
        if count > 0 {
            budget.ground(count)?;
            gathered.add(plan, search, tail, count as usize);
            search.changed = usize::MAX;
        }
        Ok(())
    }

    /// How many ground rules are still to come; an error where they would pass a limit.
    fn count_the_rest(
        &self,
        plan: &JoinPlan,
        model: &Model<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<usize, Bound> {
        let (mut search, mut tail) = (self.search.clone(), self.tail.clone());
        let mut body = vec![Column::default(); self.gathered.body.len()];
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
