//! Experiments: cross-validation with settings chosen inside the training folds, baselines on the same folds, statistics
//! over datasets, tables and figures.
//!
//! What folds are made of are [`Cases`]; [`Folds`] says which are tested when. A [`Space`] of settings gives [`Trial`]s.
//! A [`Study`] has all of it and runs: every finished piece goes to a [`Journal`], so that a run that was stopped goes
//! on, and the [`Results`] are the same on any number of threads.

mod axis;
pub mod baseline;
mod bench;
mod crossval;
mod distribution;
pub mod figure;
mod folds;
mod journal;
mod minimise;
mod piece;
mod record;
mod report;
mod results;
mod rival;
mod search;
mod select;
pub mod statistics;
mod summary;
pub mod table;
mod unit;
mod view;

pub use bench::{CaseValues, Variant};
pub use crossval::{FoldModel, Monitor, Plan, Study, Unmonitored};
pub use folds::{Fold, Folds, Halves, Inner};
pub use journal::{Header, Journal, read_header};
pub use record::{Chosen, FoldRecord, TrialRecord};
pub use report::{percent, predictions_csv};
pub use results::{BestEpoch, FoldResult, Results, SeedResult, Spread};
pub use search::{Search, Space, SpaceError, Trial};
pub use summary::{Summary, Versus, t_test};
pub use view::{crossval_view, part_view, sentences, spread_text};
