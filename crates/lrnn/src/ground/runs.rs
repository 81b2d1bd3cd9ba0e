//! Ground rules in runs that are not written out.
//!
//! A run is all choices of a row for each step of a plan's tail. The chain rule of the paper has 243 ground rules for
//! every path of three atoms, three choices for each of five literals: written out they are most of the work of a
//! small example, though most runs are like another as soon as neurons are merged. So a grounding from which nothing
//! but a network is built keeps such rules in runs, and [`Runs::written_out`] gives the ground rules of some of them.
//!
//! Runs whose heads have the same terms share their heads, which are looked up once.

use hashbrown::HashTable;

use super::gather::RuleRun;
use super::lookup::PartialModel;
use super::relation::hash;
use super::shared::SharedRows;
use super::step::{Giver, JoinPlan};
use super::{GroundRules, Grounding};
use crate::template::RuleId;
use crate::vocabulary::ConstantId;

/// A grounding to build a network from. Rules that have runs have no ground rules in the grounding itself.
pub(crate) struct GroundingInRuns {
    pub grounding: Grounding,
    pub runs: AllRuns,
}

/// The ground rules of all rules that are not written out.
#[derive(Default)]
pub(crate) struct AllRuns {
    /// By rule id: its own runs.
    pub own: Vec<Option<Runs>>,
    /// By shared walk, its rows.
    pub shared: Vec<Option<SharedRows>>,
    /// By rule id: the walk that it shares, and its place among its rules.
    pub shared_rules: Vec<Option<(usize, usize)>>,
}

impl AllRuns {
    /// Returns no runs, of so many rules.
    pub fn none(rules: usize) -> Self {
        let own = (0..rules).map(|_| None).collect();
        Self { own, shared: Vec::new(), shared_rules: vec![None; rules] }
    }

    /// Returns the shared rows that a rule takes some of: the number of the walk, its rows, and the rule's place.
    pub fn shared(&self, rule: RuleId) -> Option<(usize, &SharedRows, usize)> {
        let (walk, place) = (*self.shared_rules.get(rule.index())?)?;
        Some((walk, self.shared[walk].as_ref()?, place))
    }

    /// Returns the runs of a rule.
    pub fn own(&self, rule: RuleId) -> Option<&Runs> {
        self.own.get(rule.index())?.as_ref()
    }

    /// Returns all ground rules of a rule that are not written out, with the first so many literals of the body.
    pub fn written_out(&self, rule: RuleId, literals: usize) -> Option<GroundRules> {
        let shared = || self.shared(rule).map(|(_, rows, place)| rows.all_written_out(place, literals));
        self.own(rule).map(|runs| runs.all_written_out(literals)).or_else(shared)
    }
}

impl GroundingInRuns {
    /// Writes all ground rules out, and returns the rules that had some in runs.
    pub fn write_out(&mut self) -> Vec<usize> {
        let mut written = Vec::new();
        for (rule, own) in self.grounding.rules.iter_mut().enumerate() {
            if let Some(ground) = self.runs.written_out(RuleId(rule as u32), usize::MAX) {
                *own = ground;
                written.push(rule);
            }
        }
        written
    }

    /// Gives the grounding with all ground rules written out to `look`.
    pub fn written_out<T>(&mut self, look: impl FnOnce(&Grounding) -> T) -> T {
        let written = self.write_out();
        let seen = look(&self.grounding);
        written.into_iter().for_each(|rule| self.grounding.rules[rule] = GroundRules::default());
        seen
    }
}

/// The ground rules of one rule, in runs.
#[derive(Default)]
pub(crate) struct Runs {
    /// For each run, the number of its heads.
    heads: Vec<u32>,
    /// For each positive body literal (inputs before guards), its rows.
    pub body: Vec<RunColumn<u32>>,
    /// For each index variable of the rule, its constants.
    pub index: Vec<RunColumn<ConstantId>>,
    /// For each step of the tail, where the rows of each run end.
    ends: Vec<Vec<u32>>,
    head_rows: Lists<u32>,
    /// Keys that the heads with the same number come from.
    head_keys: Lists<ConstantId>,
    heads_by_key: HashTable<u32>,
    /// The key of the run that is added.
    key: Vec<ConstantId>,
}

