//! One example explained.

use lrnn::explain::{Change, ConstantShare, Contributions, Proof, Run, Tree, TreeLimits};
use lrnn::explain::{changes, constant_shares, contributions, tree};
use lrnn::ground::{FactSource, Limits};
use serde_json::{Value, json};

use super::text;
use crate::args::{Common, Explain};
use crate::command::study::Study;
use crate::failure::{Failure, USAGE};
use crate::output;

/// An atom explained.
pub struct Explained {
    pub example: String,
    pub atom: String,
    pub target: Option<Vec<f64>>,
    pub contributions: Contributions,
    /// The facts that contribute, the most first: the atom, whether the template gives it, and how much.
    pub facts: Vec<(String, bool, f64)>,
    pub constants: Vec<(String, f64)>,
    /// Rules with what comes from facts they read, and all that comes through them.
    pub rules: Vec<(String, f64, f64)>,
    /// Facts with the slope, and the value without them.
    pub changes: Vec<(String, f64, f64)>,
    pub tree: Tree,
}

/// More queries of one example are not explained at once.
const MOST_QUERIES: usize = 20;

pub fn run(
    study: &Study,
    explain: &Explain,
    example: usize,
    limits: &Limits,
    common: &Common,
) -> Result<u8, Failure> {
    let grounding = study.ground(example, limits)?;
    let roots = study.roots(example, &grounding, explain.query.as_deref())?;
    let proof = study.proof(example, &grounding, &roots)?;
    let values = proof.run().map_err(|error| study.failure(example, &error))?;
    let mut all = Vec::new();
    for &(predicate, row) in roots.iter().take(MOST_QUERIES) {
        let Some(atom) = proof.find(predicate, row) else { continue };
        all.push(explained(study, explain, example, &proof, &values, atom)?);
    }
    if common.json {
        let document = json!({ "explained": all.iter().map(json_of).collect::<Vec<_>>(), "left_out": roots.len().saturating_sub(MOST_QUERIES) });
        output::print_json(&document)?;
    } else {
        let texts: Vec<String> = all.iter().map(|explained| text::of(explained, explain.top.get())).collect();
        output::print(&texts.join("\n"))?;
        if roots.len() > MOST_QUERIES && !common.quiet {
            output::say(&format!("note: {} atoms more are left out\n", roots.len() - MOST_QUERIES));
        }
    }
    Ok(0)
}

fn explained(
    study: &Study,
    explain: &Explain,
    example: usize,
    proof: &Proof<'_>,
    run: &Run,
    atom: usize,
) -> Result<Explained, Failure> {
    let (dataset, element) = (&study.loaded.dataset, explain.element.get() - 1);
    let size = run.atoms.of(atom).0.len();
    if element >= size {
        let message = format!("{} has {size} elements", proof.atom_text(atom));
        return Err(Failure::new(USAGE, message).help("--element counts from 1"));
    }
    let failed = |error| study.failure(example, &error);
    let found = contributions(proof, run, atom, element).map_err(failed)?;
    let changes = changes(proof, run, &found, (atom, element), explain.top.get()).map_err(failed)?;
    let kept = study.kept();
    let constants = constant_shares(proof, &found, |constant| !kept.has(constant));
    let (predicate, terms) = (proof.atoms[atom].predicate, proof.terms(atom));
    let query =
        dataset.queries[example].iter().find(|query| query.predicate == predicate && query.terms == terms);
    Ok(Explained {
        example: dataset.example_name(example),
        atom: proof.atom_text(atom),
        target: query.and_then(|query| query.target.clone()),
        facts: facts(proof, &found),
        constants: constants.iter().map(|share| constant(study, share)).collect(),
        rules: rules(study, &found),
        changes: changes.iter().map(|change| change_of(proof, change)).collect(),
        tree: tree(proof, run, atom, TreeLimits::default()),
        contributions: found,
    })
}

fn facts(proof: &Proof<'_>, found: &Contributions) -> Vec<(String, bool, f64)> {
    let fact = |(fact, &amount): (&lrnn::explain::FactNode, &f64)| {
        let is_of_template = matches!(fact.source, FactSource::Template(_));
        (proof.atom_text(fact.atom), is_of_template, amount)
    };
    let mut facts: Vec<(String, bool, f64)> =
        proof.facts.iter().zip(&found.facts).filter(|(_, amount)| **amount != 0.0).map(fact).collect();
    facts.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    facts
}

fn constant(study: &Study, share: &ConstantShare) -> (String, f64) {
    let name = |constant| study.loaded.dataset.vocabulary.constant(constant).to_string();
    (share.constant.map_or_else(|| "facts without constants".to_owned(), name), share.amount)
}

fn rules(study: &Study, found: &Contributions) -> Vec<(String, f64, f64)> {
    let sources = &study.loaded.sources;
    let rule = |share: &lrnn::explain::RuleShare| {
        let span = study.loaded.template.rule(share.rule).span;
        let line = sources.line_text(span.source, span.start).trim();
        (format!("rule {}: {line}", share.rule.0 + 1), share.own, share.through)
    };
    found.rules.iter().map(rule).collect()
}

fn change_of(proof: &Proof<'_>, change: &Change) -> (String, f64, f64) {
    (proof.atom_text(proof.facts[change.fact].atom), change.slope, change.without)
}

fn json_of(explained: &Explained) -> Value {
    let found = &explained.contributions;
    let facts = explained.facts.iter().map(
        |(atom, template, amount)| json!({ "fact": atom, "of_template": template, "contribution": amount }),
    );
    let constants =
        explained.constants.iter().map(|(name, amount)| json!({ "constant": name, "contribution": amount }));
    let rules = explained
        .rules
        .iter()
        .map(|(rule, own, through)| json!({ "rule": rule, "contribution": own, "through": through }));
    let changes = explained
        .changes
        .iter()
        .map(|(fact, slope, without)| json!({ "fact": fact, "slope": slope, "value_without": without }));
    json!({
        "example": explained.example, "atom": explained.atom, "target": explained.target,
        "value": found.value, "baseline": found.baseline, "facts_in_baseline": found.fact_baseline,
        "sum": found.sum(), "kept": found.kept, "given": found.given, "residual": found.residual(),
        "facts": facts.collect::<Vec<_>>(), "constants": constants.collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(), "changes": changes.collect::<Vec<_>>(),
        "tree": tree_json(&explained.tree),
    })
}

fn tree_json(tree: &Tree) -> Value {
    let kind = format!("{:?}", tree.kind).to_lowercase();
    json!({
        "kind": kind, "text": tree.text, "value": tree.value, "weight": tree.weight, "note": tree.note,
        "below": tree.below.iter().map(tree_json).collect::<Vec<_>>(),
    })
}
