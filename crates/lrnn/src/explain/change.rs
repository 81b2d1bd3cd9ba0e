//! What would change a value most.

use super::{Contributions, ExplainError, Proof, Run};

/// How a value would change with one fact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// The fact, by its place in the proof.
    pub fact: usize,
    /// The slope of the value by how much the fact counts, where it counts 1.
    pub slope: f64,
    /// The value if the fact counted 0: it stays true, so the network stays the same.
    pub without: f64,
}

/// The facts that would change an element of an atom's value most, at most so many: those with the largest slopes and
/// those that contribute most are tried, and come in the order of what the value would be without them, the farthest first.
pub fn changes(
    proof: &Proof<'_>,
    run: &Run,
    contributions: &Contributions,
    (atom, element): (usize, usize),
    most: usize,
) -> Result<Vec<Change>, ExplainError> {
    let shape = || ExplainError::Shape(proof.atom_text(atom));
    let slopes = proof.shares(atom, element, run, run).ok_or_else(shape)?.facts;
    let mut tried: Vec<usize> =
        [&slopes, &contributions.facts].into_iter().flat_map(|by| largest(by, most)).collect();
    tried.sort_unstable();
    tried.dedup();
    let mut changes = Vec::with_capacity(tried.len());
    for fact in tried {
        let mut facts = run.facts.clone();
        facts[fact] = 0.0;
        // Where a function is not defined without the fact, there is nothing to say.
        let Ok(other) = proof.run_with(facts) else { continue };
        let without = other.atoms.of(atom).0.get(element).copied().unwrap_or(0.0);
        changes.push(Change { fact, slope: slopes[fact], without });
    }
    let distance = |change: &Change| (change.without - contributions.value).abs();
    changes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    changes.truncate(most);
    Ok(changes)
}

/// The places of the numbers farthest from 0, the farthest first.
fn largest(numbers: &[f64], most: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).filter(|&place| numbers[place] != 0.0).collect();
    places.sort_by(|&a, &b| numbers[b].abs().total_cmp(&numbers[a].abs()));
    places.truncate(most);
    places
}
