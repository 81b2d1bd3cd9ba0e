use super::*;
use crate::diagnostic::SourceId;
use crate::function::Shape;
use crate::syntax::parse;

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
fn the_same_clause_in_another_spelling_is_one() {
    check("p(X) :- q(X). <1> :: p(X) :- q(X).", &["W0301"]);
    check("<1.0> :: p(a). p(a). r :- p(X).", &["W0301"]);
    check("w = 0.5 :: p(X) :- q(X). w :: p(X) :- q(X).", &["W0301"]);
    check("p(X) :- q(X). [aggregation = mean] p(X) :- q(X). [aggregation = avg]", &["W0301"]);
    check("p :- q(X), 0.5. [activation = tanh] p :- q(X). [activation = tanh, offset = 0.5]", &["W0301"]);
    check("p(X) :- *g(Z), q(Z, X). p(X) :- q(Y, X), *g(Y).", &["W0301"]);
    check("p(X) :- q(X). p(X) :- q(X). [aggregation = min]", &[]);
    check("w :: p(X) :- q(X). v :: p(X) :- q(X). <0.5> :: p(X) :- q(X). 0.5 :: p(X) :- q(X).", &[]);
    let once = template("0.5 :: p :- 2 :: q. 0.5 :: p :- 2 :: q. w :: p :- q.");
    assert_eq!((once.rules.len(), once.weights.len()), (2, 4));
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
    let with_numbers = |text| template(text).with_data_shapes(&[]).expect("shapes that fit");
    let net = with_numbers("{3,1} e(X) :- c(X). {4,3} h(X) :- e(X), bond(X). {1,4} out :- h(X).");
    assert_eq!(shape(&net, "e", 1), Some(Shape::vector(3)));
    assert_eq!(shape(&net, "h", 1), Some(Shape::vector(4)));
    assert_eq!(shape(&net, "out", 0), Some(Shape::NUMBER));
    let wide = with_numbers("p/1 [offset = [10, 20]]. p(X) :- q(X). r(X) :- p(X).");
    assert_eq!(
        (shape(&wide, "p", 1), shape(&wide, "r", 1)),
        (Some(Shape::vector(2)), Some(Shape::vector(2)))
    );
    let recursive = with_numbers("x(0) :- v(0). {1,8} x(Y) :- {8,1} v(Y), {8,1} x(X), *next(X, Y).");
    assert_eq!(shape(&recursive, "x", 1), Some(Shape::NUMBER));
}

#[test]
fn nothing_is_assumed_of_data() {
    let open = template("{1,8} xor :- {8,2} xy. [1,2] :: emb(b). h(X) :- emb(X), c(X).");
    assert_eq!((shape(&open, "xy", 0), shape(&open, "xor", 0)), (None, None));
    assert_eq!(
        (shape(&open, "emb", 1), shape(&open, "h", 1)),
        (Some(Shape::vector(2)), Some(Shape::vector(2)))
    );
    let text = "[[1,2],[3,4]] :: h(X) :- feature(Y), edge(X, Y). h2(X) :- h(X), emb(X). [1,2] :: emb(b).";
    let open = template(text);
    let feature = open.vocabulary.find_predicate("feature", 1).expect("a predicate of the template");
    let mut data = vec![None; open.predicates.len()];
    data[feature.index()] = Some((Shape::vector(2), open.predicates[0].span));
    let fitted = open.with_data_shapes(&data).expect("shapes that fit");
    assert_eq!(shape(&fitted, "h2", 1), Some(Shape::vector(2)));
}

#[test]
fn shapes_are_checked() {
    check("{3,1} e(X) :- c(X). {4,2} h(X) :- e(X).", &["E0501"]);
    check("{3} h(X) :- c(X). {4} h(X) :- d(X).", &["E0502"]);
    check("h(X) :- {3} c(X), {4} d(X).", &["E0503"]);
    check("{3,2} :: h(X) :- c(X). h/1 [offset = {4}].", &["E0504"]);
}

#[test]
fn functions() {
    check("p :- q. [activation = sigmiod]", &["E0201"]);
    check("p :- q. [activaton = sigmoid]", &["E0202"]);
    check(":- famly(godel). p :- q.", &["E0203"]);
    check(":- family(godel). :- family(max-sigmoid). p :- q.", &["E0204"]);
    check("p :- q. [activation = tanh, transformation = relu]", &["W0201"]);
    check("p :- q. [aggregation = mean, aggregation = avg]", &[]);
    check("p/0 [offset = 1]. p/0 [offset = <1>]. p :- q.", &["W0201"]);
    check(":- aggregation(max). :- aggregation(min). p :- q.", &["W0201"]);
    check(":- family(neuralogic). q/0 [activation = relu]. p :- q.", &["W0202"]);
    check("q/0 [activation = relu]. p :- q. p/0 [aggregation = min].", &[]);
    check("q/0 [aggregation = min]. p :- q.", &["W0202"]);
    let named = template("p :- q. [activation = elementproduct-tanh]");
    assert_eq!(named.rules[0].functions.offset, Offset::Fixed(0.0));
}

/// Every rule and every predicate is looked at a bounded number of times, or this would not end.
#[test]
fn many_rules_are_checked_in_time() {
    let rule = |number: usize| format!("p{number}(X) :- p{}(X), q{number}(X), not r{number}(X).", number + 1);
    let text: String = (0..30_000).map(rule).collect();
    assert_eq!(template(&text).strata.len(), 90_001);
    let rule = |number: usize| format!("s{number}(X) :- s{number}(Y), t(X, Y).");
    let text: String = (0..30_000).map(rule).collect();
    assert_eq!(codes(&text).len(), 30_000);
}

#[test]
fn suspicious_rules() {
    check("p :- q(X), X != X.", &["W0302"]);
    check("p :- q(X), not q(X).", &["W0302"]);
    check("p :- q(X), 2 < 1.", &["W0302"]);
    check("p :- q(X, Y), X < Y, Y < X.", &["W0302"]);
    check("n(1..3). p :- q.", &["W0303"]);
    check("p :- bond(X, Y), bond(X, Y, _).", &["W0304", "W0304"]);
    check("group1(X) :- c(X). p :- gruop1(X).", &["W0305"]);
}
