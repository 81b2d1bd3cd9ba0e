//! What a mapping makes of its tables: counts of rows and facts, and their text.

use std::collections::BTreeMap;
use std::fmt::Write;

use lrnn::Dataset;
use lrnn::vocabulary::Constant;
use serde::Serialize;

use crate::LineCounts;
use crate::resolve::Tables;

/// A line with what became of its rows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinePreview {
    /// The line.
    pub line: String,
    /// An account of the rows.
    #[serde(flatten)]
    pub counts: LineCounts,
    /// The first fact, or query.
    pub first: Option<String>,
    /// The way in which rows come to their examples.
    pub by: String,
}

/// Facts of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PredicateCount {
    /// Its name and arity.
    pub predicate: String,
    /// Facts in all examples together.
    pub facts: usize,
    /// Rows that said what another row had said already.
    pub repeated: usize,
}

/// An account of what a mapping makes of its tables.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Preview {
    /// The names of the sources.
    pub sources: Vec<String>,
    /// Number of examples.
    pub examples: usize,
    /// Rows of the example table without a label, which are no examples.
    pub unlabelled: usize,
    /// The lines.
    pub lines: Vec<LinePreview>,
    /// The predicates of facts.
    pub predicates: Vec<PredicateCount>,
    /// Blank lines of CSV files, which are no rows: the table, and how many.
    pub blank_lines: Vec<(String, usize)>,
}

impl Tables {
    /// Returns the preview of a dataset whose lines made so much of their rows.
    pub(crate) fn preview_of(
        &self,
        dataset: &Dataset,
        lines: Vec<LinePreview>,
        unlabelled: usize,
    ) -> Preview {
        let mut made: Vec<(String, usize)> = Vec::new();
        for (line, preview) in self.lines.iter().zip(&lines) {
            let relation = self.line(line);
            if relation.is_query {
                continue;
            }
            let name = format!("{}/{}", Constant::from(relation.predicate.as_str()), relation.terms.len());
            match made.iter_mut().find(|(known, _)| *known == name) {
                Some((_, facts)) => *facts += preview.counts.facts,
                None => made.push((name, preview.counts.facts)),
            }
        }
        let mut kept: BTreeMap<String, usize> = BTreeMap::new();
        for table in dataset.examples.iter().flat_map(|example| &example.tables) {
            let signature = dataset.vocabulary.signature(table.predicate);
            let name = format!("{}/{}", Constant::from(&*signature.name), signature.arity);
            *kept.entry(name).or_default() += table.rows as usize;
        }
        let predicates = made.into_iter().map(|(predicate, all)| {
            let facts = kept.get(&predicate).copied().unwrap_or(0);
            PredicateCount { predicate, facts, repeated: all.saturating_sub(facts) }
        });
        let blank = |frame: &crate::Frame| {
            let lines = frame.csv.as_ref()?.blank_lines();
            (lines > 0).then(|| (frame.name.clone(), lines))
        };
        Preview {
            sources: self.names.clone(),
            examples: dataset.examples.len(),
            unlabelled,
            predicates: predicates.collect(),
            lines,
            blank_lines: self.frames.iter().filter_map(blank).collect(),
        }
    }
}

/// Most characters of a fact that is shown.
const LONGEST: usize = 400;

/// Returns a fact with its full stop, cut where it is long.
fn line_of(fact: &str) -> String {
    match fact.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}... ({} characters)", &fact[..at], fact.chars().count()),
        None => format!("{fact}."),
    }
}

impl Preview {
    /// Returns what became of each line's rows, then of predicates and examples, as text without a last full stop.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "{}\n    {}", line.line.replace("\n    ", " "), line.counts_text());
            if let Some(first) = &line.first {
                let _ = writeln!(text, "    first: {}", line_of(first));
            }
        }
        for it in self.predicates.iter().filter(|it| it.repeated > 0) {
            let (name, facts, repeated) = (&it.predicate, grouped(it.facts), grouped(it.repeated));
            let _ = writeln!(text, "{name}: {facts} facts; {repeated} rows repeat one of them");
        }
        for (table, lines) in &self.blank_lines {
            let _ = writeln!(text, "{table}: {} blank lines are no rows", grouped(*lines));
        }
        if self.unlabelled > 0 {
            let _ = writeln!(text, "{} rows have no label, and are no examples", grouped(self.unlabelled));
        }
        let plural = if self.examples == 1 { "" } else { "s" };
        text + &format!("{} example{plural} from {}", grouped(self.examples), self.sources.join(", "))
    }
}

impl LinePreview {
    fn counts_text(&self) -> String {
        let it = &self.counts;
        let others = [
            (it.filtered, "left out by the line"),
            (it.nulls, "with NULL"),
            (it.outside, "of no example"),
            (it.late, "too late for their examples"),
        ];
        let mut parts = vec![format!("{} rows, {} facts", grouped(it.rows), grouped(it.facts))];
        let others = others.iter().filter(|(rows, _)| *rows > 0);
        parts.extend(others.map(|(rows, what)| format!("{} {what}", grouped(*rows))));
        if !self.by.is_empty() {
            parts.push(format!("by {}", self.by));
        }
        parts.join("; ")
    }
}

/// Returns a count with its thousands apart: 6 712 443.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let apart = |(at, digit): (usize, char)| {
        let blank = (at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(' ');
        blank.into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(apart).collect()
}
