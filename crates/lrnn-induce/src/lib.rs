//! Rules learned from data: a readable template that nobody wrote.
//!
//! In: a [`Dataset`](lrnn::Dataset), examples with queries or one knowledge base with many. Out: an [`Induction`], weighted rules with their
//! support, and the template they make. [`induce`] does all of it, [`InduceInputs`] from files and into the folder of a run; the parts are
//!
//! - [`FactIndex`]: facts and queries of a [`Goal`], indexed;
//! - [`Bias`]: what rules may say, inferred from the facts and edited by directives;
//! - [`Lattice`]: clauses with the queries that each covers, found lazily and shared by all searches;
//! - [`search`]: a beam through the lattice, for any [`Judge`] of coverage;
//! - [`Grower`]: rules one by one by gradient boosting, their number chosen on inner folds;
//! - [`InduceMethod`]: this, and nFOIL, kFOIL and CILP++ on the same lattice to compare it with.

mod bias;
mod budget;
mod cilp;
mod clause;
mod counter;
mod coverage;
mod directive;
mod expansion;
mod expert;
mod facts;
mod features;
mod folds;
mod foreign_bias;
mod goal;
mod growth;
mod growth_choice;
mod growth_journal;
mod induction;
mod join;
mod journal;
mod kfoil;
mod lattice;
mod linear;
mod method;
mod molecule_bias;
mod nfoil;
mod problem;
mod run;
mod sample;
mod search;
mod soft;
mod validation;

pub use bias::{ArgumentMode, Bias, ConstantType, RelationBias};
pub use budget::{DEFAULT_STEPS, SearchBudget, StepCount};
pub use clause::{Argument, LatticeClause, LatticeLiteral, LiteralKind, RuleText};
pub use counter::SearchCounter;
pub use coverage::Coverage;
pub use expansion::Refinement;
pub use expert::ExpertRule;
pub use facts::{FactIndex, IndexedQuery, RelationFacts};
pub use features::{FeatureMethod, FeatureTask, Features};
pub use goal::Goal;
pub use growth::{Grower, Growth, GrowthOptions, GrowthRule};
pub use growth_choice::GrowthChoice;
pub use growth_journal::GrowthJournal;
pub use induction::{InducedGoal, InducedRule, Induction, induce, infer_bias};
pub use lattice::{Lattice, LatticeLimits, Outlook};
pub use linear::{LinearModel, TargetKind};
pub use method::{FittedRules, InduceMethod};
pub use problem::{GoalProblem, InduceOptions};
pub use run::{InduceInputs, InduceRun, ValidationRun};
pub use search::{Judge, ScoredClause, SearchOptions, SearchResult, search};
pub use soft::SoftRules;
pub use validation::{FoldScores, InducedFold, Validation, validate};
