//! `lrnn ground TEMPLATE DATA`: counts, plans, or the ground rules themselves.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::network::NeuronCounts;
use lrnn::program::RuleJoin;
use serde::Serialize;

use crate::args::{Common, GroundArgs};
use crate::failure::Error;
use crate::load::{ProgramInput, load};
use crate::output;
use crate::progress::with_progress;

/// The neurons of all examples.
#[derive(Serialize)]
struct GroundReport {
    neurons: NeuronCounts,
    examples: usize,
    per_example: Vec<NeuronCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ground_clauses: Option<Vec<Vec<String>>>,
}

/// The plans of all rules.
#[derive(Serialize)]
struct PlanReport {
    rules: Vec<RuleJoin>,
    expected: f64,
    bytes: f64,
    examples: usize,
}

pub fn run(ground: &GroundArgs, common: &Common) -> Result<u8, Error> {
    let loaded = {
        let paths = (&*ground.template, ground.data.as_deref());
        load(paths, &ground.columns.columns(), &ground.options, &ground.limits, common)?
    };
    if ground.plan {
        print_plans(&loaded, common)?;
        return Ok(0);
    }
    let start = Instant::now();
    let ProgramInput { program, dataset, .. } = &loaded;
    let results = with_progress(common, "grounding example", dataset.examples.len(), |done| {
        program.for_each_grounding(dataset, |_, grounding| {
            let clauses = ground.rules.then(|| program.clauses(&dataset.vocabulary, &grounding));
            done.fetch_add(1, Ordering::Relaxed);
            (NeuronCounts::of(&grounding), clauses)
        })
    });
    let (per_example, clauses): (Vec<NeuronCounts>, Vec<Option<Vec<String>>>) = results?.into_iter().unzip();
    let report = GroundReport {
        neurons: per_example.iter().fold(NeuronCounts::default(), |sum, counts| sum.plus(*counts)),
        examples: per_example.len(),
        per_example,
        ground_clauses: clauses.into_iter().collect(),
    };
    let seconds = start.elapsed().as_secs_f64();
    match common.json {
        true => output::print_costed(&report, &[("read", Some(loaded.seconds)), ("ground", Some(seconds))])?,
        false => output::print(&text(&loaded, &report, seconds, common))?,
    }
    Ok(0)
}

fn text(loaded: &ProgramInput, report: &GroundReport, seconds: f64, common: &Common) -> String {
    let mut out = String::new();
    for (example, clauses) in report.ground_clauses.iter().flatten().enumerate() {
        let _ = writeln!(out, "% example {}", printable(&loaded.dataset.example_name(example)));
        for clause in clauses {
            let _ = writeln!(out, "{}", printable(clause));
        }
    }
    let row = |name: String, counts: NeuronCounts| {
        let numbers = [counts.fact, counts.atom, counts.rule, counts.aggregation];
        [name].into_iter().chain(numbers.map(|number| output::count(number as u64))).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    if common.verbose {
        let names = (0..report.examples).map(|example| printable(&loaded.dataset.example_name(example)));
        rows.extend(names.zip(&report.per_example).map(|(name, counts)| row(name, *counts)));
    }
    rows.push(row("all".into(), report.neurons));
    out.push_str(&output::table(&["neurons", "fact", "atom", "rule", "aggregation"], &rows));
    let memory = output::peak_memory_bytes()
        .map_or(String::new(), |peak| format!(", {} of memory", output::bytes(peak as f64)));
    let (examples, plural) = (report.examples, if report.examples == 1 { "" } else { "s" });
    let read = loaded.seconds;
    let _ =
        writeln!(out, "{examples} example{plural}: read in {read:.3} s, grounded in {seconds:.3} s{memory}");
    out
}

fn print_plans(loaded: &ProgramInput, common: &Common) -> Result<(), Error> {
    let rules = loaded.program.joins();
    let (expected, bytes) =
        (rules.iter().map(|rule| rule.expected).sum(), rules.iter().map(|rule| rule.bytes).sum());
    let report = PlanReport { rules, expected, bytes, examples: loaded.dataset.examples.len() };
    if common.json {
        return output::print_json(&report);
    }
    let count = |number: f64| match number < 1e15 {
        true => output::count(number.round() as u64),
        false => format!("{number:.1e}"),
    };
    let row = |rule: &RuleJoin| {
        let (per_example, all) = (count(rule.expected_per_example), count(rule.expected));
        vec![
            rule.line.to_string(),
            rule.head.clone(),
            rule.join.join(", "),
            per_example,
            all,
            output::bytes(rule.bytes),
        ]
    };
    let rows: Vec<Vec<String>> = report.rules.iter().map(row).collect();
    let head = ["line", "head", "join order", "per example", "in all", "memory"];
    let (all, memory) = (count(report.expected), output::bytes(report.bytes));
    let sum = format!("expected: {all} ground rules in all, {memory} if all were kept\n");
    output::print(&printable(&(output::table(&head, &rows) + &sum)))
}
