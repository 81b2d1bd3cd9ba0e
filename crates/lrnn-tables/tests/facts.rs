//! Facts from tables: what a mapping makes of them, the same from every source, and what it refuses.

use std::path::{Path, PathBuf};

use lrnn::vocabulary::{Constant, Vocabulary};
use lrnn::{Dataset, Error};
use lrnn_tables::{Mapping, Purpose, TableDataset, Tables};

const MOLECULES: &str = "molecule_id,label,logp\nd1,pos,1.5\nd2,neg,\n007,pos,3\n";
const ATOMS: &str =
    "atom_id,molecule_id,element,charge\n1,d1,c,0.1\n2,d1,o,-0.3\n3,d2,c,\n4,d9,c,0.2\n5,007,n,0.4\n";
const KEYS: &str = ":- source('.').\n:- example(molecule.molecule_id).\n:- key(atom.molecule_id, molecule.molecule_id).\n\
                    :- type(atom.atom_id, text).\n";

/// Writes files to a folder of its own.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

fn read(folder: &Path, mapping: &str, purpose: Purpose) -> Result<TableDataset, Error> {
    let mapping = Mapping::parse("m.tables", mapping)?;
    Tables::open(mapping, folder, purpose)?.dataset(Vocabulary::default(), None)
}

/// Returns the facts and queries of each example as text.
fn text(dataset: &Dataset) -> Vec<String> {
    let vocabulary = &dataset.vocabulary;
    let example = |number: usize| {
        let mut all = Vec::new();
        for table in &dataset.examples[number].tables {
            for row in 0..table.rows as usize {
                let value: Vec<String> =
                    table.value(row).iter().map(|&it| Constant::number(it).to_string()).collect();
                let value = if value == ["1"] { String::new() } else { format!("{} ", value.join(" ")) };
                all.push(value + &vocabulary.atom_text(table.predicate, table.row(row)));
            }
        }
        for query in &dataset.queries[number] {
            let target = query.target.as_ref().map_or("?".to_owned(), |target| target[0].to_string());
            all.push(format!("? {target} {}", vocabulary.atom_text(query.predicate, &query.terms)));
        }
        format!("{}: {}", dataset.example_name(number), all.join(", "))
    };
    (0..dataset.examples.len()).map(example).collect()
}

fn check(name: &str, files: &[(&str, &str)], mapping: &str, expected: &[&str]) -> TableDataset {
    let found =
        read(&folder(name, files), mapping, Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text(&found.dataset), expected);
    found
}

/// Reads what is wrong and compares the codes and places of its messages.
fn refuse(name: &str, files: &[(&str, &str)], mapping: &str, expected: &[(&str, &str)]) -> String {
    let error = read(&folder(name, files), mapping, Purpose::Learning).expect_err("a mistake");
    let place = |it: &lrnn::diagnostic::Diagnostic| {
        let place = error.sources().place(it.span());
        (it.code, place.rsplit('/').next().unwrap_or("").to_owned())
    };
    let found: Vec<_> = error.diagnostics().iter().map(place).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(code, place)| (*code, place.as_str())).collect();
    assert_eq!(found, expected, "{error}");
    error.to_string()
}

#[test]
fn rows_become_facts_of_their_examples() {
    let mapping = format!(
        "{KEYS}element(A, E) <- atom(atom_id: A, element: E).\nC :: charge(A) <- atom(atom_id: A, charge: C), C > 0.\n\
         ? 1 :: mutagenic <- molecule(label: pos).\n? 0 :: mutagenic <- molecule(label: neg)."
    );
    let files = [("molecule.csv", MOLECULES), ("atom.csv", ATOMS)];
    let found = check(
        "rows",
        &files,
        &mapping,
        &[
            "d1: element('1', c), element('2', o), 0.1 charge('1'), ? 1 mutagenic",
            "d2: element('3', c), ? 0 mutagenic",
            "007: element('5', n), 0.4 charge('5'), ? 1 mutagenic",
        ],
    );
    let counts = &found.preview.lines[1].counts;
    assert_eq!((counts.rows, counts.facts, counts.filtered, counts.nulls, counts.outside), (5, 2, 1, 1, 1));
    assert_eq!(found.preview.lines[1].first.as_deref(), Some("0.1 :: charge('1')"));
}

