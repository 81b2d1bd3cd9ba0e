//! Plans: in which order a rule's body is joined, decided once for a dataset.
//!
//! A plan is a list of steps. A step takes the rows of one positive literal that agree with what is bound already
//! and binds the literal's other variables, or lets one free variable range over all constants. Conditions are
//! tested after the first step that binds all their variables. The order is greedy: next comes the literal that is
//! expected to match the fewest rows (see the estimates), so a literal whose variables are all bound comes at once,
//! bound columns before free ones, the smaller relation before the larger; ties go to the order of the text.
//!
//! A rule of a recursive stratum has one plan for each of its literals from that stratum, which begins with the
//! rows of that literal that are new. Literals of the stratum before it in the text then take old rows only, those
//! after it all rows known when the round began: so every substitution is found exactly once, in the round in which
//! the last of its rows is new.
//!
//! Not optimal: greedy looks one step ahead, and never trades a dear first step for cheap later ones. Joins of
//! cyclic bodies (triangles) go literal by literal, where a join by variables would do less work in the worst case.
//! One order serves all examples, however different their sizes.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::demand::{Demands, Scope};
use super::estimate::{Estimates, Statistics};
use super::facts::template_constants;
use super::index::IndexShape;
use super::link::LinkShape;
use super::shared::SharedWalk;
use super::sorting::sorted;
use super::step::{JoinPlan, PlanCompiler, RowRange, computed};
use crate::diagnostic::Span;
use crate::template::{Atom, Comparison, Condition, Rule, RuleId, Stratum, Template, Term, VariableId};
use crate::vocabulary::{ConstantId, PredicateId};

/// The join plans of all rules of a template, made once for a dataset.
#[derive(Debug)]
pub struct Plans {
    /// By rule id.
    pub(super) rules: Vec<RulePlan>,
    /// The indexes that some step needs.
    pub(super) indexes: Vec<IndexShape>,
    /// The links that some step follows.
    pub(super) links: Vec<LinkShape>,
    /// The constants of the template, in the order of their ids.
    pub(super) constants: Vec<ConstantId>,
    /// True if a variable ranges over all constants somewhere.
    pub(super) needs_domain: bool,
    /// The predicates of which only what other rules ask for need be grounded.
    demands: Demands,
    /// By the number of the demand: how its rows are found.
    demand_joins: Vec<Vec<JoinPlan>>,
    /// The walks that several rules share.
    pub(super) shared: Vec<SharedWalk>,
    reports: Vec<RuleReport>,
}

/// The join plan of a rule.
#[derive(Default, Debug)]
pub(super) struct RulePlan {
    /// One join; or, with `by_delta`, one for each literal of the rule's own stratum.
    pub joins: Vec<JoinPlan>,
    /// One for each demand of the head; none where it has no demand.
    pub demanded: Vec<JoinPlan>,
    /// True if the rule has literals of its own stratum, so that it runs in every round.
    pub by_delta: bool,
    /// The walk that it shares with others, and its place among them.
    pub shared: Option<(usize, usize)>,
}

/// A rule's plan and what it is expected to cost, for people.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleReport {
    /// The rule.
    pub rule: RuleId,
    /// Place in the text.
    pub span: Span,
    /// The order of the join, as numbers of the literals in [`Rule::positive`].
    pub order: Vec<usize>,
    /// For each literal in that order, its columns that are bound by then.
    pub bound: Vec<Vec<usize>>,
    /// The variables that range over all constants.
    pub free: Vec<VariableId>,
    /// The ground rules expected in one example.
    pub per_example: f64,
    /// The ground rules expected in all examples.
    pub total: f64,
    /// The memory these ground rules would take all together.
    pub bytes: f64,
}

/// Number of times that the estimates of a recursive stratum are improved.
const RECURSIVE_PASSES: usize = 3;

impl Plans {
    /// Plans for a dataset with these statistics.
    pub fn new(template: &Template, statistics: &Statistics) -> Self {
        Self::with(template, statistics, Demands::of(template))
    }

    /// Plans the same with no predicate grounded by demand, to be compared with.
    pub fn whole(template: &Template, statistics: &Statistics) -> Self {
        Self::with(template, statistics, Demands::default())
    }

