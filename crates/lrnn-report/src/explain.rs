//! Why a model gives its values: one example with all that stands behind it, or all examples in short.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicUsize;

use lrnn::data::Value;
use lrnn::explain::{
    ConstantShare, Contributions, FactShare, Proof, Tree, TreeKind, TreeLimits, alike, contributions,
    contributions_without, tree,
};
use lrnn::ground::Grounding;
use lrnn::program::least_wrong_sentence;
use lrnn::train::least_wrong;
use lrnn::{Error, ErrorKind};
use serde::Serialize;

use crate::{Subject, shortened};

/// More queries of one example are not explained at once.
const MOST_QUERIES: usize = 20;

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

/// Explains the queries of an example, or the atoms that match `atom`: an element of each value, by the `top` facts and
/// constants that count most.
pub fn explain_example(
    subject: &Subject<'_>,
    example: usize,
    atom: Option<&str>,
    element: usize,
    top: usize,
) -> Result<ExampleExplanation, Error> {
    let roots = |grounding: &Grounding| subject.asked(example, grounding, atom);
    let ((explained, left_out), notes) = subject.look(example, roots, |proof, atoms| {
        let explain = |&atom: &usize| {
            let size = proof.values.atoms.of(atom).0.len();
            if element >= size {
                let message = format!("{} has {size} elements", proof.atom_text(atom));
                return Err(Error::new(ErrorKind::Usage, message).help("--element counts from 1"));
            }
            Ok(explain_atom(subject, proof, example, (atom, element), top))
        };
        let explained = atoms.iter().take(MOST_QUERIES).map(explain).collect::<Result<Vec<_>, _>>()?;
        Ok((explained, atoms.len().saturating_sub(MOST_QUERIES)))
    })?;
    Ok(ExampleExplanation { explained, left_out, notes })
}

/// Explains an element of an atom's value; `most` facts are taken away one after the other.
pub(crate) fn explain_atom(
    subject: &Subject<'_>,
    proof: &Proof<'_>,
    example: usize,
    (atom, element): (usize, usize),
    most: usize,
) -> AtomExplanation {
    let (found, without) =
        contributions_without(proof, atom, element, |constant| !subject.kept.has(constant), most);
    let fact = |share: &FactShare| FactContribution {
        facts: share.facts.iter().map(|&fact| proof.atom_text(proof.network.facts[fact].atom)).collect(),
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
        contributions: summary(subject, proof, example, atom, &found),
        facts,
        changes,
        tree: tree(proof, atom, TreeLimits::default()),
        shares: found.constants,
    }
}

fn summary(
    subject: &Subject<'_>,
    proof: &Proof<'_>,
    example: usize,
    atom: usize,
    found: &Contributions,
) -> AtomContributions {
    let (predicate, terms) = (proof.network.atoms[atom].predicate, proof.terms(atom));
    let mut queries = subject.dataset.queries[example].iter();
    let query = queries.find(|query| query.predicate == predicate && query.terms == terms);
    let name = |constant| subject.dataset.vocabulary.constant(constant).to_string();
    let constant = |share: &ConstantShare| ConstantContribution {
        constant: share.constant.map_or_else(|| "facts without constants".to_owned(), name),
        contribution: share.amount,
    };
    AtomContributions {
        example: subject.dataset.example_name(example),
        atom: proof.atom_text(atom),
        target: query.and_then(|query| query.target.as_deref()).map(target_value),
        value: found.value,
        baseline: found.baseline,
        sum: found.sum(),
        residual: found.residual(),
        orders: found.orders,
        constants: found.constants.iter().map(constant).collect(),
    }
}

/// Returns a target: a number, or a vector.
fn target_value(target: &[f64]) -> Value {
    match target {
        [number] => (*number).into(),
        numbers => numbers.into(),
    }
}

/// Explains an element of every query's value in short, on all threads; `done` counts examples. Says what the template
/// cannot tell apart.
pub fn explain_all(
    subject: &Subject<'_>,
    element: usize,
    done: &AtomicUsize,
) -> Result<DatasetExplanation, Error> {
    let found =
        subject.for_each(done, |example, grounding| in_short(subject, example, grounding, element))?;
    let (explained, unset): (Vec<Vec<AtomContributions>>, Vec<BTreeSet<String>>) = found.into_iter().unzip();
    let (program, dataset) = (&subject.program, &*subject.dataset);
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let together = program.together(dataset, &all)?;
    let groups = together.as_ref().map_or_else(Vec::new, |network| alike(dataset, network, &all));
    let least = together.and_then(|network| {
        least_wrong(subject.template(), dataset, &network, &all, subject.loss, subject.unentailed)
    });
    let query = |&(example, query): &(usize, usize)| {
        let query = &dataset.queries[example][query];
        GroupedQuery {
            example: dataset.example_name(example),
            atom: dataset.vocabulary.atom_text(query.predicate, &query.terms),
            target: query.target.as_deref().map(target_value),
        }
    };
    let group = |group: &lrnn::explain::IndistinctQueries| QueryGroup {
        queries: group.queries.iter().map(query).collect(),
        targets_differ: group.is_conflict,
    };
    Ok(DatasetExplanation {
        explained: explained.into_iter().flatten().collect(),
        alike: groups.iter().map(group).collect(),
        least_wrong: least,
        answers: dataset.queries.iter().flatten().filter(|query| query.target.is_some()).count() as u32,
        notes: subject.unset_note(&unset.into_iter().flatten().collect()).into_iter().collect(),
    })
}

