//! Which cases are tested when: folds of the data, or stratified ones; and parts held out inside the training folds.

use std::collections::BTreeMap;

use lrnn::train::{Settings, Split, classes, shuffled};
use lrnn::{Dataset, Error, ErrorKind};
use lrnn_chem::{Molecule, described_molecules, scaffold_folds, scaffold_groups};
use serde::{Deserialize, Serialize};

use crate::twins::example_hashes;

/// The way to draw folds and parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitMethod {
    /// By chance, each part with its share of every class.
    #[default]
    Random,
    /// Molecules with one scaffold are in one part, so that what is tested is new.
    Scaffold,
    /// By chance, or as the data says, but examples that are equal up to the names of their constants are in one part:
    /// that of the first.
    Graph,
}

/// Returns the molecules of a dataset, or says that there are none.
fn molecules(dataset: &Dataset) -> Result<Vec<Molecule>, Error> {
    described_molecules(dataset).ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, "a split by scaffolds needs molecules as examples");
        error.help("examples with element/2 and bond/3, or a table with a column of SMILES")
    })
}

/// Splits molecules by scaffolds: those of the largest groups are for training, then for validation, then for the test.
pub fn scaffold_split(dataset: &Dataset, settings: &Settings) -> Result<Split, Error> {
    let molecules = molecules(dataset)?;
    let count = molecules.len() as f64;
    let test = (settings.test.0 * count).round() as usize;
    let validation = (settings.validation.0 * count).round() as usize;
    let training = molecules.len().saturating_sub(test + validation);
    let mut split = Split::default();
    for group in scaffold_groups(&molecules) {
        // A group goes where it fits; what fits nowhere is tested.
        let room = |part: &Vec<usize>, most: usize| part.len() + group.len() <= most;
        let part = if room(&split.training, training) {
            &mut split.training
        } else if room(&split.validation, validation) {
            &mut split.validation
        } else {
            &mut split.test
        };
        part.extend(group);
    }
    for part in [&mut split.training, &mut split.validation, &mut split.test] {
        part.sort_unstable();
    }
    Ok(split)
}

/// Splits examples by chance, those that are equal in one part.
pub fn graph_split(dataset: &Dataset, settings: &Settings) -> Split {
    let split = Split::new(&classes(dataset), settings.validation.0, settings.test.0, settings.seed);
    let mut parts = vec![0; dataset.examples.len()];
    split.validation.iter().for_each(|&example| parts[example] = 1);
    split.test.iter().for_each(|&example| parts[example] = 2);
    let parts = together(parts, &example_hashes(dataset));
    let part = |number: u32| (0..parts.len()).filter(|&example| parts[example] == number).collect();
    Split { training: part(0), validation: part(1), test: part(2) }
}

/// Returns the parts of examples, with each that is equal to others in the part of the first of them.
fn together(mut parts: Vec<u32>, hashes: &[u64]) -> Vec<u32> {
    let mut firsts = BTreeMap::new();
    for (part, hash) in parts.iter_mut().zip(hashes) {
        *part = *firsts.entry(hash).or_insert(*part);
    }
    parts
}

/// A fold of a repetition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The repetition, from 0.
    pub repeat: u32,
    /// The seed of the repetition.
    pub seed: u64,
    /// Its number, as the data gives it, or from 0.
    pub number: u32,
    /// The cases to learn from, in ascending order.
    pub training: Vec<usize>,
    /// The cases to test, in ascending order.
    pub test: Vec<usize>,
}

/// The part held out inside the training folds to choose settings by; in text, a fraction or a number of folds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Inner {
    /// A share, once.
    Share(f64),
    /// So many folds, each once.
    Folds(u32),
}

impl std::str::FromStr for Inner {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text.parse::<u32>(), text.parse::<f64>()) {
            (Ok(folds), _) if folds >= 2 => Ok(Self::Folds(folds)),
            (_, Ok(share)) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            _ => Err("it must be a share between 0 and 1, or a number of folds from 2"),
        }
    }
}

