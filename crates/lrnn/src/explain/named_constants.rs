//! Which constants count by their names: those that the template or an index of a weight names. The values of the network
//! know no other, so all others are individuals.

use crate::model::{Model, index_constants};
use crate::template::{Condition, Template, Term};
use crate::vocabulary::{ConstantId, Vocabulary};

/// The constants that count by their names.
#[derive(Clone, Default, Debug)]
pub struct NamedConstants(Vec<bool>);

impl NamedConstants {
    /// Returns those that the template names, and those that index a weight of the model.
    pub fn new(template: &Template, vocabulary: &Vocabulary, model: Option<&Model>) -> Self {
        let mut kept = vec![false; vocabulary.constant_count()];
        named(template).into_iter().for_each(|constant| kept[constant.index()] = true);
        for weight in model.iter().flat_map(|model| model.weights.iter()) {
            for constant in index_constants(&weight.index).unwrap_or_default() {
                if let Some(id) = vocabulary.find_constant(&constant) {
                    kept[id.index()] = true;
                }
            }
        }
        Self(kept)
    }

    /// Returns whether a constant counts by its name.
    pub fn has(&self, constant: ConstantId) -> bool {
        self.0.get(constant.index()).copied().unwrap_or(false)
    }
}

/// Returns the constants that stand in the rules and facts of a template.
fn named(template: &Template) -> Vec<ConstantId> {
    let mut terms: Vec<Term> =
        template.facts.iter().flat_map(|fact| fact.atom.terms.iter().copied()).collect();
    for rule in &template.rules {
        terms.extend(&rule.head.terms);
        terms.extend(rule.positive().flat_map(|atom| &atom.terms));
        let uses = rule.inputs.iter().map(|input| &input.weight).chain([&rule.weight]);
        terms.extend(uses.flatten().flat_map(|used| &used.index));
        terms.extend(rule.conditions.iter().flat_map(Condition::terms));
    }
    terms.iter().filter_map(Term::constant).collect()
}
