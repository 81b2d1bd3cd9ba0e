//! One atom explained, in texts for people.

use lrnn::explain::{
    Change, ConstantShare, Contributions, ExplainError, FactNode, Proof, RuleShare, Run, Tree, TreeLimits,
};
use lrnn::explain::{changes, constant_shares, contributions, tree};
use lrnn::ground::FactSource;

use super::Subject;

/// An atom explained.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What adds up to its value.
    pub contributions: Contributions,
    /// The facts that contribute, the most first: the atom, whether the template gives it, and how much.
    pub facts: Vec<(String, bool, f64)>,
    /// What constants contribute, the most first.
    pub shares: Vec<ConstantShare>,
    /// The same with their names.
    pub constants: Vec<(String, f64)>,
    /// Rules with what comes from facts they read, and all that comes through them.
    pub rules: Vec<(String, f64, f64)>,
    /// Facts with the slope, and the value without them.
    pub changes: Vec<(String, f64, f64)>,
    /// The rules and facts behind it.
    pub tree: Tree,
}

/// Why an element of an atom's value is what it is; `most` changes are looked for.
pub fn explained(
    subject: &Subject<'_>,
    proof: &Proof<'_>,
    run: &Run,
    (atom, element): (usize, usize),
    most: usize,
) -> Result<Explained, ExplainError> {
    let found = contributions(proof, run, atom, element)?;
    let changes = changes(proof, run, &found, (atom, element), most)?;
    let shares = constant_shares(proof, &found, |constant| !subject.kept.has(constant));
    let rule = |share: &RuleShare| (subject.rule_text(share.rule), share.own, share.through);
    let change =
        |change: &Change| (proof.atom_text(proof.facts[change.fact].atom), change.slope, change.without);
    Ok(Explained {
        facts: facts(proof, &found),
        constants: shares.iter().map(|share| constant(subject, share)).collect(),
        rules: found.rules.iter().map(rule).collect(),
        changes: changes.iter().map(change).collect(),
        tree: tree(proof, run, atom, TreeLimits::default()),
        contributions: found,
        shares,
    })
}

fn facts(proof: &Proof<'_>, found: &Contributions) -> Vec<(String, bool, f64)> {
    let mut order: Vec<(&FactNode, f64)> = proof.facts.iter().zip(found.facts.iter().copied()).collect();
    order.retain(|(_, amount)| *amount != 0.0);
    order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let fact = |(fact, amount): (&FactNode, f64)| {
        (proof.atom_text(fact.atom), matches!(fact.source, FactSource::Template(_)), amount)
    };
    order.into_iter().map(fact).collect()
}

fn constant(subject: &Subject<'_>, share: &ConstantShare) -> (String, f64) {
    let name = |constant| subject.dataset.vocabulary.constant(constant).to_string();
    (share.constant.map_or_else(|| "facts without constants".to_owned(), name), share.amount)
}
