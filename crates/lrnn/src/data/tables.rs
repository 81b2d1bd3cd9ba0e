//! The tables of the example being built.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::batch::Entry;
use super::{Example, FactTable};
use crate::function::Shape;
use crate::syntax::Span;
use crate::vocabulary::{ConstantId, PredicateId};

/// The tables of the example being built, with what finds a fact again.
#[derive(Default)]
pub(super) struct Tables {
    /// By predicate, the number of its table plus one.
    table_of: Vec<u32>,
    rows: Vec<(HashTable<u32>, Vec<Span>)>,
}

impl Tables {
    /// Adds a fact; the same with the same value is one. With another value, gives the place of the first.
    pub fn add(
        &mut self,
        example: &mut Example,
        entry: &Entry,
        terms: &[ConstantId],
        values: &[f64],
        shape: Shape,
    ) -> Result<(), Span> {
        let number = self.table(example, entry.predicate, shape);
        let table = &mut example.tables[number];
        let (rows, spans) = &mut self.rows[number];
        let hasher = FxBuildHasher;
        let hash = hasher.hash_one(terms);
        let value = if entry.shape.is_some() { values } else { &[1.0] };
        if let Some(&row) = rows.find(hash, |&row| table.row(row as usize) == terms) {
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
        rows.insert_unique(hash, table.rows - 1, |&row| hasher.hash_one(table.row(row as usize)));
        Ok(())
    }

    fn table(&mut self, example: &mut Example, predicate: PredicateId, shape: Shape) -> usize {
        if self.table_of.len() <= predicate.index() {
            self.table_of.resize(predicate.index() + 1, 0);
        }
        let number = &mut self.table_of[predicate.index()];
        if *number == 0 {
            let table = FactTable { predicate, rows: 0, terms: Vec::new(), shape, values: Vec::new() };
            example.tables.push(table);
            self.rows.push((HashTable::new(), Vec::new()));
            *number = example.tables.len() as u32;
        }
        *number as usize - 1
    }
}
