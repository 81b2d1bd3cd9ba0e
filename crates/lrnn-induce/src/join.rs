//! Joins: the substitutions of a clause for each query, and how facts match a literal under one of them.

use rustc_hash::FxHashMap;

use crate::bias::Bias;
use crate::clause::{Argument, LatticeClause, LatticeLiteral, LiteralKind};
use crate::facts::{FactIndex, RelationFacts};

/// A set of variables, a bit for each.
pub(crate) type VariableSet = u32;

/// The substitutions of a clause: a row of individuals for each, one for each variable, query after query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitutions {
    width: usize,
    rows: Vec<u32>,
    /// By query: its first row; and the end of all.
    starts: Vec<u32>,
}

/// A column of a literal, as it is compared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ColumnTest {
    /// The individual of a variable.
    Bound(usize, u8),
    /// A constant.
    Value(usize, u32),
    /// The individual of an earlier column.
    Same(usize, usize),
    /// Another individual than that of a variable.
    NotBound(usize, u8),
    /// Another individual than that of an earlier column.
    NotSame(usize, usize),
}

/// A test of facts of a relation: whether they match a literal under a substitution.
#[derive(Clone, Debug)]
pub(crate) struct Matcher<'a> {
    relation: &'a RelationFacts,
    number: u32,
    facts: &'a FactIndex,
    /// The column and variable by which rows are looked up; none if all rows of the example are.
    access: Option<(usize, u8)>,
    tests: Vec<ColumnTest>,
    /// The columns of new variables, in their order.
    pub new: Vec<usize>,
}

impl<'a> Matcher<'a> {
    /// Prepares a literal of a relation for a clause with some variables bound; new variables have these types.
    pub fn new(
        facts: &'a FactIndex,
        bias: &Bias,
        literal: &LatticeLiteral,
        types: &[u16],
        is_bound: impl Fn(u8) -> bool,
    ) -> Self {
        let relation = &facts.relations[literal.relation as usize];
        let is_distinct = |kind: u16| bias.types.get(kind as usize).is_some_and(|kind| kind.distinct);
        let mut tests = Vec::new();
        let mut new: Vec<(u8, usize)> = Vec::new();
        let mut access: Option<(usize, u8)> = None;
        for (column, argument) in literal.arguments.iter().enumerate() {
            match *argument {
                Argument::Value(value) => tests.push(ColumnTest::Value(column, value)),
                Argument::Variable(at) if is_bound(at) => {
                    tests.push(ColumnTest::Bound(column, at));
                    access.get_or_insert((column, at));
                }
                Argument::Variable(at) => {
                    if let Some(&(_, first)) = new.iter().find(|(known, _)| *known == at) {
                        tests.push(ColumnTest::Same(column, first));
                        continue;
                    }
                    let kind = types[at as usize];
                    if is_distinct(kind) {
                        let bound = (0..types.len() as u8)
                            .filter(|&other| types[other as usize] == kind && is_bound(other));
                        tests.extend(bound.map(|other| ColumnTest::NotBound(column, other)));
                        let earlier = new.iter().filter(|(other, _)| types[*other as usize] == kind);
                        tests.extend(earlier.map(|&(_, first)| ColumnTest::NotSame(column, first)));
                    }
                    new.push((at, column));
                }
            }
        }
        // The column of the access needs no test.
        tests.retain(
            |test| !matches!(test, ColumnTest::Bound(column, _) if access.is_some_and(|by| by.0 == *column)),
        );
        Self {
            relation,
            number: literal.relation,
            facts,
            access,
            tests,
            new: new.into_iter().map(|(_, column)| column).collect(),
        }
    }

    /// Returns the variables of a substitution that decide which facts match.
    pub fn variables(&self) -> VariableSet {
        let of_test = |test: &ColumnTest| match *test {
            ColumnTest::Bound(_, at) | ColumnTest::NotBound(_, at) => Some(at),
            ColumnTest::Value(..) | ColumnTest::Same(..) | ColumnTest::NotSame(..) => None,
        };
        let tested = self.tests.iter().filter_map(of_test);
        self.access.map(|(_, at)| at).into_iter().chain(tested).fold(0, |all, at| all | 1 << at)
    }

    /// Calls for each fact that matches under a substitution, until the call returns true; tells whether one did.
    #[inline(always)] // The loop over the facts of an individual is where searches spend their time.
    pub fn any(&self, example: u32, row: &[u32], mut call: impl FnMut(&[u32]) -> bool) -> bool {
        let Some((column, at)) = self.access.filter(|_| self.relation.arity > 1) else {
            return self.any_without_index(example, row, &mut call);
        };
        for &at in self.relation.rows_with(column, row[at as usize]) {
            let fact = self.relation.row(at);
            if self.tests.iter().all(|test| self.holds(*test, fact, row)) && call(fact) {
                return true;
            }
        }
        false
    }

