use super::*;
use crate::data::{Example, FactTable};
use crate::function::Shape;
use crate::ground::naive;
use crate::network::{NetworkError, Weights};
use crate::template::Template;
use crate::vocabulary::Constant;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"))
}

/// The network of a template without an example.
fn network(template: &Template) -> Result<Reference, NetworkError> {
    let example = Example::default();
    let grounding = naive(template, &template.vocabulary, &example);
    Reference::build(template, &template.vocabulary, &example, &grounding)
}

fn try_values(text: &str, atom: &str) -> Result<Vec<f64>, NetworkError> {
    let template = template(text);
    let network = network(&template)?;
    let is_it = |node: &AtomNode| template.vocabulary.atom_text(node.predicate, &node.terms) == atom;
    let id = network.atoms.iter().rposition(is_it).unwrap_or_else(|| panic!("no {atom} in {text}"));
    let wide = network.evaluate::<f64>(&template, &template.vocabulary, &Weights::new(1))?;
    let narrow = network.evaluate::<f32>(&template, &template.vocabulary, &Weights::new(1))?;
    for (&a, &b) in wide.atoms.of(id).0.iter().zip(narrow.atoms.of(id).0) {
        assert!((a - f64::from(b)).abs() < 1e-5 * (1.0 + a.abs()), "{text}: {a} and {b}");
    }
    Ok(wide.atoms.of(id).0.to_vec())
}

