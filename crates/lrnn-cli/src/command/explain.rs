//! `lrnn explain MODEL DATA [--example NAME]`: why a model gives its values.

use std::fmt::Write as _;
use std::time::Instant;

use lrnn::Settings;
use lrnn::data::Value;
use lrnn::diagnostic::printable;
use lrnn::program::{AtomContributions, AtomExplanation, DatasetExplanation, Subject};
use lrnn_report::{alike_sentences, explained_molecule, fixed, shortened, tree_text};

use super::subject::read_subject;
use crate::args::{Common, ExplainArgs};
use crate::failure::Error;
use crate::output;
use crate::progress::with_progress;

/// The width of a fact in a list, and of a name in the table of all examples.
const WIDE: usize = 90;
const NARROW: usize = 40;

pub fn run(explain: &ExplainArgs, common: &Common) -> Result<u8, Error> {
    let asked = &explain.asked;
    let mut subject = read_subject(&asked.model, Some(&asked.data), &asked.molecules, &asked.limits, common)?;
    if let Some(text) = asked.unentailed.as_ref().filter(|_| subject.model.is_some()) {
        let mut settings = Settings::default();
        settings.set("unentailed", text)?;
        subject.unentailed = settings.unentailed;
    }
    match &explain.example {
        Some(name) => one(&subject, explain, subject.example(name)?, common),
        None if subject.dataset.examples.len() == 1 => one(&subject, explain, 0, common),
        None => all(&subject, explain, common),
    }
}

fn one(subject: &Subject<'_>, explain: &ExplainArgs, example: usize, common: &Common) -> Result<u8, Error> {
    let (element, top) = (explain.element.get() - 1, explain.top.get());
    let found = subject.explain(example, explain.query.as_deref(), element, top)?;
    output::say_notes(&found.notes, common);
    if common.json {
        output::print_json(&found)?;
        return Ok(0);
    }
    let texts: Vec<String> =
        found.explained.iter().map(|one| explanation(subject, example, one, top)).collect();
    output::print(&printable(&texts.join("\n")))?;
    let more = (found.left_out > 0).then(|| format!("{} atoms more are left out", found.left_out));
    output::say_notes(more, common);
    Ok(0)
}

fn all(subject: &Subject<'_>, explain: &ExplainArgs, common: &Common) -> Result<u8, Error> {
    let start = Instant::now();
    let count = subject.dataset.examples.len();
    let element = explain.element.get() - 1;
    let result =
        with_progress(common, "explaining example", count, |done| subject.explain_all(element, done))?;
    output::say_notes(&result.notes, common);
    let seconds = start.elapsed().as_secs_f64();
    match common.json {
        true => output::print_costed(&result, &[("explain", Some(seconds))])?,
        false => output::print(&printable(&summary(&result, seconds)))?,
    }
    Ok(0)
}

/// Returns a number with its sign and six digits behind the point.
fn signed(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-6 { format!("{number:+.1e}") } else { format!("{number:+.6}") }
}

fn explanation(subject: &Subject<'_>, example: usize, one: &AtomExplanation, top: usize) -> String {
    let parts = explained_molecule(subject, example, one).map(|found| found.0);
    let found = &one.contributions;
    let AtomContributions { example: name, atom, value, baseline, sum, residual, orders, .. } = found;
    let target = found.target.as_ref().and_then(Value::number);
    let target = target.map_or_else(String::new, |target| format!(", should be {target}"));
    let mut out = format!("{name}: {atom} = {}{target}\n", fixed(*value));
    let _ = writeln!(
        out,
        "baseline {}, what the model says without the example's facts; they add {}, residual {residual:.1e}\n\
         contributions are means over {orders} orders in which facts are taken away\n",
        fixed(*baseline),
        signed(*sum)
    );
    let what = if parts.is_some() { "part" } else { "constant" };
    let constants = parts.as_ref().unwrap_or(&found.constants).iter();
    let constants = constants.map(|it| (it.constant.clone(), it.contribution));
    list(&mut out, what, &constants.collect::<Vec<_>>(), top);
    let facts = one.facts.iter().map(|it| (it.facts.join(", "), it.contribution));
    list(&mut out, "fact", &facts.collect::<Vec<_>>(), top);
    let changes = one.changes.iter().map(|it| {
        vec![fixed(it.value_without), signed(it.value_without - value), shortened(&it.facts, WIDE)]
    });
    let changes: Vec<Vec<String>> = changes.collect();
    if !changes.is_empty() {
        out += &(output::table(&["value without", "change", "fact"], &changes) + "\n");
    }
    out.push_str("why\n");
    out + &tree_text(&one.tree)
}

/// Lists the first amounts, and the rest as one.
fn list(out: &mut String, what: &str, all: &[(String, f64)], top: usize) {
    if all.is_empty() {
        return;
    }
    let mut rows: Vec<Vec<String>> =
        all.iter().take(top).map(|(name, amount)| vec![signed(*amount), shortened(name, WIDE)]).collect();
    if all.len() > top {
        let rest = all[top..].iter().map(|(_, amount)| amount).sum::<f64>();
        rows.push(vec![signed(rest), format!("{} {what}s more, together", all.len() - top)]);
    }
    out.push_str(&output::table(&["contribution", what], &rows));
    out.push('\n');
}

fn summary(all: &DatasetExplanation, seconds: f64) -> String {
    const TOP: usize = 3;
    let row = |one: &AtomContributions| {
        let top = one.constants.iter().take(TOP);
        let top = top.map(|it| format!("{} {}", shortened(&it.constant, NARROW), signed(it.contribution)));
        vec![
            shortened(&one.example, NARROW),
            shortened(&one.atom, NARROW),
            target(one.target.as_ref()),
            format!("{:.6}", one.value),
            format!("{:.6}", one.baseline),
            signed(one.sum),
            top.collect::<Vec<_>>().join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = all.explained.iter().map(row).collect();
    let head = ["example", "query", "target", "value", "baseline", "sum", "what contributes most"];
    let worst = all.explained.iter().map(|one| one.residual.abs()).fold(0.0, f64::max);
    let mut out = output::table(&head, &rows);
    let count = rows.len();
    let _ =
        writeln!(out, "\n{count} queries explained in {seconds:.2} s; the largest residual is {worst:.1e}");
    alike_sentences(all).iter().for_each(|sentence| out += &format!("{sentence}\n"));
    out
}

fn target(target: Option<&Value>) -> String {
    target.and_then(|target| target.numbers.first()).map_or_else(|| "-".to_owned(), ToString::to_string)
}
