//! A small problem of learning, for the tests of `train`, `test` and `predict`.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::run::{Ended, Folder};

pub const TEMPLATE: &str = "\
group(1..3).
w[T, G] :: in(A, G) :- element(A, T), *group(G).
c[G1, G2] :: toxic :- in(A, G1), bond(A, B), in(B, G2).
";

/// Words for a run that has no end.
pub const ENDLESS: [&str; 9] =
    ["train", "--template", "t.lrnn", "--data", "d.txt", "--optimizer", "adam", "--epochs", "100000000"];

/// Molecules of a few atoms in a row, toxic where an o follows a c.
pub fn data(from: usize, count: usize) -> String {
    let mut text = String::new();
    for number in from..from + count {
        let kinds: Vec<&str> =
            (0..5).map(|at| ["c", "o", "n"][(number * 7 + at * at * 3 + number * at) % 3]).collect();
        let elements = kinds.iter().enumerate().map(|(at, kind)| format!("element(a{at}, {kind})"));
        let bonds = (1..5).map(|at| format!("bond(a{}, a{at})", at - 1));
        let facts: Vec<String> = elements.chain(bonds).collect();
        let toxic = kinds.windows(2).any(|pair| pair == ["c", "o"]);
        let _ = writeln!(text, "{} toxic :- {}.", u8::from(toxic), facts.join(", "));
    }
    text
}

/// A folder with template, data and other data.
pub fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("t.lrnn", TEMPLATE);
    folder.write("d.txt", data(0, 40));
    folder.write("other.txt", data(41, 10));
    folder
}

/// `lrnn train` into a folder of this name, with more words.
pub fn train(folder: &Folder, out: &str, words: &[&str]) -> Ended {
    let all = ["train", "--template", "t.lrnn", "--data", "d.txt", "--out", out];
    let epochs: &[&str] = if words.contains(&"--epochs") { &[] } else { &["--epochs", "20"] };
    folder.lrnn(&[&all[..], epochs, words].concat())
}

pub fn model(folder: &Folder, run: &str) -> Vec<u8> {
    fs::read(folder.path(run).join("model.safetensors")).expect("a model")
}

pub fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("no document: {} {}", ended.out, ended.err))
}