fn check(text: &str, atom: &str, expected: &[f64]) {
    let values = try_values(text, atom).unwrap_or_else(|error| panic!("{text}: {error}"));
    let close = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(close && values.len() == expected.len(), "{text}: {values:?} for {expected:?}");
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

const HORSES: &str = "
    0.6 :: foal(A) :- parent(A, P), horse(P).
    0.2 :: foal(A) :- sibling(A, S), horse(S).
    horse(dakotta). horse(cheyenne). horse(aida).
    parent(star, aida). parent(star, cheyenne). sibling(star, dakotta).";

#[test]
fn the_horses_of_the_paper() {
    let foal = |family, value| check(&format!(":- family({family}). {HORSES}"), "foal(star)", &[value]);
    foal("max_sigmoid", 0.620297946);
    foal("avg_sigmoid", 0.4);
    foal("godel", 0.6);
    foal("lukasiewicz", 0.8);
    foal("neuralogic", (0.8 * 2f64.tanh()).tanh());
    let counts = network(&template(HORSES)).unwrap().counts();
    assert_eq!(counts, NeuronCounts { fact: 6, rule: 3, aggregation: 2, atom: 7 });
}

#[test]
fn the_best_match_counts() {
    let rules = ":- family(max_sigmoid).
        <1> :: bright_edge :- bright(E).
        <1> :: bright(E) :- edge(E, U, V), light(U), light(V).
        <2> :: light(U) :- yellow(U). <1> :: light(U) :- red(U). <0.5> :: light(U) :- blue(U).
        edge(e3, v3, v4). yellow(v3). yellow(v4).";
    let more = "edge(e1, v1, v2). edge(e2, v2, v3). edge(e4, v4, v1). red(v1). blue(v2).";
    let one = try_values(rules, "bright_edge").unwrap();
    check(&format!("{rules}{more}"), "bright_edge", &one);
}

#[test]
fn facts_pass_through_their_atom() {
    check("0.5 :: p(a). 0.25 :: p(a). q :- p(a).", "p(a)", &[sigmoid(0.75)]);
    check(":- family(neuralogic). 0.5 :: p(a). 0.25 :: p(a). q :- p(a).", "p(a)", &[0.75]);
    check(":- family(neuralogic). 0.5 :: p. 2 :: p :- q. 3 :: q.", "p", &[(0.5 + 2.0 * 3f64.tanh()).tanh()]);
}

#[test]
fn guards_and_negation() {
    // Guards are no inputs and do not count in k; soft negation enters as 1 − value.
    check(":- family(lukasiewicz). p :- q, *r. 0.5 :: q. 0.1 :: r.", "p", &[0.5]);
    check(":- family(lukasiewicz). p :- q, ~r. 0.9 :: q. 0.25 :: r.", "p", &[0.65]);
    check(":- family(lukasiewicz). p :- q, not r(a). 0.9 :: q. r(b).", "p", &[0.9]);
}

#[test]
fn each_index_has_its_own_aggregation() {
    let text = ":- family(avg_sigmoid). w[T] :: p :- q(X, T). q(a, 1). q(b, 1). q(c, 2).";
    let template = template(text);
    let counts = network(&template).unwrap().counts();
    assert_eq!(counts, NeuronCounts { fact: 3, rule: 3, aggregation: 2, atom: 4 });
    let [one, two] = [1.0, 2.0].map(|number| weight_at(&template, &Weights::new(1), number));
    assert_ne!(one, two);
    check(text, "p", &[0.5 * one + 0.5 * two]);
}

/// The only indexed weight of a template's first rule at a number.
fn weight_at(template: &Template, weights: &Weights, number: f64) -> f64 {
    let index = template.vocabulary.find_constant(&Constant::Number(number)).unwrap();
    let weight = template.rules[0].weight.as_ref().unwrap().weight;
    weights.value(template, &template.vocabulary, weight, &[index])[0]
}

#[test]
fn a_random_start_depends_on_names_alone() {
    let one = template("w[T] :: p :- q(X, T). q(a, 1). q(c, 2).");
    let other = template("q(c, 2). q(c, 3). r. v :: r :- p. w[T] :: p :- q(X, T). q(a, 1).");
    let start = |template: &Template, rule: usize, seed| {
        let weight = template.rules[rule].weight.as_ref().unwrap().weight;
        let index = template.vocabulary.find_constant(&Constant::Number(2.0)).unwrap();
        Weights::new(seed).value(template, &template.vocabulary, weight, &[index])
    };
    assert_eq!(start(&one, 0, 3), start(&other, 1, 3));
    assert_ne!(start(&one, 0, 3), start(&one, 0, 4));
}

#[test]
fn a_weight_that_is_set_has_that_value() {
    let template = template("w[T] :: p :- q(X, T). q(a, 1). q(c, 2).");
    let mut weights = Weights::new(7);
    let before = weight_at(&template, &weights, 1.0);
    let index = template.vocabulary.find_constant(&Constant::Number(2.0)).unwrap();
    weights.set(template.rules[0].weight.as_ref().unwrap().weight, &[index], vec![3.0]);
    assert_eq!([1.0, 2.0].map(|number| weight_at(&template, &weights, number)), [before, 3.0]);
}

/// A vocabulary and an example with one table of a predicate with one term, and a template over it.
fn with_table(text: &str, name: &str, shape: Shape, values: &[f64]) -> Result<Vec<f64>, NetworkError> {
    let template = template(text);
    let mut vocabulary = template.vocabulary.clone();
    let predicate = vocabulary.predicate(name, 1);
    let rows = if values.is_empty() { 2 } else { values.len() / shape.size() } as u32;
    let terms = (0..rows).map(|row| vocabulary.number(f64::from(row))).collect();
    let table = FactTable { predicate, rows, terms, shape, values: values.to_vec() };
    let example = Example { tables: vec![table] };
    let grounding = naive(&template, &vocabulary, &example);
    let network = Reference::build(&template, &vocabulary, &example, &grounding)?;
    let values = network.evaluate::<f64>(&template, &vocabulary, &Weights::new(1))?;
    let asked = template.rules[0].head.predicate;
    Ok(network.value_of(&values, asked, 0).map(|(numbers, _)| numbers.to_vec()).unwrap_or_default())
}

#[test]
fn examples_give_their_values_as_weights() {
    let sum = ":- family(neuralogic). p :- q(X) [activation = identity, aggregation = sum]. p/0 [activation = identity].";
    let check = |name, shape, values: &[f64], expected: &[f64]| {
        assert_eq!(with_table(sum, name, shape, values).as_deref(), Ok(expected));
    };
    check("q", Shape::NUMBER, &[0.5, 0.75], &[1.25]);
    check("q", Shape::NUMBER, &[], &[2.0]);
    check("q", Shape::vector(2), &[0.5, 0.75, 1.0, 2.0], &[1.5, 2.75]);
    // A predicate that the template does not know has neurons, but no part in the rest.
    check("other", Shape::NUMBER, &[0.5], &[]);
}

#[test]
fn shapes_that_do_not_fit_are_found() {
    let text = ":- family(godel). p :- q(X). <[1, 2, 3]> :: q(1).";
    let error = with_table(text, "q", Shape::vector(2), &[0.5, 0.75, 1.0, 2.0]).unwrap_err();
    assert_eq!(error, NetworkError::Shape("q(1)".into()));
}

#[test]
fn recursion_without_a_cycle() {
    let chain = ":- family(godel). far(X) :- start(X). <0.5> :: far(Y) :- far(X), next(X, Y).
        start(a). next(a, b). next(b, c). next(c, d).";
    check(chain, "far(d)", &[0.125]);
}

#[test]
fn a_cycle_is_named() {
    let cyclic =
        ":- recursion(none). :- family(godel). far(Y) :- far(X), next(X, Y). far(a). next(a, b). next(b, a).";
    let error = try_values(cyclic, "far(b)").unwrap_err();
    let NetworkError::Cycle(mut atoms) = error else { panic!("{error}") };
    atoms.sort();
    assert_eq!(atoms, ["far(a)", "far(b)"]);
}

#[test]
fn a_cycle_has_the_values_of_its_fixed_point() {
    let cyclic = |family: &str, weight: f64| {
        format!(
            ":- family({family}). <{weight}> :: far(Y) :- far(X), next(X, Y). <0.5> :: far(a). next(a, b). next(b, a)."
        )
    };
    check(&cyclic("godel", 0.5), "far(b)", &[0.25]);
    check(&cyclic("lukasiewicz", 0.5), "far(b)", &[1.0 / 3.0]);
    // x = 0.5 + w · (0.5 + w · x) with functions that leave numbers as they are
    let linear = |weight: f64, value: f64| {
        let text = format!(
            ":- family(neuralogic). :- atom_activation(identity). :- rule_activation(identity).
            <{weight}> :: far(Y) :- far(X), *next(X, Y). <0.5> :: far(a). next(a, b). next(b, a)."
        );
        check(&text, "far(a)", &[value]);
    };
    linear(0.5, 0.5 / (1.0 - 0.25));
    linear(-0.9, 0.5 / (1.0 - 0.81));
    linear(0.9, 0.5 / (1.0 - 0.81));
}

#[test]
fn steps_begin_at_zero() {
    let after = |steps: u32, value: f64| {
        let text = format!(
            ":- recursion(steps = {steps}). :- family(neuralogic). :- atom_activation(identity).
            :- rule_activation(identity). :- aggregation(sum).
            <2> :: far(Y) :- far(X), *next(X, Y). <0.5> :: far(a). next(a, b). next(b, a)."
        );
        check(&text, "far(a)", &[value]);
    };
    for (steps, value) in [(1, 0.5), (2, 0.5), (3, 2.5), (4, 2.5), (5, 10.5)] {
        after(steps, value);
    }
}

#[test]
fn what_does_not_settle_is_refused() {
    let grows = ":- family(neuralogic). :- atom_activation(identity). :- rule_activation(identity).
        <2> :: far(Y) :- far(X), *next(X, Y). <0.5> :: far(a). next(a, b). next(b, a).";
    let error = try_values(grows, "far(b)").unwrap_err();
    assert!(
        matches!(&error, NetworkError::SettlingFailure(unsettled) if unsettled.atom.starts_with("far(")),
        "{error}"
    );
}

#[test]
fn a_value_that_is_not_finite_is_found() {
    let error = try_values(":- family(godel). p/0 [activation = log]. 0 :: p.", "p").unwrap_err();
    assert!(matches!(error, NetworkError::NotFinite(_, text) if text == "p"));
}
