//! The tables of the example being built.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::batch::BatchFact;
use super::{Example, FactTable};
use crate::diagnostic::Span;
use crate::function::Shape;
use crate::vocabulary::{ConstantId, PredicateId};

/// The tables of the example being built, with what finds a fact again.
#[derive(Default, Debug)]
pub(super) struct Tables {
    /// By predicate, the number of its table plus one.
    table_of: Vec<u32>,
    rows: Vec<Rows>,
}

/// An index over the facts of a table.
#[derive(Default, Debug)]
struct Rows {
    /// Each row with the hash of its terms: so the table grows, and tells rows apart, without a look at them.
    numbers: HashTable<(u32, u32)>,
    spans: Vec<Span>,
}

/// Returns a hash of terms, kept in 32 bits.
#[inline]
fn hash_of(terms: &[ConstantId]) -> u32 {
    let mut hasher = FxHasher::default();
    terms.iter().for_each(|term| hasher.write_u32(term.0));
    (hasher.finish() >> 32) as u32
}

/// Returns the same for the hash table, which wants bits at both ends.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Tables {
    /// Returns what finds the facts of a predicate again that an example has already.
    pub fn of(example: &Example, predicate: PredicateId, span: Span) -> Self {
        let mut tables = Self::default();
        for (number, table) in example.tables.iter().enumerate() {
            tables.rows.push(Rows::default());
            if table.predicate == predicate {
                tables.table_of.resize(predicate.index() + 1, 0);
                tables.table_of[predicate.index()] = number as u32 + 1;
                let Rows { numbers, spans } = &mut tables.rows[number];
                for row in 0..table.rows {
                    let hash = hash_of(table.row(row as usize));
                    numbers.insert_unique(spread(hash), (hash, row), |entry| spread(entry.0));
                    spans.push(span);
                }
            }
        }
        tables
    }

    /// Adds a fact; the same with the same value is one. With another value, gives the place of the first.
    pub fn add(
        &mut self,
        example: &mut Example,
        entry: &BatchFact,
        terms: &[ConstantId],
        values: &[f64],
        shape: Shape,
    ) -> Result<(), Span> {
        let number = self.table(example, entry.predicate, shape);
        let table = &mut example.tables[number];
        let Rows { numbers, spans } = &mut self.rows[number];
        let hash = hash_of(terms);
        let value = if entry.shape.is_some() { values } else { &[1.0] };
        let is_it = |entry: &(u32, u32)| entry.0 == hash && table.row(entry.1 as usize) == terms;
        if let Some(&(_, row)) = numbers.find(spread(hash), is_it) {
            return if table.value(row as usize) == value { Ok(()) } else { Err(spans[row as usize]) };
        }
        if table.values.is_empty() && value != [1.0] {
            table.values = vec![1.0; table.rows as usize];
        }
        if !table.values.is_empty() || value != [1.0] {
            table.values.extend_from_slice(value);
        }
        table.terms.extend_from_slice(terms);
        table.rows += 1;
        spans.push(entry.span);
        numbers.insert_unique(spread(hash), (hash, table.rows - 1), |entry| spread(entry.0));
        Ok(())
    }

    /// Makes room for so many facts of a predicate.
    pub fn reserve(&mut self, example: &mut Example, predicate: PredicateId, shape: Shape, rows: usize) {
        let number = self.table(example, predicate, shape);
        self.rows[number].numbers.reserve(rows, |entry| spread(entry.0));
        self.rows[number].spans.reserve(rows);
    }

    fn table(&mut self, example: &mut Example, predicate: PredicateId, shape: Shape) -> usize {
        if self.table_of.len() <= predicate.index() {
            self.table_of.resize(predicate.index() + 1, 0);
        }
        let number = &mut self.table_of[predicate.index()];
        if *number == 0 {
            let table = FactTable { predicate, rows: 0, terms: Vec::new(), shape, values: Vec::new() };
            example.tables.push(table);
            self.rows.push(Rows::default());
            *number = example.tables.len() as u32;
        }
        *number as usize - 1
    }
}
