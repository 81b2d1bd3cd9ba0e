//! The datasets that come with the project: they are fine, and the template of the paper with indexed weights is
//! the same network as its rules written out one by one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn datasets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets")
}

fn lrnn(arguments: &[&str], paths: &[&Path]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_lrnn")).args(arguments).args(paths).output().unwrap();
    assert!(output.status.success(), "{arguments:?} {paths:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn every_dataset_is_fine() {
    let folders = std::fs::read_dir(datasets()).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in &folders {
        lrnn(&["check"], &[folder]);
        lrnn(&["fmt", "--check"], &[&folder.join("template.lrnn")]);
    }
    for other in ["plain.lrnn", "gnn.lrnn"] {
        let folder = datasets().join("mutagenesis");
        lrnn(&["fmt", "--check"], &[&folder.join(other)]);
        lrnn(&["check"], &[&folder.join(other), &folder]);
    }
}

/// The first molecules in a file of their own.
fn few_molecules(count: usize) -> PathBuf {
    let all = std::fs::read_to_string(datasets().join("mutagenesis/examples.txt")).unwrap();
    let few: Vec<&str> = all.lines().take(count).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("few_molecules.txt");
    std::fs::write(&path, few.join("\n")).unwrap();
    path
}

fn mutagenic(template: &str, data: &Path) -> Value {
    let template = datasets().join("mutagenesis").join(template);
    let output = lrnn(&["query", "--json", "--seed", "7"], &[&template, data, Path::new("mutagenic")]);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn indexed_weights_are_the_rules_written_out() {
    let data = few_molecules(3);
    let (indexed, plain) = (mutagenic("template.lrnn", &data), mutagenic("plain.lrnn", &data));
    for kind in ["rule", "aggregation"] {
        assert_eq!(indexed["neurons"][kind], plain["neurons"][kind], "{kind} neurons");
    }
    assert!(indexed["neurons"]["rule"].as_u64().unwrap() > 3 * 243);
    assert_eq!(indexed["atoms"].as_array().unwrap().len(), 3);
    assert_eq!(indexed["atoms"], plain["atoms"]);
}

fn experiment_templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/templates")
}

#[test]
fn every_template_of_the_experiments_is_fine() {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(experiment_templates()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5);
    for file in &files {
        lrnn(&["check"], &[file]);
        lrnn(&["fmt", "--check"], &[file]);
    }
}
