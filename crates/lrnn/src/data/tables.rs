//! The tables of the example being built.

use std::hash::Hasher;

use hashbrown::HashTable;
use rayon::prelude::ParallelSliceMut;
use rustc_hash::{FxHashMap, FxHasher};

use super::batch::BatchFact;
use super::{Example, FactTable};
use crate::diagnostic::Span;
use crate::function::Shape;
use crate::threads::has_threads;
use crate::vocabulary::{ConstantId, PredicateId};

/// The tables of the example being built, with what finds a fact again.
#[derive(Default, Debug)]
pub(super) struct FactTables {
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

impl FactTables {
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

/// Returns a number that tells facts apart: of up to two terms exactly, of more nearly.
fn key_of(terms: &[ConstantId]) -> u64 {
    match terms {
        [term] => u64::from(term.0),
        [first, second] => u64::from(first.0) << 32 | u64::from(second.0),
        _ => {
            let mut hasher = FxHasher::default();
            terms.iter().for_each(|term| hasher.write_u32(term.0));
            hasher.finish()
        }
    }
}

/// Leaves the first of facts that are equal. Of those with another value, tells the row, the row of the first, and the
/// terms.
pub(super) fn remove_repeated(table: &mut FactTable) -> Vec<(usize, usize, Vec<ConstantId>)> {
    let (rows, size) = (table.rows as usize, table.shape.size());
    if rows < 2 {
        return Vec::new();
    }
    let arity = table.terms.len() / rows;
    if arity == 0 {
        let is_other = |row: &usize| table.value(*row) != table.value(0);
        let conflicts = (1..rows).filter(is_other).map(|row| (row, 0, Vec::new())).collect();
        table.values.truncate(size);
        table.rows = 1;
        return conflicts;
    }
    // Rows of a table often come by their key, each greater than the one before: then none is repeated.
    if table.terms.chunks_exact(arity).is_sorted_by(|a, b| a < b) {
        return Vec::new();
    }
    let mut keys: Vec<u64> = table.terms.chunks_exact(arity).map(key_of).collect();
    if has_threads() {
        keys.par_sort_unstable();
    } else {
        keys.sort_unstable();
    }
    // The rows that are kept of each key that stands more than once.
    let twice = keys.windows(2).filter(|pair| pair[0] == pair[1]);
    let mut firsts: FxHashMap<u64, Vec<(usize, usize)>> = twice.map(|pair| (pair[0], Vec::new())).collect();
    drop(keys);
    if firsts.is_empty() {
        return Vec::new();
    }
    let (mut kept, mut conflicts) = (0, Vec::new());
    for row in 0..rows {
        let terms = &table.terms[row * arity..(row + 1) * arity];
        if let Some(known) = firsts.get_mut(&key_of(terms)) {
            let is_it = |(_, at): &&(usize, usize)| table.terms[at * arity..(at + 1) * arity] == *terms;
            if let Some(&(first, at)) = known.iter().find(is_it) {
                let is_same = table.values.is_empty()
                    || table.values[at * size..(at + 1) * size] == table.values[row * size..(row + 1) * size];
                if !is_same {
                    conflicts.push((row, first, terms.to_vec()));
                }
                continue;
            }
            known.push((row, kept));
        }
        table.terms.copy_within(row * arity..(row + 1) * arity, kept * arity);
        if !table.values.is_empty() {
            table.values.copy_within(row * size..(row + 1) * size, kept * size);
        }
        kept += 1;
    }
    table.terms.truncate(kept * arity);
    table.values.truncate(if table.values.is_empty() { 0 } else { kept * size });
    table.terms.shrink_to_fit();
    table.values.shrink_to_fit();
    table.rows = kept as u32;
    conflicts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DatasetBuilder;
    use crate::vocabulary::Vocabulary;
    use crate::{Column, Table};

    /// Returns the facts of columns, added at once, and row by row to an example that has a fact already.
    fn both(columns: &[Vec<i64>], values: Option<&[f64]>) -> [Result<FactTable, String>; 2] {
        [true, false].map(|at_once| {
            let mut builder = DatasetBuilder::new(Vocabulary::default());
            let rows = columns[0].len();
            let steps = if at_once { vec![(0, rows)] } else { vec![(0, 1), (1, rows)] };
            for (start, end) in steps {
                let columns = columns.iter().map(|column| Column::Integers(&column[start..end])).collect();
                let values = values.map(|values| &values[start..end]);
                builder.facts(&Table { predicate: "p", columns, values, ..Table::default() });
            }
            let built = builder.build();
            built.map(|data| data.examples[0].tables[0].clone()).map_err(|error| error.message().to_owned())
        })
    }

    #[test]
    fn facts_added_at_once_are_those_added_one_by_one() {
        let rows = 5000;
        let column = |step: u64, most: u64| -> Vec<i64> {
            (0..rows).map(|row: u64| (row.wrapping_mul(step) >> 7) as i64 % most as i64 - 20).collect()
        };
        for arity in 1..=4 {
            let most = [4000, 60, 15, 8][arity - 1];
            let columns: Vec<Vec<i64>> =
                (0..arity).map(|at| column(0x9e37_79b9 + 0x1234_5678 * at as u64, most)).collect();
            let [at_once, by_row] = both(&columns, None);
            assert_eq!(at_once, by_row, "{arity} terms");
            assert!(at_once.is_ok_and(|table| table.rows < rows as u32), "{arity}: some are equal");
            let values: Vec<f64> = (0..rows).map(|row| columns[0][row as usize] as f64).collect();
            let [at_once, by_row] = both(&columns, Some(&values));
            assert_eq!(at_once, by_row, "{arity} terms with values");
            let values: Vec<f64> = (0..rows).map(|row| row as f64).collect();
            let [at_once, by_row] = both(&columns, Some(&values));
            assert!(at_once.is_err());
            assert_eq!(at_once, by_row, "{arity} terms with other values");
        }
    }

    #[test]
    fn facts_without_terms_are_one() {
        let facts = |values: [f64; 3]| {
            let mut table = FactTable {
                predicate: PredicateId(0),
                rows: 3,
                terms: Vec::new(),
                shape: Shape::NUMBER,
                values: values.to_vec(),
            };
            (remove_repeated(&mut table).len(), table.rows, table.values)
        };
        assert_eq!(facts([0.5, 0.5, 0.5]), (0, 1, vec![0.5]));
        assert_eq!(facts([0.5, 0.5, 0.25]), (1, 1, vec![0.5]));
    }

    #[test]
    fn facts_of_many_examples_added_at_once_are_those_added_row_by_row() {
        let rows = 5000_usize;
        let numbers: Vec<i64> = (0..rows).map(|row| (row * row % 13) as i64).collect();
        let values: Vec<f64> = numbers.iter().map(|&number| (number % 2) as f64).collect();
        // Examples in no order; those that no row names are there, too.
        let examples: Vec<u32> = (0..rows).map(|row| (row * 7919 % 301) as u32 * 2).collect();
        let built = |step: usize| {
            let mut builder = DatasetBuilder::new(Vocabulary::default());
            let ids: Vec<ConstantId> = numbers.iter().filter_map(|number| builder.constant(number)).collect();
            for start in (0..rows).step_by(step) {
                let range = start..(start + step).min(rows);
                builder.facts(&Table {
                    predicate: "p",
                    columns: vec![Column::Ids(&ids[range.clone()])],
                    values: Some(&values[range.clone()]),
                    examples: Some(&examples[range]),
                    ..Table::default()
                });
            }
            builder.build().expect("facts").examples
        };
        let (at_once, by_row) = (built(rows), built(100));
        assert_eq!(at_once.len(), 601);
        assert_eq!(at_once, by_row);
        assert!(
            at_once.iter().map(|example| example.tables.iter().map(|it| it.rows).sum::<u32>()).sum::<u32>()
                < 5000
        );
    }
}
