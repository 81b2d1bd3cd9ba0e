//! Tables that are read in groups of examples: the model has the bytes that it has where all rows are read at once.
#![cfg(feature = "sqlite")]

mod databases;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lrnn::train::Split;
use lrnn::{Dataset, Fit, Limits, Settings, Template, TrainingOptions, fit_observed};
use lrnn_tables::source::SourceOptions;
use lrnn_tables::{Mapping, Purpose, TableStream, Tables};

use databases::{banks, scratch};

const MAPPING: &str = "
:- example(customer.id).
:- as_of(customer.as_of).
:- time(orders.date).
:- key(orders.customer, customer.id).
:- key(orders.product, product.id).
of(O, P) <- orders(id: O, product: P).
recent(O) <- orders(id: O, date: D), days(as_of - D) =< 60.
scale(X) :: price(P) <- product(id: P, price: X).
brand(P, B) <- product(id: P, brand: B).
size(O, bins(X, 3)) <- orders(id: O, pieces: X).
everywhere(B, Y) <- brands(name: B, country: Y).
city(V) <- customer(city: V).
? 1 :: churn <- customer(churned: yes).
? 0 :: churn <- customer(churned: no).
";

const TEMPLATE: &str = "
:- family(max_sigmoid).
a[V] :: churn :- city(V).
b[B] :: churn :- of(O, P), *brand(P, B), recent(O).
c[Y, S] :: churn :- *of(O, P), *brand(P, B), *everywhere(B, Y), size(O, S).
d :: churn :- *of(_, P), price(P). [aggregation = mean]
";

