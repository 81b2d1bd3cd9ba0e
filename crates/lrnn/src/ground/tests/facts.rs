//! Facts of the template and of examples.

use super::*;

/// The sources of all facts, in order.
fn sources(text: &str, facts: &str) -> Vec<FactSource> {
    let template = template(text);
    let dataset = dataset(&template, &[facts]);
    let grounding = ground_first(&template, &dataset, &Limits::default()).expect("a grounding");
    grounding.facts.iter().flatten().map(|&(_, source)| source).collect()
}

const EXAMPLE: FactSource = FactSource::Example { table: 0, row: 0 };

#[test]
fn the_same_fact_with_the_same_weight_is_one() {
    assert_eq!(sources("p(a). q :- p(X).", "p(a)"), [FactSource::Template(0)]);
    assert_eq!(sources("p(a). q :- p(X).", "0.5;p(a)"), [FactSource::Template(0), EXAMPLE]);
    assert_eq!(sources("1 :: p(a). q :- p(X).", "p(a)"), [FactSource::Template(0), EXAMPLE]);
    assert_eq!(sources("w :: p(X). w :: p(a). q :- p(X).", ""), [FactSource::Template(0)]);
    assert_eq!(sources("w[X] :: p(X). w[a] :: p(a). q :- p(X).", ""), [FactSource::Template(0)]);
    assert_eq!(sources("<2> :: p(a). q :- p(X).", "2;p(a)"), [FactSource::Template(0)]);
    assert_eq!(sources("<w = 2> :: p(X). <2> :: p(a). q :- p(X).", ""), [FactSource::Template(0)]);
    assert_eq!(sources("<2> :: p(a). q :- p(X).", "3;p(a)"), [FactSource::Template(0), EXAMPLE]);
    assert_eq!(sources("2 :: p(a). q :- p(X).", "2;p(a)"), [FactSource::Template(0), EXAMPLE]);
    let two = [FactSource::Template(0), FactSource::Template(1)];
    assert_eq!(sources("w :: p(X). v :: p(a). q :- p(X).", ""), two);
}

#[test]
fn facts_with_variables_range_over_all_constants() {
    let text = "f(X, Y). q(c) :- f(X, Y).";
    assert_eq!(model(text, "n(a)", "f"), ["f(a, a)", "f(a, c)", "f(c, a)", "f(c, c)"]);
    assert_eq!(model("f(X, X). q :- f(X, Y).", "n(a,b)", "f"), ["f(a, a)", "f(b, b)"]);
    assert_eq!(model("f(X, X). q :- f(X, Y).", "", "f"), [""; 0]);
}
