//! The order of predicates: dependencies first, predicates that depend on each other together.

use std::collections::{BTreeMap, VecDeque};

use super::{Rule, RuleId, Stratum, Template};
use crate::diagnostic::{Diagnostic, Severity};
use crate::vocabulary::PredicateId;

/// Sorts the predicates into strata, its strongly connected components.
pub(super) fn strata(rules: &[Rule], predicates: usize) -> Vec<Stratum> {
    let depends = dependencies(rules, predicates);
    let mut strata: Vec<Stratum> =
        strong_components(predicates, |node, edge| depends[node].get(edge).copied())
            .into_iter()
            .map(|members| {
                let recursive = members.len() > 1 || depends[members[0]].contains(&members[0]);
                let predicates = members.into_iter().map(|member| PredicateId(member as u32)).collect();
                Stratum { predicates, rules: Vec::new(), recursive }
            })
            .collect();
    let mut stratum_of = vec![0; predicates];
    for (number, stratum) in strata.iter().enumerate() {
        for predicate in &stratum.predicates {
            stratum_of[predicate.index()] = number;
        }
    }
    for (number, rule) in rules.iter().enumerate() {
        strata[stratum_of[rule.head.predicate.index()]].rules.push(RuleId(number as u32));
    }
    strata
}

/// Returns, for each predicate, those in the bodies of its rules.
fn dependencies(rules: &[Rule], predicates: usize) -> Vec<Vec<usize>> {
    let mut depends = vec![Vec::new(); predicates];
    for rule in rules {
        depends[rule.head.predicate.index()].extend(rule.body_predicates().map(PredicateId::index));
    }
    for list in &mut depends {
        list.sort_unstable();
        list.dedup();
    }
    depends
}

/// Returns the strongly connected components of a graph, those that edges lead to first; `next` gives the edge with
/// this number of a node. Tarjan's way, with a stack of its own, since chains may be long.
pub(crate) fn strong_components(
    count: usize,
    next: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let (mut order, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let mut is_open = vec![false; count];
    let (mut open, mut components, mut seen) = (Vec::new(), Vec::new(), 0);
    let mut way: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if order[root] == UNSEEN {
            way.push((root, 0));
        }
        while let Some(&mut (node, ref mut edge)) = way.last_mut() {
            if *edge == 0 {
                (order[node], low[node]) = (seen, seen);
                seen += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(below) = next(node, *edge) {
                *edge += 1;
                match order[below] {
                    UNSEEN => way.push((below, 0)),
                    met if is_open[below] => low[node] = low[node].min(met),
                    _ => {}
                }
                continue;
            }
            way.pop();
            if let Some(&(above, _)) = way.last() {
                low[above] = low[above].min(low[node]);
            }
            if low[node] == order[node] {
                let from = open.iter().rposition(|&it| it == node).unwrap_or(0);
                let mut members = open.split_off(from);
                members.iter().for_each(|&member| is_open[member] = false);
                members.sort_unstable();
                components.push(members);
            }
        }
    }
    components
}

/// Checks cycles: negation inside one is an error; any other cycle is a note, or an error where the paper's rule is
/// asked for.
pub(super) fn check(template: &Template, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
    let depends = dependencies(&template.rules, template.predicates.len());
    for stratum in template.strata.iter().filter(|stratum| stratum.recursive) {
        let members: Vec<usize> = stratum.predicates.iter().map(|predicate| predicate.index()).collect();
        let before = diagnostics.len();
        for &id in &stratum.rules {
            check_negation(template, template.rule(id), &members, &depends, diagnostics);
            check_kinds(template, template.rule(id), &members, diagnostics);
        }
        if diagnostics.len() > before {
            continue; // the same cycle, told already
        }
        let cycle = cycle_text(template, &members, &depends, members[0], members[0]);
        let inside = |id: &&RuleId| {
            template
                .rule(**id)
                .positive()
                .any(|atom| stratum.predicates.binary_search(&atom.predicate).is_ok())
        };
        let Some(rule) = stratum.rules.iter().find(inside).or(stratum.rules.first()) else { continue };
        let rule = template.rule(*rule);
        let severity = if strict { Severity::Error } else { Severity::Note };
        let message = format!("the template is recursive: {cycle}");
        let help = if strict {
            "the paper asks for a strict order of predicates; without --strict the ground network decides"
        } else {
            "where the ground network has a cycle, its values are the fixed point from 0; `:- recursion(none).` refuses \
             cycles, --strict all recursion"
        };
        diagnostics.push(Diagnostic::new(severity, "T0601", rule.span, message).help(help));
    }
}

fn check_negation(
    template: &Template,
    rule: &Rule,
    members: &[usize],
    depends: &[Vec<usize>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for predicate in rule.absent() {
        if members.binary_search(&predicate.index()).is_ok() {
            let cycle =
                cycle_text(template, members, depends, rule.head.predicate.index(), predicate.index());
            let message = format!("`not` inside a cycle has no meaning: {cycle}");
            let help = "what is negated must be settled before this rule: break the cycle, or use `~` for a soft negation";
            diagnostics.push(Diagnostic::error("E0602", rule.span, message).help(help));
        }
    }
}

/// Refuses kinds of atoms in an index of which they may be part themselves.
fn check_kinds(template: &Template, rule: &Rule, members: &[usize], diagnostics: &mut Vec<Diagnostic>) {
    let literals = rule.kinds.iter().filter_map(|kind| rule.positive().nth(kind.literal));
    for literal in literals.filter(|literal| members.binary_search(&literal.predicate.index()).is_ok()) {
        let (name, head) = (literal.predicate, rule.head.predicate);
        let [name, head] = [name, head].map(|id| template.vocabulary.signature(id));
        let message = format!("the kind of `{name}` depends on `{head}`, whose weight it indexes here");
        let help = "a kind must be settled before it is an index: give the head a predicate of its own";
        diagnostics.push(Diagnostic::error("E0408", rule.span, message).help(help));
    }
}

/// Returns the shortest cycle through `from` whose first step goes to `first` (if they differ), predicate by predicate.
fn cycle_text(
    template: &Template,
    members: &[usize],
    depends: &[Vec<usize>],
    from: usize,
    first: usize,
) -> String {
    let (mut parent, mut queue) = (BTreeMap::from([(first, from)]), VecDeque::from([first]));
    let mut last = first;
    'search: while let Some(node) = queue.pop_front() {
        for &below in depends[node].iter().filter(|below| members.binary_search(below).is_ok()) {
            if below == from {
                last = node;
                break 'search;
            }
            parent.entry(below).or_insert_with(|| {
                queue.push_back(below);
                node
            });
        }
    }
    let mut path = vec![from];
    let mut node = last;
    while node != from && path.len() <= members.len() {
        path.push(node);
        node = parent.get(&node).copied().unwrap_or(from);
    }
    path.push(from);
    path.reverse();
    let name = |&member: &usize| template.vocabulary.signature(PredicateId(member as u32)).to_string();
    path.iter().map(name).collect::<Vec<_>>().join(" needs ")
}
