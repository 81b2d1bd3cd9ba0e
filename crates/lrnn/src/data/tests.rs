use super::*;
use crate::diagnostic::SourceId;
use crate::vocabulary::Vocabulary;

fn read(examples: &str, queries: Option<&str>, layout: Layout) -> Result<Dataset, Vec<&'static str>> {
    let mut builder = DatasetBuilder::new(Vocabulary::default());
    builder.examples(examples, SourceId(0), layout);
    if let Some(queries) = queries {
        builder.queries(queries, SourceId(1));
    }
    builder.finish().map_err(|diagnostics| diagnostics.iter().map(|diagnostic| diagnostic.code).collect())
}

/// The examples as text: facts with commas, examples with bars.
fn check(examples: &str, queries: Option<&str>, layout: Layout, expected: &str) {
    let found = match read(examples, queries, layout) {
        Ok(data) => {
            (0..data.examples.len()).map(|number| shown(&data, number)).collect::<Vec<_>>().join(" | ")
        }
        Err(codes) => codes.join(" "),
    };
    assert_eq!(found, expected, "{examples}");
}

fn shown(data: &Dataset, number: usize) -> String {
    let mut parts = Vec::new();
    for table in &data.examples[number].tables {
        for row in 0..table.rows as usize {
            let atom = data.vocabulary.atom_text(table.predicate, table.row(row));
            parts.push(format!("{:?} {atom}", table.value(row)));
        }
    }
    for query in &data.queries[number] {
        parts.push(format!("? {}", data.vocabulary.atom_text(query.predicate, &query.terms)));
    }
    parts.join(", ")
}

#[test]
fn layouts() {
    check("a, 0.3 b(x). c.", None, Layout::Detect, "[1.0] a, [0.3] b(x) | [1.0] c");
    check("a. b. 0.5 c(1).", None, Layout::Detect, "[1.0] a, [1.0] b, [0.5] c(1)");
    check("a. b.", None, Layout::Examples, "[1.0] a | [1.0] b");
    check("1 q :- a. 0 q :- <2> b(x).", None, Layout::Detect, "[1.0] a, ? q | [2.0] b(x), ? q");
    check("a(x), a(y).", Some("1 q(x). 0 q(y)."), Layout::Detect, "[1.0] a(x), [1.0] a(y), ? q(x), ? q(y)");
    check(
        "a, b. c, d.",
        Some("1 q. 0 q, 1 r."),
        Layout::Detect,
        "[1.0] a, [1.0] b, ? q | [1.0] c, [1.0] d, ? q, ? r",
    );
}

#[test]
fn types_of_constants_are_facts_and_no_queries() {
    let facts = "[1.0] p(a), [1.0] '@type'(a, t), ? q(a), ? q(b)";
    check("p(t:a).", Some("1 q(t:a), 0 q(u:b)."), Layout::Examples, facts);
    check("1 q(t:a), 0 q(u:b) :- p(t:a).", None, Layout::Examples, facts);
}

#[test]
fn numbers_may_have_a_plus_sign() {
    check("+0.5 p(2), [+1, -1] q.", Some("+1 r."), Layout::Examples, "[0.5] p(2), [1.0, -1.0] q, ? r");
    check("p(+2).", None, Layout::Examples, "D0138");
}

#[test]
fn a_layout_that_was_detected_is_told() {
    let notes = |text, layout| read(text, None, layout).expect("data").notes.len();
    assert_eq!(notes("a. b.", Layout::Detect), 1);
    assert_eq!(
        notes("a. b.", Layout::Facts) + notes("a.", Layout::Detect) + notes("a, b.", Layout::Detect),
        0
    );
}

#[test]
fn values_and_repeats() {
    check("<[0, 1]> xy, [1,2] xy2(a).", None, Layout::Detect, "[0.0, 1.0] xy, [1.0, 2.0] xy2(a)");
    check("a(x), 0.5 a(y), a(z), a(x).", None, Layout::Detect, "[1.0] a(x), [0.5] a(y), [1.0] a(z)");
    check("a(x), 0.5 a(x).", None, Layout::Detect, "D0111");
    check("a(1), 1 a(1.0).", None, Layout::Detect, "[1.0] a(1)");
    check("[1,2] a(x), 3 a(y).", None, Layout::Detect, "D0118");
}

