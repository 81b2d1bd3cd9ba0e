//! The kinds of atoms, and numbers of ground rules: what stands in the index of a weight and no literal binds.
//!
//! The kind of an atom is how it is derived, whatever its constants are called: its facts, and its ground rules, each
//! with the rule, the constants of its index, and the kinds of its inputs. Guards and the values of facts do not count.
//! So atoms of one kind have the same ancestry in the network; where messages are passed along bonds, kinds are the
//! environments of atoms, as Weisfeiler and Lehman refine them. A kind is a hash of 64 bits which depends on the
//! template and on texts alone: it is the same in every data and in every run.

use super::facts::instance_term;
use super::{FactSource, Grounding};
use crate::template::{Rule, RuleId, Stratum, Template, Term};
use crate::vocabulary::{Constant, ConstantId, Vocabulary};

/// Begins the hash of an atom's kind, of a ground rule and of a fact.
const ATOM: u64 = 1;
const RULE: u64 = 2;
const FACT: u64 = 3;

/// Returns a hash with one more part.
pub(super) fn fold(so_far: u64, part: u64) -> u64 {
    let mixed = (so_far.rotate_left(29) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

/// Returns the hash of a constant by its text.
fn constant_hash(constant: &Constant) -> u64 {
    let bytes = |so_far, text: &str| text.bytes().fold(so_far, |so_far, byte| fold(so_far, byte.into()));
    match constant {
        Constant::Name(name) => bytes(1, name),
        Constant::Integer(_) | Constant::Number(_) => bytes(2, &constant.to_string()),
    }
}

/// Returns the kind of an atom with these parts: its facts and ground rules.
pub(super) fn atom_kind(parts: &mut [u64]) -> u64 {
    parts.sort_unstable();
    parts.iter().fold(ATOM, |so_far, &part| fold(so_far, part))
}

/// Returns what a ground rule is to the kind of its head: the rule, its index, the kinds of its inputs.
pub(super) fn rule_part(
    template: &Template,
    vocabulary: &Vocabulary,
    grounding: &Grounding,
    id: RuleId,
    ground: usize,
    inputs: impl Iterator<Item = u64>,
) -> u64 {
    let (rule, columns) = (template.rule(id), &grounding.rules[id.index()].index);
    let bound = rule.bound_index().len();
    let index = columns.iter().enumerate().map(|(column, constants)| match constants[ground] {
        constant if column < bound => constant_hash(&vocabulary.constant(constant)),
        word => word.0.into(),
    });
    let hash = index.fold(fold(RULE, id.0.into()), fold);
    inputs.fold(hash, fold)
}

/// Returns what a fact is to the kind of its atom: that there is one, or the weight and index of the template's.
pub(super) fn fact_part(
    template: &Template,
    vocabulary: &Vocabulary,
    source: FactSource,
    terms: &[ConstantId],
) -> u64 {
    let FactSource::Template(number) = source else { return FACT };
    let fact = &template.facts[number as usize];
    let Some(used) = &fact.weight else { return FACT };
    let constant = |&term: &Term| instance_term(fact, terms, term);
    let index = used.index.iter().filter_map(constant).map(|it| constant_hash(&vocabulary.constant(it)));
    index.fold(fold(FACT, u64::from(used.weight.0) + 1), fold)
}

/// Returns the words of a kind, as they stand in an index.
pub(super) fn words(kind: u64) -> [ConstantId; 2] {
    [ConstantId((kind >> 32) as u32), ConstantId(kind as u32)]
}

/// Sets the columns of indices that no literal binds, stratum by stratum.
pub(super) fn set_indices(template: &Template, vocabulary: &Vocabulary, grounding: &mut Grounding) {
    let is_needed = needed(template, grounding.relations.len());
    let unset = |relation: &super::Relation| vec![None; relation.len()];
    let mut kinds: Kinds = grounding.relations.iter().map(unset).collect();
    for stratum in &template.strata {
        for &id in &stratum.rules {
            set_kinds(template.rule(id), id, &kinds, grounding);
            number(template, id, grounding);
        }
        if stratum.predicates.iter().any(|predicate| is_needed[predicate.index()]) {
            while settle(template, vocabulary, grounding, stratum, &mut kinds) && stratum.recursive {}
        }
    }
}

/// Returns whether kinds of a stratum's atoms stand in an index or are part of others that do: an atom that is part of
/// how it is derived itself has none.
pub(super) fn has_kinds(template: &Template, stratum: &Stratum) -> bool {
    let has_some = template.rules.iter().any(|rule| !rule.kinds.is_empty());
    let is_needed = || needed(template, template.predicates.len());
    has_some && stratum.predicates.iter().any(|predicate| is_needed()[predicate.index()])
}

/// The kinds of atoms that are known, by predicate and row.
type Kinds = Vec<Vec<Option<u64>>>;

/// Returns, by predicate, whether its kinds stand in an index or are part of others that do.
fn needed(template: &Template, predicates: usize) -> Vec<bool> {
    let mut is_needed = vec![false; predicates];
    for rule in &template.rules {
        for literal in rule.kinds.iter().filter_map(|kind| rule.positive().nth(kind.literal)) {
            is_needed[literal.predicate.index()] = true;
        }
    }
    for stratum in template.strata.iter().rev() {
        // All of a stratum, as they depend on each other.
        if stratum.predicates.iter().any(|predicate| is_needed[predicate.index()]) {
            let inputs = stratum.rules.iter().flat_map(|&id| &template.rule(id).inputs);
            inputs.for_each(|input| is_needed[input.atom.predicate.index()] = true);
        }
    }
    is_needed
}

fn set_kinds(rule: &Rule, id: RuleId, kinds: &Kinds, grounding: &mut Grounding) {
    let ground = &mut grounding.rules[id.index()];
    for (nth, kind) in rule.kinds.iter().enumerate() {
        let Some(literal) = rule.positive().nth(kind.literal) else { continue };
        let known = &kinds[literal.predicate.index()];
        let words = ground.body[kind.literal].iter().map(|&row| words(known[row as usize].unwrap_or(0)));
        let words: Vec<[ConstantId; 2]> = words.collect();
        let column = rule.bound_index().len() + 2 * nth;
        for (word, column) in (column..column + 2).enumerate() {
            ground.index[column] = words.iter().map(|words| words[word]).collect();
        }
    }
}

/// Numbers the ground rules with one head and index, from 1, in the order of the constants in their bodies.
pub(super) fn number(template: &Template, id: RuleId, grounding: &mut Grounding) {
    let rule = template.rule(id);
    if rule.number.is_none() {
        return;
    }
    let Grounding { relations, rules, .. } = grounding;
    let relations = &*relations;
    let (ground, last) = (&mut rules[id.index()], rule.index.len() - 1);
    let group = |at: u32| {
        let index = ground.index[..last].iter().map(move |column| column[at as usize]);
        (ground.heads[at as usize], index)
    };
    let terms = |at: u32| {
        let rows = rule.positive().zip(&ground.body);
        rows.flat_map(move |(literal, rows)| relations[literal.predicate.index()].row(rows[at as usize]))
    };
    let same = |a: u32, b: u32| group(a).0.cmp(&group(b).0).then_with(|| group(a).1.cmp(group(b).1));
    let mut order: Vec<u32> = (0..ground.heads.len() as u32).collect();
    order.sort_by(|&a, &b| same(a, b).then_with(|| terms(a).cmp(terms(b))));
    let mut numbers = vec![ConstantId(0); order.len()];
    for alike in order.chunk_by(|&a, &b| same(a, b).is_eq()) {
        alike.iter().zip(1..).for_each(|(&at, number)| numbers[at as usize] = ConstantId(number));
    }
    ground.index[last] = numbers;
}

/// Finds the kinds of the atoms of a stratum whose inputs have theirs; whether there was one.
fn settle(
    template: &Template,
    vocabulary: &Vocabulary,
    grounding: &Grounding,
    stratum: &Stratum,
    kinds: &mut Kinds,
) -> bool {
    let mut found = Vec::new();
    for &predicate in &stratum.predicates {
        let (relation, known) = (&grounding.relations[predicate.index()], &kinds[predicate.index()]);
        let mut parts: Vec<(u32, u64)> = (grounding.facts[predicate.index()].iter())
            .map(|&(row, source)| (row, fact_part(template, vocabulary, source, relation.row(row))))
            .collect();
        let mut is_ready: Vec<bool> = known.iter().map(Option::is_none).collect();
        for &id in stratum.rules.iter().filter(|&&id| template.rule(id).head.predicate == predicate) {
            let (rule, ground) = (template.rule(id), &grounding.rules[id.index()]);
            for (at, &head) in ground.heads.iter().enumerate() {
                let inputs = || {
                    let inputs = rule.inputs.iter().zip(&ground.body);
                    inputs.map(|(input, rows)| kinds[input.atom.predicate.index()][rows[at] as usize])
                };
                is_ready[head as usize] &= inputs().all(|kind| kind.is_some());
                if is_ready[head as usize] {
                    let part = rule_part(template, vocabulary, grounding, id, at, inputs().flatten());
                    parts.push((head, part));
                }
            }
        }
        parts.sort_unstable();
        let mut of_row = parts.chunk_by(|a, b| a.0 == b.0).peekable();
        for row in (0..relation.len() as u32).filter(|&row| is_ready[row as usize]) {
            while of_row.next_if(|parts| parts[0].0 < row).is_some() {}
            let mut own: Vec<u64> =
                of_row.next_if(|parts| parts[0].0 == row).into_iter().flatten().map(|part| part.1).collect();
            found.push((predicate, row, atom_kind(&mut own)));
        }
    }
    for &(predicate, row, kind) in &found {
        kinds[predicate.index()][row as usize] = Some(kind);
    }
    !found.is_empty()
}
