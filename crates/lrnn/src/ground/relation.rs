//! The atoms of one predicate, row by row.

use std::hash::Hasher;
use std::sync::OnceLock;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::dense::Dense;
use super::index::NONE;
use crate::vocabulary::ConstantId;

/// A set of rows of constants. Rows are numbered in the order they came in and never change, so "everything that
/// is new since then" is a range of row numbers. What finds a row by its terms is made when it is first asked for:
/// large relations of facts are most often looked up by index alone.
#[derive(Clone, Default, Debug)]
pub struct Relation {
    arity: usize,
    rows: u32,
    terms: Vec<ConstantId>,
    numbers: OnceLock<RowNumbers>,
}

/// From so many rows on, ids are looked at again now and then.
const MANY: u32 = 1024;

/// Row numbers by terms.
#[derive(Clone, Debug)]
enum RowNumbers {
    /// Of rows of one term whose ids lie close together.
    Dense(Dense),
    Hashed(HashTable<u32>),
}

/// Returns the hash of a row, or of some of its columns.
#[inline]
pub(super) fn hash(terms: impl Iterator<Item = ConstantId>) -> u64 {
    let mut hasher = FxHasher::default();
    for term in terms {
        hasher.write_u32(term.0);
    }
    hasher.finish()
}

/// Returns what hashes rows of so many terms by their numbers.
#[inline]
fn hash_of(all: &[ConstantId], arity: usize) -> impl Fn(&u32) -> u64 {
    move |&row| hash(row_of(all, arity, row).iter().copied())
}

#[inline]
fn row_of(terms: &[ConstantId], arity: usize, row: u32) -> &[ConstantId] {
    let start = row as usize * arity;
    &terms[start..start + arity]
}

impl Relation {
    /// Begins without rows, each to have `arity` terms.
    pub fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    /// Returns a relation without rows, each to have `arity` terms, in the memory of this one.
    pub(super) fn emptied(mut self, arity: usize) -> Self {
        self.terms.clear();
        let numbers = self.numbers.take().and_then(|numbers| numbers.emptied(arity));
        let numbers = numbers.map_or_else(OnceLock::new, OnceLock::from);
        Self { arity, rows: 0, terms: self.terms, numbers }
    }

    /// Returns how many terms a row has.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows as usize
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the number of rows as a row number: that of the next new row.
    pub(super) fn end(&self) -> u32 {
        self.rows
    }

    /// Returns the terms of a row.
    #[inline]
    pub fn row(&self, row: u32) -> &[ConstantId] {
        row_of(&self.terms, self.arity, row)
    }

    /// Returns a term of a row.
    #[inline]
    pub(super) fn term(&self, row: u32, column: usize) -> ConstantId {
        self.terms[row as usize * self.arity + column]
    }

    /// Returns all rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &[ConstantId]> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// Returns the number of the row with these terms.
    pub fn find(&self, terms: &[ConstantId]) -> Option<u32> {
        if terms.len() == self.arity { self.find_inline(terms) } else { None }
    }

    #[inline(always)]
    fn find_inline(&self, terms: &[ConstantId]) -> Option<u32> {
        let numbers = self.numbers.get().unwrap_or_else(|| self.numbers.get_or_init(|| self.number_all()));
        numbers.find(&self.terms, terms)
    }

    #[cold]
    fn number_all(&self) -> RowNumbers {
        let dense = if self.arity == 1 { dense(&self.terms) } else { None };
        dense
            .map_or_else(|| RowNumbers::Hashed(hashed(&self.terms, self.arity, self.rows)), RowNumbers::Dense)
    }

    /// Returns the number of the row with these terms, as many as the arity, and whether it is new.
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
        if let Some(row) = self.find_inline(terms) {
            return (row, false);
        }
        let row = self.rows;
        self.terms.extend_from_slice(terms);
        self.rows += 1;
        let is_numbered = self.numbers.get_mut().is_some_and(|numbers| numbers.add(&self.terms, terms, row));
        if !is_numbered {
            self.numbers = RowNumbers::Hashed(hashed(&self.terms, self.arity, self.rows)).into();
        } else if terms.len() == 1 && self.rows >= MANY && self.rows.is_power_of_two() {
            // Ids that came in no order may have been far apart and lie close together now.
            self.numbers = self.number_all().into();
        }
        (row, true)
    }

    /// Adds rows that are not there and differ from each other.
    pub(crate) fn append(&mut self, terms: &[ConstantId], rows: u32) {
        self.terms.extend_from_slice(terms);
        self.rows += rows;
        self.numbers = OnceLock::new();
    }

    /// Makes room for this many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.terms.reserve(rows * self.arity);
        if let Some(RowNumbers::Hashed(numbers)) = self.numbers.get_mut() {
            numbers.reserve(rows, hash_of(&self.terms, self.arity));
        }
    }
}

/// Returns the numbers of rows of one term, if their ids lie close together.
fn dense(terms: &[ConstantId]) -> Option<Dense> {
    let mut numbers = Dense::default();
    for (row, &term) in terms.iter().enumerate() {
        *numbers.place(term, terms.len(), NONE)? = row as u32;
    }
    Some(numbers)
}

fn hashed(all: &[ConstantId], arity: usize, rows: u32) -> HashTable<u32> {
    let (hash_of, mut numbers) = (hash_of(all, arity), HashTable::with_capacity(rows as usize));
    for row in 0..rows {
        numbers.insert_unique(hash_of(&row), row, &hash_of);
    }
    numbers
}

impl RowNumbers {
    /// Returns no numbers in the same memory, unless rows of this arity would have them in another way.
    fn emptied(self, arity: usize) -> Option<Self> {
        match self {
            Self::Dense(numbers) if arity == 1 => Some(Self::Dense(numbers.emptied())),
            Self::Hashed(mut numbers) if arity != 1 => {
                numbers.clear();
                Some(Self::Hashed(numbers))
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn find(&self, all: &[ConstantId], terms: &[ConstantId]) -> Option<u32> {
        match (self, terms) {
            (Self::Dense(numbers), [term]) => numbers.get(*term).copied().filter(|&row| row != NONE),
            (Self::Dense(_), _) => None,
            (Self::Hashed(numbers), _) => {
                // Rows are short: comparing term by term is cheaper than calling for it.
                let start = |row: u32| row as usize * terms.len();
                let is_it = |row: &u32| all[start(*row)..].iter().zip(terms).all(|(a, b)| a == b);
                numbers.find(hash(terms.iter().copied()), is_it).copied()
            }
        }
    }

    /// Adds a row; false where its id lies too far from the others.
    #[inline]
    fn add(&mut self, all: &[ConstantId], terms: &[ConstantId], row: u32) -> bool {
        match (self, terms) {
            (Self::Dense(numbers), [term]) => {
                numbers.place(*term, row as usize, NONE).map(|place| *place = row).is_some()
            }
            (Self::Dense(_), _) => false,
            (Self::Hashed(numbers), _) => {
                numbers.insert_unique(hash(terms.iter().copied()), row, hash_of(all, terms.len()));
                true
            }
        }
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
