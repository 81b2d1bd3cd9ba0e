//! From columns of numbers about graphs to facts.

use std::collections::BTreeMap;

use lrnn::data::{Dataset, Example, FactTable};
use lrnn::diagnostic::Span;
use lrnn::function::Shape;
use lrnn::vocabulary::{ConstantId, Vocabulary};

use crate::graphs::{Graphs, PlacedColumn, numbers_within};
use crate::labels::set_classes;
use crate::types::{Types, add_types};

/// Returns the dataset of these graphs.
pub(crate) fn facts(graphs: &Graphs, vocabulary: Vocabulary) -> Dataset {
    let count = graphs.classes.len();
    let dataset = Dataset { vocabulary, examples: vec![Example::default(); count], ..Dataset::default() };
    let mut facts = Facts { dataset, types: Types::default() };
    let nodes = facts.nodes(graphs);
    facts.edges(graphs, &nodes);
    let Facts { mut dataset, types } = facts;
    dataset.folds = graphs.folds.iter().flatten().map(|line| line.0).collect();
    set_classes(&mut dataset, &graphs.classes);
    add_types(&types, &mut dataset);
    dataset
}

/// Facts as they are added.
struct Facts {
    dataset: Dataset,
    types: Types,
}

impl Facts {
    fn nodes(&mut self, graphs: &Graphs) -> Vec<ConstantId> {
        let numbers = numbers_within(&graphs.graph_of);
        let mut constants = Vec::with_capacity(numbers.len());
        for (node, &(graph, place)) in graphs.graph_of.iter().enumerate() {
            let constant = self.dataset.vocabulary.name(&format!("d{}_{}", graph + 1, numbers[node]));
            constants.push(constant);
            self.typed(graph, ("atom", 'n'), constant, line(&graphs.node_labels, node), place);
            self.attributes(graph, "node_attributes", constant, line(&graphs.node_attributes, node));
        }
        constants
    }

    fn edges(&mut self, graphs: &Graphs, nodes: &[ConstantId]) {
        // An edge of one label, both ways, is one bond; whether each way was there.
        let mut bonds: BTreeMap<(usize, usize, &str), (ConstantId, [bool; 2])> = BTreeMap::new();
        let mut counts = vec![0_usize; self.dataset.examples.len()];
        for (edge, &((a, b), place)) in graphs.edges.iter().enumerate() {
            let (graph, label) = (graphs.graph_of[a].0, line(&graphs.edge_labels, edge));
            let key = (a.min(b), a.max(b), label.map_or("", |label| label.0.as_str()));
            let mut bond = bonds.get(&key).copied().unwrap_or_else(|| {
                counts[graph] += 1;
                let constant = self.dataset.vocabulary.name(&format!("d{}_b{}", graph + 1, counts[graph]));
                self.typed(graph, ("bond", 'b'), constant, label, place);
                self.attributes(graph, "edge_attributes", constant, line(&graphs.edge_attributes, edge));
                (constant, [false; 2])
            });
            let way = usize::from(a > b);
            if !bond.1[way] {
                bond.1[way] = true;
                self.add(graph, ("bond", place), &[nodes[a], nodes[b], bond.0], &[1.0]);
            }
            bonds.insert(key, bond);
        }
    }

    /// Adds the fact of a type: `n_3(d1_2)`.
    fn typed(
        &mut self,
        graph: usize,
        (thing, letter): (&'static str, char),
        constant: ConstantId,
        label: Option<&(String, Span)>,
        place: Span,
    ) {
        let name = format!("{letter}_{}", label.map_or("any", |label| label.0.as_str()));
        let place = label.map_or(place, |label| label.1);
        self.add(graph, (&name, place), &[constant], &[1.0]);
        self.types.add(thing, name, place);
    }

    fn attributes(
        &mut self,
        graph: usize,
        name: &str,
        constant: ConstantId,
        line: Option<&(Vec<f64>, Span)>,
    ) {
        if let Some((values, place)) = line {
            self.add(graph, (name, *place), &[constant], values);
        }
    }

    fn add(&mut self, graph: usize, (name, place): (&str, Span), terms: &[ConstantId], values: &[f64]) {
        let predicate = self.dataset.vocabulary.predicate(name, terms.len());
        let shape = if values.len() == 1 { Shape::NUMBER } else { Shape::vector(values.len() as u32) };
        self.dataset.facts_seen.resize(self.dataset.vocabulary.predicate_count(), None);
        self.dataset.facts_seen[predicate.index()].get_or_insert((shape, place));
        let tables = &mut self.dataset.examples[graph].tables;
        let known = tables.iter().position(|table| table.predicate == predicate);
        let number = known.unwrap_or_else(|| {
            tables.push(FactTable { predicate, rows: 0, terms: Vec::new(), shape, values: Vec::new() });
            tables.len() - 1
        });
        let table = &mut tables[number];
        table.rows += 1;
        table.terms.extend_from_slice(terms);
        // No values are ones, which all facts but attributes have.
        if name.ends_with("_attributes") {
            table.values.extend_from_slice(values);
        }
    }
}

fn line<T>(column: &Option<PlacedColumn<T>>, number: usize) -> Option<&(T, Span)> {
    column.as_ref()?.get(number)
}
