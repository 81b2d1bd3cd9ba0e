//! The naive grounder: what a grounding is, in the fewest words.
//!
//! It is the oracle for the planned grounder: no plans, no indexes, no limits. A substitution is built literal by
//! literal in the order written, by looking at every row; a stratum is computed by adding the heads of all true
//! bodies until nothing changes; then all ground rules that are active in the model are listed. It is written to be
//! read, and never optimised.

use super::facts::{domain, template_constants};
use super::types::settle;
use super::{FactSource, GroundRules, Grounding, Relation, kind};
use crate::data::Example;
use crate::function::Shape;
use crate::template::{Atom, Condition, Rule, Template, Term, VariableId, WeightId};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A constant for each variable that has one.
type Substitution = Vec<Option<ConstantId>>;

/// Returns the grounding of a template with an example. It does not ask whether the ground network is acyclic.
pub fn naive(template: &Template, vocabulary: &Vocabulary, example: &Example) -> Grounding {
    let domain = domain(&template_constants(template), example);
    let relations = vocabulary.predicates().map(|(_, predicate)| Relation::new(predicate.arity as usize));
    let none = |rule: &Rule| GroundRules::new(rule.positive().count(), rule.index.len());
    let mut grounding = Grounding {
        relations: relations.collect(),
        facts: vec![Vec::new(); vocabulary.predicate_count()],
        rules: template.rules.iter().map(none).collect(),
        numbers: Vec::new(),
    };
    add_facts(&mut grounding, template, example, &domain);
    for stratum in &template.strata {
        loop {
            let before = grounding.atom_count();
            for &id in &stratum.rules {
                let rule = template.rule(id);
                for substitution in substitutions(rule, &grounding.relations, vocabulary, &domain) {
                    insert(&mut grounding, &rule.head, &substitution);
                }
            }
            if grounding.atom_count() == before {
                break;
            }
        }
    }
    list_ground_rules(&mut grounding, template, vocabulary, &domain);
    settle(template, vocabulary, &mut grounding);
    if template.has_set_index() {
        set_indices(&mut grounding, template, vocabulary);
    }
    grounding
}

/// Sets the parts of indices that no literal binds: again and again, for all atoms, until the kinds of all are known
/// that are not their own inputs.
fn set_indices(grounding: &mut Grounding, template: &Template, vocabulary: &Vocabulary) {
    let mut kinds = vec![];
    while {
        let before = kinds;
        kinds = kinds_from(grounding, template, vocabulary, &before);
        kinds != before
    } {
        for (id, rule) in template.rule_ids().zip(&template.rules) {
            for (nth, kind) in rule.kinds.iter().enumerate() {
                let Some(literal) = rule.positive().nth(kind.literal) else { continue };
                let ground = &mut grounding.rules[id.index()];
                let column = rule.bound_index().len() + 2 * nth;
                let kind_of = |row: &u32| kinds[literal.predicate.index()][*row as usize].unwrap_or(0);
                let words = ground.body[kind.literal].iter().map(kind_of).map(kind::words);
                let [high, low]: [Vec<_>; 2] = [0, 1].map(|word| words.clone().map(|it| it[word]).collect());
                (ground.index[column], ground.index[column + 1]) = (high, low);
            }
            kind::number(template, id, grounding);
        }
    }
}

/// Returns the kind of every atom, by predicate and row, from the kinds of its inputs; none where one has none yet.
fn kinds_from(
    grounding: &Grounding,
    template: &Template,
    vocabulary: &Vocabulary,
    before: &[Vec<Option<u64>>],
) -> Vec<Vec<Option<u64>>> {
    let kind = |predicate: usize, row: u32| {
        let terms = grounding.relations[predicate].row(row);
        let own = grounding.facts[predicate].iter().filter(|fact| fact.0 == row);
        let mut parts: Vec<u64> =
            own.map(|fact| kind::fact_part(template, vocabulary, fact.1, terms)).collect();
        for (id, rule) in template.rule_ids().zip(&template.rules) {
            let ground = &grounding.rules[id.index()];
            for at in (0..ground.len())
                .filter(|&at| rule.head.predicate.index() == predicate && ground.heads[at] == row)
            {
                if ground.index.iter().any(|column| column.len() < ground.len()) {
                    return None; // not set yet
                }
                let inputs = rule.inputs.iter().zip(&ground.body);
                let inputs = inputs.map(|(input, rows)| {
                    *before.get(input.atom.predicate.index())?.get(rows[at] as usize)?
                });
                let inputs: Option<Vec<u64>> = inputs.collect();
                parts.push(kind::rule_part(template, vocabulary, grounding, id, at, inputs?.into_iter()));
            }
        }
        Some(kind::atom_kind(&mut parts))
    };
    let of = |(predicate, relation): (usize, &Relation)| {
        (0..relation.len() as u32).map(|row| kind(predicate, row)).collect()
    };
    grounding.relations.iter().enumerate().map(of).collect()
}

/// Lists all ground rules that are active in the model.
fn list_ground_rules(
    grounding: &mut Grounding,
    template: &Template,
    vocabulary: &Vocabulary,
    domain: &[ConstantId],
) {
    for (number, rule) in template.rules.iter().enumerate() {
        for substitution in substitutions(rule, &grounding.relations, vocabulary, domain) {
            let head = insert(grounding, &rule.head, &substitution);
            let body: Vec<u32> =
                rule.positive().map(|literal| insert(grounding, literal, &substitution)).collect();
            let ground = &mut grounding.rules[number];
            ground.heads.push(head);
            ground.body.iter_mut().zip(body).for_each(|(column, row)| column.push(row));
            for (column, &variable) in ground.index.iter_mut().zip(rule.bound_index()) {
                column.push(value(Term::Variable(variable), &substitution));
            }
        }
    }
}

