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
    assert_eq!(first, third);
    // Other names for values stand where the old ones stood.
    let renamed = folder.read("other/examples.txt").replace("short", "zzz").replace("long", "'Q'");
    folder.write("renamed/examples.txt", renamed);
    folder.write("renamed/queries.txt", folder.read("other/queries.txt"));
    let fourth = rules(&document(&induce(&folder, "renamed", &["--out", "four"]))).join("\n");
    assert_eq!(fourth.replace("zzz", "short").replace("'Q'", "long"), first.join("\n"));
    assert_eq!(folder.read("one/template.lrnn"), folder.read("two/template.lrnn"));
}

#[test]
fn rules_that_count_answer_as_they_were_fitted() {
    let folder = Folder::new("induce counts");
    let (mut examples, mut queries) = (String::new(), String::new());
    for number in 0..90 {
        let red = number * 7 % 10;
        let parts = (0..10).map(|at| {
            format!(
                "part(b{number}, p{number}_{at}), {}(p{number}_{at})",
                if at < red { "red" } else { "blue" }
            )
        });
        examples += &(parts.collect::<Vec<_>>().join(", ") + ".\n");
        queries += &format!("{} good.\n", u8::from(red >= 6));
    }
    folder.write("set/examples.txt", examples);
    folder.write("set/queries.txt", queries);
    let found = document(&induce(&folder, "set", &["--out", "run", "--max-rules", "1"]));
    let text = folder.read("run/template.lrnn");
    assert!(
        text.contains("[aggregation = count]") && text.contains("<-5.5>") || text.contains("<-4.5>"),
        "{text}"
    );
    assert_eq!(folder.lrnn(&["fmt", "--check", "run/template.lrnn"]).code, 0);
    let tested = document(&folder.lrnn(&["test", "run", "set", "--json"]));
    assert_eq!(tested["metrics"]["accuracy"], 1.0, "{tested}\n{text}");
    // The engine's loss is that of the search, up to the digits that are written.
    let (loss, fitted) = (tested["metrics"]["log-loss"].as_f64(), &found["goals"][0]["rules"][0]["loss"]);
    let (loss, fitted) = (loss.unwrap_or(f64::NAN), fitted.as_f64().unwrap_or(f64::NAN));
    assert!((loss - fitted).abs() < 1e-3, "{loss} {fitted}\n{tested}");
    let none = induce(&folder, "set", &["--out", "none", "--no-counts"]);
    assert!(!none.out.contains("aggregation = count"), "{}", none.out);
}

#[test]
fn earlier_systems_are_measured_on_the_same_folds() {
    let folder = Folder::new("induce methods");
    trains(&folder, "set", "c", false);
    let methods =
        [("nfoil", 0.9), ("kfoil", 0.9), ("cilp", 0.4), ("logistic", 0.8), ("kernel", 0.8), ("boosted", 0.8)];
    for (method, least) in methods {
        let words = ["--crossval", "--folds", "4", "--method", method, "--out", method];
        let found = document(&induce(&folder, "set", &words));
        assert!(found["all"]["accuracy"].as_f64().is_some_and(|it| it > least), "{method}: {found}");
    }
    let rules = document(&induce(&folder, "set", &["--method", "nfoil", "--out", "rules"]));
    assert!(rules["goals"][0]["rules"].as_array().is_some_and(|rules| !rules.is_empty()), "{rules}");
    for (method, message) in [
        ("kfoil", "no rules with weights"),
        ("kernel", "no rules with weights"),
        ("nfol", "there is no method `nfol`"),
    ] {
        let wrong = folder.lrnn(&["induce", "set", "--method", method, "--out", "wrong"]);
        assert!(wrong.code == 2 && wrong.err.contains(message), "{method}: {} {}", wrong.code, wrong.err);
    }
}

