//! `lrnn explain`, `concepts`, `patterns` and `draw`: what they print, and that names never change the structure of it.

use crate::run::{Ended, Folder};
use crate::{HORSES, HORSES_DATA};

/// Sixty names made to break out of a text: elements, quotes, escapes, marks of direction, control characters, length.
fn hostile() -> Vec<String> {
    let parts = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "</text></svg><svg onload=alert(1)>",
        "]]><!--",
        "&lt;&amp;&#x3c;",
        "a\"]; evil [label=\"b",
        "\\\" -> \\n",
        "a\\",
        "a,b;c",
        "\"quoted\",\"twice\"",
        "=HYPERLINK(\"http://x\")",
        "line\nbreak\r\nand\ttab",
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "c\u{9b}31md\u{7f}\u{8}",
        "a\u{202e}b\u{202c}\u{200f}",
        "x\u{2066}y\u{2069}\u{61c}",
        "\u{0}\u{1}\u{fffe}\u{feff}",
        "{{7*7}}${x}%s%n",
        "ŽŘ 漢字 🧪 e\u{301}",
    ];
    let long = "very long ".repeat(300);
    let ends = ["", "<b>", long.as_str()];
    ends.iter().flat_map(|end| parts.iter().map(move |part| format!("{part}{end}"))).collect()
}

fn quoted(name: &str) -> String {
    let mut text = String::new();
    lrnn::vocabulary::write_name(&mut text, name).expect("a text");
    text
}

/// A run of a template, whose weights begin at numbers since random starts depend on names, with these names as predicates, constants and ids.
fn learned(test: &str, names: &[String]) -> Folder {
    let folder = Folder::new(test);
    let [p, q, r, a, b, c] = [0, 1, 2, 3, 4, 5].map(|at| quoted(&names[at]));
    folder.write(
        "t.lrnn",
        format!(
            "group(1..2).\nw[T, G] = 0.5 :: in(X, G) :- {p}(X, T), *group(G).\n{q}(X) :- in(X, G), in(Y, G), {r}(X, Y).\n\
             v = 0.7 :: answer :- {q}(X).\n"
        ),
    );
    folder.write(
        "d/examples.txt",
        format!(
            "{p}({a}, {c}), {p}({b}, {c}), {r}({a}, {b}).\n{p}({a}, {a}), {p}({b}, {c}), {r}({b}, {a}).\n"
        ),
    );
    folder.write("d/queries.txt", "1 answer.\n0 answer.\n");
    let id = |name: &str| name.replace(['\n', '\r', '\0'], " ");
    folder.write("d/ids.txt", format!("1{}\n2{}\n", id(&names[3]), id(&names[4])));
    let words = ["train", "--template", "t.lrnn", "--data", "d", "--out", "run", "--epochs", "2", "--quiet"];
    let ended = folder.lrnn(&words);
    assert_eq!(ended.code, 0, "{}", ended.err);
    folder
}

/// The tags of a text in XML, which must end as they begin.
fn tags(svg: &str) -> Vec<String> {
    let name = |part: &str| part.split([' ', '>', '\n']).next().unwrap_or("").to_owned();
    svg.split('<').skip(1).map(name).collect()
}

/// What stands outside of quotes.
fn outside_quotes(text: &str) -> String {
    let (mut is_quoted, mut is_escaped, mut out) = (false, false, String::new());
    for c in text.chars() {
        if c == '"' && !is_escaped {
            is_quoted = !is_quoted;
        } else if !is_quoted {
            out.push(c);
        }
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    out
}

/// How many fields each record of a CSV has.
fn fields(csv: &str) -> Vec<usize> {
    outside_quotes(csv).lines().map(|line| line.split(',').count()).collect()
}

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c == '\n' || !(c.is_control() || turns)
    })
}

