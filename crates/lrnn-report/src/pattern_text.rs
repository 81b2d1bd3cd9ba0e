//! Patterns and substructures as tables for people, and as CSV.

use std::fmt::Write as _;

use crate::shortened;
use crate::table::{TextTable, columns, count};
use crate::{ClassSupport, PatternFinding, PatternReport, SubstructureFinding, SubstructureReport};

impl PatternReport {
    /// Returns a table of each rule.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for rule in &self.rules {
            let _ = writeln!(out, "rule {}: {}", rule.rule, shortened(&rule.text, 100));
            let mut head =
                ["pattern", "effect", "output", "head", "times", "examples"].map(str::to_owned).to_vec();
            head.extend(self.classes.iter().map(|class| format!("of {class}")));
            head.push("look at".to_owned());
            let row = |pattern: &PatternFinding| {
                let effect = pattern.effect.map_or_else(|| "-".to_owned(), |it| format!("{it:+.4}"));
                let mut row = vec![shortened(pattern.name(), 70), effect, format!("{:.6}", pattern.output)];
                row.extend([shortened(&pattern.head, 40), pattern.times.to_string()]);
                row.push(pattern.examples.to_string());
                row.extend(pattern.classes.iter().map(|class| format!("{:.1} %", 100.0 * class.confidence)));
                row.push(shortened(&pattern.look_at.join(" "), 60));
                row
            };
            let rows: Vec<Vec<String>> = rule.patterns.iter().map(row).collect();
            let heads: Vec<&str> = head.iter().map(String::as_str).collect();
            out.push_str(&columns(&heads, &rows));
            if rule.count > rule.patterns.len() {
                let _ = writeln!(out, "... {} patterns more", rule.count - rule.patterns.len());
            }
            out.push('\n');
        }
        if self.too_large > 0 {
            let large = count(self.too_large);
            let _ = writeln!(out, "{large} ground rules have too many facts behind them for a pattern");
        }
        out
    }

    /// Returns a line of CSV for each pattern, and for each class where there are some.
    pub fn csv(&self) -> String {
        const COLUMNS: &str =
            "rule,pattern,facts,effect,output,head,times,examples,class,support,confidence,lift";
        let mut table = TextTable::new(COLUMNS.split(','));
        for (rule, pattern) in
            self.rules.iter().flat_map(|rule| rule.patterns.iter().map(move |it| (rule, it)))
        {
            let PatternFinding { facts, output, head, times, examples, classes, .. } = pattern;
            let effect = pattern.effect.map(|it| format!("{it:?}")).unwrap_or_default();
            let names = [rule.rule.to_string(), pattern.name().to_owned(), facts.clone(), effect];
            let counts = [format!("{output:?}"), head.clone(), times.to_string(), examples.to_string()];
            let start = || names.iter().chain(&counts).cloned();
            if classes.is_empty() {
                table.row(start());
            }
            for ClassSupport { class, support, confidence, lift } in classes {
                let own =
                    [class.clone(), support.to_string(), format!("{confidence:?}"), format!("{lift:?}")];
                table.row(start().chain(own));
            }
        }
        table.csv()
    }
}

impl SubstructureReport {
    /// Returns a table of those that raise the value, and of those that lower it.
    pub fn text(&self) -> String {
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
        for (heading, findings) in [("raise the value", &self.raising), ("lower the value", &self.lowering)] {
            let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
            let property = shortened(&self.property, 40);
            let _ = writeln!(out, "{heading} of {property}\n{}", columns(&head, &rows));
        }
        let base = self.base.map(|base| format!("{:.1} % of all molecules have target 1\n", 100.0 * base));
        if !self.others.is_empty() {
            let _ = writeln!(out, "asked is also {}: --query shows another", self.others.join(", "));
        }
        out + &base.unwrap_or_default()
    }

    /// Returns a line of CSV for each substructure.
    pub fn csv(&self) -> String {
        const COLUMNS: &str = "substructure,effect,times,molecules,confidence,look_at";
        let mut table = TextTable::new(COLUMNS.split(','));
        for it in self.raising.iter().chain(self.lowering.iter().rev()) {
            let confidence = it.confidence.map(|share| format!("{share:?}")).unwrap_or_default();
            let (times, support, look_at) =
                (it.times.to_string(), it.support.to_string(), it.look_at.clone());
            table.row([it.name.clone(), format!("{:?}", it.effect), times, support, confidence, look_at]);
        }
        table.csv()
    }
}
