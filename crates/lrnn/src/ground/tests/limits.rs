//! Templates that explode stop at once.

use super::*;

fn numbers(text: &str, count: u32) -> (Template, Dataset) {
    let template = template(text);
    let mut dataset = dataset(&template, &[""]);
    let n = dataset.vocabulary.predicate("n", 1);
    for number in 0..count {
        let terms = [dataset.vocabulary.number(f64::from(number))];
        push(&mut dataset.examples[0], n, &terms, 1.0);
    }
    (template, dataset)
}

/// The limit that was passed, its number, and the variables of the clause.
fn stopped(text: &str, count: u32, limits: &Limits) -> (LimitKind, u64, usize) {
    let (template, dataset) = numbers(text, count);
    match ground_first(&template, &dataset, limits) {
        Err(GroundError::Budget { bound, limit, variables, .. }) => (bound, limit, variables.len()),
        other => panic!("{:?}", other.map(|grounding| grounding.rule_count())),
    }
}

const SEVEN: &str = "n(A), n(B), n(C), n(D), n(E), n(F), n(G)";

#[test]
fn a_cross_product_stops() {
    let limits = Limits::default();
    let all = format!("p(A, B, C, D, E, F, G) :- {SEVEN}.");
    assert_eq!(stopped(&all, 1000, &limits), (LimitKind::PerExample, limits.per_example, 7));
    assert_eq!(
        stopped("p(A, B, C, D, E, F, G) :- n(A).", 1000, &limits),
        (LimitKind::PerExample, limits.per_example, 7)
    );
    assert_eq!(
        stopped("p(A, B, C, D, E, F, G). q :- n(A).", 1000, &limits),
        (LimitKind::PerExample, limits.per_example, 7)
    );
}

#[test]
fn a_cross_product_that_finds_nothing_stops() {
    let limits = Limits { per_example: 100_000, ..Limits::default() };
    let none = format!("p :- {SEVEN}, G < A, A =< F, F =< G.");
    assert_eq!(stopped(&none, 1000, &limits), (LimitKind::Candidates, 500_000, 7));
}

#[test]
fn limits_are_exact() {
    let (template, dataset) = numbers("p(A, B) :- n(A), n(B).", 10);
    let at = |per_example, total| {
        ground_first(&template, &dataset, &Limits { per_example, total, ..Limits::default() }).is_ok()
    };
    assert!(at(100, 100) && !at(99, 100) && !at(100, 99));
}

#[test]
fn counting_the_rest_changes_nothing() {
    let (template, dataset) = numbers("p(A) :- n(A), n(B), n(C), A != C.", 110);
    let grounding = ground_first(&template, &dataset, &Limits::default()).expect("a grounding");
    assert_eq!(grounding.rule_count(), 110 * 110 * 109);
    assert_eq!(grounding.atom_count(), 220);
}

#[test]
fn examples_share_a_limit() {
    let template = template("q(X, Y) :- p(X), p(Y).");
    let dataset = dataset(&template, &["p(a) p(b)"; 5]);
    let plans = plans(&template, &dataset);
    let at = |total| {
        let limits = Limits { total, ..Limits::default() };
        for_each_grounding(&template, &dataset, &plans, &limits, |_, grounding| grounding.rule_count())
    };
    assert_eq!(at(20), Ok(vec![4; 5]));
    let error = at(19).expect_err("too many").error;
    let text = error.message(&dataset.vocabulary);
    assert_eq!(
        text,
        "the examples together have more than 19 ground rules; this rule (variables X, Y) has many of them"
    );
}

#[test]
fn the_error_is_that_of_the_first_example() {
    let template = template("q(X, Y) :- p(X), p(Y).");
    let dataset = dataset(&template, &["p(a)", "p(a) p(b)", "p(a) p(b)", "p(a) p(b) p(c)"]);
    let plans = plans(&template, &dataset);
    let limits = Limits { per_example: 3, ..Limits::default() };
    for _ in 0..20 {
        let error =
            for_each_grounding(&template, &dataset, &plans, &limits, |_, _| ()).expect_err("too many");
        assert_eq!(error.example, 1);
    }
}
