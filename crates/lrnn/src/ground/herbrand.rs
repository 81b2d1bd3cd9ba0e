//! The least Herbrand model of a template with an example, stratum by stratum.
//!
//! In a stratum without recursion each rule runs once. In a recursive one the rules without literals of the stratum
//! run once; then, in rounds, each other rule runs on what the last round added. Relations only grow at their end,
//! so "what the last round added" is a range of rows.

use std::sync::atomic::AtomicU64;

use super::budget::Budget;
use super::cycle::find_cycle;
use super::demand::Scope;
use super::error::{ClauseId, GroundError, LimitKind};
use super::facts::{FactRows, domain, insert_facts};
use super::index::Index;
use super::join::Joiner;
use super::kind::{has_kinds, set_indices};
use super::link::RowLink;
use super::lookup::PartialModel;
use super::plan::Plans;
use super::runs::{AllRuns, GroundingInRuns};
use super::shared::SharedRows;
use super::step::JoinPlan;
use super::types::settle;
use super::{GroundRules, Grounding, Limits, Relation};
use crate::data::Example;
use crate::template::{Recursion, RuleId, Stratum, Template};
use crate::vocabulary::{ConstantId, Vocabulary};

/// Memory that is kept from one grounding to the next.
#[derive(Default, Debug)]
pub(crate) struct GroundSpace {
    joiner: Joiner,
    relations: Vec<Relation>,
    facts: FactRows,
    rules: Vec<GroundRules>,
}

impl GroundSpace {
    /// Takes a grounding that is no longer needed.
    pub fn take_back(&mut self, grounding: Grounding) {
        let Grounding { relations, facts, rules, numbers: _ } = grounding;
        (self.relations, self.facts, self.rules) = (relations, facts, rules);
    }

    /// Returns relations without rows, of these arities.
    fn relations(&mut self, arities: impl Iterator<Item = usize>) -> Vec<Relation> {
        let mut kept = std::mem::take(&mut self.relations).into_iter();
        arities.map(|arity| kept.next().unwrap_or_default().emptied(arity)).collect()
    }

    /// Returns no facts, of this many predicates.
    fn facts(&mut self, count: usize) -> FactRows {
        let mut facts = std::mem::take(&mut self.facts);
        facts.iter_mut().for_each(Vec::clear);
        facts.resize(count, Vec::new());
        facts
    }

    /// Returns no ground rules, of each rule.
    fn rules(&mut self, template: &Template) -> Vec<GroundRules> {
        let mut rules = std::mem::take(&mut self.rules);
        rules.resize(template.rules.len(), GroundRules::default());
        for (rule, ground) in template.rules.iter().zip(&mut rules) {
            ground.heads.clear();
            ground.body.iter_mut().for_each(Vec::clear);
            ground.body.resize(rule.inputs.len() + rule.guards.len(), Vec::new());
            ground.index.iter_mut().for_each(Vec::clear);
            ground.index.resize(rule.index.len(), Vec::new());
        }
        rules
    }
}

/// Returns the grounding of one example. The vocabulary is that of the example and extends the template's.
pub fn ground(
    template: &Template,
    plans: &Plans,
    vocabulary: &Vocabulary,
    example: &Example,
    limits: &Limits,
) -> Result<Grounding, GroundError> {
    let total = &AtomicU64::new(0);
    let job = GroundJob { template, plans, vocabulary, limits, total, in_runs: false };
    job.ground(example, Scope::Whole, &mut GroundSpace::default()).map(|all| all.grounding)
}

/// Returns what is needed of it to build a network from: ground rules that come in runs are not written out.
pub(crate) fn ground_in_runs(
    template: &Template,
    plans: &Plans,
    vocabulary: &Vocabulary,
    example: &Example,
    limits: &Limits,
    scope: Scope,
    space: &mut GroundSpace,
) -> Result<GroundingInRuns, GroundError> {
    let total = &AtomicU64::new(0);
    GroundJob { template, plans, vocabulary, limits, total, in_runs: true }.ground(example, scope, space)
}

