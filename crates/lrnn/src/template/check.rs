//! What can be said of a template before any data: rules that can never fire, names used with two arities,
//! predicates that nothing uses.

use super::{Atom, Comparison, Condition, Pattern, Rule, Template, Term};
use crate::syntax::{Diagnostic, suggest};
use crate::vocabulary::PredicateId;

pub(super) fn check(template: &Template, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &template.rules {
        if let Some(why) = never_fires(template, rule) {
            let message = format!("this rule can never fire: {why}");
            diagnostics.push(Diagnostic::warning("W0302", rule.span, message));
        }
    }
    for (id, _) in template.vocabulary.predicates() {
        diagnostics.extend(check_use(template, id));
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
                let holds = comparison.holds(left.compare(right));
                (!holds).then(|| format!("`{left}` and `{right}` do not compare so"))
            }
            Condition::Absent(predicate, patterns) => {
                let same = |atom: &&Atom| {
                    atom.predicate == *predicate
                        && atom.terms.iter().zip(patterns).all(|(term, pattern)| match pattern {
                            Pattern::Any => true,
                            Pattern::Term(pattern) => pattern == term,
                        })
                };
                let name = template.vocabulary.signature(*predicate);
                rule.positive()
                    .any(|atom| same(&atom))
                    .then(|| format!("it asks that `{name}` holds and does not hold"))
            }
            Condition::Compare(..) => None,
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

fn check_use(template: &Template, id: PredicateId) -> Option<Diagnostic> {
    let signature = template.vocabulary.signature(id);
    let predicate = &template.predicates[id.index()];
    let in_body = |rule: &Rule| {
        rule.positive().any(|atom| atom.predicate == id)
            || rule
                .conditions
                .iter()
                .any(|condition| matches!(condition, Condition::Absent(absent, _) if *absent == id))
    };
    let used = template.rules.iter().any(in_body);
    let defined = predicate.is_head || predicate.has_facts;
    if !used && !predicate.is_head {
        let message = format!("the predicate `{signature}` is never used by a rule");
        return Some(Diagnostic::warning("W0303", predicate.span, message));
    }
    if defined {
        return None;
    }
    let others = || template.vocabulary.predicates().filter(|(other, _)| *other != id);
    if let Some((_, other)) = others().find(|(_, other)| other.name == signature.name) {
        let message = format!("`{signature}` is left to the data, but the template also speaks of `{other}`");
        let help = format!("did you mean `{other}`? A predicate is its name and the number of its terms");
        return Some(Diagnostic::warning("W0304", predicate.span, message).help(help));
    }
    let heads = others().filter(|(other, known)| {
        template.predicates[other.index()].is_head && known.arity == signature.arity
    });
    let near = suggest(&signature.name, heads.map(|(_, known)| &*known.name));
    near.filter(|near| near.len() > 4 && !differ_in_digits(near, &signature.name)).map(|near| {
        let message =
            format!("`{signature}` is left to the data: no rule and no fact of the template defines it");
        Diagnostic::warning("W0305", predicate.span, message).help(format!("did you mean `{near}`?"))
    })
}

/// Names that differ in a number only are meant to differ.
fn differ_in_digits(a: &str, b: &str) -> bool {
    let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    letters(a) == letters(b)
}
