//! Every Markdown file of the suite and of the documents holds, on every engine and under every variation.
//!
//! `SUITE=horses cargo test -p lrnn-suite` runs only files with that in their path.

use std::path::{Path, PathBuf};

use lrnn::function::{Activation, Aggregation, Combination, Family};
use lrnn_suite::run_text;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    files.sort();
    files
}

fn check(folder: &str) {
    let filter = std::env::var("SUITE").unwrap_or_default();
    let mut failures = Vec::new();
    let mut cases = 0;
    for file in files(folder).iter().filter(|file| file.to_string_lossy().contains(&filter)) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let report = run_text(&text);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        failures.extend(report.failures.iter().map(|failure| format!("{folder}/{name}: {failure}")));
        cases += report.cases;
    }
    assert!(failures.is_empty(), "{}\n{} failures in {cases} cases", failures.join("\n"), failures.len());
    assert!(cases > 0 || !filter.is_empty(), "there are no cases in {folder}");
}

macro_rules! folders {
    ($($name:ident: $folder:literal),* $(,)?) => {
        const FOLDERS: &[&str] = &[$($folder),*];
        $(#[test]
        fn $name() {
            check($folder);
        })*
    };
}

folders! {
    paper: "suite/paper",
    language: "suite/language",
    functions: "suite/functions",
    grounding: "suite/grounding",
    shapes: "suite/shapes",
    docs: "docs",
}

/// Folders of the suite that are no Markdown cases.
const OTHERS: [&str; 3] = ["suite/refused", "suite/src", "suite/tests"];

#[test]
fn no_folder_is_forgotten() {
    for entry in std::fs::read_dir(root().join("suite")).expect("the suite") {
        let entry = entry.expect("an entry of the suite");
        let name = format!("suite/{}", entry.file_name().to_string_lossy());
        let known = FOLDERS.contains(&name.as_str()) || OTHERS.contains(&name.as_str());
        assert!(known || !entry.path().is_dir(), "{name} is not run");
    }
}

/// Every name in the tables of functions stands in a case.
#[test]
fn no_function_is_forgotten() {
    let texts =
        files("suite/functions").into_iter().map(|file| std::fs::read_to_string(file).expect("a file"));
    let text = texts.collect::<String>().replace('_', "-");
    let mut names: Vec<&str> =
        Activation::TABLE.iter().flat_map(|it| [&[it.name], it.aliases].concat()).collect();
    names.extend(Combination::TABLE.iter().flat_map(|it| [&[it.name], it.aliases].concat()));
    names.extend(Aggregation::TABLE.iter().flat_map(|it| [&[it.name], it.aliases].concat()));
    names.extend(Family::names());
    for name in names {
        let used = ["= ", "(", "family="].iter().any(|before| text.contains(&format!("{before}{name}")));
        assert!(used, "no case has the function {name}");
    }
}
