//! Tables that refer to themselves, under second names: which rows an example has, what it must not know, and the same
//! in groups of rows and as SQL.
#![cfg(feature = "sqlite")]

mod databases;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Settings, Template};
use lrnn_tables::source::{SourceOptions, open};
use lrnn_tables::{Mapping, Purpose, TableStream, Tables, infer};

use databases::scratch;

const MAPPING: &str = ":- example(person.id).
:- alias(chief, person).
:- alias(under, person).
:- alias(same, person).
:- key(person.chief_id, chief.id).
:- key(under.chief_id, person.id).
:- key(same.chief_id, person.chief_id).
chief(P, V) <- chief(id: P, unit: V).
X :: paid(P) <- under(id: P, pay: X).
beside(P) <- same(id: P).
? 1 :: left <- person(gone: yes).
? 0 :: left <- person(gone: no).
";

/// Makes people with a chief each, but for the first.
fn people(name: &str, count: usize) -> PathBuf {
    let path = scratch(name).join("it.sqlite");
    let mut sql =
        "CREATE TABLE person (id INTEGER PRIMARY KEY, chief_id INTEGER REFERENCES person(id), unit TEXT, \
                   pay INTEGER, as_of TEXT, gone TEXT);"
            .to_owned();
    for number in 1..=count {
        let chief = if number == 1 { "NULL".to_owned() } else { (number / 2).to_string() };
        let (unit, gone) = (["a", "b", "c"][number % 3], ["yes", "no"][number * 7 % 5 % 2]);
        let month = 1 + number % 4;
        let pay = number % 9;
        let _ = write!(
            sql,
            "INSERT INTO person VALUES ({number}, {chief}, '{unit}', {pay}, '2024-0{month}-01', '{gone}');"
        );
    }
    rusqlite::Connection::open(&path).expect("a database").execute_batch(&sql).expect("tables");
    path
}

fn mapping(text: &str, path: &Path) -> Mapping {
    let mapping = Mapping::parse("m.tables", text).unwrap_or_else(|error| panic!("{error}"));
    mapping.at(&path.display().to_string(), SourceOptions::default())
}

fn tables(text: &str, path: &Path) -> Tables {
    Tables::open(mapping(text, path), Path::new(""), Purpose::Learning)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the facts of an example as text, sorted.
fn facts(data: &Dataset, example: usize) -> String {
    let mut all = Vec::new();
    for table in &data.examples[example].tables {
        all.extend(
            (0..table.rows as usize).map(|row| data.vocabulary.atom_text(table.predicate, table.row(row))),
        );
    }
    all.sort();
    all.join(" ")
}

#[test]
fn examples_have_the_rows_that_their_keys_lead_to_under_each_name() {
    let path = people("aliases", 6);
    let read = |text: &str| tables(text, &path).dataset(Vocabulary::default(), None).expect("data").dataset;
    let data = read(MAPPING);
    assert_eq!(facts(&data, 0), "paid('2') paid('3')");
    assert_eq!(facts(&data, 1), "beside('2') beside('3') chief('1', b) paid('4') paid('5')");
    assert_eq!(facts(&data, 4), "beside('4') beside('5') chief('2', c)");
    // Persons 1 to 6 are as of February, March, April, January, February, March: what is later is not there.
    let timed = format!(":- as_of(person.as_of).\n{MAPPING}");
    let data = read(&timed);
    assert_eq!(facts(&data, 0), "");
    assert_eq!(facts(&data, 1), "beside('2') chief('1', b) paid('4') paid('5')");
    assert_eq!(facts(&data, 3), "beside('4')");
    // Another time of their rows may be named.
    let data = read(&format!(":- type(under.pay, integer).\n:- time(chief.as_of).\n{timed}"));
    assert_eq!(facts(&data, 1), "beside('2') chief('1', b) paid('4') paid('5')");
}

#[test]
fn labels_of_other_examples_are_told() {
    let path = people("aliases_labels", 40);
    let of = |text: &str| {
        let tables = tables(text, &path);
        let data = tables.dataset(Vocabulary::default(), None).expect("data");
        tables.leakage(&data).expect("a report").leaks
    };
    assert_eq!(of(MAPPING), []);
    let leaks = of(&format!("{MAPPING}gone(P, V) <- chief(id: P, gone: V)."));
    assert_eq!(leaks[0].place, "chief.gone");
    assert!(leaks[0].message.contains("labels of other examples"), "{leaks:?}");
}

#[test]
fn what_is_inferred_uses_the_reference_and_no_label() {
    let path = people("aliases_inferred", 200);
    let location = path.display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("the database");
    let found = infer(&*source, &location, "person.gone").unwrap_or_else(|error| panic!("{error}"));
    for line in [
        ":- alias(chief, person).",
        ":- time(chief_of.as_of).",
        ":- key(person.chief_id, chief.id).",
        ":- key(chief_of.chief_id, person.id).",
        ":- key(same_chief.chief_id, person.chief_id).",
        "chief_unit(R, V) <- chief(id: R, unit: V).",
    ] {
        assert!(found.mapping.contains(line), "{line}: {}", found.mapping);
    }
    assert!(!found.mapping.contains("gone: V"), "{}", found.mapping);
    assert!(
        found.left_out.iter().any(|it| it.starts_with("person.gone of other rows")),
        "{:?}",
        found.left_out
    );
    assert!(found.template.contains("person_chief_id(P), *chief_unit(P, V)"), "{}", found.template);
    let template = Template::parse(&found.template).unwrap_or_else(|error| panic!("{error}"));
    let data = tables(&found.mapping, &path).dataset(template.vocabulary.clone(), None).expect("data");
    assert_eq!(data.dataset.examples.len(), 200);
}

#[test]
fn groups_of_rows_have_the_rows_of_all_names() {
    let path = people("aliases_stream", 120);
    let text = format!(":- as_of(person.as_of).\n{MAPPING}");
    let template = "a[V] :: left :- chief(_, V).\nb :: left :- paid(_). [aggregation = mean]\n\
                    c :: left :- beside(P), paid(P).\nd :: left :- beside(_). [aggregation = count]";
    let template = Template::parse(template).expect("a template");
    let all = tables(&text, &path).dataset(template.vocabulary.clone(), None).expect("data").dataset;
    let learned = |data: &Dataset| {
        let settings = Settings { epochs: 5, ..Settings::default() };
        lrnn::fit(&template, data, &settings)
            .unwrap_or_else(|error| panic!("{error}"))
            .model
            .to_bytes()
            .expect("bytes")
    };
    for rows in [20, 1000] {
        let stream =
            TableStream::open(mapping(&text, &path), Path::new(""), Purpose::Learning).expect("a stream");
        let some = Arc::new(stream.at_once(rows)).dataset(template.vocabulary.clone()).expect("data");
        assert!(learned(&all) == learned(&some), "{rows} rows");
    }
}
