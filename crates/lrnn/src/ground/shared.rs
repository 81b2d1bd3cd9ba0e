//! Rules that walk the same rows, walked once for all of them.
//!
//! The 243 rules that spell out the chains of the paper differ in the cluster of each atom and bond, be it a constant
//! (`in(X, 1)`) or the name of a predicate (`in1(X)`). Their plans have the same steps, over the same bonds, and ask
//! after them for rows that a link gives. So the steps are walked once, the rows that they take are kept in a table, and
//! each rule takes from it those whose links all lead somewhere.
//!
//! The table has the rows in the order in which each rule would have found them on its own, and the rules store what
//! they find in their own order: the grounding is the same to the last row. A walk goes on only where some rule goes on,
//! so all rules together take no more rows than each on its own.
//!
//! Not optimal: rules whose first literals differ (`in(X, 1)`, `in(X, 2)`) have different steps and are walked apart.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::index::NONE;
use super::lookup::PartialModel;
use super::sorting::sorted;
use super::step::{Giver, JoinPlan, JoinTest, Literal, Lookup, RelationRef, VariableSlot, place};
use super::{GroundRules, Relation};
use crate::template::{RuleId, Template};
use crate::vocabulary::{ConstantId, PredicateId};

/// Number of rows that a table may have; rules that take more are walked one by one, as they need their memory for what
/// they find.
pub(super) const MOST_ROWS: usize = 1 << 17;

/// The walk that some rules have in common.
#[derive(Debug)]
pub(super) struct SharedWalk {
    /// The steps and tests, and at each level the links of each rule.
    pub plan: JoinPlan,
    /// The rules, in their order.
    pub rules: Vec<RuleId>,
    /// The links that some rule follows: their number, and the step whose row they begin at.
    links: Vec<(usize, usize)>,
    /// The terms that heads and indices of rules take: column of the row of a step.
    terms: Vec<(usize, usize)>,
    /// By rule, the terms of its heads.
    heads: Vec<Vec<TermPlace>>,
    places: Arc<WalkPlaces>,
}

/// The columns and terms that each rule of a walk takes of its table.
#[derive(Default, Debug)]
struct WalkPlaces {
    /// Number of positive literals of each rule.
    literals: usize,
    /// By rule and literal, its column.
    body: Vec<usize>,
    /// By rule, its index variables.
    index: Vec<Vec<TermPlace>>,
    /// The columns that some rule has, each once with its predicate, if it is an input of one.
    inputs: Vec<(usize, Option<PredicateId>)>,
}

/// The source of a term in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TermPlace {
    Constant(ConstantId),
    /// A column of terms.
    Column(usize),
}

/// The rows that a shared walk takes in an example, and the ground rules that each of its rules has there.
#[derive(Debug)]
pub(crate) struct SharedRows {
    /// The rows that the steps take, and behind them what links lead to, which may be nothing.
    columns: Vec<Vec<u32>>,
    /// By column: true if there is a row in every place.
    is_total: Vec<bool>,
    terms: Vec<Vec<ConstantId>>,
    places: Arc<WalkPlaces>,
    /// By rule: its ground rules, where they are not written out.
    kept: Vec<SharedRule>,
}

/// The ground rules of a rule, as places of a table.
#[derive(Default, Debug)]
struct SharedRule {
    /// Ascending; none where it takes all.
    taken: Option<Vec<u32>>,
    /// The row of all heads, where they are the same.
    one: Option<u32>,
    /// The rows of the heads, elsewhere.
    heads: Vec<u32>,
}

impl SharedWalk {
    /// Returns the walks that several of these rules share. Each has one plan and so many variables.
    pub fn find<'a>(
        template: &Template,
        plans: impl Iterator<Item = (RuleId, &'a JoinPlan, usize)>,
    ) -> Vec<Self> {
        let mut known: FxHashMap<Vec<u32>, Vec<usize>> = FxHashMap::default();
        let mut found: Vec<Vec<(RuleId, &JoinPlan, usize)>> = Vec::new();
        for own in plans.filter(|(_, plan, _)| can_share(plan)) {
            let candidates = known.entry(steps_key(own.1)).or_default();
            let is_sister = |&number: &usize| {
                let (_, plan, variables) = found[number][0];
                variables == own.2 && are_alike(plan, own.1, variables)
            };
            match candidates.iter().copied().find(is_sister) {
                Some(number) => found[number].push(own),
                None => {
                    candidates.push(found.len());
                    found.push(vec![own]);
                }
            }
        }
        found.iter().filter(|sisters| sisters.len() > 1).map(|sisters| Self::of(template, sisters)).collect()
    }

