//! One example explained.

use lrnn::explain::{Proof, Tree};
use lrnn::ground::Limits;
use lrnn_report::gather::{Explained, Subject, explained};
use serde_json::{Value, json};

use super::text;
use crate::args::{Common, Explain};
use crate::command::study::Study;
use crate::failure::{Error, ErrorKind};
use crate::output;

/// An atom explained, with its example.
pub struct One {
    pub example: String,
    pub atom: String,
    pub target: Option<Vec<f64>>,
    pub explained: Explained,
}

/// More queries of one example are not explained at once.
const MOST_QUERIES: usize = 20;

pub fn run(
    study: &Study,
    explain: &Explain,
    example: usize,
    limits: &Limits,
    common: &Common,
) -> Result<u8, Error> {
    let grounding = study.ground(example, limits)?;
    let roots = study.roots(example, &grounding, explain.query.as_deref())?;
    let proof = study.proof(example, &grounding, &roots)?;
    let (subject, mut all) = (study.subject(), Vec::new());
    for &(predicate, row) in roots.iter().take(MOST_QUERIES) {
        let Some(atom) = proof.find(predicate, row) else { continue };
        all.push(one(study, &subject, explain, example, &proof, atom)?);
    }
    study.say_unset(&proof.unset(&study.weights), common);
    if common.json {
        let document = json!({ "explained": all.iter().map(json_of).collect::<Vec<_>>(), "left_out": roots.len().saturating_sub(MOST_QUERIES) });
        output::print_json(&document)?;
    } else {
        let texts: Vec<String> = all.iter().map(|one| text::of(one, explain.top.get())).collect();
        output::print(&texts.join("\n"))?;
        if roots.len() > MOST_QUERIES && !common.quiet {
            output::say(&format!("note: {} atoms more are left out\n", roots.len() - MOST_QUERIES));
        }
    }
    Ok(0)
}

fn one(
    study: &Study,
    subject: &Subject<'_>,
    explain: &Explain,
    example: usize,
    proof: &Proof<'_>,
    atom: usize,
) -> Result<One, Error> {
    let (dataset, element) = (&study.loaded.dataset, explain.element.get() - 1);
    let size = proof.values.atoms.of(atom).0.len();
    if element >= size {
        let message = format!("{} has {size} elements", proof.atom_text(atom));
        return Err(Error::new(ErrorKind::Usage, message).help("--element counts from 1"));
    }
    let explained = explained(subject, proof, (atom, element), explain.top.get());
    let (predicate, terms) = (proof.network.atoms[atom].predicate, proof.terms(atom));
    let query =
        dataset.queries[example].iter().find(|query| query.predicate == predicate && query.terms == terms);
    Ok(One {
        example: dataset.example_name(example),
        atom: proof.atom_text(atom),
        target: query.and_then(|query| query.target.clone()),
        explained,
    })
}

fn json_of(one: &One) -> Value {
    let explained = &one.explained;
    let found = &explained.contributions;
    let facts =
        explained.facts.iter().map(|(facts, amount)| json!({ "facts": facts, "contribution": amount }));
    let constants =
        explained.constants.iter().map(|(name, amount)| json!({ "constant": name, "contribution": amount }));
    let changes =
        explained.changes.iter().map(|(facts, without)| json!({ "facts": facts, "value_without": without }));
    json!({
        "example": one.example, "atom": one.atom, "target": one.target,
        "value": found.value, "baseline": found.baseline, "sum": found.sum(), "residual": found.residual(),
        "orders": found.orders, "constants": constants.collect::<Vec<_>>(), "facts": facts.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
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
