//! What grounding makes of examples, and how rules are joined: tables for people.

use std::fmt::Write as _;

use lrnn::diagnostic::printable;
use lrnn::network::NeuronCounts;
use lrnn::program::RuleJoin;
use lrnn::{Dataset, Program};
use serde::Serialize;

use crate::table::{bytes, columns, count};

/// The neurons of all examples.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroundReport {
    /// The neurons of all examples together.
    pub neurons: NeuronCounts,
    /// Number of examples.
    pub examples: usize,
    /// The neurons of each example.
    pub per_example: Vec<NeuronCounts>,
    /// The ground rules and facts of each example, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground_clauses: Option<Vec<Vec<String>>>,
    /// The names of the examples.
    #[serde(skip)]
    pub names: Vec<String>,
}

impl GroundReport {
    /// Joins the counts of all examples, and their clauses where all have some.
    pub fn new(dataset: &Dataset, examples: Vec<(NeuronCounts, Option<Vec<String>>)>) -> Self {
        let (per_example, clauses): (Vec<NeuronCounts>, Vec<Option<Vec<String>>>) =
            examples.into_iter().unzip();
        Self {
            neurons: per_example.iter().fold(NeuronCounts::default(), |sum, counts| sum.plus(*counts)),
            examples: per_example.len(),
            names: (0..per_example.len()).map(|example| printable(&dataset.example_name(example))).collect(),
            per_example,
            ground_clauses: clauses.into_iter().collect(),
        }
    }

    /// Returns the clauses, and the table of neurons: of each example too, where that is asked.
    pub fn text(&self, has_examples: bool) -> String {
        let mut out = String::new();
        for (name, clauses) in self.names.iter().zip(self.ground_clauses.iter().flatten()) {
            let _ = writeln!(out, "% example {name}");
            for clause in clauses {
                let _ = writeln!(out, "{}", printable(clause));
            }
        }
        let row = |name: String, counts: NeuronCounts| {
            let numbers = [counts.fact, counts.atom, counts.rule, counts.aggregation];
            [name].into_iter().chain(numbers.map(|number| count(number as u64))).collect::<Vec<_>>()
        };
        let of_each = self.names.iter().zip(&self.per_example).filter(|_| has_examples);
        let mut rows: Vec<Vec<String>> = of_each.map(|(name, counts)| row(name.clone(), *counts)).collect();
        rows.push(row("all".into(), self.neurons));
        out + &columns(&["neurons", "fact", "atom", "rule", "aggregation"], &rows)
    }
}

/// The plans of all rules.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    /// By rule.
    pub rules: Vec<RuleJoin>,
    /// Number of ground rules that are expected of all examples.
    pub expected: f64,
    /// Bytes of these ground rules.
    pub bytes: f64,
    /// Number of examples.
    pub examples: usize,
}

impl PlanReport {
    /// Returns the plans of a program for data.
    pub fn new(program: &Program, dataset: &Dataset) -> Self {
        let rules = program.joins();
        Self {
            expected: rules.iter().map(|rule| rule.expected).sum(),
            bytes: rules.iter().map(|rule| rule.bytes).sum(),
            examples: dataset.examples.len(),
            rules,
        }
    }

    /// Returns the table for people.
    pub fn text(&self) -> String {
        let count = |number: f64| match number < 1e15 {
            true => count(number.round() as u64),
            false => format!("{number:.1e}"),
        };
        let row = |rule: &RuleJoin| {
            vec![
                rule.line.to_string(),
                rule.head.clone(),
                rule.join.join(", "),
                count(rule.expected_per_example),
                count(rule.expected),
                bytes(rule.bytes),
            ]
        };
        let rows: Vec<Vec<String>> = self.rules.iter().map(row).collect();
        let head = ["line", "head", "join order", "per example", "in all", "memory"];
        let (all, memory) = (count(self.expected), bytes(self.bytes));
        columns(&head, &rows) + &format!("expected: {all} ground rules in all, {memory} if all were kept\n")
    }
}
