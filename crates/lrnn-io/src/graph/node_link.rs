//! Graphs as networkx writes them: node-link JSON, one graph or a list of them, each an example. A node is `node(n)`, an
//! edge `edge(a, b)`, both ways where the graph is not directed. An attribute is a fact with its value as the last term,
//! `colour(n, red)`, `weight(a, b, 3)`; a list of numbers is the value of the fact, `x(n)`.

use std::collections::BTreeSet;

use lrnn::diagnostic::{SourceId, Span};
use lrnn::vocabulary::Constant;
use serde_json::{Map, Value};

use super::{GraphFacts, PlacedFact, wrong};

pub(super) fn read(text: &str, source: SourceId) -> GraphFacts {
    let place = Span { source, start: 0, end: 0 };
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let before: usize =
            text.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        vec![wrong(source, at, at, format!("this is no JSON: {error}"))]
    })?;
    let graphs = match &value {
        Value::Array(graphs) => graphs.iter().collect(),
        graph => vec![graph],
    };
    let read = |(at, graph): (usize, &Value)| {
        NodeLinkGraph::read(graph, place).map_err(|message| {
            let which = if graphs.len() > 1 { format!("graph {at}: ") } else { String::new() };
            let help =
                "node-link JSON has \"nodes\" with ids, and \"edges\" (or \"links\") with source and target";
            wrong(source, 0, 0, which + &message).help(help)
        })
    };
    let (mut examples, mut all_wrong) = (Vec::new(), Vec::new());
    for found in graphs.iter().copied().enumerate().map(read) {
        match found {
            Ok(facts) => examples.push(facts),
            Err(message) => all_wrong.push(message),
        }
    }
    if all_wrong.is_empty() { Ok(examples) } else { Err(all_wrong) }
}

/// The facts of a graph as they are found.
struct NodeLinkGraph {
    facts: Vec<PlacedFact>,
    place: Span,
}

impl NodeLinkGraph {
    fn read(graph: &Value, place: Span) -> Result<Vec<PlacedFact>, String> {
        let list = |name: &str| graph.get(name).and_then(Value::as_array);
        let nodes = list("nodes").ok_or("there is no list \"nodes\"")?;
        let edges =
            list("edges").or_else(|| list("links")).ok_or("there is no list \"edges\" or \"links\"")?;
        let is_directed = graph.get("directed").and_then(Value::as_bool).unwrap_or(false);
        let mut found = Self { facts: Vec::new(), place };
        let mut known = BTreeSet::new();
        for (at, node) in nodes.iter().enumerate() {
            let object = node.as_object().ok_or_else(|| format!("node {at} is no object"))?;
            let id = named(object, "id")
                .ok_or_else(|| format!("node {at} has no id that is a name or a number"))?;
            if !known.insert(id.to_string()) {
                return Err(format!("node {at} has the id of another, {id}"));
            }
            found.add("node", vec![id.clone()], Vec::new());
            found.attributes(object, &["id"], &[id]).map_err(|name| format!("node {at}: {name}"))?;
        }
        for (at, edge) in edges.iter().enumerate() {
            let object = edge.as_object().ok_or_else(|| format!("edge {at} is no object"))?;
            let end = |name| named(object, name).ok_or_else(|| format!("edge {at} has no {name}"));
            let ends = [end("source")?, end("target")?];
            if let Some(missing) = ends.iter().find(|end| !known.contains(&end.to_string())) {
                return Err(format!("edge {at} has an end that is no node, {missing}"));
            }
            let other = [ends[1].clone(), ends[0].clone()];
            for ends in if is_directed { vec![ends] } else { vec![ends, other] } {
                found.add("edge", ends.to_vec(), Vec::new());
                let left_out = ["source", "target"];
                found.attributes(object, &left_out, &ends).map_err(|name| format!("edge {at}: {name}"))?;
            }
        }
        if let Some(object) = graph.get("graph").and_then(Value::as_object) {
            found.attributes(object, &[], &[])?;
        }
        Ok(found.facts)
    }

    fn add(&mut self, predicate: &str, terms: Vec<Constant>, values: Vec<f64>) {
        self.facts.push(PlacedFact { values, ..PlacedFact::new(predicate, terms, self.place) });
    }

    fn attributes(
        &mut self,
        object: &Map<String, Value>,
        left_out: &[&str],
        of: &[Constant],
    ) -> Result<(), String> {
        for (name, value) in object.iter().filter(|(name, _)| !left_out.contains(&name.as_str())) {
            match value {
                Value::Null => {}
                Value::Array(list) => {
                    let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
                    let numbers = numbers.filter(|numbers| !numbers.is_empty());
                    let numbers = numbers.ok_or_else(|| format!("`{name}` is no list of numbers"))?;
                    self.add(name, of.to_vec(), numbers);
                }
                value => {
                    let term =
                        constant(value).ok_or_else(|| format!("`{name}` is no name, number or list"))?;
                    self.add(name, of.iter().cloned().chain([term]).collect(), Vec::new());
                }
            }
        }
        Ok(())
    }
}

fn named(object: &Map<String, Value>, name: &str) -> Option<Constant> {
    object.get(name).and_then(constant)
}

/// Returns a value as a constant: a name, a number, `true` or `false`.
fn constant(value: &Value) -> Option<Constant> {
    match value {
        Value::String(name) => Some(Constant::Name(name.as_str().into())),
        Value::Bool(truth) => Some(Constant::Name(truth.to_string().as_str().into())),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Some(Constant::Integer(integer)),
            None => number.as_f64().filter(|number| number.is_finite()).map(Constant::number),
        },
        _ => None,
    }
}
