//! Templates as SQL, in SQLite, DuckDB and PostgreSQL: the values are those of the reference network.

mod databases;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use lrnn::data::Layout;
use lrnn::network::{Initialisation, Parameters, Weights};
use lrnn::program::AtomPattern;
use lrnn::vocabulary::Constant;
use lrnn::{Dataset, Limits, Model, Program, Settings, Template, fit};
use lrnn_tables::sql::{Dialect, PredicateTable, SqlOptions, sql_of};
use lrnn_tables::{Csv, CsvOptions, Mapping, Purpose, Tables};

use databases::{Server, banks, has_duckdb, has_sqlite, run_duckdb, run_sqlite, scratch};

/// Values by example and terms.
type Values = BTreeMap<Vec<String>, f64>;

/// Returns a name as it is, without quotes.
fn plain(constant: &Constant) -> String {
    match constant {
        Constant::Name(name) => name.to_string(),
        other => other.to_string(),
    }
}

/// Returns the values of all atoms of a predicate by the reference network.
fn expected(model: &Model, dataset: &Dataset, atom: &str) -> Values {
    let template = model.template().expect("the template");
    let program =
        Program::new(&template, dataset, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
    model.apply(program.template(), &dataset.vocabulary, &Parameters::new(program.template()), &mut weights);
    let pattern = [AtomPattern::parse(atom, &dataset.vocabulary).expect("an atom")];
    let mut all = Values::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        let grounding = program.ground(&dataset.vocabulary, example).expect("a grounding");
        let found = program
            .atoms::<f64>(dataset, (number, &grounding), &pattern, std::slice::from_ref(&weights), true)
            .expect("values");
        for atom in found.atoms {
            let parsed =
                lrnn::syntax::parse_atom(&atom.atom, lrnn::diagnostic::SourceId(0)).expect("an atom");
            let terms = parsed.terms.iter().map(|term| match &term.kind {
                lrnn::syntax::ast::TermKind::Constant(constant) => plain(constant),
                other => panic!("{other:?}"),
            });
            let key = std::iter::once(dataset.example_name(number).to_string()).chain(terms).collect();
            all.insert(key, atom.value.number().expect("a number"));
        }
    }
    all
}

/// Returns the statements that make the tables of facts.
fn fact_tables(dataset: &Dataset, tables: &[PredicateTable]) -> String {
    let mut sql = String::new();
    let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
    for table in tables {
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|it| format!("{it} {}", if it == "value" { "DOUBLE PRECISION" } else { "TEXT" }))
            .collect();
        let _ = writeln!(sql, "CREATE TABLE \"{}\" ({});", table.name, columns.join(", "));
        let mut rows = Vec::new();
        for (number, example) in dataset.examples.iter().enumerate() {
            let name = text(&dataset.example_name(number).to_string());
            if table.name == "lrnn_examples" {
                rows.push(format!("({name})"));
            }
            for facts in &example.tables {
                if dataset.vocabulary.signature(facts.predicate).to_string() != table.predicate {
                    continue;
                }
                for row in 0..facts.rows as usize {
                    let terms =
                        facts.row(row).iter().map(|&it| text(&plain(&dataset.vocabulary.constant(it))));
                    let value = facts.value(row).first().copied().unwrap_or(1.0);
                    let cells: Vec<String> =
                        std::iter::once(name.clone()).chain(terms).chain([format!("{value:e}")]).collect();
                    rows.push(format!("({})", cells.join(", ")));
                }
            }
        }
        if !rows.is_empty() {
            let _ = writeln!(sql, "INSERT INTO \"{}\" VALUES {};", table.name, rows.join(",\n"));
        }
    }
    sql
}

/// Returns the server that tests share while one of them needs it; none where there is no PostgreSQL.
fn server() -> Option<Arc<Server>> {
    static SERVER: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let mut known = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = known.upgrade() {
        return Some(server);
    }
    // One that ends may still use its folder.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let server = Arc::new(Server::start(scratch(&format!("sql_postgresql_{number}")))?);
    *known = Arc::downgrade(&server);
    Some(server)
}

