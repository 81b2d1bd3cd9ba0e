//! Documents for machines: their keys are a promise.

use serde_json::{Value, json};

use crate::run::Folder;
use crate::{HORSES, HORSES_DATA};

fn horses(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("horses.lrnn", HORSES);
    folder.write("data.txt", HORSES_DATA);
    folder
}

/// What a command prints with `--json`: one document and nothing else.
fn document(folder: &Folder, words: &[&str]) -> Value {
    let ended = folder.lrnn(&[words, &["--json"]].concat());
    serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{words:?}: {error}\n{}", ended.out))
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn atoms_as_csv() {
    let folder = horses("csv query");
    let found = folder.lrnn(&["query", "horses.lrnn", "data.txt", "foal(X)", "parent(star, X)", "--csv"]).out;
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "example,atom,value,in_model");
    assert!(lines[1].starts_with("0,foal(star),0.62"), "{found}");
    assert!(lines.contains(&"0,\"parent(star, aida)\",0.7310585786300049,true"), "{found}");
    assert!(lines.contains(&"1,foal(luna),0.0,false"), "{found}");
}

#[test]
fn query() {
    let folder = horses("json query");
    let found = document(&folder, &["query", "horses.lrnn", "data.txt", "foal(X)"]);
    let expected = ["atoms", "examples", "family", "neurons", "peak_memory_bytes", "seconds", "unentailed"];
    assert_eq!(keys(&found), expected);
    assert_eq!(found["neurons"], json!({ "fact": 8, "rule": 4, "aggregation": 3, "atom": 10 }));
    assert_eq!(found["unentailed"], json!([{ "example": 1, "atom": "foal(luna)", "value": 0.0 }]));
    assert_eq!(
        (keys(&found["seconds"]), &found["family"]),
        (vec!["evaluate", "read"], &json!("max-sigmoid"))
    );
    let atoms = found["atoms"].as_array().expect("a list");
    assert_eq!(atoms.iter().map(|atom| &atom["atom"]).collect::<Vec<_>>(), ["foal(star)", "foal(star)"]);
    assert_eq!(atoms.iter().map(|atom| &atom["example"]).collect::<Vec<_>>(), [0, 1]);
    assert!((atoms[0]["value"].as_f64().expect("a number") - 0.620_297_946).abs() < 1e-9);
}

#[test]
fn values_of_every_shape() {
    let folder = Folder::new("json shapes");
    folder.write(
        "t.lrnn",
        ":- family(neuralogic). 0.5 :: a. <[1, 2]> :: b. <[[1, 2], [3, 4]]> :: c.\nd :- a. e :- b. f :- c.",
    );
    let found = document(&folder, &["query", "t.lrnn", "a", "b", "c"]);
    let atoms = found["atoms"].as_array().expect("a list");
    let values: Vec<&Value> = atoms.iter().map(|atom| &atom["value"]).collect();
    assert_eq!(values, [&json!(0.5), &json!([1.0, 2.0]), &json!([[1.0, 2.0], [3.0, 4.0]])]);
}

#[test]
fn ground() {
    let folder = horses("json ground");
    let found = document(&folder, &["ground", "horses.lrnn", "data.txt"]);
    assert_eq!(keys(&found), ["examples", "neurons", "peak_memory_bytes", "per_example", "seconds"]);
    assert_eq!(found["neurons"], json!({ "fact": 8, "rule": 4, "aggregation": 3, "atom": 10 }));
    assert_eq!(found["examples"], 2);
    assert_eq!(keys(&found["seconds"]), ["ground", "read"]);
    assert!(found["peak_memory_bytes"].as_u64().is_none_or(|bytes| bytes > 100_000));
    let rules = document(&folder, &["ground", "horses.lrnn", "data.txt", "--rules"]);
    let clauses = rules["ground_clauses"][1].as_array().expect("a list");
    assert!(clauses.contains(&json!("foal(star) :- sibling(star, aida), horse(aida).")), "{clauses:?}");
}

#[test]
fn plan() {
    let folder = horses("json plan");
    let found = document(&folder, &["ground", "horses.lrnn", "data.txt", "--plan"]);
    assert_eq!(keys(&found), ["bytes", "examples", "expected", "rules"]);
    assert_eq!(found["rules"].as_array().expect("a list").len(), 2);
}

#[test]
fn check_fmt_and_list() {
    let folder = horses("json others");
    folder.write("wrong.lrnn", "foal(X) :- horse(X).\nfoal(X) :- hrse(X");
    let found = document(&folder, &["check", "wrong.lrnn"]);
    assert_eq!((keys(&found), &found["ok"]), (vec!["ok", "problems"], &json!(false)));
    let problem = &found["problems"][0];
    assert_eq!(keys(problem), ["code", "column", "file", "help", "line", "message", "severity"]);
    assert_eq!((&problem["line"], &problem["file"]), (&json!(2), &json!("wrong.lrnn")));
    let found = document(&folder, &["fmt", "--check", "horses.lrnn"]);
    assert_eq!(found, json!({ "changed": [], "files": 1 }));
    let found = document(&folder, &["list"]);
    assert_eq!(
        keys(&found),
        [
            "activations",
            "aggregations",
            "baselines",
            "combinations",
            "families",
            "initialisations",
            "losses",
            "metrics",
            "modules",
            "optimizers",
            "readouts",
            "schedules",
            "settings"
        ]
    );
    assert_eq!(keys(&found["families"][0]), ["about", "formula", "name"]);
    assert_eq!(keys(&found["settings"][0]), ["about", "aliases", "default", "kind", "name", "values"]);
    let of_alias = document(&folder, &["list", "starts"]);
    assert_eq!(of_alias, document(&folder, &["list", "initialisations"]));
}

#[test]
fn errors() {
    let folder = horses("json errors");
    folder.write("wrong.lrnn", "foal(X) :- horse(X");
    let found = document(&folder, &["query", "wrong.lrnn"]);
    assert_eq!((&found["exit"], &found["error"]["code"]), (&json!(3), &json!("E0104")));
    assert_eq!((keys(&found), &found["errors"][0]), (vec!["error", "errors", "exit"], &found["error"]));
    let found = document(&folder, &["ground", "horses.lrnn", "data.txt", "--max-ground-rules", "2"]);
    assert_eq!((&found["exit"], &found["error"]["code"]), (&json!(4), &json!("G0101")));
    let found = document(&folder, &["check", "horse.lrnn"]);
    assert_eq!((&found["exit"], &found["error"]["file"]), (&json!(5), &json!("horse.lrnn")));
    assert_eq!(found["error"]["help"], "did you mean `horses.lrnn`?");
    let found = document(&folder, &["chek"]);
    assert_eq!((&found["exit"], keys(&found["error"])), (&json!(2), vec!["message"]));
    let found = document(&folder, &["check", "nothing.lrnn"]);
    assert!(found["error"]["message"].as_str().is_some_and(|message| message.contains("nothing.lrnn")));
}
