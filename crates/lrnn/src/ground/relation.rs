//! The atoms of one predicate, row by row.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::vocabulary::ConstantId;

/// A set of rows of constants. Rows are numbered in the order they came in and never change, so "everything that
/// is new since then" is a range of row numbers.
#[derive(Clone, Default, Debug)]
pub struct Relation {
    arity: usize,
    rows: u32,
    terms: Vec<ConstantId>,
    numbers: HashTable<u32>,
}

/// The hash of a row, or of some of its columns.
#[inline]
pub(super) fn hash(terms: impl Iterator<Item = ConstantId>) -> u64 {
    let mut hasher = FxHasher::default();
    for term in terms {
        hasher.write_u32(term.0);
    }
    hasher.finish()
}

#[inline]
fn row_of(terms: &[ConstantId], arity: usize, row: u32) -> &[ConstantId] {
    let start = row as usize * arity;
    &terms[start..start + arity]
}

impl Relation {
    /// No rows, each to have `arity` terms.
    pub fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    /// How many terms a row has.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows as usize
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The number of rows as a row number: that of the next new row.
    pub(super) fn end(&self) -> u32 {
        self.rows
    }

    /// The terms of a row.
    #[inline]
    pub fn row(&self, row: u32) -> &[ConstantId] {
        row_of(&self.terms, self.arity, row)
    }

    /// A term of a row.
    #[inline]
    pub(super) fn term(&self, row: u32, column: usize) -> ConstantId {
        self.terms[row as usize * self.arity + column]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &[ConstantId]> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// The number of the row with these terms.
    #[inline]
    pub fn find(&self, terms: &[ConstantId]) -> Option<u32> {
        if terms.len() != self.arity {
            return None;
        }
        self.find_hashed(hash(terms.iter().copied()), terms)
    }

    #[inline]
    fn find_hashed(&self, hash: u64, terms: &[ConstantId]) -> Option<u32> {
        // Rows are short: comparing term by term is cheaper than calling for it.
        let start = |row: u32| row as usize * terms.len();
        let is_it = |row: &u32| self.terms[start(*row)..].iter().zip(terms).all(|(a, b)| a == b);
        self.numbers.find(hash, is_it).copied()
    }

    /// The number of the row with these terms, as many as the arity, and whether it is new.
    pub fn insert(&mut self, terms: &[ConstantId]) -> (u32, bool) {
        debug_assert_eq!(terms.len(), self.arity);
        // Short rows of a known length are hashed and compared without loops.
        match *terms {
            [a] => self.insert_inline(&[a]),
            [a, b] => self.insert_inline(&[a, b]),
            [a, b, c] => self.insert_inline(&[a, b, c]),
            [a, b, c, d] => self.insert_inline(&[a, b, c, d]),
            [a, b, c, d, e] => self.insert_inline(&[a, b, c, d, e]),
            _ => self.insert_inline(terms),
        }
    }

    #[inline(always)]
    fn insert_inline(&mut self, terms: &[ConstantId]) -> (u32, bool) {
        let hash_of_terms = hash(terms.iter().copied());
        if let Some(row) = self.find_hashed(hash_of_terms, terms) {
            return (row, false);
        }
        let row = self.rows;
        self.terms.extend_from_slice(terms);
        self.rows += 1;
        let (all, arity) = (&self.terms, self.arity);
        self.numbers.insert_unique(hash_of_terms, row, |&row| hash(row_of(all, arity, row).iter().copied()));
        (row, true)
    }

    /// Makes room for this many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.terms.reserve(rows * self.arity);
        let (all, arity) = (&self.terms, self.arity);
        self.numbers.reserve(rows, |&row| hash(row_of(all, arity, row).iter().copied()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_kept_once() {
        let [a, b] = [ConstantId(0), ConstantId(1)];
        let mut relation = Relation::new(2);
        assert_eq!(relation.insert(&[a, b]), (0, true));
        assert_eq!(relation.insert(&[b, a]), (1, true));
        assert_eq!(relation.insert(&[a, b]), (0, false));
        assert_eq!((relation.len(), relation.find(&[b, a]), relation.find(&[b, b])), (2, Some(1), None));
        assert_eq!(relation.row(1), [b, a]);
    }

    #[test]
    fn without_terms_there_is_at_most_one_row() {
        let mut relation = Relation::new(0);
        assert_eq!(relation.find(&[]), None);
        assert_eq!(relation.insert(&[]), (0, true));
        assert_eq!(relation.insert(&[]), (0, false));
        assert_eq!((relation.len(), relation.find(&[]), relation.row(0).len()), (1, Some(0), 0));
    }
}
