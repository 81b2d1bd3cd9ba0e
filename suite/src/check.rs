//! Claims against an outcome, and an outcome against the oracle's.

use std::cmp::Ordering;

use lrnn::diagnostic::{Diagnostic, Sources};

use crate::claim::{Claim, ClaimContent, ClaimKind, Claims};
use crate::outcome::{EngineOutcome, EngineStop};

/// Returns what of the claims does not hold in these outcomes, one for each example.
pub fn claims(claims: &Claims, outcomes: &[EngineOutcome]) -> Vec<String> {
    let mut failures = Vec::new();
    for (number, outcome) in outcomes.iter().enumerate() {
        let here = claims.claims.iter().filter(|claim| claim.example.is_none_or(|example| example == number));
        let found = match claims.kind {
            ClaimKind::Values => here.filter_map(|claim| value(&claim.what, outcome)).collect(),
            ClaimKind::Neurons => here.filter_map(|claim| neurons(&claim.what, outcome)).collect(),
            ClaimKind::Atoms | ClaimKind::Rules | ClaimKind::Grounding => listed(claims, here, outcome),
            ClaimKind::Diagnostics => Vec::new(),
        };
        let place = if outcomes.len() > 1 { format!("example {number}: ") } else { String::new() };
        failures.extend(found.into_iter().map(|failure| format!("{place}{failure}")));
    }
    let beyond = |claim: &&Claim| claim.example.is_some_and(|example| example >= outcomes.len());
    failures.extend(claims.claims.iter().find(beyond).map(|_| "there is no such example".to_owned()));
    failures
}

fn value(what: &ClaimContent, outcome: &EngineOutcome) -> Option<String> {
    let of = |atom: &str| outcome.values.get(atom);
    match what {
        ClaimContent::Value(atom, expected, shape, tolerance) => {
            let Some((numbers, found)) = of(atom) else { return Some(format!("{atom} is not in the model")) };
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance.max(b.abs() * 1e-9);
            let same = found == shape && numbers.iter().zip(expected).all(near);
            (!same).then(|| format!("{atom} = {numbers:?}, expected {expected:?}"))
        }
        ClaimContent::Absent(atom) => of(atom).map(|_| format!("{atom} is in the model")),
        ClaimContent::Compare(left, order, right) => {
            let (Some((a, _)), Some((b, _))) = (of(left), of(right)) else {
                return Some(format!("{left} or {right} is not in the model"));
            };
            let holds = match order {
                Ordering::Equal => near(a, b, 1e-12),
                order => a.iter().zip(b).all(|(a, b)| a.partial_cmp(b) == Some(*order)),
            };
            (!holds).then(|| format!("{left} = {a:?}, {right} = {b:?}"))
        }
        _ => None,
    }
}

fn neurons(what: &ClaimContent, outcome: &EngineOutcome) -> Option<String> {
    let (ClaimContent::Neurons(expected), Some(found)) = (what, outcome.neurons) else { return None };
    (found != *expected).then(|| format!("there are {found:?}, expected {expected:?}"))
}

/// Returns an exact list, however it is ordered.
fn listed<'a>(
    claims: &Claims,
    here: impl Iterator<Item = &'a Claim>,
    outcome: &EngineOutcome,
) -> Vec<String> {
    let Some(model) = &outcome.model else { return Vec::new() };
    let names = |claim: &'a Claim| match &claim.what {
        ClaimContent::Listed(names) => names.as_slice(),
        _ => &[],
    };
    let mut expected: Vec<String> = here.flat_map(names).cloned().collect();
    expected.sort_unstable();
    let found: Vec<&String> = match claims.kind {
        ClaimKind::Atoms => model.atoms.iter().collect(),
        ClaimKind::Rules => model.rules.iter().collect(),
        _ => model.facts.iter().chain(&model.rules).collect(),
    };
    let wanted = |clause: &&&String| claims.of.is_empty() || claims.of.contains(&signature(clause));
    let mut found: Vec<String> = found.iter().filter(wanted).map(|&clause| clause.clone()).collect();
    found.sort_unstable();
    let missing = without(&expected, &found).into_iter().map(|it| format!("missing: {it}"));
    let surplus = without(&found, &expected).into_iter().map(|it| format!("not expected: {it}"));
    missing.chain(surplus).collect()
}

