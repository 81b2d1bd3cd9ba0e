//! Experiments: cross-validation with settings chosen inside the training folds, baselines on the same folds, many
//! methods on many datasets, statistics and tables.
//!
//! [`CrossvalOptions`] say what is asked for, and [`crossval`] does it: every finished piece goes to a journal in the
//! folder of the run, so that a run that was stopped goes on with [`resume`], and the [`CrossvalResults`] are the same
//! on any number of threads. An [`Experiment`] does this for many methods on many datasets.

pub mod baseline;
mod crossval;
mod distribution;
mod experiment;
mod fold_task;
mod folds;
mod journal;
mod minimise;
mod options;
mod report;
mod results;
mod rule_validation;
mod search;
pub mod statistics;
mod trainer;
mod training_summary;
mod twins;
mod workers;

pub use crossval::{Crossval, CrossvalRun, FoldAnswers, Monitor, crossval, is_run, resume};
pub use experiment::{Experiment, ExperimentResults, MethodComparison};
pub use folds::{Fold, Inner, SplitMethod, WorkShard, graph_split, scaffold_split};
pub use journal::{Choice, FoldRecord, RefitRecord};
pub use options::CrossvalOptions;
pub use report::{PageFile, ProgressScope, TrainingReport, report_command, report_run};
pub use results::{
    BaselineResults, BestEpoch, CrossvalResults, FoldResult, Refit, SeedResult, Spread, TwinResult, percent,
    t_test,
};
pub use rule_validation::validation_text;
pub use search::{SearchMethod, SearchSpace, Trial};
pub use training_summary::TrainingSummary;
pub use workers::{Workers, run_by_python};
