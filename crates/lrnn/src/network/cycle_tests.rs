//! Cyclic ground networks: the fast network against the reference, gradients against central differences, and the
//! meaning of both.

use super::tests::{Random, case};
use super::*;

const FAMILIES: [&str; 5] = ["max_sigmoid", "avg_sigmoid", "godel", "lukasiewicz", "neuralogic"];

/// Random facts about a graph with cycles.
fn graph(random: &mut Random, nodes: usize, edges: usize) -> String {
    let mut facts = vec!["start(n0)".to_owned()];
    for _ in 0..edges {
        let [a, b] = [(); 2].map(|()| random.below(nodes));
        facts.push(format!("{:.3} edge(n{a}, n{b})", 0.2 + 0.7 * random.unit()));
    }
    facts.sort_by(|one, other| one.split_once(' ').map(|it| it.1).cmp(&other.split_once(' ').map(|it| it.1)));
    facts.dedup_by(|one, other| one.split_once(' ').map(|it| it.1) == other.split_once(' ').map(|it| it.1));
    format!("{}.", facts.join(", "))
}

/// Templates that are cyclic over graphs with cycles.
fn templates(head: &str) -> Vec<String> {
    let reach = "w = 0.7 :: reach(X) :- start(X). u = 0.6 :: reach(Y) :- reach(X), edge(X, Y).";
    let two =
        "a = 0.5 :: odd(Y) :- even(X), edge(X, Y). b = 0.4 :: even(Y) :- odd(X), edge(X, Y). 0.8 :: even(n0).
        c = 0.3 :: seen(X) :- odd(X), even(X).";
    let pairs = "v = 0.9 :: path(X, Y) :- edge(X, Y). t = 0.4 :: path(X, Z) :- edge(X, Y), path(Y, Z).
        0.5 :: hub(X) :- path(X, Y), path(Y, X).";
    let indexed = "w[X] = 0.3 :: mood(Y) :- mood(X), 0.5 :: edge(X, Y). 0.2 :: mood(X) :- edge(X, Y).
        0.4 :: calm(X) :- ~mood(X), edge(X, Y).";
    let vectors = "{2} :: h(X) :- start(X). k = [[0.2, -0.1], [0.3, 0.1]] :: h(Y) :- h(X), *edge(X, Y).
        {1, 2} :: out :- h(X).";
    let mut all = Vec::new();
    for family in FAMILIES {
        for body in [reach, two, pairs, indexed] {
            all.push(format!("{head} :- family({family}). {body}"));
        }
    }
    all.push(format!("{head} :- family(neuralogic). {vectors}"));
    all
}

#[test]
fn values_and_gradients_of_fixed_points() {
    let mut random = Random(11);
    let (mut settled, mut compared) = (0, 0);
    for round in 0..3 {
        for text in templates("") {
            let data = format!("{}\n{}", graph(&mut random, 4 + round, 9), graph(&mut random, 5, 7));
            let case = case(&text, &data).expect("a case");
            if case.check_values() {
                settled += 1;
                compared += case.check_gradients(&mut random);
            }
        }
    }
    assert!(settled > 50 && compared > 120, "{settled} settled, {compared} slopes compared");
}

#[test]
fn values_and_gradients_of_steps() {
    let mut random = Random(12);
    let mut compared = 0;
    for steps in [1, 2, 5] {
        for text in templates(&format!(":- recursion(steps = {steps}).")) {
            let data = format!("{}\n{}", graph(&mut random, 5, 9), graph(&mut random, 5, 6));
            let case = case(&text, &data).expect("a case");
            assert!(case.check_values());
            compared += case.check_gradients(&mut random);
        }
    }
    assert!(compared > 120, "{compared} slopes compared");
}

#[test]
fn gradients_by_facts_in_cycles() {
    let mut random = Random(13);
    let mut compared = 0;
    for head in ["", ":- recursion(steps = 3)."] {
        for text in templates(head) {
            let mut case = case(&text, &graph(&mut random, 5, 9)).expect("a case");
            compared += case.check_inputs(&[("edge", 2), ("start", 1)], &mut random);
        }
    }
    assert!(compared > 30, "{compared} slopes compared");
}

#[test]
fn enough_steps_are_the_value_without_a_cycle() {
    let body =
        ":- family(max_sigmoid). 0.7 :: reach(X) :- start(X). 0.6 :: reach(Y) :- reach(X), edge(X, Y).";
    let data = "start(a), edge(a, b), 0.3 edge(b, c), edge(a, c), edge(c, d).";
    let values = |head: &str| {
        let case = case(&format!("{head} {body}"), data).expect("a case");
        assert!(case.check_values());
        case.reference(&Weights::new(7)).expect("values")
    };
    assert_eq!(values(""), values(":- recursion(steps = 5)."));
    assert_eq!(values(""), values(":- recursion(fixed_point)."));
    assert_ne!(values(""), values(":- recursion(steps = 2)."));
}
