//! A model on data, to be looked at: explained, drawn, or shown on a page.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::answers::unlearned_note;
use super::{AtomPattern, Meaning, Program};
use crate::data::{Dataset, Query};
use crate::diagnostic::{Error, ErrorKind, did_you_mean};
use crate::explain::{NamedConstants, Proof};
use crate::ground::{AtomRow, ExampleError, Grounding, Limits, ground};
use crate::model::Model;
use crate::network::{Network, NetworkError, Weights};
use crate::template::{RuleId, Template};
use crate::train::{Loss, Unentailed};
use crate::vocabulary::PredicateId;

/// A program with data and weights.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The name where there are several; else empty.
    pub name: String,
    /// The template, fitted to the data.
    pub program: Cow<'a, Program>,
    /// The data.
    pub dataset: Cow<'a, Dataset>,
    /// The model; none if weights are as they begin, or lost.
    pub model: Option<Cow<'a, Model>>,
    /// The weights; what the model has not learned is 0, or what the template says. Of an ensemble, those of its best
    /// member.
    pub weights: Weights,
    /// The weights of the other members of an ensemble.
    pub members: Vec<Weights>,
    /// The constants that count by their names.
    pub kept: NamedConstants,
    /// The loss that was learned with.
    pub loss: Loss,
    /// Value of queries outside the model.
    pub unentailed: Unentailed,
}

impl<'a> Subject<'a> {
    /// Puts a model beside data. The program must be that of the model, fitted to the data.
    pub fn new(program: Cow<'a, Program>, dataset: Cow<'a, Dataset>, model: Cow<'a, Model>) -> Self {
        let (template, vocabulary) = (program.template(), &dataset.vocabulary);
        let mut members = model.member_weights(template, vocabulary);
        let weights = members.remove(0);
        let Meaning { loss, unentailed, .. } = model.meaning();
        let kept = NamedConstants::new(template, vocabulary, Some(&model));
        let (name, model) = (String::new(), Some(model));
        Self { name, program, dataset, model, weights, members, kept, loss, unentailed }
    }

