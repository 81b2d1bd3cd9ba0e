//! All refinements of a clause by one literal, with what each covers. A *shape* is a relation with the variables at its
//! columns: one pass over the substitutions of the clause finds, for all constants at the other columns at once, the
//! queries that stay covered.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::bias::Bias;
use crate::clause::{Argument, LatticeClause, LatticeLiteral, LiteralKind};
use crate::coverage::Coverage;
use crate::facts::FactIndex;
use crate::join::{Matcher, Projections, Substitutions, VariableSet};

/// A refinement of a clause.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The literal that is added.
    pub literal: LatticeLiteral,
    /// The types of the new variables.
    pub new: Box<[u16]>,
    /// True if it only brings variables for literals to come.
    pub is_structural: bool,
    /// The variable of which there must be several individuals, and how many at least.
    pub count: Option<(u8, u32)>,
    /// The queries that stay covered.
    pub coverage: Arc<Coverage>,
}

/// An entry at a column of a shape.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ShapeColumn {
    Bound(u8),
    New,
    /// All constants at once.
    Asked,
}

/// A numeric variable has so many cut points at most.
const CUTS: usize = 15;

/// The facts and options that refinements are found by.
pub(crate) struct Expander<'a> {
    pub facts: &'a FactIndex,
    pub bias: &'a Bias,
    /// Refinements that cover fewer queries are left out.
    pub min_support: u32,
    /// True if literals may be negated.
    pub negation: bool,
    /// True if clauses may ask for several individuals.
    pub counts: bool,
    /// Steps so far.
    pub steps: Cell<u64>,
    /// Zeros for the slots of sets.
    pub table: RefCell<Vec<u32>>,
}

/// Steps for a set of queries, beside those for what is in it.
const SET_STEPS: usize = 100;
/// Steps for a key, whether it has a set that is large enough or not.
const KEY_STEPS: usize = 20;
/// Most keys that are found by a table.
const LARGEST_TABLE: usize = 200_000;
/// A body of more literals is not counted.
const MOST_COUNTED: usize = 3;
/// Individuals beyond so many are not counted.
const MOST_INDIVIDUALS: usize = 60;
/// A clause is tried with so many least counts at most.
const COUNT_CUTS: usize = 5;

/// The term that a shape counts.
#[derive(Clone, Copy, Debug)]
enum CountedTerm {
    /// The individual of a variable of the clause.
    Bound(u8),
    /// That at a column of the literal.
    Column(usize),
}

/// The number of individuals of each query; those of the last one are still being met.
#[derive(Default)]
struct Tally {
    query: usize,
    seen: Vec<u32>,
    counts: Vec<(u32, u32)>,
}

impl Tally {
    fn add(&mut self, query: usize, individual: u32) {
        if self.query != query {
            self.close();
            self.query = query;
        }
        let is_full = self.seen.len() >= MOST_INDIVIDUALS;
        if self.seen.last() != Some(&individual) && !is_full && !self.seen.contains(&individual) {
            self.seen.push(individual);
        }
    }

    fn close(&mut self) {
        if !self.seen.is_empty() {
            self.counts.push((self.query as u32, self.seen.len() as u32));
            self.seen.clear();
        }
    }

    /// Returns the least counts that are worth a clause, in ascending order.
    fn cuts(&self) -> Vec<u32> {
        let mut all: Vec<u32> =
            self.counts.iter().map(|(_, count)| *count).filter(|&count| count > 1).collect();
        all.sort_unstable();
        let mut distinct = all.clone();
        distinct.dedup();
        if distinct.len() > COUNT_CUTS {
            distinct = (0..COUNT_CUTS).map(|part| all[part * all.len() / COUNT_CUTS]).collect();
            distinct.dedup();
        }
        distinct
    }
}

/// The values at the columns of a shape that are asked for, one behind the other.
type ShapeKey = u128;

/// A shape asks for so many values at most.
const MOST_ASKED: usize = 4;

/// Returns the set of one variable, or of none.
fn set_of(variable: Option<u8>) -> VariableSet {
    variable.map_or(0, |variable| 1 << variable)
}

/// Returns the values of a key of so many.
fn key_values(key: ShapeKey, count: usize) -> impl Iterator<Item = u32> {
    (0..count).rev().map(move |at| (key >> (32 * at)) as u32)
}

