use super::*;
use crate::function::Shape;
use crate::syntax::{SourceId, parse};

/// The codes of all diagnostics of a text.
fn codes(text: &str) -> Vec<&'static str> {
    let (ast, mut diagnostics) = parse(text, SourceId(0));
    let (_, found) = Template::resolve(&ast.items, Options::default());
    diagnostics.extend(found);
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(codes(text), expected, "{text}");
}

fn template(text: &str) -> Template {
    Template::parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"))
}

fn shape(template: &Template, name: &str, arity: usize) -> Option<Shape> {
    let id = template.vocabulary.find_predicate(name, arity).expect("a predicate of the template");
    template.predicates[id.index()].shape
}

#[test]
fn unbound_variables() {
    check("p(X) :- q(X), X != Y.", &["E0301"]);
    check("p(X) :- q(X), not r(X, Y).", &["E0301"]);
    check("p(X) :- q(X), not r(X, _).", &[]);
    check("p(X, Y) :- q(X), X != Y.", &[]);
    check("w[Z] :: p(X) :- q(X).", &["E0403"]);
}

#[test]
fn weights() {
    check("w[T] :: p(X) :- q(X, T). w :: p(X) :- q(X, X).", &["E0401"]);
    check("w = 1 :: p :- q. w = 2 :: r :- q.", &["E0402"]);
    let shared = template("w :: p :- q. w :: r :- q. w = 2 :: s :- q.");
    assert_eq!(shared.weights.iter().filter(|weight| !weight.is_own_offset).count(), 1);
    assert_eq!(shared.weights[0].start, Start::Values(vec![2.0]));
}

#[test]
fn the_same_clause_twice_is_one() {
    check("0.5 :: p(X) :- q(X). 0.5 :: p(Y) :- q(Y).", &["W0301"]);
    check("0.5 :: p(X) :- q(X). 0.6 :: p(X) :- q(X).", &[]);
    check("_ :: p(X) :- q(X). _ :: p(X) :- q(X).", &[]);
    assert_eq!(template("p(1..3). p(2). q :- p(X).").facts.len(), 3);
}

#[test]
fn order_of_predicates() {
    check("p(X) :- q(X). q(X) :- p(X).", &["T0601"]);
    check("p(X) :- r(X), not p(X).", &["E0602"]);
    let chain = template("c :- b. b :- a. d :- c, a.");
    let names: Vec<String> = (chain.strata.iter().flat_map(|stratum| &stratum.predicates))
        .map(|&id| chain.vocabulary.signature(id).to_string())
        .collect();
    assert_eq!(names, ["a/0", "b/0", "c/0", "d/0"]);
}

#[test]
fn shapes_are_inferred() {
    let net = template("{3,1} e(X) :- c(X). {4,3} h(X) :- e(X), bond(X). {1,4} out :- h(X).");
    assert_eq!(shape(&net, "e", 1), Some(Shape::vector(3)));
    assert_eq!(shape(&net, "h", 1), Some(Shape::vector(4)));
    assert_eq!(shape(&net, "out", 0), Some(Shape::NUMBER));
    let open = template("{1,8} xor :- {8,2} xy.");
    assert_eq!((shape(&open, "xy", 0), shape(&open, "xor", 0)), (None, None));
    let recursive = template("x(0) :- v(0). {1,8} x(Y) :- {8,1} v(Y), {8,1} x(X), *next(X, Y).");
    assert_eq!(shape(&recursive, "x", 1), Some(Shape::NUMBER));
}

#[test]
fn shapes_are_checked() {
    check("{3,1} e(X) :- c(X). {4,2} h(X) :- e(X).", &["E0501"]);
    check("{3} h(X) :- c(X). {4} h(X) :- d(X).", &["E0502"]);
    check("h(X) :- {3} c(X), {4} d(X).", &["E0503"]);
}

#[test]
fn functions() {
    check("p :- q. [activation = sigmiod]", &["E0201"]);
    check("p :- q. [activaton = sigmoid]", &["E0202"]);
    check(":- famly(godel). p :- q.", &["E0203"]);
    check(":- family(godel). :- family(max-sigmoid). p :- q.", &["E0204"]);
    let named = template("p :- q. [activation = elementproduct-tanh]");
    assert_eq!(named.rules[0].functions.offset, Offset::Fixed(0.0));
}

#[test]
fn suspicious_rules() {
    check("p :- q(X), X != X.", &["W0302"]);
    check("p :- q(X), not q(X).", &["W0302"]);
    check("p :- q(X), 2 < 1.", &["W0302"]);
    check("p :- q(X, Y), X < Y, Y < X.", &["W0302"]);
    check("n(1..3). p :- q.", &["W0303"]);
    check("p :- bond(X, Y), bond(X, Y, Z).", &["W0304", "W0304"]);
    check("group1(X) :- c(X). p :- gruop1(X).", &["W0305"]);
}
