//! A template with the ids of another vocabulary: for data that was made without the template.

use super::{Atom, Condition, Number, Rule, Stratum, Template, Term, WeightUse};
use crate::vocabulary::{PredicateId, Renumbering, Vocabulary};

impl Template {
    /// Returns the same template with the ids of another vocabulary, to which the names that it lacks are added.
    /// Predicates that only the other vocabulary has are in it as those of data are. Where the vocabulary extends
    /// the template's, no id changes.
    #[must_use]
    pub fn renumbered(&self, vocabulary: &mut Vocabulary) -> Self {
        let ids = Renumbering::new(&self.vocabulary, vocabulary);
        let mut template = Self { vocabulary: vocabulary.clone(), ..self.clone() };
        template.rules.iter_mut().for_each(|rule| rename_rule(rule, &ids));
        for fact in &mut template.facts {
            rename_atom(&mut fact.atom, &ids);
            rename(index_mut(&mut fact.weight), &ids);
        }
        let of_strata = template.strata.iter_mut().flat_map(|stratum| &mut stratum.predicates);
        of_strata.for_each(|predicate| *predicate = ids.predicate(*predicate));
        template.predicates = vec![self.default_predicate.clone(); vocabulary.predicate_count()];
        let mut is_own = vec![false; vocabulary.predicate_count()];
        for (old, predicate) in (0..).map(PredicateId).zip(&self.predicates) {
            let number = ids.predicate(old).index();
            let own = &mut template.predicates[number];
            own.clone_from(predicate);
            rename(own.value.iter_mut().flat_map(Number::terms_mut), &ids);
            is_own[number] = true;
        }
        let others = vocabulary.predicates().map(|(id, _)| id).filter(|id| !is_own[id.index()]);
        let alone = |id| Stratum { predicates: vec![id], rules: Vec::new(), recursive: false };
        template.strata.extend(others.map(alone));
        template
    }
}

fn rename<'a>(terms: impl IntoIterator<Item = &'a mut Term>, ids: &Renumbering) {
    for term in terms {
        if let Term::Constant(id) = term {
            *id = ids.constant(*id);
        }
    }
}

fn index_mut(weight: &mut Option<WeightUse>) -> impl Iterator<Item = &mut Term> {
    weight.iter_mut().flat_map(|weight| &mut weight.index)
}

fn rename_atom(atom: &mut Atom, ids: &Renumbering) {
    atom.predicate = ids.predicate(atom.predicate);
    rename(&mut atom.terms, ids);
}

fn rename_rule(rule: &mut Rule, ids: &Renumbering) {
    rename_atom(&mut rule.head, ids);
    rename(index_mut(&mut rule.weight), ids);
    for input in &mut rule.inputs {
        rename_atom(&mut input.atom, ids);
        rename(index_mut(&mut input.weight), ids);
    }
    rule.guards.iter_mut().for_each(|guard| rename_atom(guard, ids));
    for condition in &mut rule.conditions {
        rename(condition.terms_mut(), ids);
        if let Condition::Absent(predicate, _) = condition {
            *predicate = ids.predicate(*predicate);
        }
    }
}
