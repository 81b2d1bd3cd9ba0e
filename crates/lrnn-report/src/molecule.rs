//! Examples that are molecules: what each atom and bond contributes, and which substructures speak for and against.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;

use lrnn::data::Query;
use lrnn::diagnostic::did_you_mean;
use lrnn::explain::{Contributions, Proof, contributions};
use lrnn::program::{AtomExplanation, ConstantContribution, DatasetExplanation, Subject};
use lrnn::{Dataset, Error, ErrorKind};
use lrnn_chem::{DescribedMolecule, MoleculePart};
use serde::Serialize;

use crate::predictions::name_of;
use crate::shortened;
use crate::skeletal::{SkeletalFormula, bond_name, draw_formula};
use crate::svg::Svg;
use crate::table::numbered;

/// The contributions of the parts of a molecule; with the rest they add up to those of all facts.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct MoleculeShares {
    /// By atom; hydrogens that are only counted are with the atom that carries them.
    pub atoms: Vec<f64>,
    /// By bond.
    pub bonds: Vec<f64>,
    /// Facts of neither, by their texts.
    pub rest: Vec<(String, f64)>,
}

impl MoleculeShares {
    pub fn new(described: &DescribedMolecule, proof: &Proof<'_>, found: &Contributions) -> Self {
        let part = |atom: usize| described.part(proof.terms(atom));
        let facts = found.facts.iter().filter_map(|share| Some((share.facts.first()?, share.amount)));
        let atoms = facts.map(|(&fact, amount)| (proof.network.facts[fact].atom, amount));
        Self::of(described, atoms.map(|(atom, amount)| (part(atom), amount, move || proof.atom_text(atom))))
    }

    /// Returns the shares that an explanation of the example gives.
    fn of_explanation(
        subject: &Subject<'_>,
        example: usize,
        described: &DescribedMolecule,
        found: &AtomExplanation,
    ) -> Self {
        let (facts, vocabulary) = (&subject.dataset.examples[example], &subject.dataset.vocabulary);
        let mut parts: BTreeMap<String, Option<MoleculePart>> = BTreeMap::new();
        for table in &facts.tables {
            for row in (0..table.rows as usize).map(|row| table.row(row)) {
                parts.insert(vocabulary.atom_text(table.predicate, row), described.part(row));
            }
        }
        let facts = found.facts.iter().filter_map(|share| Some((share.facts.first()?, share.contribution)));
        let part = |fact: &String| parts.get(fact).copied().flatten();
        Self::of(described, facts.map(|(fact, amount)| (part(fact), amount, || fact.clone())))
    }

    /// Adds up the amounts of facts, each about a part, or of neither with its text.
    fn of<F: FnOnce() -> String>(
        described: &DescribedMolecule,
        facts: impl Iterator<Item = (Option<MoleculePart>, f64, F)>,
    ) -> Self {
        let atoms = vec![0.0; described.molecule.atoms.len()];
        let mut shares = Self { atoms, bonds: vec![0.0; described.molecule.bonds.len()], rest: Vec::new() };
        for (part, amount, text) in facts {
            match part {
                Some(MoleculePart::Atom(atom)) => shares.atoms[atom] += amount,
                Some(MoleculePart::Bond(bond)) => shares.bonds[bond] += amount,
                None => shares.rest.push((text(), amount)),
            }
        }
        shares
    }

    /// Returns the parts that contribute, named by position and element, the largest first.
    pub fn named(&self, described: &DescribedMolecule) -> Vec<ConstantContribution> {
        let molecule = &described.molecule;
        let atom = |(at, &amount): (usize, &f64)| {
            (format!("atom {}, {}", at + 1, molecule.atoms[at].element.symbol()), amount)
        };
        let bond = |(at, &amount): (usize, &f64)| (bond_name(molecule, &molecule.bonds[at]), amount);
        let atoms = self.atoms.iter().enumerate().map(atom);
        let all = atoms.chain(self.bonds.iter().enumerate().map(bond)).chain(self.rest.iter().cloned());
        let mut all: Vec<ConstantContribution> = all
            .filter(|(_, amount)| *amount != 0.0)
            .map(|(constant, contribution)| ConstantContribution { constant, contribution })
            .collect();
        all.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        all
    }