/// The grounding of one example after the other.
pub(super) struct GroundJob<'a> {
    pub template: &'a Template,
    pub plans: &'a Plans,
    pub vocabulary: &'a Vocabulary,
    pub limits: &'a Limits,
    /// Number of ground rules of all examples so far.
    pub total: &'a AtomicU64,
    /// True if ground rules that come in runs are not written out.
    pub in_runs: bool,
}

impl GroundJob<'_> {
    /// Returns the grounding of one example.
    pub fn ground(
        &self,
        example: &Example,
        scope: Scope,
        space: &mut GroundSpace,
    ) -> Result<GroundingInRuns, GroundError> {
        let Self { template, plans, vocabulary, limits, total, in_runs } = *self;
        limits.count.add();
        let mut budget = Budget::new(limits, total);
        let is_set_later = template.has_set_index();
        let in_runs = in_runs && !is_set_later;
        let mut relations =
            space.relations(vocabulary.predicates().map(|(_, signature)| signature.arity as usize));
        let mut facts = space.facts(relations.len());
        let domain = if plans.needs_domain { domain(&plans.constants, example) } else { Vec::new() };
        insert_facts(template, example, &domain, &mut relations, &mut facts, &mut budget)?;
        let model = PartialModel {
            vocabulary,
            domain: unary(&domain),
            rounds: vec![(0, 0); relations.len()],
            relations,
            demands: plans.demand_columns().map(Relation::new).collect(),
            plans,
            indexes: vec![Index::default(); plans.indexes.len()],
            links: vec![RowLink::default(); plans.links.len()],
        };
        let rules = space.rules(template);
        let runs = AllRuns::none(template.rules.len());
        let shared = plans.shared.iter().map(|_| None).collect();
        let joiner = &mut space.joiner;
        let mut grounder = Grounder { template, plans, scope, model, rules, runs, joiner, budget, shared };
        for stratum in plans.strata(template, scope) {
            if stratum.recursive {
                grounder.run_in_rounds(stratum)?;
                if template.recursion == Recursion::None || has_kinds(template, stratum) {
                    find_cycle(template, stratum, &grounder.model.relations, &grounder.rules)?;
                }
            } else {
                grounder.find_demands(stratum)?;
                let in_runs = |id| in_runs && !template.rule(id).distinct;
                stratum.rules.iter().try_for_each(|&id| grounder.run(id, in_runs(id)))?;
            }
        }
        grounder.share()?;
        let mut grounding = Grounding {
            relations: grounder.model.relations,
            facts,
            rules: grounder.rules,
            ..Grounding::default()
        };
        settle(template, vocabulary, &mut grounding);
        if is_set_later {
            set_indices(template, vocabulary, &mut grounding);
        }
        let shared = grounder.shared.into_iter().map(Option::flatten).collect();
        Ok(GroundingInRuns { grounding, runs: AllRuns { shared, ..grounder.runs } })
    }
}

/// Returns a relation of one column with these constants.
fn unary(constants: &[ConstantId]) -> Relation {
    let mut relation = Relation::new(1);
    relation.reserve(constants.len());
    for &constant in constants {
        relation.insert(&[constant]);
    }
    relation
}

struct Grounder<'a> {
    template: &'a Template,
    plans: &'a Plans,
    scope: Scope,
    model: PartialModel<'a>,
    /// By rule id.
    rules: Vec<GroundRules>,
    /// The rules that have runs instead.
    runs: AllRuns,
    joiner: &'a mut Joiner,
    /// By shared walk, once it was begun: its rows, unless they are too many.
    shared: Vec<Option<Option<SharedRows>>>,
    budget: Budget<'a>,
}

