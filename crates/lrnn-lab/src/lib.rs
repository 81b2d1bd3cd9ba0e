//! Experiments: cross-validation with settings chosen inside the training folds, baselines on the same folds, statistics
//! over datasets, tables and figures.

mod axis;
pub mod baseline;
mod distribution;
pub mod figure;
mod minimise;
pub mod statistics;
pub mod table;
