//! What changes nothing: the order of facts and of rules, the names of constants, and how texts are divided.

use std::collections::BTreeMap;

use lrnn::data::Layout;

use crate::case::Case;
use crate::random::Random;
use crate::solve::{Outcome, Solved, solve};

const CASES: u64 = 400;

fn original(case: &Case) -> Outcome {
    solve(&[case.template.join("\n")], &[case.data()], Layout::Examples)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

fn check_solved(one: &Solved, other: &Solved, case: &Case) {
    let about = || format!("{}\n{}", case.template.join("\n"), case.data());
    assert_eq!(one.counts, other.counts, "{}", about());
    assert_eq!(one.values.keys().collect::<Vec<_>>(), other.values.keys().collect::<Vec<_>>(), "{}", about());
    for ((atom, a), b) in one.values.iter().zip(other.values.values()) {
        let same = a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| close(a, b));
        assert!(same, "{atom} is {a:?} and {b:?} in\n{}", about());
    }
}

fn check(one: &Outcome, other: &Outcome, case: &Case) {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one.len(), other.len());
            one.iter().zip(other).for_each(|(one, other)| check_solved(one, other, case));
        }
        (one, other) => assert_eq!(one, other, "{}\n{}", case.template.join("\n"), case.data()),
    }
}

/// Every case, changed in some way, against the case itself.
fn for_each_case(change: impl Fn(&Case, &mut Random) -> Outcome) {
    for seed in 0..CASES {
        let case = Case::new(seed);
        let changed = change(&case, &mut Random::new(seed ^ 0xc0ffee));
        check(&original(&case), &changed, &case);
    }
}

#[test]
fn most_cases_derive_atoms() {
    let derives = |seed: &u64| {
        original(&Case::new(*seed)).is_ok_and(|solved| solved.iter().any(|example| example.counts.rule > 0))
    };
    let count = (0..CASES).filter(derives).count();
    assert!(count * 100 >= 80 * CASES as usize, "{count} of {CASES}");
}

#[test]
fn the_order_of_facts_and_rules_changes_nothing() {
    for_each_case(|case, random| {
        let mut template = case.template.clone();
        random.shuffle(&mut template);
        let mut examples = case.examples.clone();
        examples.iter_mut().for_each(|facts| random.shuffle(facts));
        let data = Case { template: Vec::new(), examples }.data();
        solve(&[template.join("\n")], &[data], Layout::Examples)
    });
}

/// Comparisons ask for the order of names, so the new names keep it.
#[test]
fn names_of_constants_change_nothing() {
    let names = [("zza", "'A first'"), ("zzb", "'Bär'"), ("zzc", "m\u{1d4}"), ("zzd", "zz_9")];
    for_each_case(|case, _| {
        let renamed = |text: String| names.iter().fold(text, |text, (old, new)| text.replace(old, new));
        let solved = solve(&[renamed(case.template.join("\n"))], &[renamed(case.data())], Layout::Examples);
        let back = |atom: String| names.iter().fold(atom, |atom, (old, new)| atom.replace(new, old));
        solved.map_err(back).map(|examples| {
            let example = |solved: Solved| {
                let values: BTreeMap<_, _> =
                    solved.values.into_iter().map(|(atom, value)| (back(atom), value)).collect();
                Solved { values, ..solved }
            };
            examples.into_iter().map(example).collect()
        })
    });
}

#[test]
fn one_example_in_several_sentences_is_the_same() {
    for_each_case(|case, _| {
        let mut all = Vec::new();
        // The predicates of other examples are known in the original; here each example stands alone.
        for facts in &case.examples {
            let text = facts.iter().fold(String::new(), |text, fact| text + fact + ".\n");
            all.push(solve(&[case.template.join("\n")], &[text], Layout::Facts));
        }
        all.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    });
}

#[test]
fn examples_in_two_texts_are_the_same() {
    for_each_case(|case, random| {
        let at = random.below(case.examples.len() + 1);
        let part =
            |examples: &[Vec<String>]| Case { template: Vec::new(), examples: examples.to_vec() }.data();
        let data = [part(&case.examples[..at]), part(&case.examples[at..])];
        solve(&[case.template.join("\n")], &data, Layout::Examples)
    });
}

#[test]
fn a_template_in_two_texts_is_the_same() {
    for_each_case(|case, random| {
        let at = random.below(case.template.len() + 1);
        let texts = [case.template[at..].join("\n"), case.template[..at].join("\n")];
        solve(&texts, &[case.data()], Layout::Examples)
    });
}

#[test]
fn a_template_printed_and_read_again_is_the_same() {
    use lrnn::diagnostic::SourceId;
    use lrnn::syntax::{parse, print};
    for_each_case(|case, _| {
        let text = case.template.join("\n");
        let printed = print(&parse(&text, SourceId(0)).0, &text);
        solve(&[printed], &[case.data()], Layout::Examples)
    });
}
