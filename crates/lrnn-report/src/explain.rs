//! Explanations as text: what the template cannot tell apart, and trees of rules and facts.

use std::fmt::Write as _;

use lrnn::explain::{Tree, TreeKind};
use lrnn::program::{DatasetExplanation, GroupedQuery, QueryGroup, least_wrong_sentence};

use crate::shortened;

/// Returns sentences about what the template cannot tell apart, and what follows for the accuracy of any weights.
pub fn alike_sentences(found: &DatasetExplanation) -> Vec<String> {
    const GROUPS: usize = 10;
    let mut all = Vec::new();
    let queries: usize = found.alike.iter().map(|group| group.queries.len()).sum();
    all.push(match found.alike.len() {
        0 => "the template tells all queries apart".to_owned(),
        groups => format!("{queries} queries are in {groups} groups that the template cannot tell apart"),
    });
    let conflicts: Vec<&QueryGroup> = found.alike.iter().filter(|group| group.targets_differ).collect();
    all.extend(conflicts.iter().take(GROUPS).map(|group| group_sentence(group)));
    if conflicts.len() > GROUPS {
        all.push(format!("  and {} groups more", conflicts.len() - GROUPS));
    }
    let answers = found.answers;
    all.extend(found.least_wrong.map(|least| least_wrong_sentence(Some(least), answers)));
    if let Some(least) = found.least_wrong.filter(|&least| least > 0 && answers > 0) {
        let best = 100.0 * f64::from(answers.saturating_sub(least)) / f64::from(answers);
        all.push(format!("so no weights have an accuracy above {best:.1} %"));
    }
    all
}

fn group_sentence(group: &QueryGroup) -> String {
    const QUERIES: usize = 8;
    let query = |query: &GroupedQuery| {
        let target = query.target.as_ref().and_then(|target| target.numbers.first());
        let target = target.map_or_else(|| "-".to_owned(), ToString::to_string);
        format!("{} ({target})", shortened(&query.example, 40))
    };
    let names: Vec<String> = group.queries.iter().take(QUERIES).map(query).collect();
    let more = if group.queries.len() > QUERIES { ", ..." } else { "" };
    format!("  with different targets: {}{more}", names.join(", "))
}

/// Writes a number with at most six digits behind the point.
pub fn fixed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Draws a tree of rules and facts as lines of text.
pub fn tree_text(tree: &Tree) -> String {
    let mut out = String::new();
    branch(&mut out, tree, "", "");
    out
}

fn numbers(numbers: &[f64]) -> String {
    match numbers {
        [number] => fixed(*number),
        numbers => {
            let shown: Vec<String> = numbers.iter().take(4).map(|number| fixed(*number)).collect();
            let more = if numbers.len() > 4 { ", ..." } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
    }
}

/// Writes a node and all below it.
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
