//! The tables of the shop from every source: equal facts. What another program must read is tested where that program
//! is, and it is said where it is not.
#![cfg(feature = "sqlite")]

mod databases;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lrnn::Dataset;
use lrnn::vocabulary::Vocabulary;
use lrnn_tables::source::{SourceOptions, open};
use lrnn_tables::{Csv, CsvOptions, Mapping, Purpose, Tables, infer};

use databases::{Server, banks, has_duckdb, run_duckdb, scratch};

/// The tables with the type of each column in SQL.
const TABLES: [(&str, &str); 3] = [
    (
        "customer",
        "customer_id bigint PRIMARY KEY, name text, city text, age integer, as_of date, churned text",
    ),
    ("product", "product_id text PRIMARY KEY, name text, brand text, category text, price double precision"),
    (
        "orders",
        "order_id bigint PRIMARY KEY, customer_id bigint REFERENCES customer(customer_id), product_id text REFERENCES \
         product(product_id), date date, pieces integer, returned text",
    ),
];

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/shop")
}

fn csv(table: &str) -> Csv {
    let path = shop().join(format!("tables/{table}.csv.gz"));
    Csv::read(&path, CsvOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the mapping of the shop with every kind of line over it.
fn mapping() -> Mapping {
    let text = std::fs::read_to_string(shop().join("shop.tables")).expect("the mapping");
    let more = "born(C, A, N) <- customer(customer_id: C, age: A, name: N).\nX :: price(P) <- product(product_id: P, price: X).\n\
                scale(N) :: pieces(O) <- orders(order_id: O, pieces: N).\nat(O, D) <- orders(order_id: O, date: D).\n";
    Mapping::parse("shop.tables", &(text + more)).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the facts and queries of all examples, in order of their text.
fn facts(location: &str) -> Vec<String> {
    let mapping = mapping().at(location, SourceOptions::default());
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let found = tables.dataset(Vocabulary::default(), None).unwrap_or_else(|error| panic!("{error}"));
    let mut all = texts(&found.dataset);
    all.sort();
    all
}

fn texts(dataset: &Dataset) -> Vec<String> {
    let mut all = Vec::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        let name = dataset.example_name(number);
        for table in &example.tables {
            for row in 0..table.rows as usize {
                let atom = dataset.vocabulary.atom_text(table.predicate, table.row(row));
                all.push(format!("{name}: {:?} {atom}", table.value(row)));
            }
        }
        for query in &dataset.queries[number] {
            all.push(format!("{name}: ? {:?}", query.target));
        }
    }
    all
}

fn compare(location: &str) {
    let (expected, found) = (facts(&shop().join("tables").display().to_string()), facts(location));
    assert!(expected.len() > 30_000, "{}", expected.len());
    let different = expected.iter().zip(&found).find(|(a, b)| a != b);
    assert!(different.is_none() && expected.len() == found.len(), "{location}: {different:?}");
}

#[test]
fn sqlite_gives_the_facts_of_csv() {
    let path = scratch("sqlite").join("shop.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection.execute_batch("BEGIN").expect("a transaction");
    for (table, columns) in TABLES {
        connection.execute_batch(&format!("CREATE TABLE {table} ({columns})")).expect("a table");
        let csv = csv(table);
        let marks = vec!["?"; csv.names().len()].join(", ");
        let mut insert =
            connection.prepare(&format!("INSERT INTO {table} VALUES ({marks})")).expect("an insertion");
        for row in 0..csv.rows() {
            let cells = (0..csv.names().len()).map(|column| csv.cell(row, column));
            insert.execute(rusqlite::params_from_iter(cells)).expect("a row");
        }
    }
    connection.execute_batch("COMMIT").expect("a transaction");
    compare(&path.display().to_string());
    let source = open(&path.display().to_string(), &SourceOptions::default()).expect("the database");
    let keys = source.foreign_keys().expect("its keys");
    assert_eq!(keys.len(), 2, "{keys:?}");
}

/// Unpacks the CSV files.
fn unpacked(folder: &Path) {
    for (table, _) in TABLES {
        let csv = csv(table);
        let mut text = csv.names().join(",") + "\n";
        for row in 0..csv.rows() {
            let cell = |column: usize| match csv.cell(row, column) {
                Some(cell) => format!("\"{}\"", cell.replace('"', "\"\"")),
                None => String::new(),
            };
            let cells: Vec<String> = (0..csv.names().len()).map(cell).collect();
            let _ = writeln!(text, "{}", cells.join(","));
        }
        std::fs::write(folder.join(format!("{table}.csv")), text).expect("a file");
    }
}

#[test]
fn duckdb_and_parquet_give_the_facts_of_csv() {
    if !has_duckdb() {
        return;
    }
    let folder = scratch("duckdb");
    let files = folder.join("csv");
    std::fs::create_dir_all(&files).expect("a folder");
    unpacked(&files);
    let parquet = folder.join("parquet");
    std::fs::create_dir_all(&parquet).expect("a folder");
    let mut sql = String::new();
    for (table, columns) in TABLES {
        let (file, packed) = (files.join(format!("{table}.csv")), parquet.join(format!("{table}.parquet")));
        let _ = writeln!(sql, "CREATE TABLE {table} ({columns});");
        let _ = writeln!(sql, "COPY {table} FROM '{}' (HEADER, FORMAT csv);", file.display());
        let _ = writeln!(sql, "COPY {table} TO '{}' (FORMAT parquet);", packed.display());
    }
    let database = folder.join("shop.duckdb");
    run_duckdb(&database, &sql);
    compare(&database.display().to_string());
    compare(&parquet.display().to_string());
}

#[test]
fn postgresql_gives_the_facts_of_csv() {
    let files = scratch("postgresql_csv");
    let Some(server) = Server::start(scratch("postgresql")) else {
        return;
    };
    unpacked(&files);
    for (table, columns) in TABLES {
        server.sql(&format!("CREATE TABLE {table} ({columns})"));
        let file = files.join(format!("{table}.csv"));
        server.sql(&format!("\\copy {table} from '{}' csv header", file.display()));
    }
    compare(&server.url());
    let source = open(&server.url(), &SourceOptions::default()).expect("the database");
    assert_eq!(source.foreign_keys().expect("its keys").len(), 2);
    let error =
        open("postgresql://me:secret@127.0.0.1/shop", &SourceOptions::default()).expect_err("a password");
    assert!(error.to_string().contains("PGPASSWORD") && !error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_mapping_and_a_template_are_inferred() {
    let location = shop().join("tables").display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("the tables");
    let found = infer(&*source, &location, "customer.churned").unwrap_or_else(|error| panic!("{error}"));
    let mapping = Mapping::parse("inferred", &found.mapping).unwrap_or_else(|error| panic!("{error}"));
    let template = lrnn::Template::parse(&found.template).unwrap_or_else(|error| panic!("{error}"));
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(template.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((data.dataset.examples.len(), data.preview.unlabelled), (1199, 1));
    assert!(
        found.mapping.contains(":- as_of(customer.as_of).")
            && found.mapping.contains(":- time(orders.date).")
    );
    assert!(found.left_out.iter().any(|it| it.starts_with("customer.name")), "{:?}", found.left_out);
    let (_, template, _) = inferred(&location, "customer.churned");
    for proposed in ["product_vector(P)", "product_brand_group(P, G)"] {
        assert!(template.lines().any(|it| it.starts_with("% try: ") && it.contains(proposed)), "{template}");
    }
    let wrong = |target| infer(&*source, &location, target).expect_err("a mistake").to_string();
    assert!(wrong("customer.churnd").contains("did you mean `churned`?"));
    assert!(wrong("custmer.churned").contains("did you mean `customer`?"));
    assert!(wrong("customer.name").contains("neither a number nor one of few values"));
}

/// Infers and learns a little; returns the mapping, the template and the number of queries.
fn inferred(location: &str, target: &str) -> (String, String, usize) {
    let source = open(location, &SourceOptions::default()).expect("the database");
    let found = infer(&*source, location, target).unwrap_or_else(|error| panic!("{error}"));
    let mapping = Mapping::parse("inferred", &found.mapping).unwrap_or_else(|error| panic!("{error}"));
    let template = lrnn::Template::parse(&found.template).unwrap_or_else(|error| panic!("{error}"));
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(template.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    let settings = lrnn::Settings { epochs: 2, ..lrnn::Settings::default() };
    lrnn::fit(&template, &data.dataset, &settings).unwrap_or_else(|error| panic!("{error}"));
    // What it proposes is a template, too.
    let text = found.template.replace("% try: ", "");
    let proposed = lrnn::Template::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(proposed.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    lrnn::fit(&proposed, &data.dataset, &settings).unwrap_or_else(|error| panic!("{error}"));
    (found.mapping, found.template, data.dataset.queries.iter().map(Vec::len).sum())
}

#[test]
fn templates_are_inferred_for_classes_pairs_and_neighbours() {
    let path = scratch("knowledge").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let sql = "CREATE TABLE person (person_id text PRIMARY KEY, role text, topic text);
        INSERT INTO person VALUES ('a', 'prof', 'x'), ('b', 'student', 'y'), ('c', 'student', 'z'), ('d', 'prof', NULL);
        CREATE TABLE paper (title text, person_id text REFERENCES person(person_id));
        INSERT INTO paper VALUES ('p', 'a'), ('p', 'b'), ('q', 'c'), ('q', 'd'), ('r', 'a');
        CREATE TABLE advises (a text REFERENCES person(person_id), b text REFERENCES person(person_id), label text);
        INSERT INTO advises VALUES ('a', 'b', 'yes'), ('a', 'c', 'no'), ('d', 'c', 'yes'), ('d', 'b', 'no');
        CREATE TABLE once (a text REFERENCES person(person_id), b text REFERENCES person(person_id));
        INSERT INTO once VALUES ('a', 'b'), ('d', 'c');
        CREATE TABLE kind (kind_id text PRIMARY KEY, size integer, colour text);
        INSERT INTO kind VALUES ('1', 1, 'red'), ('2', 2, 'blue'), ('3', 3, 'red'), ('4', 4, 'green'), ('5', 5, 'green');";
    connection.execute_batch(sql).expect("tables");
    let location = path.display().to_string();
    let (mapping, template, queries) = inferred(&location, "advises.label");
    assert_eq!(queries, 4);
    // Two columns that both refer to people say who is joined to whom: no key of rows, though no pair stands twice.
    assert!(!mapping.contains(":- example(") && !mapping.contains(":- column("), "{mapping}");
    assert!(template.contains("once_a_b(A, B).  % a row names both"), "{template}");
    assert!(template.contains("paper_person_id_title(A, X), paper_person_id_title(B, X)"), "{template}");
    assert!(template.contains("person_role(A, V), person_role(B, U)"), "{template}");
    let (_, template, queries) = inferred(&location, "person.topic");
    assert_eq!(queries, 9, "three people of whom a topic is known, three topics");
    assert!(template.contains("*advises_a_b(A, X), person_role(X, V)"), "{template}");
    assert!(!template.contains("person_topic"), "the answer is no fact: {template}");
    let (mapping, template, queries) = inferred(&location, "kind.colour");
    assert_eq!(queries, 15, "each of five kinds is asked for three colours");
    assert!(
        mapping.contains("? 0 :: colour(red) <- kind(colour: V), V != red.")
            && template.contains("colour(C) :-")
    );
}

#[test]
fn one_knowledge_base_has_numbers_as_numbers_and_tells_what_it_leaves_out() {
    let path = scratch("links").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let mut sql = "PRAGMA foreign_keys = OFF; CREATE TABLE person (id text PRIMARY KEY, name text, born date, age integer);
        CREATE TABLE grant_of (person text REFERENCES person(id), amount real, paid date);
        CREATE TABLE award (person text REFERENCES person(id), given date);
        CREATE TABLE spare (a text, b text);
        CREATE TABLE knows (a text REFERENCES person(id), b text REFERENCES person(id), label text);"
        .to_owned();
    for number in 0..60 {
        let label = ["yes", "no"][number % 2];
        let (day, year) = (number % 28 + 1, 1940 + number);
        let _ = write!(
            sql,
            "INSERT INTO person VALUES ('p{number}', 'n{number}', '{year}-01-01', {});
             INSERT INTO grant_of VALUES ('p{number}', {number}.5, '2024-01-{day:02}');
             INSERT INTO award VALUES ('p{number}', '2024-02-{day:02}');
             INSERT INTO knows VALUES ('p{number}', 'p{}', '{label}');",
            20 + number,
            (number * 7 + 1) % 60
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let (mapping, template, _) = inferred(&path.display().to_string(), "knows.label");
    assert!(mapping.contains("(K, bins(X, 5)) <- grant_of(person: K, amount: X)."), "{mapping}");
    assert!(template.contains("grant_of_person_amount(A, X)"), "{template}");
    assert!(template.contains("award_person(A, _).  % whether there is any"), "{template}");
    for left in [
        "person.name: it names things",
        "person.born: a date",
        "grant_of.paid: a date",
        "award.given: a date",
        "spare: no",
    ] {
        assert!(mapping.contains(&format!("% Left out: {left}")), "{left}: {mapping}");
    }
    assert!(!mapping.contains("grant_of(person: K, paid: X)"), "{mapping}");
}

/// Writes patients with visits, and laboratory tests of these, a row each: whoever ever had a high CRP is ill. What a test
/// is of is said by a column, which has names, codes, or the keys of a table.
fn laboratory(path: &Path, patients: std::ops::Range<usize>, column: &str) -> String {
    let connection = rusqlite::Connection::open(path).expect("a database");
    let test = column.split(' ').next().expect("a name");
    let name = |name: &str, code: usize| match column.contains("text") {
        true => format!("'{name}'"),
        false => code.to_string(),
    };
    let (crp, na, hb) = (name("CRP", 101), name("Na", 102), name("Hb", 103));
    let mut sql = format!(
        "CREATE TABLE patient (id text PRIMARY KEY, ill text, cost real);
        CREATE TABLE substance (id integer PRIMARY KEY, name text);
        INSERT INTO substance VALUES (101, 'CRP'), (102, 'Na'), (103, 'Hb');
        CREATE TABLE visit (id integer PRIMARY KEY, patient text REFERENCES patient(id));
        CREATE TABLE lab (visit integer REFERENCES visit(id), {column}, value real, PRIMARY KEY (visit, {test}));"
    );
    for patient in patients {
        let draw = |nth: usize| {
            let mixed = ((patient * 16 + nth) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) % 100
        };
        let highest = (0..2).map(|nth| draw(nth + 3)).max().unwrap_or(0);
        let ill = if highest > 70 { "yes" } else { "no" };
        sql += &format!("INSERT INTO patient VALUES ('p{patient}', '{ill}', {}.5);", draw(1));
        for nth in 0..2 {
            let (visit, value) = (2 * patient + nth, draw(nth + 3));
            let values = format!("({visit}, {crp}, {value}.1), ({visit}, {na}, {}.2)", 100 + draw(nth + 5));
            sql += &format!("INSERT INTO visit VALUES ({visit}, 'p{patient}');");
            sql += &format!("INSERT INTO lab VALUES {values}, ({visit}, {hb}, {}.3);", draw(nth + 7));
        }
    }
    connection.execute_batch(&sql).expect("tables");
    path.display().to_string()
}

/// Checks that the highest CRP is inferred from a column that says which test it is, and that it tells who is ill.
fn check_attributes(folder: &str, column: &str, rule: &str, mean: &str) {
    let folder = scratch(folder);
    let known = laboratory(&folder.join("known.sqlite"), 0..150, column);
    let new = laboratory(&folder.join("new.sqlite"), 150..250, column);
    let source = open(&known, &SourceOptions::default()).expect("the database");
    let found = infer(&*source, &known, "patient.ill").unwrap_or_else(|error| panic!("{error}"));
    assert!(found.template.contains(rule), "{}", found.template);
    // The share of wrong answers about patients that it did not learn from, with these lines and without.
    let error = |template: &str| {
        let template = lrnn::Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
        let data = |mapping: &str| {
            let mapping = Mapping::parse("inferred", mapping).unwrap_or_else(|error| panic!("{error}"));
            let tables = Tables::open(mapping, Path::new(""), Purpose::Learning).expect("the tables");
            tables.dataset(template.vocabulary.clone(), None).expect("facts").dataset
        };
        let settings = lrnn::Settings { epochs: 100, l2: 0.008, ..lrnn::Settings::default() };
        let model = lrnn::fit(&template, &data(&found.mapping), &settings).expect("a model").model;
        let answers = model.predict(&data(&found.mapping.replace(&known, &new))).expect("answers");
        answers.scores().measure.error()
    };
    let (with, without): (Vec<&str>, Vec<&str>) = (
        found.template.lines().collect(),
        found.template.lines().filter(|it| !it.contains("_of_")).collect(),
    );
    let (with, without) = (error(&with.join("\n")), error(&without.join("\n")));
    assert!(with < 0.1 && without > 0.2, "{with} {without}");
    let found = infer(&*source, &known, "patient.cost").unwrap_or_else(|error| panic!("{error}"));
    assert!(found.template.contains(mean), "{}", found.template);
}

#[test]
fn a_number_that_means_something_else_in_every_row_is_inferred_by_what_it_is_of() {
    check_attributes(
        "laboratory",
        "test text",
        "quantity(lab_value_of_CRP_max, all) :- lab_value(R), *lab_test(R, 'CRP').",
        "lab_value(R), *lab_test(R, V). [aggregation = mean]",
    );
    check_attributes(
        "laboratory-keys",
        "test integer REFERENCES substance(id)",
        "quantity(lab_value_of_CRP_max, all) :- lab_value(R), *lab_test(R, '101').",
        "lab_value(R), *lab_test(R, V). [aggregation = mean]",
    );
    check_attributes(
        "laboratory-codes",
        "test_code integer",
        "quantity(lab_value_of_101_max, all) :- lab_value(R), *lab_test_code(R, 101).",
        "lab_value(R), *lab_test_code(R, V). [aggregation = mean]",
    );
    // Orders of a shop are no attributes: a customer has a product twice.
    let location = shop().join("tables").display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("the tables");
    let found = infer(&*source, &location, "customer.churned").unwrap_or_else(|error| panic!("{error}"));
    assert!(!found.template.contains("_of_"), "{}", found.template);
}

#[test]
fn rows_of_rows_and_what_they_refer_to_are_inferred() {
    let path = scratch("rows-of-rows").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    // Quoted names, rows of rows with a key and without, a thing two steps away, dates in two spellings.
    let mut sql = "CREATE TABLE \"Area\" (\"Area Id\" INTEGER PRIMARY KEY, \"Climate\" TEXT);
        INSERT INTO \"Area\" VALUES (1, 'warm'), (2, 'cold'), (3, 'warm');
        CREATE TABLE \"Ward\" (\"Code\" TEXT PRIMARY KEY, \"Area Id\" INTEGER REFERENCES \"Area\"(\"Area Id\"), \"Same\" TEXT);
        INSERT INTO \"Ward\" VALUES ('007', 1, 's'), ('W 1', 2, 's'), ('a', 3, 's'), ('A', 1, 's');
        CREATE TABLE \"Patient\" (\"ID\" INTEGER PRIMARY KEY, \"Born\" TEXT, \"Seen\" TEXT, \"Ill?\" TEXT, \"Cost\" REAL,
            \"Area Id\" INTEGER REFERENCES \"Area\"(\"Area Id\"));
        CREATE TABLE \"Visit\" (\"No\" TEXT PRIMARY KEY, \"ID\" INTEGER REFERENCES \"Patient\"(\"ID\"), \"Code\" TEXT REFERENCES \"Ward\"(\"Code\"));
        CREATE TABLE \"Finding\" (\"No\" TEXT REFERENCES \"Visit\"(\"No\"), \"ICD\" TEXT, PRIMARY KEY (\"No\", \"ICD\"));
        CREATE TABLE \"Drug\" (\"Drug Id\" INTEGER PRIMARY KEY, \"No\" TEXT REFERENCES \"Visit\"(\"No\"), \"Kind\" TEXT);"
        .to_owned();
    for number in 0..24 {
        let _ = write!(
            sql,
            "INSERT INTO \"Patient\" VALUES ({number}, '{:02}/01/1980', '{:02}.0{}.2023', '{}', {number}.25, {});
             INSERT INTO \"Visit\" VALUES ('v{number}', {number}, '{}'), ('w{number}', {number}, '007');
             INSERT INTO \"Finding\" VALUES ('v{number}', 'I1'), ('v{number}', 'E{}'), ('w{number}', 'I1');
             INSERT INTO \"Drug\" VALUES ({number}, 'v{number}', 'k{}');",
            number + 1,
            number % 9 + 1,
            number % 9 + 1,
            ["yes", "no"][number % 2],
            number % 3 + 1,
            ["W 1", "a", "A"][number % 3],
            number % 2,
            number % 2,
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let location = path.display().to_string();
    let (mapping, template, queries) = inferred(&location, "Patient.Ill?");
    assert_eq!(queries, 24);
    for line in [
        "'Finding_ICD'(R, V) <- 'Finding'('No': R, 'ICD': V).",
        "'Drug_Kind'(R, V) <- 'Drug'('Drug Id': R, 'Kind': V).",
        ":- type('Patient'.'Born', date, 'DD/MM/YYYY').",
        ":- type('Patient'.'Seen', date, 'DD.MM.YYYY').",
    ] {
        assert!(mapping.contains(line), "{line}\n{mapping}");
    }
    for rule in [
        "quantity('Finding_ICD', V) :- 'Finding_ICD'(_, V). [aggregation = count,",
        "'Drug_Kind'(R, A), *'Drug_No'(R, P), *'Finding_ICD'(P, B)",
        "quantity('Visit_Code', P) :- 'Visit_Code'(_, P). [aggregation = count,",
    ] {
        assert!(template.contains(rule), "{rule}\n{template}");
    }
    assert!(mapping.contains("% Left out: Ward.Same: every cell is the same"), "{mapping}");
    // A number that names a thing is a class, and what it names is no fact.
    let (mapping, template, queries) = inferred(&location, "Patient.Area Id");
    assert_eq!(queries, 24 * 3, "{mapping}");
    assert!(mapping.contains("? 0 :: 'Area Id'('1') <- 'Patient'('Area Id': V), V != '1'."), "{mapping}");
    assert!(
        template.contains("*'Area Id_class'(C)") && !template.contains("'Patient_Area Id'"),
        "{template}"
    );
    // What is two steps away, and no nearer.
    let way = "'Visit_Code'(_, P), *'Ward_Area Id'(P, Q), *'Area_Climate'(Q, V)";
    assert!(template.contains(way), "{template}");
    // Sums and counts of a target that is a number.
    let (_, template, _) = inferred(&location, "Patient.Cost");
    assert!(template.contains("'Visit'(_). [aggregation = count]  % in proportion"), "{template}");
    let wrong = |target| {
        let source = open(&location, &SourceOptions::default()).expect("the database");
        infer(&*source, &location, target).expect_err("a mistake").to_string()
    };
    assert!(wrong("Ward.Same").contains("has one value only"));
}

#[test]
fn labels_in_other_languages_and_references_to_examples_are_read() {
    let path = scratch("staff").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let mut sql = "CREATE TABLE person (person_id TEXT PRIMARY KEY, chief TEXT REFERENCES person(person_id), unit TEXT, \
        left TEXT, size TEXT, habit TEXT);"
        .to_owned();
    for number in 0..12 {
        let (unit, left) = (["A", "B", "C"][number % 3], ["ja", "nein"][number % 2]);
        let (size, habit) = (["red", "blue"][number % 2], ["'x'", "NULL"][number % 2]);
        let chief = if number == 0 { "NULL".to_owned() } else { format!("'p{}'", number / 2) };
        let _ = write!(
            sql,
            "INSERT INTO person VALUES ('p{number}', {chief}, '{unit}', '{left}', '{size}', {habit});"
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let location = path.display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("the database");
    let found = infer(&*source, &location, "person.left").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.classes, "`ja` counts as 1, `nein` as 0");
    assert!(found.mapping.contains("? 1 :: left <- person(left: ja)."), "{}", found.mapping);
    assert!(found.mapping.contains("% a category of one value, or NULL"), "{}", found.mapping);
    assert!(found.mapping.contains(":- alias(chief, person)."), "{}", found.mapping);
    let found = infer(&*source, &location, "person.size").unwrap_or_else(|error| panic!("{error}"));
    assert!(
        found.classes.starts_with("`red` counts as 1, `blue` as 0, which nothing tells"),
        "{}",
        found.classes
    );
}

#[test]
fn schemas_that_nobody_planned_are_inferred() {
    let path = scratch("unplanned").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    // Keys of two columns, one to its own table, two to one table, a table whose rows have no name, birthdays.
    let mut sql = "CREATE TABLE teacher (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES teacher(id), rank TEXT);
        INSERT INTO teacher VALUES (1, NULL, 'high'), (2, 1, 'low'), (3, 1, 'low');
        CREATE TABLE course (code TEXT PRIMARY KEY, teacher INTEGER REFERENCES teacher(id), assistant INTEGER \
            REFERENCES teacher(id), level TEXT);
        INSERT INTO course VALUES ('c1', 1, 2, 'first'), ('c2', 1, 3, 'second'), ('c3', 2, 3, 'second');
        CREATE TABLE enrol (student TEXT, course TEXT REFERENCES course(code), grade INTEGER, PRIMARY KEY (student, course));
        CREATE TABLE visit (student_id TEXT, place TEXT);
        CREATE TABLE student (sid TEXT PRIMARY KEY, born TEXT, score REAL, passed TEXT, joined TEXT, spare TEXT);"
        .to_owned();
    for number in 0..30 {
        let (course, passed) = (number % 3 + 1, if number % 3 == 0 { "no" } else { "yes" });
        let _ = write!(
            sql,
            "INSERT INTO student VALUES ('{number:03}', '1990-01-{:02}', {number}.5, '{passed}', '{}', NULL);
             INSERT INTO enrol VALUES ('{number:03}', 'c{course}', {});
             INSERT INTO visit VALUES ('{number:03}', 'p{}'), ('{number:03}', 'p{}');",
            number % 28 + 1,
            ["2024-01-31", "31.01.2024", "01/31/2024"][number % 3],
            number % 5,
            number % 4,
            number % 4
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let location = path.display().to_string();
    let (mapping, template, queries) = inferred(&location, "student.passed");
    assert_eq!(queries, 30);
    assert!(!mapping.contains("as_of"), "nothing is as of a birthday: {mapping}");
    assert!(mapping.contains(":- key(enrol.student, student.sid).  % guessed"), "{mapping}");
    assert!(mapping.contains("% Left out: student.spare: every cell is NULL"), "{mapping}");
    assert!(mapping.contains("% Left out: student.joined as dates: `31.01.2024`"), "{mapping}");
    assert!(mapping.contains("enrol_grade(R, V) <- enrol(course: R, grade: V)."), "{mapping}");
    assert!(mapping.contains("visit_place(V) <- visit(place: V)."), "{mapping}");
    assert!(template.contains("enrol_course(_, P), *course_level(P, V)"), "{template}");
    let (mapping, template, _) = inferred(&location, "student.score");
    assert!(mapping.contains("? Y :: score <- student(score: Y)."), "{mapping}");
    assert!(template.contains("score/0 [activation = identity]."), "any number is an answer: {template}");
    let (mapping, template, queries) = inferred(&location, "course.level");
    assert_eq!(queries, 3);
    assert!(template.contains("course_teacher(P), *teacher_rank(P, V)"), "{template}");
    assert!(template.contains("course_assistant(P), *teacher_rank(P, V)"), "{template}");
    assert_eq!(mapping.matches("teacher_rank(R, V) <-").count(), 1, "{mapping}");
    let source = open(&location, &SourceOptions::default()).expect("the database");
    let error = infer(&*source, &location, "visit").expect_err("a table").to_string();
    assert!(error.contains("is a table, and no column") && error.contains("CREATE VIEW"), "{error}");
}

#[test]
fn keys_that_are_not_called_so_are_found() {
    let path = scratch("members").join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let mut sql = r#"CREATE TABLE "Members" ("Member No" INTEGER, district TEXT, renewed TEXT);
        CREATE TABLE "Loans" (loan INTEGER PRIMARY KEY, "Member No" INTEGER, isbn TEXT);
        CREATE TABLE "Books" (isbn TEXT, genre TEXT);
        CREATE TABLE "Rooms" ("Room Code" TEXT, seats TEXT);
        INSERT INTO "Books" VALUES ('007', 'crime'), ('008', 'poetry'), ('009', 'crime');"#
        .to_owned();
    for number in 0..40 {
        let (renewed, isbn) = (["no", "yes"][number % 2], 7 + number % 3);
        let _ = write!(
            sql,
            r#"INSERT INTO "Members" VALUES ({number}, 'd{}', '{renewed}');
               INSERT INTO "Loans" VALUES ({}, {}, '00{isbn}');
               INSERT INTO "Rooms" VALUES ('r{number}', '{}');"#,
            number % 4,
            100 + number,
            number / 2,
            ["few", "many"][number % 2]
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let location = path.display().to_string();
    let (mapping, template, queries) = inferred(&location, "Members.renewed");
    assert_eq!(queries, 40);
    assert!(mapping.contains(":- example('Members'.'Member No')."), "{mapping}");
    assert!(mapping.contains(":- key('Loans'.'Member No', 'Members'.'Member No').  % guessed"), "{mapping}");
    assert!(mapping.contains(":- key('Loans'.isbn, 'Books'.isbn).  % guessed"), "{mapping}");
    assert!(template.contains("*'Books_genre'(P, V)"), "{template}");
    let (mapping, ..) = inferred(&location, "Rooms.seats");
    assert!(mapping.contains(":- example('Rooms'.'Room Code')."), "called a code: {mapping}");
}

#[test]
fn a_flat_table_without_an_id_is_learned_from() {
    let folder = scratch("flat");
    let mut csv = "class;fare;deck;weight;survived\n".to_owned();
    for number in 0..60 {
        let survived = if number % 3 == 0 { "no" } else { "yes" };
        let _ = writeln!(
            csv,
            "c{};1.{:03},{number:02};{number},5;{number},125;{survived}",
            number % 3,
            number * 7
        );
    }
    std::fs::write(folder.join("flat.csv"), csv).expect("a file");
    let location = folder.join("flat.csv").display().to_string();
    let (mapping, template, queries) = inferred(&location, "flat.survived");
    assert_eq!(queries, 60);
    assert!(mapping.contains(":- example(flat)."), "{mapping}");
    assert!(mapping.contains(":- type(flat.fare, number, '1.234,5')."), "{mapping}");
    assert!(mapping.contains("X :: flat_deck <- flat(deck: X)."), "{mapping}");
    assert!(mapping.contains("% Left out: flat.weight as numbers: `0,125`"), "thousands or not? {mapping}");
    assert!(template.contains("flat(row)."), "{template}");
    let mapping = Mapping::parse("it", &mapping).expect("a mapping");
    let tables = Tables::open(mapping, Path::new(""), Purpose::Learning).expect("tables");
    let dataset = tables.dataset(Vocabulary::default(), None).expect("facts").dataset;
    let fare = dataset.vocabulary.find_predicate("flat_fare", 0).expect("a predicate");
    let of = |example: usize| {
        dataset.examples[example].tables.iter().find(|it| it.predicate == fare).map(|it| it.value(0)[0])
    };
    assert_eq!((of(0), of(59)), (Some(1000.0), Some(1413.59)));
}

/// Infers a template for closed accounts, and returns the mapping with the share of right answers about accounts that were
/// held out, and of the more frequent answer.
fn closed_accounts(location: &str) -> (String, f64, f64) {
    let source = open(location, &SourceOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let found = infer(&*source, location, "account.closed").unwrap_or_else(|error| panic!("{error}"));
    let mapping = Mapping::parse("inferred", &found.mapping).unwrap_or_else(|error| panic!("{error}"));
    let template = lrnn::Template::parse(&found.template).unwrap_or_else(|error| panic!("{error}"));
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(template.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(data.dataset.examples.len(), 180);
    let mut settings = lrnn::Settings { epochs: 40, ..lrnn::Settings::default() };
    settings.set("test", "0.3").expect("a setting");
    let fit =
        lrnn::fit(&template, &data.dataset, &settings).unwrap_or_else(|error| panic!("{location}: {error}"));
    let test = &fit.scores.iter().find(|(part, _)| *part == "test").expect("accounts held out").1.measure;
    let yes = data.dataset.queries.iter().flatten().filter(|query| query.target == Some(vec![1.0])).count();
    (found.mapping, 1.0 - f64::from(test.wrong) / f64::from(test.answers), yes.max(180 - yes) as f64 / 180.0)
}

#[test]
fn keys_of_several_columns_are_joined() {
    let folder = scratch("banks");
    let path = folder.join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection.execute_batch(&banks()).expect("tables");
    let (mapping, right, guessed) = closed_accounts(&path.display().to_string());
    assert!(
        right > 0.9 && guessed < 0.7,
        "{right} of the answers are right, {guessed} by guessing\n{mapping}"
    );
    for line in [
        ":- example(account.bank_number).",
        ":- column(account.bank_number, [bank, number]).",
        ":- column(booking.bank_account, [bank, account]).",
        ":- key(booking.bank_account, account.bank_number).  % a foreign key",
        ":- key(booking.bank_clerk, clerk.bank_no).  % a foreign key",
        "booking_bank_clerk(R, P) <- booking(seq: R, bank_clerk: P).",
        "clerk_grade(R, V) <- clerk(bank_no: R, grade: V).",
    ] {
        assert!(mapping.contains(line), "{line}\n{mapping}");
    }
    assert!(!mapping.contains("Left out"), "{mapping}");
    let facts = |mapping: &str, location: &str| {
        let mapping = Mapping::parse("inferred", mapping).unwrap_or_else(|error| panic!("{error}"));
        let mapping = mapping.at(location, SourceOptions::default());
        let tables =
            Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
        let found = tables.dataset(Vocabulary::default(), None).unwrap_or_else(|error| panic!("{error}"));
        let mut all = texts(&found.dataset);
        all.sort();
        all
    };
    let expected = facts(&mapping, &path.display().to_string());
    assert!(expected.iter().any(|fact| fact.contains("ea\\\\/st/3")), "{:?}", &expected[..9]);
    // A line by hand is joined by what the database tells, and by nothing else.
    let by_hand = ":- example(account).\nby(C) <- clerk(no: C).\n? 1 :: c <- account(closed: yes).\n\
                   ? 0 :: c <- account(closed: no).";
    let counted = facts(by_hand, &path.display().to_string()).len() - 180;
    let sql = "SELECT count(*) FROM (SELECT DISTINCT b.bank, b.account, b.clerk FROM booking b)";
    let joined: i64 = connection.query_row(sql, [], |row| row.get(0)).expect("a number");
    assert_eq!(counted as i64, joined);
    // Files tell no keys: columns of the same names that tell rows apart are one.
    let files = folder.join("files");
    std::fs::create_dir(&files).expect("a folder");
    for (table, columns, renamed) in [
        ("account", "kind, bank, number, closed", "kind,bank,number,closed"),
        ("clerk", "bank, no, grade", "bank,clerk,grade"),
        ("booking", "bank, account, seq, clerk, amount", "bank,number,seq,clerk,amount"),
    ] {
        let mut statement = connection.prepare(&format!("SELECT {columns} FROM {table}")).expect("a query");
        let count = statement.column_count();
        let mut rows = statement.query([]).expect("rows");
        let mut text = renamed.to_owned() + "\n";
        while let Some(row) = rows.next().expect("a row") {
            let cell = |at: usize| match row.get_ref(at).expect("a cell") {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str().expect("a text").to_owned(),
            };
            text += &((0..count).map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        std::fs::write(files.join(format!("{table}.csv")), text).expect("a file");
    }
    let (guessed_mapping, right, _) = closed_accounts(&files.display().to_string());
    assert!(right > 0.9, "{right} of the answers are right\n{guessed_mapping}");
    let line = ":- key(booking.bank_number, account.bank_number).  % guessed";
    assert!(guessed_mapping.contains(line), "{guessed_mapping}");
    let inferred_at = |location: &str| {
        let source = open(location, &SourceOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        infer(&*source, location, "account.closed").unwrap_or_else(|error| panic!("{error}")).mapping
    };
    let body =
        |mapping: &str| mapping.lines().skip(2).map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    if has_duckdb() {
        let duck = folder.join("it.duckdb");
        run_duckdb(&duck, &(banks() + "SELECT 1"));
        let location = duck.display().to_string();
        assert_eq!(facts(&mapping, &location), expected);
        assert_eq!(body(&inferred_at(&location)), body(&mapping));
    }
    if let Some(server) = Server::start(scratch("banks_server")) {
        server.sql(&banks());
        assert_eq!(facts(&mapping, &server.url()), expected);
        assert_eq!(body(&inferred_at(&server.url())), body(&mapping));
    }
}