/// Sets of queries by a key; queries come in ascending order.
struct QuerySets {
    /// By key, where keys are small: its slot, from 1.
    table: Vec<u32>,
    /// The slots of other keys.
    slots: FxHashMap<ShapeKey, usize>,
    keys: Vec<ShapeKey>,
    sets: Vec<Vec<u32>>,
    tallies: Vec<Tally>,
    last: (ShapeKey, usize),
}

/// A key with the queries that have it, and how many individuals each of them has.
type KeyedSet = (ShapeKey, Vec<u32>, Tally);

impl QuerySets {
    /// Returns no sets yet; keys below the length of a table of zeros are found fast.
    fn new(table: Vec<u32>) -> Self {
        let (slots, last) = (FxHashMap::default(), (ShapeKey::MAX, 0));
        Self { table, slots, keys: Vec::new(), sets: Vec::new(), tallies: Vec::new(), last }
    }

    #[inline]
    fn set(&mut self, key: ShapeKey, query: usize, counted: Option<u32>) {
        if self.last.0 != key || self.sets.is_empty() {
            self.last = (key, self.slot(key));
        }
        let set = &mut self.sets[self.last.1];
        if set.last() != Some(&(query as u32)) {
            set.push(query as u32);
        }
        if let Some(individual) = counted {
            self.tallies[self.last.1].add(query, individual);
        }
    }

    #[inline]
    fn slot(&mut self, key: ShapeKey) -> usize {
        let next = self.sets.len();
        let slot = match self.table.get_mut(usize::try_from(key).unwrap_or(usize::MAX)) {
            Some(0) => {
                self.table[key as usize] = next as u32 + 1;
                next
            }
            Some(slot) => *slot as usize - 1,
            None => *self.slots.entry(key).or_insert(next),
        };
        if slot == next {
            self.keys.push(key);
            self.sets.push(Vec::new());
            self.tallies.push(Tally::default());
        }
        slot
    }

    /// Returns keys with their sets, in the order of keys, and the table of zeros.
    fn sorted(mut self) -> (Vec<KeyedSet>, Vec<u32>) {
        for &key in &self.keys {
            if let Some(slot) = self.table.get_mut(usize::try_from(key).unwrap_or(usize::MAX)) {
                *slot = 0;
            }
        }
        let mut all: Vec<KeyedSet> = Vec::with_capacity(self.keys.len());
        for ((key, set), mut tally) in self.keys.into_iter().zip(self.sets).zip(self.tallies) {
            tally.close();
            all.push((key, set, tally));
        }
        all.sort_unstable_by_key(|(key, ..)| *key);
        (all, self.table)
    }
}

