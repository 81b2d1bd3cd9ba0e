//! Experiments: cross-validation with settings chosen inside the training folds, baselines on the same folds, statistics
//! over datasets, tables and figures.

pub mod baseline;
mod distribution;
mod minimise;
pub mod statistics;
