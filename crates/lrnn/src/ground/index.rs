//! Finding rows by some of their columns.
//!
//! An index keeps, for every key, the first and the last row with that key, and for every row the next row with the
//! same key. A new row is appended to its chain, so an index follows a growing relation at the cost of its new rows
//! only, and walks rows in ascending order. Keys are not stored: the first row of a chain has them.
//!
//! Not optimal: a chain jumps through memory where a sorted copy would be read in a line. For relations that never
//! grow again (all but those of a recursive stratum) sorting once would make long walks faster and short ones, by
//! far the most, no faster.

use hashbrown::HashTable;

use super::Relation;
use super::relation::hash;
use crate::vocabulary::{ConstantId, PredicateId};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// What an index is on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct IndexShape {
    pub predicate: PredicateId,
    /// Ascending.
    pub columns: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Chain {
    first: u32,
    last: u32,
}

/// The rows of a relation by the columns of an [`IndexShape`].
#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    chains: HashTable<Chain>,
    next: Vec<u32>,
}

fn key<'a>(row: &'a [ConstantId], columns: &'a [usize]) -> impl Iterator<Item = ConstantId> + 'a {
    columns.iter().map(|&column| row[column])
}

impl Index {
    /// Takes in the rows that are new since the last time.
    pub fn catch_up(&mut self, relation: &Relation, columns: &[usize]) {
        let known = self.next.len() as u32;
        if known == relation.end() {
            return;
        }
        self.next.resize(relation.len(), NONE);
        for row in known..relation.end() {
            let terms = relation.row(row);
            let hash_of_key = hash(key(terms, columns));
            let same = |chain: &Chain| key(relation.row(chain.first), columns).eq(key(terms, columns));
            if let Some(chain) = self.chains.find_mut(hash_of_key, same) {
                self.next[chain.last as usize] = row;
                chain.last = row;
            } else {
                let rehash = |chain: &Chain| hash(key(relation.row(chain.first), columns));
                self.chains.insert_unique(hash_of_key, Chain { first: row, last: row }, rehash);
            }
        }
    }

    /// The first row with this key, or [`NONE`].
    #[inline]
    pub fn first(&self, relation: &Relation, columns: &[usize], wanted: &[ConstantId]) -> u32 {
        let same = |chain: &Chain| key(relation.row(chain.first), columns).eq(wanted.iter().copied());
        self.chains.find(hash(wanted.iter().copied()), same).map_or(NONE, |chain| chain.first)
    }

    /// The next row with the same key, or [`NONE`].
    #[inline]
    pub fn next(&self, row: u32) -> u32 {
        self.next[row as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(index: &Index, relation: &Relation, wanted: u32) -> Vec<u32> {
        let mut row = index.first(relation, &[1], &[ConstantId(wanted)]);
        let mut found = Vec::new();
        while row != NONE {
            found.push(row);
            row = index.next(row);
        }
        found
    }

    #[test]
    fn an_index_follows_a_growing_relation() {
        let mut relation = Relation::new(2);
        let mut index = Index::default();
        for (left, right) in [(0, 7), (1, 8), (2, 7)] {
            relation.insert(&[ConstantId(left), ConstantId(right)]);
        }
        index.catch_up(&relation, &[1]);
        assert_eq!(rows(&index, &relation, 7), [0, 2]);
        relation.insert(&[ConstantId(3), ConstantId(7)]);
        relation.insert(&[ConstantId(3), ConstantId(9)]);
        index.catch_up(&relation, &[1]);
        assert_eq!(rows(&index, &relation, 7), [0, 2, 3]);
        assert_eq!(rows(&index, &relation, 9), [4]);
        assert_eq!(rows(&index, &relation, 5), []);
    }
}
