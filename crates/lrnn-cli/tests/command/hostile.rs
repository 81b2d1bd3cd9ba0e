//! Names made to fool a terminal: whatever a file or its name holds, no control character and no mark of direction
//! comes out, neither in tables nor in messages nor in documents for machines.

use crate::run::{Ended, Folder};

/// Names with a terminal escape, a bell, a right-to-left mark, an isolate, an eight-bit escape and a delete.
const HOSTILE: [&str; 5] = [
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "a\u{202e}b\u{202c}",
    "x\u{2066}y\u{2069}\u{200f}",
    "c\u{9b}31md",
    "e\u{7f}\u{8}\u{0}f",
];

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c == '\n' || !(c.is_control() || turns)
    })
}

fn check(ended: &Ended, what: &str) {
    assert!(is_harmless(&ended.out), "{what}: {:?}", ended.out);
    assert!(is_harmless(&ended.err), "{what}: {:?}", ended.err);
    assert!((0..=6).contains(&ended.code), "{what}: {}", ended.code);
}

/// Every command on a folder with `t.lrnn` and `d.txt`.
fn check_all(folder: &Folder, what: &str) {
    let commands: [&[&str]; 8] = [
        &["check", "t.lrnn", "d.txt"],
        &["check", "t.lrnn", "d.txt", "--json"],
        &["ground", "t.lrnn", "d.txt", "--rules"],
        &["ground", "t.lrnn", "d.txt", "--rules", "--json"],
        &["ground", "t.lrnn", "d.txt", "--plan", "--verbose"],
        &["query", "t.lrnn", "d.txt"],
        &["query", "t.lrnn", "d.txt", "--json"],
        &["ground", "t.lrnn", "d.txt", "--max-ground-rules", "1"],
    ];
    for words in commands {
        check(&folder.lrnn(words), &format!("{what} {words:?}"));
    }
}

#[test]
fn hostile_constants_and_predicates() {
    for (number, name) in HOSTILE.iter().enumerate() {
        let folder = Folder::new(&format!("hostile {number}"));
        folder.write(
            "t.lrnn",
            format!("'{name}'(X) :- q(X, '{name}').\nr(X) :- '{name}'(X), q(Y, X). r(1..2).\n"),
        );
        folder.write("d.txt", format!("1 '{name}'(a) :- q('{name}', '{name}'), q(a, '{name}').\n"));
        check_all(&folder, "quoted");
        let ended = folder.lrnn(&["query", "t.lrnn", "d.txt", &format!("'{}'(X)", name.replace('\0', ""))]);
        check(&ended, "asked for");
    }
}

#[test]
fn hostile_texts_that_are_mistakes() {
    for (number, name) in HOSTILE.iter().enumerate() {
        let folder = Folder::new(&format!("hostile mistakes {number}"));
        folder.write(
            "t.lrnn",
            format!("p(X) :- {name}. 'a{name}' :- . p(X) :- q(X, '{name}). [activation = '{name}']"),
        );
        folder.write("d.txt", format!("{name}, '{name}"));
        check_all(&folder, "template");
        folder.write(
            "t.lrnn",
            format!("p(X) :- q(X). [activation = '{name}']\n:- family('{name}').\n:- import('{name}')."),
        );
        check_all(&folder, "functions");
        folder.write("t.lrnn", "p(X) :- q(X).");
        check_all(&folder, "data");
        folder.write("set/lrnn.toml", format!("template = \"{name}\"\n'{name}' = 1"));
        check(&folder.lrnn(&["query", "set"]), "settings");
    }
}

#[test]
fn hostile_names_of_files() {
    let folder = Folder::new("hostile files");
    for name in HOSTILE.map(|name| name.replace(['/', '\0'], "")) {
        folder.write(&name, "p(X):-q(X).\n");
        for words in
            [&["check"][..], &["fmt", "--check"], &["check", "--json"], &["fmt", "--json"], &["query"]]
        {
            let words = [words, &[&name]].concat();
            check(&folder.lrnn(&words), "a file");
        }
        check(&folder.lrnn(&["check", &format!("{name}x")]), "a missing file");
    }
}

#[test]
fn hostile_ids() {
    let folder = Folder::new("hostile ids");
    folder.write("t.lrnn", "p(X) :- q(X).");
    folder.write("d/examples.txt", "q(a).\nq(b), q(c).\n");
    folder.write("d/ids.txt", "\u{1b}[2J\n\u{202e}abc\n");
    for words in [
        &["query", "t.lrnn", "d"][..],
        &["ground", "t.lrnn", "d", "--verbose"],
        &["ground", "t.lrnn", "d", "--rules"],
    ] {
        check(&folder.lrnn(words), "ids");
    }
    check(&folder.lrnn(&["ground", "t.lrnn", "d", "--max-ground-rules", "1"]), "ids");
}

#[test]
fn formatting_writes_hostile_names_as_escapes() {
    let folder = Folder::new("hostile fmt");
    for name in HOSTILE {
        let ended = folder.lrnn_with_input(&["fmt", "-"], format!("p('{name}').").as_bytes());
        check(&ended, "fmt");
        let again = folder.lrnn_with_input(&["fmt", "-"], ended.out.as_bytes());
        assert_eq!((again.code, again.out), (0, ended.out));
    }
}

#[test]
fn very_long_names() {
    let folder = Folder::new("hostile long");
    let long = "x".repeat(100_000);
    folder.write("t.lrnn", format!("p(X) :- {long}(X).\n"));
    folder.write("d.txt", format!("{long}(a, b), {long}y(c)."));
    let ended = folder.lrnn(&["check", "t.lrnn", "d.txt"]);
    check(&ended, "long");
    folder.write("t.lrnn", format!("p(X) :- {long}(X) {long}(X).\n"));
    check(&folder.lrnn(&["check", "t.lrnn", "d.txt"]), "long");
}