#[test]
fn a_compound_term_is_one_constant() {
    let text = "r(h1, single_alk( 1 )), r(j1, bond(n,group('A b',2.50)), s), r(h1, 'single_alk(1)').";
    let one = r"[1.0] r(h1, 'single_alk(1)'), [1.0] r(j1, 'bond(n, group(\'A b\', 2.5))', s)";
    check(text, None, Layout::Detect, one);
}

#[test]
fn mistakes() {
    check("a(X). b(y z). c(1(x)). d", None, Layout::Detect, "D0101 D0105 D0106 D0104");
    check("a(f(X)). b(f()). c(f(x).", None, Layout::Detect, "D0101 D0105 D0105");
    let deep = format!("a({}x{}).", "f(".repeat(65), ")".repeat(65));
    check(&deep, None, Layout::Detect, "D0106");
    check("a, b. c, d.", Some("1 q."), Layout::Detect, "D0115");
    check("a, b. c, d.", Some("1 q. 1 q. 0 q."), Layout::Detect, "D0117");
    check("1 q :- a. b.", None, Layout::Detect, "D0115");
    check("1 q :- a.", Some("1 q."), Layout::Detect, "D0116");
    check("{3.5} a, b.", None, Layout::Detect, "D0134");
    check("1 q(X) :- a(Y).", None, Layout::Detect, "D0101");
}

#[test]
fn a_value_that_is_only_a_shape_is_zeros() {
    check("{2} a, $w={1, 2} b, $v=0.5 c.", None, Layout::Detect, "[0.0, 0.0] a, [0.0, 0.0] b, [0.5] c");
    let notes = read("{2} a, b.", None, Layout::Detect).expect("data").notes;
    assert_eq!(notes.iter().map(|note| note.code).collect::<Vec<_>>(), ["D0136"]);
}

#[test]
fn queries_with_variables_stand_apart() {
    let dataset = read("0 p(X, a, X, _), 1 p(a, a, a, a) :- q(a).", None, Layout::Examples).expect("data");
    assert_eq!(dataset.queries[0].len(), 1);
    let lifted = &dataset.lifted[0];
    assert_eq!((lifted.example, lifted.target.as_deref()), (0, Some(&[0.0][..])));
    let constants: Vec<bool> =
        lifted.terms.iter().map(|term| matches!(term, TermPattern::Constant(_))).collect();
    assert_eq!(constants, [false, true, false, false]);
    assert_eq!(lifted.terms[2], TermPattern::Variable(0));
}

#[test]
fn linked_queries_have_the_weight_of_their_link() {
    let read = |queries: &str| {
        let mut builder = DatasetBuilder::new(Vocabulary::default());
        builder.text("examples", "one :- q(a).\ntwo :- q(b).", Layout::Examples);
        builder.queries_text("queries", queries);
        builder.finish()
    };
    let dataset = read("0.25 two :- 1 p(b).\none :- 0 p(a), 1 p(b).").expect("data");
    let weights = |dataset: &Dataset| -> Vec<f64> {
        dataset.queries.iter().flatten().map(|query| query.weight).collect()
    };
    assert_eq!(weights(&dataset), [1.0, 1.0, 0.25]);
    assert!(dataset.weights.is_empty());
    assert_eq!(dataset.queries.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(weights(&read("two :- 1 p(b).\none :- 0 p(a).").expect("data")), [1.0; 2]);
    let several = read("2 two :- 1 p(b).\none :- 0 p(a).\n3 two :- 1 p(a).").expect("data");
    assert_eq!(weights(&several), [1.0, 2.0, 3.0]);
    let codes =
        |queries: &str| read(queries).expect_err("a mistake").iter().map(|it| it.code).collect::<Vec<_>>();
    assert_eq!(codes("-2 two :- 1 p(b).\none :- 0 p(a)."), ["D0134"]);
    assert_eq!(codes("1 two :- p(b).\none :- 0 p(a)."), ["D0112", "D0115"]);
}
