//! Cells that stand for no value, columns that cannot be read, and what examples should not know of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
#[cfg(feature = "sqlite")]
use std::sync::Arc;

use lrnn::vocabulary::Vocabulary;
#[cfg(feature = "sqlite")]
use lrnn_tables::TableStream;
use lrnn_tables::source::{SourceOptions, open};
use lrnn_tables::{Inference, LeakageReport, Mapping, Purpose, TableDataset, Tables, infer};

/// Writes files to a folder of its own.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unknown").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// Infers how to learn a column of some tables.
fn inferred(location: &Path, target: &str) -> Inference {
    let location = location.display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("tables");
    infer(&*source, &location, target).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads tables by a mapping, to look for leaks.
fn read(mapping: &str, folder: &Path) -> (Tables, TableDataset) {
    let mapping = Mapping::parse("m", mapping).unwrap_or_else(|error| panic!("{error}"));
    let tables = Tables::open(mapping, folder, Purpose::Checking).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(Vocabulary::default(), None).unwrap_or_else(|error| panic!("{error}"));
    (tables, data)
}

fn leaks(mapping: &str, folder: &Path) -> LeakageReport {
    let (tables, data) = read(mapping, folder);
    tables.leakage(&data).unwrap_or_else(|error| panic!("{error}"))
}

fn places(report: &LeakageReport) -> Vec<&str> {
    report.leaks.iter().map(|leak| leak.place.as_str()).collect()
}

/// Writes customers as of March, with two orders each before and, where they stay, one after. The last order has another
/// date.
fn shop(name: &str, date: &dyn Fn(u32, u32) -> String, last: &str) -> PathBuf {
    let mut customers = "id,as_of,age,gone\n".to_owned();
    let mut orders = "order,customer,date,stars\n".to_owned();
    for number in 0..40 {
        let is_gone = number % 2 == 0;
        let _ = writeln!(
            customers,
            "c{number},2024-03-01,{},{}",
            20 + number,
            ["no", "yes"][usize::from(is_gone)]
        );
        for month in [1, 2, 5].into_iter().filter(|&month| month < 3 || !is_gone) {
            let _ = writeln!(
                orders,
                "o{number}_{month},c{number},{},{}",
                date(month, number % 28 + 1),
                number % 3
            );
        }
    }
    let _ = writeln!(orders, "last,c0,{last},2");
    folder(name, &[("customer.csv", &customers), ("orders.csv", &orders)])
}

fn iso(month: u32, day: u32) -> String {
    format!("2024-{month:02}-{day:02}")
}

#[test]
fn one_cell_that_is_no_date_does_not_let_the_future_in() {
    for (name, last, named) in [
        ("blank", "\"\"", "a blank"),
        ("na", "NA", "`NA`"),
        ("february", "2024-02-31", "`2024-02-31`"),
        ("seconds", "1706659200", "`1706659200`"),
        ("compact", "20240131", "`20240131`"),
    ] {
        let folder = shop(name, &iso, last);
        let found = inferred(&folder, "customer.gone");
        assert!(found.mapping.contains(":- time(orders.date)."), "{}", found.mapping);
        let expected = format!("orders.date: 1 cell is no date, and taken as unknown: {named} (row 101)");
        assert_eq!(found.warnings, [expected]);
        let (tables, data) = read(&found.mapping, &folder);
        let rows = |line: &&lrnn_tables::LinePreview| line.line.starts_with("orders(R)");
        let counts = &data.preview.lines.iter().find(rows).expect("a line of orders").counts;
        assert_eq!((counts.facts, counts.late), (80, 21), "later rows, and the one without a date");
        let report = tables.leakage(&data).expect("a report");
        assert!(report.leaks.is_empty(), "{report:?}");
    }
}

#[test]
fn dates_that_cannot_be_read_are_told() {
    let german = shop("german", &|month, day| format!("{day}.{month}.2024"), "n/a");
    let found = inferred(&german, "customer.gone");
    assert!(found.mapping.contains(":- type(orders.date, date, 'DD.MM.YYYY')."), "{}", found.mapping);
    assert!(
        found.mapping.contains(":- null(orders.date, 'n/a').")
            && found.mapping.contains(":- time(orders.date).")
    );
    assert!(leaks(&found.mapping, &german).leaks.is_empty());
    let whole = shop("whole", &|month, day| format!("2024{month:02}{day:02}"), "20240101");
    let found = inferred(&whole, "customer.gone");
    assert!(found.mapping.contains(":- type(orders.date, date, 'YYYYMMDD')."), "{}", found.mapping);
    assert!(found.warnings.is_empty() && leaks(&found.mapping, &whole).leaks.is_empty());
    let seconds = shop(
        "all_seconds",
        &|month, day| (1_700_000_000 + month * 2_600_000 + day).to_string(),
        "1700000000",
    );
    let found = inferred(&seconds, "customer.gone");
    assert!(found.warnings[0].starts_with("orders: no column of dates can be read"), "{:?}", found.warnings);
    assert_eq!(places(&leaks(&found.mapping, &seconds))[0], "orders.date");
    let half = shop("half", &|month, day| if month == 1 { "soon".into() } else { iso(month, day) }, "later");
    let found = inferred(&half, "customer.gone");
    assert!(found.warnings[0].contains("`date` has `soon` in row 1"), "{:?}", found.warnings);
    let report = leaks(&found.mapping, &half);
    assert_eq!(report.leaks[0].place, "orders.date");
    assert!(report.leaks[0].message.starts_with("60 of 101 cells are dates"), "{report:?}");
}

#[test]
fn rows_of_the_future_are_found_whatever_is_read_of_them() {
    let folder = shop("unread", &iso, "2024-01-05");
    let mapping = ":- source('.').\n:- example(customer.id).\n:- as_of(customer.as_of).\n\
        :- key(orders.customer, customer.id).\norders(O) <- orders(order: O).\nstars(O, S) <- orders(order: O, stars: S).\n\
        ? 1 :: gone <- customer(gone: yes).\n? 0 :: gone <- customer(gone: no).";
    let report = leaks(mapping, &folder);
    assert_eq!(report.leaks[0].place, "orders.date");
    assert!(report.leaks[0].message.starts_with("20 rows have no date up to the moment"), "{report:?}");
    let timed = mapping.replace(":- key", ":- time(orders.date).\n:- key");
    assert!(leaks(&timed, &folder).leaks.is_empty());
    let undated = mapping.replace(":- as_of(customer.as_of).\n", "");
    assert_eq!(
        leaks(&undated, &folder).leaks[0].message,
        "rows have dates, but nothing says what an example is as of"
    );
}

#[test]
fn a_column_of_numbers_but_for_few_cells_is_one_of_numbers() {
    let mut text = "id,income,code,label\n".to_owned();
    for number in 0..100 {
        let income = match number {
            33 => "1O00".to_owned(),
            _ if number % 10 == 0 => "NA".to_owned(),
            _ => format!("{}", 900 + number * 7),
        };
        let code = if number % 5 == 0 { "007".to_owned() } else { (number % 25).to_string() };
        let _ = writeln!(text, "{number},{income},{code},{}", ["a", "b"][number % 2]);
    }
    let folder = folder("numbers", &[("t.csv", &text)]);
    let found = inferred(&folder, "t.label");
    assert!(found.mapping.contains("X :: t_income <- t(income: X)."), "{}", found.mapping);
    assert_eq!(
        found.warnings,
        ["t.income: 11 cells are no numbers, and taken as unknown: `1O00` (row 34), `NA` (row 1 and 9 more)"],
        "codes with idle zeros are names"
    );
    let (_, data) = read(&found.mapping, &folder);
    let income = data.preview.lines.iter().find(|it| it.line.contains("t_income")).expect("a line");
    assert_eq!((income.counts.facts, income.counts.nulls), (89, 11));
}

#[test]
fn ids_of_more_than_64_bits_stay_apart() {
    let ids = ["9223372036854775808", "9223372036854775809", "18446744073709551616"];
    let rows: String = ids.iter().enumerate().map(|(row, id)| format!("{row},{id}\n")).collect();
    let folder = folder("ids", &[("t.csv", &format!("row,id\n{rows}"))]);
    let (_, data) = read(":- source('.').\nid(I) <- t(id: I).", &folder);
    assert_eq!(data.preview.predicates[0].facts, 3);
    let fact = data.preview.lines[0].first.clone();
    assert_eq!(fact.as_deref(), Some("id('9223372036854775808')"));
}

#[test]
fn cells_that_stand_for_no_value_are_read_as_such() {
    let folder = folder("null", &[("t.csv", "id,x,d\na,-999,NA\nb,2,2024-01-31\nc,n/a,\n")]);
    let mapping = ":- source('.').\n:- null(t.x, [-999, 'n/a']).\n:- null(t.d, 'NA').\n\
                   X :: x(I) <- t(id: I, x: X), X > 0.\nd(I, D) <- t(id: I, d: D), D > '2024-01-01'.";
    let (_, data) = read(mapping, &folder);
    let counts: Vec<_> = data.preview.lines.iter().map(|it| (it.counts.facts, it.counts.nulls)).collect();
    assert_eq!(counts, [(1, 2), (1, 2)]);
    let wrong = mapping.replace("null(t.d", "null(t.e");
    let mapping = Mapping::parse("m", &wrong).expect("a mapping");
    let error = Tables::open(mapping, &folder, Purpose::Learning).expect_err("no column").to_string();
    assert!(error.contains("has no column `e`"), "{error}");
}

/// Measures what a column tells of a target of the same table.
fn measured(name: &str, queries: &str, row: &dyn Fn(usize) -> (String, String)) -> LeakageReport {
    let mut text = "id,x,noise,y\n".to_owned();
    for number in 0..90 {
        let (x, y) = row(number);
        let _ = writeln!(text, "{number},{x},{},{y}", number * 37 % 11);
    }
    let folder = folder(name, &[("t.csv", &text)]);
    let mapping = format!(
        ":- source('.').\n:- example(t.id).\nX :: x <- t(x: X).\nkind(X) <- t(x: X).\nN :: noise <- t(noise: N).\n{queries}"
    );
    leaks(&mapping, &folder)
}

#[test]
fn columns_that_tell_one_of_several_classes_or_a_number_are_found() {
    let class = |number: usize| ["a", "b", "c"][number % 3].to_owned();
    let queries: String = ["a", "b", "c"]
        .iter()
        .map(|it| format!("? 1 :: is({it}) <- t(y: {it}).\n? 0 :: is({it}) <- t(y: Y), Y != {it}.\n"))
        .collect();
    let report = measured("classes", &queries, &|number| ((number % 3 * 10).to_string(), class(number)));
    assert_eq!(
        (places(&report), report.unmeasured.clone()),
        (vec!["the mean value of x/0", "term 1 of kind/1"], None)
    );
    assert!(report.leaks[1].message.contains("whether `is(a)` of 90 of 90"), "{report:?}");
    let honest = measured("honest", &queries, &|number| ((number * 31 % 7).to_string(), class(number)));
    assert!(honest.leaks.is_empty() && honest.unmeasured.is_none(), "{honest:?}");
    let number =
        |number: usize| ((number * 17 % 9).to_string(), (number * 17 % 9 * 100 + number % 3).to_string());
    let report = measured("number", "? Y :: y <- t(y: Y).", &number);
    assert_eq!(places(&report), ["the mean value of x/0", "term 1 of kind/1"]);
    let honest = measured("honest_number", "? Y :: y <- t(y: Y).", &|it| {
        ((it % 7).to_string(), (it * it % 83).to_string())
    });
    assert!(honest.leaks.is_empty() && honest.unmeasured.is_none(), "{honest:?}");
    let base = folder("base", &[("t.csv", "a,b\n1,2\n2,3\n")]);
    let report = leaks(":- source('.').\np(A, B) <- t(a: A, b: B).\n? 1 :: q(A) <- t(a: A).", &base);
    assert!(report.unmeasured.is_some_and(|why| why.contains("one knowledge base")));
}

#[test]
fn rows_that_refer_to_nothing_are_told() {
    let files =
        [("customer.csv", "id,gone\na,yes\nb,no\n"), ("orders.csv", "n,customer\n1,a\n2,x\n3,\n4,y\n")];
    let folder = folder("dangling", &files);
    let mapping = ":- source('.').\n:- example(customer.id).\n:- key(orders.customer, customer.id).\norders(O) <- orders(n: O).\n\
                   ? 1 :: gone <- customer(gone: yes).\n? 0 :: gone <- customer(gone: no).";
    let notes = |purpose| {
        let mapping = Mapping::parse("m", mapping).expect("a mapping");
        let data =
            Tables::open(mapping, &folder, purpose).expect("tables").dataset(Vocabulary::default(), None);
        let notes = data.expect("data").dataset.notes;
        notes.into_iter().map(|note| format!("{} {}", note.code, note.message)).collect::<Vec<_>>()
    };
    let expected = "W0404 2 of 4 rows of `orders` refer by `customer` to no row of `customer`, and join nothing: \
                    `x` in row 2 is the first";
    assert_eq!(notes(Purpose::Learning), [expected]);
    assert!(notes(Purpose::Prediction).is_empty());
}

#[test]
fn a_few_rows_that_refer_to_nothing_do_not_hide_a_table() {
    let written = |name: &str, lost: usize| {
        let mut customers = "id,gone\n".to_owned();
        let mut orders = "order,customer_id,stars\n".to_owned();
        for number in 0..40 {
            let _ = writeln!(customers, "{number},{}", ["no", "yes"][number % 2]);
            let customer = if number < lost { 999 } else { number };
            let _ = writeln!(orders, "o{number},{customer},{}", number % 5 + 1);
        }
        let folder = folder(name, &[("customers.csv", &customers), ("orders.csv", &orders)]);
        inferred(&folder, "customers.gone")
    };
    let found = written("some_lost", 3);
    assert!(found.mapping.contains(":- key(orders.customer_id, customers.id)."), "{}", found.mapping);
    assert!(found.template.contains("orders"), "{}", found.template);
    // Half of them are another thing that is called so.
    let found = written("many_lost", 20);
    assert!(!found.mapping.contains(":- key("), "{}", found.mapping);
}

#[test]
fn dates_of_an_example_that_were_known_are_quantities() {
    let mut text = "id,as_of,born,closed,spent,gone\n".to_owned();
    for number in 0..60 {
        let (born, closed) = (1950 + number, if number == 8 { "2024-05-01" } else { "2023-01-01" });
        let gone = ["no", "yes"][number % 2];
        let _ = writeln!(text, "{number},2024-03-01,{born}-06-01,{closed},{}.5,{gone}", number * 7 % 31);
    }
    let folder = folder("own_dates", &[("t.csv", &text)]);
    let found = inferred(&folder, "t.gone");
    assert!(found.mapping.contains("days(as_of - D) :: t_born_days <- t(born: D)."), "{}", found.mapping);
    assert!(
        found.template.contains("<1> :: quantity(t_born_days, all) :- t_born_days."),
        "{}",
        found.template
    );
    let left = "t.closed: a date, in 1 rows later than they are as of: it was not known then";
    assert!(found.left_out.contains(&left.to_owned()), "{:?}", found.left_out);
    let found = inferred(&folder, "t.spent");
    assert!(
        found.mapping.contains("scale(days(as_of - D)) :: t_born_days_value <- t(born: D)."),
        "{}",
        found.mapping
    );
    let (_, data) = read(&found.mapping, &folder);
    assert_eq!(data.dataset.examples.len(), 60);
}

#[test]
fn files_that_spreadsheets_and_systems_leave_are_read_as_they_are_meant() {
    let files = [("t.csv", "sep=;\nid; x ;y\na;1;nan\nb;2;3\n"), ("._t.csv", "\0\u{5}"), (".t.csv.swp", "x")];
    let folder = folder("left", &files);
    let (_, data) = read(":- source('.').\nX :: x(I) <- t(id: I, x: X).", &folder);
    assert_eq!(data.preview.lines[0].counts.facts, 2);
    let mapping = Mapping::parse("m", ":- source('.').\nY :: y(I) <- t(id: I, y: Y).").expect("a mapping");
    let tables = Tables::open(mapping, &folder, Purpose::Learning).expect("tables");
    let error = tables.dataset(Vocabulary::default(), None).expect_err("no number").to_string();
    assert!(error.contains("`nan` is not a number") && error.contains("t.csv:3:5"), "{error}");
}

#[test]
fn no_examples_are_told_as_such() {
    let folder = folder("none", &[("t.csv", "id,y\n")]);
    let mapping = ":- source('.').\n:- example(t.id).\np(I) <- t(id: I).\n? Y :: y <- t(y: Y).";
    for purpose in [Purpose::Learning, Purpose::Prediction] {
        let mapping = Mapping::parse("m", mapping).expect("a mapping");
        let tables = Tables::open(mapping, &folder, purpose).expect("tables");
        let error = tables.dataset(Vocabulary::default(), None).expect_err("no examples").to_string();
        assert!(error.contains("the table `t` has no rows, so there are no examples"), "{error}");
    }
}

#[cfg(feature = "sqlite")]
#[test]
fn rows_that_refer_to_nothing_are_told_where_tables_are_read_in_groups() {
    let path = folder("dangling_groups", &[]).join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let sql = "CREATE TABLE customer (id TEXT PRIMARY KEY, gone TEXT); INSERT INTO customer VALUES ('a', 'yes'), ('b', 'no');
        CREATE TABLE orders (n INTEGER, customer TEXT); INSERT INTO orders VALUES (1, 'a'), (2, 'x');";
    connection.execute_batch(sql).expect("tables");
    let mapping = ":- source('it.sqlite').\n:- example(customer.id).\n:- key(orders.customer, customer.id).\n\
                   orders(O) <- orders(n: O).\n? 1 :: gone <- customer(gone: yes).\n? 0 :: gone <- customer(gone: no).";
    let mapping = Mapping::parse("m", mapping).expect("a mapping");
    let stream =
        TableStream::open(mapping, path.parent().expect("a folder"), Purpose::Learning).expect("tables");
    let data = Arc::new(stream).dataset(Vocabulary::default()).expect("data");
    let codes: Vec<&str> = data.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["W0404"], "{:?}", data.notes);
}