/// Returns what one list has more often than the other.
fn without(list: &[String], other: &[String]) -> Vec<String> {
    let mut rest = other.to_vec();
    let mut more = list.to_vec();
    more.retain(|it| match rest.iter().position(|known| known == it) {
        Some(position) => {
            rest.swap_remove(position);
            false
        }
        None => true,
    });
    more
}

/// Returns the predicate, `foal/1`, of the head of a ground clause.
fn signature(clause: &str) -> String {
    let head = clause.split(" :- ").next().unwrap_or(clause);
    let (name, terms) = head.split_once('(').unwrap_or((head, ""));
    let arity = if terms.is_empty() { 0 } else { terms.matches(", ").count() + 1 };
    format!("{name}/{arity}")
}

/// Returns what of these messages is not as claimed.
pub fn messages(
    claims: &Claims,
    diagnostics: &[Diagnostic],
    sources: &Sources,
    stop: Option<&EngineStop>,
) -> Vec<String> {
    let mut found: Vec<(String, String)> = Vec::new();
    found.extend(diagnostics.iter().map(|it| (it.code.to_owned(), it.render(sources).trim_end().to_owned())));
    found.extend(stop.map(|stop| (stop.code.to_owned(), format!("error[{}]: {}", stop.code, stop.message))));
    let text = |claim: &Claim| match &claim.what {
        ClaimContent::Message(text) => text.clone(),
        _ => String::new(),
    };
    let expected: Vec<String> = claims.claims.iter().map(text).collect();
    let same = |(code, full): &(String, String), text: &String| {
        text == code || text == full || full.lines().next() == Some(text)
    };
    let all_same = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, expected)| same(found, expected));
    if all_same {
        return Vec::new();
    }
    let found: Vec<String> = found.into_iter().map(|(_, full)| full).collect();
    vec![format!("the messages are\n{}\nexpected\n{}", found.join("\n"), expected.join("\n"))]
}

/// Returns the first difference from the oracle's outcomes, if there is one.
pub fn agreement(oracle: &[EngineOutcome], outcomes: &[EngineOutcome], tolerance: f64) -> Option<String> {
    if oracle.len() != outcomes.len() {
        return Some("another number of examples".into());
    }
    let differs = |(expected, found): (&EngineOutcome, &EngineOutcome)| {
        values_differ(expected, found, tolerance).or_else(|| models_differ(expected, found))
    };
    oracle.iter().zip(outcomes).find_map(differs)
}

fn values_differ(expected: &EngineOutcome, found: &EngineOutcome, tolerance: f64) -> Option<String> {
    found.values.iter().find_map(|(atom, (numbers, shape))| {
        let Some((oracle, known)) = expected.values.get(atom) else {
            return Some(format!("{atom} is in the model"));
        };
        let same = shape == known && near(oracle, numbers, tolerance);
        (!same).then(|| format!("{atom} = {numbers:?}, of the oracle {oracle:?}"))
    })
}

fn models_differ(expected: &EngineOutcome, found: &EngineOutcome) -> Option<String> {
    let (Some(oracle), Some(model)) = (&expected.model, &found.model) else { return None };
    let [ours, theirs] = [oracle, model].map(|it| [&it.atoms, &it.facts, &it.rules]);
    if let Some((ours, theirs)) = ours.into_iter().zip(theirs).find(|(ours, theirs)| ours != theirs) {
        let (missing, more) = (without(ours, theirs), without(theirs, ours));
        return Some(format!("missing {missing:?}, not the oracle's {more:?}"));
    }
    let (oracle, counts) = (expected.neurons?, found.neurons?);
    (oracle != counts).then(|| format!("{counts:?} neurons, of the oracle {oracle:?}"))
}

fn near(expected: &[f64], found: &[f64], tolerance: f64) -> bool {
    expected.len() == found.len()
        && expected.iter().zip(found).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + a.abs()))
}
