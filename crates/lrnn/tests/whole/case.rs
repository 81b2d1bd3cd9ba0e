//! Random templates with data that mean something: sentences of a template, and facts of examples.
//!
//! Weights are numbers, or named, or indexed with a start: a random start depends on names, and these are changed.

use crate::random::Random;

/// Predicates of the data, and predicates that rules derive, each from those before it.
const GIVEN: [(&str, usize); 5] = [("e", 1), ("f", 2), ("g", 2), ("h", 1), ("i", 0)];
const DERIVED: [(&str, usize); 5] = [("p", 1), ("q", 2), ("r", 0), ("s", 2), ("t", 1)];
const CONSTANTS: [&str; 6] = ["zza", "zzb", "zzc", "zzd", "1", "2"];
const VARIABLES: [&str; 4] = ["X", "Y", "Z", "U"];

pub struct Case {
    /// The sentences of the template.
    pub template: Vec<String>,
    /// The facts of each example.
    pub examples: Vec<Vec<String>>,
}

impl Case {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let families = ["max_sigmoid", "avg_sigmoid", "godel", "lukasiewicz", "neuralogic"];
        let mut template = vec![format!(":- family({}).", random.pick(&families))];
        for _ in 0..random.below(3) {
            template.push(template_fact(&mut random));
        }
        for _ in 0..3 + random.below(5) {
            let head = random.below(DERIVED.len());
            template.push(rule(&mut random, head));
        }
        if random.chance(30) {
            template.push(format!("p/1 [activation = {}].", random.pick(&["tanh", "identity", "sigmoid"])));
        }
        let examples = (0..1 + random.below(3)).map(|_| example(&mut random)).collect();
        Self { template, examples }
    }

    /// The examples, one a sentence.
    pub fn data(&self) -> String {
        self.examples.iter().fold(String::new(), |text, facts| text + &facts.join(", ") + ".\n")
    }
}

fn terms(random: &mut Random, arity: usize, from: &[&str]) -> String {
    if arity == 0 {
        String::new()
    } else {
        format!("({})", random.list(arity, ", ", |random| random.pick(from).into()))
    }
}

fn template_fact(random: &mut Random) -> String {
    let (name, arity) = GIVEN[random.below(GIVEN.len())];
    let weight = random.pick(&["", "0.5 :: ", "<0.25> :: ", "v = 0.75 :: "]);
    let from: &[&str] = if random.chance(20) { &["X", "zzb"] } else { &CONSTANTS };
    format!("{weight}{name}{}.", terms(random, arity, from))
}

/// A literal with variables mostly, of a predicate before this one, or rarely of itself.
fn literal(random: &mut Random, head: usize) -> String {
    let derived = if random.chance(5) { head + 1 } else { head };
    let number = random.below(GIVEN.len() + derived);
    let (name, arity) = if number < GIVEN.len() { GIVEN[number] } else { DERIVED[number - GIVEN.len()] };
    let from: &[&str] = if random.chance(10) { &["X", "zza", "1"] } else { &VARIABLES };
    let mark = random.pick(&["", "", "", "", "*", "~", "0.5 :: ", "u = -1 :: "]);
    format!("{mark}{name}{}", terms(random, arity, from))
}

fn rule(random: &mut Random, head: usize) -> String {
    let (name, arity) = DERIVED[head];
    let count = 1 + random.below(3);
    let mut body: Vec<String> = (0..count).map(|_| literal(random, head)).collect();
    let bound: Vec<&str> =
        VARIABLES.into_iter().filter(|variable| body.iter().any(|part| part.contains(variable))).collect();
    let mut from = if bound.is_empty() { vec!["zza", "2"] } else { bound.clone() };
    if random.chance(5) {
        from.push("V"); // ranges over all constants
    }
    let head = format!("{name}{}", terms(random, arity, &from));
    if !bound.is_empty() && random.chance(40) {
        body.push(condition(random, &bound));
    }
    let weight = match random.below(6) {
        0 => "0.7 :: ".to_owned(),
        1 => "w :: ".to_owned(),
        2 if !bound.is_empty() => format!("x{arity}{name}[{}] = 0.3 :: ", random.pick(&bound)),
        3 => "-0.4 :: ".to_owned(),
        _ => String::new(),
    };
    let options =
        random.pick(&["", "", "", " [aggregation = mean]", " [aggregation = sum]", " [offset = 0.1]"]);
    format!("{weight}{head} :- {}.{options}", body.join(", "))
}

fn condition(random: &mut Random, bound: &[&str]) -> String {
    let one = random.pick(bound);
    match random.below(5) {
        0 => format!("not h({one})"),
        1 => format!("not f({one}, _)"),
        2 => format!("{one} != {}", random.pick(bound).replace(one, "zza")),
        3 => format!("{one} =< {}", random.pick(&["1", "zzb", "zzc"])),
        _ => "@alldiff(...)".into(),
    }
}

fn example(random: &mut Random) -> Vec<String> {
    let mut facts: Vec<(String, String)> = Vec::new();
    for (name, arity) in GIVEN {
        let most = if arity == 0 { 1 } else { 2 + random.below(5) };
        for _ in 0..most {
            let atom = format!("{name}{}", terms(random, arity, &CONSTANTS));
            let value = random.pick(&["", "", "0.5 ", "-0.25 ", "2 ", "0 "]);
            if facts.iter().all(|(_, known)| *known != atom) {
                facts.push((value.into(), atom));
            }
        }
    }
    facts.into_iter().map(|(value, atom)| value + &atom).collect()
}
