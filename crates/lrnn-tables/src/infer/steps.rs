//! Steps: how many rows there are, or what the mean of a number is, as soft steps with a weight each.
//!
//! What is learned of a count or a mean need not be in proportion to it, nor rise with it: eight to twenty visits may be
//! the mark of a loyal member, and fewer or more none. A step is an atom whose value goes from 0 to 1 where the count or the
//! mean passes a number; a sum of weighted steps is any function of it that is not too rough. Steps stand at the same
//! places whatever the rows are, so nothing is learned of rows that are held out, and since they are fixed, learning
//! still has one optimum.

use std::fmt::Write;

use super::Inferrer;

/// The counts at which steps stand.
const COUNTS: [u32; 8] = [2, 3, 5, 8, 12, 18, 27, 40];
/// The means at which steps stand: of numbers with mean 0 and deviation 1 over rows.
const MEANS: [f64; 7] = [-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0];
/// Slopes of a step of counts and of one of means.
const SLOPES: (u32, u32) = (4, 6);

/// A quantity that has steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Count,
    Mean,
}

impl Inferrer<'_> {
    /// Writes steps of how many ways there are to make a body true, or of the mean of its values; by a variable of the
    /// body, if one is named. The body begins with the atom that is counted, or whose values have the mean.
    pub(super) fn steps(&mut self, raw: &str, quantity: Quantity, by: &str, body: &str, guards: &str) {
        let predicate = self.predicate("steps", body, &format!("{raw}_from"));
        let what = self.step_predicate(quantity);
        let (terms, arity) = if by.is_empty() { ("K".to_owned(), 1) } else { (format!("{by}, K"), 2) };
        if self.template.contains(&format!("{predicate}/{arity} [offset")) {
            return;
        }
        let (weight, options, why) = match quantity {
            Quantity::Count => (SLOPES.0, "aggregation = count", "steps of how many there are"),
            Quantity::Mean => (SLOPES.1, "aggregation = mean, activation = identity", "steps of the mean"),
        };
        let _ = writeln!(
            self.template,
            "{predicate}/{arity} [offset = <0>].  % {why}: from 0 to 1 at K\n\
             <{weight}> :: {predicate}({terms}) :- {body}, *{what}(K). [{options}]\n\
             <1> :: {predicate}({terms}) :- {what}(K), {guards}. [activation = identity]"
        );
        let body = format!("{predicate}({terms})");
        self.rule_with(&format!("[{terms}]"), &body, " [activation = identity]", "a weight for every step");
    }

    /// Returns the predicate of the places of steps.
    fn step_predicate(&mut self, quantity: Quantity) -> String {
        match quantity {
            Quantity::Count => self.predicate("?", "count step", "count_step"),
            Quantity::Mean => self.predicate("?", "mean step", "mean_step"),
        }
    }

    /// Returns the facts of the places of steps that the template names.
    pub(super) fn step_facts(&mut self) -> String {
        let mut text = String::new();
        for quantity in [Quantity::Count, Quantity::Mean] {
            let predicate = self.step_predicate(quantity);
            if !self.template.contains(&format!("*{predicate}(K)")) {
                continue;
            }
            let facts: Vec<String> = match quantity {
                Quantity::Count => {
                    let at = |count: &u32| f64::from(SLOPES.0) * (0.5 - f64::from(*count));
                    COUNTS.iter().map(|count| format!("<{}> :: {predicate}({count}).", at(count))).collect()
                }
                Quantity::Mean => {
                    let at = |mean: &f64| 0.0 - f64::from(SLOPES.1) * mean;
                    MEANS.iter().map(|mean| format!("<{}> :: {predicate}({mean}).", at(mean))).collect()
                }
            };
            let _ = writeln!(
                text,
                "{predicate}/1 [activation = identity].  % where steps stand, each with its offset\n{}",
                facts.join(" ")
            );
        }
        text
    }
}
