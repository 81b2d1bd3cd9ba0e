//! Patterns for the page.

use lrnn::data::{Dataset, Query};
use lrnn::explain::{Found, Pattern, patterns};

use super::Subject;
use super::graph::pattern_graph;
use crate::page::{self, Number};

/// So many patterns of each rule, so many in all, and so many examples of each.
const MOST_OF_RULE: usize = 12;
const MOST: usize = 120;
const MOST_EXAMPLES: usize = 12;

/// Targets that are no classes would make a column for each example.
const MOST_CLASSES: usize = 12;

/// The classes by name, and that of each example: the target of its first query with one.
pub fn classes(dataset: &Dataset) -> (Vec<String>, Vec<Option<usize>>) {
    let target = |queries: &Vec<Query>| {
        let target = queries.iter().find_map(|query| query.target.as_ref())?;
        Some(super::data::target_text(Some(target)))
    };
    let targets: Vec<Option<String>> = dataset.queries.iter().map(target).collect();
    let mut names: Vec<String> = targets.iter().flatten().cloned().collect();
    names.sort();
    names.dedup();
    if names.len() > MOST_CLASSES {
        return (Vec::new(), vec![None; targets.len()]);
    }
    let class = |target: &Option<String>| names.iter().position(|name| Some(name) == target.as_ref());
    let classes = targets.iter().map(class).collect();
    (names, classes)
}

/// The patterns that rules answer to most, from what was found in some examples, each with its number.
pub fn pattern_views(subject: &Subject<'_>, found: Vec<(usize, Found)>) -> Vec<page::Pattern> {
    let (names, classes) = classes(subject.dataset);
    let own: Vec<Option<usize>> = found.iter().map(|(example, _)| classes[*example]).collect();
    let (examples, found): (Vec<usize>, Vec<Found>) = found.into_iter().unzip();
    let mut all: Vec<page::Pattern> = Vec::new();
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

fn view(subject: &Subject<'_>, pattern: &Pattern, names: &[String], examples: &[usize]) -> page::Pattern {
    let vocabulary = &subject.dataset.vocabulary;
    let facts = pattern.form.text(vocabulary);
    let classes = names.iter().zip(pattern.support.iter().zip(&pattern.lift));
    let classes = classes.map(|(class, (&support, &lift))| (class.clone(), support, Number(lift)));
    page::Pattern {
        text: pattern.form.short(vocabulary).unwrap_or_else(|| facts.clone()),
        facts,
        rule: subject.rule_text(pattern.rule),
        head: pattern.head.clone(),
        output: Number(pattern.value),
        times: pattern.count,
        support: pattern.examples.len(),
        classes: classes.collect(),
        examples: pattern.examples.iter().take(MOST_EXAMPLES).map(|&at| examples[at]).collect(),
        picture: pattern_graph(&pattern.form, vocabulary),
    }
}