#[test]
fn a_knowledge_base_has_one_example() {
    let mapping = ":- source('.').\nadvised(P, S) <- adv(p: P, s: S).\n[X, 2] :: at(P) <- adv(p: P, x: X).\n? advises(P, S) <- adv(p: P, s: S), P != S.";
    let csv = "p,s,x\n9223372036854775807,Ann,1\n12,12,2.5\n";
    check(
        "base",
        &[("adv.csv", csv)],
        mapping,
        &[
            "0: advised(9223372036854775807, 'Ann'), advised(12, '12'), 1 2 at(9223372036854775807), 2.5 2 at(12), \
         ? ? advises(9223372036854775807, 'Ann'), ? ? advises(12, '12')",
        ],
    );
}

#[test]
fn what_is_learned_is_learned_from_training_rows() {
    let mapping =
        format!("{KEYS}scale(L) :: logp <- molecule(logp: L).\nlevel(bins(C, 2)) <- atom(charge: C).");
    let folder = folder("fit", &[("molecule.csv", MOLECULES), ("atom.csv", ATOMS)]);
    let mapping = Mapping::parse("m", &mapping).expect("a mapping");
    assert!(mapping.is_open());
    let tables = Tables::open(mapping, &folder, Purpose::Learning).expect("tables");
    let of = |training: &[usize]| tables.dataset(Vocabulary::default(), Some(training)).expect("data");
    let found = of(&[0]);
    assert_eq!(text(&found.dataset), ["d1: 0 logp, level(2), level(1)", "d2: ", "007: 1.5 logp, level(2)"]);
    let note = tables.with_kinds(found.mapping).text();
    assert!(note.contains("scale(L, 1.5, 1)") && note.contains("bins(C, 2, [-0.3])"), "{note}");
    assert!(note.contains(":- type(atom.charge, number)."), "{note}");
    let again = read(&folder, &note, Purpose::Prediction).expect("the note is a mapping");
    assert_eq!(text(&again.dataset), text(&found.dataset));
    assert_ne!(text(&of(&[0, 2]).dataset), text(&found.dataset));
    // A fold may use a bin that is empty for all rows together: its number is known all the same.
    assert!((1..=2).all(|bin| found.dataset.vocabulary.find_constant(&Constant::Integer(bin)).is_some()));
}

#[test]
fn later_rows_do_not_exist() {
    let customers = "id,as_of,churned\na,2024-03-01,yes\nb,2024-02-01,no\n";
    let orders = "order,customer,product,date\n1,a,x,2024-02-28\n2,a,y,2024-03-02\n3,b,y,2024-02-01\n4,b,x,\n5,a,x,2024-03-01\n";
    let products = "product,price\nx,5\ny,7\nz,9\n";
    let mapping = ":- source('.').\n:- example(customer.id).\n:- as_of(customer.as_of).\n:- time(orders.date).\n\
        :- key(orders.customer, customer.id).\n:- key(orders.product, product.product).\n:- type(orders.order, text).\n\
        days(as_of - D) :: age(O) <- orders(order: O, date: D).\nP :: price(X) <- product(product: X, price: P).\n\
        new(O) <- orders(order: O, date: D), days(as_of - D) < 1.\n\
        ? 1 :: churn <- customer(churned: yes).\n? 0 :: churn <- customer(churned: no).";
    let files = [("customer.csv", customers), ("orders.csv", orders), ("product.csv", products)];
    let found = check(
        "time",
        &files,
        mapping,
        &[
            "a: 2 age('1'), 0 age('5'), 5 price(x), new('5'), ? 1 churn",
            "b: 0 age('3'), 7 price(y), new('3'), ? 0 churn",
        ],
    );
    assert_eq!(found.preview.lines[0].counts.late, 1);
    assert_eq!(found.preview.lines[1].counts.outside, 1);
}

