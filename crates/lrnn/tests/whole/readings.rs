//! One template, many readings: each against what it must be by hand or by trying all worlds.

use lrnn::network::Weights;
use lrnn::program::{AtomPattern, AtomReading, ReadValue, Semiring};
use lrnn::{Error, Limits, Program, Template};

/// The readings of atoms of a template without data.
fn read(text: &str, pattern: &str, semiring: Semiring) -> Result<Vec<AtomReading>, Error> {
    let template = Template::parse(text)?;
    let mut data = template.data();
    data.example("one");
    let dataset = data.build()?;
    let program = Program::new(&template, &dataset, Limits::default())?;
    let patterns = [AtomPattern::parse(pattern, &dataset.vocabulary)?];
    let grounding = program.ground(&dataset.vocabulary, &dataset.examples[0])?;
    program.read(&dataset, (0, &grounding), &patterns, &[Weights::new(0)], semiring)
}

fn value(text: &str, atom: &str, semiring: Semiring) -> ReadValue {
    let mut all = read(text, atom, semiring).expect("a reading");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).value
}

const DIAMOND: &str = "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z).
    <0.9> :: edge(a, b). <0.8> :: edge(b, d). <0.5> :: edge(a, c). <0.9> :: edge(c, d). <0.7> :: edge(d, e).";

#[test]
fn truth_and_number_of_proofs() {
    assert_eq!(value(DIAMOND, "path(a, e)", Semiring::Boolean), ReadValue::Truth(true));
    assert_eq!(value(DIAMOND, "path(e, a)", Semiring::Boolean), ReadValue::Truth(false));
    assert_eq!(value(DIAMOND, "path(a, e)", Semiring::Counting), ReadValue::Count(2));
    assert_eq!(value(DIAMOND, "path(e, a)", Semiring::Counting), ReadValue::Count(0));
    let cyclic = format!("{DIAMOND} edge(e, d).");
    assert_eq!(value(&cyclic, "path(a, e)", Semiring::Counting), ReadValue::Many("infinite"));
    assert_eq!(value(&cyclic, "path(a, c)", Semiring::Counting), ReadValue::Count(1));
}

#[test]
fn the_best_proof_is_the_largest_product() {
    let found = &read(DIAMOND, "path(a, e)", Semiring::Best).expect("a reading")[0];
    let ReadValue::Number(best) = found.value else { panic!("{found:?}") };
    assert!((best - 0.9 * 0.8 * 0.7).abs() < 1e-12);
    let clauses: Vec<&str> = found.proof.iter().map(|step| step.clause.as_str()).collect();
    let last = "path(a, e) :- edge(a, b), path(b, e).";
    assert!(clauses.contains(&"edge(b, d).") && clauses.last() == Some(&last), "{clauses:?}");
    let product: f64 = found.proof.iter().map(|step| step.weight).product();
    assert!((product - best).abs() < 1e-12);
    // Going round makes no proof better; with weights above 1 it would, for ever.
    let cyclic = format!("{DIAMOND} edge(e, a).");
    assert_eq!(value(&cyclic, "path(a, e)", Semiring::Best), ReadValue::Number(best));
    let grows = "p(a). <2> :: p(Y) :- p(X), next(X, Y). next(a, b). next(b, a).";
    let error = read(grows, "p(b)", Semiring::Best).expect_err("no best proof");
    assert!(error.to_string().contains("no best proof"), "{error}");
}

#[test]
fn probabilities_are_exact_where_it_says_so() {
    let near = |found: &ReadValue, expected: f64| {
        let ReadValue::Number(found) = found else { panic!("{found:?}") };
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    };
    // Both ways end with the same edge: 0.7 · (1 − (1 − 0.72) (1 − 0.45))
    let expected = 0.7 * (1.0 - (1.0 - 0.72) * (1.0 - 0.45));
    let found = &read(DIAMOND, "path(a, e)", Semiring::Probability).expect("a reading")[0];
    assert!(found.exact);
    near(&found.value, expected);
    // A way back changes nothing.
    near(&value(&format!("{DIAMOND} <0.5> :: edge(e, a)."), "path(a, e)", Semiring::Probability), expected);
    // Rules are there or not, too.
    near(
        &value("<0.5> :: p :- q. <0.4> :: p :- r. <0.5> :: q. r.", "p", Semiring::Probability),
        1.0 - 0.75 * 0.6,
    );
    // Two proofs from one fact are one event.
    near(&value("p :- q. p :- q, r. <0.3> :: q. r.", "p", Semiring::Probability), 0.3);
    let many: String =
        (0..20).map(|at| format!("<0.5> :: edge({at}, x). <0.5> :: edge(x, {at}). ")).collect();
    let large = format!("path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z). {many}");
    assert!(!read(&large, "path(0, 1)", Semiring::Probability).expect("a reading")[0].exact);
}

#[test]
fn what_has_no_such_reading_is_refused() {
    let refused = |text: &str, semiring, part: &str| {
        let error = read(text, "p", semiring).expect_err("no reading").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("<2> :: p :- q. q.", Semiring::Probability, "no probability");
    refused("<-1> :: p :- q. q.", Semiring::Best, "negative");
    refused("p :- ~q. q.", Semiring::Best, "soft negation");
    refused("p :- not q. p :- r. <0.5> :: q. r.", Semiring::Probability, "one world");
    // Also where the rule has no ground rule at all, itself or below, and where the rule behind what is absent is random.
    refused("p :- not q. <0.5> :: q.", Semiring::Probability, "one world");
    refused("p :- o. o :- not q. <0.5> :: q :- r. r.", Semiring::Probability, "one world");
    refused("p :- tanh(q). <0.5> :: q.", Semiring::Probability, "a function of literals");
    refused("p :- tanh(q). <0.5> :: q.", Semiring::Best, "a function of literals");
    refused("p :- @value(3 - 1).", Semiring::Probability, "no probability");
}

#[test]
fn what_is_certainly_there_may_be_asked_to_be_absent() {
    let text = "next(a, b). next(b, c). next(c, a).
        far(X, Y) :- next(X, Z), next(Z, Y). far(X, Y) :- far(X, Z), next(Z, Y).
        <0.5> :: lone(X) :- item(X), not far(X, X). item(a). item(d).";
    assert_eq!(value(text, "lone(d)", Semiring::Probability), ReadValue::Number(0.5));
    assert_eq!(value(text, "lone(a)", Semiring::Probability), ReadValue::Number(0.0));
}

#[test]
fn values_of_terms_are_values() {
    let text = "p(X) :- age(X, A), @value(A / 100). <0.5> :: age(ann, 20). age(bob, 80).";
    let ReadValue::Number(ann) = value(text, "p(ann)", Semiring::Probability) else { panic!("a number") };
    assert!((ann - 0.1).abs() < 1e-12, "{ann}");
    assert_eq!(value(text, "p(bob)", Semiring::Best), ReadValue::Number(0.8));
    assert_eq!(value(text, "p(bob)", Semiring::Counting), ReadValue::Count(1));
}
