//! Patterns for the page.

use lrnn::explain::{ExamplePatterns, RulePattern, patterns};

use super::graph::pattern_graph;
use crate::page;
use crate::patterns::classes;
use lrnn::program::Subject;

/// So many patterns of each rule, so many in all, and so many examples of each.
const MOST_OF_RULE: usize = 12;
const MOST: usize = 120;
const MOST_EXAMPLES: usize = 12;

/// Returns the patterns that rules answer to most, from what was found in some examples, each with its number.
pub(super) fn pattern_views(
    subject: &Subject<'_>,
    found: Vec<(usize, ExamplePatterns)>,
) -> Vec<page::PagePattern> {
    let (names, classes) = classes(&subject.dataset);
    let own: Vec<Option<usize>> = found.iter().map(|(example, _)| classes[*example]).collect();
    let (examples, found): (Vec<usize>, Vec<ExamplePatterns>) = found.into_iter().unzip();
    let mut all: Vec<page::PagePattern> = Vec::new();
    let (mut rule, mut count) = (None, 0);
    for pattern in patterns(&found, &own, names.len()).patterns {
        count = if rule == Some(pattern.rule) { count + 1 } else { 1 };
        rule = Some(pattern.rule);
        if count <= MOST_OF_RULE && all.len() < MOST {
            all.push(view(subject, &pattern, &names, &examples));
        }
    }
    all
}

fn view(
    subject: &Subject<'_>,
    pattern: &RulePattern,
    names: &[String],
    examples: &[usize],
) -> page::PagePattern {
    let vocabulary = &subject.dataset.vocabulary;
    let facts = pattern.form.text(vocabulary);
    let classes = names.iter().zip(pattern.support.iter().zip(&pattern.lift));
    let classes = classes.map(|(class, (&support, &lift))| (class.clone(), support, lift));
    page::PagePattern {
        text: pattern.form.short(vocabulary).unwrap_or_else(|| facts.clone()),
        facts,
        rule: format!("rule {}: {}", pattern.rule.0 + 1, subject.rule_line(pattern.rule)),
        head: pattern.head.clone(),
        output: pattern.value,
        times: pattern.count,
        support: pattern.examples.len(),
        classes: classes.collect(),
        examples: pattern.examples.iter().take(MOST_EXAMPLES).map(|&at| examples[at]).collect(),
        picture: pattern_graph(&pattern.form, vocabulary),
    }
}
