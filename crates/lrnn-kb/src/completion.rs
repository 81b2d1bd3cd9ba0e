//! The front door: triples in, rules for each relation, a ranking and predictions with their proofs out.

use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::threads::try_each;
use lrnn::{Error, ErrorKind, Stop};
use serde::Serialize;

use crate::knowledge_base::{KnowledgeBase, Triple};
use crate::path::PathLimits;
use crate::problem::{RelationProblem, SharedGraph};
use crate::proof::{PredictedTriple, Prover};
use crate::rank::{Ranking, Side, TripleRank};
use crate::rules::RelationRules;

/// The pairs that count as wrong answers in learning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Negatives {
    /// All pairs that are not known.
    All,
    /// All pairs that a path joins, and about so many others drawn at random for each relation, which stand for all;
    /// of few entities, all pairs.
    Sampled(usize),
}

/// Most pairs of entities that are all looked at, unless that is asked for.
const MOST_PAIRS: usize = 100_000;

impl std::str::FromStr for Negatives {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "all" => Ok(Self::All),
            count => count.parse().map(Self::Sampled).map_err(|_| "it must be `all` or a whole number"),
        }
    }
}

impl Negatives {
    /// Tells whether all pairs of so many entities are taken.
    pub fn takes_all(self, entities: usize) -> bool {
        match self {
            Self::All => true,
            Self::Sampled(_) => entities.saturating_mul(entities) <= MOST_PAIRS,
        }
    }
}

/// The way in which the rules of a relation get their weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleCombination {
    /// All weights are fitted together; a sum is the log-odds of a triple.
    Logistic,
    /// Each rule by itself: its weight is −ln(1 − confidence), so a sum is that of the noisy-or of all rules that hold. What
    /// is not known does not count against a rule that others make superfluous where it is known.
    NoisyOr,
}

impl RuleCombination {
    /// Returns the probability that a sum of weights stands for.
    pub fn probability(self, sum: f64) -> f64 {
        match self {
            Self::Logistic => lrnn::function::math::sigmoid(sum),
            Self::NoisyOr => 1.0 - lrnn::function::math::exp(-sum),
        }
    }
}

/// A setting that is chosen on validation triples.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct CompletionSetting {
    /// Most steps of a path.
    pub length: u8,
    /// Most paths of a relation, those of the largest gain.
    pub rules: usize,
    /// The way in which rules get their weights.
    pub combination: RuleCombination,
    /// Strength of L2 regularisation; 0 where each rule stands by itself.
    pub l2: f64,
    /// True if the likeness of entities counts.
    pub likeness: bool,
}

impl std::fmt::Display for CompletionSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { length, rules, combination, l2, likeness } = self;
        write!(f, "paths of at most {length} steps, at most {rules} for each relation, ")?;
        match combination {
            RuleCombination::Logistic => write!(f, "fitted together with L2 {l2}")?,
            RuleCombination::NoisyOr => write!(f, "each by itself, joined by noisy-or")?,
        }
        f.write_str(if *likeness { ", with the likeness of entities" } else { "" })
    }
}

/// Options of completion.
#[derive(Clone, Debug)]
pub struct CompletionOptions {
    /// Most steps of a path, 1 to 3.
    pub length: u8,
    /// Numbers of paths of a relation to choose from.
    pub rules: Vec<usize>,
    /// Strengths of L2 regularisation to choose from.
    pub l2: Vec<f64>,
    /// True if the likeness of entities may count.
    pub likeness: bool,
    /// The end that is asked for, by whose ranks settings are chosen; none stands for both.
    pub end: Option<Side>,
    /// Wrong answers in learning.
    pub negatives: Negatives,
    /// Number of new triples to predict.
    pub predictions: usize,
    /// Seed of what is drawn at random.
    pub seed: u64,
    /// Bounds of paths.
    pub limits: PathLimits,
}

impl Default for CompletionOptions {
    fn default() -> Self {
        Self {
            length: 2,
            rules: vec![20, 200, 2000],
            l2: vec![1.0, 3.0, 9.0],
            likeness: true,
            end: None,
            negatives: Negatives::Sampled(50_000),
            predictions: 20,
            seed: 1,
            limits: PathLimits::default(),
        }
    }
}

impl CompletionOptions {
    /// Returns options that are in range, with the default where a list has nothing to choose from.
    pub fn checked(mut self) -> Result<Self, Error> {
        let usage = |message: &str| Err(Error::new(ErrorKind::Usage, message));
        if !(1..=3).contains(&self.length) {
            return usage("length must be 1, 2 or 3");
        }
        if self.l2.iter().any(|l2| !(l2.is_finite() && *l2 > 0.0)) {
            return usage("l2 must be numbers above 0");
        }
        let Self { rules, l2, .. } = Self::default();
        if self.rules.is_empty() {
            self.rules = rules;
        }
        if self.l2.is_empty() {
            self.l2 = l2;
        }
        Ok(self)
    }

