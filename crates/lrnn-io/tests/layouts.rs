//! Data in the layouts that molecules and graphs come in.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lrnn::data::Dataset;
use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;
use lrnn_io::read_data;

/// A folder for one test with files of these names and texts.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lrnn-layouts-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
        fs::write(path, text).expect("a file of the test");
    }
    folder
}

/// A vocabulary as that of a template that speaks of these predicates.
fn speaking_of(predicates: &[(&str, usize)]) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for &(name, arity) in predicates {
        vocabulary.predicate(name, arity);
    }
    vocabulary
}

const TYPES: [(&str, usize); 3] = [("atom_type", 2), ("element", 2), ("bond_type", 2)];

fn dataset(path: &Path, vocabulary: Vocabulary) -> Dataset {
    let mut sources = Sources::default();
    let read = read_data(path, vocabulary, &mut sources).unwrap_or_else(|error| panic!("{error}"));
    read.unwrap_or_else(|found| panic!("{}", found[0].render(&sources)))
}

/// What is wrong with data: all messages, or that of the file.
fn refused(path: &Path) -> String {
    let mut sources = Sources::default();
    match read_data(path, speaking_of(&TYPES), &mut sources) {
        Err(error) => error.to_string(),
        Ok(Ok(_)) => panic!("{} should not be read", path.display()),
        Ok(Err(found)) => found.iter().map(|found| found.render(&sources)).collect(),
    }
}

/// The facts of an example as text, sorted.
fn facts(dataset: &Dataset, example: usize) -> Vec<String> {
    let tables = dataset.examples[example].tables.iter();
    let rows = tables.flat_map(|table| (0..table.rows as usize).map(move |row| (table, row)));
    let mut facts: Vec<String> =
        rows.map(|(table, row)| dataset.vocabulary.atom_text(table.predicate, table.row(row))).collect();
    facts.sort();
    facts
}

fn queries(dataset: &Dataset, example: usize) -> Vec<String> {
    let text = |query: &lrnn::data::Query| {
        let target = query.target.as_ref().expect("a target");
        format!("{} {}", target[0], dataset.vocabulary.atom_text(query.predicate, &query.terms))
    };
    dataset.queries[example].iter().map(text).collect()
}

const MOLECULES: &str = "c_ar(a), n(b), bond(a, b, e), b_7(e).\nc_3(a), c_ar(a).\no_2(x), cl(y).\n";
const SIGNATURE: &str = "atom c_3 1\natom c_ar 2\natom cl\natom n 1\natom o_2 1\nbond b_7 1\n";

#[test]
fn types_become_terms_where_a_template_speaks_of_them() {
    let files = [("examples.txt", MOLECULES), ("signature.txt", SIGNATURE)];
    let folder = folder("types", &files);
    let read = dataset(&folder, speaking_of(&TYPES));
    let expected = [
        "atom_type(a, c_ar)",
        "atom_type(b, n)",
        "b_7(e)",
        "bond(a, b, e)",
        "bond_type(e, b_7)",
        "c_ar(a)",
        "element(a, c)",
        "element(b, n)",
        "n(b)",
    ];
    assert_eq!(facts(&read, 0), expected);
    assert_eq!(facts(&read, 1).iter().filter(|fact| fact.starts_with("element")).count(), 1);
    assert!(facts(&read, 1).contains(&"atom_type(a, c_3)".to_owned()));
    let element = read.vocabulary.find_predicate("element", 2).expect("it is known");
    assert!(read.facts_seen[element.index()].is_some());
    assert!(read.notes.is_empty());
    // The same by the name of the file.
    assert_eq!(facts(&dataset(&folder.join("examples.txt"), speaking_of(&TYPES)), 0), expected);
}

#[test]
fn codes_are_elements_themselves() {
    let files =
        [("examples.txt", "n_3(a), n_14(b).\n"), ("signature.txt", "atom n_3 1\natom n_14 1\nbond b_any\n")];
    let read = dataset(&folder("codes", &files), speaking_of(&TYPES));
    let elements = facts(&read, 0).into_iter().filter(|fact| fact.starts_with("element"));
    assert_eq!(elements.collect::<Vec<_>>(), ["element(a, n_3)", "element(b, n_14)"]);
}

