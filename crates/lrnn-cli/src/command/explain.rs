//! `lrnn explain MODEL DATA [--example NAME]`: why a model gives its values.

use std::fmt::Write as _;
use std::time::Instant;

use lrnn::Settings;
use lrnn::data::Value;
use lrnn::diagnostic::printable;
use lrnn::explain::{Tree, TreeKind};
use lrnn::program::least_wrong_sentence;
use lrnn_report::{
    AtomContributions, AtomExplanation, DatasetExplanation, QueryGroup, Subject, explain_all,
    explain_example, shortened,
};
use serde::Serialize;

use super::subject::{Timed, read_subject};
use crate::args::{Common, Explain};
use crate::failure::Error;
use crate::output;
use crate::progress::with_progress;

/// The width of a fact in a list, and of a name in the table of all examples.
const WIDE: usize = 90;
const NARROW: usize = 40;

#[derive(Serialize)]
struct Seconds {
    explain: f64,
}

pub fn run(explain: &Explain, common: &Common) -> Result<u8, Error> {
    let asked = &explain.asked;
    let mut subject = read_subject(&asked.model, Some(&asked.data), &asked.limits, common)?;
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

fn one(subject: &Subject<'_>, explain: &Explain, example: usize, common: &Common) -> Result<u8, Error> {
    let (element, top) = (explain.element.get() - 1, explain.top.get());
    let found = explain_example(subject, example, explain.query.as_deref(), element, top)?;
    output::say_notes(&found.notes, common);
    if common.json {
        output::print_json(&found)?;
        return Ok(0);
    }
    let texts: Vec<String> = found.explained.iter().map(|one| explanation(one, top)).collect();
    output::print(&printable(&texts.join("\n")))?;
    let more = (found.left_out > 0).then(|| format!("{} atoms more are left out", found.left_out));
    output::say_notes(more, common);
    Ok(0)
}

fn all(subject: &Subject<'_>, explain: &Explain, common: &Common) -> Result<u8, Error> {
    let start = Instant::now();
    let count = subject.dataset.examples.len();
    let element = explain.element.get() - 1;
    let result =
        with_progress(common, "explaining example", count, |done| explain_all(subject, element, done))?;
    output::say_notes(&result.notes, common);
    let seconds = Seconds { explain: start.elapsed().as_secs_f64() };
    let timed = Timed { result, seconds };
    match common.json {
        true => output::print_json(&timed)?,
        false => output::print(&printable(&summary(&timed.result, timed.seconds.explain)))?,
    }
    Ok(0)
}

/// A number with its sign and six digits behind the point.
fn signed(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-6 { format!("{number:+.1e}") } else { format!("{number:+.6}") }
}

fn plain(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn explanation(one: &AtomExplanation, top: usize) -> String {
    let found = &one.contributions;
    let AtomContributions { example, atom, value, baseline, sum, residual, orders, .. } = found;
    let target = found.target.as_ref().and_then(Value::number);
    let target = target.map_or_else(String::new, |target| format!(", should be {target}"));
    let mut out = format!("{example}: {atom} = {}{target}\n", plain(*value));
    let _ = writeln!(
        out,
        "baseline {}, what the model says without the example's facts; they add {}, residual {residual:.1e}\n\
         contributions are means over {orders} orders in which facts are taken away\n",
        plain(*baseline),
        signed(*sum)
    );
    let constants = found.constants.iter().map(|it| (it.constant.clone(), it.contribution));
    list(&mut out, "constant", &constants.collect::<Vec<_>>(), top);
    let facts = one.facts.iter().map(|it| (it.facts.join(", "), it.contribution));
    list(&mut out, "fact", &facts.collect::<Vec<_>>(), top);
    let changes = one.changes.iter().map(|it| {
        vec![plain(it.value_without), signed(it.value_without - value), shortened(&it.facts, WIDE)]
    });
    let changes: Vec<Vec<String>> = changes.collect();
    if !changes.is_empty() {
        out += &(output::table(&["value without", "change", "fact"], &changes) + "\n");
    }
    out.push_str("why\n");
    branch(&mut out, &one.tree, "", "");
    out
}

/// The first amounts, and the rest as one.
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

fn numbers(numbers: &[f64]) -> String {
    match numbers {
        [number] => plain(*number),
        numbers => {
            let shown: Vec<String> = numbers.iter().take(4).map(|number| plain(*number)).collect();
            let more = if numbers.len() > 4 { ", ..." } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
    }
}

/// A node and all below it.
fn branch(out: &mut String, tree: &Tree, first: &str, rest: &str) {
    let weight = if tree.weight == [1.0] || tree.weight.is_empty() {
        String::new()
    } else {
        format!("{} * ", numbers(&tree.weight))
    };
    let note = if tree.note.is_empty() { String::new() } else { format!("  ({})", tree.note) };
    let text = shortened(&tree.text, 120);
    let line = match tree.kind {
        TreeKind::Folded => format!("... {text}"),
        TreeKind::Fact => format!("{weight}fact"),
        _ => format!("{weight}{}  {text}{note}", numbers(&tree.value)),
    };
    let _ = writeln!(out, "{first}{line}");
    for (at, below) in tree.below.iter().enumerate() {
        let is_last = at + 1 == tree.below.len();
        let (branching, passing) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        branch(out, below, &format!("{rest}{branching}"), &format!("{rest}{passing}"));
    }
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
    alike(&mut out, &all.alike);
    if let Some(least) = all.least_wrong {
        let answers = all.answers;
        let _ = writeln!(out, "{}", least_wrong_sentence(Some(least), answers));
        if least > 0 && answers > 0 {
            let best = 100.0 * f64::from(answers - least) / f64::from(answers);
            let _ = writeln!(out, "so no weights have an accuracy above {best:.1} %");
        }
    }
    out
}

fn target(target: Option<&Value>) -> String {
    target.and_then(|target| target.numbers.first()).map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// The groups whose targets differ, and how many others there are.
fn alike(out: &mut String, groups: &[QueryGroup]) {
    const GROUPS: usize = 10;
    const QUERIES: usize = 8;
    if groups.is_empty() {
        out.push_str("the template tells all queries apart\n");
        return;
    }
    let queries: usize = groups.iter().map(|group| group.queries.len()).sum();
    let _ =
        writeln!(out, "{queries} queries are in {} groups that the template cannot tell apart", groups.len());
    let conflicts: Vec<&QueryGroup> = groups.iter().filter(|group| group.targets_differ).collect();
    for group in conflicts.iter().take(GROUPS) {
        let names = group.queries.iter().take(QUERIES);
        let names =
            names.map(|it| format!("{} ({})", shortened(&it.example, NARROW), target(it.target.as_ref())));
        let more = if group.queries.len() > QUERIES { ", ..." } else { "" };
        let _ = writeln!(out, "  with different targets: {}{more}", names.collect::<Vec<_>>().join(", "));
    }
    if conflicts.len() > GROUPS {
        let _ = writeln!(out, "  and {} groups more", conflicts.len() - GROUPS);
    }
}
