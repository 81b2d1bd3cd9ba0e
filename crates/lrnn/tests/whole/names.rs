//! The names of types, nouns that are defined once in the workspace, and the first words of their documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Past participles that do not end in "ed", as last words of names.
const PARTICIPLES: [&str; 17] = [
    "Bound", "Built", "Chosen", "Done", "Drawn", "Found", "Given", "Held", "Kept", "Known", "Laid", "Left",
    "Made", "Read", "Seen", "Sent", "Taken",
];

/// Nouns that end as participles do.
const NOUNS: [&str; 3] = ["Seed", "Need", "Unentailed"];

/// Crates of another field, such as chemistry, have words of their own.
const OTHER_FIELDS: [&str; 1] = ["lrnn-chem"];

/// Returns every source of the workspace that is not a test.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = root.join("crates").read_dir().expect("the crates").map(|entry| entry.expect("a crate"));
    let shares = |name: &str| !OTHER_FIELDS.contains(&name);
    let mut folders: Vec<PathBuf> = crates
        .filter(|entry| shares(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path().join("src"))
        .chain(["suite/src", "benches/src"].map(|folder| root.join(folder)))
        .collect();
    let mut all = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder of sources") {
            let path = entry.expect("a source").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

/// Returns the type that a line defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    (["struct", "enum", "trait", "type"].contains(&keyword) && !name.is_empty()).then_some(name)
}

/// Returns whether the last word of a name is a past participle.
fn is_participle(name: &str) -> bool {
    let last = &name[name.rfind(char::is_uppercase).unwrap_or(0)..];
    (last.ends_with("ed") || PARTICIPLES.contains(&last)) && !NOUNS.contains(&last)
}

#[test]
fn types_are_nouns_that_are_defined_once() {
    let mut wrong = Vec::new();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        // The types of a trait's implementation have its names.
        let lines =
            text.lines().filter(|line| !line.trim_start().starts_with("type ") || line.starts_with("type"));
        for name in lines.filter_map(defined) {
            places.entry(name.to_owned()).or_default().push(path.display().to_string());
        }
    }
    assert!(places.len() > 300, "the types are found");
    for (name, places) in places {
        if places.len() > 1 {
            wrong.push(format!("`{name}` has several meanings: {}", places.join(", ")));
        }
        if is_participle(&name) {
            wrong.push(format!("`{name}` is no noun: {}", places.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// First words that leave it to the reader to find the noun or the verb.
const QUESTIONS: [&str; 9] = ["How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"];

/// First words of the documentation of a function that is no verb.
const ARTICLES: [&str; 6] = ["A", "All", "An", "Each", "Its", "The"];

/// Returns the documentation that begins with a wrong word, in a source.
fn misbegun(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |line: &&str| line.starts_with("///");
    let begins = |at: &usize| is_doc(&lines[*at]) && !at.checked_sub(1).is_some_and(|at| is_doc(&lines[at]));
    let is_wrong = |at: &usize| {
        let first = lines[*at][3..].split_whitespace().next().unwrap_or_default();
        let behind = lines[*at..].iter().find(|line| !is_doc(line) && !line.starts_with("#[")).unwrap_or(&"");
        let is_function = behind.split('(').next().is_some_and(|head| format!(" {head}").contains(" fn "));
        QUESTIONS.contains(&first) || (is_function && ARTICLES.contains(&first))
    };
    (0..lines.len()).filter(begins).filter(is_wrong).map(|at| lines[at]).collect()
}

#[test]
fn documentation_begins_with_a_verb_or_a_noun() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        wrong.extend(misbegun(text).into_iter().map(|line| format!("{}: {line}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn this_test_sees_names() {
    assert_eq!(defined("    pub(super) struct Bound<'a> {"), Some("Bound"));
    assert_eq!(defined("pub enum Kind {"), Some("Kind"));
    assert_eq!(defined("let type_of = 3;"), None);
    assert!(is_participle("WorkDone") && is_participle("Seen") && is_participle("Answered"));
    let text = "/// The number.\n#[inline]\npub fn n() {}\n/// The name.\n/// What else.\na: u8,\n/// Whether it is.\nb: u8";
    assert_eq!(misbegun(text), ["/// The number.", "/// Whether it is."]);
    assert!(!is_participle("Seed") && !is_participle("DatasetBuilder"));
}
