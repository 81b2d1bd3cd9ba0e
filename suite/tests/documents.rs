//! The documents name files that exist, and all files of the suite that show something.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between backticks and looks like a path of the repository.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(|name| ["crates/", "suite/", "docs/"].iter().any(|start| name.starts_with(start))).collect()
}

#[test]
fn every_path_exists() {
    for document in ["docs/semantics.md", "docs/language.md"] {
        for path in paths(&read(document)) {
            assert!(root().join(path).exists(), "{document} names {path}, which does not exist");
        }
    }
}

#[test]
fn every_file_of_the_suite_is_named() {
    let text = read("docs/semantics.md");
    let named = paths(&text);
    for folder in ["paper", "language", "functions", "grounding", "shapes"] {
        let entries = std::fs::read_dir(root().join("suite").join(folder)).expect("a folder of the suite");
        for entry in entries {
            let name = entry.expect("an entry of the folder").file_name();
            let path = format!("suite/{folder}/{}", name.to_string_lossy());
            assert!(named.contains(&path.as_str()), "docs/semantics.md does not name {path}");
        }
    }
}