#[test]
fn rows_without_a_label_are_no_examples_but_can_be_asked() {
    let files = [("t.csv", "id,y,x\na,1,5\nb,,6\n")];
    let mapping = ":- source('.').\n:- example(t.id).\nX :: p <- t(x: X).\n? Y :: q <- t(y: Y).";
    let found = check("unlabelled", &files, mapping, &["a: 5 p, ? 1 q"]);
    assert_eq!(found.preview.unlabelled, 1);
    let asked = read(&folder("unlabelled2", &files), mapping, Purpose::Prediction).expect("data");
    assert_eq!(text(&asked.dataset), ["a: 5 p, ? 1 q", "b: 6 p, ? ? q"]);
    let classes = ":- source('.').\n:- example(t.id).\nX :: p <- t(x: X).\n? 1 :: q(r) <- t(y: r).\n? 0 :: q(r) <- t(y: V), V != r.\n\
                   ? 1 :: q(s) <- t(y: s).\n? 0 :: q(s) <- t(y: V), V != s.";
    let asked =
        read(&folder("unlabelled4", &[("t.csv", "id,y,x\na,r,5\nb,,6\n")]), classes, Purpose::Prediction);
    let asked = text(&asked.expect("data").dataset);
    assert_eq!(asked, ["a: 5 p, ? 1 q(r), ? 0 q(s)", "b: 6 p, ? ? q(r), ? ? q(s)"]);
    let without = read(&folder("unlabelled3", &[("t.csv", "id,x\nb,6\n")]), mapping, Purpose::Prediction);
    assert_eq!(text(&without.expect("data").dataset), ["b: 6 p, ? ? q"]);
}

#[test]
fn mistakes_have_places() {
    let files = [("molecule.csv", MOLECULES), ("atom.csv", ATOMS)];
    let refuse = |name: &str, lines: &str, expected: &[(&str, &str)]| {
        refuse(name, &files, &format!("{KEYS}{lines}"), expected)
    };
    refuse("no_table", "p(A) <- atoms(atom_id: A).", &[("D0403", "m.tables:5:9")]);
    refuse("no_column", "p(A) <- atom(atomid: A).", &[("D0404", "m.tables:5:14")]);
    refuse("unbound", "p(A, B) <- atom(atom_id: A).", &[("D0405", "m.tables:5:6")]);
    refuse(
        "no_number",
        "C :: p(A) <- atom(atom_id: A, element: C).",
        &[
            ("D0407", "atom.csv:2:6"),
            ("D0407", "atom.csv:3:6"),
            ("D0407", "atom.csv:4:6"),
            ("D0407", "atom.csv:6:7"),
        ],
    );
    let said = refuse(
        "label",
        "? 1 :: q <- molecule(label: pos).\n? 0 :: q <- molecule(label: nag).",
        &[("D0408", "m.tables:5:29")],
    );
    assert!(said.contains("`neg` (1)") && said.contains("did you mean `nag`?"), "{said}");
    refuse(
        "syntax",
        "p(A) :- atom(A).\nq(A) <- atom(A).\nr(foo(A)) <- atom(atom_id: A).\n:- tim(a.b).",
        &[
            ("D0401", "m.tables:5:6"),
            ("D0401", "m.tables:6:15"),
            ("D0401", "m.tables:7:3"),
            ("D0402", "m.tables:8:4"),
        ],
    );
    refuse("twice", "C :: p(M) <- atom(molecule_id: M, charge: C).", &[("D0111", "atom.csv:3:3")]);
}

