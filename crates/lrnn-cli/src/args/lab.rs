//! Arguments of `crossval` and `experiment`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;

use super::names::NameParser;
use super::{
    LearningFlags, LimitOptions, ReportFlag, SourceArgs, SplitFlag, TargetFlags, TemplateOptions, positive,
};

#[derive(Args)]
pub struct CrossvalArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Number of stratified folds [default: those of the data, else 10]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Inner validation to choose hyperparameters by: a fraction of the training folds, or a number of inner folds
    #[arg(long, value_name = "I/N", default_value = "0.2")]
    pub inner: lrnn_lab::Inner,
    /// Hyperparameter search over the table [search]: every combination (grid), some of them (random), or successive
    /// halving, where the worse two thirds stop early, again and again
    #[arg(long, value_name = "HOW", default_value = "grid", value_parser = lrnn_lab::SearchMethod::NAMES)]
    pub search: String,
    /// Number of trials of random search and successive halving [default: 12 for random, all for halving]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub trials: Option<NonZeroU64>,
    /// Number of repetitions with different random seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub seeds: u32,
    /// Baselines on the same folds, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NameParser::BASELINES)]
    pub baseline: Vec<String>,
    /// Also report the best epoch over the test folds, as graph papers do; this is not an honest estimate
    #[arg(long)]
    pub best_epoch: bool,
    /// Output folder for the journal and the results; an unfinished run in it continues [default: runs/NAME-crossval]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Continue the run in this folder, with the same result as if it had never stopped; --data says where its data is
    /// now
    #[arg(long, visible_alias = "join", value_name = "RUN", conflicts_with_all = ["folder", "second", "template", "out", "folds", "inner", "search", "trials", "seeds", "baseline", "best_epoch"])]
    pub resume: Option<PathBuf>,
    /// Run a shard of the folds only, such as 2/8, the second of eight, beside other processes with the same --out;
    /// --join RUN then does what is left and puts all together
    #[arg(long, value_name = "I/N", value_parser = lrnn_lab::WorkShard::parse, conflicts_with_all = ["baseline", "report", "workers"])]
    pub shard: Option<lrnn_lab::WorkShard>,
    #[command(flatten)]
    pub workers: WorkerFlags,
    #[command(flatten)]
    pub columns: TargetFlags,
    #[command(flatten)]
    pub split: SplitFlag,
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
pub struct ExperimentArgs {
    /// Experiment: a TOML file with tables [[dataset]] and [[method]]
    pub file: PathBuf,
    /// Folder that paths of datasets are relative to [default: that of FILE]
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Output folder for journals and results; what is done in it is not computed again [default: runs/NAME]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Run a shard of the methods on datasets only, such as 2/8, beside other processes with the same --out; the same
    /// command without --shard then puts all together
    #[arg(long, value_name = "I/N", value_parser = lrnn_lab::WorkShard::parse, conflicts_with = "workers")]
    pub shard: Option<lrnn_lab::WorkShard>,
    #[command(flatten)]
    pub workers: WorkerFlags,
}

/// Processes that share the work.
#[derive(Args, Clone, Debug)]
pub struct WorkerFlags {
    /// Share the work among so many processes of Ray, or from so many to so many, such as 2-8; results do not depend on
    /// it. Needs Python with the package lrnn[ray]
    #[arg(long, value_name = "N", value_parser = worker_range)]
    pub workers: Option<(usize, usize)>,
    /// Address of the Ray cluster to use [default: this machine]
    #[arg(long, value_name = "ADDRESS", requires = "workers", requires = "shared")]
    pub cluster: Option<String>,
    /// Folder that all machines of the cluster share, for the data
    #[arg(long, value_name = "FOLDER", requires = "workers")]
    pub shared: Option<PathBuf>,
}

/// Reads the least and the most workers: `4`, `2-8`.
fn worker_range(text: &str) -> Result<(usize, usize), &'static str> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok());
    range.filter(|&(least, most)| 1 <= least && least <= most).ok_or("a number from 1, or two such as 2-8")
}
