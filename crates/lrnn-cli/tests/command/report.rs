//! `lrnn report`: one page of a run, what it holds, and what it says where something is missing.

use std::fs;

use serde_json::Value;

use crate::learning::{TEMPLATE, data, document, folder, train};
use crate::run::{Ended, Folder};

/// The data of a page.
pub fn data_of(page: &str) -> Value {
    let (_, rest) =
        page.split_once("<script type=\"application/json\" id=\"report\">").expect("data in the page");
    let (data, _) = rest.split_once("</script>").expect("the end of the data");
    serde_json::from_str(data).expect("JSON")
}

fn read(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).expect("JSON")
}

fn array<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("no {name}"))
}

fn crossval(folder: &Folder, words: &[&str]) -> Ended {
    let all = ["crossval", "--template", "t.lrnn", "--data", "d.txt", "--folds", "4", "--epochs", "20"];
    folder.lrnn(&[&all[..], words].concat())
}

/// What must hold for every answer that is explained.
fn check_explained(report: &Value) -> usize {
    let texts = array(report, "texts").len() as u64;
    let mut count = 0;
    for answer in array(report, "examples").iter().flat_map(|example| array(example, "answers")) {
        let explanation = &answer["explanation"];
        if explanation.is_null() {
            continue;
        }
        count += 1;
        let number = |name: &str| explanation[name].as_f64().expect("a number");
        let rest = number("value") - number("baseline") - number("sum");
        assert!(rest.abs() < 1e-4, "{explanation}");
        let listed: f64 = array(explanation, "facts").iter().filter_map(|fact| fact[1].as_f64()).sum();
        let sum = listed + explanation["facts_rest"][1].as_f64().expect("a number");
        assert!((sum - number("sum")).abs() < 1e-4, "{explanation}");
        let value = answer["value"][0].as_f64().expect("a value");
        assert!((value - number("value")).abs() < 1e-3, "{value} {explanation}");
        check_network(&explanation["network"], texts);
    }
    count
}

fn check_network(network: &Value, texts: u64) {
    let nodes = array(network, "nodes");
    for edge in array(network, "edges") {
        let layer = |end: &str| nodes[edge[end].as_u64().expect("a node") as usize]["layer"].as_u64();
        assert!(layer("from") < layer("to"), "{edge}");
    }
    assert!(nodes.iter().all(|node| node["text"].as_u64().is_some_and(|text| text < texts)));
}

#[test]
fn a_run_of_training_is_one_page() {
    let folder = folder("report train");
    let words = ["--report", "--test", "0.2", "--validation", "0.2", "--restarts", "3"];
    let ended = train(&folder, "run", &words);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.contains("report: run/report.html") && !ended.err.contains("to look at it"),
        "{}",
        ended.err
    );
    let report = data_of(&folder.read("run/report.html"));
    assert_eq!((report["kind"].as_str(), report["title"].as_str()), (Some("train"), Some("d")));
    let names: Vec<&str> = array(&report, "parts").iter().filter_map(|part| part["name"].as_str()).collect();
    assert_eq!(names, ["training", "validation", "test"]);
    let counts: u64 = array(&report, "parts").iter().filter_map(|part| part["answers"].as_u64()).sum();
    assert_eq!((counts, array(&report, "curves").len()), (40, 3));
    assert_eq!(array(&report, "curves").iter().filter(|curve| curve["kept"] == true).count(), 1);
    assert_eq!((array(&report, "examples").len(), check_explained(&report)), (40, 40));
    assert!(report["examples"][0]["picture"]["nodes"].as_array().is_some_and(|nodes| nodes.len() == 5));
    let pieces = report["templates"][0]["tokens"].as_array().expect("pieces");
    assert_eq!(pieces.iter().filter_map(|piece| piece[1].as_str()).collect::<String>(), TEMPLATE);
    assert!(!array(&report, "concepts").is_empty() && !array(&report, "patterns").is_empty());
    // The same numbers as in what `train` printed.
    let again =
        train(&folder, "again", &["--test", "0.2", "--validation", "0.2", "--restarts", "3", "--json"]);
    let error = document(&again)["metrics"]["test"]["error"].as_f64().expect("a number");
    let metrics = report["parts"][2]["metrics"].as_array().expect("metrics");
    let shown = metrics.iter().find(|metric| metric[0] == "error").and_then(|metric| metric[1].as_f64());
    assert!((shown.expect("a number") - error).abs() < 1e-6);
}

#[test]
fn whoever_asks_for_no_report_is_told_how_to_make_one() {
    let folder = folder("report told");
    let ended = train(&folder, "run", &[]);
    assert!(ended.err.contains("to look at it: lrnn report run"), "{}", ended.err);
    assert!(!train(&folder, "quiet", &["--quiet"]).err.contains("lrnn report"));
    assert!(!train(&folder, "json", &["--json"]).err.contains("lrnn report"));
    let ended = folder.lrnn(&["report", "run", "-o", "page.html", "--json"]);
    let made = document(&ended);
    assert_eq!((made["file"].as_str(), made["examples"].as_u64()), (Some("page.html"), Some(40)));
    assert_eq!(made["bytes"].as_u64(), Some(folder.read("page.html").len() as u64));
}

