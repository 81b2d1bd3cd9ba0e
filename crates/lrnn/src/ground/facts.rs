//! The facts of the template and of an example as rows, and the constants that free variables range over.

use super::budget::Budget;
use super::error::{ClauseId, GroundError, LimitKind};
use super::sorting::sorted;
use super::step::place;
use super::{FactSource, Relation};
use crate::data::{Example, FactTable};
use crate::function::Shape;
use crate::template::{Condition, Fact, Template, Term, WeightId, WeightUse};
use crate::vocabulary::ConstantId;

/// Returns the constants that occur in the rules and facts of a template, in the order of their ids.
pub(super) fn template_constants(template: &Template) -> Vec<ConstantId> {
    let mut terms: Vec<Term> = Vec::new();
    let index = |weight: &Option<WeightUse>| {
        weight.iter().flat_map(|weight| weight.index.clone()).collect::<Vec<_>>()
    };
    for fact in &template.facts {
        terms.extend(&fact.atom.terms);
        terms.extend(index(&fact.weight));
    }
    for rule in &template.rules {
        terms.extend(&rule.head.terms);
        terms.extend(index(&rule.weight));
        terms.extend(rule.inputs.iter().flat_map(|input| index(&input.weight)));
        terms.extend(rule.positive().flat_map(|literal| &literal.terms));
        terms.extend(rule.conditions.iter().flat_map(Condition::terms));
    }
    let constant = |term: &Term| match term {
        Term::Constant(constant) => Some(*constant),
        Term::Variable(_) => None,
    };
    sorted(terms.iter().filter_map(constant))
}

/// Returns the constants of the template and of the facts of an example, in the order of their ids.
pub(super) fn domain(template_constants: &[ConstantId], example: &Example) -> Vec<ConstantId> {
    let of_tables = example.tables.iter().flat_map(|table| &table.terms);
    sorted(template_constants.iter().chain(of_tables).copied())
}

/// The facts of every predicate, by predicate id, each with its row, rows ascending.
pub(super) type FactRows = Vec<Vec<(u32, FactSource)>>;

/// Inserts all facts as rows, the template's before the example's, each pair of atom and weight once.
pub(super) fn insert_facts(
    template: &Template,
    example: &Example,
    domain: &[ConstantId],
    relations: &mut [Relation],
    facts: &mut FactRows,
    budget: &mut Budget<'_>,
) -> Result<(), GroundError> {
    // The predicates with several facts on one atom.
    let mut crowded: Vec<usize> = Vec::new();
    for (number, fact) in (0..).zip(&template.facts) {
        let place = fact.atom.predicate.index();
        let mut target = Target { relation: &mut relations[place], facts: &mut facts[place], all_new: true };
        target.insert_instances(fact, number, domain, budget).map_err(|bound| {
            GroundError::budget(template, ClauseId::Fact(number), bound, budget.limit(bound))
        })?;
        crowded.extend((!target.all_new).then_some(place));
    }
    for (number, table) in (0..).zip(&example.tables) {
        let place = table.predicate.index();
        let mut target = Target { relation: &mut relations[place], facts: &mut facts[place], all_new: true };
        target.insert_table(table, number);
        crowded.extend((!target.all_new).then_some(place));
    }
    for place in crowded {
        keep_each_once(template, example, &relations[place], &mut facts[place]);
    }
    Ok(())
}

/// The destination of the facts of one predicate.
struct Target<'a> {
    relation: &'a mut Relation,
    facts: &'a mut Vec<(u32, FactSource)>,
    /// True if every fact so far was on an atom of its own.
    all_new: bool,
}

