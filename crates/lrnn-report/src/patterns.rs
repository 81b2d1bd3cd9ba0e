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
    /// Share of the class among examples with the pattern, from 0 to 1.
    pub confidence: f64,
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
    /// Mean answer to the first query of examples with it, less that of the others; none where all have it or none is a number.
    pub effect: Option<f64>,
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
    /// The first of them, the largest effect first, then the highest output.
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
        let first = roots.first().and_then(|&(predicate, row)| proof.network.atom(predicate, row));
        let answer = first.map(|atom| proof.values.atoms.first(atom));
        Ok((Finder::find(&proof, &subject.kept), (answer, proof.unset(&subject.weights))))
    })?;
    let (found, rest): (Vec<ExamplePatterns>, Vec<_>) = found.into_iter().unzip();
    let (answers, unset): (Vec<Option<f64>>, Vec<BTreeSet<String>>) = rest.into_iter().unzip();
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
        last.patterns.push(finding(subject, pattern, &names, &answers));
    }
    for rule in &mut rules {
        let size = |it: &PatternFinding| it.effect.map_or(-1.0, f64::abs);
        rule.patterns.sort_by(|a, b| size(b).total_cmp(&size(a)));
        rule.patterns.truncate(top);
    }
    let unset = subject.unset_note(&unset.into_iter().flatten().collect());
    let notes = unset.into_iter().chain(subject.member_note()).collect();
    Ok(PatternReport { rules, too_large: joined.too_large, classes: names, notes })
}

/// Returns the mean answer of examples with a pattern less that of the others.
fn effect(pattern: &RulePattern, answers: &[Option<f64>]) -> Option<f64> {
    let mut has = vec![false; answers.len()];
    pattern.examples.iter().for_each(|&example| has[example] = true);
    let mean = |with: bool| {
        let own = has.iter().zip(answers).filter(|(has, _)| **has == with);
        let own: Vec<f64> = own.filter_map(|(_, answer)| *answer).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    Some(mean(true)? - mean(false)?)
}

fn finding(
    subject: &Subject<'_>,
    pattern: &RulePattern,
    names: &[String],
    answers: &[Option<f64>],
) -> PatternFinding {
    let vocabulary = &subject.dataset.vocabulary;
    let all = pattern.support.iter().sum::<usize>().max(1);
    let class = |(class, (&support, &lift)): (&String, (&usize, &f64))| ClassSupport {
        class: class.clone(),
        support,
        confidence: support as f64 / all as f64,
        lift,
    };
    let (nodes, edges) = pattern.form.graph(vocabulary);
    let examples = pattern.examples.iter().take(EXAMPLES);
    PatternFinding {
        short: pattern.form.short(vocabulary),
        facts: pattern.form.text(vocabulary),
        effect: effect(pattern, answers),
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