    pub fn formula(&self, described: &DescribedMolecule) -> SkeletalFormula {
        SkeletalFormula::new(&described.molecule).with_contributions(&self.atoms, &self.bonds)
    }
}

/// Returns the molecule that an example is, if it is one.
fn described(dataset: &Dataset, example: usize) -> Option<DescribedMolecule> {
    DescribedMolecule::new(&dataset.examples[example], &dataset.vocabulary)
}

/// Returns what the parts of a molecule contribute, if the example is one.
pub(crate) fn molecule_shares(
    subject: &Subject<'_>,
    proof: &Proof<'_>,
    example: usize,
    found: &Contributions,
) -> Option<(DescribedMolecule, MoleculeShares)> {
    let described = described(&subject.dataset, example)?;
    let shares = MoleculeShares::new(&described, proof, found);
    Some((described, shares))
}

/// Explains an element of every query's value in short, on all threads; of molecules by their atoms and bonds. `done` counts
/// examples.
pub fn explain_examples(
    subject: &Subject<'_>,
    element: usize,
    done: &AtomicUsize,
) -> Result<DatasetExplanation, Error> {
    let parts = |example: usize, proof: &Proof<'_>, found: &Contributions| {
        let shares = molecule_shares(subject, proof, example, found);
        shares.map(|(described, shares)| shares.named(&described)).unwrap_or_default()
    };
    subject.explain_all_by(element, &parts, done)
}

/// Returns what the atoms and bonds of a molecule contribute, by position and element, the largest first, and its
/// skeletal formula with these contributions; `None` if the example is no molecule.
pub fn explained_molecule(
    subject: &Subject<'_>,
    example: usize,
    found: &AtomExplanation,
) -> Option<(Vec<ConstantContribution>, SkeletalFormula)> {
    let described = described(&subject.dataset, example)?;
    let shares = MoleculeShares::of_explanation(subject, example, &described, found);
    Some((shares.named(&described), shares.formula(&described)))
}

/// A substructure of the molecules of a dataset, with what it contributes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SubstructureFinding {
    /// Its name, as SMILES writes it.
    pub name: String,
    /// The mean of what its atoms and bonds contribute, wherever it is found.
    pub effect: f64,
    /// Number of places where it is found.
    pub times: usize,
    /// The number of molecules that have it.
    pub support: usize,
    /// The share of these molecules whose target is 1; none where targets are other numbers.
    pub confidence: Option<f64>,
    /// The molecule in which it contributes most.
    pub look_at: String,
    /// That molecule with the substructure marked.
    #[serde(skip)]
    pub formula: SkeletalFormula,
}

/// The substructures that speak for and against a property.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SubstructureReport {
    /// The property whose value is raised and lowered, such as `kind=acid`.
    pub property: String,
    /// The properties that are asked, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Those that raise the value most, the largest effect first.
    pub raising: Vec<SubstructureFinding>,
    /// Those that lower it most.
    pub lowering: Vec<SubstructureFinding>,
    /// The number of different substructures.
    pub count: usize,
    /// The number of molecules that each of those above is in at least.
    pub least_support: usize,
    /// The share of molecules whose target is 1; none where targets are other numbers.
    pub base: Option<f64>,
}

/// Counts of a substructure so far.
#[derive(Default)]
struct Occurrences {
    sum: f64,
    times: usize,
    examples: Vec<usize>,
    /// The strongest: example, amount, atoms and bonds.
    best: Option<(usize, f64, Vec<usize>, Vec<usize>)>,
}

/// Contributions of one molecule's fragments: name, amount, atoms and bonds.
type FragmentShares = Vec<(String, f64, Vec<usize>, Vec<usize>)>;

/// Tells whether examples are molecules, by the first.
pub fn are_molecules(dataset: &Dataset) -> bool {
    !dataset.examples.is_empty() && described(dataset, 0).is_some()
}