impl TryFrom<String> for Inner {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Inner> for String {
    fn from(inner: Inner) -> Self {
        inner.to_string()
    }
}

impl std::fmt::Display for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{share}"),
            Self::Folds(folds) => write!(f, "{folds}"),
        }
    }
}

/// Streams of random orders, by their use.
const OUTER: u64 = 4;
const INNER: u64 = 5;

impl Fold {
    /// Returns the folds that the data gives by the number of each case.
    pub fn given(numbers: &[u32], repeat: u32, seed: u64) -> Vec<Self> {
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let fold = |number: u32| {
            let (test, training) = (0..numbers.len()).partition(|&case| numbers[case] == number);
            Self { repeat, seed, number, training, test }
        };
        distinct.into_iter().map(fold).collect()
    }

    /// Draws so many folds, each with its share of every class.
    pub fn stratified(classes: &[u64], folds: u32, repeat: u32, seed: u64) -> Vec<Self> {
        Self::given(&deal(classes, folds, &[seed, OUTER]), repeat, seed)
    }

    /// Draws so many folds of molecules, those with one scaffold in one fold.
    pub fn by_scaffold(dataset: &Dataset, folds: u32, repeat: u32, seed: u64) -> Result<Vec<Self>, Error> {
        Ok(Self::given(&scaffold_folds(&molecules(dataset)?, folds), repeat, seed))
    }

    /// Returns these folds with equal examples in one of them.
    pub fn by_graph(folds: &[Self], dataset: &Dataset) -> Vec<Self> {
        let Some(&Self { repeat, seed, .. }) = folds.first() else { return Vec::new() };
        let mut numbers = vec![0; dataset.examples.len()];
        for fold in folds {
            fold.test.iter().for_each(|&example| numbers[example] = fold.number);
        }
        Self::given(&together(numbers, &example_hashes(dataset)), repeat, seed)
    }

    /// Returns parts of the training folds to choose settings by: the cases to learn from, and those held out.
    pub fn inner(&self, classes: &[u64], inner: Inner) -> Vec<(Vec<usize>, Vec<usize>)> {
        let own: Vec<u64> = self.training.iter().map(|&case| classes[case]).collect();
        let cases = |places: &[usize]| places.iter().map(|&at| self.training[at]).collect::<Vec<usize>>();
        match inner {
            Inner::Share(share) => {
                // Each fold draws for itself; `Split` has one number for all that a draw depends on.
                let seed = self.seed.wrapping_mul(0x1_0000_0001).wrapping_add(u64::from(self.number) + 1);
                let split = Split::new(&own, share, 0.0, seed);
                vec![(cases(&split.training), cases(&split.validation))]
            }
            Inner::Folds(folds) => {
                let numbers = deal(&own, folds, &[self.seed, INNER, u64::from(self.number)]);
                let part = |fold: u32| {
                    let places: (Vec<usize>, Vec<usize>) =
                        (0..own.len()).partition(|&at| numbers[at] != fold);
                    (cases(&places.0), cases(&places.1))
                };
                (0..folds).map(part).collect()
            }
        }
    }
}

/// Deals the cases out to folds, class by class, each class in a random order.
fn deal(classes: &[u64], folds: u32, purpose: &[u64]) -> Vec<u32> {
    let mut order = shuffled(classes.len(), purpose);
    order.sort_by_key(|&case| classes[case]);
    let mut numbers = vec![0; classes.len()];
    for (place, case) in order.into_iter().enumerate() {
        numbers[case] = place as u32 % folds.max(1);
    }
    numbers
}

/// A shard of the folds, or of the cells of an experiment, for a process of its own: of all in a row, every so manieth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkShard {
    /// Its number, from 1.
    pub number: u32,
    /// The number of shards.
    pub count: u32,
}

