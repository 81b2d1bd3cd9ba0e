//! Finding rows by some of their columns.
//!
//! An index of a growing relation keeps, for every key, the first and the last row with that key, and for every row the
//! next row with the same key. A new row is appended to its chain, so an index follows at the cost of the new rows
//! only, and walks rows in ascending order. Keys are not stored: the first row of a chain has them.
//!
//! A relation that is complete (all but those of a recursive stratum) is sorted by counting instead, where the key is
//! one column and the ids of its constants lie close together: no hashing, and a walk reads memory in a line.
//!
//! Not optimal: keys of several columns always have chains, which jump through memory.

use hashbrown::HashTable;

use super::Relation;
use super::dense::Dense;
use super::relation::hash;
use crate::vocabulary::{ConstantId, PredicateId};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// The columns that an index is on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct IndexShape {
    pub predicate: PredicateId,
    /// Ascending.
    pub columns: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    first: u32,
    last: u32,
}

/// The rows of a relation by the columns of an [`IndexShape`]. A walk goes from place to place; [`Self::row`] tells
/// the row of a place.
#[derive(Clone, Debug)]
pub(super) enum Index {
    /// A relation that never grows again, by one column whose ids lie close together: the rows of each constant in a
    /// line, the last of them marked.
    Sorted { starts: Dense, rows: Vec<u32> },
    /// By key the chain of its rows, and for each row the next one.
    Chained { chains: HashTable<Chain>, next: Vec<u32> },
}

/// Marks the last row of a line.
const LAST: u32 = 1 << 31;

impl Default for Index {
    fn default() -> Self {
        Self::Chained { chains: HashTable::new(), next: Vec::new() }
    }
}

fn key<'a>(row: &'a [ConstantId], columns: &'a [usize]) -> impl Iterator<Item = ConstantId> + 'a {
    columns.iter().map(|&column| row[column])
}

impl Index {
    /// Takes in the rows that are new since the last time; none will come after if the relation is complete.
    pub fn catch_up(&mut self, relation: &Relation, columns: &[usize], is_complete: bool) {
        let known = match self {
            Self::Sorted { rows, .. } => rows.len(),
            Self::Chained { next, .. } => next.len(),
        };
        if known == relation.len() {
            return;
        }
        if let (&[column], 0, true) = (columns, known, is_complete)
            && let Some(sorted) = sorted(relation, column)
        {
            *self = sorted;
            return;
        }
        if let Self::Sorted { .. } = self {
            *self = Self::default();
        }
        if let Self::Chained { chains, next } = self {
            chain(chains, next, relation, columns);
        }
    }

    /// Returns the place of the first row with this key, or [`NONE`].
    #[inline]
    pub fn first(&self, relation: &Relation, columns: &[usize], wanted: &[ConstantId]) -> u32 {
        match (self, wanted) {
            (Self::Sorted { starts, .. }, &[wanted]) => starts.get(wanted).copied().unwrap_or(NONE),
            (Self::Sorted { .. }, _) => NONE,
            (Self::Chained { chains, .. }, _) => {
                let same = |chain: &Chain| key(relation.row(chain.first), columns).eq(wanted.iter().copied());
                chains.find(hash(wanted.iter().copied()), same).map_or(NONE, |chain| chain.first)
            }
        }
    }

    /// Returns the row of a place.
    #[inline]
    pub fn row(&self, place: u32) -> u32 {
        match self {
            Self::Sorted { rows, .. } => rows[place as usize] & !LAST,
            Self::Chained { .. } => place,
        }
    }

    /// Returns the place of the next row with the same key, or [`NONE`].
    #[inline]
    pub fn next(&self, place: u32) -> u32 {
        match self {
            Self::Sorted { rows, .. } if rows[place as usize] & LAST != 0 => NONE,
            Self::Sorted { .. } => place + 1,
            Self::Chained { next, .. } => next[place as usize],
        }
    }

    /// Adds the rows from a place on that lie before `end`.
    #[inline]
    pub fn walk(&self, first: u32, end: u32, found: &mut Vec<u32>) {
        let mut place = first;
        match self {
            Self::Sorted { rows, .. } => {
                while place < end {
                    let row = rows[place as usize];
                    found.push(row & !LAST);
                    place = if row & LAST == 0 { place + 1 } else { NONE };
                }
            }
            Self::Chained { next, .. } => {
                while place < end {
                    found.push(place);
                    place = next[place as usize];
                }
            }
        }
    }
}

