//! Biases of other rule learners, as directives of ours: Aleph's modes and determinations, which stand among the facts of
//! `*.b`, and Popper's `bias.pl`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use lrnn::Error;
use lrnn_io::{file_error, read_text};

use crate::facts::FactIndex;

/// A term of Prolog: `bond(+drug, -atom)`, `bond/4`, `(drug, atom)`, which has no name, or a name alone.
#[derive(Clone, PartialEq, Debug, Default)]
struct PrologTerm {
    /// `+`, `-`, `#` or nothing.
    sign: Option<char>,
    name: String,
    terms: Vec<PrologTerm>,
    /// The number behind `/`.
    arity: Option<String>,
}

/// Words about one predicate.
#[derive(Clone, Default, Debug)]
struct PredicateWords {
    types: Vec<String>,
    /// By column: the modes that are named.
    modes: Vec<Vec<char>>,
    /// True if rules may speak of it.
    is_used: bool,
}

/// Returns the text that holds the bias of a folder of Aleph's or Popper's, if it has one.
pub(crate) fn folder_bias(folder: &Path) -> Result<Option<String>, Error> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| file_error(folder, error))? {
        let path = entry.map_err(|error| file_error(folder, error))?.path();
        let is_bias = path.file_name().is_some_and(|name| name == "bias.pl");
        if is_bias || path.extension().is_some_and(|ending| ending == "b") {
            texts.push((path.clone(), read_text(&path)?));
        }
    }
    texts.sort();
    let text: String = texts.into_iter().map(|(_, text)| text + "\n").collect();
    Ok(is_foreign(&text).then_some(text))
}

/// Tells whether a text is a bias of Aleph's or Popper's.
fn is_foreign(text: &str) -> bool {
    sentences(text).iter().filter_map(|sentence| directive(sentence)).next().is_some()
}

/// Returns a bias of Aleph's or Popper's as directives of ours; none if it is ours already. Predicates without facts are
/// passed over, and those that it does not let rules speak of are forbidden.
pub(crate) fn directives(text: &str, facts: &FactIndex) -> Option<String> {
    let all: Vec<PrologTerm> = sentences(text).iter().filter_map(|sentence| directive(sentence)).collect();
    if all.is_empty() {
        return None;
    }
    let mut words: BTreeMap<(String, usize), PredicateWords> = BTreeMap::new();
    let mut values: Vec<String> = Vec::new();
    for term in &all {
        match (term.name.as_str(), &term.terms[..]) {
            ("modeh", [.., head]) => said(&mut words, head, &mut values, false),
            ("modeb" | "mode", [.., body]) => said(&mut words, body, &mut values, true),
            ("determination", [_, body]) => {
                let arity = body.arity.as_deref().and_then(|arity| arity.parse().ok()).unwrap_or(0);
                words.entry((body.name.clone(), arity)).or_default().is_used = true;
            }
            ("body_pred", [name, arity, ..]) => {
                let arity = arity.name.parse().unwrap_or(0);
                words.entry((name.name.clone(), arity)).or_default().is_used = true;
            }
            ("type", [name, types]) => {
                let entry = words.entry((name.name.clone(), types.terms.len())).or_default();
                entry.types = types.terms.iter().map(|kind| kind.name.clone()).collect();
            }
            ("direction", [name, directions]) => {
                let entry = words.entry((name.name.clone(), directions.terms.len())).or_default();
                let sign = |way: &PrologTerm| vec![if way.name == "in" { '+' } else { '-' }];
                entry.modes = directions.terms.iter().map(sign).collect();
            }
            _ => {}
        }
    }
    Some(written(&words, &values, facts))
}

/// Notes types and modes of a predicate.
fn said(
    words: &mut BTreeMap<(String, usize), PredicateWords>,
    atom: &PrologTerm,
    values: &mut Vec<String>,
    is_body: bool,
) {
    let entry = words.entry((atom.name.clone(), atom.terms.len())).or_default();
    entry.is_used |= is_body;
    entry.types = atom.terms.iter().map(|term| term.name.clone()).collect();
    entry.modes.resize(atom.terms.len(), Vec::new());
    for (term, modes) in atom.terms.iter().zip(&mut entry.modes) {
        modes.extend(term.sign);
        if term.sign == Some('#') {
            values.push(term.name.clone());
        }
    }
}

