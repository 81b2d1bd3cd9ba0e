//! A template with the ids of another vocabulary: for data that was made without the template.

use super::{Atom, Condition, NegatedTerm, Rule, Stratum, Template, Term, WeightUse};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

impl Template {
    /// Returns the same template with the ids of another vocabulary, to which the names that it lacks are added.
    /// Predicates that only the other vocabulary has are in it as those of data are. Where the vocabulary extends
    /// the template's, no id changes.
    #[must_use]
    pub fn renumbered(&self, vocabulary: &mut Vocabulary) -> Self {
        let constants = self.vocabulary.constants().map(|(_, constant)| vocabulary.insert(constant.clone()));
        let constants = constants.collect();
        let predicates =
            self.vocabulary.predicates().map(|(_, it)| vocabulary.predicate(&it.name, it.arity as usize));
        let ids = Renumbering { constants, predicates: predicates.collect() };
        let mut template = Self { vocabulary: vocabulary.clone(), ..self.clone() };
        template.rules.iter_mut().for_each(|rule| ids.rule(rule));
        for fact in &mut template.facts {
            ids.atom(&mut fact.atom);
            ids.weight(&mut fact.weight);
        }
        let of_strata = template.strata.iter_mut().flat_map(|stratum| &mut stratum.predicates);
        of_strata.for_each(|predicate| ids.predicate(predicate));
        template.predicates = vec![self.default_predicate.clone(); vocabulary.predicate_count()];
        let mut is_own = vec![false; vocabulary.predicate_count()];
        for (id, predicate) in ids.predicates.iter().zip(&self.predicates) {
            template.predicates[id.index()] = predicate.clone();
            if let Some(value) = &mut template.predicates[id.index()].value {
                *value = value.map(&mut |mut term| {
                    ids.term(&mut term);
                    term
                });
            }
            is_own[id.index()] = true;
        }
        let others = vocabulary.predicates().map(|(id, _)| id).filter(|id| !is_own[id.index()]);
        let alone = |id| Stratum { predicates: vec![id], rules: Vec::new(), recursive: false };
        template.strata.extend(others.map(alone));
        template
    }
}

/// The new ids, by the old ones.
struct Renumbering {
    constants: Vec<ConstantId>,
    predicates: Vec<PredicateId>,
}

impl Renumbering {
    fn predicate(&self, id: &mut PredicateId) {
        *id = self.predicates[id.index()];
    }

    fn term(&self, term: &mut Term) {
        if let Term::Constant(id) = term {
            *id = self.constants[id.index()];
        }
    }

    fn atom(&self, atom: &mut Atom) {
        self.predicate(&mut atom.predicate);
        atom.terms.iter_mut().for_each(|term| self.term(term));
    }

    fn weight(&self, weight: &mut Option<WeightUse>) {
        weight.iter_mut().flat_map(|weight| &mut weight.index).for_each(|term| self.term(term));
    }

    fn rule(&self, rule: &mut Rule) {
        self.atom(&mut rule.head);
        self.weight(&mut rule.weight);
        for input in &mut rule.inputs {
            self.atom(&mut input.atom);
            self.weight(&mut input.weight);
        }
        rule.guards.iter_mut().for_each(|guard| self.atom(guard));
        rule.conditions.iter_mut().for_each(|condition| self.condition(condition));
    }

    fn condition(&self, condition: &mut Condition) {
        match condition {
            Condition::Arithmetic(_, left, right) => {
                for number in [left, right] {
                    *number = number.map(&mut |mut term| {
                        self.term(&mut term);
                        term
                    });
                }
            }
            Condition::MostDifferent(terms) | Condition::Among(terms) => {
                terms.iter_mut().for_each(|term| self.term(term));
            }
            Condition::Compare(_, left, right) => {
                self.term(left);
                self.term(right);
            }
            Condition::Absent(predicate, patterns) => {
                self.predicate(predicate);
                for pattern in patterns {
                    if let NegatedTerm::Term(term) = pattern {
                        self.term(term);
                    }
                }
            }
        }
    }
}