    fn of(template: &Template, sisters: &[(RuleId, &JoinPlan, usize)]) -> Self {
        let mut plan = sisters[0].1.clone();
        let steps = plan.steps.len();
        let step_of = |literal: usize| plan.steps.iter().position(|step| step.number == literal);
        let (mut links, mut terms, mut heads) = (Vec::new(), Vec::new(), Vec::new());
        let mut places = WalkPlaces { literals: plan.literals, ..WalkPlaces::default() };
        // By column: its predicate, if it is an input of a rule.
        let mut inputs: Vec<Option<Option<PredicateId>>> = Vec::new();
        for (id, own, _) in sisters {
            for literal in 0..own.literals {
                let linked = own.linked.iter().find(|linked| linked.0 == literal);
                let column = match linked {
                    Some(&(_, link, from)) => steps + place(&mut links, (link, step_of(from).unwrap_or(0))),
                    None => step_of(literal).unwrap_or(0),
                };
                places.body.push(column);
                inputs.resize(inputs.len().max(column + 1), None);
                let input = template.rule(*id).inputs.get(literal).map(|input| input.atom.predicate);
                inputs[column] = Some(input.or(inputs[column].flatten()));
            }
            let mut source = |giver: &Giver| match *giver {
                Giver::Constant(constant) => TermPlace::Constant(constant),
                Giver::Step(step, column) => TermPlace::Column(place(&mut terms, (step, column))),
            };
            heads.push(own.head_terms.iter().map(&mut source).collect());
            places.index.push(own.index.iter().map(&mut source).collect());
        }
        let used = inputs.into_iter().enumerate();
        places.inputs = used.filter_map(|(column, predicate)| Some((column, predicate?))).collect();
        plan.linked.clear();
        plan.links = sorted(sisters.iter().flat_map(|(_, plan, _)| plan.links.iter().copied()));
        for level in 0..plan.levels.len() {
            let has_own = sisters.iter().any(|(_, plan, _)| !plan.levels[level].present.is_empty());
            plan.levels[level].present.clear();
            if has_own {
                plan.levels[level].alternatives = alternatives(sisters, level);
            }
        }
        if plan.levels[plan.tail + 1..].iter().any(|level| !level.alternatives.is_empty()) {
            (plan.tail, plan.is_tail_linked) = (plan.steps.len() - 1, false);
        }
        let (rules, places) = (sisters.iter().map(|(id, ..)| *id).collect(), Arc::new(places));
        Self { plan, rules, links, terms, heads, places }
    }
}

/// Returns, each once, the links that the rules have followed when they reach a level; none if one has followed none.
fn alternatives(sisters: &[(RuleId, &JoinPlan, usize)], level: usize) -> Vec<Vec<(usize, usize)>> {
    let mut all: Vec<Vec<(usize, usize)>> = Vec::new();
    for (_, plan, _) in sisters {
        let present = plan.levels[..=level].iter().flat_map(|level| &level.present);
        let own: Vec<(usize, usize)> = present.filter_map(|literal| literal.link).collect();
        if own.is_empty() {
            return Vec::new();
        }
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all
}

/// Returns whether a plan takes rows by its steps alone: all else follows from them by links. What comes in runs, or is
/// one step, gains nothing.
fn can_share(plan: &JoinPlan) -> bool {
    let comes_in_runs = plan.is_tail_linked && plan.steps.len() - plan.tail > 1;
    let mut present = plan.levels.iter().flat_map(|level| &level.present);
    plan.steps.len() > 1 && !comes_in_runs && present.all(|literal| literal.link.is_some())
}

/// Returns numbers that differ where the steps do, most often.
fn steps_key(plan: &JoinPlan) -> Vec<u32> {
    let relation = |step: &Literal| match step.relation {
        RelationRef::Predicate(predicate) => predicate.0,
        RelationRef::Domain => u32::MAX,
        RelationRef::Demand(demand) => u32::MAX - 1 - demand as u32,
    };
    plan.steps.iter().flat_map(|step| [step.number as u32, relation(step)]).collect()
}

/// Returns whether two plans of so many variables have the same steps and tests.
fn are_alike(one: &JoinPlan, other: &JoinPlan, variables: usize) -> bool {
    let is_constant = |slot: VariableSlot| slot as usize >= variables;
    let same_slot = |a: VariableSlot, b: VariableSlot| match (is_constant(a), is_constant(b)) {
        (true, true) => one.start[a as usize] == other.start[b as usize],
        (false, false) => a == b,
        _ => false,
    };
    let same_slots = |a: &[VariableSlot], b: &[VariableSlot]| {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same_slot(a, b))
    };
    let same_pairs = |a: &[(usize, VariableSlot)], b: &[(usize, VariableSlot)]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same_slot(a.1, b.1))
    };
    let same_lookup = |a: &Lookup, b: &Lookup| match (a, b) {
        (Lookup::Scan, Lookup::Scan) => true,
        (Lookup::Row(a), Lookup::Row(b)) => same_slots(a, b),
        (Lookup::Index(a, own), Lookup::Index(b, others)) => a == b && same_slots(own, others),
        (Lookup::Number(a), Lookup::Number(b)) => a == b && one.start == other.start,
        _ => false,
    };
    let same_step = |a: &Literal, b: &Literal| {
        (a.number, a.relation, a.part, a.link) == (b.number, b.relation, b.part, b.link)
            && same_lookup(&a.lookup, &b.lookup)
            && same_pairs(&a.binds, &b.binds)
            && same_pairs(&a.checks, &b.checks)
    };
    let same_test = |a: &JoinTest, b: &JoinTest| match (a, b) {
        (JoinTest::Compare(a, left, right), JoinTest::Compare(b, other_left, other_right)) => {
            a == b && same_slot(*left, *other_left) && same_slot(*right, *other_right)
        }
        (JoinTest::Absent(a, own), JoinTest::Absent(b, others)) => a == b && same_lookup(own, others),
        (JoinTest::Other(a), JoinTest::Other(b)) => a == b && one.start == other.start,
        _ => false,
    };
    one.literals == other.literals
        && one.steps.len() == other.steps.len()
        && one.steps.iter().zip(&other.steps).all(|(a, b)| same_step(a, b))
        && one.levels.iter().zip(&other.levels).all(|(a, b)| {
            a.opens == b.opens
                && a.rows == b.rows
                && a.tests.len() == b.tests.len()
                && a.tests.iter().zip(&b.tests).all(|(a, b)| same_test(a, b))
        })
}