fn done(folder: &Folder, words: &[&str]) -> Ended {
    let ended = folder.lrnn(words);
    assert_eq!(ended.code, 0, "{words:?}: {}", ended.err);
    assert!(is_harmless(&ended.out) && is_harmless(&ended.err), "{words:?}: {:?}", ended.out);
    ended
}

/// What does not depend on names: tags, what stands outside of quotes, fields, lines.
#[derive(PartialEq, Debug)]
struct Structure {
    svg: Vec<Vec<String>>,
    dot: Vec<usize>,
    csv: Vec<Vec<usize>>,
    lines: Vec<usize>,
    /// Every tag of a report, those in its scripts as well.
    html: Vec<String>,
}

fn structure(folder: &Folder) -> Structure {
    let (mut svg, mut dot) = (Vec::new(), Vec::new());
    for what in ["template", "network", "example"] {
        done(folder, &["draw", "run", "d", "--what", what, "--example", "0", "-o", "p.svg"]);
        let text = folder.read("p.svg");
        assert!(is_harmless(&text), "{what}");
        svg.push(tags(&text));
        done(folder, &["draw", "run", "d", "--what", what, "--example", "0", "-o", "p.dot"]);
        let text = folder.read("p.dot");
        assert!(is_harmless(&text) && text.matches('{').count() > 0, "{what}");
        let outside = outside_quotes(&text);
        dot.push(outside.matches([';', '[', ']', '{', '}', '>', '-']).count());
    }
    done(folder, &["concepts", "run", "--svg", "c.svg"]);
    svg.push(tags(&folder.read("c.svg")));
    done(folder, &["patterns", "run", "d", "--svg", "o.svg"]);
    svg.push(tags(&folder.read("o.svg")));
    let csv = [&["concepts", "run", "--csv"][..], &["patterns", "run", "d", "--csv"]];
    let csv = csv.map(|words| fields(&done(folder, words).out)).to_vec();
    let plain: [&[&str]; 4] = [
        &["explain", "run", "d", "--example", "0"],
        &["explain", "run", "d"],
        &["concepts", "run"],
        &["patterns", "run", "d"],
    ];
    let lines = plain.map(|words| done(folder, words).out.lines().count()).to_vec();
    for words in [
        &["explain", "run", "d", "--json"][..],
        &["patterns", "run", "d", "--json"],
        &["concepts", "run", "--json"],
    ] {
        done(folder, words);
    }
    done(folder, &["report", "run", "-o", "p.html"]);
    let page = folder.read("p.html");
    assert!(is_harmless(&page.replace(['\t', '\r'], "")));
    Structure { svg, dot, csv, lines, html: tags(&page) }
}

/// Whether the page has every name as the language writes it, and ids as they are.
fn check_names(folder: &Folder, names: &[String]) {
    let report = crate::report::data_of(&folder.read("p.html"));
    let text = report["examples"][0]["text"].as_str().expect("facts");
    // Very long facts are cut.
    let is_there = |at: &usize| text.contains(&quoted(&names[*at]));
    assert!(text.ends_with("...") || [0, 2, 3, 4, 5].iter().all(is_there), "{text}");
    let id = names[3].replace(['\n', '\r', '\0'], " ");
    assert_eq!(report["examples"][0]["name"].as_str(), Some(format!("1{id}").trim_end()));
}

#[test]
fn names_change_no_structure() {
    let plain: Vec<String> = ["p", "q", "r", "a", "b", "c"].map(str::to_owned).to_vec();
    let expected = structure(&learned("explain plain", &plain));
    let names = hostile();
    assert_eq!(names.len(), 60);
    for (number, names) in names.chunks(6).enumerate() {
        // Predicates and constants may have one name; two of a kind must not.
        let folder = learned(&format!("explain hostile {number}"), names);
        assert_eq!(structure(&folder), expected, "{names:?}");
        check_names(&folder, names);
    }
}

