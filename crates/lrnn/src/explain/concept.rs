//! Latent concepts: the weights of the rules that define a predicate, as a table. Rows are what enters, columns are the
//! groups: what the head says of the index, or the elements of vectors.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Model, ModelWeight, index_constants, weight_names};
use crate::template::{Atom, Input, Rule, Template, Term, WeightUse};
use crate::vocabulary::Vocabulary;

/// The weights that define a predicate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Concept {
    /// The predicate: `in/2`.
    pub predicate: String,
    /// Names of the inputs, a row each.
    pub rows: Vec<String>,
    /// The groups, a column each; those that are alike stand beside each other.
    pub columns: Vec<String>,
    /// The weights, row by row; none where there is none.
    #[serde(rename = "weights")]
    pub cells: Vec<Vec<Option<f64>>>,
    /// By column: whether it gives all rows almost the same weight, a wild card.
    #[serde(rename = "wild_card")]
    pub is_wild: Vec<bool>,
}

/// A column is a wild card if its weights spread so little, of what those of all columns do.
const WILD: f64 = 0.25;

/// Tensors with more numbers have no column for each.
const MOST_ELEMENTS: usize = 16;

/// Returns the concepts of a model, in the order of computation: every predicate that rules with learned weights
/// define.
pub fn concepts(template: &Template, model: &Model) -> Vec<Concept> {
    let names = weight_names(template);
    let mut learned: BTreeMap<String, Vec<ModelWeight>> = BTreeMap::new();
    for weight in model.weights.iter() {
        learned.entry(weight.name.clone()).or_default().push(weight);
    }
    let mut all = Vec::new();
    for predicate in template.strata.iter().flat_map(|stratum| &stratum.predicates) {
        let mut table = WeightTable::default();
        for rule in template.rules.iter().filter(|rule| rule.head.predicate == *predicate) {
            let own = rule.weight.iter().map(|used| (used, body_text(rule, &template.vocabulary), false));
            let literal = |input: &Input| input.atom.text(&rule.variables, &template.vocabulary);
            let inputs = rule.inputs.iter();
            let inputs = inputs.filter_map(|input| Some((input.weight.as_ref()?, literal(input), true)));
            for (used, text, is_input) in own.chain(inputs) {
                for weight in learned.get(&names[used.weight.index()]).into_iter().flatten() {
                    let Some((row, column)) = split(template, rule, used, weight) else { continue };
                    let row = match row.is_empty() {
                        true => text.clone(),
                        false if is_input => format!("{text} {row}"),
                        false => row,
                    };
                    table.add(row, column, weight);
                }
            }
        }
        let signature = template.vocabulary.signature(*predicate).to_string();
        all.extend(table.finish(signature));
    }
    all
}

/// Weights by row and column, in the order they came.
#[derive(Default)]
struct WeightTable {
    rows: Vec<String>,
    columns: Vec<String>,
    cells: BTreeMap<(usize, usize), f64>,
}

