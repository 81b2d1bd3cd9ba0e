//! Random templates and examples, as text.

use std::fmt::Write;

/// A small generator of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const CONSTANTS: [&str; 6] = ["a", "b", "c", "1", "2", "d"];
const VARIABLES: [&str; 4] = ["X", "Y", "Z", "U"];

/// Predicates that only have facts, and predicates that rules derive, in their order.
const GIVEN: [(&str, usize); 5] = [("e", 1), ("f", 2), ("g", 2), ("h", 3), ("i", 0)];
const DERIVED: [(&str, usize); 6] = [("p", 1), ("q", 2), ("r", 0), ("s", 2), ("t", 1), ("u", 3)];

/// A template. It may be refused: where a negation is in a cycle, say.
pub fn template(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(4) {
        let (name, arity) = if random.chance(70) { GIVEN[random.below(5)] } else { DERIVED[random.below(6)] };
        let weight = random.pick(&["", "", "0.5 :: ", "v :: ", "<0.5> :: ", "<1> :: "]);
        let from: &[&str] = if random.chance(25) { &["X", "Y", "a"] } else { &CONSTANTS };
        let terms = terms(random, arity, from);
        let _ = writeln!(text, "{weight}{name}{terms}.");
    }
    for number in 0..4 + random.below(5) {
        let head = random.below(DERIVED.len());
        rule(random, &mut text, number, head);
    }
    if random.chance(30) {
        family(random, &mut text);
    }
    if random.chance(30) {
        product(random, &mut text);
    }
    text
}

/// A rule whose literals choose each on its own.
fn product(random: &mut Random, text: &mut String) {
    let mut body = vec!["f(X,Y)"];
    for literals in [["g(X,Z)", "*f(Z,X)", "g(a,Z)"], ["g(Y,U)", "h(X,U,V), e(V)", "f(X,U), ~e(U)"]] {
        body.push(random.pick(&literals));
    }
    let weight = random.pick(&["", "", "v[Z] :: ", "v[X,U] :: "]);
    let head = terms(random, 2, &["X", "Y", "Z", "U"]);
    let _ = writeln!(text, "{weight}s{head} :- {}.", body.join(", "));
}

/// Rules that differ only in constants and weights.
fn family(random: &mut Random, text: &mut String) {
    let head = 1 + random.below(DERIVED.len() - 1);
    let mut literal = || {
        let derived = random.chance(20);
        let (name, arity) = if derived { DERIVED[random.below(head + 1)] } else { GIVEN[random.below(5)] };
        let sign = random.pick(&["", "", "*"]);
        format!("{sign}{name}{}", terms(random, arity, &["X", "Y", "Z", "@"]))
    };
    let body = [literal(), literal(), literal()].join(", ");
    let in_body = VARIABLES.into_iter().filter(|it| body.contains(it));
    let head_terms: Vec<&str> = in_body.chain(["@"]).collect();
    let (name, arity) = DERIVED[head];
    let shape = format!("{name}{} :- {body}.", terms(random, arity, &head_terms));
    for _ in 0..2 + random.below(7) {
        let parts: Vec<&str> = shape.split('@').collect();
        let weight = random.pick(&["", "", "0.5 :: ", "v :: "]);
        let _ = write!(text, "{weight}{}", parts[0]);
        parts[1..].iter().for_each(|part| _ = write!(text, "{}{part}", random.pick(&CONSTANTS)));
        text.push('\n');
    }
}

fn rule(random: &mut Random, text: &mut String, number: usize, head: usize) {
    let (name, arity) = DERIVED[head];
    let mut body: Vec<String> = (0..1 + random.below(3)).map(|_| literal(random, head)).collect();
    let in_body: Vec<&str> =
        VARIABLES.into_iter().filter(|it| body.iter().any(|part| part.contains(it))).collect();
    let mut head_terms: Vec<&str> = if in_body.is_empty() { CONSTANTS.to_vec() } else { in_body.clone() };
    if random.chance(20) {
        head_terms.push("V");
    }
    if random.chance(15) {
        head_terms.push("a");
    }
    let head_text = terms(random, arity, &head_terms);
    let mut known = in_body.clone();
    known.extend(head_text.contains('V').then_some("V"));
    for _ in 0..random.below(3) {
        body.extend(condition(random, &known, head));
    }
    let literal = body[0].trim_start_matches('*').to_owned();
    if random.chance(6) && literal.contains('(') && !literal.starts_with('~') {
        let is_counted =
            body.iter().all(|part| !part.starts_with(char::is_alphabetic) && !part.starts_with('~'));
        let _ = write!(text, "w{number}[{literal}{}] :: ", if is_counted { ", #" } else { "" });
    } else if random.chance(30) && !known.is_empty() {
        let index = random.pick(&known);
        let _ = write!(text, "w{number}[{index}] :: ");
    }
    let _ = writeln!(text, "{name}{head_text} :- {}.", body.join(", "));
}