/// Runs a script and returns the rows of its last selection; none where the system is not there.
fn run(dialect: Dialect, folder: &Path, script: &str, query: &str) -> Option<Vec<Vec<String>>> {
    let csv = match dialect {
        Dialect::Sqlite if !has_sqlite() => return None,
        Dialect::Sqlite => run_sqlite(&folder.join("it.sqlite"), script, query),
        Dialect::DuckDb if !has_duckdb() => return None,
        Dialect::DuckDb => run_duckdb(&folder.join("it.duckdb"), &format!("{script}{query}")),
        Dialect::PostgreSql => {
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            let schema = format!("CREATE SCHEMA \"{name}\"; SET search_path = \"{name}\";");
            server()?.sql(&format!("{schema}\n{script}{query}"))
        }
    };
    let csv = Csv::parse(
        "rows",
        format!("{}\n{csv}", "a,b,c,d,e,f,g,h"[..header(&csv)].to_owned()).into(),
        CsvOptions::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let cell = |row: usize, column: usize| csv.cell(row, column).unwrap_or_default().into_owned();
    Some(
        (0..csv.rows()).map(|row| (0..csv.names().len()).map(|column| cell(row, column)).collect()).collect(),
    )
}

/// Returns how long a header is for as many columns as the first row has.
fn header(csv: &str) -> usize {
    let first = csv.lines().next().unwrap_or("");
    2 * first.split(',').count() - 1
}

/// Compares the rows that a system gave with the values of the reference network.
fn compare(name: &str, dialect: Dialect, expected: &Values, rows: Vec<Vec<String>>) {
    assert_eq!(rows.len(), expected.len(), "{name} in {dialect:?}: {:?}", rows.first());
    for mut row in rows {
        let value: f64 =
            row.pop().expect("a value").parse().unwrap_or_else(|_| panic!("{name} in {dialect:?}: {row:?}"));
        let known = expected
            .get(&row)
            .unwrap_or_else(|| panic!("{name} in {dialect:?}: {row:?} is not in the model"));
        assert!(
            (value - known).abs() <= 1e-9 * (1.0 + known.abs()),
            "{name} in {dialect:?}, {row:?}: {value} for {known}"
        );
    }
}

fn learned(template: &Template, dataset: &Dataset) -> Model {
    let settings = Settings { epochs: 3, seed: 3, ..Settings::default() };
    fit(template, dataset, &settings).unwrap_or_else(|error| panic!("{error}")).model
}

/// Learns a template, and compares the values of an atom's predicate in every system.
fn check(name: &str, template: &str, dataset: &Dataset, atom: &str) {
    let _server = server();
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
    let model = learned(&template, dataset);
    let expected = expected(&model, dataset, atom);
    assert!(!expected.is_empty(), "{name} has values");
    for (_, dialect) in Dialect::NAMES {
        let options = SqlOptions { dialect, atom: Some(atom), view: Some("answers") };
        let sql = sql_of(&model, None, options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let script = fact_tables(dataset, &sql.tables) + &sql.setting + &sql.statement;
        let folder = scratch(&format!("sql_{name}_{}", format!("{dialect:?}").to_lowercase()));
        if let Some(rows) = run(dialect, &folder, &script, "SELECT * FROM \"answers\"") {
            compare(name, dialect, &expected, rows);
        }
    }
}

/// Returns data, a sentence an example, and its queries.
fn data(template: &str, examples: &str, queries: &str) -> Dataset {
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
    let mut builder = template.data();
    builder.text("examples", examples, Layout::Examples).queries_text("queries", queries);
    builder.build().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_horses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/horses");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file");
    let template = read("template.lrnn");
    let data = data(&template, &read("examples.txt"), "1 foal(star).");
    check("horses", &template, &data, "foal(X)");
    check("horses_below", &template, &data, "horse(X)");
}

#[test]
fn the_chains_of_the_paper_on_some_molecules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/mutagenesis");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file");
    let some = |text: &str| text.lines().step_by(60).collect::<Vec<_>>().join("\n");
    let template = read("template.lrnn");
    let data = data(&template, &some(&read("examples.txt")), &some(&read("queries.txt")));
    assert!(data.examples.len() == 4);
    check("mutagenesis", &template, &data, "mutagenic");
    check("mutagenesis_groups", &template, &data, "in(A, G)");
}

