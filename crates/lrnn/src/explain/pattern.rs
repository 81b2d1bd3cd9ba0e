//! The patterns of one example: for each rule, the facts behind its ground rules up to the names of individuals, with
//! the highest output of each: what it gives to the head, its value times the rule's weight.
//!
//! Behind an atom stand its facts and, of each of its rules, the facts behind the ground rule with the highest output, its
//! guards among them. A constant that the template or an index of a weight names is kept; the values of the network know
//! no other names, so all others are individuals.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::form::{Form, FormFact, Slot};
use super::proof::plain;
use super::{NamedConstants, Proof};
use crate::ground::FactSource;
use crate::template::RuleId;
use crate::vocabulary::ConstantId;

/// Patterns have at most so many facts.
const MOST_FACTS: usize = 24;

/// A set of facts that is too large for a pattern.
const LARGE: u32 = u32::MAX;

/// Sets of individuals.
type IndividualSets = BTreeSet<Vec<ConstantId>>;

/// A pattern in one example.
#[derive(Clone, PartialEq, Debug)]
pub struct Occurrence {
    /// The rule.
    pub rule: RuleId,
    /// The pattern.
    pub form: Form,
    /// The highest output of the rule's ground rules with it, times the rule's weight.
    pub value: f64,
    /// The head of that ground rule, individuals as `_`.
    pub head: String,
    /// Number of occurrences: sets of individuals, each once.
    pub count: u64,
    /// The individuals of the highest.
    pub individuals: Vec<ConstantId>,
}

/// The patterns of one example.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ExamplePatterns {
    /// The patterns, rule by rule.
    pub occurrences: Vec<Occurrence>,
    /// Number of ground rules with too many facts behind them for a pattern.
    pub too_large: u64,
}

/// A search for the patterns of an example.
pub struct Finder<'a> {
    proof: &'a Proof<'a>,
    kept: &'a NamedConstants,
    /// Sets of facts, ascending.
    sets: Vec<Vec<u32>>,
    ids: HashMap<Vec<u32>, u32, FxBuildHasher>,
    /// By the sets of the inputs, the set of all.
    unions: HashMap<Vec<u32>, u32, FxBuildHasher>,
    /// By atom, the set behind it.
    behind: Vec<u32>,
    /// By rule and set, the highest output, its group and its neuron.
    best: Vec<Vec<Option<(f64, usize)>>>,
    too_large: u64,
}

impl<'a> Finder<'a> {
    /// Returns all patterns of the rules in a proof.
    pub fn find(proof: &'a Proof<'a>, kept: &'a NamedConstants) -> ExamplePatterns {
        let mut finder = Self {
            proof,
            kept,
            sets: Vec::new(),
            ids: HashMap::default(),
            unions: HashMap::default(),
            behind: Vec::with_capacity(proof.network.atoms.len()),
            best: vec![Vec::new(); proof.template.rules.len()],
            too_large: 0,
        };
        for atom in 0..proof.network.atoms.len() {
            finder.atom(atom);
        }
        finder.finish()
    }

    fn intern(&mut self, set: Vec<u32>) -> u32 {
        if set.len() > MOST_FACTS {
            return LARGE;
        }
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.ids.insert(set.clone(), id);
        self.sets.push(set);
        id
    }

