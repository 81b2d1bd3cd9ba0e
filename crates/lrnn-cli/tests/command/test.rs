//! `lrnn test` and `lrnn predict`: metrics, what is outside the model, and what is no model.

use serde_json::{Value, json};

use crate::learning::{document, folder, train};
use crate::run::Folder;

/// A folder with a run, and data with two queries outside its model.
fn trained(name: &str) -> Folder {
    let folder = folder(name);
    assert_eq!(train(&folder, "run", &["--epochs", "200"]).code, 0);
    let lonely = "1 toxic :- element(a, c).\n0 toxic :- element(a, o).\n";
    folder.write("lonely.txt", folder.read("other.txt") + lonely);
    folder
}

#[test]
fn metrics_as_text_and_for_machines() {
    let folder = trained("test metrics");
    let found = document(&folder.lrnn(&["test", "run", "d.txt", "--json"]));
    assert_eq!(
        (&found["metrics"]["accuracy"], &found["metrics"]["auc"]),
        (&json!(1.0), &json!(1.0)),
        "{found}"
    );
    assert_eq!(found["metrics"]["mrr"], Value::Null);
    assert!(found["undefined"]["mrr"].as_str().is_some_and(|why| why.contains("candidates")));
    let confusion = &found["confusion"];
    assert_eq!((&confusion["false_positives"], &confusion["false_negatives"]), (&json!(0), &json!(0)));
    assert!(found["loss"].as_f64().is_some_and(|loss| loss < 0.1), "{found}");
    assert!(found["peak_memory_bytes"].is_u64() || found["peak_memory_bytes"].is_null());
    for name in ["read", "compute"] {
        assert!(found["seconds"][name].is_f64(), "{name}");
    }
    let text = folder.lrnn(&["test", "run", "d.txt"]).out;
    assert!(text.contains("\nauc") && text.contains("taken for true") && !text.contains("mrr"), "{text}");
    assert!(text.ends_with("40 examples, 40 queries: 0 of 40 answers wrong\n"), "{text}");
}

#[test]
fn queries_outside_the_model() {
    let folder = trained("test outside");
    let with = |command: &str, what: &[&str]| folder.lrnn(&[&[command, "run", "lonely.txt"], what].concat());
    let by_default = with("test", &["--json"]);
    let said = &by_default.err;
    assert!(said.contains("2 of 12 queries are not in the model: toxic in example "), "{said}");
    assert!(said.contains("; they count as 0"), "{said}");
    let found = document(&by_default);
    assert_eq!((&found["answers"], &found["unentailed"]), (&json!(12), &json!(2)));
    assert_eq!(found["metrics"], document(&with("test", &["--json", "--unentailed", "0"]))["metrics"]);
    let skipped = document(&with("test", &["--json", "--unentailed", "skip"]));
    assert_eq!((&skipped["answers"], &skipped["queries"]), (&json!(10), &json!(12)));
    assert!(with("test", &[]).out.contains("2 of them not in the model and taken for 0"));
    let least = document(&with("test", &["--json", "--least-wrong"]));
    assert!(
        least["least_wrong"].as_u64() <= least["wrong"].as_u64() && least["least_wrong"].is_u64(),
        "{least}"
    );
    for command in ["test", "predict"] {
        let refused = with(command, &["--unentailed", "error"]);
        assert_eq!(refused.code, 3);
        assert!(refused.err.contains("`--unentailed skip` leaves them out"), "{}", refused.err);
        assert_eq!(with(command, &["--unentailed", "no"]).code, 2);
    }
    let predicted = |what: &[&str]| document(&with("predict", &[&["--json"], what].concat()));
    let last =
        |found: &Value| found["predictions"].as_array().and_then(|all| all.last().cloned()).expect("some");
    assert_eq!(last(&predicted(&["--unentailed", "0.25"]))["value"], 0.25);
    assert_eq!(last(&predicted(&[]))["in_model"], false);
    assert_eq!(predicted(&["--unentailed", "skip"])["predictions"].as_array().map(Vec::len), Some(10));
    folder.write("none.txt", "1 toxic :- lonely(a).\n");
    for how in [&[][..], &["--json"], &["--csv"]] {
        let none = folder.lrnn(&[&["predict", "run", "none.txt", "--unentailed", "skip"], how].concat());
        assert!(none.code == 3 && none.err.contains("no query of this data is in the model"), "{}", none.err);
    }
}

