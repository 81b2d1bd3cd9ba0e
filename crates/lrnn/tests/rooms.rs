//! The rooms of the engine know only what ARCHITECTURE.md lets them know, and the engine is pure.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and the rooms it may use. Tests inside a room may use more.
const ROOMS: [(&str, &[&str]); 7] = [
    ("vocabulary", &[]),
    ("function", &[]),
    ("syntax", &["vocabulary"]),
    ("template", &["function", "syntax", "vocabulary"]),
    ("data", &["function", "syntax", "vocabulary"]),
    ("ground", &["data", "function", "syntax", "template", "vocabulary"]),
    ("network", &["data", "function", "ground", "template", "vocabulary"]),
];

/// What a pure engine has no use for.
const IMPURE: [&str; 6] = ["std::fs", "std::env", "std::time", "std::io", "std::net", "std::process"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_tests = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "tests");
    entries.iter().filter(|path| !is_tests(path)).flat_map(|path| rust_files(path)).collect()
}

/// The lines of a file before its tests, comments left out.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn room_files(room: &str) -> Vec<PathBuf> {
    let folder = sources().join(room);
    rust_files(&if folder.is_dir() { folder } else { sources().join(format!("{room}.rs")) })
}

#[test]
fn rooms_know_only_what_they_may() {
    for (room, allowed) in ROOMS {
        for file in room_files(room) {
            for used in code(&file).split("crate::").skip(1) {
                let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
                let known = used == room || allowed.contains(&used);
                assert!(known, "{}: the room `{room}` must not know `{used}`", file.display());
            }
        }
    }
}

#[test]
fn every_room_is_in_the_table() {
    let doors = code(&sources().join("lib.rs"));
    let rooms = doors.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    for room in rooms {
        assert!(ROOMS.iter().any(|(known, _)| *known == room), "say what the room `{room}` may know");
    }
}

#[test]
fn the_engine_is_pure() {
    for file in rust_files(&sources()) {
        let code = code(&file);
        for impure in IMPURE {
            assert!(!code.contains(impure), "{}: {impure}", file.display());
        }
    }
}
