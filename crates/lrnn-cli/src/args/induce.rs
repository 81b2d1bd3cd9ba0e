//! Arguments of `induce`.

use std::path::PathBuf;

use clap::Args;

use super::TargetFlags;

#[derive(Args)]
pub struct InduceArgs {
    /// File of data, a table of molecules (.csv, .smi, .sdf), or a folder with examples.txt (or facts.txt) and queries.txt
    pub data: PathBuf,
    #[command(flatten)]
    pub columns: TargetFlags,
    /// Template to write [default: template.lrnn in the folder of the run]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder of the run, with the model, the template and the bias; a cross-validation in it continues [default:
    /// runs/NAME-induce]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Way to learn: growth (rules by gradient boosting), or as baselines for --crossval nfoil, kfoil, cilp, and
    /// by features that are clauses logistic, kernel, neighbours, boosted
    #[arg(long, value_name = "NAME", default_value = "growth")]
    pub method: String,
    /// Print the bias that the data suggests, ready to edit, and learn nothing
    #[arg(long)]
    pub show_bias: bool,
    /// Template to go on from: its rules stay, their weights are fitted anew, and rules are added
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Bias: directives as --show-bias prints them, or the modes of Aleph, or the bias.pl of Popper [default: those of
    /// the folder, else what the data suggests]
    #[arg(long, value_name = "FILE")]
    pub bias: Option<PathBuf>,
    /// Measure the whole procedure by cross-validation, with rules found anew in each fold
    #[arg(long)]
    pub crossval: bool,
    /// Number of stratified folds for --crossval [default: those of the data, else 10]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Argument of the queries, from 1: an individual there that is in the test part is named by no query of training
    #[arg(long, value_name = "ARGUMENT")]
    pub group: Option<usize>,
    /// Number of inner folds that choose how many rules there are
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    pub inner: u32,
    /// Maximum number of rules for each predicate or class
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub max_rules: usize,
    /// Clauses that the search keeps at each level
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub beam: usize,
    /// Levels of the search: literals of a rule that test something
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub levels: usize,
    /// Number of literals that only bring variables which the search looks beyond
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub look_ahead: usize,
    /// Minimum number of training queries that a rule covers, and that it does not cover
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub min_support: u32,
    /// Gain that each literal of a rule after the first must add [default: 1 or 0, chosen on inner folds]
    #[arg(long, value_name = "X")]
    pub literal_cost: Option<f64>,
    /// L2 regularisation of the weights [default: chosen on inner folds]
    #[arg(long, value_name = "X")]
    pub l2: Option<f64>,
    /// Grow rules from so many parts of the training queries, and average their weights
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub bags: u32,
    /// Make rules soft where that pays on inner folds: the values that they ask for become learned groups, and all
    /// weights are learned jointly; they are written beside the crisp ones, as NAME-soft.lrnn
    #[arg(long)]
    pub soft: bool,
    /// Rules may have negated literals
    #[arg(long)]
    pub negation: bool,
    /// Rules do not count: none asks for several individuals
    #[arg(long)]
    pub no_counts: bool,
    /// Stop after so many seconds, with the rules found until then
    #[arg(long, value_name = "S")]
    pub max_seconds: Option<f64>,
    /// Stop each growth of rules once it has compared so many clauses, with the rules found until then
    #[arg(long, value_name = "N")]
    pub max_clauses: Option<u64>,
    /// Random seed of folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}
