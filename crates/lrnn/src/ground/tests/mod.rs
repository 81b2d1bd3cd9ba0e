//! What the tests of this room share: templates and examples from text.

mod agreement;
mod chunks;
mod facts;
mod limits;
mod models;
mod random;

use super::*;
use crate::data::{Dataset, Example, FactTable};
use crate::function::Shape;
use crate::template::Template;
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

fn template(text: &str) -> Template {
    Template::parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"))
}

/// A dataset whose examples are written as facts with blanks between them, without blanks inside:
/// `edge(a,b) 0.5;colour(a,red)`.
fn dataset(template: &Template, examples: &[&str]) -> Dataset {
    let mut vocabulary = template.vocabulary.clone();
    let examples: Vec<Example> = examples.iter().map(|text| example(&mut vocabulary, text)).collect();
    Dataset { queries: vec![Vec::new(); examples.len()], examples, vocabulary, ..Dataset::default() }
}

fn example(vocabulary: &mut Vocabulary, text: &str) -> Example {
    let mut example = Example::default();
    for fact in text.split_whitespace() {
        let (value, fact) = fact.split_once(';').unwrap_or(("1", fact));
        let (name, terms) = fact.trim_end_matches(')').split_once('(').unwrap_or((fact, ""));
        let terms: Vec<ConstantId> =
            terms.split_terminator(',').map(|term| constant(vocabulary, term)).collect();
        let predicate = vocabulary.predicate(name, terms.len());
        push(&mut example, predicate, &terms, value.parse().expect("a number"));
    }
    example
}

fn constant(vocabulary: &mut Vocabulary, text: &str) -> ConstantId {
    match text.parse() {
        Ok(number) => vocabulary.number(number),
        Err(_) => vocabulary.name(text),
    }
}

fn push(example: &mut Example, predicate: PredicateId, terms: &[ConstantId], value: f64) {
    let empty =
        || FactTable { predicate, rows: 0, terms: Vec::new(), shape: Shape::NUMBER, values: Vec::new() };
    let place = example.tables.iter().position(|table| table.predicate == predicate).unwrap_or_else(|| {
        example.tables.push(empty());
        example.tables.len() - 1
    });
    let table = &mut example.tables[place];
    table.rows += 1;
    table.terms.extend_from_slice(terms);
    table.values.push(value);
}

fn plans(template: &Template, dataset: &Dataset) -> Plans {
    Plans::new(template, &Statistics::of(dataset))
}

/// Grounds the first example.
fn ground_first(template: &Template, dataset: &Dataset, limits: &Limits) -> Result<Grounding, GroundError> {
    let plans = plans(template, dataset);
    ground(template, &plans, &dataset.vocabulary, &dataset.examples[0], limits)
}

/// The atoms of a predicate in the model of the first example, sorted by text.
fn model(text: &str, facts: &str, predicate: &str) -> Vec<String> {
    let template = template(text);
    let dataset = dataset(&template, &[facts]);
    let grounding = ground_first(&template, &dataset, &Limits::default()).expect("a grounding");
    let names = |(id, _): &(PredicateId, _)| *dataset.vocabulary.signature(*id).name == *predicate;
    let atoms = canonical(&template, &grounding).atoms.into_iter().filter(names);
    let mut texts: Vec<String> = atoms.map(|(id, terms)| dataset.vocabulary.atom_text(id, &terms)).collect();
    texts.sort();
    texts
}
