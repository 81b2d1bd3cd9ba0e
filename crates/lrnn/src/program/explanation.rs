//! Why a model gives its values: one example with all that stands behind it, or all examples in short.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;

use serde::Serialize;

use super::Subject;
use crate::data::{Dataset, Query, Value};
use crate::diagnostic::{Error, ErrorKind};
use crate::explain::{
    ConstantShare, Contributions, FactShare, IndistinctQueries, Proof, Tree, TreeLimits, absent, alike,
    contributions, contributions_without, tree,
};
use crate::ground::{FactSource, Grounding, Limits};
use crate::model::Model;
use crate::train::least_wrong;

/// Returns what else than constants contributes in an example, by its number, its proof and the contributions of its facts.
pub type ContributingParts<'a> =
    dyn Fn(usize, &Proof<'_>, &Contributions) -> Vec<ConstantContribution> + Sync + 'a;

/// More queries of one example are not explained at once.
const MOST_QUERIES: usize = 20;
/// So many facts are taken away one after the other.
const MOST_CHANGES: usize = 10;

/// The contribution of a constant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ConstantContribution {
    /// The name.
    pub constant: String,
    /// The amount, of value − baseline.
    pub contribution: f64,
}

/// The contribution of a fact and its mirror images.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FactContribution {
    /// The facts.
    pub facts: Vec<String>,
    /// The amount, of value − baseline.
    pub contribution: f64,
}

/// The value where a fact and its mirror images are taken away.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FactRemoval {
    /// The facts, as one text.
    pub facts: String,
    /// The value without them.
    pub value_without: f64,
}

/// The value of an atom as a sum: baseline + Σ constants = value, up to the residual.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtomContributions {
    /// The name of the example.
    pub example: String,
    /// The atom.
    pub atom: String,
    /// The value it should have, if the data says so.
    pub target: Option<Value>,
    /// The value: one element of the atom's.
    pub value: f64,
    /// The value without the facts of the example.
    pub baseline: f64,
    /// The sum of the contributions.
    pub sum: f64,
    /// Difference between value − baseline and the sum.
    pub residual: f64,
    /// The number of orders in which facts were taken away.
    pub orders: usize,
    /// Those that contribute, the largest first.
    pub constants: Vec<ConstantContribution>,
    /// Contributions by what a person names, such as the atoms and bonds of a molecule; the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ConstantContribution>,
}

/// An atom with all that stands behind its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtomExplanation {
    /// The sum.
    #[serde(flatten)]
    pub contributions: AtomContributions,
    /// Facts that contribute, the largest first.
    pub facts: Vec<FactContribution>,
    /// Some of these facts taken away, the largest change first.
    pub changes: Vec<FactRemoval>,
    /// The rules and facts behind it.
    pub tree: Tree,
    /// The contributions of constants by their ids, for pictures.
    #[serde(skip)]
    pub shares: Vec<ConstantShare>,
}

/// The queries of one example explained.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExampleExplanation {
    /// The atoms.
    pub explained: Vec<AtomExplanation>,
    /// Number of further atoms that were asked for.
    pub left_out: usize,
    /// Notes for people.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Queries that one neuron answers, whatever the weights.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QueryGroup {
    /// The queries.
    pub queries: Vec<GroupedQuery>,
    /// True if they should have different values.
    pub targets_differ: bool,
}

/// A query of a group.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupedQuery {
    /// The name of the example.
    pub example: String,
    /// The atom.
    pub atom: String,
    /// The value it should have.
    pub target: Option<Value>,
}

/// All queries of a dataset explained in short, and what the template cannot tell apart.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DatasetExplanation {
    /// The queries in the model, in the order of the data.
    pub explained: Vec<AtomContributions>,
    /// Queries that the template cannot tell apart.
    pub alike: Vec<QueryGroup>,
    /// The fewest wrong answers under any weights; none where the loss knows no classes.
    pub least_wrong: Option<u32>,
    /// The number of queries with targets.
    #[serde(skip)]
    pub answers: u32,
    /// Notes for people.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Model {
    /// Explains the answers to all queries of data, or to what training asked where it has none: contributions of
    /// constants and of facts that add up to each value, and the rules behind it. Queries outside the model are left out.
    ///
    /// ```
    /// # use lrnn::{Settings, Template, fit};
    /// # let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
    /// # let mut data = template.data();
    /// # data.example("").fact("element", ("a", "c")).target(0.0, "toxic", ());
    /// # data.example("").fact("element", ("a", "cl")).target(1.0, "toxic", ());
    /// # let model = fit(&template, &data.build()?, &Settings { epochs: 50, ..Settings::default() })?.model;
    /// let mut request = template.data();
    /// request.example("new").fact("element", ("x", "cl")).fact("element", ("y", "c"));
    /// let explained = model.explain(&request.build()?)?;
    /// let toxic = &explained[0].contributions;
    /// let chlorine = toxic.constants.iter().find(|it| it.constant == "x");
    /// assert!(chlorine.is_some_and(|it| it.contribution > 0.0)); // the chlorine speaks for it
    /// assert!((toxic.baseline + toxic.sum - toxic.value).abs() < 1e-12);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn explain(&self, dataset: &Dataset) -> Result<Vec<AtomExplanation>, Error> {
        let subject = Subject::of_model(Cow::Borrowed(self), Cow::Borrowed(dataset), Limits::default())?;
        let explain = |example, grounding: &Grounding| {
            let roots = subject.queried(example, grounding);
            let proof = subject.proof(example, grounding, &roots)?;
            let explain = |atom| subject.explain_atom(&proof, example, (atom, 0), MOST_CHANGES);
            Ok(proof.find_all(&roots).into_iter().map(explain).collect::<Vec<_>>())
        };
        Ok(subject.for_each(&AtomicUsize::new(0), explain)?.into_iter().flatten().collect())
    }
}

