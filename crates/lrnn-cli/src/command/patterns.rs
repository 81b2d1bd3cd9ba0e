//! `lrnn patterns MODEL DATA`: what the rules of a model answer to most.

use std::fmt::Write as _;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn_io::write_atomically;
use lrnn_lab::table::csv_cell;
use lrnn_report::{PatternFinding, PatternReport, find_patterns, patterns_svg, shortened};

use super::subject::read_subject;
use crate::args::{Common, PatternsArgs};
use crate::failure::Error;
use crate::output;
use crate::progress::with_progress;

pub fn run(asked: &PatternsArgs, common: &Common) -> Result<u8, Error> {
    let (model, data) = (&asked.asked.model, &asked.asked.data);
    let subject = read_subject(model, Some(data), &asked.asked.limits, common)?;
    let (start, count) = (Instant::now(), subject.dataset.examples.len());
    let result = with_progress(common, "looking at example", count, |done| {
        find_patterns(&subject, asked.support.get(), asked.top.get(), done)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    output::say_notes(&result.notes, common);
    if let Some(path) = &asked.svg {
        write_atomically(path, patterns_svg("Patterns", &result).as_bytes())?;
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