    /// Returns the settings to choose from: of paths of one step all, of longer ones so many.
    pub fn grid(&self) -> Vec<CompletionSetting> {
        let most = self.rules.iter().copied().max().unwrap_or(0);
        let shapes = (1..=self.length).flat_map(|length| {
            let rules = if length == 1 { vec![most] } else { self.rules.clone() };
            rules.into_iter().map(move |rules| (length, rules))
        });
        let logistic =
            |likeness: bool| self.l2.iter().map(move |&l2| (RuleCombination::Logistic, l2, likeness));
        let mut kinds: Vec<_> = logistic(false).collect();
        kinds.extend(logistic(true).filter(|_| self.likeness));
        kinds.push((RuleCombination::NoisyOr, 0.0, false));
        let setting = |(length, rules), (combination, l2, likeness)| CompletionSetting {
            length,
            rules,
            combination,
            l2,
            likeness,
        };
        shapes.flat_map(|shape| kinds.iter().map(move |&kind| setting(shape, kind))).collect()
    }
}

/// A setting with its mean reciprocal rank on validation triples.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct CompletionTrial {
    /// The setting.
    #[serde(flatten)]
    pub setting: CompletionSetting,
    /// Mean reciprocal rank, filtered, of the ends that are asked for.
    pub mrr: f64,
}

/// A knowledge base completed: rules, figures and predictions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Completion {
    /// Number of entities.
    pub entities: usize,
    /// Numbers of triples: to learn from, validation, test.
    pub triples: [usize; 3],
    /// The settings that were tried.
    pub trials: Vec<CompletionTrial>,
    /// The one that was chosen on validation triples.
    pub setting: CompletionSetting,
    /// The ranking of validation triples under it.
    pub validation: Ranking,
    /// The ranking of test triples; none if there are none.
    pub test: Option<Ranking>,
    /// The rules of each relation.
    pub rules: Vec<RelationRules>,
    /// New triples with proofs, the most probable first.
    pub predictions: Vec<PredictedTriple>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Entities, others, and how much each is like the other; nothing unless likeness counts.
    #[serde(skip)]
    pub(crate) likeness: Vec<(u32, u32, f64)>,
}

/// Returns the number of steps that [`complete`] counts.
pub fn completion_steps(knowledge: &KnowledgeBase) -> usize {
    2 * knowledge.relations.len()
}

/// Learns rules for each relation of a knowledge base, ranks its test triples once, and predicts new ones. Counts what is
/// done; a raised flag ends it with an error.
///
/// ```
/// use lrnn_kb::{CompletionOptions, KnowledgeBase, complete};
/// let triple = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
/// let mut known: Vec<[String; 3]> = (0..9).map(|at| triple(format!("x{at} wife y{at}"))).collect();
/// known.extend((0..8).map(|at| triple(format!("y{at} husband x{at}"))));
/// let knowledge = KnowledgeBase::new(&known, &known[..1], &[])?;
/// let found = complete(&knowledge, &CompletionOptions::default(), &lrnn::Stop::default(), &0.into())?;
/// assert_eq!(found.predictions[0].triple, ["y8", "husband", "x8"]);
/// assert_eq!(found.predictions[0].proofs[0].facts, ["wife(x8, y8)"]);
/// # Ok::<(), lrnn::Error>(())
/// ```
pub fn complete(
    knowledge: &KnowledgeBase,
    options: &CompletionOptions,
    stop: &Stop,
    done: &AtomicUsize,
) -> Result<Completion, Error> {
    complete_with(knowledge, options, &options.grid(), stop, done)
}

