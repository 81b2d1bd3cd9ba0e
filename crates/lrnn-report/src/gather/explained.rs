//! One atom explained, in texts for people.

use lrnn::explain::{
    ConstantShare, Contributions, FactShare, Proof, Tree, TreeLimits, contributions, tree, values_without,
};

use super::Subject;

/// An atom explained.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What adds up to its value.
    pub contributions: Contributions,
    /// Constants with their contributions, the largest first.
    pub constants: Vec<(String, f64)>,
    /// Facts with their contributions, the largest first; mirror images together.
    pub facts: Vec<(Vec<String>, f64)>,
    /// Facts with the value without them, the farthest first.
    pub changes: Vec<(String, f64)>,
    /// The rules and facts behind it.
    pub tree: Tree,
}

/// Why an element of an atom's value is what it is; `most` changes are looked for.
pub fn explained(
    subject: &Subject<'_>,
    proof: &Proof<'_>,
    (atom, element): (usize, usize),
    most: usize,
) -> Explained {
    let found = contributions(proof, atom, element, |constant| !subject.kept.has(constant));
    let texts = |share: &FactShare| -> Vec<String> {
        share.facts.iter().map(|&fact| proof.atom_text(proof.network.facts[fact].atom)).collect()
    };
    let facts: Vec<(Vec<String>, f64)> =
        found.facts.iter().map(|share| (texts(share), share.amount)).collect();
    let tried: Vec<&[usize]> = found.facts.iter().take(most).map(|share| &share.facts[..]).collect();
    let without = values_without(proof, atom, element, &tried);
    let mut changes: Vec<(String, f64)> =
        facts.iter().zip(without).map(|((texts, _), without)| (texts.join(", "), without)).collect();
    let distance = |change: &(String, f64)| (change.1 - found.value).abs();
    changes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    Explained {
        constants: found.constants.iter().map(|share| constant(subject, share)).collect(),
        facts,
        changes,
        tree: tree(proof, atom, TreeLimits::default()),
        contributions: found,
    }
}

fn constant(subject: &Subject<'_>, share: &ConstantShare) -> (String, f64) {
    let name = |constant| subject.dataset.vocabulary.constant(constant).to_string();
    (share.constant.map_or_else(|| "facts without constants".to_owned(), name), share.amount)
}
