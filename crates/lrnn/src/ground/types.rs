//! What a grounding is made of.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hashbrown::HashTable;

use super::Relation;
use super::relation::hash;
use crate::template::{Atom, Template};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// An atom of a grounding: its predicate and its row.
pub type AtomRow = (PredicateId, u32);

/// The origin of a ground fact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FactSource {
    /// The template's fact with this number, or an instance of it.
    Template(u32),
    /// This row of the example's table with this number.
    Example {
        /// The number of the table.
        table: u32,
        /// The row.
        row: u32,
    },
}

/// The ground rules of one rule. Ground rule `i` has its head in row `heads[i]` of the head's relation, and its
/// j-th positive body literal (inputs before guards) in row `body[j][i]` of that literal's relation.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GroundRules {
    /// The rows of the heads.
    pub heads: Vec<u32>,
    /// For each positive body literal, its rows.
    pub body: Vec<Vec<u32>>,
    /// For each index variable of the rule, its constants.
    pub index: Vec<Vec<ConstantId>>,
    /// Number of ground rules that each stands for, where some were drawn from many; empty where each stands for itself.
    pub times: Vec<u32>,
}

impl GroundRules {
    /// Returns no ground rules, of so many positive body literals and index variables.
    pub(crate) fn new(literals: usize, index: usize) -> Self {
        Self { body: vec![Vec::new(); literals], index: vec![Vec::new(); index], ..Self::default() }
    }

    /// Returns how many ground rules there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Keeps one of the ground rules with one head, the same rows of the first `inputs` literals and one index: the least
    /// by its guards.
    fn keep_each_once(&mut self, inputs: usize, less: impl Fn(&[u32], &[u32]) -> bool) {
        let index = |at: usize| self.index.iter().filter_map(move |column| column.get(at));
        let key = |at: usize| {
            let rows = self.body[..inputs].iter().map(move |column| column[at]);
            std::iter::once(self.heads[at]).chain(rows).map(ConstantId).chain(index(at).copied())
        };
        let guards =
            |at: u32| -> Vec<u32> { self.body[inputs..].iter().map(|column| column[at as usize]).collect() };
        let hash_of = |&at: &u32| hash(key(at as usize));
        let mut best: HashTable<u32> = HashTable::with_capacity(self.len());
        let mut kept = vec![true; self.len()];
        for at in 0..self.len() as u32 {
            let hash = hash_of(&at);
            match best.find_mut(hash, |&known| key(known as usize).eq(key(at as usize))) {
                None => drop(best.insert_unique(hash, at, hash_of)),
                Some(known) if less(&guards(at), &guards(*known)) => {
                    kept[*known as usize] = false;
                    *known = at;
                }
                Some(_) => kept[at as usize] = false,
            }
        }
        if best.len() == self.len() {
            return;
        }
        keep(&mut self.heads, &kept);
        self.body.iter_mut().for_each(|column| keep(column, &kept));
        self.index.iter_mut().for_each(|column| keep(column, &kept));
    }
}

fn keep<T>(column: &mut Vec<T>, kept: &[bool]) {
    let mut at = 0;
    column.retain(|_| {
        at += 1;
        kept.get(at - 1).copied().unwrap_or(true)
    });
}

/// Counts ground rules that differ in guards only once, where their rule asks for that, and computes numbers from terms.
pub(super) fn settle(template: &Template, vocabulary: &Vocabulary, grounding: &mut Grounding) {
    let numbers = grounding.relations.iter().enumerate().map(|(predicate, relation)| {
        let value = template.predicates.get(predicate).and_then(|known| known.value.as_ref());
        let Some(value) = value else { return Vec::new() };
        (0..relation.len() as u32).map(|row| value.of_row(vocabulary, relation.row(row))).collect()
    });
    grounding.numbers = numbers.collect();
    for (rule, ground) in template.rules.iter().zip(&mut grounding.rules) {
        if rule.distinct {
            let relations = &grounding.relations;
            let terms = |rows: &[u32]| -> Vec<ConstantId> {
                let atoms = rule.guards.iter().zip(rows);
                let of = |(guard, &row): (&Atom, &u32)| relations[guard.predicate.index()].row(row);
                atoms.flat_map(of).copied().collect()
            };
            let less = |a: &[u32], b: &[u32]| {
                let (a, b) = (terms(a), terms(b));
                let orders = a.iter().zip(&b).map(|(&a, &b)| vocabulary.compare(a, b));
                orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).is_lt()
            };
            ground.keep_each_once(rule.inputs.len(), less);
        }
    }
}

/// The least Herbrand model of a template with an example, and every ground rule that is active in it. The order
/// of rows and of ground rules is the same on every run, but means nothing.
#[derive(Clone, Default, Debug)]
pub struct Grounding {
    /// The atoms of the model, by predicate id: every predicate of the vocabulary.
    pub relations: Vec<Relation>,
    /// The ground facts, by predicate id: the row of the atom, ascending, and where the fact was written.
    pub facts: Vec<Vec<(u32, FactSource)>>,
    /// The ground rules, by rule id.
    pub rules: Vec<GroundRules>,
    /// The numbers that the terms of atoms give, by predicate id and row: for predicates whose values are computed from
    /// terms, none for others.
    pub numbers: Vec<Vec<f64>>,
}

impl Grounding {
    /// Returns how many ground rules there are.
    pub fn rule_count(&self) -> usize {
        self.rules.iter().map(GroundRules::len).sum()
    }

    /// Returns how many atoms the model has.
    pub fn atom_count(&self) -> usize {
        self.relations.iter().map(Relation::len).sum()
    }
}

/// Bounds on grounding, so that a template that explodes stops at once, and a way to stop it from outside.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// The most ground rules and instances of facts with variables in one example.
    pub per_example: u64,
    /// The most in all examples together.
    pub total: u64,
    /// Asked while grounding.
    #[serde(skip)]
    pub stop: Stop,
    /// Counts while grounding.
    #[serde(skip)]
    pub count: GroundingCount,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_example: 10_000_000,
            total: 1_000_000_000,
            stop: Stop::default(),
            count: GroundingCount::default(),
        }
    }
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { per_example, total, .. } = self;
        f.debug_struct("Limits").field("per_example", per_example).field("total", total).finish()
    }
}

/// A flag that long work looks at: copies are the same flag, and any thread or signal handler may raise it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks whoever works under this flag to stop soon.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Tells whether somebody asked to stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A count of the examples that were grounded, each as often as it was: copies count together.
#[derive(Clone, Debug, Default)]
pub struct GroundingCount(Arc<AtomicU64>);

impl GroundingCount {
    /// Returns how many examples were grounded so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
