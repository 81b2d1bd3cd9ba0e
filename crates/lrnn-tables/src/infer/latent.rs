//! Alternatives that a template names and does not use: soft groups of the values of a category, and a vector for each
//! thing that rows refer to.
//!
//! A weight for every value is convex to learn and read at once; groups and vectors are neither, and pay where values are
//! many and rows of each few, so that values that behave alike must lend each other their rows. Which of both it is only a
//! cross-validation tells: the lines are comments that become rules where `% try: ` is taken away.

use super::{Inferrer, name};

/// Values from which on a category is worth groups.
const MANY: usize = 10;

impl Inferrer<'_> {
    /// Notes soft groups of a category: of the row or thing that a term names, or of the example. The guard joins it.
    pub(super) fn soft_groups(&mut self, raw: &str, term: Option<&str>, guard: &str, count: usize) {
        if count < MANY {
            return;
        }
        let (predicate, group) = (name(raw), name(&format!("{raw}_group")));
        let before = term.map_or(String::new(), |term| format!("{term}, "));
        let (at, query) = (self.alternatives.len() + 1, self.query.clone());
        let index = self.class.map_or(String::new(), |class| format!(", {class}"));
        let body = self.with_class(&format!("{group}({before}G){guard}"));
        self.alternatives.push(format!(
            "s{at}[V, G] :: {group}({before}G) :- {predicate}({before}V), *soft_group(G).  % each of {count} values is in three groups, more or less\n\
             g{at}[G{index}] :: {query} :- {body}.  % a weight for every group"
        ));
    }

    /// Notes a vector for each thing of a table that rows refer to by a predicate.
    pub(super) fn vectors(&mut self, table: &str, joins: &str, terms: &str) {
        let vector = name(&format!("{table}_vector"));
        let (at, query) = (self.alternatives.len() + 1, self.query.clone());
        let index = self.class.map_or(String::new(), |class| format!("[{class}]"));
        let body = self.with_class(&format!("{vector}(P), *{joins}({terms})"));
        self.alternatives.push(format!(
            "v{at}[P] = {{3}} :: {vector}(P) :- {joins}({terms}).  % three numbers for each of `{table}`, learned\n\
             u{at}{index} = {{1, 3}} :: {query} :- {body}. [aggregation = mean]  % the mean over those of the example"
        ));
    }

    /// Writes the alternatives at the end of the template.
    pub(super) fn write_alternatives(&mut self) {
        if self.alternatives.is_empty() {
            return;
        }
        let groups = self.alternatives.iter().any(|it| it.contains("soft_group"));
        let first = groups.then(|| "soft_group(1..3).".to_owned());
        let lines: Vec<String> = first.into_iter().chain(std::mem::take(&mut self.alternatives)).collect();
        self.template.push_str(
            "\n% For many values with few rows each; take `% try: ` away, and compare by lrnn crossval.\n",
        );
        for line in lines.iter().flat_map(|it| it.lines()) {
            self.template.push_str(&format!("% try: {line}\n"));
        }
    }
}
