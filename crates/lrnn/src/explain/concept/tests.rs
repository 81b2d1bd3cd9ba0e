use super::*;
use crate::diagnostic::SourceId;
use crate::function::Shape;
use crate::model::Precision;
use crate::syntax::parse;
use crate::template::Options;

/// The concept `in/2` of three elements and groups with these weights.
fn concept(groups: &[[f64; 3]]) -> Concept {
    let text = "group(1..3).\nw[T, G] :: in(A, G) :- element(A, T), *group(G).\n";
    let (tree, diagnostics) = parse(text, SourceId(0));
    assert_eq!(diagnostics, []);
    let template = Template::resolve(&tree.items, Options::default()).0.expect("a template");
    let weight = |(group, element): (usize, usize)| ModelWeight {
        name: "w".into(),
        index: format!("{}, {}", ["c", "n", "o"][element], group + 1),
        shape: Shape::NUMBER,
        numbers: vec![groups[group][element]],
    };
    let places = (0..groups.len()).flat_map(|group| (0..3).map(move |element| (group, element)));
    let model = Model {
        sources: Vec::new(),
        family: None,
        weights: places.map(weight).collect(),
        precision: Precision::F64,
        version: String::new(),
        fingerprint: 0,
        notes: Default::default(),
        ..Model::default()
    };
    concepts(&template, &model).into_iter().find(|concept| concept.predicate == "in/2").expect("a concept")
}

fn wild(groups: &[[f64; 3]]) -> Vec<String> {
    let concept = concept(groups);
    let columns = concept.columns.iter().zip(&concept.is_wild);
    columns.filter(|(_, is_wild)| **is_wild).map(|(column, _)| column.clone()).collect()
}

#[test]
fn a_group_that_takes_all_alike_is_a_wild_card() {
    assert_eq!(wild(&[[5.0, -4.0, -5.0], [1.0, 1.1, 0.9], [-6.0, 4.0, -3.0]]), ["2"]);
    assert_eq!(wild(&[[5.0, -4.0, -5.0], [-4.0, 5.0, 1.0]]), Vec::<String>::new());
}

#[test]
fn without_other_groups_nothing_is_a_wild_card() {
    assert_eq!(wild(&[[1.0, 1.1, 0.9]]), Vec::<String>::new());
    // All take all alike: none does so more than the others.
    assert_eq!(wild(&[[1.0, 1.1, 0.9], [0.9, 1.0, 1.1]]), Vec::<String>::new());
}
