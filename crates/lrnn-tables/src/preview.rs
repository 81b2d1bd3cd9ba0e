//! The text of a preview.

use std::fmt::Write;

use crate::{LinePreview, Preview};

impl Preview {
    /// Returns what became of each line's rows, then of predicates and examples, as text without a last full stop.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "{}\n    {}", line.line.replace("\n    ", " "), line.counts_text());
            if let Some(first) = &line.first {
                let _ = writeln!(text, "    first: {first}.");
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
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let apart = |(at, digit): (usize, char)| {
        let blank = (at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(' ');
        blank.into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(apart).collect()
}
