//! The model while it is computed, and how joins look rows up in it.

use std::mem::take;
use std::ops::Range;

use super::Relation;
use super::index::{Index, NONE};
use super::link::{LinkShape, RowLink};
use super::plan::Plans;
use super::step::{JoinPlan, JoinTest, Literal, Lookup, RelationRef, RowRange, VariableSlot};
use crate::template::{Comparison, Condition, Term};
use crate::vocabulary::{ConstantId, Vocabulary};

/// The model so far, and what a join asks of it.
#[derive(Debug)]
pub(super) struct PartialModel<'a> {
    pub vocabulary: &'a Vocabulary,
    /// Constants that free variables range over.
    pub domain: Relation,
    /// By predicate id.
    pub relations: Vec<Relation>,
    /// The rows of each demand, by number; none where the whole model is grounded.
    pub demands: Vec<Relation>,
    pub plans: &'a Plans,
    /// By number.
    pub indexes: Vec<Index>,
    /// By number.
    pub links: Vec<RowLink>,
    /// For the predicates of a recursive stratum: how many rows there were before the last round, and after it.
    pub rounds: Vec<(u32, u32)>,
}

impl PartialModel<'_> {
    /// Returns the relation of a literal.
    #[inline]
    pub fn relation(&self, literal: &Literal) -> &Relation {
        self.rows_of(literal.relation)
    }

    #[inline]
    fn rows_of(&self, relation: RelationRef) -> &Relation {
        match relation {
            RelationRef::Predicate(predicate) => &self.relations[predicate.index()],
            RelationRef::Domain => &self.domain,
            RelationRef::Demand(demand) => &self.demands[demand],
        }
    }

    /// Returns the relation of the heads of a join.
    #[inline]
    pub fn heads(&mut self, join: &JoinPlan) -> &mut Relation {
        match join.head {
            RelationRef::Predicate(predicate) => &mut self.relations[predicate.index()],
            RelationRef::Domain => &mut self.domain,
            RelationRef::Demand(demand) => &mut self.demands[demand],
        }
    }

    /// Brings the indexes and links of a join up to date.
    pub fn catch_up(&mut self, join: &JoinPlan) {
        for &number in &join.indexes {
            let shape = &self.plans.indexes[number];
            let predicate = shape.predicate.index();
            let is_complete = self.rounds[predicate] == (0, 0);
            self.indexes[number].catch_up(&self.relations[predicate], &shape.columns, is_complete);
        }
        for &number in &join.links {
            let shape = &self.plans.links[number];
            let mut link = take(&mut self.links[number]);
            self.catch_up_link(&mut link, shape);
            self.links[number] = link;
        }
    }

    fn catch_up_link(&self, link: &mut RowLink, shape: &LinkShape) {
        let (from, to) = (&self.relations[shape.from.index()], &self.relations[shape.to.index()]);
        let mut key = Vec::with_capacity(shape.key.len());
        link.catch_up(from.end(), |row| {
            key.clear();
            key.extend(shape.key.iter().map(|part| part.of(from.row(row))));
            match shape.index {
                Some(number) => self.indexes[number].first(to, &self.plans.indexes[number].columns, &key),
                None => to.find(&key).unwrap_or(NONE),
            }
        });
    }

    /// Returns the link of a literal.
    #[inline]
    pub fn link(&self, literal: &Literal) -> Option<&RowLink> {
        literal.link.map(|(link, _)| &self.links[link])
    }

    /// Returns the place of the first row of a literal that agrees with the slots and with the rows of the literals
    /// before, or [`NONE`]. Unless an index finds it, the place is the row.
    #[inline]
    pub fn first_of(&self, literal: &Literal, slots: &[ConstantId], rows: &[u32]) -> u32 {
        match literal.link {
            Some((link, from)) => self.links[link].follow(rows[from]),
            None => self.first(self.relation(literal), &literal.lookup, slots),
        }
    }

    /// Returns the place of the first row of a relation that agrees with the slots, or [`NONE`].
    fn first(&self, relation: &Relation, lookup: &Lookup, slots: &[ConstantId]) -> u32 {
        match lookup {
            Lookup::Scan if relation.is_empty() => NONE,
            Lookup::Scan => 0,
            Lookup::Row(key) => with_key(key, slots, |key| relation.find(key).unwrap_or(NONE)),
            Lookup::Number(number) => {
                let value = |term| match term {
                    Term::Variable(slot) => Some(self.vocabulary.constant(slots[slot.index()])),
                    Term::Constant(_) => None,
                };
                let known = number.constant(&value).and_then(|it| self.vocabulary.find_constant(&it));
                known.and_then(|known| relation.find(&[known])).unwrap_or(NONE)
            }
            Lookup::Index(number, key) => {
                let columns = &self.plans.indexes[*number].columns;
                with_key(key, slots, |key| self.indexes[*number].first(relation, columns, key))
            }
        }
    }

    /// Returns the row of a place, and the place after it, beyond the end of the relation where there is none.
    #[inline]
    pub fn step(&self, lookup: &Lookup, place: u32) -> (u32, u32) {
        match lookup {
            Lookup::Scan => (place, place + 1),
            Lookup::Row(_) | Lookup::Number(_) => (place, NONE),
            Lookup::Index(number, _) => {
                let index = &self.indexes[*number];
                (index.row(place), index.next(place))
            }
        }
    }

    /// Returns whether a condition holds. The cheap tests stand in the loop of the join, the others are called.
    #[inline]
    pub fn holds(&self, test: &JoinTest, slots: &[ConstantId]) -> bool {
        match test {
            JoinTest::Compare(Comparison::Equal, left, right) => {
                slots[*left as usize] == slots[*right as usize]
            }
            JoinTest::Compare(Comparison::NotEqual, left, right) => {
                slots[*left as usize] != slots[*right as usize]
            }
            JoinTest::Compare(comparison, left, right) => {
                self.is_ordered(*comparison, slots[*left as usize], slots[*right as usize])
            }
            JoinTest::Absent(relation, lookup) => self.is_absent(*relation, lookup, slots),
            JoinTest::Other(condition) => self.is_met(condition, slots),
        }
    }

    #[inline(never)]
    fn is_met(&self, condition: &Condition, slots: &[ConstantId]) -> bool {
        let constant = |term| match term {
            Term::Variable(slot) => slots[slot.index()],
            Term::Constant(constant) => constant,
        };
        condition.holds(self.vocabulary, &constant).unwrap_or(false)
    }

    #[inline(never)]
    fn is_ordered(&self, comparison: Comparison, left: ConstantId, right: ConstantId) -> bool {
        comparison.holds(self.vocabulary.compare(left, right))
    }

    #[inline(never)]
    fn is_absent(&self, relation: RelationRef, lookup: &Lookup, slots: &[ConstantId]) -> bool {
        self.first(self.rows_of(relation), lookup, slots) == NONE
    }

    /// Returns the rows that a literal takes.
    #[inline]
    pub fn part(&self, literal: &Literal) -> Range<u32> {
        let round = match literal.relation {
            RelationRef::Predicate(predicate) => self.rounds[predicate.index()],
            RelationRef::Domain | RelationRef::Demand(_) => (0, 0),
        };
        match (literal.part, round) {
            (RowRange::All, _) => 0..self.relation(literal).end(),
            (RowRange::Old, (old, _)) => 0..old,
            (RowRange::New, (old, end)) => old..end,
            (RowRange::Known, (_, end)) => 0..end,
        }
    }
}

/// Calls with the constants in some slots. Nearly all keys are short: they need no memory, and no loops.
#[inline]
fn with_key(key: &[VariableSlot], slots: &[ConstantId], call: impl Fn(&[ConstantId]) -> u32) -> u32 {
    match *key {
        [a] => call(&[slots[a as usize]]),
        [a, b] => call(&[slots[a as usize], slots[b as usize]]),
        [a, b, c] => call(&[slots[a as usize], slots[b as usize], slots[c as usize]]),
        _ => call(&key.iter().map(|&slot| slots[slot as usize]).collect::<Vec<_>>()),
    }
}
