//! The wrong inputs of `suite/refused`, each with the message it must give. The format is told there, in README.md.
//! With LRNN_BLESS=1 the messages are written anew; read the difference before it is kept.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Folder;

/// Codes that no command can give: only who calls the library meets them. See `crates/lrnn/tests`.
const LIBRARY_ONLY: [&str; 3] = ["D0132", "D0133", "E0119"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files with cases, by name.
fn documents() -> Vec<PathBuf> {
    let folder = workspace().join("suite/refused").read_dir().expect("suite/refused");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("a file").path()).collect();
    files
        .retain(|path| path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("README.md"));
    files.sort();
    files
}

#[test]
fn every_wrong_input_has_its_message() {
    let bless = std::env::var_os("LRNN_BLESS").is_some();
    let mut failures = String::new();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let played = play(&path.file_stem().expect("a name").to_string_lossy(), &text);
        if bless {
            fs::write(&path, played.text).expect("the document written anew");
        } else {
            failures.push_str(&played.failures);
        }
    }
    assert!(failures.is_empty(), "{failures}\nLRNN_BLESS=1 writes the messages as they are now");
}

#[test]
fn there_are_enough_wrong_inputs() {
    let headings = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a document");
        text.lines().filter(|line| line.starts_with("## ")).count()
    };
    assert!(documents().iter().map(headings).sum::<usize>() >= 70);
}

/// A document as it would be with the messages of now, and where it differs.
#[derive(Default)]
struct Played {
    text: String,
    failures: String,
}

/// Goes through a document: a heading begins an empty folder, a block with a name writes a file, a block `console`
/// runs its command.
fn play(name: &str, text: &str) -> Played {
    let mut played = Played::default();
    let mut heading = String::new();
    let mut folder = Folder::new(name);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(played.text, "{line}");
        if let Some(title) = line.strip_prefix("## ") {
            heading = format!("{name}: {title}");
            folder = Folder::new(&heading);
        }
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let content = block.iter().fold(String::new(), |all, line| all + line + "\n");
        match info.split_once(' ') {
            Some(("hex", file)) => folder.write(file, bytes(&content)),
            Some((_, file)) => folder.write(file, &content),
            None => {
                assert_eq!(info, "console", "{heading}: a block is a file or a console");
                let found = console(&folder, block.first().expect("a command"));
                if found != content {
                    let _ =
                        writeln!(played.failures, "== {heading}\n-- expected\n{content}-- found\n{found}");
                }
                let _ = writeln!(played.text, "{found}```");
                continue;
            }
        }
        let _ = writeln!(played.text, "{content}```");
    }
    played
}

/// Runs a command: its line, what it printed to standard error and to standard output, and its exit code.
fn console(folder: &Folder, line: &str) -> String {
    let words = words(line.strip_prefix("$ lrnn ").expect("a line that begins with `$ lrnn `"));
    let ended = folder.lrnn(&words);
    let mut found = format!("{line}\n");
    for text in [ended.err, ended.out] {
        found.push_str(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            found.push('\n');
        }
    }
    let _ = writeln!(found, "exit code {}", ended.code);
    found
}

/// The words of a command line; blanks inside '...' do not divide.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |pair: &str| u8::from_str_radix(pair, 16).expect("two hexadecimal digits");
    hex.split_whitespace().map(byte).collect()
}

#[test]
fn every_code_has_a_case() {
    let mut known = String::new();
    for path in documents() {
        known.push_str(&fs::read_to_string(path).expect("a document"));
    }
    let mut missing: Vec<String> = codes_in(&workspace().join("crates"));
    missing.retain(|code| !known.contains(&format!("[{code}]: ")) && !LIBRARY_ONLY.contains(&code.as_str()));
    assert!(missing.is_empty(), "no case in suite/refused for {missing:?}");
}

/// Every code that stands between quotes in the sources: a letter and four digits.
fn codes_in(folder: &Path) -> Vec<String> {
    let mut codes = Vec::new();
    for entry in folder.read_dir().expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            codes.extend(codes_in(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            codes.extend(text.split('"').filter(|part| is_code(part)).map(str::to_owned));
        }
    }
    codes.sort();
    codes.dedup();
    codes
}

fn is_code(part: &str) -> bool {
    let (letter, digits) = part.split_at_checked(1).unwrap_or_default();
    matches!(letter, "E" | "W" | "D" | "T" | "G" | "N")
        && digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