#[test]
fn nothing_is_added_that_nobody_asks_for_or_that_is_there() {
    let own = "c_ar(a), element(a, tin).\n";
    let folder = folder("given", &[("examples.txt", own), ("signature.txt", "atom c_ar 1\n")]);
    assert_eq!(facts(&dataset(&folder, Vocabulary::default()), 0), ["c_ar(a)", "element(a, tin)"]);
    assert_eq!(facts(&dataset(&folder, speaking_of(&TYPES[1..])), 0), ["c_ar(a)", "element(a, tin)"]);
}

#[test]
fn types_that_the_signature_does_not_know_are_told() {
    let folder =
        folder("untyped", &[("examples.txt", "c_ar(a), xx(b).\n"), ("signature.txt", "atom c_ar 1\n")]);
    let read = dataset(&folder, speaking_of(&TYPES));
    assert_eq!(read.notes.len(), 1);
    assert!(read.notes[0].message.contains("`xx/1`"), "{}", read.notes[0].message);
}

#[test]
fn a_bad_signature_is_told_by_line() {
    let files = [("examples.txt", "c(a).\n"), ("signature.txt", "atom c 1\natoms n 2\nring\n")];
    let message = refused(&folder("signature", &files));
    assert!(message.contains("signature.txt:2:1") && message.contains("did you mean `atom`?"), "{message}");
    assert!(message.contains("signature.txt:3:1"), "{message}");
}

#[test]
fn a_screen_reads_rows_of_the_table() {
    let files = [
        ("molecules.txt", MOLECULES),
        ("signature.txt", SIGNATURE),
        ("screens/one.tsv", "3\t1\t0\n1\t0\t1\n3\t0\t1\n"),
        ("two.tsv", "2 1\n"),
    ];
    let folder = folder("screen", &files);
    let read = dataset(&folder.join("screens/one.tsv"), speaking_of(&TYPES));
    assert_eq!(read.examples.len(), 3);
    assert_eq!(read.folds, [0, 1, 1]);
    assert_eq!(*read.ids[0], *"3");
    assert_eq!(queries(&read, 0), ["1 active"]);
    assert_eq!(queries(&read, 1), ["0 active"]);
    assert!(facts(&read, 0).contains(&"element(x, o)".to_owned()));
    let other = read.vocabulary.find_predicate("c_3", 1).expect("the table has it");
    assert!(read.facts_seen[other.index()].is_none(), "molecule 2 is not in the screen");
    let read = dataset(&folder.join("two.tsv"), Vocabulary::default());
    assert_eq!((facts(&read, 0).len(), read.folds.len()), (2, 0));
}

#[test]
fn what_is_wrong_with_a_screen_is_told() {
    let check = |rows: &str, molecules: &str, expected: &str| {
        let folder = folder("rows", &[("molecules.txt", molecules), ("s.tsv", rows)]);
        let message = refused(&folder.join("s.tsv"));
        assert!(message.contains(expected), "{message}");
    };
    check("1\t1\t0\n0\t1\t0\n", MOLECULES, "s.tsv:2:1");
    check("1\t2\t0\n", MOLECULES, "its label 1 or 0");
    check("1\t1\tx\n", MOLECULES, "`1 1 x` is no row");
    check("1\t1\t0\n2\t1\n", MOLECULES, "s.tsv:2:1");
    check("1\t1\t0\n9\t1\t1\n", MOLECULES, "there is no molecule 9: molecules.txt has 3");
    check("1\t1\t0\n", "c(a). c(b).\n", "lines 1, molecules 2");
    check("1\t1\t0\n", "c(a.\n", "molecules.txt:1");
    check("", MOLECULES, "there is no example");
    let folder = folder("alone", &[("s.tsv", "1\t1\n"), ("table/molecules.txt", MOLECULES)]);
    assert!(refused(&folder.join("s.tsv")).contains("a triple has three"));
    assert!(refused(&folder.join("table")).contains("screens/NAME.tsv"));
    assert!(refused(&folder.join("t.tsv")).contains("did you mean"));
}