    /// Does the same for a relation of single individuals, or all facts of an example.
    fn any_without_index(&self, example: u32, row: &[u32], call: &mut dyn FnMut(&[u32]) -> bool) -> bool {
        if let Some((_, at)) = self.access {
            let individual = row[at as usize];
            return self.facts.unary(individual).binary_search(&self.number).is_ok() && call(&[individual]);
        }
        self.relation.rows_of(example).any(|at| {
            let fact = self.relation.row(at);
            self.tests.iter().all(|test| self.holds(*test, fact, row)) && call(fact)
        })
    }

    /// Returns how many facts match under a substitution.
    fn count(&self, example: u32, row: &[u32]) -> usize {
        let mut count = 0;
        self.any(example, row, |_| {
            count += 1;
            false
        });
        count
    }

    /// Returns how many facts match under a substitution at most.
    fn count_most(&self, example: u32, row: &[u32]) -> usize {
        match self.access {
            Some(_) if self.relation.arity == 1 => 1,
            Some((column, at)) => self.relation.rows_with(column, row[at as usize]).len(),
            None => self.relation.rows_of(example).len(),
        }
    }

    #[inline(always)]
    fn holds(&self, test: ColumnTest, fact: &[u32], row: &[u32]) -> bool {
        match test {
            ColumnTest::Bound(column, at) => fact[column] == row[at as usize],
            ColumnTest::Value(column, value) => self.facts.values[fact[column] as usize] == value,
            ColumnTest::Same(column, first) => fact[column] == fact[first],
            ColumnTest::NotBound(column, at) => fact[column] != row[at as usize],
            ColumnTest::NotSame(column, first) => fact[column] != fact[first],
        }
    }
}

/// Returns whether a comparison holds of an individual.
fn compares(facts: &FactIndex, literal: &LatticeLiteral, row: &[u32]) -> bool {
    let [Argument::Variable(at), Argument::Value(value)] = literal.arguments[..] else { return false };
    let own = facts.values[row[at as usize] as usize];
    // Ranks follow the order of the language.
    match literal.kind {
        LiteralKind::AtMost => own <= value,
        _ => own >= value,
    }
}

impl Substitutions {
    /// Returns the empty substitution for each query, with the individuals that it is about.
    fn root(facts: &FactIndex, width: usize) -> Self {
        let head = facts.queries.first().map_or(0, |query| query.terms.len());
        let mut rows = Vec::with_capacity(facts.queries.len() * width);
        for query in &facts.queries {
            rows.extend(&query.terms);
            rows.extend(std::iter::repeat_n(u32::MAX, width - head));
        }
        Self { width, rows, starts: (0..=facts.queries.len() as u32).collect() }
    }

    /// Returns the substitutions of a clause; none if they have more numbers than `most`.
    pub fn of(facts: &FactIndex, bias: &Bias, clause: &LatticeClause, most: usize) -> Option<Self> {
        let head = bias.head.len();
        let mut all = Self::root(facts, clause.types.len());
        let mut bound = vec![false; clause.types.len()];
        bound[..head].iter_mut().for_each(|bound| *bound = true);
        for literal in clause.joined(head) {
            all = match literal.kind {
                LiteralKind::Holds => {
                    let matcher = Matcher::new(facts, bias, literal, &clause.types, |at| bound[at as usize]);
                    let mut new: Vec<u8> = Vec::new();
                    for at in literal.variables().filter(|&at| !bound[at as usize]) {
                        if !new.contains(&at) {
                            new.push(at);
                        }
                    }
                    new.iter().for_each(|&at| bound[at as usize] = true);
                    all.joined(facts, &matcher, &new, most)?
                }
                LiteralKind::Absent => {
                    let matcher = Matcher::new(facts, bias, literal, &clause.types, |_| true);
                    all.filtered(facts, |example, row| !matcher.any(example, row, |_| true))
                }
                _ => all.filtered(facts, |_, row| compares(facts, literal, row)),
            };
        }
        Some(all)
    }

    fn joined(&self, facts: &FactIndex, matcher: &Matcher<'_>, new: &[u8], most: usize) -> Option<Self> {
        let mut rows = Vec::new();
        let (mut starts, mut count) = (vec![0], 0);
        for (query, known) in facts.queries.iter().enumerate() {
            for row in self.rows_of(query) {
                matcher.any(known.example, row, |fact| {
                    let at = rows.len();
                    rows.extend_from_slice(row);
                    count += 1;
                    matcher
                        .new
                        .iter()
                        .zip(new)
                        .for_each(|(&column, &new)| rows[at + new as usize] = fact[column]);
                    // One match is enough where nothing is new.
                    new.is_empty()
                });
            }
            if rows.len() > most {
                return None;
            }
            starts.push(count);
        }
        Some(Self { width: self.width, rows, starts })
    }

