//! `lrnn complete`: a ranking, predictions with proofs, and a template that other commands use.

use crate::learning::document;
use crate::run::Folder;

fn husbands(folder: &Folder) {
    let wives = (0..12).map(|at| format!("x{at}\twife\ty{at}\n"));
    let husbands = (0..10).map(|at| format!("y{at}\thusband\tx{at}\n"));
    folder.write("set/train.tsv", wives.chain(husbands).collect::<String>());
    folder.write("set/valid.tsv", "y10\thusband\tx10\n");
    folder.write("set/test.tsv", "y11\thusband\tx11\n");
}

#[test]
fn a_knowledge_base_is_completed() {
    let folder = Folder::new("complete whole");
    husbands(&folder);
    let ended =
        folder.lrnn(&["complete", "set", "--json", "--out", "run", "-o", "rules.lrnn", "--predictions", "2"]);
    let found = document(&ended);
    assert_eq!(found["test"]["both"]["mrr"], 1.0, "{found}");
    assert_eq!(found["test"]["relations"][0]["relation"], "husband");
    assert_eq!(found["predictions"][0]["is_held_out"], true);
    assert_eq!(found["predictions"][0]["proofs"][0]["facts"][0], "wife(x10, y10)");
    let ended = folder.lrnn(&["query", "rules.lrnn", "set/train.tsv", "holds(y11, husband, X)", "--json"]);
    let value = |name: &str| {
        let atoms = document(&ended)["atoms"].clone();
        let all = atoms.as_array().expect("atoms").clone();
        let atom = all.into_iter().find(|atom| atom["atom"] == format!("holds(y11, husband, {name})"));
        atom.and_then(|atom| atom["value"].as_f64()).expect("a value")
    };
    assert!(value("x11") > value("x10"));
    let again = folder.lrnn(&["complete", "set", "--out", "run"]);
    assert_ne!(again.code, 0, "{}", again.out);
    let table = folder.lrnn(&["complete", "set", "--out", "other", "--length", "1", "--verbose"]);
    for part in ["filtered ranking of test", "husband", "since wife(x11, y11)", "validation MRR"] {
        assert!(table.out.contains(part), "{part}\n{}\n{}", table.out, table.err);
    }
}

#[test]
fn wrong_triples_and_options_are_refused() {
    let folder = Folder::new("complete wrong");
    husbands(&folder);
    folder.write("bad.tsv", "a\tb\n");
    folder.write("unary.pl", "p(a).\n");
    for (words, part) in [
        (&["complete", "bad.tsv"][..], "cells here: 2"),
        (&["complete", "unary.pl"], "there is no triple in this file"),
        (&["complete", "."], "there is no train.tsv in this folder"),
        (&["complete", "nope.tsv"], "head, relation and tail with tabs between them"),
        (&["complete", "set", "--end", "both"], "it must be `head` or `tail`"),
        (&["complete", "set", "--l2", "0"], "l2 must be numbers above 0"),
        (&["complete", "set", "--negatives", "some"], "it must be `all` or a whole number"),
    ] {
        let ended = folder.lrnn(words);
        assert!(ended.code != 0 && ended.err.contains(part), "{words:?}: {}", ended.err);
    }
}