impl Grounder<'_> {
    /// Runs all joins of a rule; keeps its runs as they are, if it has some and that is asked.
    fn run(&mut self, id: RuleId, in_runs: bool) -> Result<(), GroundError> {
        let plan = &self.plans.rules[id.index()];
        let joins = match self.scope {
            Scope::Needed if !plan.demanded.is_empty() => &plan.demanded,
            _ => &plan.joins,
        };
        let in_runs = in_runs && joins.len() == 1;
        if let Some((number, rule)) = plan.shared
            && self.run_shared(id, &joins[0], (number, rule), in_runs)?
        {
            return Ok(());
        }
        for join in joins {
            let ground = &mut self.rules[id.index()];
            let runs = &mut self.runs.own[id.index()];
            let run =
                self.joiner.run(join, &mut self.model, ground, in_runs.then_some(runs), &mut self.budget);
            run.map_err(|bound| self.stopped(ClauseId::Rule(id), bound))?;
        }
        Ok(())
    }

    /// Adds the ground rules of a rule that shares a walk; false where it must be walked on its own.
    fn run_shared(
        &mut self,
        id: RuleId,
        join: &JoinPlan,
        (number, rule): (usize, usize),
        in_runs: bool,
    ) -> Result<bool, GroundError> {
        let walk = &self.plans.shared[number];
        if self.shared[number].is_none() {
            let mark = self.budget.mark();
            let table = self.joiner.walk_shared(walk, &mut self.model, &mut self.budget);
            let table = table.map_err(|bound| self.stopped(ClauseId::Rule(id), bound))?;
            if table.is_none() {
                self.budget.rewind(mark);
            }
            self.shared[number] = Some(table);
        }
        let Some(Some(table)) = &mut self.shared[number] else { return Ok(false) };
        let count = table.keep(walk, rule, self.model.heads(join));
        let counted = self.budget.ground(count as u64);
        match in_runs {
            true => self.runs.shared_rules[id.index()] = Some((number, rule)),
            false => table.give(rule, &mut self.rules[id.index()]),
        }
        let is_needed = |id: &RuleId| self.runs.shared_rules[id.index()].is_some();
        if rule + 1 == walk.rules.len() && !walk.rules.iter().any(is_needed) {
            self.shared[number] = Some(None);
        }
        counted.map_err(|bound| self.stopped(ClauseId::Rule(id), bound))?;
        Ok(true)
    }

    /// Finds the rows of the demands of a stratum. They are no ground rules, and not counted.
    fn find_demands(&mut self, stratum: &Stratum) -> Result<(), GroundError> {
        let (Scope::Needed, Some(&first)) = (self.scope, stratum.rules.first()) else { return Ok(()) };
        for join in self.plans.demands_of(stratum.predicates[0]).iter().flatten() {
            let mark = self.budget.mark();
            let mut rows = GroundRules::new(join.literals, 0);
            let run = self.joiner.run(join, &mut self.model, &mut rows, None, &mut self.budget);
            run.map_err(|bound| self.stopped(ClauseId::Rule(first), bound))?;
            self.budget.rewind(mark);
        }
        Ok(())
    }

    fn stopped(&self, clause: ClauseId, bound: LimitKind) -> GroundError {
        GroundError::budget(self.template, clause, bound, self.budget.limit(bound))
    }

    /// Counts this example with all others, once it is complete.
    fn share(&mut self) -> Result<(), GroundError> {
        let largest = self.plans.largest().map_or(ClauseId::Fact(0), ClauseId::Rule);
        self.budget.share().map_err(|bound| self.stopped(largest, bound))
    }

    fn run_in_rounds(&mut self, stratum: &Stratum) -> Result<(), GroundError> {
        let by_delta = |id: &&RuleId| self.plans.rules[id.index()].by_delta;
        let (every_round, once): (Vec<&RuleId>, Vec<&RuleId>) = stratum.rules.iter().partition(by_delta);
        once.into_iter().try_for_each(|&id| self.run(id, false))?;
        while self.begin_round(stratum) {
            every_round.iter().try_for_each(|&&id| self.run(id, false))?;
        }
        Ok(())
    }

    /// Makes the rows that are new since the last round those of the last round; false where there are none.
    fn begin_round(&mut self, stratum: &Stratum) -> bool {
        let mut is_news = false;
        for predicate in &stratum.predicates {
            let (_, known) = self.model.rounds[predicate.index()];
            let end = self.model.relations[predicate.index()].end();
            self.model.rounds[predicate.index()] = (known, end);
            is_news |= end > known;
        }
        is_news
    }
}
