//! The root of the crate: a page that fits on a screen, each name with its sentence.

use std::fs;
use std::path::{Path, PathBuf};

/// The names that the page may have, fewer than these.
const MOST: usize = 40;

fn source(path: impl AsRef<Path>) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)).expect("a source")
}

/// Returns the modules that the page shows.
fn modules(root: &str) -> Vec<String> {
    let lines: Vec<&str> = root.lines().collect();
    let shown = lines.windows(2).filter(|two| !two[0].starts_with("#[doc(hidden)]"));
    shown.filter_map(|two| Some(two[1].strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned())).collect()
}

/// Returns the names that the page shows from modules, each with its module.
fn items(root: &str) -> Vec<(String, String)> {
    let text = root.replace('\n', " ");
    let mut all = Vec::new();
    for used in text.split("pub use ").skip(1) {
        let (module, names) = used.split(';').next().and_then(|used| used.split_once("::")).expect("a path");
        let names = names.trim_matches(['{', '}', ' ']).split(',').map(str::trim);
        all.extend(names.filter(|name| !name.is_empty()).map(|name| (module.to_owned(), name.to_owned())));
    }
    all
}

/// Returns every source of a module.
fn sources(module: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module);
    let mut all = vec![folder.with_extension("rs")];
    let within = folder.read_dir().into_iter().flatten();
    all.extend(within.map(|entry| entry.expect("a file").path()));
    all.retain(|path| path.is_file());
    all
}

/// Returns whether a source defines a name with a sentence before it.
fn documents(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let defines = |line: &str| {
        let words = ["struct", "enum", "trait", "fn"].map(|word| format!("pub {word} {name}"));
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        words.iter().any(|start| line.strip_prefix(start.as_str()).is_some_and(ends))
    };
    let Some(at) = lines.iter().position(|line| defines(line)) else { return false };
    let mut before = lines[..at].iter().rev().take_while(|line| line.starts_with(['/', '#', ')']));
    before.any(|line| line.starts_with("/// "))
}

#[test]
fn the_root_is_one_screen_of_names_with_a_sentence_each() {
    let root = source("lib.rs");
    let (modules, items) = (modules(&root), items(&root));
    let constants = root.lines().filter(|line| line.starts_with("pub const ")).count();
    let count = modules.len() + items.len() + constants;
    assert!(modules.len() > 10 && items.len() > 20, "the names are found");
    assert!(count < MOST, "{count} names: {modules:?} {items:?}");
    for module in modules {
        let door = sources(&module).into_iter().find(|path| {
            path.ends_with(format!("{module}.rs")) || path.ends_with(format!("{module}/mod.rs"))
        });
        let text = fs::read_to_string(door.expect("a door")).expect("a source");
        assert!(text.starts_with("//! "), "the module {module} has no sentence");
    }
    for (module, name) in items {
        let mut texts = sources(&module).into_iter().map(|path| fs::read_to_string(path).expect("a source"));
        assert!(texts.any(|text| documents(&text, &name)), "{module}::{name} has no sentence");
    }
}

#[test]
fn the_root_shows_how_to_parse_fit_predict_and_explain() {
    let root = source("lib.rs");
    let shown: Vec<&str> = root.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    let blocks: String = shown.join("\n").split("```").skip(1).step_by(2).collect();
    for call in ["Template::parse(", "fit(&", ".predict(", ".explain("] {
        assert!(blocks.contains(call), "no example of `{call}`");
    }
}

#[test]
fn this_test_sees_what_is_missing() {
    assert!(documents("/// A thing.\n#[derive(Debug)]\npub struct Thing {", "Thing"));
    assert!(!documents("/// Another.\nstruct Other;\n\n#[derive(Debug)]\npub struct Thing {", "Thing"));
    assert!(!documents("/// A thing.\npub struct Things;", "Thing"));
    assert_eq!(modules("x\npub mod a;\n#[doc(hidden)]\npub mod b;"), ["a"]);
    assert_eq!(items("pub use a::{B, c};\npub use d::E;").len(), 3);
}
