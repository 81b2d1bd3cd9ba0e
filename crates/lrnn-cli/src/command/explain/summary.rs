//! All examples explained, in short; and those that the template cannot tell apart.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::Meaning;
use lrnn::diagnostic::printable;
use lrnn::explain::{Alike, Kept, Proof, alike, contributions};
use lrnn::ground::{Grounding, Limits, Plans, Statistics, for_each_grounding};
use lrnn::network::NetworkError;
use lrnn::query::least_wrong_sentence;
use lrnn::train::{Loss, Settings, Unentailed, least_wrong};
use serde_json::{Value, json};

use super::text::signed;
use crate::args::{Common, Explain};
use crate::command::study::Study;
use crate::failure::Error;
use crate::output;
use crate::progress::with_progress;

/// A query in short.
struct Short {
    atom: String,
    target: Option<f64>,
    value: f64,
    baseline: f64,
    sum: f64,
    residual: f64,
    /// The constants that contribute, the largest first.
    constants: Vec<(String, f64)>,
}

const TOP: usize = 3;

pub fn run(study: &Study, explain: &Explain, limits: &Limits, common: &Common) -> Result<u8, Error> {
    let (template, dataset) = (&study.loaded.template, &study.loaded.dataset);
    let start = Instant::now();
    let plans = Plans::new(template, &Statistics::of(dataset));
    let (element, kept) = (explain.element.get() - 1, study.kept());
    let shorts = with_progress(common, "explaining example", dataset.examples.len(), |done| {
        for_each_grounding(template, dataset, &plans, limits, |example, grounding| {
            let found = short(study, &kept, example, &grounding, element);
            done.fetch_add(1, Ordering::Relaxed);
            found.map_err(|error| study.failure(example, &error))
        })
    });
    let shorts = shorts.map_err(|error| study.loaded.ground_failure(&error))?;
    let (shorts, unset): (Vec<Vec<Short>>, Vec<BTreeSet<String>>) =
        shorts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    study.say_unset(&unset.into_iter().flatten().collect(), common);
    let seconds = start.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let network = study.loaded.program.together(dataset, &all)?;
    let groups = network.as_ref().map_or_else(Vec::new, |network| alike(dataset, network, &all));
    let (loss, unentailed) = learned(study, explain)?;
    let least = network.and_then(|network| least_wrong(template, dataset, &network, &all, loss, unentailed));
    if common.json {
        output::print_json(&document(study, &shorts, &groups, least, seconds))?;
    } else {
        output::print(&printable(&text(study, &shorts, &groups, least, seconds)))?;
    }
    Ok(0)
}

/// The loss that was learned by, and what queries outside the model counted as.
fn learned(study: &Study, explain: &Explain) -> Result<(Loss, Unentailed), Error> {
    let Some(model) = &study.model else { return Ok((Loss::Squared, Unentailed::Value(0.0))) };
    let Meaning { loss, unentailed, .. } = model.meaning();
    let mut settings = Settings { unentailed, ..Settings::default() };
    if let Some(text) = &explain.asked.unentailed {
        settings.set("unentailed", text)?;
    }
    Ok((loss, settings.unentailed))
}