    fn with(template: &Template, statistics: &Statistics, demands: Demands) -> Self {
        let constants = template_constants(template);
        let mut estimates = Estimates::of_facts(template, statistics, constants.len());
        let mut reports = Vec::with_capacity(template.rules.len());
        let mut catalogue = Catalogue::default();
        let mut rules: Vec<RulePlan> = template.rules.iter().map(|_| RulePlan::default()).collect();
        for stratum in &template.strata {
            estimate_stratum(template, stratum, &mut estimates);
            for &id in &stratum.rules {
                let rule = template.rule(id);
                rules[id.index()] = plan_rule(rule, stratum, &estimates, &mut catalogue);
                rules[id.index()].demanded = plan_by_demand(rule, &demands, &estimates, &mut catalogue);
                let order = Order::greedy(rule, None, &[], &estimates);
                reports.push(RuleReport::new(id, rule, &order, statistics.examples));
            }
        }
        let shared = share_walks(template, &mut rules);
        let numbered = demands.all.iter().enumerate();
        let demand_joins = numbered.map(|(number, demand)| demand.plans(number, &mut catalogue)).collect();
        reports.sort_unstable_by_key(|report| report.rule);
        let ranges =
            |rule: &Rule| !free_variables(rule).is_empty() || rule.conditions.iter().any(is_equation);
        let needs_domain = template.rules.iter().any(ranges)
            || template.facts.iter().any(|fact| fact.atom.variables().next().is_some());
        let (indexes, links) = (catalogue.indexes.all, catalogue.links.all);
        Self { reports, rules, indexes, links, constants, needs_domain, demands, demand_joins, shared }
    }

    /// Returns what part of the model must be grounded to answer queries about these predicates.
    pub(crate) fn scope(&self, asked: impl IntoIterator<Item = PredicateId>) -> Scope {
        let is_whole = self.demands.all.is_empty()
            || asked.into_iter().any(|predicate| !self.demands.of_predicate(predicate).is_empty());
        if is_whole { Scope::Whole } else { Scope::Needed }
    }

    /// Returns the columns of each demand.
    pub(super) fn demand_columns(&self) -> impl Iterator<Item = usize> {
        self.demands.all.iter().map(|demand| demand.columns.len())
    }

    /// Returns the demands of a predicate, each with how its rows are found.
    pub(super) fn demands_of(&self, predicate: PredicateId) -> &[Vec<JoinPlan>] {
        &self.demand_joins[self.demands.of_predicate(predicate)]
    }

    /// Returns the strata of a template in the order in which they are grounded.
    pub(super) fn strata<'a>(&self, template: &'a Template, scope: Scope) -> Vec<&'a Stratum> {
        match scope {
            Scope::Whole => template.strata.iter().collect(),
            Scope::Needed => self.demands.order.iter().map(|&at| &template.strata[at]).collect(),
        }
    }

    /// Returns what the plans are and what they are expected to cost, rule by rule.
    pub fn reports(&self) -> &[RuleReport] {
        &self.reports
    }

    /// Returns the rule expected to have the most ground rules.
    pub(super) fn largest(&self) -> Option<RuleId> {
        let by_size =
            |a: &&RuleReport, b: &&RuleReport| a.total.total_cmp(&b.total).then(b.rule.cmp(&a.rule));
        self.reports.iter().max_by(by_size).map(|report| report.rule)
    }
}

/// Finds the walks that rules of one stratum share, and tells the rules.
fn share_walks(template: &Template, rules: &mut [RulePlan]) -> Vec<SharedWalk> {
    let mut shared = Vec::new();
    for stratum in template.strata.iter().filter(|stratum| !stratum.recursive) {
        let alone = |&id: &RuleId| {
            let plan = &rules[id.index()];
            let join = plan.joins.first().filter(|_| plan.demanded.is_empty())?;
            Some((id, join, template.rule(id).variables.len()))
        };
        shared.extend(SharedWalk::find(template, stratum.rules.iter().filter_map(alone)));
    }
    for (number, walk) in shared.iter().enumerate() {
        for (place, id) in walk.rules.iter().enumerate() {
            rules[id.index()].shared = Some((number, place));
        }
    }
    shared
}

