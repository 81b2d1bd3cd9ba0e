//! One example looked at: its queries explained, each by its own model, its picture, its patterns.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lrnn::explain::{ConstantShare, ExamplePatterns, Finder, Proof, network_view};

use super::explanation::explanation;
use super::graph::{FactAmounts, example_graph};
use crate::molecule::explained_molecule;
use crate::page::{Explanation, PageGraph, SharedTexts};
use crate::skeletal::SkeletalFormula;
use lrnn::ground::Grounding;
use lrnn::program::FactContribution;
use lrnn::program::Subject;

/// So many changes are looked for; each walks through the network anew.
const MOST_CHANGES: usize = 4;

/// The work on one example.
pub(super) struct ExampleTask {
    pub example: usize,
    /// The queries to explain, each with the number of the subject that does it.
    pub queries: Vec<(usize, usize)>,
    /// True if patterns are looked for, with the first subject.
    pub patterns: bool,
    /// About so many neurons of each network are in the page.
    pub neurons: usize,
}

/// The findings of one example.
#[derive(Default)]
pub(super) struct ExampleFindings {
    pub example: usize,
    /// By query; numbers of texts are those of `texts`.
    pub explanations: Vec<(usize, Explanation)>,
    pub texts: SharedTexts,
    pub picture: Option<PageGraph>,
    pub molecule: Option<SkeletalFormula>,
    pub found: Option<ExamplePatterns>,
    /// By subject, the weights that its model has not learned.
    pub unset: BTreeMap<usize, BTreeSet<String>>,
    /// Reasons why something could not be explained.
    pub failures: Vec<String>,
}

/// Contributions for the picture.
type Shares = (Vec<ConstantShare>, FactAmounts, Option<SkeletalFormula>);

/// Looks at an example; with its grounding by the template of the first subject, if that is there.
pub(super) fn look(
    subjects: &[Subject<'_>],
    task: &ExampleTask,
    known: Option<&Grounding>,
) -> ExampleFindings {
    let mut findings = ExampleFindings { example: task.example, ..ExampleFindings::default() };
    let mut needed: BTreeSet<usize> = task.queries.iter().map(|query| query.1).collect();
    needed.extend(task.patterns.then_some(0));
    let mut shares: Option<(usize, Shares)> = None;
    for group in same_template(subjects, &needed) {
        let known = known.filter(|_| is_same_template(subjects, 0, group[0]));
        let grounding = match known.map_or_else(
            || subjects[group[0]].ground(task.example).map(Cow::Owned),
            |known| Ok(Cow::Borrowed(known)),
        ) {
            Ok(grounding) => grounding,
            Err(error) => {
                findings.failures.push(error.message().to_owned());
                continue;
            }
        };
        for number in group {
            let subject = &subjects[number];
            let queries = task.queries.iter().filter(|query| query.1 == number);
            let queries: Vec<usize> = queries.map(|query| query.0).collect();
            let has_patterns = number == 0 && task.patterns;
            let asked =
                |&query: &usize| Subject::root(&subject.dataset.queries[task.example][query], &grounding);
            let mut roots: Vec<_> = queries.iter().filter_map(asked).collect();
            if has_patterns {
                roots.extend(subject.roots(task.example, &grounding));
            }
            let proof = match subject.proof(task.example, &grounding, &roots) {
                Ok(proof) => proof,
                Err(error) => {
                    findings.failures.push(error.message().to_owned());
                    continue;
                }
            };
            findings.unset.entry(number).or_default().extend(proof.unset(&subject.weights));
            for query in queries {
                if let Some(found) = findings.explain(subject, (query, task.neurons), &proof)
                    && shares.as_ref().is_none_or(|known| query < known.0)
                {
                    shares = Some((query, found));
                }
            }
            if has_patterns {
                findings.found = Some(Finder::find(&proof, &subject.kept));
            }
        }
    }
    if !task.queries.is_empty()
        && let Some(subject) = subjects.first()
    {
        findings.molecule = shares.as_mut().and_then(|(_, shares)| shares.2.take());
        let shares = shares.as_ref().map(|(_, (constants, facts, _))| (&constants[..], facts));
        findings.picture = example_graph(&subject.dataset, task.example, &subject.kept, shares);
    }
    findings.explanations.sort_by_key(|explanation| explanation.0);
    findings
}

fn is_same_template(subjects: &[Subject<'_>], one: usize, other: usize) -> bool {
    let (one, other) = (&subjects[one], &subjects[other]);
    std::ptr::eq(one.template(), other.template()) && std::ptr::eq(&*one.dataset, &*other.dataset)
}

/// Subjects by their templates: those with one template have one grounding.
fn same_template(subjects: &[Subject<'_>], needed: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &number in needed {
        match groups.iter_mut().find(|group| is_same_template(subjects, group[0], number)) {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups
}

impl ExampleFindings {
    /// Explains a query, if it is in the model.
    fn explain(
        &mut self,
        subject: &Subject<'_>,
        (query, neurons): (usize, usize),
        proof: &Proof<'_>,
    ) -> Option<Shares> {
        let asked = &subject.dataset.queries[self.example][query];
        let (predicate, row) = Subject::root(asked, proof.grounding)?;
        let atom = proof.find(predicate, row)?;
        let element = element(asked.target.as_deref(), proof.values.atoms.of(atom).0.len());
        let explained = subject.explain_atom(proof, self.example, (atom, element), MOST_CHANGES);
        let view = network_view(proof, &[atom], neurons);
        let molecule = explained_molecule(subject, self.example, &explained);
        let constants = molecule.as_ref().map_or(&explained.contributions.constants, |found| &found.0);
        let shown = explanation(&explained, constants, &view, &mut self.texts);
        self.explanations.push((query, shown));
        let amounts = |FactContribution { facts, contribution }| {
            facts.into_iter().map(move |fact| (fact, contribution))
        };
        let facts = explained.facts.into_iter().flat_map(amounts).collect();
        Some((explained.shares, facts, molecule.map(|found| found.1)))
    }
}

/// Returns which element of a vector is explained: the one whose target is largest.
fn element(target: Option<&[f64]>, size: usize) -> usize {
    let target = target.filter(|target| target.len() == size).unwrap_or(&[]);
    (0..target.len()).reduce(|best, at| if target[at] > target[best] { at } else { best }).unwrap_or(0)
}
