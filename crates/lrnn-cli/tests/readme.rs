//! Every command that the README prints is run from the root of the repository, and must print what stands there.
//!
//! In a block marked `console` a line that begins with `$ ` is a command and the lines up to the next are its output,
//! standard output and standard error as they come. `cargo run --release -- ...` is run with the command just built and
//! `cat FILE` is read; other commands are left alone and must not show output. A line `...` stands for any lines,
//! and from the line of seconds and memory only what precedes the figures is compared.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Shown {
    command: String,
    output: Vec<String>,
}

fn shown_commands(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => in_block = line == "```console",
            Some(command) if in_block => {
                all.push(Shown { command: command.to_owned(), output: Vec::new() });
            }
            None if in_block => {
                all.last_mut().expect("a command before its output").output.push(line.to_owned());
            }
            _ => {}
        }
    }
    all
}

/// The words of a command line; what stands between single quotes is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            character => words.last_mut().unwrap().push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn run(arguments: &[String]) -> String {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lrnn"));
    command.args(arguments).current_dir(root()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command); // and with it our ends of the pipe
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    output
}

fn printed(command: &str) -> Option<String> {
    if let Some(line) = command.strip_prefix("cargo run --release -- ") {
        return Some(run(&words(line)));
    }
    let file = command.strip_prefix("cat ")?;
    Some(std::fs::read_to_string(root().join(file)).unwrap())
}

/// A line without its seconds and bytes.
fn without_figures(line: &str) -> &str {
    line.split_once(": read in ").map_or(line, |(before, _)| before)
}

fn agree(expected: &[String], found: &[&str]) -> bool {
    match expected {
        [] => found.is_empty(),
        [any, rest @ ..] if any == "..." => (0..=found.len()).any(|skipped| agree(rest, &found[skipped..])),
        [first, rest @ ..] => {
            found.first().is_some_and(|found| without_figures(first) == without_figures(found))
                && agree(rest, &found[1..])
        }
    }
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut count = 0;
    for shown in shown_commands(&text) {
        let Some(output) = printed(&shown.command) else {
            assert!(shown.output.is_empty(), "the output of `{}` cannot be checked", shown.command);
            continue;
        };
        let found: Vec<&str> = output.trim_end().lines().collect();
        let expected = shown.output.join("\n");
        assert!(
            agree(&shown.output, &found),
            "{}\n--- shown\n{expected}\n--- printed\n{output}",
            shown.command
        );
        count += 1;
    }
    assert!(count > 5, "only {count} commands in the README");
}
