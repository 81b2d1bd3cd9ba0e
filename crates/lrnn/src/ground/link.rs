//! What the rows of one relation find in another, looked up once.
//!
//! A search comes to the same row again and again, by other ways and in other rules, and what it looks up with the
//! constants of that row is the same each time. A link keeps it by row: the first row of the other relation that
//! agrees. Only relations that are complete are linked to.
//!
//! Not optimal: a link is made for all rows, also where the search comes to a few of them only. That costs no more
//! than an index on the same rows.

use super::step::Lookup;
use crate::vocabulary::PredicateId;

/// What a link is between.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct LinkShape {
    pub from: PredicateId,
    pub to: PredicateId,
    /// How rows of `to` are found. Its slots are the columns of `from`.
    pub lookup: Lookup,
}

/// By row, what it finds: the first row that agrees, or none.
#[derive(Clone, Default, Debug)]
pub(super) struct Link(Vec<u32>);

impl Link {
    /// Takes in the rows that are new since the last time.
    pub fn catch_up(&mut self, rows: u32, look_up: impl Fn(u32) -> u32) {
        self.0.extend((self.0.len() as u32..rows).map(look_up));
    }

    /// What a row finds.
    #[inline]
    pub fn follow(&self, row: u32) -> u32 {
        self.0[row as usize]
    }
}
