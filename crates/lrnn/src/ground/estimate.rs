//! How many rows to expect: what plans are chosen by.
//!
//! A relation is summed up by its mean number of rows in an example and, for every column, the mean number of
//! different constants there. A literal with bound columns is expected to match rows / (product of the different
//! constants of the bound columns): columns are taken as independent, and every constant asked for as present.
//! What rules derive is estimated from the estimates of their bodies, in the order of computation.
//!
//! Not optimal: means hide that a few large examples have most of the ground rules, so totals come out too low
//! where sizes vary much; correlated columns make them wrong either way; and recursion is followed for a few rounds
//! only, far too few for a long chain. All this matters little for the order of a join, and the totals are only
//! printed: the limits count what is really there.

use std::mem::replace;

use crate::data::Dataset;
use crate::diagnostic::Error;
use crate::template::{Atom, Comparison, Condition, Rule, Template, Term, VariableId};
use crate::vocabulary::ConstantId;

/// The expected size of a relation in one example.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Number of rows.
    pub rows: f64,
    /// Number of different constants in each column.
    pub distinct: Vec<f64>,
}

/// The average example of a dataset: plans are made from it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Number of examples.
    pub examples: usize,
    /// Number of different constants in an example.
    pub constants: f64,
    /// The facts of each predicate, by predicate id.
    pub relations: Vec<Estimate>,
}

/// The most examples looked at, evenly spread over the dataset.
const SAMPLE: usize = 200;

impl Statistics {
    /// Returns the statistics of a dataset, whose facts may be elsewhere.
    pub(crate) fn sampled(dataset: &Dataset) -> Result<Self, Error> {
        if dataset.away.is_none() {
            return Ok(Self::of(dataset));
        }
        let examples = dataset.examples.len();
        let chosen: Vec<usize> = sampled(examples).collect();
        dataset.with_facts(&chosen, |part, _| Ok(Self { examples, ..Self::of(part) }))
    }

    /// Returns the statistics of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        let examples = dataset.examples.len();
        let empty = |arity: u32| Estimate { rows: 0.0, distinct: vec![0.0; arity as usize] };
        let mut relations: Vec<Estimate> =
            dataset.vocabulary.predicates().map(|(_, signature)| empty(signature.arity)).collect();
        let mut constants = 0.0;
        let mut seen = LastSight { at: vec![0; dataset.vocabulary.constant_count()], now: 0 };
        let sample = examples.clamp(1, SAMPLE);
        for number in sampled(examples) {
            let tables = &dataset.examples[number].tables;
            for table in tables {
                let estimate = &mut relations[table.predicate.index()];
                estimate.rows += f64::from(table.rows) / sample as f64;
                let arity = estimate.distinct.len();
                for (column, distinct) in estimate.distinct.iter_mut().enumerate() {
                    let there = table.terms.iter().skip(column).step_by(arity.max(1));
                    *distinct += seen.count_distinct(there.copied()) as f64 / sample as f64;
                }
            }
            let all = tables.iter().flat_map(|table| table.terms.iter().copied());
            constants += seen.count_distinct(all) as f64 / sample as f64;
        }
        Self { examples, constants, relations }
    }
}

/// Returns the numbers of the examples that are looked at, of so many.
fn sampled(examples: usize) -> impl Iterator<Item = usize> {
    let sample = examples.min(SAMPLE);
    (0..sample).map(move |number| number * examples / sample)
}

/// Constants by when they were last seen.
struct LastSight {
    at: Vec<u32>,
    now: u32,
}

impl LastSight {
    fn count_distinct(&mut self, constants: impl Iterator<Item = ConstantId>) -> usize {
        self.now += 1;
        constants.filter(|constant| replace(&mut self.at[constant.index()], self.now) != self.now).count()
    }
}

/// Numbers stay finite, however many variables are multiplied.
const MOST: f64 = 1e100;

/// The expected sizes of all relations while the rules are planned.
#[derive(Debug)]
pub(super) struct Estimates {
    pub relations: Vec<Estimate>,
    /// Number of constants that a free variable ranges over.
    pub domain: f64,
}