impl SharedRows {
    /// Takes the rows of each step of a walk that is over.
    pub(super) fn new(walk: &SharedWalk, model: &PartialModel<'_>, steps: Vec<Vec<u32>>) -> Self {
        let term = |&(step, column): &(usize, usize)| {
            let relation = model.relation(&walk.plan.steps[step]);
            steps[step].iter().map(|&row| relation.term(row, column)).collect()
        };
        let terms = walk.terms.iter().map(term).collect();
        let mut is_total = vec![true; steps.len()];
        let mut columns = steps;
        for &(link, step) in &walk.links {
            let link = &model.links[link];
            let column: Vec<u32> = columns[step].iter().map(|&row| link.follow(row)).collect();
            is_total.push(!column.contains(&NONE));
            columns.push(column);
        }
        Self { columns, is_total, terms, places: Arc::clone(&walk.places), kept: Vec::new() }
    }

    /// Returns whether these are all rules of the walk, and each takes all rows.
    pub fn is_whole(&self, rules: usize) -> bool {
        rules > 0 && rules == self.rules() && self.is_total.iter().all(|&is_total| is_total)
    }

    /// Returns how many rules there are of the walk, or 0 if none was kept.
    pub fn rules(&self) -> usize {
        self.kept.len()
    }

    /// Returns the rows of a column.
    pub fn column(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    /// Returns the row of a place of a column, if there is one.
    pub fn row(&self, column: usize, at: usize) -> Option<u32> {
        Some(self.columns[column][at]).filter(|&row| row != NONE)
    }

    /// Returns the columns that some rule has, each once with its predicate, if it is an input of one.
    pub fn inputs(&self) -> &[(usize, Option<PredicateId>)] {
        &self.places.inputs
    }

    /// Returns the constants that heads and indices of some rules have at a place.
    pub fn terms(&self, at: usize) -> impl Iterator<Item = ConstantId> {
        self.terms.iter().map(move |terms| terms[at])
    }

    /// Returns whether a rule takes all rows.
    pub fn takes_all(&self, rule: usize) -> bool {
        self.kept[rule].taken.is_none()
    }

    /// Returns whether a rule takes the row of a place.
    pub fn takes(&self, rule: usize, place: u32) -> bool {
        self.body(rule).iter().all(|&column| self.columns[column][place as usize] != NONE)
    }

    /// Returns the rows that a rule takes of a column.
    pub fn rows(&self, rule: usize, column: usize) -> impl Iterator<Item = u32> {
        let taken = self.kept[rule].taken.as_deref();
        let count = taken.map_or(self.len(), <[u32]>::len);
        (0..count).map(move |at| self.columns[column][taken.map_or(at, |taken| taken[at] as usize)])
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Returns the columns of a rule's literals.
    pub fn body(&self, rule: usize) -> &[usize] {
        &self.places.body[rule * self.places.literals..(rule + 1) * self.places.literals]
    }

    /// Returns which rows a rule takes; none where it takes all.
    fn taken(&self, rule: usize) -> Option<Vec<u32>> {
        let mut taken: Option<Vec<u32>> = None;
        for column in self.body(rule).iter().filter(|&&column| !self.is_total[column]) {
            let is_kept = |&at: &u32| self.columns[*column][at as usize] != NONE;
            match &mut taken {
                Some(taken) => taken.retain(is_kept),
                None => taken = Some((0..self.len() as u32).filter(is_kept).collect()),
            }
        }
        taken
    }

    /// Finds the ground rules of a rule and gives their heads rows; returns how many there are.
    pub(super) fn keep(&mut self, walk: &SharedWalk, rule: usize, relation: &mut Relation) -> usize {
        let taken = self.taken(rule);
        let count = taken.as_ref().map_or(self.len(), Vec::len);
        let terms = &walk.heads[rule];
        let mut head = Vec::with_capacity(terms.len());
        let (mut last, mut heads) = (None, Vec::new());
        let is_one = terms.iter().all(|term| matches!(term, TermPlace::Constant(_)));
        for at in 0..if is_one { count.min(1) } else { count } {
            let row = taken.as_ref().map_or(at, |taken| taken[at] as usize);
            let own = terms.iter().map(|term| self.term(*term, row));
            if last.is_none() || !own.clone().eq(head.iter().copied()) {
                head.clear();
                head.extend(own);
                last = Some(relation.insert(&head).0);
            }
            heads.extend(last.filter(|_| !is_one));
        }
        self.kept.resize_with(walk.rules.len(), SharedRule::default);
        self.kept[rule] = SharedRule { taken, one: last.filter(|_| is_one), heads };
        count
    }

    /// Writes out the ground rules of a rule that was kept, and keeps them no longer.
    pub(super) fn give(&mut self, rule: usize, ground: &mut GroundRules) {
        self.write_all_out(rule, self.places.literals, ground);
        self.kept[rule] = SharedRule::default();
    }

    /// Returns all ground rules of a rule, with the first so many literals of the body.
    pub fn all_written_out(&self, rule: usize, literals: usize) -> GroundRules {
        let mut ground = GroundRules::default();
        self.write_all_out(rule, literals, &mut ground);
        ground
    }

    fn write_all_out(&self, rule: usize, literals: usize, ground: &mut GroundRules) {
        match &self.kept[rule].taken {
            Some(taken) => self.write_out(rule, literals, taken, ground),
            None => {
                let all: Vec<u32> = (0..self.len() as u32).collect();
                self.write_out(rule, literals, &all, ground);
            }
        }
    }

    fn term(&self, term: TermPlace, row: usize) -> ConstantId {
        match term {
            TermPlace::Constant(constant) => constant,
            TermPlace::Column(column) => self.terms[column][row],
        }
    }

    /// Adds the ground rules of a rule at some places that it takes, ascending, with the first so many literals of the
    /// body, to others.
    pub fn write_out(&self, rule: usize, literals: usize, places: &[u32], ground: &mut GroundRules) {
        let SharedRule { taken, one, heads: known } = &self.kept[rule];
        match (taken, *one) {
            (_, Some(one)) => ground.heads.resize(ground.heads.len() + places.len(), one),
            (None, _) => ground.heads.extend(places.iter().map(|&place| known[place as usize])),
            (Some(taken), _) => {
                let mut at = 0;
                ground.heads.extend(places.iter().map(|&place| {
                    at += taken[at..].partition_point(|&other| other < place);
                    known[at]
                }));
            }
        }
        let columns = &self.body(rule)[..literals.min(self.places.literals)];
        ground.body.resize_with(columns.len(), Vec::new);
        for (rows, &column) in ground.body.iter_mut().zip(columns) {
            let column = &self.columns[column];
            match places.len() == self.len() {
                true => rows.extend_from_slice(column),
                false => rows.extend(places.iter().map(|&place| column[place as usize])),
            }
        }
        let index = &self.places.index[rule];
        ground.index.resize_with(index.len(), Vec::new);
        for (constants, &term) in ground.index.iter_mut().zip(index) {
            constants.extend(places.iter().map(|&place| self.term(term, place as usize)));
        }
    }
}
