//! How many neurons a grounding makes, without making them.

use rustc_hash::FxHashSet;

use super::NeuronCounts;
use crate::ground::{GroundRules, Grounding};

impl NeuronCounts {
    /// Returns the neurons of the network that this grounding makes.
    pub fn of(grounding: &Grounding) -> Self {
        Self {
            fact: grounding.facts.iter().map(Vec::len).sum(),
            rule: grounding.rule_count(),
            aggregation: grounding.rules.iter().map(aggregations).sum(),
            atom: grounding.atom_count(),
        }
    }

    /// Returns the same with the neurons of another network.
    pub fn plus(self, other: Self) -> Self {
        Self {
            fact: self.fact + other.fact,
            rule: self.rule + other.rule,
            aggregation: self.aggregation + other.aggregation,
            atom: self.atom + other.atom,
        }
    }
}

/// Returns how many different heads, under each value of the index, a rule has.
fn aggregations(rules: &GroundRules) -> usize {
    if rules.index.is_empty() {
        let most = rules.heads.iter().max().map_or(0, |&row| row as usize + 1);
        let mut seen = vec![false; most];
        return rules.heads.iter().filter(|&&row| !std::mem::replace(&mut seen[row as usize], true)).count();
    }
    let key = |ground: usize| -> Vec<u32> {
        let index = rules.index.iter().map(|column| column[ground].0);
        index.chain([rules.heads[ground]]).collect()
    };
    (0..rules.len()).map(key).collect::<FxHashSet<Vec<u32>>>().len()
}
