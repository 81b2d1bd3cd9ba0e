//! Patterns, trees and pictures of small molecules.

use lrnn::data::{Dataset, Layout};
use lrnn::explain::{
    ExamplePatterns, Finder, NamedConstants, Proof, Tree, TreeLimits, network_view, patterns, tree,
};
use lrnn::ground::{Limits, Plans, Statistics, ground};
use lrnn::network::Weights;
use lrnn::template::Template;

use crate::solve::read;

const TEMPLATE: &str = "\
2 :: in(X) :- element(X, f).
0.5 :: in(X) :- element(X, c).
0.1 :: in(X) :- element(X, h).
chain :- in(X), bond(X, Y), in(Y), bond(Y, Z), in(Z), X != Z.
3 :: toxic :- chain.
";

/// c-c-f, the same with other names and turned round, and c-c-h.
const DATA: &str = "\
element(a1, c), element(a2, c), element(a3, f), bond(a1, a2), bond(a2, a1), bond(a2, a3), bond(a3, a2).
element(z, f), element(y, c), element(x, c), bond(z, y), bond(y, z), bond(y, x), bond(x, y).
element(a1, c), element(a2, c), element(a3, h), bond(a1, a2), bond(a2, a1), bond(a2, a3), bond(a3, a2).
";

fn with_proof<T>(
    template: &Template,
    dataset: &Dataset,
    example: usize,
    see: impl Fn(&Proof<'_>, usize) -> T,
) -> T {
    let plans = Plans::new(template, &Statistics::of(dataset));
    let (vocabulary, facts) = (&dataset.vocabulary, &dataset.examples[example]);
    let grounding = ground(template, &plans, vocabulary, facts, &Limits::default()).expect("a grounding");
    let toxic = vocabulary.find_predicate("toxic", 0).expect("the predicate");
    let weights = Weights::new(0);
    let proof =
        Proof::new(template, vocabulary, facts, &grounding, &[&weights], &[(toxic, 0)]).expect("a proof");
    let root = proof.find(toxic, 0).expect("the root");
    see(&proof, root)
}

fn molecules() -> (Template, Dataset) {
    read(&[TEMPLATE.to_owned()], &[DATA.to_owned()], Layout::Examples).expect("molecules")
}

#[test]
fn patterns_are_one_up_to_the_names_of_atoms() {
    let (template, dataset) = molecules();
    let kept = NamedConstants::new(&template, &dataset.vocabulary, None);
    let find = |example| with_proof(&template, &dataset, example, |proof, _| Finder::find(proof, &kept));
    let found: Vec<ExamplePatterns> = (0..3).map(find).collect();
    let joined = patterns(&found, &[Some(1), Some(1), Some(0)], 2);
    let chains: Vec<_> = joined.patterns.iter().filter(|pattern| pattern.rule.0 == 3).collect();
    let names: Vec<String> =
        chains.iter().filter_map(|pattern| pattern.form.short(&dataset.vocabulary)).collect();
    assert_eq!(names, ["c-c-f", "c-c-h"]);
    let best = chains[0];
    assert_eq!((&best.examples[..], &best.support[..]), (&[0, 1][..], &[0, 2][..]));
    assert_eq!((best.lift[0], best.lift[1]), (0.0, 1.5));
    assert!(best.value > chains[1].value && joined.too_large == 0);
}

fn count(tree: &Tree) -> usize {
    1 + tree.below.iter().map(count).sum::<usize>()
}

#[test]
fn trees_and_pictures_keep_within_bounds_and_say_what_they_leave_out() {
    let (template, dataset) = molecules();
    with_proof(&template, &dataset, 0, |proof, root| {
        let whole = tree(proof, root, TreeLimits::default());
        assert_eq!((whole.text.as_str(), whole.below.len()), ("toxic", 1));
        assert_eq!(whole.below[0].below[0].below[0].note, "max of 2");
        let small = tree(proof, root, TreeLimits { wide: 1, deep: 2, nodes: 5 });
        assert!(count(&small) < 12 && count(&small) < count(&whole), "{}", count(&small));
        let view = network_view(proof, &[root], 1000);
        assert_eq!(view.folded, 0);
        let counts = proof.network.counts();
        let all = counts.atom + counts.fact + counts.aggregation + counts.rule;
        assert_eq!(view.nodes.len(), all);
        let folded = network_view(proof, &[root], 10);
        assert!(folded.nodes.len() < all && folded.folded > 0);
        assert!(
            folded.edges.iter().all(|edge| edge.from < folded.nodes.len() && edge.to < folded.nodes.len())
        );
    });
}
