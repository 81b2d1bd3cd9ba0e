//! Random texts of every form the language has, whether they mean something or not: what is printed reads the same.

use lrnn::diagnostic::SourceId;
use lrnn::syntax::{parse, print};

use crate::random::Random;

fn name(random: &mut Random) -> String {
    random
        .pick(&[
            "p",
            "foal",
            "a_1",
            "ärger",
            "'not'",
            "'Two words'",
            "'it\\'s'",
            "\"x\"",
            "'\\u{202e}'",
            "import",
        ])
        .into()
}

fn number(random: &mut Random) -> String {
    random.pick(&["0", "1", "-2", "0.5", "-0.25", "1e-9", "3e20", "123456789", "0.1e3"]).into()
}

fn variable(random: &mut Random) -> String {
    random.pick(&["X", "Y", "Zed", "_", "_under", "É"]).into()
}

fn term(random: &mut Random) -> String {
    match random.below(10) {
        0 => format!("{}..{}", random.below(3), 3 + random.below(4)),
        1 | 2 => number(random),
        3..=5 => name(random),
        _ => variable(random),
    }
}

fn atom(random: &mut Random) -> String {
    let arity = random.below(4);
    let name = name(random);
    if arity == 0 { name } else { format!("{name}({})", random.list(arity, ", ", term)) }
}

fn row(random: &mut Random, length: usize) -> String {
    format!("[{}]", random.list(length, ",", number))
}

/// The numbers of a weight, and whether they are there at all.
fn value(random: &mut Random) -> (String, bool) {
    let length = 1 + random.below(3);
    match random.below(6) {
        0 => (format!("{{{}}}", 1 + random.below(4)), false),
        1 => (format!("{{{}, {}}}", 1 + random.below(4), 1 + random.below(4)), false),
        2 => (row(random, length), true),
        3 => (format!("[{}]", random.list(2, ", ", |random| row(random, length))), true),
        _ => (number(random), true),
    }
}

fn weight(random: &mut Random) -> String {
    let (value, there) = value(random);
    let count = 1 + random.below(3);
    let index =
        if random.chance(40) { format!("[{}]", random.list(count, ", ", term)) } else { String::new() };
    match random.below(8) {
        0 => format!("w{index}"),
        1 => format!("w{index} = {value}"),
        2 => format!("$v = {value}"),
        3 => "_".into(),
        4 if there => format!("<{value}>"),
        5 if there => format!("<w{index} = {value}>"),
        _ => value,
    }
}

fn literal(random: &mut Random) -> String {
    let (sign, weighed) = match random.below(6) {
        0 => ("*", false),
        1 => (random.pick(&["not ", "!"]), false),
        2 => ("~", true),
        _ => ("", true),
    };
    let atom = atom(random);
    if weighed && random.chance(30) {
        format!("{} :: {sign}{atom}", weight(random))
    } else {
        format!("{sign}{atom}")
    }
}

fn part(random: &mut Random) -> String {
    match random.below(12) {
        0 => {
            let mark = random.pick(&["=", "!=", "<", "=<", ">", ">=", "==", "\\="]);
            format!("{} {mark} {}", variable(random), term(random))
        }
        1 => format!("@alldiff({})", random.list(2, ", ", variable)),
        2 => "@alldiff(...)".into(),
        3 => format!("@leq({}, {})", term(random), term(random)),
        _ => literal(random),
    }
}

fn options(random: &mut Random) -> String {
    let option = |random: &mut Random| match random.below(4) {
        0 => format!("offset = {}", weight(random)),
        1 => "aggregation = mean".into(),
        2 => "activation = leaky-relu".into(),
        _ => "transformation = tanh".into(),
    };
    let count = 1 + random.below(2);
    format!("[{}]", random.list(count, ", ", option))
}

fn sentence(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!(
            ":- {}({}).",
            random.pick(&["family", "aggregation"]),
            random.pick(&["max_sigmoid", "godel", "'A b'"])
        ),
        1 => ":- import(\"some file.lrnn\").".into(),
        2 => format!("foal/{} {}.", random.below(4), options(random)),
        3 => format!("% {}", random.pick(&["a comment", "'open", "p :- q."])),
        4 => format!("/* {} */", random.pick(&["two\nlines", "% inside", ""])),
        5 | 6 => format!("{} :: {}.", weight(random), atom(random)),
        _ => rule(random),
    }
}

fn rule(random: &mut Random) -> String {
    let weight = if random.chance(50) { format!("{} :: ", weight(random)) } else { String::new() };
    let count = random.below(4);
    let mut body = literal(random);
    for _ in 0..count {
        body += &format!(",{}{}", random.pick(&[" ", "\n    ", ""]), part(random));
    }
    if random.chance(10) {
        body += ", <-2>";
    }
    let options = if random.chance(25) { format!(" {}", options(random)) } else { String::new() };
    format!("{weight}{} {} {body}.{options}", atom(random), random.pick(&[":-", "<="]))
}

#[test]
fn what_is_printed_reads_the_same() {
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let count = 1 + random.below(6);
        let text = random.list(count, "\n", sentence);
        let (tree, diagnostics) = parse(&text, SourceId(0));
        assert_eq!(diagnostics, [], "{text}");
        let printed = print(&tree, &text);
        let (again, diagnostics) = parse(&printed, SourceId(0));
        assert_eq!(diagnostics, [], "{text}\n--\n{printed}");
        assert_eq!(again, tree, "{text}\n--\n{printed}");
        assert_eq!(print(&again, &printed), printed, "{text}");
        assert_eq!(again.comments.len(), tree.comments.len(), "{text}\n--\n{printed}");
    }
}