#[test]
fn numbers_that_do_not_fit_and_dates_that_are_none_are_refused() {
    let mapping = ":- source('.').\n:- type(t.d, date).\nX :: p(D) <- t(x: X, d: D).";
    refuse(
        "large",
        &[("t.csv", "x,d\n1e400,2024-01-01\n1,2024-02-30\n")],
        mapping,
        &[("D0407", "t.csv:2:1"), ("D0407", "t.csv:3:3")],
    );
    let mapping = ":- source('.').\n:- example(t.id).\n? X :: p <- t(x: X).";
    refuse("same_key", &[("t.csv", "id,x\n1,1\n1,0\n")], mapping, &[("D0407", "t.csv:3:1")]);
}

/// Everything that CSV can do to a reader: each fact is right, or refused with its line and column.
#[test]
fn hostile_csv_makes_right_facts_or_none() {
    let mapping = ":- source('.').\n:- type(t.id, text).\np(I, A, B) <- t(id: I, 'A1': A, a1: B).";
    let long = "x".repeat(1 << 20);
    let text = format!(
        "\u{feff}id,A1,a1\r\n007,\"two\nlines\",\"a \"\"quote\"\"\"\r\n\r\n7,,y\r\n07,\"\",NULL\r\n+7,{long},ü\r\n"
    );
    let files = [("t.csv", text.as_str())];
    let found = read(&folder("hostile", &files), mapping, Purpose::Learning)
        .unwrap_or_else(|error| panic!("{error}"));
    let expected =
        format!("0: p('007', 'two\\nlines', 'a \"quote\"'), p('07', '', 'NULL'), p('+7', {long}, ü)");
    assert_eq!(text_of_all(&found), expected);
    let line = &found.preview.lines[0];
    assert_eq!((line.counts.rows, line.counts.facts, line.counts.nulls), (4, 3, 1));
    assert_eq!(found.preview.blank_lines, [("t".to_owned(), 1)]);
    for (name, csv, place) in [
        ("nul", "id,A1,a1\n1,x\0,y\n", ("D0305", "t.csv:2:4")),
        ("open_quote", "id,A1,a1\n1,\"x,y\n", ("D0306", "t.csv:2:3")),
        ("short_row", "id,A1,a1\n1,x,y\n2,x\n", ("D0303", "t.csv:3:1")),
        ("quote_inside", "id,A1,a1\n1,5\" pipe,y\n", ("D0305", "t.csv:2:4")),
    ] {
        let error =
            read(&folder(name, &[("t.csv", csv)]), mapping, Purpose::Learning).expect_err("a mistake");
        let first = &error.diagnostics()[0];
        let at = error.sources().place(first.span());
        assert_eq!((first.code, at.rsplit('/').next().unwrap_or("")), place, "{error}");
    }
    let value = ":- source('.').\nX :: v(I) <- t(id: I, x: X).";
    refuse("large_value", &[("t.csv", "id,x\na,1\nb,1e400\n")], value, &[("D0407", "t.csv:3:3")]);
}

/// Writes bytes as a CSV file, and returns the facts of its rows, or the code and place of what is wrong with it.
fn facts_of(name: &str, bytes: &[u8], options: &str) -> Result<String, (&'static str, String)> {
    let folder = folder(name, &[]);
    std::fs::write(folder.join("t.csv"), bytes).expect("a file");
    let mapping = format!(":- source('t.csv'{options}).\np(A, B) <- t(a: A, b: B).");
    match read(&folder, &mapping, Purpose::Learning) {
        Ok(found) => Ok(text_of_all(&found)),
        Err(error) => {
            let first = &error.diagnostics()[0];
            let place = error.sources().place(first.span());
            Err((first.code, place.rsplit('/').next().unwrap_or("").to_owned()))
        }
    }
}

