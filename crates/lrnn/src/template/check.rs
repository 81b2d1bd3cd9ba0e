//! What can be said of a template before any data: rules that can never fire, names used with two arities,
//! predicates that nothing uses.

use std::collections::BTreeMap;

use super::{Atom, Comparison, Condition, Rule, Template, Term};
use crate::diagnostic::{Diagnostic, suggest};
use crate::function::Activation;
use crate::vocabulary::{PredicateId, Signature};

pub(super) fn check(template: &Template, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &template.rules {
        if let Some(why) = never_fires(template, rule) {
            let message = format!("this rule can never fire: {why}");
            diagnostics.push(Diagnostic::warning("W0302", rule.span, message));
        }
    }
    diagnostics.extend(template.rules.iter().filter_map(|rule| squeezed(template, rule)));
    let uses = Uses::of(template);
    for (id, _) in template.vocabulary.predicates() {
        diagnostics.extend(check_use(template, &uses, id));
    }
}

fn never_fires(template: &Template, rule: &Rule) -> Option<String> {
    rule.conditions
        .iter()
        .find_map(|condition| match condition {
            Condition::Compare(comparison, left, right) if left == right => (!comparison
                .holds(std::cmp::Ordering::Equal))
            .then(|| "it compares a term with itself".into()),
            Condition::Compare(comparison, Term::Constant(left), Term::Constant(right)) => {
                let (left, right) =
                    (template.vocabulary.constant(*left), template.vocabulary.constant(*right));
                let holds = comparison.holds(left.compare(&right));
                (!holds).then(|| format!("`{left}` and `{right}` do not compare so"))
            }
            Condition::Absent(predicate, patterns) => {
                let same = |atom: &&Atom| {
                    let mut pairs = atom.terms.iter().zip(patterns);
                    atom.predicate == *predicate && pairs.all(|(term, it)| it.is_none_or(|it| it == *term))
                };
                let name = template.vocabulary.signature(*predicate);
                rule.positive()
                    .any(|atom| same(&atom))
                    .then(|| format!("it asks that `{name}` holds and does not hold"))
            }
            _ => None,
        })
        .or_else(|| contradiction(rule))
}

/// `X < Y` together with `Y < X`, and the like.
fn contradiction(rule: &Rule) -> Option<String> {
    let less = |condition: &Condition| match *condition {
        Condition::Compare(Comparison::Less, left, right) => Some((left, right)),
        Condition::Compare(Comparison::Greater, left, right) => Some((right, left)),
        _ => None,
    };
    let pairs: Vec<_> = rule.conditions.iter().filter_map(less).collect();
    let both = pairs.iter().any(|&(left, right)| pairs.contains(&(right, left)));
    both.then(|| "its comparisons exclude each other".into())
}

/// Tells of a rule that only passes one value on through a sigmoid, where a sigmoid made it: its values lie closer
/// together than before, which is hard to learn from.
fn squeezed(template: &Template, rule: &Rule) -> Option<Diagnostic> {
    let [input] = &rule.inputs[..] else { return None };
    let is_sigmoid = |activation| activation == Activation::Sigmoid;
    let below = &template.predicates[input.atom.predicate.index()];
    let is_one = input
        .atom
        .variables()
        .chain(rule.guards.iter().flat_map(Atom::variables))
        .all(|variable| rule.index.contains(&variable) || rule.head.has_variable(variable));
    let is_indexed = rule.weight.as_ref().is_some_and(|weight| !weight.index.is_empty());
    let is_squeezed = is_indexed
        && below.is_head
        && is_sigmoid(below.activation)
        && is_sigmoid(rule.functions.activation)
        && input.weight.is_none()
        && is_one;
    is_squeezed.then(|| {
        let name = template.vocabulary.signature(input.atom.predicate);
        let message = format!("this rule has one input and one ground rule: it only squeezes `{name}` once more");
        let help = format!(
            "write the body of `{name}` in its place, or give the rule `[activation = identity]`: values far apart are easier to learn from"
        );
        Diagnostic::note("T0603", rule.span, message).help(help)
    })
}

/// The uses of predicates in rules, gathered once.
struct Uses<'a> {
    /// True if some body has it, by predicate.
    in_body: Vec<bool>,
    by_name: BTreeMap<&'a str, Vec<PredicateId>>,
    /// The heads, to tell what a name may have meant; none where there are too many names for a person to have written.
    heads: Vec<&'a Signature>,
}

/// The most predicates among which a misspelt name is looked for.
const MOST_NAMES: usize = 1000;

impl<'a> Uses<'a> {
    fn of(template: &'a Template) -> Self {
        let mut in_body = vec![false; template.predicates.len()];
        for rule in &template.rules {
            rule.body_predicates().for_each(|predicate| in_body[predicate.index()] = true);
        }
        let mut by_name: BTreeMap<&str, Vec<PredicateId>> = BTreeMap::new();
        for (id, signature) in template.vocabulary.predicates() {
            by_name.entry(&signature.name).or_default().push(id);
        }
        let heads = template.vocabulary.predicates();
        let heads =
            heads.filter(|(id, _)| template.predicates[id.index()].is_head && in_body.len() <= MOST_NAMES);
        Self { heads: heads.map(|(_, head)| head).collect(), in_body, by_name }
    }
}

fn check_use(template: &Template, uses: &Uses<'_>, id: PredicateId) -> Option<Diagnostic> {
    let signature = template.vocabulary.signature(id);
    let predicate = &template.predicates[id.index()];
    if !uses.in_body[id.index()] && !predicate.is_head {
        let message = format!("the predicate `{signature}` is never used by a rule");
        return Some(Diagnostic::warning("W0303", predicate.span, message));
    }
    if predicate.is_head || predicate.has_facts {
        return None;
    }
    let same_name = uses.by_name.get(&*signature.name);
    if let Some(&other) = same_name.and_then(|same| same.iter().find(|other| **other != id)) {
        let other = template.vocabulary.signature(other);
        let message = format!("`{signature}` is left to the data, but the template also speaks of `{other}`");
        let help = format!("did you mean `{other}`? A predicate is its name and the number of its terms");
        return Some(Diagnostic::warning("W0304", predicate.span, message).help(help));
    }
    let heads = uses.heads.iter().filter(|head| head.arity == signature.arity);
    let near = suggest(&signature.name, heads.map(|head| &*head.name));
    near.filter(|near| near.len() > 4 && !differ_in_digits(near, &signature.name)).map(|near| {
        let message =
            format!("`{signature}` is left to the data: no rule and no fact of the template defines it");
        Diagnostic::warning("W0305", predicate.span, message).help(format!("did you mean `{near}`?"))
    })
}

/// Returns whether names differ in a number only: then they are meant to.
fn differ_in_digits(a: &str, b: &str) -> bool {
    let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    letters(a) == letters(b)
}
