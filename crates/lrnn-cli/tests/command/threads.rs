//! The same bytes for any number of threads.

use serde_json::Value;

use crate::run::Folder;

const TEMPLATE: &str = "\
in(A, G) :- element(A, T), *group(G, T).
w[G] :: score(A) :- in(A, G), bond(A, B), in(B, G).
v[A] :: all :- score(A).
group(1..4, 0..2).
";

/// Forty examples that differ.
fn data() -> String {
    let mut text = String::new();
    for example in 0..40 {
        let atoms = 3 + example % 7;
        let facts: Vec<String> = (0..atoms)
            .flat_map(|atom| {
                let other = (atom * 5 + example) % atoms;
                [
                    format!("element(a{atom}, {})", (atom + example) % 3),
                    format!("0.5 bond(a{atom}, a{other})"),
                ]
            })
            .collect();
        text += &format!("{} all :- {}.\n", example % 2, facts.join(", "));
    }
    text
}

/// The document without what depends on the clock and the machine.
fn steady(text: &str) -> String {
    let mut document: Value = serde_json::from_str(text).expect("a document");
    let object = document.as_object_mut().expect("an object");
    object.remove("seconds");
    object.remove("peak_memory_bytes");
    document.to_string()
}

fn check(folder: &Folder, words: &[&str], shown: impl Fn(&str) -> String) {
    let all: Vec<(i32, String, String)> = ["1", "2", "7"]
        .iter()
        .map(|threads| folder.lrnn(&[words, &["--threads", threads]].concat()))
        .map(|ended| (ended.code, if ended.code == 0 { shown(&ended.out) } else { ended.out }, ended.err))
        .collect();
    assert_eq!(all[0], all[1], "{words:?}");
    assert_eq!(all[0], all[2], "{words:?}");
    assert!(!all[0].1.is_empty() || !all[0].2.is_empty());
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new("threads");
    folder.write("t.lrnn", TEMPLATE);
    folder.write("d.txt", data());
    let same = |text: &str| text.to_owned();
    check(&folder, &["check", "t.lrnn", "d.txt"], same);
    check(&folder, &["query", "t.lrnn", "d.txt"], same);
    check(&folder, &["query", "t.lrnn", "d.txt", "--precision", "f32", "--seed", "3"], same);
    check(&folder, &["query", "t.lrnn", "d.txt", "--json"], steady);
    check(&folder, &["ground", "t.lrnn", "d.txt", "--json", "--rules"], steady);
    check(&folder, &["ground", "t.lrnn", "d.txt", "--plan"], same);
    // The same example is named, whichever thread met its limit first.
    check(&folder, &["ground", "t.lrnn", "d.txt", "--max-ground-rules", "40"], same);
    check(&folder, &["ground", "t.lrnn", "d.txt", "--max-ground-rules-total", "500"], same);
}