    /// Puts a model beside data, in the names of the model; where the data has no query at all, with what training asked.
    pub fn of_model(model: Cow<'a, Model>, dataset: Cow<'a, Dataset>, limits: Limits) -> Result<Self, Error> {
        let predictor = model.predictor_within(limits.clone())?;
        let changed = match predictor.with_queries(&dataset)? {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        let dataset = changed.map_or(dataset, Cow::Owned);
        // The data may know more predicates than the model.
        let program = Program::new(predictor.program().template(), &dataset, limits)?;
        Ok(Self::new(Cow::Owned(program), dataset, model))
    }

    /// Puts a program beside data with its weights as they begin.
    pub fn untrained(program: Cow<'a, Program>, dataset: Cow<'a, Dataset>, weights: Weights) -> Self {
        let kept = NamedConstants::new(program.template(), &dataset.vocabulary, None);
        let (loss, unentailed) = (Loss::Squared, Unentailed::Value(0.0));
        let (name, members) = (String::new(), Vec::new());
        Self { name, program, dataset, model: None, weights, members, kept, loss, unentailed }
    }

    /// Returns the template, fitted to the data.
    pub fn template(&self) -> &Template {
        self.program.template()
    }

    /// Finds the example with this id or number.
    pub fn example(&self, name: &str) -> Result<usize, Error> {
        let count = self.dataset.examples.len();
        let names: Vec<String> = (0..count).map(|at| self.dataset.example_name(at)).collect();
        let found = names.iter().position(|known| known == name);
        let number = || name.parse::<usize>().ok().filter(|&number| number < count);
        found.or_else(number).ok_or_else(|| {
            let error = Error::new(ErrorKind::Usage, format!("there is no example `{name}` in this data"));
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let known = match (names.first(), names.last()) {
                (Some(first), Some(last)) => format!("there are {count}, from {first} to {last}"),
                _ => "the data has no example".to_owned(),
            };
            error.help(near.unwrap_or(known))
        })
    }

    /// Grounds an example.
    pub fn ground(&self, example: usize) -> Result<Grounding, Error> {
        let (program, dataset) = (&self.program, &self.dataset);
        let facts = &dataset.examples[example];
        ground(program.template(), program.plans(), &dataset.vocabulary, facts, program.limits())
            .map_err(|error| program.example_error(dataset, &ExampleError { example, error }))
    }

    /// Grounds every example and looks at it, on all threads; `done` counts them.
    pub fn for_each<T: Send>(
        &self,
        done: &AtomicUsize,
        look: impl Fn(usize, &Grounding) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let visit = |example, grounding: &Grounding| {
            let found = look(example, grounding);
            done.fetch_add(1, Ordering::Relaxed);
            found
        };
        self.program.for_each_grounding(&self.dataset, visit)?.into_iter().collect()
    }

    /// Grounds every example and looks at it, on all threads; `done` counts them. Returns what is seen beside one network
    /// of all examples together.
    pub fn look_together<T: Send>(
        &self,
        done: &AtomicUsize,
        look: impl Fn(usize, &Grounding) -> T + Sync,
    ) -> Result<(Vec<T>, Network), Error> {
        self.program.look_together(&self.dataset, |example, grounding| {
            let seen = look(example, grounding);
            done.fetch_add(1, Ordering::Relaxed);
            seen
        })
    }

    /// Returns the atom of a query in the model of its example, if it is there.
    pub fn root(query: &Query, grounding: &Grounding) -> Option<AtomRow> {
        let row = grounding.relations.get(query.predicate.index())?.find(&query.terms)?;
        Some((query.predicate, row))
    }

    /// Returns the atoms that the queries of an example ask for, as far as they are in the model.
    pub fn queried(&self, example: usize, grounding: &Grounding) -> Vec<AtomRow> {
        self.dataset.queries[example].iter().filter_map(|query| Self::root(query, grounding)).collect()
    }

    /// Returns the atoms that the queries of an example ask for, or all atoms where it has no query.
    pub fn roots(&self, example: usize, grounding: &Grounding) -> Vec<AtomRow> {
        match self.dataset.queries[example].is_empty() {
            true => {
                atom_rows(grounding, self.dataset.vocabulary.predicates().map(|(predicate, _)| predicate))
            }
            false => self.queried(example, grounding),
        }
    }

    /// Returns the atoms that match one with variables, or else that the queries of an example ask for; an error if
    /// none is in the model.
    pub fn asked(
        &self,
        example: usize,
        grounding: &Grounding,
        atom: Option<&str>,
    ) -> Result<Vec<AtomRow>, Error> {
        let name = self.dataset.example_name(example);
        let Some(atom) = atom else {
            let found = self.queried(example, grounding);
            let message = || format!("example {name} has no query in the model");
            let none = || Error::new(ErrorKind::Content, message()).help("name an atom with --query");
            return if found.is_empty() { Err(none()) } else { Ok(found) };
        };
        let pattern = AtomPattern::parse(atom, &self.dataset.vocabulary)?;
        let relation = &grounding.relations[pattern.predicate.index()];
        let mut found = atom_rows(grounding, [pattern.predicate]);
        found.retain(|&(_, row)| pattern.matches(relation.row(row)));
        if found.is_empty() {
            let message = format!("{} is not in the model of example {name}", pattern.text);
            return Err(Error::new(ErrorKind::Content, message).help("no rule and no fact gives it there"));
        }
        Ok(found)
    }

    /// Returns what stands behind some atoms of an example.
    pub fn proof<'b>(
        &'b self,
        example: usize,
        grounding: &'b Grounding,
        roots: &[AtomRow],
    ) -> Result<Proof<'b>, Error> {
        let (vocabulary, facts) = (&self.dataset.vocabulary, &self.dataset.examples[example]);
        let own = self.own_weights(example, grounding, roots)?;
        let weights = own.as_ref().unwrap_or(&self.weights);
        let members: Vec<&Weights> = std::iter::once(weights).chain(&self.members).collect();
        Proof::new(self.template(), vocabulary, facts, grounding, &members, roots).map_err(|error| {
            let kind = match error {
                NetworkError::NotFinite(..) => ErrorKind::Numbers,
                _ => ErrorKind::Content,
            };
            Error::new(kind, format!("example {}: {error}", self.dataset.example_name(example)))
        })
    }

    /// Returns the weights behind an atom, where they come from a kernel and so are its own.
    fn own_weights(
        &self,
        example: usize,
        grounding: &Grounding,
        roots: &[AtomRow],
    ) -> Result<Option<Weights>, Error> {
        let Some(model) = self.model.as_ref().filter(|model| !model.supports.is_empty()) else {
            return Ok(None);
        };
        let &[(predicate, row)] = roots else {
            let message = "the weights of this model are those of one query, and several are asked for";
            return Err(Error::new(ErrorKind::Content, message).help("name one with --query"));
        };
        let terms = grounding.relations[predicate.index()].row(row).to_vec();
        model.predictor_with(&self.program)?.own_weights(&self.dataset, example, Query::new(predicate, terms))
    }

    /// Looks at the proof of some atoms of an example. Returns what is seen, with notes for people.
    pub fn look<T>(
        &self,
        example: usize,
        roots: impl FnOnce(&Grounding) -> Result<Vec<AtomRow>, Error>,
        look: impl FnOnce(&Proof<'_>, &[usize]) -> Result<T, Error>,
    ) -> Result<(T, Vec<String>), Error> {
        let grounding = self.ground(example)?;
        let roots = roots(&grounding)?;
        let proof = self.proof(example, &grounding, &roots)?;
        let seen = look(&proof, &proof.find_all(&roots))?;
        let unset = self.unset_note(&proof.unset(&self.weights));
        Ok((seen, unset.into_iter().chain(self.member_note()).collect()))
    }

    /// Returns a note about what is shown of an ensemble, if it is one.
    pub fn member_note(&self) -> Option<String> {
        let count = self.members.len() + 1;
        let what = "rules, weights and neurons are those of the best one";
        (count > 1).then(|| format!("the model is the mean of {count} members; {what}"))
    }

    /// Returns a note about weights that were looked at and that the model has not learned, if there are such.
    pub fn unset_note(&self, unset: &BTreeSet<String>) -> Option<String> {
        self.model.as_ref().filter(|_| !unset.is_empty())?;
        let of = if self.name.is_empty() { String::new() } else { format!(" of {}", self.name) };
        Some(unlearned_note(&format!("the model{of}"), unset.iter().map(String::as_str)))
    }

    /// Returns a note about rules that count ground rules with the same inputs once, if there are such.
    pub fn distinct_note(&self) -> Option<String> {
        let rule = self.template().rules.iter().position(|rule| rule.distinct)?;
        let line = self.rule_line(RuleId(rule as u32));
        Some(format!(
            "ground rules that differ in guards only count once, as in `{line}`: what their guards contribute may be \
             said of one of several that would do"
        ))
    }

    /// Returns the line of a rule.
    pub fn rule_line(&self, rule: RuleId) -> &str {
        let span = self.template().rule(rule).span;
        self.template().sources.line_text(span.source, span.start).trim()
    }
}

/// Returns all atoms of some predicates.
pub fn atom_rows(grounding: &Grounding, predicates: impl IntoIterator<Item = PredicateId>) -> Vec<AtomRow> {
    let rows = |predicate: PredicateId| {
        let count = grounding.relations.get(predicate.index()).map_or(0, |relation| relation.len() as u32);
        (0..count).map(move |row| (predicate, row))
    };
    predicates.into_iter().flat_map(rows).collect()
}
