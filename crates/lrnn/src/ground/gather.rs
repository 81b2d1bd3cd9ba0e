//! Ground rules on the way to their columns.
//!
//! They are gathered run by run and moved to their place a few hundred at a time, from memory that is near: most
//! rules have a few dozen ground rules in an example, whose columns are then allocated once, in their exact size.
//! Only the rows of the steps are gathered, and the constants that the tail gives index variables: a run repeats a few
//! of them many times. What else follows from the rows (those of linked literals, other constants of index variables, the
//! heads) is found when the ground rules are moved, column by column.
//!
//! Not optimal: a run is gathered as a whole. Where a few rows have very many partners each, it takes its memory
//! twice for a moment.

use super::GroundRules;
use super::lookup::PartialModel;
use super::runs::product;
use super::search::Search;
use super::step::{Giver, JoinPlan};
use crate::vocabulary::ConstantId;

/// The rows of a literal in the gathered ground rules: those behind the written ones all have `row`.
#[derive(Clone, Default, Debug)]
pub(super) struct LiteralRows {
    pub written: Vec<u32>,
    row: u32,
}

impl LiteralRows {
    /// Gives all ground rules but the first `count` another row.
    #[inline]
    fn change(&mut self, count: usize, row: u32) {
        self.written.resize(count, self.row);
        self.row = row;
    }
}

/// A run of ground rules: all choices of a row for each step of the tail of a plan.
pub(super) struct RuleRun<'a> {
    pub plan: &'a JoinPlan,
    pub search: &'a mut Search,
    /// The rows of each step of the tail.
    pub tail: &'a [Vec<u32>],
}

/// Ground rules on the way to their columns.
#[derive(Default, Debug)]
pub(super) struct RuleBatch {
    pub count: usize,
    /// By literal.
    pub body: Vec<LiteralRows>,
    /// By index variable, its constants where a step of the tail gives them.
    index: Vec<Vec<ConstantId>>,
    /// The constants of an index variable in the run that is taken.
    constants: Vec<ConstantId>,
    /// The terms of the heads, one head after another.
    heads: Vec<ConstantId>,
}

impl RuleBatch {
    /// Makes room for the columns of a plan.
    pub fn begin(&mut self, plan: &JoinPlan) {
        let literals = plan.literals + plan.steps.len();
        self.body.resize(self.body.len().max(literals), LiteralRows::default());
        self.index.resize(self.index.len().max(plan.index.len()), Vec::new());
    }

    /// Takes a run of `count` ground rules.
    #[inline]
    pub fn add(
        &mut self,
        RuleRun { plan, search, tail }: RuleRun<'_>,
        model: &PartialModel<'_>,
        count: usize,
    ) {
        if count == 0 {
            return;
        }
        for level in &plan.levels[search.changed.min(plan.tail + 1)..=plan.tail] {
            for &literal in &level.rows {
                self.body[literal].change(self.count, search.rows[literal]);
            }
        }
        let mut each = count;
        for ((number, step), found) in plan.steps.iter().enumerate().skip(plan.tail).zip(tail) {
            each /= found.len();
            product(&mut self.body[step.number].written, found, each, count);
            for (giver, index) in plan.index.iter().zip(&mut self.index) {
                if let Giver::Step(giving, column) = *giver
                    && giving == number
                {
                    let relation = model.relation(step);
                    self.constants.clear();
                    self.constants.extend(found.iter().map(|&row| relation.term(row, column)));
                    product(index, &self.constants, each, count);
                }
            }
        }
        self.count += count;
        search.changed = usize::MAX;
    }

    /// Gives the rows of each step.
    pub fn give_rows(&mut self, plan: &JoinPlan) -> Vec<Vec<u32>> {
        let count = std::mem::take(&mut self.count);
        self.index.iter_mut().for_each(Vec::clear);
        let rows = plan.steps.iter().map(|step| {
            let column = &mut self.body[step.number];
            column.change(count, column.row);
            std::mem::take(&mut column.written)
        });
        rows.collect()
    }

    /// Moves everything to its place, and the heads to their relation.
    pub fn store(&mut self, plan: &JoinPlan, model: &mut PartialModel<'_>, ground: &mut GroundRules) {
        for &literal in plan.levels.iter().flat_map(|level| &level.rows) {
            let column = &mut self.body[literal];
            column.change(self.count, column.row);
        }
        for (number, (&giver, constants)) in plan.index.iter().zip(&mut ground.index).enumerate() {
            if matches!(giver, Giver::Step(step, _) if step >= plan.tail) {
                constants.extend_from_slice(&self.index[number]);
            } else {
                let start = constants.len();
                constants.resize(start + self.count, ConstantId(0));
                self.give(plan, giver, model, &mut constants[start..], (0, 1));
            }
        }
        self.index.iter_mut().for_each(Vec::clear);
        self.store_heads(plan, model, &mut ground.heads);
        for &(literal, link, from) in &plan.linked {
            let link = &model.links[link];
            ground.body[literal].extend(self.body[from].written.iter().map(|&row| link.follow(row)));
        }
        for &literal in plan.levels.iter().flat_map(|level| &level.rows) {
            if let Some(rows) = ground.body.get_mut(literal) {
                rows.extend_from_slice(&self.body[literal].written);
            }
            self.body[literal].written.clear();
        }
        self.count = 0;
    }

    /// Puts the constants that a term has in the ground rules into a column of a table of this width.
    fn give(
        &self,
        plan: &JoinPlan,
        giver: Giver,
        model: &PartialModel<'_>,
        table: &mut [ConstantId],
        (column, width): (usize, usize),
    ) {
        let places = table.chunks_exact_mut(width);
        match giver {
            Giver::Constant(constant) => places.for_each(|place| place[column] = constant),
            Giver::Step(step, from) => {
                let step = &plan.steps[step];
                let relation = model.relation(step);
                let rows = &self.body[step.number].written;
                places.zip(rows).for_each(|(place, &row)| place[column] = relation.term(row, from));
            }
        }
    }

    /// Stores the rows of the heads, which are new or not; most often that of the head before.
    fn store_heads(&mut self, plan: &JoinPlan, model: &mut PartialModel<'_>, rows: &mut Vec<u32>) {
        let arity = plan.head_terms.len();
        let mut heads = std::mem::take(&mut self.heads);
        heads.resize(self.count * arity, ConstantId(0));
        for (number, giver) in plan.head_terms.iter().enumerate() {
            self.give(plan, *giver, model, &mut heads, (number, arity));
        }
        let relation = model.heads(plan);
        if arity == 0 && self.count > 0 {
            rows.resize(rows.len() + self.count, relation.insert(&[]).0);
        }
        let mut last: (&[ConstantId], u32) = (&[], 0);
        rows.extend(heads.chunks_exact(arity.max(1)).map(|head| {
            // They most often differ at the end.
            if !head.iter().rev().eq(last.0.iter().rev()) {
                last = (head, relation.insert(head).0);
            }
            last.1
        }));
        heads.clear();
        self.heads = heads;
    }
}