fn is_equation(condition: &Condition) -> bool {
    matches!(condition, Condition::Arithmetic(Comparison::Equal, ..))
}

/// Estimates what the rules of a stratum derive.
fn estimate_stratum(template: &Template, stratum: &Stratum, estimates: &mut Estimates) {
    let facts: Vec<_> =
        stratum.predicates.iter().map(|it| estimates.relations.get(it.index()).cloned()).collect();
    for _ in 0..if stratum.recursive { RECURSIVE_PASSES } else { 1 } {
        let heads = stratum.rules.iter().map(|&id| {
            let rule = template.rule(id);
            let order = Order::greedy(rule, None, &[], estimates);
            (rule.head.predicate.index(), estimates.head(rule, order.ground_rules))
        });
        let heads: Vec<_> = heads.collect();
        for (predicate, before) in stratum.predicates.iter().zip(&facts) {
            if let Some(before) = before {
                estimates.relations[predicate.index()].clone_from(before);
            }
        }
        for (predicate, head) in heads {
            if let Some(estimate) = estimates.relations.get_mut(predicate) {
                estimate.add(head.rows, &head.distinct, estimates.domain);
            }
        }
    }
}

fn plan_rule(rule: &Rule, stratum: &Stratum, estimates: &Estimates, catalogue: &mut Catalogue) -> RulePlan {
    let is_here: Vec<bool> =
        rule.positive().map(|literal| stratum.predicates.contains(&literal.predicate)).collect();
    let by_delta = stratum.recursive && is_here.contains(&true);
    let mut compile = |delta: Option<usize>| {
        let part = |literal: usize| match delta.filter(|_| is_here[literal]).map(|delta| literal.cmp(&delta))
        {
            None => RowRange::All,
            Some(std::cmp::Ordering::Less) => RowRange::Old,
            Some(std::cmp::Ordering::Equal) => RowRange::New,
            Some(std::cmp::Ordering::Greater) => RowRange::Known,
        };
        let order = Order::greedy(rule, delta, &[], estimates);
        let mut compiler = PlanCompiler::new(rule, catalogue);
        order.literals.iter().for_each(|&literal| compiler.join(literal, part(literal)));
        compiler.range_all(free_variables(rule));
        compiler.finish(None)
    };
    let joins = match by_delta {
        true => (0..is_here.len()).filter(|&at| is_here[at]).map(|delta| compile(Some(delta))).collect(),
        false => vec![compile(None)],
    };
    RulePlan { joins, by_delta, ..RulePlan::default() }
}

/// Plans the joins that begin with the rows of each demand of the head. A head that an earlier demand gives is not given
/// again.
fn plan_by_demand(
    rule: &Rule,
    demands: &Demands,
    estimates: &Estimates,
    catalogue: &mut Catalogue,
) -> Vec<JoinPlan> {
    let own = demands.of_predicate(rule.head.predicate);
    let terms = |number: usize| demands.all[number].terms(&rule.head);
    let plan = |number: usize| {
        let given: Vec<VariableId> = terms(number).iter().filter_map(Term::variable).collect();
        let order = Order::greedy(rule, None, &given, estimates);
        let mut compiler = PlanCompiler::new(rule, catalogue);
        compiler.demand(number, &terms(number));
        order.literals.iter().for_each(|&literal| compiler.join(literal, RowRange::All));
        let mut free = free_variables(rule);
        free.retain(|variable| !given.contains(variable));
        compiler.range_all(free);
        (own.start..number).for_each(|earlier| compiler.unless_demanded(earlier, &terms(earlier)));
        compiler.finish(None)
    };
    own.clone().map(plan).collect()
}

/// Returns the variables of a rule that need a value but stand in no positive literal, in the order of their ids.
fn free_variables(rule: &Rule) -> Vec<VariableId> {
    let needed = rule.head.variables().chain(rule.conditions.iter().flat_map(Condition::variables));
    let mut free = sorted(needed.chain(rule.bound_index().iter().copied()));
    free.retain(|variable| {
        !rule.positive().any(|literal| literal.variables().any(|other| other == *variable))
    });
    free
}

