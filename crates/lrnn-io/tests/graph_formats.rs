//! Graphs and triples in the formats of other programs: the same facts from each, and what is wrong is told with its place.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;
use lrnn_io::{read_data, read_triples};

/// A file in a folder of its own: tests that run side by side have files of the same name.
fn file(name: &str, text: &str) -> PathBuf {
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("lrnn-graphs-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file of the test");
    path
}

/// The facts of each example, sorted, with values that are not 1; or what is wrong.
fn read(name: &str, text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut sources = Sources::of_data();
    let read = read_data(&file(name, text), Vocabulary::default(), &mut sources)
        .map_err(|error| error.to_string())?;
    let dataset =
        read.map_err(|found| found.iter().map(|found| found.render(&sources)).collect::<String>())?;
    let facts = |example: &lrnn::data::Example| {
        let mut facts = Vec::new();
        for table in &example.tables {
            for row in 0..table.rows as usize {
                let atom = dataset.vocabulary.atom_text(table.predicate, table.row(row));
                let value = table.value(row);
                facts.push(if value == [1.0] { atom } else { format!("{value:?} {atom}") });
            }
        }
        facts.sort();
        facts
    };
    Ok(dataset.examples.iter().map(facts).collect())
}

fn check(name: &str, text: &str, expected: &[&[&str]]) {
    let found = read(name, text).unwrap_or_else(|message| panic!("{message}"));
    let expected: Vec<Vec<String>> =
        expected.iter().map(|facts| facts.iter().map(|fact| (*fact).to_owned()).collect()).collect();
    assert_eq!(found, expected, "{text}");
}

fn refused(name: &str, text: &str, expected: &[&str]) {
    let message = read(name, text).expect_err("it should not be read");
    expected.iter().for_each(|part| assert!(message.contains(part), "{part}\n{message}"));
}

#[test]
fn lines_of_three_cells_are_triples() {
    let facts: &[&str] = &["'born in'(ann, 'New York')", "mother(ann, '007')"];
    check("a.tsv", "ann\tmother\t007\n\nann\tborn in\tNew York\r\nann\tmother\t007\n", &[facts]);
    check("a.txt", "ann\tmother\t007\nann\tborn in\tNew York\n", &[facts]);
    refused(
        "b.tsv",
        "ann\tmother\tbob\nann mother eve\na\t\tb\n",
        &["b.tsv:2:1", "cells here: 1", "b.tsv:3:1", "none of them empty"],
    );
}

#[test]
fn turtle_and_n_triples_have_whole_names() {
    let plain = "<http://x/ann> <http://x/age> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> . # seven\n\
                 <http://x/ann> <http://x/name> \"Ann \\u00e9 \\\"A\\\"\"@fr .\n_:b <http://x/knows> <http://x/ann> .\n";
    let facts: &[&str] = &[
        "'http://x/age'('http://x/ann', 7)",
        "'http://x/knows'('_:b', 'http://x/ann')",
        "'http://x/name'('http://x/ann', 'Ann é \"A\"@fr')",
    ];
    check("a.nt", plain, &[facts]);
    let short = "@prefix x: <http://x/> .\nPREFIX : <http://x/>\n:ann x:age 7 ; x:name \"\"\"Ann é \"A\\\"\"\"\"@fr .\n_:b x:knows x:ann.";
    check("a.ttl", short, &[facts]);
    let nested = "@base <http://x/> .\n<a> a <b> , <c> ; <p> [ <q> 1.5 , true ] , ( <d> ) .\n[ <r> <s> ] .";
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    let expected = [
        format!("'{rdf}first'('_:2', 'http://x/d')"),
        format!("'{rdf}rest'('_:2', '{rdf}nil')"),
        format!("'{rdf}type'('http://x/a', 'http://x/b')"),
        format!("'{rdf}type'('http://x/a', 'http://x/c')"),
        "'http://x/p'('http://x/a', '_:1')".to_owned(),
        "'http://x/p'('http://x/a', '_:2')".to_owned(),
        "'http://x/q'('_:1', 1.5)".to_owned(),
        "'http://x/q'('_:1', true)".to_owned(),
        "'http://x/r'('_:3', 'http://x/s')".to_owned(),
    ];
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.sort_unstable();
    check("b.ttl", nested, &[&expected]);
    refused("c.ttl", "x:a x:b x:c .", &["there is no prefix `x:`", "c.ttl:1:1"]);
    refused("c.nt", "<a> <b> <c>\n<d> <e> <f> .\n", &["expected `.`", "c.nt:2:1"]);
    refused("c.nt", "<d> <e> \"f .\n", &["has no end `\"`"]);
    refused("d.ttl", &"[ <a:b> ".repeat(100_000), &["nested too deep"]);
}

