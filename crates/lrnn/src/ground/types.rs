//! What a grounding is made of.

use crate::vocabulary::ConstantId;

/// Where a ground fact was written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FactSource {
    /// The template's fact with this number, or an instance of it.
    Template(u32),
    /// This row of the example's table with this number.
    Example {
        /// The number of the table.
        table: u32,
        /// The row.
        row: u32,
    },
}

/// The ground rules of one rule. Ground rule `i` has its head in row `heads[i]` of the head's relation, and its
/// j-th positive body literal (inputs before guards) in row `body[j][i]` of that literal's relation.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GroundRules {
    /// The rows of the heads.
    pub heads: Vec<u32>,
    /// For each positive body literal, its rows.
    pub body: Vec<Vec<u32>>,
    /// For each index variable of the rule, its constants.
    pub index: Vec<Vec<ConstantId>>,
}

/// Bounds on grounding, so that a template that explodes stops at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most ground rules and instances of facts with variables in one example.
    pub per_example: u64,
    /// The most in all examples together.
    pub total: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_example: 10_000_000, total: 100_000_000 }
    }
}
