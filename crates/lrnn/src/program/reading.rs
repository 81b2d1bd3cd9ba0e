//! One template, many readings: whether atoms are true, in how many ways they follow, by which proof best, and how
//! probable they are. The ground rules are those of the networks; what differs is how values of bodies are joined (⊗) and
//! how those of derivations are (⊕).

use std::collections::BTreeSet;

use serde::Serialize;

use super::query::AtomPattern;
use super::{Program, Subject, atom_rows};
use crate::data::Dataset;
use crate::diagnostic::{Diagnostic, Error, ErrorKind};
use crate::function::Combiner;
use crate::ground::{AtomRow, FactSource, Grounding};
use crate::network::Weights;
use crate::template::{RuleId, Term, VariableId, WeightUse, strong_components};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A reading of a template other than the neural one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Semiring {
    /// Is it true.
    Boolean,
    /// In how many ways: the number of its proofs, of facts and rules without their weights.
    Counting,
    /// By which proof best: the largest product of the weights in one, with that proof.
    Best,
    /// Probability: facts and ground rules are there independently, with their weights as probabilities.
    Probability,
}

impl Semiring {
    /// All of them, with their names.
    pub const ALL: [(&str, Self); 4] = [
        ("boolean", Self::Boolean),
        ("counting", Self::Counting),
        ("best", Self::Best),
        ("probability", Self::Probability),
    ];
}

/// The value of an atom under a reading.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum ReadValue {
    /// True or false.
    Truth(bool),
    /// A number of proofs.
    Count(u128),
    /// More than can be counted: `infinite` where a proof may contain itself, else `more than` so many.
    Many(&'static str),
    /// A number.
    Number(f64),
}

impl std::fmt::Display for ReadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Many(many) => f.write_str(many),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// An atom as it is read.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtomReading {
    /// The number of the example.
    pub example: usize,
    /// The atom.
    pub atom: String,
    /// Its value.
    pub value: ReadValue,
    /// False if the value is not exact: proofs share facts or rules, and too many to try all worlds.
    pub exact: bool,
    /// The best proof: facts and ground rules, each after what it needs, with their weights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<ProofStep>,
}

/// A fact or a ground rule of a proof.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProofStep {
    /// The clause.
    pub clause: String,
    /// Its weight.
    pub weight: f64,
}

/// More proofs than 128 bits count.
const TOO_MANY: &str = "more than 10^38";
const INFINITE: &str = "infinite";

/// Number of random facts and rules up to which all worlds are tried.
const MOST_RANDOM: usize = 16;

impl Program {
    /// Returns the atoms of an example that match some pattern, or all if there is none, as a semiring reads them. Ground
    /// patterns and queries outside the model are false, have no proof, or are impossible.
    pub fn read(
        &self,
        dataset: &Dataset,
        (example, grounding): (usize, &Grounding),
        patterns: &[AtomPattern],
        members: &[Weights],
        semiring: Semiring,
    ) -> Result<Vec<AtomReading>, Error> {
        let (weights, others) = (&members[0], members.len() - 1);
        if others > 0 && semiring != Semiring::Boolean && semiring != Semiring::Counting {
            let message = format!("a model of {} members has no one weight for each rule", others + 1);
            return Err(Error::new(ErrorKind::Content, message).help("learn it with --ensemble 1"));
        }
        let (asked, outside) = super::query::matching(dataset, grounding, patterns);
        let roots: Vec<AtomRow> = asked.iter().filter_map(|query| Subject::root(query, grounding)).collect();
        let absent = match semiring {
            Semiring::Probability => self.asked_absent(patterns),
            Semiring::Boolean | Semiring::Counting | Semiring::Best => Vec::new(),
        };
        let mut all = roots.clone();
        all.extend(atom_rows(grounding, absent.iter().map(|it| it.1)));
        let proofs = Derivations::behind(self, dataset, (example, grounding), weights, &all)?;
        if semiring != Semiring::Boolean && semiring != Semiring::Counting {
            proofs.check(semiring)?;
            proofs.check_absent(&absent)?;
        }
        let mut all = match semiring {
            Semiring::Boolean => proofs.read(&roots, |_| (ReadValue::Truth(true), true)),
            Semiring::Counting => {
                let counts = proofs.counts();
                proofs.read(&roots, |atom| (counts[atom].clone(), true))
            }
            Semiring::Best => proofs.best_readings(&roots)?,
            Semiring::Probability => {
                let apart = proofs.probabilities();
                proofs.read(&roots, |atom| {
                    let (value, exact) = proofs.probability(atom, &apart);
                    (ReadValue::Number(value), exact)
                })
            }
        };
        let none = match semiring {
            Semiring::Boolean => ReadValue::Truth(false),
            Semiring::Counting => ReadValue::Count(0),
            Semiring::Best | Semiring::Probability => ReadValue::Number(0.0),
        };
        let outside = outside.into_iter().map(|atom| AtomReading {
            example,
            atom,
            value: none.clone(),
            exact: true,
            proof: Vec::new(),
        });
        all.extend(outside);
        Ok(all)
    }

