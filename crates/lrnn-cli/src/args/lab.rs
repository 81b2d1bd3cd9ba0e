//! What cross-validation and experiments take.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LearningFlags, LimitOptions, ReportFlag, TemplateOptions, positive};

#[derive(Args)]
pub struct Crossval {
    /// A dataset folder with an lrnn.toml, whose table [search] has the settings to choose from
    pub folder: Option<PathBuf>,
    /// The template
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// A file of data, or a folder with examples.txt and queries.txt
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// So many stratified folds [default: those of the data, else 10]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// What is held out inside the training folds to choose settings by: a share, or a number of folds
    #[arg(long, value_name = "PART", default_value = "0.2")]
    pub inner: lrnn_lab::Inner,
    /// How the table [search] is gone through
    #[arg(long, value_enum, default_value_t = SearchKind::Grid)]
    pub search: SearchKind,
    /// How many settings are tried by random and halving [default: 12 for random, all for halving]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub trials: Option<NonZeroU64>,
    /// Do all of it so often, with other seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// Baselines on the same folds, with commas between them: majority, logistic, boosted (with --features boosted)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub baseline: Vec<String>,
    /// Also tell the best epoch over the test folds, as graph papers do; it is no honest estimate
    #[arg(long)]
    pub best_epoch: bool,
    /// The folder for the journal and the results; a run that is in it goes on [default: runs/NAME-crossval]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Go on with the run in this folder, to the same end as if it had never stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["folder", "template", "data", "out", "folds", "inner", "search", "trials", "seeds", "baseline", "best_epoch"])]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportFlag,
    #[command(flatten)]
    pub learning: LearningFlags,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct Experiment {
    /// The experiment: a TOML file with tables [[dataset]] and [[method]]
    pub file: PathBuf,
    /// The folder that paths of datasets are relative to [default: that of FILE]
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// The folder for journals and results; what is in it is not done again [default: runs/NAME]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// All that the table has
    Grid,
    /// Some of it, drawn at random
    Random,
    /// All or some of it; the worse two thirds stop early, again and again
    Halving,
}