#[test]
fn what_somebody_wrote_stays_and_is_added_to() {
    let folder = Folder::new("induce from");
    trains(&folder, "set", "c", false);
    let expert = "0.3 :: east :- small(A), closed(A).\nsmall(A) :- length(A, short).\n";
    folder.write("expert.lrnn", expert);
    let words = ["--from", "expert.lrnn", "--out", "run", "-o", "t.lrnn"];
    let found = document(&induce(&folder, "set", &words));
    let given = &found["goals"][0]["given"][0];
    assert_eq!(given[1], "east :- small(A), closed(A).", "{found}");
    assert!(given[0].as_f64().is_some_and(|weight| weight > 1.0), "{found}");
    let added = rules(&found).join("\n");
    assert!(added.contains("long)") && !added.contains("closed("), "{added}");
    assert!(folder.read("t.lrnn").contains("small(A) :- length(A, short)."), "{}", folder.read("t.lrnn"));
    let tested = document(&folder.lrnn(&["test", "run", "set", "--json"]));
    assert_eq!(tested["metrics"]["accuracy"], 1.0, "{tested}");
    folder.write("wrong.lrnn", "east :- closed(A)\n");
    let wrong = folder.lrnn(&["induce", "set", "--from", "wrong.lrnn", "--out", "wrong"]);
    assert!(wrong.code == 3 && wrong.err.contains("to go on from"), "{} {}", wrong.code, wrong.err);
}

/// The folder of a dataset of this project.
fn dataset(name: &str) -> String {
    format!("{}/../../datasets/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_rules_behind_the_data_are_found() {
    let folder = Folder::new("induce truth");
    let family = document(&induce(&folder, &dataset("uncles"), &["--out", "family"]));
    let first = |goal: usize| family["goals"][goal]["rules"][0]["rule"].as_str().unwrap_or("").to_owned();
    let uncle = "uncle(A, B) :- male(A), parent(C, A), parent(C, D), parent(D, B), ";
    assert!(first(0).starts_with(uncle) && first(0).matches("parent").count() == 3, "{}", first(0));
    let grandmother = "grandmother(A, B) :- female(A), parent(A, C), parent(C, B), A != C, B != C";
    assert_eq!(first(1), grandmother);
    let shop = rules(&document(&induce(&folder, &dataset("shop"), &["--out", "shop"])));
    let weight = |rule: &str| {
        let found = shop.iter().find(|found| found.ends_with(&format!(" \"{rule}\"")));
        found.and_then(|found| found.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0)
    };
    for brand in ["Cygnus", "Erebus", "Hydra", "Mensa"] {
        let found = weight(&format!("churn :- brand(A, '{brand}'), of(B, A), returned(B)"));
        assert!(found > 2.0, "{brand}: {found} {shop:?}");
    }
    assert!(weight("churn :- recent(_)") < -4.0, "{shop:?}");
    assert!(weight("churn :- category(A, refill), of(B, A), recent(B)") < -2.0, "{shop:?}");
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
    // What has no mode in a whole bias is left out.
    let modes = |line: &&str| !line.starts_with(":- mode(closed") && !line.starts_with(":- mode(open");
    let kept: Vec<&str> = shown.out.lines().filter(modes).collect();
    assert!(kept.len() < shown.out.lines().count(), "{}", shown.out);
    folder.write("kept.lrnn", kept.join("\n"));
    let kept =
        rules(&document(&induce(&folder, "set", &["--out", "four", "--bias", "kept.lrnn"]))).join("\n");
    assert_eq!(kept, less);
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

/// A table of molecules is data, too: rules about the column that is to be learned, and answers to other rows.
#[test]
fn rules_are_learned_from_a_table_of_molecules() {
    let folder = Folder::new("induce molecules");
    let table = dataset("amines.csv");
    let bias = folder.lrnn(&["induce", &table, "--target", "amine", "--show-bias"]).out;
    assert!(bias.contains(":- type(bond(atom, atom, order))."), "{bias}");
    assert!(bias.contains(":- type(hydrogens(atom, number))."), "{bias}");
    let found = document(&induce(&folder, &table, &["--target", "amine", "--out", "run"]));
    let rules = rules(&found).join("\n");
    assert!(rules.contains("amine :- ") && rules.contains("element(A, n)"), "{rules}");
    let tested = document(&folder.lrnn(&["test", "run", &table, "--json"]));
    assert_eq!(tested["metrics"]["accuracy"], 1.0, "{tested}");
    folder.write("new.csv", "name,smiles\nethylamine,CCN\nethanol,CCO\n");
    let predicted = folder.lrnn(&["predict", "run", "new.csv", "--csv"]);
    assert!(predicted.out.contains("ethylamine") && predicted.out.contains("yes"), "{}", predicted.out);

    let unnamed = folder.lrnn(&["induce", &table]);
    assert_eq!(unnamed.code, 2);
    assert!(unnamed.err.contains("the columns are name, smiles, amine"), "{}", unnamed.err);
}