#[test]
fn labels_are_queries() {
    let many = folder("classes", &[("examples.txt", MOLECULES), ("labels.txt", "4\n2\n7\n")]);
    let read = dataset(&many, Vocabulary::default());
    assert_eq!(queries(&read, 1), ["1 class(2)", "0 class(4)", "0 class(7)"]);
    let two = folder("two", &[("examples.txt", MOLECULES), ("labels.txt", "-1\n1\n-1\n")]);
    let read = dataset(&two, Vocabulary::default());
    assert_eq!([queries(&read, 0), queries(&read, 1)], [["0 active"], ["1 active"]]);
    let short = folder("short", &[("examples.txt", MOLECULES), ("labels.txt", "1\n0\n")]);
    assert!(refused(&short).contains("the classes of 2 examples"));
    let word = folder("word", &[("examples.txt", MOLECULES), ("labels.txt", "1\nyes\n0\n")]);
    assert!(refused(&word).contains("labels.txt:2:1"));
}

const GRAPHS: [(&str, &str); 5] = [
    ("G_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n4, 4\n"),
    ("G_graph_indicator.txt", "1\n1\n2\n2\n3\n"),
    ("G_graph_labels.txt", "1\n-1\n1\n"),
    ("G_node_labels.txt", "0\n3\n3\n3\n0, 1\n"),
    ("G_edge_labels.txt", "7\n7\n1\n2\n1\n"),
];

#[test]
fn graphs_are_facts() {
    let read = dataset(&folder("graphs", &GRAPHS), speaking_of(&TYPES));
    let expected = [
        "atom_type(d1_1, n_0)",
        "atom_type(d1_2, n_3)",
        "b_7(d1_b1)",
        "bond(d1_1, d1_2, d1_b1)",
        "bond(d1_2, d1_1, d1_b1)",
        "bond_type(d1_b1, b_7)",
        "element(d1_1, n_0)",
        "element(d1_2, n_3)",
        "n_0(d1_1)",
        "n_3(d1_2)",
    ];
    assert_eq!(facts(&read, 0), expected);
    // Each way has a label of its own, and one node is its own neighbour.
    let bonds: Vec<String> = facts(&read, 1).into_iter().filter(|fact| fact.starts_with("bond(")).collect();
    assert_eq!(bonds, ["bond(d2_1, d2_2, d2_b1)", "bond(d2_2, d2_1, d2_b2)", "bond(d2_2, d2_2, d2_b3)"]);
    assert_eq!(facts(&read, 2)[2], "n_0_1(d3_1)");
    assert_eq!([queries(&read, 0), queries(&read, 1)], [["1 active"], ["0 active"]]);
    let plain = folder("plain", &GRAPHS[..3]);
    fs::write(plain.join("folds.txt"), "0\n1\n0\n").expect("a file of the test");
    fs::write(plain.join("G_node_attributes.txt"), "1, 2\n0, 0.5\n3, 4\n5, 6\n7, 8\n")
        .expect("a file of the test");
    let read = dataset(&plain, Vocabulary::default());
    assert_eq!(read.folds, [0, 1, 0]);
    assert_eq!(facts(&read, 0)[0], "b_any(d1_b1)");
    let attributes = read.vocabulary.find_predicate("node_attributes", 1).expect("it is there");
    let table = read.examples[0].tables.iter().find(|table| table.predicate == attributes).expect("a table");
    assert_eq!(table.value(1), [0.0, 0.5]);
}

#[test]
fn what_is_wrong_with_graphs_is_told() {
    let check = |name: &str, text: &str, expected: &str| {
        let mut files = GRAPHS.to_vec();
        files.retain(|file| file.0 != name);
        files.push((name, text));
        let message = refused(&folder("bad-graphs", &files));
        assert!(message.contains(expected), "{message}");
    };
    check("G_A.txt", "1, 2\n2; 1\n", "G_A.txt:2:1");
    check("G_A.txt", "1, 2\n2, 1\n3, 4\n4, 9\n4, 4\n", "there is no node 9: there are 5");
    check("G_A.txt", "1, 2\n2, 1\n3, 4\n4, 1\n4, 4\n", "different graphs");
    check("G_graph_indicator.txt", "1\n1\n2\n2\n4\n", "there is no graph 4");
    check("G_graph_indicator.txt", "1\n1\n2\n2\n0\n", "`0` is not the number of a graph");
    check("G_node_labels.txt", "0\n3\n", "lines here: 2, nodes: 5");
    check("G_edge_labels.txt", "0\n3\n1\n1\n1\n1\n", "G_edge_labels.txt:6:1");
    check("G_node_attributes.txt", "0\n3\n1,1\n1\n1\n", "G_node_attributes.txt:3:1");
    check("H_graph_indicator.txt", "1\n", "there are graphs of G and of H");
    assert!(refused(&folder("no-edges", &GRAPHS[1..])).contains("there is no G_A.txt"));
}