#[test]
fn node_link_and_graphml_have_the_same_facts() {
    let facts: &[&str] = &[
        "colour(a, red)",
        "edge(a, b)",
        "edge(b, a)",
        "name(g)",
        "node(a)",
        "node(b)",
        "size(a, 2)",
        "w(a, b, 0.5)",
        "w(b, a, 0.5)",
    ];
    let json = r#"{"directed": false, "graph": {"name": "g"}, "nodes": [{"id": "a", "colour": "red", "size": 2},
        {"id": "b", "size": null}], "links": [{"source": "a", "target": "b", "w": 0.5}]}"#;
    check("a.json", json, &[facts]);
    let xml = r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><!-- a < b -->
        <key id="d0" for="node" attr.name="colour" attr.type="string"/><key id="d1" for="node" attr.name="size" attr.type="int"/>
        <key id="d2" for="edge" attr.name="w" attr.type="double"><default>0.5</default></key>
        <key id="d3" for="graph" attr.name="name" attr.type="string"/>
        <graph edgedefault="undirected"><data key="d3">g</data><node id="a"><data key="d0">r&#101;d</data><data key="d1">2</data></node>
        <node id="b"/><edge source="a" target="b"/></graph></graphml>"#;
    check("a.graphml", xml, &[facts]);
    let list = r#"[{"directed": true, "nodes": [{"id": 1, "x": [0.5, 2]}], "edges": []}, {"nodes": [{"id": 2}], "edges": [{"source": 2, "target": 2}]}]"#;
    check("b.json", list, &[&["[0.5, 2.0] x(1)", "node(1)"], &["edge(2, 2)", "node(2)"]]);
    refused("c.json", "{\"nodes\": [}", &["this is no JSON", "c.json:1:12"]);
    refused("c.json", "{\"nodes\": [{}], \"edges\": []}", &["node 0 has no id", "source and target"]);
    refused(
        "c.graphml",
        "<graphml><graph><node id=\"a\"><data key=\"k\">1</data></node><edge source=\"a\"/></graph></graphml>",
        &["no <key> with the id `k`", "an edge has no source or no target"],
    );
    refused("d.graphml", "<graphml><graph><node id=\"a\">", &["<node> has no end"]);
    refused("e.graphml", "<graphml/>", &["there is no <graph>"]);
}

#[test]
fn odd_spellings_are_read_as_they_are_meant() {
    let escaped = "@prefix x: <http://x/> .\n@base <http://b/d/e#f> .\nx:%41\\~c x:p\\.q <g> , </h> , <#i> , <http://\\u0062> .";
    let facts: &[&str] = &[
        "'http://x/p.q'('http://x/%41~c', 'http://b')",
        "'http://x/p.q'('http://x/%41~c', 'http://b/d/e#i')",
        "'http://x/p.q'('http://x/%41~c', 'http://b/d/g')",
        "'http://x/p.q'('http://x/%41~c', 'http://b/h')",
    ];
    check("odd.ttl", escaped, &[facts]);
    let prefixed = r#"<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
        <g:key id="d" for="node" attr.name="ok" attr.type="boolean"/><g:graph edgedefault="directed">
        <g:edge source="a" target="b"/><g:node id="a"><g:data key="d">True</g:data></g:node><g:node id="b"/></g:graph></g:graphml>"#;
    check("odd.graphml", prefixed, &[&["edge(a, b)", "node(a)", "node(b)", "ok(a, true)"]]);
}

#[test]
fn graphs_that_contradict_themselves_are_refused() {
    let edge = r#"{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 9}]}"#;
    refused("e.json", edge, &["edge 0 has an end that is no node, 9"]);
    refused(
        "e.json",
        r#"{"nodes": [{"id": 1}, {"id": 1}], "edges": []}"#,
        &["node 1 has the id of another, 1"],
    );
    let parallel = r#"{"directed": true, "nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "w": [1]},
        {"source": 1, "target": 1, "w": [2]}]}"#;
    refused("e.json", parallel, &["a fact of `w` has two values"]);
    let lost =
        r#"<graphml><graph><node id="a"/><node id="a"/><edge source="a" target="b"/></graph></graphml>"#;
    refused("e.graphml", lost, &["there is a node `a` already", "there is no node `b` in this graph"]);
}

#[test]
fn texts_of_the_reference_system_are_examples_with_queries() {
    let path = file("trainExamples.txt", "red(a).\nblue(b), near(b, c).\n");
    std::fs::write(path.with_file_name("trainQueries.txt"), "1.0 good.\n0.0 good.\n").expect("queries");
    let mut sources = Sources::of_data();
    let dataset = read_data(&path, Vocabulary::default(), &mut sources).expect("files").expect("data");
    let targets: Vec<_> = dataset.queries.iter().flatten().map(|query| query.target.clone()).collect();
    assert_eq!((dataset.examples.len(), targets), (2, vec![Some(vec![1.0]), Some(vec![0.0])]));
}

#[test]
fn parts_of_triples_are_found_in_a_folder() {
    let folder = std::env::temp_dir().join(format!("lrnn-triples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    for (name, text) in [
        ("train.txt", "a\tr\tb\n"),
        ("facts.pl", "s(b, 1). t(b).\n"),
        ("dev.tsv", "b\tr\tc\n"),
        ("test.nt", "<x:a> <x:r> <x:b> .\n"),
    ] {
        std::fs::write(folder.join(name), text).expect("a file of the test");
    }
    let parts = read_triples(&folder).unwrap_or_else(|error| panic!("{error}"));
    let triple = |names: [&str; 3]| names.map(str::to_owned);
    assert_eq!(parts.train, [triple(["a", "r", "b"]), triple(["b", "s", "1"])]);
    assert_eq!((parts.validation, parts.others), (vec![triple(["b", "r", "c"])], 1));
    assert_eq!(parts.test, [triple(["x:a", "x:r", "x:b"])]);
    let error = read_triples(&folder.join("..").join("nowhere")).expect_err("there is nothing");
    assert!(error.to_string().contains("no such file"), "{error}");
}