#[test]
fn folds_are_explained_by_models_that_did_not_learn_from_them() {
    let folder = folder("report crossval");
    let ended =
        crossval(&folder, &["--out", "run", "--report=page.json", "--baseline", "majority", "--seeds", "2"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let report = read(&folder, "page.json");
    assert_eq!((report["kind"].as_str(), check_explained(&report)), (Some("crossval"), 40));
    assert_eq!(array(&report["crossval"], "rows").len(), 8);
    assert_eq!(array(&report["crossval"], "methods").len(), 2);
    assert_eq!(report["parts"][0]["answers"].as_u64(), Some(40));
    let parts = array(&report, "examples").iter().filter_map(|example| example["part"].as_str());
    assert_eq!(parts.filter(|part| *part == "fold 2").count(), 10);
    for (seed, fold) in [(0, 0), (0, 3), (1, 3)] {
        assert!(folder.path(&format!("run/models/seed-{seed}-fold-{fold}.safetensors")).exists());
    }
    // Gone on with, it has every model and says the same; without its models it says so.
    let lines = folder.read("run/journal.jsonl");
    let half: String = lines.lines().take(5).map(|line| line.to_owned() + "\n").collect();
    folder.write("run/journal.jsonl", half);
    let unfinished = folder.lrnn(&["report", "run"]);
    assert_eq!(unfinished.code, 3, "{}", unfinished.err);
    assert!(unfinished.err.contains("lrnn crossval --resume run"), "{}", unfinished.err);
    assert_eq!(
        folder.lrnn(&["crossval", "--resume", "run", "--report=again.json", "--threads", "1"]).code,
        0
    );
    assert_eq!(folder.read("again.json"), folder.read("page.json"));
    fs::remove_dir_all(folder.path("run/models")).expect("models");
    assert_eq!(folder.lrnn(&["report", "run", "-o", "old.json"]).code, 0);
    let old = read(&folder, "old.json");
    assert_eq!((check_explained(&old), array(&old, "examples").len()), (0, 40));
    assert!(old["notes"].to_string().contains("the models of 4 of 4 folds"), "{}", old["notes"]);
}

#[test]
fn data_that_moved_is_asked_for() {
    let folder = folder("report moved");
    train(&folder, "run", &[]);
    crossval(&folder, &["--out", "folds"]);
    fs::rename(folder.path("d.txt"), folder.path("e.txt")).expect("another name");
    for run in ["run", "folds"] {
        let ended = folder.lrnn(&["report", run]);
        assert_eq!(ended.code, 5, "{}", ended.err);
        assert!(ended.err.contains("--data DATA"), "{}", ended.err);
        let ended = folder.lrnn(&["report", run, "--data", "e.txt", "-o", "r.json"]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(check_explained(&read(&folder, "r.json")), 40);
    }
    folder.write("other.txt", data(0, 39));
    assert_eq!(folder.lrnn(&["report", "run", "--data", "other.txt", "-o", "r.json"]).code, 0);
    assert!(
        read(&folder, "r.json")["notes"].to_string().contains("the data is not what the model learned from")
    );
    assert_eq!(folder.lrnn(&["report", "folds", "--data", "other.txt"]).code, 3);
}

#[test]
fn what_is_no_run_is_told() {
    let folder = folder("report none");
    for name in ["t.lrnn", "nowhere", "."] {
        let ended = folder.lrnn(&["report", name]);
        assert_eq!(ended.code, 5, "{name}: {}", ended.err);
        assert!(ended.err.contains("there is no run to report"), "{}", ended.err);
    }
}

#[test]
fn many_queries_of_one_example_are_listed_and_some_explained() {
    let folder = Folder::new("report queries");
    folder.write("t.lrnn", "w :: p(X, Z) :- e(X, Y), e(Y, Z).\n");
    let edges: Vec<String> = (0..400).map(|at| format!("e(n{at}, n{})", (at * 7 + 3) % 400)).collect();
    let next = |at: usize| (at * 7 + 3) % 400;
    let queries: String = (0..400).map(|at| format!("{} p(n{at}, n{}).\n", at % 2, next(next(at)))).collect();
    folder.write("d/examples.txt", edges.join(", ") + ".\n");
    folder.write("d/queries.txt", queries.lines().collect::<Vec<_>>().join(" ").replace(". ", ", ") + "\n");
    let words = ["train", "--template", "t.lrnn", "--data", "d", "--out", "run", "--epochs", "3", "--report"];
    let ended = folder.lrnn(&words);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let report = data_of(&folder.read("run/report.html"));
    let example = &report["examples"][0];
    assert_eq!(array(example, "answers").len(), 400);
    let explained = check_explained(&report);
    assert!((10..=40).contains(&explained), "{explained}");
    assert!(example["picture"].is_null(), "400 constants are no picture");
    assert!(report["notes"].to_string().contains("answers are explained"), "{}", report["notes"]);
}

#[test]
fn hostile_names_of_files_are_titles() {
    for name in ["<script>alert(1)", "a\"b'c&d", "x\u{202e}y", "<!-- --", "{{data}}"] {
        let folder = Folder::new("report hostile files");
        folder.write(&format!("{name}/{name}.lrnn"), TEMPLATE);
        folder.write(&format!("{name}/examples.txt"), data(0, 8));
        folder.write(&format!("{name}/lrnn.toml"), format!("template = '''{name}.lrnn'''\n"));
        let ended = folder.lrnn(&["train", name, "--out", "run", "--epochs", "2", "--report"]);
        assert_eq!(ended.code, 0, "{name}: {}", ended.err);
        let page = folder.read("run/report.html");
        let report = data_of(&page);
        assert_eq!(report["title"].as_str(), Some(name));
        assert!(!page.contains("<script>alert") && page.matches("<!--").count() == 0, "{name}");
        assert!(
            report["templates"][0]["name"]
                .as_str()
                .is_some_and(|file| file.ends_with(&format!("{name}.lrnn")))
        );
    }
}
