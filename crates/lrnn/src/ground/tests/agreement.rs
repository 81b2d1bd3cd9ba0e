//! The planned grounder agrees with the naive one.

use std::collections::BTreeSet;

use super::random::{self, Random};
use super::*;
use crate::template::{Atom, Recursion, RuleId};

/// What one random case was like.
#[derive(Default, Debug)]
struct Seen {
    compared: usize,
    derived: usize,
    cyclic: usize,
    recursive: usize,
    in_runs: usize,
    shared: usize,
    demanded: usize,
    spared: usize,
    /// Kept from one case to the next.
    space: GroundSpace,
}

fn compare(text: &str, template: &Template, dataset: &Dataset, seen: &mut Seen) {
    let (plans, mut space) = (plans(template, dataset), std::mem::take(&mut seen.space));
    for example in &dataset.examples {
        let naive = naive(template, &dataset.vocabulary, example);
        let any = ground(template, &plans, &dataset.vocabulary, example, &Limits::default());
        if let Ok(any) = any {
            assert_eq!(canonical(template, &any), canonical(template, &naive), "{text}\n{example:?}");
        }
        let template = &Template { recursion: Recursion::None, ..template.clone() };
        let planned = ground(template, &plans, &dataset.vocabulary, example, &Limits::default());
        seen.compared += 1;
        match planned {
            Ok(planned) => {
                assert_eq!(canonical(template, &planned), canonical(template, &naive), "{text}\n{example:?}");
                assert!(is_acyclic(template, &naive), "a cycle was not found: {text}\n{example:?}");
                let (vocabulary, limits) = (&dataset.vocabulary, Limits::default());
                let mut in_runs =
                    |scope| ground_in_runs(template, &plans, vocabulary, example, &limits, scope, &mut space);
                let runs = in_runs(Scope::Whole).expect("the same in runs");
                let (own, shared) = compare_runs(text, &planned, &runs);
                seen.in_runs += own;
                seen.shared += shared;
                if plans.scope([]) == Scope::Needed {
                    let needed = in_runs(Scope::Needed).expect("no more than the whole");
                    compare_needed(text, template, &plans, &planned, needed, seen);
                }
                space.take_back(runs.grounding);
                seen.derived += usize::from(naive.rule_count() > 0);
                seen.recursive += usize::from(derives_by_recursion(template, &naive));
            }
            Err(GroundError::Cycle { atoms, .. }) => {
                assert!(!is_acyclic(template, &naive), "a cycle where there is none: {text}\n{example:?}");
                assert!(!atoms.is_empty());
                seen.cyclic += 1;
            }
            Err(error) => panic!("{error:?}: {text}"),
        }
    }
    seen.space = space;
}

/// Returns whether no atom is, through the inputs of ground rules, an input of itself: whether atoms can be settled one
/// by one, each after the inputs of all its ground rules.
fn is_acyclic(template: &Template, grounding: &Grounding) -> bool {
    let mut settled: Vec<Vec<bool>> =
        grounding.relations.iter().map(|relation| vec![false; relation.len()]).collect();
    loop {
        let mut waiting: Vec<Vec<bool>> = settled.iter().map(|rows| vec![false; rows.len()]).collect();
        for (rule, ground) in template.rules.iter().zip(&grounding.rules) {
            for (number, &head) in ground.heads.iter().enumerate() {
                let mut inputs = rule.inputs.iter().zip(&ground.body);
                if inputs.any(|(input, rows)| !settled[input.atom.predicate.index()][rows[number] as usize]) {
                    waiting[rule.head.predicate.index()][head as usize] = true;
                }
            }
        }
        let next: Vec<Vec<bool>> = waiting.iter().map(|rows| rows.iter().map(|row| !row).collect()).collect();
        if next == settled {
            return settled.iter().flatten().all(|&settled| settled);
        }
        settled = next;
    }
}

