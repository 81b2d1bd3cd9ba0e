//! Data in every layout gives the same answers.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::run::Folder;
use crate::{HORSES, HORSES_DATA};

const EXAMPLES: &str = "\
horse(dakotta), horse(cheyenne), horse(aida), parent(star, aida), parent(star, cheyenne), sibling(star, dakotta).
horse(aida), 0.5 sibling(star, aida).
";
const QUERIES: &str = "1 foal(star).\n0 foal(luna).\n";

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

/// The answers for the data in one file.
fn expected(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    folder.write("horses.lrnn", HORSES);
    folder.write("data.txt", HORSES_DATA);
    let ended = folder.lrnn(&["query", "horses.lrnn", "data.txt"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    (folder, ended.out)
}

#[test]
fn a_folder_of_examples_and_queries() {
    let (folder, expected) = expected("folder data");
    folder.write("plain/examples.txt", EXAMPLES);
    folder.write("plain/queries.txt", QUERIES);
    let ended = folder.lrnn(&["query", "horses.lrnn", "plain"]);
    assert_eq!(ended.out, expected);
    assert_eq!(ended.err, "1 asked for but not in the model, and count as 0: foal(luna)\n");
}

#[test]
fn gzipped_data_by_its_name_or_not() {
    let (folder, expected) = expected("folder gz");
    folder.write("packed/examples.txt.gz", gzipped(EXAMPLES));
    folder.write("packed/queries.txt.gz", gzipped(QUERIES));
    folder.write("one.gz", gzipped(HORSES_DATA));
    folder.write("one.txt", gzipped(HORSES_DATA));
    for data in ["packed", "one.gz", "one.txt"] {
        assert_eq!(folder.lrnn(&["query", "horses.lrnn", data]).out, expected, "{data}");
    }
}

#[test]
fn ids_name_the_examples() {
    let (folder, expected) = expected("folder ids");
    folder.write("named/examples.txt", EXAMPLES);
    folder.write("named/ids.txt", "first\nsecond\n");
    folder.write("named/folds.txt", "0\n1\n");
    let out = folder.lrnn(&["query", "horses.lrnn", "named", "foal(X)"]).out;
    assert!(out.contains("\nfirst "), "{out}");
    assert!(out.contains("\nsecond "), "{out}");
    assert!(!expected.contains("first"));
}

#[test]
fn a_folder_with_its_settings() {
    let (folder, expected) = expected("folder settings");
    folder.write("set/lrnn.toml", "template = \"rules.lrnn\"\nmax_ground_rules = 100\n");
    folder.write("set/rules.lrnn", HORSES);
    folder.write("set/examples.txt", EXAMPLES);
    assert_eq!(folder.lrnn(&["query", "set"]).out, expected);
    assert_eq!(folder.lrnn(&["check", "set"]).code, 0);
    assert_eq!(folder.lrnn(&["ground", "set"]).code, 0);
    // Flags are stronger than the folder's settings.
    assert_eq!(folder.lrnn(&["ground", "set", "--max-ground-rules", "1"]).code, 4);
    folder.write("set/lrnn.toml", "template = \"rules.lrnn\"\nfamily = \"godel\"\nmax_ground_rules = 1\n");
    assert_eq!(folder.lrnn(&["ground", "set"]).code, 4);
    let all = ["--max-ground-rules", "100", "--json", "foal(star)"];
    assert!(folder.lrnn(&[&["query", "set"], &all[..]].concat()).out.contains("\"family\":\"godel\""));
    let out = folder.lrnn(&[&["query", "set", "--family", "max-sigmoid"], &all[..]].concat()).out;
    assert!(out.contains("\"family\":\"max-sigmoid\""), "{out}");
}

#[test]
fn imports_stand_beside_the_file_that_names_them() {
    let (folder, expected) = expected("folder imports");
    folder.write("parts/all.lrnn", ":- import(\"more/parents.lrnn\").\n:- import('more/siblings.lrnn').\n");
    folder.write("parts/more/parents.lrnn", HORSES.lines().next().expect("a rule"));
    folder.write(
        "parts/more/siblings.lrnn",
        "import ./parents.lrnn\n".to_owned() + HORSES.lines().nth(1).expect("a rule"),
    );
    assert_eq!(folder.lrnn(&["query", "parts/all.lrnn", "data.txt"]).out, expected);
}