/// The rows of a literal or the constants of a variable.
pub(crate) struct RunColumn<T> {
    /// The step of the tail that they depend on; if none, each run has one entry.
    step: Option<usize>,
    /// The link from the rows of that step to these.
    link: Option<usize>,
    pub entries: Vec<T>,
}

/// Lists one after the other.
struct Lists<T> {
    entries: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    fn get(&self, number: u32) -> &[T] {
        &self.entries[between(&self.ends, number as usize)]
    }

    fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.entries.extend(list);
        self.ends.push(self.entries.len() as u32);
    }
}

fn between(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let start = if at == 0 { 0 } else { ends[at - 1] as usize };
    start..ends[at] as usize
}

impl Runs {
    /// Begins without runs, if the ground rules of the plan come in runs that are worth keeping.
    pub(super) fn of(plan: &JoinPlan) -> Option<Self> {
        let tail = &plan.steps[plan.tail..];
        if !plan.is_tail_linked || tail.len() < 2 {
            return None;
        }
        let column = |literal| {
            let linked = plan.linked.iter().find(|linked| linked.0 == literal);
            let (link, from) = linked.map_or((None, literal), |&(_, link, from)| (Some(link), from));
            let step = tail.iter().position(|step| step.number == from);
            RunColumn { step, link, entries: Vec::new() }
        };
        let constants = |giver: &Giver| {
            let Giver::Step(step, _) = *giver else { return RunColumn::of_step(None) };
            RunColumn::of_step(step.checked_sub(plan.tail))
        };
        Some(Self {
            body: (0..plan.literals).map(column).collect(),
            index: plan.index.iter().map(constants).collect(),
            ends: vec![Vec::new(); tail.len()],
            ..Self::default()
        })
    }

    /// Takes a run: all choices of a row for each step of the tail.
    pub(super) fn add(&mut self, run: &RuleRun<'_>, model: &mut PartialModel<'_>) {
        let RuleRun { plan, ref search, tail } = *run;
        for (literal, column) in self.body.iter_mut().enumerate() {
            match (column.step, column.link) {
                (None, _) => column.entries.push(search.rows[literal]),
                (Some(step), None) => column.entries.extend_from_slice(&tail[step]),
                (Some(step), Some(link)) => {
                    let link = &model.links[link];
                    column.entries.extend(tail[step].iter().map(|&row| link.follow(row)));
                }
            }
        }
        for (giver, column) in plan.index.iter().zip(&mut self.index) {
            give(run, *giver, model, &mut column.entries);
        }
        self.key.clear();
        for (ends, rows) in self.ends.iter_mut().zip(tail) {
            ends.push(ends.last().copied().unwrap_or(0) + rows.len() as u32);
            self.key.push(ConstantId(rows.len() as u32));
        }
        for giver in &plan.head_terms {
            give(run, *giver, model, &mut self.key);
        }
        let number = self.known_heads().unwrap_or_else(|| self.store_heads(run, model));
        self.heads.push(number);
    }

    /// Returns the number of the heads with the key of the run that is added; most often that of the run before.
    fn known_heads(&self) -> Option<u32> {
        let is_it = |&number: &u32| self.head_keys.get(number) == self.key;
        let known = || self.heads_by_key.find(hash(self.key.iter().copied()), is_it).copied();
        self.heads.last().copied().filter(is_it).or_else(known)
    }

    /// Gives the heads of a run their rows, which are new or not.
    fn store_heads(&mut self, run: &RuleRun<'_>, model: &mut PartialModel<'_>) -> u32 {
        let RuleRun { plan, tail, .. } = *run;
        let count: usize = tail.iter().map(Vec::len).product();
        let arity = plan.head_terms.len();
        let mut terms = vec![ConstantId(0); count * arity];
        let (mut given, mut column) = (Vec::new(), Vec::new());
        for (place, giver) in plan.head_terms.iter().enumerate() {
            given.clear();
            column.clear();
            give(run, *giver, model, &mut given);
            let step = if let Giver::Step(step, _) = giver { step.checked_sub(plan.tail) } else { None };
            let each = step.map_or(count, |step| tail[step + 1..].iter().map(Vec::len).product());
            product(&mut column, &given, each, count);
            (place..).step_by(arity).zip(&column).for_each(|(at, &constant)| terms[at] = constant);
        }
        let relation = model.heads(plan);
        let rows = (0..count).map(|at| relation.insert(&terms[at * arity..(at + 1) * arity]).0);
        self.head_rows.push(rows);
        let number = self.head_keys.ends.len() as u32;
        self.head_keys.push(self.key.iter().copied());
        let keys = &self.head_keys;
        let rehash = |&number: &u32| hash(keys.get(number).iter().copied());
        self.heads_by_key.insert_unique(rehash(&number), number, rehash);
        number
    }