impl Subject<'_> {
    /// Explains the queries of an example, or the atoms that match `atom`: an element of each value, by the `top` facts and
    /// constants that count most.
    pub fn explain(
        &self,
        example: usize,
        atom: Option<&str>,
        element: usize,
        top: usize,
    ) -> Result<ExampleExplanation, Error> {
        let roots = |grounding: &Grounding| self.asked(example, grounding, atom);
        let ((explained, left_out), mut notes) = self.look(example, roots, |proof, atoms| {
            let explain = |&atom: &usize| {
                let size = proof.values.atoms.of(atom).0.len();
                if element >= size {
                    let message = format!("{} has {size} elements", proof.atom_text(atom));
                    return Err(Error::new(ErrorKind::Usage, message).help("--element counts from 1"));
                }
                Ok(self.explain_atom(proof, example, (atom, element), top))
            };
            let explained = atoms.iter().take(MOST_QUERIES).map(explain).collect::<Result<Vec<_>, _>>()?;
            Ok((explained, atoms.len().saturating_sub(MOST_QUERIES)))
        })?;
        notes.extend(self.distinct_note());
        Ok(ExampleExplanation { explained, left_out, notes })
    }

    /// Explains an element of an atom's value; `most` facts are taken away one after the other.
    pub fn explain_atom(
        &self,
        proof: &Proof<'_>,
        example: usize,
        (atom, element): (usize, usize),
        most: usize,
    ) -> AtomExplanation {
        let (found, mut without) =
            contributions_without(proof, atom, element, |constant| !self.kept.has(constant), most);
        if self.template().is_changed_by_absence() {
            let exact = self.values_of_data_without(proof, example, (atom, element), &found.facts);
            without.iter_mut().zip(exact).for_each(|(value, exact)| *value = exact.unwrap_or(*value));
        }
        let fact = |share: &FactShare| FactContribution {
            facts: texts(proof, &share.facts),
            contribution: share.amount,
        };
        let facts: Vec<FactContribution> = found.facts.iter().map(fact).collect();
        let removal = |(fact, value_without): (&FactContribution, f64)| FactRemoval {
            facts: fact.facts.join(", "),
            value_without,
        };
        let mut changes: Vec<FactRemoval> = facts.iter().zip(without).map(removal).collect();
        let distance = |change: &FactRemoval| (change.value_without - found.value).abs();
        changes.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        AtomExplanation {
            contributions: self.summary(proof, example, atom, &found),
            facts,
            changes,
            tree: tree(proof, atom, TreeLimits::default()),
            shares: found.constants,
        }
    }

    /// Returns the values of an element of an atom in the data without each of some sets of facts, grounded anew; none
    /// where that has no value.
    fn values_of_data_without<'b>(
        &'b self,
        proof: &'b Proof<'_>,
        example: usize,
        (atom, element): (usize, usize),
        sets: &'b [FactShare],
    ) -> impl Iterator<Item = Option<f64>> + 'b {
        let mut other = self.alone(example);
        let query = Query::new(proof.network.atoms[atom].predicate, proof.terms(atom).to_vec());
        let place = |&fact: &usize| match proof.network.facts[fact].source {
            FactSource::Example { table, row } => Some((table, row)),
            FactSource::Template(_) => None,
        };
        sets.iter().map(move |share| {
            let facts = share.facts.iter().filter_map(place).collect();
            other.dataset.to_mut().examples[0] = self.dataset.examples[example].without(&facts);
            let grounding = other.ground(0).ok()?;
            let Some(root) = Self::root(&query, &grounding) else {
                return Some(absent(proof, atom, element));
            };
            let found = other.proof(0, &grounding, &[root]).ok()?;
            let atom = found.find(root.0, root.1)?;
            let value = |proof: &Proof<'_>| proof.values.atoms.of(atom).0.get(element).copied();
            let values: Option<Vec<f64>> = std::iter::once(&found).chain(&found.members).map(value).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        })
    }

    /// Returns the model beside one example alone.
    fn alone(&self, example: usize) -> Subject<'_> {
        let dataset = Dataset {
            vocabulary: self.dataset.vocabulary.clone(),
            examples: vec![self.dataset.examples[example].clone()],
            queries: vec![Vec::new()],
            ids: vec![self.dataset.example_name(example).into()],
            ..Dataset::default()
        };
        Subject {
            name: self.name.clone(),
            program: Cow::Borrowed(&*self.program),
            dataset: Cow::Owned(dataset),
            model: self.model.as_deref().map(Cow::Borrowed),
            weights: self.weights.clone(),
            members: self.members.clone(),
            kept: self.kept.clone(),
            loss: self.loss,
            unentailed: self.unentailed,
        }
    }

    fn summary(
        &self,
        proof: &Proof<'_>,
        example: usize,
        atom: usize,
        found: &Contributions,
    ) -> AtomContributions {
        let (predicate, terms) = (proof.network.atoms[atom].predicate, proof.terms(atom));
        let mut queries = self.dataset.queries[example].iter();
        let query = queries.find(|query| query.predicate == predicate && query.terms == terms);
        let name = |constant| self.dataset.vocabulary.constant(constant).to_string();
        let constant = |share: &ConstantShare| ConstantContribution {
            constant: share.constant.map_or_else(|| "facts without constants".to_owned(), name),
            contribution: share.amount,
        };
        AtomContributions {
            example: self.dataset.example_name(example),
            atom: proof.atom_text(atom),
            target: query.and_then(|query| query.target.as_deref()).map(target_value),
            value: found.value,
            baseline: found.baseline,
            sum: found.sum(),
            residual: found.residual(),
            orders: found.orders,
            constants: found.constants.iter().map(constant).collect(),
            parts: Vec::new(),
        }
    }

    /// Explains an element of every query's value in short, on all threads; `done` counts examples. Says what the template
    /// cannot tell apart.
    pub fn explain_all(&self, element: usize, done: &AtomicUsize) -> Result<DatasetExplanation, Error> {
        self.explain_all_by(element, &|_, _, _| Vec::new(), done)
    }

    /// Does the same with what else contributes, the largest first.
    pub fn explain_all_by(
        &self,
        element: usize,
        parts: &ContributingParts<'_>,
        done: &AtomicUsize,
    ) -> Result<DatasetExplanation, Error> {
        let short = |example, grounding: &Grounding| self.in_short(example, grounding, element, parts);
        let (found, together) = self.look_together(done, short)?;
        let found = found.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let (explained, unset): (Vec<Vec<AtomContributions>>, Vec<BTreeSet<String>>) =
            found.into_iter().unzip();
        let dataset = &*self.dataset;
        let all: Vec<usize> = (0..dataset.examples.len()).collect();
        let groups = alike(dataset, &together, &all);
        let least = least_wrong(self.template(), dataset, &together, &all, self.loss, self.unentailed);
        let query = |&(example, query): &(usize, usize)| {
            let query = &dataset.queries[example][query];
            GroupedQuery {
                example: dataset.example_name(example),
                atom: dataset.vocabulary.atom_text(query.predicate, &query.terms),
                target: query.target.as_deref().map(target_value),
            }
        };
        let group = |group: &IndistinctQueries| QueryGroup {
            queries: group.queries.iter().map(query).collect(),
            targets_differ: group.is_conflict,
        };
        let unset_note = self.unset_note(&unset.into_iter().flatten().collect());
        Ok(DatasetExplanation {
            explained: explained.into_iter().flatten().collect(),
            alike: groups.iter().map(group).collect(),
            least_wrong: least,
            answers: dataset.queries.iter().flatten().filter(|query| query.target.is_some()).count() as u32,
            notes: unset_note.into_iter().chain(self.distinct_note()).collect(),
        })
    }

    fn in_short(
        &self,
        example: usize,
        grounding: &Grounding,
        element: usize,
        parts: &ContributingParts<'_>,
    ) -> Result<(Vec<AtomContributions>, BTreeSet<String>), Error> {
        let roots = self.queried(example, grounding);
        let proof = self.proof(example, grounding, &roots)?;
        let short = |atom: usize| {
            let element = element.min(proof.values.atoms.of(atom).0.len().saturating_sub(1));
            let found = contributions(&proof, atom, element, |constant| !self.kept.has(constant));
            let summary = self.summary(&proof, example, atom, &found);
            AtomContributions { parts: parts(example, &proof, &found), ..summary }
        };
        Ok((proof.find_all(&roots).into_iter().map(short).collect(), proof.unset(&self.weights)))
    }
}

/// Returns a target: a number, or a vector.
fn target_value(target: &[f64]) -> Value {
    match target {
        [number] => (*number).into(),
        numbers => numbers.into(),
    }
}

/// Returns facts as texts, each once: a cycle has a copy of its facts for every sweep.
fn texts(proof: &Proof<'_>, facts: &[usize]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for &fact in facts {
        let text = proof.atom_text(proof.network.facts[fact].atom);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
