//! What can be written on the command line.

use std::path::PathBuf;

use clap::Parser;

/// Costs of lrnn: reading, grounding, building, an epoch. Without a case, all of them.
#[derive(Parser)]
#[command(name = "lrnn-bench", max_term_width = 100)]
pub struct BenchArgs {
    /// The cases; `--list` shows them
    pub cases: Vec<String>,
    /// Show the cases
    #[arg(long)]
    pub list: bool,
    /// Only how time and memory grow: molecules up to a million, and graphs up to ten million edges; 16 GB of memory
    #[arg(long, conflicts_with_all = ["cases", "template", "copies", "batch", "once", "values"])]
    pub growth: bool,
    /// A template to measure instead
    #[arg(long, value_name = "FILE", requires = "data", conflicts_with = "cases")]
    pub template: Option<PathBuf>,
    /// Its data: a folder with examples.txt and queries.txt
    #[arg(long, value_name = "FOLDER", requires = "template")]
    pub data: Option<PathBuf>,
    /// The family, instead of the template's
    #[arg(long, value_name = "F", requires = "template")]
    pub family: Option<String>,
    /// Number of examples in a batch, or `all`
    #[arg(long, default_value = "1", value_parser = batch)]
    pub batch: usize,
    /// Number of copies of the molecules
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub copies: usize,
    /// Only the first so many examples
    #[arg(long, value_name = "N")]
    pub take: Option<usize>,
    /// Measure steps of so many queries of one example, with so many neighbours (0: all), instead of whole networks
    #[arg(long, num_args = 2, value_names = ["QUERIES", "NEIGHBOURS"], conflicts_with = "growth")]
    pub sampled: Option<Vec<u32>>,
    /// Ground the whole model, and nothing by demand, to compare
    #[arg(long)]
    pub whole: bool,
    /// Number of threads; those of an epoch share the work of large networks
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Seconds for which each stage is repeated
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    pub seconds: f64,
    /// Print a line of JSON for each measurement instead of a table
    #[arg(long)]
    pub json: bool,
    /// Only run a stage N times, without a clock: read, ground, build, epoch, limit or step
    #[arg(long, num_args = 2, value_names = ["STAGE", "N"])]
    pub once: Option<Vec<String>>,
    /// Only print the value of every query, computed in f64
    #[arg(long)]
    pub values: bool,
    /// Weights for `--values`: a JSON object with the numbers of each, `w[c, 1]` under the name `w_c_1`
    #[arg(long, value_name = "FILE", requires = "values")]
    pub weights: Option<PathBuf>,
}

/// 0 stands for all.
fn batch(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(0),
        _ => text.parse().map_err(|_| "a number, or `all`".into()),
    }
}
