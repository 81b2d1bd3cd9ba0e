//! The model while it is computed, and how joins look rows up in it.

use super::Relation;
use super::index::{Index, IndexShape, NONE};
use super::relation::hash;
use super::step::{Literal, Lookup, Part, Test};
use crate::template::Comparison;
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// The model so far, and what a join asks of it.
#[derive(Debug)]
pub(super) struct Model<'a> {
    pub vocabulary: &'a Vocabulary,
    /// What free variables range over.
    pub domain: Vec<ConstantId>,
    /// By predicate id.
    pub relations: Vec<Relation>,
    /// What each index is on.
    pub shapes: &'a [IndexShape],
    pub indexes: Vec<Index>,
    /// For the predicates of a recursive stratum: how many rows there were before the last round, and after it.
    pub rounds: Vec<(u32, u32)>,
}

/// A range of rows, or of constants of the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub start: u32,
    pub end: u32,
}

impl Range {
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

impl Model<'_> {
    #[inline]
    pub fn relation(&self, predicate: PredicateId) -> &Relation {
        &self.relations[predicate.index()]
    }

    /// Brings indexes up to date.
    pub fn catch_up(&mut self, indexes: &[usize]) {
        for &number in indexes {
            let shape = &self.shapes[number];
            self.indexes[number].catch_up(&self.relations[shape.predicate.index()], &shape.columns);
        }
    }

    /// The first row that agrees with the slots, or [`NONE`]. A scan begins at `from`; all else begins at the first
    /// row, since only the new rows of a round begin later, and those are scanned.
    #[inline]
    pub fn first(&self, predicate: PredicateId, lookup: &Lookup, slots: &[ConstantId], from: u32) -> u32 {
        let relation = self.relation(predicate);
        match lookup {
            Lookup::Scan if from < relation.end() => from,
            Lookup::Scan => NONE,
            Lookup::Row(key) => {
                let wanted = key.iter().map(|&slot| slots[slot as usize]);
                let found =
                    relation.find_hashed(hash(wanted.clone()), |row| row.iter().copied().eq(wanted.clone()));
                found.unwrap_or(NONE)
            }
            Lookup::Index(number, key) => {
                let wanted = key.iter().map(|&slot| slots[slot as usize]);
                self.indexes[*number].first(relation, &self.shapes[*number].columns, &wanted)
            }
        }
    }

    /// The row after this one, beyond the end of the relation where there is none.
    #[inline]
    pub fn next(&self, lookup: &Lookup, row: u32) -> u32 {
        match lookup {
            Lookup::Scan => row + 1,
            Lookup::Row(_) => NONE,
            Lookup::Index(number, _) => self.indexes[*number].next(row),
        }
    }

    /// Whether a condition holds. The cheap tests stand in the loop of the join, the others are called.
    #[inline]
    pub fn holds(&self, test: &Test, slots: &[ConstantId]) -> bool {
        match test {
            Test::Compare(Comparison::Equal, left, right) => slots[*left as usize] == slots[*right as usize],
            Test::Compare(Comparison::NotEqual, left, right) => {
                slots[*left as usize] != slots[*right as usize]
            }
            Test::Compare(comparison, left, right) => {
                self.is_ordered(*comparison, slots[*left as usize], slots[*right as usize])
            }
            Test::Absent(predicate, lookup) => self.is_absent(*predicate, lookup, slots),
        }
    }

    #[inline(never)]
    fn is_ordered(&self, comparison: Comparison, left: ConstantId, right: ConstantId) -> bool {
        comparison.holds(self.vocabulary.constant(left).compare(self.vocabulary.constant(right)))
    }

    #[inline(never)]
    fn is_absent(&self, predicate: PredicateId, lookup: &Lookup, slots: &[ConstantId]) -> bool {
        self.first(predicate, lookup, slots, 0) == NONE
    }

    /// The rows that a literal takes.
    #[inline]
    pub fn part(&self, literal: &Literal) -> Range {
        let place = literal.predicate.index();
        let (start, end) = match (literal.part, self.rounds[place]) {
            (Part::All, _) => (0, self.relations[place].end()),
            (Part::Old, (old, _)) => (0, old),
            (Part::New, (old, end)) => (old, end),
            (Part::Known, (_, end)) => (0, end),
        };
        Range { start, end }
    }
}