/// Does the same with these settings to choose from, instead of those of the options.
pub fn complete_with(
    knowledge: &KnowledgeBase,
    options: &CompletionOptions,
    grid: &[CompletionSetting],
    stop: &Stop,
    done: &AtomicUsize,
) -> Result<Completion, Error> {
    let shared = SharedGraph::new(knowledge, options);
    let completer = Completer { knowledge, options, shared: &shared, stop, done };
    let rankings = completer.rank(grid)?;
    let trials: Vec<CompletionTrial> = grid
        .iter()
        .zip(&rankings)
        .map(|(&setting, ranking)| CompletionTrial { setting, mrr: ranking.of(options.end).mrr })
        .collect();
    // Of equal figures the first counts: shorter paths, fewer rules.
    let best = (0..trials.len()).rev().max_by(|&one, &other| trials[one].mrr.total_cmp(&trials[other].mrr));
    let best = best.ok_or_else(|| Error::new(ErrorKind::Usage, "there is no setting to try"))?;
    let parts = completer.fit(&grid[best])?;
    let ranks: Vec<TripleRank> = parts.iter().flat_map(|part| part.ranks.clone()).collect();
    let mut notes = knowledge.notes.clone();
    if shared.short.left_out > 0 {
        notes.push(format!(
            "{} paths of two steps join too many pairs and were left out",
            shared.short.left_out
        ));
    }
    let entities = 0..if grid[best].likeness { knowledge.entities.len() as u32 } else { 0 };
    let alike = |one: u32| shared.likeness.others(one).map(move |(other, value)| (one, other, value));
    Ok(Completion {
        likeness: entities.flat_map(alike).collect(),
        entities: knowledge.entities.len(),
        triples: [knowledge.train.len(), knowledge.validation.len(), knowledge.test.len()],
        trials,
        setting: grid[best],
        validation: rankings[best].clone(),
        test: (!ranks.is_empty()).then(|| Ranking::new(knowledge, &ranks)),
        predictions: best_predictions(&parts, options.predictions),
        rules: parts.into_iter().map(|part| part.rules).collect(),
        notes,
    })
}

/// Returns the most probable of all predicted triples.
fn best_predictions(parts: &[RelationPart], count: usize) -> Vec<PredictedTriple> {
    let mut all: Vec<PredictedTriple> = parts.iter().flat_map(|part| part.predictions.clone()).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.triple.cmp(&other.triple)));
    all.truncate(count);
    all
}

/// The findings of one relation.
struct RelationPart {
    rules: RelationRules,
    /// The ranks of its test triples.
    ranks: Vec<TripleRank>,
    predictions: Vec<PredictedTriple>,
}

/// A knowledge base with what its relations have in common.
struct Completer<'a> {
    knowledge: &'a KnowledgeBase,
    options: &'a CompletionOptions,
    shared: &'a SharedGraph,
    stop: &'a Stop,
    done: &'a AtomicUsize,
}

impl Completer<'_> {
    /// Does something for each relation, on all threads.
    fn each<T: Send>(&self, work: impl Fn(u32, &RelationProblem<'_>) -> T + Sync) -> Result<Vec<T>, Error> {
        let relations: Vec<u32> = (0..self.knowledge.relations.len() as u32).collect();
        let one = |&relation: &u32| {
            if self.stop.is_raised() {
                return Err(Error::new(ErrorKind::Stopped, "stopped before the end"));
            }
            let problem =
                RelationProblem::new(self.knowledge, self.shared, relation, self.options, self.stop);
            let found = work(relation, &problem);
            self.done.fetch_add(1, Ordering::Relaxed);
            // What was found under a raised flag is not the end of a fit.
            if self.stop.is_raised() {
                Err(Error::new(ErrorKind::Stopped, "stopped before the end"))
            } else {
                Ok(found)
            }
        };
        try_each(&relations, one)
    }

    /// Ranks validation triples under each setting.
    fn rank(&self, grid: &[CompletionSetting]) -> Result<Vec<Ranking>, Error> {
        let ranks = |_: u32, problem: &RelationProblem<'_>| -> Vec<Vec<TripleRank>> {
            let under =
                |setting| problem.scores(&problem.fit(setting, self.stop)).ranks(&self.knowledge.validation);
            grid.iter().map(under).collect()
        };
        let all = self.each(ranks)?;
        let of = |at: usize| all.iter().flat_map(|ranks| ranks[at].iter().copied()).collect::<Vec<_>>();
        Ok((0..grid.len()).map(|at| Ranking::new(self.knowledge, &of(at))).collect())
    }

    /// Fits all relations under a setting, ranks test triples and predicts new ones.
    fn fit(&self, setting: &CompletionSetting) -> Result<Vec<RelationPart>, Error> {
        let Self { knowledge, shared, .. } = self;
        let prover = Prover { knowledge, shared };
        self.each(|relation, problem| {
            let fitted = problem.fit(setting, self.stop);
            let scores = problem.scores(&fitted);
            let rules = RelationRules::new(knowledge, shared, relation, &fitted);
            let best = scores.best(self.options.predictions).into_iter();
            let predictions = best
                .map(|(score, (head, tail))| {
                    let probability = setting.combination.probability(score);
                    prover.predicted(Triple { relation, head, tail }, (score, probability), &rules)
                })
                .collect();
            RelationPart { ranks: scores.ranks(&knowledge.test), rules, predictions }
        })
    }
}