/// Finds the substructures that contribute to a property of each molecule, the first that is asked if none is named, of
/// those in at least `support` molecules the `top` on either side; `done` counts examples. An error if the examples are no
/// molecules.
pub fn find_substructures(
    subject: &Subject<'_>,
    property: Option<&str>,
    support: Option<usize>,
    top: usize,
    done: &AtomicUsize,
) -> Result<SubstructureReport, Error> {
    let count = subject.dataset.examples.len();
    if !are_molecules(&subject.dataset) {
        let error = Error::new(ErrorKind::Usage, "the examples are no molecules");
        return Err(
            error.help("a molecule has facts of element/2 and bond/3, or comes from a column of SMILES")
        );
    }
    // What is in one or two of many molecules is a matter of chance.
    let support = support.unwrap_or(if count < 100 { 1 } else { 3 });
    let AskedProperty { name: property, others, queries } = AskedProperty::find(&subject.dataset, property)?;
    let found = subject.for_each(done, |example, grounding| {
        let roots: Vec<_> =
            queries[example].iter().filter_map(|query| Subject::root(query, grounding)).collect();
        let described = described(&subject.dataset, example);
        let (Some(described), false) = (described, roots.is_empty()) else { return Ok(Vec::new()) };
        let proof = subject.proof(example, grounding, &roots)?;
        let Some(atom) = proof.find(roots[0].0, roots[0].1) else { return Ok(Vec::new()) };
        let shares = contributions(&proof, atom, 0, |constant| !subject.kept.has(constant));
        Ok(fragment_shares(&described, &MoleculeShares::new(&described, &proof, &shares)))
    })?;
    let targets: Vec<Option<f64>> =
        queries.iter().map(|query| query.and_then(|query| query.target.as_ref()?.first().copied())).collect();
    Ok(SubstructureReport { property, others, ..joined(subject, &found, &targets, (support, top)) })
}

/// The property asked of each molecule, and the others.
struct AskedProperty<'a> {
    name: String,
    others: Vec<String>,
    /// Of each example its query.
    queries: Vec<Option<&'a Query>>,
}

impl<'a> AskedProperty<'a> {
    /// Finds the property of this name, or what is asked first.
    fn find(dataset: &'a Dataset, name: Option<&str>) -> Result<Self, Error> {
        let first = dataset.queries.iter().find(|queries| !queries.is_empty()).map_or(&[][..], Vec::as_slice);
        let mut all: Vec<String> = first.iter().map(|query| property_of(dataset, query)).collect();
        let Some(name) = name else {
            let queries = dataset.queries.iter().map(|queries| queries.first()).collect();
            let others = all.split_off(all.len().min(1));
            return Ok(Self { name: all.pop().unwrap_or_default(), others, queries });
        };
        let Some(at) = all.iter().position(|known| known == name || name_of(name) == *known) else {
            let near = did_you_mean(name, all.iter().map(String::as_str));
            let help = near.unwrap_or_else(|| format!("asked are {}", all.join(", ")));
            return Err(Error::new(ErrorKind::Usage, format!("nothing asks for `{name}`")).help(help));
        };
        let name = all.remove(at);
        let own = |queries: &'a Vec<Query>| queries.iter().find(|query| property_of(dataset, query) == name);
        let queries = dataset.queries.iter().map(own).collect();
        Ok(Self { name, others: all, queries })
    }
}

/// Returns the name of the property that a query asks for.
fn property_of(dataset: &Dataset, query: &Query) -> String {
    name_of(&dataset.vocabulary.atom_text(query.predicate, &query.terms))
}

fn fragment_shares(described: &DescribedMolecule, shares: &MoleculeShares) -> FragmentShares {
    let share = |fragment: lrnn_chem::Fragment| {
        let atoms: f64 = fragment.atoms.iter().map(|&atom| shares.atoms[atom]).sum();
        let bonds: f64 = fragment.bonds.iter().map(|&bond| shares.bonds[bond]).sum();
        (fragment.name, atoms + bonds, fragment.atoms, fragment.bonds)
    };
    described.molecule.fragments().into_iter().map(share).collect()
}