/// Returns the rows sorted by a column, by counting; none where ids are too far apart.
fn sorted(relation: &Relation, column: usize) -> Option<Index> {
    if relation.end() >= LAST {
        return None;
    }
    let mut starts = Dense::default();
    for row in 0..relation.end() {
        *starts.place(relation.term(row, column), relation.len(), 0)? += 1;
    }
    let mut end = 0;
    for start in starts.iter_mut() {
        end += *start;
        *start = if *start == 0 { NONE } else { end };
    }
    // From behind, so that each start comes to where it belongs.
    let mut rows = vec![0; relation.len()];
    for row in (0..relation.end()).rev() {
        let start = starts.place(relation.term(row, column), relation.len(), NONE)?;
        *start -= 1;
        rows[*start as usize] = row;
    }
    for start in starts.iter_mut().filter(|start| **start > 0 && **start != NONE) {
        rows[*start as usize - 1] |= LAST;
    }
    if let Some(last) = rows.last_mut() {
        *last |= LAST;
    }
    Some(Index::Sorted { starts, rows })
}

/// Chains the rows that are new.
fn chain(chains: &mut HashTable<Chain>, next: &mut Vec<u32>, relation: &Relation, columns: &[usize]) {
    let known = next.len() as u32;
    next.resize(relation.len(), NONE);
    for row in known..relation.end() {
        let terms = relation.row(row);
        let hash_of_key = hash(key(terms, columns));
        let same = |chain: &Chain| key(relation.row(chain.first), columns).eq(key(terms, columns));
        if let Some(chain) = chains.find_mut(hash_of_key, same) {
            next[chain.last as usize] = row;
            chain.last = row;
        } else {
            let rehash = |chain: &Chain| hash(key(relation.row(chain.first), columns));
            chains.insert_unique(hash_of_key, Chain { first: row, last: row }, rehash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(index: &Index, relation: &Relation, wanted: u32) -> Vec<u32> {
        let first = index.first(relation, &[1], &[ConstantId(wanted)]);
        let (mut place, mut found, mut walked) = (first, Vec::new(), Vec::new());
        while place != NONE {
            found.push(index.row(place));
            place = index.next(place);
        }
        index.walk(first, relation.end(), &mut walked);
        assert_eq!(found, walked);
        found
    }

    #[test]
    fn a_complete_relation_is_sorted_unless_its_constants_are_far_apart() {
        for far in [0, 1_000_000] {
            let mut relation = Relation::new(2);
            for (left, right) in [(0, 7), (1, 8 + far), (2, 7), (3, 9), (4, 8 + far), (5, 7)] {
                relation.insert(&[ConstantId(left), ConstantId(right)]);
            }
            let mut index = Index::default();
            index.catch_up(&relation, &[1], true);
            assert_eq!(matches!(index, Index::Sorted { .. }), far == 0);
            assert_eq!(rows(&index, &relation, 7), [0, 2, 5]);
            assert_eq!(rows(&index, &relation, 8 + far), [1, 4]);
            assert_eq!(rows(&index, &relation, 9), [3]);
            assert_eq!(rows(&index, &relation, 10), []);
        }
    }

    #[test]
    fn an_index_follows_a_growing_relation() {
        let mut relation = Relation::new(2);
        let mut index = Index::default();
        for (left, right) in [(0, 7), (1, 8), (2, 7)] {
            relation.insert(&[ConstantId(left), ConstantId(right)]);
        }
        index.catch_up(&relation, &[1], false);
        assert_eq!(rows(&index, &relation, 7), [0, 2]);
        relation.insert(&[ConstantId(3), ConstantId(7)]);
        relation.insert(&[ConstantId(3), ConstantId(9)]);
        index.catch_up(&relation, &[1], false);
        assert_eq!(rows(&index, &relation, 7), [0, 2, 3]);
        assert_eq!(rows(&index, &relation, 9), [4]);
        assert_eq!(rows(&index, &relation, 5), []);
    }
}