    /// Returns the rules behind atoms that match some pattern, whether or not they have ground rules, that ask for the
    /// absence of atoms, with the predicates of these.
    fn asked_absent(&self, patterns: &[AtomPattern]) -> Vec<(RuleId, PredicateId)> {
        let template = self.template();
        let mut open: Vec<PredicateId> = match patterns {
            [] => template.rules.iter().map(|rule| rule.head.predicate).collect(),
            patterns => patterns.iter().map(|pattern| pattern.predicate).collect(),
        };
        let (mut known, mut absent) = (BTreeSet::new(), Vec::new());
        while let Some(predicate) = open.pop() {
            if !known.insert(predicate) {
                continue;
            }
            for id in template.rule_ids().filter(|&id| template.rule(id).head.predicate == predicate) {
                open.extend(template.rule(id).body_predicates());
                absent.extend(template.rule(id).absent().map(|predicate| (id, predicate)));
            }
        }
        absent
    }
}

/// A fact of an atom, or a ground rule for it.
struct Derivation {
    /// None for a fact.
    rule: Option<(RuleId, u32)>,
    weight: f64,
    /// The atoms of the body by number: inputs, then guards.
    body: Vec<usize>,
    inputs: usize,
    /// Its number among those that are random.
    random: Option<usize>,
}

/// A probability, and the random facts and rules it is of, where these are independent.
type Chance = (f64, Option<BTreeSet<usize>>);

/// All derivations behind some atoms.
struct Derivations<'a> {
    program: &'a Program,
    dataset: &'a Dataset,
    vocabulary: &'a Vocabulary,
    grounding: &'a Grounding,
    example: usize,
    atoms: Vec<AtomRow>,
    /// By atom.
    all: Vec<Vec<Derivation>>,
    /// Atoms that need each other, each component after those it needs.
    components: Vec<Vec<usize>>,
    numbers: Vec<Vec<u32>>,
    /// The weights of those that are random.
    random: Vec<f64>,
}