/// An order of a rule's positive literals.
#[derive(Debug)]
struct Order {
    literals: Vec<usize>,
    ground_rules: f64,
}

impl Order {
    /// Returns the literal `first`, if there is one, then always the literal expected to match the fewest rows. Some
    /// variables are `given` before.
    fn greedy(rule: &Rule, first: Option<usize>, given: &[VariableId], estimates: &Estimates) -> Self {
        let atoms: Vec<_> = rule.positive().collect();
        let mut bound = vec![false; rule.variables.len()];
        given.iter().for_each(|variable| bound[variable.index()] = true);
        let mut left: Vec<usize> = (0..atoms.len()).collect();
        let mut literals = Vec::with_capacity(atoms.len());
        let mut matching = Vec::with_capacity(atoms.len());
        let mut computed = 0;
        while !left.is_empty() {
            let rows =
                |literal: usize| estimates.matching(atoms[literal], |variable| bound[variable.index()]);
            let forced = first.filter(|_| literals.is_empty());
            let place = match forced.and_then(|first| left.iter().position(|&literal| literal == first)) {
                Some(place) => place,
                None => fewest(left.iter().map(|&literal| rows(literal))),
            };
            let literal = left.remove(place);
            matching.push(rows(literal));
            literals.push(literal);
            atoms[literal].variables().for_each(|variable| bound[variable.index()] = true);
            computed += bind_computed(rule, &mut bound);
        }
        // What an equation gives is not searched for, so its share does not count again.
        let free = free_variables(rule).len() + computed;
        let ground_rules = estimates.ground_rules(rule, &matching, free);
        Self { literals, ground_rules }
    }
}

/// Binds the variables of literals that equations give once these are bound; returns how many.
fn bind_computed(rule: &Rule, bound: &mut [bool]) -> usize {
    let mut count = 0;
    loop {
        let is_bound = |term: Term| term.variable().is_none_or(|variable| bound[variable.index()]);
        let mut variables = rule.positive().flat_map(Atom::variables);
        let next = variables.find(|&variable| {
            !is_bound(Term::Variable(variable))
                && computed(rule.conditions.iter(), variable, is_bound).is_some()
        });
        let Some(next) = next else { return count };
        bound[next.index()] = true;
        count += 1;
    }
}

/// Returns the place of the first of the smallest numbers.
fn fewest(rows: impl Iterator<Item = f64>) -> usize {
    let numbered = rows.enumerate();
    numbered.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(place, _)| place)
}

impl RuleReport {
    fn new(id: RuleId, rule: &Rule, order: &Order, examples: usize) -> Self {
        let atoms: Vec<_> = rule.positive().collect();
        let mut known = vec![false; rule.variables.len()];
        let mut bound = Vec::with_capacity(atoms.len());
        for &literal in &order.literals {
            let is_bound = |term: &Term| term.variable().is_none_or(|variable| known[variable.index()]);
            let terms = atoms[literal].terms.iter().enumerate();
            bound.push(terms.filter(|(_, term)| is_bound(term)).map(|(column, _)| column).collect());
            atoms[literal].variables().for_each(|variable| known[variable.index()] = true);
            bind_computed(rule, &mut known);
        }
        let (span, free, per_example) = (rule.span, free_variables(rule), order.ground_rules);
        let total = per_example * examples as f64;
        let bytes = total * 4.0 * (1 + atoms.len() + rule.index.len()) as f64;
        Self { rule: id, span, order: order.literals.clone(), bound, free, per_example, total, bytes }
    }
}

/// The indexes and links that steps ask for, each once.
#[derive(Default, Debug)]
pub(super) struct Catalogue {
    pub indexes: ShapeTable<IndexShape>,
    pub links: ShapeTable<LinkShape>,
}

/// Shapes of indexes or links, with their numbers.
#[derive(Debug)]
pub(super) struct ShapeTable<T> {
    all: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T> Default for ShapeTable<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> ShapeTable<T> {
    /// Returns the number of a shape, new if need be.
    pub fn number(&mut self, shape: T) -> usize {
        if let Some(&number) = self.numbers.get(&shape) {
            return number;
        }
        self.all.push(shape.clone());
        self.numbers.insert(shape, self.all.len() - 1);
        self.all.len() - 1
    }
}
