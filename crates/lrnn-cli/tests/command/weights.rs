//! `lrnn weights`: a table, CSV and JSON of one model, and what is no model.

use lrnn::function::Shape;
use lrnn::model::{Model, ModelWeight, Precision};
use serde_json::{Value, json};

use crate::HORSES;
use crate::run::Folder;

fn weight(name: &str, index: &str, shape: Shape, numbers: &[f64]) -> ModelWeight {
    ModelWeight { name: name.into(), index: index.into(), shape, numbers: numbers.to_vec() }
}

/// A folder with a model of three weights.
fn folder(name: &str, precision: Precision) -> Folder {
    let model = Model {
        sources: vec![("horses.lrnn".into(), HORSES.into())],
        family: None,
        weights: [
            weight("rule 1", "", Shape::NUMBER, &[f64::from(0.1f32)]),
            weight("w", "c, 1", Shape::NUMBER, &[-2.5]),
            weight("v", "", Shape::matrix(2, 2), &[1.0, -1.0, 1.0, 1.0]),
        ]
        .into_iter()
        .collect(),
        settings: [("epochs".to_owned(), "3".to_owned())].into(),
        precision,
        version: "0.1.0".into(),
        fingerprint: 0xab,
        notes: [("accuracy".to_owned(), "0.5".to_owned())].into(),
        ..Model::default()
    };
    let folder = Folder::new(name);
    folder.write("m.lrnn-model", model.to_bytes().expect("a model"));
    folder
}

#[test]
fn a_table() {
    let ended = folder("weights table", Precision::F32).lrnn(&["weights", "m.lrnn-model"]);
    let expected = "\
weight  index  value                       stands in
rule 1         0.1                         0.6 :: foal(A) :- parent(A, P), horse(P).
w       c, 1   -2.5
v              {2,2} norm 2, from -1 to 1

3 weights, 6 parameters, f32, by lrnn 0.1.0
";
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, expected, ""));
}

#[test]
fn the_largest() {
    let folder = folder("weights largest", Precision::F64);
    let ended = folder.lrnn(&["weights", "m.lrnn-model", "--largest", "2"]);
    let expected = "\
weight  index  value
w       c, 1   -2.5
v              {2,2} norm 2, from -1 to 1

2 of 3 weights, 5 parameters, f64, by lrnn 0.1.0
";
    assert_eq!((ended.code, ended.out.as_str()), (0, expected));
    assert_eq!(folder.lrnn(&["weights", "m.lrnn-model", "--largest", "0"]).code, 2);
}

#[test]
fn csv_has_every_number_exactly() {
    let csv = |precision| {
        folder(&format!("weights csv {precision:?}"), precision).lrnn(&["weights", "--csv", "m.lrnn-model"])
    };
    let expected = "\
weight,index,row,column,value
rule 1,,0,0,0.1
w,\"c, 1\",0,0,-2.5
v,,0,0,1.0
v,,0,1,-1.0
v,,1,0,1.0
v,,1,1,1.0
";
    assert_eq!(csv(Precision::F32).out, expected);
    assert_eq!(csv(Precision::F64).out, expected.replace("0.1", "0.10000000149011612"));
}

#[test]
fn a_document() {
    let folder = folder("weights json", Precision::F64);
    let ended = folder.lrnn(&["weights", "m.lrnn-model", "--json", "--largest", "2"]);
    let found: Value = serde_json::from_str(&ended.out).expect("a document");
    let expected = json!({
        "weights": [
            { "name": "w", "index": "c, 1", "shape": [1, 1], "norm": 2.5, "value": -2.5 },
            { "name": "v", "index": "", "shape": [2, 2], "norm": 2.0, "value": [[1.0, -1.0], [1.0, 1.0]] },
        ],
        "family": null, "precision": "f64", "version": "0.1.0", "members": 1, "fingerprint": "00000000000000ab",
        "sources": ["horses.lrnn"], "settings": { "epochs": "3" }, "notes": { "accuracy": "0.5" },
    });
    assert_eq!(found, expected);
    assert_eq!(folder.lrnn(&["weights", "m.lrnn-model", "--json", "--csv"]).code, 2);
}

#[test]
fn what_is_no_model() {
    let folder = folder("weights wrong", Precision::F64);
    let bytes = std::fs::read(folder.path("m.lrnn-model")).expect("the model");
    folder.write("cut", &bytes[..bytes.len() - 1]);
    folder.write("t.lrnn", HORSES);
    let check = |name: &str, code: i32, words: &str| {
        let ended = folder.lrnn(&["weights", name]);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{name}");
        assert!(ended.err.contains(words), "{name}: {}", ended.err);
    };
    check("cut", 3, "the model is cut short");
    check("t.lrnn", 3, "this is not a model of lrnn");
    check("m.lrnn-modle", 5, "did you mean `m.lrnn-model`?");
}
