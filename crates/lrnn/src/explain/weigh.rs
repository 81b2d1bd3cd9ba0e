//! The numbers of the weights in a proof.

use crate::data::Example;
use crate::function::{Shape, Value};
use crate::ground::FactSource;
use crate::network::Weights;
use crate::template::{Fact, Offset, Rule, Template, Term, VariableId, WeightUse};
use crate::vocabulary::{ConstantId, Vocabulary};

/// A weight with its numbers; none is the fixed 1.
pub(super) type Weighed = Option<Value<f64>>;

/// What gives weights their numbers.
#[derive(Clone, Copy)]
pub(super) struct Scales<'a> {
    pub template: &'a Template,
    pub vocabulary: &'a Vocabulary,
    pub weights: &'a Weights,
}

impl Scales<'_> {
    /// The weight of a rule or of one of its inputs, for these values of the rule's index variables. `None` if they
    /// do not give its index.
    pub fn of_rule(&self, rule: &Rule, weight: Option<&WeightUse>, index: &[ConstantId]) -> Option<Weighed> {
        let value = |variable| rule.index.iter().zip(index).find(|it| *it.0 == variable).map(|it| *it.1);
        self.weigh(weight, value)
    }

    /// The weight of a ground fact.
    pub fn of_fact(&self, source: FactSource, example: &Example, terms: &[ConstantId]) -> Option<Weighed> {
        match source {
            FactSource::Template(number) => {
                let fact: &Fact = self.template.facts.get(number as usize)?;
                let value = |variable| {
                    let mut bound = fact.atom.terms.iter().zip(terms);
                    bound.find(|it| *it.0 == Term::Variable(variable)).map(|it| *it.1)
                };
                self.weigh(fact.weight.as_ref(), value)
            }
            FactSource::Example { table, row } => {
                let table = example.tables.get(table as usize)?;
                let shape = if table.values.is_empty() { Shape::NUMBER } else { table.shape };
                Some(Some((table.value(row as usize).to_vec(), shape)))
            }
        }
    }

    pub fn offset(&self, offset: &Offset) -> Value<f64> {
        match offset {
            Offset::Fixed(offset) => (vec![*offset], Shape::NUMBER),
            Offset::Weight(weight) => {
                let numbers = self.weights.value(self.template, self.vocabulary, *weight, &[]);
                (numbers, self.template.weight(*weight).shape)
            }
        }
    }

    fn weigh(
        &self,
        weight: Option<&WeightUse>,
        value: impl Fn(VariableId) -> Option<ConstantId>,
    ) -> Option<Weighed> {
        let Some(used) = weight else { return Some(None) };
        let ground = |term: &Term| match term {
            Term::Variable(variable) => value(*variable),
            Term::Constant(constant) => Some(*constant),
        };
        let index: Vec<ConstantId> = used.index.iter().map(ground).collect::<Option<_>>()?;
        let numbers = self.weights.value(self.template, self.vocabulary, used.weight, &index);
        Some(Some((numbers, self.template.weight(used.weight).shape)))
    }
}