    /// Returns how many numbers the substitutions with the new variables of one more literal have; beyond `most`, any
    /// larger number.
    pub fn extended_size(&self, facts: &FactIndex, matcher: &Matcher<'_>, most: usize) -> usize {
        let width = self.width + matcher.new.len();
        let count = |of_row: &dyn Fn(u32, &[u32]) -> usize| {
            let mut all = 0;
            for (query, known) in facts.queries.iter().enumerate() {
                all += self.rows_of(query).map(|row| of_row(known.example, row)).sum::<usize>();
                if all * width > most {
                    break;
                }
            }
            all * width
        };
        match count(&|example, row| matcher.count_most(example, row)) {
            size if size > most => count(&|example, row| matcher.count(example, row)),
            size => size,
        }
    }

    /// Writes the substitutions with the new variables of one more literal.
    pub fn extend_into(&self, facts: &FactIndex, matcher: &Matcher<'_>, wider: &mut Self) {
        wider.width = self.width + matcher.new.len();
        wider.rows.clear();
        wider.starts.clear();
        wider.starts.push(0);
        let mut count = 0;
        for (query, known) in facts.queries.iter().enumerate() {
            for row in self.rows_of(query) {
                matcher.any(known.example, row, |fact| {
                    wider.rows.extend_from_slice(row);
                    wider.rows.extend(matcher.new.iter().map(|&column| fact[column]));
                    count += 1;
                    false
                });
            }
            wider.starts.push(count);
        }
    }

    fn filtered(&self, facts: &FactIndex, is_kept: impl Fn(u32, &[u32]) -> bool) -> Self {
        let mut rows = Vec::new();
        let (mut starts, mut count) = (vec![0], 0);
        for (query, known) in facts.queries.iter().enumerate() {
            for row in self.rows_of(query).filter(|row| is_kept(known.example, row)) {
                rows.extend_from_slice(row);
                count += 1;
            }
            starts.push(count);
        }
        Self { width: self.width, rows, starts }
    }

    /// Returns how many numbers they have.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows of a query.
    #[inline]
    pub fn rows_of(&self, query: usize) -> impl Iterator<Item = &[u32]> {
        let range = self.starts[query] as usize..self.starts[query + 1] as usize;
        range.map(move |at| self.row(at))
    }

    /// Tells whether a query has a substitution.
    pub fn has(&self, query: usize) -> bool {
        self.starts[query] < self.starts[query + 1]
    }
}

/// The substitutions of a clause as literals see them: what speaks of some variables only need not look twice at a query
/// where these stand for the same individuals.
pub(crate) struct Projections<'a> {
    known: &'a Substitutions,
    /// Variables that a query is about: the same in all its rows.
    head: VariableSet,
    /// Number of individuals.
    individuals: usize,
    /// By set of variables: the rows that differ in them.
    chosen: FxHashMap<VariableSet, RowChoice>,
}

/// Numbers of some rows, query after query.
struct RowChoice {
    rows: Vec<u32>,
    /// By query: where its rows begin; and the end of all.
    starts: Vec<u32>,
}

/// Rows of more variables are taken as they are.
const MOST_PROJECTED: u32 = 4;

impl<'a> Projections<'a> {
    pub fn new(known: &'a Substitutions, facts: &FactIndex) -> Self {
        let head = facts.queries.first().map_or(0, |query| query.terms.len());
        Self { known, head: (1 << head) - 1, individuals: facts.values.len(), chosen: FxHashMap::default() }
    }

    /// Returns all substitutions.
    pub fn all(&self) -> &'a Substitutions {
        self.known
    }

    /// Calls for rows of each query that differ in some variables, until the call returns true for a query.
    pub fn for_each(&mut self, variables: VariableSet, mut call: impl FnMut(usize, &[u32]) -> bool) {
        let queries = self.known.starts.len().saturating_sub(1);
        let variables = variables & !self.head;
        if (variables | self.head).count_ones() as usize == self.known.width
            || variables.count_ones() > MOST_PROJECTED
        {
            for query in 0..queries {
                let _ = self.known.rows_of(query).any(|row| call(query, row));
            }
            return;
        }
        let chosen =
            self.chosen.entry(variables).or_insert_with(|| self.known.projected(variables, self.individuals));
        let RowChoice { rows, starts } = chosen;
        for query in 0..queries {
            let own = &rows[starts[query] as usize..starts[query + 1] as usize];
            let _ = own.iter().any(|&row| call(query, self.known.row(row as usize)));
        }
    }
}