impl Target<'_> {
    fn insert(&mut self, terms: &[ConstantId], source: FactSource) {
        let (row, is_new) = self.relation.insert(terms);
        self.facts.push((row, source));
        self.all_new &= is_new;
    }

    /// Inserts the instances of a fact: every substitution of its variables by constants of the domain.
    fn insert_instances(
        &mut self,
        fact: &Fact,
        number: u32,
        domain: &[ConstantId],
        budget: &mut Budget<'_>,
    ) -> Result<(), LimitKind> {
        let mut variables = Vec::new();
        fact.atom.variables().for_each(|variable| _ = place(&mut variables, variable.index()));
        if !variables.is_empty() {
            let power = u32::try_from(variables.len()).unwrap_or(u32::MAX);
            budget.ground((domain.len() as u64).saturating_pow(power))?;
            if domain.is_empty() {
                return Ok(());
            }
        }
        let mut chosen = vec![0; fact.variables.len()];
        let mut terms = Vec::with_capacity(fact.atom.terms.len());
        loop {
            terms.clear();
            terms.extend(fact.atom.terms.iter().map(|term| match term {
                Term::Constant(constant) => *constant,
                Term::Variable(variable) => domain[chosen[variable.index()]],
            }));
            self.insert(&terms, FactSource::Template(number));
            if !advance(&mut chosen, &variables, domain.len()) {
                return Ok(());
            }
        }
    }

    /// Inserts the facts of an example, which differ from each other.
    fn insert_table(&mut self, table: &FactTable, number: u32) {
        self.facts.reserve_exact(table.rows as usize);
        if self.relation.is_empty() {
            self.relation.append(&table.terms, table.rows);
            let facts = (0..table.rows).map(|row| (row, FactSource::Example { table: number, row }));
            return self.facts.extend(facts);
        }
        self.relation.reserve(table.rows as usize);
        for row in 0..table.rows {
            self.insert(table.row(row as usize), FactSource::Example { table: number, row });
        }
    }
}

/// Counts up, the last variable fastest; false after the last choice.
fn advance(chosen: &mut [usize], variables: &[usize], count: usize) -> bool {
    for &variable in variables.iter().rev() {
        chosen[variable] += 1;
        if chosen[variable] < count {
            return true;
        }
        chosen[variable] = 0;
    }
    false
}

/// The weight of a ground fact, as far as telling two facts of one atom apart needs it.
#[derive(PartialEq)]
enum FactWeight<'a> {
    /// Numbers that learning leaves alone: those of an example, and of a template's fact that fixes them.
    Fixed(&'a [f64], Shape),
    /// Another weight of the template.
    Weight(WeightId, Vec<ConstantId>),
}

/// Keeps the first of the facts with one atom and one weight. Sorting keeps the facts of an atom in order.
fn keep_each_once(
    template: &Template,
    example: &Example,
    relation: &Relation,
    facts: &mut Vec<(u32, FactSource)>,
) {
    facts.sort_by_key(|&(row, _)| row);
    let mut weights: Vec<FactWeight<'_>> = Vec::new();
    let mut last = None;
    facts.retain(|&(row, source)| {
        if last.replace(row) != Some(row) {
            weights.clear();
        }
        let weight = match source {
            FactSource::Template(number) => {
                ground_weight(template, &template.facts[number as usize], relation.row(row))
            }
            FactSource::Example { table, row } => {
                let table = &example.tables[table as usize];
                FactWeight::Fixed(table.value(row as usize), table.shape)
            }
        };
        let is_new = !weights.contains(&weight);
        if is_new {
            weights.push(weight);
        }
        is_new
    });
}

/// Returns what a term is in the instance of a template's fact that has these terms.
pub(crate) fn instance_term(fact: &Fact, terms: &[ConstantId], term: Term) -> Option<ConstantId> {
    match term {
        Term::Constant(constant) => Some(constant),
        Term::Variable(_) => Some(terms[fact.atom.terms.iter().position(|other| *other == term)?]),
    }
}

/// Returns the weight of the instance of a template's fact that has these terms.
fn ground_weight<'a>(template: &'a Template, fact: &Fact, terms: &[ConstantId]) -> FactWeight<'a> {
    let Some(weight) = &fact.weight else { return FactWeight::Fixed(&[1.0], Shape::NUMBER) };
    let declared = template.weight(weight.weight);
    if let Some(numbers) = declared.fixed_numbers() {
        return FactWeight::Fixed(numbers, declared.shape);
    }
    let value = |&term: &Term| instance_term(fact, terms, term);
    FactWeight::Weight(weight.weight, weight.index.iter().filter_map(value).collect())
}
