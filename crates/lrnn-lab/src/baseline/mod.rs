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
use lrnn_induce::InduceMethod;

pub use features::{Features, propositionalise};

/// The input of a baseline.
pub struct Task<'a> {
    /// The features of all examples.
    pub features: &'a Features,
    /// The class of each example, from 0. Those of test examples are never looked at.
    pub classes: &'a [u32],
    /// Number of classes.
    pub class_count: usize,
    /// The examples to learn from.
    pub training: &'a [usize],
    /// The examples to answer.
    pub test: &'a [usize],
    /// For choices by chance: the same seed gives the same answers.
    pub seed: u64,
}

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
    Features(fn(&Task<'_>) -> Vec<Vec<f64>>),
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

    /// Finds a baseline by its name.
    pub fn find(name: &str) -> Result<&'static Self, Error> {
        let unknown = || {
            if name == "boosted" {
                let message = "this build has no boosted trees; build with --features boosted";
                return Error::new(ErrorKind::Usage, message);
            }
            let names: Vec<&str> = Self::names().collect();
            let near = did_you_mean(name, names.iter().copied());
            let error = Error::new(ErrorKind::Usage, format!("there is no baseline `{name}`"));
            error.help(near.unwrap_or_else(|| format!("there are {}", names.join(", "))))
        };
        BASELINES.iter().find(|baseline| baseline.name == name).ok_or_else(unknown)
    }

    /// Returns all names, in the order of the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BASELINES.iter().map(|baseline| baseline.name)
    }
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
    let task = Task { features, classes, class_count, training: &known, test, seed };
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
    let wrong = |features: &Features| -> usize {
        let of = |held: usize| {
            let found =
                fit_predict(baseline, features, classes, &split::others(&inner, held), &inner[held], seed);
            let is_wrong =
                |(&example, found): (&usize, &Vec<f64>)| most_probable(found) != classes[example] as usize;
            inner[held].iter().zip(&found).filter(|pair| is_wrong(*pair)).count()
        };
        (0..inner.len()).map(of).sum()
    };
    (0..features.len()).min_by_key(|&number| wrong(&features[number])).unwrap_or(0)
}

/// Returns the class with the highest probability; the first of equals.
pub fn most_probable(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (class, &probability) in probabilities.iter().enumerate() {
        if probability > probabilities[best] {
            best = class;
        }
    }
    best
}

impl Task<'_> {
    /// Returns how often each class occurs in the training part, as fractions; alike if there is no example.
    fn frequencies(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.class_count];
        self.training.iter().for_each(|&example| counts[self.classes[example] as usize] += 1.0);
        let total = self.training.len() as f64;
        let fraction = |count: f64| if total > 0.0 { count / total } else { 1.0 / self.class_count as f64 };
        counts.into_iter().map(fraction).collect()
    }

    /// Returns whether there is something to learn: two classes or more.
    fn has_two_classes(&self) -> bool {
        self.frequencies().iter().filter(|&&frequency| frequency > 0.0).count() > 1
    }
}

fn majority(task: &Task<'_>) -> Vec<Vec<f64>> {
    vec![task.frequencies(); task.test.len()]
}

#[cfg(test)]
mod tests;
