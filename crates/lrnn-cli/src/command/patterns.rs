//! `lrnn patterns MODEL DATA`: what the rules of a model answer to most.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::explain::{Finder, Found, Pattern, patterns};
use lrnn::ground::{Grounding, Plans, Statistics, for_each_grounding};
use lrnn::network::NetworkError;
use lrnn_io::write_atomically;
use lrnn_lab::table::csv_cell;
use lrnn_report::gather::{Subject, classes};
use lrnn_report::{PatternView, patterns_svg};
use serde_json::{Value, json};

use super::study::Study;
use crate::args::{Common, Patterns};
use crate::failure::Error;
use crate::load;
use crate::output;
use crate::progress::with_progress;

/// Examples to look at, at most.
const EXAMPLES: usize = 5;

/// What was found, with the classes of the examples.
struct Findings<'a> {
    study: &'a Study,
    classes: Vec<String>,
    /// By rule, those that are shown; and how many there are.
    rules: Vec<(usize, Vec<Pattern>, usize)>,
    too_large: u64,
    seconds: f64,
}

pub fn run(asked: &Patterns, common: &Common) -> Result<u8, Error> {
    let study = Study::new(&asked.asked.model, Some(&asked.asked.data), common)?;
    let (template, dataset) = (&study.loaded.template, &study.loaded.dataset);
    let limits = load::limits(&asked.asked.limits, &study.loaded.config);
    let (start, subject) = (Instant::now(), study.subject());
    let plans = Plans::new(template, &Statistics::of(dataset));
    let found = with_progress(common, "looking at example", dataset.examples.len(), |done| {
        for_each_grounding(template, dataset, &plans, &limits, |example, grounding| {
            let found = look(&subject, example, &grounding);
            done.fetch_add(1, Ordering::Relaxed);
            found.map_err(|error| study.failure(example, &error))
        })
    });
    let found = found.map_err(|error| study.loaded.ground_failure(&error))?;
    let (found, unset): (Vec<Found>, Vec<BTreeSet<String>>) =
        found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    study.say_unset(&unset.into_iter().flatten().collect(), common);
    let (names, classes) = classes(dataset);
    let joined = patterns(&found, &classes, names.len());
    let mut rules: Vec<(usize, Vec<Pattern>, usize)> = Vec::new();
    for pattern in joined.patterns.into_iter().filter(|pattern| pattern.examples.len() >= asked.support.get())
    {
        if rules.last().is_none_or(|last| last.0 != pattern.rule.index()) {
            rules.push((pattern.rule.index(), Vec::new(), 0));
        }
        let Some((_, shown, count)) = rules.last_mut() else { continue };
        *count += 1;
        if shown.len() < asked.top.get() {
            shown.push(pattern);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let result = Findings { study: &study, classes: names, rules, too_large: joined.too_large, seconds };
    if let Some(path) = &asked.svg {
        write_atomically(path, result.svg().as_bytes())?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_json(&result.document())?;
    } else if asked.csv {
        output::print(&printable(&result.csv()))?;
    } else {
        output::print(&printable(&result.text()))?;
    }
    Ok(0)
}

/// The patterns of an example, and the weights behind them that the model has not learned.
fn look(
    subject: &Subject<'_>,
    example: usize,
    grounding: &Grounding,
) -> Result<(Found, BTreeSet<String>), NetworkError> {
    let roots = subject.roots(example, grounding);
    let proof = subject.proof(example, grounding, &roots)?;
    Ok((Finder::find(&proof, &subject.kept), proof.unset(&subject.weights)))
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl Findings<'_> {
    fn name(&self, pattern: &Pattern) -> String {
        let vocabulary = &self.study.loaded.dataset.vocabulary;
        pattern.form.short(vocabulary).unwrap_or_else(|| pattern.form.text(vocabulary))
    }

    fn line(&self, rule: usize) -> String {
        let span = self.study.loaded.template.rules[rule].span;
        self.study.loaded.sources.line_text(span.source, span.start).trim().to_owned()
    }

    fn examples(&self, pattern: &Pattern) -> Vec<String> {
        let name = |&example: &usize| self.study.loaded.dataset.example_name(example);
        pattern.examples.iter().take(EXAMPLES).map(name).collect()
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (rule, patterns, count) in &self.rules {
            let _ = writeln!(out, "rule {}: {}", rule + 1, shortened(&self.line(*rule), 100));
            let mut head = vec!["pattern".to_owned(), "output".to_owned(), "head".to_owned()];
            head.extend(["times", "examples"].map(str::to_owned));
            head.extend(self.classes.iter().map(|class| format!("lift {class}")));
            head.push("look at".to_owned());
            let row = |pattern: &Pattern| {
                let mut row = vec![shortened(&self.name(pattern), 70), format!("{:.6}", pattern.value)];
                row.extend([shortened(&pattern.head, 40), pattern.count.to_string()]);
                row.push(pattern.examples.len().to_string());
                row.extend(pattern.lift.iter().map(|lift| format!("{lift:.2}")));
                row.push(shortened(&self.examples(pattern).join(" "), 60));
                row
            };
            let rows: Vec<Vec<String>> = patterns.iter().map(row).collect();
            let heads: Vec<&str> = head.iter().map(String::as_str).collect();
            out.push_str(&output::table(&heads, &rows));
            if *count > patterns.len() {
                let _ = writeln!(out, "... {} patterns more", count - patterns.len());
            }
            out.push('\n');
        }
        let examples = self.study.loaded.dataset.examples.len();
        let _ = writeln!(out, "{examples} examples in {:.2} s", self.seconds);
        if self.too_large > 0 {
            let large = output::count(self.too_large);
            let _ = writeln!(out, "{large} ground rules have too many facts behind them for a pattern");
        }
        out
    }

    fn svg(&self) -> String {
        let vocabulary = &self.study.loaded.dataset.vocabulary;
        let view = |pattern: &Pattern| {
            let (nodes, edges) = pattern.form.graph(vocabulary);
            let lift =
                self.classes.iter().zip(&pattern.lift).map(|(class, lift)| format!("{class}: {lift:.2}"));
            let lift = lift.collect::<Vec<_>>().join(", ");
            let lines = vec![
                format!("{:.4}  {}", pattern.value, pattern.head),
                format!("{} times in {} examples", pattern.count, pattern.examples.len()),
                if lift.is_empty() { String::new() } else { format!("lift {lift}") },
            ];
            PatternView { nodes, edges, lines }
        };
        let section = |(rule, patterns, _): &(usize, Vec<Pattern>, usize)| {
            (format!("rule {}: {}", rule + 1, self.line(*rule)), patterns.iter().map(view).collect())
        };
        let sections: Vec<(String, Vec<PatternView>)> = self.rules.iter().map(section).collect();
        patterns_svg("Patterns", &sections)
    }

    fn csv(&self) -> String {
        let mut out = String::from("rule,pattern,facts,output,head,times,examples,class,support,lift\n");
        let vocabulary = &self.study.loaded.dataset.vocabulary;
        for (rule, patterns, _) in &self.rules {
            for pattern in patterns {
                let (name, facts) = (csv_cell(&self.name(pattern)), csv_cell(&pattern.form.text(vocabulary)));
                let (head, value) = (csv_cell(&pattern.head), pattern.value);
                let start = format!(
                    "{},{name},{facts},{value:?},{head},{},{}",
                    rule + 1,
                    pattern.count,
                    pattern.examples.len()
                );
                if self.classes.is_empty() {
                    let _ = writeln!(out, "{start},,,");
                }
                for (class, (support, lift)) in
                    self.classes.iter().zip(pattern.support.iter().zip(&pattern.lift))
                {
                    let _ = writeln!(out, "{start},{},{support},{lift:?}", csv_cell(class));
                }
            }
        }
        out
    }

    fn document(&self) -> Value {
        let vocabulary = &self.study.loaded.dataset.vocabulary;
        let pattern = |pattern: &Pattern| {
            let classes = self.classes.iter().zip(pattern.support.iter().zip(&pattern.lift));
            let classes = classes
                .map(|(class, (support, lift))| json!({ "class": class, "support": support, "lift": lift }));
            json!({
                "short": pattern.form.short(vocabulary), "facts": pattern.form.text(vocabulary),
                "output": pattern.value, "head": pattern.head, "times": pattern.count,
                "examples": pattern.examples.len(), "classes": classes.collect::<Vec<_>>(),
                "look_at": self.examples(pattern),
            })
        };
        let rule = |(rule, patterns, count): &(usize, Vec<Pattern>, usize)| {
            let patterns: Vec<Value> = patterns.iter().map(pattern).collect();
            json!({ "rule": rule + 1, "text": self.line(*rule), "count": count, "patterns": patterns })
        };
        json!({
            "rules": self.rules.iter().map(rule).collect::<Vec<_>>(), "too_large": self.too_large,
            "seconds": { "patterns": self.seconds },
        })
    }
}