/// Keys that a query has; those of the queries before it are forgotten at once, so that few lie together.
#[derive(Default)]
struct KeySet {
    /// Each with its query; no query is 0.
    slots: Vec<(u128, u32)>,
    query: u32,
    count: usize,
}

impl KeySet {
    /// Adds a key of a query, and tells whether it is new.
    fn insert(&mut self, query: u32, key: u128) -> bool {
        if self.query != query {
            (self.query, self.count) = (query, 0);
        }
        if self.count * 2 >= self.slots.len() {
            let larger = vec![(0, 0); (self.slots.len() * 2).max(64)];
            let old = std::mem::replace(&mut self.slots, larger);
            for (key, _) in old.into_iter().filter(|slot| slot.1 == query) {
                let slot = self.slot(key);
                self.slots[slot] = (key, query);
            }
        }
        let slot = self.slot(key);
        let is_new = self.slots[slot].1 != query;
        self.slots[slot] = (key, query);
        self.count += usize::from(is_new);
        is_new
    }

    /// Returns the slot of a key: its own, or the first that is free.
    fn slot(&self, key: u128) -> usize {
        let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = self.slots.len() - 1;
        let mut slot = (mixed >> 32) as usize & mask;
        while self.slots[slot].1 == self.query && self.slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

impl Substitutions {
    fn row(&self, at: usize) -> &[u32] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// Returns rows that differ in some variables, which stand for so many individuals.
    fn projected(&self, variables: VariableSet, individuals: usize) -> RowChoice {
        let places: Vec<usize> = (0..self.width).filter(|at| variables >> at & 1 == 1).collect();
        // The last query in which individuals were met, from 1.
        if let [place] = places[..] {
            let mut last = vec![0; individuals];
            return self
                .chosen(|query, row| std::mem::replace(&mut last[row[place] as usize], query) != query);
        }
        let mut met = KeySet::default();
        let mut before = (0, 0);
        self.chosen(|query, row| {
            let key = places.iter().fold(0, |key, &place| key << 32 | u128::from(row[place]));
            // Rows of the same individuals often stand together.
            let is_other = std::mem::replace(&mut before, (query, key)) != (query, key);
            is_other && met.insert(query, key)
        })
    }

    /// Returns the rows that are new, with the number of their query from 1.
    #[inline(always)]
    fn chosen(&self, mut is_new: impl FnMut(u32, &[u32]) -> bool) -> RowChoice {
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for query in 1..self.starts.len() {
            for at in self.starts[query - 1]..self.starts[query] {
                if is_new(query as u32, self.row(at as usize)) {
                    rows.push(at);
                }
            }
            starts.push(rows.len() as u32);
        }
        RowChoice { rows, starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_new_once_in_each_query() {
        let mut keys = KeySet::default();
        for query in 1..5_u32 {
            let many = 10_u128 << (2 * query % 7);
            let key = |at: u128| (at % 13) << 96 | at << 32 | at;
            assert!((0..many).all(|at| keys.insert(query, key(at))));
            assert!((0..many).all(|at| !keys.insert(query, key(at))));
        }
    }

    #[test]
    fn rows_that_differ_only_elsewhere_are_met_once() {
        let known = Substitutions {
            width: 3,
            rows: vec![1, 2, 3, 1, 2, 4, 1, 5, 3, 1, 2, 6, 1, 2, 3],
            starts: vec![0, 4, 4, 5],
        };
        let met = |variables: VariableSet| {
            let mut met = Vec::new();
            let chosen = FxHashMap::default();
            let mut projections = Projections { known: &known, head: 1, individuals: 7, chosen };
            projections.for_each(variables, |query, row| {
                met.push((query, row.to_vec()));
                false
            });
            met
        };
        let rows = [
            (0, vec![1, 2, 3]),
            (0, vec![1, 2, 4]),
            (0, vec![1, 5, 3]),
            (0, vec![1, 2, 6]),
            (2, vec![1, 2, 3]),
        ];
        assert_eq!(met(0b111), rows);
        assert_eq!(met(0b110), rows);
        assert_eq!(met(0b011), [rows[0].clone(), rows[2].clone(), rows[4].clone()]);
        assert_eq!(met(0b100), [rows[0].clone(), rows[1].clone(), rows[3].clone(), rows[4].clone()]);
        assert_eq!(met(0), [rows[0].clone(), rows[4].clone()]);
    }
}
