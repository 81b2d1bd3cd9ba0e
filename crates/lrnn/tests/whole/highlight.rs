//! Every template of the project in pieces: all pieces together are the text.

use std::fs;
use std::path::{Path, PathBuf};

use lrnn::syntax::{Piece, highlight};

/// The templates below a folder.
fn templates(folder: &Path, all: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            templates(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "lrnn") {
            all.push(path);
        }
    }
}

#[test]
fn pieces_of_every_template_are_its_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in ["datasets", "experiments", "benches", "suite", "crates", "docs"] {
        templates(&root.join(folder), &mut all);
    }
    assert!(all.len() > 10, "{all:?}");
    for path in all {
        let text = fs::read_to_string(&path).expect("a template");
        let pieces = highlight(&text);
        assert_eq!(pieces.iter().map(|(_, piece)| *piece).collect::<String>(), text, "{}", path.display());
        let spaces = pieces.iter().filter(|(kind, _)| *kind == Piece::Space);
        assert!(spaces.clone().all(|(_, piece)| piece.trim().is_empty()), "{}", path.display());
    }
}