/// Families with people, their ages and values of their facts.
const PEOPLE: &str = "0.7 likes(ann, bob), 0.2 likes(bob, cid), -0.4 likes(cid, ann), likes(ann, cid), age(ann, 30), \
     age(bob, 5), age(cid, 'it\\'s'), 0.9 tall(bob), loud(ann), loud(bob).\n\
     0.1 likes(dan, eve), 1.3 likes(eve, dan), age(dan, 12), age(eve, 100), 0.4 tall(eve), loud(dan).\n";

fn people(name: &str, template: &str, atom: &str) {
    let data = data(template, PEOPLE, "1 good(ann).\n0 good(dan).\n");
    check(name, template, &data, atom);
}

#[test]
fn guards_negation_comparisons_and_template_facts() {
    people(
        "bodies",
        ":- family(max_sigmoid).\n\
         group(1..3).\n0.3 :: tall(ann).\nloud(ann).\n0.25 :: calm(cid).\n\
         u[G] :: friend(X, G) :- likes(X, Y), ~tall(Y), *group(G).\n\
         0.4 :: friend(X, 1) :- likes(X, Y), not tall(X), not likes(Y, _), X != Y.\n\
         a :: good(X) :- v[G] :: friend(X, G), *age(X, A), A < 50.\n\
         b :: good(X) :- likes(X, Y), *loud(Y), age(Y, A), *age(X, B), A =< B.\n\
         c :: good(X) :- 0.5 :: calm(X), likes(X, _).\n\
         d :: good(X) :- age(X, A), A > 20, loud(X).\n\
         e :: good(X) :- group(G), G >= 2, tall(X).\n",
        "good(X)",
    );
}

#[test]
fn aggregations_and_combinations() {
    people(
        "functions",
        ":- family(avg_sigmoid).\n\
         a :: p(X) :- likes(X, Y), loud(X). [aggregation = softmax]\n\
         b :: p(X) :- likes(X, Y), age(Y, _). [aggregation = product, activation = identity]\n\
         c :: p(X) :- likes(X, Y). [aggregation = count]\n\
         d :: q(X) :- likes(X, Y), p(Y). [aggregation = sum, activation = min-tanh]\n\
         e :: q(X) :- likes(Y, X), p(Y). [aggregation = min, activation = max-softplus]\n\
         f :: good(X) :- p(X), q(X). [activation = product-relu]\n\
         g :: good(X) :- p(X). [activation = leaky-relu]\n\
         h :: good(X) :- q(X), loud(X). [activation = mean-lukasiewicz]\n\
         i :: good(X) :- q(X). [activation = square]\n\
         k :: good(X) :- q(X). [activation = sign]\n\
         l :: good(X) :- q(X). [activation = step]\n\
         m :: good(X) :- q(X). [activation = reverse]\n\
         n :: good(X) :- q(X). [activation = abs]\n",
        "good(X)",
    );
}

#[test]
fn families_of_fuzzy_logic_and_of_sums() {
    for family in ["godel", "lukasiewicz", "neuralogic"] {
        people(
            family,
            &format!(
                ":- family({family}).\n0.3 :: tall(ann).\n0.8 :: tall(X) :- likes(X, Y), loud(Y).\n\
                 0.6 :: good(X) :- likes(X, Y), tall(Y).\n0.2 :: good(X) :- age(X, _), loud(X).\n"
            ),
            "good(X)",
        );
    }
}

