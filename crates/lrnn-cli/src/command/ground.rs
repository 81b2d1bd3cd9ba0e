//! `lrnn ground TEMPLATE DATA`: counts, plans, or the ground rules themselves.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::ground::{Grounding, Plans, RuleReport};
use lrnn::network::NeuronCounts;
use lrnn::template::Term;
use serde_json::{Value, json};

use crate::args::{Common, Ground};
use crate::failure::Error;
use crate::load::{Loaded, load};
use crate::output;
use crate::progress::with_progress;

pub fn run(ground: &Ground, common: &Common) -> Result<u8, Error> {
    let loaded = load(&ground.template, ground.data.as_deref(), &ground.options, &ground.limits, common)?;
    if ground.plan {
        print_plans(&loaded, loaded.program.plans(), common)?;
        return Ok(0);
    }
    let start = Instant::now();
    let all = loaded.dataset.examples.len();
    let results = with_progress(common, "grounding example", all, |done| {
        loaded.program.for_each_grounding(&loaded.dataset, |example, grounding| {
            let text = if ground.rules {
                rules_text(&loaded, example, &grounding, common.json)
            } else {
                String::new()
            };
            done.fetch_add(1, Ordering::Relaxed);
            (NeuronCounts::of(&grounding), text)
        })
    });
    let results = results?;
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        print_json(&loaded, &results, seconds, ground.rules)?;
    } else {
        print_text(&loaded, &results, seconds, common)?;
    }
    Ok(0)
}

type Results = [(NeuronCounts, String)];

fn total(results: &Results) -> NeuronCounts {
    results.iter().fold(NeuronCounts::default(), |sum, (counts, _)| sum.plus(*counts))
}

fn print_json(loaded: &Loaded, results: &Results, seconds: f64, rules: bool) -> Result<(), Error> {
    let mut document = json!({
        "neurons": total(results),
        "examples": results.len(),
        "per_example": results.iter().map(|(counts, _)| counts).collect::<Vec<_>>(),
        "seconds": { "read": loaded.seconds, "ground": seconds },
        "peak_memory_bytes": output::peak_memory_bytes(),
    });
    if rules {
        let clauses = results.iter().map(|(_, text)| text.lines().map(Value::from).collect::<Vec<_>>());
        document["ground_clauses"] = clauses.map(Value::from).collect();
    }
    output::print_json(&document)?;
    Ok(())
}

fn print_text(loaded: &Loaded, results: &Results, seconds: f64, common: &Common) -> Result<(), Error> {
    let mut out: String = results.iter().map(|(_, text)| text.as_str()).collect();
    let row = |name: String, counts: NeuronCounts| {
        let numbers = [counts.fact, counts.atom, counts.rule, counts.aggregation];
        [name].into_iter().chain(numbers.map(|number| output::count(number as u64))).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    if common.verbose {
        let names = (0..results.len()).map(|example| printable(&loaded.dataset.example_name(example)));
        rows.extend(names.zip(results).map(|(name, (counts, _))| row(name, *counts)));
    }
    rows.push(row("all".into(), total(results)));
    out.push_str(&output::table(&["neurons", "fact", "atom", "rule", "aggregation"], &rows));
    let memory = output::peak_memory_bytes()
        .map_or(String::new(), |peak| format!(", {} of memory", output::bytes(peak as f64)));
    let examples = results.len();
    let plural = if examples == 1 { "" } else { "s" };
    let _ = writeln!(
        out,
        "{examples} example{plural}: read in {:.3} s, grounded in {seconds:.3} s{memory}",
        loaded.seconds
    );
    output::print(&out)?;
    Ok(())
}

/// The ground facts and rules of an example, one a line.
fn rules_text(loaded: &Loaded, example: usize, grounding: &Grounding, bare: bool) -> String {
    let vocabulary = &loaded.dataset.vocabulary;
    let mut out = String::new();
    if !bare {
        let _ = writeln!(out, "% example {}", loaded.dataset.example_name(example));
    }
    for (fact, _) in grounding.fact_texts(vocabulary) {
        let _ = writeln!(out, "{fact}.");
    }
    for rule in loaded.program.template().rule_ids() {
        for ground in 0..grounding.rules[rule.index()].len() {
            let _ = writeln!(
                out,
                "{}.",
                grounding.rule_text(loaded.program.template(), vocabulary, rule, ground)
            );
        }
    }
    if bare { out } else { printable(&out) }
}

fn print_plans(loaded: &Loaded, plans: &Plans, common: &Common) -> Result<(), Error> {
    let sum = |of: fn(&RuleReport) -> f64| plans.reports().iter().map(of).sum::<f64>();
    let (total, bytes) = (sum(|report| report.total), sum(|report| report.bytes));
    if common.json {
        let rules: Vec<Value> = plans.reports().iter().map(|report| plan_json(loaded, report)).collect();
        let document = json!({ "rules": rules, "expected": total, "bytes": bytes, "examples": loaded.dataset.examples.len() });
        output::print_json(&document)?;
        return Ok(());
    }
    let rows: Vec<Vec<String>> = plans
        .reports()
        .iter()
        .map(|report| {
            let (line, _) = loaded.program.sources().line_column(report.span.source, report.span.start);
            let head = &loaded.program.template().rule(report.rule).head;
            let head = loaded.dataset.vocabulary.signature(head.predicate).to_string();
            vec![
                line.to_string(),
                head,
                join_text(loaded, report),
                expected(report.per_example),
                expected(report.total),
                output::bytes(report.bytes),
            ]
        })
        .collect();
    let head = ["line", "head", "join order", "per example", "in all", "memory"];
    let sum = format!(
        "expected: {} ground rules in all, {} if all were kept\n",
        expected(total),
        output::bytes(bytes)
    );
    output::print(&printable(&(output::table(&head, &rows) + &sum)))?;
    Ok(())
}

fn expected(number: f64) -> String {
    if number < 1e15 { output::count(number.round() as u64) } else { format!("{number:.1e}") }
}

fn plan_json(loaded: &Loaded, report: &RuleReport) -> Value {
    let (line, _) = loaded.program.sources().line_column(report.span.source, report.span.start);
    json!({
        "rule": report.rule.0, "file": loaded.program.sources().name(report.span.source), "line": line,
        "join": literals(loaded, report), "expected_per_example": report.per_example,
        "expected": report.total, "bytes": report.bytes,
    })
}

fn join_text(loaded: &Loaded, report: &RuleReport) -> String {
    literals(loaded, report).join(", ")
}

/// The literals in the order of the join, then the variables that range over all constants.
fn literals(loaded: &Loaded, report: &RuleReport) -> Vec<String> {
    let rule = loaded.program.template().rule(report.rule);
    let atoms: Vec<_> = rule.positive().collect();
    let mut texts = Vec::new();
    for (&literal, bound) in report.order.iter().zip(&report.bound) {
        let atom = atoms[literal];
        let terms: Vec<String> = (atom.terms.iter().enumerate())
            .map(|(column, term)| {
                let mark = if bound.contains(&column) { "+" } else { "-" };
                match term {
                    Term::Variable(variable) => format!("{mark}{}", rule.variables[variable.index()]),
                    Term::Constant(constant) => loaded.dataset.vocabulary.constant(*constant).to_string(),
                }
            })
            .collect();
        let name = &loaded.dataset.vocabulary.signature(atom.predicate).name;
        texts.push(if terms.is_empty() { name.to_string() } else { format!("{name}({})", terms.join(", ")) });
    }
    texts.extend(
        report.free.iter().map(|variable| format!("all constants as {}", rule.variables[variable.index()])),
    );
    texts
}
