//! Patterns over a dataset: how high, how often, and in which classes.

use std::collections::BTreeMap;

use super::{ExamplePatterns, Form};
use crate::template::RuleId;

/// Examples with their highest outputs.
type Outputs = Vec<(usize, f64)>;

/// A pattern over all examples.
#[derive(Clone, PartialEq, Debug)]
pub struct RulePattern {
    /// The rule whose ground rules have it.
    pub rule: RuleId,
    /// The pattern itself.
    pub form: Form,
    /// The highest output of a ground rule with it, times the rule's weight.
    pub value: f64,
    /// The head of that ground rule, individuals as `_`.
    pub head: String,
    /// Number of occurrences in all examples together.
    pub count: u64,
    /// The examples that have it, those with the highest output first.
    pub examples: Vec<usize>,
    /// By class: how many of its examples have the pattern.
    pub support: Vec<usize>,
    /// By class: how many times as frequent the class is among examples with the pattern as among all.
    pub lift: Vec<f64>,
}

/// The patterns of a dataset.
#[derive(Clone, PartialEq, Debug)]
pub struct Patterns {
    /// Rule by rule in the order of the template, the highest output first.
    pub patterns: Vec<RulePattern>,
    /// Number of ground rules with too many facts behind them for a pattern.
    pub too_large: u64,
}

/// Joins what was found in each example; `classes` has the class of each example, if it has one, below `class_count`.
pub fn patterns(found: &[ExamplePatterns], classes: &[Option<usize>], class_count: usize) -> Patterns {
    let mut all: BTreeMap<(RuleId, &Form), (RulePattern, Outputs)> = BTreeMap::new();
    for (example, found) in found.iter().enumerate() {
        let class = classes.get(example).copied().flatten();
        for occurrence in &found.occurrences {
            let entry = all.entry((occurrence.rule, &occurrence.form));
            let (pattern, values) = entry.or_insert_with(|| {
                let (rule, form) = (occurrence.rule, occurrence.form.clone());
                let (value, head) = (f64::NEG_INFINITY, String::new());
                let (examples, support, lift) = (Vec::new(), vec![0; class_count], vec![0.0; class_count]);
                (RulePattern { rule, form, value, head, count: 0, examples, support, lift }, Vec::new())
            });
            pattern.count += occurrence.count;
            values.push((example, occurrence.value));
            if let Some(support) = class.and_then(|class| pattern.support.get_mut(class)) {
                *support += 1;
            }
            if occurrence.value > pattern.value {
                (pattern.value, pattern.head) = (occurrence.value, occurrence.head.clone());
            }
        }
    }
    let sizes: Vec<usize> =
        (0..class_count).map(|class| classes.iter().filter(|&&of| of == Some(class)).count()).collect();
    let mut patterns: Vec<RulePattern> =
        all.into_values().map(|(pattern, values)| finished(pattern, values, &sizes)).collect();
    patterns.sort_by(|a, b| a.rule.cmp(&b.rule).then(b.value.total_cmp(&a.value)));
    Patterns { patterns, too_large: found.iter().map(|found| found.too_large).sum() }
}

fn finished(mut pattern: RulePattern, mut values: Outputs, sizes: &[usize]) -> RulePattern {
    values.sort_by(|a, b| b.1.total_cmp(&a.1));
    pattern.examples = values.into_iter().map(|(example, _)| example).collect();
    let (with, all) = (pattern.support.iter().sum::<usize>() as f64, sizes.iter().sum::<usize>() as f64);
    for ((lift, &support), &size) in pattern.lift.iter_mut().zip(&pattern.support).zip(sizes) {
        let expected = with * size as f64 / all;
        *lift = if expected > 0.0 { support as f64 / expected } else { 0.0 };
    }
    pattern
}