/// Writes directives about the predicates that have facts.
fn written(
    words: &BTreeMap<(String, usize), PredicateWords>,
    values: &[String],
    facts: &FactIndex,
) -> String {
    let mut text = String::new();
    let plain = |name: &str| name.trim_matches('\'').to_owned();
    let find = |name: &str, arity: usize| {
        words.iter().find(|((own, count), _)| plain(own) == plain(name) && *count == arity).map(|(_, it)| it)
    };
    let mut kinds: Vec<&str> = Vec::new();
    let width = facts.queries.first().map_or(0, |query| query.terms.len());
    let typed = |text: &mut String, name: &str, own: &PredicateWords| {
        if !own.types.is_empty() {
            let _ = writeln!(text, ":- type({name}({})).", own.types.join(", "));
        }
    };
    if let Some(own) = find(&facts.goal_name, width) {
        typed(&mut text, &facts.goal_name, own);
    }
    for known in &facts.relations {
        let own = find(&known.name, known.arity).filter(|own| own.is_used);
        let Some(own) = own else {
            let _ = writeln!(text, ":- forbid({}/{}).", known.name, known.arity);
            continue;
        };
        typed(&mut text, &known.name, own);
        kinds.extend(own.types.iter().map(String::as_str));
        if !own.modes.is_empty() && own.modes.len() == known.arity {
            let modes: Vec<String> = own.modes.iter().map(|modes| one_mode(modes).to_string()).collect();
            let _ = writeln!(text, ":- mode({}({})).", known.name, modes.join(", "));
        }
    }
    let mut named: Vec<&String> = values.iter().filter(|kind| kinds.contains(&kind.as_str())).collect();
    named.sort();
    named.dedup();
    named.iter().for_each(|kind| _ = writeln!(text, ":- values({kind})."));
    text
}

/// Returns the one mode that allows what each of some modes allows.
fn one_mode(modes: &[char]) -> char {
    let has = |mode: char| modes.contains(&mode);
    match (has('#'), has('+'), has('-')) {
        (true, false, false) => '#',
        (true, ..) => '*',
        (false, true, false) => '+',
        _ => '-',
    }
}

/// Returns the sentences of a text of Prolog, without comments.
fn sentences(text: &str) -> Vec<String> {
    let (mut all, mut own, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '%' if !quoted => while characters.next_if(|next| *next != '\n').is_some() {},
            '/' if !quoted && characters.peek() == Some(&'*') => {
                let mut last = ' ';
                for next in characters.by_ref() {
                    if (last, next) == ('*', '/') {
                        break;
                    }
                    last = next;
                }
            }
            '.' if !quoted && characters.peek().is_none_or(|next| next.is_whitespace() || *next == '%') => {
                all.push(std::mem::take(&mut own));
            }
            _ => {
                quoted ^= character == '\'';
                own.push(character);
            }
        }
    }
    all
}

/// Returns what a sentence says of the bias, if it does.
fn directive(sentence: &str) -> Option<PrologTerm> {
    let text = sentence.trim();
    let of_aleph = text.strip_prefix(":-").or_else(|| text.strip_prefix("!-")); // Golem writes `!-`
    let (text, is_aleph) = (of_aleph.unwrap_or(text).trim_start(), of_aleph.is_some());
    let words: &[&str] = match is_aleph {
        true => &["modeh(", "modeb(", "mode(", "determination("],
        false => &["head_pred(", "body_pred(", "type(", "direction("],
    };
    // A directive of ours has one argument.
    let term = words.iter().any(|word| text.starts_with(word)).then(|| term(&mut &*text)).flatten()?;
    (term.terms.len() > 1).then_some(term)
}

