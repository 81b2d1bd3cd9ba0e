//! Explanations as text: contributions, what the template cannot tell apart, and trees of rules and facts.

use std::fmt::Write as _;

use lrnn::data::Value;
use lrnn::explain::{Tree, TreeKind};
use lrnn::program::{
    AtomContributions, AtomExplanation, DatasetExplanation, GroupedQuery, QueryGroup, Subject,
    least_wrong_sentence,
};

use crate::table::columns;
use crate::{explained_molecule, shortened};

/// The width of a fact in a list, and of a name in the table of all examples.
const WIDE: usize = 90;
const NARROW: usize = 40;

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
        format!("{} ({})", shortened(&query.example, 40), target(query.target.as_ref()))
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

/// Returns a number with its sign and six digits behind the point.
fn signed(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-6 { format!("{number:+.1e}") } else { format!("{number:+.6}") }
}

/// Returns an explanation as text, with its `top` contributions.
pub fn explanation_text(subject: &Subject<'_>, example: usize, one: &AtomExplanation, top: usize) -> String {
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
        out += &(columns(&["value without", "change", "fact"], &changes) + "\n");
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
    out.push_str(&columns(&["contribution", what], &rows));
    out.push('\n');
}

/// Returns explanations as a table, a row for each query.
pub fn explanations_text(all: &DatasetExplanation, seconds: f64) -> String {
    const TOP: usize = 3;
    let row = |one: &AtomContributions| {
        let all = if one.parts.is_empty() { &one.constants } else { &one.parts };
        let top = all.iter().take(TOP);
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
    let mut out = columns(&head, &rows);
    let count = rows.len();
    let _ =
        writeln!(out, "\n{count} queries explained in {seconds:.2} s; the largest residual is {worst:.1e}");
    alike_sentences(all).iter().for_each(|sentence| out += &format!("{sentence}\n"));
    out
}

fn target(target: Option<&Value>) -> String {
    target.and_then(|target| target.numbers.first()).map_or_else(|| "-".to_owned(), ToString::to_string)
}