#[test]
fn predictions_as_csv() {
    let folder = trained("test csv");
    let found = folder.lrnn(&["predict", "run", "lonely.txt", "--csv"]);
    let lines: Vec<Vec<&str>> = found.out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["example", "query", "value", "probability", "class", "target", "in_model"]);
    assert_eq!(lines.len(), 13, "{}", found.out);
    let documents = document(&folder.lrnn(&["predict", "run", "lonely.txt", "--json"]));
    for (line, of_json) in lines[1..].iter().zip(documents["predictions"].as_array().expect("predictions")) {
        for (name, cell) in lines[0].iter().zip(line) {
            let expected = of_json[name].as_str().map_or_else(|| of_json[name].to_string(), str::to_owned);
            assert_eq!(*cell, expected, "{name}");
        }
    }
    assert_eq!(lines[12][1..], ["toxic", "0.0", "0.0", "0", "0.0", "false"]);
    assert_eq!(folder.lrnn(&["predict", "run", "lonely.txt", "--csv", "--json"]).code, 2);
}

#[test]
fn the_probability_of_a_class_is_its_softmax() {
    let folder = Folder::new("test softmax");
    folder.write("t.lrnn", "{3} :: kind :- q(X).\n");
    folder.write("d.txt", "[0, 1, 0] kind :- q(a).\n[0, 0, 1] kind :- q(a), q(b).\n");
    let train = ["train", "--template", "t.lrnn", "--data", "d.txt", "--loss", "softmax", "--out", "run"];
    assert_eq!(folder.lrnn(&train).code, 0);
    let found = document(&folder.lrnn(&["predict", "run", "d.txt", "--json"]));
    for prediction in found["predictions"].as_array().expect("predictions") {
        let numbers = |name: &str| -> Vec<f64> {
            prediction[name].as_array().expect("a vector").iter().filter_map(Value::as_f64).collect()
        };
        let sum: f64 = numbers("value").iter().map(|value| value.exp()).sum();
        for (value, probability) in numbers("value").iter().zip(numbers("probability")) {
            assert!((value.exp() / sum - probability).abs() < 1e-12, "{prediction}");
        }
    }
}

#[test]
fn what_is_no_model() {
    let folder = trained("test wrong");
    let mut bytes = std::fs::read(folder.path("run/model.safetensors")).expect("the model");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("damaged", bytes);
    let check = |name: &str, code: i32, words: &str| {
        for command in [&["predict", name, "d.txt"][..], &["test", name, "d.txt"], &["weights", name]] {
            let ended = folder.lrnn(command);
            assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{command:?}");
            assert!(ended.err.contains(words), "{command:?}: {}", ended.err);
        }
    };
    check("damaged", 3, "damaged: ");
    check("t.lrnn", 3, "this is not a model of lrnn");
    check("nothing", 5, "there is no such file or folder");
    check(".", 5, "there is no such file or folder");
}

#[test]
fn data_without_targets() {
    let folder = trained("test targets");
    folder.write("asked.txt", "toxic :- element(a, c), element(b, o), bond(a, b).\n");
    let ended = folder.lrnn(&["test", "run", "asked.txt"]);
    assert_eq!(ended.code, 3);
    assert!(ended.err.contains("no query has a target"), "{}", ended.err);
    assert_eq!(folder.lrnn(&["predict", "run", "asked.txt"]).code, 0);
}
