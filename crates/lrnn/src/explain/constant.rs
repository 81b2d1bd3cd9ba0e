//! Contributions of constants: each fact shares what it brings equally among its terms.

use std::collections::BTreeMap;

use super::{Contributions, Proof};
use crate::vocabulary::ConstantId;

/// What a constant contributes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConstantShare {
    /// The constant; none for facts that have no term to share among.
    pub constant: Option<ConstantId>,
    /// Its contribution.
    pub amount: f64,
}

/// What each constant contributes, the largest first without regard to sign: they add up to the facts. Where `counts`
/// holds for some terms of a fact, it shares among these alone.
pub fn constant_shares(
    proof: &Proof<'_>,
    contributions: &Contributions,
    counts: impl Fn(ConstantId) -> bool,
) -> Vec<ConstantShare> {
    let mut amounts: BTreeMap<Option<ConstantId>, f64> = BTreeMap::new();
    for (fact, &amount) in proof.facts.iter().zip(&contributions.facts) {
        let terms = proof.terms(fact.atom);
        let chosen: Vec<ConstantId> = terms.iter().copied().filter(|&term| counts(term)).collect();
        let among = if chosen.is_empty() { terms } else { &chosen[..] };
        if among.is_empty() {
            *amounts.entry(None).or_default() += amount;
        }
        for &term in among {
            *amounts.entry(Some(term)).or_default() += amount / among.len() as f64;
        }
    }
    let share = |(constant, amount)| ConstantShare { constant, amount };
    let mut shares: Vec<ConstantShare> = amounts.into_iter().map(share).collect();
    shares.sort_by(|a, b| b.amount.abs().total_cmp(&a.amount.abs()));
    shares
}
