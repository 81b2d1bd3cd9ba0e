//! Joins: the substitutions of a clause for each query, and how facts match a literal under one of them.

use crate::bias::Bias;
use crate::clause::{Argument, LatticeClause, LatticeLiteral, LiteralKind};
use crate::facts::{FactIndex, RelationFacts};

/// The substitutions of a clause: a row of individuals for each, one for each variable, query after query.
#[derive(Clone, Debug)]
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

    /// Returns the variable by which facts are looked up if they depend on no other variable.
    pub fn alone(&self) -> Option<u8> {
        let depends = |test: &ColumnTest| matches!(test, ColumnTest::Bound(..) | ColumnTest::NotBound(..));
        self.access.filter(|_| !self.tests.iter().any(depends)).map(|(_, variable)| variable)
    }

    /// Calls for each fact that matches under a substitution, until the call returns true; tells whether one did.
    #[inline]
    pub fn any(&self, example: u32, row: &[u32], mut call: impl FnMut(&[u32]) -> bool) -> bool {
        let mut check = |at: u32| {
            let fact = self.relation.row(at);
            self.tests.iter().all(|test| self.holds(*test, fact, row)) && call(fact)
        };
        match self.access {
            Some((_, at)) if self.relation.arity == 1 => {
                let individual = row[at as usize];
                self.facts.unary(individual).binary_search(&self.number).is_ok() && call(&[individual])
            }
            Some((column, at)) => {
                self.relation.rows_with(column, row[at as usize]).iter().any(|&at| check(at))
            }
            None => self.relation.rows_of(example).any(check),
        }
    }

    #[inline]
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

    /// Returns the substitutions with the new variables of one more literal; none if they have more numbers than `most`.
    pub fn extended(&self, facts: &FactIndex, matcher: &Matcher<'_>, most: usize) -> Option<Self> {
        let mut rows = Vec::new();
        let (mut starts, mut count) = (vec![0], 0);
        for (query, known) in facts.queries.iter().enumerate() {
            for row in self.rows_of(query) {
                matcher.any(known.example, row, |fact| {
                    rows.extend_from_slice(row);
                    rows.extend(matcher.new.iter().map(|&column| fact[column]));
                    count += 1;
                    false
                });
            }
            if rows.len() > most {
                return None;
            }
            starts.push(count);
        }
        Some(Self { width: self.width + matcher.new.len(), rows, starts })
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

    /// Returns the rows of a query.
    #[inline]
    pub fn rows_of(&self, query: usize) -> impl Iterator<Item = &[u32]> {
        let range = self.starts[query] as usize..self.starts[query + 1] as usize;
        range.map(move |at| &self.rows[at * self.width..(at + 1) * self.width])
    }

    /// Tells whether a query has a substitution.
    pub fn has(&self, query: usize) -> bool {
        self.starts[query] < self.starts[query + 1]
    }
}