#[test]
fn what_cannot_be_sql_is_refused_in_a_sentence() {
    let refuse = |template: &str, expected: &str| {
        let template = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
        let model = Model { sources: template.texts(), ..Model::default() };
        let options = SqlOptions { dialect: Dialect::Sqlite, atom: None, view: None };
        let error = sql_of(&model, None, options).expect_err("refused").to_string();
        assert!(error.contains(expected), "{error}");
    };
    refuse("w :: p(X) :- q(X).", "the weight `w` has no value yet");
    refuse("{3} :: p(X) :- q(X).", "without vectors");
    refuse(
        "1 :: t(X, Y) :- e(X, Y).\n1 :: t(X, Z) :- t(X, Y), e(Y, Z).\n1 :: p(X) :- t(X, X).",
        "`t/2` depends on itself",
    );
    refuse("0.5 :: p(X, Y) :- q(X).", "stands for every constant");
    refuse("0.5 :: m(X, Y).\n1 :: p(X) :- m(X, Y), q(Y).", "holds for every constant");
    refuse("1 :: h(X) :- q(X).\nw[h(X)] :: p :- h(X).", "kinds or numbers in the index");
    refuse("1 :: p(X) :- q(X).\n1 :: r(X) :- q(X).", "one predicate, not of p/1, r/1");
}

/// The shop as a database with the types of its columns.
/// Returns statements that make tables of the shop, with what belongs to some customers.
fn shop_tables(tables: &[(&str, &str)], customers: &[String]) -> String {
    let mut sql = String::new();
    for (table, columns) in tables {
        let csv = Csv::read(&shop().join(format!("tables/{table}.csv.gz")), CsvOptions::default())
            .expect("a table");
        let _ = writeln!(sql, "CREATE TABLE {table} ({columns});");
        let cell = |row: usize, column: usize| {
            csv.cell(row, column).map_or("NULL".to_owned(), |cell| format!("'{}'", cell.replace('\'', "''")))
        };
        let row = |row: usize| {
            let cells: Vec<String> = (0..csv.names().len()).map(|column| cell(row, column)).collect();
            format!("({})", cells.join(", "))
        };
        let customer = csv.names().iter().position(|name| name == "customer_id");
        let is_kept = |&row: &usize| {
            let id = customer.and_then(|column| csv.cell(row, column));
            id.is_none_or(|id| customers.iter().any(|known| *known == id))
        };
        let rows: Vec<String> = (0..csv.rows()).filter(is_kept).map(row).collect();
        for rows in rows.chunks(2000) {
            let _ = writeln!(sql, "INSERT INTO {table} VALUES {};", rows.join(",\n"));
        }
    }
    sql
}

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/shop")
}