fn place(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

impl WeightTable {
    /// Adds the numbers of a weight: those of a small tensor each in a column of its own.
    fn add(&mut self, row: String, column: String, weight: &ModelWeight) {
        let row = place(&mut self.rows, row);
        let joined = |element: String| match column.is_empty() {
            true => element,
            false => format!("{column} {element}"),
        };
        let width = weight.shape.columns as usize;
        let element = |at: usize| match width {
            1 => format!("[{}]", at + 1),
            _ => format!("[{}, {}]", at / width + 1, at % width + 1),
        };
        let cells: Vec<(String, f64)> = match &*weight.numbers {
            [number] => vec![(column, *number)],
            numbers if numbers.len() <= MOST_ELEMENTS => {
                numbers.iter().enumerate().map(|(at, &number)| (joined(element(at)), number)).collect()
            }
            numbers => {
                let norm = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
                vec![(joined("norm".to_owned()), norm)]
            }
        };
        for (column, number) in cells {
            let column = place(&mut self.columns, column);
            self.cells.insert((row, column), number);
        }
    }

    fn finish(self, predicate: String) -> Option<Concept> {
        let cell = |row, column| self.cells.get(&(row, column)).copied();
        let columns: Vec<Vec<Option<f64>>> = (0..self.columns.len())
            .map(|column| (0..self.rows.len()).map(|row| cell(row, column)).collect())
            .collect();
        let order = by_similarity(&columns);
        let all = spread(columns.iter().flatten().flatten().copied());
        let is_wild = |&column: &usize| {
            let given = columns[column].iter().flatten().count();
            let own = spread(columns[column].iter().flatten().copied());
            self.columns.len() > 1 && given > 2 && own < WILD * all
        };
        let mut rows: Vec<usize> = (0..self.rows.len()).collect();
        if let [only] = &columns[..] {
            // A list without groups is read from the top.
            rows.sort_by(|&a, &b| only[b].unwrap_or(0.0).total_cmp(&only[a].unwrap_or(0.0)));
        }
        (!self.cells.is_empty()).then(|| Concept {
            predicate,
            cells: rows
                .iter()
                .map(|&row| order.iter().map(|&column| columns[column][row]).collect())
                .collect(),
            rows: rows.iter().map(|&row| self.rows[row].clone()).collect(),
            is_wild: order.iter().map(is_wild).collect(),
            columns: order.iter().map(|&column| self.columns[column].clone()).collect(),
        })
    }
}

/// Returns the standard deviation.
fn spread(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = numbers.clone().count().max(1) as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    (numbers.map(|number| (number - mean) * (number - mean)).sum::<f64>() / count).sqrt()
}

/// Returns the first column, then always the one most like the last.
fn by_similarity(columns: &[Vec<Option<f64>>]) -> Vec<usize> {
    let distance = |a: usize, b: usize| -> f64 {
        let pairs = columns[a].iter().zip(&columns[b]);
        pairs.map(|(a, b)| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).powi(2)).sum()
    };
    let mut rest: Vec<usize> = (0..columns.len()).collect();
    let mut order: Vec<usize> = Vec::new();
    while !rest.is_empty() {
        let next = match order.last() {
            None => 0,
            Some(&last) => (0..rest.len())
                .reduce(
                    |best, at| if distance(rest[at], last) < distance(rest[best], last) { at } else { best },
                )
                .unwrap_or(0),
        };
        order.push(rest.remove(next));
    }
    order
}

/// Returns row and column of a weight: the part of its index that the head does not say, and the part that it says.
/// `None` if the rule does not use the weight at this index.
fn split(
    template: &Template,
    rule: &Rule,
    used: &WeightUse,
    weight: &ModelWeight,
) -> Option<(String, String)> {
    let given = index_constants(&weight.index).unwrap_or_default();
    if given.len() != used.index.len() {
        return None;
    }
    let (mut row, mut column) = (Vec::new(), Vec::new());
    for (term, constant) in used.index.iter().zip(&given) {
        if let Term::Constant(id) = term
            && template.vocabulary.constant(*id) != *constant
        {
            return None;
        }
        let part = if rule.head.terms.contains(term) { &mut column } else { &mut row };
        part.push(constant.to_string());
    }
    if used.index.is_empty() {
        // Rules written out one by one have their group as a constant of the head.
        let constants = rule.head.terms.iter().filter_map(Term::constant);
        column.extend(constants.map(|id| template.vocabulary.constant(id).to_string()));
    }
    Some((row.join(", "), column.join(", ")))
}

/// Returns the body of a rule as text, guards with `*` and soft negation with `~`.
pub(super) fn body_text(rule: &Rule, vocabulary: &Vocabulary) -> String {
    let mark = |negated: bool| if negated { "~" } else { "" };
    let text = |atom: &Atom| atom.text(&rule.variables, vocabulary);
    let inputs = rule.inputs.iter().map(|input| format!("{}{}", mark(input.negated), text(&input.atom)));
    let guards = rule.guards.iter().map(|guard| format!("*{}", text(guard)));
    inputs.chain(guards).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
