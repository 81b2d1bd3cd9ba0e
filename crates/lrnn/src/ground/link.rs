//! What the rows of one relation find in another, looked up once.
//!
//! A search comes to the same row again and again, by other ways and in other rules, and what it looks up with the
//! constants of that row, and with constants of the rule, is the same each time. A link keeps it by row: the first row
//! of the other relation that agrees. Only relations that are complete are linked to. Rules that differ in constants
//! alone (`in(X, 1), bond(X, Y, B), kind(B, 3)`, and so on for each number) so share all that they look up.
//!
//! Not optimal: a link is made for all rows, also where the search comes to a few of them only. That costs no more
//! than an index on the same rows.

use crate::vocabulary::{ConstantId, PredicateId};

/// The two ends of a link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct LinkShape {
    pub from: PredicateId,
    pub to: PredicateId,
    /// The index of `to` that is asked; none where the key is a whole row.
    pub index: Option<usize>,
    pub key: Vec<LinkKey>,
}

/// A part of the key of a link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum LinkKey {
    /// A column of the row.
    Column(usize),
    /// A constant of the rule.
    Constant(ConstantId),
}

impl LinkKey {
    /// Returns what it is for a row.
    #[inline]
    pub fn of(self, row: &[ConstantId]) -> ConstantId {
        match self {
            Self::Column(column) => row[column],
            Self::Constant(constant) => constant,
        }
    }
}

/// By row, what it finds: the place of the first row that agrees, or none.
#[derive(Clone, Default, Debug)]
pub(super) struct RowLink(Vec<u32>);

impl RowLink {
    /// Takes in the rows that are new since the last time.
    pub fn catch_up(&mut self, rows: u32, look_up: impl FnMut(u32) -> u32) {
        self.0.extend((self.0.len() as u32..rows).map(look_up));
    }

    /// Returns what a row finds.
    #[inline]
    pub fn follow(&self, row: u32) -> u32 {
        self.0[row as usize]
    }
}
