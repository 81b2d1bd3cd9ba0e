//! Arguments of `induce`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub struct InduceArgs {
    /// File of data, or a folder with examples.txt (or facts.txt) and queries.txt
    pub data: PathBuf,
    /// Template to write [default: template.lrnn in the folder of the run]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder of the run, with the model, the template and the bias; a cross-validation in it continues [default:
    /// runs/NAME-induce]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Print the bias that the data suggests, ready to edit, and learn nothing
    #[arg(long)]
    pub show_bias: bool,
    /// Bias: directives as --show-bias prints them
    #[arg(long, value_name = "FILE")]
    pub bias: Option<PathBuf>,
    /// Measure the whole procedure by cross-validation, with rules found anew in each fold
    #[arg(long)]
    pub crossval: bool,
    /// Number of stratified folds for --crossval [default: those of the data, else 10]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub folds: Option<u32>,
    /// Argument of the queries, from 1: folds keep all queries about one individual there together
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
    /// L2 regularisation of the weights
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    pub l2: f64,
    /// Rules may have negated literals
    #[arg(long)]
    pub negation: bool,
    /// Stop after so many seconds, with the rules found until then
    #[arg(long, value_name = "S")]
    pub max_seconds: Option<f64>,
    /// Random seed of folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}