/// A positive literal; now and then of the head's own predicate, or of one that comes later.
fn literal(random: &mut Random, head: usize) -> String {
    let recursive = random.chance(20);
    let (name, arity) = match random.below(100) {
        _ if recursive => DERIVED[(head + random.below(2)).min(DERIVED.len() - 1)],
        0..70 => GIVEN[random.below(GIVEN.len())],
        _ => DERIVED[random.below(head + 1)],
    };
    // A guard closes no cycle of inputs, so most recursion goes through guards.
    let sign = if recursive && random.chance(75) { "*" } else { random.pick(&["", "", "", "*", "~"]) };
    let constants = random.chance(15);
    let from: Vec<&str> = VARIABLES.into_iter().chain(CONSTANTS.into_iter().filter(|_| constants)).collect();
    format!("{sign}{name}{}", terms(random, arity, &from))
}

fn condition(random: &mut Random, known: &[&str], head: usize) -> Option<String> {
    if known.is_empty() {
        return None;
    }
    let mut from = known.to_vec();
    if random.chance(8) {
        let number = random.pick(&["1 + 0", "1", "Z - 1", "2 - 1"]);
        let number = if known.contains(&"Z") { number } else { "1" };
        return Some(format!("{} = {} + {number}", random.pick(known), random.pick(known)));
    }
    from.push("b");
    if random.chance(60) {
        let sign = random.pick(&["!=", "!=", "<", ">=", "=<", ">", "="]);
        return Some(format!("{} {sign} {}", random.pick(known), random.pick(&from)));
    }
    let given = random.chance(60) || head == 0;
    let (name, arity) = if given { GIVEN[random.below(GIVEN.len())] } else { DERIVED[random.below(head)] };
    from.push("_");
    Some(format!("not {name}{}", terms(random, arity, &from)))
}

fn terms(random: &mut Random, arity: usize, from: &[&str]) -> String {
    let terms: Vec<&str> = (0..arity).map(|_| random.pick(from)).collect();
    if terms.is_empty() { String::new() } else { format!("({})", terms.join(",")) }
}

/// The facts of an example, each once.
pub fn facts(random: &mut Random) -> String {
    let mut facts: Vec<String> = Vec::new();
    let constants = &CONSTANTS[..2 + random.below(4)];
    for (name, arity) in GIVEN.into_iter().chain([DERIVED[0], DERIVED[3]]) {
        for _ in 0..1 + random.below(if arity < 2 { 3 } else { 9 }) {
            let fact = format!("{name}{}", terms(random, arity, constants));
            if !facts.iter().any(|other| other.ends_with(&format!(";{fact}"))) {
                let value = random.pick(&["1", "0.5"]);
                facts.push(format!("{value};{fact}"));
            }
        }
    }
    facts.join(" ")
}

/// Rules that walk the same bonds of a small graph and ask for different clusters, by constants or by names.
pub fn spelled_out(random: &mut Random) -> String {
    let mut text = String::new();
    let is_named = random.chance(50);
    for group in ["1", "2"] {
        let weight = random.pick(&["", "w :: ", "0.5 :: "]);
        let body = random.pick(&["node(X)", "node(X), marked(X)", "bond(X,_)"]);
        let _ = match is_named {
            true => writeln!(text, "{weight}in{group}(X) :- {body}."),
            false => writeln!(text, "{weight}in(X,{group}) :- {body}."),
        };
    }
    let head = random.pick(&["out", "out", "out(X)", "out(Y,Z)"]);
    let more = random.pick(&["", ", X != Z", ", *marked(Z)", ", ~marked(Y)"]);
    let sign = random.pick(&["", "*"]);
    for number in 0..3 + random.below(8) {
        let weight = random.pick(&["", "0.5 :: ", "v[Y] :: "]);
        let mut cluster = |variable: &str| match (is_named, random.pick(&["1", "2"])) {
            (true, group) => format!("in{group}({variable})"),
            (false, group) => format!("in({variable},{group})"),
        };
        let [first, middle, last] = ["X", "Y", "Z"].map(&mut cluster);
        let more = if number == 2 { "" } else { more };
        let _ =
            writeln!(text, "{weight}{head} :- {first}, {sign}bond(X,Y), {middle}, bond(Y,Z), {last}{more}.");
    }
    text
}

/// The facts of a small graph.
pub fn graph(random: &mut Random) -> String {
    let nodes = ["a", "b", "c", "d", "e"];
    let mut text = String::new();
    for node in nodes {
        let _ = write!(text, "node({node}) ");
        if random.chance(50) {
            let _ = write!(text, "marked({node}) ");
        }
        for other in nodes.into_iter().filter(|_| random.chance(40)) {
            let _ = write!(text, "bond({node},{other}) ");
        }
    }
    text
}
