//! Propositionalisation: how often, and whether at all, each rule body of a template holds in an example. An indexed
//! rule is as many rules as its index has values, and each has features of its own.

use std::collections::{BTreeMap, HashSet};

use lrnn::data::Dataset;
use lrnn::function::math::ln;
use lrnn::ground::{GroundRules, Grounding};
use lrnn::template::{Rule, Template};
use lrnn::vocabulary::{ConstantId, Vocabulary};
use lrnn::{Error, Program};
use lrnn_induce::Features;

/// A rule with values for its index.
type Body = (u32, Vec<ConstantId>);

/// A column: which examples have how many ground rules.
type FeatureColumn = Vec<(u32, u32)>;

/// Returns, for each rule body and each value of its index, ln(1 + n) of the number n of its ground rules, and whether
/// there is any. Features are those of an example, shared by its queries. Bodies that hold equally often in every
/// example, as those of latent groups do, give one feature.
pub fn propositionalise(program: &Program, dataset: &Dataset) -> Result<Features, Error> {
    let template = program.template();
    let counted = program.for_each_grounding(dataset, |_, grounding| counts(template, grounding))?;
    let mut columns: BTreeMap<Body, FeatureColumn> = BTreeMap::new();
    for (example, counts) in (0..).zip(&counted) {
        for (body, &count) in counts {
            columns.entry(body.clone()).or_default().push((example, count));
        }
    }
    let blank = vec![Vec::new(); dataset.examples.len()];
    let mut features = Features { names: Vec::new(), rows: blank.clone(), counts: blank };
    for (body, column) in (0..).zip(columns.values()) {
        for &(example, count) in column {
            features.counts[example as usize].push((body, f64::from(count)));
        }
    }
    let mut seen = HashSet::new();
    for (body, column) in &columns {
        if seen.insert(column) {
            add(&mut features, &name_of(template, &dataset.vocabulary, body), column);
        }
    }
    Ok(features)
}

/// Adds a column: counts if there is any above 1, and presence unless it is everywhere.
fn add(features: &mut Features, name: &str, column: &FeatureColumn) {
    let most = column.iter().map(|&(_, count)| count).max().unwrap_or(0);
    let everywhere = column.len() == features.rows.len();
    if most > 1 {
        push(features, format!("count of {name}"), column, |count| ln(1.0 + f64::from(count)));
    }
    if !everywhere {
        push(features, format!("presence of {name}"), column, |_| 1.0);
    }
}

fn push(features: &mut Features, name: String, column: &FeatureColumn, value: impl Fn(u32) -> f64) {
    let feature = features.names.len() as u32;
    features.names.push(name);
    for &(example, count) in column {
        features.rows[example as usize].push((feature, value(count)));
    }
}

fn counts(template: &Template, grounding: &Grounding) -> BTreeMap<Body, u32> {
    let mut counts = BTreeMap::new();
    for (rule, ground) in (0..).zip(&grounding.rules) {
        for number in 0..ground.len() {
            let index = index_of(&template.rules[rule as usize], ground, number);
            *counts.entry((rule, index)).or_insert(0) += 1;
        }
    }
    counts
}

/// Returns the index of a ground rule without its number: it is counted.
fn index_of(rule: &Rule, ground: &GroundRules, number: usize) -> Vec<ConstantId> {
    let counted = ground.index.len() - usize::from(rule.number.is_some());
    ground.index[..counted].iter().map(|column| column[number]).collect()
}

/// `rule 2, toxic/0, T = c, G = 1`, counted from 1 in the order of the template.
fn name_of(template: &Template, vocabulary: &Vocabulary, (number, index): &Body) -> String {
    let rule = &template.rules[*number as usize];
    let mut name = format!("rule {}, {}", number + 1, vocabulary.signature(rule.head.predicate));
    for (variable, &constant) in rule.bound_index().iter().zip(index) {
        let variable = &rule.variables[variable.index()];
        name.push_str(&format!(", {variable} = {}", vocabulary.constant(constant)));
    }
    for (kind, words) in rule.kinds.iter().zip(index[rule.bound_index().len()..].chunks(2)) {
        let literal = &rule.variables[kind.words[0].index()];
        let words: String = words.iter().map(|word| format!("{:08x}", word.0)).collect();
        name.push_str(&format!(", {literal} = k{words}"));
    }
    name
}
