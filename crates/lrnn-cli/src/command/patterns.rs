//! `lrnn patterns MODEL DATA`: what the rules of a model answer to most.

use std::fmt::Write as _;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::program::Subject;
use lrnn_lab::table::csv_cell;
use lrnn_report::{
    PatternFinding, PatternReport, SubstructureFinding, SubstructureReport, find_patterns,
    find_substructures, patterns_svg, shortened, substructures_svg,
};

use super::subject::read_subject;
use crate::args::{Common, PatternsArgs};
use crate::failure::{Error, ErrorKind};
use crate::output;
use crate::progress::with_progress;

pub fn run(asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (model, data) = (&asked.asked.model, &asked.asked.data);
    let subject = read_subject(model, Some(data), &asked.asked.molecules, &asked.asked.limits, common)?;
    if asked.substructures {
        return substructures(&subject, asked, common);
    }
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let result = with_progress(common, "looking at example", count, |done| {
        find_patterns(&subject, asked.support.get(), asked.top.get(), done)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    output::say_notes(&result.notes, common);
    if let Some(path) = &asked.svg {
        output::write_picture(path, &patterns_svg("Patterns", &result), common)?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_costed(&result, &[("patterns", Some(seconds))])?;
    } else if asked.csv {
        output::print(&printable(&csv(&result)))?;
    } else {
        let end = format!("{count} examples in {seconds:.2} s\n");
        output::print(&printable(&(tables(&result) + &end + &too_large(result.too_large))))?;
    }
    Ok(0)
}

/// Tells the substructures that raise and lower the value most.
fn substructures(subject: &Subject<'_>, asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let found = with_progress(common, "looking at molecule", count, |done| {
        find_substructures(subject, asked.support.get(), asked.top.get(), done)
    })?;
    let found = found.ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, "the examples are no molecules");
        error.help("a molecule has facts of element/2 and bond/3, or comes from a column of SMILES")
    })?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = &asked.svg {
        output::write_picture(path, &substructures_svg("Substructures", &found), common)?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_costed(&found, &[("substructures", Some(seconds))])?;
    } else if asked.csv {
        output::print(&printable(&substructures_csv(&found)))?;
    } else {
        let end = format!("{} substructures in {count} molecules, {seconds:.2} s\n", found.count);
        output::print(&printable(&(substructures_table(&found) + &end)))?;
    }
    Ok(0)
}

fn substructures_table(report: &SubstructureReport) -> String {
    let row = |it: &SubstructureFinding| {
        vec![
            shortened(&it.name, 40),
            format!("{:+.4}", it.effect),
            it.times.to_string(),
            it.support.to_string(),
            it.confidence.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            shortened(&it.look_at, 40),
        ]
    };
    let head = ["substructure", "effect", "times", "molecules", "target 1", "look at"];
    let mut out = String::new();
    for (heading, findings) in [("raise the value", &report.raising), ("lower the value", &report.lowering)] {
        let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
        let _ = writeln!(out, "{heading}\n{}", output::table(&head, &rows));
    }
    let base = report.base.map(|base| format!("{:.1} % of all molecules have target 1\n", 100.0 * base));
    out + &base.unwrap_or_default()
}

fn substructures_csv(report: &SubstructureReport) -> String {
    let mut out = String::from("substructure,effect,times,molecules,confidence,look_at\n");
    for it in report.raising.iter().chain(report.lowering.iter().rev()) {
        let confidence = it.confidence.map(|share| format!("{share:?}")).unwrap_or_default();
        let (name, look_at) = (csv_cell(&it.name), csv_cell(&it.look_at));
        let _ = writeln!(out, "{name},{:?},{},{},{confidence},{look_at}", it.effect, it.times, it.support);
    }
    out
}

fn tables(report: &PatternReport) -> String {
    let mut out = String::new();
    for rule in &report.rules {
        let _ = writeln!(out, "rule {}: {}", rule.rule, shortened(&rule.text, 100));
        let mut head = ["pattern", "output", "head", "times", "examples"].map(str::to_owned).to_vec();
        head.extend(report.classes.iter().map(|class| format!("lift {class}")));
        head.push("look at".to_owned());
        let row = |pattern: &PatternFinding| {
            let mut row = vec![shortened(pattern.name(), 70), format!("{:.6}", pattern.output)];
            row.extend([shortened(&pattern.head, 40), pattern.times.to_string()]);
            row.push(pattern.examples.to_string());
            row.extend(pattern.classes.iter().map(|class| format!("{:.2}", class.lift)));
            row.push(shortened(&pattern.look_at.join(" "), 60));
            row
        };
        let rows: Vec<Vec<String>> = rule.patterns.iter().map(row).collect();
        let heads: Vec<&str> = head.iter().map(String::as_str).collect();
        out.push_str(&output::table(&heads, &rows));
        if rule.count > rule.patterns.len() {
            let _ = writeln!(out, "... {} patterns more", rule.count - rule.patterns.len());
        }
        out.push('\n');
    }
    out
}

fn too_large(count: u64) -> String {
    let large = output::count(count);
    let text = format!("{large} ground rules have too many facts behind them for a pattern\n");
    if count > 0 { text } else { String::new() }
}

fn csv(report: &PatternReport) -> String {
    let mut out = String::from("rule,pattern,facts,output,head,times,examples,class,support,lift\n");
    for rule in &report.rules {
        for pattern in &rule.patterns {
            let PatternFinding { output, times, examples, classes, .. } = pattern;
            let [name, facts, head] = [pattern.name(), &pattern.facts, &pattern.head].map(csv_cell);
            let start = format!("{},{name},{facts},{output:?},{head},{times},{examples}", rule.rule);
            if classes.is_empty() {
                let _ = writeln!(out, "{start},,,");
            }
            for class in classes {
                let _ =
                    writeln!(out, "{start},{},{},{:?}", csv_cell(&class.class), class.support, class.lift);
            }
        }
    }
    out
}