#[test]
fn names_of_pictures_may_be_hostile() {
    let folder = Folder::new("explain files");
    folder.write("t.lrnn", HORSES);
    for name in hostile().iter().take(20) {
        let name: String = name.chars().filter(|c| !matches!(c, '/' | '\0')).take(40).collect();
        let file = format!("x{name}.svg");
        done(&folder, &["draw", "t.lrnn", "-o", &file]);
        assert!(folder.read(&file).ends_with("</svg>\n"));
    }
}

#[test]
fn the_sum_is_shown() {
    let folder = Folder::new("explain sum");
    folder.write("t.lrnn", HORSES);
    folder.write("d.txt", HORSES_DATA);
    let ended = done(&folder, &["explain", "t.lrnn", "d.txt", "--example", "0", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    let explained = &document["explained"][0];
    let number = |name: &str| explained[name].as_f64().expect("a number");
    let facts = explained["facts"].as_array().expect("facts");
    let sum: f64 = facts.iter().map(|fact| fact["contribution"].as_f64().expect("a number")).sum();
    assert!((number("value") - 0.620_297_946).abs() < 1e-8);
    assert!((number("baseline") + sum - number("value")).abs() < 1e-9);
    assert!(number("residual").abs() < 1e-9);
    let text = done(&folder, &["explain", "t.lrnn", "d.txt", "--example", "0"]).out;
    assert!(text.contains("residual") && text.contains("max of 2"), "{text}");
}

#[test]
fn what_is_not_there_is_told() {
    let folder = Folder::new("explain refused");
    folder.write("t.lrnn", HORSES);
    folder.write("d.txt", HORSES_DATA);
    let check = |words: &[&str], code: i32, part: &str| {
        let ended = folder.lrnn(words);
        assert_eq!(ended.code, code, "{words:?}: {}", ended.err);
        assert!(ended.err.contains(part), "{words:?}: {}", ended.err);
    };
    check(&["explain", "t.lrnn", "d.txt", "--example", "7"], 2, "no example");
    check(&["explain", "t.lrnn", "d.txt", "--example", "1"], 3, "--query");
    check(&["explain", "t.lrnn", "d.txt", "--example", "1", "--query", "foal(luna)"], 3, "not in the model");
    check(&["explain", "t.lrnn", "d.txt", "--example", "0", "--element", "2"], 2, "1 elements");
    check(&["draw", "t.lrnn", "-o", "x.png"], 2, ".svg");
    check(
        &["draw", "t.lrnn", "d.txt", "--what", "example", "--relation", "parnt", "-o", "x.svg"],
        2,
        "parent",
    );
    check(&["concepts", "t.lrnn"], 3, "t.lrnn");
}

/// The area under the ROC curve: how often a positive is above a negative, where half counts for equal ones.
fn auc(scored: &[(f64, f64)]) -> f64 {
    let of = |class: f64| scored.iter().filter(|it| it.1 == class).map(|it| it.0).collect::<Vec<_>>();
    let (positive, negative) = (of(1.0), of(0.0));
    let mut wins = 0.0;
    for high in &positive {
        for low in &negative {
            wins += if high > low { 1.0 } else { f64::from(u8::from(high == low)) / 2.0 };
        }
    }
    wins / (positive.len() * negative.len()) as f64
}

/// The facts of a line that name none of these constants.
fn without(line: &str, gone: &[String]) -> String {
    let facts = line.trim_end_matches('.').split("), ").map(|fact| fact.trim_end_matches(')'));
    let stays = |fact: &&str| {
        let terms = fact.split_once('(').map_or("", |(_, terms)| terms);
        !terms.split(", ").any(|term| gone.iter().any(|gone| gone == term))
    };
    let facts: Vec<String> = facts.filter(stays).map(|fact| format!("{fact})")).collect();
    format!("{}.", facts.join(", "))
}

/// What the run says of the molecules without some of their constants.
fn values_without(folder: &Folder, data: &str, gone: &[Vec<String>]) -> Vec<f64> {
    let all = std::fs::read_to_string(format!("{data}/examples.txt")).expect("molecules");
    let lines: Vec<String> = all.lines().zip(gone).map(|(line, gone)| without(line, gone)).collect();
    folder.write("less/examples.txt", lines.join("\n"));
    folder.write("less/queries.txt", std::fs::read(format!("{data}/queries.txt")).expect("queries"));
    let ended = done(folder, &["predict", "run", "less", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    let predictions = document["predictions"].as_array().expect("a list");
    predictions.iter().map(|it| it["value"].as_f64().expect("a value")).collect()
}

/// So many different names, drawn at random.
fn drawn(names: &[String], many: usize, state: &mut u64) -> Vec<String> {
    let mut drawn: Vec<String> = Vec::new();
    while drawn.len() < many {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = &names[(*state >> 33) as usize % names.len()];
        if !drawn.contains(name) {
            drawn.push(name.clone());
        }
    }
    drawn
}

#[test]
fn explanations_of_mutagenesis_explain() {
    let folder = Folder::new("explain mutagenesis");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/mutagenesis");
    done(&folder, &["train", data, "--out", "run", "--quiet"]);
    let ended = done(&folder, &["explain", "run", data, "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    let explained = document["explained"].as_array().expect("a list");
    assert_eq!(explained.len(), 188);
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().expect("a number");
    let scored = |name: &str| -> Vec<(f64, f64)> {
        explained.iter().map(|it| (number(it, name), number(it, "target"))).collect()
    };
    // The baseline knows nothing of the molecule; the value does.
    assert!((0.5..=0.55).contains(&auc(&scored("baseline"))) && auc(&scored("value")) > 0.75);
    let (mut first, mut one, mut three, mut any) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut state = 7u64;
    for explained in explained {
        let way = number(explained, "value") - number(explained, "baseline");
        let shares = explained["constants"].as_array().expect("constants").iter();
        let mut shares: Vec<(String, f64)> = shares
            .map(|it| (it["constant"].as_str().expect("a name").to_owned(), number(it, "contribution")))
            .collect();
        let sum: f64 = shares.iter().map(|it| it.1).sum();
        assert!((way - sum).abs() < 1e-9 && number(explained, "residual").abs() < 1e-9, "{explained}");
        shares.sort_by(|a, b| (way * b.1).total_cmp(&(way * a.1)));
        let names: Vec<String> = shares.into_iter().map(|it| it.0).collect();
        first.push(names[..1].to_vec());
        three.push(names[..3].to_vec());
        one.push(drawn(&names, 1, &mut state));
        any.push(drawn(&names, 3, &mut state));
    }
    let change = |gone: &[Vec<String>]| -> f64 {
        let values = values_without(&folder, data, gone);
        assert_eq!(values.len(), 188);
        let all = values.iter().zip(explained).map(|(value, it)| (value - number(it, "value")).abs());
        all.sum::<f64>() / 188.0
    };
    let changes = [change(&first), change(&one), change(&three), change(&any)];
    assert!(changes[0] > changes[1] && changes[2] > changes[3], "{changes:?}");
}

#[test]
fn a_cycle_is_unfolded_once() {
    let folder = Folder::new("explain cycle");
    folder.write("t.lrnn", "0.5 :: smokes(X) :- stress(X).\nsmokes(X) :- friend(X, Y), smokes(Y).\n");
    folder.write("d/examples.txt", "stress(ann), friend(ann, bob), friend(bob, ann).\n");
    folder.write("d/queries.txt", "1 smokes(ann).\n");
    let trained = folder.lrnn(&["train", "t.lrnn", "d", "--epochs", "1", "--out", "run"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let text = folder.lrnn(&["explain", "run", "d"]).out;
    assert_eq!(text.matches("  smokes(bob)\n").count(), 1, "{text}");
    assert_eq!(text.matches("(a cycle: shown above").count(), 1, "{text}");
}