/// The folder of real data; without it, a test says that it did nothing.
fn real(below: &str) -> Option<PathBuf> {
    let path =
        std::env::var_os("LRNN_DATA").map(|root| Path::new(&root).join(below)).filter(|path| path.exists());
    if path.is_none() {
        let _ = writeln!(std::io::stderr(), "\n*** LRNN_DATA has no {below}: it was not read. ***\n");
    }
    path
}

#[test]
fn a_real_screen_is_the_dataset_that_was_written_of_it() {
    let Some(root) = real("nci_gi") else { return };
    let screen = dataset(&root.join("screens/786_0.tsv"), speaking_of(&TYPES));
    let ready = dataset(&root.join("ready_786_0"), speaking_of(&TYPES));
    assert_eq!(screen.folds, ready.folds);
    assert_eq!(screen.examples.len(), ready.examples.len());
    // The molecules have other numbers: `d7_1` and `d9_1` are the same.
    let unnumbered = |fact: &String| {
        fact.split('d')
            .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned())
            .collect::<Vec<_>>()
    };
    for example in 0..screen.examples.len() {
        assert_eq!(queries(&screen, example), queries(&ready, example));
        let mut one: Vec<_> = facts(&screen, example).iter().map(unnumbered).collect();
        let mut two: Vec<_> = facts(&ready, example).iter().map(unnumbered).collect();
        one.sort();
        two.sort();
        assert_eq!(one, two, "example {example}");
    }
}

#[test]
fn real_graphs_are_those_of_the_other_layout() {
    let Some(root) = real("mutag") else { return };
    let (graphs, molecules) =
        (dataset(&root.join("original"), speaking_of(&TYPES)), dataset(&root, speaking_of(&TYPES)));
    let count = |dataset: &Dataset, name: &str, example: usize| {
        facts(dataset, example).iter().filter(|fact| fact.starts_with(name)).count()
    };
    assert_eq!(graphs.examples.len(), 188);
    for example in 0..188 {
        assert_eq!(queries(&graphs, example), queries(&molecules, example));
        for name in ["bond(", "atom_type(", "bond_type("] {
            assert_eq!(
                count(&graphs, name, example),
                count(&molecules, name, example),
                "{name} of {example}"
            );
        }
    }
}

#[test]
fn folds_are_examples_with_their_queries() {
    let path = folder(
        "folds",
        &[
            ("fold2/facts.txt", "taught(c1, ann)."),
            ("fold2/pos.txt", "advised(bob, ann)."),
            ("fold2/neg.txt", "advised(ann, bob).\nadvised(bob, bob)."),
            ("fold1/facts.txt", "taught(c2, eve)."),
            ("fold1/pos.txt", ""),
            ("fold1/neg.txt", "advised(eve, eve)."),
        ],
    );
    let read = dataset(&path, Vocabulary::default());
    let targets = |example: usize| -> Vec<f64> {
        read.queries[example].iter().map(|query| query.target.as_ref().expect("a target")[0]).collect()
    };
    assert_eq!((targets(0), targets(1)), (vec![0.0], vec![1.0, 0.0, 0.0]));
    assert_eq!((read.folds.clone(), read.example_name(1)), (vec![1, 2], "fold2".to_owned()));
    assert_eq!(facts(&read, 1), ["taught(c1, ann)"]);
    fs::remove_file(path.join("fold1/pos.txt")).expect("a file of the test");
    assert!(refused(&path).contains("there is no pos.txt"));
}