    /// Returns the union of sets that are known.
    fn union(&mut self, parts: &[u32]) -> u32 {
        if parts.contains(&LARGE) {
            return LARGE;
        }
        if let [only] = parts {
            return *only;
        }
        if let Some(&id) = self.unions.get(parts) {
            return id;
        }
        let mut all: Vec<u32> =
            parts.iter().flat_map(|&part| self.sets[part as usize].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        let id = self.intern(all);
        self.unions.insert(parts.to_vec(), id);
        id
    }

    fn atom(&mut self, own_number: usize) {
        let proof = self.proof;
        let atom = &proof.network.atoms[own_number];
        let is_of_example =
            |fact: &usize| matches!(proof.network.facts[*fact].source, FactSource::Example { .. });
        let own: Vec<u32> = atom.facts.clone().filter(is_of_example).map(|fact| fact as u32).collect();
        let mut parts = vec![self.intern(own)];
        let mut inputs = Vec::new();
        for number in atom.groups.clone() {
            let group = &proof.network.groups[number];
            let mut highest: Option<(f64, u32)> = None;
            for neuron in group.neurons.clone() {
                inputs.clear();
                // Guards belong to it as inputs do: a bond that only joins two atoms is part of what is found. One that
                // comes later in the order needs this atom, and is taken for given.
                let body = proof.network.body(proof.template, group, neuron).iter();
                inputs.extend(
                    body.filter(|&&it| (it as usize) < own_number).map(|&it| self.behind[it as usize]),
                );
                let set = self.union(&inputs);
                let value = proof.values.neurons.first(neuron);
                if highest.is_none_or(|(high, _)| value > high) {
                    highest = Some((value, set));
                }
                // What enters the head; a tensor has no one number to multiply by.
                let weight = if let [weight] = plain(&proof.numbers.groups[number]) { *weight } else { 1.0 };
                self.note(group.rule, set, weight * value, neuron);
            }
            parts.extend(highest.map(|(_, set)| set));
        }
        let set = self.union(&parts);
        self.behind.push(set);
    }

    /// Remembers the highest output for a set of facts.
    fn note(&mut self, rule: RuleId, set: u32, value: f64, neuron: usize) {
        if set == LARGE {
            self.too_large += 1;
            return;
        }
        let best = &mut self.best[rule.index()];
        if best.len() <= set as usize {
            best.resize(set as usize + 1, None);
        }
        let place = &mut best[set as usize];
        if place.is_none_or(|(high, _)| value > high) {
            *place = Some((value, neuron));
        }
    }

    fn finish(self) -> ExamplePatterns {
        let mut forms: Vec<Option<(Form, Vec<ConstantId>)>> = vec![None; self.sets.len()];
        let mut all: BTreeMap<(RuleId, Form), (Occurrence, IndividualSets)> = BTreeMap::new();
        for (rule, best) in self.proof.template.rule_ids().zip(&self.best) {
            for (set, &found) in best.iter().enumerate() {
                let Some((value, neuron)) = found.filter(|_| !self.sets[set].is_empty()) else { continue };
                let (form, individuals) =
                    forms[set].get_or_insert_with(|| self.form(&self.sets[set])).clone();
                let new = |form| {
                    let (head, value, count) = (String::new(), f64::NEG_INFINITY, 0);
                    Occurrence { rule, form, value, head, count, individuals: Vec::new() }
                };
                let entry = all.entry((rule, form.clone()));
                let (occurrence, places) = entry.or_insert_with(|| (new(form), IndividualSets::new()));
                let mut place = individuals.clone();
                place.sort_unstable();
                places.insert(place);
                if value > occurrence.value {
                    (occurrence.value, occurrence.individuals) = (value, individuals);
                    occurrence.head = self.head(neuron);
                }
            }
        }
        let counted = |(occurrence, places): (Occurrence, IndividualSets)| Occurrence {
            count: places.len() as u64,
            ..occurrence
        };
        ExamplePatterns { occurrences: all.into_values().map(counted).collect(), too_large: self.too_large }
    }

    /// Returns the form of facts, with the individuals. A relation that holds in both directions counts in both, so
    /// that it does not matter from which end a rule came.
    fn form(&self, set: &[u32]) -> (Form, Vec<ConstantId>) {
        let mut individuals: Vec<ConstantId> = Vec::new();
        let mut facts: Vec<FormFact> = Vec::with_capacity(set.len());
        let mut slot = |term: ConstantId| {
            if self.kept.has(term) {
                return Slot::Kept(term);
            }
            let known = individuals.iter().position(|&known| known == term);
            Slot::Any(known.unwrap_or_else(|| {
                individuals.push(term);
                individuals.len() - 1
            }) as u32)
        };
        for &fact in set {
            let atom = self.proof.network.facts[fact as usize].atom;
            let predicate = self.proof.network.atoms[atom].predicate;
            let terms = self.proof.terms(atom);
            facts.push((predicate, terms.iter().map(|&term| slot(term)).collect()));
            let mut turned = terms.to_vec();
            if let [first, second, ..] = &mut turned[..] {
                std::mem::swap(first, second);
                if self.proof.grounding.relations[predicate.index()].find(&turned).is_some() {
                    facts.push((predicate, turned.iter().map(|&term| slot(term)).collect()));
                }
            }
        }
        (Form::new(&facts, individuals.len() as u32), individuals)
    }

    /// Returns the head of a rule neuron, with `_` for individuals.
    fn head(&self, neuron: usize) -> String {
        let group = self.proof.network.groups.partition_point(|group| group.neurons.end <= neuron);
        let atom = self.proof.network.groups[group].atom;
        let vocabulary = self.proof.vocabulary;
        let term = |&term: &ConstantId| match self.kept.has(term) {
            true => vocabulary.constant(term).to_string(),
            false => "_".to_owned(),
        };
        let predicate = self.proof.network.atoms[atom].predicate;
        vocabulary.atom_of(predicate, self.proof.terms(atom).iter().map(term))
    }
}
