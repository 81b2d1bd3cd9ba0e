//! Baselines: what can be had without learning a network. In: features of examples and their classes, which of them
//! are for training, which for testing. Out: for each test example the probability of each class.
//!
//! Whatever a baseline chooses, it chooses inside the training part: test examples lend it their features only when it
//! answers.

#[cfg(feature = "boosted")]
mod boosted;
mod features;
mod folds;
mod kernel;
mod logistic;
mod rules;
mod split;

use lrnn::diagnostic::did_you_mean;
use lrnn::{Error, ErrorKind};
use lrnn_induce::{FeatureMethod, InduceMethod};

pub use features::propositionalise;
pub use lrnn_induce::{FeatureTask, Features};

/// A way to answer without a network.
pub struct Baseline {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub help: &'static str,
    /// Basis of its answers.
    pub kind: BaselineKind,
}

/// The basis of a baseline's answers.
#[derive(Clone, Copy)]
pub enum BaselineKind {
    /// The frequency of each class.
    Frequencies,
    /// Features: from a task to the probabilities of the classes of each test example, in the order of the task.
    Features(fn(&FeatureTask<'_>) -> Vec<Vec<f64>>),
    /// Rules that are learned from the facts, whatever the template says.
    Rules(InduceMethod),
}

/// All baselines of this build. Another one is a function and a line here.
pub const BASELINES: &[Baseline] = &[
    Baseline {
        name: "majority",
        help: "the class that most training examples have",
        kind: BaselineKind::Frequencies,
    },
    Baseline {
        name: "logistic",
        help: "logistic regression on counts and presence of the template's rule bodies; L2 chosen by an inner split",
        kind: BaselineKind::Features(logistic::fit_predict),
    },
    Baseline {
        name: "kernel",
        help: "support vector machine with the min-max (Tanimoto) kernel on counts of the rule bodies; its cost chosen by an inner split",
        kind: BaselineKind::Features(kernel::support_vectors),
    },
    Baseline {
        name: "neighbours",
        help: "nearest neighbours by the same kernel; their number chosen by an inner split",
        kind: BaselineKind::Features(kernel::neighbours),
    },
    #[cfg(feature = "boosted")]
    Baseline {
        name: "boosted",
        help: "gradient boosted trees on the same features; their number chosen by an inner split",
        kind: BaselineKind::Features(boosted::fit_predict),
    },
    Baseline {
        name: "rules",
        help: "rules learned from the facts by gradient boosting; how many there are is chosen on inner folds",
        kind: BaselineKind::Rules(InduceMethod::Growth),
    },
    Baseline {
        name: "nfoil",
        help: "nFOIL: clauses learned from the facts as features of naive Bayes",
        kind: BaselineKind::Rules(InduceMethod::Nfoil),
    },
    Baseline {
        name: "kfoil",
        help: "kFOIL: clauses learned from the facts as features of a support vector machine",
        kind: BaselineKind::Rules(InduceMethod::Kfoil),
    },
    Baseline {
        name: "cilp",
        help: "CILP++: literals of bottom clauses as features of a network with one hidden layer",
        kind: BaselineKind::Rules(InduceMethod::Cilp),
    },
];

impl Baseline {
    /// Tells whether it looks at features of the template; if not, they may be empty.
    pub fn needs_features(&self) -> bool {
        matches!(self.kind, BaselineKind::Features(_))
    }

    /// Returns the way to learn by which it answers queries one by one; none if it learns nothing.
    pub fn method(&self) -> Option<InduceMethod> {
        match self.kind {
            BaselineKind::Frequencies => None,
            BaselineKind::Features(fit_predict) => {
                Some(InduceMethod::Features(FeatureMethod { name: self.name, fit_predict }))
            }
            BaselineKind::Rules(method) => Some(method),
        }
    }

    /// Finds a baseline by its name.
    pub fn find(name: &str) -> Result<&'static Self, Error> {
        let unknown = || unknown("baseline", name, &Self::names().collect::<Vec<_>>());
        BASELINES.iter().find(|baseline| baseline.name == name).ok_or_else(unknown)
    }

    /// Returns all names, in the order of the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BASELINES.iter().map(|baseline| baseline.name)
    }
}