fn short(
    study: &Study,
    kept: &Kept,
    example: usize,
    grounding: &Grounding,
    element: usize,
) -> Result<(Vec<Short>, BTreeSet<String>), NetworkError> {
    let (template, dataset) = (&study.loaded.template, &study.loaded.dataset);
    let vocabulary = &dataset.vocabulary;
    let row = |query: &lrnn::data::Query| {
        let row = grounding.relations[query.predicate.index()].find(&query.terms)?;
        Some(((query.predicate, row), query.target.as_ref().and_then(|target| target.first().copied())))
    };
    let queries: Vec<_> = dataset.queries[example].iter().filter_map(row).collect();
    let roots: Vec<_> = queries.iter().map(|query| query.0).collect();
    let facts = &dataset.examples[example];
    let proof = Proof::new(template, vocabulary, facts, grounding, &study.weights, &roots)?;
    let mut shorts = Vec::new();
    for ((predicate, row), target) in queries {
        let Some(atom) = proof.find(predicate, row) else { continue };
        let element = element.min(proof.values.atoms.of(atom).0.len().saturating_sub(1));
        let found = contributions(&proof, atom, element, |constant| !kept.has(constant));
        let name = |constant| vocabulary.constant(constant).to_string();
        let constants = found.constants.iter();
        let constants = constants
            .map(|share| (share.constant.map_or_else(|| "-".to_owned(), name), share.amount))
            .collect();
        shorts.push(Short {
            atom: proof.atom_text(atom),
            target,
            value: found.value,
            baseline: found.baseline,
            sum: found.sum(),
            residual: found.residual(),
            constants,
        });
    }
    Ok((shorts, proof.unset(&study.weights)))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn text(study: &Study, shorts: &[Vec<Short>], groups: &[Alike], least: Option<u32>, seconds: f64) -> String {
    let dataset = &study.loaded.dataset;
    let mut rows = Vec::new();
    for (example, shorts) in shorts.iter().enumerate() {
        for short in shorts {
            let top: Vec<String> = short
                .constants
                .iter()
                .take(TOP)
                .map(|(name, amount)| format!("{} {}", cut(name), signed(*amount)))
                .collect();
            rows.push(vec![
                cut(&dataset.example_name(example)),
                cut(&short.atom),
                short.target.map_or_else(|| "-".to_owned(), |target| target.to_string()),
                format!("{:.6}", short.value),
                format!("{:.6}", short.baseline),
                signed(short.sum),
                top.join(", "),
            ]);
        }
    }
    let head = ["example", "query", "target", "value", "baseline", "sum", "what contributes most"];
    let mut out = output::table(&head, &rows);
    let worst = shorts.iter().flatten().map(|short| short.residual.abs()).fold(0.0, f64::max);
    out.push_str(&format!(
        "\n{} queries explained in {seconds:.2} s; the largest residual is {worst:.1e}\n",
        rows.len()
    ));
    out.push_str(&alike_text(study, groups));
    let answers = dataset.queries.iter().flatten().filter(|query| query.target.is_some()).count() as u32;
    if let Some(least) = least {
        out.push_str(&(least_wrong_sentence(Some(least), answers) + "\n"));
        if least > 0 && answers > 0 {
            let best = 100.0 * f64::from(answers - least) / f64::from(answers);
            out.push_str(&format!("so no weights have an accuracy above {best:.1} %\n"));
        }
    }
    out
}

/// The groups whose targets differ, and how many others there are.
fn alike_text(study: &Study, groups: &[Alike]) -> String {
    let dataset = &study.loaded.dataset;
    let queries: usize = groups.iter().map(|group| group.queries.len()).sum();
    let conflicts: Vec<&Alike> = groups.iter().filter(|group| group.is_conflict).collect();
    if groups.is_empty() {
        return "the template tells all queries apart\n".to_owned();
    }
    let mut out =
        format!("{queries} queries are in {} groups that the template cannot tell apart\n", groups.len());
    for group in conflicts.iter().take(10) {
        let names: Vec<String> = group
            .queries
            .iter()
            .take(8)
            .map(|&(example, query)| {
                let target =
                    dataset.queries[example][query].target.as_ref().and_then(|target| target.first());
                let target = target.map_or_else(|| "-".to_owned(), ToString::to_string);
                format!("{} ({target})", cut(&dataset.example_name(example)))
            })
            .collect();
        let more = if group.queries.len() > 8 { ", ..." } else { "" };
        out.push_str(&format!("  with different targets: {}{more}\n", names.join(", ")));
    }
    if conflicts.len() > 10 {
        out.push_str(&format!("  and {} groups more\n", conflicts.len() - 10));
    }
    out
}

fn document(
    study: &Study,
    shorts: &[Vec<Short>],
    groups: &[Alike],
    least: Option<u32>,
    seconds: f64,
) -> Value {
    let dataset = &study.loaded.dataset;
    let of = |(example, short): (usize, &Short)| {
        let constants =
            short.constants.iter().map(|(name, amount)| json!({ "constant": name, "contribution": amount }));
        json!({
            "example": dataset.example_name(example), "atom": short.atom, "target": short.target, "value": short.value,
            "baseline": short.baseline, "sum": short.sum, "residual": short.residual,
            "constants": constants.collect::<Vec<_>>(),
        })
    };
    let all = shorts
        .iter()
        .enumerate()
        .flat_map(|(example, shorts)| shorts.iter().map(move |short| (example, short)));
    let group = |group: &Alike| {
        let queries = group.queries.iter().map(|&(example, query)| {
            let query = &dataset.queries[example][query];
            let atom = dataset.vocabulary.atom_text(query.predicate, &query.terms);
            json!({ "example": dataset.example_name(example), "atom": atom, "target": query.target })
        });
        json!({ "queries": queries.collect::<Vec<_>>(), "targets_differ": group.is_conflict })
    };
    json!({
        "explained": all.map(of).collect::<Vec<_>>(), "alike": groups.iter().map(group).collect::<Vec<_>>(),
        "least_wrong": least, "seconds": { "explain": seconds },
    })
}