#[test]
fn hostile_cells_one_by_one() {
    // What stands in two cells of one row, and the fact that it makes.
    let rows: &[(&str, &[u8], &str)] = &[
        ("line_end", b"\"x\ny\",\"\r\n\"", "p('x\\ny', '\\r\\n')"),
        ("quotes", b"\"\"\"\",\"a \"\"b\"\"\"", "p('\"', 'a \"b\"')"),
        ("quoted_separator", b"\",\",\",,\"", "p(',', ',,')"),
        ("blanks", b" x , ", "p(' x ', ' ')"),
        ("zeros", b"007,00", "p('007', '00')"),
        ("plus", b"+1,.5", "p('+1', '.5')"),
        ("hex", b"0x1F,1_000", "p('0x1F', '1_000')"),
        ("words", b"NULL,NaN", "p('NULL', 'NaN')"),
        ("inf", b"inf,-Infinity", "p(inf, '-Infinity')"),
        (
            "large",
            b"9223372036854775807,-9223372036854775808",
            "p(9223372036854775807, -9223372036854775808)",
        ),
        ("escapes", b"\\,\\n", "p('\\\\', '\\\\n')"),
        ("apostrophe", b"O'Neil,''", "p('O\\'Neil', '\\'\\'')"),
        ("formula", b"=1+1,@x", "p('=1+1', '@x')"),
        ("variable", b"X,_", "p('X', '_')"),
        ("wide", "日本,\u{1f600}".as_bytes(), "p(日本, '\u{1f600}')"),
        ("empty_text", b"\"\",\"\"", "p('', '')"),
    ];
    for (name, row, fact) in rows {
        let expected = Ok(format!("0: {fact}"));
        for (ending, bytes) in [
            ("plain", [b"a,b\n", *row, b"\n"].concat()),
            ("last", [b"a,b\n", *row].concat()),
            ("mark", [b"\xef\xbb\xbfa,b\r\n", *row, b"\r\n"].concat()),
            ("blank", [b"a,b\n\n\n", *row, b"\n\n"].concat()),
            ("header", [b"\"a\",\"b\"\n", *row, b"\n"].concat()),
        ] {
            assert_eq!(facts_of(&format!("cell_{name}_{ending}"), &bytes, ""), expected, "{name}, {ending}");
        }
    }
    // Each cell is NULL or too large for a number: no fact, or a name as written.
    assert_eq!(facts_of("cell_null", b"a,b\n,x\nx,\n,\n", ""), Ok("0: ".to_owned()));
    assert_eq!(
        facts_of("cell_beyond", b"a,b\nx,9223372036854775808\ny,z\n", ""),
        Ok("0: p(x, '9223372036854775808'), p(y, z)".to_owned())
    );
}

#[test]
fn hostile_files_one_by_one() {
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect()
    };
    let right = Ok("0: p('M\u{fc}ller', x)".to_owned());
    let text = "a,b\nM\u{fc}ller,x\n";
    assert_eq!(facts_of("file_utf8", text.as_bytes(), ""), right);
    assert_eq!(facts_of("file_utf16_le", &utf16(text, u16::to_le_bytes), ""), right);
    assert_eq!(facts_of("file_utf16_be", &utf16(text, u16::to_be_bytes), ""), right);
    assert_eq!(facts_of("file_latin", b"a,b\nM\xfcller,x\n", ", encoding: latin-1"), right);
    assert_eq!(facts_of("file_semicolon", "a;b\nM\u{fc}ller;x\n".as_bytes(), ""), right);
    assert_eq!(facts_of("file_pipe", "a|b\nM\u{fc}ller|x\n".as_bytes(), ", separator: '|'"), right);
    assert_eq!(facts_of("file_mac", "a,b\rM\u{fc}ller,x\r".as_bytes(), ""), right);
    let wrong: &[(&str, &[u8], &str, &str)] = &[
        ("empty", b"", "D0302", "t.csv:1:1"),
        ("latin_unsaid", b"a,b\nx,y\nM\xfcller,x\n", "D0301", "t.csv:3:2"),
        ("twice", b"a,b,a\n1,2,3\n", "D0304", "t.csv:1:5"),
        ("nul", b"a,b\nx,y\0z\n", "D0305", "t.csv:2:4"),
        ("nul_quoted", b"a,b\nx,\"y\0z\"\n", "D0305", "t.csv:2:5"),
        ("short", b"a,b\nx,y\nz\n", "D0303", "t.csv:3:1"),
        ("long", b"a,b\nx,y,z\n", "D0303", "t.csv:2:5"),
        ("open", b"a,b\nx,\"y\n", "D0306", "t.csv:2:3"),
        ("behind", b"a,b\n\"x\"y,z\n", "D0306", "t.csv:2:4"),
        ("inside", b"a,b\nx,5\" pipe\n", "D0305", "t.csv:2:4"),
        ("return", b"a,b\nx\ry,z\n", "D0305", "t.csv:2:2"),
        ("half", b"\xff\xfea\0,\0b\0\n\0x", "D0301", "t.csv:2:1"),
        ("no_mark", b"a\0,\0b\0\n\0", "D0305", "t.csv:1:2"),
    ];
    for (name, bytes, code, place) in wrong {
        assert_eq!(facts_of(&format!("file_{name}"), bytes, ""), Err((*code, (*place).to_owned())), "{name}");
    }
    // Far below, where more than one piece of the text was read.
    let rows: String = (0..300_000).map(|row| format!("{row},\"two\nlines {row}\"\n")).collect();
    let found = facts_of("file_far", format!("a,b\n{rows}x,y,z\n").as_bytes(), "");
    assert_eq!(found, Err(("D0303", "t.csv:600002:5".to_owned())));
    let long = "x".repeat(5 << 20);
    let found = facts_of("file_long_cell", format!("a,b\n1,\"{long}\"\n2,{long}\n").as_bytes(), "");
    assert_eq!(found, Ok(format!("0: p(1, {long}), p(2, {long})")));
}