impl Estimates {
    /// Returns the facts of the template and of the examples.
    pub fn of_facts(template: &Template, statistics: &Statistics, template_constants: usize) -> Self {
        let domain = statistics.constants + template_constants as f64;
        let mut estimates = Self { relations: statistics.relations.clone(), domain };
        for fact in &template.facts {
            let column = |term: &Term| term.variable().map_or(1.0, |_| domain);
            let columns: Vec<f64> = fact.atom.terms.iter().map(column).collect();
            let rows = fact.atom.variables().map(|_| domain).product::<f64>().min(MOST);
            let predicate = fact.atom.predicate.index();
            if let Some(estimate) = estimates.relations.get_mut(predicate) {
                estimate.add(rows, &columns, domain);
            }
        }
        estimates
    }

    fn relation(&self, atom: &Atom) -> (f64, &[f64]) {
        self.relations.get(atom.predicate.index()).map_or((0.0, &[]), |it| (it.rows, &it.distinct))
    }

    /// Returns how many rows a literal is expected to match once some variables have a value.
    pub fn matching(&self, atom: &Atom, is_bound: impl Fn(VariableId) -> bool) -> f64 {
        let (mut rows, distinct) = self.relation(atom);
        for (column, term) in atom.terms.iter().enumerate() {
            if term.variable().is_none_or(&is_bound) || atom.terms[..column].contains(term) {
                rows /= distinct.get(column).copied().unwrap_or(1.0).max(1.0);
            }
        }
        rows
    }

    /// Returns how many different constants a variable is expected to have: as many as the narrowest column it stands
    /// in.
    fn variable(&self, rule: &Rule, variable: VariableId) -> f64 {
        let columns = rule.positive().flat_map(|literal| {
            let (_, distinct) = self.relation(literal);
            literal.terms.iter().zip(distinct).filter(move |(term, _)| **term == Term::Variable(variable))
        });
        columns.map(|(_, distinct)| *distinct).fold(self.domain, f64::min)
    }

    /// Returns the share of substitutions that a condition lets through.
    fn selectivity(&self, rule: &Rule, condition: &Condition) -> f64 {
        match condition {
            Condition::Compare(Comparison::Equal, left, right) => {
                let of = |term: &Term| term.variable().map_or(1.0, |variable| self.variable(rule, variable));
                1.0 / of(left).max(of(right)).max(1.0)
            }
            Condition::Compare(Comparison::NotEqual, ..) | Condition::Absent(..) => 1.0,
            Condition::Arithmetic(Comparison::Equal, ..) => 1.0 / self.domain.max(1.0),
            Condition::Among(terms) => (terms.len() - 1) as f64 / self.domain.max(1.0),
            Condition::Compare(..) | Condition::Arithmetic(..) | Condition::MostDifferent(_) => 0.5,
        }
    }

    /// Returns how many ground rules to expect of a rule whose literals, in an order, match so many rows each.
    pub fn ground_rules(&self, rule: &Rule, matching: &[f64], free_variables: usize) -> f64 {
        let joined = matching.iter().product::<f64>() * self.domain.powf(free_variables as f64);
        let conditions = rule.conditions.iter();
        (conditions.map(|condition| self.selectivity(rule, condition)).product::<f64>() * joined).min(MOST)
    }

    /// Returns what a rule adds to the estimate of its head when it has so many ground rules.
    pub fn head(&self, rule: &Rule, ground_rules: f64) -> Estimate {
        let column = |term: &Term| term.variable().map_or(1.0, |variable| self.variable(rule, variable));
        let distinct: Vec<f64> = rule.head.terms.iter().map(|it| column(it).min(ground_rules)).collect();
        Estimate { rows: ground_rules.min(distinct.iter().product::<f64>().min(MOST)), distinct }
    }
}

impl Estimate {
    /// Adds rows with so many different constants in each column, as if no row were there already.
    pub fn add(&mut self, rows: f64, distinct: &[f64], domain: f64) {
        for (mine, more) in self.distinct.iter_mut().zip(distinct) {
            *mine = (*mine + more).min(domain);
        }
        self.rows = (self.rows + rows).min(self.distinct.iter().product::<f64>().min(MOST));
    }
}