#[cfg(feature = "sqlite")]
#[test]
fn bytes_generated_columns_and_names_with_dots_do_not_stop_what_is_inferred() {
    let path = folder("bytes", &[]).join("it.sqlite");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let mut sql = "CREATE TABLE \"my.table\" (id INTEGER PRIMARY KEY, photo BLOB, net REAL,
            gross REAL AS (net * 1.2), tax REAL AS (net * 0.2) STORED, pay REAL, label TEXT);"
        .to_owned();
    for number in 0..40 {
        let pay = if number == 7 { "'none'".to_owned() } else { format!("{number}.5") };
        let label = ["no", "yes"][number % 2];
        let _ = write!(
            sql,
            "INSERT INTO \"my.table\" (photo, net, pay, label) VALUES (x'00ff', {number}, {pay}, '{label}');"
        );
    }
    connection.execute_batch(&sql).expect("tables");
    let found = inferred(&path, "my.table.label");
    assert!(
        found.left_out.contains(&"my.table.photo: it has bytes (BLOB)".to_owned()),
        "{:?}",
        found.left_out
    );
    for line in ["'my.table'(gross: X)", "'my.table'(tax: X)", ":- type('my.table'.pay, number)."] {
        assert!(found.mapping.contains(line), "{}", found.mapping);
    }
    let (_, data) = read(&found.mapping, Path::new(""));
    assert_eq!(data.dataset.examples.len(), 40);
    let location = path.display().to_string();
    let source = open(&location, &SourceOptions::default()).expect("tables");
    let error = infer(&*source, &location, "my.table.lable").expect_err("a mistake").to_string();
    assert!(error.contains("did you mean `label`?"), "{error}");
}