/// Returns the only example as text, with names that need quotes in quotes.
fn text_of_all(found: &TableDataset) -> String {
    text(&found.dataset).join("; ")
}

#[test]
fn what_an_example_should_not_know_is_found() {
    let mut customers = "id,as_of,plan,closed,churned\n".to_owned();
    let mut orders = "order,customer,date,stars\n".to_owned();
    for number in 0..40 {
        let churned = number % 2 == 0;
        let (plan, closed) = if churned { ("ended", "2024-05-01") } else { ("basic", "2024-01-15") };
        customers +=
            &format!("c{number},2024-03-01,{plan},{closed},{}\n", if churned { "yes" } else { "no" });
        orders += &format!("o{number},c{number},2024-0{}-01,{}\n", 1 + number % 5, number % 3);
    }
    let mapping = ":- source('.').\n:- example(customer.id).\n:- as_of(customer.as_of).\n:- key(orders.customer, customer.id).\n\
        plan(P) <- customer(plan: P).\nclosed(C) <- customer(closed: C).\nat(O, D) <- orders(order: O, date: D).\n\
        S :: stars(O) <- orders(order: O, stars: S).\n\
        ? 1 :: churn <- customer(churned: yes).\n? 0 :: churn <- customer(churned: no).";
    let folder = folder("leaks", &[("customer.csv", &customers), ("orders.csv", &orders)]);
    let places = |mapping: &str| {
        let tables =
            Tables::open(Mapping::parse("m", mapping).expect("a mapping"), &folder, Purpose::Learning)
                .unwrap_or_else(|error| panic!("{error}"));
        let data = tables.dataset(Vocabulary::default(), None).unwrap_or_else(|error| panic!("{error}"));
        let report = tables.leakage(&data).unwrap_or_else(|error| panic!("{error}"));
        report.leaks.into_iter().map(|leak| leak.place).collect::<Vec<_>>()
    };
    assert_eq!(places(mapping), ["customer.closed", "orders.date", "term 1 of plan/1", "term 1 of closed/1"]);
    let honest = mapping
        .replace("plan(P) <- customer(plan: P).\nclosed(C) <- customer(closed: C).\n", "")
        .replace(":- key", ":- time(orders.date).\n:- key");
    assert!(places(&honest).is_empty(), "{:?}", places(&honest));
}
