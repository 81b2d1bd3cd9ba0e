//! Contributions: how much of a value, above its baseline, each fact and each rule brings.

use super::{ExplainError, Proof, Run};
use crate::template::RuleId;

/// What fact neurons output in the baseline: the first of these that gives finite values.
const BASELINES: [f64; 4] = [0.0, 0.5, 0.9, 0.99];

/// What a rule contributes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RuleShare {
    /// The rule.
    pub rule: RuleId,
    /// What comes from the facts that it reads itself. These add up, over all rules, with `given` and `kept`.
    pub own: f64,
    /// All that comes through it, from rules below it too.
    pub through: f64,
}

/// What adds up to a value: baseline + Σ facts + kept = value, up to rounding.
#[derive(Clone, PartialEq, Debug)]
pub struct Contributions {
    /// The value: one element of the atom's.
    pub value: f64,
    /// The value where every fact neuron outputs `fact_baseline`; all else, the structure too, stays.
    pub baseline: f64,
    /// What fact neurons output in the baseline instead of 1: 0, unless values are not finite there.
    pub fact_baseline: f64,
    /// By fact of the proof.
    pub facts: Vec<f64>,
    /// The rules that something comes through, in the order of the template.
    pub rules: Vec<RuleShare>,
    /// What comes from facts of atoms that rules give as well: no rule reads these as facts alone.
    pub given: f64,
    /// What neurons keep: jumps between values too close to each other, and rounding.
    pub kept: f64,
}

impl Contributions {
    /// The sum of all contributions.
    pub fn sum(&self) -> f64 {
        self.facts.iter().sum::<f64>() + self.kept
    }

    /// What the sum of the facts lacks of value − baseline.
    pub fn residual(&self) -> f64 {
        self.value - self.baseline - self.facts.iter().sum::<f64>()
    }
}

/// The contributions to an element of an atom's value, the atom by its place in the proof; `run` has the values of the
/// proof.
pub fn contributions(
    proof: &Proof<'_>,
    run: &Run,
    atom: usize,
    element: usize,
) -> Result<Contributions, ExplainError> {
    let (fact_baseline, from) = baseline(proof)?;
    let shape = || ExplainError::Shape(proof.atom_text(atom));
    let shares = proof.shares(atom, element, &from, run).ok_or_else(shape)?;
    let of = |run: &Run| run.atoms.of(atom).0.get(element).copied().unwrap_or(0.0);
    let ways = run.facts.iter().zip(&from.facts).map(|(to, from)| to - from);
    let facts: Vec<f64> = shares.facts.iter().zip(ways).map(|(factor, way)| factor * way).collect();
    let rules = proof.template.rule_ids().zip(shares.through.iter().zip(&shares.from_rules));
    let share = |(rule, (&through, below))| RuleShare { rule, own: through - below, through };
    let is_given = |fact: usize| !proof.atoms[proof.facts[fact].atom].groups.is_empty();
    // A root that only facts give is read by no rule.
    let is_apart = |fact: usize| is_given(fact) || proof.facts[fact].atom == atom;
    Ok(Contributions {
        value: of(run),
        baseline: of(&from),
        fact_baseline,
        rules: rules.map(share).filter(|share| share.own != 0.0 || share.through != 0.0).collect(),
        given: facts.iter().enumerate().filter(|&(fact, _)| is_apart(fact)).map(|(_, amount)| amount).sum(),
        facts,
        kept: shares.kept,
    })
}

/// The run of a baseline, with what fact neurons output there.
fn baseline(proof: &Proof<'_>) -> Result<(f64, Run), ExplainError> {
    let mut found = Err(ExplainError::Baseline(String::new()));
    for output in BASELINES {
        found = proof.run_with(vec![output; proof.facts.len()]).map(|run| (output, run));
        if !matches!(found, Err(ExplainError::NotFinite(_))) {
            return found;
        }
    }
    found.map_err(|error| match error {
        ExplainError::NotFinite(neuron) => ExplainError::Baseline(neuron),
        error => error,
    })
}
