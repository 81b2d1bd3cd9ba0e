//! `lrnn induce`: the hidden rules are found, whatever the threads, the order of facts and the names; a template that
//! `train`, `test` and `predict` use; runs that go on.

use serde_json::Value;

use crate::learning::document;
use crate::run::{Ended, Folder};

/// Trains of which those go east that have a short closed car, or two long ones; with names of cars as given.
fn trains(folder: &Folder, name: &str, car: &str, is_turned: bool) {
    let (mut examples, mut queries) = (String::new(), String::new());
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for train in 0..120 {
        let mut facts = Vec::new();
        let cars: Vec<(bool, bool)> = (0..2 + draw(3)).map(|_| (draw(3) > 0, draw(2) > 0)).collect();
        for (at, &(is_short, is_closed)) in cars.iter().enumerate() {
            facts.push(format!("has_car(t{train}, {car}{train}_{at})"));
            facts.push(format!("length({car}{train}_{at}, {})", if is_short { "short" } else { "long" }));
            facts.push(format!("{}({car}{train}_{at})", if is_closed { "closed" } else { "open" }));
        }
        let is_east = cars.contains(&(true, true)) || cars.iter().filter(|car| !car.0).count() > 1;
        if is_turned {
            facts.reverse();
        }
        examples += &(facts.join(", ") + ".\n");
        queries += &format!("{} east.\n", u8::from(is_east));
    }
    folder.write(&format!("{name}/examples.txt"), examples);
    folder.write(&format!("{name}/queries.txt"), queries);
}

fn induce(folder: &Folder, data: &str, words: &[&str]) -> Ended {
    let ended = folder.lrnn(&[&["induce", data, "--json"][..], words].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended
}

fn rules(found: &Value) -> Vec<String> {
    let rules = found["goals"][0]["rules"].as_array().expect("rules");
    rules.iter().map(|rule| format!("{} {}", rule["weight"], rule["rule"])).collect()
}

#[test]
fn hidden_rules_are_found_and_answer() {
    let folder = Folder::new("induce whole");
    trains(&folder, "set", "c", false);
    let found = document(&induce(&folder, "set", &["--out", "run", "-o", "t.lrnn"]));
    let rules = rules(&found).join("\n");
    assert!(rules.contains("closed(") && rules.contains("short)"), "{rules}");
    let is_pair = |rule: &str| rule.matches("long)").count() == 2 && rule.contains(" != ");
    assert!(rules.lines().any(is_pair), "{rules}");
    assert_eq!(folder.read("t.lrnn"), folder.read("run/template.lrnn"));
    assert_eq!(folder.lrnn(&["fmt", "--check", "t.lrnn"]).code, 0);
    let tested = document(&folder.lrnn(&["test", "run", "set", "--json"]));
    assert_eq!(tested["metrics"]["accuracy"], 1.0, "{tested}");
    let checked = folder.lrnn(&["check", "t.lrnn", "set"]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    let words = ["train", "--template", "t.lrnn", "--data", "set", "--epochs", "2", "--out", "more"];
    let trained = folder.lrnn(&words);
    assert_eq!(trained.code, 0, "{}", trained.err);
}

#[test]
fn threads_orders_and_names_change_nothing() {
    let folder = Folder::new("induce same");
    trains(&folder, "set", "c", false);
    trains(&folder, "other", "wagon", true);
    let first = rules(&document(&induce(&folder, "set", &["--out", "one", "--threads", "1"])));
    let second = rules(&document(&induce(&folder, "set", &["--out", "two", "--threads", "2"])));
    let third = rules(&document(&induce(&folder, "other", &["--out", "three"])));
    assert_eq!(first, second);
    let weights = |rules: &[String]| -> Vec<String> {
        rules.iter().filter_map(|rule| rule.split(' ').next().map(str::to_owned)).collect()
    };
    assert_eq!(weights(&first), weights(&third));
    assert_eq!(folder.read("one/template.lrnn"), folder.read("two/template.lrnn"));
}

#[test]
fn a_cross_validation_goes_on_where_it_stopped() {
    let folder = Folder::new("induce crossval");
    trains(&folder, "set", "c", false);
    let words = ["--crossval", "--folds", "4", "--out"];
    let mut whole = document(&induce(&folder, "set", &[&words[..], &["whole"]].concat()));
    let journal = folder.read("whole/folds.jsonl");
    let kept: String = journal.lines().take(3).map(|line| line.to_owned() + "\n").collect();
    folder.write("part/folds.jsonl", kept);
    let mut part = document(&induce(&folder, "set", &[&words[..], &["part"]].concat()));
    for found in [&mut whole, &mut part] {
        // What differs is the clauses that a part needs, the time, and the place.
        let document = found.as_object_mut().expect("an object");
        for name in ["clauses", "run", "seconds", "peak_memory_bytes"] {
            document.remove(name);
        }
    }
    assert_eq!(whole, part);
    assert!(whole["all"]["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.9), "{whole}");
    let other = folder.lrnn(&["induce", "set", "--crossval", "--folds", "5", "--out", "whole"]);
    assert!(other.code != 0 && other.err.contains("other data or options"), "{}", other.err);
}

#[test]
fn the_bias_is_printed_and_read_back() {
    let folder = Folder::new("induce bias");
    trains(&folder, "set", "c", false);
    let shown = folder.lrnn(&["induce", "set", "--show-bias"]);
    assert!(shown.out.contains(":- values(length_2)."), "{}", shown.out);
    folder.write("bias.lrnn", &shown.out);
    let inferred = rules(&document(&induce(&folder, "set", &["--out", "one"])));
    let given = rules(&document(&induce(&folder, "set", &["--out", "two", "--bias", "bias.lrnn"])));
    assert_eq!(inferred, given);
    folder.write("less.lrnn", ":- forbid(closed/1).\n:- forbid(open/1).\n");
    let less =
        rules(&document(&induce(&folder, "set", &["--out", "three", "--bias", "less.lrnn"]))).join("\n");
    assert!(less.contains("length") && !less.contains("closed") && !less.contains("open"), "{less}");
    for (text, message) in [
        (":- mod(length(+, -)).\n", "there is no directive `mod`"),
        ("\n:- mode(length(+, ?)).\n", "line 2 of the bias"),
        (":- mode(size(+, -)).\n", "no facts of `size/2`"),
        (":- values(colour).\n", "there is no type `colour`"),
    ] {
        folder.write("wrong.lrnn", text);
        let wrong = folder.lrnn(&["induce", "set", "--bias", "wrong.lrnn", "--out", "wrong"]);
        assert!(wrong.code == 3 && wrong.err.contains(message), "{text}: {}", wrong.err);
    }
}