fn in_short(
    subject: &Subject<'_>,
    example: usize,
    grounding: &Grounding,
    element: usize,
) -> Result<(Vec<AtomContributions>, BTreeSet<String>), Error> {
    let queries = subject.dataset.queries[example].iter();
    let roots: Vec<_> = queries.filter_map(|query| Subject::root(query, grounding)).collect();
    let proof = subject.proof(example, grounding, &roots)?;
    let atoms = roots.iter().filter_map(|&(predicate, row)| proof.find(predicate, row));
    let short = |atom: usize| {
        let element = element.min(proof.values.atoms.of(atom).0.len().saturating_sub(1));
        let found = contributions(&proof, atom, element, |constant| !subject.kept.has(constant));
        summary(subject, &proof, example, atom, &found)
    };
    Ok((atoms.map(short).collect(), proof.unset(&subject.weights)))
}

impl DatasetExplanation {
    /// Returns sentences about what the template cannot tell apart, and what follows for the accuracy of any weights.
    pub fn sentences(&self) -> Vec<String> {
        const GROUPS: usize = 10;
        let mut all = Vec::new();
        let queries: usize = self.alike.iter().map(|group| group.queries.len()).sum();
        all.push(match self.alike.len() {
            0 => "the template tells all queries apart".to_owned(),
            groups => format!("{queries} queries are in {groups} groups that the template cannot tell apart"),
        });
        let conflicts: Vec<&QueryGroup> = self.alike.iter().filter(|group| group.targets_differ).collect();
        all.extend(conflicts.iter().take(GROUPS).map(|group| group.sentence()));
        if conflicts.len() > GROUPS {
            all.push(format!("  and {} groups more", conflicts.len() - GROUPS));
        }
        let answers = self.answers;
        all.extend(self.least_wrong.map(|least| least_wrong_sentence(Some(least), answers)));
        if let Some(least) = self.least_wrong.filter(|&least| least > 0 && answers > 0) {
            let best = 100.0 * f64::from(answers.saturating_sub(least)) / f64::from(answers);
            all.push(format!("so no weights have an accuracy above {best:.1} %"));
        }
        all
    }
}

impl QueryGroup {
    fn sentence(&self) -> String {
        const QUERIES: usize = 8;
        let query = |query: &GroupedQuery| {
            let target = query.target.as_ref().and_then(|target| target.numbers.first());
            let target = target.map_or_else(|| "-".to_owned(), ToString::to_string);
            format!("{} ({target})", shortened(&query.example, 40))
        };
        let names: Vec<String> = self.queries.iter().take(QUERIES).map(query).collect();
        let more = if self.queries.len() > QUERIES { ", ..." } else { "" };
        format!("  with different targets: {}{more}", names.join(", "))
    }
}

/// Writes a number with at most six digits behind the point.
pub fn fixed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Draws a tree of rules and facts as lines of text.
pub fn tree_text(tree: &Tree) -> String {
    let mut out = String::new();
    branch(&mut out, tree, "", "");
    out
}

fn numbers(numbers: &[f64]) -> String {
    match numbers {
        [number] => fixed(*number),
        numbers => {
            let shown: Vec<String> = numbers.iter().take(4).map(|number| fixed(*number)).collect();
            let more = if numbers.len() > 4 { ", ..." } else { "" };
            format!("[{}{more}]", shown.join(", "))
        }
    }
}

/// Writes a node and all below it.
fn branch(out: &mut String, tree: &Tree, first: &str, rest: &str) {
    let weight = if tree.weight == [1.0] || tree.weight.is_empty() {
        String::new()
    } else {
        format!("{} * ", numbers(&tree.weight))
    };
    let note = if tree.note.is_empty() { String::new() } else { format!("  ({})", tree.note) };
    let text = shortened(&tree.text, 120);
    let line = match tree.kind {
        TreeKind::Folded => format!("... {text}"),
        TreeKind::Fact => format!("{weight}fact"),
        _ => format!("{weight}{}  {text}{note}", numbers(&tree.value)),
    };
    let _ = writeln!(out, "{first}{line}");
    for (at, below) in tree.below.iter().enumerate() {
        let is_last = at + 1 == tree.below.len();
        let (branching, passing) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        branch(out, below, &format!("{rest}{branching}"), &format!("{rest}{passing}"));
    }
}