fn unknown(kind: &str, name: &str, names: &[&str]) -> Error {
    if name == "boosted" {
        let message = "this build has no boosted trees; build with --features boosted";
        return Error::new(ErrorKind::Usage, message);
    }
    let near = did_you_mean(name, names.iter().copied());
    let error = Error::new(ErrorKind::Usage, format!("there is no {kind} `{name}`"));
    error.help(near.unwrap_or_else(|| format!("there are {}", names.join(", "))))
}

/// Finds a way to learn from facts by its name: one that learns clauses, or a baseline that takes clauses for features.
pub fn induce_method(name: &str) -> Result<InduceMethod, Error> {
    let by_features = BASELINES.iter().filter(|baseline| baseline.needs_features());
    let known: Vec<(&str, InduceMethod)> = (InduceMethod::ALL.iter().map(|(method, name)| (*name, *method)))
        .chain(by_features.filter_map(|baseline| Some((baseline.name, baseline.method()?))))
        .collect();
    let found = known.iter().find(|(known, _)| *known == name).map(|(_, method)| *method);
    found.ok_or_else(|| unknown("method", name, &known.iter().map(|(name, _)| *name).collect::<Vec<_>>()))
}

/// Learns from the features of training examples and gives the probabilities of each class for each test example: how
/// often it occurs, for a baseline that has no use for features. Classes count from 0. Training examples that do not
/// exist are passed over.
pub fn fit_predict(
    baseline: &Baseline,
    features: &Features,
    classes: &[u32],
    training: &[usize],
    test: &[usize],
    seed: u64,
) -> Vec<Vec<f64>> {
    let class_count = classes.iter().max().map_or(1, |&class| class as usize + 1);
    let known: Vec<usize> = training.iter().copied().filter(|&example| example < classes.len()).collect();
    let task = FeatureTask { features, classes, class_count, training: &known, test, seed };
    match baseline.kind {
        BaselineKind::Features(fit_predict) => fit_predict(&task),
        BaselineKind::Frequencies | BaselineKind::Rules(_) => majority(&task),
    }
}

/// Returns the number of the features with which a baseline has the fewest wrong answers over an inner split of the
/// training examples; the first of equals.
pub fn best_features(
    baseline: &Baseline,
    features: &[Features],
    classes: &[u32],
    training: &[usize],
    seed: u64,
) -> usize {
    if features.len() < 2 {
        return 0;
    }
    let known: Vec<usize> = training.iter().copied().filter(|&example| example < classes.len()).collect();
    let inner = split::parts(&known, classes, 3, seed);
    let wrong = |&number: &usize| {
        wrong_answers(&inner, classes, |training, held| {
            fit_predict(baseline, &features[number], classes, training, held, seed)
        })
    };
    (0..features.len()).min_by_key(wrong).unwrap_or(0)
}

/// Counts the wrong answers over an inner split; `answer` is given the examples to learn from and those to answer.
fn wrong_answers(
    inner: &[Vec<usize>],
    classes: &[u32],
    answer: impl Fn(&[usize], &[usize]) -> Vec<Vec<f64>>,
) -> usize {
    let of = |held: usize| {
        let found = answer(&split::others(inner, held), &inner[held]);
        let classes = inner[held].iter().map(|&example| classes[example] as usize);
        found.iter().zip(classes).filter(|(found, class)| most_probable(found) != *class).count()
    };
    (0..inner.len()).map(of).sum()
}

/// Returns the classes that are learned against the rest: of two, the second.
fn rivals(task: &FeatureTask<'_>) -> std::ops::Range<u32> {
    (if task.class_count == 2 { 1 } else { 0 })..task.class_count as u32
}

/// Returns scores as shares that add up to 1; one alone is the share of the second of two classes.
fn shares(scores: Vec<f64>) -> Vec<f64> {
    if let [only] = scores[..] {
        return vec![1.0 - only, only];
    }
    let total: f64 = scores.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    scores.into_iter().map(|score| score / total).collect()
}

/// Returns the class with the highest probability; the first of equals.
pub fn most_probable(probabilities: &[f64]) -> usize {
    let better = |best, class| if probabilities[class] > probabilities[best] { class } else { best };
    (0..probabilities.len()).reduce(better).unwrap_or(0)
}

fn majority(task: &FeatureTask<'_>) -> Vec<Vec<f64>> {
    vec![task.frequencies(); task.test.len()]
}

#[cfg(test)]
mod tests;
