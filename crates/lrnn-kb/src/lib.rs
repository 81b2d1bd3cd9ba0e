//! Knowledge bases: rules for link prediction, learned from triples.
//!
//! In: a [`KnowledgeBase`] of triples, some held out. Out: a [`Completion`]: for each relation weighted rules over paths
//! of one to three steps, chosen on validation triples; the filtered ranking of test triples; new triples with proofs;
//! and the template that all this makes. [`complete`] does all of it; the parts are
//!
//! - [`Graph`], [`ShortPaths`]: which pairs a [`Path`] joins, never through the triple that joins them itself;
//! - [`Likeness`]: how alike two entities are, and what that says of a pair;
//! - [`RelationProblem`]: the pairs and candidate rules of one relation, the best first;
//! - [`Design`]: logistic regression over them;
//! - [`KnownTriples`], [`Ranking`]: filtered ranks and their figures;
//! - [`Prover`]: facts that make rules hold.

mod completion;
mod knowledge_base;
mod likeness;
mod logistic;
mod long_path;
mod path;
mod problem;
mod proof;
mod rank;
mod rules;
mod template;

pub use completion::{
    Completion, CompletionOptions, CompletionSetting, CompletionTrial, Negatives, RuleCombination, complete,
    complete_with, completion_steps,
};
pub use knowledge_base::{KnowledgeBase, NamedTriple, Triple};
pub use likeness::{GradedColumn, Likeness, LikenessRule};
pub use logistic::{Design, RuleWeights};
pub use path::{Graph, Pair, Path, PathLimits, PathPairs, ShortPaths, Step};
pub use problem::{FittedRelation, PairScores, RelationProblem, SharedGraph};
pub use proof::{PredictedTriple, Prover, TripleProof};
pub use rank::{KnownTriples, RankScores, Ranking, Side, TripleRank};
pub use rules::{RelationRules, WeightedRule};