/// Reads a term from the beginning of a text; none if there is none that we know.
fn term(text: &mut &str) -> Option<PrologTerm> {
    let mut found = PrologTerm::default();
    *text = text.trim_start();
    if let Some(sign) = text.chars().next().filter(|sign| "+-#".contains(*sign)) {
        found.sign = Some(sign);
        *text = text[1..].trim_start();
    }
    let end = match text.strip_prefix('\'') {
        Some(rest) => rest.find('\'')? + 2,
        None => text.find(|c: char| !(c.is_alphanumeric() || "_*".contains(c))).unwrap_or(text.len()),
    };
    (found.name, *text) = (text[..end].to_owned(), text[end..].trim_start());
    if let Some(rest) = text.strip_prefix('(') {
        *text = rest;
        loop {
            found.terms.push(term(text)?);
            *text = text.trim_start();
            match text.strip_prefix(',') {
                // `(drug,)` has one element.
                Some(rest) if !rest.trim_start().starts_with(')') => *text = rest,
                other => {
                    *text = other.unwrap_or(text).trim_start().strip_prefix(')')?;
                    break;
                }
            }
        }
    } else if let Some(rest) = text.strip_prefix('/') {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        (found.arity, *text) = (Some(rest[..end].to_owned()), &rest[end..]);
    }
    let is_term = !found.name.is_empty() || !found.terms.is_empty();
    is_term.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bias::{ArgumentMode, Bias};
    use crate::goal::Goal;
    use lrnn::data::{DatasetBuilder, Layout};
    use lrnn::vocabulary::Vocabulary;

    fn facts() -> FactIndex {
        let mut builder = DatasetBuilder::new(Vocabulary::default());
        let text = "atom(d1, a1, c), atom(d1, a2, o), bond(d1, a1, a2, 7), atom(d2, b1, c), ring(d2).";
        builder.text("facts", text, Layout::Facts);
        builder.queries_text("queries", "1 active(d1).\n0 active(d2).");
        let dataset = builder.build().expect("data");
        let goal = Goal::all(&dataset).expect("a goal").remove(0);
        FactIndex::new(&dataset, &goal)
    }

    fn check(text: &str, expected: &[&str]) {
        let facts = facts();
        let found = directives(text, &facts).expect("a bias");
        assert_eq!(found.lines().collect::<Vec<_>>(), expected);
        Bias::read(text, &facts, &[]).expect("it is read");
    }

    #[test]
    fn determinations_of_golem_are_read() {
        check("!- determination(active/1, ring/1).", &[":- forbid(atom/3).", ":- forbid(bond/4)."]);
    }

    #[test]
    fn modes_and_determinations_of_aleph_are_read() {
        check(
            ":- use_module(library(lists)).
            :- modeh(1,active(+drug)).
            :- modeb(*,atom(+drug,-atomid,#element)). % a comment
            /* :- modeb(*,ring(+drug)). */
            :- modeb(*,bond(+drug,+atomid,-atomid,#kind)).  :- modeb(*,bond(+drug,-atomid,-atomid,#kind)).
            :- determination(active/1, atom/3).
            :- determination(active/1, bond/4).
            atom(d1, a1, c).",
            &[
                ":- type(active(drug)).",
                ":- type(atom(drug, atomid, element)).",
                ":- mode(atom(+, -, #)).",
                ":- type(bond(drug, atomid, atomid, kind)).",
                ":- mode(bond(+, -, -, #)).",
                ":- forbid(ring/1).",
                ":- values(element).",
                ":- values(kind).",
            ],
        );
    }

    #[test]
    fn types_and_directions_of_popper_are_read() {
        check(
            "head_pred(active,1).\nbody_pred(atom,3).\nbody_pred(ring,1).\nbody_pred(missing,2).
            type(active,(drug,)).\ntype(atom,(drug,atomid,element)).\ntype(ring,(drug,)).
            direction(atom,(in,out,out)).\nmax_vars(5).",
            &[
                ":- type(active(drug)).",
                ":- type(atom(drug, atomid, element)).",
                ":- mode(atom(+, -, -)).",
                ":- forbid(bond/4).",
                ":- type(ring(drug)).",
            ],
        );
    }

    #[test]
    fn a_bias_of_ours_stays() {
        let facts = facts();
        let text = Bias::infer(&facts).text(&facts);
        assert_eq!(directives(&text, &facts), None);
        let bias = Bias::read(":- mode(ring(+)).", &facts, &[]).expect("a bias");
        let ring = facts.relations.iter().position(|known| known.name == "ring").expect("ring");
        assert_eq!(bias.relations[ring].modes, [ArgumentMode::Bound]);
    }

    #[test]
    fn no_text_makes_it_stumble() {
        for text in [
            "",
            ".",
            ":- modeb(",
            ":- modeb(*, p(.",
            "type(a,(",
            "body_pred(p,(a)).",
            ":- modeb('a, b).",
            "type(,).",
            ":- mode(1,+).",
        ] {
            directives(text, &facts());
        }
    }
}
