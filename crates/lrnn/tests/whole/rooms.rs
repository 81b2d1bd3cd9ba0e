//! What each room of the engine may know, and what the engine as a whole must not touch.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, each with those below it that it must not know beside all that stand above it.
const ROOMS: [(&str, &[&str]); 14] = [
    ("vocabulary", &[]),
    ("diagnostic", &[]),
    ("threads", &["vocabulary"]),
    ("function", &["vocabulary", "diagnostic"]),
    ("syntax", &[]),
    ("template", &[]),
    ("data", &["template"]),
    ("ground", &[]),
    ("network", &["syntax"]),
    ("evaluate", &["vocabulary", "syntax", "template", "data", "ground", "network"]),
    ("model", &["evaluate"]),
    ("train", &["syntax", "evaluate"]),
    ("explain", &["train"]),
    ("program", &[]),
];

/// What a room must not know; none if there is no such room.
fn hidden(room: &str) -> Option<Vec<&'static str>> {
    let place = ROOMS.iter().position(|(name, _)| *name == room)?;
    let above = ROOMS[place + 1..].iter().map(|(name, _)| *name);
    Some(above.chain(ROOMS[place].1.iter().copied()).collect())
}

/// Names that a room must not use although it knows the room they are from.
const MUST_NOT_USE: [(&str, &[&str]); 3] = [
    ("syntax", &["ConstantId", "PredicateId", "Vocabulary"]),
    (
        "ground",
        &["Weights", "Start::", "function::Activation", "function::Aggregation", "function::Combination"],
    ),
    ("train", &["Plans", "Relation"]),
];

/// The engine is pure: it reads no files, prints nothing, asks no clock and no environment.
const IMPURE: [&str; 12] = [
    "std::fs",
    "std::io",
    "std::env",
    "std::net",
    "std::process",
    "println!",
    "print!(",
    "dbg!",
    "Instant",
    "SystemTime",
    "unsafe",
    "env!",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source below a folder, without tests and comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in folder.read_dir().expect("a folder of sources") {
        let path = entry.expect("a source").path();
        if path.is_dir() && !path.ends_with("tests") {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("a source");
            all.push((path, code(&text)));
        }
    }
    all.sort();
    all
}

/// The text without comments, and without what is compiled for tests alone, which stands last.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .fold(String::new(), |all, line| all + line + "\n")
}

fn room(path: &Path) -> String {
    let inside = path.strip_prefix(source()).expect("a source of the engine");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms a source names, as in `crate::data::Example`.
fn known(text: &str) -> Vec<&str> {
    let behind = text.split("crate::").skip(1);
    behind
        .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default())
        .collect()
}

#[test]
fn rooms_know_what_they_may() {
    let mut wrong = Vec::new();
    for (path, text) in sources(&source()) {
        let room = room(&path);
        if room == "lib" {
            continue;
        }
        let Some(hidden) = hidden(&room) else {
            wrong.push(format!("{}: say in this test what the room `{room}` must not know", path.display()));
            continue;
        };
        for known in known(&text) {
            if hidden.contains(&known) || known.is_empty() {
                wrong.push(format!("{} knows `crate::{known}`", path.display()));
            }
        }
        let unused = MUST_NOT_USE.iter().filter(|(name, _)| *name == room).flat_map(|(_, names)| *names);
        wrong.extend(
            unused
                .filter(|name| text.contains(**name))
                .map(|name| format!("{} uses `{name}`", path.display())),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_engine_is_pure() {
    for (path, text) in sources(&source()) {
        for name in IMPURE {
            // Which version it is, is known when it is compiled.
            let text = text.replace("env!(\"CARGO_PKG_VERSION\")", "");
            assert!(!text.contains(name), "{} uses {name}", path.display());
        }
    }
}

#[test]
fn this_test_sees_what_it_looks_for() {
    let text = code(
        "use crate::data::Example; // crate::train\nfn f() { crate::ground::naive() }\n#[cfg(test)]\nuse crate::model;",
    );
    assert_eq!(known(&text), ["data", "ground"]);
    assert_eq!(room(&source().join("data/build.rs")), "data");
    assert!(sources(&source()).len() > 50);
}
