//! Real datasets, where there are any: the environment variable LRNN_DATA names a folder of dataset folders.

use std::io::Write;
use std::path::{Path, PathBuf};

use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;

/// The folders below this one, two deep, that hold examples.
fn folders(root: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let all = below(root).into_iter().flat_map(|folder| [vec![folder.clone()], below(&folder)].concat());
    let holds =
        |folder: &PathBuf| ["examples.txt", "examples.txt.gz"].iter().any(|name| folder.join(name).exists());
    let mut found: Vec<PathBuf> = all.filter(holds).collect();
    found.sort();
    found
}

#[test]
fn every_dataset_reads() {
    let Some(root) = std::env::var_os("LRNN_DATA") else {
        // Not by `eprintln!`, which is shown only when a test fails.
        let _ = writeln!(std::io::stderr(), "\n*** LRNN_DATA is not set: no real dataset was read. ***\n");
        return;
    };
    let folders = folders(Path::new(&root));
    assert!(!folders.is_empty(), "LRNN_DATA names a folder without datasets");
    for folder in folders {
        let mut sources = Sources::default();
        let read = lrnn_io::read_data(&folder, Vocabulary::default(), &mut sources);
        let name = folder.display();
        let dataset = match read.unwrap_or_else(|error| panic!("{error}")) {
            Ok(dataset) => dataset,
            Err(found) => panic!("{name}: {}", found[0].render(&sources)),
        };
        let facts = |example: &lrnn::data::Example| {
            example.tables.iter().map(|table| table.rows as usize).sum::<usize>()
        };
        let total: usize = dataset.examples.iter().map(facts).sum();
        assert!(total > 0, "{name} has no facts");
        let _ = writeln!(std::io::stderr(), "{name}: {} examples, {total} facts", dataset.examples.len());
    }
}
