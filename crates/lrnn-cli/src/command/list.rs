//! `lrnn list`: the tables of functions and families.

use lrnn::function::{Activation, Aggregation, Combination, FAMILIES};
use serde_json::{Value, json};

use crate::args::{Common, Kind, List};
use crate::failure::Failure;
use crate::output;

/// A name, what it computes, and a line about it.
type Row = (&'static str, String, &'static str);

pub fn run(list: &List, common: &Common) -> Result<u8, Failure> {
    let all: [(Kind, &str, Vec<Row>); 4] = [
        (Kind::Families, "families", families()),
        (
            Kind::Activations,
            "activations",
            Activation::TABLE.iter().map(|e| (e.name, e.formula.to_owned(), e.about)).collect(),
        ),
        (
            Kind::Combinations,
            "combinations",
            Combination::TABLE.iter().map(|e| (e.name, e.formula.to_owned(), e.about)).collect(),
        ),
        (
            Kind::Aggregations,
            "aggregations",
            Aggregation::TABLE.iter().map(|e| (e.name, e.formula.to_owned(), e.about)).collect(),
        ),
    ];
    let chosen = all.into_iter().filter(|(kind, _, _)| list.kind.is_none_or(|wanted| wanted == *kind));
    if common.json {
        let entry =
            |(name, formula, about): &Row| json!({ "name": name, "formula": formula, "about": about });
        let document: serde_json::Map<String, Value> =
            chosen.map(|(_, title, rows)| (title.to_owned(), rows.iter().map(entry).collect())).collect();
        output::print_json(&Value::Object(document))?;
        return Ok(0);
    }
    let tables: Vec<String> = chosen
        .map(|(_, title, rows)| {
            let rows: Vec<Vec<String>> = rows
                .into_iter()
                .map(|(name, formula, about)| vec![name.to_owned(), formula, about.to_owned()])
                .collect();
            output::table(&[title, "", ""], &rows)
        })
        .collect();
    output::print(&tables.join("\n"))?;
    Ok(0)
}

fn families() -> Vec<Row> {
    let row = |family: &'static lrnn::Family| {
        let (minus, and) = match family.rule.minus_inputs {
            true => (" - k + b0", format!(" with b0 = {}", family.rule.offset)),
            false => ("", String::new()),
        };
        let (plus, or) = match family.atom.learned {
            true => (" + b0", format!(" with b0 learned from {}", family.atom.offset)),
            false => ("", String::new()),
        };
        let formula = format!(
            "and: {}({}{minus}){and}, groundings: {}, or: {}({}{plus}){or}",
            family.rule.activation.name(),
            family.rule.combination.name(),
            family.aggregation.name(),
            family.atom.activation.name(),
            family.atom.combination.name(),
        );
        (family.name, formula, family.about)
    };
    FAMILIES.iter().map(row).collect()
}