fn value(term: Term, substitution: &Substitution) -> ConstantId {
    match term {
        Term::Constant(constant) => constant,
        Term::Variable(variable) => substitution[variable.index()].unwrap_or(ConstantId(u32::MAX)),
    }
}

fn insert(grounding: &mut Grounding, atom: &Atom, substitution: &Substitution) -> u32 {
    let terms: Vec<ConstantId> = atom.terms.iter().map(|&term| value(term, substitution)).collect();
    grounding.relations[atom.predicate.index()].insert(&terms).0
}

/// Returns all substitutions of all variables of a rule under which its body holds.
fn substitutions(
    rule: &Rule,
    relations: &[Relation],
    vocabulary: &Vocabulary,
    domain: &[ConstantId],
) -> Vec<Substitution> {
    let mut all: Vec<Substitution> = vec![vec![None; rule.variables.len()]];
    for literal in rule.positive() {
        let rows = || relations[literal.predicate.index()].rows();
        all = all.iter().flat_map(|one| rows().filter_map(move |row| matched(literal, row, one))).collect();
    }
    let mut needed: Vec<VariableId> = rule.head.variables().collect();
    needed.extend(rule.conditions.iter().flat_map(Condition::variables));
    needed.extend(rule.bound_index());
    for variable in needed {
        all = all.iter().flat_map(|one| ranging(variable, one, domain)).collect();
    }
    all.retain(|one| rule.conditions.iter().all(|condition| holds(condition, one, relations, vocabulary)));
    all
}

/// Returns the substitution extended so that the literal becomes this row, if it can.
fn matched(literal: &Atom, row: &[ConstantId], substitution: &Substitution) -> Option<Substitution> {
    let mut extended = substitution.clone();
    for (&term, &constant) in literal.terms.iter().zip(row) {
        if let Term::Variable(variable) = term {
            extended[variable.index()].get_or_insert(constant);
        }
        if value(term, &extended) != constant {
            return None;
        }
    }
    Some(extended)
}

/// Returns the substitution with every constant for a variable, or as it is where the variable is bound.
fn ranging(variable: VariableId, substitution: &Substitution, domain: &[ConstantId]) -> Vec<Substitution> {
    if substitution[variable.index()].is_some() {
        return vec![substitution.clone()];
    }
    let with = |&constant: &ConstantId| {
        let mut extended = substitution.clone();
        extended[variable.index()] = Some(constant);
        extended
    };
    domain.iter().map(with).collect()
}

fn holds(
    condition: &Condition,
    substitution: &Substitution,
    relations: &[Relation],
    vocabulary: &Vocabulary,
) -> bool {
    match condition {
        Condition::Compare(..)
        | Condition::Arithmetic(..)
        | Condition::MostDifferent(_)
        | Condition::Among(_) => {
            condition.holds(vocabulary, &|term| value(term, substitution)).unwrap_or(false)
        }
        Condition::Absent(predicate, patterns) => !relations[predicate.index()].rows().any(|row| {
            let is_it = |(pattern, &constant): (&Option<Term>, &ConstantId)| {
                pattern.is_none_or(|term| value(term, substitution) == constant)
            };
            patterns.iter().zip(row).all(is_it)
        }),
    }
}

/// The weight of a ground fact, as far as telling two facts apart needs it.
#[derive(PartialEq)]
enum GroundWeight {
    Fixed(Vec<f64>, Shape),
    Weight(WeightId, Vec<ConstantId>),
}

/// Adds the facts of the template and of the example, each pair of atom and weight once.
fn add_facts(grounding: &mut Grounding, template: &Template, example: &Example, domain: &[ConstantId]) {
    let mut seen: Vec<(PredicateId, u32, GroundWeight)> = Vec::new();
    let mut add =
        |grounding: &mut Grounding, predicate: PredicateId, terms: &[ConstantId], weight, source| {
            let row = grounding.relations[predicate.index()].insert(terms).0;
            if !seen.iter().any(|other| (other.0, other.1) == (predicate, row) && other.2 == weight) {
                grounding.facts[predicate.index()].push((row, source));
                seen.push((predicate, row, weight));
            }
        };
    for (number, fact) in template.facts.iter().enumerate() {
        let mut all: Vec<Substitution> = vec![vec![None; fact.variables.len()]];
        for variable in fact.atom.variables() {
            all = all.iter().flat_map(|one| ranging(variable, one, domain)).collect();
        }
        for substitution in all {
            let ground =
                |terms: &[Term]| terms.iter().map(|&term| value(term, &substitution)).collect::<Vec<_>>();
            let weight = match &fact.weight {
                None => GroundWeight::Fixed(vec![1.0], Shape::NUMBER),
                Some(weight) => {
                    let declared = template.weight(weight.weight);
                    declared.fixed_numbers().map_or_else(
                        || GroundWeight::Weight(weight.weight, ground(&weight.index)),
                        |numbers| GroundWeight::Fixed(numbers.to_vec(), declared.shape),
                    )
                }
            };
            let source = FactSource::Template(number as u32);
            add(grounding, fact.atom.predicate, &ground(&fact.atom.terms), weight, source);
        }
    }
    for (table_number, table) in example.tables.iter().enumerate() {
        for row in 0..table.rows {
            let weight = GroundWeight::Fixed(table.value(row as usize).to_vec(), table.shape);
            let source = FactSource::Example { table: table_number as u32, row };
            add(grounding, table.predicate, table.row(row as usize), weight, source);
        }
    }
}