/// Makes a shop whose rows come in no order of their customers.
fn shop(folder: &str) -> PathBuf {
    let path = scratch(folder).join("shop.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let mut sql = "BEGIN; CREATE TABLE customer (id INTEGER PRIMARY KEY, city TEXT, as_of TEXT, churned TEXT);
        CREATE TABLE product (id TEXT PRIMARY KEY, brand TEXT, price REAL);
        CREATE TABLE brands (name TEXT, country TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, product TEXT, date TEXT, pieces INTEGER);
        CREATE INDEX by_customer ON orders (customer, id);"
        .to_owned();
    for number in 0_u64..150 {
        let label = ["'yes'", "'no'", "'no'", "NULL"][(number * 7 % 11 % 4) as usize];
        let _ = write!(
            sql,
            "INSERT INTO customer VALUES ({}, 'city {}', '2024-0{}-15', {label});",
            4_000_000_000_000_000_000 + number * 7919,
            number % 6,
            4 + number % 3
        );
    }
    for number in 0..40 {
        let _ = write!(sql, "INSERT INTO product VALUES ('{number:03}', 'b{}', {number}.5);", number % 7);
    }
    for number in 0..7 {
        let _ = write!(sql, "INSERT INTO brands VALUES ('b{number}', 'c{}');", number % 3);
    }
    for number in 0_u64..1500 {
        let pieces = if number % 13 == 0 { "NULL".to_owned() } else { (number % 9).to_string() };
        let _ = write!(
            sql,
            "INSERT INTO orders VALUES ({number}, {}, '{:03}', '2024-0{}-{:02}', {pieces});",
            4_000_000_000_000_000_000 + number * 101 % 150 * 7919,
            number * 31 % 40,
            1 + number * 17 % 7,
            1 + number * 5 % 28
        );
    }
    connection.execute_batch(&(sql + "COMMIT;")).expect("rows");
    path
}

fn mapping(path: &Path) -> Mapping {
    let mapping = Mapping::parse("shop.tables", MAPPING).unwrap_or_else(|error| panic!("{error}"));
    mapping.at(&path.display().to_string(), SourceOptions::default())
}

fn settings() -> Settings {
    let mut settings = Settings { epochs: 12, ..Settings::default() };
    for (name, value) in [("test", "0.2"), ("validation", "0.1"), ("seed", "3")] {
        settings.set(name, value).expect("a setting");
    }
    settings
}

fn learned(template: &Template, dataset: &Dataset, split: Split) -> Fit {
    let options = TrainingOptions { split: Some(split), ..TrainingOptions::default() };
    fit_observed(template, dataset, &settings(), options, &lrnn::train::NoObserver)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the note of the mapping and what is learned from all rows at once.
fn at_once(template: &Template, path: &Path) -> (String, Fit) {
    let tables = Tables::open(mapping(path), Path::new(""), Purpose::Learning)
        .unwrap_or_else(|error| panic!("{error}"));
    let names = || template.vocabulary.clone();
    let first = tables.dataset(names(), None).unwrap_or_else(|error| panic!("{error}"));
    let split = Split::of(&first.dataset, &settings());
    let data = tables.dataset(names(), Some(&split.training)).unwrap_or_else(|error| panic!("{error}"));
    let fitted = tables.fitted(Some(&split.training)).expect("a mapping");
    (tables.with_kinds(fitted).text(), learned(template, &data.dataset, split))
}

/// Returns the same of rows that are read in groups.
fn in_groups(template: &Template, path: &Path, rows: usize) -> (String, Fit) {
    let mut stream = TableStream::open(mapping(path), Path::new(""), Purpose::Learning)
        .unwrap_or_else(|error| panic!("{error}"))
        .at_once(rows);
    let queries = stream.queries(template.vocabulary.clone()).expect("queries");
    let split = Split::of(&queries, &settings());
    stream.fit(Some(&split.training)).unwrap_or_else(|error| panic!("{error}"));
    let note = stream.note().expect("a note");
    let data =
        Arc::new(stream).dataset(template.vocabulary.clone()).unwrap_or_else(|error| panic!("{error}"));
    assert!(data.examples.iter().all(|example| example.tables.is_empty()), "facts are elsewhere");
    (note, learned(template, &data, split))
}

#[test]
fn a_model_of_groups_is_the_model_of_all_rows() {
    let (template, path) = (Template::parse(TEMPLATE).expect("a template"), shop("stream"));
    let (note, all) = at_once(&template, &path);
    for rows in [50, 700, 1_000_000] {
        let (own, some) = in_groups(&template, &path, rows);
        assert_eq!(own, note, "{rows} rows");
        assert_eq!(format!("{:?}", some.scores), format!("{:?}", all.scores), "{rows} rows");
        assert_eq!(
            some.model.to_bytes().expect("bytes"),
            all.model.to_bytes().expect("bytes"),
            "{rows} rows"
        );
    }
}

#[test]
fn keys_of_several_columns_lead_to_examples_in_groups() {
    let path = scratch("stream_banks").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection.execute_batch(&banks()).expect("tables");
    // One column by the mapping, the others by what the database tells.
    let mapping = || {
        let text = ":- example(account.id).\n:- column(account.id, [bank, number]).\n\
                    by(C, G) <- clerk(no: C, grade: G).\nscale(A) :: amount(S) <- booking(seq: S, amount: A).\n\
                    ? 1 :: closed <- account(closed: yes).\n? 0 :: closed <- account(closed: no).";
        let mapping = Mapping::parse("banks", text).unwrap_or_else(|error| panic!("{error}"));
        mapping.at(&path.display().to_string(), SourceOptions::default())
    };
    let text =
        "a[G] :: closed :- by(_, G). [aggregation = count]\nb :: closed :- amount(_). [aggregation = mean]";
    let template = Template::parse(text).expect("a template");
    let tables = Tables::open(mapping(), Path::new(""), Purpose::Learning).expect("tables");
    let all = tables.dataset(template.vocabulary.clone(), None).expect("data").dataset;
    let mut stream =
        TableStream::open(mapping(), Path::new(""), Purpose::Learning).expect("a stream").at_once(100);
    stream.fit(None).expect("a mapping");
    let note = stream.note().expect("a note");
    assert!(note.contains(":- column(booking.bank_account, [bank, account])."), "{note}");
    let some = Arc::new(stream).dataset(template.vocabulary.clone()).expect("data");
    let learned = |data: &Dataset| {
        let fit = lrnn::fit(&template, data, &settings()).unwrap_or_else(|error| panic!("{error}"));
        fit.model.to_bytes().expect("bytes")
    };
    assert!(all.example_name(130).to_string().contains("/st/10"), "{}", all.example_name(130));
    assert!(learned(&all) == learned(&some), "the models are the same");
}

#[test]
fn predictions_of_groups_are_those_of_all_rows() {
    let (template, path) = (Template::parse(TEMPLATE).expect("a template"), shop("stream_predict"));
    let (note, fit) = at_once(&template, &path);
    let predictor = fit.model.predictor_within(Limits::default()).expect("a predictor");
    let mapping = || {
        let mapping = Mapping::parse("note", &note).expect("the note");
        mapping.at(&path.display().to_string(), SourceOptions::default())
    };
    let names = || predictor.program().vocabulary().clone();
    let tables = Tables::open(mapping(), Path::new(""), Purpose::Prediction).expect("tables");
    let all = predictor.predict(&tables.dataset(names(), None).expect("data").dataset).expect("answers");
    let stream = TableStream::open(mapping(), Path::new(""), Purpose::Prediction).expect("a stream");
    let data = Arc::new(stream.at_once(200)).dataset(names()).expect("data");
    let some = predictor.predict(&data).expect("answers");
    assert!(all.all.len() == 150 && format!("{:?}", all.all) == format!("{:?}", some.all));
}

#[test]
fn what_cannot_be_read_in_groups_is_refused() {
    let path = shop("stream_refused");
    let refused = |text: &str, location: &Path| {
        let mapping = Mapping::parse("shop.tables", text).unwrap_or_else(|error| panic!("{error}"));
        let mapping = mapping.at(&location.display().to_string(), SourceOptions::default());
        TableStream::open(mapping, Path::new(""), Purpose::Learning).expect_err("a mistake").to_string()
    };
    let one = refused("of(O, P) <- orders(id: O, product: P).", &path);
    assert!(one.contains("all rows are one example"), "{one}");
    let csv = path.with_file_name("customer.csv");
    std::fs::write(&csv, "id,churned\n1,yes\n").expect("a file");
    let csv = refused(":- example(customer.id).\n? 1 :: churn <- customer(churned: yes).", &csv);
    assert!(csv.contains("CSV is read as a whole"), "{csv}");
    // A weight by key of a row needs names that are not kept.
    let template = Template::parse("w[O] :: churn :- of(O, _).").expect("a template");
    let stream = TableStream::open(mapping(&path), Path::new(""), Purpose::Learning).expect("a stream");
    let mut stream = stream.at_once(300);
    stream.fit(None).expect("a mapping");
    let data = Arc::new(stream).dataset(template.vocabulary.clone()).expect("data");
    let error = lrnn::fit(&template, &data, &settings()).expect_err("a mistake").to_string();
    assert!(error.contains("`w` is indexed by keys of rows"), "{error}");
}
