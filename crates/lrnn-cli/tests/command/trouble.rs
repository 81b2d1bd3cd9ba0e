//! Learning that goes wrong, or that is suspicious: what is said, and what is kept.

use crate::learning::{document, folder, model, train};
use crate::run::Folder;

/// Squares, so that numbers can grow beyond all bounds.
const SQUARES: &str = "\
:- family(neuralogic).
:- rule_activation(square).
:- atom_activation(identity).
w = WEIGHT :: p :- v = 2 :: q(X).
";

fn squares(name: &str, weight: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("t.lrnn", SQUARES.replace("WEIGHT", weight));
    folder.write("d.txt", "1 p :- 3 q(a).\n0 p :- 1 q(b).\n");
    folder
}

/// Exit code 6, with all that a person needs, and a model that can be read.
fn check(folder: &Folder, words: &[&str], place: &str) {
    let ended = train(folder, "run", words);
    assert_eq!(ended.code, 6, "{} {}", ended.out, ended.err);
    for part in ["no finite number in epoch ", "in example ", place, "the last good weights"] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    let weights = folder.lrnn(&["weights", "run", "--csv"]);
    assert_eq!(weights.code, 0, "{}", weights.err);
    assert!(!weights.out.contains("inf") && !weights.out.contains("NaN"), "{}", weights.out);
}

#[test]
fn a_rate_that_is_far_too_large() {
    let folder = squares("trouble rate", "1");
    let words = ["--learning-rate", "1e30", "--loss", "squared", "--optimizer", "sgd", "--precision"];
    check(&folder, &[&words[..], &["f64"]].concat(), "t.lrnn:4:1");
    std::fs::remove_dir_all(folder.path("run")).expect("the run");
    check(&folder, &[&words[..], &["f32"]].concat(), "t.lrnn:4:1");
}

#[test]
fn weights_that_are_far_too_large() {
    let folder = squares("trouble weights", "1e308");
    check(&folder, &["--precision", "f64", "--loss", "squared"], "t.lrnn:4:1");
    // In single precision it is no finite number from the beginning.
    let ended = train(&folder, "single", &["--precision", "f32"]);
    assert_eq!(ended.code, 6, "{} {}", ended.out, ended.err);
    assert!(ended.err.contains("--precision f64"), "{}", ended.err);
}

#[test]
fn one_class_only() {
    let folder = folder("trouble class");
    let toxic: String = (folder.read("d.txt").lines())
        .filter(|line| line.starts_with('1'))
        .fold(String::new(), |all, line| all + line + "\n");
    folder.write("d.txt", toxic);
    let ended = train(&folder, "run", &["--optimizer", "adam", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(ended.err, "note: every target is 1: there is one class only\n");
    assert_eq!(document(&ended)["metrics"]["training"]["wrong"], 0);
}

#[test]
fn a_part_that_holds_no_example() {
    let folder = folder("trouble part");
    let ended = train(&folder, "run", &["--optimizer", "adam", "--test", "0.001", "--validation", "0.25"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let expected =
        "note: 0.001 of the examples are less than one: there is no test\nto look at it: lrnn report run\n";
    assert!(ended.err.starts_with(expected), "{}", ended.err);
}

#[test]
fn a_very_large_weight_is_told() {
    let folder = folder("trouble large");
    let ended = train(&folder, "run", &["--learning-rate", "1e8", "--epochs", "3"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("the learning rate is likely too large"), "{}", ended.err);
}

#[test]
fn a_run_whose_data_or_template_changed() {
    let folder = folder("trouble changed");
    assert_eq!(train(&folder, "run", &[]).code, 0);
    let before = model(&folder, "run");
    let check = |what: &str| {
        let ended = folder.lrnn(&["train", "--resume", "run"]);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains(&format!("the {what} changed since this run began")), "{}", ended.err);
        assert!(model(&folder, "run") == before);
    };
    let data = folder.read("d.txt");
    folder.write("d.txt", data.replacen("element(a0, c)", "element(a0, n)", 1));
    check("data");
    folder.write("d.txt", &data);
    folder.write("t.lrnn", folder.read("t.lrnn") + "extra :- toxic.\n");
    check("template");
}

#[test]
fn a_damaged_checkpoint() {
    let folder = folder("trouble checkpoint");
    assert_eq!(train(&folder, "run", &[]).code, 0);
    let path = folder.path("run/checkpoint.safetensors");
    let mut bytes = std::fs::read(&path).expect("a checkpoint");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("run/checkpoint.safetensors", bytes);
    let ended = folder.lrnn(&["train", "--resume", "run"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("checkpoint.safetensors: "), "{}", ended.err);
}