impl<'a> Derivations<'a> {
    fn behind(
        program: &'a Program,
        dataset: &'a Dataset,
        (example, grounding): (usize, &'a Grounding),
        weights: &Weights,
        roots: &[AtomRow],
    ) -> Result<Self, Error> {
        let vocabulary = &dataset.vocabulary;
        let mut found = Self {
            program,
            dataset,
            vocabulary,
            grounding,
            example,
            atoms: Vec::new(),
            all: Vec::new(),
            components: Vec::new(),
            numbers: grounding.relations.iter().map(|it| vec![u32::MAX; it.len()]).collect(),
            random: Vec::new(),
        };
        let of_head = by_head(program, grounding);
        let mut next = 0;
        for &root in roots {
            found.number(root);
        }
        while next < found.atoms.len() {
            let atom = found.atoms[next];
            let derivations = found.derivations(weights, atom, &of_head)?;
            found.all.push(derivations);
            next += 1;
        }
        let edges: Vec<Vec<usize>> =
            found.all.iter().map(|of| of.iter().flat_map(|it| &it.body).copied().collect()).collect();
        found.components = strong_components(found.atoms.len(), |atom, edge| edges[atom].get(edge).copied());
        Ok(found)
    }

    /// Returns the number of an atom, a new one if it has none.
    fn number(&mut self, (predicate, row): AtomRow) -> usize {
        let number = &mut self.numbers[predicate.index()][row as usize];
        if *number == u32::MAX {
            *number = self.atoms.len() as u32;
            self.atoms.push((predicate, row));
        }
        *number as usize
    }

    fn derivations(
        &mut self,
        weights: &Weights,
        (predicate, row): AtomRow,
        of_head: &[Vec<RuleHeads>],
    ) -> Result<Vec<Derivation>, Error> {
        let (program, grounding) = (self.program, self.grounding);
        let template = program.template();
        let mut all = Vec::new();
        let terms = grounding.relations[predicate.index()].row(row);
        // A number that is computed from terms stands beside what it waits for.
        if let Some(number) = template.predicates.get(predicate.index()).and_then(|it| it.value.as_ref()) {
            let number = number.of_row(self.vocabulary, terms);
            return Ok(vec![self.derivation(None, &[number], Vec::new(), 0)?]);
        }
        let facts = &grounding.facts[predicate.index()];
        for &(_, source) in facts.iter().filter(|fact| fact.0 == row) {
            let weight = match source {
                FactSource::Example { table, row } => {
                    self.dataset.examples[self.example].tables[table as usize].value(row as usize).to_vec()
                }
                FactSource::Template(number) => {
                    let fact = &template.facts[number as usize];
                    let value = |variable| {
                        let mut bound = fact.atom.terms.iter().zip(terms);
                        bound.find(|it| *it.0 == Term::Variable(variable)).map(|(_, &constant)| constant)
                    };
                    weight_at(program, self.vocabulary, weights, fact.weight.as_ref(), value)
                }
            };
            all.push(self.derivation(None, &weight, Vec::new(), 0)?);
        }
        for (id, heads) in &of_head[predicate.index()] {
            let (rule, ground) = (template.rule(*id), &grounding.rules[id.index()]);
            for &at in &heads[row as usize] {
                let value = |variable: VariableId| {
                    let column = rule.index.iter().position(|&known| known == variable)?;
                    Some(ground.index[column][at as usize])
                };
                let used = [rule.weight.as_ref()].into_iter();
                let used = used.chain(rule.inputs.iter().map(|input| input.weight.as_ref()));
                let mut product = vec![1.0];
                for used in used.filter(Option::is_some) {
                    let weight = weight_at(program, self.vocabulary, weights, used, value);
                    product = match (&product[..], &weight[..]) {
                        ([so_far], [number]) => vec![so_far * number],
                        _ => vec![0.0; 2],
                    };
                }
                let body = rule.positive().zip(&ground.body);
                let body =
                    body.map(|(atom, rows)| self.number((atom.predicate, rows[at as usize]))).collect();
                all.push(self.derivation(Some((*id, at)), &product, body, rule.inputs.len())?);
            }
        }
        Ok(all)
    }

    fn derivation(
        &mut self,
        rule: Option<(RuleId, u32)>,
        weight: &[f64],
        body: Vec<usize>,
        inputs: usize,
    ) -> Result<Derivation, Error> {
        let &[weight] = weight else {
            let message = "a semiring reads numbers, and this template has vectors or matrices";
            return Err(
                Error::new(ErrorKind::Content, message).help("`lrnn query` without --semiring computes them")
            );
        };
        let random = (weight > 0.0 && weight < 1.0).then_some(self.random.len());
        self.random.extend(random.map(|_| weight));
        Ok(Derivation { rule, weight, body, inputs, random })
    }

    /// Refuses what a reading by weights has no meaning for.
    fn check(&self, semiring: Semiring) -> Result<(), Error> {
        let template = self.program.template();
        for derivation in self.all.iter().flatten() {
            let is_wrong = match semiring {
                Semiring::Probability => !(0.0..=1.0).contains(&derivation.weight),
                _ => derivation.weight < 0.0,
            };
            let rule = derivation.rule.map(|(id, _)| template.rule(id));
            let is_soft = rule.is_some_and(|rule| rule.inputs.iter().any(|it| it.negated));
            let is_function = rule.is_some_and(|rule| {
                let is_own = self.vocabulary.signature(rule.head.predicate).name.starts_with('@');
                is_own || matches!(rule.functions.combination, Combiner::Graph(_))
            });
            let why = match semiring {
                Semiring::Probability if is_wrong => {
                    format!("the weight {} is no probability", derivation.weight)
                }
                _ if is_wrong => format!("the weight {} is negative", derivation.weight),
                _ if is_soft => "soft negation (`~`) has no meaning there".to_owned(),
                _ if is_function => "a function of literals has no meaning there".to_owned(),
                _ => continue,
            };
            let name = Semiring::ALL.iter().find(|it| it.1 == semiring).map_or("", |it| it.0);
            let clause = derivation.rule.map_or_else(
                || "a fact".to_owned(),
                |(id, at)| self.grounding.rule_text(template, self.vocabulary, id, at as usize),
            );
            let example = self.dataset.example_name(self.example);
            let message = format!("example {example}: cannot be read as `{name}`: {why}, in {clause}");
            return Err(Error::new(ErrorKind::Content, message)
                .help("fixed weights from 0 to 1, `<0.9> :: ...`, and values of facts from 0 to 1, have such a reading"));
        }
        Ok(())
    }

    /// Refuses rules that ask for the absence of atoms which are there in some worlds only.
    fn check_absent(&self, absent: &[(RuleId, PredicateId)]) -> Result<(), Error> {
        let holds = self.holding(|_| true, |_| false);
        let uncertain = |predicate: PredicateId| {
            (0..self.atoms.len()).any(|atom| self.atoms[atom].0 == predicate && !holds[atom])
        };
        let Some(&(rule, predicate)) = absent.iter().find(|it| uncertain(it.1)) else { return Ok(()) };
        let message = format!(
            "this rule has no reading as a probability: `not {}` may hold in one world and not in another",
            self.vocabulary.signature(predicate).name
        );
        let diagnostic = Diagnostic::error("N0105", self.program.template().rule(rule).span, message)
            .help("the other readings take it as it is");
        Err(Error::of(ErrorKind::Content, vec![diagnostic], self.program.sources()))
    }

    fn read(&self, roots: &[AtomRow], value: impl Fn(usize) -> (ReadValue, bool)) -> Vec<AtomReading> {
        let reading = |&(predicate, row): &AtomRow| {
            let (value, exact) = value(self.numbers[predicate.index()][row as usize] as usize);
            let atom = self.grounding.atom_text(self.vocabulary, predicate, row);
            AtomReading { example: self.example, atom, value, exact, proof: Vec::new() }
        };
        roots.iter().map(reading).collect()
    }

    /// Returns whether atoms of a component need each other.
    fn is_cyclic(&self, component: &[usize]) -> bool {
        component.len() > 1 || self.all[component[0]].iter().any(|it| it.body.contains(&component[0]))
    }

    /// Returns the number of proofs of every atom.
    fn counts(&self) -> Vec<ReadValue> {
        let mut counts = vec![ReadValue::Count(0); self.atoms.len()];
        for component in &self.components {
            // A proof may go round as often as one likes.
            if self.is_cyclic(component) {
                component.iter().for_each(|&atom| counts[atom] = ReadValue::Many(INFINITE));
                continue;
            }
            let product = |derivation: &Derivation| {
                let counts = derivation.body.iter().map(|&atom| &counts[atom]);
                counts.fold(ReadValue::Count(1), |so_far, count| joined(so_far, count, u128::checked_mul))
            };
            let products = self.all[component[0]].iter().map(product);
            let sum = products.fold(ReadValue::Count(0), |so_far, it| joined(so_far, &it, u128::checked_add));
            counts[component[0]] = sum;
        }
        counts
    }

    /// Returns the best product of every atom with the derivation that has it.
    fn best(&self) -> Result<Vec<(f64, Option<usize>)>, Error> {
        let mut best: Vec<(f64, Option<usize>)> = vec![(0.0, None); self.atoms.len()];
        for component in &self.components {
            // A best proof does not contain itself: it is found after as many rounds as there are atoms.
            for round in 0..=component.len() {
                let mut has_risen = false;
                for &atom in component {
                    for (number, derivation) in self.all[atom].iter().enumerate() {
                        let ready = derivation.body.iter().all(|&it| best[it].1.is_some());
                        let inputs = derivation.body[..derivation.inputs].iter().map(|&it| best[it].0);
                        let value = inputs.fold(derivation.weight, |so_far, it| so_far * it);
                        if ready && (best[atom].1.is_none() || value > best[atom].0) {
                            best[atom] = (value, Some(number));
                            has_risen = true;
                        }
                    }
                }
                if !has_risen {
                    break;
                }
                if round == component.len() {
                    let (predicate, row) = self.atoms[component[0]];
                    let atom = self.grounding.atom_text(self.vocabulary, predicate, row);
                    let message = format!(
                        "there is no best proof of {atom}: going round its cycle once more is always better"
                    );
                    let help = "weights of at most 1 on the rules of the cycle have one";
                    let span =
                        self.program.template().rules.iter().find(|rule| rule.head.predicate == predicate);
                    let place = span.map_or_else(Default::default, |rule| rule.span);
                    let diagnostic = Diagnostic::error("N0104", place, message).help(help);
                    return Err(Error::of(ErrorKind::Numbers, vec![diagnostic], self.program.sources()));
                }
            }
        }
        Ok(best)
    }

    fn best_readings(&self, roots: &[AtomRow]) -> Result<Vec<AtomReading>, Error> {
        let best = self.best()?;
        let mut all = self.read(roots, |atom| (ReadValue::Number(best[atom].0), true));
        for (reading, &(predicate, row)) in all.iter_mut().zip(roots) {
            let root = self.numbers[predicate.index()][row as usize] as usize;
            reading.proof = self.proof(root, &best);
        }
        Ok(all)
    }

    /// Returns the steps of the best proof, each after those it needs, each once.
    fn proof(&self, root: usize, best: &[(f64, Option<usize>)]) -> Vec<ProofStep> {
        let (mut steps, mut is_done) = (Vec::new(), vec![false; self.atoms.len()]);
        let mut open = vec![(root, false)];
        while let Some((atom, is_ready)) = open.pop() {
            let Some(derivation) = best[atom].1.map(|number| &self.all[atom][number]) else { continue };
            if is_done[atom] {
                continue;
            }
            is_done[atom] = is_ready;
            if !is_ready {
                open.push((atom, true));
                open.extend(derivation.body.iter().rev().filter(|&&it| !is_done[it]).map(|&it| (it, false)));
                continue;
            }
            let (predicate, row) = self.atoms[atom];
            let clause = match derivation.rule {
                None => self.grounding.atom_text(self.vocabulary, predicate, row),
                Some((id, at)) => {
                    self.grounding.rule_text(self.program.template(), self.vocabulary, id, at as usize)
                }
            };
            steps.push(ProofStep { clause: format!("{clause}."), weight: derivation.weight });
        }
        steps
    }

    /// Returns, for every atom, its probability if its derivations were independent, and the random facts and rules
    /// behind it; none where these are not independent, or the atom needs itself.
    fn probabilities(&self) -> Vec<Chance> {
        let mut all: Vec<Chance> = vec![(0.0, None); self.atoms.len()];
        for component in &self.components {
            let is_cyclic = self.is_cyclic(component);
            for &atom in component {
                let (mut fails, mut behind) = (1.0, (!is_cyclic).then(BTreeSet::new));
                for derivation in &self.all[atom] {
                    let mut own: Option<BTreeSet<usize>> = Some(derivation.random.into_iter().collect());
                    let mut holds = derivation.weight;
                    for &it in &derivation.body {
                        holds *= all[it].0;
                        own = apart(own, all[it].1.as_ref());
                    }
                    fails *= 1.0 - holds;
                    behind = own.and_then(|own| apart(behind, Some(&own)));
                }
                all[atom] = (1.0 - fails, behind);
            }
        }
        all
    }

    /// Returns the probability of an atom, and whether it is exact.
    fn probability(&self, root: usize, apart: &[Chance]) -> (f64, bool) {
        let (value, behind) = &apart[root];
        if behind.is_some() {
            return (*value, true);
        }
        let (mut open, mut is_behind) = (vec![root], vec![false; self.atoms.len()]);
        let mut random: Vec<usize> = Vec::new();
        while let Some(atom) = open.pop() {
            if !std::mem::replace(&mut is_behind[atom], true) {
                random.extend(self.all[atom].iter().filter_map(|it| it.random));
                open.extend(self.all[atom].iter().flat_map(|it| &it.body));
            }
        }
        if random.len() > MOST_RANDOM {
            return (*value, false);
        }
        let mut sum = 0.0;
        for world in 0u32..1 << random.len() {
            let is_there = |number: usize| {
                random.iter().position(|&it| it == number).is_some_and(|at| world >> at & 1 == 1)
            };
            let chance =
                random.iter().map(|&it| if is_there(it) { self.random[it] } else { 1.0 - self.random[it] });
            if self.holding(|atom| is_behind[atom], is_there)[root] {
                sum += chance.product::<f64>();
            }
        }
        (sum, true)
    }

    /// Returns which atoms follow from some of the random facts and rules, among those that are looked at.
    fn holding(&self, is_asked: impl Fn(usize) -> bool, is_there: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut holds = vec![false; self.atoms.len()];
        loop {
            let mut has_changed = false;
            for &atom in self.components.iter().flatten() {
                let follows = |it: &Derivation| {
                    let chosen = it.random.map_or(it.weight > 0.0, &is_there);
                    chosen && it.body.iter().all(|&atom| holds[atom])
                };
                if !holds[atom] && is_asked(atom) && self.all[atom].iter().any(follows) {
                    holds[atom] = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return holds;
            }
        }
    }
}

/// Returns the union of two sets that have nothing in common.
fn apart(one: Option<BTreeSet<usize>>, other: Option<&BTreeSet<usize>>) -> Option<BTreeSet<usize>> {
    let (mut one, other) = (one?, other?);
    let count = one.len() + other.len();
    one.extend(other);
    (one.len() == count).then_some(one)
}

fn joined(so_far: ReadValue, next: &ReadValue, join: fn(u128, u128) -> Option<u128>) -> ReadValue {
    match (so_far, next) {
        (ReadValue::Count(one), ReadValue::Count(other)) => {
            join(one, *other).map_or(ReadValue::Many(TOO_MANY), ReadValue::Count)
        }
        (ReadValue::Many(INFINITE), _) | (_, ReadValue::Many(INFINITE)) => ReadValue::Many(INFINITE),
        _ => ReadValue::Many(TOO_MANY),
    }
}

/// A rule with its ground rules by the rows of their heads.
type RuleHeads = (RuleId, Vec<Vec<u32>>);

/// Returns, by predicate, its rules with their ground rules by the rows of their heads.
fn by_head(program: &Program, grounding: &Grounding) -> Vec<Vec<RuleHeads>> {
    let template = program.template();
    let mut all: Vec<Vec<RuleHeads>> = grounding.relations.iter().map(|_| Vec::new()).collect();
    for id in template.rule_ids() {
        let head = template.rule(id).head.predicate.index();
        let mut rows = vec![Vec::new(); grounding.relations[head].len()];
        for (at, &row) in (0..).zip(&grounding.rules[id.index()].heads) {
            rows[row as usize].push(at);
        }
        all[head].push((id, rows));
    }
    all
}

/// Returns the numbers of a weight at an index.
fn weight_at(
    program: &Program,
    vocabulary: &Vocabulary,
    weights: &Weights,
    used: Option<&WeightUse>,
    value: impl Fn(VariableId) -> Option<ConstantId>,
) -> Vec<f64> {
    let Some(used) = used else { return vec![1.0] };
    let constant = |term: &Term| match term {
        Term::Constant(constant) => Some(*constant),
        Term::Variable(variable) => value(*variable),
    };
    let index: Vec<ConstantId> = used.index.iter().filter_map(constant).collect();
    weights.value(program.template(), vocabulary, used.weight, &index)
}
