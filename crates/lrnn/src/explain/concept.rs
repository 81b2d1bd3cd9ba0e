//! Latent concepts: the weights of the rules that define a predicate, as a table. Rows are what enters, columns are the
//! groups: what the head says of the index, or the elements of vectors.

use std::collections::BTreeMap;

use serde::Serialize;

use super::named_constants::constants;
use crate::model::{Model, ModelWeight, weight_names};
use crate::template::{Atom, Rule, Template, Term, VariableId, WeightUse};
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
            let of = |used: &WeightUse| learned.get(&names[used.weight.index()]);
            if let Some((used, weights)) = rule.weight.as_ref().and_then(|used| Some((used, of(used)?))) {
                table.rule(template, rule, used, weights);
            }
            for input in &rule.inputs {
                if let Some((used, weights)) = input.weight.as_ref().and_then(|used| Some((used, of(used)?)))
                {
                    table.input(template, rule, &input.atom, used, weights);
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
    /// Adds the weight of a rule at each of its indices.
    fn rule(&mut self, template: &Template, rule: &Rule, used: &WeightUse, weights: &[ModelWeight]) {
        let body = body_text(rule, &template.vocabulary);
        for weight in weights {
            if let Some((row, column)) = split(template, rule, used, weight) {
                let row = if row.is_empty() { body.clone() } else { row };
                self.add(&row, &column, weight);
            }
        }
    }

    /// Adds the weight of an input.
    fn input(
        &mut self,
        template: &Template,
        rule: &Rule,
        atom: &Atom,
        used: &WeightUse,
        weights: &[ModelWeight],
    ) {
        let literal = literal_text(atom, rule, &template.vocabulary);
        for weight in weights {
            if let Some((row, column)) = split(template, rule, used, weight) {
                let row = if row.is_empty() { literal.clone() } else { format!("{literal} {row}") };
                self.add(&row, &column, weight);
            }
        }
    }

    fn add(&mut self, row: &str, column: &str, weight: &ModelWeight) {
        let row = place(&mut self.rows, row.to_owned());
        let joined = |element: String| {
            if column.is_empty() { element } else { format!("{column} {element}") }
        };
        match &*weight.numbers {
            [number] => {
                let column = place(&mut self.columns, column.to_owned());
                self.cells.insert((row, column), *number);
            }
            numbers if numbers.len() <= MOST_ELEMENTS => {
                for (at, &number) in numbers.iter().enumerate() {
                    let (of, width) = (at + 1, weight.shape.columns as usize);
                    let element = if width == 1 {
                        format!("[{of}]")
                    } else {
                        format!("[{}, {}]", at / width + 1, at % width + 1)
                    };
                    let column = place(&mut self.columns, joined(element));
                    self.cells.insert((row, column), number);
                }
            }
            numbers => {
                let norm = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
                let column = place(&mut self.columns, joined("norm".to_owned()));
                self.cells.insert((row, column), norm);
            }
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
    let given = constants(&weight.index);
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
        let constant = |term: &Term| match term {
            Term::Constant(id) => Some(template.vocabulary.constant(*id).to_string()),
            Term::Variable(_) => None,
        };
        column.extend(rule.head.terms.iter().filter_map(constant));
    }
    Some((row.join(", "), column.join(", ")))
}

/// Returns a literal of a rule as text.
pub(super) fn literal_text(atom: &Atom, rule: &Rule, vocabulary: &Vocabulary) -> String {
    let name = |variable: VariableId| rule.variables.get(variable.index()).map_or("_", |name| name);
    let term = |term: &Term| match term {
        Term::Variable(variable) => name(*variable).to_owned(),
        Term::Constant(constant) => vocabulary.constant(*constant).to_string(),
    };
    let terms: Vec<String> = atom.terms.iter().map(term).collect();
    let name = vocabulary.atom_text(atom.predicate, &[]);
    if terms.is_empty() { name } else { format!("{name}({})", terms.join(", ")) }
}

/// Returns the body of a rule as text, guards with `*` and soft negation with `~`.
pub(super) fn body_text(rule: &Rule, vocabulary: &Vocabulary) -> String {
    let mark = |negated: bool| if negated { "~" } else { "" };
    let inputs = rule
        .inputs
        .iter()
        .map(|input| format!("{}{}", mark(input.negated), literal_text(&input.atom, rule, vocabulary)));
    let guards = rule.guards.iter().map(|guard| format!("*{}", literal_text(guard, rule, vocabulary)));
    inputs.chain(guards).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
