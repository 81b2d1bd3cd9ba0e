//! `lrnn fmt`: to standard output, in place, and only asked.

use crate::run::Folder;

const UGLY: &str = "% kept\nfoal(X):-horse(X),\n   small(X).\n\n\n0.5 horse(aida). % too\n";
const PLAIN: &str = "% kept\nfoal(X) :- horse(X), small(X).\n\n0.5 :: horse(aida).  % too\n";

#[test]
fn prints_a_file_or_standard_input() {
    let folder = Folder::new("fmt print");
    folder.write("t.lrnn", UGLY);
    assert_eq!(folder.lrnn(&["fmt", "t.lrnn"]).out, PLAIN);
    assert_eq!(folder.read("t.lrnn"), UGLY);
    let ended = folder.lrnn_with_input(&["fmt", "-"], UGLY.as_bytes());
    assert_eq!((ended.code, ended.out.as_str()), (0, PLAIN));
    assert_eq!(folder.lrnn_with_input(&["fmt", "-"], b"").out, "");
}

#[test]
fn standard_input_with_a_mistake() {
    let ended = Folder::new("fmt mistake").lrnn_with_input(&["fmt", "-"], b"p(X) :- q(X");
    assert_eq!((ended.code, ended.out.as_str()), (3, ""));
    assert!(ended.err.contains(" --> -:1:12"), "{}", ended.err);
    let ended = Folder::new("fmt bytes").lrnn_with_input(&["fmt", "-"], b"p(\xff).");
    assert_ne!(ended.code, 0);
    assert!(ended.err.contains("UTF-8"), "{}", ended.err);
}

#[test]
fn writes_in_place_once() {
    let folder = Folder::new("fmt write");
    folder.write("a.lrnn", UGLY);
    folder.write("b.lrnn", PLAIN);
    let ended = folder.lrnn(&["fmt", "--write", "a.lrnn", "b.lrnn"]);
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", "a.lrnn: formatted\n"));
    assert_eq!(folder.read("a.lrnn"), PLAIN);
    assert_eq!(folder.lrnn(&["fmt", "--write", "a.lrnn", "b.lrnn"]).err, "");
    let left: Vec<_> = folder.path("").read_dir().expect("the folder").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn only_asks() {
    let folder = Folder::new("fmt check");
    folder.write("a.lrnn", UGLY);
    folder.write("b.lrnn", PLAIN);
    let ended = folder.lrnn(&["fmt", "--check", "a.lrnn", "b.lrnn"]);
    assert_eq!((ended.code, ended.err.as_str()), (1, "a.lrnn: is not in the standard layout\n"));
    assert_eq!(folder.lrnn(&["fmt", "--check", "b.lrnn"]).code, 0);
    assert_eq!(folder.read("a.lrnn"), UGLY);
}

#[test]
fn a_file_with_mistakes_is_left_alone() {
    let folder = Folder::new("fmt wrong");
    folder.write("t.lrnn", "p(X) :- q(X).\np(X) :- .\n");
    assert_eq!(folder.lrnn(&["fmt", "--write", "t.lrnn"]).code, 3);
    assert_eq!(folder.read("t.lrnn"), "p(X) :- q(X).\np(X) :- .\n");
}
