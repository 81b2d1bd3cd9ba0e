//! Every exit code, and commands that need nothing.

use std::process::Stdio;

use crate::run::Folder;
use crate::{HORSES, HORSES_DATA};

/// The exit code of a command in a folder with horses and with a template that explodes, cycles and overflows.
fn check(words: &[&str], expected: i32) {
    let folder = Folder::new(&format!("exit {}", words.join(" ")));
    folder.write("horses.lrnn", HORSES);
    folder.write("data.txt", HORSES_DATA);
    folder.write("wrong.lrnn", "foal(X) :- horse(X");
    folder.write("many.lrnn", "n(1..9). p(X, Y) :- n(X), n(Y).");
    folder.write("cycle.lrnn", ":- recursion(none). p(X) :- q(X). q(X) :- p(X). p(a).");
    folder.write("big.lrnn", ":- family(godel). p/0 [activation = log]. p :- q. 0 :: q.");
    let ended = folder.lrnn(words);
    assert_eq!(ended.code, expected, "{words:?}\n{}\n{}", ended.err, ended.out);
    assert_eq!(ended.err.is_empty(), expected == 0, "{words:?}: {}", ended.err);
}

#[test]
fn done() {
    check(&["check", "horses.lrnn", "data.txt"], 0);
    check(&["ground", "horses.lrnn", "data.txt"], 0);
    check(&["ground", "horses.lrnn", "data.txt", "--plan"], 0);
    check(&["query", "horses.lrnn", "data.txt", "foal(star)", "--unentailed", "skip", "--json"], 0);
    check(&["fmt", "horses.lrnn"], 0);
    check(&["list"], 0);
    check(&["list", "families", "--json"], 0);
    check(&["--version"], 0);
    check(&["help"], 0);
}

#[test]
fn no() {
    check(&["check", "wrong.lrnn"], 1);
    check(&["fmt", "--check", "many.lrnn"], 1);
}

#[test]
fn wrong_use() {
    check(&["chek"], 2);
    check(&["query", "horses.lrnn", "data.txt", "unknown(X)"], 2);
    check(&["query", "horses.lrnn", "data.txt", "--unentailed", "NaN"], 2);
}

#[test]
fn template_or_data_error() {
    check(&["query", "wrong.lrnn"], 3);
    check(&["ground", "cycle.lrnn"], 3);
    check(&["query", "horses.lrnn", "data.txt", "--unentailed", "error"], 3);
    for how in [&[][..], &["--json"], &["--csv"]] {
        check(&[&["query", "horses.lrnn", "data.txt", "foal(aida)"], how].concat(), 3);
        check(&[&["query", "horses.lrnn", "data.txt", "sibling(X, star)"], how].concat(), 3);
    }
}

#[test]
fn budget_exceeded() {
    check(&["ground", "many.lrnn", "--max-ground-rules", "50"], 4);
    check(&["query", "many.lrnn", "--max-ground-rules-total", "50"], 4);
}

#[test]
fn input_output() {
    check(&["check", "nothing.lrnn"], 5);
    check(&["query", "horses.lrnn", "nothing.txt"], 5);
}

#[test]
fn numbers() {
    check(&["query", "big.lrnn"], 6);
}

#[test]
fn quiet_keeps_errors_and_drops_notes() {
    let folder = Folder::new("quiet");
    folder.write("path.lrnn", "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). edge(a, b).");
    assert!(folder.lrnn(&["check", "path.lrnn"]).err.contains("note[T0601]"));
    assert_eq!(folder.lrnn(&["check", "path.lrnn", "--quiet"]).err, "");
    assert!(folder.lrnn(&["check", "path.lrnn", "--quiet", "--strict"]).err.contains("error[T0601]"));
}

#[test]
fn completions_for_every_shell() {
    let folder = Folder::new("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = folder.lrnn(&["completions", shell]);
        assert_eq!(ended.code, 0);
        // A flag, and a name of each table that flags take.
        let mut names = vec!["max-ground-rules"];
        if shell != "elvish" && shell != "powershell" {
            names.extend(["godel", "cross-entropy", "adamw", "cosine", "glorot", "majority", "f64", "skip"]);
        }
        for name in names {
            assert!(ended.out.contains(name), "{shell}: {name}");
        }
    }
}

#[test]
fn names_of_tables_are_taken_as_they_are_written() {
    let folder = Folder::new("names");
    folder.write("horses.lrnn", HORSES);
    for name in ["max-sigmoid", "max_sigmoid", "Max_Sigmoid"] {
        assert_eq!(folder.lrnn(&["check", "horses.lrnn", "--family", name]).code, 0, "{name}");
    }
    let wrong = folder.lrnn(&["check", "horses.lrnn", "--family", "max-sigmoit"]);
    assert!(wrong.err.starts_with("error: there is no family `max-sigmoit`\n = help: "), "{}", wrong.err);
}

#[test]
fn help_begins_with_what_it_is_for_and_fits_a_terminal() {
    let help = Folder::new("help").lrnn(&["--help"]).out;
    assert!(help.starts_with("Learns weighted first-order rules"), "{help}");
    assert!(help.contains("\nLearn and evaluate:\n  train        Learn the weights"), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100) && !help.contains('\x1b'), "{help}");
    assert_eq!(help.lines().filter(|line| line.starts_with("  lrnn ")).count(), 3, "{help}");
}

#[test]
fn manual_pages_of_every_command() {
    let folder = Folder::new("man");
    let page = folder.lrnn(&["man"]).out;
    for text in [".TH lrnn 1", ".SH SUBCOMMANDS", "Learns weighted first\\-order rules"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(folder.lrnn(&["man", "pages"]).code, 0);
    assert!(folder.read("pages/lrnn.1").contains(".TH lrnn 1"));
    assert!(folder.read("pages/lrnn-train.1").contains("learning\\-rate"));
    folder.write("file", "");
    assert_eq!(folder.lrnn(&["man", "file"]).code, 5);
}

/// Whoever reads the output may stop at any moment, as `head` does.
#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::new("pipe");
    let facts: String = (0..20_000).map(|number| format!("horse(h{number}). ")).collect();
    folder.write("many.lrnn", facts + "foal(X) :- horse(X).");
    for words in
        [&["query", "many.lrnn"][..], &["ground", "--rules", "many.lrnn"], &["query", "many.lrnn", "--json"]]
    {
        let mut command = folder.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("its end");
        assert_eq!(ended.status.code(), Some(0), "{words:?}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{words:?}");
    }
}
