//! Demand: predicates of which only what other rules ask for is grounded.
//!
//! `message(X, Y, B) :- atom(X), atom(Y), kind(B).` has a ground rule for every two atoms and every kind, though
//! `h(X) :- bond(X, Y, B), message(X, Y, B).` asks only for those of bonds. Where a network is built for queries, the
//! rows of `bond` are the *demand* of `message`, and the first literal of its plan. Values are those of the whole model:
//! an atom that is demanded has all its ground rules, and no other atom has a say in what was asked.
//!
//! A predicate has a demand where its rules would try every combination (a body that falls apart, or a variable of the
//! head that ranges over all constants), no cycle goes through it, nothing asks for its absence, and each literal that
//! asks for it stands beside others, grounded before, that bind some of its columns. Literals that bind different
//! columns make different demands.
//!
//! Not optimal: what a query asks is not handed down from rule to rule, so a demand is as large as the literals beside
//! it, whether or not their own rule is asked for.

use super::plan::Catalogue;
use super::step::{JoinPlan, PlanCompiler, RowRange, place};
use crate::diagnostic::Diagnostic;
use crate::template::{Atom, Condition, Rule, RuleId, Stratum, Template, Term, VariableId};
use crate::vocabulary::PredicateId;

/// A part of the model to be grounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// All of it.
    Whole,
    /// Everything that queries may need that ask for no predicate with a demand.
    Needed,
}

/// The atoms of a predicate that some literals ask for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Demand {
    pub predicate: PredicateId,
    /// The columns that it gives.
    pub columns: Vec<usize>,
    /// The literals that give them, each list as a rule whose head has these columns.
    pub sources: Vec<Rule>,
}

/// The demands of a template and the order of its strata that they need.
#[derive(Default, Debug)]
pub(super) struct Demands {
    pub all: Vec<Demand>,
    /// The numbers of the strata.
    pub order: Vec<usize>,
}

impl Demands {
    /// Finds the demands of a template.
    pub fn of(template: &Template) -> Self {
        let mut candidates = candidates(template);
        if candidates.is_empty() {
            return Self::default();
        }
        loop {
            let order = order(template, &candidates);
            let mut places = vec![0; template.predicates.len()];
            for (place, &stratum) in order.iter().enumerate() {
                let predicates = &template.strata[stratum].predicates;
                predicates.iter().for_each(|predicate| places[predicate.index()] = place);
            }
            let found: Option<Vec<Vec<Demand>>> = candidates
                .iter()
                .map(|&predicate| demands_of(template, predicate, &places).ok_or(predicate))
                .collect::<Result<_, _>>()
                .map_err(|failed| candidates.retain(|&predicate| predicate != failed))
                .ok();
            if let Some(found) = found {
                return Self { all: found.into_iter().flatten().collect(), order };
            }
        }
    }

    /// Returns the numbers of the demands of a predicate.
    pub fn of_predicate(&self, predicate: PredicateId) -> std::ops::Range<usize> {
        let is_it = |demand: &Demand| demand.predicate == predicate;
        let start = self.all.iter().position(is_it).unwrap_or(self.all.len());
        start..start + self.all[start..].iter().take_while(|demand| is_it(demand)).count()
    }
}

/// Returns a warning for each rule that tries every combination of parts of its body, and has no demand to spare it that.
pub fn cross_products(template: &Template) -> Vec<Diagnostic> {
    let demands = Demands::of(template);
    template.cross_products(|predicate| demands.of_predicate(predicate).is_empty())
}

impl Demand {
    /// Returns the terms of a head in the columns of the demand.
    pub fn terms(&self, head: &Atom) -> Vec<Term> {
        self.columns.iter().map(|&column| head.terms[column]).collect()
    }

    /// Plans how its rows are found.
    pub fn plans(&self, number: usize, catalogue: &mut Catalogue) -> Vec<JoinPlan> {
        let plan = |source: &Rule| {
            let mut compiler = PlanCompiler::new(source, catalogue);
            (0..source.guards.len()).for_each(|literal| compiler.join(literal, RowRange::All));
            compiler.finish(Some(number))
        };
        self.sources.iter().map(plan).collect()
    }
}

/// Returns the predicates for which a demand would pay and does no harm.
fn candidates(template: &Template) -> Vec<PredicateId> {
    let is_absent_somewhere = |predicate: PredicateId| {
        let asks =
            |condition: &Condition| matches!(condition, Condition::Absent(other, _) if *other == predicate);
        template.rules.iter().any(|rule| rule.conditions.iter().any(asks))
    };
    let pays = |&id: &RuleId| {
        let rule = template.rule(id);
        !rule.unbound.is_empty() || template.large_parts(rule).len() > 1
    };
    let strata =
        template.strata.iter().filter(|stratum| !stratum.recursive && stratum.rules.iter().any(pays));
    strata.map(|stratum| stratum.predicates[0]).filter(|&predicate| !is_absent_somewhere(predicate)).collect()
}