/// Learns from the tables of the shop, and compares the values of some customers in every system that has them.
fn check_shop(name: &str, mapping: &str, template: &str, customers: usize) {
    let mapping = Mapping::parse("shop", mapping).unwrap_or_else(|error| panic!("{error}"));
    let tables = Tables::open(mapping, &shop(), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
    let found = tables.dataset(template.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    let mapping =
        Mapping::parse("kept", &tables.with_kinds(found.mapping).text()).expect("the mapping again");
    let model = learned(&template, &found.dataset);
    let query = model.queries[0].clone();
    let mut expected = expected(&model, &found.dataset, &query);
    assert_eq!(expected.len(), 1199);
    let customers: Vec<String> = expected.keys().take(customers).map(|key| key[0].clone()).collect();
    expected.retain(|key, _| customers.contains(&key[0]));
    let tables = [
        (
            "customer",
            "customer_id bigint PRIMARY KEY, name text, city text, age integer, as_of date, churned text",
        ),
        (
            "product",
            "product_id text PRIMARY KEY, name text, brand text, category text, price double precision",
        ),
        (
            "orders",
            "order_id bigint PRIMARY KEY, customer_id bigint, product_id text, date date, pieces integer, returned text",
        ),
    ];
    let script = shop_tables(&tables, &customers);
    for (_, dialect) in Dialect::NAMES {
        let options = SqlOptions { dialect, atom: None, view: None };
        let sql = sql_of(&model, Some(&mapping), options).unwrap_or_else(|error| panic!("{error}"));
        let folder = scratch(&format!("sql_{name}_{}", format!("{dialect:?}").to_lowercase()));
        if let Some(rows) = run(dialect, &folder, &(script.clone() + &sql.setting), &sql.statement) {
            compare(name, dialect, &expected, rows);
        }
    }
}

#[test]
fn the_shop_where_its_tables_are() {
    let read = |file: &str| std::fs::read_to_string(shop().join(file)).expect("a file");
    check_shop("shop", &read("shop.tables"), &read("template.lrnn"), 1199);
}

#[test]
fn an_inferred_template_where_its_tables_are() {
    let location = shop().join("tables").display().to_string();
    let source = lrnn_tables::source::open(&location, &Default::default()).expect("the tables");
    let found =
        lrnn_tables::infer(&*source, &location, "customer.churned").unwrap_or_else(|error| panic!("{error}"));
    // Its quantities have a thousand weights: a few customers are enough.
    check_shop("inferred", &found.mapping, &found.template, 150);
}

/// Learns from a database that a script makes, and compares the values of the model as SQL.
#[cfg(feature = "sqlite")]
fn check_script(name: &str, script: &str, mapping: &str, template: &str, count: usize) {
    check_dialects(name, script, mapping, template, count, &Dialect::NAMES.map(|(_, dialect)| dialect));
}

#[cfg(feature = "sqlite")]
fn check_dialects(
    name: &str,
    script: &str,
    mapping: &str,
    template: &str,
    count: usize,
    dialects: &[Dialect],
) {
    let _server = server();
    let path = scratch(&format!("sql_{name}")).join("it.sqlite");
    rusqlite::Connection::open(&path).expect("a database").execute_batch(script).expect("tables");
    let mapping = Mapping::parse(name, mapping).unwrap_or_else(|error| panic!("{error}"));
    let mapping = mapping.at(&path.display().to_string(), lrnn_tables::source::SourceOptions::default());
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
    let found = tables.dataset(template.vocabulary.clone(), None).unwrap_or_else(|error| panic!("{error}"));
    let mapping =
        Mapping::parse("kept", &tables.with_kinds(found.mapping).text()).expect("the mapping again");
    let model = learned(&template, &found.dataset);
    let expected = expected(&model, &found.dataset, &model.queries[0]);
    assert_eq!(expected.len(), count);
    for &dialect in dialects {
        let options = SqlOptions { dialect, atom: None, view: None };
        let sql = sql_of(&model, Some(&mapping), options).unwrap_or_else(|error| panic!("{error}"));
        let folder = scratch(&format!("sql_{name}_{}", format!("{dialect:?}").to_lowercase()));
        if let Some(rows) = run(dialect, &folder, &(script.to_owned() + &sql.setting), &sql.statement) {
            compare(name, dialect, &expected, rows);
        }
    }
}

#[cfg(feature = "sqlite")]
#[test]
fn keys_of_several_columns_are_joined() {
    let mapping = ":- example(account.id).\n:- column(account.id, [bank, number]).\n:- column(booking.of, [bank, account]).\n\
                   :- column(booking.by, [bank, clerk]).\n:- column(clerk.id, [bank, no]).\n:- key(booking.of, account.id).\n\
                   :- key(booking.by, clerk.id).\nby(S, C) <- booking(seq: S, by: C).\ngrade(C, G) <- clerk(id: C, grade: G).\n\
                   ? 1 :: closed <- account(closed: yes).\n? 0 :: closed <- account(closed: no).";
    let template =
        "v[C] :: closed :- by(_, C).\nw[G] :: closed :- by(_, C), *grade(C, G). [aggregation = count]";
    check_script("banks", &banks(), mapping, template, 180);
}

#[cfg(feature = "sqlite")]
#[test]
fn tables_are_joined_to_themselves() {
    let mut script =
        "CREATE TABLE person (id INTEGER PRIMARY KEY, chief INTEGER, unit TEXT, as_of DATE, gone TEXT);"
            .to_owned();
    for number in 1..=60 {
        let chief = if number == 1 { "NULL".to_owned() } else { (number / 2).to_string() };
        let (unit, gone, month) = (["a", "b", "c"][number % 3], ["yes", "no"][number % 2], 1 + number % 4);
        let _ = write!(
            script,
            "INSERT INTO person VALUES ({number}, {chief}, '{unit}', '2024-0{month}-01', '{gone}');"
        );
    }
    let mapping = ":- example(person.id).\n:- as_of(person.as_of).\n:- alias(head, person).\n:- alias(under, person).\n\
                   :- key(person.chief, head.id).\n:- key(under.chief, person.id).\nunit(V) <- person(unit: V).\n\
                   head(V) <- head(unit: V).\nunder(P, V) <- under(id: P, unit: V).\n\
                   ? 1 :: left <- person(gone: yes).\n? 0 :: left <- person(gone: no).";
    let template = "u[V] :: left :- unit(V).\nv[V] :: left :- head(V).\n\
                    w[V] :: left :- under(_, V). [aggregation = count]";
    check_script("people", &script, mapping, template, 60);
}

/// Learns from orders whose keys are of one type, where those of customers are of another.
#[cfg(feature = "sqlite")]
fn check_keys(name: &str, [customer, orders]: [&str; 2], count: usize, key: &dyn Fn(usize, bool) -> String) {
    let mut script = format!(
        "CREATE TABLE customer (id {customer}, score TEXT, gone TEXT); CREATE TABLE orders (number INTEGER, customer {orders}, brand TEXT COLLATE NOCASE, pieces);"
    );
    for number in 0..40 {
        let (score, gone) =
            (if number % 7 == 0 { "NA".into() } else { format!("{number}.5") }, ["yes", "no"][number % 2]);
        let _ = write!(script, "INSERT INTO customer VALUES ({}, '{score}', '{gone}');", key(number, true));
        for order in 0..3 {
            let brand = ["a", "A", "a  "][(number + order) % 3];
            let (key, pieces) = (key(number, false), ["1", "1.0", "'1'"][order]);
            let _ = write!(script, "INSERT INTO orders VALUES ({order}, {key}, '{brand}', {pieces});");
        }
    }
    let mapping = ":- example(customer.id).\n:- key(orders.customer, customer.id).\n:- null(customer.score, 'NA').\n\
                   :- type(customer.score, number).\n:- type(orders.pieces, text).\nX :: score <- customer(score: X).\n\
                   brand(N, B) <- orders(number: N, brand: B).\nsmall <- orders(brand: a).\npieces(P) <- orders(pieces: P).\n\
                   ? 1 :: gone <- customer(gone: yes).\n? 0 :: gone <- customer(gone: no).";
    let template = "a :: gone :- score.\nw[B] :: gone :- brand(_, B). [aggregation = count]\nv :: gone :- small.\n\
                    u[P] :: gone :- pieces(P).";
    check_dialects(name, &script, mapping, template, count, &[Dialect::Sqlite]);
}

#[cfg(feature = "sqlite")]
#[test]
fn keys_are_joined_as_names_whatever_their_types() {
    // Two customers have neither a score nor orders. `07` is no 7, and a text is not equal to one in other letters.
    check_keys("text_integer", ["INTEGER PRIMARY KEY", "TEXT"], 38, &|it, is_own| match is_own {
        false if it % 4 == 0 => format!("'0{it}'"),
        false => format!("'{it}'"),
        true => it.to_string(),
    });
    check_keys("nocase", ["TEXT PRIMARY KEY", "TEXT COLLATE NOCASE"], 38, &|it, is_own| match is_own {
        false if it % 4 == 0 => format!("'C{it}'"),
        _ => format!("'c{it}'"),
    });
    check_keys("rtrim", ["TEXT COLLATE RTRIM PRIMARY KEY", "TEXT"], 38, &|it, is_own| match is_own {
        false if it % 4 == 0 => format!("'c{it}  '"),
        _ => format!("'c{it}'"),
    });
    check_keys("untyped", ["TEXT PRIMARY KEY", ""], 40, &|it, is_own| match is_own {
        true => format!("'{it}'"),
        false => format!("{it}.0"),
    });
    check_keys("real", ["REAL PRIMARY KEY", "INTEGER"], 40, &|it, _| it.to_string());
}