impl WorkShard {
    /// Reads a shard: `2/8`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            let (number, count) = (number.parse().ok()?, count.parse().ok()?);
            (1..=count).contains(&number).then_some(Self { number, count })
        });
        numbers.ok_or_else(|| format!("`{text}` is no shard, such as 2/8, the second of eight"))
    }

    /// Returns whether what is at this place, from 0, is in it.
    pub(crate) fn has(self, place: usize) -> bool {
        place % self.count as usize == self.number as usize - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<u64> {
        (0..188).map(|case| u64::from(case % 3 == 0)).collect()
    }

    #[test]
    fn every_case_is_tested_once_and_never_learned_from() {
        let folds = Fold::stratified(&classes(), 10, 0, 7);
        let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..188).collect::<Vec<_>>());
        for fold in &folds {
            assert_eq!(fold.training.len() + fold.test.len(), 188);
            assert!(fold.test.iter().all(|case| !fold.training.contains(case)));
        }
    }

    #[test]
    fn every_fold_has_its_share_of_each_class() {
        let classes = classes();
        let folds = Fold::stratified(&classes, 10, 0, 1);
        for fold in &folds {
            let ones = fold.test.iter().filter(|&&case| classes[case] == 1).count();
            assert!((6..=7).contains(&ones) && (18..=19).contains(&fold.test.len()));
        }
        assert_ne!(folds, Fold::stratified(&classes, 10, 0, 2));
    }

    #[test]
    fn equal_examples_are_in_the_part_of_the_first() {
        assert_eq!(together(vec![2, 0, 1, 1, 0], &[7, 8, 7, 9, 8]), [2, 0, 2, 1, 0]);
        let template = lrnn::Template::parse("toxic :- element(X, c).").expect("a template");
        let mut builder = template.data();
        for number in 0..40 {
            let atoms: Vec<String> =
                (0..number / 4).map(|atom| format!("element(m{number}_{atom}, c)")).collect();
            let text = format!("{}.0 toxic :- element(m{number}, o), {}.\n", number % 2, atoms.join(", "));
            builder.text("data", &text.replace(", .", "."), lrnn::data::Layout::Examples);
        }
        let dataset = builder.build().expect("data");
        let folds = Fold::by_graph(&Fold::stratified(&classes(), 4, 0, 1)[..0], &dataset);
        assert!(folds.is_empty());
        let folds = Fold::by_graph(&Fold::stratified(&lrnn::train::classes(&dataset), 4, 0, 1), &dataset);
        let settings = Settings { test: lrnn::train::Share(0.25), ..Settings::default() };
        let split = graph_split(&dataset, &settings);
        let parts = folds.iter().map(|fold| &fold.test).chain([&split.training, &split.test]);
        for part in parts {
            assert!(part.iter().all(|at| (at / 4 * 4..at / 4 * 4 + 4).all(|it| part.contains(&it))));
        }
        assert_eq!(folds.iter().map(|fold| fold.test.len()).sum::<usize>(), 40);
    }

    #[test]
    fn given_folds_may_have_any_numbers() {
        let folds = Fold::given(&[7, 3, 7, 1_000_000], 0, 0);
        let seen: Vec<(u32, Vec<usize>)> =
            folds.iter().map(|fold| (fold.number, fold.test.clone())).collect();
        assert_eq!(seen, [(3, vec![1]), (7, vec![0, 2]), (1_000_000, vec![3])]);
    }

    #[test]
    fn inner_parts_are_of_the_training_folds() {
        let classes = classes();
        for inner in [Inner::Share(0.2), Inner::Folds(4)] {
            for fold in Fold::stratified(&classes, 10, 0, 3) {
                for (training, held) in fold.inner(&classes, inner) {
                    let mut all = [training.clone(), held.clone()].concat();
                    all.sort_unstable();
                    assert_eq!(all, fold.training);
                    assert!(!held.is_empty() && held.len() < training.len());
                }
            }
        }
    }

    #[test]
    fn inner_is_a_share_or_a_number() {
        assert_eq!("0.2".parse(), Ok(Inner::Share(0.2)));
        assert_eq!("5".parse(), Ok(Inner::Folds(5)));
        for wrong in ["0", "1", "1.5", "-1", "half", "nan"] {
            assert!(wrong.parse::<Inner>().is_err(), "{wrong}");
        }
    }
}
