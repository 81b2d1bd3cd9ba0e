//! Models of small templates, written out.

use super::*;

#[test]
fn constants_repeated_variables_and_guards() {
    let facts = "edge(a,b) edge(b,b) edge(c,a)";
    assert_eq!(model("loop(X) :- edge(X, X).", facts, "loop"), ["loop(b)"]);
    assert_eq!(model("to(X) :- edge(X, b).", facts, "to"), ["to(a)", "to(b)"]);
    assert_eq!(model("to(X) :- *edge(X, b), X != b.", facts, "to"), ["to(a)"]);
    assert_eq!(model("start(X) :- edge(X, _), not edge(_, X).", facts, "start"), ["start(c)"]);
    assert_eq!(model("none :- not edge(a, a), not edge(_, c).", facts, "none"), ["none"]);
    assert_eq!(model("none :- not edge(_, _).", facts, "none"), [""; 0]);
}

#[test]
fn numbers_compare_by_value() {
    assert_eq!(model("p(X) :- n(X), X < 10.", "n(9) n(10) n(-1) n(a)", "p"), ["p(-1)", "p(9)"]);
    assert_eq!(model("p(X) :- n(X), X = 1.", "n(1.0) n(2)", "p"), ["p(1)"]);
}

#[test]
fn free_variables_of_the_head_range_over_all_constants() {
    assert_eq!(model("p(X, Y) :- n(X), X != Y.", "n(a) m(b,c)", "p"), ["p(a, b)", "p(a, c)"]);
}

#[test]
fn rule_neurons_are_counted_by_substitution() {
    let template = template("pair :- p(X), q(Y), *r(Z). w[X] :: one(X) :- p(X).");
    let dataset = dataset(&template, &["p(a) p(b) q(a) q(b) r(a) r(b)"]);
    let grounding = ground_first(&template, &dataset, &Limits::default()).expect("a grounding");
    assert_eq!(grounding.rules[0].len(), 8);
    assert_eq!(
        grounding.rules[1].index,
        [grounding.relations[1].rows().map(|row| row[0]).collect::<Vec<_>>()]
    );
}

#[test]
fn recursion_goes_as_far_as_it_must() {
    let path = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).";
    let all = ["path(a, b)", "path(a, c)", "path(b, c)"];
    assert_eq!(model(path, "edge(a,b) edge(b,c)", "path"), all);
}

#[test]
fn a_cycle_is_named_atom_by_atom() {
    let text = ":- recursion(none). p(X) :- start(X). p(X) :- p(Y), *other(X, Y). p(Y) :- p(X), *next(X, Y).";
    let template = template(text);
    let dataset = dataset(&template, &["start(a) next(a,b) next(b,c) next(c,b)"]);
    let error = ground_first(&template, &dataset, &Limits::default()).expect_err("a cycle");
    let message = error.message(&dataset.vocabulary);
    assert_eq!(message, "the ground network has a cycle: p(b) needs p(c) needs p(b)");
    assert_eq!(error.span(&template), template.rules[2].span);
}

#[test]
fn cycles_through_guards_are_none() {
    let text = "p(X) :- start(X). p(Y) :- next(X, Y), *p(X).";
    assert_eq!(model(text, "start(a) next(a,b) next(b,a)", "p"), ["p(a)", "p(b)"]);
}

#[test]
fn a_chain_may_be_long() {
    let template = template("p(X) :- start(X). p(Y) :- p(X), next(X, Y).");
    let mut dataset = dataset(&template, &["start(0)"]);
    let next = dataset.vocabulary.predicate("next", 2);
    for number in 0..100_000 {
        let terms = [number, number + 1].map(|it| dataset.vocabulary.number(f64::from(it)));
        push(&mut dataset.examples[0], next, &terms, 1.0);
    }
    let grounding = ground_first(&template, &dataset, &Limits::default()).expect("a grounding");
    assert_eq!(grounding.rule_count(), 100_001);
}

#[test]
fn a_body_may_be_long() {
    let body = vec!["p(X)"; 2000].join(", ");
    assert_eq!(model(&format!("q(X) :- {body}."), "p(a)", "q"), ["q(a)"]);
}

#[test]
fn groundings_come_in_the_order_of_the_examples() {
    let template = template("q(X, Y) :- p(X), p(Y).");
    let dataset = dataset(&template, &["p(a)", "p(a) p(b)", "", "p(a) p(b) p(c)"]);
    let plans = plans(&template, &dataset);
    let count = |example, grounding: Grounding| (example, grounding.rule_count());
    let counts = for_each_grounding(&template, &dataset, &plans, &Limits::default(), count);
    assert_eq!(counts, Ok(vec![(0, 1), (1, 4), (2, 0), (3, 9)]));
}

#[test]
fn the_smaller_relation_comes_first_and_bound_columns_next() {
    let template = template("q :- bond(X, Y), in(X, G), small(G), other(Z).");
    let facts = "bond(a,b) bond(b,c) bond(c,d) in(a,1) in(b,2) in(c,1) in(d,2) small(1) other(x) other(y)";
    let dataset = dataset(&template, &[facts, facts]);
    let plans = plans(&template, &dataset);
    let report = &plans.reports()[0];
    assert_eq!(report.order, [2, 1, 0, 3]);
    assert_eq!(report.bound, [vec![], vec![1], vec![0], vec![]]);
    assert_eq!((report.per_example, report.total, report.bytes), (4.0, 8.0, 160.0));
}
