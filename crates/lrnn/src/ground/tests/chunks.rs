//! Large examples, which are searched in chunks on several threads.

use std::fmt::Write;

use super::dataset;
use crate::ground::{GroundError, GroundRules, Limits, Plans, Statistics, ground};
use crate::template::Template;

const NODES: usize = 30_000;

/// Every node has three edges, and node 5 very many.
fn graph() -> String {
    let mut text = String::new();
    for node in 0..NODES {
        let (left, right) = ((node * 7 + 1) % NODES, (node * 31 + 5) % NODES);
        let _ = write!(text, "e(n{node},n{left}) e(n{node},n{right}) e(n5,n{node}) ");
    }
    text
}

/// The ground rules on so many threads.
fn on(threads: usize, limits: &Limits) -> Result<Vec<GroundRules>, GroundError> {
    let text = "two(X, Z) :- e(X, Y), e(Y, Z), X != Z. back(X) :- e(X, Y), e(Y, X). one(X) :- e(X, Y).";
    let template = Template::parse(text).expect("a template");
    let data = dataset(&template, &[&graph()]);
    let plans = Plans::new(&template, &Statistics::of(&data));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (vocabulary, example) = (&data.vocabulary, &data.examples[0]);
    pool.install(|| ground(&template, &plans, vocabulary, example, limits)).map(|grounding| grounding.rules)
}

#[test]
fn chunks_give_what_one_thread_gives() {
    let one = on(1, &Limits::default()).expect("a grounding");
    assert!(one[0].len() > 4 * NODES && one[1].len() > 1 && one[2].len() > 2 * NODES);
    assert_eq!(on(2, &Limits::default()).expect("a grounding"), one);
    assert_eq!(on(7, &Limits::default()).expect("a grounding"), one);
}

#[test]
fn chunks_stop_at_the_limit() {
    let limits = Limits { per_example: 60_000, ..Limits::default() };
    for threads in [1, 3] {
        assert!(matches!(on(threads, &limits), Err(GroundError::Budget { .. })), "{threads}");
    }
}
