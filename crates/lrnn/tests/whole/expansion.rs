//! Queries with variables against the atoms of the naive grounder's model.

use lrnn::data::{Dataset, Layout};
use lrnn::{Limits, Template};

fn expanded(template: &Template, text: &str) -> (Dataset, Vec<&'static str>) {
    let mut data = template.data();
    data.text("examples", text, Layout::Examples);
    let mut data = data.build().expect("data");
    let found = template.expand(&mut data, Limits::default()).expect("atoms");
    let codes = found.iter().map(|diagnostic| diagnostic.code).collect();
    (data, codes)
}

/// Returns each query of an example with its target.
fn asked(data: &Dataset, example: usize) -> Vec<String> {
    let text = |query: &lrnn::data::Query| {
        let target = query.target.as_ref().map_or(String::new(), |target| format!("{} ", target[0]));
        format!("{target}{}", data.vocabulary.atom_text(query.predicate, &query.terms))
    };
    data.queries[example].iter().map(text).collect()
}

#[test]
fn every_atom_of_the_model_that_matches_is_asked_for() {
    let template =
        Template::parse("near(X, Y) :- edge(X, Y). near(X, Z) :- near(X, Y), edge(Y, Z).").expect("rules");
    let text = "1 near(a, b), 0 near(X, Y) :- edge(a, b), edge(b, c), edge(d, d).
        near(X, X) :- edge(a, b), edge(d, d).
        0 near(a, _), 1 near(_, c) :- edge(a, b), edge(b, c).
        1 near(c, X) :- edge(a, b).";
    let (data, codes) = expanded(&template, text);
    assert_eq!(asked(&data, 0), ["1 near(a, b)", "0 near(b, c)", "0 near(d, d)", "0 near(a, c)"]);
    assert_eq!(asked(&data, 1), ["near(d, d)"]);
    assert_eq!(asked(&data, 2), ["0 near(a, b)", "0 near(a, c)", "1 near(b, c)"]);
    assert!(asked(&data, 3).is_empty());
    assert_eq!(codes, ["D0208"]);
    assert!(data.lifted.is_empty());
}

#[test]
fn atoms_that_are_grounded_by_demand_are_all_there() {
    let text = "pair(X, Y, B) :- atom(X), atom(Y), kind(B). out :- pair(X, Y, B), *bond(X, Y, B).";
    let template = Template::parse(text).expect("rules");
    let (data, codes) =
        expanded(&template, "0 pair(X, Y, B) :- atom(a), atom(b), kind(1), kind(2), bond(a, b, 1).");
    assert_eq!((data.queries[0].len(), codes.len()), (8, 0));
}

#[test]
fn data_that_was_not_expanded_is_refused() {
    let template = Template::parse("p(X) :- q(X).").expect("rules");
    let mut data = template.data();
    data.text("examples", "1 p(X) :- q(a).", Layout::Examples);
    let data = data.build().expect("data");
    let error = lrnn::Program::new(&template, &data, Limits::default()).expect_err("variables");
    assert!(error.to_string().contains("p/1"), "{error}");
}
