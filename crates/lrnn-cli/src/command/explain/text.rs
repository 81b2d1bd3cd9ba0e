//! An explanation for people.

use std::fmt::Write as _;

use lrnn::diagnostic::printable;
use lrnn::explain::{Tree, TreeKind};

use lrnn_report::gather::Explained;

use super::one::One;
use crate::output;

/// A number with its sign and six digits behind the point.
pub fn signed(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-6 { format!("{number:+.1e}") } else { format!("{number:+.6}") }
}

fn plain(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

const WIDE: usize = 90;

pub fn of(one: &One, top: usize) -> String {
    let explained = &one.explained;
    let found = &explained.contributions;
    let mut out = String::new();
    let target = match one.target.as_deref() {
        Some([target]) => format!(", should be {target}"),
        _ => String::new(),
    };
    let (example, atom) = (&one.example, &one.atom);
    let _ = writeln!(out, "{example}: {atom} = {}{target}", plain(found.value));
    let _ = writeln!(
        out,
        "baseline {}, what the model says without the example's facts; they add {}, residual {:.1e}",
        plain(found.baseline),
        signed(found.sum()),
        found.residual()
    );
    let _ =
        writeln!(out, "contributions are means over {} orders in which facts are taken away\n", found.orders);
    list(&mut out, "constant", &explained.constants, top);
    let facts = explained.facts.iter().map(|(facts, amount)| (facts.join(", "), *amount));
    list(&mut out, "fact", &facts.collect::<Vec<_>>(), top);
    changes(&mut out, explained);
    let _ = writeln!(out, "why");
    branch(&mut out, &explained.tree, "", "");
    printable(&out)
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

fn changes(out: &mut String, explained: &Explained) {
    let row = |(fact, without): &(String, f64)| {
        vec![plain(*without), signed(without - explained.contributions.value), shortened(fact, WIDE)]
    };
    let rows: Vec<Vec<String>> = explained.changes.iter().map(row).collect();
    if !rows.is_empty() {
        out.push_str(&output::table(&["value without", "change", "fact"], &rows));
        out.push('\n');
    }
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