/// Compares a grounding with what is needed of it: the ground rules behind all atoms of predicates without a demand.
fn compare_needed(
    text: &str,
    template: &Template,
    plans: &Plans,
    whole: &Grounding,
    mut needed: GroundingInRuns,
    seen: &mut Seen,
) {
    let whole = canonical(template, whole);
    let needed = needed.written_out(|needed| canonical(template, needed));
    let is_asked = |atom: &GroundAtom| plans.scope([atom.0]) == Scope::Needed;
    let mut behind: BTreeSet<&GroundAtom> = whole.atoms.iter().filter(|atom| is_asked(atom)).collect();
    loop {
        let before = behind.len();
        for (_, head, body, _) in &whole.rules {
            if behind.contains(head) {
                behind.extend(body);
            }
        }
        if behind.len() == before {
            break;
        }
    }
    let of = |all: &Canonical| -> (Vec<GroundRule>, Vec<GroundAtom>) {
        (
            all.rules.iter().filter(|rule| behind.contains(&rule.1)).cloned().collect(),
            all.atoms.iter().filter(|atom| behind.contains(atom)).cloned().collect(),
        )
    };
    assert_eq!(of(&needed), of(&whole), "{text}");
    assert!(needed.rules.iter().all(|rule| whole.rules.binary_search(rule).is_ok()), "{text}");
    seen.demanded += 1;
    seen.spared += whole.rules.len() - needed.rules.len();
}

/// Compares a grounding with the same in runs, row by row; how many runs there are, and rows of shared walks.
fn compare_runs(text: &str, planned: &Grounding, all: &GroundingInRuns) -> (usize, usize) {
    for (one, other) in planned.relations.iter().zip(&all.grounding.relations) {
        assert!(one.rows().eq(other.rows()), "{text}");
    }
    for (number, (planned, ground)) in planned.rules.iter().zip(&all.grounding.rules).enumerate() {
        match all.runs.written_out(RuleId(number as u32), planned.body.len()) {
            Some(written) => assert_eq!(*planned, written, "{text}"),
            None => assert_eq!(planned, ground, "{text}"),
        }
    }
    let shared = all.runs.shared.iter().flatten().map(SharedRows::len).sum();
    (all.runs.own.iter().flatten().map(Runs::len).sum(), shared)
}

/// Whether some ground rule has its head and a body literal in one recursive stratum.
fn derives_by_recursion(template: &Template, grounding: &Grounding) -> bool {
    template.strata.iter().filter(|stratum| stratum.recursive).any(|stratum| {
        let own = |literal: &Atom| stratum.predicates.contains(&literal.predicate);
        let rules = stratum.rules.iter().filter(|id| template.rule(**id).positive().any(own));
        { rules }.any(|id| !grounding.rules[id.index()].is_empty())
    })
}

#[test]
fn the_planned_grounder_agrees_with_the_naive_one() {
    let mut seen = Seen::default();
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let text = random::template(&mut random);
        let Ok(template) = Template::parse(&text) else { continue };
        let facts: Vec<String> = (0..1 + random.below(3)).map(|_| random::facts(&mut random)).collect();
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        compare(&text, &template, &dataset(&template, &facts), &mut seen);
    }
    assert!(seen.compared >= 2000, "{seen:?}");
    assert!(seen.derived >= (seen.compared - seen.cyclic) * 8 / 10, "{seen:?}");
    assert!(seen.in_runs >= 500 && seen.shared >= 50, "{seen:?}");
    assert!(seen.demanded >= 50 && seen.spared >= 200, "{seen:?}");
    assert!(seen.recursive >= 200 && seen.cyclic >= 50, "{seen:?}");
}

#[test]
fn rules_that_share_a_walk_agree_with_the_naive_grounder() {
    let mut seen = Seen::default();
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let text = random::spelled_out(&mut random);
        let template = template(&text);
        let facts = [random::graph(&mut random), random::graph(&mut random)];
        let facts = facts.each_ref().map(String::as_str);
        compare(&text, &template, &dataset(&template, &facts), &mut seen);
    }
    assert!(seen.compared == 600 && seen.shared > 5000, "{} {}", seen.compared, seen.shared);
}