    /// Returns how many runs there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns the number of a run's heads. Runs with one number have the same heads in the same order.
    pub fn heads(&self, run: usize) -> u32 {
        self.heads[run]
    }

    /// Returns the different entries of a column in a run.
    pub fn entries<'a, T>(&self, column: &'a RunColumn<T>, run: usize) -> &'a [T] {
        match column.step {
            None => &column.entries[run..=run],
            Some(step) => &column.entries[between(&self.ends[step], run)],
        }
    }

    /// Returns the ground rules of some runs, with the first so many literals of the body; and for each run, how many
    /// it has.
    pub fn written_out(&self, runs: &[u32], literals: usize) -> (GroundRules, Vec<usize>) {
        let size = |&run: &u32| self.head_rows.get(self.heads[run as usize]).len();
        let sizes: Vec<usize> = runs.iter().map(size).collect();
        let all = sizes.iter().sum();
        let mut heads = Vec::with_capacity(all);
        runs.iter().for_each(|&run| heads.extend_from_slice(self.head_rows.get(self.heads[run as usize])));
        let body = self.body[..literals.min(self.body.len())]
            .iter()
            .map(|column| self.column(column, runs, &sizes, all));
        let index = self.index.iter().map(|column| self.column(column, runs, &sizes, all));
        (GroundRules { heads, body: body.collect(), index: index.collect(), times: Vec::new() }, sizes)
    }

    /// Returns the ground rules of all runs, with the first so many literals of the body.
    pub fn all_written_out(&self, literals: usize) -> GroundRules {
        let all: Vec<u32> = (0..self.len() as u32).collect();
        self.written_out(&all, literals).0
    }

    fn column<T: Copy>(&self, column: &RunColumn<T>, runs: &[u32], sizes: &[usize], all: usize) -> Vec<T> {
        let mut written = Vec::with_capacity(all);
        for (&run, &size) in runs.iter().zip(sizes) {
            let run = run as usize;
            let later = column.step.map(|step| &self.ends[step + 1..]);
            let each = later.map_or(size, |ends| ends.iter().map(|ends| between(ends, run).len()).product());
            product(&mut written, self.entries(column, run), each, size);
        }
        written
    }
}

impl<T> RunColumn<T> {
    fn of_step(step: Option<usize>) -> Self {
        Self { step, link: None, entries: Vec::new() }
    }
}

/// Adds the constants that a term has in a run: one, or one for each row of the step that gives it.
fn give(run: &RuleRun<'_>, giver: Giver, model: &PartialModel<'_>, constants: &mut Vec<ConstantId>) {
    let RuleRun { plan, ref search, tail } = *run;
    match giver {
        Giver::Constant(constant) => constants.push(constant),
        Giver::Step(step, column) => {
            let relation = model.relation(&plan.steps[step]);
            match step.checked_sub(plan.tail) {
                None => constants.push(relation.term(search.rows[plan.steps[step].number], column)),
                Some(at) => constants.extend(tail[at].iter().map(|&row| relation.term(row, column))),
            }
        }
    }
}

/// Writes `count` entries: each of these `each` times, and all that again and again.
#[inline]
pub(super) fn product<T: Copy>(written: &mut Vec<T>, entries: &[T], each: usize, count: usize) {
    let start = written.len();
    if each == 1 {
        written.extend_from_slice(entries);
    } else {
        written.reserve(count);
        entries.iter().for_each(|&entry| written.resize(written.len() + each, entry));
    }
    while written.len() < start + count {
        let more = (written.len() - start).min(start + count - written.len());
        written.extend_from_within(start..start + more);
    }
}