/// Returns an order of the strata in which each comes after those it depends on, and one with a demand only when no other
/// can come.
fn order(template: &Template, demanded: &[PredicateId]) -> Vec<usize> {
    let mut is_grounded = vec![false; template.predicates.len()];
    let mut left: Vec<usize> = (0..template.strata.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |&stratum: &usize| demanded.contains(&template.strata[stratum].predicates[0]);
        let can_come = |stratum: &usize| is_ready(template, &template.strata[*stratum], &is_grounded);
        let next = left.iter().position(|stratum| !waits(stratum) && can_come(stratum));
        let next = next.or_else(|| left.iter().position(can_come)).unwrap_or(0);
        let stratum = left.remove(next);
        template.strata[stratum]
            .predicates
            .iter()
            .for_each(|predicate| is_grounded[predicate.index()] = true);
        order.push(stratum);
    }
    order
}

/// Tells whether all that the rules of a stratum ask for is there, but for the stratum itself.
fn is_ready(template: &Template, stratum: &Stratum, is_grounded: &[bool]) -> bool {
    let mut body = stratum.rules.iter().flat_map(|&id| template.rule(id).body_predicates());
    body.all(|predicate| is_grounded[predicate.index()] || stratum.predicates.contains(&predicate))
}

/// Returns the demands of a predicate, one for each set of columns; none if some literal asks for anything of it.
fn demands_of(template: &Template, predicate: PredicateId, places: &[usize]) -> Option<Vec<Demand>> {
    let mut demands: Vec<Demand> = Vec::new();
    for rule in &template.rules {
        for literal in rule.positive().filter(|literal| literal.predicate == predicate) {
            let may_use = |atom: &Atom| places[atom.predicate.index()] < places[predicate.index()];
            let (columns, source) = source(rule, literal, may_use)?;
            let known = demands.iter().position(|demand| demand.columns == columns);
            let at = known.unwrap_or_else(|| {
                demands.push(Demand { predicate, columns, sources: Vec::new() });
                demands.len() - 1
            });
            if !demands[at].sources.contains(&source) {
                demands[at].sources.push(source);
            }
        }
    }
    demands.sort_by_key(|demand| std::cmp::Reverse(demand.columns.len()));
    (!demands.is_empty()).then_some(demands)
}

/// Returns the columns of a literal that the literals beside it bind, and a rule that finds them; none if nothing does.
fn source(rule: &Rule, literal: &Atom, may_use: impl Fn(&Atom) -> bool) -> Option<(Vec<usize>, Rule)> {
    let mut wanted: Vec<VariableId> = literal.variables().collect();
    let mut guards: Vec<Atom> = Vec::new();
    let binds = |atom: &Atom, wanted: &[VariableId]| {
        wanted.iter().filter(|&&variable| atom.variables().any(|other| other == variable)).count()
    };
    let beside: Vec<&Atom> = rule.positive().filter(|atom| may_use(atom)).collect();
    // Of those that bind as many, the first.
    while let Some(best) = beside.iter().rev().max_by_key(|atom| binds(atom, &wanted)) {
        if binds(best, &wanted) == 0 {
            break;
        }
        wanted.retain(|&variable| best.variables().all(|other| other != variable));
        guards.push((*best).clone());
    }
    let is_bound = |term: &Term| term.variable().is_none_or(|variable| !wanted.contains(&variable));
    let columns: Vec<usize> = (0..literal.terms.len()).filter(|&at| is_bound(&literal.terms[at])).collect();
    if columns.is_empty() || guards.is_empty() {
        return None;
    }
    let terms = columns.iter().map(|&column| literal.terms[column]).collect();
    let head = Atom { predicate: literal.predicate, terms };
    Some((columns, numbered(rule, head, guards)))
}

/// Returns a rule of guards with its variables numbered in the order in which they come, so that equal ones are equal.
fn numbered(rule: &Rule, mut head: Atom, mut guards: Vec<Atom>) -> Rule {
    let mut known: Vec<VariableId> = Vec::new();
    for term in guards.iter_mut().chain([&mut head]).flat_map(|atom| &mut atom.terms) {
        if let Term::Variable(variable) = term {
            *variable = VariableId(place(&mut known, *variable) as u32);
        }
    }
    Rule {
        head,
        weight: None,
        inputs: Vec::new(),
        guards,
        conditions: Vec::new(),
        variables: known.iter().map(|_| "_".into()).collect(),
        unbound: Vec::new(),
        index: Vec::new(),
        kinds: Vec::new(),
        number: None,
        distinct: false,
        functions: rule.functions.clone(),
        span: rule.span,
    }
}
