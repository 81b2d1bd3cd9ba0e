//! Which constants count by their names: those that the template or an index of a weight names. The values of the network
//! know no other, so all others are individuals.

use crate::diagnostic::SourceId;
use crate::model::Model;
use crate::syntax::ast::TermKind;
use crate::syntax::parse_atom;
use crate::template::{Condition, Template, Term};
use crate::vocabulary::{Constant, ConstantId, Vocabulary};

/// The constants that count by their names.
#[derive(Clone, Default, Debug)]
pub struct NamedConstants(Vec<bool>);

impl NamedConstants {
    /// Returns those that the template names, and those that index a weight of the model.
    pub fn new(template: &Template, vocabulary: &Vocabulary, model: Option<&Model>) -> Self {
        let mut kept = vec![false; vocabulary.constant_count()];
        named(template).into_iter().for_each(|constant| kept[constant.index()] = true);
        for weight in model.iter().flat_map(|model| model.weights.iter()) {
            for constant in constants(&weight.index) {
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
    let constant = |term| match term {
        Term::Constant(constant) => Some(constant),
        Term::Variable(_) => None,
    };
    terms.into_iter().filter_map(constant).collect()
}

/// Returns the constants of an index as text.
pub(super) fn constants(index: &str) -> Vec<Constant> {
    let Ok(atom) = parse_atom(&format!("index({index})"), SourceId(0)) else { return Vec::new() };
    let constant = |kind| match kind {
        TermKind::Constant(constant) => Some(constant),
        TermKind::Variable(_) | TermKind::Range(..) => None,
    };
    atom.terms.into_iter().filter_map(|term| constant(term.kind)).collect()
}