impl Expander<'_> {
    /// Returns the refinements of a clause with these substitutions that speak of a variable from `first` on.
    pub fn expand(&self, clause: &LatticeClause, known: &Substitutions, first: usize) -> Vec<Refinement> {
        let mut found = Vec::new();
        let known = &mut Projections::new(known, self.facts);
        self.unary(clause, known, first, &mut found);
        self.numbers(clause, known, first, &mut found);
        for relation in 0..self.facts.relations.len() {
            let bias = &self.bias.relations[relation];
            match self.facts.relations[relation].arity {
                _ if bias.is_forbidden => {}
                0 if first == 0 => self.proposition(clause, known.all(), relation as u32, &mut found),
                0 => {}
                1 => {}
                arity => {
                    let mut shape = Vec::with_capacity(arity);
                    self.shapes(clause, relation as u32, first, &mut shape, &mut |shape| {
                        self.pass(clause, known, relation as u32, shape, &mut found);
                    });
                }
            }
        }
        found
    }

    fn count_steps(&self, count: usize) {
        self.steps.set(self.steps.get() + count as u64);
    }

    fn words(&self) -> usize {
        self.facts.queries.len().div_ceil(64)
    }

    /// Returns sets for keys that are values or relations, and others.
    fn sets(&self) -> QuerySets {
        let mut table = self.table.take();
        table.resize(self.facts.constants.len().max(self.facts.relations.len()).min(LARGEST_TABLE), 0);
        QuerySets::new(table)
    }

    /// Returns keys with their sets, in the order of keys.
    fn sorted(&self, sets: QuerySets) -> Vec<KeyedSet> {
        let (sorted, table) = sets.sorted();
        if !table.is_empty() {
            self.table.replace(table);
        }
        self.count_steps(KEY_STEPS * sorted.len());
        sorted
    }

    /// Returns the set of some queries.
    fn coverage(&self, queries: impl Iterator<Item = u32>) -> Coverage {
        let mut bits = vec![0_u64; self.words()];
        queries.for_each(|query| bits[query as usize / 64] |= 1 << (query % 64));
        self.count_steps(SET_STEPS + bits.len());
        Coverage::of_bits(&bits)
    }

    fn add(
        &self,
        clause: &LatticeClause,
        literal: LatticeLiteral,
        new: Vec<u16>,
        is_structural: bool,
        queries: &[u32],
        found: &mut Vec<Refinement>,
    ) {
        if queries.len() >= self.min_support as usize && !clause.body.contains(&literal) {
            let coverage = Arc::new(self.coverage(queries.iter().copied()));
            found.push(Refinement { literal, new: new.into(), is_structural, count: None, coverage });
        }
    }

    /// Adds the same refinement for queries with several of the individuals that were counted.
    fn add_counts(
        &self,
        clause: &LatticeClause,
        (literal, new): (&LatticeLiteral, &[u16]),
        counted: Option<u8>,
        tally: &Tally,
        found: &mut Vec<Refinement>,
    ) {
        let Some(counted) = counted.filter(|_| !clause.body.contains(literal)) else { return };
        let mut last = u32::MAX;
        for least in tally.cuts() {
            let several =
                || tally.counts.iter().filter(|(_, count)| *count >= least).map(|(query, _)| *query);
            let support = several().count() as u32;
            if support >= self.min_support && std::mem::replace(&mut last, support) != support {
                let coverage = self.coverage(several());
                let (literal, new) = (literal.clone(), new.into());
                let count = Some((counted, least));
                found.push(Refinement {
                    literal,
                    new,
                    is_structural: false,
                    count,
                    coverage: Arc::new(coverage),
                });
            }
        }
    }

    /// Tells whether clauses with one more literal are counted.
    fn may_count(&self, clause: &LatticeClause) -> bool {
        self.counts && clause.body.len() < MOST_COUNTED
    }

    /// Returns the variable that is counted: the first individual that a body brings.
    fn counted_variable(&self, clause: &LatticeClause) -> Option<u8> {
        let head = self.bias.head.len();
        let is_new = |at: &u8| *at as usize >= head && self.is_individual(clause.types[*at as usize]);
        clause.joined(head).into_iter().flat_map(LatticeLiteral::variables).find(is_new)
    }

    fn is_individual(&self, kind: u16) -> bool {
        self.bias.types[kind as usize].is_individual()
    }

    /// Finds all tests by relations with one term: of each variable, or of a new one where there is none.
    fn unary(
        &self,
        clause: &LatticeClause,
        known: &mut Projections<'_>,
        first: usize,
        found: &mut Vec<Refinement>,
    ) {
        let is_allowed = |relation: u32| !self.bias.relations[relation as usize].is_forbidden;
        let counted = if self.may_count(clause) { self.counted_variable(clause) } else { None };
        for variable in first..clause.types.len() {
            let (mut sets, mut missing) = (self.sets(), QuerySets::new(Vec::new()));
            let kind = clause.types[variable];
            let of_type: Vec<u32> = (0..self.facts.relations.len() as u32)
                .filter(|&at| {
                    self.facts.relations[at as usize].arity == 1
                        && self.bias.relations[at as usize].types[0] == kind
                })
                .collect();
            if of_type.is_empty() {
                continue;
            }
            known.for_each(1 << variable | set_of(counted), |query, row| {
                let own = self.facts.unary(row[variable]);
                self.count_steps(1 + own.len());
                let counted = counted.map(|counted| row[counted as usize]);
                own.iter().for_each(|&relation| sets.set(relation.into(), query, counted));
                if self.negation {
                    let absent = of_type.iter().filter(|relation| own.binary_search(relation).is_err());
                    absent.for_each(|&relation| missing.set(relation.into(), query, None));
                }
                false
            });
            for (kind, sets) in [(LiteralKind::Holds, sets), (LiteralKind::Absent, missing)] {
                for (key, queries, tally) in
                    self.sorted(sets).into_iter().filter(|(key, ..)| is_allowed(*key as u32))
                {
                    let arguments = Box::new([Argument::Variable(variable as u8)]);
                    let literal = LatticeLiteral { kind, relation: key as u32, arguments };
                    self.add(clause, literal.clone(), Vec::new(), false, &queries, found);
                    self.add_counts(clause, (&literal, &[]), counted, &tally, found);
                }
            }
        }
        if clause.types.is_empty() {
            let mut sets = self.sets();
            let queries = self.facts.queries.iter().enumerate();
            for (query, asked) in queries.filter(|(query, _)| known.all().has(*query)) {
                for individual in self.facts.individuals(asked.example) {
                    let counted = self.may_count(clause).then_some(individual);
                    let own = self.facts.unary(individual);
                    self.count_steps(1 + own.len());
                    own.iter().for_each(|&relation| sets.set(relation.into(), query, counted));
                }
            }
            for (key, queries, tally) in
                self.sorted(sets).into_iter().filter(|(key, ..)| is_allowed(*key as u32))
            {
                let literal = LatticeLiteral::holds(key as u32, [Argument::Variable(0)]);
                let kind = self.bias.relations[key as usize].types[0];
                self.add(clause, literal.clone(), vec![kind], false, &queries, found);
                let counted = self.is_individual(kind).then_some(0);
                self.add_counts(clause, (&literal, &[kind]), counted, &tally, found);
            }
        }
    }

    /// Finds cut points of variables that are numbers.
    fn numbers(
        &self,
        clause: &LatticeClause,
        known: &mut Projections<'_>,
        first: usize,
        found: &mut Vec<Refinement>,
    ) {
        for variable in first..clause.types.len() {
            let is_cut = |literal: &LatticeLiteral, kind| {
                literal.kind == kind && literal.variables().any(|at| at as usize == variable)
            };
            if !self.bias.types[clause.types[variable] as usize].numeric {
                continue;
            }
            // The least and the greatest number that each query can have there.
            let mut ranges = vec![(u32::MAX, 0); self.facts.queries.len()];
            let mut all = Vec::new();
            known.for_each(1 << variable, |query, row| {
                let value = self.facts.values[row[variable] as usize];
                let range = &mut ranges[query];
                *range = (range.0.min(value), range.1.max(value));
                all.push(value);
                self.count_steps(1);
                false
            });
            all.sort_unstable();
            let mut cuts: Vec<u32> =
                (1..=CUTS).filter_map(|part| all.get(part * all.len() / (CUTS + 1)).copied()).collect();
            cuts.dedup();
            for cut in cuts {
                for kind in [LiteralKind::AtMost, LiteralKind::AtLeast] {
                    if clause.body.iter().any(|literal| is_cut(literal, kind)) {
                        continue;
                    }
                    let is_in = |query: &u32| {
                        let range = ranges[*query as usize];
                        let is_in = if kind == LiteralKind::AtMost { range.0 <= cut } else { range.1 >= cut };
                        is_in && known.all().has(*query as usize)
                    };
                    let queries: Vec<u32> = (0..ranges.len() as u32).filter(is_in).collect();
                    let arguments = Box::new([Argument::Variable(variable as u8), Argument::Value(cut)]);
                    let literal = LatticeLiteral { kind, relation: u32::MAX, arguments };
                    self.add(clause, literal, Vec::new(), false, &queries, found);
                }
            }
        }
    }

    fn proposition(
        &self,
        clause: &LatticeClause,
        known: &Substitutions,
        relation: u32,
        found: &mut Vec<Refinement>,
    ) {
        let facts = &self.facts.relations[relation as usize];
        let is_in = |query: &u32| {
            let example = self.facts.queries[*query as usize].example;
            known.has(*query as usize) && !facts.rows_of(example).is_empty()
        };
        let queries: Vec<u32> = (0..self.facts.queries.len() as u32).filter(is_in).collect();
        self.add(clause, LatticeLiteral::holds(relation, []), Vec::new(), false, &queries, found);
    }

    /// Calls for each shape of a relation that the bias allows.
    fn shapes(
        &self,
        clause: &LatticeClause,
        relation: u32,
        first: usize,
        shape: &mut Vec<ShapeColumn>,
        call: &mut dyn FnMut(&[ShapeColumn]),
    ) {
        let bias = &self.bias.relations[relation as usize];
        let column = shape.len();
        if column == bias.types.len() {
            let is_late =
                |column: &ShapeColumn| matches!(column, ShapeColumn::Bound(at) if *at as usize >= first);
            if (first == 0 || shape.iter().any(is_late)) && self.is_allowed(clause, relation, shape) {
                call(shape);
            }
            return;
        }
        let (kind, mode) = (bias.types[column], bias.modes[column]);
        if mode.takes_bound() {
            for variable in (0..clause.types.len()).filter(|&at| clause.types[at] == kind) {
                shape.push(ShapeColumn::Bound(variable as u8));
                self.shapes(clause, relation, first, shape, call);
                shape.pop();
            }
        }
        let options = [(mode.takes_new(), ShapeColumn::New), (mode.takes_constants(), ShapeColumn::Asked)];
        for (_, option) in options.into_iter().filter(|(allowed, _)| *allowed) {
            shape.push(option);
            self.shapes(clause, relation, first, shape, call);
            shape.pop();
        }
    }

    /// Tells whether a literal of this shape is joined to the clause, and brings individuals from individuals only.
    fn is_allowed(&self, clause: &LatticeClause, relation: u32, shape: &[ShapeColumn]) -> bool {
        let bias = &self.bias.relations[relation as usize];
        let is_individual = |kind: u16| self.is_individual(kind);
        let is_bound = |column: &ShapeColumn| matches!(column, ShapeColumn::Bound(_));
        if shape.iter().filter(|column| **column == ShapeColumn::Asked).count() > MOST_ASKED {
            return false;
        }
        if let Some((one, other)) = bias.symmetric {
            let is_turned = match (shape[one], shape[other]) {
                (ShapeColumn::Bound(one), ShapeColumn::Bound(other)) => one > other,
                (one, other) => !is_bound(&one) && is_bound(&other),
            };
            if is_turned {
                return false;
            }
        }
        if !shape.iter().any(is_bound) {
            return clause.types.is_empty() && shape.contains(&ShapeColumn::New);
        }
        let with = |is: fn(&ShapeColumn) -> bool| {
            shape.iter().zip(&bias.types).any(|(column, &kind)| is(column) && is_individual(kind))
        };
        with(|column| matches!(column, ShapeColumn::Bound(_))) || !with(|column| *column == ShapeColumn::New)
    }

    /// Returns what a shape counts, and the variable that it is in the refined clause: what the body counts already where
    /// constants are asked for, or the first individual that the clause meets.
    fn counted_term(
        &self,
        clause: &LatticeClause,
        relation: u32,
        shape: &[ShapeColumn],
    ) -> Option<(CountedTerm, u8)> {
        if !self.may_count(clause) {
            return None;
        }
        if let Some(variable) = self.counted_variable(clause) {
            let asks = shape.contains(&ShapeColumn::Asked);
            return asks.then_some((CountedTerm::Bound(variable), variable));
        }
        let types = &self.bias.relations[relation as usize].types;
        let mut new = clause.types.len() as u8..;
        let places = (0..shape.len()).filter(|&at| shape[at] == ShapeColumn::New);
        let mut places = places.zip(&mut new);
        let first = places.find(|&(at, _)| self.is_individual(types[at]));
        first.map(|(at, variable)| (CountedTerm::Column(at), variable))
    }

    fn pass(
        &self,
        clause: &LatticeClause,
        known: &mut Projections<'_>,
        relation: u32,
        shape: &[ShapeColumn],
        found: &mut Vec<Refinement>,
    ) {
        let bias = &self.bias.relations[relation as usize];
        let mut types = clause.types.clone();
        let mut asked = Vec::new();
        let mut arguments: Vec<Argument> = Vec::with_capacity(shape.len());
        for (column, option) in shape.iter().enumerate() {
            arguments.push(match option {
                ShapeColumn::Bound(variable) => Argument::Variable(*variable),
                ShapeColumn::New => {
                    types.push(bias.types[column]);
                    Argument::Variable(types.len() as u8 - 1)
                }
                ShapeColumn::Asked => {
                    asked.push(column);
                    // Any value: it is told apart by the sets below, and is no variable that must differ.
                    types.push(u16::MAX);
                    Argument::Variable(types.len() as u8 - 1)
                }
            });
        }
        let pattern = LatticeLiteral::holds(relation, arguments.clone());
        let bound = clause.types.len() as u8;
        let matcher = Matcher::new(self.facts, self.bias, &pattern, &types, |at| at < bound);
        let mut sets = self.sets();
        let counted = self.counted_term(clause, relation, shape);
        let counted_bound = counted.and_then(|(term, _)| match term {
            CountedTerm::Bound(variable) => Some(variable),
            CountedTerm::Column(_) => None,
        });
        known.for_each(matcher.variables() | set_of(counted_bound), |query, row| {
            self.count_steps(1);
            matcher.any(self.facts.queries[query].example, row, |fact| {
                let key = self.shape_key(fact, &asked);
                let individual = counted.map(|(term, _)| match term {
                    CountedTerm::Bound(variable) => row[variable as usize],
                    CountedTerm::Column(column) => fact[column],
                });
                sets.set(key, query, individual);
                self.count_steps(1);
                asked.is_empty() && counted.is_none()
            })
        });
        let new: Vec<u16> = shape
            .iter()
            .zip(&bias.types)
            .filter(|(column, _)| **column == ShapeColumn::New)
            .map(|(_, &kind)| kind)
            .collect();
        let is_structural =
            asked.is_empty() && new.iter().any(|&kind| self.bias.types[kind as usize].is_live());
        let sets = self.sorted(sets);
        let literal = |kind: LiteralKind, key: ShapeKey| {
            let (mut values, mut next) = (key_values(key, asked.len()), bound);
            let argument = |(column, option): (usize, &ShapeColumn)| match option {
                ShapeColumn::Bound(variable) => Argument::Variable(*variable),
                ShapeColumn::New => {
                    next += 1;
                    Argument::Variable(next - 1)
                }
                ShapeColumn::Asked => Argument::Value(values.next().unwrap_or(column as u32)),
            };
            let arguments = shape.iter().enumerate().map(argument).collect();
            LatticeLiteral { kind, relation, arguments }
        };
        if self.negation && new.is_empty() {
            let keys: Vec<ShapeKey> = sets.iter().map(|(key, ..)| *key).collect();
            for (key, queries, _) in self.missing(known, &matcher, &asked, &keys) {
                self.add(clause, literal(LiteralKind::Absent, key), Vec::new(), false, &queries, found);
            }
        }
        let is_wide = |(_, queries, _): &KeyedSet| queries.len() >= self.min_support as usize;
        for (key, queries, tally) in sets.into_iter().filter(is_wide) {
            let literal = literal(LiteralKind::Holds, key);
            self.add(clause, literal.clone(), new.clone(), is_structural, &queries, found);
            self.add_counts(clause, (&literal, &new), counted.map(|(_, variable)| variable), &tally, found);
        }
    }

    /// Returns, for values that a shape without new variables has somewhere, the queries with a substitution for which
    /// no fact has them.
    fn missing(
        &self,
        known: &mut Projections<'_>,
        matcher: &Matcher<'_>,
        asked: &[usize],
        keys: &[ShapeKey],
    ) -> Vec<KeyedSet> {
        let mut sets = QuerySets::new(Vec::new());
        let mut own: Vec<ShapeKey> = Vec::new();
        known.for_each(matcher.variables(), |query, row| {
            own.clear();
            self.count_steps(1 + keys.len());
            matcher.any(self.facts.queries[query].example, row, |fact| {
                own.push(self.shape_key(fact, asked));
                false
            });
            keys.iter().filter(|key| !own.contains(key)).for_each(|&key| sets.set(key, query, None));
            false
        });
        sets.sorted().0
    }

    /// Returns the values that a fact has at some columns.
    #[inline]
    fn shape_key(&self, fact: &[u32], asked: &[usize]) -> ShapeKey {
        let value = |column: usize| ShapeKey::from(self.facts.values[fact[column] as usize]);
        asked.iter().fold(0, |key, &column| key << 32 | value(column))
    }
}