fn joined(
    subject: &Subject<'_>,
    found: &[FragmentShares],
    targets: &[Option<f64>],
    (support, top): (usize, usize),
) -> SubstructureReport {
    let mut all: BTreeMap<&str, Occurrences> = BTreeMap::new();
    for (example, fragments) in found.iter().enumerate() {
        for (name, amount, atoms, bonds) in fragments {
            let known = all.entry(name).or_default();
            known.sum += amount;
            known.times += 1;
            if known.examples.last() != Some(&example) {
                known.examples.push(example);
            }
            if known.best.as_ref().is_none_or(|best| amount.abs() > best.1.abs()) {
                known.best = Some((example, *amount, atoms.clone(), bonds.clone()));
            }
        }
    }
    let is_binary = targets.iter().flatten().all(|&target| target == 0.0 || target == 1.0);
    let share = |examples: &mut dyn Iterator<Item = usize>| {
        let known: Vec<f64> = examples.filter_map(|example| targets[example]).collect();
        (is_binary && !known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let count = all.len();
    let mut ranked: Vec<(&str, Occurrences)> =
        all.into_iter().filter(|(_, it)| it.examples.len() >= support).collect();
    let effect = |it: &Occurrences| it.sum / it.times as f64;
    ranked.sort_by(|a, b| effect(&b.1).total_cmp(&effect(&a.1)).then(a.0.cmp(b.0)));
    let finding = |(name, it): &(&str, Occurrences)| {
        let (example, _, atoms, bonds) = it.best.clone().unwrap_or_default();
        let molecule = described(&subject.dataset, example);
        let formula = molecule.map(|it| SkeletalFormula::new(&it.molecule)).unwrap_or_default();
        SubstructureFinding {
            name: (*name).to_owned(),
            effect: effect(it),
            times: it.times,
            support: it.examples.len(),
            confidence: share(&mut it.examples.iter().copied()),
            look_at: subject.dataset.example_name(example),
            formula: formula.with_marks(&atoms, &bonds),
        }
    };
    let raising = ranked.iter().filter(|(_, it)| effect(it) > 0.0).take(top).map(finding).collect();
    let lowering = ranked.iter().rev().filter(|(_, it)| effect(it) < 0.0).take(top).map(finding).collect();
    let base = share(&mut (0..targets.len()));
    let (property, others) = (String::new(), Vec::new());
    SubstructureReport { property, others, raising, lowering, count, least_support: support, base }
}

const COLUMNS: usize = 4;
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 190.0;

/// Draws substructures, each marked in the molecule where it contributes most: those that raise the value first.
pub fn substructures_svg(title: &str, report: &SubstructureReport) -> String {
    let mut svg = Svg::new(title, 20.0, 100);
    let mut y = 44.0;
    for (heading, findings) in [("raise the value", &report.raising), ("lower the value", &report.lowering)] {
        let heading = format!("{heading} of {}", report.property);
        svg.text(20.0, y + 12.0, "start", "out", &shortened(&heading, 100));
        y += 20.0;
        for row in findings.chunks(COLUMNS) {
            for (column, finding) in row.iter().enumerate() {
                draw_finding(&mut svg, finding, (20.0 + column as f64 * WIDTH, y));
            }
            y += HEIGHT + 50.0;
        }
    }
    svg.finish(40.0 + COLUMNS as f64 * WIDTH, y + 10.0)
}

fn draw_finding(svg: &mut Svg, finding: &SubstructureFinding, (left, top): (f64, f64)) {
    let [wide, high] = finding.formula.size;
    let edge = (WIDTH / wide.max(0.1)).min(HEIGHT / high.max(0.1)).min(30.0);
    let corner = (left + (WIDTH - wide * edge) / 2.0, top + (HEIGHT - high * edge) / 2.0);
    draw_formula(svg, &finding.formula, corner, edge, 1.0);
    let confidence =
        finding.confidence.map_or(String::new(), |share| format!(", {:.0} % with target 1", 100.0 * share));
    let lines = [
        format!("{}  {:+.4}", finding.name, finding.effect),
        format!("in {}{confidence}", numbered(finding.support, "molecule")),
        format!("here in {}", finding.look_at),
    ];
    for (at, line) in lines.iter().enumerate() {
        let class = if at == 0 { "out small" } else { "out small faint" };
        let y = top + HEIGHT + 10.0 + 12.0 * at as f64;
        svg.text(left + WIDTH / 2.0, y, "middle", class, &shortened(line, 40));
    }
}
