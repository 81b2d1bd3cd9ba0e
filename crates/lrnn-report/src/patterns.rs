//! What the rules of a model answer to most, over all examples of data.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;

use lrnn::data::Query;
use lrnn::explain::{ExamplePatterns, Finder, RulePattern, patterns};
use lrnn::{Dataset, Error};
use serde::Serialize;

use lrnn::program::Subject;

/// So many examples of a pattern are named.
const EXAMPLES: usize = 5;
/// Targets that are no classes would make a column for each example.
const MOST_CLASSES: usize = 12;

/// The support of a pattern in a class.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClassSupport {
    /// The class.
    pub class: String,
    /// Number of its examples with the pattern.
    pub support: usize,
    /// Frequency of the class among examples with the pattern, divided by that among all.
    pub lift: f64,
}

/// A pattern of a rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PatternFinding {
    /// The pattern in short, as chemists write it, if it can be.
    pub short: Option<String>,
    /// Its facts.
    pub facts: String,
    /// The highest output of a ground rule with it, times the rule's weight.
    pub output: f64,
    /// The head of that ground rule, individuals as `_`.
    pub head: String,
    /// Number of occurrences in all examples together.
    pub times: u64,
    /// The number of examples that have it.
    pub examples: usize,
    /// By class.
    pub classes: Vec<ClassSupport>,
    /// Some of its examples, those with the highest output first.
    pub look_at: Vec<String>,
    /// Labels of its nodes, drawn as a graph.
    #[serde(skip)]
    pub nodes: Vec<String>,
    /// The edges with their labels.
    #[serde(skip)]
    pub edges: Vec<(usize, usize, String)>,
}

impl PatternFinding {
    /// Returns the pattern in short, or its facts.
    pub fn name(&self) -> &str {
        self.short.as_deref().unwrap_or(&self.facts)
    }
}

/// The patterns of a rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RulePatterns {
    /// The number of the rule, from 1.
    pub rule: usize,
    /// Its line.
    pub text: String,
    /// Number of patterns.
    pub count: usize,
    /// The first of them, the highest output first.
    pub patterns: Vec<PatternFinding>,
}

/// The patterns of all rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PatternReport {
    /// Rules in the order of the template.
    pub rules: Vec<RulePatterns>,
    /// Number of ground rules with too many facts behind them for a pattern.
    pub too_large: u64,
    /// The names of the classes.
    #[serde(skip)]
    pub classes: Vec<String>,
    /// Notes for people.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Finds the patterns of each rule that are in at least `support` examples, on all threads, and lists the `top` of each
/// rule; `done` counts examples.
pub fn find_patterns(
    subject: &Subject<'_>,
    support: usize,
    top: usize,
    done: &AtomicUsize,
) -> Result<PatternReport, Error> {
    let found = subject.for_each(done, |example, grounding| {
        let roots = subject.roots(example, grounding);
        let proof = subject.proof(example, grounding, &roots)?;
        Ok((Finder::find(&proof, &subject.kept), proof.unset(&subject.weights)))
    })?;
    let (found, unset): (Vec<ExamplePatterns>, Vec<BTreeSet<String>>) = found.into_iter().unzip();
    let (names, classes) = classes(&subject.dataset);
    let joined = patterns(&found, &classes, names.len());
    let mut rules: Vec<RulePatterns> = Vec::new();
    for pattern in joined.patterns.iter().filter(|pattern| pattern.examples.len() >= support) {
        let rule = pattern.rule.index() + 1;
        if rules.last().is_none_or(|last| last.rule != rule) {
            let text = subject.rule_line(pattern.rule).to_owned();
            rules.push(RulePatterns { rule, text, count: 0, patterns: Vec::new() });
        }
        let Some(last) = rules.last_mut() else { continue };
        last.count += 1;
        if last.patterns.len() < top {
            last.patterns.push(finding(subject, pattern, &names));
        }
    }
    let unset = subject.unset_note(&unset.into_iter().flatten().collect());
    let notes = unset.into_iter().chain(subject.member_note()).collect();
    Ok(PatternReport { rules, too_large: joined.too_large, classes: names, notes })
}

fn finding(subject: &Subject<'_>, pattern: &RulePattern, names: &[String]) -> PatternFinding {
    let vocabulary = &subject.dataset.vocabulary;
    let class = |(class, (&support, &lift)): (&String, (&usize, &f64))| ClassSupport {
        class: class.clone(),
        support,
        lift,
    };
    let (nodes, edges) = pattern.form.graph(vocabulary);
    let examples = pattern.examples.iter().take(EXAMPLES);
    PatternFinding {
        short: pattern.form.short(vocabulary),
        facts: pattern.form.text(vocabulary),
        output: pattern.value,
        head: pattern.head.clone(),
        times: pattern.count,
        examples: pattern.examples.len(),
        classes: names.iter().zip(pattern.support.iter().zip(&pattern.lift)).map(class).collect(),
        look_at: examples.map(|&example| subject.dataset.example_name(example)).collect(),
        nodes,
        edges,
    }
}

/// Returns the classes by name, and that of each example: the target of its first query with one.
pub(crate) fn classes(dataset: &Dataset) -> (Vec<String>, Vec<Option<usize>>) {
    let target = |queries: &Vec<Query>| {
        let target = queries.iter().find_map(|query| query.target.as_ref())?;
        Some(crate::gather::target_text(Some(target)))
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
