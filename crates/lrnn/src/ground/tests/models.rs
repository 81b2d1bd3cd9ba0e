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
    let count = |example, grounding: &Grounding| (example, grounding.rule_count());
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

/// Returns how many ground rules each rule has where a query asks for `asked` alone.
fn needed(text: &str, facts: &str, asked: &str, arity: usize) -> Vec<usize> {
    let template = template(text);
    let mut dataset = dataset(&template, &[facts]);
    let predicate = dataset.vocabulary.predicate(asked, arity);
    let plans = plans(&template, &dataset);
    let (scope, limits) = (plans.scope([predicate]), Limits::default());
    let (vocabulary, example, mut space) =
        (&dataset.vocabulary, &dataset.examples[0], GroundSpace::default());
    let all = ground_in_runs(&template, &plans, vocabulary, example, &limits, scope, &mut space);
    all.expect("a grounding")
        .written_out(|grounding| grounding.rules.iter().map(|rule| rule.heads.len()).collect())
}

#[test]
fn what_no_rule_asks_for_is_not_grounded() {
    const FACTS: &str =
        "atom(a) atom(b) atom(c) kind(1) kind(2) bond(a,b,1) bond(b,a,1) bond(b,c,2) bond(c,b,2)";
    let all = "message(X, Y, B) :- atom(X), atom(Y), kind(B).\n";
    let used = "h(X) :- bond(X, Y, B), message(X, Y, B).\ny :- h(X).";
    assert_eq!(needed(&format!("{all}{used}"), FACTS, "y", 0), [4, 4, 3]);
    // Who asks for messages themselves gets all of them.
    assert_eq!(needed(&format!("{all}{used}"), FACTS, "message", 3), [18, 4, 3]);
    // A rule that says less: of one atom and one kind, whatever the other atom.
    let less = "h(X) :- bond(X, Z, B), message(X, Y, B).\ny :- h(X).";
    assert_eq!(needed(&format!("{all}{less}"), FACTS, "y", 0), [12, 12, 3]);
    // Both together: what one demand gives, the other does not give again.
    let both = "h(X) :- bond(X, Y, B), message(X, Y, B).\ng(X) :- bond(X, Z, 2), message(X, Y, 2).\ny :- h(X), g(X).";
    assert_eq!(needed(&format!("{all}{both}"), FACTS, "y", 0)[0], 2 + 6);
    // Nothing stands beside it, or asks for its absence: all are grounded.
    assert_eq!(needed(&format!("{all}y :- message(X, Y, B)."), FACTS, "y", 0), [18, 18]);
    let absent = "y :- bond(X, Y, B), message(X, Y, B).\nz :- atom(X), not message(X, X, 1).";
    assert_eq!(needed(&format!("{all}{absent}"), FACTS, "y", 0)[0], 18);
}

#[test]
fn a_demand_may_come_from_rules_that_stand_later() {
    const FACTS: &str = "atom(a) atom(b) atom(c) bond(a,b) bond(b,c) double(b,c)";
    let text = "pair(X, Y) :- atom(X), atom(Y).\n\
                one(X) :- single(X, Y), pair(X, Y).\n\
                two(X) :- twice(X, Y), pair(X, Y).\n\
                single(X, Y) :- bond(X, Y), not double(X, Y).\n\
                twice(X, Y) :- double(X, Y).\n\
                free(X, Y) :- atom(X).\n\
                y :- one(X), two(Z), free(X, Z).";
    // `free` is asked beside atoms that wait for `pair`.
    assert_eq!(needed(text, FACTS, "y", 0), [2, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn an_equation_finds_the_rows_of_a_literal() {
    let template = template("p(X,Y) :- q(X), r(Y), Y = X + 1.\n");
    let facts: Vec<String> = (0..50).map(|number| format!("q({number}) r({number})")).collect();
    let dataset = dataset(&template, &[&facts.join(" ")]);
    let plans = plans(&template, &dataset);
    let report = &plans.reports()[0];
    assert_eq!((&report.order[..], &report.bound[..]), (&[0, 1][..], &[vec![], vec![0]][..]));
    assert!((report.per_example - 50.0).abs() < 2.0, "{}", report.per_example);
    let grounding = ground(&template, &plans, &dataset.vocabulary, &dataset.examples[0], &Limits::default());
    assert_eq!(grounding.expect("a grounding").rule_count(), 49);
}
